//! GL_NV_explicit_typecast.

use expect_test::expect;

use super::check;

/// A sequence in parentheses is one value.
#[test]
fn a_cast_is_a_constructor_of_one_value() {
    check(
        "#extension GL_NV_explicit_typecast : require
        #extension GL_EXT_buffer_reference : require
        #extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
        layout(local_size_x = 1) in;
        layout(buffer_reference) buffer Block { vec4 value; };
        layout(push_constant) uniform Where { uint64_t address; int number; };
        void main() {
            Block block = (Block) address;
            block.value = (vec4) number * (float) (uint) number + (vec4) (1.0, 2.0);
            ((Block)(address)).value.x = (float) ~number;
        }",
        &["OpConvert", "OpBitcast", "OpCompositeConstruct", "OpConstantComposite"],
        expect![[r#"
            %18 = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Block %13
            %23 = OpConvertSToF %float %22
            %24 = OpCompositeConstruct %v4float %23 %23 %23 %23
            %28 = OpBitcast %uint %26
            %29 = OpConvertUToF %float %28
            %32 = OpCompositeConstruct %v4float %float_2 %float_2 %float_2 %float_2
            %38 = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Block %37
            %43 = OpConvertSToF %float %42
        "#]],
    );
}
