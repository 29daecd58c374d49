//! Sizes, alignments, offsets and strides in memory: std140, std430 (GLSL 4.60 section 4.4.5, OpenGL 4.6 section 7.6.2.2) and scalar
//! (GL_EXT_scalar_block_layout).
//!
//! Sizes that depend on specialization constants are those under the defaults: a block's layout does not change with
//! specialization (GL_KHR_vulkan_glsl).

use rustc_hash::FxHashMap;

use crate::hir::{Packing, Struct, StructId};
use crate::ids::{StructKey, Table};
use crate::types::{ArrayLength, Ty, TypeKind, Types};

/// What is needed to lay out a type.
#[derive(Clone, Copy)]
pub struct LayoutContext<'a> {
    /// Those that the type to be laid out is of.
    pub types: &'a Types,
    /// Those that the types name.
    pub structs: &'a Table<StructKey, Struct>,
    /// By which rules.
    pub packing: Packing,
}

/// How a type lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeLayout {
    /// Bytes, at least 1.
    pub align: u64,
    /// Bytes. `None` for a run-time array, and where a length is not known.
    pub size: Option<u64>,
    /// Bytes from one element of an array to the next.
    pub array_stride: Option<u64>,
    /// Bytes from one column (row, when row-major) of a matrix to the next; of the elements, for an array of matrices.
    pub matrix_stride: Option<u64>,
}

/// Where a member lies in its structure or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberLayout {
    /// `None` after a member of unknown size.
    pub offset: Option<u64>,
    /// Of the member's own type.
    pub layout: TypeLayout,
}

/// Structures that are laid out already: structures of structures may double at each level.
type Memo = FxHashMap<(StructId, bool), Option<TypeLayout>>;

/// Bounds the nesting of structures and arrays.
const MAX_DEPTH: u32 = 64;

impl LayoutContext<'_> {
    /// `None` for types that do not lie in memory: opaque types, cooperative matrices.
    pub fn type_layout(&self, ty: Ty, row_major: bool) -> Option<TypeLayout> {
        self.layout_at(ty, row_major, MAX_DEPTH, &mut Memo::default())
    }

    /// The members of a structure or block, in order.
    pub fn members(&self, structure: StructId) -> Option<Vec<MemberLayout>> {
        self.members_within(structure, false)
    }

    /// The same for a structure that is part of a block: its matrices have the block's order, unless it says another.
    pub fn members_within(&self, structure: StructId, row_major: bool) -> Option<Vec<MemberLayout>> {
        self.members_at(structure, row_major, MAX_DEPTH, &mut Memo::default())
    }

    fn scalar_packing(&self) -> bool {
        self.packing == Packing::Scalar
    }

    fn struct_layout(
        &self,
        structure: StructId,
        row_major: bool,
        depth: u32,
        memo: &mut Memo,
    ) -> Option<TypeLayout> {
        let members = self.members_at(structure, row_major, depth, memo)?;
        let align = members.iter().map(|member| member.layout.align).max().unwrap_or(1);
        let align = self.composite_align(align);
        let size = members
            .iter()
            .map(|member| member.offset?.checked_add(member.layout.size?))
            .try_fold(0, |end, member| Some(member?.max(end)));
        // The scalar layout lets the next member start right after the last byte that is used.
        let size = match self.packing {
            Packing::Scalar => size,
            _ => size.and_then(|size| size.checked_next_multiple_of(align)),
        };
        Some(TypeLayout { align, size, array_stride: None, matrix_stride: None })
    }

    fn is_unsized(&self, ty: Ty) -> bool {
        matches!(self.types.kind(ty), TypeKind::Array(_, ArrayLength::Unsized))
    }

    /// std140 rounds arrays and structures up to a `vec4`.
    fn composite_align(&self, align: u64) -> u64 {
        match self.packing {
            Packing::Std430 | Packing::Scalar => align,
            Packing::Std140 | Packing::Shared | Packing::Packed => align.next_multiple_of(16),
        }
    }

    fn vector(&self, component: u64, length: u64) -> TypeLayout {
        let align = match length {
            _ if self.scalar_packing() => component,
            0 | 1 => component,
            2 => 2 * component,
            _ => 4 * component,
        };
        TypeLayout {
            align: align.max(1),
            size: component.checked_mul(length),
            array_stride: None,
            matrix_stride: None,
        }
    }

    fn layout_at(&self, ty: Ty, row_major: bool, depth: u32, memo: &mut Memo) -> Option<TypeLayout> {
        let depth = depth.checked_sub(1)?;
        match *self.types.kind(ty) {
            TypeKind::Scalar(scalar) => Some(self.vector(u64::from(scalar.bytes()), 1)),
            TypeKind::Vector(scalar, length) => {
                Some(self.vector(u64::from(scalar.bytes()), u64::from(length)))
            }
            TypeKind::LongVector(scalar, length) => {
                let length = self.types.symbols.default_value(length)?;
                Some(self.vector(u64::from(scalar.bytes()), u64::try_from(length).ok()?))
            }
            TypeKind::Matrix { component, columns, rows } => {
                let (vectors, length) = if row_major { (rows, columns) } else { (columns, rows) };
                let vector = self.vector(u64::from(component.bytes()), u64::from(length));
                let (align, stride) = self.array_of(vector)?;
                Some(TypeLayout {
                    align,
                    size: Some(stride * u64::from(vectors)),
                    array_stride: None,
                    matrix_stride: Some(stride),
                })
            }
            TypeKind::Array(element, length) => {
                let element = self.layout_at(element, row_major, depth, memo)?;
                let Some((align, stride)) = self.array_of(element) else {
                    return Some(TypeLayout { size: None, array_stride: None, ..element });
                };
                let size = match length {
                    ArrayLength::Sized(length) => self
                        .types
                        .symbols
                        .default_value(length)
                        .and_then(|length| u64::try_from(length).ok())
                        .and_then(|length| self.array_size(element, stride, length)),
                    ArrayLength::Unsized => None,
                };
                Some(TypeLayout {
                    align,
                    size,
                    array_stride: Some(stride),
                    matrix_stride: element.matrix_stride,
                })
            }
            // Its descriptor lies in a heap, and the device knows its size.
            TypeKind::Struct(structure) if self.structs[structure].buffer_type().is_some() => None,
            TypeKind::Struct(structure) => {
                if let Some(known) = memo.get(&(structure, row_major)) {
                    return *known;
                }
                let layout = self.struct_layout(structure, row_major, depth, memo);
                memo.insert((structure, row_major), layout);
                layout
            }
            TypeKind::Reference(_) => {
                Some(TypeLayout { align: 8, size: Some(8), array_stride: None, matrix_stride: None })
            }
            _ => None,
        }
    }

    fn array_size(&self, element: TypeLayout, stride: u64, length: u64) -> Option<u64> {
        match (self.packing, length.checked_sub(1)) {
            (_, None) => Some(0),
            (Packing::Scalar, Some(before)) => stride.checked_mul(before)?.checked_add(element.size?),
            _ => stride.checked_mul(length),
        }
    }

    /// Alignment and stride of an array of such elements.
    fn array_of(&self, element: TypeLayout) -> Option<(u64, u64)> {
        let align = self.composite_align(element.align);
        Some((align, element.size?.checked_next_multiple_of(align)?))
    }

    fn members_at(
        &self,
        structure: StructId,
        row_major: bool,
        depth: u32,
        memo: &mut Memo,
    ) -> Option<Vec<MemberLayout>> {
        let depth = depth.checked_sub(1)?;
        let structure = &self.structs[structure];
        let mut next = Some(0u64);
        let mut members = Vec::with_capacity(structure.members.len());
        for (index, member) in structure.members.iter().enumerate() {
            let row_major = structure.is_row_major(member, row_major);
            let mut layout = self.layout_at(member.ty, row_major, depth, memo)?;
            if layout.size.is_none() && index + 1 < structure.members.len() && self.is_unsized(member.ty) {
                // Only the last member is an array of the buffer's length. Others have a size by their highest constant index
                // (GLSL 4.60 section 4.1.9); those that are handed over as a whole have one element.
                layout.size = layout.array_stride;
            }
            if let Some(align) = member.layout.align {
                layout.align = layout.align.max(u64::from(align));
            }
            let offset = match member.layout.offset {
                Some(offset) => Some(u64::from(offset)),
                None => next,
            }
            .and_then(|offset| offset.checked_next_multiple_of(layout.align));
            next = offset.and_then(|offset| offset.checked_add(layout.size?));
            members.push(MemberLayout { offset, layout });
        }
        Some(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hir::{Layout, Member, MemoryQualifiers, StructKind};
    use crate::text::TextRange;
    use crate::types::Scalar;

    struct Built {
        types: Types,
        structs: Table<StructKey, Struct>,
    }

    impl Built {
        fn structure(&mut self, members: &[Ty]) -> StructId {
            let members = members
                .iter()
                .map(|&ty| Member {
                    name: "m".into(),
                    name_range: TextRange::default(),
                    ty,
                    type_range: TextRange::default(),
                    layout: Layout::default(),
                    memory: MemoryQualifiers::default(),
                    row_major: false,
                    precision: None,
                })
                .collect();
            self.structs.alloc(Struct {
                name: "S".into(),
                name_range: TextRange::default(),
                range: TextRange::default(),
                members,
                kind: StructKind::Plain,
                owner: None,
            })
        }

        fn offsets(&self, structure: StructId, packing: Packing) -> Vec<u64> {
            let context = LayoutContext { types: &self.types, structs: &self.structs, packing };
            let members = context.members(structure).unwrap_or_default();
            members.iter().filter_map(|member| member.offset).collect()
        }
    }

    fn built() -> Built {
        Built { types: Types::default(), structs: Table::default() }
    }

    #[test]
    fn a_vec3_and_a_float_share_sixteen_bytes() {
        let mut b = built();
        let vec3 = b.types.vector(Scalar::Float32, 3);
        let s = b.structure(&[Ty::FLOAT, vec3, Ty::FLOAT, vec3]);
        assert_eq!(b.offsets(s, Packing::Std430), [0, 16, 28, 32]);
        assert_eq!(b.offsets(s, Packing::Scalar), [0, 4, 16, 20]);
    }

    #[test]
    fn array_strides_differ_by_packing() {
        let mut b = built();
        let four = b.types.symbols.int(4);
        let array = b.types.array(Ty::FLOAT, ArrayLength::Sized(four));
        let stride = |packing| {
            let context = LayoutContext { types: &b.types, structs: &b.structs, packing };
            context.type_layout(array, false).and_then(|layout| layout.array_stride)
        };
        assert_eq!(stride(Packing::Std140), Some(16));
        assert_eq!(stride(Packing::Std430), Some(4));
        assert_eq!(stride(Packing::Scalar), Some(4));
    }

    #[test]
    fn matrices_are_arrays_of_their_columns() {
        let mut b = built();
        // Three rows, two columns.
        let matrix = b.types.matrix(Scalar::Float32, 2, 3);
        let layout = |packing, row_major| {
            let context = LayoutContext { types: &b.types, structs: &b.structs, packing };
            context.type_layout(matrix, row_major).map(|layout| (layout.size, layout.matrix_stride))
        };
        assert_eq!(layout(Packing::Std430, false), Some((Some(32), Some(16))));
        assert_eq!(layout(Packing::Std430, true), Some((Some(24), Some(8))));
        assert_eq!(layout(Packing::Std140, true), Some((Some(48), Some(16))));
        assert_eq!(layout(Packing::Scalar, false), Some((Some(24), Some(12))));
    }

    #[test]
    fn nested_structures_round_up() {
        let mut b = built();
        let byte = b.types.scalar(Scalar::Uint8);
        let inner = b.structure(&[Ty::FLOAT, byte]);
        let inner = b.types.intern(TypeKind::Struct(inner));
        let outer = b.structure(&[byte, inner, byte]);
        assert_eq!(b.offsets(outer, Packing::Std430), [0, 4, 12]);
        assert_eq!(b.offsets(outer, Packing::Std140), [0, 16, 32]);
        assert_eq!(b.offsets(outer, Packing::Scalar), [0, 4, 9]);
        let run_time = b.types.array(inner, ArrayLength::Unsized);
        let block = b.structure(&[byte, run_time]);
        assert_eq!(b.offsets(block, Packing::Std430), [0, 4]);
    }

    #[test]
    fn a_reference_is_eight_bytes() {
        let mut b = built();
        let node = b.structure(&[]);
        let reference = b.types.intern(TypeKind::Reference(node));
        let s = b.structure(&[Ty::FLOAT, reference, Ty::FLOAT]);
        assert_eq!(b.offsets(s, Packing::Scalar), [0, 8, 16]);
    }
}
