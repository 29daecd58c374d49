//! The table of `docs/rules-mutation.md`: which rule of which function has which diagnostic, and how many shaders break it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coopmat_analysis::diagnostics::codes;

use crate::probes::Answer;
use crate::suite::Suite;

const PREFIXES: [&str; 4] = ["coopmat-", "qcom-", "nv-", "device-"];

/// Diagnostics of the matrix extensions that no shader here gets, with the reason.
const NOT_REACHED: [(&str, &str); 0] = [];

fn is_matrix_rule(id: &str) -> bool {
    PREFIXES.iter().any(|prefix| id.starts_with(prefix)) || id == "saturated-convert"
}

/// The diagnostics of the matrix extensions that nothing here gets, without a reason; and those that have a reason, but are reached.
pub fn not_reached(suite: &Suite) -> Vec<&'static str> {
    let reached: BTreeSet<&str> = suite.cases.iter().map(|case| case.id()).collect();
    let excused = |id: &str| NOT_REACHED.iter().any(|(excused, _)| *excused == id);
    codes::ALL
        .iter()
        .map(|code| code.id)
        .filter(|id| is_matrix_rule(id) && excused(id) == reached.contains(id))
        .collect()
}

pub fn text(suite: &Suite, answers: &[Answer]) -> String {
    let mut rows: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    let mut ids: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for case in &suite.cases {
        *rows.entry((&case.built_in, case.rule, case.id())).or_default() += 1;
        let id = ids.entry(case.id()).or_default();
        id.0 += 1;
        id.1.insert(&case.built_in);
    }
    let mut twins: BTreeMap<&str, usize> = BTreeMap::new();
    for twin in &suite.twins {
        *twins.entry(&twin.built_in).or_default() += 1;
    }
    let mut out = String::new();
    let _ = write!(
        out,
        "# Rules, broken one at a time

A generator writes valid calls of every function, operator and type that the matrix extensions bring - with every component type, use,
scope, kind of memory, layout and dimension that the tables of `analysis/extensions/` and the texts leave open - and then breaks one rule at a
time. Of each broken shader the catalogue must report the diagnostic of that rule, at the place that is wrong, and nothing else; the unbroken twin
must be clean and compile to a module that `spirv-val` accepts. Hints that something is not used do not count. A diagnostic of the matrix
extensions that no shader here gets fails the check.

```sh untested=chore
cargo xtask rules           # everything, and this file written anew
cargo xtask rules --check   # the same, and fails where this file is not what would be written
cargo xtask rules --only coopMatMulAdd --print   # the shaders themselves
cargo xtask rules --differ   # the compute shaders beside glslang: docs/divergences.md
```

There are {} valid shaders, and {} in which one rule is broken.

",
        suite.twins.len(),
        suite.cases.len()
    );
    out.push_str("## Diagnostics\n\n| Diagnostic | Shaders | Of |\n|---|---:|---|\n");
    for (id, (count, built_ins)) in &ids {
        let names: Vec<String> = built_ins.iter().map(|name| format!("`{name}`")).collect();
        let shown = names.get(..8).unwrap_or(&names).join(", ");
        let more = if names.len() > 8 { format!(" and {} more", names.len() - 8) } else { String::new() };
        let _ = writeln!(out, "| `{id}` | {count} | {} |", (shown + &more).replace('|', "\\|"));
    }
    if !NOT_REACHED.is_empty() {
        out.push_str("\nNot reached:\n\n");
        for (id, reason) in NOT_REACHED {
            let _ = writeln!(out, "- `{id}`: {reason}");
        }
    }
    out.push_str("\n## Functions, operators and types\n\n| Of | Valid | Rule | Diagnostic | Broken |\n|---|---:|---|---|---:|\n");
    let mut last = "";
    for ((built_in, rule, id), count) in &rows {
        let valid = twins.get(built_in).copied().unwrap_or_default();
        let (name, valid) = if *built_in == last {
            (String::new(), String::new())
        } else {
            (format!("`{built_in}`"), valid.to_string())
        };
        last = built_in;
        let row = format!("| {} | {valid} | {rule} | `{id}` | {count} |", name.replace('|', "\\|"));
        let _ = writeln!(out, "{row}");
    }
    out.push_str(PROBES);
    for Answer { instruction, operand, rule, said } in answers {
        let said = match said {
            Some(said) => format!("refuses: {}", first_sentence(said)),
            None => "**accepts**".to_owned(),
        };
        let _ = writeln!(out, "| `Op{instruction}` | {operand} | {rule} | {said} |");
    }
    out
}

const PROBES: &str = "
## What spirv-val knows

Of each rule here a module is made by our writer in which the operand has another type, an `OpUndef` of it, and nothing else is wrong; then `spirv-val` of SPIRV-Tools 2026.4 is
asked. What it accepts, the catalogue alone tells.

| Instruction | Changed | Rule | spirv-val |
|---|---|---|---|
";

/// The first line of a complaint, without the place in the module.
fn first_sentence(said: &str) -> String {
    let line = said.lines().next().unwrap_or_default();
    let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
    let line = match line.split_once(": ") {
        Some((place, rest)) if place.starts_with("line ") => rest,
        _ => line,
    };
    line.replace('|', "\\|").replace('<', "&lt;")
}

/// Writes the document, or looks whether it is what would be written.
pub fn write(suite: &Suite, answers: &[Answer], path: &Path, check: bool) -> Result<()> {
    let text = text(suite, answers);
    if check {
        let found = fs::read_to_string(path).with_context(|| format!("no {}", path.display()))?;
        ensure!(found == text, "{} is not current: run `cargo xtask rules`", path.display());
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
