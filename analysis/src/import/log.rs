//! The log of a build: calls of compilers among whatever else was printed.
//!
//! A line may hold several commands (`cd folder && glslc ...`) and prose before the first one (`[3/7] `, `Executing
//! command: `). A line that ends in a backslash, or in Windows' `^`, goes on in the next. `make` says which folder lines behind are of.

use std::borrow::Cow;

use crate::config::Stage;

use super::command::{self, Fault};
use super::commands::{Commands, Found, LONGEST_PATH, bare, compiler_in, compiler_of_list};
use super::lists::{List, lists};
use super::paths::path_in;
use super::tool::{Tool, mentions_a_compiler};
use super::{Calls, Position};

/// Bytes of a line: no system takes a longer command.
pub const LONGEST_LINE: usize = 2 << 20;

pub fn read(text: &str, folder: &str, calls: &mut Calls<'_>) {
    let mut start = 0;
    let mut number = 1;
    let mut folders = Folders { of_log: folder, entered: Vec::new() };
    while start < text.len() {
        let mut end = line_end(text, start);
        let mut lines = 1;
        let mut last = start;
        while end < text.len() && goes_on(&text[last..end]) {
            last = end + 1;
            end = line_end(text, last);
            lines += 1;
        }
        // Most lines of a log need no cutting up.
        let line = Line { text, range: start..end, number };
        if mentions_a_compiler(line.str()) {
            if end - start > LONGEST_LINE {
                let message = format!(
                    "this line is left out: it is larger than {} MiB, which no command is",
                    LONGEST_LINE >> 20
                );
                calls.error(Position { range: start..start, line: number, column: 1 }, message);
            } else {
                read_line(&line, folders.here(), calls);
            }
        }
        if end - start <= LONGEST_PATH {
            folders.follow(line.str());
        }
        start = end + 1;
        number += lines;
    }
}

fn line_end(text: &str, from: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[from..]).map_or(text.len(), |at| from + at)
}

/// Whether a line goes on in the next one. A caret that points at something in the line above has no words before it.
fn goes_on(line: &str) -> bool {
    let line = line.trim_end_matches('\r');
    let caret =
        |rest: &str| rest.ends_with([' ', '\t']) && rest.bytes().any(|byte| byte.is_ascii_alphanumeric());
    line.ends_with('\\') || line.strip_suffix('^').is_some_and(caret)
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

    /// The line as one, without what colours it.
    fn joined(&self) -> Cow<'t, str> {
        let line = plain(self.str());
        if !line.contains('\n') {
            return match line {
                Cow::Borrowed(line) => line.trim_end_matches('\r').into(),
                Cow::Owned(line) => line.trim_end_matches('\r').to_owned().into(),
            };
        }
        let mut out = String::with_capacity(line.len());
        for part in line.split('\n') {
            let part = part.trim_end_matches('\r');
            out.push_str(part.strip_suffix(['\\', '^']).unwrap_or(part));
        }
        out.into()
    }
}

/// A text without the sequences that colour it and move the cursor (ECMA-48, section 5.4).
fn plain(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    if !text.contains(ESCAPE) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split(ESCAPE);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = match part.as_bytes().first() {
            Some(b'[') => part
                .bytes()
                .skip(1)
                .position(|byte| (0x40..=0x7e).contains(&byte))
                .map_or(part.len(), |at| at + 2),
            // A title or a link, up to the bell or an escape.
            Some(b']') => part.find('\u{7}').map_or(part.len(), |at| at + 1),
            Some(b'(' | b')') => 2,
            Some(_) => 1,
            None => 0,
        };
        out.push_str(part.get(end..).unwrap_or_default());
    }
    out.into()
}

/// The folders that programs called `make` say they enter.
struct Folders<'f> {
    of_log: &'f str,
    entered: Vec<String>,
}

impl Folders<'_> {
    /// More at once than any build has: what a hostile log can make us look through for each line.
    const MOST: usize = 100;

    fn here(&self) -> &str {
        self.entered.last().map_or(self.of_log, String::as_str)
    }

    fn follow(&mut self, line: &str) {
        let Some(at) = memchr::memmem::find(line.as_bytes(), b"ing directory ") else { return };
        let path = line.get(at + "ing directory ".len()..).unwrap_or_default();
        let path = plain(path);
        // Old ones open with a grave accent.
        let path = path.trim().strip_prefix(['\'', '`', '"']).and_then(|path| path.strip_suffix(['\'', '"']));
        let Some(path) = path.map(|path| path_in(self.of_log, path)) else { return };
        let before = line.get(..at).unwrap_or_default();
        if before.ends_with(": Enter") {
            if self.entered.len() == Folders::MOST {
                self.entered.remove(0);
            }
            self.entered.push(path);
        } else if before.ends_with(": Leav")
            && let Some(at) = self.entered.iter().rposition(|entered| *entered == path)
        {
            // Several that run at once leave in any order.
            self.entered.remove(at);
        }
    }
}

fn read_line(place: &Line<'_>, folder: &str, calls: &mut Calls<'_>) {
    let line = place.joined();
    let mut any = false;
    let mut found = |found: Found<'_>| any |= take_in(place, found, calls);
    for list in lists(&line) {
        match list {
            List::Whole(words) => Commands::new(compiler_of_list, &mut found).words(&words, folder),
            List::Open => found(Found::Left("its list of words does not end on the same line")),
        }
    }
    if any {
        return;
    }
    let mut found = |found: Found<'_>| any |= take_in(place, found, calls);
    Commands::new(compiler_called, &mut found).line(&line, folder);
    if !any && seems_to_call(&line) {
        calls.skipped.push((place.number, "its syntax is not understood"));
    }
}

/// Takes in what is found on a line; answers whether it is more than prose.
fn take_in(place: &Line<'_>, found: Found<'_>, calls: &mut Calls<'_>) -> bool {
    match found {
        Found::Call { tool, arguments, folder, begins } => {
            take(place, tool, arguments, folder, begins, calls)
        }
        Found::Left(why) => {
            calls.skipped.push((place.number, why));
            true
        }
        Found::Unclosed => {
            calls.skipped.push((place.number, "a quotation in it is not closed"));
            true
        }
    }
}

/// Where a compiler is called, also without options where nothing else than shaders follows.
fn compiler_called(words: &[String]) -> Option<(usize, Tool)> {
    compiler_in(words).or_else(|| {
        let (program, shaders) = words.split_first()?;
        let tool = Tool::of(program)?;
        let all = !shaders.is_empty() && shaders.iter().all(|path| Stage::of_path(path).is_some());
        all.then_some((0, tool))
    })
}

/// Whether a line of which nothing was understood has a compiler's name, options and a shader's.
fn seems_to_call(line: &str) -> bool {
    let words: Vec<String> = line.split_whitespace().map(bare).map(str::to_owned).collect();
    compiler_in(&words).is_some_and(|(at, _)| words[at..].iter().any(|word| Stage::of_path(word).is_some()))
}

/// Takes in a call that stands on a line; answers whether it is one. `begins`: nothing stands before it, so that it is no part of a sentence.
fn take(
    place: &Line<'_>,
    tool: Tool,
    arguments: &[String],
    folder: &str,
    begins: bool,
    calls: &mut Calls<'_>,
) -> bool {
    let line = place.str();
    match command::read(tool, arguments, folder, &mut calls.responses) {
        Ok(call) if call.is_plausible() => calls.add(call, place.whole()),
        Ok(_) if begins => calls.skipped.push((place.number, "it does not name a shader to compile")),
        Ok(_) => return false,
        Err(Fault::NoRoom) => calls.leave_out(place.whole()),
        Err(Fault::Mistake { word, message }) => {
            // The place is looked for where it is told.
            let word = word.filter(|_| calls.tells_more()).and_then(|index| arguments.get(index));
            let found = word.and_then(|word| Some((line.find(word.as_str())?, word.len())));
            let (from, length) = found.unwrap_or((0, line.len()));
            calls.error(place.position(from, length), message);
        }
    }
    true
}
