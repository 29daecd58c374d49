//! Specialization values folded into modules, as assembly text.

use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::sources::FileLoader;
use coopmat_codegen::{Compiled, Options, Values, compile, specialize};
use coopmat_spirv::text;
use expect_test::{Expect, expect};

struct NoFiles;

impl FileLoader for NoFiles {
    fn load(&self, _: &str) -> Option<Arc<str>> {
        None
    }
}

fn compiled(source: &str, target_env: TargetEnv) -> Compiled {
    let config = Configuration { target_env, stage: Some(Stage::Compute), ..Configuration::default() };
    let source = format!("#version 460\n{source}");
    let analysis = coopmat_analysis::analyze("test.comp", source.into(), &config, &NoFiles, None);
    match compile(&analysis, &Options::default()) {
        Ok(compiled) => compiled,
        Err(errors) => panic!("{errors:#?}"),
    }
}

/// The module's text, from the execution modes to the first function.
fn check(source: &str, target_env: TargetEnv, values: &[(u32, &str)], defaults: bool, expected: Expect) {
    let compiled = compiled(source, target_env);
    let mut values = Values::parse(&compiled.module, values.iter().copied()).unwrap_or_default();
    values.defaults = defaults;
    let specialized = match specialize(compiled, &values) {
        Ok(specialized) => specialized,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(specialized.map.len(), specialized.module.all_inst_iter().count());
    let options = text::Options { header: false, indent: false, ..text::Options::default() };
    let text = text::disassemble(&specialized.module, &options).text;
    let from = text.find("OpExecutionMode").unwrap_or_default();
    let to = text.find("%main = OpFunction").unwrap_or(text.len());
    let shown: String = text[from..to]
        .lines()
        .filter(|line| !line.contains("OpSource ") && !line.contains("OpMemberName"))
        .map(|line| format!("{line}\n"))
        .collect();
    expected.assert_eq(&shown);
}

/// The errors of values that cannot be given.
fn check_errors(source: &str, values: &[(u32, &str)], expected: Expect) {
    let compiled = compiled(source, TargetEnv::Vulkan1_3);
    let told: Vec<String> = values
        .iter()
        .filter_map(|&value| Values::parse(&compiled.module, [value]).err())
        .map(|error| format!("{error}\n"))
        .collect();
    expected.assert_eq(&told.concat());
}

const SIZES: &str = "layout(local_size_x_id = 0, local_size_y = 2) in;
    layout(constant_id = 1) const uint TILE = 16;
    layout(constant_id = 2) const bool WIDE = false;
    shared float a[TILE * 4 + 1];
    shared float b[65];
    layout(binding = 0) buffer B { uint d[]; };
    void main() {
        a[gl_LocalInvocationIndex] = 1.0;
        b[0] = a[0];
        d[0] = WIDE ? TILE : TILE / 2;
    }";

#[test]
fn expressions_sizes_and_types_follow() {
    check(
        SIZES,
        TargetEnv::Vulkan1_3,
        &[(0, "64"), (1, "0x10"), (2, "true")],
        false,
        expect![[r#"
        OpExecutionMode %main LocalSize 64 2 1
        OpName %main "main"
        OpName %TILE "TILE"
        OpName %a "a"
        OpName %gl_LocalInvocationIndex "gl_LocalInvocationIndex"
        OpName %b "b"
        OpName %B "B"
        OpName %_ ""
        OpName %WIDE "WIDE"
        OpDecorate %gl_LocalInvocationIndex BuiltIn LocalInvocationIndex
        OpDecorate %_runtimearr_uint ArrayStride 4
        OpMemberDecorate %B 0 Offset 0
        OpDecorate %B Block
        OpDecorate %_ Binding 0
        OpDecorate %_ DescriptorSet 0
        %uint = OpTypeInt 32 0
        %uint_64 = OpConstant %uint 64
        %uint_2 = OpConstant %uint 2
        %uint_1 = OpConstant %uint 1
        %void = OpTypeVoid
        %7 = OpTypeFunction %void
        %float = OpTypeFloat 32
        %TILE = OpConstant %uint 16
        %uint_4 = OpConstant %uint 4
        %uint_64_0 = OpConstant %uint 64
        %uint_65 = OpConstant %uint 65
        %_arr_float_uint_65 = OpTypeArray %float %uint_65
        %_ptr_Workgroup__arr_float_uint_65 = OpTypePointer Workgroup %_arr_float_uint_65
        %a = OpVariable %_ptr_Workgroup__arr_float_uint_65 Workgroup
        %_ptr_Input_uint = OpTypePointer Input %uint
        %gl_LocalInvocationIndex = OpVariable %_ptr_Input_uint Input
        %float_1 = OpConstant %float 1
        %_ptr_Workgroup_float = OpTypePointer Workgroup %float
        %uint_65_0 = OpConstant %uint 65
        %b = OpVariable %_ptr_Workgroup__arr_float_uint_65 Workgroup
        %int = OpTypeInt 32 1
        %int_0 = OpConstant %int 0
        %_runtimearr_uint = OpTypeRuntimeArray %uint
        %B = OpTypeStruct %_runtimearr_uint
        %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
        %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
        %bool = OpTypeBool
        %WIDE = OpConstantTrue %bool
        %uint_8 = OpConstant %uint 8
        %uint_16 = OpConstant %uint 16
        %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
    "#]],
    );
}

#[test]
fn what_has_no_value_remains() {
    check(
        SIZES,
        TargetEnv::Vulkan1_3,
        &[(1, "8")],
        false,
        expect![[r#"
        OpExecutionModeId %main LocalSizeId %2 %uint_2 %uint_1
        OpName %main "main"
        OpName %TILE "TILE"
        OpName %a "a"
        OpName %gl_LocalInvocationIndex "gl_LocalInvocationIndex"
        OpName %b "b"
        OpName %B "B"
        OpName %_ ""
        OpName %WIDE "WIDE"
        OpDecorate %2 SpecId 0
        OpDecorate %gl_LocalInvocationIndex BuiltIn LocalInvocationIndex
        OpDecorate %_runtimearr_uint ArrayStride 4
        OpMemberDecorate %B 0 Offset 0
        OpDecorate %B Block
        OpDecorate %_ Binding 0
        OpDecorate %_ DescriptorSet 0
        OpDecorate %WIDE SpecId 2
        %uint = OpTypeInt 32 0
        %2 = OpSpecConstant %uint 1
        %uint_2 = OpConstant %uint 2
        %uint_1 = OpConstant %uint 1
        %void = OpTypeVoid
        %7 = OpTypeFunction %void
        %float = OpTypeFloat 32
        %TILE = OpConstant %uint 8
        %uint_4 = OpConstant %uint 4
        %uint_32 = OpConstant %uint 32
        %uint_33 = OpConstant %uint 33
        %_arr_float_uint_33 = OpTypeArray %float %uint_33
        %_ptr_Workgroup__arr_float_uint_33 = OpTypePointer Workgroup %_arr_float_uint_33
        %a = OpVariable %_ptr_Workgroup__arr_float_uint_33 Workgroup
        %_ptr_Input_uint = OpTypePointer Input %uint
        %gl_LocalInvocationIndex = OpVariable %_ptr_Input_uint Input
        %float_1 = OpConstant %float 1
        %_ptr_Workgroup_float = OpTypePointer Workgroup %float
        %uint_65 = OpConstant %uint 65
        %_arr_float_uint_65 = OpTypeArray %float %uint_65
        %_ptr_Workgroup__arr_float_uint_65 = OpTypePointer Workgroup %_arr_float_uint_65
        %b = OpVariable %_ptr_Workgroup__arr_float_uint_65 Workgroup
        %int = OpTypeInt 32 1
        %int_0 = OpConstant %int 0
        %_runtimearr_uint = OpTypeRuntimeArray %uint
        %B = OpTypeStruct %_runtimearr_uint
        %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
        %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
        %bool = OpTypeBool
        %WIDE = OpSpecConstantFalse %bool
        %uint_4_0 = OpConstant %uint 4
        %39 = OpSpecConstantOp %uint Select %WIDE %TILE %uint_4_0
        %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
    "#]],
    );
}

#[test]
fn before_spirv_1_6_the_size_of_a_workgroup_is_a_decorated_constant() {
    check(
        "layout(local_size_x_id = 0, local_size_y = 2) in;
        layout(binding = 0) buffer B { uint d[]; };
        void main() { d[0] = gl_WorkGroupSize.x; }",
        TargetEnv::Vulkan1_2,
        &[(0, "32")],
        false,
        expect![[r#"
            OpExecutionMode %main LocalSize 32 2 1
            OpName %main "main"
            OpName %B "B"
            OpName %_ ""
            OpDecorate %_runtimearr_uint ArrayStride 4
            OpMemberDecorate %B 0 Offset 0
            OpDecorate %B Block
            OpDecorate %_ Binding 0
            OpDecorate %_ DescriptorSet 0
            OpDecorate %gl_WorkGroupSize BuiltIn WorkgroupSize
            %uint = OpTypeInt 32 0
            %uint_32 = OpConstant %uint 32
            %uint_2 = OpConstant %uint 2
            %uint_1 = OpConstant %uint 1
            %void = OpTypeVoid
            %7 = OpTypeFunction %void
            %_runtimearr_uint = OpTypeRuntimeArray %uint
            %B = OpTypeStruct %_runtimearr_uint
            %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
            %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
            %int = OpTypeInt 32 1
            %int_0 = OpConstant %int 0
            %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
            %v3uint = OpTypeVector %uint 3
            %gl_WorkGroupSize = OpConstantComposite %v3uint %uint_32 %uint_2 %uint_1
        "#]],
    );
}

#[test]
fn matrices_of_one_shape_become_one_type() {
    check(
        "#extension GL_KHR_cooperative_matrix : enable
        #extension GL_KHR_memory_scope_semantics : enable
        layout(constant_id = 0) const uint M = 8;
        layout(binding = 0) buffer B { float d[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, M, 16, gl_MatrixUseAccumulator> a = coopmat<float, gl_ScopeSubgroup, M, 16, gl_MatrixUseAccumulator>(1.0);
            coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> b = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(2.0);
            coopMatStore(a, d, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(b, d, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        }",
        TargetEnv::Vulkan1_3,
        &[(0, "16")],
        false,
        expect![[r#"
            OpExecutionMode %main LocalSize 1 1 1
            OpName %main "main"
            OpName %M "M"
            OpName %a "a"
            OpName %b "b"
            OpName %B "B"
            OpName %_ ""
            OpDecorate %_runtimearr_float ArrayStride 4
            OpMemberDecorate %B 0 Offset 0
            OpDecorate %B Block
            OpDecorate %_ Binding 0
            OpDecorate %_ DescriptorSet 0
            %void = OpTypeVoid
            %3 = OpTypeFunction %void
            %float = OpTypeFloat 32
            %uint = OpTypeInt 32 0
            %uint_3 = OpConstant %uint 3
            %M = OpConstant %uint 16
            %uint_16 = OpConstant %uint 16
            %uint_2 = OpConstant %uint 2
            %11 = OpTypeCooperativeMatrixKHR %float %uint_3 %M %uint_16 %uint_2
            %float_1 = OpConstant %float 1
            %13 = OpConstantComposite %11 %float_1
            %_ptr_Function_11 = OpTypePointer Function %11
            %float_2 = OpConstant %float 2
            %18 = OpConstantComposite %11 %float_2
            %_runtimearr_float = OpTypeRuntimeArray %float
            %B = OpTypeStruct %_runtimearr_float
            %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
            %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
            %int = OpTypeInt 32 1
            %int_0 = OpConstant %int 0
            %uint_0 = OpConstant %uint 0
            %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
        "#]],
    );
}

#[test]
fn defaults_leave_nothing_to_the_pipeline() {
    check(
        "#extension GL_EXT_shader_explicit_arithmetic_types : enable
        layout(constant_id = 0) const float F = 0.5;
        layout(constant_id = 1) const int64_t L = -2l;
        layout(constant_id = 2) const uint8_t S = uint8_t(250);
        layout(binding = 0) buffer B { float f; int64_t l; uint u; };
        void main() { f = F; l = L * 3l; u = uint(S) + 6; }",
        TargetEnv::Vulkan1_3,
        &[(2, "255")],
        true,
        expect![[r#"
            OpExecutionMode %main LocalSize 1 1 1
            OpName %main "main"
            OpName %B "B"
            OpName %_ ""
            OpName %F "F"
            OpName %L "L"
            OpName %S "S"
            OpMemberDecorate %B 0 Offset 0
            OpMemberDecorate %B 1 Offset 8
            OpMemberDecorate %B 2 Offset 16
            OpDecorate %B Block
            OpDecorate %_ Binding 0
            OpDecorate %_ DescriptorSet 0
            %void = OpTypeVoid
            %3 = OpTypeFunction %void
            %float = OpTypeFloat 32
            %long = OpTypeInt 64 1
            %uint = OpTypeInt 32 0
            %B = OpTypeStruct %float %long %uint
            %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
            %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
            %int = OpTypeInt 32 1
            %int_0 = OpConstant %int 0
            %F = OpConstant %float 0.5
            %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
            %int_1 = OpConstant %int 1
            %L = OpConstant %long -2
            %long_3 = OpConstant %long 3
            %long_n6 = OpConstant %long -6
            %_ptr_StorageBuffer_long = OpTypePointer StorageBuffer %long
            %int_2 = OpConstant %int 2
            %uchar = OpTypeInt 8 0
            %S = OpConstant %uchar 255
            %uint_255 = OpConstant %uint 255
            %uint_6 = OpConstant %uint 6
            %uint_261 = OpConstant %uint 261
            %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
        "#]],
    );
}

#[test]
fn errors_name_the_constants_that_there_are() {
    check_errors(
        SIZES,
        &[(7, "1"), (1, "-1"), (1, "lots"), (2, "3"), (0, "4294967296")],
        expect![[r#"
            there is no specialization constant 7: the shader uses 0 (uint32 = 1), 1 (TILE: uint32 = 16), 2 (WIDE: bool = false)
            `-1` cannot be the value of specialization constant 1 (TILE: uint32 = 16): uint32 holds 0 to 4294967295
            `lots` cannot be the value of specialization constant 1 (TILE: uint32 = 16): expected a number of uint32, such as 64 or 0x40
            `3` cannot be the value of specialization constant 2 (WIDE: bool = false): expected true or false
            `4294967296` cannot be the value of specialization constant 0 (uint32 = 1): uint32 holds 0 to 4294967295
        "#]],
    );
    check_errors(
        "void main() { }",
        &[(0, "1")],
        expect![[r#"
        there is no specialization constant 0: the shader has none that it uses
    "#]],
    );
}
