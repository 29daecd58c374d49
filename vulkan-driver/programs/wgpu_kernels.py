"""Kernels in WGSL, which wgpu compiles and runs, against numpy: `pip install wgpu numpy`, then

    coopmat-analyzer vulkan --claim-graphics --checked -- python3 vulkan-driver/programs/wgpu_kernels.py

wgpu takes no queue that cannot do graphics, although it draws nothing here. Prints the largest difference of each kernel, and fails where it is
beyond the tolerance.
"""

import sys
import time

import numpy as np
import wgpu

random = np.random.default_rng(3)
failed = False


class Gpu:
    """A device with the features that kernels want and the adapter has."""

    def __init__(self):
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
        if adapter.info["backend_type"] != "Vulkan":
            sys.exit(f"wgpu found no Vulkan device, but {adapter.info}")
        wanted = ("subgroup", "shader-f16")
        self.features = [name for name in wanted if name in adapter.features]
        print(adapter.info["device"], "with", ", ".join(self.features))
        self.device = adapter.request_device_sync(required_features=self.features)

    def run(self, source, groups, inputs, output, indirect=False):
        """Binding 0 and so on are the inputs, the last one is the output, whose first contents are given."""
        usage = wgpu.BufferUsage
        module = self.device.create_shader_module(code=source)
        pipeline = self.device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})
        buffers = [self.device.create_buffer_with_data(data=data, usage=usage.STORAGE) for data in inputs]
        result = self.device.create_buffer_with_data(data=output, usage=usage.STORAGE | usage.COPY_SRC)
        entries = [{"binding": index, "resource": {"buffer": one}} for index, one in enumerate([*buffers, result])]
        group = self.device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
        encoder = self.device.create_command_encoder()
        compute = encoder.begin_compute_pass()
        compute.set_pipeline(pipeline)
        compute.set_bind_group(0, group)
        if indirect:
            counts = np.array([7, 7, *groups], "u4")
            place = self.device.create_buffer_with_data(data=counts, usage=usage.INDIRECT)
            compute.dispatch_workgroups_indirect(place, 8)
        else:
            compute.dispatch_workgroups(*groups)
        compute.end()
        self.device.queue.submit([encoder.finish()])
        return np.frombuffer(self.device.queue.read_buffer(result), output.dtype).reshape(output.shape)


MATMUL = """
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
const M = 50u; const N = 70u; const K = 33u;
var<workgroup> rows: array<array<f32, 16>, 16>;
var<workgroup> columns: array<array<f32, 16>, 16>;
@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) l: vec3<u32>, @builtin(global_invocation_id) g: vec3<u32>) {
    var sum = 0.0;
    for (var k = 0u; k < K; k += 16u) {
        rows[l.y][l.x] = select(0.0, a[g.y * K + k + l.x], g.y < M && k + l.x < K);
        columns[l.y][l.x] = select(0.0, b[(k + l.y) * N + g.x], k + l.y < K && g.x < N);
        workgroupBarrier();
        for (var i = 0u; i < 16u; i++) { sum += rows[l.y][i] * columns[i][l.x]; }
        workgroupBarrier();
    }
    if g.y < M && g.x < N { c[g.y * N + g.x] = sum; }
}
"""

SUMS = """
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> c: array<u32>;
var<workgroup> sums: array<u32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) i: u32) {
    sums[i] = a[i];
    for (var step = 1u; step < 256u; step *= 2u) {
        workgroupBarrier();
        var add = 0u;
        if i >= step { add = sums[i - step]; }
        workgroupBarrier();
        sums[i] += add;
    }
    c[i] = sums[i];
}
"""

HISTOGRAM = """
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> c: array<atomic<u32>>;
var<workgroup> counts: array<atomic<u32>, 16>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) g: vec3<u32>) {
    if g.x < arrayLength(&a) { atomicAdd(&counts[a[g.x] % 16u], 1u); }
    workgroupBarrier();
    if i < 16u { atomicAdd(&c[i], atomicLoad(&counts[i])); }
}
"""

SUBGROUPS = """
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) lane: u32) {
    let largest = subgroupMax(a[g.x]);
    let sum = subgroupAdd(exp(a[g.x] - largest));
    c[g.x] = exp(a[g.x] - largest) / sum;
}
"""

HALVES = """
enable f16;
@group(0) @binding(0) var<storage, read> a: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) g: vec3<u32>) { c[g.x] = f32(dot(a[g.x], vec4<f16>(1.0h, 2.0h, -1.0h, 0.5h))); }
"""

PICTURES = """
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
@group(0) @binding(2) var halves: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(3) var samples: texture_storage_2d<r32float, write>;
@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    textureStore(halves, at.xy, textureLoad(picture, at.xy, 0) * 0.5);
    let corner = (vec2<f32>(at.xy) + 1.0) / vec2<f32>(textureDimensions(picture));
    textureStore(samples, at.xy, textureSampleLevel(picture, linear, corner, 0.0));
}
"""


def pictures(device):
    """Textures and a sampler: half of each texel, and the mean of four, beyond the edges of the repeated, of the mirrored picture."""
    height, width = 4, 8
    usage = wgpu.TextureUsage
    source = random.integers(0, 256, (height, width, 4)).astype("u1")

    def texture(kind, usage):
        return device.create_texture(size=(width, height, 1), format=kind, usage=usage)

    picture = texture("rgba8unorm", usage.TEXTURE_BINDING | usage.COPY_DST)
    halves, samples = (texture(kind, usage.STORAGE_BINDING | usage.COPY_SRC) for kind in ("rgba8unorm", "r32float"))
    device.queue.write_texture({"texture": picture}, source, {"bytes_per_row": width * 4}, (width, height, 1))
    sampler = device.create_sampler(mag_filter="linear", address_mode_u="repeat", address_mode_v="mirror-repeat")
    module = device.create_shader_module(code=PICTURES)
    pipeline = device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})
    bound = [picture.create_view(), sampler, halves.create_view(), samples.create_view()]
    entries = [{"binding": index, "resource": one} for index, one in enumerate(bound)]
    encoder = device.create_command_encoder()
    compute = encoder.begin_compute_pass()
    compute.set_pipeline(pipeline)
    compute.set_bind_group(0, device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries))
    compute.dispatch_workgroups(1)
    compute.end()
    device.queue.submit([encoder.finish()])

    def read(texture, kind):
        data = device.queue.read_texture({"texture": texture}, {"bytes_per_row": width * 4}, (width, height, 1))
        return np.frombuffer(data, kind).reshape(height, width, -1)

    compare("halves of texels", read(halves, "u1"), source / 2.0, 0.01)
    red = source[:, :, 0] / 255.0
    right = np.roll(red, -1, axis=1)
    means = (red + right + np.vstack([red[1:], red[-1:]]) + np.vstack([right[1:], right[-1:]])) / 4
    compare("samples", read(samples, "f4")[:, :, 0], means, 1e-6)


def compare(name, found, expected, tolerance):
    global failed
    scale = max(1e-30, float(np.abs(expected).max()))
    worst = float(np.abs(found.astype("f8") - expected).max()) / scale
    bad = not worst <= tolerance
    failed |= bad
    print(f"{name:24} {worst:.2g} of the largest value{' WRONG' if bad else ''}")


def main():
    gpu = Gpu()
    begin = time.time()
    a, b = (random.standard_normal(shape).astype("f4") for shape in ((50, 33), (33, 70)))
    for indirect in (False, True):
        found = gpu.run(MATMUL, (5, 4, 1), [a, b], np.zeros((50, 70), "f4"), indirect)
        compare("product, indirect" if indirect else "product", found, a.astype("f8") @ b, 1e-6)
    values = random.integers(0, 1000, 256).astype("u4")
    compare("prefix sums", gpu.run(SUMS, (1, 1, 1), [values], np.zeros(256, "u4")), np.cumsum(values), 0)
    values = random.integers(0, 1000, 1000).astype("u4")
    found = gpu.run(HISTOGRAM, (16, 1, 1), [values], np.full(16, 5, "u4"))
    compare("histogram", found, 5 + np.bincount(values % 16, minlength=16), 0)
    if "subgroup" in gpu.features:
        # As many as subgroups of any size from 4 to 128 divide: softmax over each.
        values = np.repeat(random.standard_normal(8), 128).astype("f4")
        found = gpu.run(SUBGROUPS, (8, 1, 1), [values], np.zeros(1024, "f4"))
        size = round(1 / float(found[0]))
        compare(f"softmax of subgroups, {size}", found, np.full(1024, 1 / size), 1e-6)
    if "shader-f16" in gpu.features:
        values = random.integers(-8, 8, (64, 4)).astype("f2")
        expected = values.astype("f8") @ [1, 2, -1, 0.5]
        compare("halves", gpu.run(HALVES, (2, 1, 1), [values], np.zeros(64, "f4")), expected, 0)
    pictures(gpu.device)
    print(f"{time.time() - begin:.1f} s")
    print("some results are WRONG" if failed else "every result is within its tolerance")
    sys.exit(int(failed))


main()
