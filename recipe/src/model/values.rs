//! Numbers as they are written, alone, in rows, and as members of a block.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::component::Component;

/// Members of a block: `{ NAME = VALUE }`, or a list in which each value says its type and follows the one before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Fields {
    /// By the shader's names.
    Named(BTreeMap<String, FieldValue>),
    /// One after the other.
    Listed(Vec<Field>),
}

/// A value of a list of members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Field {
    /// Its type; an address is a `u64`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub component: Option<Component>,
    /// What it holds.
    pub value: FieldValue,
    /// Bytes from the block's start. Otherwise behind the one before, at the next multiple of its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
}

/// A number, several for a vector or an array, or where a buffer lies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FieldValue {
    /// A single number.
    One(Number),
    /// A vector, or an array.
    Several(Vec<Number>),
    /// The address of a buffer.
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

/// The address of a buffer, and where in another one it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddressAt {
    /// Bytes from the start of the buffer that holds it.
    pub offset: u64,
    /// The name of the buffer whose address it is.
    pub address: String,
    /// Bytes from that one's start.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plus: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A number, or a formula of the sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A formula of the sizes.
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
        i64::try_from(value).map(Number::Integer).map_err(|_| E::custom("the number does not fit in 64 bits"))
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
    /// A number, or a formula of the sizes.
    Number(Number),
    /// Several, or several rows.
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
