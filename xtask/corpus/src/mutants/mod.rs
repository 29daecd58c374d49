//! Verdicts about shaders with one edit: what kinds of disagreement there are, and which of them `docs/divergences.md` lists.
//!
//! `coopmat-compare` makes the edits, and asks the analysis, our compiler, `spirv-val` and glslang.

mod kind;
mod listed;

pub use kind::{Kind, Ours, Theirs, first_error, kind};
pub use listed::Listed;
