//! The names in `layout(...)` of variables that no part of the generator reads by itself: each is compiled here, or refused, since a module
//! without it would be another program.

use coopmat_analysis::hir::{Layout, StructId, StructKind};
use coopmat_spirv::Capability;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Word};

use crate::codegen::{Codegen, Emit};
use crate::interfaces::is_interface_layout;

/// `layout(shaderRecordEXT)`, of a buffer, and what GL_NV_ray_tracing calls it.
const SHADER_RECORDS: [&str; 2] = ["shaderrecordext", "shaderrecordnv"];

/// The same of a hit object, which a reference is read from.
const HIT_RECORDS: [(&str, Decoration); 2] = [
    ("hitobjectshaderrecordext", Decoration::HitObjectShaderRecordBufferEXT),
    ("hitobjectshaderrecordnv", Decoration::HitObjectShaderRecordBufferNV),
];

/// Whether a buffer is the shader's record in the table of shaders (GL_EXT_ray_tracing, GL_NV_ray_tracing).
pub(super) fn is_shader_record(layout: &Layout) -> bool {
    layout.other.iter().any(|(name, _)| SHADER_RECORDS.contains(&name.as_str()))
}

/// `layout(tile_attachmentQCOM)` (GL_QCOM_tile_shading): the variable has a class of its own.
pub(super) const TILE_ATTACHMENT: &str = "tile_attachmentqcom";

impl Codegen<'_> {
    /// Refuses the names that are not compiled. Those of interfaces are for inputs, outputs and attachments.
    pub fn check_layout(&mut self, layout: &Layout, interface: bool) -> Emit<()> {
        for (name, _) in &layout.other {
            match name.as_str() {
                TILE_ATTACHMENT => {}
                name if SHADER_RECORDS.contains(&name) => {}
                name if interface && is_interface_layout(name) => {}
                "pixel_center_integer" => {
                    // VUID-StandaloneSpirv-PixelCenterInteger-04654.
                    return Err(self.fail(
                        "`layout(pixel_center_integer)` is not available in Vulkan, where the centres of pixels are at 0.5",
                    ));
                }
                _ => return Err(self.fail(format!("`layout({name})` is not supported in compiled shaders"))),
            }
        }
        Ok(())
    }

    /// `layout(buffer_reference, hitobjectshaderrecordext)` (GL_EXT_shader_invocation_reorder, and its predecessor of NV).
    pub fn decorate_hit_record(&mut self, block: Word, structure: StructId) {
        let StructKind::Reference { layout, .. } = &self.hir.structs[structure].kind else { return };
        let stated = |name| layout.other.iter().any(|(known, _)| known == name);
        for (name, decoration) in HIT_RECORDS {
            if stated(name) {
                self.require(&Operand::Decoration(decoration));
                self.b.decorate(block, decoration, []);
            }
        }
    }

    /// `layout(push_constant, bank = 2, member_offset = 16)` (GL_NV_push_constant_bank).
    pub(super) fn decorate_bank(&mut self, variable: Word, layout: &Layout) {
        let stated = [(Decoration::BankNV, layout.bank), (Decoration::MemberOffsetNV, layout.member_offset)];
        for (decoration, value) in stated {
            let Some(value) = value else { continue };
            self.b.extension("SPV_NV_push_constant_bank");
            self.b.capability(Capability::PushConstantBanksNV);
            self.b.decorate(variable, decoration, [Operand::LiteralBit32(value)]);
        }
    }
}
