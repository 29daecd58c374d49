//! What differs between two modules, by what their instructions say. Ids are matched by what they stand for (`pairs`), so that their numbers do not matter, nor does
//! the order of instructions that have none, nor what a module says of its source. `coopmat-analyzer spirv --diff`, editors and the page show it.

mod pairs;
mod side;

use coopmat_spirv::dr::Module;
use coopmat_spirv::text::Names;
use rustc_hash::FxHashMap;
use serde::Serialize;

use self::pairs::Pairs;
use self::side::{Section, Side};

/// Equal lines around those that differ.
const AROUND: usize = 3;

/// What two modules do not have in common.
#[derive(Serialize)]
pub struct Difference {
    /// Whether there is nothing.
    pub same: bool,
    /// Those in which something differs: what stands outside of functions, then functions in the order of the first module.
    pub parts: Vec<Part>,
}

/// A part of the modules in which something differs.
#[derive(Serialize)]
pub struct Part {
    /// Such as `capabilities` or `function main`.
    pub part: String,
    /// Only in the first module.
    pub removed: Vec<String>,
    /// Only in the second one.
    pub added: Vec<String>,
    #[serde(skip)]
    hunks: Vec<Hunk>,
}

/// Lines that stand together. Numbers count the instructions of a function from 1.
struct Hunk {
    place: Option<[(usize, usize); 2]>,
    lines: Vec<(Kind, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Same,
    Removed,
    Added,
}

/// Compares two modules. In the lines of the second one, what is matched has the names of the first.
pub fn compare(old: &Module, new: &Module) -> Difference {
    let (old, new) = (Side::new(old), Side::new(new));
    let pairs = Pairs::of(&old, &new);
    let names = pairs.names();
    let (old_lines, new_lines) = (old.lines(&names[0]), new.lines(&names[1]));
    let mut parts = Vec::new();
    for section in Section::ALL {
        let lines = |side: &Side, lines: &[String]| -> Vec<String> {
            let versions = (section == Section::Version).then(|| side.version()).into_iter();
            let of = side.instructions_of(section).filter_map(|at| lines.get(at).cloned());
            versions.chain(of).collect()
        };
        parts.extend(unordered(section.name(), lines(&old, &old_lines), lines(&new, &new_lines)));
    }
    for (old_function, new_function, body) in &pairs.functions {
        let name = |side: &Side, at: &Option<usize>, names: &Names| {
            let function = side.functions.get((*at)?)?;
            Some(function.name.clone().unwrap_or_else(|| format!("%{}", names.of(function.id))))
        };
        let name = name(&old, old_function, &names[0]).or_else(|| name(&new, new_function, &names[1]));
        let mut lines = Vec::with_capacity(body.len());
        for (old, new) in body {
            let old = old.and_then(|at| old_lines.get(at)).cloned();
            let new = new.and_then(|at| new_lines.get(at)).cloned();
            match (old, new) {
                (Some(old), Some(new)) if old == new => lines.push((Kind::Same, old)),
                (old, new) => {
                    lines.extend(old.map(|line| (Kind::Removed, line)));
                    lines.extend(new.map(|line| (Kind::Added, line)));
                }
            }
        }
        parts.extend(ordered(format!("function {}", name.unwrap_or_default()), gathered(lines)));
    }
    Difference { same: parts.is_empty(), parts }
}

/// Puts lines that are gone before those that take their place, where several follow each other.
fn gathered(lines: Vec<(Kind, String)>) -> Vec<(Kind, String)> {
    let mut out: Vec<(Kind, String)> = Vec::with_capacity(lines.len());
    let mut added = Vec::new();
    for (kind, line) in lines {
        match kind {
            Kind::Added => added.push((kind, line)),
            Kind::Removed => out.push((kind, line)),
            Kind::Same => {
                out.append(&mut added);
                out.push((kind, line));
            }
        }
    }
    out.append(&mut added);
    out
}

/// Lines whose order does not matter: those that only one side has, as often as it has them more often.
fn unordered(name: &str, old: Vec<String>, new: Vec<String>) -> Option<Part> {
    let missing = |these: &[String], those: &[String]| -> Vec<String> {
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for line in those {
            *counts.entry(line).or_default() += 1;
        }
        let is_missing = |line: &&String| match counts.get_mut(line.as_str()) {
            Some(left @ 1..) => {
                *left -= 1;
                false
            }
            _ => true,
        };
        these.iter().filter(is_missing).cloned().collect()
    };
    let (removed, added) = (missing(&old, &new), missing(&new, &old));
    let lines: Vec<(Kind, String)> = removed
        .iter()
        .map(|line| (Kind::Removed, line.clone()))
        .chain(added.iter().map(|line| (Kind::Added, line.clone())))
        .collect();
    let hunks = vec![Hunk { place: None, lines }];
    (!removed.is_empty() || !added.is_empty()).then(|| Part { part: name.to_owned(), removed, added, hunks })
}

/// Lines in their order, of which those around differences are shown.
fn ordered(name: String, lines: Vec<(Kind, String)>) -> Option<Part> {
    let of =
        |wanted: Kind| lines.iter().filter(move |(kind, _)| *kind == wanted).map(|(_, line)| line.clone());
    let (removed, added): (Vec<String>, Vec<String>) =
        (of(Kind::Removed).collect(), of(Kind::Added).collect());
    if removed.is_empty() && added.is_empty() {
        return None;
    }
    let mut shown = vec![false; lines.len()];
    for (at, _) in lines.iter().enumerate().filter(|(_, (kind, _))| *kind != Kind::Same) {
        for near in shown.iter_mut().take(at + AROUND + 1).skip(at.saturating_sub(AROUND)) {
            *near = true;
        }
    }
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut before = [1, 1];
    let mut open = false;
    for ((kind, line), shown) in lines.into_iter().zip(shown) {
        if shown && !open {
            hunks.push(Hunk { place: Some([(before[0], 0), (before[1], 0)]), lines: Vec::new() });
        }
        open = shown;
        let counts = [usize::from(kind != Kind::Added), usize::from(kind != Kind::Removed)];
        if let (true, Some(hunk)) = (shown, hunks.last_mut()) {
            for ((_, length), count) in hunk.place.iter_mut().flatten().zip(counts) {
                *length += count;
            }
            hunk.lines.push((kind, line));
        }
        before = [before[0] + counts[0], before[1] + counts[1]];
    }
    Some(Part { part: name, removed, added, hunks })
}

impl Difference {
    /// As a unified diff of two files with these names, which is empty if nothing differs; in the colours of other diffs for a terminal.
    pub fn text(&self, old: &str, new: &str, in_colour: bool) -> String {
        if self.same {
            return String::new();
        }
        let mut out = String::new();
        let mut line = |text: &str| {
            // As in other diffs (ECMA-48, SGR).
            let colour = match text.as_bytes().first() {
                Some(b'-') => "31",
                Some(b'+') => "32",
                Some(b'@') => "36",
                _ => "",
            };
            if in_colour && !colour.is_empty() {
                out.push_str(&format!("\u{1b}[{colour}m{text}\u{1b}[0m"));
            } else {
                out.push_str(text);
            }
            out.push('\n');
        };
        line(&format!("--- {old}"));
        line(&format!("+++ {new}"));
        for part in &self.parts {
            for hunk in &part.hunks {
                match hunk.place {
                    None => line(&format!("@@ {} @@", part.part)),
                    Some([(old, removed), (new, added)]) => {
                        line(&format!("@@ -{old},{removed} +{new},{added} @@ {}", part.part));
                    }
                }
                for (kind, text) in &hunk.lines {
                    let sign = match kind {
                        Kind::Same => ' ',
                        Kind::Removed => '-',
                        Kind::Added => '+',
                    };
                    line(&format!("{sign}{text}"));
                }
            }
        }
        out
    }
}
