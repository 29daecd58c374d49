//! Edits a recipe's text at a key, and leaves everything else - comments, order, spacing - as it is. `toml_parser` says where statements and values
//! stand; what they mean is the recipe crate's matter, and so is what is wrong with them.

mod given;
mod outline;

use std::fmt::Write;
use std::ops::Range;

use serde::Deserialize;
use toml_writer::ToTomlKey;
use wasm_bindgen::prelude::wasm_bindgen;

use given::{Entries, Given};
use outline::{Entry, Node, Statement, Step};

/// A change of a recipe's text.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TomlEdit"))]
pub enum Edit {
    /// Another value at a path.
    Set { path: Vec<Step>, value: Given },
    /// Takes out everything at or below a path.
    Remove { path: Vec<Step> },
    /// A further table of a list, behind the last one of it, or at the end.
    Append { list: String, table: Entries },
}

/// The text behind a `TomlEdit`, which is JSON; an error in words where that cannot be.
///
/// # Errors
///
/// What is asked for is not possible: a table that is not there has no place for a value.
#[wasm_bindgen(js_name = editToml)]
pub fn edit_toml(text: &str, edit: &str) -> Result<String, String> {
    match serde_json::from_str(edit).map_err(|error| format!("the page's edit: {error}"))? {
        Edit::Set { path, value } => set(text, &path, &value),
        Edit::Remove { path } => Ok(remove(text, &path)),
        Edit::Append { list, table } => Ok(append(text, &list, &table)),
    }
}

fn splice(text: &str, range: Range<usize>, insert: &str) -> String {
    [&text[..range.start], insert, &text[range.end..]].concat()
}

/// The innermost value around a path, and what is left of the path in it.
fn around<'s, 'p>(all: &'s [Statement], path: &'p [Step]) -> Option<(&'s Node, &'p [Step])> {
    all.iter().find_map(|one| Some((one.value.as_ref()?, path.strip_prefix(one.path.as_slice())?)))
}

fn set(text: &str, path: &[Step], value: &Given) -> Result<String, String> {
    let all = outline::statements(text);
    let Some((node, rest)) = around(&all, path) else {
        return insert(&remove(text, path), path, value);
    };
    let (node, rest) = node.descend(rest);
    let Some((_, inner)) = rest.split_first() else {
        return Ok(splice(text, node.range(), &value.to_string()));
    };
    let made = match (node, rest.first()) {
        (Node::List { items, .. }, Some(Step::Index(_))) => {
            let last = items.last().map(Node::range);
            return Ok(insert_inside(text, node.range(), last, &nested(inner, value)?));
        }
        (Node::Table { entries, .. }, Some(Step::Key(_))) => {
            let last = entries.last().map(Entry::range);
            return Ok(insert_inside(text, node.range(), last, &line(rest, value)?));
        }
        // A value of another form gives way.
        _ => nested(rest, value)?,
    };
    Ok(splice(text, node.range(), &made))
}

/// One more between brackets, behind the last one.
fn insert_inside(text: &str, brackets: Range<usize>, last: Option<Range<usize>>, made: &str) -> String {
    match last {
        Some(last) => splice(text, last.end..last.end, &format!(", {made}")),
        None => {
            let (open, close) =
                (&text[brackets.start..=brackets.start], &text[brackets.end - 1..brackets.end]);
            let space = if open == "{" { " " } else { "" };
            splice(text, brackets.clone(), &format!("{open}{space}{made}{space}{close}"))
        }
    }
}

/// `a.b = value`
fn line(path: &[Step], value: &Given) -> Result<String, String> {
    let mut made = String::new();
    for (at, step) in path.iter().enumerate() {
        let Step::Key(key) = step else { return Err(format!("there is no {}", words(path))) };
        let dot = if at > 0 { "." } else { "" };
        let _ = write!(made, "{dot}{}", key.to_toml_key());
    }
    Ok(format!("{made} = {value}"))
}

/// The value with inline tables around it for what a path says.
fn nested(path: &[Step], value: &Given) -> Result<String, String> {
    if path.is_empty() { Ok(value.to_string()) } else { Ok(format!("{{ {} }}", line(path, value)?)) }
}

fn words(path: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Key(key) => format!("`{key}`"),
        Step::Index(index) => format!("number {index}"),
    };
    path.iter().map(step).collect::<Vec<_>>().join(", ")
}

fn remove(text: &str, path: &[Step]) -> String {
    let all = outline::statements(text);
    if let Some((node, rest)) = around(&all, path).filter(|(_, rest)| !rest.is_empty()) {
        return remove_inside(text, node, rest);
    }
    let mut result = text.to_owned();
    for gone in all.iter().rev().filter(|one| one.path.starts_with(path)) {
        let (before, after) = (&result[..gone.lines.start], &result[gone.lines.end..]);
        // Of the empty lines on both sides one stays.
        let empty = before.is_empty() || before.ends_with("\n\n");
        let after = if empty { after.trim_start_matches('\n') } else { after };
        result = [before, after].concat();
    }
    result
}

fn remove_inside(text: &str, node: &Node, path: &[Step]) -> String {
    let Some((last, to_parent)) = path.split_last() else { return text.to_owned() };
    let (parent, rest) = node.descend(to_parent);
    let (gone, all): (Vec<bool>, Vec<Range<usize>>) = match (parent, last) {
        (Node::Table { entries, .. }, _) => {
            let wanted = [rest, std::slice::from_ref(last)].concat();
            entries.iter().map(|entry| (entry.path.starts_with(&wanted), entry.range())).unzip()
        }
        (Node::List { items, .. }, Step::Index(index)) if rest.is_empty() => {
            items.iter().enumerate().map(|(at, item)| (at == *index, item.range())).unzip()
        }
        _ => return text.to_owned(),
    };
    let mut result = text.to_owned();
    for at in (0..all.len()).rev().filter(|at| gone[*at]) {
        // With one of the commas beside it.
        let range = match (at.checked_sub(1), all.get(at + 1)) {
            (_, Some(next)) if !gone[at + 1] => all[at].start..next.start,
            (Some(before), _) => all[before].end..all[at].end,
            _ => all[at].clone(),
        };
        result = splice(&result, range, "");
    }
    result
}

/// A new statement, in the table that it belongs to.
fn insert(text: &str, path: &[Step], value: &Given) -> Result<String, String> {
    let all = outline::statements(text);
    let tables = all
        .iter()
        .enumerate()
        .filter(|(_, one)| one.value.is_none() && one.path.len() < path.len() && path.starts_with(&one.path));
    let table = tables.max_by_key(|(_, one)| one.path.len());
    let rest = &path[table.map_or(0, |(_, one)| one.path.len())..];
    let made = line(rest, value)?;
    // Behind the last statement of the table.
    let first = table.map_or(0, |(at, _)| at + 1);
    let own = all[first..].iter().take_while(|one| one.value.is_some());
    let last = own.last().or(table.map(|(_, one)| one));
    let at = last.map_or(0, |one| one.lines.end);
    let before = if at > 0 && !text[..at].ends_with('\n') { "\n" } else { "" };
    let after = if last.is_none() && !all.is_empty() { "\n" } else { "" };
    Ok(splice(text, at..at, &format!("{before}{made}\n{after}")))
}

fn append(text: &str, list: &str, table: &Entries) -> String {
    let mut body = format!("[[{}]]\n", list.to_toml_key());
    for (key, value) in &table.0 {
        let _ = writeln!(body, "{} = {value}", key.to_toml_key());
    }
    let all = outline::statements(text);
    let last = all.iter().rev().find(|one| matches!(one.path.first(), Some(Step::Key(key)) if key == list));
    let at = last.map_or(text.len(), |one| one.lines.end);
    let before = &text[..at];
    let gap = match last {
        _ if before.is_empty() => "",
        _ if !before.ends_with('\n') => "\n\n",
        None if before.ends_with("\n\n") => "",
        _ => "\n",
    };
    splice(text, at..at, &format!("{gap}{body}"))
}

#[cfg(test)]
mod tests;
