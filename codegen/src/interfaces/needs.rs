//! Capabilities and extensions by the grammar of SPIR-V: of a built-in, a decoration, a mode, a storage class.

use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::ids;
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{self, BuiltIn};

use crate::codegen::Codegen;
use crate::target::SpirvVersion;

/// Extensions that a version of SPIR-V has in its core.
const CORE: &[(&str, SpirvVersion)] = &[
    ("SPV_KHR_multiview", SpirvVersion::V1_3),
    ("SPV_KHR_shader_draw_parameters", SpirvVersion::V1_3),
    ("SPV_KHR_device_group", SpirvVersion::V1_3),
    ("SPV_KHR_16bit_storage", SpirvVersion::V1_3),
    ("SPV_KHR_terminate_invocation", SpirvVersion::V1_6),
    ("SPV_EXT_demote_to_helper_invocation", SpirvVersion::V1_6),
];

impl Codegen<'_> {
    /// Declares what one of SPIR-V's enumerants needs, unless the module has it already.
    pub fn require(&mut self, operand: &Operand) {
        let needed = operand.required_capabilities();
        if needed.iter().any(|&known| self.b.has_capability(known.into())) {
            return;
        }
        let capability = self.chosen(operand, &needed);
        let mut extensions = Vec::new();
        if let Some(capability) = capability {
            self.b.capability(capability);
            extensions = Operand::Capability(capability).required_extensions();
        }
        if extensions.is_empty() {
            extensions = operand.required_extensions();
        }
        self.require_extension(&extensions);
    }

    /// Declares what an instruction needs.
    pub fn require_opcode(&mut self, op: Opcode) {
        let needed = op.capabilities();
        if needed.iter().any(|&known| self.b.has_capability(known)) {
            return;
        }
        if let Some(capability) = needed.first().and_then(|known| spirv::Capability::from_u32(known.number()))
        {
            self.require_capability(capability);
        }
    }

    /// A capability, with the extension that brings it.
    pub fn require_capability(&mut self, capability: spirv::Capability) {
        self.b.capability(capability);
        self.require_extension(&Operand::Capability(capability).required_extensions());
    }

    /// One of the extensions, those of Khronos first, where the version does not have it.
    fn require_extension(&mut self, any: &[&'static str]) {
        let prefixed = |prefix: &str| any.iter().find(|name| name.starts_with(prefix));
        let Some(name) = prefixed("SPV_KHR_").or(prefixed("SPV_EXT_")).or(any.first()) else { return };
        let core = CORE.iter().find(|(known, _)| known == name);
        if core.is_none_or(|(_, version)| !self.target.at_least(*version)) {
            self.b.extension(name);
        }
    }

    /// Of several capabilities that would do, the one that devices are most likely to have.
    fn chosen(&self, operand: &Operand, needed: &[spirv::Capability]) -> Option<spirv::Capability> {
        use spirv::Capability as C;
        let before_rasterization = matches!(self.stage(), Stage::Vertex | Stage::TessEvaluation);
        if before_rasterization
            && let Operand::BuiltIn(builtin @ (BuiltIn::Layer | BuiltIn::ViewportIndex)) = operand
        {
            return Some(match builtin {
                _ if !self.target.at_least(SpirvVersion::V1_5) => C::ShaderViewportIndexLayerEXT,
                BuiltIn::Layer => C::ShaderLayer,
                _ => C::ShaderViewportIndex,
            });
        }
        // What the older extensions bring needs no newer version.
        for (capability, older, newer) in [
            (C::MeshShadingNV, ids::GL_NV_MESH_SHADER, ids::GL_EXT_MESH_SHADER),
            (C::RayTracingNV, ids::GL_NV_RAY_TRACING, ids::GL_EXT_RAY_TRACING),
        ] {
            if needed.contains(&capability) && self.older_alone(older, newer) {
                return Some(capability);
            }
        }
        let of_vendor = |capability: &&spirv::Capability| {
            Capability::from(**capability).name().ends_with("NV") || **capability == C::Kernel
        };
        needed.iter().find(|capability| !of_vendor(capability)).or(needed.first()).copied()
    }
}
