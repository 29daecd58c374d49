//! What comes of a source of configurations, and the words that it is told in.

use coopmat_analysis::import::{Imported, Written};

/// What comes of a source of configurations: these, what is good to know about them, and what went wrong.
#[derive(Default)]
pub struct Found {
    pub imported: Imported,
    pub notes: Vec<String>,
    pub mistakes: Vec<String>,
}

/// A number of things.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// What a project file has.
pub fn counted(written: &Written) -> String {
    format!("{}, {}", count(written.shaders, "shader"), count(written.configurations, "configuration"))
}

/// A command in a line of a comment.
pub fn shown(words: &[String]) -> String {
    let line: String =
        words.join(" ").chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    const MOST: usize = 200;
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

/// Calls that bring nothing, and options that no setting can say, counted by their reasons.
pub fn left_out(imported: &Imported) -> Vec<String> {
    let calls = grouped(imported.skipped.iter().map(|(_, why)| *why).collect());
    let calls = calls.into_iter().map(|(number, why)| {
        let calls = if number == 1 { "call is" } else { "calls are" };
        format!("{number} {calls} left out: {why}")
    });
    let options = grouped(imported.unsaid.iter().map(|(_, what)| what.as_str()).collect());
    let options = options
        .into_iter()
        .map(|(number, what)| format!("an option of {} is left out: {what}", count(number, "call")));
    calls.chain(options).collect()
}

/// Equal texts, with how many of each there are.
fn grouped(mut texts: Vec<&str>) -> Vec<(usize, &str)> {
    texts.sort_unstable();
    texts.chunk_by(|a, b| a == b).filter_map(|group| Some((group.len(), *group.first()?))).collect()
}
