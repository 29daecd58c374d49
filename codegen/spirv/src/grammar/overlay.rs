//! What rspirv lacks beside whole instructions, or has in another form: operands, names, capabilities, values and bits.

use rspirv::grammar::{Instruction, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{self, TensorAddressingOperands};

use super::enumeration::{Enumerant, parameters};
use super::{Capability, Decoration, FPEncoding, Opcode};

/// The bit `DecodeVectorFunc` of SPV_NV_cooperative_matrix_decode_vector; its parameter is the function's id, after those of
/// the other bits.
pub const DECODE_VECTOR_FUNC: TensorAddressingOperands = TensorAddressingOperands::from_bits_retain(4);

macro_rules! corrected {
    ($($name:ident [$($capability:ident)*] [$($extension:literal)*] of [$(($kind:ident $quantifier:ident))*],)*) => {
        /// Instructions whose operands rspirv has wrong, or in an older form.
        pub(crate) static CORRECTED: &[Instruction<'static>] = &[$(Instruction {
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
pub(crate) static MORE_CAPABILITIES: &[(Opcode, Capability)] =
    &[(Opcode::CooperativeMatrixConvertNV, Capability::CooperativeMatrixConversionsEXT)];

/// Instructions of `NonSemantic.Shader.DebugInfo` that its version 100, rspirv's newest, lacks.
pub(crate) static DEBUG_INFO: &[(u32, &str)] =
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
pub(super) fn newer_enumerants() -> impl Iterator<Item = &'static Enumerant> {
    ENUMERANTS.iter().chain(Capability::NEWER).chain(Decoration::NEWER).chain(FPEncoding::NEWER)
}

/// What is known about an enumerant that rspirv lacks.
pub(crate) fn enumerant(kind: OperandKind, value: u32) -> Option<&'static Enumerant> {
    newer_enumerants().find(|entry| entry.kind == kind && entry.value == value)
}

/// What is known about an enumerant that rspirv lacks, by its name in assembly text.
pub(crate) fn enumerant_named(kind: OperandKind, name: &str) -> Option<&'static Enumerant> {
    newer_enumerants().find(|entry| entry.kind == kind && entry.name == name)
}
