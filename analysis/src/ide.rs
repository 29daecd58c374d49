//! Answers for editors, computed from an [`Analysis`]. One file each; `cursor` finds what a place in the text means.

mod cursor;
pub mod hover;

pub use cursor::Cursor;
