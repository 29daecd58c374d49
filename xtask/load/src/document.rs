//! The client's copy of a document: every version of it, the edits that led there, and how each is told to the server.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::random::Random;
use crate::text::Lines;

/// A text that the document had, from a moment of the session on.
#[derive(Clone)]
pub struct Version {
    pub since: u64,
    pub number: i64,
    pub text: Arc<str>,
}

pub struct Document {
    pub uri: String,
    /// As the file on disk has it, in the spelling that was opened.
    pub original: Arc<str>,
    pub number: i64,
    pub text: Arc<str>,
    /// All since the server was started.
    pub history: Vec<Version>,
    /// What takes the last edits back, the newest at the end.
    undo: Vec<Vec<Edit>>,
    /// The semantic tokens that the server sent last, with their name.
    pub tokens: Option<(String, Vec<u64>)>,
    /// The diagnostics that were pushed last, with their version.
    pub pushed: Option<(i64, Value)>,
}

/// One change, in the text that the one before it left.
#[derive(Clone)]
struct Edit {
    range: Range<usize>,
    text: String,
}

/// What is typed and pasted.
const PIECES: &[&str] = &[
    "a",
    ";",
    "(",
    ")",
    "{",
    "}",
    "[",
    "<",
    ">",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "1",
    ".",
    ",",
    "0x",
    "1e",
    "é",
    "ß // 𝔐",
    "\u{1F600}",
    "int x = 1;\n",
    "coopmat<",
    "coopMatMulAdd(",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\"",
    "#if 0\n",
    "#endif\n",
    "#define M(x) x\r\n",
    "#include \"types.glsl\"\n",
    "\nfloat f(float value) { return value * 2.0; }\n",
    "sums[i]",
    "struct S { int a; };\n",
    "",
];

/// Edits that can be taken back.
const UNDO: usize = 32;

impl Document {
    pub fn new(uri: String, text: Arc<str>) -> Document {
        Document {
            uri,
            original: text.clone(),
            number: 1,
            text,
            history: Vec::new(),
            undo: Vec::new(),
            tokens: None,
            pushed: None,
        }
    }

    /// What `textDocument/didOpen` says, at a moment of the session.
    pub fn open(&mut self, now: u64) -> Value {
        self.number += 1;
        self.tokens = None;
        self.pushed = None;
        self.remember(now);
        json!({"textDocument": {"uri": self.uri, "languageId": "glsl", "version": self.number, "text": &*self.text}})
    }

    /// Nothing that was is asked about any more: the server is another one.
    pub fn forget(&mut self) {
        self.history.clear();
        self.tokens = None;
        self.pushed = None;
    }

    fn remember(&mut self, now: u64) {
        self.history.push(Version { since: now, number: self.number, text: self.text.clone() });
    }

    /// The texts that the document had between two moments.
    pub fn between(&self, from: u64, to: u64) -> impl Iterator<Item = &Arc<str>> {
        let first = self.history.partition_point(|version| version.since <= from).saturating_sub(1);
        let versions = self.history[first..].iter().take_while(move |version| version.since <= to);
        versions.map(|version| &version.text)
    }

    pub fn version(&self, number: i64) -> Option<&Arc<str>> {
        let found = self.history.binary_search_by_key(&number, |version| version.number).ok()?;
        Some(&self.history[found].text)
    }

    /// A place between two characters that a position can name.
    pub fn place(&self, random: &mut Random) -> usize {
        expressible(&self.text, random.below(self.text.len() + 1))
    }

    /// Changes the text; the changes as `textDocument/didChange` tells them, and how many they are.
    pub fn edit(&mut self, random: &mut Random, paste: &str, now: u64) -> (Value, usize) {
        let before = self.text.clone();
        let mut text = before.to_string();
        let changes = match random.below(200) {
            0 => {
                // Everything at once, as after a checkout.
                self.undo.clear();
                text = self.original.to_string();
                vec![json!({"text": text})]
            }
            1..=89 if !self.undo.is_empty() => {
                let edits = self.undo.pop().unwrap_or_default();
                match told(&mut text, &edits) {
                    Some(changes) => changes,
                    None => {
                        // It joined a `\r` and a `\n`, and no position is between them.
                        edits.iter().for_each(|edit| text.replace_range(edit.range.clone(), &edit.text));
                        vec![json!({"text": text})]
                    }
                }
            }
            _ => {
                let count = if random.once_in(4) { 1 + random.below(4) } else { 1 };
                let mut changes = Vec::new();
                let mut back = Vec::new();
                for _ in 0..count {
                    let edit = self.choose(&text, random, paste);
                    back.push(Edit {
                        range: edit.range.start..edit.range.start + edit.text.len(),
                        text: text[edit.range.clone()].to_owned(),
                    });
                    changes.push(change(&text, &edit, random.once_in(16)));
                    text.replace_range(edit.range, &edit.text);
                }
                back.reverse();
                self.undo.push(back);
                if self.undo.len() > UNDO {
                    self.undo.remove(0);
                }
                changes
            }
        };
        self.text = text.into();
        self.number += 1;
        self.remember(now);
        let count = changes.len();
        let document = json!({"uri": self.uri, "version": self.number});
        (json!({"textDocument": document, "contentChanges": changes}), count)
    }

    /// An edit that changes nothing.
    pub fn touch(&mut self, now: u64) -> Value {
        self.number += 1;
        self.remember(now);
        let start = json!({"line": 0, "character": 0});
        let document = json!({"uri": self.uri, "version": self.number});
        json!({"textDocument": document, "contentChanges": [{"range": {"start": start, "end": start}, "text": ""}]})
    }

    fn choose(&self, text: &str, random: &mut Random, paste: &str) -> Edit {
        let from = expressible(text, random.below(text.len() + 1));
        let (length, piece) = match random.below(20) {
            // Some lines go.
            0 => (random.below(400), String::new()),
            // A part of another file comes.
            1 => (0, paste.to_owned()),
            // A stretch is typed over.
            2..=7 => (random.below(12), random.pick(PIECES).copied().unwrap_or_default().to_owned()),
            _ => (0, random.pick(PIECES).copied().unwrap_or_default().to_owned()),
        };
        let to = expressible(text, (from + length).min(text.len())).max(from);
        Edit { range: from..to, text: piece }
    }
}

/// The nearest place at or before a byte that a position can name.
fn expressible(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) || (text[..at].ends_with('\r') && text[at..].starts_with('\n')) {
        at -= 1;
    }
    at
}

/// One edit as the protocol tells it; `past`: with an end far behind that of its line, where the end of the line is meant.
fn change(text: &str, edit: &Edit, past: bool) -> Value {
    let lines = Lines::of(text);
    let position = |at: usize| {
        let position = lines.position(at)?;
        let ends = lines.line(position.line).is_some_and(|line| line.end == at);
        let mut json = position.json();
        if past && ends {
            json["character"] = json!(position.character + 1000);
        }
        Some(json)
    };
    json!({"range": {"start": position(edit.range.start), "end": position(edit.range.end)}, "text": edit.text})
}

/// Carries edits out one after the other; nothing where one of them is at no position.
fn told(text: &mut String, edits: &[Edit]) -> Option<Vec<Value>> {
    let mut copy = text.clone();
    let mut changes = Vec::new();
    for edit in edits {
        for at in [edit.range.start, edit.range.end] {
            if expressible(&copy, at) != at {
                return None;
            }
        }
        changes.push(change(&copy, edit, false));
        copy.replace_range(edit.range.clone(), &edit.text);
    }
    *text = copy;
    Some(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Position;

    /// The changes as the protocol means them, carried out on a text.
    fn apply(text: &str, changes: &Value) -> String {
        let mut text = text.to_owned();
        for change in changes["contentChanges"].as_array().expect("changes") {
            let new = change["text"].as_str().expect("a text");
            let Some(range) = change.get("range") else {
                text = new.to_owned();
                continue;
            };
            let lines = Lines::of(&text);
            let offset = |value: &Value| {
                let mut position = Position::read(value).expect("a position");
                let line = lines.line(position.line).expect("a line");
                let length = text[line].encode_utf16().count();
                position.character = position.character.min(length);
                lines.offset(position).expect("a place in the text")
            };
            let range = offset(&range["start"])..offset(&range["end"]);
            text.replace_range(range, new);
        }
        text
    }

    #[test]
    fn what_is_told_is_what_was_done() {
        let mut random = Random::new(7);
        let mut document =
            Document::new("file:///a.comp".to_owned(), "int a;\r\nint é = 1;\rvoid main() {}\n".into());
        let mut server = document.text.to_string();
        for now in 0..2000 {
            let (changes, _) = document.edit(&mut random, "\r\nfloat pasted;\r\n", now);
            server = apply(&server, &changes);
            assert_eq!(server, *document.text, "after edit {now}: {changes}");
        }
    }
}
