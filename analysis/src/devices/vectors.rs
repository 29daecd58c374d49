//! Products of cooperative vectors that a device has (VK_NV_cooperative_vector).

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::profile::COMPONENTS;

/// A row of `VkCooperativeVectorPropertiesNV`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VectorProperties {
    /// Component type of the input.
    pub input_type: Interpretation,
    /// What the input is converted to.
    pub input_interpretation: Interpretation,
    /// Component type of the matrix in memory.
    pub matrix_interpretation: Interpretation,
    /// Component type of the bias in memory.
    pub bias_interpretation: Interpretation,
    /// Component type of the result.
    pub result_type: Interpretation,
    /// Whether matrices in an optimal layout may be transposed.
    #[serde(default)]
    pub transpose: bool,
}

impl VectorProperties {
    /// The types in words, those of the bias where it is asked for.
    pub fn describe(&self, with_bias: bool) -> String {
        let name = |part: Interpretation| part.name().unwrap_or("unknown");
        let (input, taken) = (name(self.input_type), name(self.input_interpretation));
        let taken = if taken == input { String::new() } else { format!(" as {taken}") };
        let bias = match with_bias {
            true => format!(", bias {}", name(self.bias_interpretation)),
            false => String::new(),
        };
        let (matrix, result) = (name(self.matrix_interpretation), name(self.result_type));
        format!("input {input}{taken}, matrix {matrix}{bias}, result {result}")
    }
}

/// A component type of cooperative vectors, by its number in `VkComponentTypeKHR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interpretation(pub u32);

/// Those that matrices do not have.
const PACKED: [(&str, u32); 2] = [("sint8_packed", 1_000_491_000), ("uint8_packed", 1_000_491_001)];

fn known() -> impl Iterator<Item = (&'static str, u32)> {
    COMPONENTS.iter().map(|(name, number, _)| (*name, *number)).chain(PACKED)
}

impl Interpretation {
    /// As profiles write it; none of a number that nobody knows.
    pub fn name(self) -> Option<&'static str> {
        known().find(|(_, number)| *number == self.0).map(|(name, _)| name)
    }
}

impl<'de> Deserialize<'de> for Interpretation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Interpretation, D::Error> {
        let written = String::deserialize(deserializer)?;
        let found = known().find(|(name, _)| *name == written).map(|(_, number)| Interpretation(number));
        found.ok_or_else(|| {
            let names: Vec<&str> = known().map(|(name, _)| name).collect();
            de::Error::custom(format!(
                "unknown component type `{written}`: expected one of {}",
                names.join(", ")
            ))
        })
    }
}

impl Serialize for Interpretation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name().unwrap_or("unknown"))
    }
}
