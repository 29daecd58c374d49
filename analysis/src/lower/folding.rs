//! Constant folding: values are computed in the width and signedness of their types; what depends on specialization stays a
//! symbol where it is a 32-bit integer or a boolean, and is opaque elsewhere.

use std::sync::Arc;

use super::Lowerer;
use super::shapes::Shape;
use crate::hir::arithmetic;
pub(super) use crate::hir::arithmetic::{round_float, wrap_integer};
use crate::hir::{BinaryOp, Const, UnaryOp};
use crate::symbolic::{Sym, SymOp};
use crate::types::{Scalar, ScalarClass};

/// A composite with more components keeps no value.
const MAX_PARTS: u64 = 1 << 16;

/// The `index`th component of a vector, a column of a matrix, an element of an array.
pub(crate) fn part(constant: &Const, index: usize) -> Option<Const> {
    match constant {
        Const::Composite(parts) => parts.get(index).cloned(),
        Const::Opaque { specialization } => Some(Const::Opaque { specialization: *specialization }),
        _ => None,
    }
}

/// Scalar components in order, those of a matrix by columns; `None` where a part has no value.
pub(crate) fn flatten(constant: &Const, out: &mut Vec<Const>) -> Option<()> {
    match constant {
        Const::Composite(parts) => {
            for part in parts.iter() {
                flatten(part, out)?;
            }
            Some(())
        }
        // How many components it has is not known.
        Const::Opaque { .. } => None,
        scalar => {
            out.push(scalar.clone());
            Some(())
        }
    }
}

fn opaque(parts: &[&Const]) -> Const {
    Const::Opaque { specialization: parts.iter().any(|part| part.is_specialization()) }
}

impl<'a> Lowerer<'a> {
    /// The constant that an integer or boolean symbol is, as a value of `scalar`.
    pub(crate) fn const_of_sym(&self, sym: Sym, scalar: Scalar) -> Const {
        match self.types.symbols.as_int(sym) {
            Some(value) if scalar == Scalar::Bool => Const::Bool(value != 0),
            Some(value) => Const::Int(wrap_integer(i128::from(value), scalar)),
            None => Const::Symbolic(sym),
        }
    }

    /// The symbol of an integer or boolean constant.
    pub(crate) fn sym_of_const(&mut self, constant: &Const) -> Option<Sym> {
        match constant {
            Const::Bool(value) => Some(self.types.symbols.int(i64::from(*value))),
            Const::Int(value) => Some(self.types.symbols.int(i64::try_from(*value).ok()?)),
            Const::Symbolic(sym) => Some(*sym),
            _ => None,
        }
    }

    /// Converts one scalar as a constructor does.
    pub(super) fn convert_scalar_const(&mut self, constant: &Const, from: Scalar, to: Scalar) -> Const {
        if from == to {
            return constant.clone();
        }
        match constant {
            Const::Bool(value) => match to.class() {
                ScalarClass::Bool => Const::Bool(*value),
                ScalarClass::Signed | ScalarClass::Unsigned => Const::Int(i128::from(*value)),
                _ => Const::Float(f64::from(u8::from(*value))),
            },
            Const::Int(value) => match to.class() {
                ScalarClass::Bool => Const::Bool(*value != 0),
                ScalarClass::Signed | ScalarClass::Unsigned => Const::Int(wrap_integer(*value, to)),
                _ => Const::Float(round_float(*value as f64, to)),
            },
            Const::Float(value) => match to.class() {
                ScalarClass::Bool => Const::Bool(*value != 0.0),
                ScalarClass::Signed | ScalarClass::Unsigned => {
                    Const::Int(wrap_integer(value.trunc() as i128, to))
                }
                _ => Const::Float(round_float(*value, to)),
            },
            Const::Symbolic(sym) => match to.class() {
                ScalarClass::Bool => {
                    let sym = self.types.symbols.apply(SymOp::ToBool, &[*sym]);
                    self.const_of_sym(sym, Scalar::Bool)
                }
                // Narrower integers cut the value, which a symbol of 32 bits does not show.
                ScalarClass::Signed | ScalarClass::Unsigned if to.bits() >= 32 => Const::Symbolic(*sym),
                _ => Const::Opaque { specialization: true },
            },
            other => opaque(&[other]),
        }
    }

    /// A composite of the given parts, or an opaque constant where it would be too large.
    pub(super) fn composite(&self, parts: Vec<Const>) -> Const {
        if parts.len() as u64 > MAX_PARTS {
            return Const::Opaque { specialization: parts.iter().any(Const::is_specialization) };
        }
        Const::Composite(Arc::from(parts))
    }

    /// The same value in each component of a shape.
    pub(super) fn splat(&self, constant: &Const, shape: Shape) -> Const {
        match shape {
            Shape::Scalar => constant.clone(),
            Shape::Vector(length) => self.composite(vec![constant.clone(); usize::from(length)]),
            Shape::Matrix { columns, rows } => {
                let column = self.composite(vec![constant.clone(); usize::from(rows)]);
                self.composite(vec![column; usize::from(columns)])
            }
            Shape::LongVector(_) => match self.types.shape_count(shape) {
                Some(count) if count <= MAX_PARTS => self.composite(vec![constant.clone(); count as usize]),
                // A length that depends on specialization makes the value do so.
                count => Const::Opaque { specialization: count.is_none() || constant.is_specialization() },
            },
        }
    }

    /// Folds `op` on operands of component type `scalar` (after conversion); each operand is a scalar or has the shape of the
    /// other, except in the products of linear algebra.
    pub(super) fn fold_binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        (left, left_shape): (&Const, Shape),
        (right, right_shape): (&Const, Shape),
    ) -> Const {
        if op == BinaryOp::Mul
            && (left_shape.is_matrix() || right_shape.is_matrix())
            && left_shape != Shape::Scalar
            && right_shape != Shape::Scalar
        {
            return self.fold_product(scalar, (left, left_shape), (right, right_shape));
        }
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual => self.fold_equality(op, scalar, left, right),
            _ => self.fold_components(op, scalar, left, right),
        }
    }

    fn fold_components(&mut self, op: BinaryOp, scalar: Scalar, left: &Const, right: &Const) -> Const {
        match (left, right) {
            (Const::Composite(a), Const::Composite(b)) if a.len() == b.len() => {
                let parts =
                    a.iter().zip(b.iter()).map(|(a, b)| self.fold_components(op, scalar, a, b)).collect();
                Const::Composite(parts)
            }
            (Const::Composite(a), b) if !matches!(b, Const::Opaque { .. } | Const::Composite(_)) => {
                Const::Composite(a.iter().map(|a| self.fold_components(op, scalar, a, b)).collect())
            }
            (a, Const::Composite(b)) if !matches!(a, Const::Opaque { .. } | Const::Composite(_)) => {
                Const::Composite(b.iter().map(|b| self.fold_components(op, scalar, a, b)).collect())
            }
            (Const::Composite(_) | Const::Opaque { .. }, _)
            | (_, Const::Composite(_) | Const::Opaque { .. }) => opaque(&[left, right]),
            (a, b) => self.fold_scalar(op, scalar, a, b),
        }
    }

    fn fold_equality(&mut self, op: BinaryOp, scalar: Scalar, left: &Const, right: &Const) -> Const {
        if matches!((left, right), (Const::Composite(_) | Const::Opaque { .. }, _))
            || matches!(right, Const::Composite(_) | Const::Opaque { .. })
        {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            let known = |part: &Const| matches!(part, Const::Bool(_) | Const::Int(_) | Const::Float(_));
            if flatten(left, &mut a).is_some()
                && flatten(right, &mut b).is_some()
                && a.len() == b.len()
                && a.iter().chain(&b).all(known)
            {
                return Const::Bool((a == b) == (op == BinaryOp::Equal));
            }
            return opaque(&[left, right]);
        }
        self.fold_scalar(op, scalar, left, right)
    }

    fn fold_scalar(&mut self, op: BinaryOp, scalar: Scalar, left: &Const, right: &Const) -> Const {
        use BinaryOp::*;
        match (left, right) {
            (Const::Float(a), Const::Float(b)) => {
                let (a, b) = (*a, *b);
                match op {
                    Add => Const::Float(round_float(a + b, scalar)),
                    Sub => Const::Float(round_float(a - b, scalar)),
                    Mul => Const::Float(round_float(a * b, scalar)),
                    Div => Const::Float(round_float(a / b, scalar)),
                    Less => Const::Bool(a < b),
                    LessEqual => Const::Bool(a <= b),
                    Greater => Const::Bool(a > b),
                    GreaterEqual => Const::Bool(a >= b),
                    Equal => Const::Bool(a == b),
                    NotEqual => Const::Bool(a != b),
                    _ => opaque(&[left, right]),
                }
            }
            (Const::Bool(a), Const::Bool(b)) => match op {
                LogicalAnd => Const::Bool(*a && *b),
                LogicalOr => Const::Bool(*a || *b),
                LogicalXor | NotEqual => Const::Bool(a != b),
                Equal => Const::Bool(a == b),
                _ => opaque(&[left, right]),
            },
            (Const::Int(a), Const::Int(b)) => arithmetic::integers(op, scalar, *a, *b),
            (Const::Symbolic(_), _) | (_, Const::Symbolic(_)) => self.fold_symbols(op, scalar, left, right),
            _ => opaque(&[left, right]),
        }
    }

    fn fold_symbols(&mut self, op: BinaryOp, scalar: Scalar, left: &Const, right: &Const) -> Const {
        use BinaryOp::*;
        let exact = matches!(scalar, Scalar::Int32 | Scalar::Uint32 | Scalar::Bool);
        let (true, Some(a), Some(b)) = (exact, self.sym_of_const(left), self.sym_of_const(right)) else {
            return Const::Opaque { specialization: true };
        };
        let signed = scalar == Scalar::Int32;
        let pick = |if_signed, if_unsigned| if signed { if_signed } else { if_unsigned };
        let less = pick(SymOp::LessSigned, SymOp::LessUnsigned);
        let less_equal = pick(SymOp::LessEqualSigned, SymOp::LessEqualUnsigned);
        let symbols = &mut self.types.symbols;
        let (sym, result) = match op {
            Add => (symbols.add(a, b), scalar),
            Sub => (symbols.sub(a, b), scalar),
            Mul => (symbols.mul(a, b), scalar),
            Div => (symbols.apply(pick(SymOp::DivSigned, SymOp::DivUnsigned), &[a, b]), scalar),
            Rem => (symbols.apply(pick(SymOp::RemSigned, SymOp::RemUnsigned), &[a, b]), scalar),
            Shl => (symbols.apply(SymOp::Shl, &[a, b]), scalar),
            Shr => (symbols.apply(pick(SymOp::ShrArithmetic, SymOp::ShrLogical), &[a, b]), scalar),
            BitAnd => (symbols.apply(SymOp::BitAnd, &[a, b]), scalar),
            BitOr => (symbols.apply(SymOp::BitOr, &[a, b]), scalar),
            BitXor => (symbols.apply(SymOp::BitXor, &[a, b]), scalar),
            Less => (symbols.apply(less, &[a, b]), Scalar::Bool),
            LessEqual => (symbols.apply(less_equal, &[a, b]), Scalar::Bool),
            Greater => (symbols.apply(less, &[b, a]), Scalar::Bool),
            GreaterEqual => (symbols.apply(less_equal, &[b, a]), Scalar::Bool),
            Equal => (symbols.apply(SymOp::Equal, &[a, b]), Scalar::Bool),
            NotEqual => (symbols.apply(SymOp::NotEqual, &[a, b]), Scalar::Bool),
            LogicalAnd | LogicalOr | LogicalXor => {
                // A side that is known decides, or leaves the other.
                match (op, symbols.as_int(a), symbols.as_int(b)) {
                    (LogicalAnd, Some(0), _) | (LogicalAnd, _, Some(0)) => (symbols.int(0), Scalar::Bool),
                    (LogicalAnd, Some(_), _) => (b, Scalar::Bool),
                    (LogicalAnd, _, Some(_)) => (a, Scalar::Bool),
                    (LogicalOr, Some(0), _) => (b, Scalar::Bool),
                    (LogicalOr, _, Some(0)) => (a, Scalar::Bool),
                    (LogicalOr, Some(_), _) | (LogicalOr, _, Some(_)) => (symbols.int(1), Scalar::Bool),
                    (LogicalAnd, ..) => (symbols.apply(SymOp::LogicalAnd, &[a, b]), Scalar::Bool),
                    (LogicalOr, ..) => (symbols.apply(SymOp::LogicalOr, &[a, b]), Scalar::Bool),
                    _ => (symbols.apply(SymOp::LogicalXor, &[a, b]), Scalar::Bool),
                }
            }
        };
        self.const_of_sym(sym, result)
    }

    /// The products of linear algebra. Matrices are lists of columns.
    fn fold_product(
        &mut self,
        scalar: Scalar,
        (left, left_shape): (&Const, Shape),
        (right, right_shape): (&Const, Shape),
    ) -> Const {
        let numbers = |constant: &Const| -> Option<Vec<f64>> {
            let mut parts = Vec::new();
            flatten(constant, &mut parts)?;
            parts
                .iter()
                .map(|part| match part {
                    Const::Float(value) => Some(*value),
                    _ => None,
                })
                .collect()
        };
        let (Some(a), Some(b)) = (numbers(left), numbers(right)) else { return opaque(&[left, right]) };
        // Each operand as rows x columns: a vector on the left is one row, on the right one column.
        let (rows, inner) = match left_shape {
            Shape::Matrix { columns, rows } => (usize::from(rows), usize::from(columns)),
            _ => (1, a.len()),
        };
        let columns = match right_shape {
            Shape::Matrix { columns, .. } => usize::from(columns),
            _ => 1,
        };
        let at = |column: usize, row: usize| -> f64 {
            let mut sum = 0.0;
            for k in 0..inner {
                let x = a.get(k * rows + row).copied().unwrap_or_default();
                let y = b.get(column * inner + k).copied().unwrap_or_default();
                sum = round_float(sum + round_float(x * y, scalar), scalar);
            }
            sum
        };
        let column =
            |column: usize| -> Vec<Const> { (0..rows).map(|row| Const::Float(at(column, row))).collect() };
        if rows == 1 && !left_shape.is_matrix() {
            // vector * matrix: a vector with one component per column.
            return self.composite((0..columns).map(|c| Const::Float(at(c, 0))).collect());
        }
        if !right_shape.is_matrix() {
            return self.composite(column(0));
        }
        let parts = (0..columns).map(|c| self.composite(column(c))).collect();
        self.composite(parts)
    }

    pub(super) fn fold_unary(&mut self, op: UnaryOp, scalar: Scalar, operand: &Const) -> Const {
        match (op, operand) {
            (UnaryOp::Plus, operand) => operand.clone(),
            (_, Const::Composite(parts)) => {
                Const::Composite(parts.iter().map(|part| self.fold_unary(op, scalar, part)).collect())
            }
            (UnaryOp::Negate, Const::Int(value)) => Const::Int(wrap_integer(-*value, scalar)),
            (UnaryOp::Negate, Const::Float(value)) => Const::Float(-*value),
            (UnaryOp::BitNot, Const::Int(value)) => Const::Int(wrap_integer(!*value, scalar)),
            (UnaryOp::Not, Const::Bool(value)) => Const::Bool(!*value),
            (_, Const::Symbolic(sym)) => {
                let symbols = &mut self.types.symbols;
                let sym = match op {
                    UnaryOp::Negate => symbols.neg(*sym),
                    UnaryOp::BitNot => symbols.apply(SymOp::BitNot, &[*sym]),
                    _ => symbols.apply(SymOp::LogicalNot, &[*sym]),
                };
                if !matches!(scalar, Scalar::Int32 | Scalar::Uint32 | Scalar::Bool) {
                    return Const::Opaque { specialization: true };
                }
                self.const_of_sym(sym, scalar)
            }
            (_, operand) => opaque(&[operand]),
        }
    }

    /// `condition ? then : otherwise` of constants.
    pub(super) fn fold_conditional(
        &mut self,
        condition: &Const,
        then: &Const,
        otherwise: &Const,
        scalar: Option<Scalar>,
    ) -> Const {
        match condition {
            Const::Bool(true) => then.clone(),
            Const::Bool(false) => otherwise.clone(),
            Const::Symbolic(sym) => {
                if let Some(scalar @ (Scalar::Int32 | Scalar::Uint32 | Scalar::Bool)) = scalar
                    && let (Some(a), Some(b)) = (self.sym_of_const(then), self.sym_of_const(otherwise))
                {
                    let sym = self.types.symbols.apply(SymOp::Select, &[*sym, a, b]);
                    return self.const_of_sym(sym, scalar);
                }
                if let (Const::Composite(a), Const::Composite(b)) = (then, otherwise)
                    && a.len() == b.len()
                {
                    let parts =
                        a.iter().zip(b.iter()).map(|(a, b)| self.fold_conditional(condition, a, b, scalar));
                    return Const::Composite(parts.collect());
                }
                Const::Opaque { specialization: true }
            }
            other => opaque(&[other, then, otherwise]),
        }
    }
}
