//! Structures, blocks, and the pointers that buffer references are.

use coopmat_analysis::hir::{
    Body, Const, Definition, ExprId, ExprKind, Packing, Storage, StructId, StructKind,
};
use coopmat_analysis::types::{ArrayLength, Ty, TypeKind};
use coopmat_spirv::Capability;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, StorageClass, Word};

use super::table::TypeKey;
use crate::codegen::{Codegen, Emit, Stop};
use crate::memory::Memory;
use crate::target::SpirvVersion;

/// What is taken apart in the module, to be compared or copied, has no more parts than this.
pub(crate) const MAX_PARTS: u64 = 16_384;

impl<'a> Codegen<'a> {
    /// Whether values of a type lie in memory with a stride: all but images and their like, and blocks, which are variables.
    pub(super) fn lies_in_memory(&self, ty: Ty) -> bool {
        match *self.types.kind(ty) {
            TypeKind::Opaque(_) => false,
            TypeKind::Struct(structure) => {
                matches!(self.hir.structs[structure].kind, StructKind::Plain)
            }
            TypeKind::Array(element, _) => self.lies_in_memory(element),
            _ => true,
        }
    }

    pub(super) fn struct_type(&mut self, structure: StructId, memory: Memory) -> Emit<Word> {
        // Blocks say which order their matrices have; other structures may take the order of what they are part of.
        let memory = match self.hir.structs[structure].kind {
            StructKind::Plain if self.holds_matrix(structure) => memory,
            StructKind::Plain | StructKind::Block { .. } | StructKind::Reference { .. } => {
                memory.with_row_major(false)
            }
        };
        let inherited = memory.is_row_major();
        let key = TypeKey::Struct(structure, memory);
        if let Some(&id) = self.table.known.get(&key) {
            return Ok(id);
        }
        let declared = &self.hir.structs[structure];
        // "The last declared member of a shader storage block" alone has its size at run time.
        let in_buffer = !matches!(
            declared.kind,
            StructKind::Block { storage: Storage::Uniform | Storage::PushConstant | Storage::Shared, .. }
        );
        let mut members = Vec::with_capacity(declared.members.len());
        let mut notes = 0;
        let mut refused = false;
        for (index, member) in declared.members.iter().enumerate() {
            let place = self.hir.definition_range(&Definition::Member(structure, index as u32), None);
            let before = std::mem::replace(&mut self.refusals.place, place);
            let inner = match *self.types.kind(member.ty) {
                TypeKind::Array(element, ArrayLength::Unsized)
                    if !in_buffer || index + 1 < declared.members.len() =>
                {
                    self.implicitly_sized(structure, index as u32, element, memory)
                }
                _ => {
                    let row_major = declared.is_row_major(member, inherited);
                    self.memory_type(member.ty, memory.with_row_major(row_major))
                }
            };
            self.refusals.place = before;
            match inner {
                Ok(inner) => {
                    notes |= self.b.notes(inner);
                    members.push(Operand::IdRef(inner));
                }
                Err(Stop) => refused = true,
            }
        }
        if refused {
            return Err(Stop);
        }
        // A reference to the structure itself may have declared it meanwhile.
        if let Some(&id) = self.table.known.get(&key) {
            return Ok(id);
        }
        let id = self.b.global(Op::TypeStruct, None, members);
        self.b.note(id, notes);
        self.table.known.insert(key, id);
        self.b.name(id, &declared.name);
        for (index, member) in declared.members.iter().enumerate() {
            self.b.member_name(id, index as u32, &member.name);
            self.spirv_decorate(id, Some(index as u32), &member.layout.spirv_decorations)?;
            if self.has_precision(member.ty) && self.is_relaxed(member.precision) {
                self.b.decorate_member(id, index as u32, Decoration::RelaxedPrecision, []);
            }
        }
        if let Memory::Block { packing, .. } = memory {
            self.decorate_members(id, structure, packing, inherited)?;
            self.decorate_memory_qualifiers(id, structure);
        }
        Ok(id)
    }

    /// The structure of a block without a layout, where it is declared already.
    pub fn plain_struct(&self, structure: StructId) -> Option<Word> {
        self.table.known.get(&TypeKey::Struct(structure, Memory::Plain)).copied()
    }

    /// Declares it.
    pub fn new_plain_struct(&mut self, structure: StructId, members: &[Word]) -> Word {
        let notes = members.iter().fold(0, |notes, &member| notes | self.b.notes(member));
        let operands = members.iter().map(|&member| Operand::IdRef(member)).collect();
        let id = self.b.global(Op::TypeStruct, None, operands);
        self.b.note(id, notes);
        self.table.known.insert(TypeKey::Struct(structure, Memory::Plain), id);
        id
    }

    /// Whether a structure has a matrix, whose order in memory may be its block's. Each is looked at once, however often it is a member.
    fn holds_matrix(&mut self, structure: StructId) -> bool {
        if let Some(&known) = self.table.with_matrices.get(&structure) {
            return known;
        }
        let members = &self.hir.structs[structure].members;
        let holds = members.iter().any(|member| {
            let mut ty = member.ty;
            while let TypeKind::Array(element, _) = *self.types.kind(ty) {
                ty = element;
            }
            match *self.types.kind(ty) {
                TypeKind::Matrix { .. } => true,
                TypeKind::Struct(inner) => self.holds_matrix(inner),
                _ => false,
            }
        });
        self.table.with_matrices.insert(structure, holds);
        holds
    }

    /// How many numbers, vectors and the like a value is made of; those of a specialized length count once. What nests too deep has too many.
    pub fn count_parts(&mut self, ty: Ty) -> u64 {
        self.parts_of(ty, 0)
    }

    fn parts_of(&mut self, ty: Ty, depth: u32) -> u64 {
        match *self.types.kind(ty) {
            _ if depth > 64 => u64::MAX,
            TypeKind::Array(element, length) => {
                let length = match length {
                    ArrayLength::Sized(length) => self.types.symbols.as_int(length).unwrap_or(1),
                    ArrayLength::Unsized => 1,
                };
                self.parts_of(element, depth + 1).saturating_mul(length.max(1).unsigned_abs())
            }
            TypeKind::Struct(structure) => {
                if let Some(&known) = self.table.parts.get(&structure) {
                    return known;
                }
                let members = &self.hir.structs[structure].members;
                let count = members
                    .iter()
                    .fold(0_u64, |sum, member| sum.saturating_add(self.parts_of(member.ty, depth + 1)));
                self.table.parts.insert(structure, count);
                count
            }
            _ => 1,
        }
    }

    /// An array without a size that has none at run time either (GLSL 4.60 section 4.1.9).
    fn implicitly_sized(
        &mut self,
        structure: StructId,
        member: u32,
        element: Ty,
        memory: Memory,
    ) -> Emit<Word> {
        let declared = &self.hir.structs[structure].members[member as usize];
        let is_beyond = |body: &Body| {
            let is_it = |expr: ExprId| match body.exprs[expr].kind {
                ExprKind::BlockMember(global, named) => {
                    named == member
                        && *self.types.kind(self.hir.globals[global].ty) == TypeKind::Struct(structure)
                }
                ExprKind::Member { structure: of, member: named, .. } => of == structure && named == member,
                _ => false,
            };
            body.exprs.iter().any(|(_, expr)| match expr.kind {
                ExprKind::Index { base, index } => {
                    let known = body.exprs[index].constant.as_ref().and_then(Const::as_int);
                    is_it(base) && known.is_none_or(|index| index > 0)
                }
                _ => false,
            })
        };
        if self.hir.bodies().any(|(body, _, _)| is_beyond(body)) {
            return Err(self.fail(format!(
                "`{}` has no size, which is only allowed for the last member of a `buffer`: write the size",
                declared.name
            )));
        }
        let inner = self.memory_type(element, memory.with_row_major(declared.row_major))?;
        let stride = match memory {
            Memory::Block { packing, .. } => self.array_stride(declared.ty, packing, declared.row_major)?,
            Memory::Plain => 0,
        };
        let one = self.uint_constant(1);
        Ok(self.array_type(inner, one, stride))
    }

    /// The pointer type that `layout(buffer_reference)` declares.
    pub fn reference_type(&mut self, structure: StructId) -> Emit<Word> {
        if let Some(&pointer) = self.table.references.get(&structure) {
            return Ok(pointer);
        }
        self.physical_addressing();
        let pointer = self.b.id();
        // The block may hold references to itself. Where it does not, the announcement does no harm, and validators that look for
        // small types behind pointers stop at it.
        self.b.forward_pointer(pointer, StorageClass::PhysicalStorageBuffer);
        self.table.references.insert(structure, pointer);
        let block = self.reference_block(structure)?;
        let operands =
            vec![Operand::StorageClass(StorageClass::PhysicalStorageBuffer), Operand::IdRef(block)];
        self.b.global_as(Op::TypePointer, None, pointer, operands);
        self.table.known.insert(TypeKey::Pointer(StorageClass::PhysicalStorageBuffer, block), pointer);
        Ok(pointer)
    }

    fn reference_block(&mut self, structure: StructId) -> Emit<Word> {
        let memory = self.reference_memory(structure);
        let known = self.table.known.len();
        let block = self.struct_type(structure, memory)?;
        if self.table.known.len() != known {
            self.b.decorate(block, Decoration::Block, []);
            self.decorate_hit_record(block, structure);
        }
        let declared = &self.hir.structs[structure];
        for member in &declared.members {
            self.storage_capabilities(member.ty, StorageClass::PhysicalStorageBuffer);
        }
        Ok(block)
    }

    /// Addresses are 64 bits wide from now on.
    fn physical_addressing(&mut self) {
        self.capability(
            Capability::PhysicalStorageBufferAddresses,
            "SPV_KHR_physical_storage_buffer",
            SpirvVersion::V1_5,
        );
    }

    /// The type of a block and everything in it, decorated as a block.
    pub fn block_type(
        &mut self,
        structure: StructId,
        packing: Packing,
        decoration: Decoration,
    ) -> Emit<Word> {
        let known = self
            .table
            .known
            .contains_key(&TypeKey::Struct(structure, Memory::Block { packing, row_major: false }));
        let id = self.struct_type(structure, Memory::Block { packing, row_major: false })?;
        if !known {
            self.b.decorate(id, decoration, []);
        }
        Ok(id)
    }
}
