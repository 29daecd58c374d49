#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require

layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };

void main() {
    uint32_t words[32];
    for (int i = 0; i < 32; ++i) words[i] = values[i];
    float16_t halves[64];
    uint32_t part[8];
    float16_t row[16];
    bitcastQCOM(words, halves);
    extractSubArrayQCOM(words, int(values[0]), part);
    extractSubArrayQCOM(halves, 16, row);
    coopmat<float16_t, gl_ScopeSubgroup, 64, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 64, 16, gl_MatrixUseA> b[2];
    vectorToCoopmatQCOM(part, a);
    vectorToCoopmatQCOM(row, b[1]);
    coopmatToVectorQCOM(a + b[1], row);
    values[0] = uint(row[0]);
}
