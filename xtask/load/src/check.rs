//! No place may lie outside the text that it belongs to: every range of every answer is held against the versions that the answer may be about.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::ranges::{self, Found};
use crate::session::{Pending, Session, shortened};
use crate::text::{Lines, Position, hash};
use crate::tokens;

impl Session {
    pub fn check_answer(&mut self, pending: &Pending, result: &Value) {
        // An answer about a place in the text is an answer about the text that it was asked about; one about a whole document may
        // be about a later version, and what is told of other documents is as they are when it is computed.
        let bound = is_bound(pending.method);
        let mut found = ranges::find(result, &pending.uri);
        if pending.method == "coopmat-analyzer/spirv" {
            found.extend(ranges::of_map(result));
            self.check_module(pending, result);
        }
        let last = if bound { pending.since } else { self.now };
        self.check_places(found, &pending.uri, pending.since, last, || {
            format!("{}: {}", pending.method, shortened(result))
        });
        match pending.method {
            "textDocument/foldingRange" => self.check_folds(pending, result),
            "textDocument/formatting" | "textDocument/rangeFormatting" | "textDocument/onTypeFormatting" => {
                self.check_edits(pending, result);
            }
            "coopmat-analyzer/documentState" => self.check_state(pending, result),
            _ => {}
        }
    }

    pub fn check_published(&mut self, uri: &str, version: Option<i64>, diagnostics: &Value) {
        let mut found = ranges::find(diagnostics, uri);
        if let Some(version) = version {
            if let Some(&index) = self.by_uri.get(uri)
                && self.documents[index].version(version).is_none()
            {
                return self
                    .problem(format!("diagnostics of version {version} of {uri}, which it never had"));
            }
            for one in found.iter_mut().filter(|one| one.uri == uri) {
                one.version = Some(version);
            }
        }
        // Without a version it may be a header, of which several shaders tell.
        let home = if version.is_some() { uri } else { "" };
        self.check_places(found, home, 0, self.now, || format!("diagnostics: {}", shortened(diagnostics)));
    }

    /// `from` and `last`: when the document `home` had the text that the places of it belong to; other documents go on changing.
    fn check_places(
        &mut self,
        found: Vec<Found>,
        home: &str,
        from: u64,
        last: u64,
        words: impl Fn() -> String,
    ) {
        self.counts.places += found.len();
        let mut by_document: BTreeMap<(String, Option<i64>), Vec<[Position; 2]>> = BTreeMap::new();
        for one in found {
            by_document.entry((one.uri, one.version)).or_default().push([one.start, one.end]);
        }
        for ((uri, version), places) in by_document {
            let texts = self.texts(&uri, version, from, if uri == home { last } else { self.now });
            let Some(texts) = texts else { continue };
            if texts.is_empty() {
                self.problem(format!("version {version:?} of {uri}, which it never had, in {}", words()));
                continue;
            }
            // A header without a version is told of by several shaders, each analysed with the text that it had then, be it the one on disk before it
            // was opened: each place by itself has to lie in one of them. All others have to lie in one and the same text.
            let place = if uri != home && version.is_none() {
                let on_disk = self.on_disk(&uri);
                let texts: Vec<&Arc<str>> = texts.iter().chain(&on_disk).collect();
                places
                    .iter()
                    .find(|place| texts.iter().all(|text| outside(text, &[**place]).is_some()))
                    .copied()
            } else if texts.iter().any(|text| outside(text, &places).is_none()) {
                None
            } else {
                texts.last().and_then(|text| outside(text, &places))
            };
            if let Some(place) = place {
                self.problem(format!("{place:?} is no place in {uri} (version {version:?}), in {}", words()));
            }
        }
    }

    /// The texts that a document may have had; nothing where it is none of ours.
    fn texts(&mut self, uri: &str, version: Option<i64>, from: u64, to: u64) -> Option<Vec<Arc<str>>> {
        if let Some(&index) = self.by_uri.get(uri) {
            let document = &self.documents[index];
            return Some(match version {
                Some(version) => document.version(version).cloned().into_iter().collect(),
                None => document.between(from, to).cloned().collect(),
            });
        }
        uri.strip_prefix("file://")?;
        Some(self.on_disk(uri).into_iter().collect())
    }

    /// The text of a file, which nobody writes while the session lasts.
    fn on_disk(&mut self, uri: &str) -> Option<Arc<str>> {
        let path = uri.strip_prefix("file://")?;
        let text = self.disk.entry(uri.to_owned());
        text.or_insert_with(|| std::fs::read_to_string(path).ok().map(Arc::from)).clone()
    }

    fn text_of(&mut self, pending: &Pending) -> Option<Arc<str>> {
        self.texts(&pending.uri, None, pending.since, pending.since)?.into_iter().next()
    }

    pub fn check_tokens(&mut self, pending: &Pending, data: &[u64]) {
        let Some(text) = self.text_of(pending) else { return };
        let lines = Lines::of(&text);
        let mut before = Position { line: 0, character: 0 };
        self.counts.places += data.len() / 5;
        for [line, character, length] in tokens::places(data) {
            let start = Position { line, character };
            let at = lines.offset(start);
            // A token over several lines is as long as the text with its line ends.
            let end = at.and_then(|at| units(&text[at..], length));
            if at.is_none() || end.is_none() || start < before {
                return self.problem(format!(
                    "semantic token {start:?}, {length} long, after {before:?}, in {} ({})",
                    pending.uri, pending.method
                ));
            }
            before = start;
        }
    }

    fn check_folds(&mut self, pending: &Pending, result: &Value) {
        let Some(text) = self.text_of(pending) else { return };
        let lines = Lines::of(&text);
        for fold in result.as_array().into_iter().flatten() {
            self.counts.places += 1;
            let place = |line: &str, character: &str| {
                let line = fold[line].as_u64()? as usize;
                let range = lines.line(line)?;
                match fold[character].as_u64() {
                    Some(character) => lines.offset(Position { line, character: character as usize }),
                    None => Some(range.end),
                }
            };
            let (start, end) = (place("startLine", "startCharacter"), place("endLine", "endCharacter"));
            if start.is_none() || end.is_none() || start > end {
                let line = |name: &str| {
                    let range = lines.line(fold[name].as_u64()? as usize)?;
                    Some(text[range].to_owned())
                };
                let (first, last) = (line("startLine"), line("endLine"));
                self.problem(format!("{fold} is no fold in {}: {first:?}, {last:?}", pending.uri));
            }
        }
    }

    /// Edits of one answer may not overlap.
    fn check_edits(&mut self, pending: &Pending, result: &Value) {
        let mut ranges: Vec<(Option<Position>, Option<Position>)> = result
            .as_array()
            .into_iter()
            .flatten()
            .map(|edit| (Position::read(&edit["range"]["start"]), Position::read(&edit["range"]["end"])))
            .collect();
        ranges.sort();
        if ranges.windows(2).any(|pair| pair[1].0 < pair[0].1) {
            self.problem(format!(
                "edits overlap: {} of {}: {}",
                pending.method,
                pending.uri,
                shortened(result)
            ));
        }
    }

    /// The server's copy has to be the client's, of the version that it names.
    pub fn check_state(&mut self, pending: &Pending, result: &Value) {
        let Some(&index) = self.by_uri.get(&pending.uri) else { return };
        let document = &self.documents[index];
        let text = result["version"].as_i64().and_then(|version| document.version(version));
        let expected = text.map(|text| (hash(text), text.len() as u64));
        let found = result["hash"].as_str().map(str::to_owned).zip(result["length"].as_u64());
        if expected.is_none() || expected != found {
            self.problem(format!("the server's copy of {}: {result}, expected {expected:?}", pending.uri));
        }
    }

    /// The map and the functions of a module lie in its text.
    fn check_module(&mut self, pending: &Pending, result: &Value) {
        let Some(text) = result["text"].as_str() else { return };
        let places = ranges::of_module(result);
        self.counts.places += places.len();
        if let Some(place) = outside(text, &places) {
            self.problem(format!("{place:?} is no place in the module of {}", pending.uri));
        }
    }
}

/// Answers about the text that the client had when it asked: the server answers with an error where it has changed.
fn is_bound(method: &str) -> bool {
    !matches!(
        method,
        "textDocument/diagnostic"
            | "coopmat-analyzer/spirv"
            | "coopmat-analyzer/configurations"
            | "textDocument/references"
            | "textDocument/rename"
            | "workspace/symbol"
    )
}

/// The first place that is none in the text.
fn outside(text: &str, places: &[[Position; 2]]) -> Option<[Position; 2]> {
    let lines = Lines::of(text);
    let lies = |place: &Position| lines.offset(*place).is_some();
    places.iter().find(|[start, end]| !lies(start) || !lies(end) || start > end).copied()
}

/// The bytes of so many UTF-16 units; nothing where they end inside a character, or the text ends before.
fn units(text: &str, mut length: usize) -> Option<usize> {
    for (at, char) in text.char_indices() {
        if length == 0 {
            return Some(at);
        }
        length = length.checked_sub(char.len_utf16())?;
    }
    (length == 0).then_some(text.len())
}
