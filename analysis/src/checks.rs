//! What is judged once bodies are lowered.
//!
//! `flow` looks at one body, `uniformity` follows values through the whole shader, `callbacks` looks at functions that are handed to
//! built-ins, `target_device` asks what the device of the configuration has.

pub mod callbacks;
pub mod flow;
pub mod target_device;
pub mod uniformity;
