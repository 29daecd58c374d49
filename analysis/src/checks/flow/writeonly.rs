//! Reads of memory that is declared `writeonly` (GLSL 4.60, section 4.10).

use rustc_hash::FxHashSet;

use crate::diagnostics::{Severity, codes};
use crate::extensions;
use crate::extensions::ParameterDirection;
use crate::hir::{BodyDiagnostic, Callee, Direction, ExprId, ExprKind};
use crate::matrices::memory;
use crate::types::TypeKind;

use crate::checks::context::Context;

/// Reports the reads of a body. `a |= b` reads `a` too, but compilers let it pass, and shaders in use have it: a warning.
pub(super) fn check(context: &Context<'_>, findings: &mut Vec<BodyDiagnostic>) {
    if !has_writeonly(context) {
        return;
    }
    let body = context.body;
    // Names of places: what is written, measured, handed on, or only the way to a part.
    let mut places: FxHashSet<ExprId> = FxHashSet::default();
    let mut changed: FxHashSet<ExprId> = FxHashSet::default();
    for (_, expr) in body.exprs.iter() {
        match &expr.kind {
            ExprKind::Assign { op: None, target, .. } => {
                places.insert(*target);
            }
            ExprKind::Assign { op: Some(_), target: changes, .. }
            | ExprKind::IncDec { operand: changes, .. } => {
                changed.insert(*changes);
            }
            ExprKind::Length { base }
            | ExprKind::Member { base, .. }
            | ExprKind::Swizzle { base, .. }
            | ExprKind::Index { base, .. } => {
                places.insert(*base);
            }
            ExprKind::Call { callee: Callee::Builtin(function), arguments } => {
                let parameters = extensions::function(*function).parameters;
                for (&argument, parameter) in arguments.iter().zip(parameters) {
                    if parameter.memory || parameter.direction == ParameterDirection::Out {
                        places.insert(argument);
                    }
                }
            }
            ExprKind::Call { callee: Callee::Function(function), arguments } => {
                let parameters = &context.module.functions[*function].parameters;
                for (&argument, parameter) in arguments.iter().zip(parameters) {
                    if parameter.direction == Direction::Out {
                        places.insert(argument);
                    }
                }
            }
            _ => {}
        }
    }
    let mut reads = Vec::new();
    for (id, expr) in body.exprs.iter() {
        let is_place = matches!(
            expr.kind,
            ExprKind::Global(_)
                | ExprKind::BlockMember(..)
                | ExprKind::Member { .. }
                | ExprKind::Index { .. }
                | ExprKind::Swizzle { .. }
        );
        // Images are no memory, nor is what is not analysed.
        let is_memory = !is_opaque(context, expr.ty);
        if is_place
            && is_memory
            && !places.contains(&id)
            && memory::place_of(context.module, context.types, body, id).writeonly
        {
            reads.push((expr.range, changed.contains(&id)));
        }
    }
    for (range, changes) in reads {
        let (severity, message) = if changes {
            (Severity::Warning, "this assignment also reads its target, which is declared `writeonly`")
        } else {
            (codes::MEMORY_ACCESS.severity, "this reads memory that is declared `writeonly`")
        };
        findings.push(BodyDiagnostic {
            code: &codes::MEMORY_ACCESS,
            severity,
            message: message.to_owned(),
            range,
            related: Vec::new(),
        });
    }
}

fn has_writeonly(context: &Context<'_>) -> bool {
    let module = &context.module;
    module.globals.iter().any(|(_, global)| global.memory.writeonly && !is_opaque(context, global.ty))
        || module.structs.iter().any(|(_, structure)| {
            use crate::hir::StructKind;
            let whole = match &structure.kind {
                StructKind::Block { memory, .. } | StructKind::Reference { memory, .. } => memory.writeonly,
                StructKind::Plain => false,
            };
            whole || structure.members.iter().any(|member| member.memory.writeonly)
        })
}

fn is_opaque(context: &Context<'_>, mut ty: crate::types::Ty) -> bool {
    while let TypeKind::Array(element, _) = *context.types.kind(ty) {
        ty = element;
    }
    matches!(context.types.kind(ty), TypeKind::Opaque(_)) || context.types.is_error(ty)
}
