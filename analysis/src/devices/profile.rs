//! A device profile: what it may say, and what follows from what it leaves out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::component::{self, Interpretation};
use crate::scalar::Scalar;

/// One device. What a profile does not say is unknown: nothing is reported for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceProfile {
    /// What `--device` calls it: letters, digits and hyphens.
    pub name: String,
    /// What people call it; empty where the file does not say it, and the name stands for it.
    pub title: String,
    /// Where the facts come from.
    pub source: String,
    /// Sources of single keys of the profile, where they differ from `source`.
    pub sources: BTreeMap<String, String>,
    /// Version of Vulkan as reported, `1.4.312`; empty where it is not known.
    pub api_version: String,
    /// Name and version of the driver; empty where they are not known.
    pub driver: String,
    /// Who made the device, by the number of PCI-SIG or of Khronos (`vendorID`); `None` where it is not known.
    pub vendor_id: Option<u32>,
    /// Which driver it is, by its name in `VkDriverId`: `VK_DRIVER_ID_MESA_RADV`; empty where it is not known.
    pub driver_id: String,
    /// `None` where it is not known.
    pub subgroup_size: Option<SubgroupSize>,
    /// Limits; those that are left out are not known.
    pub limits: Limits,
    /// What Vulkan does not report, as the maker publishes it.
    pub performance: Performance,
    /// Shapes and types of multiplications of fixed size.
    pub cooperative_matrix_properties: Vec<MatrixProperties>,
    /// Shapes and types of multiplications of any multiple of a size (VK_NV_cooperative_matrix2).
    pub cooperative_matrix_flexible_dimensions_properties: Vec<FlexibleDimensions>,
    /// Types of products of cooperative vectors (VK_NV_cooperative_vector).
    pub cooperative_vector_properties: Vec<VectorProperties>,
    /// Members of Vulkan's feature structures that are `VK_TRUE`: `cooperativeMatrix`.
    pub features: Vec<String>,
    /// Features that are known to be missing, where `features` is not complete.
    pub missing_features: Vec<String>,
    /// Members of `VkPhysicalDeviceFloatControlsProperties` and of `VkPhysicalDeviceShaderIntegerDotProductProperties` that are `VK_TRUE`:
    /// `shaderDenormPreserveFloat16`.
    pub properties: Vec<String>,
    /// Names of device extensions: `VK_KHR_cooperative_matrix`.
    pub extensions: Vec<String>,
    /// The lists above that may lack entries: what is not in them is unknown rather than missing.
    pub incomplete: Vec<List>,
}

/// The lists of a profile that may be incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum List {
    /// `cooperativeMatrixProperties`
    CooperativeMatrixProperties,
    /// `cooperativeMatrixFlexibleDimensionsProperties`
    CooperativeMatrixFlexibleDimensionsProperties,
    /// `cooperativeVectorProperties`
    CooperativeVectorProperties,
    /// `features`
    Features,
    /// `properties`
    Properties,
    /// `extensions`
    Extensions,
}

/// Invocations per subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubgroupSize {
    /// What a shader gets that asks for nothing (`subgroupSize`); a power of two.
    pub default: u32,
    /// `minSubgroupSize` of `VkPhysicalDeviceSubgroupSizeControlProperties`; `default` where there is no
    /// choice.
    pub min: u32,
    /// `maxSubgroupSize`, likewise.
    pub max: u32,
}

/// Limits of `VkPhysicalDeviceLimits` and of the extensions' property structures, under Vulkan's names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    /// Invocations in x, y and z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_compute_work_group_size: Option<[u32; 3]>,
    /// Invocations in all dimensions together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_compute_work_group_invocations: Option<u32>,
    /// Bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_compute_shared_memory_size: Option<u32>,
    /// Subgroups in a workgroup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_compute_workgroup_subgroups: Option<u32>,
    /// Names as in `VkSubgroupFeatureFlagBits`, in lower case: `basic`, `shuffle_relative`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subgroup_supported_operations: Option<Vec<String>>,
    /// Whether denormals can be treated otherwise for each width of floats (`VK_KHR_shader_float_controls`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denorm_behavior_independence: Option<Independence>,
    /// Whether results can be rounded otherwise for each width of floats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounding_mode_independence: Option<Independence>,
    /// Names of stages as in `VkShaderStageFlagBits`, in lower case: `compute`, `mesh_ext`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooperative_matrix_supported_stages: Option<Vec<String>>,
    /// Invocations in a workgroup whose scope holds matrices (VK_NV_cooperative_matrix2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooperative_matrix_workgroup_scope_max_workgroup_size: Option<u32>,
    /// Rows or columns of a matrix, and the inner dimension of a multiplication (VK_NV_cooperative_matrix2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooperative_matrix_flexible_dimensions_max_dimension: Option<u32>,
    /// Bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooperative_matrix_workgroup_scope_reserved_shared_memory: Option<u32>,
    /// Names of stages, as of cooperative matrices (VK_NV_cooperative_vector).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooperative_vector_supported_stages: Option<Vec<String>>,
    /// Components of a vector (VK_NV_cooperative_vector).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cooperative_vector_components: Option<u32>,
    /// Whether sums of training may be `float16_t` (VK_NV_cooperative_vector).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooperative_vector_training_float16_accumulation: Option<bool>,
    /// Whether sums of training may be `float`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooperative_vector_training_float32_accumulation: Option<bool>,
}

/// For which widths of floats an entry point may ask for something else than for the others (`VkShaderFloatControlsIndependence`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Independence {
    /// For 32 bits; 16 and 64 bits go together.
    #[serde(rename = "32_bit_only")]
    Only32Bit,
    /// For each.
    #[serde(rename = "all")]
    All,
    /// All go together.
    #[serde(rename = "none")]
    None,
}

impl Independence {
    /// By Vulkan's number.
    pub const ALL: [Independence; 3] = [Independence::Only32Bit, Independence::All, Independence::None];
}

/// Names of stages as profiles write them, with their bits of `VkShaderStageFlagBits`.
pub const STAGES: [(u32, &str); 16] = [
    (0x1, "vertex"),
    (0x2, "tessellation_control"),
    (0x4, "tessellation_evaluation"),
    (0x8, "geometry"),
    (0x10, "fragment"),
    (0x20, "compute"),
    (0x40, "task_ext"),
    (0x80, "mesh_ext"),
    (0x100, "raygen_khr"),
    (0x200, "any_hit_khr"),
    (0x400, "closest_hit_khr"),
    (0x800, "miss_khr"),
    (0x1000, "intersection_khr"),
    (0x2000, "callable_khr"),
    (0x4000, "subpass_shading_huawei"),
    (0x8000, "cluster_culling_huawei"),
];

/// What a device does at what speed, as its maker publishes it: Vulkan does not report it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Performance {
    /// `None` where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_memory_banks: Option<SharedMemoryBanks>,
    /// The bandwidth of the device's memory, in 10^9 bytes a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bandwidth: Option<u32>,
    /// How fast matrices are multiplied. A product that is not listed is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matrix_rates: Vec<MatrixRate>,
    /// What workgroups that run at the same time share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_unit: Option<ComputeUnit>,
    /// How the driver loads matrices from shared memory whatever the ownership of their elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile_loads: Option<TileLoads>,
    /// What the order of `tune` follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_model: Option<TimeModel>,
}

/// Instructions that load square tiles of a matrix, of which each lane reads a line along rows or along columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TileLoads {
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Rows and columns of a tile.
    pub side: u32,
}

/// What a compute unit does in a cycle, as times of kernels on the device show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimeModel {
    /// Compute units of the device.
    pub compute_units: u32,
    /// Operations in multiply-adds of 16-bit factors.
    pub operations: u32,
    /// Passes of shared memory.
    pub passes: u32,
    /// Sectors of buffers.
    pub sectors: u32,
    /// Instructions of the module of one subgroup: more than the hardware's, as a driver makes constants of many.
    pub subgroup_instructions: u32,
    /// Cycles that a workgroup waits at a barrier, for loads that were begun before.
    pub barrier_cycles: u32,
    /// The most workgroups that are resident at the same time.
    pub workgroups: u32,
    /// Bytes of shared memory that every workgroup takes besides its own.
    pub reserved_shared_memory: u32,
}

/// How fast a device multiplies matrices of some types, without sparsity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixRate {
    /// Component type of A.
    #[serde(rename = "AType", with = "component")]
    pub a: Scalar,
    /// Component type of B.
    #[serde(rename = "BType", with = "component")]
    pub b: Scalar,
    /// Component type of the result.
    #[serde(rename = "ResultType", with = "component")]
    pub result: Scalar,
    /// 10^9 operations a second, of all of the device: two for each multiplication and addition.
    pub gigaops: u64,
}

/// What NVIDIA calls a multiprocessor, AMD a compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ComputeUnit {
    /// Registers of 32 bits.
    pub registers: u32,
    /// The most registers of one invocation.
    pub registers_per_invocation: u32,
    /// The most subgroups that are resident at the same time.
    pub subgroups: u32,
    /// Bytes of shared memory of all resident workgroups together.
    pub shared_memory: u32,
}

/// How shared memory is divided: consecutive words are in consecutive banks, and each bank serves one word at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedMemoryBanks {
    /// How many there are; a power of two.
    pub count: u32,
    /// Bytes of a word; a power of two.
    pub width: u32,
}

/// A row of `VkCooperativeMatrixPropertiesKHR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixProperties {
    /// Rows of A, C and the result.
    #[serde(rename = "MSize")]
    pub m: u32,
    /// Columns of B, C and the result.
    #[serde(rename = "NSize")]
    pub n: u32,
    /// Columns of A, rows of B.
    #[serde(rename = "KSize")]
    pub k: u32,
    /// Component types and scope.
    #[serde(flatten)]
    pub types: MatrixTypes,
}

/// A row of `VkCooperativeMatrixFlexibleDimensionsPropertiesNV`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlexibleDimensions {
    /// What the rows of A, C and the result are a multiple of.
    #[serde(rename = "MGranularity")]
    pub m: u32,
    /// What the columns of B, C and the result are a multiple of.
    #[serde(rename = "NGranularity")]
    pub n: u32,
    /// What the columns of A and the rows of B are a multiple of.
    #[serde(rename = "KGranularity")]
    pub k: u32,
    /// 0 for subgroup scope.
    #[serde(rename = "workgroupInvocations", default)]
    pub workgroup_invocations: u32,
    /// Component types and scope.
    #[serde(flatten)]
    pub types: MatrixTypes,
}

/// A row of `VkCooperativeVectorPropertiesNV`: a product of a matrix in memory and a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VectorProperties {
    /// Component type of the vector.
    #[serde(with = "component")]
    pub input_type: Scalar,
    /// What its components are converted to, or hold.
    pub input_interpretation: Interpretation,
    /// What the matrix is read as.
    pub matrix_interpretation: Interpretation,
    /// What the bias is read as.
    pub bias_interpretation: Interpretation,
    /// Component type of the result.
    #[serde(with = "component")]
    pub result_type: Scalar,
    /// Whether a matrix in an optimal layout may be transposed.
    #[serde(default)]
    pub transpose: bool,
}

/// What both kinds of rows of matrices have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixTypes {
    /// Component type of A.
    #[serde(rename = "AType", with = "component")]
    pub a: Scalar,
    /// Component type of B.
    #[serde(rename = "BType", with = "component")]
    pub b: Scalar,
    /// Component type of C.
    #[serde(rename = "CType", with = "component")]
    pub c: Scalar,
    /// Component type of the result.
    #[serde(rename = "ResultType", with = "component")]
    pub result: Scalar,
    /// `saturatingAccumulation`: whether the row is of multiplications that saturate, or of those that wrap.
    #[serde(rename = "saturatingAccumulation", default)]
    pub saturating: bool,
    /// Who holds the matrices together.
    pub scope: Scope,
}

/// Who holds a matrix together (`VkScopeKHR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All invocations on the device.
    Device,
    /// The workgroup.
    Workgroup,
    /// The subgroup.
    Subgroup,
    /// All invocations of a queue family.
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

impl DeviceProfile {
    /// Every size of subgroups that a shader may ask for, the smallest first; none where the profile does not tell.
    pub fn subgroup_sizes(&self) -> Vec<u32> {
        let Some(offered) = self.subgroup_size else { return Vec::new() };
        (0..32).map(|power| 1 << power).filter(|size| (offered.min..=offered.max).contains(size)).collect()
    }

    /// Whether a list has every entry that the device has.
    pub fn knows(&self, list: List) -> bool {
        !self.incomplete.contains(&list)
    }

    /// Whether the profile lists a feature; where it does not, [`DeviceProfile::feature`] says whether it is
    /// missing.
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|feature| feature == name)
    }

    /// Whether the device has a feature; `None` when the profile does not tell.
    pub fn feature(&self, name: &str) -> Option<bool> {
        if self.has_feature(name) {
            return Some(true);
        }
        let missing = self.knows(List::Features)
            || self.missing_features.iter().any(|feature| feature == name)
            || extension_of_feature(name).is_some_and(|extension| self.extension(extension) == Some(false));
        missing.then_some(false)
    }

    /// Whether a property is `VK_TRUE`; `None` when the profile does not tell.
    pub fn property(&self, name: &str) -> Option<bool> {
        let found = self.properties.iter().any(|property| property == name);
        (found || self.knows(List::Properties)).then_some(found)
    }

    /// Whether the device has an extension; `None` when the profile does not tell.
    pub fn extension(&self, name: &str) -> Option<bool> {
        let found = self.extensions.iter().any(|extension| extension == name);
        (found || self.knows(List::Extensions)).then_some(found)
    }

    /// The one size that subgroups have, when the device has no choice.
    pub(crate) fn fixed_subgroup_size(&self) -> Option<u32> {
        self.subgroup_size.filter(|size| size.min == size.max).map(|size| size.max)
    }
}

/// The extension without which a device cannot have a feature that matrices and vectors are judged by. What modules need is known by codegen.
fn extension_of_feature(feature: &str) -> Option<&'static str> {
    Some(match feature {
        "cooperativeMatrix" => "VK_KHR_cooperative_matrix",
        "cooperativeMatrixWorkgroupScope" | "cooperativeMatrixFlexibleDimensions" => {
            "VK_NV_cooperative_matrix2"
        }
        "cooperativeVector" | "cooperativeVectorTraining" => "VK_NV_cooperative_vector",
        _ => return None,
    })
}

/// What a device with a title is called on a command line: letters, digits and hyphens.
pub fn name_of_title(title: &str) -> String {
    let mut out = String::new();
    for char in title.chars().flat_map(char::to_lowercase) {
        if char.is_ascii_alphanumeric() {
            out.push(char);
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "device".to_owned() } else { out.to_owned() }
}
