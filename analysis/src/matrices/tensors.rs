//! Tensor layouts and views (GL_NV_cooperative_matrix2): how many dimensions they have, and what changes them.

use crate::extensions::{self, Rule, instructions};
use crate::types::{Ty, TypeKind, Types};

/// The most dimensions of a tensor.
pub const MAX_DIMENSIONS: i64 = 5;

/// What a function that returns a changed layout or view changes. The tables tell it by the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setter {
    BlockSize,
    Dimension,
    Stride,
    Slice,
    ClampValue,
    ViewDimension,
    ViewStride,
    ViewClip,
}

impl Setter {
    /// `None` for an instruction that is no such function's.
    pub fn of(instruction: &str) -> Option<Setter> {
        Some(match instruction {
            instructions::OP_TENSOR_LAYOUT_SET_BLOCK_SIZE_NV => Setter::BlockSize,
            instructions::OP_TENSOR_LAYOUT_SET_DIMENSION_NV => Setter::Dimension,
            instructions::OP_TENSOR_LAYOUT_SET_STRIDE_NV => Setter::Stride,
            instructions::OP_TENSOR_LAYOUT_SLICE_NV => Setter::Slice,
            instructions::OP_TENSOR_LAYOUT_SET_CLAMP_VALUE_NV => Setter::ClampValue,
            instructions::OP_TENSOR_VIEW_SET_DIMENSION_NV => Setter::ViewDimension,
            instructions::OP_TENSOR_VIEW_SET_STRIDE_NV => Setter::ViewStride,
            instructions::OP_TENSOR_VIEW_SET_CLIP_NV => Setter::ViewClip,
            _ => return None,
        })
    }

    /// How many values follow the layout or view of `dimensions` dimensions. `None` where that depends on specialization.
    pub fn values(self, dimensions: Option<i64>) -> Option<i64> {
        match self {
            Setter::ClampValue => Some(1),
            Setter::ViewClip => Some(4),
            Setter::Slice => dimensions.map(|dimensions| 2 * dimensions),
            _ => dimensions,
        }
    }

    /// Whether it changes a view.
    pub fn is_view(self) -> bool {
        matches!(self, Setter::ViewDimension | Setter::ViewStride | Setter::ViewClip)
    }
}

/// What is told of a layout or view that is used before it has a value; `None` for another type. `variable` is what it is, or lies in.
pub fn unset(types: &Types, ty: Ty, variable: &str) -> Option<String> {
    let (what, rule) = match types.kind(ty) {
        TypeKind::TensorLayout { .. } => ("layout", Rule::CreateTensorLayout),
        TypeKind::TensorView { .. } => ("view", Rule::CreateTensorView),
        _ => return None,
    };
    let create = extensions::function_of(rule).unwrap_or_default();
    Some(format!("the tensor {what} `{variable}` is used before it has a value: start with `{create}`"))
}
