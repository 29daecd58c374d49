//! What modules say of their source: lines, texts, names, and where variables can be seen.

use std::fmt::Write as _;

use coopmat_spirv::assembly::read;
use coopmat_spirv::debug::{DebugInfo, names};
use coopmat_spirv::dr::Module;
use coopmat_spirv::load_bytes;
use expect_test::{Expect, expect};

use crate::support::MODULES;

/// Each instruction of a function that comes from another line than the one before, with the source's line.
fn shown(module: &Module, expected: Expect) {
    let debug = DebugInfo::of(module);
    let mut out = String::new();
    for file in &debug.files {
        let lines = file.text.as_ref().map(|text| text.lines().count());
        let _ = writeln!(out, "{}: {lines:?} lines", file.name);
    }
    let mut last = None;
    let globals = module.global_inst_iter().count();
    for (instruction, place) in module.all_inst_iter().zip(&debug.places).skip(globals) {
        let name = instruction.class.opname;
        if matches!(name, "Line" | "NoLine" | "ExtInst") || *place == last {
            continue;
        }
        last = *place;
        let _ = match place {
            Some(place) => writeln!(
                out,
                "{name} {}:{}-{}:{}: {}",
                place.line,
                place.column,
                place.end_line,
                place.end_column,
                debug.line(place.file, place.line).unwrap_or_default().trim()
            ),
            None => writeln!(out, "{name} nowhere"),
        };
    }
    for (variable, first, last) in &debug.scopes {
        let id = module.all_inst_iter().nth(*variable as usize).and_then(|one| one.result_id);
        let _ = writeln!(out, "%{} in {first} to {last}", id.unwrap_or_default());
    }
    let mut names: Vec<(u32, String)> = names(module).into_iter().collect();
    names.sort();
    let _ = writeln!(out, "{names:?}");
    expected.assert_eq(&out);
}

#[test]
fn debugging_instructions_of_glslang() {
    let (_, bytes) = MODULES.iter().find(|(name, _)| *name == "sub_array_debug").unwrap();
    shown(
        &load_bytes(bytes).unwrap(),
        expect![[r#"
            examples/qcom/sub_array.comp: Some(35) lines
            Function 15:0-15:0: void main() {
            Label nowhere
            Variable 16:0-16:0: uint base = gl_SubgroupInvocationID * 32;
            Variable 17:0-17:0: float32_t accumulated[32];
            Variable 18:0-18:0: for (uint i = 0; i < 32; ++i) {
            Variable 22:0-22:0: float32_t part[8];
            Variable 24:0-24:0: float total = part[0];
            Variable 30:0-30:0: float32_t byHand[8];
            Variable 31:0-31:0: for (uint i = 0; i < 8; ++i) {
            Load 16:0-16:0: uint base = gl_SubgroupInvocationID * 32;
            Store 18:0-18:0: for (uint i = 0; i < 32; ++i) {
            Label nowhere
            LoopMerge 18:0-18:0: for (uint i = 0; i < 32; ++i) {
            Label nowhere
            Load 18:0-18:0: for (uint i = 0; i < 32; ++i) {
            Label nowhere
            Load 19:0-19:0: accumulated[i] = values[base + i];
            Label nowhere
            Load 18:0-18:0: for (uint i = 0; i < 32; ++i) {
            Label nowhere
            Load 23:0-23:0: extractSubArrayQCOM(accumulated, 0, part);
            AccessChain 24:0-24:0: float total = part[0];
            Load 25:0-25:0: extractSubArrayQCOM(accumulated, 8, part);
            AccessChain 26:0-26:0: total += part[0];
            Load 27:0-27:0: extractSubArrayQCOM(accumulated, 24, part);
            AccessChain 28:0-28:0: total += part[0];
            Store 31:0-31:0: for (uint i = 0; i < 8; ++i) {
            Label nowhere
            LoopMerge 31:0-31:0: for (uint i = 0; i < 8; ++i) {
            Label nowhere
            Load 31:0-31:0: for (uint i = 0; i < 8; ++i) {
            Label nowhere
            Load 32:0-32:0: byHand[i] = accumulated[24 + i];
            Label nowhere
            Load 31:0-31:0: for (uint i = 0; i < 8; ++i) {
            Label nowhere
            Load 34:0-34:0: values[base] = total - byHand[0];
            Return 35:0-35:0: }
            FunctionEnd nowhere
            %54 in 16 to 35
            %72 in 17 to 35
            %81 in 18 to 19
            %128 in 22 to 35
            %139 in 24 to 35
            %167 in 30 to 35
            %175 in 31 to 32
            [(14, "main"), (54, "base"), (63, "gl_SubgroupInvocationID"), (72, "accumulated"), (81, "i"), (128, "part"), (139, "total"), (167, "byHand"), (175, "i"), (217, "gl_WorkGroupSize")]
        "#]],
    );
}

#[test]
fn lines_of_glslang() {
    let (_, bytes) = MODULES.iter().find(|(name, _)| *name == "sub_array_lines").unwrap();
    shown(
        &load_bytes(bytes).unwrap(),
        expect![[r#"
        examples/qcom/sub_array.comp: Some(35) lines
        Function 15:11-15:11: void main() {
        Load 16:0-16:0: uint base = gl_SubgroupInvocationID * 32;
        Store 18:0-18:0: for (uint i = 0; i < 32; ++i) {
        Label nowhere
        LoopMerge 18:0-18:0: for (uint i = 0; i < 32; ++i) {
        Label nowhere
        Load 18:0-18:0: for (uint i = 0; i < 32; ++i) {
        Label nowhere
        Load 19:0-19:0: accumulated[i] = values[base + i];
        Label nowhere
        Load 18:0-18:0: for (uint i = 0; i < 32; ++i) {
        Label nowhere
        Load 23:0-23:0: extractSubArrayQCOM(accumulated, 0, part);
        AccessChain 24:0-24:0: float total = part[0];
        Load 25:0-25:0: extractSubArrayQCOM(accumulated, 8, part);
        AccessChain 26:0-26:0: total += part[0];
        Load 27:0-27:0: extractSubArrayQCOM(accumulated, 24, part);
        AccessChain 28:0-28:0: total += part[0];
        Store 31:0-31:0: for (uint i = 0; i < 8; ++i) {
        Label nowhere
        LoopMerge 31:0-31:0: for (uint i = 0; i < 8; ++i) {
        Label nowhere
        Load 31:0-31:0: for (uint i = 0; i < 8; ++i) {
        Label nowhere
        Load 32:0-32:0: byHand[i] = accumulated[24 + i];
        Label nowhere
        Load 31:0-31:0: for (uint i = 0; i < 8; ++i) {
        Label nowhere
        Load 34:0-34:0: values[base] = total - byHand[0];
        Return 35:0-35:0: }
        FunctionEnd nowhere
        []
    "#]],
    );
}

/// As `dxc -fspv-debug=vulkan-with-source` and `slangc -g` write them: lines with columns, a text in parts, no `OpName`.
#[test]
fn columns_texts_in_parts_and_names_without_op_name() {
    let text = r#"
        OpCapability Shader
        OpExtension "SPV_KHR_non_semantic_info"
        %set = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main"
        OpExecutionMode %main LocalSize 1 1 1
        %file = OpString "scale.slang"
        %text = OpString "void scale() {
    float x"
        %more = OpString " = 1;
}
"
        %name = OpString "scale"
        %x_name = OpString "x"
        %void = OpTypeVoid
        %float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
        %ptr = OpTypePointer Function %float
        %0u = OpConstant %uint 0
        %1u = OpConstant %uint 1
        %2u = OpConstant %uint 2
        %3u = OpConstant %uint 3
        %5u = OpConstant %uint 5
        %15u = OpConstant %uint 15
        %11u = OpConstant %uint 11
        %one = OpConstant %float 1
        %type = OpTypeFunction %void
        %source = OpExtInst %void %set DebugSource %file %text
        %continued = OpExtInst %void %set DebugSourceContinued %more
        %unit = OpExtInst %void %set DebugCompilationUnit %1u %5u %source %11u
        %basic = OpExtInst %void %set DebugTypeBasic %name %5u %3u %0u
        %signature = OpExtInst %void %set DebugTypeFunction %0u %void
        %function = OpExtInst %void %set DebugFunction %name %signature %source %1u %1u %unit %name %0u %1u
        %block = OpExtInst %void %set DebugLexicalBlock %source %2u %1u %function
        %variable = OpExtInst %void %set DebugLocalVariable %x_name %basic %source %2u %11u %block %0u
        %expression = OpExtInst %void %set DebugExpression
        %main = OpFunction %void None %type
        %entry = OpLabel
        %x = OpVariable %ptr Function
        %d1 = OpExtInst %void %set DebugFunctionDefinition %function %main
        %d2 = OpExtInst %void %set DebugScope %block
        %d3 = OpExtInst %void %set DebugDeclare %variable %x %expression
        %d4 = OpExtInst %void %set DebugLine %source %2u %2u %5u %15u
        OpStore %x %one
        %d5 = OpExtInst %void %set DebugNoLine
        %y = OpLoad %float %x
        OpBranch %next
        %next = OpLabel
        %d6 = OpExtInst %void %set DebugLine %source %3u %3u %1u %2u
        OpReturn
        OpFunctionEnd
    "#;
    shown(
        &read(text).unwrap(),
        expect![[r#"
        scale.slang: Some(3) lines
        Function 1:1-1:1: void scale() {
        Label nowhere
        Variable 2:11-2:11: float x = 1;
        Store 2:5-2:15: float x = 1;
        Load nowhere
        Return 3:1-3:2: }
        FunctionEnd nowhere
        %31 in 2 to 2
        [(2, "scale"), (31, "x")]
    "#]],
    );
}

/// The set of OpenCL's compilers has literals, and its lines are `OpLine`s.
#[test]
fn debugging_instructions_of_opencl() {
    let text = r#"
        OpCapability Shader
        %set = OpExtInstImport "OpenCL.DebugInfo.100"
        OpMemoryModel Logical GLSL450
        %file = OpString "scale.cl"
        %text = OpString "kernel void scale() {
}"
        %name = OpString "scale"
        %void = OpTypeVoid
        %type = OpTypeFunction %void
        %source = OpExtInst %void %set DebugSource %file %text
        %unit = OpExtInst %void %set DebugCompilationUnit 1 4 %source 3
        %signature = OpExtInst %void %set DebugTypeFunction 0 %void
        %function = OpExtInst %void %set DebugFunction %name %signature %source 1 13 %unit %name 4 1 %main
        %main = OpFunction %void None %type
        %entry = OpLabel
        OpLine %file 2 1
        OpReturn
        OpFunctionEnd
    "#;
    shown(
        &read(text).unwrap(),
        expect![[r#"
        scale.cl: Some(2) lines
        Function 1:13-1:13: kernel void scale() {
        Label nowhere
        Return 2:1-2:1: }
        FunctionEnd nowhere
        [(11, "scale")]
    "#]],
    );
}
