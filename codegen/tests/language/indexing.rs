//! GL_EXT_shader_64bit_indexing.

use expect_test::expect;

use super::check;

/// The pragmas, lengths, and indices of 64 bits; of constants nothing is to be promoted.
#[test]
fn buffers_are_indexed_by_64_bits() {
    check(
        "#extension GL_EXT_shader_64bit_indexing : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        #pragma shader_64bit_indexing
        #pragma promote_uint32_indices
        layout(constant_id = 0) const uint N = 4;
        layout(binding = 0) buffer B { uint d[]; };
        void main() {
            float sized[N];
            int64_t count = d.length64();
            uint last = uint(d.length()) - 1u;
            d[3u] = 0;
            d[count - 1l] = d[last] + uint(sized.length64());
        }",
        &["OpCapability", "OpExtension", "OpExecutionMode", "OpArrayLength", "OpUConvert", "OpAccessChain"],
        expect![[r#"
            OpCapability Shader
            OpCapability Int64
            OpCapability Shader64BitIndexingEXT
            OpExtension "SPV_EXT_shader_64bit_indexing"
            OpExecutionMode %main LocalSize 1 1 1
            OpExecutionMode %main Shader64BitIndexingEXT
            %19 = OpArrayLength %ulong %_ 0
            %21 = OpArrayLength %uint %_ 0
            %29 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %uint_3
            %32 = OpUConvert %ulong %25
            %33 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %32
            %40 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %31
        "#]],
    );
}
