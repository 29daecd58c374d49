//! The recipe as it is written: plain data, one field for each key. The doc comments are the schema's descriptions.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::blocks::BlockFormat;
use crate::component::Component;

/// How a shader is run, and what is expected of it: the file `NAME.run.toml` beside `NAME.comp`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recipe {
    /// What the shader shows, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The shader's file beside the recipe, where it is not of the recipe's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shader: Option<String>,
    /// Numbers with names, for sizes and formulas everywhere in the recipe. One may use those that it names, whatever the order.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, Number>,
    /// How many workgroups are started, in x, y and z; what is left out is 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 3))]
    pub dispatch: Vec<Number>,
    /// Invocations of a subgroup: 4, 8, 16, 32, 64 or 128. Otherwise the configuration's, else 32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subgroup_size: Option<u32>,
    /// The entry point, where the module has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The configuration of the project file to compile under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// The environment to compile for: vulkan1.0 to vulkan1.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_env: Option<String>,
    /// A device profile: its shapes are the advertised ones for checked mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Macros to define, besides the configuration's. An empty text defines a macro without a value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defines: BTreeMap<String, Define>,
    /// Specialization constants by `constant_id` or by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub specialization: BTreeMap<String, Number>,
    /// How floating-point matrices are multiplied. The expectations hold under each of these modes; a run takes the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numerics: Vec<String>,
    /// Which invocation owns which element. The expectations hold under each of these; a run takes the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ownership: Vec<String>,
    /// Which decode function tensor loads call when they have two. The expectations hold under each; a run takes the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decode: Vec<Decode>,
    /// Whether a test runs this in checked mode, too. Where findings are expected it always does.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub checked: bool,
    /// Steps after which a run ends with an error. A step is one instruction of one subgroup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_limit: Option<u64>,
    /// Push constants: by the names that the shader has for them, or as a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_constants: Option<Fields>,
    /// The memory that the shader reads and writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<Buffer>,
    /// Values that are computed for the expectations alone. Each may use buffers and what stands before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// What is expected of buffers after the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expectation>,
    /// What checked mode shall find. Without any it shall find nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ExpectedFinding>,
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}

/// One buffer: where the shader finds it, its type and shape, and what it holds before the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Buffer {
    /// What the recipe and the report call it. Without a binding it is also the shader's name for it: that of the block, of its
    /// instance, or of its first member. A buffer that the shader has no such name for is reached by its address alone.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<u32>,
    /// The index where the binding is an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// What one element is.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub element: Option<ElementType>,
    /// Elements in each direction, the number of columns last: `[columns]`, `[rows, columns]`, `[matrices, rows, columns]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<Number>,
    /// Elements from the start of one row to the start of the next (of one column, when column-major). Otherwise rows are packed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<Number>,
    /// Elements from one matrix to the next, where there are several. Otherwise they are packed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix_stride: Option<Number>,
    /// Bytes before the first element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Number>,
    /// Bytes of the whole buffer, when it is longer than its elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Number>,
    /// Whether rows or columns lie together in memory.
    #[serde(default, skip_serializing_if = "Layout::is_row_major")]
    pub layout: Layout,
    /// What it holds before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// Instead of elements: members, by the names that the shader has for them, or as a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Fields>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    #[default]
    RowMajor,
    ColumnMajor,
}

impl Layout {
    fn is_row_major(&self) -> bool {
        *self == Layout::RowMajor
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decode {
    Scalar,
    Vector,
    Mixed,
}

/// A number, or a block of several that share a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ElementType {
    Component(Component),
    Block(BlockFormat),
}

impl ElementType {
    pub fn name(self) -> &'static str {
        match self {
            ElementType::Component(component) => component.name(),
            ElementType::Block(format) => format.name(),
        }
    }

    pub fn parse(name: &str) -> Option<ElementType> {
        let component = Component::ALL.iter().find(|component| component.name() == name);
        let block = BlockFormat::ALL.iter().find(|block| block.name() == name);
        component.map(|it| ElementType::Component(*it)).or(block.map(|it| ElementType::Block(*it)))
    }

    /// Elements and bytes of the smallest piece.
    pub fn piece(self) -> (usize, usize) {
        match self {
            ElementType::Component(component) => (1, component.size()),
            ElementType::Block(format) => (format.elements(), format.bytes()),
        }
    }
}

impl<'de> Deserialize<'de> for ElementType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ElementType, D::Error> {
        let name = String::deserialize(deserializer)?;
        ElementType::parse(&name).ok_or_else(|| {
            let components = Component::ALL.iter().map(|component| component.name());
            let blocks = BlockFormat::ALL.iter().map(|block| block.name());
            let known: Vec<&str> = components.chain(blocks).collect();
            de::Error::custom(format!("`{name}` is no element type: there are {}", known.join(", ")))
        })
    }
}

/// What a buffer holds. Random numbers depend on the seed alone: they are the same on every host. What needs no more than its
/// defaults may stand as a bare name: `"iota"`, `"uniform"`, `"normal"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, remote = "Self")]
pub enum Fill {
    Zeros,
    /// Nothing that the shader may read before it has written it. The bytes are 0xCD, and checked mode knows.
    Uninitialised,
    /// One number everywhere.
    Constant(Number),
    /// 0, 1, 2, ... in the order of the shape.
    Iota(Iota),
    /// Even distribution from `low` (included) to `high` (excluded).
    Uniform(Uniform),
    /// Normal distribution.
    Normal(Normal),
    /// Whole numbers from `low` to `high`, both included.
    Integers(Integers),
    /// A formula of `row`, `column`, `matrix`, `index` and the sizes.
    Formula(String),
    /// All elements, in rows or one after the other.
    Values(Vec<Literal>),
    /// A file beside the recipe: `.npy`, `.csv`, or the buffer's bytes under any other name.
    File(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Iota {
    #[serde(default)]
    pub start: Number,
    #[serde(default = "one")]
    pub step: Number,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uniform {
    #[serde(default)]
    pub seed: u64,
    #[serde(default = "minus_one")]
    pub low: Number,
    #[serde(default = "one")]
    pub high: Number,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Normal {
    #[serde(default)]
    pub seed: u64,
    #[serde(default)]
    pub mean: Number,
    #[serde(default = "one")]
    pub deviation: Number,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Integers {
    #[serde(default)]
    pub seed: u64,
    pub low: i64,
    pub high: i64,
}

fn one() -> Number {
    Number::Integer(1)
}

fn minus_one() -> Number {
    Number::Integer(-1)
}

/// Members of a block: `{ NAME = VALUE }`, or a list in which each value says its type and follows the one before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Fields {
    Named(BTreeMap<String, FieldValue>),
    Listed(Vec<Field>),
}

/// A value of a list of members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Field {
    /// Its type; an address is a `u64`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub component: Option<Component>,
    pub value: FieldValue,
    /// Bytes from the block's start. Otherwise behind the one before, at the next multiple of its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
}

/// A number, several for a vector or an array, or where a buffer lies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FieldValue {
    One(Number),
    Several(Vec<Number>),
    Address(Address),
}

/// The address of a buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// The buffer's name.
    pub address: String,
    /// Bytes from its start.
    #[serde(default)]
    pub plus: u64,
}

/// Named values that only expectations use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Reference {
    pub name: String,
    /// The type that its numbers are rounded to; otherwise they stay 64-bit floats.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub component: Option<Component>,
    /// What it is.
    pub equals: Compute,
}

/// What a buffer shall hold after the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Expectation {
    pub buffer: String,
    pub equals: Compute,
    #[serde(default, skip_serializing_if = "Tolerance::is_none")]
    pub tolerance: Tolerance,
    /// Compare only the elements for which this formula of `row`, `column`, `matrix`, `index` and the sizes is not 0.
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
}

/// How far an element may be from what is expected: `absolute + relative * |expected|`, or `ulp` numbers of its type. Without
/// any: it shall be the number of its type nearest to what is expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Tolerance {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub absolute: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub relative: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub ulp: Option<f64>,
}

impl Tolerance {
    pub fn is_none(&self) -> bool {
        *self == Tolerance::default()
    }
}

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
    /// Rows, columns or squares made one number.
    Reduce(Reduce),
    /// An element from elements of the same place in other values: `"max(hidden, 0) + bias"`. A value with one row, one column or
    /// one element counts everywhere. Also knows `row`, `column`, `matrix`, `index` and the sizes.
    Formula(String),
    /// An element from another place of a value, by formulas of `row`, `column`, `matrix` and the sizes.
    Gather(Gather),
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Matmul {
    pub a: String,
    pub b: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub transpose_a: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub transpose_b: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// Integers that do not fit become the nearest that does, instead of wrapping around.
    #[serde(default, skip_serializing_if = "is_false")]
    pub saturate: bool,
}

fn is_false(value: &bool) -> bool {
    !*value
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Conv2d {
    pub input: String,
    pub weights: String,
    /// One number for each output channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias: Option<String>,
    #[serde(default, skip_serializing_if = "Window::is_default")]
    pub window: Window,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Im2col {
    pub input: String,
    /// Rows and columns of the filter.
    pub filter: [Number; 2],
    #[serde(default, skip_serializing_if = "Window::is_default")]
    pub window: Window,
}

/// How a filter goes over an image; each pair is for rows and columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Window {
    pub stride: [Number; 2],
    pub dilation: [Number; 2],
    /// Pixels that are thought around the image, on every side.
    pub padding: [Number; 2],
    /// What these hold.
    pub padding_value: f64,
}

impl Default for Window {
    fn default() -> Self {
        Window {
            stride: [one(), one()],
            dilation: [one(), one()],
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Softmax {
    pub input: String,
    /// What the elements are multiplied with before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reduce {
    pub input: String,
    pub by: ReduceBy,
    pub over: ReduceOver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReduceBy {
    Sum,
    Product,
    Maximum,
    Minimum,
    Mean,
}

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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Gather {
    pub input: String,
    /// The result's; in an expectation that of the buffer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<Number>,
    /// A formula for each direction of the input, in the order of its shape.
    pub at: Vec<String>,
    /// What a place outside of the input gives. Without it such a place is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reinterpret {
    pub input: String,
    /// The type that the input's numbers are written as; otherwise its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Component>,
    /// The type that the bytes are read as.
    pub to: Component,
}

/// A finding of checked mode that the shader is made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFinding {
    /// Its id, such as `out-of-bounds`.
    pub kind: String,
    /// The line of the shader, from 1.
    pub line: u32,
}

/// A number, or a formula of the sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    Integer(i64),
    Float(f64),
    Formula(String),
}

impl Default for Number {
    fn default() -> Self {
        Number::Integer(0)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Number::Integer(integer) => serializer.serialize_i64(*integer),
            Number::Float(float) => serializer.serialize_f64(*float),
            Number::Formula(formula) => serializer.serialize_str(formula),
        }
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a formula in quotes, such as \"M / 16\"")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number::Integer(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
        i64::try_from(value).map(Number::Integer).map_err(|_| E::custom("the number does not fit 64 bits"))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
        Ok(Number::Float(value))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Number, E> {
        Ok(Number::Integer(i64::from(value)))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Number, E> {
        Ok(Number::Formula(value.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl JsonSchema for Number {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, or a formula of the sizes.",
            "type": ["number", "string", "boolean"]
        })
    }
}

/// The value of a macro: a number stands for its digits.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "Number")]
pub struct Define(pub String);

impl Serialize for Define {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Define {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Define, D::Error> {
        let text = match deserializer.deserialize_any(NumberVisitor)? {
            Number::Integer(integer) => integer.to_string(),
            Number::Float(float) => format!("{float:?}"),
            Number::Formula(text) => text,
        };
        Ok(Define(text))
    }
}

/// A number, or a row of them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Literal {
    Number(Number),
    Row(Vec<Literal>),
}

struct LiteralVisitor;

impl<'de> Visitor<'de> for LiteralVisitor {
    type Value = Literal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a formula in quotes, or a row of them in brackets")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Literal, E> {
        NumberVisitor.visit_i64(value).map(Literal::Number)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Literal, E> {
        NumberVisitor.visit_u64(value).map(Literal::Number)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Literal, E> {
        NumberVisitor.visit_f64(value).map(Literal::Number)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Literal, E> {
        NumberVisitor.visit_str(value).map(Literal::Number)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Literal, A::Error> {
        let mut row = Vec::new();
        while let Some(item) = items.next_element()? {
            row.push(item);
        }
        Ok(Literal::Row(row))
    }
}

struct FillVisitor;

impl<'de> Visitor<'de> for FillVisitor {
    type Value = Fill;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a way to fill a buffer, such as \"zeros\" or `{ uniform = { seed = 1 } }`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Fill, E> {
        match name {
            "iota" => Ok(Fill::Iota(Iota { start: Number::default(), step: one() })),
            "uniform" => Ok(Fill::Uniform(Uniform { seed: 0, low: minus_one(), high: one() })),
            "normal" => Ok(Fill::Normal(Normal { seed: 0, mean: Number::default(), deviation: one() })),
            _ => Fill::deserialize(de::value::StrDeserializer::new(name)),
        }
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Fill, A::Error> {
        Fill::deserialize(de::value::MapAccessDeserializer::new(map))
    }
}

impl<'de> Deserialize<'de> for Fill {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fill, D::Error> {
        deserializer.deserialize_any(FillVisitor)
    }
}

impl Serialize for Fill {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Fill::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Literal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Literal, D::Error> {
        deserializer.deserialize_any(LiteralVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("members by name, `{ NAME = VALUE }`, or a list of `{ type = \"u32\", value = 1 }`")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Fields, A::Error> {
        BTreeMap::deserialize(de::value::MapAccessDeserializer::new(map)).map(Fields::Named)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, items: A) -> Result<Fields, A::Error> {
        Vec::deserialize(de::value::SeqAccessDeserializer::new(items)).map(Fields::Listed)
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        deserializer.deserialize_any(FieldsVisitor)
    }
}

struct FieldValueVisitor;

impl<'de> Visitor<'de> for FieldValueVisitor {
    type Value = FieldValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a formula in quotes, a list of these, or `{ address = \"BUFFER\" }`")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<FieldValue, E> {
        NumberVisitor.visit_bool(value).map(FieldValue::One)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<FieldValue, E> {
        NumberVisitor.visit_i64(value).map(FieldValue::One)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<FieldValue, E> {
        NumberVisitor.visit_u64(value).map(FieldValue::One)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<FieldValue, E> {
        NumberVisitor.visit_f64(value).map(FieldValue::One)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<FieldValue, E> {
        NumberVisitor.visit_str(value).map(FieldValue::One)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, items: A) -> Result<FieldValue, A::Error> {
        Vec::deserialize(de::value::SeqAccessDeserializer::new(items)).map(FieldValue::Several)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<FieldValue, A::Error> {
        Address::deserialize(de::value::MapAccessDeserializer::new(map)).map(FieldValue::Address)
    }
}

impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FieldValue, D::Error> {
        deserializer.deserialize_any(FieldValueVisitor)
    }
}
