//! What a driver says about a pipeline that it compiled (VK_KHR_pipeline_executable_properties): registers, spills, shared memory, whatever it
//! calls them.

use ash::vk;
use serde::{Deserialize, Serialize};

use crate::instance::Instance;
use crate::profile::{FeatureWords, Words, text};
use crate::resources::Resources;

const EXTENSION: &str = "VK_KHR_pipeline_executable_properties";
/// `VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR`
const FEATURES: i32 = 1_000_269_000;

/// A program that a pipeline consists of, by the driver's own words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Executable {
    /// Its name.
    pub name: String,
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// What is told about it, in the driver's order.
    pub statistics: Vec<Statistic>,
}

/// A number about an executable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Statistic {
    /// As the driver calls it.
    pub name: String,
    /// As the driver explains it.
    pub description: String,
    /// The value.
    pub value: StatisticValue,
}

/// A value of the type that the driver chose (`VkPipelineExecutableStatisticFormatKHR`). What JSON has no number for is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StatisticValue {
    /// A boolean.
    Flag(bool),
    /// An integer without a sign.
    Unsigned(u64),
    /// An integer.
    Signed(i64),
    /// A 64-bit float; nothing if it is not finite, or of a format that is not known.
    Real(Option<f64>),
}

impl std::fmt::Display for StatisticValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StatisticValue::Flag(flag) => flag.fmt(f),
            StatisticValue::Unsigned(number) => number.fmt(f),
            StatisticValue::Signed(number) => number.fmt(f),
            StatisticValue::Real(Some(number)) => number.fmt(f),
            StatisticValue::Real(None) => f.write_str("not known"),
        }
    }
}

/// The structure that enables the feature, if the device has it.
pub(crate) fn feature(instance: &Instance, physical: vk::PhysicalDevice) -> Option<Box<FeatureWords>> {
    let mut has = Box::new(Words::<1>::new(FEATURES));
    let mut all =
        vk::PhysicalDeviceFeatures2 { p_next: has.link(std::ptr::null_mut()), ..Default::default() };
    // SAFETY: the one structure of the chain is a header and as many members as Vulkan's of that type, which a device with the extension
    // knows; it lives until the end of this function.
    unsafe { instance.instance.get_physical_device_features2(physical, &mut all) };
    let mut wanted = Box::new(FeatureWords::new(FEATURES));
    wanted.words[0] = 1;
    (has.words[0] != 0).then_some(wanted)
}

/// The extension's name, if the device has it.
pub(crate) fn extension(extensions: &std::collections::BTreeSet<String>) -> Option<&'static str> {
    extensions.contains(EXTENSION).then_some(EXTENSION)
}

/// What the driver tells of a pipeline that was made with [`vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR`]. A driver that fails here tells
/// nothing: the run does not depend on it.
pub(crate) fn executables(
    instance: &Instance,
    resources: &Resources,
    pipeline: vk::Pipeline,
) -> Vec<Executable> {
    let calls = ash::khr::pipeline_executable_properties::Device::new(&instance.instance, &resources.device);
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
    // SAFETY: the extension and its feature are enabled, and the pipeline is the device's, here and below.
    let found = unsafe { calls.get_pipeline_executable_properties(&info) }.unwrap_or_default();
    let tell = |(index, properties): (u32, &vk::PipelineExecutablePropertiesKHR)| {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
        // SAFETY: as above; the index is below the count, and the pipeline was made to capture statistics.
        let statistics = unsafe { calls.get_pipeline_executable_statistics(&info) }.unwrap_or_default();
        Executable {
            name: text(&properties.name),
            subgroup_size: properties.subgroup_size,
            statistics: statistics.iter().map(statistic).collect(),
        }
    };
    (0..).zip(&found).map(tell).collect()
}

fn statistic(found: &vk::PipelineExecutableStatisticKHR) -> Statistic {
    type Format = vk::PipelineExecutableStatisticFormatKHR;
    // SAFETY: all members are plain numbers of at most 64 bits, and the format says which one was written.
    let value = unsafe {
        match found.format {
            Format::BOOL32 => StatisticValue::Flag(found.value.b32 != 0),
            Format::INT64 => StatisticValue::Signed(found.value.i64),
            Format::UINT64 => StatisticValue::Unsigned(found.value.u64),
            Format::FLOAT64 => StatisticValue::Real(Some(found.value.f64).filter(|value| value.is_finite())),
            _ => StatisticValue::Real(None),
        }
    };
    Statistic { name: text(&found.name), description: text(&found.description), value }
}
