//! A call of a built-in, as the rules of built-ins see it.

use crate::extensions::BuiltinFunctionId;
use crate::hir::ExprId;
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
