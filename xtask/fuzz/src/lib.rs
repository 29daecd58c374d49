//! Damaged input for every part, and what must hold whatever comes in.
//!
//! Each target ([`targets`]) is a function over bytes which panics where something does not hold. Two drivers call them: the program of this
//! crate (`driver`), with a seeded generator that knows shaders, modules and messages, and libFuzzer, through the package in `fuzz/`.
//!
//! | module | does |
//! |---|---|
//! | `seeds` | what is damaged: examples, pages of diagnostics, fixtures, the corpus |
//! | `mutate` | how: tokens, lines and words that are taken out, doubled, exchanged, or come from elsewhere |
//! | `input` | the form of an input that is text |
//! | `target`, `targets` | what a target is; one file for each |
//! | `check` | what must hold of ranges and edits |
//! | `driver`, `watchdog` | runs inputs, and notices what goes wrong |
//! | `minimise` | makes a failing input small |
//! | `validate` | `spirv-val` beside a run |

pub mod check;
pub mod driver;
pub mod input;
pub mod minimise;
pub mod mutate;
pub mod seeds;
pub mod target;
pub mod targets;
pub mod validate;
pub mod watchdog;

pub use coopmat_mutate::{panics, random};
