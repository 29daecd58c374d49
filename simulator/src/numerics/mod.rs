//! Numbers as matrix hardware treats them.

pub mod bulk;
pub mod format;

pub use format::{Denormals, Format, Overflow, Rounding};

/// How floating-point matrix operations round and add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numerics {}
