//! Control flow around a statement: how it ends, and which jumps and labels its place allows.

use rustc_hash::FxHashMap;

use crate::text::TextRange;

/// How a statement can end, as bits.
pub(super) mod ends {
    /// By going on to the next.
    pub const FALLS: u8 = 1;
    pub const BREAKS: u8 = 2;
    pub const CONTINUES: u8 = 4;
}

/// Which jumps the place of a statement allows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jumps {
    pub in_loop: bool,
    pub in_switch: bool,
    /// Directly in the braces of a `switch`, where labels may stand.
    pub labels: bool,
}

/// The labels of a `switch` so far.
#[derive(Debug, Default)]
pub(super) struct Cases {
    pub values: FxHashMap<i128, TextRange>,
    pub default: Option<TextRange>,
}
