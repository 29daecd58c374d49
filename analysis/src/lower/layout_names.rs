//! The names in `layout(...)`, formats of images aside: whether they take a value, what brings them, and where they may stand. GLSL 4.60 section 4.4,
//! ESSL 3.20, GL_KHR_vulkan_glsl and the extensions.

use crate::extensions::{ExtensionId, ids};

/// What stands behind a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Nothing.
    Nothing,
    /// `= number`
    Number,
    /// A value that need not be constant.
    Expression,
}

pub(super) struct LayoutName {
    /// In lower case: upper and lower case are the same here.
    pub name: &'static str,
    pub takes: Takes,
    /// Any of these brings it; none for the core language, and where what is declared is asked for its extension.
    pub providers: &'static [ExtensionId],
    /// Whether compute shaders have it.
    pub compute: bool,
}

const fn name(name: &'static str, takes: Takes) -> LayoutName {
    LayoutName { name, takes, providers: &[], compute: true }
}

const fn of(extensions: &'static [ExtensionId], known: LayoutName) -> LayoutName {
    LayoutName { providers: extensions, ..known }
}

/// Of the stages that draw or trace.
const fn elsewhere(known: LayoutName) -> LayoutName {
    LayoutName { compute: false, ..known }
}

use Takes::{Nothing, Number};

const LAYOUT_NAMES: &[LayoutName] = &[
    name("shared", Nothing),
    name("packed", Nothing),
    name("std140", Nothing),
    name("std430", Nothing),
    of(&[ids::GL_EXT_SCALAR_BLOCK_LAYOUT], name("scalar", Nothing)),
    name("row_major", Nothing),
    name("column_major", Nothing),
    name("binding", Number),
    name("offset", Number),
    name("align", Number),
    name("set", Number),
    name("location", Number),
    name("component", Number),
    name("constant_id", Number),
    name("push_constant", Nothing),
    name("local_size_x", Number),
    name("local_size_y", Number),
    name("local_size_z", Number),
    name("local_size_x_id", Number),
    name("local_size_y_id", Number),
    name("local_size_z_id", Number),
    // The block that is declared asks for its extension.
    name("buffer_reference", Nothing),
    of(&[ids::GL_EXT_BUFFER_REFERENCE], name("buffer_reference_align", Number)),
    of(DERIVATIVES, name("derivative_group_quadsnv", Nothing)),
    of(DERIVATIVES, name("derivative_group_linearnv", Nothing)),
    of(DERIVATIVES, name("derivative_group_quadskhr", Nothing)),
    of(DERIVATIVES, name("derivative_group_linearkhr", Nothing)),
    of(&[ids::GL_EXT_SHADER_QUAD_CONTROL], name("quad_derivatives", Nothing)),
    of(&[ids::GL_EXT_SHADER_QUAD_CONTROL], name("full_quads", Nothing)),
    of(&[ids::GL_EXT_RAY_FLAGS_PRIMITIVE_CULLING], name("primitive_culling", Nothing)),
    of(BINDLESS, name("bindless_sampler", Nothing)),
    of(BINDLESS, name("bindless_image", Nothing)),
    of(BINDLESS, name("bound_sampler", Nothing)),
    of(BINDLESS, name("bound_image", Nothing)),
    of(&[ids::GL_EXT_DESCRIPTOR_HEAP], name("descriptor_heap", Nothing)),
    of(&[ids::GL_EXT_DESCRIPTOR_HEAP], name("descriptor_stride", Number)),
    of(STRUCTURED_HEAP, name("descriptor_size", Number)),
    of(STRUCTURED_HEAP, name("heap_offset", Takes::Expression)),
    of(STRUCTURED_HEAP, name("buffer_type", Nothing)),
    of(&[ids::GL_NV_PUSH_CONSTANT_BANK], name("bank", Number)),
    of(&[ids::GL_NV_PUSH_CONSTANT_BANK], name("member_offset", Number)),
    of(&[ids::GL_QCOM_TILE_SHADING], name("tile_attachmentqcom", Nothing)),
    of(&[ids::GL_QCOM_TILE_SHADING], name("shading_rate_xqcom", Number)),
    of(&[ids::GL_QCOM_TILE_SHADING], name("shading_rate_yqcom", Number)),
    of(&[ids::GL_QCOM_TILE_SHADING], name("shading_rate_zqcom", Number)),
    elsewhere(name("index", Number)),
    elsewhere(name("input_attachment_index", Number)),
    elsewhere(name("triangles", Nothing)),
    elsewhere(name("quads", Nothing)),
    elsewhere(name("isolines", Nothing)),
    elsewhere(name("equal_spacing", Nothing)),
    elsewhere(name("fractional_even_spacing", Nothing)),
    elsewhere(name("fractional_odd_spacing", Nothing)),
    elsewhere(name("cw", Nothing)),
    elsewhere(name("ccw", Nothing)),
    elsewhere(name("point_mode", Nothing)),
    elsewhere(name("points", Nothing)),
    elsewhere(name("lines", Nothing)),
    elsewhere(name("lines_adjacency", Nothing)),
    elsewhere(name("triangles_adjacency", Nothing)),
    elsewhere(name("line_strip", Nothing)),
    elsewhere(name("triangle_strip", Nothing)),
    elsewhere(name("invocations", Number)),
    elsewhere(name("vertices", Number)),
    elsewhere(name("max_vertices", Number)),
    elsewhere(name("max_primitives", Number)),
    elsewhere(name("stream", Number)),
    elsewhere(name("xfb_buffer", Number)),
    elsewhere(name("xfb_stride", Number)),
    elsewhere(name("xfb_offset", Number)),
    elsewhere(name("origin_upper_left", Nothing)),
    elsewhere(name("pixel_center_integer", Nothing)),
    elsewhere(name("early_fragment_tests", Nothing)),
    elsewhere(name("depth_any", Nothing)),
    elsewhere(name("depth_greater", Nothing)),
    elsewhere(name("depth_less", Nothing)),
    elsewhere(name("depth_unchanged", Nothing)),
    elsewhere(name("passthrough", Nothing)),
    elsewhere(name("num_views", Number)),
    elsewhere(name("viewport_relative", Nothing)),
    elsewhere(name("secondary_view_offset", Number)),
    elsewhere(name("override_coverage", Nothing)),
    elsewhere(name("post_depth_coverage", Nothing)),
    elsewhere(name("shaderrecordext", Nothing)),
    elsewhere(name("shaderrecordnv", Nothing)),
    elsewhere(name("hitobjectshaderrecordnv", Nothing)),
    elsewhere(name("hitobjectshaderrecordext", Nothing)),
    elsewhere(name("commandbindablenv", Nothing)),
    elsewhere(name("pixel_interlock_ordered", Nothing)),
    elsewhere(name("pixel_interlock_unordered", Nothing)),
    elsewhere(name("sample_interlock_ordered", Nothing)),
    elsewhere(name("sample_interlock_unordered", Nothing)),
    elsewhere(name("shading_rate_interlock_ordered", Nothing)),
    elsewhere(name("shading_rate_interlock_unordered", Nothing)),
    elsewhere(name("early_and_late_fragment_tests_amd", Nothing)),
    elsewhere(name("stencil_ref_unchanged_front_amd", Nothing)),
    elsewhere(name("stencil_ref_greater_front_amd", Nothing)),
    elsewhere(name("stencil_ref_less_front_amd", Nothing)),
    elsewhere(name("stencil_ref_unchanged_back_amd", Nothing)),
    elsewhere(name("stencil_ref_greater_back_amd", Nothing)),
    elsewhere(name("stencil_ref_less_back_amd", Nothing)),
    elsewhere(name("early_fragment_testsarm", Nothing)),
    elsewhere(name("non_coherent_attachment_readqcom", Nothing)),
    elsewhere(name("non_coherent_color_attachment_readext", Nothing)),
    elsewhere(name("non_coherent_depth_attachment_readext", Nothing)),
    elsewhere(name("non_coherent_stencil_attachment_readext", Nothing)),
    elsewhere(name("mediump_outputs", Nothing)),
    elsewhere(name("noncoherent", Nothing)),
    elsewhere(name("blend_support_multiply", Nothing)),
    elsewhere(name("blend_support_screen", Nothing)),
    elsewhere(name("blend_support_overlay", Nothing)),
    elsewhere(name("blend_support_darken", Nothing)),
    elsewhere(name("blend_support_lighten", Nothing)),
    elsewhere(name("blend_support_colordodge", Nothing)),
    elsewhere(name("blend_support_colorburn", Nothing)),
    elsewhere(name("blend_support_hardlight", Nothing)),
    elsewhere(name("blend_support_softlight", Nothing)),
    elsewhere(name("blend_support_difference", Nothing)),
    elsewhere(name("blend_support_exclusion", Nothing)),
    elsewhere(name("blend_support_hsl_hue", Nothing)),
    elsewhere(name("blend_support_hsl_saturation", Nothing)),
    elsewhere(name("blend_support_hsl_color", Nothing)),
    elsewhere(name("blend_support_hsl_luminosity", Nothing)),
    elsewhere(name("blend_support_all_equations", Nothing)),
];

const DERIVATIVES: &[ExtensionId] =
    &[ids::GL_KHR_COMPUTE_SHADER_DERIVATIVES, ids::GL_NV_COMPUTE_SHADER_DERIVATIVES];
const BINDLESS: &[ExtensionId] = &[ids::GL_ARB_BINDLESS_TEXTURE, ids::GL_NV_BINDLESS_TEXTURE];
const STRUCTURED_HEAP: &[ExtensionId] = &[ids::GL_EXT_STRUCTURED_DESCRIPTOR_HEAP];

/// What is known of a name, written in lower case.
pub(super) fn layout_name(name: &str) -> Option<&'static LayoutName> {
    LAYOUT_NAMES.iter().find(|known| known.name == name)
}

/// The names that a misspelt one may mean.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    LAYOUT_NAMES.iter().map(|known| known.name)
}

/// Names of which a declaration has one.
const ALTERNATIVES: &[&[&str]] =
    &[&["std140", "std430", "scalar", "shared", "packed"], &["row_major", "column_major"]];

/// Whether two names say something else about the same.
pub(super) fn excludes(name: &str, other: &str) -> bool {
    name != other && ALTERNATIVES.iter().any(|names| names.contains(&name) && names.contains(&other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_once_and_in_lower_case() {
        for (index, known) in LAYOUT_NAMES.iter().enumerate() {
            assert_eq!(known.name, known.name.to_ascii_lowercase());
            assert!(LAYOUT_NAMES[..index].iter().all(|other| other.name != known.name), "{}", known.name);
        }
    }
}
