//! Images that are used in a wrong way: told in words or found, never a crash.

use ash::vk::{self, Handle as _};
use coopmat_driver_report::{Event, Options};

use crate::support::images::{Bound, Kind, binding};
use crate::support::{Client, device, module, with_options};
use crate::{problems, shader};

const STORE: &str = "layout(local_size_x = 4) in;
layout(binding = 0, rgba8) uniform image2D canvas;
void main() { imageStore(canvas, ivec2(gl_LocalInvocationIndex, 0), vec4(1.0)); }";

#[test]
fn a_texel_outside_is_found_with_the_images_name() {
    let name = "image_misuse::a_texel_outside_is_found_with_the_images_name";
    if let Some(events) = with_options(name, Options { checked: true, ..device("nvidia-h200") }) {
        let found = events.iter().find_map(|event| match event {
            Event::Finding(found) => Some(found),
            _ => None,
        });
        let found = found.expect("a finding");
        assert_eq!(found.kind, "out-of-bounds");
        assert_eq!(found.message, "writes texel (3, 0) of image canvas, which has 3x2 texels");
        let names = [("set 0, binding 0".to_owned(), "the canvas".to_owned())];
        assert_eq!(found.dispatch.buffers, names);
        assert!(
            found.place.as_ref().is_some_and(|place| place.text.as_ref().unwrap().contains("imageStore"))
        );
        return;
    }
    let client = Client::new(&[], None);
    let picture = client.picture(Kind::flat(vk::Format::R8G8B8A8_UNORM, 3, 2));
    let debug = ash::ext::debug_utils::Device::new(&client.instance, &client.device);
    let info =
        vk::DebugUtilsObjectNameInfoEXT::default().object_handle(picture.image).object_name(c"the canvas");
    unsafe { debug.set_debug_utils_object_name(&info).unwrap() };
    client.upload(&picture, &[0; 24]);
    client.run_bound(&shader(STORE), &[Bound::Storage(picture.view)], 1).unwrap();
}

#[test]
fn a_texel_outside_is_allowed_if_the_program_enabled_robust_images() {
    let name = "image_misuse::a_texel_outside_is_allowed_if_the_program_enabled_robust_images";
    if let Some(events) = with_options(name, Options { checked: true, ..device("nvidia-h200") }) {
        let allowed: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Finding(found) => Some(found.allowed_by.as_deref()),
                _ => None,
            })
            .collect();
        assert_eq!(allowed, [Some("robustImageAccess")]);
        return;
    }
    let mut robust = vk::PhysicalDeviceImageRobustnessFeatures::default().robust_image_access(true);
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut robust);
    let client = Client::new(&[], Some(&mut features));
    let picture = client.picture(Kind::flat(vk::Format::R8G8B8A8_UNORM, 3, 1));
    client.upload(&picture, &[0; 12]);
    client.run_bound(&shader(STORE), &[Bound::Storage(picture.view)], 1).unwrap();
    assert_eq!(client.download(&picture, 12), [255; 12]);
}

#[test]
fn images_are_held_against_barriers_by_their_bytes() {
    let name = "image_misuse::images_are_held_against_barriers_by_their_bytes";
    if let Some(events) = with_options(name, Options { checked: true, ..device("nvidia-h200") }) {
        let [one] = &problems(&events)[..] else { panic!("{:#?}", problems(&events)) };
        let expected = "missing-pipeline-barrier: vkCmdCopyImageToBuffer after dispatch 1 reads 16 bytes from byte 0 of the image ";
        assert!(
            one.starts_with(expected) && one.ends_with("which dispatch 1 wrote: nothing orders the two"),
            "{one}"
        );
        return;
    }
    let client = Client::new(&[], None);
    let kind = Kind::flat(vk::Format::R8G8B8A8_UNORM, 4, 2);
    let picture = client.picture(kind);
    client.upload(&picture, &[0; 32]);
    let storage = [binding(0, Bound::Storage(picture.view))];
    let (pipeline, layout, set_layout) =
        client.pipeline_bound(&shader(STORE), &storage, vk::DescriptorSetLayoutCreateFlags::empty());
    let set = client.set_of(set_layout, &[Bound::Storage(picture.view)]);
    let staging = client.memory(32, vk::BufferUsageFlags::TRANSFER_DST);
    for ordered in [false, true] {
        let commands = client.record(|commands| unsafe {
            let (point, general) = (vk::PipelineBindPoint::COMPUTE, vk::ImageLayout::GENERAL);
            client.transition(commands, picture.image, general, general);
            client.device.cmd_bind_pipeline(commands, point, pipeline);
            client.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            client.device.cmd_dispatch(commands, 1, 1, 1);
            if ordered {
                client.transition(commands, picture.image, general, general);
            }
            let region = vk::BufferImageCopy::default()
                .image_subresource(vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    mip_level: 0,
                    base_array_layer: 0,
                    layer_count: 1,
                })
                .image_extent(vk::Extent3D { width: 4, height: 2, depth: 1 });
            client.device.cmd_copy_image_to_buffer(
                commands,
                picture.image,
                general,
                staging.buffer,
                &[region],
            );
        });
        client.submit(commands).unwrap();
    }
}

#[test]
fn wrong_uses_are_told_and_read_zeros() {
    let name = "image_misuse::wrong_uses_are_told_and_read_zeros";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        let told = problems(&events);
        let has = |part: &str| assert!(told.iter().any(|line| line.contains(part)), "{part}: {told:#?}");
        has("the VkImageView");
        has("is used after it was freed or destroyed");
        has("is used, but not bound to memory");
        has("the shader has the format Rgba8, the view R8G8B8A8_SNORM");
        has("the shader has floats, and the view of the format R16G16_UINT has unsigned integers");
        has("the shader has an image with the dimensions Two, the view is Three");
        has("is in the layout UNDEFINED, and the command expects GENERAL");
        has("no image is bound at set 0, binding 0 (canvas), which the shader uses");
        has("vkCreateImage: images of the format D32_SFLOAT: the driver does not have it");
        has("vkCreateImage: images with 4 samples of a texel");
        has("cube images are not sampled by gradients");
        assert!(!told.iter().any(|line| line.contains("failed") || line.contains("internal")), "{told:#?}");
        return;
    }
    let client = Client::new(&[], None);
    let rgba = Kind::flat(vk::Format::R8G8B8A8_UNORM, 4, 1);
    let store = |view: vk::ImageView| client.run_bound(&shader(STORE), &[Bound::Storage(view)], 1).unwrap();
    let prepared = |kind: Kind| {
        let picture = client.picture(kind);
        client.upload(&picture, &[0; 16]);
        picture.view
    };
    unsafe {
        // A view that is gone once the descriptor is used.
        let bindings = [binding(0, Bound::Storage(vk::ImageView::null()))];
        let (pipeline, layout, set_layout) =
            client.pipeline_bound(&shader(STORE), &bindings, vk::DescriptorSetLayoutCreateFlags::empty());
        let view = prepared(rgba);
        let set = client.set_of(set_layout, &[Bound::Storage(view)]);
        let commands = client.record(|commands| {
            let point = vk::PipelineBindPoint::COMPUTE;
            client.device.cmd_bind_pipeline(commands, point, pipeline);
            client.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            client.device.cmd_dispatch(commands, 1, 1, 1);
        });
        client.device.destroy_image_view(view, None);
        client.submit(commands).unwrap();

        let image = client.device.create_image(&rgba.info(), None).unwrap();
        store(client.view(image, rgba));
        for format in [vk::Format::R8G8B8A8_SNORM, vk::Format::R16G16_UINT] {
            store(prepared(Kind { format, ..rgba }));
        }
        store(prepared(Kind { kind: vk::ImageType::TYPE_3D, view: vk::ImageViewType::TYPE_3D, ..rgba }));
        store(client.picture(rgba).view);
        store(vk::ImageView::null());

        let depth = Kind { format: vk::Format::D32_SFLOAT, ..rgba };
        let refused = Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        assert_eq!(client.device.create_image(&depth.info(), None), refused);
        let samples = rgba.info().samples(vk::SampleCountFlags::TYPE_4);
        assert_eq!(client.device.create_image(&samples, None), refused);

        let cube = shader(
            "layout(local_size_x = 1) in; layout(binding = 0) uniform samplerCube cube; layout(binding = 1) buffer Out { vec4 o; };
            void main() { o = textureGrad(cube, vec3(1.0), vec3(0.0), vec3(0.0)); }",
        );
        let words = module(&cube);
        let made = client
            .device
            .create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None)
            .unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(made)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        assert!(client.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None).is_err());
    }
}

#[test]
fn calls_about_images_with_any_handles_end_in_errors() {
    let name = "image_misuse::calls_about_images_with_any_handles_end_in_errors";
    if let Some(events) = with_options(name, Options { checked: true, ..device("lavapipe") }) {
        assert!(!problems(&events).iter().any(|line| line.contains("internal")), "{:#?}", problems(&events));
        return;
    }
    let client = Client::new(&[], None);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |most: u64| {
        // Xorshift: the same calls each time.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % most
    };
    let device = &client.device;
    let mut handles = vec![0u64, 1, u64::MAX];
    let storage = [binding(0, Bound::Storage(vk::ImageView::null()))];
    let none = vk::DescriptorSetLayoutCreateFlags::empty();
    let (pipeline, layout, set_layout) = client.pipeline_bound(&shader(STORE), &storage, none);
    for _ in 0..6_000 {
        let mut any = || handles[next(handles.len() as u64) as usize];
        let (a, b) = (any(), any());
        let sizes = [0, 1, 3, 8, 17, u32::MAX];
        let mut number = || sizes[next(6) as usize];
        let (x, y, z) = (number(), number(), number());
        let image = vk::Image::from_raw(a);
        let general = vk::ImageLayout::GENERAL;
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: if y == 8 { 1 } else { 0 },
            level_count: x,
            base_array_layer: if y == 3 { z } else { 0 },
            layer_count: z,
        };
        let region = vk::BufferImageCopy {
            buffer_offset: u64::from(x),
            buffer_row_length: y,
            buffer_image_height: z,
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 0,
                base_array_layer: 0,
                layer_count: if x == 3 { 2 } else { 1 },
            },
            image_offset: vk::Offset3D { x: if y == 3 { -1 } else { 0 }, y: 0, z: 0 },
            image_extent: vk::Extent3D { width: x, height: y, depth: 1 },
        };
        unsafe {
            match next(16) {
                0..3 => {
                    let format = [vk::Format::R8_UINT, vk::Format::R8G8B8A8_UNORM, vk::Format::D16_UNORM];
                    let kind = Kind {
                        levels: if y == 3 { 2 } else { 1 },
                        layers: if x == 3 { 2 } else { 1 },
                        ..Kind::flat(format[next(3) as usize], x, y)
                    };
                    handles.extend(device.create_image(&kind.info(), None).map(|made| made.as_raw()));
                }
                3 => {
                    let info =
                        vk::MemoryAllocateInfo::default().allocation_size(1 << 12).memory_type_index(0);
                    handles.extend(device.allocate_memory(&info, None).map(|made| made.as_raw()));
                }
                4 | 5 => {
                    let offset = if x == 1 { 64 } else { 0 };
                    let _ = device.bind_image_memory(image, vk::DeviceMemory::from_raw(b), offset);
                }
                6 | 7 => {
                    let info = vk::ImageViewCreateInfo::default()
                        .image(image)
                        .view_type(vk::ImageViewType::TYPE_2D)
                        .format(if x == 3 { vk::Format::R8_UINT } else { vk::Format::R8G8B8A8_UNORM })
                        .subresource_range(range);
                    handles.extend(device.create_image_view(&info, None).map(|made| made.as_raw()));
                }
                8 => {
                    let info = vk::BufferCreateInfo::default()
                        .size(u64::from(x))
                        .usage(vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER);
                    handles.extend(device.create_buffer(&info, None).map(|made| made.as_raw()));
                    let info = vk::BufferViewCreateInfo::default()
                        .buffer(vk::Buffer::from_raw(a))
                        .format(vk::Format::R8_UINT)
                        .range(u64::from(y));
                    handles.extend(device.create_buffer_view(&info, None).map(|made| made.as_raw()));
                }
                9 => device.destroy_image(image, None),
                10 => device.destroy_image_view(vk::ImageView::from_raw(a), None),
                11 => drop(device.get_image_subresource_layout(
                    image,
                    vk::ImageSubresource {
                        aspect_mask: vk::ImageAspectFlags::COLOR,
                        mip_level: x,
                        array_layer: y,
                    },
                )),
                12 => drop(device.get_image_memory_requirements(image)),
                _ => {
                    let info = vk::CommandBufferAllocateInfo::default()
                        .command_pool(client.pool)
                        .command_buffer_count(1);
                    let commands = device.allocate_command_buffers(&info).unwrap()[0];
                    device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).unwrap();
                    match next(4) {
                        0 => {
                            let buffer = vk::Buffer::from_raw(b);
                            device.cmd_copy_buffer_to_image(commands, buffer, image, general, &[region]);
                        }
                        1 => device.cmd_clear_color_image(
                            commands,
                            image,
                            general,
                            &vk::ClearColorValue::default(),
                            &[range],
                        ),
                        2 => client.transition(commands, image, vk::ImageLayout::UNDEFINED, general),
                        _ => {
                            let set =
                                client.set_of(set_layout, &[Bound::Storage(vk::ImageView::from_raw(a))]);
                            let point = vk::PipelineBindPoint::COMPUTE;
                            device.cmd_bind_pipeline(commands, point, pipeline);
                            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
                            device.cmd_dispatch(commands, 1, 1, 1);
                        }
                    }
                    if device.end_command_buffer(commands).is_ok() {
                        let buffers = [commands];
                        let info = vk::SubmitInfo::default().command_buffers(&buffers);
                        let _ = device.queue_submit(client.queue, &[info], vk::Fence::null());
                    }
                }
            }
        }
    }
}
