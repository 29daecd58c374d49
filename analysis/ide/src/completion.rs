//! Completion: what can stand at a place, in the order of how well it fits.
//!
//! `context` reads the place from the file's tokens, `position` which kinds of words fit there, `scope` tells what is declared there, `value` and `expected` what types are at hand and
//! asked for. The others make items: `names` what has a name, `words` keywords and the beginnings of statements, `members` what
//! follows a `.`, `matrix` type arguments, `layouts` what stands in `layout(...)`, `directives` what follows a `#`. `requirements`
//! names the extensions that an item brings along, `documentation` tells about one item when it is asked for.

mod calls;
mod context;
mod directives;
mod documentation;
mod expected;
mod layouts;
mod matrix;
mod members;
mod names;
mod position;
mod requirements;
mod scope;
#[cfg(test)]
mod tests;
mod value;
mod words;

use smol_str::SmolStr;

use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::ExtensionId;
use coopmat_analysis::preprocess::DirectiveKind;
use coopmat_analysis::text::{FileId, FilePosition, TextRange, TextSize};

pub(super) use calls::{Call, argument_values, builtins, call_at, user_functions};
pub(super) use context::{OUTWARDS, Region, Site};
pub use directives::include_item;
pub use documentation::documentation;
use expected::Fit;
pub(super) use expected::matching;
pub(super) use matrix::{Argument, arguments as type_arguments};
pub use requirements::edits as extension_edits;
pub(super) use scope::Scope;
pub(super) use value::{Value, structure, type_of};

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
    fn new(label: impl Into<SmolStr>, kind: ItemKind, rank: u8) -> Item {
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

    fn detail(mut self, detail: impl Into<String>) -> Item {
        self.detail = detail.into();
        self
    }

    fn about(mut self, about: About) -> Item {
        self.about = about;
        self
    }

    fn insert(mut self, text: impl Into<String>) -> Item {
        self.insert = Insert::Text(text.into());
        self
    }

    fn snippet(mut self, snippet: impl Into<String>, plain: impl Into<String>) -> Item {
        self.insert = Insert::Snippet { snippet: snippet.into(), plain: plain.into() };
        self
    }
}

/// The order of kinds of names, within those that fit equally well.
mod rank {
    pub const CONSTANT_OF_PARAMETER: u8 = 0;
    pub const LOCAL: u8 = 1;
    pub const GLOBAL: u8 = 2;
    pub const FUNCTION: u8 = 3;
    pub const MACRO: u8 = 4;
    pub const BUILTIN: u8 = 5;
    pub const TYPE: u8 = 6;
    pub const KEYWORD: u8 = 7;
    pub const REMOTE: u8 = 8;
    pub const WORD: u8 = 9;
}

/// Fit before kind.
fn ranked(fit: Fit, kind: u8) -> u8 {
    let fit = match fit {
        Fit::Exact => 0,
        Fit::Converts => 1,
        Fit::Unknown => 2,
        Fit::Misfit => 3,
    };
    fit * 10 + kind
}

/// What can stand at a place in a file; nothing in comments, numbers and ordinary strings.
pub fn completions(analysis: &Analysis, position: FilePosition) -> Completions {
    let Some(site) = Site::new(analysis, position) else { return Completions::default() };
    let mut completions = Completions {
        replace: site.word(),
        insert_end: TextSize::new(site.offset),
        ..Completions::default()
    };
    if site.region == Region::Comment
        || directives::complete(&site, &mut completions)
        || site.region != Region::Code
    {
        return completions;
    }
    let scope = Scope::new(&site);
    code(&site, &scope, &mut completions);
    // What lacks its name yet, such as `buffer B { data[]; }` declares, cannot be written.
    completions.items.retain(|item| !item.label.is_empty());
    completions
}

/// As [`completions`], when a character asks for them as it is typed: nothing but where it begins something that can be listed.
pub fn completions_after(analysis: &Analysis, position: FilePosition, typed: char) -> Completions {
    let worth = Site::new(analysis, position).is_some_and(|site| match typed {
        '.' => site.region == Region::Code && site.last().is_some_and(|last| last.is(".")),
        '#' => site.directive.is_some() && site.tokens.is_empty(),
        '"' | '/' => site.directive.is_some_and(|directive| directive.kind == DirectiveKind::Include),
        _ => {
            site.directive.is_some_and(|directive| {
                matches!(
                    directive.kind,
                    DirectiveKind::Extension | DirectiveKind::Version | DirectiveKind::Include
                )
            }) || asks(&site)
        }
    });
    if worth { completions(analysis, position) } else { Completions::default() }
}

/// Whether few things can stand at the place: type arguments, layouts, arguments that are constants or functions of a set.
fn asks(site: &Site<'_>) -> bool {
    let Some(frame) = site.frame().filter(|_| site.region == Region::Code) else { return false };
    if frame.bracket == '<' {
        return site.last().is_some_and(|last| matches!(last.text, "<" | ","));
    }
    if layouts::holds(site) {
        return true;
    }
    if call_at(site, frame).is_none() || !site.last().is_some_and(|last| matches!(last.text, "(" | "," | "|"))
    {
        return false;
    }
    let expected = expected::expected(&Scope::new(site), site);
    expected.constants.is_some() || expected.callback.is_some()
}

fn code(site: &Site<'_>, scope: &Scope<'_>, completions: &mut Completions) {
    if site.last().is_some_and(|last| last.is(".")) {
        members::complete(site, scope, completions);
        return;
    }
    if words::attribute(site, scope, completions)
        || layouts::complete(site, scope, completions)
        || matrix::complete(site, scope, completions)
    {
        return;
    }
    names::complete(site, scope, completions);
}
