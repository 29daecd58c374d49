//! The rules of built-ins that go beyond a signature: each types its call, checks it, or both.
//!
//! `apply` is called once per call of a built-in whose table entry names a rule, after the arguments are lowered and their
//! number is checked. Parameters with a plain pattern (`uint element`) are converted by then; `AnyType`, `AnyCoopmat` and the
//! like accept every argument, so that the rule can say what is wrong with it. No argument has an `Error` type: such calls are
//! silent and never come here.
//!
//! A rule may change an argument in place: `lowerer.convert_in_place(argument, ty, what)` wraps it in an implicit conversion,
//! and a `FunctionName` gets the overload that it stands for.

use crate::extensions::{BuiltinFunctionId, Rule};
use crate::hir::ExprId;
use crate::lower::Lowerer;
use crate::text::TextRange;
use crate::types::Ty;

/// One call of a built-in, in the coordinates of the current body.
#[derive(Clone, Copy, Debug)]
pub struct CallSite<'c> {
    pub function: BuiltinFunctionId,
    /// The function's name.
    pub name_range: TextRange,
    /// The whole call.
    pub range: TextRange,
    /// In the order of the parameters. Arguments that were left out are absent, those of a variadic tail follow.
    pub arguments: &'c [ExprId],
    /// What the signature gives as the type of the result; `Error` where only the rule knows it.
    pub result: Ty,
}

/// Checks a call and gives the type of its result. `Ty::ERROR` silences what uses the result.
pub fn apply(rule: Rule, lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let argument = |index: usize| {
        call.arguments.get(index).map_or(Ty::ERROR, |&argument| lowerer.body.exprs[argument].ty)
    };
    match rule {
        // The result has the type of one argument.
        Rule::CoopMatMulAdd | Rule::CoopMatMulAddNv => argument(2),
        Rule::SetTensorLayout | Rule::SetTensorView => argument(0),
        Rule::CoopMatLoad
        | Rule::CoopMatStore
        | Rule::CoopMatLoadTensor
        | Rule::CoopMatStoreTensor
        | Rule::CoopMatReduce
        | Rule::CoopMatPerElement
        | Rule::CoopMatTranspose
        | Rule::BitcastQcom
        | Rule::ExtractSubArrayQcom
        | Rule::VectorToCoopmatQcom
        | Rule::CoopmatToVectorQcom
        | Rule::CoopMatLoadNv
        | Rule::CoopMatStoreNv => call.result,
        // The signature gives the type.
        Rule::Atomic | Rule::Barrier | Rule::Subgroup | Rule::DebugPrintf => call.result,
        // Typed by values of arguments.
        Rule::CreateTensorLayout | Rule::CreateTensorView | Rule::Convert => Ty::ERROR,
        Rule::NotAnalysed => Ty::ERROR,
    }
}
