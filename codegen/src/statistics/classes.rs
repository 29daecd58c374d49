//! What kind of work an instruction is.

use rspirv::dr::Instruction;
use rspirv::spirv::Op;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// On cooperative matrices: loads, stores, multiply-adds, conversions, lengths.
    Matrix,
    /// Tensor layouts and views, cooperative vectors, tensors of Arm.
    Tensor,
    /// Loads, stores and copies.
    Memory,
    /// Access chains and other computing of pointers.
    Address,
    Arithmetic,
    Conversion,
    /// Comparisons, logic and selection.
    Comparison,
    /// Shifts, masks and bit fields.
    Bits,
    /// Taking apart and putting together.
    Composite,
    Atomic,
    Barrier,
    Subgroup,
    Image,
    /// Of extended sets such as GLSL.std.450.
    Extended,
    Call,
    /// Labels, branches, merges, returns, phis.
    Control,
    Variable,
    /// Lines and other notes for debuggers.
    Debug,
    Other,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Matrix => "matrix",
            Class::Tensor => "tensor",
            Class::Memory => "memory",
            Class::Address => "address",
            Class::Arithmetic => "arithmetic",
            Class::Conversion => "conversion",
            Class::Comparison => "comparison",
            Class::Bits => "bits",
            Class::Composite => "composite",
            Class::Atomic => "atomic",
            Class::Barrier => "barrier",
            Class::Subgroup => "subgroup",
            Class::Image => "image",
            Class::Extended => "extended",
            Class::Call => "call",
            Class::Control => "control",
            Class::Variable => "variable",
            Class::Debug => "debug",
            Class::Other => "other",
        }
    }

    /// The class of an instruction inside a function. The core's numbers are grouped by the sections of the specification.
    pub fn of(instruction: &Instruction) -> Class {
        let name = instruction.class.opname;
        if name.starts_with("CooperativeMatrix") {
            return Class::Matrix;
        }
        if name.contains("Tensor") || name.starts_with("CooperativeVector") {
            return Class::Tensor;
        }
        if name.starts_with("GroupNonUniform") || name.starts_with("Subgroup") || name.starts_with("Group") {
            return Class::Subgroup;
        }
        if name.starts_with("Atomic") {
            return Class::Atomic;
        }
        if name.starts_with("Image") || name.starts_with("SampledImage") {
            return Class::Image;
        }
        if name.starts_with("CopyMemory") {
            return Class::Memory;
        }
        if name.ends_with("AccessChain") || name.starts_with("Ptr") {
            return Class::Address;
        }
        if name.contains("Dot") {
            return Class::Arithmetic;
        }
        match instruction.class.opcode {
            Op::Load | Op::Store => Class::Memory,
            Op::ArrayLength | Op::ConvertPtrToU | Op::ConvertUToPtr => Class::Address,
            Op::Variable | Op::Undef => Class::Variable,
            Op::FunctionCall => Class::Call,
            Op::ControlBarrier | Op::MemoryBarrier => Class::Barrier,
            Op::ExtInst => Class::Extended,
            Op::Line | Op::NoLine => Class::Debug,
            Op::Function | Op::FunctionParameter | Op::FunctionEnd | Op::TerminateInvocation => {
                Class::Control
            }
            op => match op as u32 {
                77..=84 => Class::Composite,
                109..=124 => Class::Conversion,
                126..=152 => Class::Arithmetic,
                154..=191 => Class::Comparison,
                194..=205 => Class::Bits,
                245..=257 => Class::Control,
                _ => Class::Other,
            },
        }
    }
}
