//! Images that may not be read or written (GLSL 4.60, sections 4.10 and 8.12).

use crate::diagnostics::codes;
use crate::extensions::BuiltinFunction;
use crate::hir::{Definition, ExprId, ExprKind, MemoryQualifiers, Place};
use crate::lower::Lowerer;
use crate::types::{OpaqueClass, TypeKind};

/// Checks the image that a built-in reads or writes against the memory qualifiers of its declaration.
pub(crate) fn check_access(lowerer: &mut Lowerer<'_>, function: &BuiltinFunction, arguments: &[ExprId]) {
    let Some(&image) = arguments.first() else { return };
    let TypeKind::Opaque(opaque) = lowerer.types.kind(lowerer.type_of(image)) else { return };
    if opaque.class != OpaqueClass::Image {
        return;
    }
    let instruction = function.instruction;
    let atomic = instruction.contains("OpAtomic");
    let reads = atomic || instruction.contains("ImageRead") || instruction.contains("ImageSparseRead");
    let writes = atomic || instruction.contains("OpImageWrite");
    // Overloads for both share an entry in the tables; the name tells.
    let (reads, writes) = match (reads, writes, atomic) {
        (true, true, false) => return,
        both => (both.0, both.1),
    };
    let Some((memory, definition)) = qualifiers(lowerer, image) else { return };
    let (what, declared) = if reads && memory.writeonly {
        ("reads", "writeonly")
    } else if writes && memory.readonly {
        ("writes", "readonly")
    } else {
        return;
    };
    let range = lowerer.range_of(image);
    lowerer.report_with(
        &codes::MEMORY_ACCESS,
        range,
        format!("`{}` {what} this image, but it is declared `{declared}`", function.name),
        vec![(Place::Definition(definition), "declared here".to_owned())],
    );
}

fn qualifiers(lowerer: &Lowerer<'_>, image: ExprId) -> Option<(MemoryQualifiers, Definition)> {
    let mut expr = image;
    loop {
        expr = match lowerer.body.exprs[expr].kind {
            ExprKind::Index { base, .. } => base,
            ExprKind::Global(global) => {
                return Some((lowerer.module.globals[global].memory, Definition::Global(global)));
            }
            ExprKind::Local(local) => {
                return Some((lowerer.body.locals[local].memory, Definition::Local(local)));
            }
            _ => return None,
        };
    }
}
