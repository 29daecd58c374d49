//! What rspirv 0.13 lacks and real modules need, in one place that is easy to drop when rspirv has it.
//!
//! - An instruction of [`Op`] is an ordinary `dr::Instruction` whose class is one of [`CLASSES`]; make it with
//!   [`crate::inst`], ask for its number with [`crate::opcode`].
//! - An enumerant that rspirv's enums cannot hold is the operand `LiteralBit32`; its position in the instruction says which
//!   kind it is of, and [`ENUMERANTS`] its name and parameters.
//! - A bit that rspirv's masks do not name is kept in the mask (`from_bits_retain`), as [`DECODE_VECTOR_FUNC`].

use rspirv::grammar::{Instruction, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{self, TensorAddressingOperands};

mod capability;
mod decoration;
mod enumeration;
mod fp_encoding;

pub use capability::{Capability, declared};
pub use decoration::Decoration;
pub use fp_encoding::FPEncoding;

use enumeration::parameters;

/// The bit `DecodeVectorFunc` of SPV_NV_cooperative_matrix_decode_vector; its parameter is the function's id, after those of
/// the other bits.
pub const DECODE_VECTOR_FUNC: TensorAddressingOperands = TensorAddressingOperands::from_bits_retain(4);

macro_rules! instructions {
    ($($name:ident = $number:literal [$(($kind:ident, $quantifier:ident)),*],)*) => {
        /// Opcodes that rspirv lacks.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        #[allow(clippy::upper_case_acronyms)]
        pub enum Op {
            $($name = $number,)*
        }

        /// The classes of the opcodes that rspirv lacks. Their own `opcode` is a placeholder.
        pub static CLASSES: &[(Op, Instruction<'static>)] = &[
            $((Op::$name, Instruction {
                opname: stringify!($name),
                opcode: spirv::Op::Nop,
                capabilities: &[],
                extensions: &[],
                operands: &[$(LogicalOperand {
                    kind: OperandKind::$kind,
                    quantifier: OperandQuantifier::$quantifier,
                }),*],
            }),)*
        ];
    };
}

instructions! {
    BitcastExtractEXT = 4195 [(IdResultType, One), (IdResult, One), (IdRef, One), (IdRef, One)],
    ImageGatherQCOM = 4545 [(IdResultType, One), (IdResult, One), (IdRef, One), (IdRef, One), (IdRef, One), (IdRef, One), (ImageOperands, ZeroOrOne)],
    AbortKHR = 5121 [(IdRef, One), (IdRef, One)],
    ConstantDataKHR = 5147 [(IdResultType, One), (IdResult, One), (LiteralInteger, ZeroOrMore)],
    SpecConstantDataKHR = 5148 [(IdResultType, One), (IdResult, One), (LiteralInteger, ZeroOrMore)],
    PoisonKHR = 5158 [(IdResultType, One), (IdResult, One)],
    FreezeKHR = 5159 [(IdResultType, One), (IdResult, One), (IdRef, One)],
    CooperativeMatrixGetCoordinateEXT = 5363 [(IdResultType, One), (IdResult, One), (IdRef, One), (IdRef, One)],
    PredicatedLoadINTEL = 6258 [(IdResultType, One), (IdResult, One), (IdRef, One), (IdRef, One), (IdRef, One), (MemoryAccess, ZeroOrOne)],
    PredicatedStoreINTEL = 6259 [(IdRef, One), (IdRef, One), (IdRef, One), (MemoryAccess, ZeroOrOne)],
    FDot2MixAcc32VALVE = 6916 [(IdResultType, One), (IdResult, One), (IdRef, One), (IdRef, One), (IdRef, One)],
    FDot2MixAcc16VALVE = 6917 [(IdResultType, One), (IdResult, One), (IdRef, One), (IdRef, One), (IdRef, One)],
    FDot4MixAcc32VALVE = 6918 [(IdResultType, One), (IdResult, One), (IdRef, One), (IdRef, One), (IdRef, One)],
}

/// Instructions that rspirv knows in an older form, with fewer operands.
pub static NEWER_CLASSES: &[Instruction<'static>] = &[Instruction {
    opname: "HitObjectRecordFromQueryEXT",
    opcode: spirv::Op::HitObjectRecordFromQueryEXT,
    capabilities: &[spirv::Capability::ShaderInvocationReorderEXT],
    extensions: &["SPV_EXT_shader_invocation_reorder"],
    operands: &[
        LogicalOperand { kind: OperandKind::IdRef, quantifier: OperandQuantifier::One },
        LogicalOperand { kind: OperandKind::IdRef, quantifier: OperandQuantifier::One },
        LogicalOperand { kind: OperandKind::IdRef, quantifier: OperandQuantifier::One },
        LogicalOperand { kind: OperandKind::IdRef, quantifier: OperandQuantifier::One },
        LogicalOperand { kind: OperandKind::IdRef, quantifier: OperandQuantifier::ZeroOrOne },
    ],
}];

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
mod tests {
    use super::*;

    /// When this fails, rspirv has learned something: drop it here.
    #[test]
    fn rspirv_still_lacks_what_is_listed() {
        for (op, class) in CLASSES {
            assert!(spirv::Op::from_u32(*op as u32).is_none(), "{}", class.opname);
        }
        for entry in newer_enumerants() {
            let known = match entry.kind {
                OperandKind::Capability => spirv::Capability::from_u32(entry.value).is_some(),
                OperandKind::Decoration => spirv::Decoration::from_u32(entry.value).is_some(),
                OperandKind::ExecutionMode => spirv::ExecutionMode::from_u32(entry.value).is_some(),
                OperandKind::FPEncoding => spirv::FPEncoding::from_u32(entry.value).is_some(),
                OperandKind::SourceLanguage => spirv::SourceLanguage::from_u32(entry.value).is_some(),
                OperandKind::LinkageType => spirv::LinkageType::from_u32(entry.value).is_some(),
                OperandKind::LoopControl => spirv::LoopControl::from_bits(entry.value).is_some(),
                OperandKind::TensorAddressingOperands => {
                    TensorAddressingOperands::from_bits(entry.value).is_some()
                }
                other => panic!("say how to ask rspirv about {other:?}"),
            };
            assert!(!known, "{}", entry.name);
        }
    }
}
