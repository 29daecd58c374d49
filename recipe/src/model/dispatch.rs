//! Several dispatches of one recipe, one after the other over the same buffers.

use std::collections::BTreeMap;

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
    expecting = "expected the name of a buffer, `{ buffer = \"NAME\", offset = BYTES }`, or a list of these"
)]
pub enum Bound {
    /// One buffer.
    One(BoundBuffer),
    /// Several, by their index.
    Several(Vec<BoundBuffer>),
}

/// A buffer, or what is behind a byte of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum BoundBuffer {
    /// All of it, by its name.
    Whole(String),
    /// From a byte on, to its end.
    From(BoundFrom),
}

/// A buffer from a byte on, to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoundFrom {
    /// The buffer's name.
    pub buffer: String,
    /// Bytes from its start.
    pub offset: u64,
}

impl BoundBuffer {
    /// The buffer's name, and the byte that the descriptor begins at.
    pub fn parts(&self) -> (&str, u64) {
        match self {
            BoundBuffer::Whole(name) => (name, 0),
            BoundBuffer::From(BoundFrom { buffer, offset }) => (buffer, *offset),
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
