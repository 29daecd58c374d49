//! How references are computed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{Literal, Number};
use crate::component::Component;

/// How a reference is computed, in 64-bit floats from what the buffers held before the run. Operands are names of buffers and of
/// references; quantised buffers count as the values that they stand for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Compute {
    /// `alpha * a * b + beta * c`; integers exactly, and wrapped around (or saturated) at the end.
    Matmul(Matmul),
    /// A convolution: input `[height, width, channels]`, or with the image's number in front; weights
    /// `[outputs, filter rows, filter columns, channels]`.
    #[serde(rename = "conv2d")]
    Conv2d(Conv2d),
    /// The matrix that makes a convolution a product: one row for each output pixel.
    Im2col(Im2col),
    /// `softmax(scale * q * transpose(k)) * v`, by rows.
    Attention(Attention),
    /// Each row: exponentials that sum to 1.
    Softmax(Softmax),
    /// Rows, columns or squares combined into one number.
    Reduce(Reduce),
    /// An element from elements of the same place in other values: `"max(hidden, 0) + bias"`. A value with one row, one column or
    /// one element counts everywhere. Also knows `row`, `column`, `matrix`, `index` and the sizes.
    Formula(String),
    /// An element from another place of a value, by formulas of `row`, `column`, `matrix` and the sizes.
    Gather(Gather),
    /// A value with rows and columns swapped.
    Transpose(String),
    /// The same bytes as another type.
    Reinterpret(Reinterpret),
    /// A buffer as it was, or a reference.
    Value(String),
    /// All elements, in rows or one after the other.
    Values(Vec<Literal>),
    /// A file beside the recipe: `.npy` or `.csv`.
    File(String),
}

/// `alpha * a * b + beta * c`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Matmul {
    /// `[rows, inner]`, or with the matrix's number in front.
    pub a: String,
    /// `[inner, columns]`, or with the matrix's number in front.
    pub b: String,
    /// What is added: `[rows, columns]`, for every matrix or for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
    /// `a` is given as `[inner, rows]`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub transpose_a: bool,
    /// `b` is given as `[columns, inner]`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub transpose_b: bool,
    /// 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// Integers that do not fit become the nearest that does, instead of wrapping around.
    #[serde(default, skip_serializing_if = "is_false")]
    pub saturate: bool,
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// A convolution of images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Conv2d {
    /// `[height, width, channels]`, or with the image's number in front.
    pub input: String,
    /// `[outputs, filter rows, filter columns, channels]`.
    pub weights: String,
    /// One number for each output channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias: Option<String>,
    /// How the filter goes over the image.
    #[serde(default, skip_serializing_if = "Window::is_default")]
    pub window: Window,
}

/// One row for each output pixel: the input under the filter, row by row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Im2col {
    /// `[height, width, channels]`, or with the image's number in front.
    pub input: String,
    /// Rows and columns of the filter.
    pub filter: [Number; 2],
    /// How the filter goes over the image.
    #[serde(default, skip_serializing_if = "Window::is_default")]
    pub window: Window,
}

/// How a filter goes over an image; each pair is for rows and columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Window {
    /// Pixels from one output to the next.
    pub stride: [Number; 2],
    /// Pixels from one element of the filter to the next.
    pub dilation: [Number; 2],
    /// Pixels of padding around the image, on every side.
    pub padding: [Number; 2],
    /// The value of the padding.
    pub padding_value: f64,
}

impl Default for Window {
    fn default() -> Self {
        Window {
            stride: [Number::Integer(1), Number::Integer(1)],
            dilation: [Number::Integer(1), Number::Integer(1)],
            padding: Default::default(),
            padding_value: 0.0,
        }
    }
}

impl Window {
    fn is_default(&self) -> bool {
        *self == Window::default()
    }
}

/// Attention of queries to keys and their values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Attention {
    /// `[queries, depth]`, or with the head's number in front.
    pub q: String,
    /// `[keys, depth]`
    pub k: String,
    /// `[keys, outputs]`
    pub v: String,
    /// Otherwise 1 / sqrt(depth).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Query number n sees keys 0 to n only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub causal: bool,
    /// Added to the scores: `[queries, keys]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
}

/// Exponentials of each row, divided by their sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Softmax {
    /// Its rows are taken one by one.
    pub input: String,
    /// What the elements are multiplied by first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

/// Several elements combined into one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reduce {
    /// What is reduced, each of its matrices alone.
    pub input: String,
    /// How.
    pub by: ReduceBy,
    /// Which elements go together.
    pub over: ReduceOver,
}

/// How elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReduceBy {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The largest.
    Maximum,
    /// The smallest.
    Minimum,
    /// Their sum, divided by how many there are.
    Mean,
}

/// Which elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReduceOver {
    /// Each row becomes one number: one column is left.
    Row,
    /// Each column becomes one number: one row is left.
    Column,
    /// One number is left.
    All,
    /// Squares of two rows and two columns: half as many rows and columns are left.
    #[serde(rename = "2x2")]
    Square,
}

/// Elements of other places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Gather {
    /// Where the elements are taken from.
    pub input: String,
    /// The result's; in an expectation that of the buffer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<Number>,
    /// A formula for each direction of the input, in the order of its shape.
    pub at: Vec<String>,
    /// The value of places outside the input. By default such a place is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<f64>,
}

/// Bytes of one type as another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reinterpret {
    /// What the bytes are of.
    pub input: String,
    /// The type that the input's numbers are written as; otherwise its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Component>,
    /// The type that the bytes are read as.
    pub to: Component,
}
