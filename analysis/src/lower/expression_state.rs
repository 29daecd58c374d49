//! What lowering of expressions remembers from one to the next: what the next is for, and resolutions of operators and overloads.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::extensions::BuiltinFunctionId;
use crate::hir::BinaryOp;
use crate::types::{Scalar, Ty};

/// What lowering of expressions remembers.
#[derive(Default)]
pub(super) struct ExpressionState {
    /// What the expression that is lowered next is for; taken by it.
    pub access: Access,
    pub typings: FxHashMap<(BinaryOp, Ty, Ty), Result<Typing, Refusal>>,
    pub overloads: Overloads,
    /// Whether an extension of the explicit arithmetic types is enabled, after how many `#extension` lines.
    pub explicit_types: Option<bool>,
    /// How many `#extension` lines were in force when the caches were filled.
    pub epoch: usize,
    /// How many times a name was compared with all others.
    pub suggestions: u32,
}

/// What an expression is lowered for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Access {
    #[default]
    Read,
    /// The target of a plain assignment.
    Write,
    /// The target of `+=` or `++`.
    ReadWrite,
}

/// What a binary operator makes of two types: its operands' types after conversion, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Typing {
    pub left: Ty,
    pub right: Ty,
    pub result: Ty,
    /// Component type in which constants are folded.
    pub scalar: Option<Scalar>,
}

/// Why an operator does not take its operands; the text of it is made only when it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Operand types that the operator has nothing to do with.
    Operands,
    /// Vectors or matrices whose sizes do not go together.
    Sizes,
    /// bfloat16 and smaller formats have no arithmetic.
    SmallFloat(Scalar),
    NeedsInteger,
    NeedsBool,
    NeedsScalar,
    CoopmatOperator,
    CoopmatTypes,
    /// The component type that the scalar must have.
    CoopmatScalar(Scalar),
    CoopvecOperator,
    CoopvecTypes,
    /// The component type that the scalar must have.
    CoopvecScalar(Scalar),
    Reference,
    ReferenceComparison,
    Opaque,
}

/// How many argument types a remembered resolution has at most.
const REMEMBERED_ARGUMENTS: usize = 6;

/// Resolutions of built-ins by the first overload of the name and the argument types.
#[derive(Default)]
pub(super) struct Overloads {
    known: FxHashMap<OverloadKey, Rc<Resolved>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct OverloadKey {
    first: BuiltinFunctionId,
    count: u8,
    arguments: [Ty; REMEMBERED_ARGUMENTS],
}

impl Overloads {
    pub fn clear(&mut self) {
        self.known.clear();
    }

    pub fn get(&self, first: BuiltinFunctionId, arguments: &[Ty]) -> Option<Rc<Resolved>> {
        self.known.get(&OverloadKey::new(first, arguments)?).cloned()
    }

    /// Remembers a resolution, unless it has too many arguments.
    pub fn insert(&mut self, first: BuiltinFunctionId, arguments: &[Ty], resolved: Rc<Resolved>) {
        if let Some(key) = OverloadKey::new(first, arguments) {
            self.known.insert(key, resolved);
        }
    }
}

impl OverloadKey {
    fn new(first: BuiltinFunctionId, types: &[Ty]) -> Option<OverloadKey> {
        let mut arguments = [Ty::ERROR; REMEMBERED_ARGUMENTS];
        arguments.get_mut(..types.len())?.copy_from_slice(types);
        Some(OverloadKey { first, count: types.len() as u8, arguments })
    }
}

/// The overload that a call stands for.
pub(super) struct Resolved {
    pub function: BuiltinFunctionId,
    pub result: Ty,
    /// What each argument is converted to; `Error` where the parameter takes it as it is.
    pub parameters: Vec<Ty>,
}
