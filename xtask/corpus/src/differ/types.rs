//! Types by their structure: what they are made of, offsets and strides included, names and ids left out.

use coopmat_spirv::dr::Operand;
use coopmat_spirv::spirv::{Decoration, Op, Word};

use super::constants;
use super::contents::Contents;

/// Types nest no deeper in any module worth comparing.
const DEPTH: u32 = 40;

/// What a type is, in words that are equal for equal types.
pub fn key(contents: &Contents, ty: Word) -> String {
    let mut pointers = Vec::new();
    let mut text = String::new();
    write(contents, ty, &mut pointers, &mut text, 0);
    text
}

/// The same for an operand: whether integers have a sign is said by instructions, not by what they are given.
pub fn key_of_operand(contents: &Contents, ty: Word) -> String {
    let key = key(contents, ty);
    let definition = contents.definition(ty);
    let component = match definition.map(|definition| (definition.class.opcode, definition.operands.first()))
    {
        Some((Op::TypeVector, Some(&Operand::IdRef(component)))) => component,
        _ => ty,
    };
    match contents.opcode(component) {
        Some(Op::TypeInt) => key.replacen('u', "i", 1),
        _ => key,
    }
}

/// `pointers` are the pointer types around this one: a buffer reference may lead back to its own block.
fn write(contents: &Contents, ty: Word, pointers: &mut Vec<Word>, text: &mut String, depth: u32) {
    let Some(definition) = contents.definition(ty) else { return text.push('?') };
    if depth > DEPTH {
        return text.push_str("...");
    }
    let operands = definition.operands.as_slice();
    let literal = |index: usize| match operands.get(index) {
        Some(Operand::LiteralBit32(number)) => *number,
        _ => 0,
    };
    match definition.class.opcode {
        Op::TypeInt => {
            let sign = if literal(1) == 0 { 'u' } else { 'i' };
            text.push_str(&format!("{sign}{}", literal(0)));
        }
        Op::TypeFloat => match operands.get(1) {
            Some(encoding) => text.push_str(&format!("f{}:{encoding}", literal(0))),
            None => text.push_str(&format!("f{}", literal(0))),
        },
        Op::TypePointer => {
            let Some((class, pointee)) = contents.pointer(ty) else { return text.push('?') };
            text.push_str(&format!("{class:?}*"));
            match pointers.iter().rev().position(|&outer| outer == ty) {
                Some(outer) => text.push_str(&format!("^{outer}")),
                None => {
                    pointers.push(ty);
                    write(contents, pointee, pointers, text, depth + 1);
                    pointers.pop();
                }
            }
        }
        Op::TypeStruct => {
            text.push('{');
            for (index, member) in operands.iter().filter_map(Operand::id_ref_any).enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write(contents, member, pointers, text, depth + 1);
                let mut layout: Vec<String> = contents
                    .member_decorations(ty, index as u32)
                    .iter()
                    .filter_map(|decoration| layout(contents, decoration))
                    .collect();
                layout.sort();
                text.push_str(&layout.concat());
            }
            text.push('}');
        }
        _ => {
            text.push_str(definition.class.opname.strip_prefix("Type").unwrap_or(definition.class.opname));
            text.push('<');
            for (index, operand) in operands.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                match operand.id_ref_any() {
                    Some(id) => match constants::constant(contents, id) {
                        Some(value) => text.push_str(&value),
                        None => write(contents, id, pointers, text, depth + 1),
                    },
                    None => text.push_str(&operand.to_string()),
                }
            }
            text.push('>');
            let stride = contents.decorations(ty).iter().find_map(|decoration| stride(contents, decoration));
            text.extend(stride);
        }
    }
}

/// The decorations of a member that say where its bytes are.
fn layout(contents: &Contents, decoration: &[Operand]) -> Option<String> {
    match decoration {
        // An offset that the device knows counts by its values, as specialization constants do.
        [Operand::Decoration(Decoration::OffsetIdEXT), Operand::IdRef(offset)] => {
            Some(format!(" @{}", constants::constant(contents, *offset)?))
        }
        [Operand::Decoration(Decoration::Offset), Operand::LiteralBit32(offset)] => {
            Some(format!(" @{offset}"))
        }
        [Operand::Decoration(Decoration::MatrixStride), Operand::LiteralBit32(stride)] => {
            Some(format!(" stride {stride}"))
        }
        [Operand::Decoration(Decoration::RowMajor)] => Some(" row-major".to_owned()),
        _ => None,
    }
}

/// The bytes from one element of an array to the next.
fn stride(contents: &Contents, decoration: &[Operand]) -> Option<String> {
    match decoration {
        [Operand::Decoration(Decoration::ArrayStride), Operand::LiteralBit32(stride)] => {
            Some(format!("/{stride}"))
        }
        [Operand::Decoration(Decoration::ArrayStrideIdEXT), Operand::IdRef(stride)] => {
            Some(format!("/{}", constants::constant(contents, *stride)?))
        }
        _ => None,
    }
}

/// Whether this is the type of a cooperative matrix, of any extension.
pub fn is_matrix(contents: &Contents, ty: Word) -> bool {
    matches!(contents.opcode(ty), Some(Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV))
}

/// The type of what an index leads to; the index's value where it is known, which a structure needs.
pub fn element(contents: &Contents, ty: Word, index: Option<u32>) -> Option<Word> {
    let definition = contents.definition(ty)?;
    let operand = match definition.class.opcode {
        Op::TypeStruct => definition.operands.get(index? as usize),
        _ => definition.operands.first(),
    };
    operand?.id_ref_any()
}
