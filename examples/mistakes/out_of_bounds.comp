#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Rows are loaded sixteen at a time, as often as it takes.
// The mistake: the last tile has fewer rows left than it loads.

layout(local_size_x = 32) in;

layout(binding = 0) readonly buffer Input { float16_t values[]; };
layout(binding = 1) writeonly buffer Output { float16_t result[]; };

layout(push_constant) uniform Params { uint rows; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> tile;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    for (uint row = 0; row < rows; row += 16) {
        coopMatLoad(tile, values, row * 16, 16, gl_CooperativeMatrixLayoutRowMajor);
        sum = sum + tile;
    }
    coopMatStore(sum, result, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
