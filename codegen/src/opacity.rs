//! GL_EXT_opacity_micromap_ray_query_mode: whether ray queries honour opacity micromaps, which the execution mode OpacityMicromapIdKHR says
//! (SPV_KHR_opacity_micromap).

use coopmat_analysis::extensions::{self, ids, variables};
use coopmat_spirv::{Capability, inst};
use rspirv::dr::Operand;
use rspirv::spirv::{Op, Word};

use crate::codegen::{Codegen, Emit};
use crate::target::SpirvVersion;

/// `OpacityMicromapIdKHR`, which rspirv does not know.
const OPACITY_MICROMAP_ID: u32 = 6031;

impl Codegen<'_> {
    /// `gl_EnableOpacityMicromapEXT`: the shader's own constant of that name, or false.
    pub fn opacity_micromaps(&mut self) -> Emit<Word> {
        let name = extensions::variable_by_id(variables::GL_ENABLE_OPACITY_MICROMAP_EXT).name;
        match self.hir.globals.iter().find(|(_, global)| global.name == name) {
            Some((id, _)) => self.constant_global(id),
            None => Ok(self.bool_constant(false)),
        }
    }

    /// Enabling the extension is what declares the mode.
    pub fn declare_opacity_micromaps(&mut self, main: Word) -> Emit<()> {
        let enabled = self.has_extension(ids::GL_EXT_OPACITY_MICROMAP_RAY_QUERY_MODE);
        if !enabled || !self.b.has_capability(Capability::RayQueryKHR) {
            return Ok(());
        }
        self.needs_version(SpirvVersion::V1_4, "the mode of opacity micromaps")?;
        let value = self.opacity_micromaps()?;
        self.b.extension("SPV_KHR_opacity_micromap");
        self.b.capability(Capability::RayTracingOpacityMicromapExecutionModeKHR);
        let operands =
            vec![Operand::IdRef(main), Operand::LiteralBit32(OPACITY_MICROMAP_ID), Operand::IdRef(value)];
        self.b.module.execution_modes.push(inst(Op::ExecutionModeId, None, None, operands));
        Ok(())
    }
}
