//! Values of constants. What depends on specialization constants, or on the sizes of the device's descriptors, has one value under the defaults and one under each of some other
//! choices: two expressions are the same when they agree under all of them, however they are written.

use coopmat_spirv::dr::{Instruction, Operand};
use coopmat_spirv::spirv::{Decoration, Op, Word};

use super::contents::Contents;

/// The defaults, and other choices of all specialization constants.
const CHOICES: u32 = 5;

/// Expressions nest no deeper in any module worth comparing.
const DEPTH: u32 = 200;

#[derive(Clone, PartialEq, Debug)]
enum Value {
    /// Of the width of its type, the bits above are 0.
    Bits(u64),
    Parts(Vec<Value>),
    Other(String),
}

/// What a constant is, in words that are equal for equal values; nothing for an id that is no constant.
pub fn constant(contents: &Contents, id: Word) -> Option<String> {
    let evaluated: Option<Vec<String>> =
        (0..CHOICES).map(|choice| value(contents, id, choice, 0).map(|value| written(&value))).collect();
    let values = evaluated?;
    match values.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => Some(first.clone()),
        _ => Some(format!("specialized[{}]", values.join(" "))),
    }
}

/// Composites of equal parts are written as one of them, as `OpConstantNull` and the replicating instructions have them.
fn written(value: &Value) -> String {
    match value {
        Value::Bits(bits) => bits.to_string(),
        Value::Other(text) => text.clone(),
        Value::Parts(parts) => {
            let parts: Vec<String> = parts.iter().map(written).collect();
            match parts.split_first() {
                Some((first, others)) if others.iter().all(|other| other == first) => first.clone(),
                _ => format!("({})", parts.join(" ")),
            }
        }
    }
}

fn value(contents: &Contents, id: Word, choice: u32, depth: u32) -> Option<Value> {
    let definition = contents.definition(id)?;
    if depth > DEPTH {
        return Some(Value::Other("too deep".to_owned()));
    }
    let part = |id: Word| value(contents, id, choice, depth + 1);
    let ids = || definition.operands.iter().filter_map(Operand::id_ref_any);
    Some(match definition.class.opcode {
        Op::ConstantTrue => Value::Bits(1),
        Op::ConstantFalse => Value::Bits(0),
        Op::ConstantNull => Value::Bits(0),
        Op::Undef => Value::Other("undefined".to_owned()),
        Op::Constant => Value::Bits(literal(definition)),
        Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => {
            let default = match definition.class.opcode {
                Op::SpecConstant => literal(definition),
                Op::SpecConstantTrue => 1,
                _ => 0,
            };
            match contents.decoration(id, Decoration::SpecId) {
                Some(spec_id) if choice > 0 => Value::Bits(chosen(contents, definition, spec_id, choice)),
                _ => Value::Bits(default),
            }
        }
        Op::ConstantComposite
        | Op::SpecConstantComposite
        | Op::ConstantCompositeReplicateEXT
        | Op::SpecConstantCompositeReplicateEXT => Value::Parts(ids().map(part).collect::<Option<_>>()?),
        // Put together, taken apart and renamed where it is needed.
        Op::CompositeConstruct if !definition.operands.is_empty() => {
            Value::Parts(ids().map(part).collect::<Option<_>>()?)
        }
        Op::CompositeExtract => {
            let indices = definition.operands.iter().filter_map(literal_index);
            inside(part(definition.operands.first()?.id_ref_any()?)?, indices)?
        }
        Op::Bitcast if definition.result_type.is_some_and(|ty| integer(contents, ty).is_some()) => {
            part(definition.operands.first()?.id_ref_any()?)?
        }
        Op::ConstantSizeOfEXT => {
            Value::Bits(size(contents, definition.operands.first()?.id_ref_any()?, choice))
        }
        Op::SpecConstantOp => operation(contents, definition, choice, depth)?,
        Op::Load => part(contents.settled(definition.operands.first()?.id_ref_any()?)?)?,
        _ => return None,
    })
}

fn literal(definition: &Instruction) -> u64 {
    match definition.operands.first() {
        Some(&Operand::LiteralBit32(bits)) => u64::from(bits),
        Some(&Operand::LiteralBit64(bits)) => bits,
        _ => 0,
    }
}

/// Some value for a specialization constant: small, so that sizes stay sizes, and different for each.
fn chosen(contents: &Contents, definition: &Instruction, spec_id: u32, choice: u32) -> u64 {
    let mixed =
        (spec_id.wrapping_mul(0x9E37_79B9) ^ choice.wrapping_mul(0x85EB_CA6B)).wrapping_mul(0xC2B2_AE35);
    let number = u64::from(mixed >> 26) + 2;
    match definition.result_type.and_then(|ty| contents.definition(ty)).map(|ty| ty.class.opcode) {
        Some(Op::TypeBool) => number & 1,
        Some(Op::TypeFloat) => u64::from((number as f32).to_bits()),
        _ => number,
    }
}

/// Some size for a kind of descriptor, which the device knows: a power of two, and not the same for each.
fn size(contents: &Contents, ty: Word, choice: u32) -> u64 {
    let kind = super::types::key(contents, ty).bytes().map(u32::from).sum::<u32>();
    8 << (kind.wrapping_add(choice) % 5)
}

/// The width of an integer type, or of a vector's components; a Boolean is one bit wide.
fn integer(contents: &Contents, ty: Word) -> Option<u32> {
    let definition = contents.definition(ty)?;
    match (definition.class.opcode, definition.operands.as_slice()) {
        (Op::TypeBool, _) => Some(1),
        (Op::TypeInt, [Operand::LiteralBit32(width), ..]) => Some(*width),
        (Op::TypeVector, [Operand::IdRef(component), ..]) => integer(contents, *component),
        _ => None,
    }
}

fn narrowed(value: u64, width: u32) -> u64 {
    if width >= 64 { value } else { value & ((1 << width) - 1) }
}

fn sign_extended(value: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    ((value << unused) as i64) >> unused
}

fn operation(contents: &Contents, definition: &Instruction, choice: u32, depth: u32) -> Option<Value> {
    let [Operand::LiteralSpecConstantOpInteger(op), operands @ ..] = definition.operands.as_slice() else {
        return None;
    };
    let ids: Vec<Word> = operands.iter().filter_map(Operand::id_ref_any).collect();
    let values: Option<Vec<Value>> = ids.iter().map(|&id| value(contents, id, choice, depth + 1)).collect();
    let result = definition.result_type?;
    let opaque = || {
        let operands = operands.iter().map(|operand| match operand.id_ref_any() {
            Some(id) => value(contents, id, choice, depth + 1)
                .map_or_else(|| super::types::key(contents, id), |value| written(&value)),
            None => operand.to_string(),
        });
        Value::Other(format!("{op:?}({})", operands.collect::<Vec<_>>().join(" ")))
    };
    let (Some(values), Some(width)) = (values, integer(contents, result)) else {
        return Some(opaque());
    };
    Some(match (op, values.as_slice()) {
        (Op::CompositeExtract, [whole]) => {
            inside(whole.clone(), operands.iter().filter_map(literal_index)).unwrap_or_else(opaque)
        }
        (_, operands) => {
            let first = ids.first().and_then(|&id| contents.type_of(id));
            let from = first.and_then(|ty| integer(contents, ty)).unwrap_or(32);
            componentwise(*op, operands, from, width).unwrap_or_else(opaque)
        }
    })
}

fn literal_index(operand: &Operand) -> Option<usize> {
    match operand {
        Operand::LiteralBit32(number) => Some(*number as usize),
        _ => None,
    }
}

/// A part of a composite, or of the zero that stands for all of it.
fn inside(whole: Value, mut indices: impl Iterator<Item = usize>) -> Option<Value> {
    indices.try_fold(whole, |value, index| match value {
        Value::Parts(parts) => parts.get(index).cloned(),
        zero @ Value::Bits(0) => Some(zero),
        _ => None,
    })
}

/// An operation of scalars, or of vectors component by component.
fn componentwise(op: Op, operands: &[Value], from: u32, width: u32) -> Option<Value> {
    let length = operands.iter().find_map(|operand| match operand {
        Value::Parts(parts) => Some(parts.len()),
        _ => None,
    });
    let Some(length) = length else {
        let bits: Option<Vec<u64>> = operands
            .iter()
            .map(|operand| match operand {
                Value::Bits(bits) => Some(*bits),
                _ => None,
            })
            .collect();
        return scalar(op, &bits?, from).map(|value| Value::Bits(narrowed(value, width)));
    };
    let parts = (0..length).map(|index| {
        let parts: Option<Vec<Value>> = operands
            .iter()
            .map(|operand| match operand {
                Value::Parts(parts) => parts.get(index).cloned(),
                other => Some(other.clone()),
            })
            .collect();
        componentwise(op, &parts?, from, width)
    });
    parts.collect::<Option<Vec<_>>>().map(Value::Parts)
}

/// Division by zero gives 0: what it gives is undefined, and both modules have it.
fn scalar(op: Op, bits: &[u64], width: u32) -> Option<u64> {
    let extended = |value: u64| sign_extended(value, width);
    Some(match (op, bits) {
        (Op::IAdd, [a, b]) => a.wrapping_add(*b),
        (Op::ISub, [a, b]) => a.wrapping_sub(*b),
        (Op::IMul, [a, b]) => a.wrapping_mul(*b),
        (Op::UDiv, [a, b]) => a.checked_div(*b).unwrap_or(0),
        (Op::UMod, [a, b]) => a.checked_rem(*b).unwrap_or(0),
        (Op::SDiv, [a, b]) => extended(*a).checked_div(extended(*b)).unwrap_or(0) as u64,
        (Op::SRem, [a, b]) => extended(*a).checked_rem(extended(*b)).unwrap_or(0) as u64,
        (Op::SMod, [a, b]) => {
            let rest = extended(*a).checked_rem(extended(*b)).unwrap_or(0);
            let other_sign = rest != 0 && (rest < 0) != (extended(*b) < 0);
            (if other_sign { rest + extended(*b) } else { rest }) as u64
        }
        (Op::SNegate, [a]) => a.wrapping_neg(),
        (Op::Not, [a]) => !a,
        (Op::ShiftLeftLogical, [a, b]) => a.checked_shl(*b as u32).unwrap_or(0),
        (Op::ShiftRightLogical, [a, b]) => a.checked_shr(*b as u32).unwrap_or(0),
        (Op::ShiftRightArithmetic, [a, b]) => extended(*a).checked_shr(*b as u32).unwrap_or(0) as u64,
        (Op::BitwiseAnd | Op::LogicalAnd, [a, b]) => a & b,
        (Op::BitwiseOr | Op::LogicalOr, [a, b]) => a | b,
        (Op::BitwiseXor | Op::LogicalNotEqual, [a, b]) => a ^ b,
        (Op::LogicalEqual, [a, b]) => u64::from(a == b),
        (Op::LogicalNot, [a]) => u64::from(*a == 0),
        (Op::Select, [condition, a, b]) => {
            if *condition != 0 {
                *a
            } else {
                *b
            }
        }
        (Op::IEqual, [a, b]) => u64::from(a == b),
        (Op::INotEqual, [a, b]) => u64::from(a != b),
        (Op::ULessThan, [a, b]) => u64::from(a < b),
        (Op::ULessThanEqual, [a, b]) => u64::from(a <= b),
        (Op::UGreaterThan, [a, b]) => u64::from(a > b),
        (Op::UGreaterThanEqual, [a, b]) => u64::from(a >= b),
        (Op::SLessThan, [a, b]) => u64::from(extended(*a) < extended(*b)),
        (Op::SLessThanEqual, [a, b]) => u64::from(extended(*a) <= extended(*b)),
        (Op::SGreaterThan, [a, b]) => u64::from(extended(*a) > extended(*b)),
        (Op::SGreaterThanEqual, [a, b]) => u64::from(extended(*a) >= extended(*b)),
        (Op::UConvert, [a]) => *a,
        (Op::SConvert, [a]) => extended(*a) as u64,
        (Op::Bitcast, [a]) => *a,
        _ => return None,
    })
}
