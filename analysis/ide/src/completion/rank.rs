//! How well an item fits and which kind of name it is, as the files say that make items. `order` weighs both with what is likely at the place.

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
pub const CONSTANT_OF_PARAMETER: u32 = 0;
pub const LOCAL: u32 = 1;
pub const GLOBAL: u32 = 2;
pub const FUNCTION: u32 = 3;
pub const MACRO: u32 = 4;
pub const BUILTIN: u32 = 5;
pub const TYPE: u32 = 6;
pub const KEYWORD: u32 = 7;
pub const REMOTE: u32 = 8;
pub const WORD: u32 = 9;

/// Fit before kind.
pub fn ranked(fit: Fit, kind: u32) -> u32 {
    let fit = match fit {
        Fit::Exact => 0,
        Fit::Converts => 1,
        Fit::Unknown => 2,
        Fit::Misfit => 3,
    };
    fit * 10 + kind
}

/// So many values has what [`ranked`] gives.
pub const PRIORS: u32 = 40;

/// Added for what only holds the typed characters: after all that begins with them.
pub const FARTHER: u32 = PRIORS;
/// Added for what would be an error at the place: after all that is none.
pub const REFUSED: u32 = 2 * PRIORS;

/// How well it fits, without what puts it behind others.
pub fn prior(rank: u32) -> u32 {
    rank % PRIORS
}

/// What is put before others whatever is likely: just what the place asks for, then all that fits, then what is farther, then what is refused.
pub fn tier(rank: u32) -> u32 {
    match rank {
        0 => 0,
        _ => 1 + rank / PRIORS,
    }
}
