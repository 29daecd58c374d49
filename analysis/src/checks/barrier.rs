//! What a barrier waits for and orders (GLSL 4.60, sections 8.16 and 8.17; GL_KHR_shader_subgroup, GL_KHR_memory_scope_semantics).

use crate::extensions::{BuiltinFunction, FixedOperand, instructions, values};
use crate::hir::{Body, Const, ExprId};

/// Whose invocations a barrier makes wait, or whose accesses it orders. Later means more of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    Invocation,
    Subgroup,
    Workgroup,
    /// More than a workgroup.
    Device,
}

/// A call of a barrier. What an argument does not say is `None`: anything may be meant.
#[derive(Clone, Copy, Debug)]
pub struct Barrier {
    /// Who waits for each other.
    pub waits: Option<Reach>,
    /// Between whom accesses are ordered.
    pub orders: Option<Reach>,
    /// Whether accesses to shared memory are ordered.
    pub shared: Option<bool>,
    /// Whether writes from before it are there for others.
    pub releases: Option<bool>,
    /// Whether what others wrote is seen after it.
    pub acquires: Option<bool>,
}

/// What a call of a built-in is as a barrier that makes invocations wait; `None` for every other call. Halves of barriers
/// (GL_EXT_split_barrier) are none.
pub fn control(function: &BuiltinFunction, arguments: &[ExprId], body: &Body) -> Option<Barrier> {
    if function.instruction != instructions::OP_CONTROL_BARRIER {
        return None;
    }
    if let &[execution, memory, storage, semantics, ..] = arguments {
        let known = |argument: ExprId| {
            let constant = body.exprs[argument].constant.as_ref()?;
            Const::as_int(constant).and_then(|value| i64::try_from(value).ok())
        };
        let any = |bits: i64| known(semantics).map(|value| value & (bits | BOTH) != 0);
        return Some(Barrier {
            waits: known(execution).and_then(reach),
            orders: known(memory).and_then(reach),
            shared: known(storage).map(|value| value & values::GL_STORAGE_SEMANTICS_SHARED != 0),
            releases: any(values::GL_SEMANTICS_RELEASE),
            acquires: any(values::GL_SEMANTICS_ACQUIRE),
        });
    }
    let reach = if function.has(FixedOperand::Subgroup) { Reach::Subgroup } else { Reach::Workgroup };
    Some(Barrier {
        waits: Some(reach),
        orders: Some(reach),
        shared: Some(function.has(FixedOperand::Shared)),
        releases: Some(true),
        acquires: Some(true),
    })
}

const BOTH: i64 = values::GL_SEMANTICS_ACQUIRE_RELEASE;

fn reach(scope: i64) -> Option<Reach> {
    match scope {
        values::GL_SCOPE_INVOCATION => Some(Reach::Invocation),
        values::GL_SCOPE_SUBGROUP => Some(Reach::Subgroup),
        values::GL_SCOPE_WORKGROUP => Some(Reach::Workgroup),
        values::GL_SCOPE_DEVICE | values::GL_SCOPE_QUEUE_FAMILY => Some(Reach::Device),
        _ => None,
    }
}

/// Whether an expression calls a barrier that all invocations of a workgroup have to come to.
pub fn waits_for_workgroup(body: &Body, expr: ExprId) -> bool {
    let Some((function, arguments)) = super::walk::builtin_call(body, expr) else { return false };
    control(function, arguments, body).is_some_and(|barrier| barrier.waits == Some(Reach::Workgroup))
}
