//! The order of items: how well each fits first, then which kind of name it is.

/// How well a candidate fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    Exact,
    Converts,
    /// Nothing is known about it or about the position.
    Unknown,
    Misfit,
}

// The order of kinds of names, within those that fit equally well.
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

/// Fit before kind.
pub fn ranked(fit: Fit, kind: u8) -> u8 {
    let fit = match fit {
        Fit::Exact => 0,
        Fit::Converts => 1,
        Fit::Unknown => 2,
        Fit::Misfit => 3,
    };
    fit * 10 + kind
}
