#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_descriptor_heap : require

// A mixture of experts whose buffers are in a descriptor heap: each request has tokens, an expert to go to, and a result. The heap is one array of all
// descriptors, so that the number of requests and experts is no matter of the pipeline's layout.

layout(local_size_x = 32) in;

const uint TILE = 16;

// All three arrays are the whole heap: what an index means is what the application has put there. Descriptors are 64 bytes apart here; without
// `descriptor_stride` the distance is the size of the device's descriptors.
layout(descriptor_heap, descriptor_stride = 64) readonly buffer Halves { float16_t values[]; } halves[];
layout(descriptor_heap, descriptor_stride = 64) readonly buffer Routes { uint experts[]; } routes[];
layout(descriptor_heap, descriptor_stride = 64) writeonly buffer Floats { float values[]; } floats[];

layout(push_constant) uniform Params {
    uint columns;
    uint depth;
    uint route;
    uint firstTokens;
    uint firstExpert;
    uint firstResult;
};

void main() {
    uint row = gl_WorkGroupID.y * TILE;
    uint column = gl_WorkGroupID.x * TILE;
    uint request = gl_WorkGroupID.z;

    // The same for the whole workgroup: matrix operations take one buffer.
    uint tokens = firstTokens + request;
    uint weights = firstExpert + routes[route].experts[request];

    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < depth; k += TILE) {
        coopMatLoad(a, halves[tokens].values, row * depth + k, depth, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, halves[weights].values, k * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStore(sum, floats[firstResult + request].values, row * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
}
