//! Operands by kind: an enumerant or a mask from its word, and what follows it.
//!
//! Both the reader and the printer walk an instruction by its grammar; the walk lives here so that they agree.

use std::fmt::Write;

use rspirv::binary::Disassemble;
use rspirv::dr::{Instruction, Operand};
use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv;

use crate::grammar;

/// How the grammar treats a kind of operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Category {
    /// One of several named values.
    Value,
    /// Named bits.
    Mask,
    /// Ids, literals and pairs of them.
    Other,
}

macro_rules! kinds {
    (values { $($value:ident)* } masks { $($mask:ident)* }) => {
        pub(crate) fn category(kind: OperandKind) -> Category {
            match kind {
                $(OperandKind::$value => Category::Value,)*
                $(OperandKind::$mask => Category::Mask,)*
                OperandKind::IdResultType
                | OperandKind::IdResult
                | OperandKind::IdMemorySemantics
                | OperandKind::IdScope
                | OperandKind::IdRef
                | OperandKind::LiteralInteger
                | OperandKind::LiteralString
                | OperandKind::LiteralFloat
                | OperandKind::LiteralContextDependentNumber
                | OperandKind::LiteralExtInstInteger
                | OperandKind::LiteralSpecConstantOpInteger
                | OperandKind::PairLiteralIntegerIdRef
                | OperandKind::PairIdRefLiteralInteger
                | OperandKind::PairIdRefIdRef
                | OperandKind::Debuginfo(_)
                | OperandKind::NonsemanticClspvreflection(_)
                | OperandKind::NonsemanticShaderDebuginfo100(_)
                | OperandKind::OpenclDebuginfo100(_) => Category::Other,
            }
        }

        /// Kinds of several named values.
        pub(crate) const VALUES: &[OperandKind] = &[$(OperandKind::$value),*];

        /// Kinds of named bits.
        pub(crate) const MASKS: &[OperandKind] = &[$(OperandKind::$mask),*];

        /// The operand of an enumerant or a mask; a value that rspirv does not know is `LiteralBit32`. Nothing for kinds that
        /// are neither.
        pub(crate) fn enumerant(kind: OperandKind, word: u32) -> Option<Operand> {
            match kind {
                $(OperandKind::$value => {
                    Some(spirv::$value::from_u32(word).map_or(Operand::LiteralBit32(word), Operand::$value))
                })*
                $(OperandKind::$mask => Some(Operand::$mask(spirv::$mask::from_bits_retain(word))),)*
                _ => None,
            }
        }

        /// The bits of a mask; nothing for other operands.
        pub(crate) fn mask_bits(operand: &Operand) -> Option<(OperandKind, u32)> {
            match operand {
                $(Operand::$mask(value) => Some((OperandKind::$mask, value.bits())),)*
                _ => None,
            }
        }

        /// The bits that rspirv names in masks of this kind.
        fn known_bits(kind: OperandKind) -> u32 {
            match kind {
                $(OperandKind::$mask => spirv::$mask::all().bits(),)*
                _ => 0,
            }
        }

        /// Appends the name of an operand that is one of several named values; false for other operands.
        pub(crate) fn write_value(operand: &Operand, out: &mut String) -> bool {
            let start = out.len();
            match operand {
                $(Operand::$value(value) => {
                    let _ = write!(out, "{value:?}");
                })*
                _ => return false,
            }
            if let Operand::Dim(_) = operand {
                // rspirv's names cannot start with a digit.
                out.replace_range(start..start + "Dim".len(), "");
            }
            true
        }

        /// The number of a value that rspirv has under this name.
        fn value_named(kind: OperandKind, name: &str) -> Option<u32> {
            match kind {
                $(OperandKind::$value => name.parse::<spirv::$value>().ok().map(|value| value as u32),)*
                _ => None,
            }
        }

        /// Appends the names of one bit of a mask.
        fn write_bit(kind: OperandKind, bit: u32, out: &mut String) {
            match kind {
                $(OperandKind::$mask => out.push_str(&spirv::$mask::from_bits_retain(bit).disassemble()),)*
                _ => {}
            }
        }
    };
}

kinds! {
    values {
        SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass Dim SamplerAddressingMode
        SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType FPRoundingMode FPDenormMode QuantizationModes
        FPOperationMode OverflowModes LinkageType AccessQualifier HostAccessQualifier FunctionParameterAttribute Decoration
        BuiltIn Scope GroupOperation KernelEnqueueFlags Capability RayQueryIntersection RayQueryCommittedIntersectionType
        RayQueryCandidateIntersectionType PackedVectorFormat CooperativeMatrixLayout CooperativeMatrixUse TensorClampMode
        InitializationModeQualifier LoadCacheControl StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding
        CooperativeVectorMatrixLayout ComponentType
    }
    masks {
        ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl MemorySemantics MemoryAccess
        KernelProfilingInfo RayFlags FragmentShadingRate RawAccessChainOperands CooperativeMatrixOperands
        CooperativeMatrixReduce TensorAddressingOperands TensorOperands MatrixMultiplyAccumulateOperands
    }
}

/// The number of an enumerant, or the bit of a mask, under the name that assembly text has for it. Names of extensions that have been
/// promoted are taken as well: the one without the vendor's letters is meant, or with those of another vendor.
pub(crate) fn named(kind: OperandKind, name: &str) -> Option<u32> {
    let exact =
        grammar::enumerant_named(kind, name).map(|entry| entry.value).or_else(|| match category(kind) {
            // rspirv's names cannot start with a digit.
            Category::Value if kind == OperandKind::Dim => value_named(kind, &format!("Dim{name}")),
            Category::Value => value_named(kind, name),
            Category::Mask if is_empty_mask(name) => Some(0),
            Category::Mask => (0..32).map(|shift| 1 << shift).find(|&bit| bit_name(kind, bit) == name),
            Category::Other => None,
        });
    exact.or_else(|| promoted(kind, name))
}

/// The names of an enumerant's vendors, which change when it is promoted.
const VENDORS: [&str; 6] = ["KHR", "EXT", "NV", "INTEL", "ALTERA", ""];

fn promoted(kind: OperandKind, name: &str) -> Option<u32> {
    let stem =
        VENDORS.iter().filter(|vendor| !vendor.is_empty()).find_map(|vendor| name.strip_suffix(vendor))?;
    VENDORS.iter().map(|vendor| format!("{stem}{vendor}")).filter(|other| other != name).find_map(|other| {
        match category(kind) {
            Category::Value => value_named(kind, &other),
            Category::Mask => (0..32).map(|shift| 1 << shift).find(|&bit| bit_name(kind, bit) == other),
            Category::Other => None,
        }
    })
}

/// The name of a mask without bits.
fn is_empty_mask(name: &str) -> bool {
    matches!(name, "None" | "Relaxed" | "NoneKHR" | "NoneARM")
}

/// The name of a bit; empty where nobody has given it one.
fn bit_name(kind: OperandKind, bit: u32) -> String {
    let mut name = String::new();
    if known_bits(kind) & bit != 0 {
        write_bit(kind, bit, &mut name);
    }
    name
}

/// What follows an enumerant or a mask.
pub(crate) struct Parameters {
    pub kinds: Vec<LogicalOperand>,
    /// False where a value or a bit is one that nobody knows: what follows is then anybody's guess.
    pub complete: bool,
}

/// The parameters of an operand that stands where `kind` is expected.
pub(crate) fn parameters(kind: OperandKind, operand: &Operand) -> Parameters {
    match category(kind) {
        Category::Other => Parameters { kinds: Vec::new(), complete: true },
        Category::Value => match operand {
            Operand::LiteralBit32(value) => match grammar::enumerant(kind, *value) {
                Some(entry) => Parameters { kinds: entry.parameters.to_vec(), complete: true },
                None => Parameters { kinds: Vec::new(), complete: false },
            },
            _ => Parameters { kinds: operand.additional_operands(), complete: true },
        },
        Category::Mask => {
            let bits = mask_bits(operand).map_or(0, |(_, bits)| bits);
            mask_parameters(kind, bits)
        }
    }
}

/// The parameters of a mask's bits come in the order of the bits, lowest first (SPIR-V 2.2, "Mask"); rspirv's own list is in
/// another order.
fn mask_parameters(kind: OperandKind, bits: u32) -> Parameters {
    let known = known_bits(kind);
    let mut found = Parameters { kinds: Vec::new(), complete: true };
    let with_parameters = matches!(
        kind,
        OperandKind::ImageOperands
            | OperandKind::LoopControl
            | OperandKind::MemoryAccess
            | OperandKind::TensorAddressingOperands
            | OperandKind::TensorOperands
    );
    for bit in (0..32).map(|shift| 1 << shift).filter(|bit| bits & bit != 0) {
        if let Some(entry) = grammar::enumerant(kind, bit) {
            found.kinds.extend_from_slice(entry.parameters);
        } else if known & bit == 0 {
            found.complete = false;
        } else if with_parameters {
            found
                .kinds
                .extend(enumerant(kind, bit).map(|single| single.additional_operands()).unwrap_or_default());
        }
    }
    found
}

/// Appends the names of a mask's bits; false for other operands, and for masks that the syntax cannot write.
pub(crate) fn write_mask(operand: &Operand, out: &mut String) -> bool {
    let Some((kind, bits)) = mask_bits(operand) else { return false };
    if bits == 0 {
        let name = match kind {
            OperandKind::MemorySemantics => "Relaxed",
            OperandKind::RayFlags | OperandKind::CooperativeMatrixOperands => "NoneKHR",
            OperandKind::TensorOperands => "NoneARM",
            OperandKind::FragmentShadingRate | OperandKind::CooperativeMatrixReduce => return false,
            _ => "None",
        };
        out.push_str(name);
        return true;
    }
    let known = known_bits(kind);
    let name_of = |bit| grammar::enumerant(kind, bit).map(|entry| entry.name);
    let each = || (0..32).map(|shift| 1 << shift).filter(|bit| bits & bit != 0);
    if each().any(|bit| known & bit == 0 && name_of(bit).is_none()) {
        return false;
    }
    for (place, bit) in each().enumerate() {
        if place > 0 {
            out.push('|');
        }
        match name_of(bit) {
            Some(name) => out.push_str(name),
            None => write_bit(kind, bit, out),
        }
    }
    true
}

/// Shows each operand together with the kind that the grammar expects in its place; nothing where the grammar has no place
/// for it, as it is newer or comes after a value that nobody knows. The parts of pairs have the pair's kind where they are
/// the literal, and `IdRef` where they are the id.
pub(crate) fn each_operand<'a>(
    instruction: &'a Instruction,
    mut see: impl FnMut(&'a Operand, Option<OperandKind>),
) {
    let is_result = |kind| matches!(kind, OperandKind::IdResultType | OperandKind::IdResult);
    // What is expected, the next one last.
    let mut expected: Vec<LogicalOperand> = Vec::with_capacity(instruction.class.operands.len() + 4);
    expected
        .extend(instruction.class.operands.iter().rev().filter(|logical| !is_result(logical.kind)).cloned());
    let mut pending: Option<OperandKind> = None;
    for operand in &instruction.operands {
        if let Some(kind) = pending.take() {
            see(operand, Some(kind));
            continue;
        }
        let Some(logical) = expected.pop() else {
            see(operand, None);
            continue;
        };
        let kind = logical.kind;
        if logical.quantifier == OperandQuantifier::ZeroOrMore {
            expected.push(logical);
        }
        match kind {
            OperandKind::PairIdRefIdRef => {
                pending = Some(OperandKind::IdRef);
                see(operand, Some(OperandKind::IdRef));
            }
            OperandKind::PairIdRefLiteralInteger => {
                pending = Some(OperandKind::LiteralInteger);
                see(operand, Some(OperandKind::IdRef));
            }
            OperandKind::PairLiteralIntegerIdRef => {
                pending = Some(OperandKind::IdRef);
                see(operand, Some(kind));
            }
            OperandKind::LiteralSpecConstantOpInteger => {
                let number = match operand {
                    Operand::LiteralSpecConstantOpInteger(op) => Some(*op as u16),
                    Operand::LiteralBit32(number) => u16::try_from(*number).ok(),
                    _ => None,
                };
                expected.clear();
                if let Some(class) = number.and_then(crate::class) {
                    expected.extend(
                        class.operands.iter().rev().filter(|logical| !is_result(logical.kind)).cloned(),
                    );
                }
                see(operand, Some(kind));
            }
            _ => {
                let found = parameters(kind, operand);
                if !found.complete {
                    expected.clear();
                }
                expected.extend(found.kinds.into_iter().rev());
                see(operand, Some(kind));
            }
        }
    }
}

/// One operand in the grammar, which appears once.
pub(crate) const fn once(kind: OperandKind) -> LogicalOperand {
    LogicalOperand { kind, quantifier: OperandQuantifier::One }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_masks_come_in_the_order_of_the_bits() {
        let access = spirv::MemoryAccess::MAKE_POINTER_VISIBLE
            | spirv::MemoryAccess::ALIGNED
            | spirv::MemoryAccess::NON_PRIVATE_POINTER;
        let found = parameters(OperandKind::MemoryAccess, &Operand::MemoryAccess(access));
        assert_eq!(found.kinds, [once(OperandKind::LiteralInteger), once(OperandKind::IdScope)]);
        assert!(found.complete);

        let addressing = spirv::TensorAddressingOperands::DECODE_FUNC | grammar::DECODE_VECTOR_FUNC;
        let found =
            parameters(OperandKind::TensorAddressingOperands, &Operand::TensorAddressingOperands(addressing));
        assert_eq!(found.kinds, [once(OperandKind::IdRef), once(OperandKind::IdRef)]);
    }

    #[test]
    fn bits_and_values_that_nobody_knows_are_told() {
        let mask = enumerant(OperandKind::TensorAddressingOperands, 0x80).unwrap();
        assert!(!parameters(OperandKind::TensorAddressingOperands, &mask).complete);
        let capability = enumerant(OperandKind::Capability, 60000).unwrap();
        assert_eq!(capability, Operand::LiteralBit32(60000));
        assert!(!parameters(OperandKind::Capability, &capability).complete);
    }
}
