//! Front end and code generation beside glslang and tree-sitter-glsl in one process (`coopmat-compare phases`).

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use super::figures::{Figure, Found};
use crate::{corpus, shell};

/// Names in the program's output, words, the peer.
const PHASES: [(&str, &str, &str); 8] = [
    ("lex", "cutting the text after preprocessing into tokens", ""),
    ("preprocess", "preprocessing", ""),
    ("parse", "parsing the text after preprocessing", "tree-sitter-glsl, the same text"),
    ("analysis", "analysis: text to diagnostics", "glslang's front end: text to a linked program"),
    ("shared", "behind that, the look at shared memory, for which `check` waits and who types does not", ""),
    ("binary", "source to SPIR-V", "glslang, source to SPIR-V"),
    ("generate", "of that: code generation and assembly", ""),
    (
        "keystroke",
        "a keystroke in `main` of the largest variant, to diagnostics",
        "glslang's front end, which begins anew",
    ),
];

/// `which`: the parts of the front end, or code generation.
pub fn run() -> Result<Found> {
    corpus::prepare()?;
    let text = shell::output(super::compare("phases")?.arg("--sources").arg(corpus::folder()))?;
    let mut found = Found::default();
    let mut rounds: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["note", ..] => found.note(line.trim_start_matches("note ")),
            [name, ours, theirs] => {
                let [all_ours, all_theirs] = rounds.entry(name).or_default();
                all_ours.push(ours.parse().with_context(|| format!("expected a time, found {line}"))?);
                all_theirs.extend(theirs.parse::<f64>().ok().filter(|time| *time > 0.0));
            }
            _ => anyhow::bail!("expected a name and two times, found {line}"),
        }
    }
    for (name, words, peer) in PHASES {
        let [ours, theirs] = rounds.remove(name).with_context(|| format!("{name} was not measured"))?;
        let figure = Figure::times(&format!("front-end/{name}"), words, ours);
        found.figures.push(if theirs.is_empty() { figure } else { figure.beside(peer, theirs) });
    }
    Ok(found)
}
