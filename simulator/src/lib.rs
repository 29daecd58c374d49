//! Runs SPIR-V compute shaders on the CPU: subgroups in lockstep, cooperative matrices as dense objects, every result the same on
//! every host.
//!
//! A [`Program`] is a module lowered once. An [`Execution`] runs one dispatch of it over [`Resources`], a slice of steps at a time.
//! Nothing here reads a clock, does I/O, or spawns a thread: a host that wants threads passes a [`Pool`].
//!
//! | module | does |
//! |---|---|
//! | `program` | a module to a program: types, constants, interface, functions, blocks, instructions |
//! | `machine` | executions, workgroups, subgroups, frames, registers; scheduling and barriers |
//! | `memory` | buffers, shared memory, virtual addresses, typed access |
//! | `code` | instructions as a program keeps them, one file per family |
//! | `instructions` | one file per family: what becomes of a module's instruction, and what that does to registers and memory |
//! | `compile` | programs as WebAssembly: the second tier |
//! | `formats` | formats of texels as bytes |
//! | `numerics` | number formats, rounding, multiply-add |
//! | `matrix` | cooperative matrices |
//! | `vector_layout` | how matrices that cooperative vectors are multiplied by lie in memory |
//! | `ownership` | which invocation owns which element, as data |
//! | `checks` | findings of checked mode |
//! | `debugger` | breakpoints, steps forwards and backwards, values of variables |
//! | `profile` | passes of shared memory, sectors of buffers, how often instructions ran |
//! | `observer` | what tracing, profiling and debugging see |

// What hosts use says what it is: shapes, units, ranges, errors, and the section that it comes from.
#![deny(missing_docs)]
// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod checks;
mod code;
mod compile;
mod counts;
pub mod debugger;
mod error;
pub mod formats;
mod instructions;
mod machine;
pub mod matrix;
mod memory;
pub mod numerics;
pub mod observer;
pub mod ownership;
pub mod profile;
pub mod program;
mod settings;
mod vector_layout;

pub use checks::{AdvertisedShape, Dependence, Finding, FindingKind, SecondRun, WrittenBytes};
pub use compile::{Compiled, CompiledDispatch, CompiledRun, Next, Refusal, Results};
pub use counts::{Class, Counts, InstructionCounts};
pub use error::{ProgramError, RunError, RunErrorKind};
pub use machine::{Execution, Invocation, Pool, Progress};
pub use memory::{
    AddressMode, Border, BufferId, Channel, DESCRIPTOR_SIZE, Filter, Heap, Image, ImageId, Resources, Sampler,
};
pub use observer::Observer;
pub use program::{Binding, BindingKind, Interface, Program, ProgramOptions, SpecializationConstant};
pub use settings::{DecodeChoice, Settings};
pub use vector_layout::CooperativeVectorMatrixLayout;
