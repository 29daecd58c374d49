//! What the arguments `element` and `stride` of matrix loads and stores count.

use crate::showing::show;
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::{BuiltinFunction, Rule, values};
use coopmat_analysis::types::{Scalar, Ty, TypeKind};

/// What an argument of a matrix load or store counts.
pub enum Unit {
    /// Elements of the array in memory.
    Elements {
        /// `stride`, rather than `element`.
        is_stride: bool,
        /// The type of an element, as it is written.
        name: String,
        /// Its component type.
        component: Scalar,
        /// How many components an element has.
        length: u32,
    },
    /// Blocks of Arm's layouts.
    Blocks,
}

impl Unit {
    /// A sentence.
    pub fn text(&self) -> String {
        match self {
            Unit::Elements { is_stride, name, .. } => {
                let what = if *is_stride {
                    "Stride: from the start of one row (or column, in column-major layout) to the next"
                } else {
                    "Element: where the matrix starts"
                };
                format!("{what}, in units of `{name}` ({} bytes).", self.bytes())
            }
            Unit::Blocks => {
                "Stride: how many blocks of 64 bytes are interleaved, 1, 2 or 4 (SPV_ARM_cooperative_matrix_layouts).".to_owned()
            }
        }
    }

    /// Bytes of one.
    pub fn bytes(&self) -> u64 {
        match self {
            Unit::Elements { component, length, .. } => u64::from(component.bytes()) * u64::from(*length),
            Unit::Blocks => 64,
        }
    }
}

/// What an argument of a matrix load or store counts: `element` and `stride` alone have a unit. `buffer` is the type of the array in memory,
/// `layout` the value of the memory layout where it is known.
pub fn unit(
    analysis: &Analysis,
    function: &BuiltinFunction,
    position: usize,
    buffer: Ty,
    layout: Option<i64>,
) -> Option<Unit> {
    let rule = function.rule?;
    if !matches!(rule, Rule::CoopMatLoad | Rule::CoopMatStore | Rule::CoopMatLoadNv | Rule::CoopMatStoreNv) {
        return None;
    }
    let name = function.parameters.get(position)?.name;
    let is_stride = match name {
        "stride" => true,
        "element" => false,
        _ => return None,
    };
    let interleaved = [
        values::GL_COOPERATIVE_MATRIX_LAYOUT_ROW_BLOCKED_INTERLEAVED_ARM,
        values::GL_COOPERATIVE_MATRIX_LAYOUT_COLUMN_BLOCKED_INTERLEAVED_ARM,
    ];
    if is_stride && layout.is_some_and(|layout| interleaved.contains(&layout)) {
        return Some(Unit::Blocks);
    }
    let types = &analysis.module.types;
    let element = match types.kind(buffer) {
        TypeKind::Array(element, _) => *element,
        _ => return None,
    };
    let (component, length) = types.as_vector(element)?;
    Some(Unit::Elements { is_stride, name: show(analysis, element), component, length })
}
