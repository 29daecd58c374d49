//! `compile_commands.json`, as CMake and others write it: one object for each call, with its folder, and its command line
//! as one text or as a list of words.

use serde::Deserialize;

use super::command::{self, Tool};
use super::{Calls, ImportError, Read, mentions_a_compiler, path_in, words};

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    directory: String,
    command: Option<String>,
    arguments: Option<Vec<String>>,
    output: Option<String>,
}

pub fn read(text: &str, folder: &str, read: Read<'_>, calls: &mut Calls) {
    let entries: Vec<serde_json::Value> = match serde_json::from_str(text) {
        Ok(entries) => entries,
        Err(error) => {
            let line = text.split_inclusive('\n').take(error.line().saturating_sub(1));
            let start = line.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
            let start = text.floor_char_boundary(start.min(text.len()));
            let message = format!("this is no list of compiler calls in JSON: {error}");
            return calls.errors.push(ImportError::new(text, start..start, message));
        }
    };
    let places = places(text);
    for (index, entry) in entries.into_iter().enumerate() {
        let (place, line) = places.get(index).cloned().unwrap_or((0..0, 1));
        let mut complain = |message: String| {
            // The first line of the entry: all of it is often a screen full.
            let end = text[place.clone()].find('\n').map_or(place.end, |length| place.start + length);
            calls.errors.push(ImportError::new(text, place.start..end, message));
        };
        let entry: Entry = match serde_json::from_value(entry) {
            Ok(entry) => entry,
            Err(error) => {
                complain(format!("this entry cannot be read: {error}"));
                continue;
            }
        };
        let words = match (entry.arguments, &entry.command) {
            (Some(words), _) => words,
            (None, Some(command)) => {
                // Nearly all entries of a C++ project are of no interest.
                if !mentions_a_compiler(command) {
                    continue;
                }
                match words::split(command) {
                    Some(words) => words,
                    None => {
                        complain("a quotation in `command` does not end".to_owned());
                        continue;
                    }
                }
            }
            (None, None) => {
                complain("this entry has neither `command` nor `arguments`".to_owned());
                continue;
            }
        };
        // A launcher such as ccache may stand before the compiler.
        let program = words.iter().take(4).position(|word| Tool::of(word).is_some());
        let Some((at, tool)) = program.and_then(|at| Some((at, Tool::of(&words[at])?))) else { continue };
        let directory = path_in(folder, &entry.directory);
        match command::read(tool, &words[at + 1..], &directory, read) {
            Ok(mut call) => {
                call.output = call.output.or_else(|| entry.output.map(|output| path_in(&directory, &output)));
                calls.add(call, line);
            }
            Err(fault) => complain(fault.message),
        }
    }
}

/// Where each object of the outermost array stands, and in which line. The text is JSON: it has been read.
fn places(text: &str) -> Vec<(std::ops::Range<usize>, u32)> {
    let mut places = Vec::new();
    let (mut depth, mut line) = (0_usize, 1);
    let mut start = (0, 1);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                while let Some((_, byte)) = bytes.next() {
                    match byte {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b'\n' => line += 1,
            b'{' | b'[' => {
                if depth == 1 {
                    start = (at, line);
                }
                depth += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    places.push((start.0..at + 1, start.1));
                }
            }
            _ => {}
        }
    }
    places
}
