//! A chapter for each entry of the catalogue, and the list of all.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use coopmat_analysis::diagnostics::{Code, codes, find};

use crate::markdown::cell;
use crate::paths::name_of;

/// Groups of the list, by how ids begin. An id belongs to the first that fits.
const GROUPS: &[(&str, &[&str])] = &[
    ("Cooperative matrices", &["coopmat-"]),
    ("GL_NV_cooperative_matrix2 and decode functions", &["nv-"]),
    ("GL_QCOM_cooperative_matrix_conversion", &["qcom-"]),
    ("What glslang rejects and the specifications allow", &["glslang-"]),
    ("Devices", &["device-"]),
    ("The preprocessor", &["preprocessor-"]),
    (
        "Extensions and versions",
        &["extension-", "missing-extension", "missing-version", "unknown-extension", "version-"],
    ),
    ("Performance, if it is asked for", &["bank-conflicts", "matrix-registers"]),
    ("The language", &[""]),
];

pub fn below() -> Vec<(String, String)> {
    let entry = |code: &&Code| (code.id.to_owned(), format!("analysis/diagnostics/{}.md", code.id));
    codes::ALL.iter().map(entry).collect()
}

fn group(code: &Code) -> usize {
    let fits = |starts: &[&str]| starts.iter().any(|start| code.id.starts_with(start));
    GROUPS.iter().position(|(_, starts)| fits(starts)).unwrap_or(GROUPS.len() - 1)
}

pub fn index() -> String {
    let mut out = format!(
        "# Diagnostics\n\nAll {} of them. Each page says what the rule is, where it comes from, and has examples: the wrong ones get exactly the diagnostics that they mark, the right \
         ones get none; the tests of the analysis hold them to that. `coopmat-analyzer explain ID` prints a page, and editors open it from the diagnostic.\n\nA **warning** is undefined \
         behaviour that can be seen, or a rule of Vulkan that no device waives; **information** and **hints** depend on the device or on specialization constants.\n",
        codes::ALL.len()
    );
    for (index, (title, _)) in GROUPS.iter().enumerate() {
        let _ = writeln!(out, "\n## {title}\n\n| diagnostic | severity | what is wrong |\n|---|---|---|");
        for code in codes::ALL.iter().filter(|code| group(code) == index) {
            let _ = writeln!(
                out,
                "| [`{0}`]({0}.md) | {1} | {2} |",
                code.id,
                code.severity.name(),
                cell(code.summary)
            );
        }
    }
    out
}

pub fn page(source: &str) -> Result<String> {
    let code = find(name_of(source)).with_context(|| format!("{source} is no diagnostic"))?;
    Ok(code.document())
}

#[cfg(test)]
mod tests {
    use super::{below, index, page};

    #[test]
    fn every_diagnostic_is_listed_and_has_a_page_with_its_examples() {
        let index = index();
        for (id, source) in below() {
            assert!(index.contains(&format!("| [`{id}`]({id}.md) |")), "{id}");
            assert!(page(&source).unwrap().starts_with(&format!("# {id}\n")), "{id}");
        }
    }
}
