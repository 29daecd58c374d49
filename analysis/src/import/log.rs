//! The log of a build: calls of compilers among whatever else was printed.
//!
//! A line may hold several commands (`cd folder && glslc ...`) and prose before the first one (`[3/7] `, `Executing
//! command: `). A line that ends in a backslash goes on in the next.

use super::command::{self, Fault, Tool};
use super::{Calls, Position, mentions_a_compiler, path_in, words};

/// Bytes of a line: no system takes a longer command.
const LONGEST_LINE: usize = 2 << 20;

pub fn read(text: &str, folder: &str, calls: &mut Calls<'_>) {
    let mut start = 0;
    let mut number = 1;
    while start < text.len() {
        let mut end = line_end(text, start);
        let mut lines = 1;
        while text[start..end].trim_end_matches('\r').ends_with('\\') && end < text.len() {
            end = line_end(text, end + 1);
            lines += 1;
        }
        // Most lines of a log need no cutting up.
        if mentions_a_compiler(&text[start..end]) {
            if end - start > LONGEST_LINE {
                let message = format!(
                    "this line is left out: it has more than {} MiB, which no command has",
                    LONGEST_LINE >> 20
                );
                calls.error(Position { range: start..start, line: number, column: 1 }, message);
            } else {
                read_line(&Line { text, range: start..end, number }, folder, calls);
            }
        }
        start = end + 1;
        number += lines;
    }
}

/// A line of a log, with those that it goes on in.
struct Line<'t> {
    text: &'t str,
    range: std::ops::Range<usize>,
    /// Of the first one, from 1.
    number: u32,
}

impl<'t> Line<'t> {
    fn str(&self) -> &'t str {
        &self.text[self.range.clone()]
    }

    /// Bytes of the line as a position in the text.
    fn position(&self, from: usize, length: usize) -> Position {
        let start = self.range.start;
        Position::after(self.text, (start, self.number), start + from..start + from + length)
    }

    fn whole(&self) -> Position {
        Position { range: self.range.clone(), line: self.number, column: 1 }
    }
}

fn line_end(text: &str, from: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[from..]).map_or(text.len(), |at| from + at)
}

fn read_line(place: &Line<'_>, folder: &str, calls: &mut Calls<'_>) {
    let line = place.str();
    if let Some((tool, arguments)) = list_in(line) {
        return take(place, tool, &arguments, folder, true, calls);
    }
    let joined = with_separators(&line.replace("\\\r\n", " ").replace("\\\n", " "));
    let Some(all) = words::split(joined.trim_end_matches('\r')) else {
        // An apostrophe in prose is no quotation: it matters only where a compiler is called before it.
        let before: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if compiler_in(&before).is_some() {
            let quote = line.find(['"', '\'']).unwrap_or(0);
            let position = place.position(quote, line.len() - quote);
            calls.error(position, "this quotation does not end on its line".to_owned());
        }
        return;
    };
    let mut folder = folder.to_owned();
    for part in all.split(|word| matches!(word.as_str(), "&&" | "||" | ";" | "|" | "&")) {
        // The brackets of a subshell.
        let part: Vec<String> =
            part.iter().filter(|word| !matches!(word.as_str(), "(" | ")")).cloned().collect();
        if let [.., cd, to] = &part[..]
            && (cd == "cd" || part.iter().rev().nth(2).is_some_and(|word| word == "cd") && cd == "/d")
        {
            folder = path_in(&folder, to);
            continue;
        }
        let Some((at, tool)) = compiler_in(&part) else { continue };
        take(place, tool, &without_redirections(&part[at + 1..]), &folder, at == 0, calls);
    }
}

/// Takes in a call that stands on a line. `begins`: nothing stands before it, so that it is no part of a sentence.
fn take(
    place: &Line<'_>,
    tool: Tool,
    arguments: &[String],
    folder: &str,
    begins: bool,
    calls: &mut Calls<'_>,
) {
    let line = place.str();
    match command::read(tool, arguments, folder, &mut calls.responses) {
        Ok(call) if call.is_plausible() => calls.add(call, place.whole()),
        Ok(_) if begins => calls.skipped.push((place.number, "it names no shader to compile")),
        Ok(_) => {}
        Err(Fault::NoRoom) => calls.leave_out(place.whole()),
        Err(Fault::Mistake { word, message }) => {
            let word = word.and_then(|index| arguments.get(index));
            let found = word.and_then(|word| Some((line.find(word.as_str())?, word.len())));
            let (from, length) = found.unwrap_or((0, line.len()));
            calls.error(place.position(from, length), message);
        }
    }
}

/// A call as a script prints the list that it starts a program with: `['glslc', '-DN=1', 'a.comp']`.
fn list_in(line: &str) -> Option<(Tool, Vec<String>)> {
    memchr::memchr_iter(b'[', line.as_bytes()).find_map(|open| {
        let mut words = quoted_list(line.get(open + 1..)?)?;
        let tool = Tool::of(words.first()?)?;
        words.remove(0);
        Some((tool, words))
    })
}

/// The words of a list behind its bracket, each in quotation marks.
fn quoted_list(text: &str) -> Option<Vec<String>> {
    let mut chars = text.chars();
    let mut words = Vec::new();
    loop {
        let quote = chars.find(|char| !char.is_whitespace()).filter(|char| matches!(char, '\'' | '"'))?;
        let mut word = String::new();
        loop {
            match chars.next()? {
                '\\' => word.push(match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                }),
                char if char == quote => break,
                char => word.push(char),
            }
        }
        words.push(word);
        match chars.find(|char| !char.is_whitespace())? {
            ',' => {}
            ']' => return Some(words),
            _ => return None,
        }
    }
}

/// Semicolons that end a command as words of their own, as the other separators mostly are.
fn with_separators(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', None | Some('"')) => {
                out.push(char);
                out.extend(chars.next());
                continue;
            }
            ('"' | '\'', None) => quote = Some(char),
            (char, Some(open)) if char == open => quote = None,
            (';', None) if chars.peek().is_none_or(|next| next.is_whitespace()) => out.push(' '),
            _ => {}
        }
        out.push(char);
    }
    out
}

/// Where a compiler is called: the first word that is its name or path, unless it is the value of an option.
fn compiler_in(words: &[String]) -> Option<(usize, Tool)> {
    let is_value =
        |at: usize| at > 0 && words[at - 1].starts_with('-') && !words[at - 1].trim_matches('-').is_empty();
    // Something that options follow, not a word of a sentence.
    let last_option = words.iter().rposition(|word| word.starts_with('-'))?;
    words[..last_option]
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((at, Tool::of(word).filter(|_| !is_value(at))?)))
}

fn without_redirections(words: &[String]) -> Vec<String> {
    let mut kept = Vec::with_capacity(words.len());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let rest = word.trim_start_matches(|char: char| char.is_ascii_digit());
        match rest.strip_prefix(">>").or_else(|| rest.strip_prefix('>')).or_else(|| rest.strip_prefix('<')) {
            Some("") => drop(words.next()),
            Some(_) => {}
            None => kept.push(word.clone()),
        }
    }
    kept
}
