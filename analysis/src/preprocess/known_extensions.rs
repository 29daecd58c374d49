//! Which extensions exist, and which macros that defines (GLSL 4.60, section 3.3): asked of the tables in `crate::extensions`.

use crate::extensions::{all_extensions, extension, extension_macros};

/// Extensions that the tables do not describe yet. Sorted.
const NOT_DESCRIBED: &[&str] = &[
    "GL_AMD_shader_trinary_minmax",
    "GL_ARB_shader_clock",
    "GL_EXT_buffer_reference",
    "GL_EXT_buffer_reference2",
    "GL_EXT_buffer_reference_uvec2",
    "GL_EXT_control_flow_attributes",
    "GL_EXT_control_flow_attributes2",
    "GL_EXT_debug_printf",
    "GL_EXT_demote_to_helper_invocation",
    "GL_EXT_expect_assume",
    "GL_EXT_function_control_attributes",
    "GL_EXT_integer_dot_product",
    "GL_EXT_maximal_reconvergence",
    "GL_EXT_nonuniform_qualifier",
    "GL_EXT_null_initializer",
    "GL_EXT_samplerless_texture_functions",
    "GL_EXT_scalar_block_layout",
    "GL_EXT_shader_atomic_float",
    "GL_EXT_shader_atomic_float2",
    "GL_EXT_shader_atomic_int64",
    "GL_EXT_shader_image_int64",
    "GL_EXT_shader_image_load_formatted",
    "GL_EXT_shader_realtime_clock",
    "GL_EXT_shared_memory_block",
    "GL_EXT_spec_constant_composites",
    "GL_EXT_spirv_intrinsics",
    "GL_EXT_subgroup_uniform_control_flow",
    "GL_EXT_terminate_invocation",
    "GL_NV_shader_atomic_fp16_vector",
    "GL_NV_shader_atomic_int64",
];

/// In the tables the core language stands among the extensions.
const CORE: &str = "GLSL";

pub fn is_known(name: &str) -> bool {
    name != CORE && (extension(name).is_some() || NOT_DESCRIBED.binary_search(&name).is_ok())
}

pub fn known() -> impl Iterator<Item = &'static str> {
    all_extensions()
        .map(|(_, extension)| extension.name)
        .filter(|&name| name != CORE)
        .chain(NOT_DESCRIBED.iter().copied())
}

/// The macros of extensions under a profile, with their values.
pub fn macros(es: bool) -> impl Iterator<Item = (&'static str, i32)> {
    let rest = NOT_DESCRIBED.iter().filter(|name| extension(name).is_none()).map(|&name| (name, 1));
    extension_macros(es).filter(|&(name, _)| name != CORE).chain(rest)
}
