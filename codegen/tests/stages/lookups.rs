//! Lookups of extensions: sparse textures, lower bounds and biases of levels, fragments of samples, footprints, attachments of the tile.

use expect_test::expect;

use super::{check, check_errors};
use coopmat_analysis::config::TargetEnv;

#[test]
fn sparse_lookups_give_a_code_and_write_the_texel() {
    check(
        "a.frag",
        "#extension GL_ARB_sparse_texture2 : require
        layout(binding = 0) uniform sampler2D picture;
        layout(binding = 1) uniform sampler2DArrayShadow shadows;
        layout(binding = 2, rgba32i) uniform iimage2DMS samples;
        layout(location = 0) in vec4 place;
        layout(location = 0) out vec4 colour;
        void main() {
            vec4 texel;
            int code = sparseTextureARB(picture, place.xy, texel, 2.0);
            code |= sparseTextureARB(shadows, place, texel.y);
            code |= sparseTextureLodARB(picture, place.xy, 1.0, texel);
            code |= sparseTextureGradOffsetARB(shadows, place, place.xy, place.yx, ivec2(3), texel.x);
            code |= sparseTexelFetchARB(picture, ivec2(1), 0, texel);
            code |= sparseTextureGatherARB(picture, place.xy, texel, 2);
            code |= sparseTextureGatherOffsetARB(shadows, place.xyz, 0.5, ivec2(1), texel);
            code |= sparseImageLoadARB(samples, ivec2(2), 3, texel);
            colour = sparseTexelsResidentARB(code) ? texel : vec4(0);
        }",
        &["OpImage", "OpCapability", "OpTypeStruct", "OpConvert"],
        expect![[r#"
            OpCapability Shader
            OpCapability SparseResidency
            OpCapability StorageImageMultisample
            %_struct_21 = OpTypeStruct %int %v4float
            %_struct_36 = OpTypeStruct %int %float
            %_struct_107 = OpTypeStruct %int %v4int
            %22 = OpImageSparseSampleImplicitLod %_struct_21 %13 %18 Bias %float_2
            %37 = OpImageSparseSampleDrefImplicitLod %_struct_36 %31 %35 %33
            %50 = OpImageSparseSampleExplicitLod %_struct_21 %46 %48 Lod %float_1
            %66 = OpImageSparseSampleDrefExplicitLod %_struct_36 %55 %58 %57 Grad|ConstOffset %60 %62 %65
            %74 = OpImage %9 %73
            %78 = OpImageSparseFetch %_struct_21 %74 %76 Lod %int_0
            %87 = OpImageSparseGather %_struct_21 %83 %85 %int_2
            %96 = OpImageSparseDrefGather %_struct_21 %92 %94 %float_0_5 ConstOffset %76
            %108 = OpImageSparseRead %_struct_107 %104 %105 Sample %int_3
            %110 = OpConvertSToF %v4float %109
            %118 = OpImageSparseTexelsResident %bool %116
        "#]],
    );
}

#[test]
fn lower_bounds_of_levels_are_operands() {
    check(
        "a.frag",
        "#extension GL_ARB_sparse_texture_clamp : require
        layout(binding = 0) uniform sampler2D picture;
        layout(binding = 1) uniform samplerCubeArrayShadow shadows;
        layout(location = 0) in vec4 place;
        layout(location = 0) out vec4 colour;
        void main() {
            colour = textureClampARB(picture, place.xy, 1.0, 0.5);
            colour.x += textureClampARB(shadows, place, 0.25, 1.0);
            colour += textureGradOffsetClampARB(picture, place.xy, place.xx, place.yy, ivec2(1), 2.0);
            int code = sparseTextureOffsetClampARB(picture, place.xy, ivec2(1), 1.0, colour);
            if (!sparseTexelsResidentARB(code)) discard;
        }",
        &["OpImage", "OpCapability"],
        expect![[r#"
            OpCapability Shader
            OpCapability MinLod
            OpCapability SampledCubeArray
            OpCapability SparseResidency
            %21 = OpImageSampleImplicitLod %v4float %13 %18 Bias|MinLod %float_0_5 %float_1
            %31 = OpImageSampleDrefImplicitLod %float %28 %29 %float_0_25 MinLod %float_1
            %48 = OpImageSampleExplicitLod %v4float %36 %38 Grad|ConstOffset|MinLod %40 %42 %47 %float_2
            %55 = OpImageSparseSampleImplicitLod %_struct_54 %51 %53 ConstOffset|MinLod %47 %float_1
            %59 = OpImageSparseTexelsResident %bool %57
        "#]],
    );
    check_errors(
        "a.vert",
        "#extension GL_ARB_sparse_texture_clamp : require
        layout(binding = 0) uniform sampler2D picture;
        void main() { gl_Position = textureClampARB(picture, vec2(0), 1.0); }",
        TargetEnv::Vulkan1_3,
        expect![[r#"
            `textureClampARB` needs derivatives, which vertex shaders do not have
        "#]],
    );
}

#[test]
fn gathers_and_images_take_a_level() {
    check(
        "a.frag",
        "#extension GL_AMD_texture_gather_bias_lod : require
        #extension GL_AMD_shader_image_load_store_lod : require
        #extension GL_ARB_sparse_texture2 : require
        layout(binding = 0) uniform sampler2D picture;
        layout(binding = 1, rgba32f) uniform image2D levels;
        layout(location = 0) in vec4 place;
        layout(location = 0) out vec4 colour;
        void main() {
            vec4 texel;
            colour = textureGather(picture, place.xy, 1, 0.5) + textureGatherLodAMD(picture, place.xy, 2.0);
            sparseTextureGatherLodOffsetAMD(picture, place.xy, 1.0, ivec2(1), texel, 2);
            colour += texel + imageLoadLodAMD(levels, ivec2(1), 3);
            sparseImageLoadLodAMD(levels, ivec2(1), 3, texel);
            imageStoreLodAMD(levels, ivec2(1), 2, texel);
        }",
        &["OpImage", "OpCapability", "OpExtension"],
        expect![[r#"
            OpCapability Shader
            OpCapability ImageGatherBiasLodAMD
            OpCapability SparseResidency
            OpCapability ImageReadWriteLodAMD
            OpExtension "SPV_AMD_texture_gather_bias_lod"
            OpExtension "SPV_AMD_shader_image_load_store_lod"
            %24 = OpImageGather %v4float %15 %20 %int_1 Bias %float_0_5
            %30 = OpImageGather %v4float %25 %27 %int_0 Lod %float_2
            %40 = OpImageSparseGather %_struct_39 %32 %34 %int_2 Lod|ConstOffset %float_1 %38
            %49 = OpImageRead %v4float %47 %38 Lod %int_3
            %54 = OpImageSparseRead %_struct_39 %53 %38 Lod %int_3
            OpImageWrite %57 %38 %58 Lod %int_2
        "#]],
    );
}

#[test]
fn fragments_of_samples_are_fetched() {
    check(
        "a.frag",
        "#extension GL_AMD_shader_fragment_mask : require
        layout(binding = 0) uniform isampler2DMSArray layers;
        layout(binding = 1, input_attachment_index = 0) uniform subpassInputMS earlier;
        layout(location = 0) out vec4 colour;
        void main() {
            uint index = fragmentMaskFetchAMD(layers, ivec3(1, 2, 3)) & 15u;
            colour = fragmentFetchAMD(layers, ivec3(1, 2, 3), index);
            colour += fragmentFetchAMD(earlier, fragmentMaskFetchAMD(earlier) >> 4 & 15u);
        }",
        &["OpFragment", "OpCapability", "OpExtension", "OpImage"],
        expect![[r#"
            OpCapability Shader
            OpCapability FragmentMaskAMD
            OpCapability InputAttachment
            OpExtension "SPV_AMD_shader_fragment_mask"
            %11 = OpImage %6 %10
            %18 = OpFragmentMaskFetchAMD %uint %11 %16
            %26 = OpImage %6 %25
            %28 = OpFragmentFetchAMD %v4int %26 %16 %20
            %38 = OpFragmentMaskFetchAMD %uint %37 %36
            %42 = OpFragmentFetchAMD %v4float %33 %36 %41
        "#]],
    );
}

#[test]
fn footprints_fill_their_structure() {
    check(
        "a.frag",
        "#extension GL_NV_shader_texture_footprint : require
        layout(binding = 0) uniform sampler2D picture;
        layout(binding = 1) uniform sampler3D volume;
        layout(location = 0) in vec3 place;
        layout(location = 0) out vec4 colour;
        void main() {
            gl_TextureFootprint2DNV flat_one;
            gl_TextureFootprint3DNV deep;
            bool single = textureFootprintNV(picture, place.xy, 2, true, flat_one, 0.5);
            single = single && textureFootprintGradClampNV(picture, place.xy, place.xx, place.yy, 1.0, 2, false, flat_one);
            single = single && textureFootprintLodNV(volume, place, 2.0, 1, true, deep);
            colour = vec4(flat_one.anchor, deep.offset.z, single ? deep.lod : flat_one.granularity);
        }",
        &["OpImageSample", "OpCapability", "OpExtension", "OpTypeStruct", "OpCompositeConstruct"],
        expect![[r#"
            OpCapability Shader
            OpCapability ImageFootprintNV
            OpCapability MinLod
            OpExtension "SPV_NV_shader_image_footprint"
            %gl_TextureFootprint2DNV = OpTypeStruct %v2uint %v2uint %v2uint %uint %uint
            %gl_TextureFootprint3DNV = OpTypeStruct %v3uint %v3uint %v2uint %uint %uint
            %_struct_31 = OpTypeStruct %bool %v2uint %v2uint %v2uint %uint %uint
            %_struct_74 = OpTypeStruct %bool %v3uint %v3uint %v2uint %uint %uint
            %32 = OpImageSampleFootprintNV %_struct_31 %19 %25 %int_2 %true Bias %float_0_5
            %38 = OpCompositeConstruct %gl_TextureFootprint2DNV %33 %34 %35 %36 %37
            %54 = OpImageSampleFootprintNV %_struct_31 %45 %47 %int_2 %false Grad|MinLod %50 %52 %float_1
            %60 = OpCompositeConstruct %gl_TextureFootprint2DNV %55 %56 %57 %58 %59
            %75 = OpImageSampleFootprintNV %_struct_74 %70 %71 %int_1 %true Lod %float_2
            %81 = OpCompositeConstruct %gl_TextureFootprint3DNV %76 %77 %78 %79 %80
            %109 = OpCompositeConstruct %v4float %91 %96 %108
        "#]],
    );
}

#[test]
fn attachments_of_the_tile_have_locations() {
    check(
        "a.frag",
        "#extension GL_EXT_shader_tile_image : require
        layout(location = 1) tileImageEXT highp attachmentEXT colours[2];
        layout(location = 0) tileImageEXT highp uattachmentEXT counts;
        layout(non_coherent_color_attachment_readEXT) in;
        layout(location = 0) out uvec4 count;
        layout(location = 1) out vec4 colour;
        void main() {
            colour = colorAttachmentReadEXT(colours[1], 2) + vec4(depthAttachmentReadEXT());
            count = colorAttachmentReadEXT(counts) + stencilAttachmentReadEXT(1);
        }",
        &["TileImage", "AttachmentRead", "OpDecorate", "OpEntryPoint", "OpExtension"],
        expect![[r#"
            OpCapability TileImageColorReadAccessEXT
            OpCapability TileImageDepthReadAccessEXT
            OpCapability TileImageStencilReadAccessEXT
            OpExtension "SPV_EXT_shader_tile_image"
            OpEntryPoint Fragment %main "main" %colour %colours %count %counts
            OpExecutionMode %main NonCoherentColorAttachmentReadEXT
            OpDecorate %colour Location 1
            OpDecorate %colours Location 1
            OpDecorate %count Location 0
            OpDecorate %counts Location 0
            %9 = OpTypeImage %float TileImageDataEXT 0 0 0 2 Unknown
            %_ptr_TileImageEXT__arr_9_uint_2 = OpTypePointer TileImageEXT %_arr_9_uint_2
            %colours = OpVariable %_ptr_TileImageEXT__arr_9_uint_2 TileImageEXT
            %_ptr_TileImageEXT_9 = OpTypePointer TileImageEXT %9
            %28 = OpTypeImage %uint TileImageDataEXT 0 0 0 2 Unknown
            %_ptr_TileImageEXT_28 = OpTypePointer TileImageEXT %28
            %counts = OpVariable %_ptr_TileImageEXT_28 TileImageEXT
            %18 = OpAccessChain %_ptr_TileImageEXT_9 %colours %int_1
            %21 = OpColorAttachmentReadEXT %v4float %19 %int_2
            %22 = OpDepthAttachmentReadEXT %float
            %32 = OpColorAttachmentReadEXT %v4uint %31
            %33 = OpStencilAttachmentReadEXT %uint %int_1
        "#]],
    );
}

/// GL_NV_gpu_shader5, as GL_EXT_texture_offset_non_const.
#[test]
fn offsets_may_vary() {
    check(
        "a.frag",
        "#extension GL_NV_gpu_shader5 : require
        layout(binding = 0) uniform sampler2D picture;
        layout(location = 0) flat in ivec2 offset;
        layout(location = 0) out vec4 colour;
        void main() {
            colour = textureOffset(picture, vec2(0), offset) + texelFetchOffset(picture, ivec2(1), 0, offset);
            colour = anyThreadNV(colour.x > 0.0) ? colour : vec4(0);
        }",
        &["OpImage", "OpCapability", "OpSubgroup", "OpGroup"],
        expect![[r#"
            OpCapability Shader
            OpCapability ImageGatherExtended
            OpCapability SubgroupVoteKHR
            %22 = OpImageSampleImplicitLod %v4float %13 %16 Offset %21
            %24 = OpImage %9 %23
            %29 = OpImageFetch %v4float %24 %26 Lod|Offset %int_0 %28
            %38 = OpSubgroupAnyKHR %bool %37
        "#]],
    );
}
