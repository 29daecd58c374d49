//! GL_QCOM_tile_shading.

use expect_test::expect;

use super::check;

/// The rate takes the place of the local size.
#[test]
fn attachments_are_variables_of_the_tile() {
    check(
        "#extension GL_QCOM_tile_shading : require
        layout(shading_rate_xQCOM = 2, shading_rate_yQCOM = 4) in;
        layout(set = 0, binding = 3, tile_attachmentQCOM, rgba32f) uniform image2D color;
        void main() {
            ivec2 place = ivec2(gl_TileOffsetQCOM);
            imageStore(color, place, imageLoad(color, place));
        }",
        &["OpCapability", "OpExtension", "OpExecutionMode", "QCOM", "OpImage"],
        expect![[r#"
            OpCapability Shader
            OpCapability TileShadingQCOM
            OpExtension "SPV_QCOM_tile_shading"
            OpEntryPoint GLCompute %main "main" %gl_TileOffsetQCOM %color
            OpExecutionMode %main TileShadingRateQCOM 2 4 1
            OpName %gl_TileOffsetQCOM "gl_TileOffsetQCOM"
            OpDecorate %gl_TileOffsetQCOM BuiltIn TileOffsetQCOM
            %gl_TileOffsetQCOM = OpVariable %_ptr_Input_v2uint Input
            %_ptr_TileAttachmentQCOM_14 = OpTypePointer TileAttachmentQCOM %14
            %color = OpVariable %_ptr_TileAttachmentQCOM_14 TileAttachmentQCOM
            %9 = OpLoad %v2uint %gl_TileOffsetQCOM
            %20 = OpImageRead %v4float %18 %12
            OpImageWrite %17 %12 %20
        "#]],
    );
}
