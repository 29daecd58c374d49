//! How types lie in memory: which values need a type of their own there, and the decorations of blocks.

use coopmat_analysis::hir::{Packing, StructId, StructKind};
use coopmat_analysis::layout::LayoutContext;
use coopmat_analysis::types::{Scalar, Ty, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Word};

use crate::codegen::{Codegen, Emit};
use crate::memory::Memory;

impl<'a> Codegen<'a> {
    pub fn layout_context(&self, packing: Packing) -> LayoutContext<'a> {
        LayoutContext { types: self.types, structs: &self.hir.structs, packing }
    }

    /// The memory of what a buffer reference points at.
    pub fn reference_memory(&self, structure: StructId) -> Memory {
        match &self.hir.structs[structure].kind {
            StructKind::Reference { layout, .. } => Memory::of_layout(layout, Packing::Std430),
            StructKind::Block { layout, .. } => Memory::of_layout(layout, Packing::Std430),
            StructKind::Plain => Memory::Block { packing: Packing::Std430, row_major: false },
        }
    }

    /// `buffer_reference_align`: 16 unless written (GL_EXT_buffer_reference).
    pub fn reference_align(&self, structure: StructId) -> u32 {
        match &self.hir.structs[structure].kind {
            StructKind::Reference { layout, .. } => layout.buffer_reference_align.unwrap_or(16),
            _ => 16,
        }
    }

    /// Whether values of a type have another type in memory of a layout: structures and arrays are decorated there, and a `bool`
    /// is an integer.
    pub fn differs_in_memory(&self, ty: Ty, memory: Memory) -> bool {
        if memory.is_plain() {
            return false;
        }
        match self.types.kind(ty) {
            TypeKind::Struct(_) | TypeKind::Array(..) => true,
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) | TypeKind::LongVector(scalar, _) => {
                *scalar == Scalar::Bool
            }
            _ => false,
        }
    }

    /// Offsets and matrix strides of a structure's members.
    pub fn decorate_members(
        &mut self,
        id: Word,
        structure: StructId,
        packing: Packing,
        inherited: bool,
    ) -> Emit<()> {
        let Some(layouts) = self.layout_context(packing).members_within(structure, inherited) else {
            return Err(self.fail("this structure has no layout in memory"));
        };
        let declared = &self.hir.structs[structure];
        for (index, (member, layout)) in declared.members.iter().zip(&layouts).enumerate() {
            let index = index as u32;
            let Some(offset) = layout.offset.and_then(|offset| u32::try_from(offset).ok()) else {
                return Err(self.fail(format!("the offset of the member `{}` is not known", member.name)));
            };
            let row_major = declared.is_row_major(member, inherited);
            self.decorate_place(id, index, offset, layout.layout.matrix_stride, row_major);
        }
        Ok(())
    }

    /// Where a member is, and how the matrices in it lie.
    pub fn decorate_place(
        &mut self,
        id: Word,
        member: u32,
        offset: u32,
        matrix_stride: Option<u64>,
        row_major: bool,
    ) {
        if let Some(stride) = matrix_stride {
            self.decorate_matrix(id, member, stride, row_major);
        }
        self.b.decorate_member(id, member, Decoration::Offset, [Operand::LiteralBit32(offset)]);
    }

    /// How the matrices in a member lie.
    pub fn decorate_matrix(&mut self, id: Word, member: u32, stride: u64, row_major: bool) {
        let order = if row_major { Decoration::RowMajor } else { Decoration::ColMajor };
        self.b.decorate_member(id, member, order, []);
        let stride = u32::try_from(stride).unwrap_or(u32::MAX);
        self.b.decorate_member(id, member, Decoration::MatrixStride, [Operand::LiteralBit32(stride)]);
    }

    /// Bytes from one element of an array to the next.
    pub fn array_stride(&mut self, array: Ty, packing: Packing, row_major: bool) -> Emit<u32> {
        let layout = self.layout_context(packing).type_layout(array, row_major);
        match layout.and_then(|layout| u32::try_from(layout.array_stride?).ok()) {
            Some(stride) => Ok(stride),
            None => Err(self.fail("an array of such elements has no layout in memory")),
        }
    }

    /// Bytes that a block takes from one element of an array of such blocks to the next (GL_EXT_buffer_reference2).
    pub fn reference_stride(&mut self, structure: StructId) -> Emit<u32> {
        let Memory::Block { packing, .. } = self.reference_memory(structure) else {
            return Err(self.inconsistent("a reference without a layout"));
        };
        let members = self.layout_context(packing).members(structure);
        let end = members.and_then(|members| {
            members.iter().try_fold(0u64, |end, member| Some(end.max(member.offset? + member.layout.size?)))
        });
        let Some(end) = end else {
            return Err(self.fail(
                "a block with an array of unknown length has no size, so pointer arithmetic is not possible",
            ));
        };
        let align = u64::from(self.reference_align(structure)).max(1);
        u32::try_from(end.next_multiple_of(align)).map_err(|_| self.fail("this block is too large"))
    }
}
