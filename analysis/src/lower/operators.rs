//! Operators: GLSL 4.60 section 5.9, with the types and operators that extensions add.

use super::Lowerer;
use super::expression_state::{Refusal, Typing};
use super::shapes::Shape;
use crate::diagnostics::codes;
use crate::hir::{BinaryOp, Const, Expr, ExprId, ExprKind, IncDec, RemedyKind, UnaryOp, has_part};
use crate::text::TextRange;
use crate::types::{Scalar, ScalarClass, Ty, TypeKind};

impl BinaryOp {
    fn is_relational(self) -> bool {
        matches!(self, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual)
    }

    fn is_equality(self) -> bool {
        matches!(self, BinaryOp::Equal | BinaryOp::NotEqual)
    }

    fn is_logical(self) -> bool {
        matches!(self, BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::LogicalXor)
    }

    pub(super) fn is_arithmetic(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
    }
}

impl<'a> Lowerer<'a> {
    /// The type of a binary operator's result and what its operands become.
    fn binary_typing(&mut self, op: BinaryOp, left: Ty, right: Ty) -> Result<Typing, Refusal> {
        if left == right {
            // Nearly all operators have two `int`, `uint` or `float`.
            let scalar = match left {
                Ty::INT => Some(Scalar::Int32),
                Ty::UINT => Some(Scalar::Uint32),
                Ty::FLOAT if op.is_arithmetic() || op.is_relational() || op.is_equality() => {
                    Some(Scalar::Float32)
                }
                _ => None,
            };
            if scalar.is_some() && !op.is_logical() {
                let result = if op.is_relational() || op.is_equality() { Ty::BOOL } else { left };
                return Ok(Typing { left, right, result, scalar });
            }
        }
        if let Some(&known) = self.expressions.typings.get(&(op, left, right)) {
            return known;
        }
        let typing = self.type_binary(op, left, right);
        self.expressions.typings.insert((op, left, right), typing);
        typing
    }

    fn type_binary(&mut self, op: BinaryOp, left: Ty, right: Ty) -> Result<Typing, Refusal> {
        let is_matrix = |kind: &TypeKind| matches!(kind, TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_));
        let (left_kind, right_kind) = (self.types.kind(left), self.types.kind(right));
        if is_matrix(left_kind) || is_matrix(right_kind) {
            return self.type_coopmat_binary(op, left, right);
        }
        if matches!(left_kind, TypeKind::CoopVec(..)) || matches!(right_kind, TypeKind::CoopVec(..)) {
            return self.type_coopvec_binary(op, left, right);
        }
        if matches!(left_kind, TypeKind::Reference(_)) || matches!(right_kind, TypeKind::Reference(_)) {
            return self.type_reference_binary(op, left, right);
        }
        let (Some((left_scalar, left_shape)), Some((right_scalar, right_shape))) =
            (self.types.shape(left), self.types.shape(right))
        else {
            return self.type_whole_comparison(op, left, right);
        };
        let bool_involved = left_scalar == Scalar::Bool || right_scalar == Scalar::Bool;
        let small =
            [left_scalar, right_scalar].into_iter().find(|scalar| scalar.class() == ScalarClass::SmallFloat);
        if op.is_logical() {
            if left == Ty::BOOL && right == Ty::BOOL {
                return Ok(Typing { left, right, result: Ty::BOOL, scalar: Some(Scalar::Bool) });
            }
            return Err(if left_scalar == Scalar::Bool && right_scalar == Scalar::Bool {
                Refusal::NeedsScalar
            } else {
                Refusal::NeedsBool
            });
        }
        if op.is_equality() {
            let Some(scalar) = self.common_scalar(left_scalar, right_scalar) else {
                return Err(Refusal::Operands);
            };
            if !self.same_shape(left_shape, right_shape) {
                return Err(Refusal::Sizes);
            }
            let left = self.types.shaped(scalar, left_shape);
            let right = self.types.shaped(scalar, right_shape);
            return Ok(Typing { left, right, result: Ty::BOOL, scalar: Some(scalar) });
        }
        if bool_involved {
            return Err(Refusal::Operands);
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            if !left_scalar.is_integer() || !right_scalar.is_integer() {
                return Err(Refusal::NeedsInteger);
            }
            if right_shape != Shape::Scalar && !self.same_shape(left_shape, right_shape) {
                return Err(Refusal::Sizes);
            }
            return Ok(Typing { left, right, result: left, scalar: Some(left_scalar) });
        }
        let Some(scalar) = self.common_scalar(left_scalar, right_scalar) else {
            return Err(Refusal::Operands);
        };
        if op.is_relational() {
            if left_shape != Shape::Scalar || right_shape != Shape::Scalar {
                return Err(Refusal::NeedsScalar);
            }
            let ty = self.types.scalar(scalar);
            return Ok(Typing { left: ty, right: ty, result: Ty::BOOL, scalar: Some(scalar) });
        }
        if !op.is_arithmetic() {
            if !left_scalar.is_integer() || !right_scalar.is_integer() {
                return Err(Refusal::NeedsInteger);
            }
        } else if let Some(small) = small.filter(|_| scalar.class() == ScalarClass::SmallFloat) {
            return Err(Refusal::SmallFloat(small));
        }
        let shape = if left_shape == Shape::Scalar {
            right_shape
        } else if right_shape == Shape::Scalar
            || (self.same_shape(left_shape, right_shape) && !(op == BinaryOp::Mul && left_shape.is_matrix()))
        {
            left_shape
        } else if op == BinaryOp::Mul {
            self.product_shape(left_shape, right_shape).ok_or(Refusal::Sizes)?
        } else {
            return Err(Refusal::Sizes);
        };
        let left = self.types.shaped(scalar, left_shape);
        let right = self.types.shaped(scalar, right_shape);
        let result = self.types.shaped(scalar, shape);
        Ok(Typing { left, right, result, scalar: Some(scalar) })
    }

    fn same_shape(&self, a: Shape, b: Shape) -> bool {
        match (a, b) {
            (Shape::LongVector(a), Shape::LongVector(b)) => self.types.may_equal(a, b),
            (a, b) => a == b,
        }
    }

    /// The shape of a product of linear algebra, at least one side of which is a matrix.
    fn product_shape(&self, left: Shape, right: Shape) -> Option<Shape> {
        match (left, right) {
            (Shape::Matrix { columns, rows }, Shape::Vector(length)) => {
                (columns == length).then_some(Shape::Vector(rows))
            }
            (Shape::Vector(length), Shape::Matrix { columns, rows }) => {
                (rows == length).then_some(Shape::Vector(columns))
            }
            (Shape::Matrix { columns: inner, rows }, Shape::Matrix { columns, rows: other_inner }) => {
                (inner == other_inner).then_some(Shape::Matrix { columns, rows })
            }
            _ => None,
        }
    }

    /// GL_KHR_cooperative_matrix and GL_NV_cooperative_matrix: "Modify Section 5.9, Expressions".
    fn type_coopmat_binary(&mut self, op: BinaryOp, left: Ty, right: Ty) -> Result<Typing, Refusal> {
        if !op.is_arithmetic() {
            return Err(Refusal::CoopmatOperator);
        }
        let component = |types: &crate::types::Types, ty: Ty| match types.kind(ty) {
            TypeKind::Coopmat(matrix) => Some((Some(matrix.component), false)),
            TypeKind::CoopmatNv(_) => Some((types.coopmat_nv_component(ty), true)),
            _ => None,
        };
        let small =
            |scalar: Option<Scalar>| scalar.filter(|scalar| scalar.class() == ScalarClass::SmallFloat);
        match (component(&self.types, left), component(&self.types, right)) {
            (Some((scalar, nv)), Some(_)) => {
                if !self.types.may_be_same(left, right) {
                    return Err(Refusal::CoopmatTypes);
                }
                if let Some(scalar) = small(scalar) {
                    return Err(Refusal::SmallFloat(scalar));
                }
                if nv && op == BinaryOp::Mul {
                    return Err(Refusal::CoopmatOperator);
                }
                Ok(Typing { left, right, result: left, scalar: None })
            }
            (Some((scalar, _)), None) | (None, Some((scalar, _))) => {
                let (matrix, other) = match component(&self.types, left) {
                    Some(_) => (left, right),
                    None => (right, left),
                };
                if op != BinaryOp::Mul {
                    return Err(Refusal::CoopmatOperator);
                }
                if let Some(scalar) = small(scalar) {
                    return Err(Refusal::SmallFloat(scalar));
                }
                // Bits that are not known may be those of the scalar.
                if let Some(scalar) = scalar
                    && self.types.as_scalar(other) != Some(scalar)
                {
                    return Err(match self.types.as_scalar(other) {
                        Some(_) => Refusal::CoopmatScalar(scalar),
                        None => Refusal::CoopmatOperator,
                    });
                }
                Ok(Typing { left, right, result: matrix, scalar: None })
            }
            (None, None) => Err(Refusal::Operands),
        }
    }

    /// GL_EXT_buffer_reference2: references plus and minus integers, and the distance of two references.
    fn type_reference_binary(&mut self, op: BinaryOp, left: Ty, right: Ty) -> Result<Typing, Refusal> {
        let is_integer = |ty: Ty| self.types.as_scalar(ty).is_some_and(Scalar::is_integer);
        if op.is_equality() && left == right {
            return Err(Refusal::ReferenceComparison);
        }
        let result = match op {
            BinaryOp::Sub if left == right => self.types.scalar(Scalar::Int64),
            BinaryOp::Add | BinaryOp::Sub if is_integer(right) => left,
            BinaryOp::Add if is_integer(left) => right,
            _ => return Err(Refusal::Reference),
        };
        Ok(Typing { left, right, result, scalar: None })
    }

    /// `==` and `!=` of whole arrays and structures.
    fn type_whole_comparison(&mut self, op: BinaryOp, left: Ty, right: Ty) -> Result<Typing, Refusal> {
        if !op.is_equality() {
            return Err(Refusal::Operands);
        }
        if !self.types.may_be_same(left, right) {
            return Err(Refusal::Operands);
        }
        match self.types.kind(left) {
            TypeKind::Array(..) | TypeKind::Struct(_) => {
                if [left, right].iter().any(|&ty| self.types.is_open_array(ty)) || self.is_block(left) {
                    return Err(Refusal::Operands);
                }
                if self.contains_opaque(left) {
                    return Err(Refusal::Opaque);
                }
                Ok(Typing { left, right, result: Ty::BOOL, scalar: None })
            }
            TypeKind::Opaque(_) => Err(Refusal::Opaque),
            _ => Err(Refusal::Operands),
        }
    }

    /// Whether a type is or contains an image, a sampler or their like.
    pub(super) fn contains_opaque(&self, ty: Ty) -> bool {
        let is_opaque = |ty: Ty| matches!(self.types.kind(ty), TypeKind::Opaque(_));
        has_part(&self.types, &self.module.structs, ty, is_opaque)
    }

    /// Lowers a binary operator whose operands are lowered.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        op_range: TextRange,
        left: ExprId,
        right: ExprId,
        range: TextRange,
    ) -> ExprId {
        let (left_ty, right_ty) = (self.type_of(left), self.type_of(right));
        let typing = if self.types.is_error(left_ty) || self.types.is_error(right_ty) {
            None
        } else {
            match self.binary_typing(op, left_ty, right_ty) {
                Ok(typing) => Some(typing),
                Err(refusal) => {
                    self.refuse(refusal, op.symbol(), range, left, Some(right));
                    None
                }
            }
        };
        let Some(typing) = typing else {
            let kind = ExprKind::Binary { op, left, right };
            return self.body.exprs.alloc(Expr { kind, ty: Ty::ERROR, range, constant: None });
        };
        // What is converted for the operator counts by the type that it has: "do not support any mathematical operations".
        let has_component = |ty: &Ty| {
            self.types.shape(*ty).is_some() || matches!(self.types.kind(*ty), TypeKind::Reference(_))
        };
        let narrow = |ty: &Ty| self.types.component(*ty).is_some_and(|scalar| self.is_storage_only(scalar));
        let operands = [left_ty, right_ty];
        let operand = operands.into_iter().find(|ty| operands.iter().all(has_component) && narrow(ty));
        let operand = operand.unwrap_or(typing.left);
        self.storage_only_operation(operand, &format!("`{}` of a", op.symbol()), op_range);
        if operands.iter().any(|ty| matches!(self.types.kind(*ty), TypeKind::Reference(_))) {
            self.check_reference_arithmetic(&format!("`{}` of a buffer reference", op.symbol()), op_range);
        }
        let left = self.converted(left, typing.left);
        let right = self.converted(right, typing.right);
        self.check_constant_operand(op, left, right, op_range);
        let constant = self.fold_operands(op, typing, left, right);
        let kind = ExprKind::Binary { op, left, right };
        self.body.exprs.alloc(Expr { kind, ty: typing.result, range, constant })
    }

    fn fold_operands(&mut self, op: BinaryOp, typing: Typing, left: ExprId, right: ExprId) -> Option<Const> {
        let (a, b) = (self.body.exprs[left].constant.as_ref()?, self.body.exprs[right].constant.as_ref()?);
        let (a, b) = (a.clone(), b.clone());
        let shapes = (self.types.shape(typing.left), self.types.shape(typing.right));
        if let (Some(scalar), (Some((_, left)), Some((_, right)))) = (typing.scalar, shapes) {
            // An operand that repeats in each component of a vector is a scalar here.
            return Some(self.fold_binary(op, scalar, (&a, left), (&b, right)));
        }
        if op.is_equality() {
            let known = |constant: &Const| !matches!(constant, Const::Opaque { .. });
            let (mut left, mut right) = (Vec::new(), Vec::new());
            if super::folding::flatten(&a, &mut left).is_some()
                && super::folding::flatten(&b, &mut right).is_some()
                && left.iter().chain(&right).all(|part| known(part) && !part.is_specialization())
            {
                return Some(Const::Bool((left == right) == (op == BinaryOp::Equal)));
            }
        }
        Some(Const::Opaque { specialization: a.is_specialization() || b.is_specialization() })
    }

    /// Warns about a division by a constant zero and about shifts by more than the width.
    fn check_constant_operand(&mut self, op: BinaryOp, left: ExprId, right: ExprId, op_range: TextRange) {
        if !matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr) {
            return;
        }
        let Some(constant) = &self.body.exprs[right].constant else { return };
        let Some(width) = self.types.component(self.type_of(left)).filter(|scalar| scalar.is_integer())
        else {
            return;
        };
        let any = |test: &dyn Fn(i128) -> bool| match constant {
            Const::Int(value) => test(*value),
            Const::Composite(parts) => parts.iter().any(|part| part.as_int().is_some_and(test)),
            _ => false,
        };
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            if any(&|value| value == 0) {
                let what = if op == BinaryOp::Div { "division" } else { "remainder of a division" };
                self.report(&codes::DIVISION_BY_ZERO, op_range, format!("{what} by zero is undefined"));
            }
        } else {
            let bits = i128::from(width.bits());
            if any(&|value| value < 0 || value >= bits) {
                let ty = self.display(self.type_of(left));
                self.report(
                    &codes::SHIFT_OUT_OF_RANGE,
                    op_range,
                    format!("a shift of `{ty}` must be by 0 to {}: the result is undefined", bits - 1),
                );
            }
        }
    }

    /// Reports why an operator does not take its operands.
    fn refuse(
        &mut self,
        refusal: Refusal,
        symbol: &str,
        range: TextRange,
        left: ExprId,
        right: Option<ExprId>,
    ) {
        let left_ty = self.type_of(left);
        let right_ty = right.map(|right| self.type_of(right));
        let operands = match right_ty {
            Some(right) => format!("`{}` and `{}`", self.display(left_ty), self.display(right)),
            None => format!("`{}`", self.display(left_ty)),
        };
        self.operand_remedy(&refusal, symbol, range, left, right);
        let (code, message) = match refusal {
            Refusal::Operands => {
                (&codes::INVALID_OPERANDS, format!("`{symbol}` cannot be applied to {operands}"))
            }
            Refusal::Sizes => (
                &codes::INVALID_OPERANDS,
                format!("`{symbol}` cannot be applied to {operands}: their sizes do not match"),
            ),
            Refusal::SmallFloat(scalar) => (
                if self.is_coopmat(left_ty) || right_ty.is_some_and(|right| self.is_coopmat(right)) {
                    &codes::COOPMAT_OPERATOR
                } else {
                    &codes::INVALID_OPERANDS
                },
                format!(
                    "`{symbol}` cannot be applied to {operands}: `{}` has no arithmetic of its own, convert to `float` first",
                    scalar.name()
                ),
            ),
            Refusal::NeedsInteger => (
                &codes::INVALID_OPERANDS,
                format!("`{symbol}` cannot be applied to {operands}: it only takes integers"),
            ),
            Refusal::NeedsBool => (
                &codes::INVALID_OPERANDS,
                format!("`{symbol}` cannot be applied to {operands}: it only takes `bool`"),
            ),
            Refusal::NeedsScalar => (
                &codes::INVALID_OPERANDS,
                format!(
                    "`{symbol}` cannot be applied to {operands}: it only takes scalars{}",
                    componentwise(symbol)
                ),
            ),
            Refusal::CoopmatOperator => (
                &codes::COOPMAT_OPERATOR,
                match right_ty.map(|right| (self.is_coopmat(left_ty), self.is_coopmat(right))) {
                    Some((true, false) | (false, true))
                        if matches!(symbol, "+" | "-" | "/" | "+=" | "-=" | "/=") =>
                    {
                        format!(
                            "`{symbol}` cannot be applied to {operands}: with a scalar, a cooperative matrix has only `*`; construct a \
                             matrix from the scalar"
                        )
                    }
                    _ => format!(
                        "`{symbol}` cannot be applied to {operands}: cooperative matrices have `+`, `-`, `*` and `/` of identical \
                         types, `*` with a scalar, and unary `-`"
                    ),
                },
            ),
            Refusal::CoopmatTypes => {
                let difference = right_ty
                    .and_then(|right| self.matrix_difference(left_ty, right))
                    .unwrap_or_else(|| "kind of matrix".to_owned());
                (
                    &codes::COOPMAT_OPERATOR,
                    format!(
                        "the operands of `{symbol}` must have identical types, but are {operands} ({difference})"
                    ),
                )
            }
            Refusal::CoopmatScalar(scalar) => (
                &codes::COOPMAT_OPERATOR,
                format!(
                    "the scalar must have the matrix's component type `{0}`, but the operands of `{symbol}` are {operands}: write \
                     `{0}(...)`",
                    scalar.name()
                ),
            ),
            Refusal::CoopvecOperator => (
                &codes::COOPVEC_OPERATOR,
                format!(
                    "`{symbol}` cannot be applied to {operands}: cooperative vectors have `+`, `-`, `*` and `/` of identical types, \
                     `*` with a scalar, unary `-`, and for integers `&`, `|`, `^`, `~`, `<<` and `>>`"
                ),
            ),
            Refusal::CoopvecTypes => (
                &codes::COOPVEC_OPERATOR,
                format!("the operands of `{symbol}` must have identical types, but are {operands}"),
            ),
            Refusal::CoopvecScalar(scalar) => (
                &codes::COOPVEC_OPERATOR,
                format!(
                    "the scalar must have the vector's component type `{0}`, but the operands of `{symbol}` are {operands}: write \
                     `{0}(...)`",
                    scalar.name()
                ),
            ),
            Refusal::Reference => (
                &codes::INVALID_OPERANDS,
                format!(
                    "`{symbol}` cannot be applied to {operands}: references take `+` and `-` with an integer, and `-` with a \
                     reference of the same type"
                ),
            ),
            Refusal::ReferenceComparison => (
                &codes::INVALID_OPERANDS,
                format!("`{symbol}` cannot be applied to {operands}: compare `uint64_t(reference)` instead"),
            ),
            Refusal::Opaque => (
                &codes::INVALID_OPERANDS,
                format!(
                    "`{symbol}` cannot be applied to {operands}: images and samplers have no value to compare"
                ),
            ),
        };
        self.report(code, range, message);
    }

    /// A scalar beside a matrix becomes what the operator takes: its component type for `*`, a matrix for the others.
    fn operand_remedy(
        &mut self,
        refusal: &Refusal,
        symbol: &str,
        range: TextRange,
        left: ExprId,
        right: Option<ExprId>,
    ) {
        let Some(right) = right else { return };
        let (matrix, scalar) = match self.is_coopmat(self.type_of(left)) {
            true => (self.type_of(left), right),
            false => (self.type_of(right), left),
        };
        let ty = match refusal {
            Refusal::CoopmatScalar(component) => self.types.intern(TypeKind::Scalar(*component)),
            Refusal::CoopmatOperator
                if matches!(symbol, "+" | "-" | "/" | "+=" | "-=" | "/=")
                    && self.fills_matrix(scalar, matrix) =>
            {
                matrix
            }
            _ => return,
        };
        // What a matrix is assigned to stays as it is.
        let operand = self.range_of(scalar);
        if !(symbol.ends_with('=') && scalar == left) {
            self.remedy(&codes::COOPMAT_OPERATOR, range, RemedyKind::Convert { operand, ty });
        }
    }

    /// Lowers `+x`, `-x`, `!x` or `~x`.
    pub(super) fn unary(&mut self, op: UnaryOp, operand: ExprId, range: TextRange) -> ExprId {
        let ty = self.type_of(operand);
        let kind = ExprKind::Unary { op, operand };
        if self.types.is_error(ty) {
            return self.body.exprs.alloc(Expr { kind, ty: Ty::ERROR, range, constant: None });
        }
        let refusal = match op {
            UnaryOp::Not if ty == Ty::BOOL => None,
            UnaryOp::Not => Some(match self.types.shape(ty) {
                Some((Scalar::Bool, _)) => Refusal::NeedsScalar,
                _ if self.is_coopmat(ty) => Refusal::CoopmatOperator,
                _ if self.types.as_coopvec(ty).is_some() => Refusal::CoopvecOperator,
                _ => Refusal::NeedsBool,
            }),
            UnaryOp::BitNot => match self.types.shape(ty) {
                Some((scalar, _)) if scalar.is_integer() => None,
                _ if self.types.as_coopvec(ty).is_some_and(|(scalar, _)| scalar.is_integer()) => None,
                _ if self.is_coopmat(ty) => Some(Refusal::CoopmatOperator),
                _ => Some(Refusal::NeedsInteger),
            },
            UnaryOp::Negate | UnaryOp::Plus => self.arithmetic_refusal(ty, op == UnaryOp::Negate),
        };
        if let Some(refusal) = refusal {
            let symbol = match op {
                UnaryOp::Plus => "+",
                UnaryOp::Negate => "-",
                UnaryOp::Not => "!",
                UnaryOp::BitNot => "~",
            };
            self.refuse(refusal, symbol, range, operand, None);
            return self.body.exprs.alloc(Expr { kind, ty: Ty::ERROR, range, constant: None });
        }
        self.storage_only_operation(ty, "an operator of a", range);
        let constant = match self.body.exprs[operand].constant.clone() {
            None => None,
            Some(constant) => Some(match self.types.shape(ty) {
                Some((scalar, _)) => self.fold_unary(op, scalar, &constant),
                None => Const::Opaque { specialization: constant.is_specialization() },
            }),
        };
        self.body.exprs.alloc(Expr { kind, ty, range, constant })
    }

    pub(super) fn is_coopmat(&self, ty: Ty) -> bool {
        matches!(self.types.kind(ty), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_))
    }

    /// Why a type has no unary arithmetic. `matrices`: whether cooperative matrices and vectors have this operator.
    fn arithmetic_refusal(&self, ty: Ty, matrices: bool) -> Option<Refusal> {
        match self.types.kind(ty) {
            TypeKind::CoopmatNv(_) if matrices => None,
            TypeKind::Coopmat(matrix) if matrices => (matrix.component.class() == ScalarClass::SmallFloat)
                .then_some(Refusal::SmallFloat(matrix.component)),
            TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => Some(Refusal::CoopmatOperator),
            &TypeKind::CoopVec(scalar, _) if matrices => {
                (scalar.class() == ScalarClass::SmallFloat).then_some(Refusal::SmallFloat(scalar))
            }
            TypeKind::CoopVec(..) => Some(Refusal::CoopvecOperator),
            _ => match self.types.shape(ty) {
                None | Some((Scalar::Bool, _)) => Some(Refusal::Operands),
                Some((scalar, _)) => {
                    (scalar.class() == ScalarClass::SmallFloat).then_some(Refusal::SmallFloat(scalar))
                }
            },
        }
    }

    /// Lowers `x++` and its kin.
    pub(super) fn increment(&mut self, op: IncDec, operand: ExprId, range: TextRange) -> ExprId {
        let symbol = match op {
            IncDec::PreIncrement | IncDec::PostIncrement => "++",
            IncDec::PreDecrement | IncDec::PostDecrement => "--",
        };
        let ty = self.type_of(operand);
        let kind = ExprKind::IncDec { op, operand };
        if self.types.is_error(ty) {
            return self.body.exprs.alloc(Expr { kind, ty: Ty::ERROR, range, constant: None });
        }
        if let Some(refusal) = self.arithmetic_refusal(ty, false) {
            self.refuse(refusal, symbol, range, operand, None);
            return self.body.exprs.alloc(Expr { kind, ty: Ty::ERROR, range, constant: None });
        }
        self.storage_only_operation(ty, &format!("`{symbol}` of a"), range);
        self.check_assignable(operand, &format!("the operand of `{symbol}`"));
        self.body.exprs.alloc(Expr { kind, ty, range, constant: None })
    }

    /// Lowers `target = value` and `target op= value`.
    pub(super) fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        op_range: TextRange,
        target: ExprId,
        value: ExprId,
        range: TextRange,
    ) -> ExprId {
        let (target_ty, value_ty) = (self.type_of(target), self.type_of(value));
        let mut value = value;
        if !self.types.is_error(target_ty) && !self.types.is_error(value_ty) {
            let writable = self.check_assignable(target, "the left side of an assignment");
            match op {
                None if writable && self.types.is_open_array(target_ty) => {
                    let (range, found) = (self.range_of(target), self.display(target_ty));
                    self.report(
                        &codes::NOT_ASSIGNABLE,
                        range,
                        format!(
                            "`{found}` has no size and cannot be assigned as a whole: assign its elements"
                        ),
                    );
                }
                None if writable => value = self.convert(value, target_ty, "the value assigned"),
                None => {}
                Some(op) => value = self.compound_value(op, op_range, range, target, value),
            }
        }
        let kind = ExprKind::Assign { op, target, value };
        self.body.exprs.alloc(Expr { kind, ty: target_ty, range, constant: None })
    }

    fn compound_value(
        &mut self,
        op: BinaryOp,
        op_range: TextRange,
        range: TextRange,
        target: ExprId,
        value: ExprId,
    ) -> ExprId {
        let target_ty = self.type_of(target);
        let symbol = format!("{}=", op.symbol());
        match self.binary_typing(op, target_ty, self.type_of(value)) {
            Err(refusal) => {
                self.refuse(refusal, &symbol, range, target, Some(value));
                value
            }
            Ok(typing) => {
                self.storage_only_operation(typing.left, &format!("`{symbol}` of a"), op_range);
                if matches!(self.types.kind(target_ty), TypeKind::Reference(_)) {
                    self.check_reference_arithmetic(&format!("`{symbol}` of a buffer reference"), op_range);
                }
                self.check_constant_operand(op, target, value, op_range);
                if !self.types.may_be_same(typing.result, target_ty) {
                    let (have, want) = (self.display(typing.result), self.display(target_ty));
                    let value_ty = self.display(self.type_of(value));
                    self.report(
                        &codes::TYPE_MISMATCH,
                        range,
                        format!(
                            "`{symbol}` of `{want}` and `{value_ty}` gives `{have}`, which cannot be converted back to `{want}`"
                        ),
                    );
                    return value;
                }
                self.converted(value, typing.right)
            }
        }
    }

    /// Lowers `condition ? then : otherwise`.
    pub(super) fn conditional(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        range: TextRange,
    ) -> ExprId {
        let (then_ty, otherwise_ty) = (self.type_of(then), self.type_of(otherwise));
        let (mut then, mut otherwise) = (then, otherwise);
        for result in [then, otherwise] {
            if self.types.is_open_array(self.type_of(result)) {
                let (range, found) = (self.range_of(result), self.display(self.type_of(result)));
                self.report(
                    &codes::TYPE_MISMATCH,
                    range,
                    format!(
                        "`{found}` has no size and cannot be a result of `?:`: choose among its elements"
                    ),
                );
                return self.error_expr(range);
            }
        }
        let ty = if then_ty == otherwise_ty || self.types.may_be_same(then_ty, otherwise_ty) {
            // Of two types one of which is not known, the known one says more.
            if self.types.is_error(then_ty) { otherwise_ty } else { then_ty }
        } else if self.converts_implicitly(otherwise_ty, then_ty)
            && !self.converts_implicitly(then_ty, otherwise_ty)
        {
            otherwise = self.converted(otherwise, then_ty);
            then_ty
        } else if self.converts_implicitly(then_ty, otherwise_ty)
            && !self.converts_implicitly(otherwise_ty, then_ty)
        {
            then = self.converted(then, otherwise_ty);
            otherwise_ty
        } else if let Some(common) = self.common_type(then_ty, otherwise_ty) {
            then = self.converted(then, common);
            otherwise = self.converted(otherwise, common);
            common
        } else {
            let (a, b) = (self.display(then_ty), self.display(otherwise_ty));
            match self.matrix_difference(then_ty, otherwise_ty) {
                Some(difference) => self.report(
                    &codes::COOPMAT_TYPE_MISMATCH,
                    range,
                    format!("the two results of `?:` must have identical types, but are `{a}` and `{b}` ({difference})"),
                ),
                None => self.report(
                    &codes::TYPE_MISMATCH,
                    range,
                    format!("the two results of `?:` must have the same type, but are `{a}` and `{b}`"),
                ),
            }
            Ty::ERROR
        };
        let constant = self.fold_choice(condition, then, otherwise, ty);
        let kind = ExprKind::Conditional { condition, then, otherwise };
        self.body.exprs.alloc(Expr { kind, ty, range, constant })
    }

    fn fold_choice(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, ty: Ty) -> Option<Const> {
        let condition = self.body.exprs[condition].constant.clone()?;
        let then = self.body.exprs[then].constant.clone()?;
        let otherwise = self.body.exprs[otherwise].constant.clone()?;
        let scalar = self.types.shape(ty).map(|(scalar, _)| scalar);
        Some(self.fold_conditional(&condition, &then, &otherwise, scalar))
    }

    /// The type that two values of the same shape are both converted to.
    fn common_type(&mut self, a: Ty, b: Ty) -> Option<Ty> {
        let ((a, shape), (b, other)) = (self.types.shape(a)?, self.types.shape(b)?);
        if shape != other {
            return None;
        }
        let scalar = self.common_scalar(a, b)?;
        Some(self.types.shaped(scalar, shape))
    }
}

/// The built-in that does for vectors what a relational operator does for scalars.
fn componentwise(symbol: &str) -> &'static str {
    match symbol {
        "<" => ", `lessThan` compares vectors by component",
        "<=" => ", `lessThanEqual` compares vectors by component",
        ">" => ", `greaterThan` compares vectors by component",
        ">=" => ", `greaterThanEqual` compares vectors by component",
        "!" => ", `not` inverts vectors by component",
        _ => "",
    }
}
