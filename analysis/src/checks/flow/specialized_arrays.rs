//! Arrays whose length a specialization constant gives: GL_KHR_vulkan_glsl, section 4.4.x: "Types containing arrays sized with a specialization
//! constant cannot be compared, assigned as aggregates, declared with an initializer, or used as an initializer."

use crate::checks::context::Context;
use crate::diagnostics::codes;
use crate::hir::{BinaryOp, BodyDiagnostic, ExprId, ExprKind, StmtKind, find_part};
use crate::symbolic::Sym;
use crate::types::{ArrayLength, Ty, TypeKind};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<BodyDiagnostic>) {
    let body = context.body;
    for (_, expr) in body.exprs.iter() {
        match expr.kind {
            ExprKind::Assign { op: None, target, value } => {
                report(context, target, value, "assigned", findings)
            }
            ExprKind::Binary { op: BinaryOp::Equal | BinaryOp::NotEqual, left, right } => {
                report(context, left, right, "compared", findings);
            }
            _ => {}
        }
    }
    for (_, stmt) in body.stmts.iter() {
        // Of a list it is told that it cannot know how many elements there are.
        if let StmtKind::Declare { initializer: Some(value), .. } = stmt.kind
            && !matches!(body.exprs[value].kind, ExprKind::InitializerList { .. })
        {
            report(context, value, value, "initialized", findings);
        }
    }
}

fn report(context: &Context<'_>, of: ExprId, at: ExprId, what: &str, findings: &mut Vec<BodyDiagnostic>) {
    let ty = context.body.exprs[of].ty;
    let Some(length) = specialized_length(context, ty) else { return };
    let length = context.types.symbols.display(length);
    findings.push(BodyDiagnostic {
        code: &codes::SPECIALIZED_ARRAY,
        severity: codes::SPECIALIZED_ARRAY.severity,
        message: format!(
            "an array with `{length}` elements, a length that depends on specialization, cannot be {what} as a whole: take its elements one by one"
        ),
        range: context.body.exprs[at].range,
        related: Vec::new(),
    });
}

/// The length of the first such array in a type.
fn specialized_length(context: &Context<'_>, ty: Ty) -> Option<Sym> {
    let symbols = &context.types.symbols;
    find_part(context.types, &context.module.structs, ty, |part| match *context.types.kind(part) {
        TypeKind::Array(_, ArrayLength::Sized(length)) => {
            Some(length).filter(|length| symbols.as_int(*length).is_none() && !symbols.has_unknown(*length))
        }
        _ => None,
    })
}
