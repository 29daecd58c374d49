//! The grammar of SPIR-V as this product knows it: rspirv's tables, and one overlay of ours for what rspirv 0.13 lacks and for what
//! no grammar says.
//!
//! - Every instruction has an [`Opcode`], whoever declares it, and stands once in the table of `instructions.rs`, in the [`Family`] whose
//!   [`Facts`] are its own. [`crate::inst`] makes one, [`crate::opcode`] tells which one it is.
//! - [`Capability`], [`Decoration`] and [`FPEncoding`] are rspirv's enumerants and the newer ones under one type.
//! - An enumerant that rspirv's enums cannot hold is the operand `LiteralBit32`; its position in the instruction says which
//!   kind it is of, and [`enumerant`] its name and parameters.
//! - A bit that rspirv's masks do not name is kept in the mask (`from_bits_retain`), as [`DECODE_VECTOR_FUNC`].
//!
//! `cargo xtask grammar` holds all of it but the facts against Khronos' machine-readable grammar; [`DIFFERENCES`] says where it differs
//! on purpose.

use rspirv::grammar::{Instruction, OperandKind};
pub use rspirv::grammar::{LogicalOperand, OperandQuantifier};
use rspirv::spirv::{self, TensorAddressingOperands};

mod capability;
mod decoration;
mod differences;
mod enumeration;
mod facts;
mod fp_encoding;
mod instructions;
mod lookups;
mod opcode;

pub use capability::{Capability, declared};
pub use decoration::Decoration;
pub use differences::DIFFERENCES;
pub use facts::{Effect, Facts, Together, Uniform};
pub use fp_encoding::FPEncoding;
pub use instructions::{Family, NEWER, Opcode};
pub use lookups::{Known, known, masks, values};

use enumeration::parameters;

/// The bit `DecodeVectorFunc` of SPV_NV_cooperative_matrix_decode_vector; its parameter is the function's id, after those of
/// the other bits.
pub const DECODE_VECTOR_FUNC: TensorAddressingOperands = TensorAddressingOperands::from_bits_retain(4);

/// An instruction that rspirv lacks.
pub struct Newer {
    pub opcode: Opcode,
    /// The capabilities of which it needs one.
    pub capabilities: &'static [Capability],
    /// Its operands. Its own `opcode` is a placeholder, as rspirv's type has no room for the number.
    pub class: Instruction<'static>,
}

macro_rules! corrected {
    ($($name:ident [$($capability:ident)*] [$($extension:literal)*] of [$(($kind:ident $quantifier:ident))*],)*) => {
        /// Instructions whose operands rspirv has wrong, or in an older form.
        pub static CORRECTED: &[Instruction<'static>] = &[$(Instruction {
            opname: stringify!($name),
            opcode: spirv::Op::$name,
            capabilities: &[$(spirv::Capability::$capability),*],
            extensions: &[$($extension),*],
            operands: &[$(LogicalOperand {
                kind: OperandKind::$kind,
                quantifier: OperandQuantifier::$quantifier,
            }),*],
        },)*];
    };
}

corrected! {
    CompositeConstructContinuedINTEL [LongCompositesINTEL] [] of [(IdRef ZeroOrMore)],
    HitObjectRecordFromQueryEXT [ShaderInvocationReorderEXT] []
        of [(IdRef One) (IdRef One) (IdRef One) (IdRef One) (IdRef ZeroOrOne)],
    ReadPipeBlockingALTERA [BlockingPipesALTERA] []
        of [(IdRef One) (IdRef One) (IdRef One) (IdRef One)],
    WritePipeBlockingALTERA [BlockingPipesALTERA] []
        of [(IdRef One) (IdRef One) (IdRef One) (IdRef One)],
}

/// Capabilities that allow an instruction beside those that rspirv lists.
pub static MORE_CAPABILITIES: &[(Opcode, Capability)] =
    &[(Opcode::CooperativeMatrixConvertNV, Capability::CooperativeMatrixConversionsEXT)];

/// Instructions of `NonSemantic.Shader.DebugInfo` that its version 100, rspirv's newest, lacks.
pub static DEBUG_INFO: &[(u32, &str)] =
    &[(109, "DebugTypeVectorIdEXT"), (110, "DebugTypeCooperativeMatrixKHR")];

/// Other names of instructions, and what rspirv calls them: names of extensions that were promoted, or have not been yet.
pub static OTHER_NAMES: &[(&str, &str)] = &[
    ("ControlBarrierArriveEXT", "ControlBarrierArriveINTEL"),
    ("ControlBarrierWaitEXT", "ControlBarrierWaitINTEL"),
    ("CooperativeMatrixConvertUseEXT", "CooperativeMatrixConvertNV"),
    ("CooperativeMatrixPerElementOpEXT", "CooperativeMatrixPerElementOpNV"),
    ("CooperativeMatrixReduceEXT", "CooperativeMatrixReduceNV"),
    ("GroupNonUniformPartitionNV", "GroupNonUniformPartitionEXT"),
];

/// An enumerant that rspirv lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Enumerant {
    /// The kind of operand in whose place it stands.
    pub kind: OperandKind,
    pub value: u32,
    /// Its name in assembly text.
    pub name: &'static str,
    /// What follows it.
    pub parameters: &'static [LogicalOperand],
}

macro_rules! enumerants {
    (
        masks { $($mask:ident $bit:ident = $bit_value:literal $(($bit_parameter:ident))?,)* }
        $($kind:ident { $($name:ident = $value:literal $(($parameter:ident))?,)* })*
    ) => {
        /// Enumerants of these kinds that rspirv lacks.
        static ENUMERANTS: &[Enumerant] = &[
            $(Enumerant {
                kind: OperandKind::$mask,
                value: $bit_value,
                name: stringify!($bit),
                parameters: parameters!($($bit_parameter)?),
            },)*
            $($(Enumerant {
                kind: OperandKind::$kind,
                value: $value,
                name: stringify!($name),
                parameters: parameters!($($parameter)?),
            },)*)*
        ];
    };
}

enumerants! {
    masks {
        LoopControl MultipleWaitQueuesQCOM = 268435456 (LiteralInteger),
        TensorAddressingOperands DecodeVectorFunc = 4 (IdRef),
    }
    SourceLanguage {
        Pred = 14,
        ApilaJai = 15,
    }
    ExecutionMode {
        ArithmeticPoisonKHR = 5157,
        SubgroupSizeHalfQCOM = 4507,
        SubgroupSizeFullQCOM = 4508,
        OpacityMicromapIdKHR = 6031 (IdRef),
    }
    LinkageType {
        WeakAMD = 3,
    }
}

/// Every enumerant that rspirv lacks.
pub fn newer_enumerants() -> impl Iterator<Item = &'static Enumerant> {
    ENUMERANTS.iter().chain(Capability::NEWER).chain(Decoration::NEWER).chain(FPEncoding::NEWER)
}

/// What is known about an enumerant that rspirv lacks.
pub fn enumerant(kind: OperandKind, value: u32) -> Option<&'static Enumerant> {
    newer_enumerants().find(|entry| entry.kind == kind && entry.value == value)
}

#[cfg(test)]
mod tests;
