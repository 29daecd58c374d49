//! Images, samplers and views of buffers.

use ash::vk;
use coopmat_driver_report::{Event, Options};
use coopmat_simulator as simulator;

use crate::support::images::{Bound, Kind, Picture, RANGE, binding};
use crate::support::{Client, device, module, with_options};
use crate::{none, problems, shader};

fn bytes<T: Copy, const N: usize>(values: &[T], of: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|value| of(*value)).collect()
}

/// An image of floats that are their texel's number.
fn numbered(client: &Client, kind: Kind) -> (Picture, Vec<f32>) {
    let picture = client.picture(kind);
    let texels = |level: u32| -> u32 { kind.extent.map(|length| (length >> level).max(1)).iter().product() };
    let count = (0..kind.levels).map(texels).sum::<u32>() * kind.layers;
    let values: Vec<f32> = (0..count).map(|number| number as f32).collect();
    client.upload(&picture, &bytes(&values, f32::to_le_bytes));
    (picture, values)
}

#[test]
fn what_a_shader_stores_is_in_the_image() {
    let name = "images::what_a_shader_stores_is_in_the_image";
    if let Some(events) = with_options(name, Options { checked: true, ..device("nvidia-h200") }) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let picture = client.picture(Kind::flat(vk::Format::R8G8B8A8_UNORM, 5, 3));
    let counts = client.picture(Kind::flat(vk::Format::R32_UINT, 1, 1));
    let commands = client.record(|commands| unsafe {
        for image in [picture.image, counts.image] {
            client.transition(commands, image, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
        }
        let color = vk::ClearColorValue { float32: [0.0, 1.0, 0.0, 0.5] };
        let (general, zero) = (vk::ImageLayout::GENERAL, vk::ClearColorValue { uint32: [40, 0, 0, 0] });
        client.device.cmd_clear_color_image(commands, picture.image, general, &color, &[RANGE]);
        client.device.cmd_clear_color_image(commands, counts.image, general, &zero, &[RANGE]);
        for image in [picture.image, counts.image] {
            client.transition(commands, image, general, general);
        }
    });
    client.submit(commands).unwrap();
    let source = shader(
        "layout(local_size_x = 3) in;
        layout(binding = 0, rgba8) uniform image2D picture;
        layout(binding = 1, r32ui) uniform uimage2D counts;
        void main() {
            ivec2 at = ivec2(gl_LocalInvocationIndex, 1);
            vec4 t = imageLoad(picture, at);
            imageStore(picture, at, vec4(float(at.x), t.y / 2.0, 1.0, t.w));
            imageAtomicAdd(counts, ivec2(0), 1u);
        }",
    );
    client.run_bound(&source, &[Bound::Storage(picture.view), Bound::Storage(counts.view)], 1).unwrap();
    let cleared = [0, 255, 0, 128];
    let row: Vec<u8> =
        [[0, 128, 255, 128], [255, 128, 255, 128], [255, 128, 255, 128], cleared, cleared].concat();
    let expected = [cleared.repeat(5), row, cleared.repeat(5)].concat();
    assert_eq!(client.download(&picture, 60), expected);
    assert_eq!(client.download(&counts, 4), [43, 0, 0, 0]);
}

/// A sampler of Vulkan's, and the same of the simulator's.
fn samplers(client: &Client) -> Vec<(vk::Sampler, simulator::Sampler)> {
    use simulator::{AddressMode, Border, Filter};
    let modes = [
        (vk::SamplerAddressMode::REPEAT, AddressMode::Repeat),
        (vk::SamplerAddressMode::MIRRORED_REPEAT, AddressMode::MirroredRepeat),
        (vk::SamplerAddressMode::CLAMP_TO_EDGE, AddressMode::ClampToEdge),
        (vk::SamplerAddressMode::CLAMP_TO_BORDER, AddressMode::ClampToBorder),
    ];
    let filters = [(vk::Filter::NEAREST, Filter::Nearest), (vk::Filter::LINEAR, Filter::Linear)];
    let mut all = Vec::new();
    for (mode, address) in modes {
        for (filter, own) in filters {
            let info = vk::SamplerCreateInfo::default()
                .mag_filter(filter)
                .min_filter(filter)
                .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
                .address_mode_u(mode)
                .address_mode_v(mode)
                .address_mode_w(mode)
                .border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE)
                .mip_lod_bias(0.25)
                .max_lod(vk::LOD_CLAMP_NONE);
            let made = unsafe { client.device.create_sampler(&info, None).unwrap() };
            let own = simulator::Sampler {
                magnify: own,
                minify: own,
                between_levels: Filter::Linear,
                address: [address; 3],
                border: Border::OpaqueWhite,
                bias: 0.25,
                levels: [0.0, 1000.0],
                normalized: true,
            };
            all.push((made, own));
        }
    }
    all
}

const SAMPLES: &str = "layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) buffer Out { vec4 o[64]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    o[i] = textureLod(image, vec2(float(i % 8u), float(i / 8u)) * 0.37 - 0.9, float(i % 5u) * 0.4);
}";

/// The same on the simulator alone.
fn simulated(values: &[f32], sampler: simulator::Sampler) -> Vec<u8> {
    let module = coopmat_spirv::load(&module(&shader(SAMPLES))).unwrap();
    let program = simulator::Program::new(&module, &simulator::ProgramOptions::default()).unwrap();
    let image =
        simulator::Image::with_levels([4, 2, 1], 2, 2).stored_as(coopmat_spirv::spirv::ImageFormat::R32f, 1);
    for (index, value) in values.iter().enumerate() {
        let (level, at) = if index < 8 {
            (0, [index as i64 % 4, index as i64 / 4, 0])
        } else {
            (1, [index as i64 - 8, 0, 0])
        };
        image.set_texel_of(level, at, [value.to_bits(), 0, 0, 1f32.to_bits()]);
    }
    let mut resources = simulator::Resources::new();
    let image = resources.image(image);
    resources.bind_image(0, 0, 0, image);
    resources.bind_sampler(0, 0, 0, sampler);
    let out = resources.buffer(&[0; 1024]);
    resources.bind(0, 1, 0, out);
    let mut execution =
        simulator::Execution::new(&program, resources, simulator::Settings::default(), [1; 3]).unwrap();
    while execution.run(1 << 20).unwrap() != simulator::Progress::Finished {}
    execution.resources().bytes(out)
}

#[test]
fn samples_are_those_of_the_simulator_by_filter_and_address_mode() {
    let name = "images::samples_are_those_of_the_simulator_by_filter_and_address_mode";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let kind = Kind { levels: 2, ..Kind::flat(vk::Format::R32_SFLOAT, 4, 2) };
    let (picture, values) = numbered(&client, kind);
    let mut seen = std::collections::BTreeSet::new();
    for (sampler, own) in samplers(&client) {
        let out = client.storage(&[0u8; 1024]);
        let bound = [Bound::Combined(picture.view, sampler), Bound::Buffer(out.buffer)];
        client.run_bound(&shader(SAMPLES), &bound, 1).unwrap();
        let found = out.read::<u8>(1024);
        assert_eq!(found, simulated(&values, own), "{own:?}");
        seen.insert(found);
    }
    assert_eq!(seen.len(), 8, "each sampler gives something else");
}

#[test]
fn samplers_apart_from_their_images_and_immutable_ones_sample_the_same() {
    let name = "images::samplers_apart_from_their_images_and_immutable_ones_sample_the_same";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        return none(&events);
    }
    let client = Client::new(&[c"VK_KHR_push_descriptor"], None);
    let (picture, _) = numbered(&client, Kind::flat(vk::Format::R32_SFLOAT, 4, 1));
    let info = vk::SamplerCreateInfo::default().mag_filter(vk::Filter::LINEAR);
    let linear = unsafe { client.device.create_sampler(&info, None).unwrap() };
    let source = shader(
        "layout(local_size_x = 4) in;
        layout(binding = 0) uniform texture2D image;
        layout(binding = 1) uniform sampler way;
        layout(binding = 2) buffer Out { float o[4]; };
        void main() { uint i = gl_LocalInvocationIndex; o[i] = textureLod(sampler2D(image, way), vec2(0.25 * float(i), 0.5), 0.0).x; }",
    );
    // Repeated: before the first texel is the last one.
    let expected = [1.5, 0.5, 1.5, 2.5];
    let out = client.storage(&[0f32; 4]);
    let bound = [Bound::Sampled(picture.view), Bound::Sampler(linear), Bound::Buffer(out.buffer)];
    client.run_bound(&source, &bound, 1).unwrap();
    assert_eq!(out.read::<f32>(4), expected);

    // The layout has the sampler, which may go; the descriptors are pushed, by themselves and by a template.
    let samplers = [linear];
    let mut bindings: Vec<_> = bound.iter().enumerate().map(|(index, one)| binding(index, *one)).collect();
    bindings[1] = bindings[1].immutable_samplers(&samplers);
    let push = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
    let (pipeline, layout, set_layout) = client.pipeline_bound(&source, &bindings, push);
    let pushed = ash::khr::push_descriptor::Device::new(&client.instance, &client.device);
    #[repr(C)]
    struct Data {
        image: vk::DescriptorImageInfo,
        buffer: vk::DescriptorBufferInfo,
    }
    let out = [client.storage(&[0f32; 4]), client.storage(&[0f32; 4])];
    let entry = |binding: u32, kind: vk::DescriptorType, offset: usize| {
        vk::DescriptorUpdateTemplateEntry::default()
            .dst_binding(binding)
            .descriptor_count(1)
            .descriptor_type(kind)
            .offset(offset)
    };
    let entries = [
        entry(0, vk::DescriptorType::SAMPLED_IMAGE, std::mem::offset_of!(Data, image)),
        entry(2, vk::DescriptorType::STORAGE_BUFFER, std::mem::offset_of!(Data, buffer)),
    ];
    let info = vk::DescriptorUpdateTemplateCreateInfo::default()
        .descriptor_update_entries(&entries)
        .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
        .descriptor_set_layout(set_layout)
        .pipeline_bind_point(vk::PipelineBindPoint::COMPUTE)
        .pipeline_layout(layout);
    let commands = client.record(|commands| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        client.device.cmd_bind_pipeline(commands, point, pipeline);
        let bound = [Bound::Sampled(picture.view), Bound::Sampler(linear), Bound::Buffer(out[0].buffer)];
        client.write(vk::DescriptorSet::null(), &bound, |writes| {
            let without = [writes[0], writes[2]];
            pushed.cmd_push_descriptor_set(commands, point, layout, 0, &without);
        });
        client.device.cmd_dispatch(commands, 1, 1, 1);
        let template = client.device.create_descriptor_update_template(&info, None).unwrap();
        let image = vk::DescriptorImageInfo {
            sampler: vk::Sampler::null(),
            image_view: picture.view,
            image_layout: vk::ImageLayout::GENERAL,
        };
        let data = Data { image, buffer: crate::whole(out[1].buffer) };
        pushed.cmd_push_descriptor_set_with_template(
            commands,
            template,
            layout,
            0,
            std::ptr::from_ref(&data).cast(),
        );
        client.device.cmd_dispatch(commands, 1, 1, 1);
    });
    unsafe { client.device.destroy_sampler(linear, None) };
    client.submit(commands).unwrap();
    assert_eq!([out[0].read::<f32>(4), out[1].read(4)], [expected; 2]);
}

#[test]
fn buffers_are_texels_of_a_format() {
    let name = "images::buffers_are_texels_of_a_format";
    if let Some(events) = with_options(name, Options { checked: true, ..device("nvidia-h200") }) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
    let (from, to) = (client.memory(8, usage), client.memory(16, usage));
    from.write(&[0x3c00u16, 0xc000, 0x0000, 0x7bff]);
    to.write(&[7u8; 16]);
    let source = shader(
        "layout(local_size_x = 4) in;
        layout(binding = 0) uniform samplerBuffer from;
        layout(binding = 1, r32f) uniform imageBuffer to;
        void main() {
            int i = int(gl_LocalInvocationIndex);
            if (i < textureSize(from)) imageStore(to, i, texelFetch(from, i) + float(imageSize(to)));
        }",
    );
    let views = (client.texels(&from, vk::Format::R16_SFLOAT), client.texels(&to, vk::Format::R32_SFLOAT));
    let bound = [Bound::UniformTexels(views.0), Bound::StorageTexels(views.1)];
    client.run_bound(&source, &bound, 1).unwrap();
    assert_eq!(to.read::<f32>(4), [5.0, 2.0, 4.0, 65508.0]);
}

#[test]
fn volumes_layers_and_levels_have_texels_of_their_own() {
    let name = "images::volumes_layers_and_levels_have_texels_of_their_own";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let flat = Kind::flat(vk::Format::R32_SFLOAT, 4, 4);
    let volume =
        Kind { kind: vk::ImageType::TYPE_3D, view: vk::ImageViewType::TYPE_3D, extent: [2, 2, 3], ..flat };
    let layers = Kind { view: vk::ImageViewType::TYPE_2D_ARRAY, levels: 3, layers: 2, ..flat };
    let lines = Kind {
        kind: vk::ImageType::TYPE_1D,
        view: vk::ImageViewType::TYPE_1D_ARRAY,
        extent: [3, 1, 1],
        layers: 2,
        ..flat
    };
    let [volume, layers, lines] = [volume, layers, lines].map(|kind| numbered(&client, kind).0);
    let out = client.storage(&[0f32; 16]);
    let source = shader(
        "layout(local_size_x = 1) in;
        layout(binding = 0, r32f) uniform image3D volume;
        layout(binding = 1) uniform sampler2DArray layers;
        layout(binding = 2, r32f) uniform image1DArray lines;
        layout(binding = 3) buffer Out { float o[16]; };
        void main() {
            o[0] = imageLoad(volume, ivec3(1, 0, 2)).x;
            imageStore(volume, ivec3(1, 1, 1), vec4(-1.0));
            for (int level = 0; level < 3; level++)
                for (int layer = 0; layer < 2; layer++)
                    o[1 + level * 2 + layer] = texelFetch(layers, ivec3(0, 0, layer), level).x;
            o[7] = float(textureQueryLevels(layers) * 100 + textureSize(layers, 1).x * 10 + textureSize(layers, 1).z);
            o[8] = imageLoad(lines, ivec2(2, 1)).x;
            imageStore(lines, ivec2(0, 1), vec4(-2.0));
        }",
    );
    let sampler = unsafe { client.device.create_sampler(&vk::SamplerCreateInfo::default(), None).unwrap() };
    let bound = [
        Bound::Storage(volume.view),
        Bound::Combined(layers.view, sampler),
        Bound::Storage(lines.view),
        Bound::Buffer(out.buffer),
    ];
    client.run_bound(&source, &bound, 1).unwrap();
    // Levels of 16, 4 and 1 texels for each layer.
    let expected = [9.0, 0.0, 16.0, 32.0, 36.0, 40.0, 41.0, 322.0, 5.0];
    assert_eq!(out.read::<f32>(9), expected);
    let floats = |picture: &Picture, count: usize| -> Vec<f32> {
        let bytes = client.download(picture, count * 4);
        bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    };
    assert_eq!(floats(&volume, 12), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -1.0, 8.0, 9.0, 10.0, 11.0]);
    assert_eq!(floats(&lines, 6), [0.0, 1.0, 2.0, -2.0, 4.0, 5.0]);
}

#[test]
fn a_part_of_an_image_is_copied_to_another_one() {
    let name = "images::a_part_of_an_image_is_copied_to_another_one";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let (from, _) = numbered(&client, Kind::flat(vk::Format::R32_SFLOAT, 4, 3));
    let (to, _) = numbered(&client, Kind::flat(vk::Format::R32_SFLOAT, 3, 2));
    let commands = client.record(|commands| unsafe {
        let layer = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: 0,
            base_array_layer: 0,
            layer_count: 1,
        };
        let region = vk::ImageCopy {
            src_subresource: layer,
            src_offset: vk::Offset3D { x: 2, y: 1, z: 0 },
            dst_subresource: layer,
            dst_offset: vk::Offset3D { x: 1, y: 0, z: 0 },
            extent: vk::Extent3D { width: 2, height: 2, depth: 1 },
        };
        let general = vk::ImageLayout::GENERAL;
        client.device.cmd_copy_image(commands, from.image, general, to.image, general, &[region]);
    });
    client.submit(commands).unwrap();
    let expected = [0.0f32, 6.0, 7.0, 3.0, 10.0, 11.0];
    assert_eq!(client.download(&to, 24), bytes(&expected, f32::to_le_bytes));
}

#[test]
fn an_image_of_linear_tiling_lies_in_mapped_memory_as_it_says() {
    let name = "images::an_image_of_linear_tiling_lies_in_mapped_memory_as_it_says";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let kind = Kind::flat(vk::Format::R8_UINT, 5, 3);
    let out = client.storage(&[0u32; 15]);
    unsafe {
        let info =
            kind.info().tiling(vk::ImageTiling::LINEAR).initial_layout(vk::ImageLayout::PREINITIALIZED);
        let image = client.device.create_image(&info, None).unwrap();
        let size = client.device.get_image_memory_requirements(image).size;
        let allocated = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(0);
        let memory = client.device.allocate_memory(&allocated, None).unwrap();
        client.device.bind_image_memory(image, memory, 0).unwrap();
        let part =
            vk::ImageSubresource { aspect_mask: vk::ImageAspectFlags::COLOR, mip_level: 0, array_layer: 0 };
        let layout = client.device.get_image_subresource_layout(image, part);
        let mapped = client.device.map_memory(memory, 0, size, vk::MemoryMapFlags::empty()).unwrap();
        for (row, column) in (0..3).flat_map(|row| (0..5).map(move |column| (row, column))) {
            let at = layout.offset + row * layout.row_pitch + column;
            mapped.cast::<u8>().add(at as usize).write((10 * row + column) as u8);
        }
        let commands = client.record(|commands| {
            let (from, to) = (vk::ImageLayout::PREINITIALIZED, vk::ImageLayout::GENERAL);
            client.transition(commands, image, from, to);
        });
        client.submit(commands).unwrap();
        let source = shader(
            "layout(local_size_x = 15) in;
            layout(binding = 0, r8ui) uniform readonly uimage2D image;
            layout(binding = 1) buffer Out { uint o[15]; };
            void main() { uint i = gl_LocalInvocationIndex; o[i] = imageLoad(image, ivec2(i % 5u, i / 5u)).x; }",
        );
        let bound = [Bound::Storage(client.view(image, kind)), Bound::Buffer(out.buffer)];
        client.run_bound(&source, &bound, 1).unwrap();
    }
    let expected: Vec<u32> = (0..15).map(|number| number / 5 * 10 + number % 5).collect();
    assert_eq!(out.read::<u32>(15), expected);
}

#[test]
fn formats_have_the_features_that_there_are() {
    let name = "images::formats_have_the_features_that_there_are";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    unsafe {
        let features = |format| {
            let found = client.instance.get_physical_device_format_properties(client.physical, format);
            (found.optimal_tiling_features, found.buffer_features)
        };
        let (image, buffer) = features(vk::Format::R8G8B8A8_UNORM);
        let linear = vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR;
        assert!(image.contains(linear | vk::FormatFeatureFlags::STORAGE_IMAGE));
        assert!(!image.contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT | vk::FormatFeatureFlags::BLIT_SRC));
        assert!(buffer.contains(vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER));
        let (image, _) = features(vk::Format::R32_UINT);
        assert!(image.contains(vk::FormatFeatureFlags::STORAGE_IMAGE_ATOMIC) && !image.contains(linear));
        assert_eq!(features(vk::Format::D32_SFLOAT), Default::default());

        let of = |usage, samples: vk::ImageCreateFlags| {
            client.instance.get_physical_device_image_format_properties(
                client.physical,
                vk::Format::R8G8B8A8_UNORM,
                vk::ImageType::TYPE_2D,
                vk::ImageTiling::OPTIMAL,
                usage,
                samples,
            )
        };
        let none = vk::ImageCreateFlags::empty();
        let found = of(vk::ImageUsageFlags::STORAGE, none).unwrap();
        assert_eq!((found.max_extent.width, found.max_mip_levels), (16384, 15));
        assert_eq!(found.sample_counts, vk::SampleCountFlags::TYPE_1);
        let refused = Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        assert_eq!(of(vk::ImageUsageFlags::COLOR_ATTACHMENT, none).map(drop), refused);
        let sparse = vk::ImageCreateFlags::SPARSE_BINDING;
        assert_eq!(of(vk::ImageUsageFlags::STORAGE, sparse).map(drop), refused);
    }
}

#[test]
fn texels_that_nobody_wrote_are_found_where_they_matter() {
    let name = "images::texels_that_nobody_wrote_are_found_where_they_matter";
    if let Some(events) = with_options(name, Options { checked: true, ..device("lavapipe") }) {
        let found = events.iter().filter_map(|event| match event {
            Event::Finding(found) => Some((found.dispatch.number, found.kind.as_str(), found.times)),
            _ => None,
        });
        // Two of four texels; none once all are cleared; all four once a layout begins with `UNDEFINED`.
        let found: Vec<_> = found.collect();
        assert_eq!(found, [(2, "uninitialised", 2), (4, "uninitialised", 4)], "{:?}", problems(&events));
        return;
    }
    let client = Client::new(&[], None);
    let picture = client.picture(Kind::flat(vk::Format::R32_SFLOAT, 4, 1));
    let (undefined, general) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
    let become_general = |from: vk::ImageLayout, clears: bool| {
        let commands = client.record(|commands| {
            client.transition(commands, picture.image, from, general);
            if clears {
                let color = vk::ClearColorValue::default();
                unsafe {
                    client.device.cmd_clear_color_image(commands, picture.image, general, &color, &[RANGE]);
                }
                client.transition(commands, picture.image, general, general);
            }
        });
        client.submit(commands).unwrap();
    };
    become_general(undefined, false);
    let store = shader(
        "layout(local_size_x = 2) in;
        layout(binding = 0, r32f) uniform image2D to;
        void main() { imageStore(to, ivec2(gl_LocalInvocationID.x, 0), vec4(1.0)); }",
    );
    let out = client.storage(&[0f32; 4]);
    let load = shader(
        "layout(local_size_x = 4) in;
        layout(binding = 0, r32f) uniform image2D from;
        layout(binding = 1) buffer Out { float found[]; };
        void main() {
            uint i = gl_LocalInvocationID.x;
            found[i] = imageLoad(from, ivec2(i, 0)).x;
        }",
    );
    let look = || {
        let bound = [Bound::Storage(picture.view), Bound::Buffer(out.buffer)];
        client.run_bound(&load, &bound, 1).unwrap();
    };
    client.run_bound(&store, &[Bound::Storage(picture.view)], 1).unwrap();
    become_general(general, false);
    look();
    become_general(general, true);
    look();
    become_general(undefined, false);
    look();
}
