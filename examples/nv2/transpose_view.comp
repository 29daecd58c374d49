#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

// A tile of 16 x 32 is loaded as a matrix of 32 x 16 by a view that exchanges rows and columns.

layout(local_size_x = 32) in;

const uint TILE_ROWS = 16;
const uint TILE_COLUMNS = 32;

layout(binding = 0) readonly buffer Input { float16_t values[]; };
layout(binding = 1) writeonly buffer Output { float16_t result[]; };

layout(push_constant) uniform Params { uint rows; uint columns; };

void main() {
    tensorLayoutNV<2> from = createTensorLayoutNV(2);
    tensorLayoutNV<2> to = createTensorLayoutNV(2);
    from = setTensorLayoutDimensionNV(from, rows, columns);
    to = setTensorLayoutDimensionNV(to, columns, rows);
    tensorViewNV<2, false, 1, 0> transposed = createTensorViewNV(2, false, 1, 0);

    uint row = gl_WorkGroupID.y * TILE_ROWS;
    uint column = gl_WorkGroupID.x * TILE_COLUMNS;
    coopmat<float16_t, gl_ScopeSubgroup, TILE_COLUMNS, TILE_ROWS, gl_MatrixUseAccumulator> tile;
    coopMatLoadTensorNV(tile, values, 0, sliceTensorLayoutNV(from, row, TILE_ROWS, column, TILE_COLUMNS), transposed);
    coopMatStoreTensorNV(tile, result, 0, sliceTensorLayoutNV(to, column, TILE_COLUMNS, row, TILE_ROWS));
}
