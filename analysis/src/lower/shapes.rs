//! Types of one or more components taken apart: the component type, and how many components in which shape.

use crate::symbolic::Sym;
use crate::types::{ArrayLength, Scalar, Ty, TypeKind, Types};

/// How the components of a scalar, vector or matrix are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Scalar,
    /// 2 to 4 components.
    Vector(u8),
    LongVector(Sym),
    Matrix {
        columns: u8,
        rows: u8,
    },
}

impl Shape {
    pub fn is_vector(self) -> bool {
        matches!(self, Shape::Vector(_) | Shape::LongVector(_))
    }

    pub fn is_matrix(self) -> bool {
        matches!(self, Shape::Matrix { .. })
    }
}

impl Types {
    /// A scalar, vector or matrix, also of booleans; `None` for everything else, cooperative matrices and vectors among them.
    pub(crate) fn shape(&self, ty: Ty) -> Option<(Scalar, Shape)> {
        match *self.kind(ty) {
            TypeKind::Scalar(scalar) => Some((scalar, Shape::Scalar)),
            TypeKind::Vector(scalar, length) => Some((scalar, Shape::Vector(length))),
            TypeKind::LongVector(scalar, length) => Some((scalar, Shape::LongVector(length))),
            TypeKind::Matrix { component, columns, rows } => {
                Some((component, Shape::Matrix { columns, rows }))
            }
            _ => None,
        }
    }

    pub(crate) fn shaped(&mut self, scalar: Scalar, shape: Shape) -> Ty {
        match shape {
            Shape::Scalar => self.scalar(scalar),
            Shape::Vector(length) => self.intern(TypeKind::Vector(scalar, length)),
            Shape::LongVector(length) => self.long_vector(scalar, length),
            Shape::Matrix { columns, rows } => self.matrix(scalar, columns, rows),
        }
    }

    /// How many scalar components a shape has; `None` when it depends on specialization.
    pub(crate) fn shape_count(&self, shape: Shape) -> Option<u64> {
        match shape {
            Shape::Scalar => Some(1),
            Shape::Vector(length) => Some(u64::from(length)),
            Shape::LongVector(length) => u64::try_from(self.symbols.as_int(length)?).ok(),
            Shape::Matrix { columns, rows } => Some(u64::from(columns) * u64::from(rows)),
        }
    }

    /// The type of `value[index]`.
    pub(crate) fn element(&mut self, ty: Ty) -> Option<Ty> {
        match *self.kind(ty) {
            TypeKind::Array(element, _) => Some(element),
            TypeKind::Vector(scalar, _) | TypeKind::LongVector(scalar, _) | TypeKind::CoopVec(scalar, _) => {
                Some(self.scalar(scalar))
            }
            TypeKind::Matrix { component, rows, .. } => Some(self.vector(component, u32::from(rows))),
            TypeKind::Coopmat(coopmat) => Some(self.scalar(coopmat.component)),
            TypeKind::CoopmatNv(_) => {
                Some(self.coopmat_nv_component(ty).map_or(Ty::ERROR, |s| self.scalar(s)))
            }
            _ => None,
        }
    }

    /// The component type that an `fcoopmatNV<bits, ...>` or one of its siblings has; `None` when the bits are not known.
    pub(crate) fn coopmat_nv_component(&self, ty: Ty) -> Option<Scalar> {
        let TypeKind::CoopmatNv(matrix) = *self.kind(ty) else { return None };
        matrix.class.component(self.symbols.as_int(matrix.bits)?)
    }

    /// Whether two sizes are equal as far as can be known: a value of which nothing is known may be any.
    pub(crate) fn may_equal(&self, a: Sym, b: Sym) -> bool {
        a == b || self.symbols.has_unknown(a) || self.symbols.has_unknown(b)
    }

    /// Whether two types are the same as far as can be known: sizes of which nothing is known agree with every size.
    pub(crate) fn may_be_same(&self, a: Ty, b: Ty) -> bool {
        if a == b {
            return true;
        }
        match (self.kind(a), self.kind(b)) {
            (TypeKind::Error | TypeKind::NotAnalysed(_), _)
            | (_, TypeKind::Error | TypeKind::NotAnalysed(_)) => true,
            (TypeKind::Array(left, left_length), TypeKind::Array(right, right_length)) => {
                let lengths = match (left_length, right_length) {
                    (ArrayLength::Sized(left), ArrayLength::Sized(right)) => self.may_equal(*left, *right),
                    (left, right) => left == right,
                };
                lengths && self.may_be_same(*left, *right)
            }
            (TypeKind::LongVector(left, left_length), TypeKind::LongVector(right, right_length)) => {
                left == right && self.may_equal(*left_length, *right_length)
            }
            (TypeKind::CoopVec(left, left_length), TypeKind::CoopVec(right, right_length)) => {
                left == right && self.may_equal(*left_length, *right_length)
            }
            // A vector whose length is not known may be an ordinary one.
            (TypeKind::LongVector(left, length), TypeKind::Vector(right, _))
            | (TypeKind::Vector(right, _), TypeKind::LongVector(left, length)) => {
                left == right && self.symbols.has_unknown(*length)
            }
            (TypeKind::Coopmat(left), TypeKind::Coopmat(right)) => {
                left.component == right.component
                    && self.may_equal(left.scope, right.scope)
                    && self.may_equal(left.rows, right.rows)
                    && self.may_equal(left.columns, right.columns)
                    && self.may_equal(left.usage, right.usage)
            }
            (TypeKind::CoopmatNv(left), TypeKind::CoopmatNv(right)) => {
                left.class == right.class
                    && self.may_equal(left.bits, right.bits)
                    && self.may_equal(left.scope, right.scope)
                    && self.may_equal(left.rows, right.rows)
                    && self.may_equal(left.columns, right.columns)
            }
            (
                TypeKind::TensorLayout { dim, clamp },
                TypeKind::TensorLayout { dim: other_dim, clamp: other_clamp },
            ) => self.may_equal(*dim, *other_dim) && self.may_equal(*clamp, *other_clamp),
            (
                TypeKind::TensorView { dim, has_dimensions, permutation },
                TypeKind::TensorView {
                    dim: other_dim,
                    has_dimensions: other_has,
                    permutation: other_permutation,
                },
            ) => {
                self.may_equal(*dim, *other_dim)
                    && self.may_equal(*has_dimensions, *other_has)
                    && permutation.len() == other_permutation.len()
                    && permutation.iter().zip(other_permutation).all(|(&a, &b)| self.may_equal(a, b))
            }
            _ => false,
        }
    }
}
