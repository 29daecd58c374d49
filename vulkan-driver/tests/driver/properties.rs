//! Properties that programs ask for with a structure of a version of Vulkan, or with that of the extension that they come from.

use ash::vk;
use coopmat_driver_report::Event;

use super::support::{Client, device, module, with_options};
use super::{none, problems};

#[test]
fn structures_of_extensions_say_what_those_of_versions_say() {
    let name = "properties::structures_of_extensions_say_what_those_of_versions_say";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let mut indexing = vk::PhysicalDeviceDescriptorIndexingProperties::default();
    let mut texels = vk::PhysicalDeviceTexelBufferAlignmentProperties::default();
    let mut twelve = vk::PhysicalDeviceVulkan12Properties::default();
    let mut thirteen = vk::PhysicalDeviceVulkan13Properties::default();
    let mut all = vk::PhysicalDeviceProperties2::default()
        .push_next(&mut indexing)
        .push_next(&mut texels)
        .push_next(&mut twelve)
        .push_next(&mut thirteen);
    unsafe { client.instance.get_physical_device_properties2(client.physical, &mut all) };
    // Without it, a program must not enable robustBufferAccess together with descriptors that are updated after they are bound.
    assert_eq!(indexing.robust_buffer_access_update_after_bind, vk::TRUE);
    assert_eq!(twelve.robust_buffer_access_update_after_bind, vk::TRUE);
    let most = indexing.max_descriptor_set_update_after_bind_storage_buffers;
    assert!(most >= 500_000, "{most}");
    assert_eq!(most, twelve.max_descriptor_set_update_after_bind_storage_buffers);
    let alignment = texels.storage_texel_buffer_offset_alignment_bytes;
    assert_eq!(alignment, 16);
    assert_eq!(alignment, thirteen.storage_texel_buffer_offset_alignment_bytes);
}

/// `maxComputeWorkGroupInvocations` of a profile that does not say it is Vulkan's least.
#[test]
fn a_workgroup_that_is_larger_than_an_assumed_limit_is_told_so() {
    let name = "properties::a_workgroup_that_is_larger_than_an_assumed_limit_is_told_so";
    if let Some(events) = with_options(name, device("arm-mali-g720")) {
        let Some(Event::Started { assumed, .. }) = events.first() else { panic!("{events:?}") };
        assert!(
            assumed.iter().any(|line| line.contains("workgroups of at most 128 invocations")),
            "{assumed:?}"
        );
        let said = "vkCreateComputePipelines: a workgroup of 512 x 1 x 1 invocations: the device allows 128 x 128 x 64, and 128 in all (assumed, as its profile does not say it all)";
        return assert_eq!(problems(&events), [said]);
    }
    let client = Client::new(&[], None);
    let words = module("#version 460\nlayout(local_size_x = 512) in;\nvoid main() {}");
    let info = vk::ShaderModuleCreateInfo::default().code(&words);
    unsafe {
        let layout =
            client.device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None).unwrap();
        let shader = client.device.create_shader_module(&info, None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(shader)
            .name(c"main");
        let wanted = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let made = client.device.create_compute_pipelines(vk::PipelineCache::null(), &[wanted], None);
        assert_eq!(made.unwrap_err().1, vk::Result::ERROR_UNKNOWN);
    }
}
