//! Where Vulkan's registry and these tables differ, and why: `cargo xtask registry` reports every other difference, and each row here that
//! is not needed any more.

use crate::Capability as C;

/// Names of the registry that are not those of our enums, and which capabilities they are.
pub const OTHER_NAMES: &[(&str, C)] = &[
    ("CooperativeMatrixPerElementOperationsEXT", C::CooperativeMatrixPerElementOperationsNV),
    ("CooperativeMatrixReductionsEXT", C::CooperativeMatrixReductionsNV),
    ("RayTracingOpacityMicromapKHR", C::RayTracingOpacityMicromapEXT),
    ("SplitBarrierEXT", C::SplitBarrierINTEL),
];

/// Capabilities of the registry that have no row, and why.
pub const LEFT_OUT: &[(&str, &str)] =
    &[("ClusterCullingShadingHUAWEI", "no version of the SPIR-V grammar has it, so it has no number")];

/// Capabilities that have a row and are not in the registry, and why.
pub const ADDED: &[(C, &str)] = &[(
    C::Groups,
    "SPV_AMD_shader_ballot lets shaders declare it, and the registry lists extensions of SPIR-V by themselves",
)];
