//! What an entry point takes: shared memory of the workgroup, and matrices and cooperative vectors that its invocations hold.

use crate::hover::matrix;
use crate::showing::configured_value;
use coopmat_analysis::Analysis;
use coopmat_analysis::hir::FunctionId;
use coopmat_analysis::shared_memory::{self, reachable, used_globals};
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::types::{ArrayLength, Coopmat, Scalar, Ty, TypeKind};

/// What the shared variables that an entry point uses take, under the configuration's values.
pub fn shared_memory(analysis: &Analysis, entry: FunctionId) -> Option<String> {
    let module = &analysis.module;
    let used = used_globals(module, &reachable(module, entry));
    let length = |length| configured_value(analysis, length).and_then(|length| u64::try_from(length).ok());
    let taken = shared_memory::shared_memory(module, &used, length)?;
    let least = if taken.partial { "at least " } else { "" };
    let mut text = match taken.most {
        most if most == taken.least || taken.partial => {
            format!("shared memory {least}{} bytes", grouped(taken.least))
        }
        most => format!("shared memory {} bytes, up to {} with padding", grouped(taken.least), grouped(most)),
    };
    if let Some(profile) = analysis.config.device_profile()
        && let Some(limit) = profile.limits.max_compute_shared_memory_size
    {
        let limit = u64::from(limit);
        text.push_str(&format!(" of {}", grouped(limit)));
        if taken.least > limit {
            text.push_str(": too much");
        } else if taken.most > limit {
            text.push_str(": may be too much");
        }
    }
    Some(text)
}

#[derive(Default)]
struct Held {
    matrices: u64,
    /// Together, whoever holds them.
    elements: u64,
    /// In each invocation; `None` when that is not known of one of them.
    each: Option<(u64, u64)>,
    /// Of one the size is not known.
    unknown: bool,
    /// Cooperative vectors: each invocation holds all components of its own.
    vectors: u64,
    /// Components and bytes of all vectors; `None` when the length of one is not known.
    vector_size: Option<(u64, u64)>,
    /// Members and elements that were looked at.
    seen: u32,
}

/// What the variables of an entry point and the functions that it calls hold, if all were alive at once: parameters and values in between
/// are not counted.
pub fn matrices(analysis: &Analysis, entry: FunctionId) -> Option<String> {
    let module = &analysis.module;
    let functions = reachable(module, entry);
    let mut held = Held { each: Some((0, 0)), vector_size: Some((0, 0)), ..Held::default() };
    for id in used_globals(module, &functions) {
        add(analysis, module.globals[id].ty, 1, DEPTH, &mut held);
    }
    for id in &functions {
        let Some(body) = &module.functions[*id].body else { continue };
        for (_, local) in body.locals.iter() {
            if !local.parameter && (local.read || local.written) {
                add(analysis, local.ty, 1, DEPTH, &mut held);
            }
        }
    }
    let parts: Vec<String> = [matrices_held(&held), vectors_held(&held)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn matrices_held(held: &Held) -> Option<String> {
    let count = match held.matrices {
        0 => return None,
        1 => "1 matrix".to_owned(),
        count => format!("{} matrices", grouped(count)),
    };
    Some(match held.each {
        _ if held.unknown => format!("{count} of unknown size"),
        Some(size) => each(&count, size),
        None => format!(
            "{count} of {} elements together (set a subgroup size or a device to see what an invocation holds)",
            grouped(held.elements)
        ),
    })
}

fn vectors_held(held: &Held) -> Option<String> {
    let count = match held.vectors {
        0 => return None,
        1 => "1 cooperative vector".to_owned(),
        count => format!("{} cooperative vectors", grouped(count)),
    };
    Some(match held.vector_size {
        Some(size) if !held.unknown => each(&count, size),
        _ => format!("{count} of unknown size"),
    })
}

fn each(count: &str, (components, bytes): (u64, u64)) -> String {
    format!("{count}: {} components, {} bytes in each invocation", grouped(components), grouped(bytes))
}

/// Bounds the nesting of structures and arrays.
const DEPTH: u32 = 32;
/// Structures of structures may double at each level.
const MOST_MEMBERS: u32 = 50_000;

fn add(analysis: &Analysis, ty: Ty, count: u64, depth: u32, held: &mut Held) {
    let Some(depth) = depth.checked_sub(1) else { return };
    held.seen += 1;
    if held.seen > MOST_MEMBERS {
        held.unknown = true;
        return;
    }
    match analysis.module.types.kind(ty) {
        TypeKind::Coopmat(shape) => add_matrix(analysis, shape, count, held),
        TypeKind::CoopVec(component, length) => add_vector(analysis, *component, *length, count, held),
        TypeKind::Array(element, ArrayLength::Sized(length)) => {
            let length = configured_value(analysis, *length).and_then(|length| u64::try_from(length).ok());
            add(analysis, *element, count.saturating_mul(length.unwrap_or(1)), depth, held);
        }
        TypeKind::Struct(id) => {
            for member in &analysis.module.structs[*id].members {
                add(analysis, member.ty, count, depth, held);
            }
        }
        _ => {}
    }
}

fn add_matrix(analysis: &Analysis, shape: &Coopmat, count: u64, held: &mut Held) {
    held.matrices = held.matrices.saturating_add(count);
    let Some(elements) = matrix::elements(analysis, shape) else {
        held.unknown = true;
        return;
    };
    held.elements = held.elements.saturating_add(elements.saturating_mul(count));
    held.each = held.each.zip(matrix::holders(analysis, shape)).map(|((components, bytes), holders)| {
        let each = elements.div_ceil(holders);
        (
            components.saturating_add(each.saturating_mul(count)),
            bytes.saturating_add(matrix::bytes(shape, each).saturating_mul(count)),
        )
    });
}

fn add_vector(analysis: &Analysis, component: Scalar, length: Sym, count: u64, held: &mut Held) {
    held.vectors = held.vectors.saturating_add(count);
    let length = configured_value(analysis, length).and_then(|length| u64::try_from(length).ok());
    held.vector_size = held.vector_size.zip(length).map(|((components, bytes), length)| {
        let size = length.saturating_mul(u64::from(component.bits())).div_ceil(8);
        (
            components.saturating_add(length.saturating_mul(count)),
            bytes.saturating_add(size.saturating_mul(count)),
        )
    });
}

/// `49,152`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
