"""Kernels in Taichi's Python, which it compiles to SPIR-V and runs, against its own CPU backend: `pip install taichi numpy`, then

    coopmat-analyzer vulkan --claim-graphics --checked -- python3 vulkan-driver/programs/taichi_kernels.py

Taichi takes no device without a queue for graphics, although it draws nothing here. Prints the largest difference of each kernel, and fails where it is
beyond the tolerance.
"""

import sys
import time

import numpy as np
import taichi as ti

SIZE = 96


def results(backend):
    """What each kernel computes, with the tolerance."""
    ti.init(arch=backend, random_seed=1, offline_cache=False)
    heat = ti.field(ti.f32, shape=(SIZE, SIZE))
    after = ti.field(ti.f32, shape=(SIZE, SIZE))
    total = ti.field(ti.i32, shape=())
    bins = ti.field(ti.i32, shape=16)
    place = ti.Vector.field(3, ti.f32, shape=200)
    speed = ti.Vector.field(3, ti.f32, shape=200)

    @ti.kernel
    def begin():
        for i, j in heat:
            heat[i, j] = ti.sin(0.1 * i) * ti.cos(0.07 * j)
        for i in place:
            place[i] = ti.Vector([ti.sin(1.0 * i), ti.cos(2.0 * i), ti.sin(3.0 * i)])

    @ti.kernel
    def diffuse():
        for i, j in heat:
            sum = 0.0
            for di, dj in ti.static(((-1, 0), (1, 0), (0, -1), (0, 1))):
                sum += heat[ti.max(0, ti.min(SIZE - 1, i + di)), ti.max(0, ti.min(SIZE - 1, j + dj))]
            after[i, j] = 0.5 * heat[i, j] + 0.125 * sum
        for i, j in heat:
            heat[i, j] = after[i, j]

    @ti.kernel
    def count():
        for i, j in heat:
            cell = ti.cast((heat[i, j] + 1.0) * 8.0, ti.i32)
            bins[ti.max(0, ti.min(15, cell))] += 1
            total[None] += i * j % 7

    @ti.kernel
    def attract():
        for i in place:
            force = ti.Vector([0.0, 0.0, 0.0])
            for j in range(200):
                d = place[j] - place[i]
                force += d / (d.norm_sqr() + 0.01) ** 1.5
            speed[i] = 0.001 * force

    @ti.kernel
    def escape(out: ti.types.ndarray()):
        for i, j in ti.ndrange(64, 48):
            c = ti.Vector([-2.2 + 3.0 * i / 64, -1.2 + 2.4 * j / 48])
            z, steps = ti.Vector([0.0, 0.0]), 0
            while z.norm_sqr() < 4.0 and steps < 40:
                z = ti.Vector([z.x * z.x - z.y * z.y, 2.0 * z.x * z.y]) + c
                steps += 1
            out[i, j] = steps

    begin()
    for _ in range(5):
        diffuse()
    count()
    attract()
    steps = np.zeros((64, 48), np.int32)
    escape(steps)
    found = {
        "heat": (heat.to_numpy(), 1e-5),
        "bins": (bins.to_numpy(), 0),
        "total": (total.to_numpy(), 0),
        "forces": (speed.to_numpy(), 1e-4),
        "steps to escape": (steps, 0),
    }
    ti.reset()
    return found


def textures():
    """What kernels store into textures, load and sample, and what that should be; the CPU backend has none."""
    ti.init(arch=ti.vulkan, offline_cache=False)
    size = 8
    floats, colors = ti.Texture(ti.Format.r32f, (size, size)), ti.Texture(ti.Format.rgba8, (size, size))
    samples, texels = ti.ndarray(ti.f32, (size, size)), ti.ndarray(ti.f32, (size, size))

    @ti.kernel
    def store(
        floats: ti.types.rw_texture(num_dimensions=2, fmt=ti.Format.r32f, lod=0),
        colors: ti.types.rw_texture(num_dimensions=2, fmt=ti.Format.rgba8, lod=0),
    ):
        for i, j in ti.ndrange(size, size):
            floats.store(ti.Vector([i, j]), ti.Vector([i + 10.0 * j, 0.0, 0.0, 0.0]))
            colors.store(ti.Vector([i, j]), ti.Vector([0.0, i / 7.0, 0.0, 1.0]))

    @ti.kernel
    def load(
        floats: ti.types.texture(num_dimensions=2),
        colors: ti.types.texture(num_dimensions=2),
        samples: ti.types.ndarray(dtype=ti.f32, ndim=2),
        texels: ti.types.ndarray(dtype=ti.f32, ndim=2),
    ):
        for i, j in ti.ndrange(size, size):
            samples[i, j] = floats.sample_lod(ti.Vector([(i + 1.0) / size, (j + 0.75) / size]), 0.0).x
            texels[i, j] = colors.fetch(ti.Vector([i, j]), 0).y

    store(floats, colors)
    load(floats, colors, samples, texels)
    i, j = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    inner = (slice(0, size - 1), slice(0, size - 1))
    found = {
        "samples": (samples.to_numpy()[inner], (i + 0.5 + 10 * (j + 0.25))[inner], 1e-6),
        "texels": (texels.to_numpy(), np.rint(i / 7 * 255) / 255, 1e-6),
    }
    ti.reset()
    return found


def main():
    begin = time.time()
    failed = False
    expected = results(ti.cpu)
    found = results(ti.vulkan)
    for name, (values, tolerance) in found.items():
        wanted = expected[name][0].astype("f8")
        different = np.abs(values.astype("f8") - wanted)
        if tolerance == 0:
            # A value beside the border of two cells may fall to either side.
            worst, bad = np.count_nonzero(different), np.count_nonzero(different) > 0.01 * different.size
            print(f"{name:24} {worst} of {different.size} differ{' WRONG' if bad else ''}")
        else:
            worst = float(different.max() / np.abs(wanted).max())
            bad = not worst <= tolerance
            print(f"{name:24} {worst:.2g} of the largest value{' WRONG' if bad else ''}")
        failed |= bad
    for name, (values, wanted, tolerance) in textures().items():
        worst = float(np.abs(values - wanted).max() / np.abs(wanted).max())
        bad = not worst <= tolerance
        failed |= bad
        print(f"{name:24} {worst:.2g} of the largest value{' WRONG' if bad else ''}")
    print(f"{time.time() - begin:.1f} s")
    print("some results are WRONG" if failed else "every result is within its tolerance")
    sys.exit(int(failed))


main()
