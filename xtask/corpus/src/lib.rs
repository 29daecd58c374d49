//! Real shaders, and what the analysis says about them.
//!
//! `cargo xtask corpus` downloads the sources and starts this crate's program; `coopmat-compare` measures over the same
//! shaders.

pub mod check;
pub mod differ;
pub mod divergences;
pub mod files;
pub mod glslang;
pub mod llama;
pub mod mutants;
pub mod ncnn;
pub mod rows;
pub mod shaders;
pub mod tools;
