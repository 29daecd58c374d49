//! Where the statements of a TOML text stand, and the parts of their values.

use std::collections::HashMap;
use std::ops::Range;

use serde::Deserialize;
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};

/// Values within values: deeper ones are passed over.
const DEPTH: u32 = 64;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Step {
    Key(String),
    /// The table of a list, or the element of an array, from 0.
    Index(usize),
}

/// `key = value`, or the header of a table, which has no value.
#[derive(Debug)]
pub struct Statement {
    pub path: Vec<Step>,
    /// From the start of its first line to behind the end of its last one.
    pub lines: Range<usize>,
    pub value: Option<Node>,
}

#[derive(Debug)]
pub enum Node {
    Scalar(Range<usize>),
    List { range: Range<usize>, items: Vec<Node> },
    Table { range: Range<usize>, entries: Vec<Entry> },
}

/// A key of an inline table, with its value.
#[derive(Debug)]
pub struct Entry {
    pub path: Vec<Step>,
    start: usize,
    value: Node,
}

impl Entry {
    pub fn range(&self) -> Range<usize> {
        self.start..self.value.range().end
    }
}

impl Node {
    pub fn range(&self) -> Range<usize> {
        match self {
            Node::Scalar(range) | Node::List { range, .. } | Node::Table { range, .. } => range.clone(),
        }
    }

    /// The innermost value on a path that is there, and what is left of the path.
    pub fn descend<'p>(&self, path: &'p [Step]) -> (&Node, &'p [Step]) {
        let below = match (self, path.first()) {
            (Node::List { items, .. }, Some(Step::Index(index))) => {
                items.get(*index).map(|item| (item, &path[1..]))
            }
            (Node::Table { entries, .. }, Some(_)) => entries
                .iter()
                .find_map(|entry| Some((&entry.value, path.strip_prefix(entry.path.as_slice())?))),
            _ => None,
        };
        match below {
            Some((node, rest)) => node.descend(rest),
            None => (self, path),
        }
    }
}

/// The statements in their order. What is no TOML is passed over.
pub fn statements(text: &str) -> Vec<Statement> {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut events = Vec::new();
    let mut receiver = |event: Event| events.push(event);
    parse_document(&tokens, &mut RecursionGuard::new(&mut receiver, DEPTH), &mut ());
    events.retain(|event| !matches!(event.kind(), EventKind::Whitespace | EventKind::Comment));
    let mut reader = Reader { text, source, events, at: 0 };
    let mut found = Vec::new();
    let mut counts: HashMap<Vec<Step>, usize> = HashMap::new();
    let mut table = Vec::new();
    while let Some(event) = reader.next() {
        let start = event.span().start();
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                let list = event.kind() == EventKind::ArrayTableOpen;
                let keys = reader.keys();
                // Behind the closing brackets.
                let end = reader.next().map_or(start, |event| event.span().end());
                table.clear();
                let last = keys.len().saturating_sub(1);
                for (at, key) in keys.into_iter().enumerate() {
                    table.push(key);
                    if list && at == last {
                        counts.entry(table.clone()).and_modify(|count| *count += 1).or_insert(0);
                    }
                    if let Some(count) = counts.get(&table) {
                        table.push(Step::Index(*count));
                    }
                }
                found.push(Statement { path: table.clone(), lines: reader.lines(start..end), value: None });
            }
            EventKind::SimpleKey => {
                reader.at -= 1;
                if let Some(Entry { path, value, .. }) = reader.entry() {
                    let lines = reader.lines(start..value.range().end);
                    found.push(Statement { path: [table.clone(), path].concat(), lines, value: Some(value) });
                }
            }
            _ => {}
        }
    }
    found
}

struct Reader<'t> {
    text: &'t str,
    source: Source<'t>,
    /// Without spaces and comments.
    events: Vec<Event>,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<EventKind> {
        self.events.get(self.at).map(Event::kind)
    }

    fn next(&mut self) -> Option<Event> {
        let event = *self.events.get(self.at)?;
        self.at += 1;
        Some(event)
    }

    /// The parts of `a."b c".d`.
    fn keys(&mut self) -> Vec<Step> {
        let mut keys = Vec::new();
        while let Some(EventKind::SimpleKey | EventKind::KeySep) = self.peek() {
            let Some(event) = self.next() else { break };
            if event.kind() == EventKind::SimpleKey {
                let mut key = String::new();
                if let Some(raw) = self.source.get(event) {
                    raw.decode_key(&mut key, &mut ());
                }
                keys.push(Step::Key(key));
            }
        }
        keys
    }

    /// `key = value`
    fn entry(&mut self) -> Option<Entry> {
        let start = self.events.get(self.at)?.span().start();
        let path = self.keys();
        if self.peek() != Some(EventKind::KeyValSep) {
            return None;
        }
        self.next();
        Some(Entry { path, start, value: self.value()? })
    }

    fn value(&mut self) -> Option<Node> {
        let start = match self.peek()? {
            EventKind::Scalar => return self.next().map(|event| Node::Scalar(range(event))),
            EventKind::ArrayOpen | EventKind::InlineTableOpen => self.next()?,
            _ => return None,
        };
        let (mut items, mut entries) = (Vec::new(), Vec::new());
        let list = start.kind() == EventKind::ArrayOpen;
        loop {
            match self.peek()? {
                EventKind::ArrayClose | EventKind::InlineTableClose => {
                    let range = start.span().start()..self.next()?.span().end();
                    return Some(if list {
                        Node::List { range, items }
                    } else {
                        Node::Table { range, entries }
                    });
                }
                EventKind::SimpleKey if !list => entries.push(self.entry()?),
                EventKind::Scalar | EventKind::ArrayOpen | EventKind::InlineTableOpen => {
                    items.push(self.value()?);
                }
                _ => {
                    self.next();
                }
            }
        }
    }

    /// The lines around a range.
    fn lines(&self, range: Range<usize>) -> Range<usize> {
        let start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[range.end..].find('\n').map_or(self.text.len(), |at| range.end + at + 1);
        start..end
    }
}

fn range(event: Event) -> Range<usize> {
    event.span().start()..event.span().end()
}
