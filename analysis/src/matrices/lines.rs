//! The rows or columns of a matrix as they lie in memory. Sections are those of GL_KHR_cooperative_matrix.

use crate::config::Configuration;
use crate::hir::{Body, ExprId, ExprKind};
use crate::symbolic::{Sym, Symbols};
use crate::types::Coopmat;

pub use crate::extensions::values::{
    GL_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR as COLUMN_MAJOR,
    GL_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR as ROW_MAJOR,
};

/// What lies in contiguous memory: a row, or a column with the column-major layout.
#[derive(Clone, Copy)]
pub struct Line {
    /// Components in one.
    pub size: Sym,
    /// How many there are.
    pub count: Sym,
    pub name: &'static str,
}

impl Line {
    /// `None` for a layout that is not made of lines.
    pub fn of(matrix: Coopmat, layout: i64) -> Option<Line> {
        match layout {
            ROW_MAJOR => Some(Line { size: matrix.columns, count: matrix.rows, name: "row" }),
            COLUMN_MAJOR => Some(Line { size: matrix.rows, count: matrix.columns, name: "column" }),
            _ => None,
        }
    }
}

/// Bytes of one line under the values that are known, and whether they depend on specialization.
pub fn line_bytes(
    symbols: &Symbols,
    config: &Configuration,
    matrix: Coopmat,
    line: Line,
) -> Option<(u64, bool)> {
    // Components below 8 bits are packed in ways that their extensions leave open.
    if matrix.component.bits() < 8 {
        return None;
    }
    let known = symbols.as_int(line.size).is_some();
    let size = u64::try_from(config.value_of(symbols, line.size)?).ok()?;
    Some((size.checked_mul(u64::from(matrix.component.bytes()))?, known))
}

/// The alignment that a line of this many bytes asks for. A line whose size is no power of two has no natural alignment to
/// speak of.
pub fn alignment(line_bytes: u64) -> Option<u64> {
    let align = line_bytes.min(16);
    align.is_power_of_two().then_some(align)
}

/// The number below zero that is written for an unsigned argument, where one is: what it converts to is nobody's wish.
pub fn negative_value(body: &Body, argument: ExprId) -> Option<i128> {
    let ExprKind::Convert { operand } = body.exprs[argument].kind else { return None };
    body.exprs[operand].constant.as_ref()?.as_int().filter(|&value| value < 0)
}
