//! Operators, and which instruction they are for which component type.

mod conditions;
mod instructions;

use coopmat_analysis::hir::{BinaryOp, ExprId, ExprKind, IncDec, UnaryOp};
use coopmat_analysis::types::{ArrayLength, Scalar, Ty, TypeKind};
use rspirv::spirv::{Decoration, Op, Word};
use smallvec::SmallVec;

use crate::codegen::{Codegen, Emit};
use crate::types::MAX_PARTS;
use instructions::float_op;

pub(crate) use instructions::integer_op;

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual
    )
}

/// Both operands of an operator, with their types.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    pub left: Word,
    pub left_ty: Ty,
    pub right: Word,
    pub right_ty: Ty,
}

impl<'a> Codegen<'a> {
    /// An arithmetic instruction of the expression that is compiled, which may be one that must not be contracted.
    pub fn computed(&mut self, op: Op, ty: Word, operands: &[Word]) -> Word {
        let id = self.b.value(op, ty, operands);
        let contracts = matches!(
            op,
            Op::FAdd
                | Op::FSub
                | Op::FMul
                | Op::FDiv
                | Op::FNegate
                | Op::VectorTimesScalar
                | Op::MatrixTimesScalar
                | Op::MatrixTimesVector
                | Op::VectorTimesMatrix
                | Op::MatrixTimesMatrix
        );
        if self.f.exact && contracts {
            self.b.decorate(id, Decoration::NoContraction, []);
        }
        id
    }

    pub fn unary(&mut self, op: UnaryOp, operand: ExprId, ty: Ty) -> Emit<Word> {
        let value = self.value(operand)?;
        if op == UnaryOp::Plus {
            return Ok(value);
        }
        let result = self.type_id(ty)?;
        let scalar = match *self.types.kind(ty) {
            TypeKind::CoopmatNv(matrix) => self.nv_component(matrix.class, matrix.bits),
            _ => self.types.component(ty),
        };
        let Some(scalar) = scalar else {
            return Err(self.inconsistent("an operator on a value without components"));
        };
        let op = match op {
            UnaryOp::Negate if scalar.is_float() => Op::FNegate,
            UnaryOp::Negate => Op::SNegate,
            UnaryOp::Not => Op::LogicalNot,
            UnaryOp::BitNot => Op::Not,
            UnaryOp::Plus => return Ok(value),
        };
        if let TypeKind::Matrix { component, columns, rows } = *self.types.kind(ty) {
            return self.by_column(ty, component, columns, rows, &[value], |codegen, column, parts| {
                Ok(codegen.computed(op, column, parts))
            });
        }
        if let TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) = self.types.kind(ty) {
            return Ok(self.b.value(op, result, &[value]));
        }
        Ok(self.computed(op, result, &[value]))
    }

    /// Applies an operation to each column of matrices.
    pub fn by_column(
        &mut self,
        ty: Ty,
        component: Scalar,
        columns: u8,
        rows: u8,
        matrices: &[Word],
        mut apply: impl FnMut(&mut Self, Word, &[Word]) -> Emit<Word>,
    ) -> Emit<Word> {
        let column = self.vector_type(component, u32::from(rows));
        let mut parts: SmallVec<[Word; 4]> = SmallVec::new();
        for index in 0..u32::from(columns) {
            let operands: SmallVec<[Word; 3]> =
                matrices.iter().map(|&matrix| self.extract(column, matrix, index)).collect();
            parts.push(apply(self, column, &operands)?);
        }
        let ty = self.type_id(ty)?;
        Ok(self.b.value(Op::CompositeConstruct, ty, &parts))
    }

    /// `a + b + c` nests to the left, however long it is: the left operands are followed in a loop.
    pub fn binary_chain(&mut self, expr: ExprId) -> Emit<Word> {
        let mut chain: SmallVec<[(ExprId, BinaryOp, ExprId, ExprId); 4]> = SmallVec::new();
        let mut at = expr;
        let mut known = None;
        while let ExprKind::Binary { op, left, right } = self.expr(at).kind {
            // A constant part is one value, unless it is so long that it is computed at run time.
            if at != expr
                && let Some(constant) = &self.expr(at).constant
            {
                if !constant.is_specialization() {
                    break;
                }
                known = self.spec_value(at)?;
                if known.is_some() {
                    break;
                }
            }
            chain.push((at, op, left, right));
            at = left;
        }
        let mut value = match known {
            Some(known) => known,
            None => self.value(at)?,
        };
        while let Some((node, op, left, right)) = chain.pop() {
            let before = self.enter(self.expr(node).range);
            let bound = self.b.bound;
            let exact = std::mem::replace(&mut self.f.exact, self.f.precise.contains(&node));
            let result = self.binary_with(op, value, left, right, self.ty(node));
            self.f.exact = exact;
            if let Ok(id) = result
                && node != expr
                && id >= bound
                && self.less_precision
            {
                self.mark_result(node, id);
            }
            self.leave(before);
            value = result?;
        }
        Ok(value)
    }

    /// A binary operator whose left operand is computed.
    fn binary_with(
        &mut self,
        op: BinaryOp,
        left_value: Word,
        left: ExprId,
        right: ExprId,
        ty: Ty,
    ) -> Emit<Word> {
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            return self.short_circuit(op, left_value, right);
        }
        let operands = Operands {
            left: left_value,
            left_ty: self.ty(left),
            right: self.value(right)?,
            right_ty: self.ty(right),
        };
        self.apply(op, operands, ty)
    }

    /// A binary operator on values.
    pub fn apply(&mut self, op: BinaryOp, operands: Operands, ty: Ty) -> Emit<Word> {
        let Operands { left, left_ty, right, right_ty } = operands;
        match (self.types.kind(left_ty), self.types.kind(right_ty)) {
            (TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_), _)
            | (_, TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_)) => {
                return self.apply_to_coopmat(op, operands, ty);
            }
            (TypeKind::Reference(_), _) | (_, TypeKind::Reference(_)) => {
                return self.apply_to_reference(op, operands, ty);
            }
            (TypeKind::Matrix { .. }, _) | (_, TypeKind::Matrix { .. }) => {
                return self.apply_to_matrix(op, operands, ty);
            }
            _ => {}
        }
        let (Some(scalar), Some(_)) = (self.types.component(left_ty), self.types.component(right_ty)) else {
            return self.whole_comparison(op, left, right, left_ty);
        };
        let Some(instruction) = self.component_op(op, scalar) else {
            return Err(self.inconsistent("an operator that its operands do not have"));
        };
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            return self.equality(op == BinaryOp::Equal, instruction, left, right, left_ty);
        }
        let result = self.type_id(ty)?;
        if is_comparison(op) {
            let operand_type = self.type_id(left_ty)?;
            self.b.computes_in(operand_type);
            return Ok(self.b.value(instruction, result, &[left, right]));
        }
        let (left_scalar, right_scalar) =
            (self.types.as_scalar(left_ty).is_some(), self.types.as_scalar(right_ty).is_some());
        if op == BinaryOp::Mul && scalar.is_float() && left_scalar != right_scalar {
            // A vector times a scalar has an instruction of its own.
            let (vector, factor) = if left_scalar { (right, left) } else { (left, right) };
            return Ok(self.computed(Op::VectorTimesScalar, result, &[vector, factor]));
        }
        let left = if left_scalar && !right_scalar { self.spread(left, left_ty, ty)? } else { left };
        let right = if right_scalar && !left_scalar { self.spread(right, right_ty, ty)? } else { right };
        Ok(self.computed(instruction, result, &[left, right]))
    }

    pub fn component_op(&self, op: BinaryOp, scalar: Scalar) -> Option<Op> {
        if scalar.is_float() { float_op(op) } else { integer_op(op, scalar) }
    }

    /// A scalar in each component of a vector of the same length as `like`.
    pub fn spread(&mut self, value: Word, scalar_ty: Ty, like: Ty) -> Emit<Word> {
        match (self.types.as_scalar(scalar_ty), self.types.as_vector(like), self.types.kind(like)) {
            (Some(scalar), Some((_, length)), _) => Ok(self.splat(value, scalar, length)),
            (Some(_), None, TypeKind::LongVector(..) | TypeKind::CoopVec(..)) => {
                let ty = self.type_id(like)?;
                Ok(self.replicated(value, ty))
            }
            _ => Err(self.inconsistent("a scalar that is spread over what is no vector")),
        }
    }

    /// A vector of equal components; the scalar itself for length 1.
    pub fn splat(&mut self, value: Word, scalar: Scalar, length: u32) -> Word {
        if length == 1 {
            return value;
        }
        let ty = self.vector_type(scalar, length);
        let parts: SmallVec<[Word; 4]> = (0..length).map(|_| value).collect();
        self.b.value(Op::CompositeConstruct, ty, &parts)
    }

    /// `==` and `!=` of scalars and vectors: one `bool`.
    fn equality(&mut self, equal: bool, op: Op, left: Word, right: Word, ty: Ty) -> Emit<Word> {
        let operand_type = self.type_id(ty)?;
        self.b.computes_in(operand_type);
        let bool_type = self.bool_type();
        match self.types.as_vector(ty) {
            Some((_, 1)) => Ok(self.b.value(op, bool_type, &[left, right])),
            Some((_, length)) => {
                let bools = self.vector_type(Scalar::Bool, length);
                let each = self.b.value(op, bools, &[left, right]);
                Ok(self.b.value(if equal { Op::All } else { Op::Any }, bool_type, &[each]))
            }
            None => Err(self.fail("vectors of a specialized length cannot be compared")),
        }
    }

    /// `==` and `!=` of matrices, arrays and structures: part by part.
    fn whole_comparison(&mut self, op: BinaryOp, left: Word, right: Word, ty: Ty) -> Emit<Word> {
        let equal = match op {
            BinaryOp::Equal => true,
            BinaryOp::NotEqual => false,
            _ => return Err(self.inconsistent("an operator that its operands do not have")),
        };
        if self.count_parts(ty) > MAX_PARTS {
            return Err(
                self.fail("values with so many parts cannot be compared as a whole: compare their parts")
            );
        }
        self.compare_parts(equal, left, right, ty)
    }

    fn compare_parts(&mut self, equal: bool, left: Word, right: Word, ty: Ty) -> Emit<Word> {
        let op = if equal { BinaryOp::Equal } else { BinaryOp::NotEqual };
        let mut parts: Vec<(Word, Ty)> = Vec::new();
        match *self.types.kind(ty) {
            TypeKind::Array(element, ArrayLength::Sized(length)) => {
                let Some(length) =
                    self.types.symbols.as_int(length).filter(|length| (1..=4096).contains(length))
                else {
                    return Err(self.fail("arrays of this size cannot be compared as a whole"));
                };
                let id = self.type_id(element)?;
                parts.extend((0..length).map(|_| (id, element)));
            }
            TypeKind::Struct(structure) => {
                for member in &self.hir.structs[structure].members {
                    parts.push((self.type_id(member.ty)?, member.ty));
                }
            }
            TypeKind::Matrix { component, columns, rows } => {
                let column = self.vector_type(component, u32::from(rows));
                let bools = self.vector_type(Scalar::Bool, u32::from(rows));
                let bool_type = self.bool_type();
                let (each, all, join) = match equal {
                    true => (Op::FOrdEqual, Op::All, Op::LogicalAnd),
                    false => (Op::FUnordNotEqual, Op::Any, Op::LogicalOr),
                };
                let mut result = None;
                for index in 0..u32::from(columns) {
                    let (a, b) = (self.extract(column, left, index), self.extract(column, right, index));
                    let parts = self.b.value(each, bools, &[a, b]);
                    let column_result = self.b.value(all, bool_type, &[parts]);
                    result = Some(match result {
                        Some(before) => self.b.value(join, bool_type, &[before, column_result]),
                        None => column_result,
                    });
                }
                return result.ok_or_else(|| self.inconsistent("a comparison of nothing"));
            }
            _ => {
                let Some(scalar) = self.types.component(ty) else {
                    return Err(self.fail("values of this type cannot be compared"));
                };
                let Some(instruction) = self.component_op(op, scalar) else {
                    return Err(self.inconsistent("a comparison that its operands do not have"));
                };
                return self.equality(equal, instruction, left, right, ty);
            }
        }
        let bool_type = self.bool_type();
        let mut result = None;
        for (index, (id, part)) in parts.into_iter().enumerate() {
            let (a, b) = (self.extract(id, left, index as u32), self.extract(id, right, index as u32));
            let one = self.compare_parts(equal, a, b, part)?;
            let join = if equal { Op::LogicalAnd } else { Op::LogicalOr };
            result = Some(match result {
                Some(before) => self.b.value(join, bool_type, &[before, one]),
                None => one,
            });
        }
        Ok(result.unwrap_or_else(|| self.bool_constant(equal)))
    }

    fn apply_to_matrix(&mut self, op: BinaryOp, operands: Operands, ty: Ty) -> Emit<Word> {
        let Operands { left, left_ty, right, right_ty } = operands;
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            return self.whole_comparison(op, left, right, left_ty);
        }
        let result = self.type_id(ty)?;
        let is_matrix = |kind: &TypeKind| matches!(kind, TypeKind::Matrix { .. });
        let (left_matrix, right_matrix) =
            (is_matrix(self.types.kind(left_ty)), is_matrix(self.types.kind(right_ty)));
        let scalar = |ty| self.types.as_scalar(ty).is_some();
        let (left_scalar, right_scalar) = (scalar(left_ty), scalar(right_ty));
        if op == BinaryOp::Mul {
            let (instruction, a, b) = match (left_matrix, right_matrix) {
                (true, true) => (Op::MatrixTimesMatrix, left, right),
                (true, false) if right_scalar => (Op::MatrixTimesScalar, left, right),
                (false, true) if left_scalar => (Op::MatrixTimesScalar, right, left),
                (true, false) => (Op::MatrixTimesVector, left, right),
                _ => (Op::VectorTimesMatrix, left, right),
            };
            return Ok(self.computed(instruction, result, &[a, b]));
        }
        let Some(instruction) = float_op(op) else {
            return Err(self.inconsistent("an operator that matrices do not have"));
        };
        let TypeKind::Matrix { component, columns, rows } = *self.types.kind(ty) else {
            return Err(self.inconsistent("a matrix operation without a matrix as its result"));
        };
        if op == BinaryOp::Div && right_scalar {
            let one = self.one(component);
            let scalar_type = self.scalar_type(component);
            let inverse = self.computed(Op::FDiv, scalar_type, &[one, right]);
            return Ok(self.computed(Op::MatrixTimesScalar, result, &[left, inverse]));
        }
        let rows_count = u32::from(rows);
        let left_column = left_scalar.then(|| self.splat(left, component, rows_count));
        let right_column = right_scalar.then(|| self.splat(right, component, rows_count));
        let matrices: SmallVec<[Word; 2]> = match (left_column, right_column) {
            (None, None) => SmallVec::from_slice(&[left, right]),
            (Some(_), _) => SmallVec::from_slice(&[right]),
            (None, Some(_)) => SmallVec::from_slice(&[left]),
        };
        self.by_column(ty, component, columns, rows, &matrices, |codegen, column, parts| {
            let (a, b) = match (left_column, right_column, parts) {
                (Some(a), _, &[b]) => (a, b),
                (None, Some(b), &[a]) => (a, b),
                (_, _, &[a, b]) => (a, b),
                _ => return Err(codegen.inconsistent("a column is missing")),
            };
            Ok(codegen.computed(instruction, column, &[a, b]))
        })
    }

    /// Cooperative matrices: component by component, and times a scalar.
    fn apply_to_coopmat(&mut self, op: BinaryOp, operands: Operands, ty: Ty) -> Emit<Word> {
        let Operands { left, left_ty, right, right_ty } = operands;
        let result = self.type_id(ty)?;
        if self.types.as_scalar(right_ty).is_some() {
            return Ok(self.b.value(Op::MatrixTimesScalar, result, &[left, right]));
        }
        if self.types.as_scalar(left_ty).is_some() {
            return Ok(self.b.value(Op::MatrixTimesScalar, result, &[right, left]));
        }
        let scalar = match *self.types.kind(ty) {
            TypeKind::CoopmatNv(matrix) => self.nv_component(matrix.class, matrix.bits),
            _ => self.types.component(ty),
        };
        let Some(instruction) = scalar.and_then(|scalar| self.component_op(op, scalar)) else {
            return Err(self.inconsistent("an operator that cooperative matrices do not have"));
        };
        Ok(self.b.value(instruction, result, &[left, right]))
    }

    /// Addresses plus and minus integers count blocks (GL_EXT_buffer_reference2).
    fn apply_to_reference(&mut self, op: BinaryOp, operands: Operands, ty: Ty) -> Emit<Word> {
        let Operands { left, left_ty, right, right_ty } = operands;
        let kinds = (self.types.kind(left_ty), self.types.kind(right_ty));
        let long = self.scalar_type(Scalar::Int64);
        let address_type = self.scalar_type(Scalar::Uint64);
        match kinds {
            (&TypeKind::Reference(structure), TypeKind::Reference(_)) => {
                let stride = self.reference_stride(structure)?;
                let (a, b) = (
                    self.b.value(Op::ConvertPtrToU, address_type, &[left]),
                    self.b.value(Op::ConvertPtrToU, address_type, &[right]),
                );
                let bytes = self.b.value(Op::ISub, long, &[a, b]);
                let stride = self.integer_constant(Scalar::Int64, i128::from(stride));
                Ok(self.b.value(Op::SDiv, long, &[bytes, stride]))
            }
            (&TypeKind::Reference(structure), _) => {
                self.step_address(left, structure, right, right_ty, op == BinaryOp::Sub, ty)
            }
            (_, &TypeKind::Reference(structure)) => {
                self.step_address(right, structure, left, left_ty, false, ty)
            }
            _ => Err(self.inconsistent("an address where there is none")),
        }
    }

    /// The address of the block so many blocks further.
    pub fn step_address(
        &mut self,
        address: Word,
        structure: coopmat_analysis::hir::StructId,
        steps: Word,
        steps_ty: Ty,
        back: bool,
        ty: Ty,
    ) -> Emit<Word> {
        let long = self.scalar_type(Scalar::Uint64);
        let stride = self.reference_stride(structure)?;
        let base = self.b.value(Op::ConvertPtrToU, long, &[address]);
        let Some(scalar) = self.types.as_scalar(steps_ty) else {
            return Err(self.inconsistent("an address is stepped by what is no integer"));
        };
        // Negative steps lead back: 64-bit addresses wrap around.
        let steps = self.convert_scalars(steps, scalar, Scalar::Uint64, 1)?;
        let stride = self.integer_constant(Scalar::Uint64, i128::from(stride));
        let bytes = self.b.value(Op::IMul, long, &[steps, stride]);
        let op = if back { Op::ISub } else { Op::IAdd };
        let moved = self.b.value(op, long, &[base, bytes]);
        let pointer = self.type_id(ty)?;
        Ok(self.b.value(Op::ConvertUToPtr, pointer, &[moved]))
    }

    pub fn increment(&mut self, op: IncDec, operand: ExprId) -> Emit<Word> {
        let ty = self.ty(operand);
        let mut place = self.required_place(operand)?;
        let before = self.load(&mut place)?;
        let (binary, post) = match op {
            IncDec::PreIncrement => (BinaryOp::Add, false),
            IncDec::PreDecrement => (BinaryOp::Sub, false),
            IncDec::PostIncrement => (BinaryOp::Add, true),
            IncDec::PostDecrement => (BinaryOp::Sub, true),
        };
        let after = if let TypeKind::Reference(structure) = *self.types.kind(ty) {
            let one = self.int_constant(1);
            self.step_address(before, structure, one, Ty::INT, binary == BinaryOp::Sub, ty)?
        } else {
            let Some(scalar) = self.types.component(ty) else {
                return Err(self.inconsistent("an increment of what has no components"));
            };
            let one = self.one(scalar);
            let Some(instruction) = self.component_op(binary, scalar) else {
                return Err(self.inconsistent("an increment of what is no number"));
            };
            if let TypeKind::Matrix { component, columns, rows } = *self.types.kind(ty) {
                let ones = self.splat_constant(component, u32::from(rows), one);
                self.by_column(ty, component, columns, rows, &[before], |codegen, column, parts| {
                    let &[part] = parts else { return Err(codegen.inconsistent("a column is missing")) };
                    Ok(codegen.computed(instruction, column, &[part, ones]))
                })?
            } else {
                let length = self.types.as_vector(ty).map_or(1, |(_, length)| length);
                let ones = self.splat_constant(scalar, length, one);
                let result = self.type_id(ty)?;
                self.computed(instruction, result, &[before, ones])
            }
        };
        self.store(&mut place, after)?;
        Ok(if post { before } else { after })
    }

    pub fn assign(&mut self, op: Option<BinaryOp>, target: ExprId, value: ExprId) -> Emit<Word> {
        let ty = self.ty(target);
        let Some(op) = op else {
            let mut place = self.required_place(target)?;
            let value = self.value(value)?;
            self.store(&mut place, value)?;
            return Ok(value);
        };
        let mut place = self.required_place(target)?;
        let right = self.value(value)?;
        let left = self.load(&mut place)?;
        let operands = Operands { left, left_ty: ty, right, right_ty: self.ty(value) };
        let result = self.apply(op, operands, ty)?;
        self.store(&mut place, result)?;
        Ok(result)
    }
}
