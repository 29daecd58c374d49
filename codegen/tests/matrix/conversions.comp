#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e5m2 : require

layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { uint values[]; };

#define ACC(T) coopmat<T, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define A(T) coopmat<T, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define STORE(m) coopMatStore(m, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor)

void main() {
    ACC(float) floats = ACC(float)(values[0]);
    ACC(float16_t) halves = ACC(float16_t)(floats);
    STORE(halves);
    STORE(ACC(int)(floats));
    STORE(ACC(uint8_t)(floats));
    STORE(ACC(bfloat16_t)(floats));
    ACC(int) integers = ACC(int)(-1);
    STORE(ACC(float)(integers));
    // Both the sign and the width change: in two steps, the sign last.
    STORE(ACC(uint8_t)(integers));
    STORE(ACC(uint)(integers));
    // The use alone, together with the components, and with the sign.
    STORE(A(float16_t)(halves));
    STORE(A(float16_t)(floats));
    STORE(A(int8_t)(integers));
    STORE(A(uint8_t)(integers));
    STORE(A(uint)(integers));
    A(floate5m2_t) small;
    saturatedConvertEXT(small, floats);
    STORE(small);
}
