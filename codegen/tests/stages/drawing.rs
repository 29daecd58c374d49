//! Vertices, fragments, primitives, patches.

use coopmat_analysis::config::TargetEnv;
use expect_test::expect;

use super::{check, check_errors, check_for};

/// Words of what stands before the functions.
const INTERFACE: &[&str] =
    &["OpCapability", "OpExtension", "OpEntryPoint", "OpExecutionMode", "OpDecorate", "OpMemberDecorate"];

#[test]
fn inputs_and_outputs_of_fragments_have_locations_and_interpolation() {
    check(
        "a.frag",
        "layout(location = 0) in vec4 smoothly;
        layout(location = 1) flat in ivec2 constant;
        layout(location = 2, component = 1) noperspective centroid in float linear;
        layout(location = 3) sample in float often;
        layout(location = 0, index = 1) out vec4 colour;
        layout(origin_upper_left) in vec4 gl_FragCoord;
        layout(depth_greater) out float gl_FragDepth;
        layout(early_fragment_tests) in;
        void main() {
            colour = smoothly * linear * often + vec4(constant, gl_FragCoord.xy);
            gl_FragDepth = 0.5;
        }",
        INTERFACE,
        expect![[r#"
            OpCapability Shader
            OpCapability SampleRateShading
            OpEntryPoint Fragment %main "main" %colour %smoothly %linear %often %constant %gl_FragCoord %gl_FragDepth
            OpExecutionMode %main OriginUpperLeft
            OpExecutionMode %main DepthReplacing
            OpExecutionMode %main DepthGreater
            OpExecutionMode %main EarlyFragmentTests
            OpDecorate %colour Location 0
            OpDecorate %colour Index 1
            OpDecorate %smoothly Location 0
            OpDecorate %linear NoPerspective
            OpDecorate %linear Centroid
            OpDecorate %linear Location 2
            OpDecorate %linear Component 1
            OpDecorate %often Sample
            OpDecorate %often Location 3
            OpDecorate %constant Flat
            OpDecorate %constant Location 1
            OpDecorate %gl_FragCoord BuiltIn FragCoord
            OpDecorate %gl_FragDepth BuiltIn FragDepth
        "#]],
    );
}

#[test]
fn lookups_and_derivatives_of_fragments_are_implicit() {
    check(
        "a.frag",
        "layout(binding = 0) uniform sampler2D picture;
        layout(location = 0) in vec2 place;
        layout(location = 0) out vec4 colour;
        void main() {
            colour = texture(picture, place) + texture(picture, place, 0.5) + textureLod(picture, place, 1.0);
            colour.xy += dFdx(place) + fwidthFine(place) + textureQueryLod(picture, place);
            colour.x += interpolateAtCentroid(place).x + interpolateAtSample(place.yx, 1).x;
        }",
        &["OpImage", "OpDPdx", "OpFwidth", "InterpolateAt", "OpCapability", "OpVectorShuffle"],
        expect![[r#"
            OpCapability Shader
            OpCapability DerivativeControl
            OpCapability ImageQuery
            OpCapability InterpolationFunction
            %18 = OpImageSampleImplicitLod %v4float %13 %17
            %22 = OpImageSampleImplicitLod %v4float %19 %20 Bias %float_0_5
            %27 = OpImageSampleExplicitLod %v4float %24 %25 Lod %float_1
            %30 = OpDPdx %v2float %29
            %32 = OpFwidthFine %v2float %31
            %36 = OpImageQueryLod %v2float %34 %35
            %39 = OpVectorShuffle %v2float %38 %38 0 1
            %50 = OpExtInst %v2float %49 InterpolateAtCentroid %place
            %54 = OpExtInst %v2float %49 InterpolateAtSample %place %int_1
            %55 = OpVectorShuffle %v2float %54 %54 1 0
        "#]],
    );
}

/// GL_EXT_texture_offset_non_const: without it, only gathers take such an offset.
#[test]
fn offsets_of_lookups_may_be_variable_with_an_extension() {
    let source = "layout(binding = 0) uniform sampler2D picture;
        layout(location = 0) flat in ivec2 at;
        layout(location = 0) out vec4 colour;
        void main() {
            colour = textureOffset(picture, vec2(0.5), at) + textureProjOffset(picture, vec3(0.5), ivec2(1));
            colour += texelFetchOffset(picture, at, 0, at) + textureGatherOffset(picture, vec2(0.5), at);
        }";
    check(
        "a.frag",
        &format!("#extension GL_EXT_texture_offset_non_const : require\n{source}"),
        &["OpCapability", "OpImage"],
        expect![[r#"
            OpCapability Shader
            OpCapability ImageGatherExtended
            %22 = OpImageSampleImplicitLod %v4float %13 %16 Offset %21
            %28 = OpImageSampleProjImplicitLod %v4float %23 %25 ConstOffset %27
            %31 = OpImage %9 %30
            %35 = OpImageFetch %v4float %31 %32 Lod|Offset %int_0 %34
            %38 = OpImageGather %v4float %36 %16 %int_0 Offset %37
        "#]],
    );
    check_errors(
        "a.frag",
        source,
        TargetEnv::Vulkan1_3,
        expect![[r#"
        the offset of `textureOffset` must be a constant expression
        the offset of `texelFetchOffset` must be a constant expression
    "#]],
    );
}

#[test]
fn discarded_fragments_end_and_demoted_ones_go_on() {
    let source = "#extension GL_EXT_demote_to_helper_invocation : require
        #extension GL_EXT_terminate_invocation : require
        layout(location = 0) flat in int which;
        void main() {
            if (which == 0) discard;
            if (which == 1) terminateInvocation;
            if (which == 2) demote;
            if (helperInvocationEXT()) return;
        }";
    check(
        "a.frag",
        source,
        &["Terminate", "Demote", "Helper", "Kill"],
        expect![[r#"
        OpCapability DemoteToHelperInvocation
        OpTerminateInvocation
        OpTerminateInvocation
        OpDemoteToHelperInvocation
        %24 = OpIsHelperInvocationEXT %bool
    "#]],
    );
}

#[test]
fn attachments_are_read_at_the_place_of_the_fragment() {
    check(
        "a.frag",
        "layout(input_attachment_index = 2, set = 1, binding = 3) uniform subpassInput before;
        layout(input_attachment_index = 0, binding = 4) uniform usubpassInputMS samples;
        layout(location = 0) out vec4 colour;
        void main() { colour = subpassLoad(before) + vec4(subpassLoad(samples, 2)); }",
        &["OpImageRead", "OpTypeImage", "OpDecorate", "OpCapability"],
        expect![[r#"
            OpCapability Shader
            OpCapability InputAttachment
            OpDecorate %colour Location 0
            OpDecorate %before Binding 3
            OpDecorate %before DescriptorSet 1
            OpDecorate %before InputAttachmentIndex 2
            OpDecorate %samples Binding 4
            OpDecorate %samples DescriptorSet 0
            OpDecorate %samples InputAttachmentIndex 0
            %9 = OpTypeImage %float SubpassData 0 0 0 2 Unknown
            %19 = OpTypeImage %uint SubpassData 0 0 1 2 Unknown
            %17 = OpImageRead %v4float %12 %16
            %25 = OpImageRead %v4uint %22 %16 Sample %int_2
        "#]],
    );
}

#[test]
fn a_critical_section_is_of_pixels_in_order_unless_the_shader_says_otherwise() {
    let source = |layout: &str| {
        format!(
            "#extension GL_ARB_fragment_shader_interlock : require
            {layout}
            layout(binding = 0) buffer B {{ int count; }};
            void main() {{ beginInvocationInterlockARB(); count++; endInvocationInterlockARB(); }}"
        )
    };
    let words = ["Interlock"];
    check(
        "a.frag",
        &source(""),
        &words,
        expect![[r#"
        OpCapability FragmentShaderPixelInterlockEXT
        OpExecutionMode %main PixelInterlockOrderedEXT
        OpBeginInvocationInterlockEXT
        OpEndInvocationInterlockEXT
    "#]],
    );
    check(
        "a.frag",
        &source("layout(sample_interlock_unordered) in;"),
        &words,
        expect![[r#"
        OpCapability FragmentShaderSampleInterlockEXT
        OpExecutionMode %main SampleInterlockUnorderedEXT
        OpBeginInvocationInterlockEXT
        OpEndInvocationInterlockEXT
    "#]],
    );
}

#[test]
fn the_position_lies_in_the_block_of_each_vertex() {
    check(
        "a.vert",
        "layout(location = 0) in vec3 place;
        layout(location = 0) out vec2 other;
        layout(location = 1) out Block { vec4 a; flat int b; } block;
        out float gl_ClipDistance[2];
        invariant gl_Position;
        void main() {
            gl_Position = vec4(place, float(gl_VertexIndex + gl_InstanceIndex + gl_BaseVertex));
            gl_ClipDistance[1] = 0.0;
            block.a = gl_Position;
        }",
        &[],
        expect![[r#"
            OpCapability Shader
            OpCapability DrawParameters
            OpCapability ClipDistance
            OpMemoryModel Logical GLSL450
            OpEntryPoint Vertex %main "main" %_ %place %gl_VertexIndex %gl_InstanceIndex %gl_BaseVertex %block %other
            OpSource GLSL 460
            OpName %main "main"
            OpName %gl_PerVertex "gl_PerVertex"
            OpMemberName %gl_PerVertex 0 "gl_Position"
            OpMemberName %gl_PerVertex 1 "gl_PointSize"
            OpMemberName %gl_PerVertex 2 "gl_ClipDistance"
            OpMemberName %gl_PerVertex 3 "gl_CullDistance"
            OpName %_ ""
            OpName %place "place"
            OpName %gl_VertexIndex "gl_VertexIndex"
            OpName %gl_InstanceIndex "gl_InstanceIndex"
            OpName %gl_BaseVertex "gl_BaseVertex"
            OpName %Block "Block"
            OpMemberName %Block 0 "a"
            OpMemberName %Block 1 "b"
            OpName %block "block"
            OpName %other "other"
            OpDecorate %gl_PerVertex Block
            OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
            OpMemberDecorate %gl_PerVertex 0 Invariant
            OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
            OpMemberDecorate %gl_PerVertex 2 BuiltIn ClipDistance
            OpMemberDecorate %gl_PerVertex 3 BuiltIn CullDistance
            OpDecorate %place Location 0
            OpDecorate %gl_VertexIndex BuiltIn VertexIndex
            OpDecorate %gl_InstanceIndex BuiltIn InstanceIndex
            OpDecorate %gl_BaseVertex BuiltIn BaseVertex
            OpDecorate %Block Block
            OpMemberDecorate %Block 1 Flat
            OpDecorate %block Location 1
            OpDecorate %other Location 0
            %void = OpTypeVoid
            %3 = OpTypeFunction %void
            %float = OpTypeFloat 32
            %v4float = OpTypeVector %float 4
            %uint = OpTypeInt 32 0
            %uint_2 = OpConstant %uint 2
            %_arr_float_uint_2 = OpTypeArray %float %uint_2
            %uint_1 = OpConstant %uint 1
            %_arr_float_uint_1 = OpTypeArray %float %uint_1
            %gl_PerVertex = OpTypeStruct %v4float %float %_arr_float_uint_2 %_arr_float_uint_1
            %_ptr_Output_gl_PerVertex = OpTypePointer Output %gl_PerVertex
            %_ = OpVariable %_ptr_Output_gl_PerVertex Output
            %int = OpTypeInt 32 1
            %int_0 = OpConstant %int 0
            %v3float = OpTypeVector %float 3
            %_ptr_Input_v3float = OpTypePointer Input %v3float
            %place = OpVariable %_ptr_Input_v3float Input
            %_ptr_Input_int = OpTypePointer Input %int
            %gl_VertexIndex = OpVariable %_ptr_Input_int Input
            %gl_InstanceIndex = OpVariable %_ptr_Input_int Input
            %gl_BaseVertex = OpVariable %_ptr_Input_int Input
            %_ptr_Output_v4float = OpTypePointer Output %v4float
            %int_2 = OpConstant %int 2
            %int_1 = OpConstant %int 1
            %float_0 = OpConstant %float 0
            %_ptr_Output_float = OpTypePointer Output %float
            %Block = OpTypeStruct %v4float %int
            %_ptr_Output_Block = OpTypePointer Output %Block
            %block = OpVariable %_ptr_Output_Block Output
            %v2float = OpTypeVector %float 2
            %_ptr_Output_v2float = OpTypePointer Output %v2float
            %other = OpVariable %_ptr_Output_v2float Output
            %main = OpFunction %void None %3
            %4 = OpLabel
            %20 = OpLoad %v3float %place
            %23 = OpLoad %int %gl_VertexIndex
            %25 = OpLoad %int %gl_InstanceIndex
            %26 = OpIAdd %int %23 %25
            %28 = OpLoad %int %gl_BaseVertex
            %29 = OpIAdd %int %26 %28
            %30 = OpConvertSToF %float %29
            %31 = OpCompositeConstruct %v4float %20 %30
            %33 = OpAccessChain %_ptr_Output_v4float %_ %int_0
            OpStore %33 %31
            %38 = OpAccessChain %_ptr_Output_float %_ %int_2 %int_1
            OpStore %38 %float_0
            %42 = OpAccessChain %_ptr_Output_v4float %_ %int_0
            %43 = OpLoad %v4float %42
            %44 = OpAccessChain %_ptr_Output_v4float %block %int_0
            OpStore %44 %43
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn the_block_of_each_vertex_can_be_declared_again() {
    check(
        "a.vert",
        "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
        layout(location = 3) in mat2 a;
        in vec4 without;
        out vec4 out_without;
        void main() { gl_Position = without + vec4(a[0], a[1]); }",
        INTERFACE,
        expect![[r#"
            OpCapability Shader
            OpCapability Matrix
            OpEntryPoint Vertex %main "main" %_ %without %a %out_without
            OpDecorate %gl_PerVertex Block
            OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
            OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
            OpDecorate %without Location 0
            OpDecorate %a Location 3
            OpDecorate %out_without Location 0
        "#]],
    );
}

#[test]
fn what_vertices_have_in_opengl_has_another_name() {
    check_errors(
        "a.vert",
        "layout(location = 0) out vec4 a; void main() { a = vec4(gl_VertexID); gl_FrontColor = a; }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            `gl_VertexID` is not available in Vulkan: use `gl_VertexIndex` and `gl_InstanceIndex`
            `gl_FrontColor` is not supported in compiled shaders
        "#]],
    );
}

#[test]
fn what_is_captured_has_buffer_stride_and_offset() {
    check(
        "a.vert",
        "layout(xfb_buffer = 1, xfb_stride = 64) out;
        layout(location = 0, xfb_offset = 16) out vec3 captured;
        layout(location = 1, xfb_buffer = 0, xfb_offset = 0) out Block { float a; dvec2 b; };
        void main() { captured = vec3(1); a = 1.0; }",
        INTERFACE,
        expect![[r#"
            OpCapability Shader
            OpCapability TransformFeedback
            OpCapability Float64
            OpEntryPoint Vertex %main "main" %captured %_
            OpExecutionMode %main Xfb
            OpDecorate %captured Location 0
            OpDecorate %captured XfbBuffer 1
            OpDecorate %captured XfbStride 64
            OpDecorate %captured Offset 16
            OpDecorate %Block Block
            OpMemberDecorate %Block 0 Offset 0
            OpMemberDecorate %Block 1 Offset 8
            OpDecorate %_ Location 1
            OpDecorate %_ XfbBuffer 0
            OpDecorate %_ XfbStride 24
        "#]],
    );
}

#[test]
fn geometry_shaders_see_the_vertices_of_a_primitive() {
    check(
        "a.geom",
        "layout(triangles, invocations = 2) in;
        layout(line_strip, max_vertices = 6) out;
        layout(location = 0) in vec4 colours[];
        layout(location = 0) out vec4 colour;
        void main() {
            for (int i = 0; i < gl_in.length(); i++) {
                gl_Position = gl_in[i].gl_Position * gl_in[i].gl_ClipDistance[1];
                colour = colours[i] * float(colours.length() + gl_InvocationID);
                gl_PrimitiveID = gl_PrimitiveIDIn;
                gl_Layer = i;
                EmitVertex();
            }
            EndPrimitive();
        }",
        &[],
        expect![[r#"
            OpCapability Shader
            OpCapability Geometry
            OpCapability ClipDistance
            OpMemoryModel Logical GLSL450
            OpEntryPoint Geometry %main "main" %_ %gl_in %colour %colours %gl_InvocationID %gl_PrimitiveID %gl_PrimitiveIDIn %gl_Layer
            OpExecutionMode %main Triangles
            OpExecutionMode %main Invocations 2
            OpExecutionMode %main OutputLineStrip
            OpExecutionMode %main OutputVertices 6
            OpSource GLSL 460
            OpName %main "main"
            OpName %i "i"
            OpName %gl_PerVertex "gl_PerVertex"
            OpMemberName %gl_PerVertex 0 "gl_Position"
            OpMemberName %gl_PerVertex 1 "gl_PointSize"
            OpMemberName %gl_PerVertex 2 "gl_ClipDistance"
            OpMemberName %gl_PerVertex 3 "gl_CullDistance"
            OpName %_ ""
            OpName %gl_PerVertex_0 "gl_PerVertex"
            OpMemberName %gl_PerVertex_0 0 "gl_Position"
            OpMemberName %gl_PerVertex_0 1 "gl_PointSize"
            OpMemberName %gl_PerVertex_0 2 "gl_ClipDistance"
            OpMemberName %gl_PerVertex_0 3 "gl_CullDistance"
            OpName %gl_in "gl_in"
            OpName %colour "colour"
            OpName %colours "colours"
            OpName %gl_InvocationID "gl_InvocationID"
            OpName %gl_PrimitiveID "gl_PrimitiveID"
            OpName %gl_PrimitiveIDIn "gl_PrimitiveIDIn"
            OpName %gl_Layer "gl_Layer"
            OpDecorate %gl_PerVertex Block
            OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
            OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
            OpMemberDecorate %gl_PerVertex 2 BuiltIn ClipDistance
            OpMemberDecorate %gl_PerVertex 3 BuiltIn CullDistance
            OpDecorate %gl_PerVertex_0 Block
            OpMemberDecorate %gl_PerVertex_0 0 BuiltIn Position
            OpMemberDecorate %gl_PerVertex_0 1 BuiltIn PointSize
            OpMemberDecorate %gl_PerVertex_0 2 BuiltIn ClipDistance
            OpMemberDecorate %gl_PerVertex_0 3 BuiltIn CullDistance
            OpDecorate %colour Location 0
            OpDecorate %colours Location 0
            OpDecorate %gl_InvocationID BuiltIn InvocationId
            OpDecorate %gl_PrimitiveID BuiltIn PrimitiveId
            OpDecorate %gl_PrimitiveIDIn BuiltIn PrimitiveId
            OpDecorate %gl_Layer BuiltIn Layer
            %void = OpTypeVoid
            %3 = OpTypeFunction %void
            %int = OpTypeInt 32 1
            %int_0 = OpConstant %int 0
            %_ptr_Function_int = OpTypePointer Function %int
            %uint = OpTypeInt 32 0
            %uint_3 = OpConstant %uint 3
            %bool = OpTypeBool
            %float = OpTypeFloat 32
            %v4float = OpTypeVector %float 4
            %uint_1 = OpConstant %uint 1
            %_arr_float_uint_1 = OpTypeArray %float %uint_1
            %gl_PerVertex = OpTypeStruct %v4float %float %_arr_float_uint_1 %_arr_float_uint_1
            %_ptr_Output_gl_PerVertex = OpTypePointer Output %gl_PerVertex
            %_ = OpVariable %_ptr_Output_gl_PerVertex Output
            %uint_2 = OpConstant %uint 2
            %_arr_float_uint_2 = OpTypeArray %float %uint_2
            %gl_PerVertex_0 = OpTypeStruct %v4float %float %_arr_float_uint_2 %_arr_float_uint_1
            %_arr_gl_PerVertex_0_uint_3 = OpTypeArray %gl_PerVertex_0 %uint_3
            %_ptr_Input__arr_gl_PerVertex_0_uint_3 = OpTypePointer Input %_arr_gl_PerVertex_0_uint_3
            %gl_in = OpVariable %_ptr_Input__arr_gl_PerVertex_0_uint_3 Input
            %_ptr_Input_v4float = OpTypePointer Input %v4float
            %int_2 = OpConstant %int 2
            %int_1 = OpConstant %int 1
            %_ptr_Input_float = OpTypePointer Input %float
            %_ptr_Output_v4float = OpTypePointer Output %v4float
            %colour = OpVariable %_ptr_Output_v4float Output
            %_arr_v4float_uint_3 = OpTypeArray %v4float %uint_3
            %_ptr_Input__arr_v4float_uint_3 = OpTypePointer Input %_arr_v4float_uint_3
            %colours = OpVariable %_ptr_Input__arr_v4float_uint_3 Input
            %_ptr_Input_int = OpTypePointer Input %int
            %gl_InvocationID = OpVariable %_ptr_Input_int Input
            %_ptr_Output_int = OpTypePointer Output %int
            %gl_PrimitiveID = OpVariable %_ptr_Output_int Output
            %gl_PrimitiveIDIn = OpVariable %_ptr_Input_int Input
            %gl_Layer = OpVariable %_ptr_Output_int Output
            %main = OpFunction %void None %3
            %4 = OpLabel
            %i = OpVariable %_ptr_Function_int Function
            OpStore %i %int_0
            OpBranch %9
            %9 = OpLabel
            %13 = OpLoad %int %i
            %16 = OpBitcast %int %uint_3
            %18 = OpSLessThan %bool %13 %16
            OpLoopMerge %12 %11 None
            OpBranchConditional %18 %10 %12
            %10 = OpLabel
            %32 = OpLoad %int %i
            %34 = OpAccessChain %_ptr_Input_v4float %gl_in %32 %int_0
            %35 = OpLoad %v4float %34
            %36 = OpLoad %int %i
            %40 = OpAccessChain %_ptr_Input_float %gl_in %36 %int_2 %int_1
            %41 = OpLoad %float %40
            %42 = OpVectorTimesScalar %v4float %35 %41
            %44 = OpAccessChain %_ptr_Output_v4float %_ %int_0
            OpStore %44 %42
            %49 = OpLoad %int %i
            %50 = OpAccessChain %_ptr_Input_v4float %colours %49
            %51 = OpLoad %v4float %50
            %52 = OpBitcast %int %uint_3
            %55 = OpLoad %int %gl_InvocationID
            %56 = OpIAdd %int %52 %55
            %57 = OpConvertSToF %float %56
            %58 = OpVectorTimesScalar %v4float %51 %57
            OpStore %colour %58
            %62 = OpLoad %int %gl_PrimitiveIDIn
            OpStore %gl_PrimitiveID %62
            %64 = OpLoad %int %i
            OpStore %gl_Layer %64
            OpEmitVertex
            OpBranch %11
            %11 = OpLabel
            %65 = OpLoad %int %i
            %66 = OpIAdd %int %65 %int_1
            OpStore %i %66
            OpBranch %9
            %12 = OpLabel
            OpEndPrimitive
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn streams_are_those_of_the_outputs() {
    check(
        "a.geom",
        "layout(points) in;
        layout(points, max_vertices = 2) out;
        layout(stream = 1) out;
        layout(location = 0) out float a;
        layout(stream = 2, location = 1) out float b;
        void main() { a = 1.0; b = 2.0; EmitStreamVertex(1); EndStreamPrimitive(1); }",
        &["Stream", "OpExecutionMode"],
        expect![[r#"
            OpCapability GeometryStreams
            OpExecutionMode %main InputPoints
            OpExecutionMode %main OutputPoints
            OpExecutionMode %main OutputVertices 2
            OpExecutionMode %main Invocations 1
            OpDecorate %a Stream 1
            OpDecorate %b Stream 2
            OpEmitStreamVertex %int_1
            OpEndStreamPrimitive %int_1
        "#]],
    );
}

#[test]
fn patches_are_controlled_together() {
    check(
        "a.tesc",
        "layout(vertices = 3) out;
        layout(location = 0) in vec4 before[];
        layout(location = 0) out vec4 after[];
        layout(location = 1) patch out vec4 whole;
        void main() {
            after[gl_InvocationID] = before[gl_InvocationID];
            gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
            barrier();
            gl_TessLevelOuter[2] = after[1].x;
            whole = vec4(gl_PatchVerticesIn);
        }",
        &[],
        expect![[r#"
            OpCapability Shader
            OpCapability Tessellation
            OpMemoryModel Logical GLSL450
            OpEntryPoint TessellationControl %main "main" %after %gl_InvocationID %before %gl_out %gl_in %gl_TessLevelOuter %whole %gl_PatchVerticesIn
            OpExecutionMode %main OutputVertices 3
            OpSource GLSL 460
            OpName %main "main"
            OpName %after "after"
            OpName %gl_InvocationID "gl_InvocationID"
            OpName %before "before"
            OpName %gl_PerVertex "gl_PerVertex"
            OpMemberName %gl_PerVertex 0 "gl_Position"
            OpMemberName %gl_PerVertex 1 "gl_PointSize"
            OpMemberName %gl_PerVertex 2 "gl_ClipDistance"
            OpMemberName %gl_PerVertex 3 "gl_CullDistance"
            OpName %gl_out "gl_out"
            OpName %gl_PerVertex_0 "gl_PerVertex"
            OpMemberName %gl_PerVertex_0 0 "gl_Position"
            OpMemberName %gl_PerVertex_0 1 "gl_PointSize"
            OpMemberName %gl_PerVertex_0 2 "gl_ClipDistance"
            OpMemberName %gl_PerVertex_0 3 "gl_CullDistance"
            OpName %gl_in "gl_in"
            OpName %gl_TessLevelOuter "gl_TessLevelOuter"
            OpName %whole "whole"
            OpName %gl_PatchVerticesIn "gl_PatchVerticesIn"
            OpDecorate %after Location 0
            OpDecorate %gl_InvocationID BuiltIn InvocationId
            OpDecorate %before Location 0
            OpDecorate %gl_PerVertex Block
            OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
            OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
            OpMemberDecorate %gl_PerVertex 2 BuiltIn ClipDistance
            OpMemberDecorate %gl_PerVertex 3 BuiltIn CullDistance
            OpDecorate %gl_PerVertex_0 Block
            OpMemberDecorate %gl_PerVertex_0 0 BuiltIn Position
            OpMemberDecorate %gl_PerVertex_0 1 BuiltIn PointSize
            OpMemberDecorate %gl_PerVertex_0 2 BuiltIn ClipDistance
            OpMemberDecorate %gl_PerVertex_0 3 BuiltIn CullDistance
            OpDecorate %gl_TessLevelOuter BuiltIn TessLevelOuter
            OpDecorate %gl_TessLevelOuter Patch
            OpDecorate %whole Patch
            OpDecorate %whole Location 1
            OpDecorate %gl_PatchVerticesIn BuiltIn PatchVertices
            %void = OpTypeVoid
            %3 = OpTypeFunction %void
            %float = OpTypeFloat 32
            %v4float = OpTypeVector %float 4
            %uint = OpTypeInt 32 0
            %uint_3 = OpConstant %uint 3
            %_arr_v4float_uint_3 = OpTypeArray %v4float %uint_3
            %_ptr_Output__arr_v4float_uint_3 = OpTypePointer Output %_arr_v4float_uint_3
            %after = OpVariable %_ptr_Output__arr_v4float_uint_3 Output
            %int = OpTypeInt 32 1
            %_ptr_Input_int = OpTypePointer Input %int
            %gl_InvocationID = OpVariable %_ptr_Input_int Input
            %uint_32 = OpConstant %uint 32
            %_arr_v4float_uint_32 = OpTypeArray %v4float %uint_32
            %_ptr_Input__arr_v4float_uint_32 = OpTypePointer Input %_arr_v4float_uint_32
            %before = OpVariable %_ptr_Input__arr_v4float_uint_32 Input
            %_ptr_Input_v4float = OpTypePointer Input %v4float
            %_ptr_Output_v4float = OpTypePointer Output %v4float
            %uint_1 = OpConstant %uint 1
            %_arr_float_uint_1 = OpTypeArray %float %uint_1
            %gl_PerVertex = OpTypeStruct %v4float %float %_arr_float_uint_1 %_arr_float_uint_1
            %_arr_gl_PerVertex_uint_3 = OpTypeArray %gl_PerVertex %uint_3
            %_ptr_Output__arr_gl_PerVertex_uint_3 = OpTypePointer Output %_arr_gl_PerVertex_uint_3
            %gl_out = OpVariable %_ptr_Output__arr_gl_PerVertex_uint_3 Output
            %int_0 = OpConstant %int 0
            %gl_PerVertex_0 = OpTypeStruct %v4float %float %_arr_float_uint_1 %_arr_float_uint_1
            %_arr_gl_PerVertex_0_uint_32 = OpTypeArray %gl_PerVertex_0 %uint_32
            %_ptr_Input__arr_gl_PerVertex_0_uint_32 = OpTypePointer Input %_arr_gl_PerVertex_0_uint_32
            %gl_in = OpVariable %_ptr_Input__arr_gl_PerVertex_0_uint_32 Input
            %uint_2 = OpConstant %uint 2
            %uint_4 = OpConstant %uint 4
            %uint_0 = OpConstant %uint 0
            %_arr_float_uint_4 = OpTypeArray %float %uint_4
            %_ptr_Output__arr_float_uint_4 = OpTypePointer Output %_arr_float_uint_4
            %gl_TessLevelOuter = OpVariable %_ptr_Output__arr_float_uint_4 Output
            %int_2 = OpConstant %int 2
            %int_1 = OpConstant %int 1
            %_ptr_Output_float = OpTypePointer Output %float
            %whole = OpVariable %_ptr_Output_v4float Output
            %gl_PatchVerticesIn = OpVariable %_ptr_Input_int Input
            %main = OpFunction %void None %3
            %4 = OpLabel
            %15 = OpLoad %int %gl_InvocationID
            %20 = OpLoad %int %gl_InvocationID
            %22 = OpAccessChain %_ptr_Input_v4float %before %20
            %23 = OpLoad %v4float %22
            %25 = OpAccessChain %_ptr_Output_v4float %after %15
            OpStore %25 %23
            %32 = OpLoad %int %gl_InvocationID
            %38 = OpLoad %int %gl_InvocationID
            %39 = OpAccessChain %_ptr_Input_v4float %gl_in %38 %int_0
            %40 = OpLoad %v4float %39
            %41 = OpAccessChain %_ptr_Output_v4float %gl_out %32 %int_0
            OpStore %41 %40
            OpControlBarrier %uint_2 %uint_4 %uint_0
            %51 = OpAccessChain %_ptr_Output_float %after %int_1 %uint_0
            %52 = OpLoad %float %51
            %53 = OpAccessChain %_ptr_Output_float %gl_TessLevelOuter %int_2
            OpStore %53 %52
            %56 = OpLoad %int %gl_PatchVerticesIn
            %57 = OpConvertSToF %float %56
            %58 = OpCompositeConstruct %v4float %57 %57 %57 %57
            OpStore %whole %58
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn patches_are_evaluated_with_spacing_and_order() {
    check(
        "a.tese",
        "layout(quads, fractional_odd_spacing, cw, point_mode) in;
        layout(location = 0) in vec4 points[];
        layout(location = 1) patch in vec4 whole;
        void main() {
            gl_Position = points[0] * gl_TessCoord.x + whole * gl_TessLevelInner[1];
            gl_PointSize = gl_in[0].gl_PointSize;
        }",
        INTERFACE,
        expect![[r#"
            OpCapability Shader
            OpCapability Tessellation
            OpCapability TessellationPointSize
            OpEntryPoint TessellationEvaluation %main "main" %_ %points %gl_TessCoord %whole %gl_TessLevelInner %gl_in
            OpExecutionMode %main Quads
            OpExecutionMode %main SpacingFractionalOdd
            OpExecutionMode %main VertexOrderCw
            OpExecutionMode %main PointMode
            OpDecorate %gl_PerVertex Block
            OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
            OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
            OpMemberDecorate %gl_PerVertex 2 BuiltIn ClipDistance
            OpMemberDecorate %gl_PerVertex 3 BuiltIn CullDistance
            OpDecorate %points Location 0
            OpDecorate %gl_TessCoord BuiltIn TessCoord
            OpDecorate %whole Patch
            OpDecorate %whole Location 1
            OpDecorate %gl_TessLevelInner BuiltIn TessLevelInner
            OpDecorate %gl_TessLevelInner Patch
            OpDecorate %gl_PerVertex_0 Block
            OpMemberDecorate %gl_PerVertex_0 0 BuiltIn Position
            OpMemberDecorate %gl_PerVertex_0 1 BuiltIn PointSize
            OpMemberDecorate %gl_PerVertex_0 2 BuiltIn ClipDistance
            OpMemberDecorate %gl_PerVertex_0 3 BuiltIn CullDistance
        "#]],
    );
    check(
        "a.tese",
        "layout(triangles) in; void main() { gl_Position = vec4(gl_TessCoord, 1); }",
        &["OpExecutionMode"],
        expect![[r#"
            OpExecutionMode %main Triangles
            OpExecutionMode %main SpacingEqual
            OpExecutionMode %main VertexOrderCcw
        "#]],
    );
}

#[test]
fn layers_are_of_the_version_or_of_an_extension() {
    let source = "#extension GL_ARB_shader_viewport_layer_array : require
        void main() { gl_Position = vec4(0); gl_Layer = 1; }";
    check(
        "a.vert",
        source,
        &["OpCapability", "OpExtension "],
        expect![[r#"
        OpCapability Shader
        OpCapability ShaderLayer
    "#]],
    );
}

#[test]
fn what_a_stage_cannot_have_is_told() {
    check_errors(
        "a.frag",
        "#extension GL_EXT_buffer_reference : require
        layout(buffer_reference) buffer R { int x; };
        layout(location = 0) in Block { R address; };
        layout(location = 1) in vec4 a;
        layout(pixel_center_integer) in vec4 gl_FragCoord;
        layout(location = 0) out vec4 colour;
        void main() { address.x = 1; colour = gl_FragCoord; }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            `Block` holds addresses, which cannot pass between stages in Vulkan: pass them as `uvec2`
            `layout(pixel_center_integer)` is not available in Vulkan, where the centres of pixels are at 0.5
        "#]],
    );
}

/// GL_QCOM_image_processing and its followers: the texture that is loaded has the decoration, also as an element of an array.
#[test]
fn textures_of_image_processing_are_decorated() {
    check(
        "a.frag",
        "#extension GL_QCOM_image_processing : require
        #extension GL_QCOM_image_processing2 : require
        #extension GL_QCOM_image_processing3 : require
        layout(binding = 0) uniform sampler2D picture;
        layout(binding = 1) uniform texture2DArray weights;
        layout(binding = 2) uniform sampler plain;
        layout(binding = 3) uniform sampler2D blocks[2];
        layout(location = 0) out vec4 colour;
        void main() {
            colour = textureWeightedQCOM(picture, vec2(0.5), sampler2DArray(weights, plain));
            colour += textureBoxFilterQCOM(picture, vec2(0.5), vec2(2.5));
            colour += textureBlockMatchWindowSADQCOM(blocks[0], uvec2(0), blocks[1], uvec2(8), uvec2(4));
            colour += textureGatherH2QCOM(picture, vec2(0.5), 2);
        }",
        &["Capability", "Extension", "TextureQCOM", "SamplerQCOM", "OpImage"],
        expect![[r#"
            OpCapability Shader
            OpCapability TextureSampleWeightedQCOM
            OpCapability TextureBoxFilterQCOM
            OpCapability TextureBlockMatch2QCOM
            OpCapability TextureBlockMatchQCOM
            OpCapability ImageGatherExtendedModesQCOM
            OpExtension "SPV_QCOM_image_processing"
            OpExtension "SPV_QCOM_image_processing2"
            OpExtension "SPV_QCOM_image_processing3"
            OpDecorate %weights WeightTextureQCOM
            OpDecorate %41 BlockMatchTextureQCOM
            OpDecorate %41 BlockMatchSamplerQCOM
            OpDecorate %47 BlockMatchTextureQCOM
            OpDecorate %47 BlockMatchSamplerQCOM
            %27 = OpImageSampleWeightedQCOM %v4float %13 %16 %26
            %31 = OpImageBoxFilterQCOM %v4float %28 %16 %30
            %53 = OpImageBlockMatchWindowSADQCOM %v4float %42 %45 %48 %50 %52
            %58 = OpImageGatherQCOM %v4float %57 %16 %int_2 %int_2
        "#]],
    );
}

/// GL_ARB_shader_ballot is older than the subgroups of Vulkan 1.1.
#[test]
fn groups_of_vulkan_1_0_have_a_size_and_masks() {
    check_for(
        TargetEnv::Vulkan1_0,
        "a.frag",
        "#extension GL_ARB_shader_ballot : require
        #extension GL_ARB_gpu_shader_int64 : require
        layout(location = 0) out uint result;
        void main() {
            result = gl_SubGroupSizeARB + gl_SubGroupInvocationARB + uint(gl_SubGroupLtMaskARB);
        }",
        &["OpCapability", "OpExtension", "BuiltIn"],
        expect![[r#"
            OpCapability Shader
            OpCapability SubgroupBallotKHR
            OpCapability Int64
            OpExtension "SPV_KHR_shader_ballot"
            OpDecorate %gl_SubGroupSizeARB BuiltIn SubgroupSize
            OpDecorate %gl_SubGroupInvocationARB BuiltIn SubgroupLocalInvocationId
            OpDecorate %gl_SubGroupLtMaskARB BuiltIn SubgroupLtMask
        "#]],
    );
}
