#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require

// Each invocation gives one row of a matrix, as components or as packed 32-bit words, and gets one back.

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Floats { float floats[]; };
layout(binding = 1) readonly buffer Bytes { int8_t bytes[]; };
layout(binding = 2) readonly buffer Words { uint words[]; };
layout(binding = 3) writeonly buffer Output { float result[]; };

void main() {
    uint invocation = gl_SubgroupInvocationID;

    // 64 rows of 8 floats.
    coopmat<float32_t, gl_ScopeSubgroup, 64, 8, gl_MatrixUseA> floatMatrix;
    float32_t floatRow[8];
    for (uint i = 0; i < 8; ++i) {
        floatRow[i] = floats[invocation * 8 + i];
    }
    vectorToCoopmatQCOM(floatRow, floatMatrix);

    // 64 rows of 32 bytes, from bytes and from words of four.
    coopmat<int8_t, gl_ScopeSubgroup, 64, 32, gl_MatrixUseA> byteMatrix;
    int8_t byteRow[32];
    for (uint i = 0; i < 32; ++i) {
        byteRow[i] = bytes[invocation * 32 + i];
    }
    vectorToCoopmatQCOM(byteRow, byteMatrix);

    uint32_t wordRow[8];
    for (uint i = 0; i < 8; ++i) {
        wordRow[i] = words[invocation * 8 + i];
    }
    vectorToCoopmatQCOM(wordRow, byteMatrix);

    // And out again.
    coopmatToVectorQCOM(floatMatrix, floatRow);
    coopmatToVectorQCOM(byteMatrix, wordRow);
    for (uint i = 0; i < 8; ++i) {
        result[invocation * 8 + i] = floatRow[i] + float(wordRow[i] & 0xFFu);
    }
}
