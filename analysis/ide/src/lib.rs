//! Answers for editors, computed from a [`coopmat_analysis::Analysis`]. One file each; `cursor` finds what a place in the text means.

// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(missing_docs)]

pub mod actions;
mod brackets;
mod branches;
pub mod builtin_pages;
pub mod completion;
mod cursor;
mod declared;
pub mod definition;
mod doc_comment;
mod edit;
pub mod extension_lines;
pub mod folding;
pub mod format;
pub mod highlight;
pub mod hover;
pub mod inlay;
pub mod inline_values;
pub mod lens;
pub mod links;
#[cfg(test)]
mod navigation_tests;
pub mod occurrences;
pub mod portability;
pub mod rename;
#[cfg(test)]
mod rename_tests;
pub mod selection;
mod showing;
pub mod signature;
mod signatures;
mod site;
pub mod specialization;
pub mod symbols;
pub mod tokens;
mod tree_path;
mod units;
pub mod usages;
mod vocabulary;

use cursor::Cursor;
pub use cursor::argument_at;
pub use edit::TextEdit;
