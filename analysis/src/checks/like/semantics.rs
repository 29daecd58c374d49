//! Orders of atomics and barriers that glslang rejects: GL_KHR_memory_scope_semantics lists what is an error, and these are not in the list.

use crate::diagnostics::codes;
use crate::extensions::{sets, values};
use crate::hir::{Body, Const, ExprId};

use super::refusals::Refusals;
use crate::checks::walk::builtin_call;

const ORDERS: i64 =
    values::GL_SEMANTICS_ACQUIRE | values::GL_SEMANTICS_RELEASE | values::GL_SEMANTICS_ACQUIRE_RELEASE;

pub(super) fn check(refusals: &mut Refusals<'_>, body: &Body, call: ExprId) {
    let Some((function, arguments)) = builtin_call(body, call) else { return };
    let number = |expr: ExprId| {
        let value = body.exprs[expr].constant.as_ref().and_then(Const::as_int)?;
        i64::try_from(value).ok()
    };
    let mut storage = None;
    let mut orders: Vec<(i64, ExprId)> = Vec::new();
    for (parameter, &argument) in function.parameters.iter().zip(arguments) {
        if parameter.constants == Some(sets::GL_STORAGE_SEMANTICS) {
            storage = number(argument);
        } else if parameter.constants == Some(sets::GL_SEMANTICS)
            && let (Some(storage), Some(semantics)) = (storage, number(argument))
        {
            let order = semantics & ORDERS;
            orders.push((order, argument));
            let message = match (storage, order) {
                (0, 0) => continue,
                (0, _) => format!(
                    "glslang rejects an order of `{}` without memory: name some, as in `gl_StorageSemanticsBuffer`",
                    function.name
                ),
                (_, 0) => format!(
                    "glslang rejects memory that `{}` names without an order: write 0 instead, or name an order",
                    function.name
                ),
                _ => continue,
            };
            refusals.refuse(&codes::GLSLANG_MEMORY_SEMANTICS, body.exprs[argument].range, message);
        }
    }
    if let &[(equal, _), (unequal, place)] = orders.as_slice()
        && unequal & values::GL_SEMANTICS_ACQUIRE != 0
        && equal == values::GL_SEMANTICS_RELEASE
    {
        let message = format!(
            "glslang rejects `gl_SemanticsAcquire` where the comparison of `{}` fails and `gl_SemanticsRelease` where it succeeds: \
             write `gl_SemanticsAcquireRelease` there",
            function.name
        );
        refusals.refuse(&codes::GLSLANG_MEMORY_SEMANTICS, body.exprs[place].range, message);
    }
}
