//! Implicit conversions: the tables of GLSL 4.60 section 4.1.10 and of the extensions that add scalar types, and how good a
//! conversion is where overloads compete (section 6.1).

use super::Lowerer;
use super::shapes::Shape;
use crate::diagnostics::codes;
use crate::extensions::{ids, values};
use crate::hir::{Const, Expr, ExprId, ExprKind, Profile, RemedyKind};
use crate::types::{Scalar, Ty, TypeKind};

/// How good an implicit conversion is; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Exact,
    /// Integral and floating-point promotions.
    Promotion,
    Conversion,
    /// To `double` where `float` would do.
    Worst,
}

/// The kinds of conversion that the tables tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conversion {
    Promotion,
    Integer,
    Float,
    IntegerToFloat,
}

/// The tables, with no regard to what is enabled: a type that is not enabled cannot be named.
fn conversion(from: Scalar, to: Scalar) -> Option<Conversion> {
    use Scalar::*;
    Some(match (from, to) {
        (Int8 | Int16 | Uint8 | Uint16, Int32) => Conversion::Promotion,
        (
            Float16 | Float32 | BFloat16 | FloatE5M2 | FloatE4M3 | FloatE2M1 | FloatE3M2 | FloatE2M3,
            Float64,
        ) => Conversion::Promotion,
        (Int8, Uint8 | Int16 | Uint16 | Uint32 | Int64 | Uint64)
        | (Uint8, Int16 | Uint16 | Uint32 | Int64 | Uint64)
        | (Int16, Uint16 | Uint32 | Int64 | Uint64)
        | (Uint16, Uint32 | Int64 | Uint64)
        | (Int32, Uint32 | Int64 | Uint64)
        | (Uint32, Int64 | Uint64)
        | (Int64, Uint64) => Conversion::Integer,
        (Float16 | BFloat16 | FloatE5M2 | FloatE4M3 | FloatE2M1 | FloatE3M2 | FloatE2M3, Float32) => {
            Conversion::Float
        }
        // GL_EXT_float_e5m2, GL_EXT_float_e4m3 and the formats below 8 bits.
        (FloatE5M2 | FloatE4M3 | FloatE2M1 | FloatE3M2 | FloatE2M3, BFloat16 | Float16)
        | (FloatE2M1, FloatE5M2 | FloatE4M3) => Conversion::Float,
        (Int8 | Uint8 | Int16 | Uint16, Float16 | Float32 | Float64)
        | (Int32 | Uint32, Float32 | Float64)
        | (Int64 | Uint64, Float64) => Conversion::IntegerToFloat,
        _ => return None,
    })
}

impl<'a> Lowerer<'a> {
    /// Whether a component may be converted implicitly under the version and the extensions in force.
    pub(super) fn converts(&self, from: Scalar, to: Scalar) -> bool {
        if from == to {
            return true;
        }
        if conversion(from, to).is_none() {
            return false;
        }
        // GL_EXT_shader_16bit_storage and its kin, section 4.1: such types "do not support implicit conversions". The table of
        // GL_EXT_shader_explicit_arithmetic_types has them whatever part of it is enabled.
        if (self.is_storage_only(from) || self.is_storage_only(to)) && !self.explicit_types() {
            return false;
        }
        // GL_ARB_gpu_shader_int64, 4.1.10, has no conversion that the extensions of explicit types have.
        if (from, to) == (Scalar::Uint32, Scalar::Int64) && !self.explicit_types() {
            return false;
        }
        // Conversions between the types of the core language came in steps; those of extensions came with the types.
        let core =
            |scalar| matches!(scalar, Scalar::Int32 | Scalar::Uint32 | Scalar::Float32 | Scalar::Float64);
        if !core(from) || !core(to) || self.explicit_types() {
            return true;
        }
        let version = self.module.version;
        match self.module.profile {
            Profile::Es => {
                to != Scalar::Float64
                    && version >= 310
                    && self.environment.enabled(ids::GL_EXT_SHADER_IMPLICIT_CONVERSIONS)
            }
            _ => {
                version >= 400
                    || match to {
                        Scalar::Float32 => version >= 120,
                        Scalar::Uint32 => {
                            version >= 130
                                && (self.environment.enabled(ids::GL_ARB_GPU_SHADER5)
                                    || self.environment.enabled(ids::GL_NV_GPU_SHADER5))
                        }
                        _ => self.environment.enabled(ids::GL_ARB_GPU_SHADER_FP64),
                    }
            }
        }
    }

    /// How good the conversion of a component is. `None` where there is none.
    pub(super) fn conversion_rank(&self, from: Scalar, to: Scalar) -> Option<Rank> {
        if from == to {
            return Some(Rank::Exact);
        }
        if !self.converts(from, to) {
            return None;
        }
        let kind = conversion(from, to)?;
        Some(if self.explicit_types() {
            // GL_EXT_shader_explicit_arithmetic_types, section 6.1: three ranks.
            match kind {
                Conversion::Promotion => Rank::Promotion,
                _ => Rank::Conversion,
            }
        } else {
            match (kind, to) {
                (Conversion::Promotion, _) => Rank::Promotion,
                (Conversion::IntegerToFloat, Scalar::Float64) => Rank::Worst,
                _ => Rank::Conversion,
            }
        })
    }

    /// Whether a value of type `from` converts implicitly to `to`, or is of that type.
    pub fn converts_implicitly(&self, from: Ty, to: Ty) -> bool {
        if self.types.may_be_same(from, to) {
            return true;
        }
        match (self.types.shape(from), self.types.shape(to)) {
            (Some((from, shape)), Some((to, other))) => shape == other && self.converts(from, to),
            _ => false,
        }
    }

    /// Converts implicitly to `ty`, or reports that it cannot be. `what` names what takes the value: "the initializer of `x`".
    pub fn convert(&mut self, expr: ExprId, ty: Ty, what: &str) -> ExprId {
        let from = self.type_of(expr);
        if from == ty || self.types.is_error(from) || self.types.is_error(ty) {
            return expr;
        }
        if self.types.may_be_same(from, ty) {
            return expr;
        }
        if self.converts_implicitly(from, ty) {
            return self.converted(expr, ty);
        }
        self.report_mismatch(expr, ty, what);
        let range = self.range_of(expr);
        self.error_expr(range)
    }

    /// As `convert`, but the expression keeps its id: what already refers to it sees the converted value.
    pub fn convert_in_place(&mut self, expr: ExprId, ty: Ty, what: &str) {
        let from = self.type_of(expr);
        if from == ty {
            return;
        }
        let copy = self.body.exprs[expr].clone();
        let copy = self.body.exprs.alloc(copy);
        let converted = self.convert(copy, ty, what);
        if converted != copy {
            self.body.exprs[expr] = self.body.exprs[converted].clone();
        }
    }

    /// A node for a conversion that is known to exist.
    pub(super) fn converted(&mut self, expr: ExprId, ty: Ty) -> ExprId {
        let from = self.type_of(expr);
        if from == ty {
            return expr;
        }
        let range = self.range_of(expr);
        let constant = match &self.body.exprs[expr].constant {
            None => None,
            Some(constant) => {
                let constant = constant.clone();
                Some(self.convert_const(&constant, from, ty))
            }
        };
        self.body.exprs.alloc(Expr { kind: ExprKind::Convert { operand: expr }, ty, range, constant })
    }

    /// The component type that both operands of an operator are converted to: GL_EXT_shader_explicit_arithmetic_types section
    /// 4.1.10, which without the extension's types is what GLSL 4.60 has.
    pub(super) fn common_scalar(&self, left: Scalar, right: Scalar) -> Option<Scalar> {
        use Scalar::*;
        if left == right {
            return Some(left);
        }
        let to =
            |target: Scalar| (self.converts(left, target) && self.converts(right, target)).then_some(target);
        for float in [Float64, Float32, Float16, BFloat16, FloatE5M2, FloatE4M3] {
            if left == float || right == float {
                return to(float);
            }
        }
        if !left.is_integer() || !right.is_integer() {
            return None;
        }
        let signed = |scalar| matches!(scalar, Int8 | Int16 | Int32 | Int64);
        let target = if signed(left) == signed(right) {
            if left.bits() >= right.bits() { left } else { right }
        } else {
            let (sint, uint) = if signed(left) { (left, right) } else { (right, left) };
            if uint.bits() > sint.bits() {
                uint
            } else if sint.bits() > uint.bits() {
                sint
            } else {
                match sint {
                    Int8 => Uint8,
                    Int16 => Uint16,
                    Int32 => Uint32,
                    _ => Uint64,
                }
            }
        };
        to(target)
    }

    /// Reports that `expr` is not of type `ty` and does not become it.
    pub(super) fn report_mismatch(&mut self, expr: ExprId, ty: Ty, what: &str) {
        let from = self.type_of(expr);
        let range = self.range_of(expr);
        let (have, want) = (self.display(from), self.display(ty));
        if let Some(difference) = self.matrix_difference(ty, from) {
            if self.coopmat_obstacle(ty, expr).is_none() {
                let kind = RemedyKind::Convert { operand: range, ty };
                self.remedy(&codes::COOPMAT_TYPE_MISMATCH, range, kind);
            }
            self.report(
                &codes::COOPMAT_TYPE_MISMATCH,
                range,
                format!("{what} must be `{want}`, but is `{have}` ({difference})"),
            );
            return;
        }
        let hint = self.mismatch_hint(expr, ty);
        if !hint.is_empty() {
            let kind = RemedyKind::Convert { operand: range, ty };
            // A truth value where a number belongs is rather in the wrong place.
            match self.types.as_scalar(from) {
                Some(Scalar::Bool) => self.possible_remedy(&codes::TYPE_MISMATCH, range, kind),
                _ => self.remedy(&codes::TYPE_MISMATCH, range, kind),
            }
        }
        self.report(&codes::TYPE_MISMATCH, range, format!("{what} must be `{want}`, but is `{have}`{hint}"));
    }

    /// What to do about a mismatch, where it is plain.
    fn mismatch_hint(&mut self, expr: ExprId, to: Ty) -> String {
        let from = self.type_of(expr);
        match (self.types.shape(from), self.types.shape(to)) {
            (Some((_, have)), Some((_, want))) if have == want => {
                format!(": write `{}(...)` to convert it", self.display(to))
            }
            (Some((_, Shape::Scalar)), Some((_, want))) if want.is_vector() => {
                format!(": write `{}(...)` to repeat it in each component", self.display(to))
            }
            _ if self.fills_matrix(expr, to) => ": construct a matrix from it".to_owned(),
            _ => String::new(),
        }
    }

    /// Whether a matrix of a type can be constructed from a scalar.
    pub(super) fn fills_matrix(&mut self, scalar: ExprId, matrix: Ty) -> bool {
        self.types.as_scalar(self.type_of(scalar)).is_some()
            && matches!(self.types.kind(matrix), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_))
            && self.coopmat_obstacle(matrix, scalar).is_none()
    }

    /// The first parameter in which two cooperative matrix types differ: "rows: 16 but 32". `None` where either is none.
    pub fn matrix_difference(&self, expected: Ty, found: Ty) -> Option<String> {
        let symbols = &self.types.symbols;
        let differs = |what: &str, expected, found| {
            (!self.types.may_equal(expected, found))
                .then(|| format!("{what}: {} but {}", symbols.display(expected), symbols.display(found)))
        };
        match (self.types.kind(expected), self.types.kind(found)) {
            (TypeKind::Coopmat(a), TypeKind::Coopmat(b)) => {
                if a.component != b.component {
                    return Some(format!(
                        "component type: {} but {}",
                        a.component.name(),
                        b.component.name()
                    ));
                }
                let usage = |sym| match symbols.as_int(sym) {
                    Some(values::GL_MATRIX_USE_A) => "A".to_owned(),
                    Some(values::GL_MATRIX_USE_B) => "B".to_owned(),
                    Some(values::GL_MATRIX_USE_ACCUMULATOR) => "Accumulator".to_owned(),
                    _ => symbols.display(sym),
                };
                differs("scope", a.scope, b.scope)
                    .or_else(|| differs("rows", a.rows, b.rows))
                    .or_else(|| differs("columns", a.columns, b.columns))
                    .or_else(|| {
                        (!self.types.may_equal(a.usage, b.usage))
                            .then(|| format!("use: {} but {}", usage(a.usage), usage(b.usage)))
                    })
            }
            (TypeKind::CoopmatNv(a), TypeKind::CoopmatNv(b)) => {
                if a.class != b.class {
                    return Some("component type".to_owned());
                }
                differs("bits", a.bits, b.bits)
                    .or_else(|| differs("scope", a.scope, b.scope))
                    .or_else(|| differs("rows", a.rows, b.rows))
                    .or_else(|| differs("columns", a.columns, b.columns))
            }
            _ => None,
        }
    }

    /// The constant of a conversion's operand in the new type.
    pub(super) fn convert_const(&mut self, constant: &Const, from: Ty, to: Ty) -> Const {
        match (self.types.shape(from), self.types.shape(to)) {
            (Some((from, _)), Some((to, _))) => self.convert_components(constant, from, to),
            _ => Const::Opaque { specialization: constant.is_specialization() },
        }
    }

    /// Converts each component, whatever the shape.
    pub(super) fn convert_components(&mut self, constant: &Const, from: Scalar, to: Scalar) -> Const {
        match constant {
            Const::Composite(parts) => {
                Const::Composite(parts.iter().map(|part| self.convert_components(part, from, to)).collect())
            }
            scalar => self.convert_scalar_const(scalar, from, to),
        }
    }
}
