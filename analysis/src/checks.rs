//! What is judged once bodies are lowered, and kept for bodies that an edit leaves alone.
//!
//! A check sees finished HIR, through a [`Context`] or a whole [`Module`], and gives back findings; it changes nothing and
//! lowering knows of none. `flow` looks at one body, `uniformity` follows values through the whole shader, `callbacks` looks at
//! functions that built-ins call, `target_device` asks what the device of the configuration has. [`Findings::of`] runs them all.

pub mod callbacks;
mod context;
mod findings;
pub mod flow;
pub mod target_device;
pub mod uniformity;
pub mod walk;

pub use context::{Context, Found};
pub use findings::Findings;
