//! The words of calls, with those of response files (`@file`) in their place. A file is read once for an import, however many calls name it, and
//! what one call and all calls of an import take is bounded: a short file can name a long one often.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Read;
use super::command::Fault;
use super::paths::path_in;
use super::words::{self, MOST_WORDS};

/// Files that response files name can name more; nobody nests them deeper.
const DEEPEST: usize = 8;
/// Response files of one import.
const MOST_FILES: usize = 1_000;
/// Bytes of all response files of one import.
const MOST_BYTES_READ: usize = 32 << 20;
/// Words of all calls of one import, each counted for every shader of its call. Builds with thousands of calls have a tenth of them.
pub const MOST_WORDS_TOGETHER: usize = 1_000_000;
/// Bytes of these words, and of the folders that are written before paths.
const MOST_BYTES_TOGETHER: usize = 32 << 20;

type Words = Result<Arc<[String]>, String>;

/// The response files of one import, and what its calls may still take.
pub struct Responses<'r> {
    read: Read<'r>,
    /// By path: the words, or why there are none.
    files: FxHashMap<String, Words>,
    bytes_left_to_read: usize,
    words_left: usize,
    bytes_left: usize,
}

impl<'r> Responses<'r> {
    pub fn new(read: Read<'r>) -> Responses<'r> {
        Responses {
            read,
            files: FxHashMap::default(),
            bytes_left_to_read: MOST_BYTES_READ,
            words_left: MOST_WORDS_TOGETHER,
            bytes_left: MOST_BYTES_TOGETHER,
        }
    }

    /// Why calls are left out, after [`Fault::NoRoom`].
    pub fn bounds() -> String {
        format!(
            "all calls of an import together, including their response files, may have {MOST_WORDS_TOGETHER} words and {} MiB",
            MOST_BYTES_TOGETHER >> 20
        )
    }

    /// The words of one call. `folder`: where its relative paths count from.
    pub fn expand(&mut self, arguments: &[String], folder: &str) -> Result<Vec<String>, Fault> {
        let mut call = Expansion { folder, visited: 0, out: Vec::new() };
        for (index, word) in arguments.iter().enumerate() {
            self.put(word, None, 0, &mut call).map_err(|fault| match fault {
                Fault::Mistake { message, .. } => Fault::Mistake { word: Some(index), message },
                Fault::NoRoom => fault,
            })?;
        }
        Ok(call.out)
    }

    /// Counts words that are held once more for each further shader of their call.
    pub fn repeat(&mut self, words: &[String], times: usize) -> Result<(), Fault> {
        let bytes: usize = words.iter().map(String::len).sum();
        self.take(words.len().saturating_mul(times), bytes.saturating_mul(times))
    }

    /// Counts the folder that stands before each of the paths of a call.
    pub fn paths(&mut self, folder: &str, paths: usize) -> Result<(), Fault> {
        self.take(0, folder.len().saturating_mul(paths))
    }

    fn take(&mut self, words: usize, bytes: usize) -> Result<(), Fault> {
        match (self.words_left.checked_sub(words), self.bytes_left.checked_sub(bytes)) {
            (Some(words), Some(bytes)) => {
                (self.words_left, self.bytes_left) = (words, bytes);
                Ok(())
            }
            _ => {
                // What comes after it is left out as well.
                (self.words_left, self.bytes_left) = (0, 0);
                Err(Fault::NoRoom)
            }
        }
    }

    /// `by`: the response file that has the word.
    fn put(
        &mut self,
        word: &str,
        by: Option<&str>,
        depth: usize,
        call: &mut Expansion<'_>,
    ) -> Result<(), Fault> {
        // Those that stand for others count too: files that name each other make many without a word in the end.
        call.visited += 1;
        if call.visited > MOST_WORDS {
            return Err(Fault::of(format!("this call has more than {MOST_WORDS} words")));
        }
        self.take(1, word.len())?;
        let Some(name) = word.strip_prefix('@').filter(|name| !name.is_empty()) else {
            call.out.push(word.to_owned());
            return Ok(());
        };
        if depth >= DEEPEST {
            return Err(Fault::of(format!("the response file `{name}` is nested too deeply")));
        }
        let path = path_in(call.folder, name);
        let words =
            self.file(&path, by).map_err(|why| Fault::of(format!("the response file `{name}`: {why}")))?;
        words.iter().try_for_each(|word| self.put(word, Some(&path), depth + 1, call))
    }

    fn file(&mut self, path: &str, by: Option<&str>) -> Words {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        if self.files.len() >= MOST_FILES {
            return Err(format!(
                "it is not read, because the limit of {MOST_FILES} response files is reached"
            ));
        }
        let words = self.read_file(path, by);
        self.files.insert(path.to_owned(), words.clone());
        words
    }

    fn read_file(&mut self, path: &str, by: Option<&str>) -> Words {
        let full = || {
            format!(
                "it is not read, because response files may have at most {} MiB together",
                MOST_BYTES_READ >> 20
            )
        };
        if self.bytes_left_to_read == 0 {
            return Err(full());
        }
        let text = (self.read)(path, by)?;
        let left = self.bytes_left_to_read.checked_sub(text.len());
        self.bytes_left_to_read = left.unwrap_or(0);
        if left.is_none() {
            return Err(full());
        }
        // Their lines mean nothing.
        let text = text.replace(['\r', '\n'], " ");
        let words = words::split_up_to(&text, MOST_WORDS).map_err(|why| why.to_string())?;
        Ok(words.into())
    }
}

/// One call while its words are collected.
struct Expansion<'c> {
    folder: &'c str,
    visited: usize,
    out: Vec<String>,
}
