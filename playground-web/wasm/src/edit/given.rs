//! Values that the page writes into a recipe.

use std::fmt::{self, Display, Formatter};

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml_writer::{ToTomlKey, ToTomlValue, TomlStringBuilder};

/// As JSON has values; numbers that it lacks are `{"$number": "nan"}`, with `inf`, `-inf` and `-0`.
#[derive(Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TomlValue"))]
pub enum Given {
    Special(Special),
    Truth(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Given>),
    Table(Entries),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TomlNumber"))]
pub struct Special {
    #[serde(rename = "$number")]
    number: Number,
}

#[derive(Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TomlNumberName"))]
enum Number {
    #[serde(rename = "nan")]
    Nan,
    #[serde(rename = "inf")]
    Infinity,
    #[serde(rename = "-inf")]
    MinusInfinity,
    #[serde(rename = "-0")]
    MinusZero,
}

/// A table, in the order that the page gives.
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TomlTable", type = "{ [key: string]: TomlValue }"))]
pub struct Entries(pub Vec<(String, Given)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Entries;

            fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                formatter.write_str("a table")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Entries, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Read)
    }
}

/// As TOML has it, in one line.
impl Display for Given {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Given::Special(Special { number }) => formatter.write_str(match number {
                Number::Nan => "nan",
                Number::Infinity => "inf",
                Number::MinusInfinity => "-inf",
                Number::MinusZero => "-0.0",
            }),
            Given::Truth(value) => formatter.write_str(&value.to_toml_value()),
            Given::Integer(value) => formatter.write_str(&value.to_toml_value()),
            Given::Float(value) => formatter.write_str(&value.to_toml_value()),
            Given::Text(value) => {
                formatter.write_str(&TomlStringBuilder::new(value).as_basic().to_toml_value())
            }
            Given::List(values) => {
                let values: Vec<String> = values.iter().map(Given::to_string).collect();
                write!(formatter, "[{}]", values.join(", "))
            }
            Given::Table(Entries(entries)) if entries.is_empty() => formatter.write_str("{}"),
            Given::Table(Entries(entries)) => {
                let entry = |(key, value): &(String, Given)| format!("{} = {value}", key.to_toml_key());
                let entries: Vec<String> = entries.iter().map(entry).collect();
                write!(formatter, "{{ {} }}", entries.join(", "))
            }
        }
    }
}
