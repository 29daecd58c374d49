//! What a cooperative matrix is: shape, use, scope, and what each invocation holds of it.

use std::fmt::Write as _;

use super::configured_value;
use crate::analysis::Analysis;
use crate::display::display_constant;
use crate::symbolic::Sym;
use crate::types::Coopmat;

const SCOPE_WORKGROUP: i64 = 2;
const SCOPE_SUBGROUP: i64 = 3;

/// A few lines of Markdown.
pub fn describe(analysis: &Analysis, matrix: &Coopmat) -> String {
    let symbols = &analysis.module.types.symbols;
    let size = |sym: Sym| match (symbols.as_int(sym), configured_value(analysis, sym)) {
        (None, Some(value)) => format!("{} (= {value})", symbols.display(sym)),
        _ => symbols.display(sym),
    };
    let usage = match configured_value(analysis, matrix.usage) {
        Some(0) => "A, the left factor".to_owned(),
        Some(1) => "B, the right factor".to_owned(),
        Some(2) => "accumulator".to_owned(),
        _ => symbols.display(matrix.usage),
    };
    let scope = configured_value(analysis, matrix.scope);
    let scope_name = match scope {
        Some(SCOPE_SUBGROUP) => "subgroup".to_owned(),
        Some(SCOPE_WORKGROUP) => "workgroup".to_owned(),
        _ => display_constant(symbols, matrix.scope, "gl_Scope"),
    };
    let mut out = format!(
        "**{} x {}** (rows x columns) of `{}`, use {usage}, scope {scope_name}",
        size(matrix.rows),
        size(matrix.columns),
        matrix.component.name(),
    );
    let rows = configured_value(analysis, matrix.rows).and_then(|rows| u64::try_from(rows).ok());
    let columns = configured_value(analysis, matrix.columns).and_then(|columns| u64::try_from(columns).ok());
    let Some(elements) = rows.zip(columns).and_then(|(rows, columns)| rows.checked_mul(columns)) else {
        return out;
    };
    let bytes = |elements: u64| (elements * u64::from(matrix.component.bits())).div_ceil(8);
    let _ = write!(out, "\n\n{elements} elements, {} bytes in all", bytes(elements));
    let (invocations, holder) = match scope {
        Some(SCOPE_SUBGROUP) => (
            analysis.config.known_subgroup_size().map(u64::from),
            analysis
                .config
                .known_subgroup_size()
                .map_or(String::new(), |size| format!("a subgroup of {size}")),
        ),
        Some(SCOPE_WORKGROUP) => {
            let invocations = workgroup_invocations(analysis);
            (invocations, invocations.map_or(String::new(), |count| format!("a workgroup of {count}")))
        }
        _ => return out,
    };
    match invocations.filter(|&invocations| invocations > 0) {
        Some(invocations) => {
            let each = elements.div_ceil(invocations);
            let _ = write!(
                out,
                "; in {holder} each invocation holds {each} elements ({} bytes), when they are spread evenly",
                bytes(each)
            );
        }
        None if scope == Some(SCOPE_SUBGROUP) => {
            out.push_str("; set a subgroup size or a device to see what each invocation holds");
        }
        None => {}
    }
    out
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
