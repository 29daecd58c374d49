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

A generator writes valid calls of every function, operator and type of the matrix extensions - with every component type, use, scope, kind of memory, layout and dimension that the tables of
`analysis/extensions/` and the specifications allow - and then breaks one rule at a time. For each broken shader the analysis must report the diagnostic of that rule at the wrong place, and
nothing else; the valid shader must have no problems and compile to a module that `spirv-val` accepts. Hints about unused names do not count. A diagnostic of the matrix extensions that no
shader here gets fails the check.

```sh untested=chore
cargo xtask rules           # check everything and write this file
cargo xtask rules --check   # the same, but fail if this file is out of date
cargo xtask rules --only coopMatMulAdd --print   # print the shaders
cargo xtask rules --differ   # compare the compute shaders with glslang: docs/divergences.md
```

There are {} valid shaders, and {} in which one rule is broken.

",
        suite.twins.len(),
        suite.cases.len()
    );
    out.push_str("## Diagnostics\n\n| Diagnostic | Shaders | Of |\n|---|---:|---|\n");
    for (id, (count, built_ins)) in &ids {
        let names: Vec<String> = built_ins.iter().map(|name| format!("`{name}`")).collect();
        let (shown, left) = some_of(&names);
        let more = if left > 0 { format!(" and {left} more") } else { String::new() };
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
            Some(said) => format!("rejects: {}", first_sentence(said)),
            None => "**accepts**".to_owned(),
        };
        let row = format!("| `Op{instruction}` | {operand} | {rule} | ");
        let _ = writeln!(out, "{row}{} |", shortened(&said, WIDTH.saturating_sub(row.chars().count())));
    }
    out
}

const PROBES: &str = "
## What spirv-val knows

For each rule here our writer makes a module in which only the type of one operand, an `OpUndef`, is wrong, and `spirv-val` of SPIRV-Tools 2026.4 checks it. What it accepts, only the
analysis reports.

| Instruction | Changed | Rule | spirv-val |
|---|---|---|---|
";

/// The characters that a row of the last table takes at most.
const WIDTH: usize = 190;

/// The first names, and how many are left.
fn some_of(names: &[String]) -> (String, usize) {
    let mut shown = String::new();
    let mut count = 0;
    for name in names.iter().take(8) {
        if !shown.is_empty() && shown.len() + name.len() > 120 {
            break;
        }
        shown = if shown.is_empty() { name.clone() } else { format!("{shown}, {name}") };
        count += 1;
    }
    (shown, names.len() - count)
}

fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let start: String = text.chars().take(room).collect();
    format!("{}…", start.trim_end())
}

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
