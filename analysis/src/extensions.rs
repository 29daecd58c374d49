//! What GLSL and its extensions provide: types, constants, variables, functions. The tables come from
//! `analysis/extensions/*.toml` through the build script; nothing about a built-in is written down anywhere else.
//!
//! A provider is an extension; what the core language provides has versions instead (`core*.toml`). One built-in may have several
//! providers: the first one enabled makes it visible.

mod entries;
mod lookup;
mod rules;
mod tables;
#[cfg(test)]
mod tests;

pub use entries::*;
pub use lookup::*;
pub use rules::{Change, FixedOperand, Rule};
pub use tables::{constants, ids, instructions, sets, values, variables};
