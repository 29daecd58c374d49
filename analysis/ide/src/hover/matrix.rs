//! What a cooperative matrix is: shape, use, scope, and what each invocation holds of it.

use std::fmt::Write as _;

use crate::showing::configured_value;
use coopmat_analysis::Analysis;
use coopmat_analysis::display::display_constant;
use coopmat_analysis::extensions::sets;
use coopmat_analysis::extensions::values::{
    GL_MATRIX_USE_A, GL_MATRIX_USE_ACCUMULATOR, GL_MATRIX_USE_B, GL_SCOPE_SUBGROUP as SCOPE_SUBGROUP,
    GL_SCOPE_WORKGROUP as SCOPE_WORKGROUP,
};
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::types::{ArrayLength, Coopmat, Scalar, Ty, TypeKind};

/// A few lines of Markdown.
pub fn describe(analysis: &Analysis, matrix: &Coopmat) -> String {
    let symbols = &analysis.module.types.symbols;
    let size = |sym: Sym| match (symbols.as_int(sym), configured_value(analysis, sym)) {
        (None, Some(value)) => format!("{} (= {value})", symbols.display_operand(sym)),
        _ => symbols.display_operand(sym),
    };
    let usage = match configured_value(analysis, matrix.usage) {
        Some(GL_MATRIX_USE_A) => "A, the left factor".to_owned(),
        Some(GL_MATRIX_USE_B) => "B, the right factor".to_owned(),
        Some(GL_MATRIX_USE_ACCUMULATOR) => "accumulator".to_owned(),
        _ => symbols.display(matrix.usage),
    };
    let scope = configured_value(analysis, matrix.scope);
    let scope_name = match scope {
        Some(SCOPE_SUBGROUP) => "subgroup".to_owned(),
        Some(SCOPE_WORKGROUP) => "workgroup".to_owned(),
        _ => display_constant(symbols, matrix.scope, sets::GL_SCOPE),
    };
    let mut out = format!(
        "**{} x {}** (rows x columns) of `{}`, use {usage}, scope {scope_name}",
        size(matrix.rows),
        size(matrix.columns),
        matrix.component.name(),
    );
    let Some(elements) = elements(analysis, matrix) else { return out };
    let _ = write!(out, "\n\n{elements} elements, {} bytes in all", bytes(matrix, elements));
    let holder = match scope {
        Some(SCOPE_SUBGROUP) => "subgroup",
        Some(SCOPE_WORKGROUP) => "workgroup",
        _ => return out,
    };
    match holders(analysis, matrix) {
        Some(invocations) => {
            let each = elements.div_ceil(invocations);
            let _ = write!(
                out,
                "; in a {holder} of {invocations} each invocation holds {each} elements ({} bytes) if they are distributed evenly",
                bytes(matrix, each)
            );
        }
        None if scope == Some(SCOPE_SUBGROUP) => {
            out.push_str("; set a subgroup size or a device to see what each invocation holds");
        }
        None => {}
    }
    out
}

/// A cooperative vector: its components, of which each invocation has its own.
pub fn describe_vector(analysis: &Analysis, component: Scalar, length: Sym) -> String {
    let symbols = &analysis.module.types.symbols;
    let value = configured_value(analysis, length);
    let size = match (symbols.as_int(length), value) {
        (None, Some(value)) => format!("{} (= {value})", symbols.display_operand(length)),
        _ => symbols.display_operand(length),
    };
    let mut out = format!("**{size} components** of `{}`, a vector of each invocation", component.name());
    if let Some(length) = value.and_then(|length| u64::try_from(length).ok()) {
        let bytes = length.saturating_mul(u64::from(component.bits()) / 8);
        let _ = write!(out, " ({bytes} bytes)");
    }
    out
}

/// The matrices of an array: how many there are, and what one of them is. `None` for arrays of something else.
pub fn describe_array(analysis: &Analysis, ty: Ty) -> Option<String> {
    const MOST_DIMENSIONS: usize = 64;
    let types = &analysis.module.types;
    let (mut element, mut lengths) = (ty, Vec::new());
    for _ in 0..MOST_DIMENSIONS {
        let TypeKind::Array(inner, length) = *types.kind(element) else { break };
        lengths.push(match length {
            ArrayLength::Sized(length) => {
                configured_value(analysis, length).and_then(|length| u64::try_from(length).ok())
            }
            ArrayLength::Unsized => None,
        });
        element = inner;
    }
    let matrix = types.as_coopmat(element)?;
    let one = describe(analysis, &matrix);
    let count = lengths.iter().copied().try_fold(1u64, |count, length| count.checked_mul(length?));
    let Some(count) = count else { return Some(format!("An array of matrices, each:\n\n{one}")) };
    let mut out = format!("**{count} {}**", if count == 1 { "matrix" } else { "matrices" });
    if lengths.len() > 1 {
        let lengths: Vec<String> = lengths.iter().flatten().map(u64::to_string).collect();
        let _ = write!(out, " ({})", lengths.join(" x "));
    }
    if let Some(elements) = elements(analysis, &matrix) {
        let all = bytes(&matrix, elements).saturating_mul(count);
        let _ = write!(out, ", {all} bytes together");
        if let Some(holders) = holders(analysis, &matrix) {
            let each = bytes(&matrix, elements.div_ceil(holders)).saturating_mul(count);
            let _ = write!(out, ", {each} bytes in each invocation");
        }
    }
    Some(format!("{out}. Each:\n\n{one}"))
}

/// How many elements a matrix has, under the configuration's values.
pub fn elements(analysis: &Analysis, matrix: &Coopmat) -> Option<u64> {
    let size = |sym| configured_value(analysis, sym).and_then(|size| u64::try_from(size).ok());
    size(matrix.rows)?.checked_mul(size(matrix.columns)?)
}

/// How many bytes so many elements of a matrix take.
pub fn bytes(matrix: &Coopmat, elements: u64) -> u64 {
    elements.saturating_mul(u64::from(matrix.component.bits())).div_ceil(8)
}

/// How many invocations hold a matrix together, where that is known.
pub fn holders(analysis: &Analysis, matrix: &Coopmat) -> Option<u64> {
    let invocations = match configured_value(analysis, matrix.scope) {
        Some(SCOPE_SUBGROUP) => analysis.config.known_subgroup_size().map(u64::from),
        Some(SCOPE_WORKGROUP) => workgroup_invocations(analysis),
        _ => None,
    };
    invocations.filter(|&invocations| invocations > 0)
}

fn workgroup_invocations(analysis: &Analysis) -> Option<u64> {
    analysis.module.local_size.dims.iter().try_fold(1u64, |product, dim| {
        let size = match dim.value {
            Some(size) => u64::try_from(configured_value(analysis, size)?).ok()?,
            None => 1,
        };
        product.checked_mul(size)
    })
}
