//! What a program sees of the driver. Each test is a program of its own, as a driver reads its options once.

#![allow(unsafe_code)]

#[path = "driver/captures.rs"]
mod captures;
#[path = "driver/fuzz.rs"]
mod fuzz;
#[path = "driver/image_misuse.rs"]
mod image_misuse;
#[path = "driver/images.rs"]
mod images;
#[path = "driver/order.rs"]
mod order;
#[path = "driver/properties.rs"]
mod properties;
#[path = "driver/robustness.rs"]
mod robustness;
mod support;

use std::ffi::CStr;

use ash::vk::{self, Handle as _};
use coopmat_driver_report::{Event, Options};
use support::{Client, device, instance, whole, with_options};

const HEADER: &str = "#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_shader_subgroup_basic : require
";

fn shader(body: &str) -> String {
    format!("{HEADER}{body}")
}

fn floats(count: usize) -> Vec<f32> {
    (0..count).map(|index| index as f32).collect()
}

/// What an event says, if it is something that a user would be told.
fn problems(events: &[Event]) -> Vec<String> {
    let told = events.iter().filter_map(|event| match event {
        Event::Started { .. }
        | Event::Progress { .. }
        | Event::Printed { .. }
        | Event::Captured { .. }
        | Event::Replaced { .. }
        | Event::Again { .. } => None,
        Event::FoundCommand(found) => Some(format!("{}: {}", found.kind, found.message)),
        Event::Finding(found) => Some(format!("{}: {}", found.kind, found.message)),
        Event::Misuse { call, message } | Event::Missing { call, message } => {
            Some(format!("{call}: {message}"))
        }
        Event::Failed { message, .. } => Some(format!("failed: {message}")),
        Event::Refused { message } => Some(format!("refused: {message}")),
        Event::Internal { call, message } => Some(format!("internal: {call}: {message}")),
    });
    told.collect()
}

fn none(events: &[Event]) {
    assert_eq!(problems(events), Vec::<String>::new());
}

#[test]
fn a_device_is_what_its_profile_says() {
    if let Some(events) = with_options("a_device_is_what_its_profile_says", device("nvidia-h200")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    unsafe {
        let properties = client.instance.get_physical_device_properties(client.physical);
        let name = CStr::from_ptr(properties.device_name.as_ptr()).to_string_lossy();
        assert_eq!(name, "NVIDIA H200 (Hopper) (simulated by coopmat-analyzer)");
        // The profile says 1.4.312, and the driver has 1.3.
        assert_eq!(vk::api_version_minor(properties.api_version), 3);
        assert_eq!(properties.limits.max_compute_shared_memory_size, 49152);
        assert_eq!(properties.limits.max_compute_work_group_size, [1024, 1024, 64]);

        let mut eleven = vk::PhysicalDeviceVulkan11Properties::default();
        let mut thirteen = vk::PhysicalDeviceVulkan13Properties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut eleven)
            .push_next(&mut thirteen)
            .push_next(&mut driver);
        client.instance.get_physical_device_properties2(client.physical, &mut all);
        // What programs choose their shaders by.
        assert_eq!((properties.vendor_id, driver.driver_id), (0x10de, vk::DriverId::NVIDIA_PROPRIETARY));
        assert_eq!(eleven.subgroup_size, 32);
        assert_eq!((thirteen.min_subgroup_size, thirteen.max_subgroup_size), (32, 32));

        let mut twelve = vk::PhysicalDeviceVulkan12Features::default();
        let mut matrix = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default();
        let mut older = vk::PhysicalDevice16BitStorageFeatures::default();
        let mut all = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut twelve)
            .push_next(&mut matrix)
            .push_next(&mut older);
        client.instance.get_physical_device_features2(client.physical, &mut all);
        assert_eq!(all.features.shader_int64, vk::TRUE);
        assert_eq!(all.features.sparse_binding, vk::FALSE);
        assert_eq!(
            [twelve.shader_float16, twelve.timeline_semaphore, matrix.cooperative_matrix],
            [vk::TRUE; 3]
        );
        assert_eq!(older.storage_buffer16_bit_access, vk::TRUE);

        let matrices = ash::khr::cooperative_matrix::Instance::new(&client.entry, &client.instance);
        let rows = matrices.get_physical_device_cooperative_matrix_properties(client.physical).unwrap();
        assert_eq!(rows.len(), 11);
        assert_eq!((rows[1].m_size, rows[1].n_size, rows[1].k_size), (16, 8, 16));
    }
}

#[test]
fn options_that_cannot_be_followed_leave_the_program_without_an_instance() {
    let name = "options_that_cannot_be_followed_leave_the_program_without_an_instance";
    for (options, why) in [
        (device("a100"), "unknown device `a100`"),
        (Options { version: "0.0.1".to_owned(), ..device("lavapipe") }, "coopmat-analyzer 0.0.1 starts it"),
        (Options { numerics: Some("none".to_owned()), ..device("lavapipe") }, "`none`"),
    ] {
        let Some(events) = with_options(name, options) else {
            assert_eq!(instance().err(), Some(vk::Result::ERROR_INITIALIZATION_FAILED));
            return;
        };
        let [Event::Refused { message }] = &events[..] else { panic!("{events:?}") };
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn a_profile_that_knows_little_is_vulkans_minimum() {
    let name = "a_profile_that_knows_little_is_vulkans_minimum";
    if let Some(events) = with_options(name, device("arm-mali-g720")) {
        let Some(Event::Started { assumed, .. }) = events.first() else { panic!("{events:?}") };
        assert!(assumed.iter().any(|line| line.contains("incomplete")), "{assumed:?}");
        return none(&events);
    }
    let client = Client::new(&[c"VK_KHR_16bit_storage"], None);
    unsafe {
        let features = client.instance.get_physical_device_features(client.physical);
        assert_eq!((features.robust_buffer_access, features.shader_float64), (vk::TRUE, vk::FALSE));
        let properties = client.instance.get_physical_device_properties(client.physical);
        assert_eq!(properties.limits.max_compute_work_group_invocations, 128);
        assert_eq!(properties.limits.max_compute_shared_memory_size, 32768);
        let extensions = client.instance.enumerate_device_extension_properties(client.physical).unwrap();
        let has =
            |name: &CStr| extensions.iter().any(|one| CStr::from_ptr(one.extension_name.as_ptr()) == name);
        assert!(has(c"VK_KHR_timeline_semaphore") && !has(c"VK_KHR_cooperative_matrix"));
    }
}

const SCALE: &str = "layout(local_size_x = 32) in;
layout(constant_id = 3) const int PLUS = 1;
layout(binding = 0) readonly buffer In { float a[]; };
layout(binding = 1) buffer Out { float b[]; };
layout(push_constant) uniform Push { float factor; uint count; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) b[i] = a[i] * factor + PLUS;
}";

#[test]
fn a_shader_with_buffers_push_constants_and_specialization_runs() {
    let name = "a_shader_with_buffers_push_constants_and_specialization_runs";
    if let Some(events) = with_options(name, device("lavapipe")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let (a, b) = (client.storage(&floats(100)), client.storage(&[0.0f32; 100]));
    let push: Vec<u8> = [2.0f32.to_bits(), 90].iter().flat_map(|word| word.to_le_bytes()).collect();
    client.run(&shader(SCALE), &[(3, 5)], &[&a, &b], &push, 4).unwrap();
    let expected: Vec<f32> =
        (0..100).map(|index| if index < 90 { index as f32 * 2.0 + 5.0 } else { 0.0 }).collect();
    assert_eq!(b.read::<f32>(100), expected);
}

#[test]
fn a_dispatch_is_captured_as_a_recipe_that_gives_the_same() {
    let name = "a_dispatch_is_captured_as_a_recipe_that_gives_the_same";
    let folder = tempfile::tempdir().unwrap();
    let capture_folder = Some(folder.path().to_string_lossy().into_owned());
    let options = Options { capture: vec!["2".to_owned()], capture_folder, ..device("lavapipe") };
    if let Some(events) = with_options(name, options) {
        none(&events);
        let captured = events.iter().find_map(|event| match event {
            Event::Captured { dispatch: 2, recipe } => Some(recipe),
            _ => None,
        });
        let text = std::fs::read_to_string(captured.expect("a recipe")).unwrap();
        let recipe = coopmat_recipe::parse(&text).unwrap_or_else(|error| panic!("{}\n{text}", error.message));
        assert_eq!(recipe.named_shader(), Some("dispatch-2.spv"));
        assert!(text.contains("\"0.1\" = \"set0binding1at0\""), "{text}");
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        let values = |bytes: &[u8]| -> Vec<f32> {
            bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        };
        assert_eq!(values(&read("dispatch-2.set0binding0at0.bin"))[..3], [0.0, 1.0, 2.0]);
        // What the first dispatch left, and what the second one made of it: the header of .npy takes 128 bytes.
        assert_eq!(values(&read("dispatch-2.set0binding1at0.bin"))[..3], [5.0, 7.0, 9.0]);
        assert_eq!(values(&read("dispatch-2.set0binding1at0.npy")[128..])[..3], [7.0, 10.0, 13.0]);
        return;
    }
    let client = Client::new(&[], None);
    let (a, b) = (client.storage(&floats(100)), client.storage(&[0.0f32; 100]));
    for (factor, plus) in [(2.0f32, 5), (3.0, 7)] {
        let push: Vec<u8> = [factor.to_bits(), 90].iter().flat_map(|word| word.to_le_bytes()).collect();
        client.run(&shader(SCALE), &[(3, plus)], &[&a, &b], &push, 4).unwrap();
    }
}

#[test]
fn a_dispatch_with_a_new_finding_is_captured_if_that_is_asked_for() {
    let name = "a_dispatch_with_a_new_finding_is_captured_if_that_is_asked_for";
    let folder = tempfile::tempdir().unwrap();
    let capture_folder = Some(folder.path().to_string_lossy().into_owned());
    let options = Options { checked: true, capture_findings: true, capture_folder, ..device("lavapipe") };
    if let Some(events) = with_options(name, options) {
        let captured: Vec<u64> = events
            .iter()
            .filter_map(|event| match event {
                Event::Captured { dispatch, .. } => Some(*dispatch),
                _ => None,
            })
            .collect();
        // The first one is right, and the third one has what the second one had.
        assert_eq!(captured, [2], "{:?}", problems(&events));
        return;
    }
    let client = Client::new(&[], None);
    let (a, b) = (client.storage(&floats(64)), client.storage(&[0.0f32; 64]));
    let (pipeline, layout, set_layout) = client.pipeline(&shader(SCALE), 2, &[]);
    let set = client.set(set_layout, &[whole(a.buffer), whole(b.buffer)]);
    for count in [64u32, 90, 90] {
        let push: Vec<u8> = [2.0f32.to_bits(), count].iter().flat_map(|word| word.to_le_bytes()).collect();
        let buffer = client.record(|buffer| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            client.device.cmd_bind_pipeline(buffer, point, pipeline);
            client.device.cmd_bind_descriptor_sets(buffer, point, layout, 0, &[set], &[]);
            client.device.cmd_push_constants(buffer, layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
            client.device.cmd_dispatch(buffer, 4, 1, 1);
        });
        client.submit(buffer).unwrap();
    }
}

#[test]
fn a_module_is_written_and_another_one_is_taken_instead() {
    let folder = tempfile::tempdir().unwrap();
    let path = Some(folder.path().to_string_lossy().into_owned());
    if std::env::var_os(coopmat_driver_report::VARIABLE).is_none() {
        let name = "a_module_is_written_and_another_one_is_taken_instead";
        let options = Options { shaders_to: path.clone(), ..device("lavapipe") };
        none(&with_options(name, options).unwrap());
        let files: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
        let [written] = files.as_slice() else { panic!("{files:?}") };
        // The same with another factor.
        let other = support::module(&shader(&SCALE.replace("* factor", "* 2.0 * factor")));
        std::fs::write(written, coopmat_spirv::to_bytes(&other)).unwrap();
        let options =
            Options { shaders_from: path, numerics: Some("sequential".to_owned()), ..device("lavapipe") };
        let events = with_options(name, options).unwrap();
        assert!(events.iter().any(|event| matches!(event, Event::Replaced { .. })), "{events:?}");
        return;
    }
    let replaced = std::env::var(coopmat_driver_report::VARIABLE).unwrap().contains("sequential");
    let client = Client::new(&[], None);
    let (a, b) = (client.storage(&floats(100)), client.storage(&[0.0f32; 100]));
    let push: Vec<u8> = [3.0f32.to_bits(), 90].iter().flat_map(|word| word.to_le_bytes()).collect();
    client.run(&shader(SCALE), &[(3, 0)], &[&a, &b], &push, 4).unwrap();
    assert_eq!(b.read::<f32>(3)[2], if replaced { 12.0 } else { 6.0 });
}

#[test]
fn parts_of_one_buffer_are_descriptors_that_see_each_other() {
    let name = "parts_of_one_buffer_are_descriptors_that_see_each_other";
    if let Some(events) = with_options(name, device("lavapipe")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let memory = client.storage(&floats(64));
    // Two views of one range that overlap: the second begins 16 floats later.
    let source = shader(
        "layout(local_size_x = 16) in;
layout(binding = 0) buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
void main() {
    uint i = gl_LocalInvocationID.x;
    a[i + 16] += 100.0;
    barrier();
    memoryBarrierBuffer();
    b[i + 16] = b[i];
    if (i == 0) { a[0] = a.length() * 100 + b.length(); a[48] = 7.0; }
}",
    );
    let (pipeline, layout, set_layout) = client.pipeline(&source, 2, &[]);
    let part = |offset, range| vk::DescriptorBufferInfo { buffer: memory.buffer, offset, range };
    let set = client.set(set_layout, &[part(0, 192), part(64, vk::WHOLE_SIZE)]);
    let buffer = client.record(|buffer| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        client.device.cmd_bind_pipeline(buffer, point, pipeline);
        client.device.cmd_bind_descriptor_sets(buffer, point, layout, 0, &[set], &[]);
        client.device.cmd_dispatch(buffer, 1, 1, 1);
    });
    client.submit(buffer).unwrap();
    let found = memory.read::<f32>(64);
    assert_eq!(found[16..32], (16..32).map(|index| index as f32 + 100.0).collect::<Vec<_>>());
    assert_eq!(found[32..48], found[16..32]);
    assert_eq!(found[48..], floats(64)[48..]);
    assert_eq!(found[0], 4848.0);
}

#[test]
fn addresses_of_buffers_lead_to_their_memory() {
    let name = "addresses_of_buffers_lead_to_their_memory";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        return none(&events);
    }
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default().buffer_device_address(true);
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut twelve);
    features.features.shader_int64 = vk::TRUE;
    let client = Client::new(&[], Some(&mut features));
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let gone = client.memory(64, usage);
    unsafe { client.device.destroy_buffer(gone.buffer, None) };
    let (a, b) = (client.memory(256, usage), client.memory(256, usage));
    a.write(&floats(64));
    let source = shader(
        "layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(push_constant) uniform Push { Floats a; Floats b; };
void main() { uint i = gl_LocalInvocationID.x; b.at[i] = a.at[63 - i]; }",
    );
    let address = |buffer| unsafe {
        client.device.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(buffer))
    };
    let push: Vec<u8> =
        [address(a.buffer), address(b.buffer)].iter().flat_map(|word| word.to_le_bytes()).collect();
    client.run(&source, &[], &[], &push, 1).unwrap();
    assert_eq!(b.read::<f32>(64), floats(64).into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn a_product_of_cooperative_matrices_is_computed() {
    let name = "a_product_of_cooperative_matrices_is_computed";
    if let Some(events) = with_options(name, device("nvidia-h200")) {
        return none(&events);
    }
    let mut matrix = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default().cooperative_matrix(true);
    let mut eleven = vk::PhysicalDeviceVulkan11Features::default().storage_buffer16_bit_access(true);
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default()
        .shader_float16(true)
        .vulkan_memory_model(true)
        .vulkan_memory_model_device_scope(true);
    let mut features = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut matrix)
        .push_next(&mut eleven)
        .push_next(&mut twelve);
    let client = Client::new(&[c"VK_KHR_cooperative_matrix"], Some(&mut features));
    // Halves: 1.0 is 0x3c00, 2.0 is 0x4000.
    let a = client.storage(&[0x3c00u16; 256]);
    let b = client.storage(&[0x4000u16; 256]);
    let c = client.storage(&[0.0f32; 256]);
    let source = shader(
        "layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) buffer C { float c[]; };
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.5);
    coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    z = coopMatMulAdd(x, y, z);
    coopMatStore(z, c, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}",
    );
    client.run(&source, &[], &[&a, &b, &c], &[], 1).unwrap();
    assert_eq!(c.read::<f32>(256), [32.5; 256]);
}

#[test]
fn a_submission_waits_for_a_timeline_semaphore_of_the_host() {
    let name = "a_submission_waits_for_a_timeline_semaphore_of_the_host";
    if let Some(events) = with_options(name, device("lavapipe")) {
        return none(&events);
    }
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut twelve);
    let client = Client::new(&[], Some(&mut features));
    let memory = client.memory(16, vk::BufferUsageFlags::TRANSFER_DST);
    memory.write(&[7u32; 4]);
    unsafe {
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(1);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let semaphore = client.device.create_semaphore(&info, None).unwrap();
        let buffers = [client.record(|buffer| {
            client.device.cmd_fill_buffer(buffer, memory.buffer, 0, vk::WHOLE_SIZE, 9);
        })];
        let (semaphores, waits, signals) = ([semaphore], [5], [6]);
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&waits)
            .signal_semaphore_values(&signals);
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
        let submit = vk::SubmitInfo::default()
            .command_buffers(&buffers)
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .signal_semaphores(&semaphores)
            .push_next(&mut values);
        client.device.queue_submit(client.queue, &[submit], vk::Fence::null()).unwrap();
        let six = [6];
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&six);
        assert_eq!(client.device.wait_semaphores(&wait, 1000), Err(vk::Result::TIMEOUT));
        assert_eq!(memory.read::<u32>(4), [7; 4]);
        // The other thread waits until this one signals.
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| client.device.wait_semaphores(&wait, u64::MAX));
            let signal = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(5);
            client.device.signal_semaphore(&signal).unwrap();
            assert_eq!(waiting.join().unwrap(), Ok(()));
        });
        assert_eq!(memory.read::<u32>(4), [9; 4]);
        assert_eq!(client.device.get_semaphore_counter_value(semaphore), Ok(6));
    }
}

#[test]
fn a_semaphore_that_is_destroyed_leaves_nobody_waiting() {
    let name = "a_semaphore_that_is_destroyed_leaves_nobody_waiting";
    if let Some(events) = with_options(name, device("lavapipe")) {
        let told = problems(&events);
        assert!(told.len() == 1 && told[0].contains("VkSemaphore"), "{told:?}");
        return;
    }
    let client = Client::new(&[], None);
    unsafe {
        let semaphore = client.device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None).unwrap();
        let fence = client.device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
        let (semaphores, stages) = ([semaphore], [vk::PipelineStageFlags::ALL_COMMANDS]);
        let submit = vk::SubmitInfo::default().wait_semaphores(&semaphores).wait_dst_stage_mask(&stages);
        client.device.queue_submit(client.queue, &[submit], fence).unwrap();
        let waited = client.device.wait_for_fences(&[fence], true, 1000);
        assert_eq!(waited, Err(vk::Result::TIMEOUT));
        client.device.destroy_semaphore(semaphore, None);
        assert_eq!(client.device.wait_for_fences(&[fence], true, u64::MAX), Ok(()));
    }
}

#[test]
fn timestamps_count_instructions() {
    if let Some(events) = with_options("timestamps_count_instructions", device("lavapipe")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    unsafe {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        let pool = client.device.create_query_pool(&info, None).unwrap();
        let (a, b) = (client.storage(&floats(64)), client.storage(&[0.0f32; 64]));
        let (pipeline, layout, set_layout) = client.pipeline(&shader(SCALE), 2, &[]);
        let set = client.set(set_layout, &[whole(a.buffer), whole(b.buffer)]);
        let buffer = client.record(|buffer| {
            let (point, stage) = (vk::PipelineBindPoint::COMPUTE, vk::PipelineStageFlags::ALL_COMMANDS);
            client.device.cmd_reset_query_pool(buffer, pool, 0, 2);
            client.device.cmd_write_timestamp(buffer, stage, pool, 0);
            client.device.cmd_bind_pipeline(buffer, point, pipeline);
            client.device.cmd_bind_descriptor_sets(buffer, point, layout, 0, &[set], &[]);
            client.device.cmd_dispatch(buffer, 1, 1, 1);
            client.device.cmd_write_timestamp(buffer, stage, pool, 1);
        });
        client.submit(buffer).unwrap();
        let mut times = [0u64; 2];
        client.device.get_query_pool_results(pool, 0, &mut times, vk::QueryResultFlags::TYPE_64).unwrap();
        assert!(times[1] > times[0], "{times:?}");
    }
}

#[test]
fn a_race_is_found_with_its_line_and_the_names_that_the_program_gives() {
    let name = "a_race_is_found_with_its_line_and_the_names_that_the_program_gives";
    let options = Options { checked: true, ..device("nvidia-h200") };
    if let Some(events) = with_options(name, options) {
        let found = events.iter().find_map(|event| match event {
            Event::Finding(found) => Some(found),
            _ => None,
        });
        let found = found.expect("a finding");
        assert_eq!(found.kind, "missing-barrier");
        let place = found.place.as_ref().expect("a place");
        assert_eq!(place.path, "test.comp");
        assert!(place.text.as_ref().is_some_and(|text| text.contains("s[31 - i]")), "{place:?}");
        assert_eq!(found.dispatch.buffers, [("set 0, binding 0".to_owned(), "result".to_owned())]);
        return;
    }
    let client = Client::new(&[], None);
    let memory = client.storage(&[0.0f32; 64]);
    let source = shader(
        "layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { float b[]; };
shared float s[64];
void main() {
    uint i = gl_LocalInvocationID.x;
    s[i] = float(i);
    b[i] = s[63 - i] + s[31 - i];
}",
    );
    unsafe {
        let names = ash::ext::debug_utils::Device::new(&client.instance, &client.device);
        let info =
            vk::DebugUtilsObjectNameInfoEXT::default().object_handle(memory.buffer).object_name(c"result");
        names.set_debug_utils_object_name(&info).unwrap();
    }
    client.run(&source, &[], &[&memory], &[], 1).unwrap();
}

const BEYOND: &str = "layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { float a[]; };
layout(binding = 1) buffer Out { float b[]; };
void main() { uint i = gl_LocalInvocationID.x; b[i] = a[i + 16]; }";

#[test]
fn an_access_out_of_bounds_is_allowed_if_the_program_enabled_robust_access() {
    let name = "an_access_out_of_bounds_is_allowed_if_the_program_enabled_robust_access";
    if let Some(events) = with_options(name, Options { checked: true, ..device("nvidia-h200") }) {
        let found = events.iter().filter_map(|event| match event {
            Event::Finding(found) => Some((found.kind.as_str(), found.allowed_by.as_deref())),
            _ => None,
        });
        let expected = [("out-of-bounds", Some("robustBufferAccess")), ("out-of-bounds", None)];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        return;
    }
    let mut features = vk::PhysicalDeviceFeatures2::default();
    features.features.robust_buffer_access = vk::TRUE;
    for features in [Some(&mut features), None] {
        let client = Client::new(&[], features);
        let (a, b) = (client.storage(&floats(32)), client.storage(&[7.0f32; 32]));
        client.run(&shader(BEYOND), &[], &[&a, &b], &[], 1).unwrap();
        assert_eq!(b.read::<f32>(32)[14..18], [30.0, 31.0, 0.0, 0.0]);
    }
}

#[test]
fn handles_that_were_freed_or_never_made_end_in_errors() {
    let name = "handles_that_were_freed_or_never_made_end_in_errors";
    if let Some(events) = with_options(name, device("lavapipe")) {
        let told = problems(&events);
        let has =
            |call: &str, text: &str| told.iter().any(|line| line.starts_with(call) && line.contains(text));
        assert!(has("vkDestroyBuffer", "after it was freed"), "{told:#?}");
        assert!(has("vkCmdFillBuffer", "after it was freed"), "{told:#?}");
        assert!(has("vkEndCommandBuffer", "") || has("vkCmdFillBuffer", ""), "{told:#?}");
        assert!(has("vkBindBufferMemory", "expected a VkDeviceMemory, found a VkBuffer"), "{told:#?}");
        assert!(has("vkWaitForFences", "never made"), "{told:#?}");
        assert!(has("vkDeviceWaitIdle", "never made"), "{told:#?}");
        assert!(has("vkMapMemory", "mapped already"), "{told:#?}");
        assert!(!told.iter().any(|line| line.contains("internal")), "{told:#?}");
        return;
    }
    let client = Client::new(&[], None);
    unsafe {
        let memory = client.memory(64, vk::BufferUsageFlags::TRANSFER_DST);
        let other = client.memory(64, vk::BufferUsageFlags::TRANSFER_DST);
        client.device.destroy_buffer(memory.buffer, None);
        client.device.destroy_buffer(memory.buffer, None);
        let info = vk::CommandBufferAllocateInfo::default().command_pool(client.pool).command_buffer_count(1);
        let buffer = client.device.allocate_command_buffers(&info).unwrap()[0];
        client.device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).unwrap();
        client.device.cmd_fill_buffer(buffer, memory.buffer, 0, 64, 1);
        assert_eq!(client.device.end_command_buffer(buffer), Err(vk::Result::ERROR_UNKNOWN));
        assert!(client.submit(buffer).is_err());
        let wrong = vk::DeviceMemory::from_raw(other.buffer.as_raw());
        assert!(client.device.bind_buffer_memory(other.buffer, wrong, 0).is_err());
        let never = vk::Fence::from_raw(0x1234);
        assert!(client.device.wait_for_fences(&[never], true, 0).is_err());
        let again = client.device.map_memory(other.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        assert_eq!(again, Err(vk::Result::ERROR_MEMORY_MAP_FAILED));
        // A dispatchable handle that points nowhere is looked up, not followed.
        let wild = (client.device.fp_v1_0().device_wait_idle)(vk::Device::from_raw(0xdead_beef));
        assert_eq!(wild, vk::Result::ERROR_UNKNOWN);
    }
}

#[test]
fn a_loop_without_an_end_loses_the_device() {
    let name = "a_loop_without_an_end_loses_the_device";
    let options = Options { step_limit: 100_000, ..device("lavapipe") };
    if let Some(events) = with_options(name, options) {
        let told = problems(&events);
        assert!(told.len() == 1 && told[0].contains("more than 100000 steps"), "{told:?}");
        return;
    }
    let client = Client::new(&[], None);
    let memory = client.storage(&[1u32; 4]);
    let source = shader(
        "layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint b[]; };
void main() { while (b[0] != 0) b[1] += 2; }",
    );
    let outcome = client.run(&source, &[], &[&memory], &[], 1);
    assert_eq!(outcome, Err(vk::Result::ERROR_DEVICE_LOST));
    assert_eq!(unsafe { client.device.device_wait_idle() }, Err(vk::Result::ERROR_DEVICE_LOST));
}

#[test]
fn ten_thousand_dispatches_each_see_what_the_one_before_wrote() {
    let name = "ten_thousand_dispatches_each_see_what_the_one_before_wrote";
    if let Some(events) = with_options(name, device("lavapipe")) {
        return none(&events);
    }
    let client = Client::new(&[], None);
    let (memory, other) = (client.storage(&[0u32; 64]), client.storage(&[1u32; 64]));
    let source = shader(
        "layout(local_size_x = 32) in;
layout(binding = 0) buffer Sum { uint b[]; };
layout(binding = 1) readonly buffer One { uint a[]; };
void main() { uint i = gl_GlobalInvocationID.x; b[i] += a[i]; }",
    );
    let (pipeline, layout, set_layout) = client.pipeline(&source, 2, &[]);
    let set = client.set(set_layout, &[whole(memory.buffer), whole(other.buffer)]);
    let buffer = client.record(|buffer| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        client.device.cmd_bind_pipeline(buffer, point, pipeline);
        client.device.cmd_bind_descriptor_sets(buffer, point, layout, 0, &[set], &[]);
        for _ in 0..10_000 {
            client.device.cmd_dispatch(buffer, 2, 1, 1);
        }
    });
    client.submit(buffer).unwrap();
    assert_eq!(memory.read::<u32>(64), [10_000; 64]);
}

#[test]
fn workgroups_begin_where_the_dispatch_says() {
    let name = "workgroups_begin_where_the_dispatch_says";
    if let Some(events) = with_options(name, device("lavapipe")) {
        // The pipeline of the second dispatch does not say that it takes a base.
        let told = problems(&events);
        assert!(told.len() == 1 && told[0].contains("without VK_PIPELINE_CREATE_DISPATCH_BASE"), "{told:?}");
        return;
    }
    let client = Client::new(&[], None);
    let source = shader(
        "layout(local_size_x = 2) in;
layout(binding = 0) buffer Out { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] = 100 * gl_WorkGroupID.x + 10 * gl_NumWorkGroups.x + gl_WorkGroupID.y; }",
    );
    for flags in [vk::PipelineCreateFlags::DISPATCH_BASE, vk::PipelineCreateFlags::empty()] {
        let memory = client.storage(&[0u32; 12]);
        let (pipeline, layout, set_layout) = client.pipeline_with(&source, 1, &[], flags);
        let set = client.set(set_layout, &[whole(memory.buffer)]);
        let buffer = client.record(|buffer| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            client.device.cmd_bind_pipeline(buffer, point, pipeline);
            client.device.cmd_bind_descriptor_sets(buffer, point, layout, 0, &[set], &[]);
            client.device.cmd_dispatch_base(buffer, 3, 7, 0, 2, 1, 1);
        });
        client.submit(buffer).unwrap();
        let (third, fourth) = (300 + 20 + 7, 400 + 20 + 7);
        let expected = [0, 0, 0, 0, 0, 0, third, third, fourth, fourth, 0, 0];
        assert_eq!(memory.read::<u32>(12), expected);
    }
}

#[test]
fn what_is_not_there_says_so() {
    let name = "what_is_not_there_says_so";
    if let Some(events) = with_options(name, device("lavapipe")) {
        let told = problems(&events);
        assert!(told.iter().any(|line| line.starts_with("vkCreateRenderPass")), "{told:?}");
        assert!(told.iter().any(|line| line.contains("the SPIR-V module cannot be read")), "{told:?}");
        assert!(told.iter().any(|line| line.contains("the device extension VK_KHR_swapchain")), "{told:?}");
        return;
    }
    let client = Client::new(&[], None);
    unsafe {
        let info = vk::RenderPassCreateInfo::default();
        assert_eq!(client.device.create_render_pass(&info, None), Err(vk::Result::ERROR_FEATURE_NOT_PRESENT));
        let info = vk::ShaderModuleCreateInfo::default().code(&[1, 2, 3]);
        let module = client.device.create_shader_module(&info, None);
        assert_eq!(module, Err(vk::Result::ERROR_INVALID_SHADER_NV));
        let names = [c"VK_KHR_swapchain".as_ptr()];
        let info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
        let made = client.instance.create_device(client.physical, &info, None);
        assert_eq!(made.err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
    }
}
