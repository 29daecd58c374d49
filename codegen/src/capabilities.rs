//! What the finished module has to declare: memory model, entry point, execution modes, and the capabilities of small types.

use rspirv::dr::Operand;
use rspirv::spirv::{AddressingModel, ExecutionMode, MemoryModel, Op, SourceLanguage, StorageClass, Word};

use crate::builder::note;
use crate::codegen::{Codegen, Emit};
use crate::has_pragma;
use crate::target::SpirvVersion;
use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::ids;
use coopmat_analysis::hir::{DerivativeGroup, Global, Profile};
use coopmat_spirv::{Capability, inst};

impl<'a> Codegen<'a> {
    pub fn declare_memory_model(&mut self) {
        let physical = self.b.has_capability(Capability::PhysicalStorageBufferAddresses);
        let addressing =
            if physical { AddressingModel::PhysicalStorageBuffer64 } else { AddressingModel::Logical };
        let model = if self.vulkan_memory_model {
            // Why it fails has been told.
            let _ = self.needs_version(SpirvVersion::V1_3, "the Vulkan memory model");
            let matrices = [Capability::CooperativeMatrixKHR, Capability::CooperativeMatrixNV];
            self.b.at = matrices.iter().find_map(|matrix| self.b.asked.first(*matrix)).unwrap_or_default();
            self.capability(Capability::VulkanMemoryModel, "SPV_KHR_vulkan_memory_model", SpirvVersion::V1_5);
            MemoryModel::Vulkan
        } else {
            MemoryModel::GLSL450
        };
        let operands = vec![Operand::AddressingModel(addressing), Operand::MemoryModel(model)];
        self.b.module.memory_model = Some(inst(Op::MemoryModel, None, None, operands));
    }

    /// The capabilities of 8 and 16 bit types that are computed in, or that no storage capability declares.
    pub fn declare_small_types(&mut self) {
        use Capability as C;
        let any = |codegen: &Self, capabilities: &[Capability]| {
            capabilities.iter().any(|&capability| codegen.b.has_capability(capability))
        };
        let storage8 = any(
            self,
            &[
                C::StorageBuffer8BitAccess,
                C::UniformAndStorageBuffer8BitAccess,
                C::StoragePushConstant8,
                C::WorkgroupMemoryExplicitLayout8BitAccessKHR,
            ],
        );
        let storage16 = any(
            self,
            &[
                C::StorageBuffer16BitAccess,
                C::UniformAndStorageBuffer16BitAccess,
                C::StoragePushConstant16,
                C::StorageInputOutput16,
                C::WorkgroupMemoryExplicitLayout16BitAccessKHR,
            ],
        );
        let (computed, present) = (self.b.computed, self.b.present());
        for (bit, capability, stored) in [
            (note::INT8, C::Int8, storage8),
            (note::INT16, C::Int16, storage16),
            (note::FLOAT16, C::Float16, storage16),
        ] {
            if computed & bit != 0 || (present & bit != 0 && !stored) {
                self.b.at = self.b.small_type_place(bit);
                self.b.capability(capability);
            }
        }
    }

    pub fn declare_entry_point(&mut self, main: Word) -> Emit<()> {
        let model = self.execution_model()?;
        let mut operands = vec![
            Operand::ExecutionModel(model),
            Operand::IdRef(main),
            Operand::LiteralString("main".to_owned()),
        ];
        let all = self.target.interface_lists_all();
        for &(variable, class) in &self.globals.all {
            if all || matches!(class, StorageClass::Input | StorageClass::Output) {
                operands.push(Operand::IdRef(variable));
            }
        }
        self.b.module.entry_points.push(inst(Op::EntryPoint, None, None, operands));
        if let (Some(block), Some(plain)) = (self.globals.shared_block, self.globals.shared_plain) {
            let (block, plain) = (self.global(block), self.global(plain));
            self.b.at = plain.range;
            self.fail(format!(
                "the `shared` variable `{}` cannot be used together with the `shared` block `{}`: put it in a block as well",
                plain.name, self.block_name(block)
            ));
        }
        if self.has_workgroups() {
            self.declare_local_size(main)?;
        }
        self.declare_derivatives(main)?;
        self.declare_modes(main);
        self.declare_long_indices(main);
        self.declare_opacity_micromaps(main)?;
        self.declare_reconvergence(main);
        self.spirv_execution_modes(main)
    }

    /// What a variable is called: a block without an instance has a name of its own.
    pub fn block_name(&self, block: &'a Global) -> &'a str {
        let structure = self.block_of(block.ty).map(|structure| &self.hir.structs[structure]);
        structure.map_or(block.name.as_str(), |structure| structure.name.as_str())
    }

    /// `layout(derivative_group_quadsKHR) in;`
    fn declare_derivatives(&mut self, main: Word) -> Emit<()> {
        let Some((group, _)) = self.hir.derivative_group else { return Ok(()) };
        let (capability, mode) = match group {
            DerivativeGroup::Quads => {
                (Capability::ComputeDerivativeGroupQuadsKHR, ExecutionMode::DerivativeGroupQuadsKHR)
            }
            DerivativeGroup::Linear => {
                (Capability::ComputeDerivativeGroupLinearKHR, ExecutionMode::DerivativeGroupLinearKHR)
            }
        };
        self.b.capability(capability);
        self.b.extension(match self.has_extension(ids::GL_KHR_COMPUTE_SHADER_DERIVATIVES) {
            true => "SPV_KHR_compute_shader_derivatives",
            false => "SPV_NV_compute_shader_derivatives",
        });
        let operands = vec![Operand::IdRef(main), Operand::ExecutionMode(mode)];
        self.b.module.execution_modes.push(inst(Op::ExecutionMode, None, None, operands));
        Ok(())
    }

    /// `[[maximally_reconverges]]` and `[[subgroup_uniform_control_flow]]` of `main`.
    fn declare_reconvergence(&mut self, main: Word) {
        let entry = self.hir.functions.iter().map(|(_, function)| function);
        let entry = entry.filter(|function| function.name == "main" && function.parameters.is_empty());
        for function in entry {
            for (asked, mode, extension) in [
                (
                    function.maximally_reconverges,
                    ExecutionMode::MaximallyReconvergesKHR,
                    "SPV_KHR_maximal_reconvergence",
                ),
                (
                    function.subgroup_uniform_control_flow,
                    ExecutionMode::SubgroupUniformControlFlowKHR,
                    "SPV_KHR_subgroup_uniform_control_flow",
                ),
            ] {
                if asked {
                    self.b.extension(extension);
                    let operands = vec![Operand::IdRef(main), Operand::ExecutionMode(mode)];
                    self.b.module.execution_modes.push(inst(Op::ExecutionMode, None, None, operands));
                }
            }
        }
    }

    /// `#pragma shader_64bit_indexing` (GL_EXT_shader_64bit_indexing), which asks for it in the shader rather than in the pipeline.
    fn declare_long_indices(&mut self, main: Word) {
        if !has_pragma(self.analysis, "shader_64bit_indexing") {
            return;
        }
        self.long_indices();
        let operands =
            vec![Operand::IdRef(main), Operand::ExecutionMode(ExecutionMode::Shader64BitIndexingEXT)];
        self.b.module.execution_modes.push(inst(Op::ExecutionMode, None, None, operands));
    }

    /// What lengths of 64 bits need, and what the execution mode does.
    pub fn long_indices(&mut self) {
        self.b.extension("SPV_EXT_shader_64bit_indexing");
        self.b.capability(Capability::Shader64BitIndexingEXT);
    }

    /// Whether the stage is run by workgroups.
    fn has_workgroups(&self) -> bool {
        matches!(self.stage(), Stage::Compute | Stage::Task | Stage::Mesh)
    }

    /// Whether invocations have neighbours, from which derivatives follow.
    pub fn has_derivatives(&self) -> bool {
        self.stage() == Stage::Fragment || self.hir.derivative_group.is_some()
    }

    /// GL_NV_compute_shader_derivatives, 4.4.1.4: "If neither qualifier is specified, derivatives evaluated for compute shaders will return zero." Its
    /// successor wants one of them.
    pub fn derivatives_are_zero(&self) -> bool {
        !self.has_derivatives()
            && self.has_workgroups()
            && self.has_extension(ids::GL_NV_COMPUTE_SHADER_DERIVATIVES)
            && !self.has_extension(ids::GL_KHR_COMPUTE_SHADER_DERIVATIVES)
    }

    /// Refuses what needs derivatives in a shader whose invocations have no neighbours.
    pub fn needs_derivatives(&mut self, what: &str) -> Emit<()> {
        if self.has_derivatives() {
            return Ok(());
        }
        if !self.has_workgroups() {
            let stage = self.stage().name();
            return Err(self.fail(format!("`{what}` needs derivatives, which {stage} shaders do not have")));
        }
        Err(self.fail(format!(
            "`{what}` needs derivatives, which a compute shader has with `layout(derivative_group_quadsKHR) in;` or `layout(derivative_group_linearKHR) in;`"
        )))
    }

    /// Whether the size of a workgroup depends on specialization.
    fn has_specialized_size(&self) -> bool {
        self.hir.local_size.dims.iter().any(|dim| {
            dim.constant_id.is_some()
                || dim.value.is_some_and(|value| self.types.symbols.as_int(value).is_none())
        })
    }

    /// Declares the constants of a workgroup's size before everything else.
    pub fn declare_specialized_size(&mut self) {
        if self.has_specialized_size() {
            // Why it fails has been told.
            let _ = self.workgroup_size();
        }
    }

    fn declare_local_size(&mut self, main: Word) -> Emit<()> {
        let hir = self.hir;
        // GL_QCOM_tile_shading: the rates "override the local_size_x/local_size_y/local_size_z layout qualifiers".
        if let Some(rate) = self.hir.tile_shading_rate {
            self.tile_shading();
            let mut operands =
                vec![Operand::IdRef(main), Operand::ExecutionMode(ExecutionMode::TileShadingRateQCOM)];
            operands.extend(rate.map(Operand::LiteralBit32));
            self.b.module.execution_modes.push(inst(Op::ExecutionMode, None, None, operands));
            return Ok(());
        }
        let dims = &hir.local_size.dims;
        let specialized = self.has_specialized_size();
        if specialized && self.target.at_least(SpirvVersion::V1_6) {
            let size = self.workgroup_size()?;
            let mut operands = vec![Operand::IdRef(main), Operand::ExecutionMode(ExecutionMode::LocalSizeId)];
            operands.extend(size.parts.map(Operand::IdRef));
            self.b.module.execution_modes.push(inst(Op::ExecutionModeId, None, None, operands));
            return Ok(());
        }
        if specialized {
            // The constant decorated with WorkgroupSize overrides the execution mode.
            self.workgroup_size_vector()?;
        }
        let mut operands = vec![Operand::IdRef(main), Operand::ExecutionMode(ExecutionMode::LocalSize)];
        let mut invocations = 1_i128;
        for dim in dims {
            let value = dim.value.and_then(|value| self.types.symbols.default_value(value)).unwrap_or(1);
            invocations = invocations.saturating_mul(i128::from(value));
            operands.push(Operand::LiteralBit32(value as u32));
        }
        if invocations > i128::from(u32::MAX) {
            return Err(self.fail(format!("no workgroup can have {invocations} invocations")));
        }
        self.b.module.execution_modes.push(inst(Op::ExecutionMode, None, None, operands));
        Ok(())
    }

    pub fn declare_source(&mut self) {
        let language = match self.hir.profile {
            Profile::Es => SourceLanguage::ESSL,
            Profile::Core | Profile::Compatibility => SourceLanguage::GLSL,
        };
        let operands = vec![Operand::SourceLanguage(language), Operand::LiteralBit32(self.hir.version)];
        self.b.module.debug_string_source.push(inst(Op::Source, None, None, operands));
    }
}
