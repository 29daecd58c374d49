//! What other programs write about a device, as a profile: `vulkaninfo --json` in its forms (Vulkan Profiles JSON with
//! `capabilities`, which `VP_VULKANINFO_….json` is too, and the older one with a structure per top-level key), and Vulkan
//! Profiles files by hand.
//!
//! None of them lists `VkCooperativeMatrixPropertiesKHR`, for Vulkan has a function of its own for these: unless the file
//! has them all the same (some tools add them), the profile says that they are not known.

use serde_json::{Map, Value};

use super::component::{self, Interpretation};
use super::profile::{
    DeviceProfile, FlexibleDimensions, Independence, Limits, List, MatrixProperties, MatrixTypes, Scope,
    SubgroupSize, VectorProperties,
};
use crate::scalar::Scalar;

/// Structures of features that a program may be too old to know, by their extensions.
const STRUCTURES: [(&str, &str); 6] = [
    ("VK_NV_cooperative_matrix2", "VkPhysicalDeviceCooperativeMatrix2FeaturesNV"),
    ("VK_NV_cooperative_matrix_decode_vector", "VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV"),
    ("VK_QCOM_cooperative_matrix_conversion", "VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM"),
    ("VK_NV_cooperative_vector", "VkPhysicalDeviceCooperativeVectorFeaturesNV"),
    ("VK_KHR_shader_bfloat16", "VkPhysicalDeviceShaderBfloat16FeaturesKHR"),
    ("VK_EXT_shader_float8", "VkPhysicalDeviceShaderFloat8FeaturesEXT"),
];

/// How the names of those properties begin that a profile lists.
const PROPERTIES: [&str; 4] =
    ["shaderSignedZeroInfNanPreserve", "shaderDenorm", "shaderRoundingMode", "integerDotProduct"];

/// Structures of capabilities are this deep at most.
const MAX_DEPTH: u32 = 8;

/// Whether a text is of one of these forms.
pub fn recognises(value: &Value) -> bool {
    value.get("capabilities").is_some_and(Value::is_object)
        || value.get("VkPhysicalDeviceProperties").is_some_and(Value::is_object)
}

/// # Errors
/// That no device is described.
pub fn profile(value: &Value) -> Result<DeviceProfile, String> {
    let mut found = Found::default();
    if let Some(capabilities) = value.get("capabilities").and_then(Value::as_object) {
        for capability in wanted_capabilities(value, capabilities) {
            for (key, value) in capability {
                match key.as_str() {
                    "features" => {
                        found.has_features = true;
                        found.structures(value);
                    }
                    "properties" => found.structures(value),
                    "extensions" => {
                        found.has_extensions = true;
                        found
                            .extensions
                            .extend(value.as_object().into_iter().flatten().map(|(k, _)| k.clone()));
                    }
                    _ => {}
                }
            }
        }
    } else {
        found.has_features = value.get("VkPhysicalDeviceFeatures").is_some();
        found.structures(value);
    }
    if found.is_empty() {
        return Err(
            "this does not describe a device: `capabilities` has no features, properties or extensions"
                .to_owned(),
        );
    }
    Ok(found.into_profile(value))
}

/// The capabilities that the first profile of the file asks for; all, when it has no profiles.
fn wanted_capabilities<'a>(file: &'a Value, all: &'a Map<String, Value>) -> Vec<&'a Map<String, Value>> {
    let named = file.get("profiles").and_then(Value::as_object).and_then(|profiles| {
        let (_, profile) = profiles.iter().next()?;
        // An entry is a name, or a list of names of which one is enough.
        let names = profile.get("capabilities")?.as_array()?.iter();
        Some(names.filter_map(|name| name.as_str().or_else(|| name.get(0)?.as_str())).collect::<Vec<_>>())
    });
    match named {
        Some(names) => names.into_iter().filter_map(|name| all.get(name)?.as_object()).collect(),
        None => all.values().filter_map(Value::as_object).collect(),
    }
}

#[derive(Default)]
struct Found {
    /// Members of all structures by their names, which differ between structures.
    fields: Map<String, Value>,
    features: Vec<String>,
    /// Names of structures, which tell what was asked.
    structures: Vec<String>,
    extensions: Vec<String>,
    has_features: bool,
    has_extensions: bool,
    rows: Option<Vec<MatrixProperties>>,
    flexible: Option<Vec<FlexibleDimensions>>,
    vectors: Option<Vec<VectorProperties>>,
}

impl Found {
    /// An object of structures, or of lists of extensions in the older form.
    fn structures(&mut self, value: &Value) {
        for (name, value) in value.as_object().into_iter().flatten() {
            match value {
                Value::Object(members) => {
                    self.structures.push(name.clone());
                    let features = name.contains("Features");
                    self.members(members, features, MAX_DEPTH);
                }
                Value::Array(list) if name == "ArrayOfVkExtensionProperties" => {
                    self.has_extensions = true;
                    let names = list.iter().filter_map(|one| one.get("extensionName")?.as_str());
                    self.extensions.extend(names.map(str::to_owned));
                }
                // Rows of cooperative matrices, under the names of their structures.
                Value::Array(list) if name.contains("CooperativeMatrixFlexibleDimensionsProperties") => {
                    self.flexible.get_or_insert_default().extend(list.iter().filter_map(flexible));
                }
                Value::Array(list) if name.contains("CooperativeMatrixProperties") => {
                    self.rows.get_or_insert_default().extend(list.iter().filter_map(row));
                }
                Value::Array(list) if name.contains("CooperativeVectorProperties") => {
                    self.vectors.get_or_insert_default().extend(list.iter().filter_map(vector));
                }
                _ => {}
            }
        }
    }

    fn members(&mut self, members: &Map<String, Value>, features: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        for (name, value) in members {
            match value {
                Value::Object(inner) => self.members(inner, features, depth),
                Value::Bool(true) if features => self.features.push(name.clone()),
                // The older form writes booleans as numbers.
                Value::Number(number) if features && number.as_u64() == Some(1) => {
                    self.features.push(name.clone())
                }
                value => {
                    self.fields.insert(name.clone(), value.clone());
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        let rows = self.rows.is_some() || self.flexible.is_some() || self.vectors.is_some();
        self.fields.is_empty() && self.features.is_empty() && self.extensions.is_empty() && !rows
    }

    fn number(&self, name: &str) -> Option<u32> {
        // Limits without end are written as the largest number of their type, which may be wider.
        self.fields.get(name)?.as_u64().map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// A boolean, which the older form writes as a number.
    fn flag(&self, name: &str) -> Option<bool> {
        let value = self.fields.get(name)?;
        value.as_bool().or_else(|| Some(value.as_u64()? == 1))
    }

    fn text(&self, name: &str) -> String {
        self.fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn into_profile(mut self, file: &Value) -> DeviceProfile {
        self.features.sort_unstable();
        self.features.dedup();
        self.extensions.sort_unstable();
        self.extensions.dedup();
        let label = || {
            let profiles = file.get("profiles")?.as_object()?;
            profiles.keys().next().cloned()
        };
        let device = self.text("deviceName");
        let title =
            if device.is_empty() { label().unwrap_or_else(|| "unnamed device".to_owned()) } else { device };
        let size = self.number("subgroupSize").filter(|size| size.is_power_of_two());
        let subgroup_size = match (size, self.number("minSubgroupSize"), self.number("maxSubgroupSize")) {
            (size, Some(min), Some(max)) if min.is_power_of_two() && max.is_power_of_two() && min <= max => {
                Some(SubgroupSize { default: size.unwrap_or(max).clamp(min, max), min, max })
            }
            // Without subgroup size control there is one size.
            (Some(size), ..) => Some(SubgroupSize { default: size, min: size, max: size }),
            _ => None,
        };
        let api = self.fields.get("apiVersion").map(api_version).unwrap_or_default();
        let driver = [self.text("driverName"), self.text("driverInfo")].join(" ").trim().to_owned();
        // A device without the extension has no matrices, which is known even where nobody asks for rows.
        let without =
            |extension: &str| self.has_extensions && !self.extensions.iter().any(|one| one == extension);
        let mut incomplete = Vec::new();
        if self.rows.is_none() && !without("VK_KHR_cooperative_matrix") {
            incomplete.push(List::CooperativeMatrixProperties);
        }
        if self.flexible.is_none() && !without("VK_NV_cooperative_matrix2") {
            incomplete.push(List::CooperativeMatrixFlexibleDimensionsProperties);
        }
        if self.vectors.is_none() && !without("VK_NV_cooperative_vector") {
            incomplete.push(List::CooperativeVectorProperties);
        }
        // A program that knows a structure writes all of its features; one that is older than an extension writes none of it.
        let asked = |structure: &str| self.structures.iter().any(|name| name.starts_with(structure));
        let all_features = self.has_features
            && asked("VkPhysicalDeviceCooperativeMatrixFeaturesKHR")
            && (asked("VkPhysicalDeviceVulkan12Features")
                || asked("VkPhysicalDeviceShaderFloat16Int8Features"))
            && STRUCTURES.iter().all(|(extension, structure)| without(extension) || asked(structure));
        if !all_features {
            incomplete.push(List::Features);
        }
        let properties: Vec<String> = PROPERTIES
            .iter()
            .flat_map(|start| self.fields.keys().filter(move |name| name.starts_with(start)))
            .filter(|name| self.flag(name) == Some(true))
            .cloned()
            .collect();
        if ["shaderDenormPreserveFloat16", "integerDotProduct8BitSignedAccelerated"]
            .iter()
            .any(|one| !self.fields.contains_key(*one))
        {
            incomplete.push(List::Properties);
        }
        if !self.has_extensions {
            incomplete.push(List::Extensions);
        }
        incomplete.sort_unstable();
        let group = self.fields.get("maxComputeWorkGroupSize").and_then(Value::as_array).and_then(|sizes| {
            let mut sizes = sizes.iter().map(|size| u32::try_from(size.as_u64()?).ok());
            Some([sizes.next()??, sizes.next()??, sizes.next()??])
        });
        let names = |member: &str, prefix: &'static str| {
            let list = self.fields.get(member)?.as_array()?.iter().filter_map(Value::as_str);
            Some(list.map(|name| short_name(name, prefix)).collect::<Vec<_>>())
        };
        let independence = |member: &str| match self.text(member).as_str() {
            "VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY" => Some(Independence::Only32Bit),
            "VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL" => Some(Independence::All),
            "VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE" => Some(Independence::None),
            _ => Independence::ALL.get(self.number(member)? as usize).copied(),
        };
        let stages = |member: &str| names(member, "VK_SHADER_STAGE_");
        let operations = names("subgroupSupportedOperations", "VK_SUBGROUP_FEATURE_")
            .or_else(|| names("supportedOperations", "VK_SUBGROUP_FEATURE_"));
        DeviceProfile {
            name: super::profile::name_of_title(&title),
            source: "imported from a description by another program (vulkaninfo or Vulkan Profiles)"
                .to_owned(),
            title,
            sources: Default::default(),
            performance: Default::default(),
            api_version: api,
            driver,
            vendor_id: self.number("vendorID").filter(|id| *id > 0),
            driver_id: Some(self.text("driverID")).filter(|id| id.starts_with("VK_")).unwrap_or_default(),
            subgroup_size,
            limits: Limits {
                max_compute_work_group_size: group,
                max_compute_work_group_invocations: self.number("maxComputeWorkGroupInvocations"),
                max_compute_shared_memory_size: self.number("maxComputeSharedMemorySize"),
                max_compute_workgroup_subgroups: self.number("maxComputeWorkgroupSubgroups"),
                subgroup_supported_operations: operations,
                denorm_behavior_independence: independence("denormBehaviorIndependence"),
                rounding_mode_independence: independence("roundingModeIndependence"),
                cooperative_matrix_supported_stages: stages("cooperativeMatrixSupportedStages"),
                cooperative_matrix_workgroup_scope_max_workgroup_size: self
                    .number("cooperativeMatrixWorkgroupScopeMaxWorkgroupSize"),
                cooperative_matrix_flexible_dimensions_max_dimension: self
                    .number("cooperativeMatrixFlexibleDimensionsMaxDimension"),
                cooperative_matrix_workgroup_scope_reserved_shared_memory: self
                    .number("cooperativeMatrixWorkgroupScopeReservedSharedMemory"),
                cooperative_vector_supported_stages: stages("cooperativeVectorSupportedStages"),
                max_cooperative_vector_components: self.number("maxCooperativeVectorComponents"),
                cooperative_vector_training_float16_accumulation: self
                    .flag("cooperativeVectorTrainingFloat16Accumulation"),
                cooperative_vector_training_float32_accumulation: self
                    .flag("cooperativeVectorTrainingFloat32Accumulation"),
            },
            cooperative_matrix_properties: self.rows.unwrap_or_default(),
            cooperative_matrix_flexible_dimensions_properties: self.flexible.unwrap_or_default(),
            cooperative_vector_properties: self.vectors.unwrap_or_default(),
            features: self.features,
            missing_features: Vec::new(),
            properties,
            extensions: self.extensions,
            incomplete,
        }
    }
}

/// `VK_SHADER_STAGE_COMPUTE_BIT` is `compute`, `VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV` is `partitioned`.
fn short_name(name: &str, prefix: &str) -> String {
    let name = name.strip_prefix(prefix).unwrap_or(name);
    let name = if prefix.contains("SUBGROUP") { name.split("_BIT").next().unwrap_or(name) } else { name };
    name.replace("_BIT", "").to_ascii_lowercase()
}

/// The packed number of `VkPhysicalDeviceProperties::apiVersion`, or the text that some files have instead.
fn api_version(value: &Value) -> String {
    match value {
        Value::Number(number) => {
            let packed = number.as_u64().unwrap_or(0);
            format!("{}.{}.{}", (packed >> 22) & 0x7f, (packed >> 12) & 0x3ff, packed & 0xfff)
        }
        Value::String(text) => text.clone(),
        _ => String::new(),
    }
}

fn size(row: &Value, names: [&str; 2]) -> Option<u32> {
    let value = names.iter().find_map(|name| row.get(name))?;
    u32::try_from(value.as_u64()?).ok().filter(|&size| size > 0)
}

fn row(row: &Value) -> Option<MatrixProperties> {
    let [m, n, k] = ["MSize", "NSize", "KSize"].map(|name| size(row, [name, name]));
    Some(MatrixProperties { m: m?, n: n?, k: k?, types: types(row)? })
}

fn flexible(row: &Value) -> Option<FlexibleDimensions> {
    let [m, n, k] = ["MGranularity", "NGranularity", "KGranularity"].map(|name| size(row, [name, name]));
    let power = |size: Option<u32>| size.filter(|size| size.is_power_of_two());
    let workgroup_invocations = row.get("workgroupInvocations").and_then(Value::as_u64).unwrap_or(0);
    Some(FlexibleDimensions {
        m: power(m)?,
        n: power(n)?,
        k: power(k)?,
        workgroup_invocations: u32::try_from(workgroup_invocations).ok()?,
        types: types(row)?,
    })
}

fn types(row: &Value) -> Option<MatrixTypes> {
    let component = |name: &str| component(row.get(name)?);
    let saturating = match row.get("saturatingAccumulation") {
        Some(Value::Bool(value)) => *value,
        Some(Value::Number(number)) => number.as_u64() == Some(1),
        _ => false,
    };
    let scope = match row.get("scope")? {
        Value::String(name) => {
            name.strip_prefix("VK_SCOPE_").unwrap_or(name).trim_end_matches("_KHR").to_ascii_lowercase()
        }
        Value::Number(number) => match number.as_u64()? {
            1 => "device",
            2 => "workgroup",
            3 => "subgroup",
            5 => "queue_family",
            _ => return None,
        }
        .to_owned(),
        _ => return None,
    };
    let scope = match scope.as_str() {
        "device" => Scope::Device,
        "workgroup" => Scope::Workgroup,
        "subgroup" => Scope::Subgroup,
        "queue_family" => Scope::QueueFamily,
        _ => return None,
    };
    Some(MatrixTypes {
        a: component("AType")?,
        b: component("BType")?,
        c: component("CType")?,
        result: component("ResultType")?,
        saturating,
        scope,
    })
}

fn vector(row: &Value) -> Option<VectorProperties> {
    let interpretation = |name: &str| Interpretation::of_vulkan(number_of_component(row.get(name)?)?);
    let transpose = row.get("transpose");
    Some(VectorProperties {
        input_type: component(row.get("inputType")?)?,
        input_interpretation: interpretation("inputInterpretation")?,
        matrix_interpretation: interpretation("matrixInterpretation")?,
        bias_interpretation: interpretation("biasInterpretation")?,
        result_type: component(row.get("resultType")?)?,
        transpose: transpose.is_some_and(|value| value.as_bool() == Some(true) || value.as_u64() == Some(1)),
    })
}

fn component(value: &Value) -> Option<Scalar> {
    component::component_of_vulkan(number_of_component(value)?)
}

/// By number, by our name or by Vulkan's: `VK_COMPONENT_TYPE_FLOAT16_KHR`.
fn number_of_component(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => u32::try_from(number.as_u64()?).ok(),
        Value::String(name) => {
            let name = name.strip_prefix("VK_COMPONENT_TYPE_").unwrap_or(name).to_ascii_lowercase();
            let name = ["_khr", "_nv", "_ext"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
            Some(Interpretation::named(&name.replace("float8_e", "float_e"))?.number())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::devices::find;

    /// The form of `vulkaninfo --json` since Vulkan Profiles.
    const PROFILES: &str = r#"{
        "$schema": "https://schema.khronos.org/vulkan/profiles-0.8-latest.json#",
        "capabilities": {"device": {
            "extensions": {"VK_KHR_cooperative_matrix": 2, "VK_KHR_8bit_storage": 1},
            "features": {
                "VkPhysicalDeviceFeatures": {"shaderInt16": true, "shaderFloat64": false},
                "VkPhysicalDeviceVulkan12Features": {"shaderFloat16": true, "vulkanMemoryModel": true},
                "VkPhysicalDeviceCooperativeMatrixFeaturesKHR": {"cooperativeMatrix": true, "cooperativeMatrixRobustBufferAccess": false}
            },
            "properties": {
                "VkPhysicalDeviceProperties": {"apiVersion": 4211042, "deviceName": "Some GPU (Driver X)",
                    "limits": {"maxComputeWorkGroupInvocations": 1024, "maxComputeSharedMemorySize": 65536, "maxComputeWorkGroupSize": [1024, 512, 64]}},
                "VkPhysicalDeviceVulkan11Properties": {"subgroupSize": 64, "subgroupSupportedOperations": ["VK_SUBGROUP_FEATURE_BASIC_BIT", "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT", "VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV"]},
                "VkPhysicalDeviceVulkan12Properties": {"driverName": "x", "driverInfo": "Version 1"},
                "VkPhysicalDeviceVulkan13Properties": {"minSubgroupSize": 32, "maxSubgroupSize": 64, "maxComputeWorkgroupSubgroups": 4294967295},
                "VkPhysicalDeviceCooperativeMatrixPropertiesKHR": {"cooperativeMatrixSupportedStages": ["VK_SHADER_STAGE_COMPUTE_BIT"]}
            }}},
        "profiles": {"VP_VULKANINFO_Some_GPU": {"version": 1, "capabilities": ["device"]}}}"#;

    #[test]
    fn the_output_of_vulkaninfo_is_a_profile_whose_rows_are_not_known() {
        let profile = DeviceProfile::parse(PROFILES).unwrap();
        expect![[r#"
            {
              "name": "some-gpu-driver-x",
              "title": "Some GPU (Driver X)",
              "source": "imported from a description by another program (vulkaninfo or Vulkan Profiles)",
              "apiVersion": "1.4.354",
              "driver": "x Version 1",
              "subgroupSize": {"default":64,"min":32,"max":64},
              "limits": {"maxComputeWorkGroupSize":[1024,512,64],"maxComputeWorkGroupInvocations":1024,"maxComputeSharedMemorySize":65536,"maxComputeWorkgroupSubgroups":4294967295,"subgroupSupportedOperations":["basic","shuffle_relative","partitioned"],"cooperativeMatrixSupportedStages":["compute"]},
              "cooperativeMatrixFlexibleDimensionsProperties": [],
              "features": [
                "cooperativeMatrix",
                "shaderFloat16",
                "shaderInt16",
                "vulkanMemoryModel"
              ],
              "extensions": [
                "VK_KHR_8bit_storage",
                "VK_KHR_cooperative_matrix"
              ],
              "incomplete": ["cooperativeMatrixProperties","properties"]
            }
        "#]].assert_eq(&profile.to_json());
        assert_eq!(DeviceProfile::parse(&profile.to_json()).unwrap(), profile);
        assert_eq!(profile.feature("shaderFloat64"), Some(false));
        assert_eq!(profile.feature("cooperativeMatrixWorkgroupScope"), Some(false));
    }

    #[test]
    fn older_forms_tell_less_and_say_so() {
        let old = r#"{
            "$schema": "https://schema.khronos.org/vulkan/devsim_1_0_0.json#",
            "VkPhysicalDeviceProperties": {"apiVersion": 4206797, "deviceName": "Old", "limits": {"maxComputeSharedMemorySize": 32768}},
            "VkPhysicalDeviceFeatures": {"shaderInt16": 1, "shaderInt64": 0},
            "ArrayOfVkExtensionProperties": [{"extensionName": "VK_KHR_swapchain", "specVersion": 70}]}"#;
        let profile = DeviceProfile::parse(old).unwrap();
        assert_eq!(profile.features, ["shaderInt16"]);
        // Without the extension there are no matrices; of other features the file does not tell.
        assert!(profile.knows(List::CooperativeMatrixProperties) && !profile.knows(List::Features));
        assert_eq!(profile.feature("cooperativeMatrix"), Some(false));
        assert_eq!(profile.feature("shaderFloat16"), None);
        assert_eq!(
            (profile.subgroup_size, profile.limits.max_compute_shared_memory_size),
            (None, Some(32768))
        );
    }

    #[test]
    fn rows_are_read_where_a_tool_has_added_them() {
        let text = r#"{"capabilities": {"device": {"properties": {"VkCooperativeMatrixPropertiesKHR": [
            {"MSize": 8, "NSize": 16, "KSize": 16, "AType": "VK_COMPONENT_TYPE_FLOAT16_KHR", "BType": 0, "CType": "VK_COMPONENT_TYPE_FLOAT32_KHR",
             "ResultType": 1, "saturatingAccumulation": false, "scope": "VK_SCOPE_SUBGROUP_KHR"}]}}}}"#;
        let profile = DeviceProfile::parse(text).unwrap();
        assert!(profile.knows(List::CooperativeMatrixProperties));
        let row = &profile.cooperative_matrix_properties[0];
        assert_eq!((row.m, row.types.a, row.types.c), (8, Scalar::Float16, Scalar::Float32));
    }

    #[test]
    fn what_is_no_description_is_refused() {
        let error = |text: &str| DeviceProfile::parse(text).unwrap_err();
        assert!(error(r#"{"capabilities": {}}"#).contains("does not describe a device"));
        assert!(error("[1, 2]").contains("invalid type"));
        assert!(find("vulkaninfo").is_err());
    }
}
