//! Answers for editors, computed from an [`Analysis`]. One file each; `cursor` finds what a place in the text means.

mod cursor;
mod edit;
pub mod extension_lines;
pub mod hover;

pub use cursor::Cursor;
pub use edit::TextEdit;
