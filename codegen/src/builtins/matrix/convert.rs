//! Matrices from scalars and from other matrices: conversions of the components, of the use, and transposes.

use coopmat_analysis::extensions::{ids, values};
use coopmat_analysis::hir::{Const, ExprId};
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::types::{Coopmat, Scalar, Ty};
use coopmat_spirv::inst;
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Word};

use super::operands::{MAINTENANCE, NV2, required, stored};
use crate::builtins::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use crate::conversions::with_width;

/// What a conversion of matrices does besides converting components.
#[derive(Clone, Copy, Default)]
struct Change {
    transposed: bool,
    /// Stops at the largest finite number of a float of 8 bits.
    saturated: bool,
}

/// `coopMatTransposeNV(result, m)`, and `coopMatTransposeEXT(result, m)`, which converts components too.
pub(super) fn transpose(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let (result, matrix) = (required(codegen, call, 0)?, required(codegen, call, 1)?);
    stored(codegen, result, |codegen, ty| {
        let (value, from) = (codegen.value(matrix)?, codegen.ty(matrix));
        if call.op == Some(Opcode::CooperativeMatrixTransposeNV) {
            codegen.b.extension(NV2);
            codegen.b.capability(Capability::CooperativeMatrixConversionsNV);
            let ty = codegen.type_id(ty)?;
            return Ok(codegen.b.value(Opcode::CooperativeMatrixTransposeNV, ty, &[value]));
        }
        codegen.convert_matrix(value, from, ty, Change { transposed: true, saturated: false })
    })
}

/// `saturatedConvertEXT(result, value)` with matrices.
pub(crate) fn saturated(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let (result, matrix) = (required(codegen, call, 0)?, required(codegen, call, 1)?);
    stored(codegen, result, |codegen, ty| {
        let (value, from) = (codegen.value(matrix)?, codegen.ty(matrix));
        codegen.convert_matrix(value, from, ty, Change { transposed: false, saturated: true })
    })
}

impl<'a> Codegen<'a> {
    /// `coopmat<...>(x)`: each element is the scalar, or the converted element of another matrix.
    pub fn construct_coopmat(&mut self, argument: ExprId, ty: Ty) -> Emit<Word> {
        let from = self.ty(argument);
        let Some(component) = self.matrix_component(ty) else {
            return Err(self.fail("the component type of this matrix is not known"));
        };
        let id = self.type_id(ty)?;
        if let Some(value) = self.known_component(argument, component) {
            return Ok(self.composite_constant(id, &[value], false));
        }
        let value = self.value(argument)?;
        if let Some(scalar) = self.types.as_scalar(from) {
            let value = self.convert_scalars(value, scalar, component, 1)?;
            return Ok(self.b.value(Opcode::CompositeConstruct, id, &[value]));
        }
        self.convert_matrix(value, from, ty, Change::default())
    }

    /// A scalar that is known while compiling, in a matrix's component type.
    fn known_component(&mut self, argument: ExprId, component: Scalar) -> Option<Word> {
        match (self.expr(argument).constant.as_ref()?, component.is_float()) {
            (Const::Bool(value), true) => Some(self.float_constant(component, f64::from(u8::from(*value)))),
            (Const::Bool(value), false) => Some(self.integer_constant(component, i128::from(*value))),
            (Const::Int(value), true) => Some(self.float_constant(component, *value as f64)),
            (Const::Int(value), false) => Some(self.integer_constant(component, *value)),
            (Const::Float(value), true) => Some(self.float_constant(component, *value)),
            (Const::Float(value), false) => Some(self.integer_constant(component, *value as i128)),
            (Const::Composite(_) | Const::Symbolic(_) | Const::Opaque { .. }, _) => None,
        }
    }

    fn convert_matrix(&mut self, value: Word, from: Ty, to: Ty, change: Change) -> Emit<Word> {
        if from == to && !change.transposed {
            return Ok(value);
        }
        let (Some(source), Some(component)) = (self.matrix_component(from), self.matrix_component(to)) else {
            return Err(self.fail("the component type of this matrix is not known"));
        };
        let (Some(from), Some(target)) = (self.as_coopmat(from), self.as_coopmat(to)) else {
            // The matrices of GL_NV_cooperative_matrix have no use.
            let id = self.type_id(to)?;
            return match resized(source, component) {
                Some(same_sign) => {
                    let between = self.coopmat_nv_type(to, same_sign)?;
                    let value = self.convert_components(value, source, same_sign, between)?;
                    Ok(self.b.value(Opcode::Bitcast, id, &[value]))
                }
                None if source == component => Ok(value),
                None => self.convert_components(value, source, component, id),
            };
        };
        let moves = from.usage != target.usage || change.transposed;
        if moves {
            self.use_conversion(from.usage, change);
        }
        let id = self.type_id(to)?;
        if source == component {
            return if moves { self.moved(value, id, change) } else { Ok(value) };
        }
        // Only an instruction that keeps the sign changes the width, and only one that keeps both changes the sign: the step
        // between them has the result's use already.
        let same_size = source.is_integer() && component.is_integer() && source.bits() == component.bits();
        if same_size && moves {
            let between = self.coopmat_type(Coopmat { component: source, ..target })?;
            let value = self.moved(value, between, change)?;
            return Ok(self.b.value(Opcode::Bitcast, id, &[value]));
        }
        match resized(source, component) {
            Some(same_sign) => {
                let between = self.coopmat_type(Coopmat { component: same_sign, ..target })?;
                let value = self.convert_components(value, source, same_sign, between)?;
                self.decorate_conversion(value, change);
                Ok(self.b.value(Opcode::Bitcast, id, &[value]))
            }
            None => {
                let value = self.convert_components(value, source, component, id)?;
                self.decorate_conversion(value, change);
                Ok(value)
            }
        }
    }

    /// The same components in a matrix of another use.
    fn moved(&mut self, value: Word, ty: Word, change: Change) -> Emit<Word> {
        let value = self.b.value(Opcode::CooperativeMatrixConvertNV, ty, &[value]);
        self.decorate_conversion(value, change);
        Ok(value)
    }

    fn decorate_conversion(&mut self, value: Word, change: Change) {
        if change.transposed {
            let operands =
                vec![Operand::IdRef(value), coopmat_spirv::Decoration::CooperativeMatrixTransposeEXT.into()];
            self.b.module.annotations.push(inst(Opcode::Decorate, None, None, operands));
        }
        if change.saturated {
            self.b.decorate(value, Decoration::SaturatedToLargestFloat8NormalConversionEXT, []);
        }
    }

    /// Declares that a conversion changes the use. The older capability is for those from an accumulator that do not transpose.
    fn use_conversion(&mut self, from: Sym, change: Change) {
        let of_both =
            self.types.symbols.as_int(from) == Some(values::GL_MATRIX_USE_ACCUMULATOR) && !change.transposed;
        if of_both && self.has_extension(ids::GL_NV_COOPERATIVE_MATRIX2) {
            self.b.extension(NV2);
            self.b.capability(Capability::CooperativeMatrixConversionsNV);
        } else {
            self.b.extension(MAINTENANCE);
            self.b.capability(Capability::CooperativeMatrixConversionsEXT);
        }
    }
}

/// Where integers change both width and sign: the type of the source's sign and the result's width.
fn resized(source: Scalar, component: Scalar) -> Option<Scalar> {
    let differs = source.is_integer()
        && component.is_integer()
        && source.bits() != component.bits()
        && source.class() != component.class();
    differs.then(|| with_width(source.class(), component.bits()))
}
