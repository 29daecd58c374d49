//! Dispatches that are captured as recipes: the recipe's run gives the same.

use std::path::Path;

use ash::vk;
use coopmat_driver_report::{Event, Options};
use coopmat_recipe::modes::first;
use coopmat_recipe::{Files, Host, Overrides, Plan};

use crate::support::images::{Bound, Kind};
use crate::support::{Client, device, whole, with_options};
use crate::{floats, none, problems, shader};

struct Folder<'a>(&'a Path);

impl Files for Folder<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(path)).map_err(|error| format!("{path}: {error}"))
    }
}

/// The text of a captured recipe, once its run has given what the dispatch left.
fn runs_again(folder: &Path, number: u64) -> String {
    let text = std::fs::read_to_string(folder.join(format!("dispatch-{number}.run.toml"))).unwrap();
    let recipe = coopmat_recipe::parse(&text).unwrap_or_else(|error| panic!("{}\n{text}", error.message));
    let bytes = std::fs::read(folder.join(format!("dispatch-{number}.spv"))).unwrap();
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let module = coopmat_spirv::load(&words).unwrap();
    let plan = Plan::new(&recipe, &text, &[(&module).into()], &Folder(folder), &Overrides::default());
    let plan = plan.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let modes = first(&recipe, plan.subgroup_size);
    let host =
        Host { pool: None, tier: None, observers: Vec::new(), place: &|_, _| None, go_on: &mut |_, _| true };
    let report = coopmat_recipe::run(&plan, &recipe, &modes, host).report;
    assert!(
        report.met && !report.expectations.is_empty(),
        "{:?}\n{:#?}\n{text}",
        report.error,
        report.expectations
    );
    text
}

fn capturing(folder: &Path, profile: &str) -> Options {
    let capture_folder = Some(folder.to_string_lossy().into_owned());
    Options { capture: vec!["1".to_owned()], capture_folder, ..device(profile) }
}

#[test]
fn a_dispatch_with_images_is_captured_as_a_recipe() {
    let name = "captures::a_dispatch_with_images_is_captured_as_a_recipe";
    let folder = tempfile::tempdir().unwrap();
    let capture_folder = Some(folder.path().to_string_lossy().into_owned());
    let options = Options { capture: vec!["1".to_owned()], capture_folder, ..device("lavapipe") };
    if let Some(events) = with_options(name, options) {
        none(&events);
        let text = std::fs::read_to_string(folder.path().join("dispatch-1.run.toml")).unwrap();
        let recipe = coopmat_recipe::parse(&text).unwrap_or_else(|error| panic!("{}\n{text}", error.message));
        assert_eq!(recipe.buffers.len(), 2);
        assert!(text.contains("name = \"set0binding1at0\"\ntype = \"f32\"\nshape = [1, 2, 4]"), "{text}");
        // Half of the texel before, as the format holds it: the header of .npy takes 128 bytes.
        let after = std::fs::read(folder.path().join("dispatch-1.set0binding1at0.npy")).unwrap();
        let words: Vec<f32> =
            after[128..].as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        assert_eq!(words, [0.0, 0.0, 0.0, 0.0, 128.0 / 255.0, 0.0, 0.0, 0.0]);
        return;
    }
    let client = Client::new(&[], None);
    let [from, to] = [(); 2].map(|()| client.picture(Kind::flat(vk::Format::R8G8B8A8_UNORM, 2, 1)));
    client.upload(&from, &[10, 0, 0, 0, 255, 0, 0, 0]);
    client.upload(&to, &[0; 8]);
    let source = shader(
        "layout(local_size_x = 1) in;
        layout(binding = 0) uniform sampler2D from;
        layout(binding = 1, rgba8) uniform image2D to;
        void main() { imageStore(to, ivec2(1, 0), textureLod(from, vec2(2.0), 0.0) / 2.0); }",
    );
    let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
    let info =
        vk::SamplerCreateInfo::default().address_mode_u(edge).address_mode_v(edge).address_mode_w(edge);
    let sampler = unsafe { client.device.create_sampler(&info, None).unwrap() };
    client.run_bound(&source, &[Bound::Combined(from.view, sampler), Bound::Storage(to.view)], 1).unwrap();
}

#[test]
fn a_dispatch_that_samples_levels_through_two_samplers_is_captured() {
    let name = "captures::a_dispatch_that_samples_levels_through_two_samplers_is_captured";
    let folder = tempfile::tempdir().unwrap();
    if let Some(events) = with_options(name, capturing(folder.path(), "lavapipe")) {
        none(&events);
        let text = runs_again(folder.path(), 1);
        for expected in [
            "format = \"R8G8B8A8_UNORM\"",
            "components = \"bgr1\"",
            "mip-level = { of = \"set0binding0at0\", level = 2 }",
            "[[samplers]]\nname = \"sampler0\"\nmag-filter = \"linear\"\nmin-filter = \"linear\"\nmipmap-mode = \"linear\"",
            "address-mode = \"repeat\"",
            "samplers = { \"0.0\" = \"sampler0\", \"0.2\" = \"sampler1\" }",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        return;
    }
    let client = Client::new(&[], None);
    let kind = Kind { levels: 3, ..Kind::flat(vk::Format::R8G8B8A8_UNORM, 4, 4) };
    let mut from = client.picture(kind);
    let bytes: Vec<u8> = (0..84).map(|byte| byte * 3).collect();
    client.upload(&from, &bytes);
    let swizzle = vk::ComponentMapping {
        r: vk::ComponentSwizzle::B,
        g: vk::ComponentSwizzle::G,
        b: vk::ComponentSwizzle::R,
        a: vk::ComponentSwizzle::ONE,
    };
    let info = vk::ImageViewCreateInfo::default()
        .image(from.image)
        .view_type(kind.view)
        .format(kind.format)
        .components(swizzle)
        .subresource_range(crate::support::images::RANGE);
    from.view = unsafe { client.device.create_image_view(&info, None).unwrap() };
    let to = client.picture(Kind::flat(vk::Format::R16G16B16A16_SFLOAT, 8, 1));
    client.upload(&to, &[0; 64]);
    let source = shader(
        "#extension GL_EXT_shader_image_load_formatted : require
        layout(local_size_x = 8) in;
        layout(binding = 0) uniform sampler2D from;
        layout(binding = 1) uniform image2D to;
        layout(binding = 2) uniform sampler alone;
        layout(binding = 3) uniform texture2D same;
        void main() {
            float x = float(gl_LocalInvocationID.x);
            vec4 sum = textureLod(from, vec2(0.17, 0.31) * x, x / 4.0)
                + textureLod(sampler2D(same, alone), vec2(0.4 * x, 1.5), 0.0);
            imageStore(to, ivec2(x, 0), sum);
        }",
    );
    let linear = vk::SamplerCreateInfo::default()
        .mag_filter(vk::Filter::LINEAR)
        .min_filter(vk::Filter::LINEAR)
        .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
        .max_lod(vk::LOD_CLAMP_NONE);
    let border = vk::SamplerAddressMode::CLAMP_TO_BORDER;
    let texels = vk::SamplerCreateInfo::default()
        .unnormalized_coordinates(true)
        .address_mode_u(border)
        .address_mode_v(border)
        .border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE);
    let [linear, texels] =
        [linear, texels].map(|info| unsafe { client.device.create_sampler(&info, None).unwrap() });
    let bound = [
        Bound::Combined(from.view, linear),
        Bound::Storage(to.view),
        Bound::Sampler(texels),
        Bound::Sampled(from.view),
    ];
    client.run_bound(&source, &bound, 1).unwrap();
}

#[test]
fn addresses_in_push_constants_and_buffers_are_captured_by_the_names_of_their_buffers() {
    let name = "captures::addresses_in_push_constants_and_buffers_are_captured_by_the_names_of_their_buffers";
    let folder = tempfile::tempdir().unwrap();
    if let Some(events) = with_options(name, capturing(folder.path(), "nvidia-h200")) {
        none(&events);
        let text = runs_again(folder.path(), 1);
        for expected in [
            "# Addresses where the shader has pointers: 2. ",
            "# Words behind addresses that are taken for addresses: 1. ",
            "push-constants = [{ type = \"u32\", value = 3 }, { type = \"u32\", value = 0 }, { value = { address = \"addressed",
            "plus = 8 }, offset = 8 }]",
            "\"0.1\" = { buffer = \"addressed",
            ", offset = 128, range = 64 }",
            "where = \"(index < 16 || index >= 24)\"",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        return;
    }
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default().buffer_device_address(true);
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut twelve);
    features.features.shader_int64 = vk::TRUE;
    let client = Client::new(&[], Some(&mut features));
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::STORAGE_BUFFER;
    let unrelated = client.memory(64, usage);
    let (node, end, data) = (client.memory(64, usage), client.memory(64, usage), client.memory(256, usage));
    let table = client.storage(&[0u64; 4]);
    let address = |buffer| unsafe {
        client.device.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(buffer))
    };
    data.write(&floats(64));
    // A list: a value, the next one.
    node.write(&[0u32, 0, 10.0f32.to_bits(), 0]);
    end.write(&[20.0f32.to_bits(), 0, 0, 0]);
    unsafe { node.mapped.add(16).cast::<u64>().write_unaligned(address(end.buffer)) };
    table.write(&[0, address(data.buffer) + 16, address(unrelated.buffer) + (1 << 20), 0]);
    let source = shader(
        "layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { float value; float more; Node next; };
layout(push_constant) uniform Push { uint index; Node first; };
layout(binding = 0) readonly buffer Table { Floats all[]; };
layout(binding = 1) buffer Part { float part[]; };
void main() {
    part[0] = first.value + first.next.value + all[1].at[index];
    first.more = 7.0;
}",
    );
    let first = address(node.buffer) + 8;
    let push: Vec<u8> = [3, first].iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
    let (pipeline, layout, set_layout) = client.pipeline(&source, 2, &[]);
    let part = vk::DescriptorBufferInfo { buffer: data.buffer, offset: 128, range: 64 };
    let set = client.set(set_layout, &[whole(table.buffer), part]);
    let commands = client.record(|commands| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        client.device.cmd_bind_pipeline(commands, point, pipeline);
        client.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        client.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
        client.device.cmd_dispatch(commands, 1, 1, 1);
    });
    client.submit(commands).unwrap();
    // 10 + 20, and the eighth number from the fifth on.
    assert_eq!(data.read::<f32>(33)[32], 10.0 + 20.0 + 7.0);
}

#[test]
fn descriptors_that_overlap_are_parts_of_one_buffer_of_the_recipe() {
    let name = "captures::descriptors_that_overlap_are_parts_of_one_buffer_of_the_recipe";
    let folder = tempfile::tempdir().unwrap();
    let options = Options { checked: true, ..capturing(folder.path(), "lavapipe") };
    if let Some(events) = with_options(name, options) {
        let said = problems(&events);
        assert_eq!(said, ["out-of-bounds: reads 4 bytes at offset 192 of buffer A, which has 192 bytes"]);
        let text = runs_again(folder.path(), 1);
        for expected in [
            "type = \"f32\"\nshape = [64]",
            "\"0.0\" = { buffer = \"set0binding0at0\", range = 192 }",
            "\"0.1\" = { buffer = \"set0binding0at0\", offset = 64 }",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        return;
    }
    let client = Client::new(&[], None);
    let memory = client.storage(&floats(64));
    let source = shader(
        "layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
void main() { b[40] = a[47] + a[48]; }",
    );
    let (pipeline, layout, set_layout) = client.pipeline(&source, 2, &[]);
    let part = |offset, range| vk::DescriptorBufferInfo { buffer: memory.buffer, offset, range };
    let set = client.set(set_layout, &[part(0, 192), part(64, vk::WHOLE_SIZE)]);
    let commands = client.record(|commands| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        client.device.cmd_bind_pipeline(commands, point, pipeline);
        client.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        client.device.cmd_dispatch(commands, 1, 1, 1);
    });
    client.submit(commands).unwrap();
    assert_eq!(memory.read::<f32>(64)[56], 47.0);
}

#[test]
fn what_is_declared_and_not_bound_is_told_where_the_shader_uses_it() {
    let name = "captures::what_is_declared_and_not_bound_is_told_where_the_shader_uses_it";
    let folder = tempfile::tempdir().unwrap();
    if let Some(events) = with_options(name, capturing(folder.path(), "lavapipe")) {
        let said = problems(&events);
        let expected = "--capture: nothing is bound at set 0, binding 1, and a recipe has something at each place that the shader declares";
        assert!(said.iter().any(|line| line == expected), "{said:?}");
        assert!(!events.iter().any(|event| matches!(event, Event::Captured { .. })));
        return;
    }
    let client = Client::new(&[], None);
    let a = client.storage(&floats(4));
    let (pipeline, layout, set_layout) = client.pipeline(
        &shader(
            "layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
void main() { a[0] = b[0]; }",
        ),
        2,
        &[],
    );
    let set = client.set(set_layout, &[whole(a.buffer)]);
    let commands = client.record(|commands| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        client.device.cmd_bind_pipeline(commands, point, pipeline);
        client.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        client.device.cmd_dispatch(commands, 1, 1, 1);
    });
    client.submit(commands).unwrap();
}
