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

/// GL_EXT_structured_descriptor_heap: a block is a structure over the heap, behind its offset; where members lie the device computes.
#[test]
fn blocks_are_structures_over_a_heap() {
    check(
        "#extension GL_EXT_descriptor_heap : require
        #extension GL_EXT_structured_descriptor_heap : require
        #extension GL_EXT_scalar_block_layout : require
        layout(push_constant) uniform Push { uint start; } push;
        layout(buffer_type, scalar) buffer Data { vec4 values[]; };
        struct Part { vec4 tint; Data data; };
        layout(heap_offset = push.start) resourceheap Parts {
            uint count;
            layout(descriptor_size = 64) Data first;
            Part parts[];
        } parts;
        void main() {
            uint i = gl_GlobalInvocationID.x;
            if (i < parts.count) {
                parts.first.values[i] = parts.parts[i].data.values[i] * parts.parts[i].tint;
            }
        }",
        &[
            "Heap",
            "Untyped",
            "SizeOf",
            "BufferPointer",
            "StrideId",
            "OffsetId",
            "SpecConstantOp",
            "TypeStruct",
            "Int8",
        ],
        expect![[r#"
            OpCapability UntypedPointersKHR
            OpCapability DescriptorHeapEXT
            OpCapability Int8
            OpMemberDecorateIdEXT %Part 0 OffsetIdEXT %uint_0
            OpMemberDecorateIdEXT %Part 1 OffsetIdEXT %21
            OpDecorateId %_runtimearr_Part ArrayStrideIdEXT %31
            OpMemberDecorateIdEXT %Parts 0 OffsetIdEXT %uint_0
            OpMemberDecorateIdEXT %Parts 1 OffsetIdEXT %uint_64
            OpMemberDecorateIdEXT %Parts 2 OffsetIdEXT %37
            OpDecorate %resource_heap BuiltIn ResourceHeapEXT
            %16 = OpConstantSizeOfEXT %uint %13
            %18 = OpSpecConstantOp %uint UMod %uint_16 %16
            %19 = OpSpecConstantOp %uint ISub %16 %18
            %20 = OpSpecConstantOp %uint UMod %19 %16
            %21 = OpSpecConstantOp %uint IAdd %uint_16 %20
            %22 = OpSpecConstantOp %uint IAdd %21 %16
            %25 = OpSpecConstantOp %bool ULessThan %uint_4 %16
            %26 = OpSpecConstantOp %uint Select %25 %16 %uint_4
            %Part = OpTypeStruct %v4float %13
            %28 = OpSpecConstantOp %uint UMod %22 %26
            %29 = OpSpecConstantOp %uint ISub %26 %28
            %30 = OpSpecConstantOp %uint UMod %29 %26
            %31 = OpSpecConstantOp %uint IAdd %22 %30
            %34 = OpSpecConstantOp %uint UMod %uint_128 %26
            %35 = OpSpecConstantOp %uint ISub %26 %34
            %36 = OpSpecConstantOp %uint UMod %35 %26
            %37 = OpSpecConstantOp %uint IAdd %uint_128 %36
            %Parts = OpTypeStruct %uint %13 %_runtimearr_Part
            %_ptr_UniformConstant = OpTypeUntypedPointerKHR UniformConstant
            %resource_heap = OpUntypedVariableKHR %_ptr_UniformConstant UniformConstant
            %Push = OpTypeStruct %uint
            %Data = OpTypeStruct %_runtimearr_v4float
            %52 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_uchar %resource_heap %49
            %53 = OpUntypedAccessChainKHR %_ptr_UniformConstant %Parts %52 %int_0
            %64 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_uchar %resource_heap %63
            %65 = OpUntypedAccessChainKHR %_ptr_UniformConstant %Parts %64 %int_1
            %66 = OpBufferPointerEXT %_ptr_StorageBuffer_Data %65
            %70 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_uchar %resource_heap %69
            %71 = OpUntypedAccessChainKHR %_ptr_UniformConstant %Parts %70 %int_2 %12 %int_1
            %72 = OpBufferPointerEXT %_ptr_StorageBuffer_Data %71
            %78 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_uchar %resource_heap %77
            %79 = OpUntypedAccessChainKHR %_ptr_UniformConstant %Parts %78 %int_2 %12 %int_0
        "#]],
    );
}

/// A block of data and addresses alone has offsets that are known.
#[test]
fn blocks_without_descriptors_have_offsets() {
    check(
        "#extension GL_EXT_structured_descriptor_heap : require
        #extension GL_EXT_buffer_reference : require
        layout(buffer_reference, std430) buffer Address { vec4 behind; };
        layout(heap_offset = 256) resourceheap Table {
            uint count;
            Address address;
            layout(buffer_reference, std430) buffer { vec4 data; } inlined;
            layout(row_major) mat2x3 transform;
        } table;
        layout(binding = 0) buffer Results { vec4 result; };
        void main() {
            result = table.address.behind + table.inlined.data * float(table.count);
            result.xyz += table.transform[0];
        }",
        &["MemberDecorate", "Untyped", "OpLoad"],
        expect![[r#"
            OpCapability UntypedPointersKHR
            OpMemberDecorate %Results 0 Offset 0
            OpMemberDecorate %Address 0 Offset 0
            OpMemberDecorate %__0 0 Offset 0
            OpMemberDecorate %Table 0 Offset 0
            OpMemberDecorate %Table 1 Offset 8
            OpMemberDecorate %Table 2 Offset 16
            OpMemberDecorate %Table 3 RowMajor
            OpMemberDecorate %Table 3 MatrixStride 8
            OpMemberDecorate %Table 3 Offset 24
            %_ptr_UniformConstant = OpTypeUntypedPointerKHR UniformConstant
            %resource_heap = OpUntypedVariableKHR %_ptr_UniformConstant UniformConstant
            %26 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_uchar %resource_heap %int_256
            %27 = OpUntypedAccessChainKHR %_ptr_UniformConstant %Table %26 %int_1
            %28 = OpLoad %_ptr_PhysicalStorageBuffer_Address %27
            %31 = OpLoad %v4float %30 Aligned 16
            %33 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_uchar %resource_heap %int_256
            %34 = OpUntypedAccessChainKHR %_ptr_UniformConstant %Table %33 %int_2
            %35 = OpLoad %_ptr_PhysicalStorageBuffer___0 %34
            %37 = OpLoad %v4float %36 Aligned 16
            %38 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_uchar %resource_heap %int_256
            %39 = OpUntypedAccessChainKHR %_ptr_UniformConstant %Table %38 %int_0
            %40 = OpLoad %uint %39
            %47 = OpUntypedAccessChainKHR %_ptr_UniformConstant %_runtimearr_uchar %resource_heap %int_256
            %48 = OpUntypedAccessChainKHR %_ptr_UniformConstant %Table %47 %int_3 %int_0
            %49 = OpLoad %v3float %48
            %51 = OpLoad %v4float %50
        "#]],
    );
}
