//! Jobs: which are refused, and with which words; and, on a device, what they compute. `COOPMAT_VULKAN_DEVICE` names the device (part of its
//! name will do); without it nothing is run, as a machine without Vulkan passes its tests too. `cargo xtask test --only vulkan` runs
//! them on a software driver.

use coopmat_analysis::Analyzer;
use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_codegen::{Options, compile};
use coopmat_vulkan::{Address, Binding, Bound, Buffer, BufferKind, Image, Job, Place, Sampler, Vulkan};

fn module(source: &str) -> Vec<u32> {
    let configuration = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis = Analyzer::default().analyze("test.comp", source.into(), &configuration, &NoFiles, None);
    let compiled = compile(&analysis, &Options::default()).unwrap_or_else(|errors| panic!("{errors:?}"));
    coopmat_spirv::assemble(&compiled.module).expect("a module")
}

fn storage(name: &str, binding: u32, bytes: Vec<u8>) -> Buffer {
    let bindings = vec![Bound::storage(Binding { set: 0, binding, element: 0 })];
    Buffer { name: name.to_owned(), bindings, bytes }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn bytes_of(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// The device to run on.
fn device() -> Option<String> {
    std::env::var("COOPMAT_VULKAN_DEVICE").ok()
}

fn refusal(job: &Job) -> String {
    job.check().expect_err("a job that is refused").to_string()
}

const ADD: &str = "
    #version 460
    layout(local_size_x = 4) in;
    layout(constant_id = 3) const uint TIMES = 1;
    layout(binding = 0) readonly buffer Input { vec4 first; float rest[]; };
    layout(binding = 2) writeonly buffer Output { float sums[]; };
    layout(push_constant) uniform Params { float more; };
    void main() {
        uint i = gl_GlobalInvocationID.x;
        sums[i] = rest[i] * float(TIMES) + more;
    }
";

/// A job that is right.
fn add() -> Job {
    let mut job = Job::new(module(ADD));
    job.buffers.push(storage("in", 0, bytes_of((0..12).map(|i| i as f32))));
    job.buffers.push(storage("out", 2, vec![0; 32]));
    job.push_constants = bytes_of([0.5]);
    job.dispatch = [2, 1, 1];
    job
}

#[test]
fn a_job_that_fits_its_module_passes() {
    assert!(add().check().is_ok());
}

#[test]
fn what_is_no_module_is_refused() {
    let mut job = add();
    job.module = vec![1, 2, 3];
    assert!(refusal(&job).starts_with("cannot read the module: "), "{}", refusal(&job));
    job.module = Vec::new();
    assert!(refusal(&job).starts_with("cannot read the module: "));
}

#[test]
fn another_entry_point_is_refused() {
    let mut job = add();
    job.entry_point = "other".to_owned();
    assert_eq!(refusal(&job), "the module has no compute entry point `other`: expected one of main");
}

#[test]
fn missing_empty_and_short_buffers_are_refused() {
    let mut job = add();
    job.buffers.pop();
    assert_eq!(refusal(&job), "the shader uses set 0, binding 2, but no buffer is given for it");
    let mut job = add();
    job.buffers[1].bytes.clear();
    assert_eq!(refusal(&job), "the buffer `out` is empty");
    // `first` has to be there, whatever the shader reads; elements of `rest` need not.
    let mut job = add();
    job.buffers[0].bytes.truncate(12);
    assert_eq!(
        refusal(&job),
        "the buffer `in` has 12 bytes, but the shader's block at set 0, binding 0 has 16"
    );
}

#[test]
fn buffers_of_the_other_kind_and_twice_at_a_place_are_refused() {
    let mut job = add();
    job.buffers[1].bindings[0].kind = BufferKind::Uniform;
    assert_eq!(
        refusal(&job),
        "the buffer `out` at set 0, binding 2 is a uniform buffer, but the shader has a storage buffer there"
    );
    let mut job = add();
    job.buffers.push(storage("again", 2, vec![0; 4]));
    assert_eq!(refusal(&job), "two buffers have set 0, binding 2");
}

#[test]
fn too_few_push_constants_are_refused() {
    let mut job = add();
    job.push_constants.clear();
    assert_eq!(refusal(&job), "the shader has 4 bytes of push constants, but 0 are given");
}

#[test]
fn a_value_that_a_specialization_constant_cannot_have_is_refused() {
    let mut job = add();
    job.specialization = vec![(3, 1 << 32)];
    assert_eq!(refusal(&job), "the specialization constant 3 has 32 bits, which cannot hold 4294967296");
    // Negative numbers come with their sign, and ids that are not there are passed over.
    job.specialization = vec![(3, u64::MAX), (99, 1 << 40)];
    assert!(job.check().is_ok());
}

#[test]
fn addresses_need_room_and_a_buffer() {
    let mut job = add();
    job.addresses.push(Address { into: Place::PushConstants, offset: 0, of: 0, plus: 0 });
    assert_eq!(refusal(&job), "there is no room for an address at byte 0 of the push constants");
    job.addresses[0] = Address { into: Place::Buffer(0), offset: 8, of: 7, plus: 0 };
    assert_eq!(refusal(&job), "an address is that of buffer 7, which does not exist");
}

#[test]
fn buffers_push_constants_and_specialization_reach_the_shader() {
    let Some(device) = device() else { return };
    let mut job = add();
    job.device = Some(device);
    job.specialization = vec![(3, 10)];
    let outcome = coopmat_vulkan::execute(&job).expect("an outcome");
    assert_eq!(floats(&outcome.buffers[1]), [40.5, 50.5, 60.5, 70.5, 80.5, 90.5, 100.5, 110.5]);
    assert_eq!(outcome.buffers[0], job.buffers[0].bytes);
    assert!(!outcome.driver.is_empty());
}

#[test]
fn repetitions_are_timed_and_leave_the_outcome_alone() {
    let Some(device) = device() else { return };
    let mut job = Job::new(module(
        "
        #version 460
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer Sums { float sum; };
        void main() { sum += 1.0; }
        ",
    ));
    job.device = Some(device);
    job.buffers.push(storage("sum", 0, bytes_of([4.0])));
    job.repetitions = 5;
    let outcome = coopmat_vulkan::execute(&job).expect("an outcome");
    assert_eq!(floats(&outcome.buffers[0]), [5.0]);
    assert_eq!(outcome.times.len(), 5);
}

#[test]
fn addresses_of_buffers_reach_the_shader() {
    let Some(device) = device() else { return };
    let mut job = Job::new(module(
        "
        #version 460
        #extension GL_EXT_buffer_reference : require
        layout(local_size_x = 1) in;
        layout(buffer_reference, std430) buffer Values { float values[]; };
        layout(buffer_reference, std430) buffer Next { Values next; };
        layout(push_constant) uniform Params { Values from; Next into; };
        void main() { into.next.values[1] = from.values[0] + 1.0; }
        ",
    ));
    job.device = Some(device);
    job.push_constants = vec![0; 16];
    for (name, bytes) in [("from", bytes_of([1.0, 2.0])), ("into", vec![0; 8]), ("next", vec![0; 16])] {
        job.buffers.push(Buffer { name: name.to_owned(), bindings: Vec::new(), bytes });
    }
    job.addresses = vec![
        Address { into: Place::PushConstants, offset: 0, of: 0, plus: 4 },
        Address { into: Place::PushConstants, offset: 8, of: 1, plus: 0 },
        Address { into: Place::Buffer(1), offset: 0, of: 2, plus: 8 },
    ];
    let outcome = coopmat_vulkan::execute(&job).expect("an outcome");
    assert_eq!(floats(&outcome.buffers[2]), [0.0, 0.0, 0.0, 3.0]);
}

#[test]
fn a_device_that_is_not_there_is_refused_with_those_that_are() {
    if device().is_none() {
        return;
    }
    let mut job = add();
    job.device = Some("no such device".to_owned());
    let reason = coopmat_vulkan::execute(&job).expect_err("no device").to_string();
    assert!(reason.starts_with("there is no Vulkan device `no such device`: expected part of "), "{reason}");
}

#[test]
fn shapes_that_a_device_does_not_have_are_refused() {
    let Some(device) = device() else { return };
    let mut job = Job::new(module(
        "
        #version 460
        #extension GL_KHR_cooperative_matrix : require
        #extension GL_KHR_memory_scope_semantics : require
        layout(local_size_x = 32) in;
        layout(constant_id = 0) const uint ROWS = 16;
        layout(binding = 0) buffer Data { float data[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, ROWS, 16, gl_MatrixUseAccumulator> m;
            coopMatLoad(m, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(m, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        }
        ",
    ));
    job.device = Some(device);
    job.buffers.push(storage("data", 0, vec![0; 2048]));
    job.specialization = vec![(0, 7)];
    let reason = coopmat_vulkan::execute(&job).expect_err("no such shape").to_string();
    assert!(
        reason.contains(" has no cooperative matrix of 7x16 Float32 (use accumulator, subgroup scope)"),
        "{reason}"
    );
}

/// The product of the example at the first shape of float16 and float32 that the device has, against the plain sums. The numbers are small
/// multiples of 1/8, so that every order of adding gives the same.
#[test]
fn the_example_multiplies_as_plain_sums_do() {
    let Some(device) = device() else { return };
    let vulkan = Vulkan::open().expect("Vulkan");
    let profiles = vulkan.profiles().expect("devices");
    let profile = profiles.iter().find(|profile| profile.title.contains(&device)).expect("the device");
    let rows = &profile.cooperative_matrix_properties;
    let row = rows.iter().find(|row| {
        use coopmat_analysis::types::Scalar::{Float16, Float32};
        let types = &row.types;
        types.scope == coopmat_analysis::devices::Scope::Subgroup
            && [types.a, types.b, types.c, types.result] == [Float16, Float16, Float32, Float32]
    });
    let row = row.expect("a product of float16 and float32");
    let subgroup = profile.subgroup_size.expect("subgroups").default;
    // One row of tiles for each subgroup of a workgroup of 128.
    let (tiles_down, tiles_across, steps) = (128 / subgroup, 2, 5);
    let (m, n, k) = (tiles_down * row.m, tiles_across * row.n, steps * row.k);
    let eighths = |seed: u32, count: u32| {
        (0..count).map(move |i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 16) as i32 % 17 - 8)
    };
    let (a, b, c): (Vec<i32>, Vec<i32>, Vec<i32>) =
        (eighths(1, m * k).collect(), eighths(2, k * n).collect(), eighths(3, m * n).collect());
    let halves = |values: &[i32]| -> Vec<u8> { values.iter().flat_map(|value| half(*value)).collect() };
    let mut job = Job::new(module(include_str!("../../../examples/khr/gemm.comp")));
    job.device = Some(device);
    job.specialization = vec![(0, row.m.into()), (1, row.n.into()), (2, row.k.into())];
    job.dispatch = [tiles_across, 1, 1];
    job.push_constants = [k, tiles_across, k, k, n, n].into_iter().flat_map(u32::to_le_bytes).collect();
    job.buffers = vec![
        storage("a", 0, halves(&a)),
        storage("b", 1, halves(&b)),
        storage("c", 2, bytes_of(c.iter().map(|value| *value as f32 / 8.0))),
        storage("d", 3, vec![0xFF; (m * n * 4) as usize]),
    ];
    let outcome = vulkan.execute(&job).expect("an outcome");
    let found = floats(&outcome.buffers[3]);
    for row in 0..m {
        for column in 0..n {
            // B is column-major.
            let products = (0..k).map(|i| a[(row * k + i) as usize] * b[(column * k + i) as usize]);
            let at = (row * n + column) as usize;
            let expected = (products.sum::<i32>() + c[at] * 8) as f32 / 64.0;
            assert_eq!(found[at], expected, "row {row}, column {column} on {}", outcome.device);
        }
    }
}

/// An eighth as float16; exact, as up to eleven bits are.
fn half(eighths: i32) -> [u8; 2] {
    let magnitude = eighths.unsigned_abs();
    if magnitude == 0 {
        return [0, 0];
    }
    let exponent = magnitude.ilog2();
    let fraction = (magnitude << (10 - exponent)) & 0x3FF;
    let bits = ((exponent + 15 - 3) << 10) | fraction | (u32::from(eighths < 0) << 15);
    (bits as u16).to_le_bytes()
}

const DOUBLE: &str = "
    #version 460
    layout(local_size_x = 2) in;
    layout(binding = 0) uniform sampler2D from;
    layout(binding = 1, rgba8) writeonly uniform image2D to;
    layout(binding = 2) uniform textureBuffer texels;
    layout(binding = 3) buffer Out { float found[4]; };
    void main() {
        int i = int(gl_LocalInvocationID.x);
        vec4 between = textureLod(from, vec2((float(i) + 0.5) / 2.0, 0.5), float(i));
        imageStore(to, ivec2(i, 0), between * 2.0);
        found[i] = between.g;
        found[2 + i] = texelFetch(texels, i).r;
    }
";

fn at(binding: u32) -> Binding {
    Binding { set: 0, binding, element: 0 }
}

/// Formats by their numbers in Vulkan.
fn image(name: &str, binding: u32, format: (i32, u32), extent: [u32; 3], levels: Vec<Vec<u8>>) -> Image {
    let (format, texel) = format;
    let (name, bindings) = (name.to_owned(), vec![at(binding)]);
    Image { name, bindings, extent, layers: 1, format, texel, components: [0; 4], levels }
}

fn sampler(binding: u32) -> Sampler {
    Sampler {
        name: "smooth".to_owned(),
        bindings: vec![at(binding)],
        linear: [true; 3],
        address_modes: [2; 3],
        bias: 0.0,
        levels: [0.0, 1000.0],
        border: 0,
        unnormalized: false,
    }
}

/// A job with an image of two levels, one that is stored to, and a buffer of texels.
fn double() -> Job {
    let mut job = Job::new(module(DOUBLE));
    let (floats, bytes, float) = ((103, 8), (37, 4), (100, 4));
    let levels = vec![bytes_of([0.25, 1.0, 0.5, 2.0]), bytes_of([0.125, 4.0])];
    job.images.push(image("from", 0, floats, [2, 1, 1], levels));
    job.images.push(image("to", 1, bytes, [2, 1, 1], vec![vec![7; 8]]));
    job.images.push(image("texels", 2, float, [2, 1, 1], vec![bytes_of([8.0, 16.0])]));
    job.samplers.push(sampler(0));
    job.buffers.push(storage("out", 3, vec![0; 16]));
    job
}

#[test]
fn images_and_samplers_that_do_not_fit_are_refused() {
    assert!(double().check().is_ok());
    let with = |change: &dyn Fn(&mut Job)| {
        let mut job = double();
        change(&mut job);
        refusal(&job)
    };
    assert_eq!(
        with(&|job| drop(job.samplers.pop())),
        "the shader uses set 0, binding 0, but no sampler is given for it"
    );
    assert_eq!(
        with(&|job| drop(job.images.remove(1))),
        "the shader uses set 0, binding 1, but no image is given for it"
    );
    assert_eq!(
        with(&|job| job.images[1].bindings = vec![at(3)]),
        "something else than the image `to` is at set 0, binding 3, too"
    );
    assert_eq!(
        with(&|job| job.samplers[0].bindings.push(at(1))),
        "the shader has no sampler at set 0, binding 1, where `smooth` is bound"
    );
    assert_eq!(
        with(&|job| job.images[0].levels[1].truncate(7)),
        "level 1 of the image `from` has 7 bytes, which [1, 1, 1] texels do not"
    );
    assert_eq!(
        with(&|job| job.images[0].layers = 2),
        "the image `from` has [2, 1, 1] texels, 2 layers and 2 levels, which the shader's image at set 0, binding 0 cannot have"
    );
    assert_eq!(
        with(&|job| job.buffers[0].bindings[0].at = at(1)),
        "the buffer `out` at set 0, binding 1 is a storage buffer, but the shader has a storage image there"
    );
}

#[test]
fn images_are_sampled_stored_and_read_back() {
    let Some(device) = device() else { return };
    let mut job = double();
    job.device = Some(device);
    // Once more would double nothing: the outcome is that of the first run.
    job.repetitions = 2;
    let outcome = coopmat_vulkan::execute(&job).expect("an outcome");
    assert_eq!(floats(&outcome.buffers[0]), [1.0, 4.0, 8.0, 16.0]);
    assert_eq!(outcome.images[0], job.images[0].levels);
    // Twice a quarter of 255, rounded; and what is above 1 is 1. Blue is missing in the one format, alpha 1.
    assert_eq!(outcome.images[1], [[128, 255, 0, 255, 64, 255, 0, 255]]);
    assert_eq!(outcome.images[2], job.images[2].levels);
}

#[test]
fn a_part_of_a_buffer_is_bound_at_several_places() {
    let Some(device) = device() else { return };
    let mut job = Job::new(module(
        "
        #version 460
        layout(local_size_x = 1) in;
        layout(binding = 0) readonly buffer A { float a[]; };
        layout(binding = 1) buffer B { float b[]; };
        void main() { b[0] = a[0] + float(b.length()); }
        ",
    ));
    job.device = Some(device);
    let mut all = storage("all", 0, bytes_of((0..128).map(|i| i as f32 + 1.0)));
    all.bindings.push(Bound { at: at(1), kind: BufferKind::Storage, offset: 256, range: None });
    job.buffers.push(all);
    let outcome = coopmat_vulkan::execute(&job).expect("an outcome");
    // 1, and the 64 that are left.
    assert_eq!(floats(&outcome.buffers[0])[63..66], [64.0, 1.0 + 64.0, 66.0]);
}
