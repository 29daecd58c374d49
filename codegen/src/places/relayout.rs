//! Values between memory with a layout and the types of values.

use coopmat_analysis::hir::has_part;
use coopmat_analysis::types::{ArrayLength, Scalar, Ty, TypeKind};
use rspirv::spirv::{Op, Word};

use crate::codegen::{Codegen, Emit};
use crate::memory::Memory;
use crate::target::SpirvVersion;
use crate::types::MAX_PARTS;

impl<'a> Codegen<'a> {
    /// A value as it came from memory, in the type of values.
    pub(super) fn loaded_value(&mut self, value: Word, ty: Ty, memory: Memory) -> Emit<Word> {
        if !self.differs_in_memory(ty, memory) {
            return Ok(value);
        }
        self.relaid(value, ty, memory, Memory::Plain)
    }

    pub fn stored_value(&mut self, value: Word, ty: Ty, memory: Memory) -> Emit<Word> {
        if !self.differs_in_memory(ty, memory) {
            return Ok(value);
        }
        self.relaid(value, ty, Memory::Plain, memory)
    }

    /// A value of one layout in the type of another: whole, where SPIR-V copies logically equal types, else part by part.
    fn relaid(&mut self, value: Word, ty: Ty, from: Memory, to: Memory) -> Emit<Word> {
        let (from_id, to_id) = (self.memory_type(ty, from)?, self.memory_type(ty, to)?);
        if from_id == to_id {
            return Ok(value);
        }
        match *self.types.kind(ty) {
            TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::LongVector(..) => {
                // Only `bool` differs.
                let length = self.types.as_vector(ty).map_or(1, |(_, length)| length);
                let zero = self.zero(Scalar::Uint32);
                let zero = self.splat_constant(Scalar::Uint32, length, zero);
                if to.is_plain() {
                    return Ok(self.b.value(Op::INotEqual, to_id, &[value, zero]));
                }
                let one = self.uint_constant(1);
                let one = self.splat_constant(Scalar::Uint32, length, one);
                Ok(self.b.value(Op::Select, to_id, &[value, one, zero]))
            }
            _ if self.target.at_least(SpirvVersion::V1_4) && !self.holds_bool(ty) => {
                Ok(self.b.value(Op::CopyLogical, to_id, &[value]))
            }
            _ if self.count_parts(ty) > MAX_PARTS => Err(self.fail(
                "a value with so many parts cannot be copied as a whole between memory layouts: copy its parts",
            )),
            TypeKind::Array(element, length) => {
                let count = match length {
                    ArrayLength::Sized(length) => self.types.symbols.as_int(length),
                    ArrayLength::Unsized => None,
                };
                let Some(count) = count.filter(|&count| (0..=4096).contains(&count)) else {
                    return Err(self.fail(
                        "an array of this size cannot be copied as a whole between memory layouts: copy its elements, or choose vulkan1.2 or later",
                    ));
                };
                let element_id = self.memory_type(element, from)?;
                let mut parts = Vec::with_capacity(count as usize);
                for index in 0..count as u32 {
                    let part = self.extract(element_id, value, index);
                    parts.push(self.relaid(part, element, from, to)?);
                }
                Ok(self.b.value(Op::CompositeConstruct, to_id, &parts))
            }
            TypeKind::Struct(structure) => {
                let declared = &self.hir.structs[structure];
                let mut parts = Vec::with_capacity(declared.members.len());
                for (index, member) in declared.members.iter().enumerate() {
                    let order = |memory: Memory| {
                        memory.with_row_major(declared.is_row_major(member, memory.is_row_major()))
                    };
                    let inner = (order(from), order(to));
                    let member_id = self.memory_type(member.ty, inner.0)?;
                    let part = self.extract(member_id, value, index as u32);
                    parts.push(self.relaid(part, member.ty, inner.0, inner.1)?);
                }
                Ok(self.b.value(Op::CompositeConstruct, to_id, &parts))
            }
            _ => Ok(value),
        }
    }

    fn holds_bool(&self, ty: Ty) -> bool {
        let is_bool = |ty: Ty| self.types.component(ty) == Some(Scalar::Bool);
        has_part(self.types, &self.hir.structs, ty, is_bool)
    }
}
