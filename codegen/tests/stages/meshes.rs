//! Tasks and meshes (GL_EXT_mesh_shader).

use coopmat_analysis::config::TargetEnv;
use expect_test::expect;

use super::{check, check_errors};

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
    check_errors(
        "a.mesh",
        &source.replace("GL_EXT_mesh_shader", "GL_NV_mesh_shader").replace("SetMeshOutputsEXT(0, 0);", ""),
        TargetEnv::Vulkan1_3,
        expect![[r#"
            GL_NV_mesh_shader is not supported in compiled shaders
        "#]],
    );
}
