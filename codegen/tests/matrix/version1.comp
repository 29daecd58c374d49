#version 460
#extension GL_NV_cooperative_matrix : require
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(local_size_x = 32) in;
layout(constant_id = 0) const uint N = 8;
layout(binding = 0) buffer Values { float16_t values[]; };
layout(binding = 1) coherent buffer Sums { float sums[]; };
layout(binding = 2) buffer Bytes { int8_t bytes[]; };

void main() {
    fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> a;
    fcoopmatNV<16, gl_ScopeSubgroup, 8, N> b = fcoopmatNV<16, gl_ScopeSubgroup, 8, N>(1.0);
    fcoopmatNV<32, gl_ScopeSubgroup, 16, N> c;
    coopMatLoadNV(a, values, 0, 16, false);
    coopMatLoadNV(b, values, 64, 16, true);
    coopMatLoadNV(c, sums, 0, 16, false);
    c = coopMatMulAddNV(a, b, c);
    c = c * 2.0 + -c;
    c[0] += float(c.length());
    coopMatStoreNV(c, sums, 0, 16, false);
    icoopmatNV<8, gl_ScopeSubgroup, 16, 32> n;
    coopMatLoadNV(n, bytes, 0, 32, false);
    ucoopmatNV<32, gl_ScopeSubgroup, 16, 32> wide = ucoopmatNV<32, gl_ScopeSubgroup, 16, 32>(n);
    icoopmatNV<8, gl_ScopeSubgroup, 16, 32> back = icoopmatNV<8, gl_ScopeSubgroup, 16, 32>(wide);
    coopMatStoreNV(back, bytes, 0, 32, false);
}
