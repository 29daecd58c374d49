//! The features and extensions that a module needs, against those of a device.

use std::collections::{BTreeMap, BTreeSet};

use coopmat_spirv::Capability;
use coopmat_spirv::dr::Operand;
use coopmat_spirv::spirv::ExecutionMode;

use crate::features::{self, Since};
use crate::module::Program;
use crate::profile::Reported;

/// What a capability asks of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Every device with a compute queue has it.
    Nothing,
    /// A feature, under each structure that has it.
    Feature(&'static str),
    /// At least one of these; all that there are get enabled.
    OneOf(&'static [&'static str]),
    /// A feature of one extension, where others have features of the same name.
    Of(&'static str, &'static str),
    /// A bit of `subgroupSupportedOperations`.
    Subgroup(u32),
    /// An extension without features.
    Extension(&'static str),
    /// One of `VkPhysicalDeviceFloatControlsProperties`, which the execution mode says.
    FloatControls,
}

use Need::{Extension, Feature, FloatControls, Nothing, Of, OneOf, Subgroup};

const ATOMIC_FLOAT_16_ADD: &[&str] = &["shaderBufferFloat16AtomicAdd", "shaderSharedFloat16AtomicAdd"];
const ATOMIC_FLOAT_32_ADD: &[&str] =
    &["shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd", "shaderImageFloat32AtomicAdd"];
const ATOMIC_FLOAT_64_ADD: &[&str] = &["shaderBufferFloat64AtomicAdd", "shaderSharedFloat64AtomicAdd"];
const ATOMIC_FLOAT_16_MIN_MAX: &[&str] =
    &["shaderBufferFloat16AtomicMinMax", "shaderSharedFloat16AtomicMinMax"];
const ATOMIC_FLOAT_32_MIN_MAX: &[&str] =
    &["shaderBufferFloat32AtomicMinMax", "shaderSharedFloat32AtomicMinMax", "shaderImageFloat32AtomicMinMax"];
const ATOMIC_FLOAT_64_MIN_MAX: &[&str] =
    &["shaderBufferFloat64AtomicMinMax", "shaderSharedFloat64AtomicMinMax"];

/// Nothing for capabilities that are not known to run in compute shaders of Vulkan.
fn need(capability: Capability) -> Option<Need> {
    use Capability as C;
    Some(match capability {
        C::Matrix
        | C::Shader
        | C::ImageQuery
        | C::Image1D
        | C::Sampled1D
        | C::ImageBuffer
        | C::SampledBuffer
        | C::DerivativeControl => Nothing,
        C::Float16 => Feature("shaderFloat16"),
        C::Float64 => Feature("shaderFloat64"),
        C::Int8 => Feature("shaderInt8"),
        C::Int16 => Feature("shaderInt16"),
        C::Int64 => Feature("shaderInt64"),
        C::Int64Atomics => OneOf(&["shaderBufferInt64Atomics", "shaderSharedInt64Atomics"]),
        C::StorageBuffer16BitAccess => Feature("storageBuffer16BitAccess"),
        C::UniformAndStorageBuffer16BitAccess => Feature("uniformAndStorageBuffer16BitAccess"),
        C::StoragePushConstant16 => Feature("storagePushConstant16"),
        C::StorageBuffer8BitAccess => Feature("storageBuffer8BitAccess"),
        C::UniformAndStorageBuffer8BitAccess => Feature("uniformAndStorageBuffer8BitAccess"),
        C::StoragePushConstant8 => Feature("storagePushConstant8"),
        C::WorkgroupMemoryExplicitLayoutKHR => Feature("workgroupMemoryExplicitLayout"),
        C::WorkgroupMemoryExplicitLayout8BitAccessKHR => Feature("workgroupMemoryExplicitLayout8BitAccess"),
        C::WorkgroupMemoryExplicitLayout16BitAccessKHR => Feature("workgroupMemoryExplicitLayout16BitAccess"),
        C::GroupNonUniform => Subgroup(0x1),
        C::GroupNonUniformVote => Subgroup(0x2),
        C::GroupNonUniformArithmetic => Subgroup(0x4),
        C::GroupNonUniformBallot => Subgroup(0x8),
        C::GroupNonUniformShuffle => Subgroup(0x10),
        C::GroupNonUniformShuffleRelative => Subgroup(0x20),
        C::GroupNonUniformClustered => Subgroup(0x40),
        C::GroupNonUniformQuad => Subgroup(0x80),
        C::GroupNonUniformPartitionedEXT => Extension("VK_NV_shader_subgroup_partitioned"),
        C::GroupNonUniformRotateKHR => Feature("shaderSubgroupRotate"),
        C::VulkanMemoryModel => Feature("vulkanMemoryModel"),
        C::VulkanMemoryModelDeviceScope => Feature("vulkanMemoryModelDeviceScope"),
        C::PhysicalStorageBufferAddresses => Feature("bufferDeviceAddress"),
        C::VariablePointersStorageBuffer => Feature("variablePointersStorageBuffer"),
        C::VariablePointers => Feature("variablePointers"),
        C::DotProduct | C::DotProductInputAll | C::DotProductInput4x8Bit | C::DotProductInput4x8BitPacked => {
            Feature("shaderIntegerDotProduct")
        }
        C::CooperativeMatrixKHR => Of("VK_KHR_cooperative_matrix", "cooperativeMatrix"),
        C::CooperativeMatrixNV => Of("VK_NV_cooperative_matrix", "cooperativeMatrix"),
        C::CooperativeMatrixReductionsNV => Feature("cooperativeMatrixReductions"),
        C::CooperativeMatrixConversionsNV => Of("VK_NV_cooperative_matrix2", "cooperativeMatrixConversions"),
        C::CooperativeMatrixPerElementOperationsNV => Feature("cooperativeMatrixPerElementOperations"),
        C::CooperativeMatrixTensorAddressingNV | C::TensorAddressingNV => {
            Feature("cooperativeMatrixTensorAddressing")
        }
        C::CooperativeMatrixBlockLoadsNV => Feature("cooperativeMatrixBlockLoads"),
        C::CooperativeMatrixConversionQCOM => Feature("cooperativeMatrixConversion"),
        C::BFloat16TypeKHR => Feature("shaderBFloat16Type"),
        C::BFloat16DotProductKHR => Feature("shaderBFloat16DotProduct"),
        C::BFloat16CooperativeMatrixKHR => Feature("shaderBFloat16CooperativeMatrix"),
        C::Float8EXT => Feature("shaderFloat8"),
        C::Float8CooperativeMatrixEXT => Feature("shaderFloat8CooperativeMatrix"),
        C::LongVectorEXT => Feature("longVector"),
        C::ReplicatedCompositesEXT => Feature("shaderReplicatedComposites"),
        C::UntypedPointersKHR => Feature("shaderUntypedPointers"),
        C::ExpectAssumeKHR => Feature("shaderExpectAssume"),
        C::FloatControls2 => Feature("shaderFloatControls2"),
        C::DemoteToHelperInvocation => Feature("shaderDemoteToHelperInvocation"),
        C::ShaderClockKHR => OneOf(&["shaderSubgroupClock", "shaderDeviceClock"]),
        C::ComputeDerivativeGroupQuadsKHR => Feature("computeDerivativeGroupQuads"),
        C::ComputeDerivativeGroupLinearKHR => Feature("computeDerivativeGroupLinear"),
        C::AtomicFloat16AddEXT => OneOf(ATOMIC_FLOAT_16_ADD),
        C::AtomicFloat32AddEXT => OneOf(ATOMIC_FLOAT_32_ADD),
        C::AtomicFloat64AddEXT => OneOf(ATOMIC_FLOAT_64_ADD),
        C::AtomicFloat16MinMaxEXT => OneOf(ATOMIC_FLOAT_16_MIN_MAX),
        C::AtomicFloat32MinMaxEXT => OneOf(ATOMIC_FLOAT_32_MIN_MAX),
        C::AtomicFloat64MinMaxEXT => OneOf(ATOMIC_FLOAT_64_MIN_MAX),
        C::StorageBufferArrayDynamicIndexing => Feature("shaderStorageBufferArrayDynamicIndexing"),
        C::UniformBufferArrayDynamicIndexing => Feature("shaderUniformBufferArrayDynamicIndexing"),
        C::StorageBufferArrayNonUniformIndexing => Feature("shaderStorageBufferArrayNonUniformIndexing"),
        C::UniformBufferArrayNonUniformIndexing => Feature("shaderUniformBufferArrayNonUniformIndexing"),
        C::ShaderNonUniform => Feature("descriptorIndexing"),
        C::RuntimeDescriptorArray => Feature("runtimeDescriptorArray"),
        C::CooperativeMatrixDecodeVectorNV => Feature("cooperativeMatrixDecodeVector"),
        C::CooperativeMatrixConversionsEXT => {
            Of("VK_EXT_cooperative_matrix_maintenance1", "cooperativeMatrixConversions")
        }
        C::CooperativeMatrixGetCoordinateEXT => Feature("cooperativeMatrixGetCoordinate"),
        C::DenormPreserve
        | C::DenormFlushToZero
        | C::SignedZeroInfNanPreserve
        | C::RoundingModeRTE
        | C::RoundingModeRTZ => FloatControls,
        _ => return None,
    })
}

/// Features that no capability asks for, and that modules rely on where a device has them.
const WELCOME: &[&str] = &[
    // Accesses out of bounds of a buffer do no harm.
    "robustBufferAccess",
    "scalarBlockLayout",
    "uniformBufferStandardLayout",
    "shaderSubgroupExtendedTypes",
    "subgroupSizeControl",
    "computeFullSubgroups",
    "shaderZeroInitializeWorkgroupMemory",
    // `LocalSizeId` is its.
    "maintenance4",
    "workgroupMemoryExplicitLayoutScalarBlockLayout",
    "variablePointersStorageBuffer",
    "cooperativeMatrixFlexibleDimensions",
    "cooperativeMatrixWorkgroupScope",
];

/// Features that let a welcome one be enabled.
const WELCOME_WITH: &[(&str, &str)] = &[
    ("workgroupMemoryExplicitLayoutScalarBlockLayout", "workgroupMemoryExplicitLayout"),
    ("cooperativeMatrixFlexibleDimensions", "cooperativeMatrix"),
    ("cooperativeMatrixWorkgroupScope", "cooperativeMatrix"),
    ("variablePointersStorageBuffer", "variablePointers"),
];

/// Extensions that others stand on.
const STANDS_ON: &[(&str, &str)] = &[
    ("VK_NV_cooperative_matrix_decode_vector", "VK_NV_cooperative_matrix2"),
    ("VK_NV_cooperative_matrix2", "VK_KHR_cooperative_matrix"),
    ("VK_QCOM_cooperative_matrix_conversion", "VK_KHR_cooperative_matrix"),
    ("VK_EXT_cooperative_matrix_maintenance1", "VK_KHR_cooperative_matrix"),
    ("VK_EXT_shader_atomic_float2", "VK_EXT_shader_atomic_float"),
];

/// What a device has.
pub(crate) struct Has<'a> {
    pub name: &'a str,
    pub extensions: &'a BTreeSet<String>,
    pub reported: &'a Reported,
    /// `subgroupSupportedOperations`
    pub subgroup_operations: u32,
    /// The booleans of `VkPhysicalDeviceFloatControlsProperties`.
    pub float_controls: &'a [u32],
}

/// What is enabled for a module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Enabled {
    /// Names of features of `VkPhysicalDeviceFeatures`.
    pub core: BTreeSet<&'static str>,
    /// Names of features by their structure's type.
    pub structures: BTreeMap<i32, BTreeSet<&'static str>>,
    pub extensions: BTreeSet<&'static str>,
}

impl Enabled {
    pub fn has(&self, feature: &str) -> bool {
        self.core.contains(feature) || self.structures.values().any(|names| names.contains(feature))
    }
}

/// # Errors
/// What the device lacks.
pub(crate) fn enabled(program: &Program, has: &Has) -> Result<Enabled, String> {
    let mut enabled = Enabled::default();
    for instruction in &program.module.capabilities {
        let Some(operand) = instruction.operands.first() else { continue };
        let (need, name) = match (Capability::of(operand), operand) {
            (Some(capability), _) => (need(capability), capability.name().to_owned()),
            (None, Operand::LiteralBit32(number)) => (None, number.to_string()),
            _ => continue,
        };
        let Some(need) = need else {
            return Err(format!(
                "the module declares the capability {name}, and no feature of Vulkan that makes it run in a compute shader is known here"
            ));
        };
        let lacks = |what: &str| {
            Err(format!("{} lacks {what}, which the module's capability {name} needs", has.name))
        };
        match need {
            Nothing | FloatControls => {}
            Feature(feature) => {
                if !enable(&mut enabled, has, feature, None) {
                    return lacks(&format!("the feature {feature}"));
                }
            }
            Of(extension, feature) => {
                if !enable(&mut enabled, has, feature, Some(extension)) {
                    return lacks(&format!("the feature {feature} of {extension}"));
                }
            }
            OneOf(names) => {
                let found = names.iter().filter(|feature| enable(&mut enabled, has, feature, None)).count();
                if found == 0 {
                    return lacks(&format!("all of the features {}", names.join(", ")));
                }
            }
            Subgroup(bit) => {
                if has.subgroup_operations & bit == 0 {
                    return lacks("that group of subgroup operations");
                }
            }
            Extension(extension) => {
                if !has.extensions.contains(extension) {
                    return lacks(extension);
                }
                enabled.extensions.insert(extension);
            }
        }
    }
    for (mode, width) in program.execution_modes() {
        float_control(mode, width, has)?;
        let feature = match mode {
            ExecutionMode::MaximallyReconvergesKHR => "shaderMaximalReconvergence",
            ExecutionMode::SubgroupUniformControlFlowKHR => "shaderSubgroupUniformControlFlow",
            _ => continue,
        };
        if !enable(&mut enabled, has, feature, None) {
            return Err(format!(
                "{} lacks the feature {feature}, which the execution mode {mode:?} needs",
                has.name
            ));
        }
    }
    for feature in WELCOME {
        let with = WELCOME_WITH.iter().find(|(name, _)| name == feature);
        if with.is_none_or(|(_, with)| enabled.has(with)) {
            enable(&mut enabled, has, feature, None);
        }
    }
    // What others stand on comes after them in the list.
    for (extension, below) in STANDS_ON {
        if enabled.extensions.contains(extension) {
            enabled.extensions.insert(below);
        }
    }
    Ok(enabled)
}

/// Whether the device has the feature, in any structure or in that of one extension.
fn enable(enabled: &mut Enabled, has: &Has, feature: &str, extension: Option<&str>) -> bool {
    let mut found = false;
    for (structure, words) in &has.reported.structures {
        let of = match structure.since {
            Since::Core(..) => None,
            Since::Extension(name) => Some(name),
        };
        // The older extension has features under the newer one's names: only who names it gets them.
        let older = features::OLDER.iter().any(|older| older.kind == structure.kind);
        if (older || extension.is_some()) && of != extension {
            continue;
        }
        let place = structure.features.iter().position(|name| *name == feature);
        if let Some(place) = place
            && words.words[place] != 0
        {
            found = true;
            enabled.structures.entry(structure.kind).or_default().insert(structure.features[place]);
            enabled.extensions.extend(of);
        }
    }
    if let Some(place) = features::CORE.iter().position(|name| *name == feature)
        && has.reported.core[place] != 0
    {
        found = true;
        enabled.core.insert(features::CORE[place]);
    }
    found
}

/// Execution modes about floats against `VkPhysicalDeviceFloatControlsProperties`: two words about independence, then five
/// groups of 16, 32 and 64 bits.
fn float_control(mode: ExecutionMode, width: Option<u32>, has: &Has) -> Result<(), String> {
    let group = match mode {
        ExecutionMode::SignedZeroInfNanPreserve => 0,
        ExecutionMode::DenormPreserve => 1,
        ExecutionMode::DenormFlushToZero => 2,
        ExecutionMode::RoundingModeRTE => 3,
        ExecutionMode::RoundingModeRTZ => 4,
        _ => return Ok(()),
    };
    let size = match width {
        Some(16) => 0,
        Some(32) => 1,
        Some(64) => 2,
        _ => return Ok(()),
    };
    if has.float_controls.get(2 + group * 3 + size).is_some_and(|word| *word != 0) {
        return Ok(());
    }
    Err(format!(
        "{} does not support the execution mode {mode:?} for floats of {} bits",
        has.name,
        width.unwrap_or(0)
    ))
}
