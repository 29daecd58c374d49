//! Cooperative matrices: loads and stores, multiply-add, constructors, and what the extensions add.

use coopmat_analysis::hir::ExprId;
use coopmat_analysis::types::{Scalar, Ty, TypeKind};
use rspirv::spirv::{Op, Word};

use super::BuiltinCall;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    Err(codegen.unsupported_builtin(call))
}

impl<'a> Codegen<'a> {
    fn matrix_component(&self, ty: Ty) -> Option<Scalar> {
        match *self.types.kind(ty) {
            TypeKind::CoopmatNv(matrix) => self.nv_component(matrix.class, matrix.bits),
            _ => self.types.component(ty),
        }
    }

    /// `coopmat<...>(x)`: each element is the scalar, or the converted element of another matrix.
    pub fn construct_coopmat(&mut self, argument: ExprId, ty: Ty) -> Emit<Word> {
        let from = self.ty(argument);
        let Some(component) = self.matrix_component(ty) else {
            return Err(self.fail("the component type of this matrix is not known"));
        };
        let id = self.type_id(ty)?;
        let value = self.value(argument)?;
        if let Some(scalar) = self.types.as_scalar(from) {
            let value = self.convert_scalars(value, scalar, component, 1)?;
            return Ok(self.b.value(Op::CompositeConstruct, id, &[value]));
        }
        if from == ty {
            return Ok(value);
        }
        let Some(source) = self.matrix_component(from) else {
            return Err(self.fail("the component type of this matrix is not known"));
        };
        self.convert_components(value, source, component, id)
    }
}
