//! What completion offers: items, and the text that each replaces and inserts.

use smol_str::SmolStr;

use coopmat_analysis::extensions::ExtensionId;
use coopmat_analysis::text::{FileId, TextRange, TextSize};

/// What can stand at a place.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    pub items: Vec<Item>,
    /// Further typing brings names that are not listed yet.
    pub incomplete: bool,
    /// What an item replaces: the word at the cursor.
    pub replace: TextRange,
    /// An `#include` is being typed: the host lists the files.
    pub include: Option<IncludePath>,
    /// Up to where the word is typed: what clients replace that insert.
    pub insert_end: TextSize,
}

/// The path of an `#include` as far as it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludePath {
    /// What stands before the last `/`.
    pub folder: String,
    /// In quotes, so that the including file's folder is searched first.
    pub quoted: bool,
    /// What has to close the path, when nothing does yet.
    pub close: Option<char>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    Variable,
    Parameter,
    Constant,
    EnumMember,
    Member,
    Function,
    Method,
    Type,
    Structure,
    Keyword,
    Snippet,
    Macro,
    Extension,
    Property,
    File,
    Folder,
    Text,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub label: SmolStr,
    pub kind: ItemKind,
    /// A type or a signature, in few words.
    pub detail: String,
    /// Lower is better.
    pub rank: u8,
    pub insert: Insert,
    /// What clients match with what is typed, when it is not the label.
    pub filter: Option<SmolStr>,
    pub about: About,
    /// To be enabled when the item is taken, in this order.
    pub extensions: Vec<ExtensionId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Insert {
    Label,
    Text(String),
    /// With tab stops, and without for clients that do not know them.
    Snippet {
        snippet: String,
        plain: String,
    },
}

/// What the documentation of an item is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    Nothing,
    /// All of it, when it is short.
    Text(&'static str),
    /// A built-in or an extension, by its name.
    Builtin,
    /// A declaration by the place of its name in the expanded text.
    Declared(TextSize),
    /// A macro by the place of its name.
    Macro(FileId, TextSize),
}

impl Item {
    pub(super) fn new(label: impl Into<SmolStr>, kind: ItemKind, rank: u8) -> Item {
        Item {
            label: label.into(),
            kind,
            detail: String::new(),
            rank,
            insert: Insert::Label,
            filter: None,
            about: About::Nothing,
            extensions: Vec::new(),
        }
    }

    pub(super) fn detail(mut self, detail: impl Into<String>) -> Item {
        self.detail = detail.into();
        self
    }

    pub(super) fn about(mut self, about: About) -> Item {
        self.about = about;
        self
    }

    pub(super) fn insert(mut self, text: impl Into<String>) -> Item {
        self.insert = Insert::Text(text.into());
        self
    }

    pub(super) fn snippet(mut self, snippet: impl Into<String>, plain: impl Into<String>) -> Item {
        self.insert = Insert::Snippet { snippet: snippet.into(), plain: plain.into() };
        self
    }
}
