//! `abortEXT` (GL_EXT_abort): the end of a block, with a message of a string and values (SPV_KHR_abort, SPV_KHR_constant_data).

use coopmat_analysis::hir::{ExprId, ExprKind, Packing};
use coopmat_analysis::types::{Scalar, Ty, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use crate::memory::Memory;

/// What the message lies in: whatever the shader's blocks say, values follow each other without more than their components' alignment.
const PACKING: Packing = Packing::Scalar;

/// A call in the middle of an expression: what follows is in a block that nothing leads to.
pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    codegen.abort(call.arguments)?;
    let label = codegen.b.id();
    codegen.b.label(label);
    Ok(0)
}

impl<'a> Codegen<'a> {
    /// Ends the block.
    pub fn abort(&mut self, arguments: &[ExprId]) -> Emit<()> {
        let (text, values) = match arguments.split_first() {
            None => ("", &[][..]),
            Some((&message, values)) => match &self.expr(message).kind {
                ExprKind::String(text) => (text.as_str(), values),
                _ => return Err(self.inconsistent("a message that is no string")),
            },
        };
        self.b.extension("SPV_KHR_abort");
        self.b.extension("SPV_KHR_constant_data");
        self.b.capability(Capability::AbortKHR);
        self.b.capability(Capability::ConstantDataKHR);
        let (text, size, [plain, laid_out]) = self.message_text(text)?;
        let mut parts = vec![text];
        let (mut types, mut members) = (vec![plain], vec![laid_out]);
        let mut layouts = vec![(0, None)];
        let mut end = u64::from(size);
        for &value in values {
            let ty = self.ty(value);
            let part = self.value(value)?;
            let (part, plain) = self.message_part(part, ty)?;
            let memory = Memory::Block { packing: PACKING, row_major: false };
            parts.push(part);
            types.push(plain);
            members.push(self.memory_type(ty, memory)?);
            let layout = self.layout_context(PACKING).type_layout(ty, false);
            let Some((layout, size)) = layout.and_then(|layout| Some((layout, layout.size?))) else {
                return Err(self.fail("a value of this type has no layout in the message of `abortEXT`"));
            };
            let offset = end.next_multiple_of(layout.align);
            layouts.push((offset, layout.matrix_stride));
            end = offset.saturating_add(size);
        }
        let structure = |codegen: &mut Codegen<'a>, members: Vec<Word>| {
            codegen.b.global(Op::TypeStruct, None, members.into_iter().map(Operand::IdRef).collect())
        };
        let (values, message) = (structure(self, types), structure(self, members));
        self.b.name(message, "abortMessage");
        for (index, (offset, matrix_stride)) in layouts.into_iter().enumerate() {
            let Ok(offset) = u32::try_from(offset) else {
                return Err(self.fail("the message of `abortEXT` is too large"));
            };
            self.decorate_place(message, index as u32, offset, matrix_stride, false);
        }
        let value = self.b.value(Op::CompositeConstruct, values, &parts);
        self.b.terminate(Opcode::AbortKHR, [message, value].map(Operand::IdRef).into());
        Ok(())
    }

    /// A value of the message and its type. A `bool` is 0 or 1, as in memory; what else has another type there stays as it is, since the message
    /// need only match logically.
    fn message_part(&mut self, part: Word, ty: Ty) -> Emit<(Word, Word)> {
        let memory = Memory::Block { packing: PACKING, row_major: false };
        match self.types.kind(ty) {
            TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _) => {
                Ok((self.stored_value(part, ty, memory)?, self.memory_type(ty, memory)?))
            }
            _ => Ok((part, self.type_id(ty)?)),
        }
    }

    /// A constant of the text's bytes, to whole words and with a zero at its end; how many; their types without and with a layout.
    fn message_text(&mut self, text: &str) -> Emit<(Word, u32, [Word; 2])> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
        let Ok(size) = u32::try_from(bytes.len()) else {
            return Err(self.fail("the message of `abortEXT` is too long"));
        };
        let types = match self.table.texts.get(&size) {
            Some(&types) => types,
            None => {
                let element = self.scalar_type(Scalar::Int8);
                self.b.computes_with(Scalar::Int8);
                let operands = vec![Operand::IdRef(element), Operand::IdRef(self.uint_constant(size))];
                let types = [(); 2].map(|()| self.b.global(Op::TypeArray, None, operands.clone()));
                for ty in types {
                    self.b.decorate(ty, coopmat_spirv::Decoration::UTFEncodedKHR, []);
                }
                self.b.decorate(types[1], Decoration::ArrayStride, [Operand::LiteralBit32(1)]);
                self.table.texts.insert(size, types);
                types
            }
        };
        let words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
        let words = words.map(|word| Operand::LiteralBit32(u32::from_le_bytes(word))).collect();
        let text = self.b.global(Opcode::ConstantDataKHR, Some(types[0]), words);
        Ok((text, size, types))
    }
}
