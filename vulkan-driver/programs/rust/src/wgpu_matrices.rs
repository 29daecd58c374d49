//! A product with the cooperative matrices of WGSL, which wgpu has as an experimental feature.

use half::f16;
use wgpu::util::{BufferInitDescriptor, DeviceExt as _};

const SOURCE: &str = "
enable f16;
enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> c: array<f16>;
@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) tile: vec3<u32>) {
    let row = tile.y * 16u;
    let column = tile.x * 16u;
    var sum: coop_mat16x16<f16, C>;
    for (var k = 0u; k < 64u; k += 16u) {
        let left = coopLoadT<coop_mat16x16<f16, A>>(&a[row * 64u + k], 64u);
        let right = coopLoadT<coop_mat16x16<f16, B>>(&b[k * 48u + column], 48u);
        sum = coopMultiplyAdd(left, right, sum);
    }
    coopStoreT(sum, &c[row * 48u + column], 48u);
}
";
const M: usize = 32;
const N: usize = 48;
const K: usize = 64;

/// The largest difference, in parts of the largest value.
pub fn run() -> f32 {
    pollster::block_on(product())
}

async fn product() -> f32 {
    let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
    wanted.backends = wgpu::Backends::VULKAN;
    let instance = wgpu::Instance::new(wanted);
    let adapter = instance.request_adapter(&Default::default()).await.expect("no Vulkan device");
    println!("{}", adapter.get_info().name);
    // SAFETY: the kernel is one that other drivers run too.
    let experimental = unsafe { wgpu::ExperimentalFeatures::enabled() };
    let features = wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX | wgpu::Features::SHADER_F16;
    let (device, queue) = adapter
        .request_device(&wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: adapter.limits(),
            experimental_features: experimental,
            ..Default::default()
        })
        .await
        .expect("no device with cooperative matrices");
    let a: Vec<f16> = (0..M * K).map(|index| f16::from_f32((index * 7 % 17) as f32 / 8.0 - 1.0)).collect();
    let b: Vec<f16> = (0..K * N).map(|index| f16::from_f32((index * 5 % 13) as f32 / 8.0 - 0.75)).collect();
    let input = |contents: &[f16]| {
        let contents = bytemuck::cast_slice(contents);
        device.create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents,
            usage: wgpu::BufferUsages::STORAGE,
        })
    };
    let (left, right) = (input(&a), input(&b));
    let size = (M * N * 2) as u64;
    let made = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    };
    let result = made(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    let read = made(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(SOURCE.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let entries: Vec<_> = [&left, &right, &result]
        .iter()
        .zip(0..)
        .map(|(buffer, binding)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
        .collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups((N / 16) as u32, (M / 16) as u32, 1);
    }
    encoder.copy_buffer_to_buffer(&result, 0, &read, 0, size);
    queue.submit([encoder.finish()]);
    read.slice(..).map_async(wgpu::MapMode::Read, |result| result.expect("the result cannot be read"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("the device is lost");
    let view = read.slice(..).get_mapped_range().expect("the result cannot be read");
    let found: &[f16] = bytemuck::cast_slice(&view);
    let mut worst = 0f32;
    let mut largest = 0f32;
    for row in 0..M {
        for column in 0..N {
            let wanted: f32 = (0..K).map(|k| a[row * K + k].to_f32() * b[k * N + column].to_f32()).sum();
            largest = largest.max(wanted.abs());
            worst = worst.max((found[row * N + column].to_f32() - wanted).abs());
        }
    }
    worst / largest
}
