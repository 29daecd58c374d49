//! What a matrix of a debugged frame is, for the views of the page and of editors.

use coopmat_simulator::debugger::MatrixValue;
use serde::Serialize;

/// What a matrix is, without its elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct MatrixInfo {
    /// As GLSL calls the type: `float16_t`.
    pub component: &'static str,
    /// Its rows.
    pub rows: u32,
    /// Its columns.
    pub columns: u32,
    /// `A`, `B` or `Accumulator`.
    pub r#use: &'static str,
    /// `subgroup` or `workgroup`.
    pub scope: String,
    /// Whether anything was ever stored in it.
    pub written: bool,
    /// Elements in rows as digits, `1` for those that are undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

impl MatrixInfo {
    /// Without `undefined`.
    pub fn new(MatrixValue { matrix, type_ }: &MatrixValue) -> MatrixInfo {
        MatrixInfo {
            component: type_.component.name(),
            rows: type_.rows,
            columns: type_.columns,
            r#use: type_.use_.name(),
            scope: type_.scope.to_string(),
            written: matrix.is_some(),
            undefined: None,
        }
    }

    /// With `undefined`, if there are such elements: all of them, if nothing was ever stored.
    pub fn whole(value: &MatrixValue) -> MatrixInfo {
        let digits = |bits: Vec<u8>| {
            let digit = |index: usize| if bits[index / 8] >> (index % 8) & 1 == 1 { '1' } else { '0' };
            (0..value.type_.count()).map(digit).collect()
        };
        MatrixInfo { undefined: value.undefined().map(digits), ..MatrixInfo::new(value) }
    }
}
