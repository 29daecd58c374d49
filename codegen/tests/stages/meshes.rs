//! Tasks and meshes (GL_EXT_mesh_shader).

use coopmat_analysis::config::TargetEnv;
use expect_test::expect;

use super::{check, check_errors};

/// Words of what stands before the functions, of types, and of what single stages do.
const INTERFACE: &[&str] = &[
    "OpCapability",
    "OpExtension",
    "OpEntryPoint",
    "OpExecutionMode",
    "OpDecorate",
    "OpMemberDecorate",
    "OpTypeArray",
    "OpTypeStruct",
    "OpWritePacked",
];

#[test]
fn a_task_hands_its_payload_to_meshes_and_ends() {
    check(
        "a.task",
        "#extension GL_EXT_mesh_shader : require
        layout(local_size_x = 32) in;
        struct Work { uint first; uint list[4]; };
        taskPayloadSharedEXT Work work;
        void main() {
            work.list[gl_LocalInvocationIndex] = gl_WorkGroupID.x;
            if (gl_WorkGroupSize.x == 32) EmitMeshTasksEXT(3, 1, 1);
        }",
        &[],
        expect![[r#"
            OpCapability Shader
            OpCapability MeshShadingEXT
            OpExtension "SPV_EXT_mesh_shader"
            OpMemoryModel Logical GLSL450
            OpEntryPoint TaskEXT %main "main" %work %gl_LocalInvocationIndex %gl_WorkGroupID
            OpExecutionMode %main LocalSize 32 1 1
            OpSource GLSL 460
            OpName %main "main"
            OpName %Work "Work"
            OpMemberName %Work 0 "first"
            OpMemberName %Work 1 "list"
            OpName %work "work"
            OpName %gl_LocalInvocationIndex "gl_LocalInvocationIndex"
            OpName %gl_WorkGroupID "gl_WorkGroupID"
            OpDecorate %gl_LocalInvocationIndex BuiltIn LocalInvocationIndex
            OpDecorate %gl_WorkGroupID BuiltIn WorkgroupId
            %void = OpTypeVoid
            %3 = OpTypeFunction %void
            %uint = OpTypeInt 32 0
            %uint_4 = OpConstant %uint 4
            %_arr_uint_uint_4 = OpTypeArray %uint %uint_4
            %Work = OpTypeStruct %uint %_arr_uint_uint_4
            %_ptr_TaskPayloadWorkgroupEXT_Work = OpTypePointer TaskPayloadWorkgroupEXT %Work
            %work = OpVariable %_ptr_TaskPayloadWorkgroupEXT_Work TaskPayloadWorkgroupEXT
            %int = OpTypeInt 32 1
            %int_1 = OpConstant %int 1
            %_ptr_Input_uint = OpTypePointer Input %uint
            %gl_LocalInvocationIndex = OpVariable %_ptr_Input_uint Input
            %v3uint = OpTypeVector %uint 3
            %_ptr_Input_v3uint = OpTypePointer Input %v3uint
            %gl_WorkGroupID = OpVariable %_ptr_Input_v3uint Input
            %uint_0 = OpConstant %uint 0
            %_ptr_TaskPayloadWorkgroupEXT_uint = OpTypePointer TaskPayloadWorkgroupEXT %uint
            %bool = OpTypeBool
            %true = OpConstantTrue %bool
            %uint_3 = OpConstant %uint 3
            %uint_1 = OpConstant %uint 1
            %main = OpFunction %void None %3
            %4 = OpLabel
            %15 = OpLoad %uint %gl_LocalInvocationIndex
            %20 = OpAccessChain %_ptr_Input_uint %gl_WorkGroupID %uint_0
            %21 = OpLoad %uint %20
            %23 = OpAccessChain %_ptr_TaskPayloadWorkgroupEXT_uint %work %int_1 %15
            OpStore %23 %21
            OpSelectionMerge %27 None
            OpBranchConditional %true %26 %27
            %26 = OpLabel
            OpEmitMeshTasksEXT %uint_3 %uint_1 %uint_1 %work
            %27 = OpLabel
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn a_mesh_has_blocks_for_vertices_and_primitives() {
    check(
        "a.mesh",
        "#extension GL_EXT_mesh_shader : require
        layout(local_size_x = 32) in;
        layout(triangles, max_vertices = 64, max_primitives = 126) out;
        taskPayloadSharedEXT uint first;
        layout(location = 0) out vec4 colours[];
        layout(location = 1) perprimitiveEXT out Block { flat uint material; } blocks[];
        void main() {
            uint i = gl_LocalInvocationIndex;
            SetMeshOutputsEXT(3, 1);
            gl_MeshVerticesEXT[i].gl_Position = vec4(first);
            gl_MeshPrimitivesEXT[i].gl_CullPrimitiveEXT = false;
            gl_PrimitiveTriangleIndicesEXT[i] = uvec3(0, 1, 2);
            colours[i] = vec4(colours.length());
            blocks[i].material = 2;
        }",
        &[],
        expect![[r#"
            OpCapability Shader
            OpCapability MeshShadingEXT
            OpExtension "SPV_EXT_mesh_shader"
            OpMemoryModel Logical GLSL450
            OpEntryPoint MeshEXT %main "main" %gl_LocalInvocationIndex %gl_MeshVerticesEXT %first %gl_MeshPrimitivesEXT %gl_PrimitiveTriangleIndicesEXT %colours %blocks
            OpExecutionMode %main LocalSize 32 1 1
            OpExecutionMode %main OutputTrianglesEXT
            OpExecutionMode %main OutputVertices 64
            OpExecutionMode %main OutputPrimitivesEXT 126
            OpSource GLSL 460
            OpName %main "main"
            OpName %gl_LocalInvocationIndex "gl_LocalInvocationIndex"
            OpName %gl_MeshPerVertexEXT "gl_MeshPerVertexEXT"
            OpMemberName %gl_MeshPerVertexEXT 0 "gl_Position"
            OpMemberName %gl_MeshPerVertexEXT 1 "gl_PointSize"
            OpMemberName %gl_MeshPerVertexEXT 2 "gl_ClipDistance"
            OpMemberName %gl_MeshPerVertexEXT 3 "gl_CullDistance"
            OpName %gl_MeshVerticesEXT "gl_MeshVerticesEXT"
            OpName %first "first"
            OpName %gl_MeshPerPrimitiveEXT "gl_MeshPerPrimitiveEXT"
            OpMemberName %gl_MeshPerPrimitiveEXT 0 "gl_PrimitiveID"
            OpMemberName %gl_MeshPerPrimitiveEXT 1 "gl_Layer"
            OpMemberName %gl_MeshPerPrimitiveEXT 2 "gl_ViewportIndex"
            OpMemberName %gl_MeshPerPrimitiveEXT 3 "gl_CullPrimitiveEXT"
            OpName %gl_MeshPrimitivesEXT "gl_MeshPrimitivesEXT"
            OpName %gl_PrimitiveTriangleIndicesEXT "gl_PrimitiveTriangleIndicesEXT"
            OpName %colours "colours"
            OpName %Block "Block"
            OpMemberName %Block 0 "material"
            OpName %blocks "blocks"
            OpDecorate %gl_LocalInvocationIndex BuiltIn LocalInvocationIndex
            OpDecorate %gl_MeshPerVertexEXT Block
            OpMemberDecorate %gl_MeshPerVertexEXT 0 BuiltIn Position
            OpMemberDecorate %gl_MeshPerVertexEXT 1 BuiltIn PointSize
            OpMemberDecorate %gl_MeshPerVertexEXT 2 BuiltIn ClipDistance
            OpMemberDecorate %gl_MeshPerVertexEXT 3 BuiltIn CullDistance
            OpDecorate %gl_MeshPerPrimitiveEXT Block
            OpMemberDecorate %gl_MeshPerPrimitiveEXT 0 BuiltIn PrimitiveId
            OpMemberDecorate %gl_MeshPerPrimitiveEXT 0 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveEXT 1 BuiltIn Layer
            OpMemberDecorate %gl_MeshPerPrimitiveEXT 1 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveEXT 2 BuiltIn ViewportIndex
            OpMemberDecorate %gl_MeshPerPrimitiveEXT 2 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveEXT 3 BuiltIn CullPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveEXT 3 PerPrimitiveEXT
            OpDecorate %gl_PrimitiveTriangleIndicesEXT BuiltIn PrimitiveTriangleIndicesEXT
            OpDecorate %colours Location 0
            OpDecorate %Block Block
            OpMemberDecorate %Block 0 Flat
            OpMemberDecorate %Block 0 PerPrimitiveEXT
            OpDecorate %blocks Location 1
            %void = OpTypeVoid
            %3 = OpTypeFunction %void
            %uint = OpTypeInt 32 0
            %_ptr_Input_uint = OpTypePointer Input %uint
            %gl_LocalInvocationIndex = OpVariable %_ptr_Input_uint Input
            %uint_3 = OpConstant %uint 3
            %uint_1 = OpConstant %uint 1
            %float = OpTypeFloat 32
            %v4float = OpTypeVector %float 4
            %_arr_float_uint_1 = OpTypeArray %float %uint_1
            %gl_MeshPerVertexEXT = OpTypeStruct %v4float %float %_arr_float_uint_1 %_arr_float_uint_1
            %uint_64 = OpConstant %uint 64
            %_arr_gl_MeshPerVertexEXT_uint_64 = OpTypeArray %gl_MeshPerVertexEXT %uint_64
            %_ptr_Output__arr_gl_MeshPerVertexEXT_uint_64 = OpTypePointer Output %_arr_gl_MeshPerVertexEXT_uint_64
            %gl_MeshVerticesEXT = OpVariable %_ptr_Output__arr_gl_MeshPerVertexEXT_uint_64 Output
            %int = OpTypeInt 32 1
            %int_0 = OpConstant %int 0
            %_ptr_TaskPayloadWorkgroupEXT_uint = OpTypePointer TaskPayloadWorkgroupEXT %uint
            %first = OpVariable %_ptr_TaskPayloadWorkgroupEXT_uint TaskPayloadWorkgroupEXT
            %_ptr_Output_v4float = OpTypePointer Output %v4float
            %bool = OpTypeBool
            %gl_MeshPerPrimitiveEXT = OpTypeStruct %int %int %int %bool
            %uint_126 = OpConstant %uint 126
            %_arr_gl_MeshPerPrimitiveEXT_uint_126 = OpTypeArray %gl_MeshPerPrimitiveEXT %uint_126
            %_ptr_Output__arr_gl_MeshPerPrimitiveEXT_uint_126 = OpTypePointer Output %_arr_gl_MeshPerPrimitiveEXT_uint_126
            %gl_MeshPrimitivesEXT = OpVariable %_ptr_Output__arr_gl_MeshPerPrimitiveEXT_uint_126 Output
            %int_3 = OpConstant %int 3
            %false = OpConstantFalse %bool
            %_ptr_Output_bool = OpTypePointer Output %bool
            %v3uint = OpTypeVector %uint 3
            %_arr_v3uint_uint_126 = OpTypeArray %v3uint %uint_126
            %_ptr_Output__arr_v3uint_uint_126 = OpTypePointer Output %_arr_v3uint_uint_126
            %gl_PrimitiveTriangleIndicesEXT = OpVariable %_ptr_Output__arr_v3uint_uint_126 Output
            %uint_0 = OpConstant %uint 0
            %uint_2 = OpConstant %uint 2
            %44 = OpConstantComposite %v3uint %uint_0 %uint_1 %uint_2
            %_ptr_Output_v3uint = OpTypePointer Output %v3uint
            %_arr_v4float_uint_64 = OpTypeArray %v4float %uint_64
            %_ptr_Output__arr_v4float_uint_64 = OpTypePointer Output %_arr_v4float_uint_64
            %colours = OpVariable %_ptr_Output__arr_v4float_uint_64 Output
            %Block = OpTypeStruct %uint
            %_arr_Block_uint_126 = OpTypeArray %Block %uint_126
            %_ptr_Output__arr_Block_uint_126 = OpTypePointer Output %_arr_Block_uint_126
            %blocks = OpVariable %_ptr_Output__arr_Block_uint_126 Output
            %_ptr_Output_uint = OpTypePointer Output %uint
            %main = OpFunction %void None %3
            %4 = OpLabel
            %8 = OpLoad %uint %gl_LocalInvocationIndex
            OpSetMeshOutputsEXT %uint_3 %uint_1
            %23 = OpLoad %uint %first
            %24 = OpConvertUToF %float %23
            %25 = OpCompositeConstruct %v4float %24 %24 %24 %24
            %27 = OpAccessChain %_ptr_Output_v4float %gl_MeshVerticesEXT %8 %int_0
            OpStore %27 %25
            %37 = OpAccessChain %_ptr_Output_bool %gl_MeshPrimitivesEXT %8 %int_3
            OpStore %37 %false
            %46 = OpAccessChain %_ptr_Output_v3uint %gl_PrimitiveTriangleIndicesEXT %8
            OpStore %46 %44
            %50 = OpBitcast %int %uint_64
            %51 = OpConvertSToF %float %50
            %52 = OpCompositeConstruct %v4float %51 %51 %51 %51
            %53 = OpAccessChain %_ptr_Output_v4float %colours %8
            OpStore %53 %52
            %59 = OpAccessChain %_ptr_Output_uint %blocks %8 %int_0
            OpStore %59 %uint_2
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn fragments_get_what_a_primitive_has() {
    check(
        "a.frag",
        "#extension GL_EXT_mesh_shader : require
        layout(location = 0) perprimitiveEXT in uint material;
        layout(location = 0) out uint colour;
        void main() { colour = material; }",
        &["OpDecorate", "OpCapability", "OpExtension "],
        expect![[r#"
            OpCapability Shader
            OpCapability MeshShadingEXT
            OpExtension "SPV_EXT_mesh_shader"
            OpDecorate %colour Location 0
            OpDecorate %material PerPrimitiveEXT
            OpDecorate %material Flat
            OpDecorate %material Location 0
        "#]],
    );
}

#[test]
fn a_mesh_needs_a_version_of_spirv() {
    let source = "#extension GL_EXT_mesh_shader : require
        layout(local_size_x = 1) in;
        layout(points, max_vertices = 1, max_primitives = 1) out;
        void main() { SetMeshOutputsEXT(0, 0); }";
    check_errors(
        "a.mesh",
        source,
        TargetEnv::Vulkan1_1,
        expect![[r#"
            a shader of the mesh stage needs SPIR-V 1.4, which vulkan1.1 does not support: choose vulkan1.2 or later
        "#]],
    );
}

#[test]
fn an_older_task_has_a_block_with_a_layout() {
    check(
        "a.task",
        "#extension GL_NV_mesh_shader : require
        layout(local_size_x = 32) in;
        taskNV out Task { vec2 first; vec2 list[3]; uint view; } task;
        void main() {
            task.list[gl_LocalInvocationIndex] = task.first;
            task.view = gl_MeshViewIndicesNV[gl_MeshViewCountNV - 1];
            gl_TaskCountNV = 3;
        }",
        INTERFACE,
        expect![[r#"
            OpCapability Shader
            OpCapability MeshShadingNV
            OpExtension "SPV_NV_mesh_shader"
            OpEntryPoint TaskNV %main "main" %task %gl_LocalInvocationIndex %gl_MeshViewIndicesNV %gl_MeshViewCountNV %gl_TaskCountNV
            OpExecutionMode %main LocalSize 32 1 1
            OpDecorate %_arr_v2float_uint_3 ArrayStride 8
            OpMemberDecorate %Task 0 Offset 0
            OpMemberDecorate %Task 1 Offset 8
            OpMemberDecorate %Task 2 Offset 32
            OpDecorate %Task Block
            OpMemberDecorate %Task 0 PerTaskNV
            OpMemberDecorate %Task 1 PerTaskNV
            OpMemberDecorate %Task 2 PerTaskNV
            OpDecorate %task Location 0
            OpDecorate %gl_LocalInvocationIndex BuiltIn LocalInvocationIndex
            OpDecorate %gl_MeshViewIndicesNV BuiltIn MeshViewIndicesNV
            OpDecorate %gl_MeshViewCountNV BuiltIn MeshViewCountNV
            OpDecorate %gl_TaskCountNV BuiltIn TaskCountNV
            %_arr_v2float_uint_3 = OpTypeArray %v2float %uint_3
            %Task = OpTypeStruct %v2float %_arr_v2float_uint_3 %uint
            %_arr_uint_uint_4 = OpTypeArray %uint %uint_4
        "#]],
    );
}

#[test]
fn an_older_mesh_has_outputs_of_vertices_primitives_and_views() {
    check(
        "a.mesh",
        "#extension GL_NV_mesh_shader : require
        layout(local_size_x = 32) in;
        layout(triangles, max_vertices = 64, max_primitives = 126) out;
        taskNV in Task { vec2 first; vec2 list[3]; uint view; } task;
        layout(location = 0) out Block { perviewNV vec4 one[][3]; perprimitiveNV vec4 two; vec4 three; } blocks[];
        perviewNV perprimitiveNV layout(location = 8) out vec4 views[][];
        layout(location = 9) out vec4 last[];
        void main() {
            uint i = gl_LocalInvocationIndex;
            gl_MeshVerticesNV[i].gl_Position = vec4(task.list[1], task.first);
            gl_MeshVerticesNV[i].gl_ClipDistancePerViewNV[task.view][2] = 1.0;
            gl_MeshPrimitivesNV[i].gl_ViewportMask[0] = 1;
            gl_MeshPrimitivesNV[i].gl_LayerPerViewNV[task.view] = gl_MeshPrimitivesNV[i].gl_PrimitiveID;
            blocks[i].one[3][2] = views[i][task.view];
            gl_PrimitiveIndicesNV[3 * i] = i;
            writePackedPrimitiveIndices4x8NV(4 * i, 0x03020100);
            gl_PrimitiveCountNV = 126;
        }",
        INTERFACE,
        expect![[r#"
            OpCapability Shader
            OpCapability MeshShadingNV
            OpExtension "SPV_NV_mesh_shader"
            OpEntryPoint MeshNV %main "main" %gl_LocalInvocationIndex %gl_MeshVerticesNV %task %gl_MeshPrimitivesNV %blocks %views %gl_PrimitiveIndicesNV %gl_PrimitiveCountNV %last
            OpExecutionMode %main LocalSize 32 1 1
            OpExecutionMode %main OutputTrianglesEXT
            OpExecutionMode %main OutputVertices 64
            OpExecutionMode %main OutputPrimitivesEXT 126
            OpDecorate %gl_LocalInvocationIndex BuiltIn LocalInvocationIndex
            OpDecorate %gl_MeshPerVertexNV Block
            OpMemberDecorate %gl_MeshPerVertexNV 0 BuiltIn Position
            OpMemberDecorate %gl_MeshPerVertexNV 1 BuiltIn PointSize
            OpMemberDecorate %gl_MeshPerVertexNV 2 BuiltIn ClipDistance
            OpMemberDecorate %gl_MeshPerVertexNV 3 BuiltIn CullDistance
            OpMemberDecorate %gl_MeshPerVertexNV 4 BuiltIn ClipDistancePerViewNV
            OpMemberDecorate %gl_MeshPerVertexNV 4 PerViewNV
            OpDecorate %_arr_v2float_uint_3 ArrayStride 8
            OpMemberDecorate %Task 0 Offset 0
            OpMemberDecorate %Task 1 Offset 8
            OpMemberDecorate %Task 2 Offset 32
            OpDecorate %Task Block
            OpMemberDecorate %Task 0 PerTaskNV
            OpMemberDecorate %Task 1 PerTaskNV
            OpMemberDecorate %Task 2 PerTaskNV
            OpDecorate %task Location 0
            OpDecorate %gl_MeshPerPrimitiveNV Block
            OpMemberDecorate %gl_MeshPerPrimitiveNV 0 BuiltIn PrimitiveId
            OpMemberDecorate %gl_MeshPerPrimitiveNV 0 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveNV 1 BuiltIn Layer
            OpMemberDecorate %gl_MeshPerPrimitiveNV 1 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveNV 2 BuiltIn ViewportIndex
            OpMemberDecorate %gl_MeshPerPrimitiveNV 2 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveNV 3 BuiltIn ViewportMaskNV
            OpMemberDecorate %gl_MeshPerPrimitiveNV 3 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveNV 4 BuiltIn LayerPerViewNV
            OpMemberDecorate %gl_MeshPerPrimitiveNV 4 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveNV 4 PerViewNV
            OpDecorate %Block Block
            OpMemberDecorate %Block 0 PerViewNV
            OpMemberDecorate %Block 1 PerPrimitiveEXT
            OpDecorate %blocks Location 0
            OpDecorate %views PerPrimitiveEXT
            OpDecorate %views PerViewNV
            OpDecorate %views Location 8
            OpDecorate %gl_PrimitiveIndicesNV BuiltIn PrimitiveIndicesNV
            OpDecorate %gl_PrimitiveCountNV BuiltIn PrimitiveCountNV
            OpDecorate %last Location 9
            %_arr_float_uint_1 = OpTypeArray %float %uint_1
            %_arr_float_uint_3 = OpTypeArray %float %uint_3
            %_arr__arr_float_uint_3_uint_4 = OpTypeArray %_arr_float_uint_3 %uint_4
            %gl_MeshPerVertexNV = OpTypeStruct %v4float %float %_arr_float_uint_1 %_arr_float_uint_1 %_arr__arr_float_uint_3_uint_4
            %_arr_gl_MeshPerVertexNV_uint_64 = OpTypeArray %gl_MeshPerVertexNV %uint_64
            %_arr_v2float_uint_3 = OpTypeArray %v2float %uint_3
            %Task = OpTypeStruct %v2float %_arr_v2float_uint_3 %uint
            %_arr_int_uint_1 = OpTypeArray %int %uint_1
            %_arr_int_uint_4 = OpTypeArray %int %uint_4
            %gl_MeshPerPrimitiveNV = OpTypeStruct %int %int %int %_arr_int_uint_1 %_arr_int_uint_4
            %_arr_gl_MeshPerPrimitiveNV_uint_126 = OpTypeArray %gl_MeshPerPrimitiveNV %uint_126
            %_arr_v4float_uint_3 = OpTypeArray %v4float %uint_3
            %_arr__arr_v4float_uint_3_uint_4 = OpTypeArray %_arr_v4float_uint_3 %uint_4
            %Block = OpTypeStruct %_arr__arr_v4float_uint_3_uint_4 %v4float %v4float
            %_arr_Block_uint_64 = OpTypeArray %Block %uint_64
            %_arr_v4float_uint_4 = OpTypeArray %v4float %uint_4
            %_arr__arr_v4float_uint_4_uint_126 = OpTypeArray %_arr_v4float_uint_4 %uint_126
            %_arr_uint_uint_378 = OpTypeArray %uint %uint_378
            %_arr_v4float_uint_64 = OpTypeArray %v4float %uint_64
            OpWritePackedPrimitiveIndices4x8NV %82 %uint_50462976
        "#]],
    );
}

#[test]
fn an_older_mesh_may_declare_its_blocks_again() {
    check(
        "a.mesh",
        "#extension GL_NV_mesh_shader : require
        layout(local_size_x = 32) in;
        layout(lines, max_vertices = 64, max_primitives = 32) out;
        out gl_MeshPerVertexNV { vec4 gl_Position; perviewNV float gl_CullDistancePerViewNV[][2]; } gl_MeshVerticesNV[];
        perprimitiveNV out gl_MeshPerPrimitiveNV { int gl_Layer; perviewNV int gl_ViewportMaskPerViewNV[][1]; } gl_MeshPrimitivesNV[];
        out uint gl_PrimitiveIndicesNV[64];
        void main() {
            gl_MeshVerticesNV[3].gl_CullDistancePerViewNV[1][0] = 1.0;
            gl_MeshPrimitivesNV[3].gl_ViewportMaskPerViewNV[0][0] = gl_MeshPrimitivesNV[3].gl_Layer;
            gl_PrimitiveIndicesNV[63] = 1;
        }",
        INTERFACE,
        expect![[r#"
            OpCapability Shader
            OpCapability MeshShadingNV
            OpExtension "SPV_NV_mesh_shader"
            OpEntryPoint MeshNV %main "main" %gl_MeshVerticesNV %gl_MeshPrimitivesNV %gl_PrimitiveIndicesNV
            OpExecutionMode %main LocalSize 32 1 1
            OpExecutionMode %main OutputLinesEXT
            OpExecutionMode %main OutputVertices 64
            OpExecutionMode %main OutputPrimitivesEXT 32
            OpDecorate %gl_MeshPerVertexNV Block
            OpMemberDecorate %gl_MeshPerVertexNV 0 BuiltIn Position
            OpMemberDecorate %gl_MeshPerVertexNV 1 BuiltIn CullDistancePerViewNV
            OpMemberDecorate %gl_MeshPerVertexNV 1 PerViewNV
            OpDecorate %gl_MeshPerPrimitiveNV Block
            OpMemberDecorate %gl_MeshPerPrimitiveNV 0 BuiltIn Layer
            OpMemberDecorate %gl_MeshPerPrimitiveNV 0 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveNV 1 BuiltIn ViewportMaskPerViewNV
            OpMemberDecorate %gl_MeshPerPrimitiveNV 1 PerPrimitiveEXT
            OpMemberDecorate %gl_MeshPerPrimitiveNV 1 PerViewNV
            OpDecorate %gl_PrimitiveIndicesNV BuiltIn PrimitiveIndicesNV
            %_arr_float_uint_2 = OpTypeArray %float %uint_2
            %_arr__arr_float_uint_2_uint_4 = OpTypeArray %_arr_float_uint_2 %uint_4
            %gl_MeshPerVertexNV = OpTypeStruct %v4float %_arr__arr_float_uint_2_uint_4
            %_arr_gl_MeshPerVertexNV_uint_64 = OpTypeArray %gl_MeshPerVertexNV %uint_64
            %_arr_int_uint_1 = OpTypeArray %int %uint_1
            %_arr__arr_int_uint_1_uint_4 = OpTypeArray %_arr_int_uint_1 %uint_4
            %gl_MeshPerPrimitiveNV = OpTypeStruct %int %_arr__arr_int_uint_1_uint_4
            %_arr_gl_MeshPerPrimitiveNV_uint_32 = OpTypeArray %gl_MeshPerPrimitiveNV %uint_32
            %_arr_uint_uint_64 = OpTypeArray %uint %uint_64
        "#]],
    );
}
