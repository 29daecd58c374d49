//! Several dispatches of one recipe, one after the other over the same buffers.

use std::collections::BTreeMap;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Define, Fields, Number, Recipe};

/// One dispatch of several. They run in this order, each after a barrier; what buffers hold stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Dispatch {
    /// What expectations and reports call it; by default its shader's file without the extension, or its number from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its shader's file beside the recipe; by default that of the recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shader: Option<String>,
    /// The number of workgroups in x, y and z; 1 where left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 3))]
    pub workgroups: Vec<Number>,
    /// The entry point, if the module has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Macros to define in addition to those of the recipe.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defines: BTreeMap<String, Define>,
    /// Specialization constants by `constant_id` or by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub specialization: BTreeMap<String, Number>,
    /// Push constants: by the names that the shader has for them, or as a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_constants: Option<Fields>,
    /// Which buffer of the recipe is bound where: by the shader's name for it, or by binding (`"3"`, or `"1.3"` with the set). Buffers that
    /// have the shader's names need not be listed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub buffers: BTreeMap<String, Bound>,
    /// Which sampler of the recipe is bound where, in the same way.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub samplers: BTreeMap<String, Names>,
}

/// What is bound at a place: a buffer, or one for each index of an array of descriptors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected the name of a buffer, `{ buffer = \"NAME\", offset = BYTES, range = BYTES }`, or a list of these"
)]
pub enum Bound {
    /// One buffer.
    One(BoundBuffer),
    /// Several, by their index.
    Several(Vec<BoundBuffer>),
}

/// A buffer, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum BoundBuffer {
    /// All of it, by its name.
    Whole(String),
    /// From a byte on, to its end or for so many bytes.
    Part(BoundPart),
}

/// A part of a buffer (VkDescriptorBufferInfo).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoundPart {
    /// The buffer's name.
    pub buffer: String,
    /// Bytes from its start, a multiple of 4.
    #[serde(default)]
    pub offset: u64,
    /// Bytes; to the end of the buffer if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<u64>,
}

/// Which bytes of a buffer a descriptor is of: from its start to its end by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferRange {
    /// Bytes before the first one.
    pub offset: u64,
    /// How many they are; all that follow if nothing is said.
    pub range: Option<u64>,
}

impl BufferRange {
    /// The bytes of a buffer of this size.
    pub fn bytes(self, size: u64) -> Range<u64> {
        let end = self.range.map_or(size, |range| self.offset.saturating_add(range).min(size));
        self.offset.min(end)..end
    }

    /// Whether that is a buffer of this size as a whole.
    pub fn is_whole(self, size: u64) -> bool {
        self.bytes(size) == (0..size)
    }
}

impl BoundBuffer {
    /// The buffer's name, and which part of it.
    pub fn parts(&self) -> (&str, BufferRange) {
        match self {
            BoundBuffer::Whole(name) => (name, BufferRange::default()),
            BoundBuffer::Part(BoundPart { buffer, offset, range }) => {
                (buffer, BufferRange { offset: *offset, range: *range })
            }
        }
    }
}

/// A name, or one for each index of an array of descriptors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the name of a sampler, or a list of names")]
pub enum Names {
    /// One.
    One(String),
    /// Several, by their index.
    Several(Vec<String>),
}

impl Recipe {
    /// Every dispatch, with what the recipe says of all: the recipe is the only one where it lists none.
    pub fn all_dispatches(&self) -> Vec<Dispatch> {
        if self.dispatches.is_empty() {
            return vec![Dispatch {
                name: None,
                shader: self.shader.clone(),
                workgroups: self.dispatch.clone(),
                entry: self.entry.clone(),
                defines: self.defines.clone(),
                specialization: self.specialization.clone(),
                push_constants: self.push_constants.clone(),
                buffers: BTreeMap::new(),
                samplers: BTreeMap::new(),
            }];
        }
        let whole = |dispatch: &Dispatch| {
            let mut whole = dispatch.clone();
            whole.shader = whole.shader.or_else(|| self.shader.clone());
            for (name, value) in &self.defines {
                whole.defines.entry(name.clone()).or_insert_with(|| value.clone());
            }
            whole
        };
        self.dispatches.iter().map(whole).collect()
    }

    /// The shader that the recipe names for itself: its own, or that of the first dispatch where every one names its shader.
    pub fn named_shader(&self) -> Option<&str> {
        let each = self.dispatches.iter().all(|dispatch| dispatch.shader.is_some());
        let first = self.dispatches.first().filter(|_| each).and_then(|first| first.shader.as_deref());
        self.shader.as_deref().or(first)
    }
}
