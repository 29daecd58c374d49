//! Arguments of the shader's own functions that glslang rejects for what the parameter leaves out: a format, and qualifiers of the block from which an
//! address is read.

use crate::diagnostics::codes;
use crate::hir::{Body, Callee, ExprId, ExprKind, MemoryQualifiers, Module, Parameter, StructId, StructKind};
use crate::types::{OpaqueClass, TypeKind};

use super::refusals::Refusals;

pub(super) fn check(refusals: &mut Refusals<'_>, body: &Body, call: ExprId) {
    let module = refusals.module;
    let ExprKind::Call { callee: Callee::Function(function), arguments } = &body.exprs[call].kind else {
        return;
    };
    for (parameter, &argument) in module.functions[*function].parameters.iter().zip(arguments) {
        let message = match refusals.kind(body.exprs[argument].ty) {
            TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::Image => {
                format(module, body, parameter, argument)
            }
            TypeKind::Reference(_) => address(module, body, parameter, argument),
            _ => None,
        };
        if let Some(message) = message {
            refusals.refuse(&codes::GLSLANG_ARGUMENT, body.exprs[argument].range, message);
        }
    }
}

/// GLSL 4.60, 4.10: "layout qualification is not included in parameter matching", and a parameter has no format.
fn format(module: &Module, body: &Body, parameter: &Parameter, mut argument: ExprId) -> Option<String> {
    while let ExprKind::Index { base, .. } = body.exprs[argument].kind {
        argument = base;
    }
    let ExprKind::Global(global) = body.exprs[argument].kind else { return None };
    let format = module.globals[global].layout.format.as_ref().filter(|_| !parameter.memory.writeonly)?;
    Some(format!(
        "glslang rejects an image with the format `{format}` for a parameter, which has none: use the image itself, or make the parameter `writeonly`"
    ))
}

/// GL_EXT_buffer_reference, 4.3.9: the qualifiers of a block are about the addresses that it holds, which the function has a copy of.
fn address(module: &Module, body: &Body, parameter: &Parameter, mut argument: ExprId) -> Option<String> {
    while let ExprKind::Index { base, .. } = body.exprs[argument].kind {
        argument = base;
    }
    let around = match body.exprs[argument].kind {
        ExprKind::BlockMember(global, _) => match *module.types.kind(module.globals[global].ty) {
            TypeKind::Struct(structure) => of_block(module, structure)?,
            _ => return None,
        },
        ExprKind::Member { structure, .. } => of_block(module, structure)?,
        _ => return None,
    };
    let lost = around.lost_in(parameter.memory)?;
    Some(format!(
        "glslang rejects an address that is read from a `{lost}` block for a parameter that is not: copy it into a variable first"
    ))
}

fn of_block(module: &Module, structure: StructId) -> Option<MemoryQualifiers> {
    match &module.structs[structure].kind {
        StructKind::Block { memory, .. } | StructKind::Reference { memory, .. } => Some(*memory),
        StructKind::Plain => None,
    }
}
