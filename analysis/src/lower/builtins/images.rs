//! Images that may not be read or written (GLSL 4.60, sections 4.10 and 8.12).

use crate::diagnostics::codes;
use crate::extensions::{BuiltinFunction, Change, ids, instructions};
use crate::hir::{Definition, ExprId, ExprKind, MemoryQualifiers, Place};
use crate::lower::Lowerer;
use crate::types::{OpaqueClass, TypeKind};

/// Checks the image that a built-in reads or writes against the memory qualifiers of its declaration.
pub(crate) fn check_access(lowerer: &mut Lowerer<'_>, function: &BuiltinFunction, arguments: &[ExprId]) {
    let Some(&image) = arguments.first() else { return };
    let TypeKind::Opaque(opaque) = lowerer.types.kind(lowerer.type_of(image)) else { return };
    let noun = match opaque.class {
        OpaqueClass::Image => "image",
        OpaqueClass::Tensor => "tensor",
        _ => return,
    };
    let instruction = function.instruction;
    let atomic = instruction.contains("OpAtomic");
    let reads = atomic
        || instruction.contains("ImageRead")
        || instruction.contains("ImageSparseRead")
        || instruction == instructions::OP_TENSOR_READ_ARM;
    let writes =
        atomic || instruction.contains("OpImageWrite") || instruction == instructions::OP_TENSOR_WRITE_ARM;
    // Overloads for both share an entry in the tables; the name tells.
    let (reads, writes) = match (reads, writes, atomic) {
        (true, true, false) => return,
        both => (both.0, both.1),
    };
    let Some((memory, definition)) = qualifiers(lowerer, image) else { return };
    if reads && !memory.writeonly {
        check_parameter_format(lowerer, function, image, &definition);
    }
    if atomic {
        check_atomic_format(lowerer, function, image, &definition);
    }
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
        format!("`{}` {what} this {noun}, but it is declared `{declared}`", function.name),
        vec![(Place::Definition(definition), "declared here".to_owned())],
    );
}

/// GLSL 4.60, section 8.12: images that atomics work on have one component of 32 bits, and by later extensions one of 64 bits or a pair or four
/// of 16 bits (VUID-StandaloneSpirv-OpImageTexelPointer-04658).
fn check_atomic_format(
    lowerer: &mut Lowerer<'_>,
    function: &BuiltinFunction,
    image: ExprId,
    definition: &Definition,
) {
    let &Definition::Global(global) = definition else { return };
    let Some(format) = lowerer.module.globals[global].layout.format.clone() else { return };
    let halves = lowerer.environment.enabled(ids::GL_NV_SHADER_ATOMIC_FP16_VECTOR);
    let fits = match &*format {
        "r32i" | "r32ui" | "r32f" | "r64i" | "r64ui" => true,
        "rg16f" | "rgba16f" => halves,
        _ => false,
    };
    if fits
        || lowerer.environment.has_unknown_extension()
        || lowerer.environment.may_change(Change::Descriptors)
    {
        return;
    }
    let range = lowerer.range_of(image);
    lowerer.report_with(
        &codes::IMAGE_FORMAT,
        range,
        format!(
            "`{}` works on images with one component of 32 bits, as in `r32ui`, and this one is `{format}`",
            function.name
        ),
        vec![(Place::Definition(definition.clone()), "declared here".to_owned())],
    );
}

/// GLSL 4.60, section 4.4.7: "it is a compile-time error to pass an image uniform variable or function parameter declared without a format layout
/// qualifier to an image load or atomic function". A parameter takes no `layout`. GLSL ES 3.20 has no such sentence.
fn check_parameter_format(
    lowerer: &mut Lowerer<'_>,
    function: &BuiltinFunction,
    image: ExprId,
    definition: &Definition,
) {
    let &Definition::Local(parameter) = definition else { return };
    let formatted = ids::GL_EXT_SHADER_IMAGE_LOAD_FORMATTED;
    if lowerer.environment.is_es()
        || lowerer.environment.enabled(formatted)
        || lowerer.environment.named(formatted)
        || lowerer.environment.has_unknown_extension()
        || lowerer.environment.may_change(Change::Descriptors)
    {
        return;
    }
    let range = lowerer.range_of(image);
    let name = lowerer.body.locals[parameter].name.clone();
    lowerer.report(
        &codes::IMAGE_FORMAT,
        range,
        format!(
            "`{}` needs an image with a format, and the parameter `{name}` has none: use the image itself, or enable {}",
            function.name,
            formatted.name()
        ),
    );
}

/// How an image is declared that is a variable or parameter, or an element of one.
pub(crate) fn qualifiers(lowerer: &Lowerer<'_>, image: ExprId) -> Option<(MemoryQualifiers, Definition)> {
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
