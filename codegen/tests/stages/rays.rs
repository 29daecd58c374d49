//! Stages that trace rays (GL_EXT_ray_tracing).

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use expect_test::expect;

use super::{check, check_errors};

#[test]
fn rays_are_traced_with_the_payload_at_a_location() {
    check(
        "a.rgen",
        "#extension GL_EXT_ray_tracing : require
        layout(binding = 0) uniform accelerationStructureEXT scene;
        layout(location = 0) rayPayloadEXT vec4 colour;
        layout(location = 1) callableDataEXT Data { vec2 a; } data;
        layout(shaderRecordEXT) buffer Record { uint flags; };
        void main() {
            traceRayEXT(scene, flags, 0xff, 0, 1, 0, vec3(gl_LaunchIDEXT), 0.0, vec3(0, 0, 1), 100.0, 0);
            data.a = colour.xy;
            executeCallableEXT(2, 1);
        }",
        &[],
        expect![[r#"
            OpCapability Shader
            OpCapability RayTracingKHR
            OpExtension "SPV_KHR_ray_tracing"
            OpMemoryModel Logical GLSL450
            OpEntryPoint RayGenerationKHR %main "main" %colour %scene %_ %gl_LaunchIDEXT %data
            OpSource GLSL 460
            OpName %main "main"
            OpName %colour "colour"
            OpName %scene "scene"
            OpName %Record "Record"
            OpMemberName %Record 0 "flags"
            OpName %_ ""
            OpName %gl_LaunchIDEXT "gl_LaunchIDEXT"
            OpName %Data "Data"
            OpMemberName %Data 0 "a"
            OpName %data "data"
            OpDecorate %scene Binding 0
            OpDecorate %scene DescriptorSet 0
            OpMemberDecorate %Record 0 Offset 0
            OpDecorate %Record Block
            OpDecorate %gl_LaunchIDEXT BuiltIn LaunchIdKHR
            %void = OpTypeVoid
            %3 = OpTypeFunction %void
            %float = OpTypeFloat 32
            %v4float = OpTypeVector %float 4
            %_ptr_RayPayloadKHR_v4float = OpTypePointer RayPayloadKHR %v4float
            %colour = OpVariable %_ptr_RayPayloadKHR_v4float RayPayloadKHR
            %9 = OpTypeAccelerationStructureKHR
            %_ptr_UniformConstant_9 = OpTypePointer UniformConstant %9
            %scene = OpVariable %_ptr_UniformConstant_9 UniformConstant
            %uint = OpTypeInt 32 0
            %Record = OpTypeStruct %uint
            %_ptr_ShaderRecordBufferKHR_Record = OpTypePointer ShaderRecordBufferKHR %Record
            %_ = OpVariable %_ptr_ShaderRecordBufferKHR_Record ShaderRecordBufferKHR
            %int = OpTypeInt 32 1
            %int_0 = OpConstant %int 0
            %_ptr_ShaderRecordBufferKHR_uint = OpTypePointer ShaderRecordBufferKHR %uint
            %uint_255 = OpConstant %uint 255
            %uint_0 = OpConstant %uint 0
            %uint_1 = OpConstant %uint 1
            %v3uint = OpTypeVector %uint 3
            %_ptr_Input_v3uint = OpTypePointer Input %v3uint
            %gl_LaunchIDEXT = OpVariable %_ptr_Input_v3uint Input
            %v3float = OpTypeVector %float 3
            %float_0 = OpConstant %float 0
            %float_1 = OpConstant %float 1
            %33 = OpConstantComposite %v3float %float_0 %float_0 %float_1
            %float_100 = OpConstant %float 100
            %v2float = OpTypeVector %float 2
            %Data = OpTypeStruct %v2float
            %_ptr_CallableDataKHR_Data = OpTypePointer CallableDataKHR %Data
            %data = OpVariable %_ptr_CallableDataKHR_Data CallableDataKHR
            %_ptr_CallableDataKHR_v2float = OpTypePointer CallableDataKHR %v2float
            %uint_2 = OpConstant %uint 2
            %main = OpFunction %void None %3
            %4 = OpLabel
            %12 = OpLoad %9 %scene
            %20 = OpAccessChain %_ptr_ShaderRecordBufferKHR_uint %_ %int_0
            %21 = OpLoad %uint %20
            %28 = OpLoad %v3uint %gl_LaunchIDEXT
            %30 = OpConvertUToF %v3float %28
            OpTraceRayKHR %12 %21 %uint_255 %uint_0 %uint_1 %uint_0 %30 %float_0 %33 %float_100 %colour
            %39 = OpLoad %v4float %colour
            %40 = OpVectorShuffle %v2float %39 %39 0 1
            %42 = OpAccessChain %_ptr_CallableDataKHR_v2float %data %int_0
            OpStore %42 %40
            OpExecuteCallableKHR %uint_2 %data
            OpReturn
            OpFunctionEnd
        "#]],
    );
}

#[test]
fn hits_know_their_ray() {
    check(
        "a.rahit",
        "#extension GL_EXT_ray_tracing : require
        layout(location = 0) rayPayloadInEXT vec4 colour;
        hitAttributeEXT vec2 place;
        void main() {
            colour = gl_ObjectToWorld3x4EXT[0] + gl_HitTEXT * gl_RayTmaxEXT + vec4(place, gl_PrimitiveID, gl_InstanceID);
            if (gl_HitKindEXT == gl_HitKindFrontFacingTriangleEXT) ignoreIntersectionEXT;
            terminateRayEXT;
        }",
        &["BuiltIn", "OpVariable", "OpTranspose", "OpIgnore", "OpTerminate", "OpEntryPoint", "OpCapability"],
        expect![[r#"
            OpCapability Shader
            OpCapability RayTracingKHR
            OpCapability Matrix
            OpEntryPoint AnyHitKHR %main "main" %colour %gl_ObjectToWorld3x4EXT %gl_HitTEXT %place %gl_PrimitiveID %gl_InstanceID %gl_HitKindEXT
            OpDecorate %gl_ObjectToWorld3x4EXT BuiltIn ObjectToWorldKHR
            OpDecorate %gl_HitTEXT BuiltIn RayTmaxKHR
            OpDecorate %gl_PrimitiveID BuiltIn PrimitiveId
            OpDecorate %gl_InstanceID BuiltIn InstanceId
            OpDecorate %gl_HitKindEXT BuiltIn HitKindKHR
            %colour = OpVariable %_ptr_IncomingRayPayloadKHR_v4float IncomingRayPayloadKHR
            %gl_ObjectToWorld3x4EXT = OpVariable %_ptr_Input_mat4v3float Input
            %gl_HitTEXT = OpVariable %_ptr_Input_float Input
            %place = OpVariable %_ptr_HitAttributeKHR_v2float HitAttributeKHR
            %gl_PrimitiveID = OpVariable %_ptr_Input_int Input
            %gl_InstanceID = OpVariable %_ptr_Input_int Input
            %gl_HitKindEXT = OpVariable %_ptr_Input_uint Input
            %15 = OpTranspose %mat3v4float %13
            OpIgnoreIntersectionKHR
            OpTerminateRayKHR
        "#]],
    );
}

#[test]
fn an_intersection_is_reported() {
    check(
        "a.rint",
        "#extension GL_EXT_ray_tracing : require
        hitAttributeEXT vec3 normal;
        void main() {
            normal = gl_WorldRayDirectionEXT;
            if (reportIntersectionEXT(gl_RayTmaxEXT, 1)) normal = vec3(0);
        }",
        &["Report", "RayTmax", "OpVariable"],
        expect![[r#"
            OpEntryPoint IntersectionKHR %main "main" %normal %gl_WorldRayDirectionEXT %gl_RayTmaxEXT
            OpName %gl_RayTmaxEXT "gl_RayTmaxEXT"
            OpDecorate %gl_RayTmaxEXT BuiltIn RayTmaxKHR
            OpDecorate %gl_RayTmaxEXT Coherent
            OpDecorate %gl_RayTmaxEXT Volatile
            %normal = OpVariable %_ptr_HitAttributeKHR_v3float HitAttributeKHR
            %gl_WorldRayDirectionEXT = OpVariable %_ptr_Input_v3float Input
            %gl_RayTmaxEXT = OpVariable %_ptr_Input_float Input
            %14 = OpLoad %float %gl_RayTmaxEXT
            %18 = OpReportIntersectionKHR %bool %14 %uint_1
        "#]],
    );
}

/// Variables may be declared with SPIR-V intrinsics, so the analysis does not say.
#[test]
fn a_payload_that_is_not_there_is_told() {
    check_errors(
        "a.rmiss",
        "#extension GL_EXT_ray_tracing : require
        #extension GL_EXT_spirv_intrinsics : require
        layout(binding = 0) uniform accelerationStructureEXT scene;
        void main() { traceRayEXT(scene, 0, 0, 0, 0, 0, vec3(0), 0.0, vec3(1), 1.0, 3); }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            `traceRayEXT` takes the variable at location 3, which the shader does not declare
        "#]],
    );
}

/// GL_NV_ray_tracing: the instruction takes the location, and the variable has it. SPIR-V 1.4 is not needed.
#[test]
fn the_older_extension_names_payloads_by_their_locations() {
    check(
        "a.rgen",
        "#extension GL_NV_ray_tracing : require
        layout(binding = 0) uniform accelerationStructureNV scene;
        layout(location = 3) rayPayloadNV vec4 colour;
        layout(shaderRecordNV) buffer Record { uint flags; };
        void main() { traceNV(scene, flags, 0xff, 0, 1, 0, vec3(gl_LaunchIDNV), 0.0, vec3(0, 0, 1), 100.0, 3); }",
        &["Capability", "Extension", "Location", "OpTrace"],
        expect![[r#"
            OpCapability Shader
            OpCapability RayTracingNV
            OpExtension "SPV_NV_ray_tracing"
            OpDecorate %colour Location 3
            OpTraceNV %12 %21 %uint_255 %uint_0 %uint_1 %uint_0 %30 %float_0 %33 %float_100 %int_3
        "#]],
    );
}

/// GL_EXT_shader_invocation_reorder: hit objects are private variables, and attributes are found by their locations. In the instructions the payload
/// stands before the hint.
#[test]
fn hit_objects_keep_what_a_ray_meets() {
    check(
        "a.rgen",
        "#extension GL_EXT_ray_tracing : require
        #extension GL_EXT_shader_invocation_reorder : require
        #extension GL_EXT_ray_tracing_position_fetch : require
        layout(binding = 0) uniform accelerationStructureEXT scene;
        layout(location = 1) rayPayloadEXT vec4 colour;
        layout(location = 1) hitObjectAttributeEXT vec2 place;
        hitObjectEXT kept;
        bool hits(hitObjectEXT hit) { return hitObjectIsHitEXT(hit); }
        void main() {
            hitObjectEXT here;
            hitObjectTraceRayEXT(here, scene, 0, 0xff, 0, 1, 0, vec3(0), 0.0, vec3(0, 0, 1), 100.0, 1);
            hitObjectRecordEmptyEXT(kept);
            if (hits(here) && !hits(kept)) {
                hitObjectGetAttributesEXT(here, 1);
                vec3 corners[3];
                hitObjectGetIntersectionTriangleVertexPositionsEXT(here, corners);
                colour.xy = place + corners[1].xy;
            }
            hitObjectReorderExecuteEXT(here, 3, 2, 1);
        }",
        &["Capability", "Extension", "HitObject", "OpFunctionCall"],
        expect![[r#"
            OpCapability Shader
            OpCapability RayTracingKHR
            OpCapability ShaderInvocationReorderEXT
            OpCapability RayTracingPositionFetchKHR
            OpExtension "SPV_KHR_ray_tracing"
            OpExtension "SPV_EXT_shader_invocation_reorder"
            OpExtension "SPV_KHR_ray_tracing_position_fetch"
            %5 = OpTypeHitObjectEXT
            %_ptr_HitObjectAttributeEXT_v2float = OpTypePointer HitObjectAttributeEXT %v2float
            %place = OpVariable %_ptr_HitObjectAttributeEXT_v2float HitObjectAttributeEXT
            OpHitObjectTraceRayEXT %here %11 %uint_0 %uint_255 %uint_0 %uint_1 %uint_0 %19 %float_0 %21 %float_100 %colour
            OpHitObjectRecordEmptyEXT %kept
            %29 = OpFunctionCall %bool %hits %here
            %32 = OpFunctionCall %bool %hits %kept
            OpHitObjectGetAttributesEXT %here %place
            %44 = OpHitObjectGetIntersectionTriangleVertexPositionsEXT %_arr_v3float_uint_3 %here
            OpHitObjectReorderExecuteShaderEXT %here %colour %uint_3 %uint_2
            %62 = OpHitObjectIsHitEXT %bool %hit
        "#]],
    );
}

/// A called shader may come back in another subgroup.
#[test]
fn the_subgroup_is_read_anew_each_time() {
    let source = "#extension GL_EXT_ray_tracing : require
        #extension GL_KHR_shader_subgroup_ballot : require
        layout(location = 0) rayPayloadInEXT uint payload;
        void main() { payload = gl_SubgroupSize + gl_SubgroupLtMask.x; }";
    check(
        "a.rmiss",
        source,
        &["BuiltIn", "Volatile"],
        expect![[r#"
        OpDecorate %gl_SubgroupSize BuiltIn SubgroupSize
        OpDecorate %gl_SubgroupSize Volatile
        OpDecorate %gl_SubgroupLtMask BuiltIn SubgroupLtMask
        OpDecorate %gl_SubgroupLtMask Volatile
    "#]],
    );
    check(
        "a.rmiss",
        &format!("#pragma use_vulkan_memory_model\n{source}"),
        &["BuiltIn", "Volatile"],
        expect![[r#"
            OpDecorate %gl_SubgroupSize BuiltIn SubgroupSize
            OpDecorate %gl_SubgroupLtMask BuiltIn SubgroupLtMask
            %10 = OpLoad %uint %gl_SubgroupSize Volatile
            %16 = OpLoad %uint %15 Volatile
        "#]],
    );
}

#[test]
fn records_of_hit_objects_are_blocks_behind_references() {
    check(
        "a.rgen",
        "#extension GL_EXT_ray_tracing : require
        #extension GL_EXT_shader_invocation_reorder : require
        #extension GL_EXT_buffer_reference : require
        layout(binding = 0) uniform accelerationStructureEXT scene;
        layout(buffer_reference, hitObjectShaderRecordEXT) buffer Record { uint material; };
        layout(location = 0) rayPayloadEXT uint material;
        void main() {
            hitObjectEXT hit;
            hitObjectTraceRayEXT(hit, scene, 0, 0xff, 0, 1, 0, vec3(0), 0.0, vec3(0, 0, 1), 100.0, 0);
            material = Record(hitObjectGetShaderRecordBufferHandleEXT(hit)).material;
        }",
        &["OpCapability", "OpDecorate", "Handle", "OpLoad"],
        expect![[r#"
            OpCapability Shader
            OpCapability RayTracingKHR
            OpCapability ShaderInvocationReorderEXT
            OpCapability PhysicalStorageBufferAddresses
            OpDecorate %scene Binding 0
            OpDecorate %scene DescriptorSet 0
            OpDecorate %Record Block
            OpDecorate %Record HitObjectShaderRecordBufferEXT
            %11 = OpLoad %8 %scene
            %26 = OpHitObjectGetShaderRecordBufferHandleEXT %v2uint %hit
            %34 = OpLoad %uint %33 Aligned 16
        "#]],
    );
}

#[test]
fn a_hit_object_is_no_value() {
    let source = "#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_shader_invocation_reorder : require
struct S { hitObjectEXT hit; };
void main() { hitObjectEXT a; hitObjectEXT b = a; }";
    let analysis =
        coopmat_analysis::analyze("a.rgen", source.into(), &Configuration::default(), &NoFiles, None);
    let told: String = analysis.diagnostics.iter().map(|told| format!("{}\n", told.message)).collect();
    expect![[r#"
        `hit` cannot be a member: no structure or block holds a `hitObjectEXT`
        `b` is never used
        a `hitObjectEXT` cannot be copied: declare it without a value, and trace a ray or record what it hits
    "#]]
    .assert_eq(&told);
}
