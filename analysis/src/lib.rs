//! Semantic analysis of GLSL compute shaders that use cooperative matrices. Pure: no I/O, no clock, no threads.

// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(missing_docs)]

pub mod allow;
mod analysis;
pub mod checks;
pub mod config;
pub mod devices;
pub mod diagnostics;
pub mod display;
pub mod embedded;
pub mod extensions;
#[doc(hidden)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "it is for tests, which fail that way"
)]
pub mod fixture;
mod glob;
mod guess;
pub mod hir;
pub mod ids;
pub mod import;
pub mod layout;
pub mod levels;
pub mod lex;
mod like;
pub mod locations;
pub mod lower;
mod matrices;
mod near_macros;
pub mod preamble;
pub mod preprocess;
pub mod project;
pub mod reparse;
mod repeated;
pub mod scalar;
pub mod scopes;
pub mod shared_memory;
mod similar;
pub mod sources;
pub mod stage;
pub mod surface;
pub mod symbolic;
mod syntax_errors;
pub mod text;
mod told;
pub mod types;
pub mod version;

pub use analysis::{Analysis, Analyzer, analyze};
pub use syntax_errors::BARE_OPERATOR;
pub use told::{Later, NotLookedAt, PERFORMANCE_CODES, Told, not_looked_at, told, told_with};
