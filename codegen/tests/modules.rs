//! What small shaders become, as assembly text.

use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::sources::FileLoader;
use coopmat_codegen::{Compiled, DebugInfo, Options, compile};
use coopmat_spirv::dr::Operand;
use coopmat_spirv::spirv::{Decoration, Op};
use coopmat_spirv::text;
use expect_test::{Expect, expect};

struct NoFiles;

impl FileLoader for NoFiles {
    fn load(&self, _: &str) -> Option<Arc<str>> {
        None
    }
}

fn analyzed(source: &str, target_env: TargetEnv) -> Analysis {
    let config = Configuration { target_env, stage: Some(Stage::Compute), ..Configuration::default() };
    let source = format!("#version 460\n{source}");
    coopmat_analysis::analyze("test.comp", source.into(), &config, &NoFiles, None)
}

fn compiled(source: &str, target_env: TargetEnv, debug: DebugInfo) -> (Analysis, Compiled) {
    let analysis = analyzed(source, target_env);
    let options = Options { debug, ..Options::default() };
    match compile(&analysis, &options) {
        Ok(compiled) => (analysis, compiled),
        Err(errors) => panic!("{errors:#?}"),
    }
}

/// The text of the module's functions; with `all`, of what stands before them too.
fn shown(compiled: &Compiled, all: bool) -> String {
    let functions = text::function_ranges(&compiled.module);
    let options = text::Options {
        header: false,
        indent: false,
        only: if all { None } else { Some(&functions) },
        ..text::Options::default()
    };
    text::disassemble(&compiled.module, &options).text
}

fn check_functions(source: &str, expected: Expect) {
    expected.assert_eq(&shown(&compiled(source, TargetEnv::Vulkan1_3, DebugInfo::None).1, false));
}

fn check_module(source: &str, expected: Expect) {
    expected.assert_eq(&shown(&compiled(source, TargetEnv::Vulkan1_3, DebugInfo::None).1, true));
}

fn check_errors(source: &str, target_env: TargetEnv, expected: Expect) {
    let analysis = analyzed(source, target_env);
    let errors = match compile(&analysis, &Options::default()) {
        Ok(_) => String::new(),
        Err(errors) => errors
            .iter()
            .map(|error| {
                let file = &analysis.files()[error.location.file];
                let line = file.line_index().line_col(error.location.range.start()).line + 1;
                format!("{line}: {}\n", error.message)
            })
            .collect(),
    };
    expected.assert_eq(&errors);
}

#[test]
fn blocks_have_layouts_and_values_have_none() {
    check_module(
        "#extension GL_EXT_scalar_block_layout : require
        struct S { vec3 a; bool b; };
        layout(std140, binding = 0) uniform U { S s; layout(row_major) mat2x3 m; } u;
        layout(scalar, binding = 1) writeonly buffer B { S s[]; };
        void main() { S l = u.s; s[1] = l; s[2].b = l.b; s[3].a.x = u.m[1].z; }",
        expect![[r#"
            OpCapability Shader
            OpCapability Matrix
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main "main" %u %_
            OpExecutionMode %main LocalSize 1 1 1
            OpSource GLSL 460
            OpName %main "main"
            OpName %S "S"
            OpMemberName %S 0 "a"
            OpMemberName %S 1 "b"
            OpName %U "U"
            OpMemberName %U 0 "s"
            OpMemberName %U 1 "m"
            OpName %u "u"
            OpName %S_0 "S"
            OpMemberName %S_0 0 "a"
            OpMemberName %S_0 1 "b"
            OpName %l "l"
            OpName %S_1 "S"
            OpMemberName %S_1 0 "a"
            OpMemberName %S_1 1 "b"
            OpName %B "B"
            OpMemberName %B 0 "s"
            OpName %_ ""
            OpMemberDecorate %S 0 Offset 0
            OpMemberDecorate %S 1 Offset 12
            OpMemberDecorate %U 0 Offset 0
            OpMemberDecorate %U 1 RowMajor
            OpMemberDecorate %U 1 MatrixStride 16
            OpMemberDecorate %U 1 Offset 16
            OpDecorate %U Block
            OpDecorate %u Binding 0
            OpDecorate %u DescriptorSet 0
            OpMemberDecorate %S_1 0 Offset 0
            OpMemberDecorate %S_1 1 Offset 12
            OpDecorate %_runtimearr_S_1 ArrayStride 16
            OpMemberDecorate %B 0 Offset 0
            OpMemberDecorate %B 0 NonReadable
            OpDecorate %B Block
            OpDecorate %_ Binding 1
            OpDecorate %_ DescriptorSet 0
            OpDecorate %_ NonReadable
            %void = OpTypeVoid
            %3 = OpTypeFunction %void
            %float = OpTypeFloat 32
            %v3float = OpTypeVector %float 3
            %uint = OpTypeInt 32 0
            %S = OpTypeStruct %v3float %uint
            %mat2v3float = OpTypeMatrix %v3float 2
            %U = OpTypeStruct %S %mat2v3float
            %_ptr_Uniform_U = OpTypePointer Uniform %U
            %u = OpVariable %_ptr_Uniform_U Uniform
            %int = OpTypeInt 32 1
            %int_0 = OpConstant %int 0
            %_ptr_Uniform_S = OpTypePointer Uniform %S
            %bool = OpTypeBool
            %S_0 = OpTypeStruct %v3float %bool
            %uint_0 = OpConstant %uint 0
            %_ptr_Function_S_0 = OpTypePointer Function %S_0
            %S_1 = OpTypeStruct %v3float %uint
            %_runtimearr_S_1 = OpTypeRuntimeArray %S_1
            %B = OpTypeStruct %_runtimearr_S_1
            %_ptr_StorageBuffer_B = OpTypePointer StorageBuffer %B
            %_ = OpVariable %_ptr_StorageBuffer_B StorageBuffer
            %int_1 = OpConstant %int 1
            %uint_1 = OpConstant %uint 1
            %_ptr_StorageBuffer_S_1 = OpTypePointer StorageBuffer %S_1
            %int_2 = OpConstant %int 2
            %_ptr_Function_bool = OpTypePointer Function %bool
            %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
            %int_3 = OpConstant %int 3
            %uint_2 = OpConstant %uint 2
            %_ptr_Uniform_float = OpTypePointer Uniform %float
            %_ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
            %main = OpFunction %void None %3
            %4 = OpLabel
            %l = OpVariable %_ptr_Function_S_0 Function
            %16 = OpAccessChain %_ptr_Uniform_S %u %int_0
            %17 = OpLoad %S %16
            %20 = OpCompositeExtract %v3float %17 0
            %21 = OpCompositeExtract %uint %17 1
            %23 = OpINotEqual %bool %21 %uint_0
            %24 = OpCompositeConstruct %S_0 %20 %23
            OpStore %l %24
            %33 = OpLoad %S_0 %l
            %34 = OpCompositeExtract %v3float %33 0
            %35 = OpCompositeExtract %bool %33 1
            %37 = OpSelect %uint %35 %uint_1 %uint_0
            %38 = OpCompositeConstruct %S_1 %34 %37
            %40 = OpAccessChain %_ptr_StorageBuffer_S_1 %_ %int_0 %int_1
            OpStore %40 %38
            %43 = OpAccessChain %_ptr_Function_bool %l %int_1
            %44 = OpLoad %bool %43
            %45 = OpSelect %uint %44 %uint_1 %uint_0
            %47 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_2 %int_1
            OpStore %47 %45
            %51 = OpAccessChain %_ptr_Uniform_float %u %int_1 %int_1 %uint_2
            %52 = OpLoad %float %51
            %54 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3 %int_0 %uint_0
            OpStore %54 %52
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn only_what_main_reaches_is_compiled_and_parameters_are_values() {
    check_functions(
        "layout(binding = 0) buffer B { float d[]; };
        float unused(float x) { return x; }
        float twice(float x) { return 2.0 * x; }
        void both(inout float x, float y) { y += x; x = twice(y); }
        void main() { float a = d[0]; both(a, d[1]); both(d[2], a); d[3] = a; }",
        expect![[r#"
            %main = OpFunction %void None %3
            %4 = OpLabel
            %a = OpVariable %_ptr_Function_float Function
            %25 = OpVariable %_ptr_Function_float Function
            %13 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
            %14 = OpLoad %float %13
            OpStore %a %14
            %19 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
            %20 = OpLoad %float %19
            %21 = OpFunctionCall %void %both %a %20
            %23 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
            %24 = OpLoad %float %23
            OpStore %25 %24
            %26 = OpLoad %float %a
            %27 = OpFunctionCall %void %both %25 %26
            %28 = OpLoad %float %25
            OpStore %23 %28
            %30 = OpLoad %float %a
            %31 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
            OpStore %31 %30
            OpReturn
            OpFunctionEnd
            %both = OpFunction %void None %32
            %x = OpFunctionParameter %_ptr_Function_float
            %y = OpFunctionParameter %float
            %35 = OpLabel
            %y_0 = OpVariable %_ptr_Function_float Function
            OpStore %y_0 %y
            %37 = OpLoad %float %x
            %38 = OpLoad %float %y_0
            %39 = OpFAdd %float %38 %37
            OpStore %y_0 %39
            %41 = OpLoad %float %y_0
            %42 = OpFunctionCall %float %twice %41
            OpStore %x %42
            OpReturn
            OpFunctionEnd
            %twice = OpFunction %float None %43
            %x_0 = OpFunctionParameter %float
            %45 = OpLabel
            %47 = OpFMul %float %float_2 %x_0
            OpReturnValue %47
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn the_right_side_of_a_logical_operator_is_guarded_where_it_reads_memory() {
    check_functions(
        "layout(binding = 0) buffer B { int d[]; };
        void main() {
            int i = d[0];
            bool cheap = i > 2 && i < 5;
            bool guarded = i < 9 || d[i] > 0;
            d[1] = cheap ? i : 3;
            d[2] = guarded ? d[i] : 4;
        }",
        expect![[r#"
            %main = OpFunction %void None %3
            %4 = OpLabel
            %12 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
            %13 = OpLoad %int %12
            %16 = OpSGreaterThan %bool %13 %int_2
            %18 = OpSLessThan %bool %13 %int_5
            %19 = OpLogicalAnd %bool %16 %18
            %21 = OpSLessThan %bool %13 %int_9
            OpSelectionMerge %23 None
            OpBranchConditional %21 %23 %22
            %22 = OpLabel
            %24 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %13
            %25 = OpLoad %int %24
            %26 = OpSGreaterThan %bool %25 %int_0
            OpBranch %23
            %23 = OpLabel
            %27 = OpPhi %bool %21 %4 %26 %22
            %30 = OpSelect %int %19 %13 %int_3
            %31 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_1
            OpStore %31 %30
            OpSelectionMerge %34 None
            OpBranchConditional %27 %32 %33
            %32 = OpLabel
            %35 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %13
            %36 = OpLoad %int %35
            OpBranch %34
            %33 = OpLabel
            OpBranch %34
            %34 = OpLabel
            %38 = OpPhi %int %36 %32 %int_4 %33
            %39 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_2
            OpStore %39 %38
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn cases_fall_through_and_loops_continue() {
    check_functions(
        "#extension GL_EXT_control_flow_attributes : enable
        layout(binding = 0) buffer B { int d[]; };
        void main() {
            int n = 0;
            [[unroll]] for (int i = 0; i < 4; i++) {
                switch (i) {
                    case 0: continue;
                    case 1: n += 1;
                    case 2: case 3: n += 2; break;
                    default: return;
                }
            }
            do { n--; } while (n > 3);
            d[0] = n;
        }",
        expect![[r#"
            %main = OpFunction %void None %3
            %4 = OpLabel
            %n = OpVariable %_ptr_Function_int Function
            %i = OpVariable %_ptr_Function_int Function
            OpStore %n %int_0
            OpStore %i %int_0
            OpBranch %10
            %10 = OpLabel
            %14 = OpLoad %int %i
            %17 = OpSLessThan %bool %14 %int_4
            OpLoopMerge %13 %12 Unroll
            OpBranchConditional %17 %11 %13
            %11 = OpLabel
            %18 = OpLoad %int %i
            OpSelectionMerge %19 None
            OpSwitch %18 %23 0 %20 1 %21 2 %22 3 %22
            %20 = OpLabel
            OpBranch %12
            %21 = OpLabel
            %25 = OpLoad %int %n
            %26 = OpIAdd %int %25 %int_1
            OpStore %n %26
            OpBranch %22
            %22 = OpLabel
            %28 = OpLoad %int %n
            %29 = OpIAdd %int %28 %int_2
            OpStore %n %29
            OpBranch %19
            %23 = OpLabel
            OpReturn
            %19 = OpLabel
            OpBranch %12
            %12 = OpLabel
            %30 = OpLoad %int %i
            %31 = OpIAdd %int %30 %int_1
            OpStore %i %31
            OpBranch %10
            %13 = OpLabel
            OpBranch %32
            %32 = OpLabel
            OpLoopMerge %35 %34 None
            OpBranch %33
            %33 = OpLabel
            %36 = OpLoad %int %n
            %37 = OpISub %int %36 %int_1
            OpStore %n %37
            OpBranch %34
            %34 = OpLabel
            %38 = OpLoad %int %n
            %40 = OpSGreaterThan %bool %38 %int_3
            OpBranchConditional %40 %32 %35
            %35 = OpLabel
            %45 = OpLoad %int %n
            %47 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
            OpStore %47 %45
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn equal_sizes_are_one_constant() {
    check_module(
        "layout(local_size_x_id = 9) in;
        layout(constant_id = 0) const uint A = 4;
        layout(constant_id = 1) const int B = 2;
        shared float x[A + uint(B)];
        shared float y[uint(B) + A];
        const uint C = A / 2;
        layout(binding = 0) buffer O { uint o[]; };
        void main() { x[1] = y[1]; o[C] = C + gl_WorkGroupSize.x; }",
        expect![[r#"
            OpCapability Shader
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main "main" %x %y %_
            OpExecutionModeId %main LocalSizeId %2 %uint_1 %uint_1
            OpSource GLSL 460
            OpName %main "main"
            OpName %A "A"
            OpName %B "B"
            OpName %x "x"
            OpName %y "y"
            OpName %O "O"
            OpMemberName %O 0 "o"
            OpName %_ ""
            OpDecorate %2 SpecId 9
            OpDecorate %A SpecId 0
            OpDecorate %B SpecId 1
            OpDecorate %_runtimearr_uint ArrayStride 4
            OpMemberDecorate %O 0 Offset 0
            OpDecorate %O Block
            OpDecorate %_ Binding 0
            OpDecorate %_ DescriptorSet 0
            %uint = OpTypeInt 32 0
            %2 = OpSpecConstant %uint 1
            %uint_1 = OpConstant %uint 1
            %void = OpTypeVoid
            %6 = OpTypeFunction %void
            %float = OpTypeFloat 32
            %A = OpSpecConstant %uint 4
            %int = OpTypeInt 32 1
            %B = OpSpecConstant %int 2
            %uint_0 = OpConstant %uint 0
            %13 = OpSpecConstantOp %uint IAdd %B %uint_0
            %14 = OpSpecConstantOp %uint IAdd %A %13
            %_arr_float_14 = OpTypeArray %float %14
            %_ptr_Workgroup__arr_float_14 = OpTypePointer Workgroup %_arr_float_14
            %x = OpVariable %_ptr_Workgroup__arr_float_14 Workgroup
            %int_1 = OpConstant %int 1
            %y = OpVariable %_ptr_Workgroup__arr_float_14 Workgroup
            %_ptr_Workgroup_float = OpTypePointer Workgroup %float
            %_runtimearr_uint = OpTypeRuntimeArray %uint
            %O = OpTypeStruct %_runtimearr_uint
            %_ptr_StorageBuffer_O = OpTypePointer StorageBuffer %O
            %_ = OpVariable %_ptr_StorageBuffer_O StorageBuffer
            %int_0 = OpConstant %int 0
            %uint_2 = OpConstant %uint 2
            %30 = OpSpecConstantOp %uint UDiv %A %uint_2
            %31 = OpSpecConstantOp %uint IAdd %30 %2
            %_ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
            %main = OpFunction %void None %6
            %7 = OpLabel
            %21 = OpAccessChain %_ptr_Workgroup_float %y %int_1
            %22 = OpLoad %float %21
            %23 = OpAccessChain %_ptr_Workgroup_float %x %int_1
            OpStore %23 %22
            %33 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %30
            OpStore %33 %31
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn addresses_are_pointers_with_alignment() {
    check_functions(
        "#extension GL_EXT_buffer_reference2 : enable
        layout(buffer_reference) buffer Node;
        layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { int v; Node next; vec3 q[4]; };
        layout(binding = 0) buffer B { Node root; };
        void main() { Node n = root.next; n.q[n.v].y = 1.0; Node m = n + 2; m.v = n[1].v; }",
        expect![[r#"
            %main = OpFunction %void None %3
            %4 = OpLabel
            %18 = OpAccessChain %_ptr_StorageBuffer__ptr_PhysicalStorageBuffer_Node %_ %int_0
            %19 = OpLoad %_ptr_PhysicalStorageBuffer_Node %18
            %22 = OpAccessChain %_ptr_PhysicalStorageBuffer__ptr_PhysicalStorageBuffer_Node %19 %int_1
            %23 = OpLoad %_ptr_PhysicalStorageBuffer_Node %22 Aligned 8
            %26 = OpAccessChain %_ptr_PhysicalStorageBuffer_int %23 %int_0
            %27 = OpLoad %int %26 Aligned 8
            %31 = OpAccessChain %_ptr_PhysicalStorageBuffer_float %23 %int_2 %27 %uint_1
            OpStore %31 %float_1 Aligned 4
            %34 = OpConvertPtrToU %ulong %23
            %35 = OpSConvert %long %int_2
            %36 = OpBitcast %ulong %35
            %38 = OpIMul %ulong %36 %ulong_80
            %39 = OpIAdd %ulong %34 %38
            %40 = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Node %39
            %41 = OpConvertPtrToU %ulong %23
            %42 = OpSConvert %long %int_1
            %43 = OpBitcast %ulong %42
            %44 = OpIMul %ulong %43 %ulong_80
            %45 = OpIAdd %ulong %41 %44
            %46 = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Node %45
            %47 = OpAccessChain %_ptr_PhysicalStorageBuffer_int %46 %int_0
            %48 = OpLoad %int %47 Aligned 8
            %49 = OpAccessChain %_ptr_PhysicalStorageBuffer_int %40 %int_0
            OpStore %49 %48 Aligned 8
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn matrices_components_and_swizzles() {
    check_functions(
        "layout(binding = 0) buffer B { mat3 m; vec4 v; vec3 r; };
        void main() {
            int i = int(v.x);
            mat2 s = mat2(m);
            s = s * 2.0 + s;
            v.wzyx = vec4(s[0], s[i]);
            v.xz += vec2(1);
            v.yzw[i] = 3.0;
            r = m * r;
        }",
        expect![[r#"
            %main = OpFunction %void None %3
            %4 = OpLabel
            %s = OpVariable %_ptr_Function_mat2v2float Function
            %17 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_1 %uint_0
            %18 = OpLoad %float %17
            %19 = OpConvertFToS %int %18
            %24 = OpAccessChain %_ptr_StorageBuffer_mat3v3float %_ %int_0
            %25 = OpLoad %mat3v3float %24
            %28 = OpCompositeExtract %v3float %25 0
            %29 = OpVectorShuffle %v2float %28 %28 0 1
            %30 = OpCompositeExtract %v3float %25 1
            %31 = OpVectorShuffle %v2float %30 %30 0 1
            %32 = OpCompositeConstruct %mat2v2float %29 %31
            OpStore %s %32
            %35 = OpLoad %mat2v2float %s
            %37 = OpMatrixTimesScalar %mat2v2float %35 %float_2
            %38 = OpLoad %mat2v2float %s
            %39 = OpCompositeExtract %v2float %37 0
            %40 = OpCompositeExtract %v2float %38 0
            %41 = OpFAdd %v2float %39 %40
            %42 = OpCompositeExtract %v2float %37 1
            %43 = OpCompositeExtract %v2float %38 1
            %44 = OpFAdd %v2float %42 %43
            %45 = OpCompositeConstruct %mat2v2float %41 %44
            OpStore %s %45
            %47 = OpAccessChain %_ptr_Function_v2float %s %int_0
            %48 = OpLoad %v2float %47
            %49 = OpAccessChain %_ptr_Function_v2float %s %19
            %50 = OpLoad %v2float %49
            %51 = OpCompositeConstruct %v4float %48 %50
            %52 = OpVectorShuffle %v4float %51 %51 3 2 1 0
            %54 = OpAccessChain %_ptr_StorageBuffer_v4float %_ %int_1
            OpStore %54 %52
            %56 = OpAccessChain %_ptr_StorageBuffer_v4float %_ %int_1
            %57 = OpLoad %v4float %56
            %58 = OpVectorShuffle %v2float %57 %57 0 2
            %59 = OpFAdd %v2float %58 %55
            %60 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_1 %uint_0
            %61 = OpCompositeExtract %float %59 0
            OpStore %60 %61
            %63 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_1 %uint_2
            %64 = OpCompositeExtract %float %59 1
            OpStore %63 %64
            %69 = OpVectorExtractDynamic %uint %68 %19
            %71 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_1 %69
            OpStore %71 %float_3
            %73 = OpAccessChain %_ptr_StorageBuffer_mat3v3float %_ %int_0
            %74 = OpLoad %mat3v3float %73
            %76 = OpAccessChain %_ptr_StorageBuffer_v3float %_ %int_2
            %77 = OpLoad %v3float %76
            %78 = OpMatrixTimesVector %v3float %74 %77
            %79 = OpAccessChain %_ptr_StorageBuffer_v3float %_ %int_2
            OpStore %79 %78
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn an_error_names_the_target_that_is_needed() {
    check_errors(
        "#pragma use_vulkan_memory_model
        layout(binding = 0) buffer B { uint d; };
        void main() { d = 1; }",
        TargetEnv::Vulkan1_0,
        expect![[r#"
            4: the Vulkan memory model needs SPIR-V 1.3, which vulkan1.0 does not support: choose vulkan1.1 or later
        "#]],
    );
    check_errors(
        "void main() { int x = y; }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
        2: the shader has errors: `y` is not declared
    "#]],
    );
}

#[test]
fn lines_lead_to_the_source_and_back() {
    let source = "layout(binding = 0) buffer B { float d[]; };
#define TWICE(x) (x * 2.0)
void main() {
    float a = d[0];
    d[1] = TWICE(a);
}";
    let (analysis, compiled) = compiled(source, TargetEnv::Vulkan1_3, DebugInfo::Full);
    let all: Vec<_> = compiled.module.all_inst_iter().collect();
    assert_eq!(all.len(), compiled.map.len());
    let index = all.iter().position(|inst| inst.class.opname == "FMul").expect("a multiplication");
    let place = compiled.map.place(&analysis, index).expect("a place");
    let text = &analysis.files()[place.location.file].text;
    assert_eq!(&text[place.location.range], "TWICE(a)");
    let back = compiled.map.instructions(&analysis, place.location);
    assert!(back.contains(&index));
}

#[test]
fn precise_and_mediump_results_are_decorated() {
    let source = "layout(binding = 0) buffer B { mediump float m[2]; float h; };
        void main() {
            mediump float x = m[0] * m[1];
            float t = h * h;
            precise float y = t + h;
            float free = h * 3.0 + 1.0;
            h = x + y + free;
        }";
    let (_, compiled) = compiled(source, TargetEnv::Vulkan1_3, DebugInfo::None);
    let text = shown(&compiled, true);
    let of_interest = |line: &&str| {
        ["RelaxedPrecision", "NoContraction", "FMul", "FAdd"].iter().any(|word| line.contains(word))
    };
    let lines: Vec<&str> = text.lines().filter(of_interest).collect();
    expect![[r#"
        OpMemberDecorate %B 0 RelaxedPrecision
        OpDecorate %16 RelaxedPrecision
        OpDecorate %19 RelaxedPrecision
        OpDecorate %20 RelaxedPrecision
        OpDecorate %25 NoContraction
        OpDecorate %28 NoContraction
        %20 = OpFMul %float %16 %19
        %25 = OpFMul %float %22 %24
        %28 = OpFAdd %float %25 %27
        %32 = OpFMul %float %30 %float_3
        %34 = OpFAdd %float %32 %float_1
        %35 = OpFAdd %float %20 %28
        %36 = OpFAdd %float %35 %34"#]]
    .assert_eq(&lines.join("\n"));
}

/// SPIR-V has each decoration of an id once. A constant is shared with expressions of full precision and has none.
#[test]
fn what_an_expression_passes_on_is_decorated_once() {
    let source = "layout(binding = 0) buffer B { mediump vec4 v[2]; float h; };
        void main() {
            mediump vec4 a = v[0];
            a = a * 2.0;
            a = max(a, vec4(1.0)).wzyx;
            a.xy += a.zw;
            mediump float f = (a.x = a.y);
            const mediump float third = 0.25;
            f = f * third;
            h = h * 0.25;
            v[1] = a * f;
        }";
    let (_, compiled) = compiled(source, TargetEnv::Vulkan1_3, DebugInfo::None);
    let relaxed: Vec<_> = (compiled.module.annotations.iter())
        .filter(|decoration| decoration.operands.contains(&Operand::Decoration(Decoration::RelaxedPrecision)))
        .filter_map(|decoration| decoration.operands.first().cloned())
        .collect();
    for (index, id) in relaxed.iter().enumerate() {
        assert!(!relaxed[..index].contains(id), "{id:?} is decorated twice");
    }
    for constant in &compiled.module.types_global_values {
        let id = constant.result_id.map(Operand::IdRef);
        assert!(
            constant.class.opcode != Op::Constant || !relaxed.iter().any(|other| Some(other) == id.as_ref())
        );
    }
    assert!(relaxed.len() > 8, "{relaxed:?}");
}

/// A string of a module ends at its first zero; a comment may hold one all the same, and lines behind it are asked for.
#[test]
fn a_zero_in_the_source_does_not_end_its_debug_information() {
    let source = "// zero: \0.\nlayout(binding = 0) buffer B { float d[]; };\nvoid main() { d[0] = 1.0; }";
    let (_, compiled) = compiled(source, TargetEnv::Vulkan1_3, DebugInfo::Full);
    let strings: Vec<&str> = (compiled.module.debug_string_source.iter())
        .flat_map(|line| &line.operands)
        .filter_map(|operand| match operand {
            Operand::LiteralString(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(strings.iter().any(|text| text.contains("// zero:  .\n")), "{strings:?}");
    assert!(strings.iter().all(|text| !text.contains('\0')), "{strings:?}");
}

/// spirv-val holds columns against the lines of the text, and for it a carriage return alone ends one.
#[test]
fn a_lone_carriage_return_ends_no_line_of_debug_information() {
    let source = "layout(binding = 0) buffer B { float d[]; };\rvoid main() {\r\n d[0] = 1.0; }";
    let (_, compiled) = compiled(source, TargetEnv::Vulkan1_3, DebugInfo::Full);
    let has = |wanted: &str| {
        (compiled.module.debug_string_source.iter())
            .flat_map(|line| &line.operands)
            .any(|operand| matches!(operand, Operand::LiteralString(text) if text.contains(wanted)))
    };
    assert!(has("}; void main() {\r\n d[0]"));
}

#[test]
fn coherence_has_a_scope() {
    check_functions(
        "#extension GL_KHR_memory_scope_semantics : enable
        #pragma use_vulkan_memory_model
        layout(binding = 0) workgroupcoherent buffer B { uint n; };
        layout(binding = 1) nonprivate buffer C { uint p; };
        layout(binding = 2) buffer D { uint q; };
        layout(binding = 3) coherent nonprivate buffer E { uint r; };
        shared uint s;
        void main() { n = p; s = q; p = s; r = n; }",
        expect![[r#"
            %main = OpFunction %void None %3
            %4 = OpLabel
            %15 = OpAccessChain %_ptr_StorageBuffer_uint %__0 %int_0
            %16 = OpLoad %uint %15 NonPrivatePointer
            %17 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0
            OpStore %17 %16 MakePointerAvailable|NonPrivatePointer %uint_2
            %24 = OpAccessChain %_ptr_StorageBuffer_uint %__1 %int_0
            %25 = OpLoad %uint %24
            OpStore %s %25 MakePointerAvailable|NonPrivatePointer %uint_2
            %26 = OpLoad %uint %s MakePointerVisible|NonPrivatePointer %uint_2
            %27 = OpAccessChain %_ptr_StorageBuffer_uint %__0 %int_0
            OpStore %27 %26 NonPrivatePointer
            %31 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0
            %32 = OpLoad %uint %31 MakePointerVisible|NonPrivatePointer %uint_2
            %33 = OpAccessChain %_ptr_StorageBuffer_uint %__2 %int_0
            OpStore %33 %32 MakePointerAvailable|NonPrivatePointer %uint_5
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

/// SPIR-V has no constant operation that compares floats in shaders: `C` is computed by `main`, and so is what is made of it.
#[test]
fn constants_are_made_of_constants_alone() {
    let source = "layout(constant_id = 0) const uint A = 4;
        layout(binding = 0) buffer B { uint d[]; };
        void main() {
            const uint C = (A != 0.5) ? 1 : 2;
            const uint D = A * 8 / C;
            const uint E = A * 8 / 2;
            d[gl_LocalInvocationIndex % D] = C + E;
        }";
    let (_, compiled) = compiled(source, TargetEnv::Vulkan1_3, DebugInfo::None);
    let mut defined = Vec::new();
    let mut operations = 0;
    for instruction in &compiled.module.types_global_values {
        operations += usize::from(instruction.class.opcode == Op::SpecConstantOp);
        for operand in &instruction.operands {
            if let Operand::IdRef(id) = operand {
                assert!(defined.contains(id), "%{id} stands in {instruction:?} and is not defined before");
            }
        }
        defined.extend(instruction.result_id);
    }
    assert!(operations >= 2, "`A * 8 / 2` needs no instruction of a function");
}

#[test]
fn long_chains_of_operators_are_no_danger() {
    let sum = "+ d[0] ".repeat(20_000);
    let and = "&& d[1] > 0.0 ".repeat(3_000);
    let constants = "+ A ".repeat(5_000);
    let source = format!(
        "layout(constant_id = 0) const uint A = 1;
        layout(binding = 0) buffer B {{ float d[]; }};
        void main() {{ d[0] = 1.0 {sum}; if (true {and}) d[1] = float(A {constants}); }}"
    );
    let (_, compiled) = compiled(&source, TargetEnv::Vulkan1_3, DebugInfo::None);
    assert!(compiled.map.len() > 20_000);
}
