//! Reads of memory that is declared `writeonly` (GLSL 4.60, section 4.10).

use rustc_hash::FxHashSet;

use crate::diagnostics::{Severity, codes};
use crate::extensions;
use crate::extensions::ParameterDirection;
use crate::hir::{Callee, Direction, ExprId, ExprKind};
use crate::lower::Lowerer;
use crate::types::TypeKind;

use crate::lower::builtins::memory;

/// Reports the reads of a body. `a |= b` reads `a` too, but compilers let it pass, and shaders in use have it: a warning.
pub(super) fn check(lowerer: &mut Lowerer<'_>) {
    if !has_writeonly(lowerer) {
        return;
    }
    let body = &lowerer.body;
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
                let parameters = &lowerer.module.functions[*function].parameters;
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
        let is_memory = !is_opaque(lowerer, expr.ty);
        if is_place && is_memory && !places.contains(&id) && memory::place_of(lowerer, id).writeonly {
            reads.push((expr.range, changed.contains(&id)));
        }
    }
    for (range, changes) in reads {
        let (severity, message) = if changes {
            (
                Severity::Warning,
                "this assignment reads the memory that it changes, but it is declared `writeonly`",
            )
        } else {
            (codes::MEMORY_ACCESS.severity, "this memory is read, but it is declared `writeonly`")
        };
        lowerer.report_as(&codes::MEMORY_ACCESS, severity, range, message.to_owned(), Vec::new());
    }
}

fn has_writeonly(lowerer: &Lowerer<'_>) -> bool {
    let module = &lowerer.module;
    module.globals.iter().any(|(_, global)| global.memory.writeonly && !is_opaque(lowerer, global.ty))
        || module.structs.iter().any(|(_, structure)| {
            use crate::hir::StructKind;
            let whole = match &structure.kind {
                StructKind::Block { memory, .. } | StructKind::Reference { memory, .. } => memory.writeonly,
                StructKind::Plain => false,
            };
            whole || structure.members.iter().any(|member| member.memory.writeonly)
        })
}

fn is_opaque(lowerer: &Lowerer<'_>, mut ty: crate::types::Ty) -> bool {
    while let TypeKind::Array(element, _) = *lowerer.types.kind(ty) {
        ty = element;
    }
    matches!(lowerer.types.kind(ty), TypeKind::Opaque(_)) || lowerer.types.is_error(ty)
}
