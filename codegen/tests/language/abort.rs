//! GL_EXT_abort.

use expect_test::expect;

use super::check;

/// The message is packed without padding, whatever the blocks of the shader say, and a `bool` in it is 0 or 1.
#[test]
fn an_invocation_ends_with_a_message() {
    check(
        "#extension GL_EXT_abort : require
        layout(binding = 0) buffer B { int i; float f; };
        struct Both { mat2 m; vec3 v; };
        int last() { if (i > 3) abortEXT(); abortEXT(\"no %d\", i); }
        void main() {
            if (f > 1.0) abortEXT(\"at %f %d\", f, f > 2.0, Both(mat2(f), vec3(f)));
            i = last();
        }",
        &[
            "OpCapability",
            "OpExtension",
            "OpMemberDecorate %abort",
            "UTF",
            "ConstantData",
            "TypeStruct",
            "Composite",
            "Abort",
            "Select %",
        ],
        expect![[r#"
            OpCapability Shader
            OpCapability AbortKHR
            OpCapability ConstantDataKHR
            OpCapability Matrix
            OpCapability Int8
            OpExtension "SPV_KHR_abort"
            OpExtension "SPV_KHR_constant_data"
            OpDecorate %_arr_char_uint_12 UTFEncodedKHR
            OpDecorate %_arr_char_uint_12_0 UTFEncodedKHR
            OpMemberDecorate %abortMessage 0 Offset 0
            OpMemberDecorate %abortMessage 1 Offset 12
            OpMemberDecorate %abortMessage 2 Offset 16
            OpMemberDecorate %abortMessage 3 Offset 20
            OpDecorate %_arr_char_uint_4 UTFEncodedKHR
            OpDecorate %_arr_char_uint_4_0 UTFEncodedKHR
            OpMemberDecorate %abortMessage_0 0 Offset 0
            OpDecorate %_arr_char_uint_8 UTFEncodedKHR
            OpDecorate %_arr_char_uint_8_0 UTFEncodedKHR
            OpMemberDecorate %abortMessage_1 0 Offset 0
            OpMemberDecorate %abortMessage_1 1 Offset 8
            %B = OpTypeStruct %int %float
            %24 = OpConstantDataKHR %_arr_char_uint_12 622883937 1680154726 0
            %Both = OpTypeStruct %mat2v2float %v3float
            %Both_0 = OpTypeStruct %mat2v2float %v3float
            %_struct_49 = OpTypeStruct %_arr_char_uint_12 %float %uint %Both
            %abortMessage = OpTypeStruct %_arr_char_uint_12_0 %float %uint %Both_0
            %68 = OpConstantDataKHR %_arr_char_uint_4 0
            %_struct_69 = OpTypeStruct %_arr_char_uint_4
            %abortMessage_0 = OpTypeStruct %_arr_char_uint_4_0
            %75 = OpConstantDataKHR %_arr_char_uint_8 622882670 100
            %_struct_78 = OpTypeStruct %_arr_char_uint_8 %int
            %abortMessage_1 = OpTypeStruct %_arr_char_uint_8_0 %int
            %33 = OpSelect %uint %30 %uint_1 %uint_0
            %39 = OpCompositeConstruct %v2float %37 %float_0
            %40 = OpCompositeConstruct %v2float %float_0 %37
            %41 = OpCompositeConstruct %mat2v2float %39 %40
            %45 = OpCompositeConstruct %v3float %43 %43 %43
            %47 = OpCompositeConstruct %Both %41 %45
            %51 = OpCompositeConstruct %_struct_49 %24 %26 %33 %47
            OpAbortKHR %abortMessage %51
            %71 = OpCompositeConstruct %_struct_69 %68
            OpAbortKHR %abortMessage_0 %71
            %80 = OpCompositeConstruct %_struct_78 %75 %77
            OpAbortKHR %abortMessage_1 %80
        "#]],
    );
}

/// What follows such a call in an expression is in a block that nothing leads to.
#[test]
fn an_expression_may_end_in_the_middle() {
    check(
        "#extension GL_EXT_abort : require
        layout(binding = 0) buffer B { int i; };
        void main() { bool known = i > 3 && (abortEXT(\"known\"), i > 4); i = known ? 1 : 2; }",
        &["OpLabel", "Branch", "Abort", "OpPhi", "OpSelect"],
        expect![[r#"
            OpCapability AbortKHR
            %4 = OpLabel
            OpSelectionMerge %17 None
            OpBranchConditional %15 %16 %17
            %16 = OpLabel
            OpAbortKHR %abortMessage %26
            %27 = OpLabel
            OpBranch %17
            %17 = OpLabel
            %32 = OpPhi %bool %15 %4 %31 %27
            %35 = OpSelect %int %32 %int_1 %int_2
        "#]],
    );
}
