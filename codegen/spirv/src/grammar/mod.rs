//! The grammar of SPIR-V as this product knows it: rspirv's tables, and one overlay of ours for what rspirv 0.13 lacks and for what
//! no grammar says.
//!
//! - Every instruction has an [`Opcode`], whoever declares it, and stands once in the table of `instructions.rs`, in the [`Family`] whose
//!   [`Facts`] are its own. [`crate::inst`] makes one, [`crate::opcode`] tells which one it is.
//! - [`Capability`], [`Decoration`] and [`FPEncoding`] are rspirv's enumerants and the newer ones under one type.
//! - An enumerant that rspirv's enums cannot hold is the operand `LiteralBit32`; its position in the instruction says which
//!   kind it is of, and [`known`] its name and parameters.
//! - A bit that rspirv's masks do not name is kept in the mask (`from_bits_retain`), as [`DECODE_VECTOR_FUNC`].
//!
//! `cargo xtask grammar` holds all of it but the facts against Khronos' machine-readable grammar; [`DIFFERENCES`] says where it differs
//! on purpose.

mod capability;
mod decoration;
mod differences;
mod enumeration;
mod facts;
mod fp_encoding;
mod instructions;
mod lookups;
mod opcode;
mod overlay;

pub use capability::{Capability, declared};
pub use decoration::Decoration;
pub use differences::DIFFERENCES;
pub use facts::{Effect, Facts, Together, Uniform};
pub use fp_encoding::FPEncoding;
pub(crate) use instructions::NEWER;
pub use instructions::{Family, Opcode};
pub use lookups::{Known, known, masks, values};
pub(crate) use overlay::{CORRECTED, DEBUG_INFO, MORE_CAPABILITIES, enumerant, enumerant_named};
pub use overlay::{DECODE_VECTOR_FUNC, OTHER_NAMES};
pub use rspirv::grammar::{LogicalOperand, OperandQuantifier};

#[cfg(test)]
mod tests;
