//! Accesses of buffers out of their bounds, and what a pipeline says of them (VK_EXT_pipeline_robustness).

use ash::vk;
use coopmat_driver_report::{Event, Options};

use super::support::{Client, device, module, whole, with_options};
use super::{BEYOND, floats, problems, shader};

fn checked() -> Options {
    Options { checked: true, ..device("nvidia-h200") }
}

/// Reads beyond the end of a buffer, with a pipeline that says this of storage buffers.
fn read_beyond(client: &Client, behaviour: vk::PipelineRobustnessBufferBehaviorEXT) {
    let source = shader(BEYOND);
    let (_, layout, set_layout) = client.pipeline(&source, 2, &[]);
    let (a, b) = (client.storage(&floats(32)), client.storage(&[7.0f32; 32]));
    let words = module(&source);
    let mut robustness = vk::PipelineRobustnessCreateInfoEXT::default().storage_buffers(behaviour);
    unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(client.device.create_shader_module(&info, None).unwrap())
            .name(c"main");
        let info =
            vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).push_next(&mut robustness);
        let made = client.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        let pipeline = made.unwrap()[0];
        let set = client.set(set_layout, &[whole(a.buffer), whole(b.buffer)]);
        let buffer = client.record(|buffer| {
            let point = vk::PipelineBindPoint::COMPUTE;
            client.device.cmd_bind_pipeline(buffer, point, pipeline);
            client.device.cmd_bind_descriptor_sets(buffer, point, layout, 0, &[set], &[]);
            client.device.cmd_dispatch(buffer, 1, 1, 1);
        });
        client.submit(buffer).unwrap();
    }
}

#[test]
fn a_pipeline_allows_what_the_device_does_not_and_forbids_what_it_does() {
    let name = "robustness::a_pipeline_allows_what_the_device_does_not_and_forbids_what_it_does";
    if let Some(events) = with_options(name, checked()) {
        let found = events.iter().filter_map(|event| match event {
            Event::Finding(found) => Some((found.kind.as_str(), found.allowed_by.as_deref())),
            _ => None,
        });
        let expected = [
            ("out-of-bounds", Some("robustBufferAccess")),
            ("out-of-bounds", None),
            ("out-of-bounds", Some("pipelineRobustness")),
        ];
        return assert_eq!(found.collect::<Vec<_>>(), expected);
    }
    for (by_device, behaviour) in [
        (vk::TRUE, vk::PipelineRobustnessBufferBehaviorEXT::DEVICE_DEFAULT),
        (vk::TRUE, vk::PipelineRobustnessBufferBehaviorEXT::DISABLED),
        (vk::FALSE, vk::PipelineRobustnessBufferBehaviorEXT::ROBUST_BUFFER_ACCESS),
    ] {
        let mut of_pipelines =
            vk::PhysicalDevicePipelineRobustnessFeaturesEXT::default().pipeline_robustness(true);
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut of_pipelines);
        features.features.robust_buffer_access = by_device;
        let client = Client::new(&[c"VK_EXT_pipeline_robustness"], Some(&mut features));
        read_beyond(&client, behaviour);
    }
}

#[test]
fn a_pipeline_that_overrules_the_device_needs_the_feature() {
    let name = "robustness::a_pipeline_that_overrules_the_device_needs_the_feature";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        let said = "vkCreateComputePipelines: VkPipelineRobustnessCreateInfo has more than defaults: expected the feature pipelineRobustness, which was not enabled with the device";
        return assert_eq!(problems(&events), [said]);
    }
    read_beyond(&Client::new(&[], None), vk::PipelineRobustnessBufferBehaviorEXT::DISABLED);
}
