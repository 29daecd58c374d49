//! GLSL inside of C++ and Rust: finds the shaders that such a file writes down as strings, and gives each as a text of its own. Pure functions of the
//! file's text.
//!
//! The text of a shader has every line and column that it has in the file: what stands around it is blank. So everything that counts lines and columns is
//! right for the file without a table between the two.
//!
//! | module | does |
//! |---|---|
//! | `tokens` | what both lexers give: words, marks, comments, literals |
//! | `cpp`, `rust` | the lexers |
//! | `directives` | lines of the preprocessor, and what `#if 0` leaves out |
//! | `marks` | comments and delimiters that say what is GLSL |
//! | `find` | which literals are marked as GLSL, and which of them make one shader |
//! | `macros` | Rust's `glsl!` and `shader!` |
//! | `layout` | the text of a shader: escapes, joints, blanks |
//! | `options` | what a macro says of how its shader is compiled |
//! | `judge` | the stage, and what keeps a shader from being judged |
//! | `given` | what the server is told of a shader besides its text |
//! | `layer` | between client and server: each shader is a document of its own there |

mod cpp;
mod directives;
mod find;
pub(crate) mod given;
mod judge;
pub(crate) mod layer;
mod layout;
mod macros;
mod marks;
mod merge;
mod options;
mod rust;
#[cfg(test)]
mod tests;
mod tokens;

use std::ops::Range;
use std::sync::Arc;

use coopmat_analysis::config::Stage;
use coopmat_analysis::diagnostics::{Code, codes};
pub use coopmat_analysis::embedded::{Language, split};

pub use self::options::Options;

/// A shader of a file.
#[derive(Clone, Debug)]
pub struct Region {
    /// The variable that it is given to, or its number among the file's shaders, from 1. No two of a file are called the same.
    pub name: String,
    /// By a mark, or by what it says.
    pub stage: Stage,
    /// The shader, at its lines and columns of the file.
    pub text: Arc<str>,
    /// What the file's offsets are larger by than those of `text`, from the line on where the shader begins.
    pub shift: usize,
    /// In the file, from its first character to its last.
    pub range: Range<usize>,
    /// Its literals, in their order.
    pub pieces: Vec<Piece>,
    /// Why it is not judged, where that is so.
    pub part: Option<Part>,
    /// Whether it says its `#version`.
    pub has_version: bool,
    /// What the macro around it says.
    pub options: Options,
}

/// A literal of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// In the file, without its quotes.
    pub range: Range<usize>,
    /// What ends the literal, where every other character stands for itself.
    pub end: Option<String>,
}

/// Why what is found in a shader is not told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What to say about it.
    pub code: &'static Code,
    /// In words.
    pub message: String,
    /// Where in the file.
    pub range: Range<usize>,
}

impl Region {
    /// The path that stands for the shader: `FILE#NAME.STAGE`. What is no shader by itself ends in `.glsl`, as headers do.
    pub fn path(&self, file: &str) -> String {
        let extension = match &self.part {
            Some(part) if part.code == &codes::EMBEDDED_FRAGMENT => "glsl",
            _ => self.stage.extension(),
        };
        format!("{file}#{}.{extension}", self.name)
    }

    /// An offset of `text` in the file; what lies before the shader's first character becomes that.
    pub fn in_file(&self, offset: usize) -> usize {
        (offset + self.shift).clamp(self.range.start, self.range.end)
    }

    /// Whether an edit of the file leaves the literal what it is: it lies inside of one whose characters stand for themselves, and does not end it.
    pub fn takes(&self, edit: &Range<usize>, text: &str) -> bool {
        self.pieces.iter().any(|piece| {
            let inside = piece.range.start <= edit.start && edit.end <= piece.range.end;
            inside && piece.end.as_ref().is_some_and(|end| !text.contains(end.as_str()))
        })
    }

    /// What is told instead of what was found, of which the codes are given.
    pub fn instead<'c>(&self, found: impl Iterator<Item = &'c str>) -> Option<Part> {
        if self.part.is_some() {
            return self.part.clone();
        }
        (!self.has_version && lacks_version(found)).then(|| self.without_version())
    }

    /// What is told where nothing says the version.
    fn without_version(&self) -> Part {
        judge::no_version(self.first_line())
    }

    fn first_line(&self) -> Range<usize> {
        let start = self.pieces.first().map_or(self.range.start, |piece| piece.range.start);
        start..start
    }
}

/// Whether the codes of what was found say that the version is missing.
fn lacks_version<'c>(mut found: impl Iterator<Item = &'c str>) -> bool {
    found.any(|code| [codes::MISSING_VERSION.id, codes::MISSING_CONFIGURATION.id].contains(&code))
}

/// Whether a file may have shaders: a look for the words that mark them.
pub fn may_have(text: &str) -> bool {
    let bytes = text.as_bytes();
    ["glsl", "GLSL", "shader!"].iter().any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some())
}

/// Files with more are not looked at: so many bytes of source are no program that a person writes.
pub const LARGEST: usize = 16 << 20;

/// So many shaders of one file are found.
pub const MOST: usize = 1000;

/// The shaders of a file, in their order.
pub fn regions(language: Language, text: &str) -> Vec<Region> {
    if text.len() > LARGEST || !may_have(text) {
        return Vec::new();
    }
    let tokens = match language {
        Language::Cpp => cpp::tokens(text),
        Language::Rust => vec![rust::tokens(text)],
    };
    let mut found = find::shaders(language, text, &tokens);
    found.truncate(MOST);
    layout::regions(language, text, found)
}
