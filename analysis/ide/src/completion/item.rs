//! What completion offers: items, and the text that each replaces and inserts.

use smol_str::SmolStr;

use coopmat_analysis::extensions::ExtensionId;
use coopmat_analysis::text::{FileId, TextRange, TextSize};

/// What can stand at a place.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// In no order: [`Item::rank`] is the order.
    pub items: Vec<Item>,
    /// Further typing brings names that are not listed yet.
    pub incomplete: bool,
    /// What an item replaces: the word at the cursor.
    pub replace: TextRange,
    /// An `#include` is being typed: the host lists the files.
    pub include: Option<IncludePath>,
    /// Up to where the word is typed: what clients replace that insert.
    pub insert_end: TextSize,
    /// The ranks say all that there is to say about the order.
    pub(super) settled: bool,
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

/// What an item is, by which clients choose a symbol. Each has its like in the protocol (LSP 3.17, CompletionItemKind).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A local or global variable, also of the language: `gl_LocalInvocationID`.
    Variable,
    /// A parameter of the function around the place.
    Parameter,
    /// A `const` of the program, or a limit of the language.
    Constant,
    /// One of a few values: `gl_MatrixUseA`, a size that matrices have, an image format.
    EnumMember,
    /// A member of a structure or block, a component of a vector.
    Member,
    /// A function of the program, or a built-in one.
    Function,
    /// What is called behind a `.`: `length()`.
    Method,
    /// A type of the language or of an extension.
    Type,
    /// A structure or block of the program.
    Structure,
    /// A word of the language: a qualifier, the beginning of a statement.
    Keyword,
    /// Several words at once, with places to fill in.
    Snippet,
    /// A macro, of the program or predefined.
    Macro,
    /// The name of an extension.
    Extension,
    /// A name in `layout(...)` or `[[...]]`.
    Property,
    /// A file that can be included.
    File,
    /// A folder of such files.
    Folder,
    /// A number, or a word of the file of which nothing is known here.
    Text,
}

/// Something that can be taken.
#[derive(Clone, Debug)]
pub struct Item {
    /// What is listed, and what is inserted unless an [`Insert`] says otherwise.
    pub label: SmolStr,
    /// What it is.
    pub kind: ItemKind,
    /// A type or a signature, in few words.
    pub detail: String,
    /// Lower is better.
    pub rank: u32,
    /// What takes the place of [`Completions::replace`].
    pub insert: Insert,
    /// What clients match with what is typed, when it is not the label.
    pub filter: Option<SmolStr>,
    /// What [`documentation`](super::documentation()) is asked with, when the item comes into view.
    pub about: About,
    /// To be enabled when the item is taken, in this order.
    pub extensions: Vec<ExtensionId>,
}

/// What taking an item writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Insert {
    /// The label, as it is.
    Label,
    /// This, as it is.
    Text(String),
    /// With tab stops, and without for clients that do not know them.
    Snippet {
        /// In the protocol's syntax: `$1`, `${2:name}`, `$0` (LSP 3.17, Snippet Syntax).
        snippet: String,
        /// The same without stops.
        plain: String,
    },
}

/// What the documentation of an item is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// There is none.
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
    pub(super) fn new(label: impl Into<SmolStr>, kind: ItemKind, rank: u32) -> Item {
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
