//! Layouts, qualifiers of memory, and arrays of descriptors.

use coopmat_analysis::config::TargetEnv;
use expect_test::expect;

use super::{check, check_errors};

#[test]
fn row_major_holds_in_nested_structures() {
    check(
        "struct Inner { mat2x3 m; };
        struct Outer { Inner inner[2]; float f; };
        layout(binding = 0, row_major) buffer R { Outer o; mat2x3 m; } r;
        layout(binding = 1) buffer C { Outer o; } c;
        void main() { c.o = r.o; c.o.f = r.o.inner[1].m[1].z; }",
        &["Major", "MatrixStride", "Offset", "ArrayStride", "CopyLogical"],
        expect![[r#"
            OpMemberDecorate %Inner 0 ColMajor
            OpMemberDecorate %Inner 0 MatrixStride 16
            OpMemberDecorate %Inner 0 Offset 0
            OpDecorate %_arr_Inner_uint_2 ArrayStride 32
            OpMemberDecorate %Outer 0 Offset 0
            OpMemberDecorate %Outer 1 Offset 64
            OpMemberDecorate %C 0 Offset 0
            OpMemberDecorate %Inner_0 0 RowMajor
            OpMemberDecorate %Inner_0 0 MatrixStride 8
            OpMemberDecorate %Inner_0 0 Offset 0
            OpDecorate %_arr_Inner_0_uint_2 ArrayStride 24
            OpMemberDecorate %Outer_0 0 Offset 0
            OpMemberDecorate %Outer_0 1 Offset 48
            OpMemberDecorate %R 0 Offset 0
            OpMemberDecorate %R 1 RowMajor
            OpMemberDecorate %R 1 MatrixStride 8
            OpMemberDecorate %R 1 Offset 56
            %30 = OpCopyLogical %Outer_1 %26
            %31 = OpCopyLogical %Outer %30
        "#]],
    );
}

#[test]
fn the_widest_qualifier_says_for_whom_memory_is_coherent() {
    check(
        "#pragma use_vulkan_memory_model
        #extension GL_KHR_memory_scope_semantics : require
        layout(binding = 0) coherent buffer A { uint a; workgroupcoherent uint b; };
        layout(binding = 1) buffer B { workgroupcoherent uint c; volatile uint d; nonprivate uint e; uint f; };
        void main() { a = b; c = d; e = f; }",
        &["OpLoad", "OpStore", "%uint_2 = ", "%uint_5 = "],
        expect![[r#"
            %uint_5 = OpConstant %uint 5
            %uint_2 = OpConstant %uint 2
            %15 = OpLoad %uint %13 MakePointerVisible|NonPrivatePointer %uint_5
            OpStore %16 %15 MakePointerAvailable|NonPrivatePointer %uint_5
            %21 = OpLoad %uint %20 Volatile|MakePointerVisible|NonPrivatePointer %uint_5
            OpStore %22 %21 MakePointerAvailable|NonPrivatePointer %uint_2
            %27 = OpLoad %uint %26
            OpStore %28 %27 NonPrivatePointer
        "#]],
    );
}

#[test]
fn texels_of_images_are_coherent_in_the_vulkan_memory_model() {
    check(
        "#pragma use_vulkan_memory_model
        layout(binding = 0, r32f) uniform coherent image2D a;
        layout(binding = 1, r32f) uniform volatile image2D b;
        void main() { imageStore(a, ivec2(1), imageLoad(b, ivec2(2))); memoryBarrierImage(); barrier(); }",
        &["OpLoad", "OpImageRead", "OpImageWrite", "Barrier", "OpDecorate %a", "= OpConstant %uint"],
        expect![[r#"
            OpDecorate %a Binding 0
            OpDecorate %a DescriptorSet 0
            %uint_5 = OpConstant %uint 5
            %uint_2056 = OpConstant %uint 2056
            %uint_2 = OpConstant %uint 2
            %uint_264 = OpConstant %uint 264
            %9 = OpLoad %6 %a
            %15 = OpLoad %6 %b
            %21 = OpImageRead %v4float %15 %17 MakeTexelVisible|NonPrivateTexel|VolatileTexel %uint_5
            OpImageWrite %9 %13 %21 MakeTexelAvailable|NonPrivateTexel %uint_5
            OpMemoryBarrier %uint_5 %uint_2056
            OpControlBarrier %uint_2 %uint_2 %uint_264
        "#]],
    );
}

#[test]
fn arrays_of_samplers_are_parameters() {
    check(
        "layout(binding = 0) uniform sampler2D tex[3];
        layout(binding = 3) buffer B { float o[]; };
        float pick(sampler2D t[3], int i) { return textureLod(t[i], vec2(0), 0.0).x; }
        void main() { o[0] = pick(tex, int(gl_WorkGroupID.x)); }",
        &["OpCapability", "OpTypeFunction", "FunctionCall", "AccessChain %_ptr_Uniform"],
        expect![[r#"
            OpCapability Shader
            OpCapability SampledImageArrayDynamicIndexing
            %3 = OpTypeFunction %void
            %31 = OpTypeFunction %float %_ptr_UniformConstant__arr_13_uint_3 %int
            %28 = OpFunctionCall %float %pick %tex %27
            %36 = OpAccessChain %_ptr_UniformConstant_13 %t %i
        "#]],
    );
}

#[test]
fn what_differs_between_invocations_is_told_of_the_pair_and_of_texels() {
    check(
        "#extension GL_EXT_nonuniform_qualifier : require
        layout(binding = 0) uniform texture2D t[];
        layout(binding = 1) uniform sampler s;
        layout(binding = 2, r32ui) uniform uimage2D i[4];
        layout(binding = 3) buffer B { vec4 o[]; };
        void main() {
            uint n = gl_LocalInvocationIndex;
            o[n] = textureLod(sampler2D(t[nonuniformEXT(n)], s), vec2(0), 0.0);
            imageAtomicAdd(i[nonuniformEXT(n)], ivec2(0), 1u);
        }",
        &["NonUniform", "OpSampledImage", "TexelPointer"],
        expect![[r#"
            OpCapability ShaderNonUniform
            OpCapability SampledImageArrayNonUniformIndexing
            OpCapability StorageImageArrayNonUniformIndexing
            OpDecorate %22 NonUniform
            OpDecorate %23 NonUniform
            OpDecorate %29 NonUniform
            OpDecorate %42 NonUniform
            OpDecorate %47 NonUniform
            %29 = OpSampledImage %28 %23 %27
            %47 = OpImageTexelPointer %_ptr_Image_uint %42 %44 %uint_0
        "#]],
    );
}

#[test]
fn an_array_is_as_long_as_a_matrix() {
    check(
        "#extension GL_KHR_memory_scope_semantics : require
        #extension GL_KHR_cooperative_matrix : require
        layout(local_size_x = 32) in;
        layout(binding = 0) buffer B { float o[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(1.0);
            float a[m.length()];
            for (int i = 0; i < m.length(); ++i) a[i] = m[i];
            o[0] = a[1];
        }",
        &["MatrixLength", "OpTypeArray"],
        expect![[r#"
            %15 = OpSpecConstantOp %uint CooperativeMatrixLengthKHR %10
            %_arr_float_15 = OpTypeArray %float %15
            %28 = OpCooperativeMatrixLengthKHR %uint %10
        "#]],
    );
}

/// GL_EXT_buffer_reference, 4.3.9: `coherent` and `volatile` "do apply to the instance variable". Those of the block around a member are
/// about the address in it.
#[test]
fn what_a_variable_with_an_address_is_qualified_with_holds_for_what_it_points_at() {
    let source = "#extension GL_EXT_buffer_reference : require
        layout(buffer_reference) buffer R { uint x; };
        layout(binding = 0) buffer B { R plain; coherent R member; volatile R eager; };
        layout(binding = 1) coherent buffer C { R inside; };
        void set(coherent R parameter) { parameter.x = 1; }
        void main() {
            coherent R local = plain;
            R other = plain;
            set(plain);
            local.x = 2;
            other.x = 3;
            member.x = 4;
            eager.x = 5;
            inside.x = 6;
            volatile R last = plain;
            atomicAdd(last.x, 7u);
        }";
    check(
        &format!("#pragma use_vulkan_memory_model\n{source}"),
        &["OpStore", "OpAtomic"],
        expect![[r#"
        OpStore %24 %uint_2 Aligned|MakePointerAvailable|NonPrivatePointer 16 %uint_5
        OpStore %27 %uint_3 Aligned 16
        OpStore %32 %uint_4 Aligned|MakePointerAvailable|NonPrivatePointer 16 %uint_5
        OpStore %36 %uint_5 Volatile|Aligned|MakePointerAvailable|NonPrivatePointer 16 %uint_5
        OpStore %43 %uint_6 Aligned 16
        %49 = OpAtomicIAdd %uint %46 %uint_5 %uint_32768 %uint_7
        OpStore %54 %uint_1 Aligned|MakePointerAvailable|NonPrivatePointer 16 %uint_5
    "#]],
    );
    check_errors(
        source,
        TargetEnv::Vulkan1_3,
        expect![[r#"
        `coherent` on a variable that holds an address needs the Vulkan memory model: add `#pragma use_vulkan_memory_model`, or declare `coherent buffer R`
    "#]],
    );
}

#[test]
fn accesses_are_nontemporal() {
    check(
        "#extension GL_EXT_nontemporal_keyword : require
        layout(binding = 0) nontemporal buffer A { vec4 a; };
        layout(binding = 1) buffer B { nontemporal vec4 b; vec4 c; };
        layout(binding = 2, rgba32f) nontemporal uniform image2D i;
        void main() { b = a; c = imageLoad(i, ivec2(0)); imageStore(i, ivec2(1), c); }",
        &["OpLoad %v4", "OpStore", "OpImageRead", "OpImageWrite"],
        expect![[r#"
            %17 = OpLoad %v4float %16 Nontemporal
            OpStore %18 %17 Nontemporal
            %26 = OpImageRead %v4float %23 %25 Nontemporal
            OpStore %27 %26
            %31 = OpLoad %v4float %30
            OpImageWrite %28 %29 %31 Nontemporal
        "#]],
    );
}

#[test]
fn push_constants_lie_in_their_bank() {
    check(
        "#extension GL_NV_push_constant_bank : require
        layout(push_constant, bank = 2, member_offset = 16) uniform Push { vec4 a; } push;
        layout(binding = 0) buffer B { vec4 b; };
        void main() { b = push.a; }",
        &["OpCapability", "OpExtension", "OpDecorate %push"],
        expect![[r#"
            OpCapability Shader
            OpCapability PushConstantBanksNV
            OpExtension "SPV_NV_push_constant_bank"
            OpDecorate %push BankNV 2
            OpDecorate %push MemberOffsetNV 16
        "#]],
    );
}

#[test]
fn blocks_and_open_arrays_are_not_loaded_where_nothing_takes_their_value() {
    check(
        "layout(binding = 0) buffer Open { float o[]; } open[2];
        layout(binding = 2) buffer Closed { int p; } closed[2];
        void main() { int i = 0; open[0]; open[i++].o; (i++, open[i].o); closed; (closed[0], i++); closed[0].p = i; }",
        &["Load", "IAdd", "Store"],
        expect![[r#"
            OpStore %i %int_0
            %17 = OpLoad %int %i
            %19 = OpIAdd %int %17 %int_1
            OpStore %i %19
            %20 = OpLoad %int %i
            %21 = OpIAdd %int %20 %int_1
            OpStore %i %21
            %22 = OpLoad %int %i
            %27 = OpLoad %int %i
            %28 = OpIAdd %int %27 %int_1
            OpStore %i %28
            %29 = OpLoad %int %i
            OpStore %31 %29
        "#]],
    );
}

#[test]
fn formats_that_nothing_is_converted_to_are_made_of_constants() {
    check(
        "#extension GL_EXT_float_ue8m0 : require
        layout(binding = 0) buffer Scales { floatue8m0_t one; fue8m0vec2 two; };
        void main() { two = fue8m0vec2(one, 2); two = fue8m0vec2(4.0, one); }",
        &["Convert", "Constant", "CompositeConstruct"],
        expect![[r#"
            %int_1 = OpConstant %int 1
            %int_0 = OpConstant %int 0
            %fp8e8m0_0x1p_1 = OpConstant %fp8e8m0 0x1p+1
            %fp8e8m0_0x1p_2 = OpConstant %fp8e8m0 0x1p+2
            %17 = OpCompositeConstruct %v2fp8e8m0 %15 %fp8e8m0_0x1p_1
            %23 = OpCompositeConstruct %v2fp8e8m0 %fp8e8m0_0x1p_2 %22
        "#]],
    );
}

/// GLSL 4.60, 4.10: "variables declared as **volatile** are automatically treated as coherent".
#[test]
fn what_is_volatile_is_coherent() {
    check(
        "layout(binding = 0) volatile buffer A { uint a; };
        layout(binding = 1) buffer B { volatile uint b; uint c; };
        layout(binding = 2, r32f) uniform volatile image2D i;
        void main() { a = b; c = 1u; imageStore(i, ivec2(0), vec4(1)); }",
        &["Coherent", "Volatile"],
        expect![[r#"
            OpMemberDecorate %A 0 Coherent
            OpMemberDecorate %A 0 Volatile
            OpDecorate %_ Coherent
            OpDecorate %_ Volatile
            OpMemberDecorate %B 0 Coherent
            OpMemberDecorate %B 0 Volatile
            OpDecorate %i Coherent
            OpDecorate %i Volatile
        "#]],
    );
}

#[test]
fn texels_of_a_nonprivate_texture_are_not_private() {
    check(
        "#pragma use_vulkan_memory_model
        #extension GL_KHR_memory_scope_semantics : require
        layout(binding = 0) nonprivate uniform sampler2D a[2];
        layout(binding = 2) uniform sampler2D b;
        layout(binding = 3) buffer B { vec4 o[]; };
        void main() { o[0] = texture(a[1], vec2(0)); o[1] = texelFetch(a[0], ivec2(0), 0); o[2] = texture(b, vec2(0)); }",
        &["OpImageSample", "OpImageFetch"],
        expect![[r#"
            %27 = OpImageSampleExplicitLod %v4float %23 %26 Lod|NonPrivateTexel %float_0
            %35 = OpImageFetch %v4float %32 %34 Lod|NonPrivateTexel %int_0
            %40 = OpImageSampleExplicitLod %v4float %39 %26 Lod %float_0
        "#]],
    );
}

/// SPV_KHR_workgroup_memory_explicit_layout: blocks that lie at the same place say so.
#[test]
fn one_shared_block_has_its_memory_for_itself() {
    let source = "#extension GL_EXT_shared_memory_block : require
        shared A { float a; };";
    check(&format!("{source} void main() {{ a = 1.0; }}"), &["Aliased"], expect![""]);
    check(
        &format!("{source} shared B {{ uint b; }}; void main() {{ a = 1.0; b = 1u; }}"),
        &["Aliased"],
        expect![[r#"
            OpDecorate %_ Aliased
            OpDecorate %__0 Aliased
        "#]],
    );
}
