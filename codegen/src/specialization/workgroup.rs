//! `gl_WorkGroupSize`.

use coopmat_analysis::types::Scalar;
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, Op, Word};

use super::WorkgroupSize;
use crate::codegen::{Codegen, Emit};
use crate::target::SpirvVersion;

impl<'a> Codegen<'a> {
    /// `gl_WorkGroupSize`: constants, some of them specialized.
    pub fn workgroup_size(&mut self) -> Emit<WorkgroupSize> {
        if let Some(size) = self.spec.workgroup_size {
            return Ok(size);
        }
        let hir = self.hir;
        let before = std::mem::replace(&mut self.b.at, hir.local_size.range.unwrap_or_default());
        let mut parts = [0; 3];
        let mut specialized = false;
        let mut result = Ok(());
        for (part, dim) in parts.iter_mut().zip(&hir.local_size.dims) {
            match dim.constant_id {
                Some(id) => {
                    specialized = true;
                    let default =
                        dim.value.and_then(|value| self.types.symbols.default_value(value)).unwrap_or(1);
                    let ty = self.uint_type();
                    let literal = Operand::LiteralBit32(default as u32);
                    *part = self.b.global(Op::SpecConstant, Some(ty), vec![literal]);
                    self.b.decorate(*part, Decoration::SpecId, [Operand::LiteralBit32(id)]);
                }
                None => match dim.value {
                    Some(value) => match self.size_id(value) {
                        Ok(id) => {
                            specialized |= self.types.symbols.as_int(value).is_none();
                            *part = id;
                        }
                        Err(stop) => result = Err(stop),
                    },
                    None => *part = self.uint_constant(1),
                },
            }
        }
        self.b.at = before;
        result?;
        let size = WorkgroupSize { parts, vector: None, specialized };
        self.spec.workgroup_size = Some(size);
        Ok(size)
    }

    pub fn workgroup_size_vector(&mut self) -> Emit<Word> {
        let mut size = self.workgroup_size()?;
        if let Some(vector) = size.vector {
            return Ok(vector);
        }
        let ty = self.vector_type(Scalar::Uint32, 3);
        let vector = self.composite_constant(ty, &size.parts, size.specialized);
        // From SPIR-V 1.6 on the execution mode LocalSizeId says the size, and the decoration is deprecated.
        if size.specialized && !self.target.at_least(SpirvVersion::V1_6) {
            self.b.decorate(vector, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::WorkgroupSize)]);
        }
        size.vector = Some(vector);
        self.spec.workgroup_size = Some(size);
        Ok(vector)
    }
}
