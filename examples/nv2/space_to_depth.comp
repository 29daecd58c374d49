#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

// An image of height x width x channels, loaded so that each row of the matrix holds a square of 2 x 2 pixels: the tensor is
// seen as five directions, two of which change places.

layout(local_size_x = 32) in;

const uint HEIGHT = 8;
const uint WIDTH = 16;
const uint CHANNELS = 4;
const uint ROWS = HEIGHT / 2 * WIDTH / 2;
const uint COLUMNS = 4 * CHANNELS;

layout(binding = 0) readonly buffer Input { float16_t pixels[]; };
layout(binding = 1) writeonly buffer Output { float16_t result[]; };

void main() {
    tensorLayoutNV<3> image = createTensorLayoutNV(3);
    image = setTensorLayoutDimensionNV(image, HEIGHT, WIDTH, CHANNELS);
    tensorViewNV<5, true, 0, 2, 1, 3, 4> squares = createTensorViewNV(5, true, 0, 2, 1, 3, 4);
    squares = setTensorViewDimensionsNV(squares, HEIGHT / 2, 2, WIDTH / 2, 2, CHANNELS);

    coopmat<float16_t, gl_ScopeSubgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator> m;
    coopMatLoadTensorNV(m, pixels, 0, image, squares);
    coopMatStore(m, result, 0, COLUMNS, gl_CooperativeMatrixLayoutRowMajor);
}
