//! Properties that programs ask for with a structure of a version of Vulkan, or with that of the extension that they come from.

use ash::vk;

use super::none;
use super::support::{Client, device, with_options};

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
