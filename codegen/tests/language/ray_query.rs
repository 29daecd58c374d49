//! GL_EXT_ray_query.

use expect_test::expect;

use super::check;

/// Queries are private variables, wherever they are declared, and reach functions as pointers; acceleration structures as values.
#[test]
fn functions_take_queries_as_variables() {
    check(
        "#extension GL_EXT_ray_query : require
        #extension GL_EXT_ray_tracing_position_fetch : require
        layout(binding = 0) uniform accelerationStructureEXT scene;
        layout(binding = 1) buffer B { vec3 p[3]; uvec2 address; };
        rayQueryEXT everywhere;
        bool next(rayQueryEXT q, accelerationStructureEXT of) {
            rayQueryInitializeEXT(q, of, gl_RayFlagsOpaqueEXT, 0xFFu, vec3(0), 0.0, vec3(1), 9.0);
            return rayQueryProceedEXT(q);
        }
        void main() {
            rayQueryEXT here;
            vec3 positions[3];
            if (next(here, scene) && next(everywhere, accelerationStructureEXT(address))) {
                rayQueryGetIntersectionTriangleVertexPositionsEXT(here, true, positions);
                p = positions;
            }
        }",
        &["OpCapability", "OpExtension", "RayQuery", "Acceleration", "OpFunctionCall", "OpStore"],
        expect![[r#"
            OpCapability Shader
            OpCapability RayQueryKHR
            OpCapability RayQueryPositionFetchKHR
            OpExtension "SPV_KHR_ray_query"
            OpExtension "SPV_KHR_ray_tracing_position_fetch"
            %5 = OpTypeRayQueryKHR
            %16 = OpTypeAccelerationStructureKHR
            %21 = OpFunctionCall %bool %next %here %19
            %35 = OpConvertUToAccelerationStructureKHR %16 %34
            %36 = OpFunctionCall %bool %next %everywhere %35
            %41 = OpRayQueryGetIntersectionTriangleVertexPositionsKHR %_arr_v3float_uint_3 %here %uint_1
            OpStore %positions %41
            OpStore %46 %44
            OpRayQueryInitializeKHR %q %of %uint_1 %uint_255 %53 %float_0 %55 %float_9
            %57 = OpRayQueryProceedKHR %bool %q
        "#]],
    );
}

/// What a shader says about itself without a value in it: the flags that it may use, and whether micromaps count.
#[test]
fn modes_of_queries_are_declared() {
    check(
        "#extension GL_EXT_ray_query : require
        #extension GL_EXT_ray_flags_primitive_culling : require
        #extension GL_EXT_opacity_micromap_ray_query_mode : require
        layout(primitive_culling);
        layout(constant_id = 2) gl_EnableOpacityMicromapEXT;
        layout(binding = 0) uniform accelerationStructureEXT scene;
        void main() {
            rayQueryEXT q;
            rayQueryInitializeEXT(q, scene, gl_RayFlagsSkipAABBEXT, 0xFFu, vec3(0), 0.0, vec3(1), 9.0);
        }",
        &["OpCapability", "OpExtension", "OpExecutionMode", "SpecId", "SpecConstant"],
        expect![[r#"
            OpCapability Shader
            OpCapability RayQueryKHR
            OpCapability RayTraversalPrimitiveCullingKHR
            OpCapability RayTracingOpacityMicromapExecutionModeKHR
            OpExtension "SPV_KHR_ray_query"
            OpExtension "SPV_KHR_opacity_micromap"
            OpExecutionMode %main LocalSize 1 1 1
            OpExecutionModeId %main OpacityMicromapIdKHR %gl_EnableOpacityMicromapEXT
            OpDecorate %gl_EnableOpacityMicromapEXT SpecId 2
            %gl_EnableOpacityMicromapEXT = OpSpecConstantFalse %bool
        "#]],
    );
}

/// GL_KHR_vulkan_glsl: "Built-in constants can be declared to be specialization constants".
#[test]
fn constants_of_the_language_are_specialized() {
    check(
        "layout(constant_id = 31) gl_MaxClipDistances;
        layout(binding = 0) buffer B { int b; };
        void main() { float distances[gl_MaxClipDistances]; b = gl_MaxClipDistances + distances.length(); }",
        &["SpecId", "SpecConstant", "OpTypeArray"],
        expect![[r#"
            OpDecorate %gl_MaxClipDistances SpecId 31
            %gl_MaxClipDistances = OpSpecConstant %int 8
            %_arr_float_gl_MaxClipDistances = OpTypeArray %float %gl_MaxClipDistances
            %15 = OpSpecConstantOp %int IAdd %gl_MaxClipDistances %gl_MaxClipDistances
        "#]],
    );
}
