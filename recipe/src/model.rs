//! The recipe as it is written: plain data, one field for each key. The doc comments are the schema's descriptions.

mod compute;
mod dispatch;
mod fill;
mod heap;
mod image;
mod sampler;
mod tune;
mod values;

use std::collections::BTreeMap;

use coopmat_simulator::CooperativeVectorMatrixLayout;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

pub use self::compute::*;
pub use self::dispatch::*;
pub use self::fill::*;
pub use self::heap::*;
pub use self::image::*;
pub use self::sampler::*;
pub use self::tune::*;
pub use self::values::*;
use crate::blocks::{self, BlockFormat};
use crate::component::Component;

/// How to run a shader and what to expect: the file `NAME.run.toml` beside `NAME.comp`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recipe {
    /// What the shader demonstrates, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The shader's file beside the recipe, if it does not have the recipe's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shader: Option<String>,
    /// Named numbers for sizes and formulas anywhere in the recipe. They may use each other in any order.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, Number>,
    /// The number of workgroups in x, y and z; 1 where left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 3))]
    pub dispatch: Vec<Number>,
    /// Invocations of a subgroup: 4, 8, 16, 32, 64 or 128. By default the configuration's, or 32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subgroup_size: Option<u32>,
    /// The entry point, if the module has several.
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
    /// Macros to define in addition to the configuration's. An empty string defines a macro without a value.
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
    /// Whether a test also runs this in checked mode. If findings are expected, it always does.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub checked: bool,
    /// Whether checked mode also reports two invocations that write the same value to one place, and values that they pass through memory which is not coherent.
    #[serde(default, skip_serializing_if = "is_no")]
    pub strict: bool,
    /// Steps after which a run stops with an error. A step is one instruction of one subgroup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_limit: Option<u64>,
    /// Push constants: by the names that the shader has for them, or as a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_constants: Option<Fields>,
    /// Several dispatches instead of one: each says for itself what `dispatch`, `entry`, `specialization` and `push-constants` say of a single one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dispatches: Vec<Dispatch>,
    /// The memory that the shader reads and writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<Buffer>,
    /// How images are sampled. Where the shader has a sampler and there is none here, it takes the nearest texel, and the one at the edge outside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samplers: Vec<Sampler>,
    /// Values that are only computed for the expectations. Each may use buffers and the references before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// What is expected of buffers after the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expectation>,
    /// The findings that checked mode is expected to report. By default it must not report any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ExpectedFinding>,
    /// What `coopmat-analyzer tune` chooses from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tune: Option<Tune>,
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}

fn is_no(value: &bool) -> bool {
    !value
}

/// One buffer: where the shader finds it, its type and shape, and what it holds before the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Buffer {
    /// What the recipe and the report call it. Without a binding it is also the shader's name for it: that of the block, of its
    /// instance, or of its first member. A buffer that the shader has no such name for is reached by its address alone.
    pub name: String,
    /// The descriptor set; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<u32>,
    /// The binding, if the name does not determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<u32>,
    /// The index where the binding is an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Where it lies in a descriptor heap, instead of a binding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<HeapPlace>,
    /// In a heap: it is an image with these directions, and the channels of a texel come last in its shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<HeapImage>,
    /// Of an image: what its texels are stored as, where the shader does not say it. Numbers are rounded to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TexelFormat>,
    /// Of an image: where the four components that shaders see come from, such as `bgra` or `rrr1`; by default each from itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<Components>,
    /// It is another level of detail of an image before it. Its shape is known then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mip_level: Option<MipLevel>,
    /// The type of an element.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub element: Option<ElementType>,
    /// Elements in each direction, the number of columns last: `[columns]`, `[rows, columns]`, `[matrices, rows, columns]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<Number>,
    /// Elements from the start of one row to the start of the next (or column, if column-major). By default rows are packed. The optimal layouts have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<Number>,
    /// Elements from one matrix to the next, if there are several. By default they are packed; in the optimal layouts a device may need more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix_stride: Option<Number>,
    /// Bytes before the first element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Number>,
    /// The size of the whole buffer in bytes, if it is longer than its elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Number>,
    /// Whether rows or columns are contiguous in memory, or the device's own layout is for a matrix that cooperative vectors are multiplied by.
    #[serde(default, skip_serializing_if = "Layout::is_row_major")]
    pub layout: Layout,
    /// Its contents before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// Instead of elements: members, by the names that the shader has for them, or as a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Fields>,
    /// Addresses of buffers in it, over its other contents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<AddressAt>,
}

/// How a matrix is laid out in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// The elements of a row are contiguous.
    #[default]
    RowMajor,
    /// The elements of a column are contiguous.
    ColumnMajor,
    /// `gl_CooperativeVectorMatrixLayoutInferencingOptimalNV`: what the executor has for it. The matrix is converted before the run and after it.
    InferencingOptimal,
    /// `gl_CooperativeVectorMatrixLayoutTrainingOptimalNV`: the same for outer products that are summed up.
    TrainingOptimal,
}

impl Layout {
    /// Every layout, in the order of the schema.
    pub const ALL: [Layout; 4] =
        [Layout::RowMajor, Layout::ColumnMajor, Layout::InferencingOptimal, Layout::TrainingOptimal];

    /// As recipes write it.
    pub fn name(self) -> &'static str {
        match self {
            Layout::RowMajor => "row-major",
            Layout::ColumnMajor => "column-major",
            Layout::InferencingOptimal => "inferencing-optimal",
            Layout::TrainingOptimal => "training-optimal",
        }
    }

    /// The layout of an executor's own, where it is one.
    pub fn optimal(self) -> Option<CooperativeVectorMatrixLayout> {
        match self {
            Layout::RowMajor | Layout::ColumnMajor => None,
            Layout::InferencingOptimal => Some(CooperativeVectorMatrixLayout::InferencingOptimal),
            Layout::TrainingOptimal => Some(CooperativeVectorMatrixLayout::TrainingOptimal),
        }
    }

    fn is_row_major(&self) -> bool {
        *self == Layout::RowMajor
    }
}

/// Which of its two decode functions a tensor load calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decode {
    /// The one that gives one element.
    Scalar,
    /// The one that gives several, wherever it fits.
    Vector,
    /// Both, in turn.
    Mixed,
}

/// A number, or a block of several that share a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ElementType {
    /// One number.
    Component(Component),
    /// A block of several.
    Block(BlockFormat),
}

impl ElementType {
    /// As recipes write it.
    pub fn name(self) -> &'static str {
        match self {
            ElementType::Component(component) => component.name(),
            ElementType::Block(format) => format.name(),
        }
    }

    /// The type of a name; none where there is no such type.
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
            let unsupported = blocks::UNSUPPORTED.map(|(name, _)| name);
            if unsupported.contains(&name.as_str()) {
                let others: Vec<&str> = unsupported.into_iter().filter(|it| *it != name).collect();
                return de::Error::custom(format!(
                    "`{name}` is a type of ggml that recipes do not support, nor {}: describe its blocks as bytes, `type = \"u8\"`",
                    others.join(", ")
                ));
            }
            let components = Component::ALL.iter().map(|component| component.name());
            let blocks = BlockFormat::ALL.iter().map(|block| block.name());
            let known: Vec<&str> = components.chain(blocks).collect();
            de::Error::custom(format!(
                "`{name}` is not an element type; expected one of {} (of ggml's types, {} are not supported)",
                known.join(", "),
                unsupported.join(", ")
            ))
        })
    }
}

/// Named values that only expectations use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Reference {
    /// What formulas and expectations call them.
    pub name: String,
    /// The type that its numbers are rounded to; otherwise they stay 64-bit floats.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub component: Option<Component>,
    /// What it is.
    pub equals: Compute,
}

/// What a buffer is expected to hold after the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Expectation {
    /// The buffer's name.
    pub buffer: String,
    /// The name of the dispatch after which it is compared; the last one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The expected values of its elements.
    pub equals: Compute,
    /// How far they may differ from that.
    #[serde(default, skip_serializing_if = "Tolerance::is_none")]
    pub tolerance: Tolerance,
    /// Compare only the elements for which this formula of `row`, `column`, `matrix`, `index` and the sizes is not 0.
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
}

/// How far an element may be from what is expected: `absolute + relative * |expected|`, or `ulp` numbers of its type. Without
/// any: it must be the number of its type nearest to what is expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Tolerance {
    /// A distance that is always allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub absolute: Option<f64>,
    /// A fraction of what is expected, such as 1e-3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub relative: Option<f64>,
    /// Numbers of the buffer's type between what is found and what is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub ulp: Option<f64>,
}

impl Tolerance {
    /// Whether nothing is said: elements shall be the nearest numbers of their type.
    pub fn is_none(&self) -> bool {
        *self == Tolerance::default()
    }
}

/// A finding that checked mode is expected to report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFinding {
    /// Its id, such as `out-of-bounds`.
    pub kind: String,
    /// The line of the shader, from 1.
    pub line: u32,
    /// The name of the dispatch that it is found in; any of them by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<String>,
}
