//! Answers for editors, computed from an [`Analysis`]. One file each; `cursor` finds what a place in the text means.

mod brackets;
mod cursor;
mod edit;
pub mod extension_lines;
pub mod folding;
pub mod hover;
pub mod selection;
pub mod tokens;

pub use cursor::Cursor;
pub use edit::TextEdit;
