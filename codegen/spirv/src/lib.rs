//! SPIR-V modules as such, on top of rspirv's [`dr::Module`].
//!
//! Codegen emits these modules, the preview prints them, the simulator loads them. Everything that is true of a module
//! whoever made it lives here: what rspirv's tables lack ([`grammar`]), instructions by number ([`inst`], [`opcode`]),
//! words in both directions ([`assemble`], [`load`]), text in both directions ([`text`], [`assembly`]), what instructions mean ([`docs`]), what a module says of its source
//! ([`debug`]), what is changed with
//! every instruction's origin kept ([`tracked`]), numbers of every format ([`scalar`]), constants and operations on them
//! ([`constants`]), specialization values ([`specialize`](mod@specialize)), what a module asks of a Vulkan device ([`vulkan`]), and how
//! large it may be ([`limits`]).
//!
//! The order of a module's instructions is the order in which [`assemble`] writes them, which is that of
//! [`dr::Module::all_inst_iter`]; "the index of an instruction" always means its place in that order.

// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(missing_docs)]

pub mod assembly;
pub mod constants;
pub mod debug;
pub mod docs;
pub mod evaluate;
pub mod extended;
pub mod grammar;
mod instruction;
pub mod limits;
mod operand;
mod read;
pub mod reduce;
pub mod scalar;
pub mod specialize;
pub mod text;
pub mod tracked;
pub mod vulkan;
mod write;

pub use grammar::{Capability, Decoration, FPEncoding, Opcode, declared};
pub use instruction::{calls_functions, class, inst, is_volatile, name, opcode, opcode_number, raw};
pub use read::{LoadError, MAXIMUM_BOUND, load, load_bytes};
pub use rspirv::grammar::OperandKind;
pub use rspirv::{dr, spirv};
pub use specialize::{
    SpecializationConstant, SpecializeError, Specialized, Values, specialization_constants, specialize,
};
pub use write::{AssembleError, assemble, instruction_words, to_bytes};
