//! Values known while compiling.

use std::sync::Arc;

use crate::symbolic::Sym;

/// A value known while compiling.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// `true` or `false`.
    Bool(bool),
    /// An integer of any width, in the range of its type.
    Int(i128),
    /// Of any floating-point format, rounded to it.
    Float(f64),
    /// Of vectors, matrices (by column), arrays and structures.
    Composite(Arc<[Const]>),
    /// An integer or boolean that depends on specialization constants.
    Symbolic(Sym),
    /// A specialization-constant or constant expression of which no value is kept (floats, large composites).
    Opaque {
        /// Whether it depends on specialization.
        specialization: bool,
    },
}

impl Const {
    /// An integer that does not depend on specialization; `None` for anything else, booleans among it.
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Const::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether it depends on specialization.
    pub fn is_specialization(&self) -> bool {
        match self {
            Const::Symbolic(_) | Const::Opaque { specialization: true } => true,
            Const::Composite(parts) => parts.iter().any(Const::is_specialization),
            _ => false,
        }
    }
}
