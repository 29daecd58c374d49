//! The names of the numbers that speak for an item, by which the model's text has their weights.

use super::super::item::ItemKind;
use super::super::rank;
use super::context::KINDS;

/// What there are numbers of, apart from the combinations behind them.
pub const NAMES: [&str; 33] = [
    "of-language",
    "language",
    "program",
    "document",
    "both",
    "alike-1",
    "alike-2",
    "alike-3",
    "before",
    "after",
    "unused",
    "last",
    "has-last",
    "next",
    "has-next",
    "fresh",
    "fresh-distance",
    "here",
    "repeated",
    "argument",
    "length",
    "elsewhere",
    "elsewhere-alike",
    "rare-alike",
    "known-context",
    "capitals",
    "order",
    "sibling-order",
    "has-sibling",
    "sibling",
    "follows-sibling",
    "follows-sibling-distance",
    "same-end",
];

/// From here on are the numbers of [`NAMES`] for members, which have weights of their own: they are used otherwise than what is declared by itself.
pub const OF_MEMBERS: u16 = NAMES.len() as u16;

/// The number of how likely a word of the language is.
pub const LANGUAGE: u16 = 1;

/// The kinds of items with their names.
pub const KIND_NAMES: [(ItemKind, &str); 17] = [
    (ItemKind::Variable, "variable"),
    (ItemKind::Parameter, "parameter"),
    (ItemKind::Constant, "constant"),
    (ItemKind::EnumMember, "value"),
    (ItemKind::Member, "member"),
    (ItemKind::Function, "function"),
    (ItemKind::Method, "method"),
    (ItemKind::Type, "type"),
    (ItemKind::Structure, "structure"),
    (ItemKind::Keyword, "keyword"),
    (ItemKind::Snippet, "snippet"),
    (ItemKind::Macro, "macro"),
    (ItemKind::Extension, "extension"),
    (ItemKind::Property, "property"),
    (ItemKind::File, "file"),
    (ItemKind::Folder, "folder"),
    (ItemKind::Text, "text"),
];

/// The names of all numbers: those of [`NAMES`], how well an item fits with what kind of name it is, the kinds of items at the kinds of places.
pub fn names() -> Vec<String> {
    let fits = (0..rank::PRIORS).map(|prior| format!("fit-{prior:02}"));
    let kinds =
        KINDS.iter().flat_map(|place| KIND_NAMES.iter().map(move |(_, kind)| format!("{place}/{kind}")));
    let of_members = NAMES.iter().map(|name| format!("member-{name}"));
    NAMES.iter().map(|name| (*name).to_owned()).chain(of_members).chain(fits).chain(kinds).collect()
}
