//! Shaders with cooperative matrices, compiled from GLSL and run, beside what they should compute: every element worked out on its
//! own, in `f64` or in integers, from the same inputs.
//!
//! Each test runs under every subgroup size and every ownership that it can, because no result may depend on them.

mod decoding;
mod elements;
mod headroom;
mod khr;
mod maintenance;
mod multiply;
mod nv2;
mod observed;
mod qcom;
mod support;
mod tensors;
