//! Cooperative vectors (SPV_NV_cooperative_vector): their type, constructors and functions.

use coopmat_analysis::extensions::Rule;
use coopmat_analysis::hir::ExprId;
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::types::{Scalar, ScalarClass, Ty, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{CooperativeMatrixOperands, StorageClass, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use crate::conversions::between;
use crate::places::Place;

use super::matrix::operands::{required, stored};

/// What the start of a vector in memory is a multiple of, in bytes (GL_NV_cooperative_vector, section 8.X).
const ALIGNED: u32 = 16;

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    match call.function.rule {
        Some(Rule::CoopVecMatMul) => multiply(codegen, call),
        Some(Rule::CoopVecAccumulate) => accumulate(codegen, call),
        Some(Rule::CoopVecLoad) => {
            let vector = required(codegen, call, 0)?;
            stored(codegen, vector, |codegen, ty| {
                let (place, operands) = memory(codegen, call)?;
                let mut operands: Vec<Operand> = operands.map(Operand::IdRef).into();
                operands.extend(codegen.memory_operands(&place, false));
                let ty = codegen.type_id(ty)?;
                Ok(codegen.b.value_with(Opcode::CooperativeVectorLoadNV, ty, operands))
            })
        }
        Some(Rule::CoopVecStore) => {
            let vector = required(codegen, call, 0)?;
            let value = codegen.value(vector)?;
            let (place, [pointer, offset]) = memory(codegen, call)?;
            let mut operands: Vec<Operand> = [pointer, offset, value].map(Operand::IdRef).into();
            operands.extend(codegen.memory_operands(&place, true));
            codegen.b.effect_with(Opcode::CooperativeVectorStoreNV, operands);
            Ok(0)
        }
        _ => Err(codegen.unsupported_builtin(call)),
    }
}

/// The array and the offset of a load or store: `f(v, buf, offset)`.
fn memory(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<(Place, [Word; 2])> {
    let (buffer, offset) = (required(codegen, call, 1)?, required(codegen, call, 2)?);
    let (place, pointer) = array(codegen, buffer)?;
    Ok((place, [pointer, codegen.value(offset)?]))
}

/// A pointer to an array as a whole, and the place that it points to.
fn array(codegen: &mut Codegen<'_>, buffer: ExprId) -> Emit<(Place, Word)> {
    let mut place = codegen.required_place(buffer)?;
    if place.class == StorageClass::PhysicalStorageBuffer {
        place.access.align = ALIGNED;
    }
    let before = codegen.enter(codegen.expr(buffer).range);
    let pointer = codegen.pointer(&mut place);
    codegen.leave(before);
    Ok((place, pointer?))
}

/// `coopVecMatMulNV` and `coopVecMatMulAddNV`: the operands are the arguments in their order. Which components are signed, the types of SPIR-V need
/// not say.
fn multiply(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    let [result, input, ..] = *call.arguments else {
        return Err(codegen.inconsistent("a product with too few arguments"));
    };
    stored(codegen, result, |codegen, ty| {
        let mut operands = vec![];
        for &argument in call.arguments.iter().skip(1) {
            let value = match codegen.types.as_array(codegen.ty(argument)) {
                Some(_) => array(codegen, argument)?.1,
                None => codegen.value(argument)?,
            };
            operands.push(Operand::IdRef(value));
        }
        let mut signed = CooperativeMatrixOperands::empty();
        for (ty, bit) in [
            (codegen.ty(input), CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR),
            (ty, CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR),
        ] {
            if codegen.types.component(ty).map(Scalar::class) == Some(ScalarClass::Signed) {
                signed |= bit;
            }
        }
        if !signed.is_empty() {
            operands.push(Operand::CooperativeMatrixOperands(signed));
        }
        let ty = codegen.type_id(ty)?;
        Ok(codegen.b.value_with(op, ty, operands))
    })
}

/// `coopVecOuterProductAccumulateNV(v1, v2, buf, offset, stride, layout, interpretation)` and
/// `coopVecReduceSumAccumulateNV(v, buf, offset)`: the memory comes first, the stride last.
fn accumulate(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    let arguments = call.arguments;
    let Some(at) = arguments.iter().position(|&each| codegen.types.as_array(codegen.ty(each)).is_some())
    else {
        return Err(codegen.inconsistent("sums that are in no array"));
    };
    let (vectors, memory) = arguments.split_at(at);
    let &[buffer, offset, ref rest @ ..] = memory else {
        return Err(codegen.inconsistent("sums without an offset"));
    };
    codegen.b.capability(Capability::CooperativeVectorTrainingNV);
    let mut operands = vec![array(codegen, buffer)?.1, codegen.value(offset)?];
    for &argument in vectors.iter().chain(rest.iter().skip(1)).chain(rest.first()) {
        operands.push(codegen.value(argument)?);
    }
    codegen.b.effect_with(op, operands.into_iter().map(Operand::IdRef).collect());
    Ok(0)
}

impl Codegen<'_> {
    /// `coopvecNV<...>(arguments)`: one scalar for all components, a vector of the same length, or the components.
    pub fn construct_coopvec(
        &mut self,
        arguments: &[ExprId],
        ty: Ty,
        (scalar, length): (Scalar, Sym),
    ) -> Emit<Word> {
        let id = self.type_id(ty)?;
        let given = self.types.symbols.default_value(length);
        let Some(count) = given.and_then(|count| u32::try_from(count).ok()) else {
            return Err(self.fail("the length of this vector is not known"));
        };
        if let &[argument] = arguments {
            let (value, from) = (self.value(argument)?, self.ty(argument));
            if let Some(from) = self.types.as_scalar(from) {
                let value = self.convert_scalars(value, from, scalar, 1)?;
                return Ok(match self.types.symbols.as_int(length) {
                    Some(1) => self.b.value(Opcode::CompositeConstruct, id, &[value]),
                    _ => self.replicated(value, id),
                });
            }
            match *self.types.kind(from) {
                TypeKind::CoopVec(from, _) => return self.convert_coopvec(value, from, scalar, length),
                // One of a specialized length has the same type in SPIR-V.
                TypeKind::LongVector(from, of) => {
                    let value = match self.types.symbols.as_int(of) {
                        Some(_) => {
                            let same = self.coopvec_type(from, length)?;
                            self.b.value(Opcode::Bitcast, same, &[value])
                        }
                        None => value,
                    };
                    return self.convert_coopvec(value, from, scalar, length);
                }
                _ => {}
            }
        }
        let mut parts = Vec::new();
        for &argument in arguments {
            if parts.len() >= count as usize {
                break;
            }
            self.components_of(argument, scalar, count as usize, &mut parts)?;
        }
        if parts.len() < count as usize {
            return Err(self.fail(format!(
                "this constructor has {} components, but the vector has {count} under the default values",
                parts.len()
            )));
        }
        Ok(self.b.value(Opcode::CompositeConstruct, id, &parts))
    }

    /// The components of an argument, converted, until there are as many parts as are wanted.
    fn components_of(
        &mut self,
        argument: ExprId,
        to: Scalar,
        wanted: usize,
        parts: &mut Vec<Word>,
    ) -> Emit<()> {
        let (value, ty) = (self.value(argument)?, self.ty(argument));
        let mut columns = vec![value];
        let (scalar, count) = match *self.types.kind(ty) {
            TypeKind::Matrix { component, columns: number, rows } => {
                let column = self.vector_type(component, u32::from(rows));
                columns = (0..u32::from(number)).map(|index| self.extract(column, value, index)).collect();
                (component, u32::from(rows))
            }
            TypeKind::Scalar(scalar) => {
                parts.push(self.convert_scalars(value, scalar, to, 1)?);
                return Ok(());
            }
            TypeKind::CoopVec(scalar, length) | TypeKind::LongVector(scalar, length) => {
                let known = self.types.symbols.as_int(length).and_then(|length| u32::try_from(length).ok());
                let Some(length) = known else {
                    return Err(self.fail(
                        "a vector of a specialized length must be the only argument of a constructor",
                    ));
                };
                (scalar, length)
            }
            TypeKind::Vector(scalar, length) => (scalar, u32::from(length)),
            _ => return Err(self.inconsistent("a vector of what has no components")),
        };
        let component = self.scalar_type(scalar);
        for column in columns {
            for index in 0..count {
                if parts.len() >= wanted {
                    return Ok(());
                }
                let part = self.extract(component, column, index);
                parts.push(self.convert_scalars(part, scalar, to, 1)?);
            }
        }
        Ok(())
    }

    /// Converts each component. As for other vectors, the width comes first, with the sign of the operand.
    pub fn convert_coopvec(&mut self, value: Word, from: Scalar, to: Scalar, length: Sym) -> Emit<Word> {
        if from == to {
            return Ok(value);
        }
        let id = self.coopvec_type(to, length)?;
        if let Some(wide) = between(from, to) {
            let wide_type = self.coopvec_type(wide, length)?;
            let value = self.convert_components(value, from, wide, wide_type)?;
            return self.convert_components(value, wide, to, id);
        }
        self.convert_components(value, from, to, id)
    }
}
