//! Declarations that glslang rejects: bindings that are left out, and workgroups above its own limit.

use crate::diagnostics::{Diagnostic, codes};
use crate::text::TextSize;

use super::refusals::Refusals;

/// `maxComputeWorkGroupSizeX` and the others of glslang's default resources, which `glslangValidator` and `glslc` take.
const LOCAL_SIZE: [i64; 3] = [1024, 1024, 64];

pub(super) fn check(refusals: &mut Refusals<'_>) {
    let local_size = &refusals.module.local_size;
    let Some(range) = local_size.range else { return };
    for ((dim, most), name) in local_size.dims.iter().zip(LOCAL_SIZE).zip(["x", "y", "z"]) {
        // What an id gives is not looked at.
        let value = dim.value.and_then(|value| refusals.module.types.symbols.as_int(value));
        if let Some(value) = value.filter(|value| *value > most) {
            refusals.base = TextSize::new(0);
            refusals.refuse(
                &codes::GLSLANG_WORKGROUP_SIZE,
                range,
                format!("`local_size_{name}` is {value}, and glslang rejects more than {most}: set `local_size_{name}_id` to choose it when the pipeline is made"),
            );
        }
    }
}

/// glslang numbers no bindings unless it is told to (`--amb`, `-fauto-bind-uniforms`).
pub(crate) fn raised(diagnostic: &Diagnostic) -> Option<Diagnostic> {
    let code = &codes::GLSLANG_MISSING_BINDING;
    (code.instead_of == Some(diagnostic.code.id)).then(|| Diagnostic {
        code,
        severity: code.severity,
        message: format!("{}; glslang rejects the declaration without it", diagnostic.message),
        ..diagnostic.clone()
    })
}
