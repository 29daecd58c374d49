//! What an image has that a buffer has not: the format of its texels, which components shaders see, levels of detail.

use std::borrow::Cow;

use coopmat_simulator::Channel;
use coopmat_simulator::formats::{self, FORMATS, Format};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A format of Vulkan's, by its name without `VK_FORMAT_`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TexelFormat(pub &'static Format);

impl Serialize for TexelFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name)
    }
}

impl<'de> Deserialize<'de> for TexelFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TexelFormat, D::Error> {
        let name = String::deserialize(deserializer)?;
        let short = name.strip_prefix("VK_FORMAT_").unwrap_or(&name);
        formats::named(short).map(TexelFormat).ok_or_else(|| {
            let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
            de::Error::custom(format!(
                "`{name}` is not a format of texels that recipes have; expected one of {}",
                known.join(", ")
            ))
        })
    }
}

impl JsonSchema for TexelFormat {
    fn schema_name() -> Cow<'static, str> {
        "TexelFormat".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        json_schema!({
            "description": "A format of Vulkan's, without `VK_FORMAT_`.",
            "type": "string",
            "enum": names
        })
    }
}

/// Where each of the four components that a shader reads comes from (`VkComponentMapping`): four of `r`, `g`, `b`, `a`, `0` and `1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Components(pub [Channel; 4]);

impl Components {
    /// Each from itself.
    pub const IDENTITY: Components =
        Components([Channel::Of(0), Channel::Of(1), Channel::Of(2), Channel::Of(3)]);

    /// As recipes write it.
    pub fn text(self) -> String {
        let letter = |channel| match channel {
            Channel::Of(index) => ['r', 'g', 'b', 'a'][usize::from(index) & 3],
            Channel::Zero => '0',
            Channel::One => '1',
        };
        self.0.map(letter).iter().collect()
    }

    fn parse(text: &str) -> Option<Components> {
        let channels = text.chars().map(|letter| match letter {
            'r' => Some(Channel::Of(0)),
            'g' => Some(Channel::Of(1)),
            'b' => Some(Channel::Of(2)),
            'a' => Some(Channel::Of(3)),
            '0' => Some(Channel::Zero),
            '1' => Some(Channel::One),
            _ => None,
        });
        let channels: Vec<Channel> = channels.collect::<Option<_>>()?;
        channels.try_into().ok().map(Components)
    }
}

impl Serialize for Components {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Components {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Components, D::Error> {
        let text = String::deserialize(deserializer)?;
        Components::parse(&text).ok_or_else(|| {
            de::Error::custom(format!(
                "expected four of r, g, b, a, 0 and 1, such as \"bgra\", found `{text}`"
            ))
        })
    }
}

impl JsonSchema for Components {
    fn schema_name() -> Cow<'static, str> {
        "Components".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Where each of the four components that a shader reads comes from.",
            "type": "string",
            "pattern": "^[rgba01]{4}$"
        })
    }
}

/// A level of detail of an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MipLevel {
    /// The image, which is its level 0.
    pub of: String,
    /// Which level, from 1. Each is half as large as the one before, rounded down, and has as many layers.
    pub level: u32,
}
