//! Semantic analysis of GLSL compute shaders that use cooperative matrices. Pure: no I/O, no clock, no threads.

pub mod config;
pub mod diagnostics;
pub mod sources;
pub mod text;
