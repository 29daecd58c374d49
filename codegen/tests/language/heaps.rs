//! GL_EXT_descriptor_heap.

use expect_test::expect;

use super::check;

/// Each declaration is an array type over the one heap; its elements are descriptors, of buffers those of pointers.
#[test]
fn arrays_are_views_of_a_heap() {
    check(
        "#extension GL_EXT_descriptor_heap : require
        #extension GL_EXT_nonuniform_qualifier : require
        layout(descriptor_heap) uniform texture2D textures[];
        layout(descriptor_heap, descriptor_stride = 64) uniform sampler samplers[];
        layout(descriptor_heap, r32ui) uniform uimage2D images[];
        layout(descriptor_heap) buffer B { vec4 color; } buffers[];
        void main() {
            uint i = gl_GlobalInvocationID.x;
            buffers[nonuniformEXT(i)].color = textureLod(sampler2D(textures[3], samplers[1]), vec2(0), 0.0);
            imageAtomicAdd(images[2], ivec2(0), 1u);
        }",
        &[
            "OpCapability",
            "OpExtension",
            "Heap",
            "Untyped",
            "SizeOf",
            "BufferPointer",
            "ArrayStrideId",
            "Atomic",
            "NonUniform",
        ],
        expect![[r#"
            OpCapability Shader
            OpCapability UntypedPointersKHR
            OpCapability DescriptorHeapEXT
            OpCapability ShaderNonUniform
            OpCapability SampledImageArrayNonUniformIndexing
            OpExtension "SPV_EXT_descriptor_heap"
            OpExtension "SPV_KHR_untyped_pointers"
            OpDecorate %resource_heap BuiltIn ResourceHeapEXT
            OpDecorateId %_runtimearr_17 ArrayStrideIdEXT %20
            OpDecorate %22 NonUniform
            OpDecorate %23 NonUniform
            OpDecorateId %_runtimearr_26 ArrayStrideIdEXT %27
            OpDecorate %sampler_heap BuiltIn SamplerHeapEXT
            OpDecorateId %_runtimearr_32 ArrayStrideIdEXT %uint_64
            OpDecorate %46 NonUniform
            OpDecorateId %_runtimearr_47 ArrayStrideIdEXT %48
            %_ptr_UniformConstant = OpTypeUntypedPointerKHR UniformConstant
            %resource_heap = OpUntypedVariableKHR %_ptr_UniformConstant UniformConstant
            %20 = OpConstantSizeOfEXT %uint %17
            %27 = OpConstantSizeOfEXT %uint %26
            %sampler_heap = OpUntypedVariableKHR %_ptr_UniformConstant UniformConstant
            %48 = OpConstantSizeOfEXT %uint %47
            %_ptr_Image = OpTypeUntypedPointerKHR Image
            %22 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_17 %resource_heap %12
            %23 = OpBufferPointerEXT %_ptr_StorageBuffer_B %22
            %30 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_26 %resource_heap %int_3
            %37 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_32 %sampler_heap %int_1
            %51 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_47 %resource_heap %int_2
            %55 = OpUntypedImageTexelPointerEXT %_ptr_Image %47 %51 %53 %uint_0
            %57 = OpAtomicIAdd %uint %55 %uint_1 %uint_0 %uint_1
        "#]],
    );
}
