//! The other side of the protocol, written from its text: what a client has open, and which positions there are in it.

use std::collections::HashMap;

use serde_json::{Value, json};

#[derive(Default)]
pub struct Client {
    /// By URI; nothing where a message leaves open what the text is.
    texts: HashMap<String, Option<String>>,
    /// Every version that a document had, with its text; nothing where one number stands for several.
    versions: HashMap<(String, i64), Option<String>>,
    initialized: bool,
    /// Positions count something else than UTF-16 units: a damaged `initialize` asked for it.
    other_units: bool,
}

impl Client {
    /// Nothing is known of the documents any more.
    pub fn forget(&mut self) {
        self.texts.values_mut().for_each(|text| *text = None);
    }

    pub fn sent(&mut self, message: &Value) {
        let params = &message["params"];
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                self.initialized = true;
                let offered = &params["capabilities"]["general"]["positionEncodings"];
                self.other_units |=
                    offered.as_array().is_some_and(|list| list.iter().any(|unit| unit != "utf-16"));
            }
            "textDocument/didOpen" => {
                // Opened twice, or before the server is ready, is a mistake of the client.
                let fresh = self.initialized && !self.texts.contains_key(&uri) && is_open(message);
                let text = document["text"].as_str().filter(|_| fresh).map(str::to_owned);
                self.note(&uri, &document["version"], text);
            }
            "textDocument/didChange" => {
                let known = self.texts.get(&uri).cloned().flatten().filter(|_| is_change(message));
                let text = known.and_then(|text| changed(text, params["contentChanges"].as_array()?));
                if self.texts.contains_key(&uri) {
                    self.note(&uri, &document["version"], text);
                }
            }
            "textDocument/didClose" if message["jsonrpc"] == "2.0" && message.get("id").is_none() => {
                self.texts.remove(&uri);
            }
            // Whether it is closed is left open.
            "textDocument/didClose" => self.forget(),
            _ => {}
        }
    }

    fn note(&mut self, uri: &str, version: &Value, text: Option<String>) {
        let text = text.filter(|_| !self.other_units);
        if let Some(version) = version.as_i64() {
            let slot = self.versions.entry((uri.to_owned(), version));
            slot.and_modify(|known| *known = None).or_insert_with(|| text.clone());
        }
        self.texts.insert(uri.to_owned(), text);
    }

    /// The documents whose text is certain.
    pub fn known_texts(&self) -> HashMap<String, String> {
        self.texts.iter().filter_map(|(uri, text)| Some((uri.clone(), text.clone()?))).collect()
    }

    /// What is published about a version lies in its text.
    pub fn received(&self, message: &Value) {
        let params = &message["params"];
        if message["method"] != "textDocument/publishDiagnostics" {
            return;
        }
        let key =
            (params["uri"].as_str().unwrap_or_default().to_owned(), params["version"].as_i64().unwrap_or(-1));
        let Some(Some(text)) = self.versions.get(&key) else { return };
        for diagnostic in params["diagnostics"].as_array().into_iter().flatten() {
            for end in ["start", "end"] {
                let position = &diagnostic["range"][end];
                assert!(is_inside(text, position), "{} lies outside of {} {}", diagnostic, key.0, key.1);
            }
        }
    }
}

/// A message with all that the protocol asks for, and nothing twice.
fn is_open(message: &Value) -> bool {
    let document = &message["params"]["textDocument"];
    message["jsonrpc"] == "2.0"
        && message.get("id").is_none()
        && document["languageId"].is_string()
        && is_version(&document["version"])
        && document["uri"].as_str().is_some_and(|uri| uri.starts_with("file:///p/") && uri.is_ascii())
}

fn is_change(message: &Value) -> bool {
    message["jsonrpc"] == "2.0"
        && message.get("id").is_none()
        && is_version(&message["params"]["textDocument"]["version"])
}

fn is_version(version: &Value) -> bool {
    version.as_i64().is_some_and(|version| i32::try_from(version).is_ok())
}

/// Changes count one after another, each in what the one before it left.
fn changed(text: String, changes: &[Value]) -> Option<String> {
    let mut text = text;
    for change in changes {
        let insert = change["text"].as_str()?;
        // A length that is none makes the message one that cannot be read.
        if change.get("rangeLength").is_some() {
            return None;
        }
        match change.get("range") {
            None | Some(Value::Null) => text = insert.to_owned(),
            Some(range) => {
                let start = offset(&text, &range["start"])?;
                let end = offset(&text, &range["end"])?;
                if start > end {
                    return None;
                }
                text.replace_range(start..end, insert);
            }
        }
    }
    Some(text)
}

fn coordinates(position: &Value) -> Option<(usize, usize)> {
    let number = |key: &str| position[key].as_u64().filter(|number| *number <= u64::from(u32::MAX));
    Some((number("line")? as usize, number("character")? as usize))
}

/// Lines end with `\n`, `\r\n` or `\r`; they are returned without it, with where they begin.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let length = match &bytes[at..] {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => {
                at += 1;
                continue;
            }
        };
        found.push((start, &text[start..at]));
        at += length;
        start = at;
    }
    found.push((start, &text[start..]));
    found
}

/// An offset as the protocol says it, in UTF-16; inside of a line's end it is the line's end.
pub fn position(text: &str, at: usize) -> Value {
    let lines = lines(text);
    let number = lines.partition_point(|(start, _)| *start <= at).saturating_sub(1);
    let (start, line) = lines[number];
    let column = text[start..at.min(start + line.len())].encode_utf16().count();
    json!({"line": number, "character": column})
}

/// A column behind the end of a line is its end; a line behind the last one, or half a character, is left open by the protocol.
fn offset(text: &str, position: &Value) -> Option<usize> {
    let (line, column) = coordinates(position)?;
    let (start, line) = *lines(text).get(line)?;
    let mut units = 0;
    for (at, character) in line.char_indices() {
        if units == column {
            return Some(start + at);
        }
        if units > column {
            return None;
        }
        units += character.len_utf16();
    }
    (units <= column).then_some(start + line.len())
}

fn is_inside(text: &str, position: &Value) -> bool {
    let Some((line, column)) = coordinates(position) else { return false };
    lines(text).get(line).is_some_and(|(_, line)| column <= line.encode_utf16().count())
}
