//! What values look like in memory: sizes, strides, and the list of scalars that a load or store moves.

use coopmat_spirv::Opcode;

use crate::ProgramError;
use crate::memory::DESCRIPTOR_SIZE;
use crate::program::types::{MatrixLayout, Scalar, Type, TypeId, Types};

/// One scalar of a value: its first plane within the value, its offset in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Within the value.
    pub plane: u32,
    /// In bytes, from the start of the value.
    pub offset: u32,
    /// How it lies there.
    pub scalar: Scalar,
}

/// The most scalars that one load or store moves.
const MAXIMUM_LEAVES: usize = 1 << 18;

impl Types {
    /// Bytes of a value in memory, without padding after it. Types without offsets lie as the scalar layout says.
    pub fn size(&self, id: TypeId, matrix: MatrixLayout) -> u64 {
        match self.get(id) {
            Type::Bool => 4,
            Type::Integer { width, .. } => u64::from(*width) / 8,
            Type::Float(format) => u64::from(format.width()).div_ceil(8),
            Type::Vector { component, count } => self.size(*component, matrix) * u64::from(*count),
            Type::Matrix { column, count } => {
                let rows = u64::from(self.part_count(*column));
                let (vectors, last) = if matrix.row_major {
                    let component = self.part(*column, 0).map_or(0, |(part, _)| self.size(part, matrix));
                    (rows, component * u64::from(*count))
                } else {
                    (u64::from(*count), self.size(*column, matrix))
                };
                let stride = if matrix.stride == 0 { last } else { u64::from(matrix.stride) };
                vectors.saturating_sub(1) * stride + last
            }
            Type::Array { element, length, .. } => {
                let last = self.size(*element, matrix);
                (u64::from(*length).saturating_sub(1))
                    .saturating_mul(self.stride(id, matrix))
                    .saturating_add(last)
            }
            Type::Structure { members, .. } => members
                .iter()
                .map(|member| u64::from(member.offset) + self.size(member.type_, member.matrix))
                .max()
                .unwrap_or(0),
            Type::Pointer { .. } => 8,
            // In descriptor heaps, which are the only memory that has any.
            Type::Image(_) | Type::Sampler | Type::SampledImage(_) => u64::from(DESCRIPTOR_SIZE),
            Type::Opaque(name) if *name == Opcode::TypeBufferEXT.name() => u64::from(DESCRIPTOR_SIZE),
            Type::Void
            | Type::RuntimeArray { .. }
            | Type::Function { .. }
            | Type::CooperativeMatrix(_)
            | Type::TensorLayout { .. }
            | Type::TensorView { .. }
            | Type::Opaque(_) => 0,
        }
    }

    /// Bytes that the address of a value is a multiple of, as the scalar layout has it (VK_EXT_scalar_block_layout).
    pub fn alignment(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Bool => 4,
            Type::Integer { width, .. } => u64::from(*width) / 8,
            Type::Float(format) => u64::from(format.width()).div_ceil(8),
            Type::Vector { component: part, .. } | Type::Matrix { column: part, .. } => self.alignment(*part),
            Type::Array { element, .. } | Type::RuntimeArray { element, .. } => self.alignment(*element),
            Type::Structure { members, .. } => {
                members.iter().map(|member| self.alignment(member.type_)).max().unwrap_or(1)
            }
            Type::Pointer { .. } => 8,
            _ => 4,
        }
    }

    /// Bytes from one element of an array to the next.
    pub fn stride(&self, id: TypeId, matrix: MatrixLayout) -> u64 {
        match self.get(id) {
            Type::Array { element, stride, .. } | Type::RuntimeArray { element, stride } => match stride {
                Some(stride) => u64::from(*stride),
                None => self.size(*element, matrix).next_multiple_of(self.alignment(*element).max(1)),
            },
            _ => self.size(id, matrix),
        }
    }

    /// The scalars of a value in memory, in the order of their planes.
    pub fn leaves(&self, id: TypeId, matrix: MatrixLayout) -> Result<Vec<Leaf>, ProgramError> {
        let mut leaves = Vec::new();
        let mut plane = 0;
        self.add_leaves(id, matrix, 0, &mut plane, &mut leaves)?;
        Ok(leaves)
    }

    fn add_leaves(
        &self,
        id: TypeId,
        matrix: MatrixLayout,
        offset: u64,
        plane: &mut u32,
        leaves: &mut Vec<Leaf>,
    ) -> Result<(), ProgramError> {
        let too_large = || ProgramError::new("this value is too large to be loaded or stored at once");
        if leaves.len() > MAXIMUM_LEAVES {
            return Err(too_large());
        }
        if let Some(scalar) = self.scalar(id) {
            if scalar == Scalar::Index {
                return Err(ProgramError::new(
                    "a pointer to a variable, an image or a sampler cannot lie in memory",
                ));
            }
            let offset = u32::try_from(offset).map_err(|_| too_large())?;
            leaves.push(Leaf { plane: *plane, offset, scalar });
            *plane += scalar.planes();
            return Ok(());
        }
        match self.get(id) {
            Type::Vector { component, count } => {
                let step = self.size(*component, matrix);
                for index in 0..u64::from(*count) {
                    self.add_leaves(*component, matrix, offset + index * step, plane, leaves)?;
                }
            }
            Type::Matrix { column, count } => {
                let (column_step, row_step) = self.matrix_steps(id, matrix);
                let rows = self.part_count(*column);
                let component = self.part(*column, 0).map(|(part, _)| part);
                for (column, row) in
                    (0..u64::from(*count)).flat_map(|c| (0..u64::from(rows)).map(move |r| (c, r)))
                {
                    let offset = offset + column * column_step + row * row_step;
                    if let Some(component) = component {
                        self.add_leaves(component, matrix, offset, plane, leaves)?;
                    }
                }
            }
            // However many there are of nothing.
            Type::Array { element, .. } if self.planes(*element) == 0 => {}
            Type::Array { element, length, .. } => {
                let stride = self.stride(id, matrix);
                for index in 0..u64::from(*length) {
                    let offset = index
                        .checked_mul(stride)
                        .and_then(|o| o.checked_add(offset))
                        .ok_or_else(too_large)?;
                    self.add_leaves(*element, matrix, offset, plane, leaves)?;
                }
            }
            Type::Structure { members, .. } => {
                for member in members {
                    self.add_leaves(
                        member.type_,
                        member.matrix,
                        offset + u64::from(member.offset),
                        plane,
                        leaves,
                    )?;
                }
            }
            Type::Void => {}
            other => {
                return Err(ProgramError::new(format!(
                    "a value of this type cannot lie in memory: {other:?}"
                )));
            }
        }
        Ok(())
    }

    /// Bytes from one column of a matrix to the next, and from one row to the next.
    pub(crate) fn matrix_steps(&self, id: TypeId, matrix: MatrixLayout) -> (u64, u64) {
        let Type::Matrix { column, count } = self.get(id) else { return (0, 0) };
        let component = self.part(*column, 0).map_or(0, |(part, _)| self.size(part, matrix));
        let rows = u64::from(self.part_count(*column));
        let stride = |natural: u64| if matrix.stride == 0 { natural } else { u64::from(matrix.stride) };
        match matrix.row_major {
            true => (component, stride(component * u64::from(*count))),
            false => (stride(component * rows), component),
        }
    }
}
