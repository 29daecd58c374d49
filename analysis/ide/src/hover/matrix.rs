//! What a cooperative matrix is: shape, use, scope, and what each invocation holds of it.

use std::fmt::Write as _;

use super::configured_value;
use coopmat_analysis::Analysis;
use coopmat_analysis::display::display_constant;
use coopmat_analysis::extensions::sets;
use coopmat_analysis::extensions::values::{
    GL_MATRIX_USE_A, GL_MATRIX_USE_ACCUMULATOR, GL_MATRIX_USE_B, GL_SCOPE_SUBGROUP as SCOPE_SUBGROUP,
    GL_SCOPE_WORKGROUP as SCOPE_WORKGROUP,
};
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::types::Coopmat;

/// A few lines of Markdown.
pub fn describe(analysis: &Analysis, matrix: &Coopmat) -> String {
    let symbols = &analysis.module.types.symbols;
    let size = |sym: Sym| match (symbols.as_int(sym), configured_value(analysis, sym)) {
        (None, Some(value)) => format!("{} (= {value})", symbols.display(sym)),
        _ => symbols.display(sym),
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
                "; in a {holder} of {invocations} each invocation holds {each} elements ({} bytes), when they are spread evenly",
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
