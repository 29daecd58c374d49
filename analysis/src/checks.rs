//! What is judged once bodies are lowered, and kept for bodies that an edit leaves alone.
//!
//! A check sees finished HIR, through a `Context` or a whole `Module`, and gives back findings; it changes nothing and
//! lowering knows of none. `flow` looks at one body, `uniformity` follows values through the whole shader, `sharing` what
//! invocations hand each other in shared memory, `callbacks` looks at functions that built-ins call, `global_tensors` at layouts
//! outside of functions, `target_device` asks what the device of the configuration has; `barrier` says what a barrier waits for. `Findings::of` runs them all. `like` says what another compiler
//! refuses; that is asked for by itself, since it says nothing about validity.

mod barrier;
mod callbacks;
mod context;
mod findings;
mod flow;
mod global_tensors;
pub(crate) mod like;
mod sharing;
pub mod target_device;
mod uniformity;
mod walk;

pub use callbacks::is_tangled;
pub use context::Found;
pub(crate) use findings::Findings;
pub(crate) use sharing::CODES as LATE_CODES;
pub use uniformity::{SameResult, same_result};
