//! GL_EXT_spirv_intrinsics.

use expect_test::expect;

use super::check;

#[test]
fn arrays_of_types_by_number_have_elements() {
    check(
        "#extension GL_EXT_spirv_intrinsics : enable
        #define Empty spirv_type(id = 30)
        void f(Empty e) {}
        void main() { Empty all[3]; f(all[1]); }",
        &["OpAccessChain", "OpTypeStruct"],
        expect![[r#"
            %_struct_5 = OpTypeStruct
            %15 = OpAccessChain %_ptr_Function__struct_5 %all %int_1
        "#]],
    );
}

#[test]
fn decorations_modes_types_and_classes_go_by_number() {
    check(
        "#extension GL_EXT_spirv_intrinsics : require
        spirv_execution_mode(capabilities = [4466], extensions = [\"SPV_KHR_float_controls\"], 4461, 32);
        spirv_decorate(0) float relaxed;
        spirv_decorate_string(extensions = [\"SPV_GOOGLE_hlsl_functionality1\"], 5635, \"meaning\") float named;
        spirv_storage_class(6) float priv;
        layout(binding = 0) buffer B { spirv_decorate(24) float x; float y; };
        struct S { spirv_decorate(0) float m; };
        float f(spirv_decorate(0) float p) { return p * 2.0; }
        void main() { S s; s.m = y; named = 1.0; priv = 2.0; relaxed = f(s.m); y = x + relaxed + named + priv; }",
        &["Decorate", "ExecutionMode", "OpExtension", "OpCapability", "Variable"],
        expect![[r#"
            OpCapability Shader
            OpCapability SignedZeroInfNanPreserve
            OpExtension "SPV_GOOGLE_hlsl_functionality1"
            OpExtension "SPV_KHR_float_controls"
            OpExecutionMode %main LocalSize 1 1 1
            OpExecutionMode %main SignedZeroInfNanPreserve 32
            OpMemberDecorate %S 0 RelaxedPrecision
            OpMemberDecorate %B 0 NonWritable
            OpMemberDecorate %B 0 Offset 0
            OpMemberDecorate %B 1 Offset 4
            OpDecorate %B Block
            OpDecorate %_ Binding 0
            OpDecorate %_ DescriptorSet 0
            OpDecorateString %named UserSemantic "meaning"
            OpDecorate %relaxed RelaxedPrecision
            OpDecorate %p RelaxedPrecision
            %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
            %named = OpVariable %_ptr_Private_float Private
            %priv = OpVariable %_ptr_Private_float Private
            %relaxed = OpVariable %_ptr_Private_float Private
            %s = OpVariable %_ptr_Function_S Function
        "#]],
    );
}

#[test]
fn a_type_by_number_is_the_type_of_the_language_where_that_has_it() {
    check(
        "#extension GL_EXT_spirv_intrinsics : require
        #extension GL_KHR_memory_scope_semantics : require
        #extension GL_KHR_cooperative_matrix : require
        layout(local_size_x = 32) in;
        layout(binding = 0) buffer B { uvec4 x[]; } buf;
        #define half spirv_type(capabilities = [9], id = 22, 16)
        coopmat<half, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> A;
        void main() { coopMatLoad(A, buf.x, 0, 2, 0); coopMatStore(A, buf.x, 64, 2, 0); }",
        &["OpTypeFloat", "CooperativeMatrix"],
        expect![[r#"
            OpCapability CooperativeMatrixKHR
            %half = OpTypeFloat 16
            %10 = OpTypeCooperativeMatrixKHR %half %uint_3 %uint_16 %uint_16 %uint_0
            %23 = OpCooperativeMatrixLoadKHR %10 %21 %int_0 %uint_2
            OpCooperativeMatrixStoreKHR %26 %24 %int_0 %uint_2
        "#]],
    );
}

#[test]
fn small_floats_go_by_number_too() {
    check(
        "#extension GL_EXT_spirv_intrinsics : require
        #extension GL_KHR_memory_scope_semantics : require
        #extension GL_KHR_cooperative_matrix : require
        layout(local_size_x = 32) in;
        layout(binding = 0) buffer B { uvec4 x[]; } buf;
        coopmat<spirv_type(id = 22, 16, 0), gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> brain;
        coopmat<spirv_type(id = 22, 8, 4214), gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> tiny;
        void main() { coopMatLoad(brain, buf.x, 0, 2, 0); coopMatLoad(tiny, buf.x, 0, 2, 0); }",
        &["OpTypeFloat", "OpTypeCooperative"],
        expect![[r#"
            %bfloat16 = OpTypeFloat 16 BFloat16KHR
            %10 = OpTypeCooperativeMatrixKHR %bfloat16 %uint_3 %uint_16 %uint_16 %uint_0
            %fp8e4m3 = OpTypeFloat 8 Float8E4M3EXT
            %25 = OpTypeCooperativeMatrixKHR %fp8e4m3 %uint_3 %uint_16 %uint_16 %uint_0
        "#]],
    );
}
