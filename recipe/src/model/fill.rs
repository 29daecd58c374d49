//! What a buffer holds before the run.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::values::{Literal, Number};

/// What a buffer holds. Random numbers depend on the seed alone: they are the same on every host. What needs no more than its
/// defaults may stand as a bare name: `"iota"`, `"uniform"`, `"normal"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, remote = "Self")]
#[schemars(transform = with_bare_names)]
pub enum Fill {
    /// Bytes of zero.
    Zeros,
    /// Uninitialized: the shader must write it before it reads it. The bytes are 0xCD, and checked mode reports reads.
    Uninitialised,
    /// The same number everywhere.
    Constant(Number),
    /// 0, 1, 2, ... in the order of the shape.
    Iota(Iota),
    /// Uniform distribution from `low` (included) to `high` (excluded).
    Uniform(Uniform),
    /// Normal distribution.
    Normal(Normal),
    /// Integers from `low` to `high`, both included.
    Integers(Integers),
    /// A formula of `row`, `column`, `matrix`, `index` and the sizes.
    Formula(String),
    /// All elements, in rows or one after the other.
    Values(Vec<Literal>),
    /// A file beside the recipe: `.npy`, `.csv`, or the buffer's bytes under any other name.
    File(String),
}

/// Numbers in even steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Iota {
    /// The first one.
    #[serde(default)]
    pub start: Number,
    /// From one to the next.
    #[serde(default = "one")]
    pub step: Number,
}

/// A uniform distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uniform {
    /// Different seeds give different numbers.
    #[serde(default)]
    pub seed: u64,
    /// The smallest.
    #[serde(default = "minus_one")]
    pub low: Number,
    /// Above the largest.
    #[serde(default = "one")]
    pub high: Number,
}

/// A normal distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Normal {
    /// Different seeds give different numbers.
    #[serde(default)]
    pub seed: u64,
    /// The middle.
    #[serde(default)]
    pub mean: Number,
    /// The standard deviation.
    #[serde(default = "one")]
    pub deviation: Number,
}

/// Integers, uniformly distributed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Integers {
    /// Different seeds give different numbers.
    #[serde(default)]
    pub seed: u64,
    /// The smallest.
    pub low: i64,
    /// The largest.
    pub high: i64,
}

fn one() -> Number {
    Number::Integer(1)
}

fn minus_one() -> Number {
    Number::Integer(-1)
}

/// What `FillVisitor` takes beside the variants.
fn with_bare_names(schema: &mut schemars::Schema) {
    if let Some(ways) = schema.get_mut("oneOf").and_then(serde_json::Value::as_array_mut) {
        ways.push(serde_json::json!({
            "description": "The same with its defaults.",
            "enum": ["iota", "uniform", "normal"],
            "type": "string",
        }));
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
