"""Layers of ncnn with its Vulkan backend against its CPU backend: `pip install ncnn numpy`, then

    coopmat-analyzer vulkan --device nvidia-h200 --checked -- python3 vulkan-driver/programs/ncnn_layers.py

Prints the largest difference of each layer, and fails where it is beyond the tolerance of the type that is stored. The wheel has a loader of its
own, which takes the library that NCNN_VULKAN_DRIVER names where there is no libvulkan.so.1.
"""

import os
import sys
import tempfile
import time

import ncnn
import numpy as np

random = np.random.default_rng(7)


def weights(*shape, scale=0.1):
    """An array in ncnn's file: a tag that says that it is of floats, and the floats."""
    values = (random.standard_normal(shape) * scale).astype("<f4")
    return b"\0\0\0\0" + values.tobytes()


def bias(count):
    return random.standard_normal(count).astype("<f4").tobytes()


def single(layer, name, parameters):
    return f"7767517\n2 2\nInput in0 0 1 in0\n{layer} {name} 1 1 in0 out0 {parameters}\n"


def layers():
    """Name, network, weights, inputs."""
    x = random.standard_normal((16, 12, 10)).astype("f4")
    yield "convolution 3x3", single("Convolution", "c", "0=24 1=3 4=1 5=1 6=3456"), weights(24, 16, 3, 3) + bias(24), [x]
    deep = random.standard_normal((80, 12, 10)).astype("f4")
    yield "convolution 3x3 deep", single("Convolution", "c", "0=24 1=3 4=1 5=1 6=17280"), weights(24, 80, 3, 3) + bias(24), [deep]
    yield "convolution 1x1", single("Convolution", "c", "0=32 1=1 5=1 6=512"), weights(32, 16) + bias(32), [x]
    yield "deconvolution 4x4", single("Deconvolution", "d", "0=8 1=4 3=2 4=1 5=1 6=2048"), weights(8, 16, 4, 4) + bias(8), [x]
    yield "depthwise 3x3", single("ConvolutionDepthWise", "w", "0=16 1=3 4=1 5=1 6=144 7=16"), weights(16, 3, 3) + bias(16), [x]
    v = random.standard_normal(128).astype("f4")
    yield "inner product", single("InnerProduct", "i", "0=64 1=1 2=8192"), weights(64, 128) + bias(64), [v]
    gemm = "7767517\n3 3\nInput in0 0 1 in0\nInput in1 0 1 in1\nGemm g 2 1 in0 in1 out0\n"
    a, b = (random.standard_normal(shape).astype("f4") * 0.3 for shape in ((48, 64), (64, 40)))
    yield "gemm 48x64x40", gemm, b"", [a, b]
    heads = single("MultiHeadAttention", "m", "0=32 1=4 2=1024")
    parts = b"".join(weights(32, 32) + bias(32) for _ in range(4))
    yield "attention", heads, parts, [random.standard_normal((24, 32)).astype("f4")]
    wide = single("MultiHeadAttention", "m", "0=192 1=2 2=36864")
    parts = b"".join(weights(192, 192) + bias(192) for _ in range(4))
    yield "attention wide", wide, parts, [random.standard_normal((72, 192)).astype("f4")]
    odd = single("MultiHeadAttention", "m", "0=30 1=3 2=900")
    parts = b"".join(weights(30, 30) + bias(30) for _ in range(4))
    yield "attention odd", odd, parts, [random.standard_normal((21, 30)).astype("f4")]
    yield "softmax", single("Softmax", "s", "0=0 1=1"), b"", [v]


def run(parameters, data, inputs, vulkan, half):
    network = ncnn.Net()
    options = network.opt
    options.use_vulkan_compute = vulkan
    options.num_threads = 1
    for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(options, name, False)
    if vulkan:
        options.use_fp16_packed = options.use_fp16_storage = half
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("net.param", "net.bin")]
        for path, content in zip(files, (parameters.encode(), data)):
            with open(path, "wb") as file:
                file.write(content)
        if network.load_param(files[0]) or network.load_model(files[1]):
            raise SystemExit("ncnn did not load the network")
        extractor = network.create_extractor()
        for number, value in enumerate(inputs):
            extractor.input(f"in{number}", ncnn.Mat(value).clone())
        code, out = extractor.extract("out0")
        if code:
            raise SystemExit(f"ncnn gave no result: {code}")
        return np.array(out)


def main():
    if ncnn.get_gpu_count() == 0:
        raise SystemExit("ncnn sees no Vulkan device")
    only = sys.argv[1:]
    wrong = 0
    for name, parameters, data, inputs in layers():
        if only and not any(word in name for word in only):
            continue
        expected = run(parameters, data, inputs, False, False)
        for half in (False, True):
            began = time.time()
            found = run(parameters, data, inputs, True, half)
            tolerance = 2e-2 if half else 1e-4
            difference = np.abs(found - expected).max() / max(1.0, np.abs(expected).max())
            good = found.shape == expected.shape and difference <= tolerance
            wrong += not good
            stored = "fp16" if half else "fp32"
            print(f"{name:18} {stored}: {difference:.1e} {'' if good else 'WRONG '}({time.time() - began:.1f} s)", flush=True)
    ncnn.destroy_gpu_instance()
    print("some results are WRONG" if wrong else "every result is within its tolerance")
    sys.exit(wrong > 0)


main()
