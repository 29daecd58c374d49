#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_EXT_buffer_reference : require

layout(local_size_x = 128) in;
layout(constant_id = 0) const uint Clamp = gl_CooperativeMatrixClampModeConstantNV;
layout(binding = 0) buffer Values { float16_t values[]; };
layout(buffer_reference) buffer Address { float16_t pointed[]; };
layout(push_constant) uniform Push { uint rows; uint columns; int offset; Address address; };

void main() {
    coopmat<float16_t, gl_ScopeWorkgroup, 64, 32, gl_MatrixUseA> m = coopmat<float16_t, gl_ScopeWorkgroup, 64, 32, gl_MatrixUseA>(0);
    tensorLayoutNV<2> plain = createTensorLayoutNV(2);
    tensorLayoutNV<2, Clamp> layout2 = createTensorLayoutNV(2, Clamp);
    layout2 = setTensorLayoutBlockSizeNV(layout2, 1, 1);
    layout2 = setTensorLayoutDimensionNV(layout2, rows, columns);
    layout2 = setTensorLayoutStrideNV(layout2, columns, 1);
    layout2 = setTensorLayoutClampValueNV(layout2, 0x3c00);
    plain = setTensorLayoutDimensionNV(plain, rows, columns);
    tensorViewNV<2, true, 1, 0> view = createTensorViewNV(2, true, 1, 0);
    view = setTensorViewDimensionsNV(view, 64, 32);
    view = setTensorViewStrideNV(view, 1, 64);
    view = setTensorViewClipNV(view, 0, 64, 0, 16);
    coopMatLoadTensorNV(m, values, 0, sliceTensorLayoutNV(layout2, offset, 64, 8, 32));
    coopMatLoadTensorNV(m, values, 16, plain, view);
    coopMatStoreTensorNV(m, address.pointed, 8, plain, view);
    coopMatStoreTensorNV(m, values, 0, layout2);
}
