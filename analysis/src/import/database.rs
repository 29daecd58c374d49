//! `compile_commands.json`, as CMake and others write it: one object for each call, with its folder, and its command line
//! as one text or as a list of words.

use serde::Deserialize;

use super::command::{self, Call, Fault};
use super::commands::{Commands, Found, compiler_first};
use super::log::LONGEST_LINE;
use super::paths::path_in;
use super::tool::mentions_a_compiler;
use super::{Calls, Position};

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    directory: String,
    command: Option<String>,
    arguments: Option<Vec<String>>,
    output: Option<String>,
}

pub fn read(text: &str, folder: &str, calls: &mut Calls<'_>) {
    let entries: Vec<serde_json::Value> = match serde_json::from_str(text) {
        Ok(entries) => entries,
        Err(error) => {
            let line = text.split_inclusive('\n').take(error.line().saturating_sub(1));
            let start = line.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
            let start = text.floor_char_boundary(start.min(text.len()));
            let message = format!("this is not a JSON list of compiler calls: {error}");
            return calls.error(Position::after(text, (0, 1), start..start), message);
        }
    };
    let places = places(text);
    for (index, entry) in entries.into_iter().enumerate() {
        let mut place = places.get(index).cloned().unwrap_or(Position { range: 0..0, line: 1, column: 1 });
        match read_entry(entry, folder, calls, &place) {
            Ok(()) => {}
            Err(Fault::NoRoom) => calls.leave_out(place),
            Err(Fault::Mistake { message, .. }) => {
                // The first line of the entry: all of it is often a screen full.
                let entry = text.get(place.range.clone()).unwrap_or_default();
                place.range.end = place.range.start + entry.find('\n').unwrap_or(entry.len());
                calls.error(place, message);
            }
        }
    }
}

fn read_entry(
    entry: serde_json::Value,
    folder: &str,
    calls: &mut Calls<'_>,
    place: &Position,
) -> Result<(), Fault> {
    let entry: Entry =
        serde_json::from_value(entry).map_err(|error| Fault::of(format!("invalid entry: {error}")))?;
    let directory = path_in(folder, &entry.directory);
    let (mut found, mut result) = (Vec::new(), Ok(()));
    {
        let responses = &mut calls.responses;
        let skipped = &mut calls.skipped;
        let mut take = |one: Found<'_>| match one {
            Found::Call { tool, arguments, folder, .. } if result.is_ok() => {
                match command::read(tool, arguments, folder, responses) {
                    Ok(call) => found.push(call),
                    Err(fault) => result = Err(fault),
                }
            }
            Found::Call { .. } => {}
            Found::Unclosed => {
                result = Err(Fault::of("a quotation in `command` is not closed".to_owned()));
            }
            Found::Left(why) => skipped.push((place.line, why)),
        };
        // A launcher such as ccache may stand before the compiler.
        let mut commands = Commands::new(compiler_first, &mut take);
        match (&entry.arguments, &entry.command) {
            (Some(words), _) => commands.words(words, &directory),
            // Nearly all entries of a C++ project are of no interest.
            (None, Some(command)) if !mentions_a_compiler(command) => return Ok(()),
            (None, Some(command)) if command.len() > LONGEST_LINE => {
                return Err(Fault::of(format!("`command` is larger than {} MiB", LONGEST_LINE >> 20)));
            }
            (None, Some(command)) => commands.line(command, &directory),
            (None, None) => {
                return Err(Fault::of("this entry has neither `command` nor `arguments`".to_owned()));
            }
        }
    }
    if let ([call], Some(output)) = (&mut found[..], entry.output) {
        call.output.get_or_insert_with(|| path_in(&directory, &output));
    }
    found.into_iter().for_each(|call: Call| calls.add(call, place.clone()));
    result
}

/// Where each object of the outermost array stands. The text is JSON: it has been read.
fn places(text: &str) -> Vec<Position> {
    let mut places = Vec::new();
    let (mut depth, mut line, mut column) = (0_usize, 1, 0);
    let mut start = Position { range: 0..0, line: 1, column: 1 };
    let (mut quoted, mut escaped) = (false, false);
    for (at, char) in text.char_indices() {
        column += 1;
        if char == '\n' {
            (line, column) = (line + 1, 0);
        }
        if quoted {
            quoted = escaped || char != '"';
            escaped = !escaped && char == '\\';
            continue;
        }
        match char {
            '"' => quoted = true,
            '{' | '[' => {
                if depth == 1 {
                    start = Position { range: at..at, line, column };
                }
                depth += 1;
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    start.range.end = at + 1;
                    places.push(start.clone());
                }
            }
            _ => {}
        }
    }
    places
}
