//! Overloads: how well the arguments of a call fit the patterns of a built-in, and which of several candidates is the best.

use super::Lowerer;
use super::conversions::Rank;
use super::shapes::Shape;
use crate::extensions::{ParameterDirection, Pattern};
use crate::types::{ArrayLength, Ty, TypeKind};

/// A function that takes the arguments of a call, and how well each of them fits.
pub(super) struct Candidate<T> {
    pub value: T,
    pub ranks: Vec<Rank>,
}

pub(super) enum Selection<T> {
    None,
    One(T),
    Ambiguous,
}

/// GLSL 4.60 section 6.1: the best candidate converts no argument worse than any other candidate does, and one of them better.
pub(super) fn select_index<T>(candidates: &[Candidate<T>]) -> Selection<usize> {
    let better = |a: &Candidate<T>, b: &Candidate<T>| {
        let pairs = || a.ranks.iter().zip(&b.ranks);
        pairs().all(|(a, b)| a <= b) && pairs().any(|(a, b)| a < b)
    };
    match candidates {
        [] => return Selection::None,
        [_] => return Selection::One(0),
        _ => {}
    }
    let best = candidates.iter().position(|candidate| {
        candidates.iter().all(|other| std::ptr::eq(candidate, other) || better(candidate, other))
    });
    match best {
        Some(index) => Selection::One(index),
        None => Selection::Ambiguous,
    }
}

pub(super) fn select<T: Copy>(candidates: &[Candidate<T>]) -> Selection<T> {
    match select_index(candidates) {
        Selection::None => Selection::None,
        Selection::One(index) => match candidates.get(index) {
            Some(candidate) => Selection::One(candidate.value),
            None => Selection::None,
        },
        Selection::Ambiguous => Selection::Ambiguous,
    }
}

/// What the placeholders of one signature stand for in one call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Binding {
    /// `genFType` and its kin: the same number of components everywhere.
    components: Option<Shape>,
    /// `mat`
    matrix: Option<Shape>,
}

impl<'a> Lowerer<'a> {
    /// The type that an argument of type `ty` becomes where the pattern is a parameter's, and how well it fits. For `out` the
    /// conversion goes the other way, for `inout` both ways.
    pub(super) fn match_pattern(
        &mut self,
        pattern: &Pattern,
        ty: Ty,
        direction: ParameterDirection,
        binding: &mut Binding,
    ) -> Option<(Ty, Rank)> {
        let (scalar, shape) = match *pattern {
            Pattern::Scalar(scalar) => (scalar, Shape::Scalar),
            Pattern::Vector(scalar, length @ 5..) => {
                (scalar, Shape::LongVector(self.types.symbols.int(i64::from(length))))
            }
            Pattern::Vector(scalar, length) => (scalar, Shape::Vector(length)),
            Pattern::Matrix { component, columns, rows } => (component, Shape::Matrix { columns, rows }),
            Pattern::Gen(scalar) | Pattern::GenVector(scalar) => {
                let (_, shape) = self.types.shape(ty)?;
                let vector = matches!(pattern, Pattern::GenVector(_));
                if shape.is_matrix() || (vector && shape == Shape::Scalar) {
                    return None;
                }
                match binding.components {
                    None => binding.components = Some(shape),
                    Some(bound) if bound == shape => {}
                    Some(Shape::LongVector(a)) => match shape {
                        Shape::LongVector(b) if self.types.may_equal(a, b) => {}
                        _ => return None,
                    },
                    Some(_) => return None,
                }
                (scalar, shape)
            }
            Pattern::AnyMatrix(scalar) => {
                let (_, shape) = self.types.shape(ty)?;
                if !shape.is_matrix() || binding.matrix.is_some_and(|bound| bound != shape) {
                    return None;
                }
                binding.matrix = Some(shape);
                (scalar, shape)
            }
            // There are no conversions between cooperative vectors (GL_NV_cooperative_vector, section 4.1.X).
            Pattern::Coopvec(scalar) => {
                let (component, length) = self.types.as_coopvec(ty)?;
                let fits = match binding.components {
                    None => true,
                    Some(Shape::LongVector(bound)) => self.types.may_equal(bound, length),
                    Some(_) => false,
                };
                binding.components.get_or_insert(Shape::LongVector(length));
                return (component == scalar && fits).then_some((ty, Rank::Exact));
            }
            _ => return self.match_other(pattern, ty),
        };
        let (from, from_shape) = self.types.shape(ty)?;
        if from_shape != shape {
            return None;
        }
        // The tables of section 4.1.10 name vectors of up to 4 components alone.
        if from != scalar && matches!(shape, Shape::LongVector(_)) {
            return None;
        }
        let rank = match direction {
            ParameterDirection::In => self.conversion_rank(from, scalar)?,
            ParameterDirection::Out => self.conversion_rank(scalar, from)?,
            ParameterDirection::InOut => {
                self.conversion_rank(from, scalar)?.max(self.conversion_rank(scalar, from)?)
            }
        };
        Some((self.types.shaped(scalar, shape), rank))
    }

    /// Patterns without conversions.
    fn match_other(&mut self, pattern: &Pattern, ty: Ty) -> Option<(Ty, Rank)> {
        let kind = self.types.kind(ty);
        let fits = match *pattern {
            Pattern::AnyType => true,
            Pattern::AnyCoopmat => matches!(kind, TypeKind::Coopmat(_)),
            Pattern::AnyCoopmatNv => matches!(kind, TypeKind::CoopmatNv(_)),
            Pattern::AnyCoopvec => matches!(kind, TypeKind::CoopVec(..)),
            Pattern::AnyTensorLayout => matches!(kind, TypeKind::TensorLayout { .. }),
            Pattern::AnyTensorView => matches!(kind, TypeKind::TensorView { .. }),
            Pattern::FunctionName => ty == Ty::FUNCTION_NAME,
            Pattern::String => ty == Ty::STRING,
            Pattern::Opaque(opaque) => *kind == TypeKind::Opaque(opaque),
            Pattern::Array(element, length) => {
                let &TypeKind::Array(found, found_length) = kind else { return None };
                let lengths = match (length, found_length) {
                    (Some(length), ArrayLength::Sized(sym)) => {
                        self.types.symbols.as_int(sym).is_none_or(|found| found == i64::from(length))
                    }
                    _ => true,
                };
                let mut binding = Binding::default();
                let element = self.match_pattern(element, found, ParameterDirection::In, &mut binding);
                lengths && matches!(element, Some((_, Rank::Exact)))
            }
            Pattern::Struct(_) => self.pattern_type(pattern).is_some_and(|wanted| wanted == ty),
            _ => false,
        };
        fits.then_some((Ty::ERROR, Rank::Exact))
    }

    /// The type of a result, with the placeholders filled in.
    pub(super) fn bound_type(&mut self, pattern: &Pattern, binding: &Binding) -> Ty {
        match *pattern {
            Pattern::Gen(scalar) | Pattern::GenVector(scalar) => {
                self.types.shaped(scalar, binding.components.unwrap_or(Shape::Scalar))
            }
            Pattern::Coopvec(scalar) => match binding.components {
                Some(Shape::LongVector(length)) => self.types.intern(TypeKind::CoopVec(scalar, length)),
                _ => Ty::ERROR,
            },
            Pattern::AnyMatrix(scalar) => match binding.matrix {
                Some(shape) => self.types.shaped(scalar, shape),
                None => Ty::ERROR,
            },
            _ => self.pattern_type(pattern).unwrap_or(Ty::ERROR),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(value: u32, ranks: &[Rank]) -> Candidate<u32> {
        Candidate { value, ranks: ranks.to_vec() }
    }

    #[test]
    fn the_best_candidate_is_worse_nowhere() {
        let (exact, promotion, conversion) = (Rank::Exact, Rank::Promotion, Rank::Conversion);
        let first = candidate(1, &[exact, conversion]);
        let second = candidate(2, &[promotion, conversion]);
        assert!(matches!(select(&[first, second]), Selection::One(1)));
        let first = candidate(1, &[exact, conversion]);
        let second = candidate(2, &[conversion, exact]);
        assert!(matches!(select(&[first, second]), Selection::Ambiguous));
        assert!(matches!(select::<u32>(&[]), Selection::None));
    }
}
