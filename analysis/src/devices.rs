//! Device profiles: what a device reports about subgroups and cooperative matrices. The form is described in
//! `analysis/devices/README.md`.

use std::sync::{Arc, OnceLock};

use serde::Deserialize;

use crate::types::Scalar;

/// One device.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceProfile {
    pub name: String,
    #[serde(default)]
    pub title: String,
    /// Where the facts come from.
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub api_version: String,
    #[serde(default)]
    pub driver: String,
    pub subgroup_size: SubgroupSize,
    #[serde(default)]
    pub limits: Limits,
    #[serde(default)]
    pub cooperative_matrix_properties: Vec<MatrixProperties>,
    #[serde(default)]
    pub cooperative_matrix_flexible_dimensions_properties: Vec<FlexibleDimensions>,
    #[serde(default)]
    pub features: Vec<String>,
    #[serde(default)]
    pub extensions: Vec<String>,
}

/// Invocations per subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubgroupSize {
    pub default: u32,
    pub min: u32,
    pub max: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    pub max_compute_work_group_invocations: Option<u32>,
    /// Bytes.
    pub max_compute_shared_memory_size: Option<u32>,
    pub max_compute_workgroup_subgroups: Option<u32>,
}

/// A row of `VkCooperativeMatrixPropertiesKHR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct MatrixProperties {
    #[serde(rename = "MSize")]
    pub m: u32,
    #[serde(rename = "NSize")]
    pub n: u32,
    #[serde(rename = "KSize")]
    pub k: u32,
    #[serde(flatten)]
    pub types: MatrixTypes,
}

/// A row of `VkCooperativeMatrixFlexibleDimensionsPropertiesNV`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct FlexibleDimensions {
    #[serde(rename = "MGranularity")]
    pub m: u32,
    #[serde(rename = "NGranularity")]
    pub n: u32,
    #[serde(rename = "KGranularity")]
    pub k: u32,
    /// 0 for subgroup scope.
    #[serde(rename = "workgroupInvocations", default)]
    pub workgroup_invocations: u32,
    #[serde(flatten)]
    pub types: MatrixTypes,
}

/// What both kinds of rows have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct MatrixTypes {
    #[serde(rename = "AType", deserialize_with = "component")]
    pub a: Scalar,
    #[serde(rename = "BType", deserialize_with = "component")]
    pub b: Scalar,
    #[serde(rename = "CType", deserialize_with = "component")]
    pub c: Scalar,
    #[serde(rename = "ResultType", deserialize_with = "component")]
    pub result: Scalar,
    #[serde(rename = "saturatingAccumulation", default)]
    pub saturating: bool,
    pub scope: Scope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Device,
    Workgroup,
    Subgroup,
    QueueFamily,
}

impl Scope {
    /// The value of `gl_Scope...`, which is SPIR-V's and Vulkan's too.
    pub fn value(self) -> i64 {
        match self {
            Scope::Device => 1,
            Scope::Workgroup => 2,
            Scope::Subgroup => 3,
            Scope::QueueFamily => 5,
        }
    }
}

const COMPONENTS: [(&str, Scalar); 14] = [
    ("float16", Scalar::Float16),
    ("float32", Scalar::Float32),
    ("float64", Scalar::Float64),
    ("sint8", Scalar::Int8),
    ("sint16", Scalar::Int16),
    ("sint32", Scalar::Int32),
    ("sint64", Scalar::Int64),
    ("uint8", Scalar::Uint8),
    ("uint16", Scalar::Uint16),
    ("uint32", Scalar::Uint32),
    ("uint64", Scalar::Uint64),
    ("bfloat16", Scalar::BFloat16),
    ("float_e4m3", Scalar::FloatE4M3),
    ("float_e5m2", Scalar::FloatE5M2),
];

fn component<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
    let name = String::deserialize(deserializer)?;
    COMPONENTS.iter().find(|(known, _)| *known == name).map(|(_, scalar)| *scalar).ok_or_else(|| {
        let known: Vec<_> = COMPONENTS.iter().map(|(known, _)| *known).collect();
        serde::de::Error::custom(format!(
            "unknown component type `{name}`: expected one of {}",
            known.join(", ")
        ))
    })
}

impl DeviceProfile {
    /// Reads a profile.
    ///
    /// # Errors
    /// What is wrong with the text, with line and column.
    pub fn parse(text: &str) -> Result<DeviceProfile, String> {
        let profile: DeviceProfile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let SubgroupSize { default, min, max } = profile.subgroup_size;
        if !(min <= default && default <= max && min.is_power_of_two() && max.is_power_of_two()) {
            return Err(format!(
                "subgroupSize: expected powers of two with min <= default <= max, found min {min}, default {default}, max {max}"
            ));
        }
        let sizes = profile.cooperative_matrix_properties.iter().map(|row| [row.m, row.n, row.k]);
        let granularities =
            profile.cooperative_matrix_flexible_dimensions_properties.iter().map(|row| [row.m, row.n, row.k]);
        if sizes.chain(granularities).flatten().any(|size| size == 0) {
            return Err("a size or granularity of a cooperative matrix is 0: expected at least 1".to_owned());
        }
        Ok(profile)
    }

    pub fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|feature| feature == name)
    }

    /// The one size that subgroups have, when the device has no choice.
    pub fn fixed_subgroup_size(&self) -> Option<u32> {
        (self.subgroup_size.min == self.subgroup_size.max).then_some(self.subgroup_size.max)
    }
}

/// The profiles that come along, sorted by name.
pub fn builtin() -> &'static [Arc<DeviceProfile>] {
    static PROFILES: OnceLock<Vec<Arc<DeviceProfile>>> = OnceLock::new();
    PROFILES.get_or_init(|| {
        let texts = [include_str!("../devices/lavapipe.json"), include_str!("../devices/nvidia-h200.json")];
        // A test rules out that one of them cannot be read.
        texts.iter().filter_map(|text| DeviceProfile::parse(text).ok()).map(Arc::new).collect()
    })
}

/// A built-in profile by its name.
///
/// # Errors
/// That there is none, with the names that exist.
pub fn find(name: &str) -> Result<Arc<DeviceProfile>, String> {
    builtin().iter().find(|profile| profile.name == name).cloned().ok_or_else(|| {
        let names: Vec<_> = builtin().iter().map(|profile| profile.name.as_str()).collect();
        format!(
            "unknown device `{name}`: expected one of {}, or the path of a profile in JSON",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_profiles_are_sorted_complete_and_named_after_their_files() {
        let names: Vec<_> = builtin().iter().map(|profile| profile.name.as_str()).collect();
        assert_eq!(names, ["lavapipe", "nvidia-h200"]);
        for profile in builtin() {
            assert!(!profile.source.is_empty() && !profile.cooperative_matrix_properties.is_empty());
        }
        let h200 = find("nvidia-h200").unwrap();
        assert_eq!(h200.fixed_subgroup_size(), Some(32));
        assert_eq!(h200.cooperative_matrix_properties.len(), 11);
        assert_eq!(h200.cooperative_matrix_flexible_dimensions_properties.len(), 25);
    }

    #[test]
    fn a_wrong_profile_says_what_was_expected_and_where() {
        let error = |text: &str| DeviceProfile::parse(text).unwrap_err();
        assert!(error("{").contains("line 1"));
        assert!(error(r#"{"name": "x"}"#).contains("subgroupSize"));
        assert!(
            error(r#"{"name": "x", "subgroupSize": {"default": 8, "min": 16, "max": 32}}"#)
                .contains("min <= default <= max")
        );
        let row = r#"{"name": "x", "subgroupSize": {"default": 32, "min": 32, "max": 32}, "cooperativeMatrixProperties": [
            {"MSize": 16, "NSize": 16, "KSize": 16, "AType": "half", "BType": "half", "CType": "float32",
             "ResultType": "float32", "scope": "subgroup"}]}"#;
        assert!(error(row).contains("unknown component type `half`: expected one of float16"));
        assert!(find("no-such").unwrap_err().contains("lavapipe, nvidia-h200"));
    }
}
