//! The table of `docs/fixes.md`: which mistakes have one right answer, and how many of their shaders are offered it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::fixes::{Offered, Report};

/// The broken rules that have one right answer in each of their shaders; of the others, only somebody who knows what was meant can say.
const ONE_ANSWER: &[&str] = &[
    "a store's stride is greater than 0",
    "a type argument with an operator stands in parentheses",
    "an index is an integer",
    "length() is the only method",
    "rows do not overlap",
    "the array's length fits the matrix",
    "the extension is enabled",
    "the extensions that it requires are enabled",
    "the scalar of * has the component type",
    "the version that it is written against",
    "with a scalar there is * alone",
];

/// At least so many of a hundred shaders with such a mistake are to be offered its fix.
const WANTED: usize = 90;

const MARK: &str = "<!-- table -->";

/// Writes the table behind the mark of a document, or looks whether it is there; fails for a fix that does harm and for a mistake whose fix is
/// missing too often.
pub fn write(report: &Report, slips: &[(&str, bool)], document: &Path, check: bool) -> Result<()> {
    let one_answer = |class: &str| {
        ONE_ANSWER.contains(&class) || slips.iter().any(|&(name, one_answer)| name == class && one_answer)
    };
    let of_slip = |class: &str| slips.iter().any(|&(name, _)| name == class);
    // A slip is one mistake, whatever is told of it first; what is told nothing of is no mistake.
    let mut classes: BTreeMap<(&str, &str), Offered> = BTreeMap::new();
    for ((class, id), offered) in &report.classes {
        if id == "nothing" {
            continue;
        }
        let id = if of_slip(class) { "" } else { id };
        let sum = classes.entry((class, id)).or_default();
        sum.shaders += offered.shaders;
        sum.preferred += offered.preferred;
        sum.any += offered.any;
        sum.clean += offered.clean;
    }
    let unknown = ONE_ANSWER.iter().find(|&name| !classes.keys().any(|(class, _)| class == name));
    if let Some(name) = unknown {
        bail!("no shader has the mistake `{name}`, which `ONE_ANSWER` lists");
    }
    let mut text = format!(
        "\n{} shaders with a mistake, {} preferred fixes applied to them, {} of which did harm.\n\n### Mistakes with one right answer\n\n",
        report.classes.values().map(|offered| offered.shaders).sum::<usize>(),
        report.applied,
        report.wrong.len()
    );
    let head = "| the mistake, or the rule that is broken | diagnostic | shaders | with a preferred fix | without an error after it |\n|---|---|---|---|---|\n";
    text.push_str(head);
    let mut missing = Vec::new();
    let (singles, others): (Vec<_>, Vec<_>) = classes.iter().partition(|((class, _), _)| one_answer(class));
    for ((class, id), offered) in singles {
        row(&mut text, class, id, offered, offered.preferred);
        if offered.preferred * 100 < offered.shaders * WANTED {
            missing.push(format!("{class}: {} of {} are offered a fix", offered.preferred, offered.shaders));
        }
    }
    text.push_str("\n### Mistakes with several, or with none that can be known\n\n");
    text.push_str(&head.replace("a preferred fix", "a fix"));
    for ((class, id), offered) in others {
        if offered.any > 0 {
            row(&mut text, class, id, offered, offered.any);
        }
    }
    let old = fs::read_to_string(document).with_context(|| format!("cannot read {}", document.display()))?;
    let start = old.find(MARK).context("the document has no mark for the table")? + MARK.len();
    let new = format!("{}{text}", &old[..start]);
    if new != old {
        if check {
            bail!("{} is out of date: run `cargo xtask rules --fixes`", document.display());
        }
        fs::write(document, new)?;
    }
    if !missing.is_empty() {
        bail!("too few fixes:\n{}", missing.join("\n"));
    }
    Ok(())
}

fn row(text: &mut String, class: &str, id: &str, offered: &Offered, with: usize) {
    let class = class.replace('*', "\\*");
    let id = if id.is_empty() { String::new() } else { format!("`{id}`") };
    let _ = writeln!(text, "| {class} | {id} | {} | {with} | {} |", offered.shaders, offered.clean);
}
