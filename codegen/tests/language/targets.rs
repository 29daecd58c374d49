//! What a version of Vulkan, or Vulkan itself, does not have is refused in words.

use coopmat_analysis::config::TargetEnv;
use expect_test::expect;

use super::{check, check_errors};

#[test]
fn an_error_names_the_version() {
    check_errors(
        "#extension GL_EXT_shared_memory_block : require
        shared A { float a; };
        void main() { a = 1.0; }",
        TargetEnv::Vulkan1_1,
        expect![[r#"
            a `shared` block needs SPIR-V 1.4, which vulkan1.1 does not support: choose vulkan1.2 or later
        "#]],
    );
    check_errors(
        "#extension GL_KHR_shader_subgroup_ballot : require
        layout(binding = 0) buffer B { uint o[]; };
        void main() { o[0] = subgroupBroadcast(o[1], o[2]); }",
        TargetEnv::Vulkan1_1,
        expect![[r#"
            `subgroupBroadcast` with an id that is not constant needs SPIR-V 1.5, which vulkan1.1 does not support: choose vulkan1.2 or later
        "#]],
    );
    check_errors(
        "#extension GL_KHR_shader_subgroup_basic : require
        layout(binding = 0) buffer B { uint o[]; };
        void main() { o[0] = gl_SubgroupSize; subgroupBarrier(); }",
        TargetEnv::Vulkan1_0,
        expect![[r#"
            the shader has errors: `gl_SubgroupSize` needs Vulkan 1.1, but the target is vulkan1.0: choose vulkan1.1 or later
        "#]],
    );
}

#[test]
fn what_vulkan_does_not_have_is_told() {
    check_errors(
        "#extension GL_EXT_shared_memory_block : require
        shared Block { float a; };
        shared float plain;
        void main() { a = 1.0; plain = a; }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            the `shared` variable `plain` cannot be used together with the `shared` block `Block`: put it in a block as well
        "#]],
    );
    check_errors(
        "#extension GL_KHR_compute_shader_derivatives : require
        layout(binding = 0) buffer B { float o[]; };
        void main() { o[0] = dFdx(o[1]); }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            `dFdx` needs derivatives, which a compute shader has with `layout(derivative_group_quadsKHR) in;` or `layout(derivative_group_linearKHR) in;`
        "#]],
    );
    check_errors(
        "shared float open[];
        void main() { open[2] = 1.0; }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            `open` gets its size from the constants that index it, which is not supported in compiled shaders: give it a size
        "#]],
    );
    check_errors(
        "layout(binding = 0) uniform sampler2DRect t;
        layout(binding = 1) uniform sampler2D u[2][2];
        layout(binding = 5) buffer B { vec4 o[]; };
        void main() { o[0] = textureLod(u[0][1], vec2(0), 0.0); o[1] = texelFetch(t, ivec2(1)); }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            `u` is an array of arrays, which Vulkan does not support for images and samplers: use one dimension
            Vulkan has no rectangle textures and images: use the 2D ones
        "#]],
    );
}

/// Names in `layout(...)` that are not compiled: a module without them would be another program.
#[test]
fn what_layout_says_is_compiled_or_told() {
    check_errors(
        "#extension GL_EXT_descriptor_heap : require
        layout(descriptor_heap) buffer Block { vec4 x; } heap[];
        layout(binding = 0) buffer B { layout(component = 1) vec4 o; };
        void main() { heap[3].x = vec4(1); o = vec4(2); }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            `layout(component)` is not supported in compiled shaders
        "#]],
    );
    check_errors(
        "#extension GL_EXT_shader_quad_control : require
        layout(quad_derivatives) in;
        void main() { }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            `layout(quad_derivatives)` is not supported in compiled shaders
        "#]],
    );
}

#[test]
fn derivatives_of_invocations_without_neighbours_are_zero() {
    check(
        "#extension GL_NV_compute_shader_derivatives : require
        layout(binding = 0) buffer B { vec2 o[]; };
        void main() { o[0] = dFdx(o[1]); }",
        &["DPdx", "Null", "Store"],
        expect![[r#"
            %17 = OpConstantNull %v2float
            OpStore %18 %17
        "#]],
    );
}
