"""Operations of linear algebra, which IREE compiles and runs, against numpy: `pip install iree-base-compiler iree-base-runtime numpy`, then

    coopmat-analyzer vulkan --device nvidia-h200 --checked -- python3 vulkan-driver/programs/iree_operations.py ampere

The argument is a target that IREE knows (`iree-compile --iree-vulkan-target`): it decides on tiles and on matrices, without asking the device.
Prints the largest difference of each operation, and fails where it is beyond the tolerance.
"""

import sys
import time

import iree.compiler
import iree.runtime
import numpy as np

random = np.random.default_rng(5)


def matmul(m, n, k, operand, result):
    zero = "0.0" if result.startswith("f") else "0"
    return f"""
func.func @f(%a: tensor<{m}x{k}x{operand}>, %b: tensor<{k}x{n}x{operand}>) -> tensor<{m}x{n}x{result}> {{
  %zero = arith.constant {zero} : {result}
  %empty = tensor.empty() : tensor<{m}x{n}x{result}>
  %start = linalg.fill ins(%zero : {result}) outs(%empty : tensor<{m}x{n}x{result}>) -> tensor<{m}x{n}x{result}>
  %c = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{operand}>, tensor<{k}x{n}x{operand}>) outs(%start : tensor<{m}x{n}x{result}>) -> tensor<{m}x{n}x{result}>
  return %c : tensor<{m}x{n}x{result}>
}}"""


CONVOLUTION = """
func.func @f(%x: tensor<1x14x14x16xf32>, %w: tensor<3x3x16x24xf32>) -> tensor<1x12x12x24xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x12x12x24xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x12x12x24xf32>) -> tensor<1x12x12x24xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x14x14x16xf32>, tensor<3x3x16x24xf32>) outs(%start : tensor<1x12x12x24xf32>) -> tensor<1x12x12x24xf32>
  return %y : tensor<1x12x12x24xf32>
}"""

SOFTMAX = """
func.func @f(%x: tensor<40x200xf32>) -> tensor<40x200xf32> {
  %empty = tensor.empty() : tensor<40x200xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<40x200xf32>) outs(%empty : tensor<40x200xf32>) -> tensor<40x200xf32>
  return %y : tensor<40x200xf32>
}"""

# A product with its bias and an activation, which becomes one shader.
LAYER = """
#rows = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @f(%a: tensor<48x64xf32>, %b: tensor<64x80xf32>, %bias: tensor<80xf32>) -> tensor<48x80xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<48x80xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<48x80xf32>) -> tensor<48x80xf32>
  %c = linalg.matmul ins(%a, %b : tensor<48x64xf32>, tensor<64x80xf32>) outs(%start : tensor<48x80xf32>) -> tensor<48x80xf32>
  %y = linalg.generic {indexing_maps = [#rows, #column, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%c, %bias : tensor<48x80xf32>, tensor<80xf32>) outs(%empty : tensor<48x80xf32>) {
  ^bb0(%value: f32, %add: f32, %out: f32):
    %sum = arith.addf %value, %add : f32
    %bounded = math.tanh %sum : f32
    linalg.yield %bounded : f32
  } -> tensor<48x80xf32>
  return %y : tensor<48x80xf32>
}"""


def normal(*shape, kind="f4"):
    return random.standard_normal(shape).astype(kind)


def product(a, b):
    return a.astype("f8") @ b.astype("f8")


def convolution(x, w):
    y = np.zeros((1, 12, 12, 24))
    for row in range(3):
        for column in range(3):
            y += x[:, row : row + 12, column : column + 12].astype("f8") @ w[row, column].astype("f8")
    return y


def softmax(x):
    e = np.exp(x.astype("f8") - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def operations():
    """Name, program, what it should do, inputs, tolerance."""
    yield "product f32 50x70x33", matmul(50, 70, 33, "f32", "f32"), product, [normal(50, 33), normal(33, 70)], 1e-5
    half = [normal(64, 96, kind="f2"), normal(96, 48, kind="f2")]
    yield "product f16 64x48x96", matmul(64, 48, 96, "f16", "f16"), product, half, 4e-3
    yield "product f16 to f32", matmul(64, 48, 96, "f16", "f32"), product, half, 1e-5
    bytes_of = [random.integers(-128, 128, shape).astype("i1") for shape in ((32, 64), (64, 48))]
    yield "product i8 to i32", matmul(32, 48, 64, "i8", "i32"), product, bytes_of, 0
    yield "matrix and vector", matmul(1, 128, 256, "f32", "f32"), product, [normal(1, 256), normal(256, 128)], 1e-5
    yield "convolution 3x3", CONVOLUTION, convolution, [normal(1, 14, 14, 16), normal(3, 3, 16, 24)], 1e-5
    yield "softmax", SOFTMAX, softmax, [normal(40, 200)], 1e-5
    layer = [normal(48, 64), normal(64, 80), normal(80)]
    yield "layer with tanh", LAYER, lambda a, b, bias: np.tanh(product(a, b) + bias), layer, 1e-4


def main():
    failed = False
    begin = time.time()
    target = sys.argv[1] if len(sys.argv) > 1 else "ampere"
    options = ["--iree-hal-target-device=vulkan", f"--iree-vulkan-target={target}"]
    instance = iree.runtime.VmInstance()
    config = iree.runtime.Config("vulkan")
    for name, source, expected, inputs, tolerance in operations():
        compiled = iree.compiler.compile_str(source, extra_args=options)
        module = iree.runtime.VmModule.copy_buffer(instance, compiled)
        loaded = iree.runtime.load_vm_module(module, config)
        found, wanted = loaded.f(*inputs).to_host(), expected(*inputs)
        worst = float(np.abs(found.astype("f8") - wanted).max() / np.abs(wanted).max())
        bad = not worst <= tolerance
        failed |= bad
        print(f"{name:24} {worst:.2g} of the largest value{' WRONG' if bad else ''}", flush=True)
    print(f"{time.time() - begin:.1f} s")
    print("some results are WRONG" if failed else "every result is within its tolerance")
    sys.exit(int(failed))


main()
