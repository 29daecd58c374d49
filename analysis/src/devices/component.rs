//! Component types as profiles and Vulkan write them (`VkComponentTypeKHR`).

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::scalar::Scalar;

/// Name and number of each type that components have.
const COMPONENTS: [(&str, u32, Scalar); 14] = [
    ("float16", 0, Scalar::Float16),
    ("float32", 1, Scalar::Float32),
    ("float64", 2, Scalar::Float64),
    ("sint8", 3, Scalar::Int8),
    ("sint16", 4, Scalar::Int16),
    ("sint32", 5, Scalar::Int32),
    ("sint64", 6, Scalar::Int64),
    ("uint8", 7, Scalar::Uint8),
    ("uint16", 8, Scalar::Uint16),
    ("uint32", 9, Scalar::Uint32),
    ("uint64", 10, Scalar::Uint64),
    ("bfloat16", 1_000_141_000, Scalar::BFloat16),
    ("float_e4m3", 1_000_491_002, Scalar::FloatE4M3),
    ("float_e5m2", 1_000_491_003, Scalar::FloatE5M2),
];

/// Several values in one `uint32_t`, which are only interpretations.
const PACKED: [(&str, u32); 2] = [("sint8_packed", 1_000_491_000), ("uint8_packed", 1_000_491_001)];

/// The component type of a value of `VkComponentTypeKHR`; `None` for those that GLSL's matrices cannot have.
pub fn component_of_vulkan(value: u32) -> Option<Scalar> {
    COMPONENTS.iter().find(|(_, known, _)| *known == value).map(|(_, _, scalar)| *scalar)
}

/// The other way round.
pub fn component_to_vulkan(scalar: Scalar) -> Option<u32> {
    COMPONENTS.iter().find(|(_, _, known)| *known == scalar).map(|(_, number, _)| *number)
}

/// Interpretations: those of components, and the packed ones.
fn interpretations() -> impl Iterator<Item = (&'static str, u32)> {
    COMPONENTS.iter().map(|(name, number, _)| (*name, *number)).chain(PACKED)
}

fn unknown<E: serde::de::Error>(what: &str, name: &str, known: impl Iterator<Item = &'static str>) -> E {
    let known: Vec<_> = known.collect();
    E::custom(format!("unknown {what} `{name}`: expected one of {}", known.join(", ")))
}

/// For `#[serde(with = "component")]`.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
    let name = Cow::<str>::deserialize(deserializer)?;
    let found = COMPONENTS.iter().find(|(known, ..)| *known == name);
    found
        .map(|(_, _, scalar)| *scalar)
        .ok_or_else(|| unknown("component type", &name, COMPONENTS.iter().map(|(known, ..)| *known)))
}

/// For `#[serde(with = "component")]`.
pub(super) fn serialize<S: Serializer>(scalar: &Scalar, serializer: S) -> Result<S::Ok, S::Error> {
    let name = COMPONENTS.iter().find(|(_, _, known)| known == scalar).map(|(name, ..)| *name);
    serializer.serialize_str(name.unwrap_or("unknown"))
}

/// What values in memory or in a vector are read as: a component type, or several packed into a `uint32_t`. GLSL's `gl_ComponentType...NV` are
/// the same numbers as Vulkan's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interpretation(u32);

impl Interpretation {
    /// The interpretation of a number of `VkComponentTypeKHR`; `None` for an unknown one.
    pub fn of_vulkan(number: u32) -> Option<Interpretation> {
        interpretations().any(|(_, known)| known == number).then_some(Interpretation(number))
    }

    /// The interpretation with a name in profiles.
    pub(super) fn named(name: &str) -> Option<Interpretation> {
        interpretations().find(|(known, _)| *known == name).map(|(_, number)| Interpretation(number))
    }

    /// The number of `VkComponentTypeKHR`, which is that of the constant in GLSL.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Its name in profiles: `sint8_packed`.
    pub fn name(self) -> &'static str {
        interpretations().find(|(_, number)| *number == self.0).map_or("unknown", |(name, _)| name)
    }
}

impl Serialize for Interpretation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Interpretation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Interpretation, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Interpretation::named(&name)
            .ok_or_else(|| unknown("component type", &name, interpretations().map(|(known, _)| known)))
    }
}
