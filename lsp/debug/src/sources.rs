//! Files and lines as the client opens and counts them.

use std::hash::{Hash as _, Hasher as _};

use coopmat_simulator::debugger::Lines;
use rustc_hash::FxHasher;

/// How the client counts lines and columns.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    first_line: u32,
    first_column: u32,
    /// Whether the client has documents of its own for modules in words.
    pub module_documents: bool,
}

impl Default for Counting {
    fn default() -> Counting {
        Counting { first_line: 1, first_column: 1, module_documents: false }
    }
}

impl Counting {
    pub fn of(client: &dapts::InitializeRequestArguments) -> Counting {
        Counting {
            first_line: u32::from(client.lines_start_at1 != Some(false)),
            first_column: u32::from(client.columns_start_at1 != Some(false)),
            module_documents: false,
        }
    }

    /// A line of ours, from zero, as the client has it.
    pub fn line(self, line: u32) -> u32 {
        line.saturating_add(self.first_line)
    }

    pub fn column(self, column: u32) -> u32 {
        column.saturating_add(self.first_column)
    }

    /// A line of the client, from zero.
    pub fn zero_based(self, line: u32) -> u32 {
        line.saturating_sub(self.first_line)
    }
}

/// How the paths of documents begin in which a client shows the texts of modules in words, if it has such: then comes the file's path.
pub const MODULE_DOCUMENTS: &str = "coopmat-module:";

/// A file of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub path: String,
    /// The client cannot read its text, and asks for it.
    is_held: bool,
}

impl SourceFile {
    /// A file by its number.
    pub fn of(lines: &Lines, number: u32) -> Option<SourceFile> {
        let path = lines.files.get(number as usize)?.clone();
        Some(SourceFile { path, is_held: lines.text(number).is_some() })
    }

    /// The number by which a client asks for a text: the same for a path in all dispatches.
    fn reference(&self) -> u32 {
        let mut hasher = FxHasher::default();
        self.path.hash(&mut hasher);
        // Clients take it for a number of 32 bits with a sign.
        (hasher.finish() >> 34) as u32 + 1
    }

    /// Whether the client means this file.
    pub fn is(&self, reference: u32) -> bool {
        self.is_held && self.reference() == reference
    }

    /// As the client opens it.
    pub fn shown(&self, counting: Counting) -> dapts::Source {
        let name = self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path);
        let mut source = dapts::Source {
            name: Some(name.to_owned()),
            path: Some(self.path.clone()),
            ..dapts::Source::default()
        };
        if self.is_held && counting.module_documents && self.path.ends_with(".spv") {
            source.path = Some(document(&self.path));
        } else if self.is_held {
            source.source_reference = Some(self.reference());
        }
        source
    }
}

/// The URI of a module's document.
fn document(path: &str) -> String {
    let mut uri = MODULE_DOCUMENTS.to_owned();
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(byte.into())
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_held_have_a_reference_or_a_document() {
        let mut lines = Lines::new(vec!["/a b/k.spv".to_owned(), "/a b/k.comp".to_owned()], Vec::new());
        lines.set_text(0, "OpNop".to_owned());
        let [held, read] = [0, 1].map(|number| SourceFile::of(&lines, number).unwrap());
        let plain = Counting::default();
        let reference = held.shown(plain).source_reference.unwrap();
        assert!(held.is(reference) && !read.is(reference) && reference < 1 << 31);
        assert_eq!(read.shown(plain).source_reference, None);
        let documents = Counting { module_documents: true, ..plain };
        assert_eq!(held.shown(documents).path.as_deref(), Some("coopmat-module:/a%20b/k.spv"));
        assert_eq!(held.shown(documents).source_reference, None);
        assert_eq!(read.shown(documents).path.as_deref(), Some("/a b/k.comp"));
    }
}
