//! Runs GLSL: compiled by our own codegen, executed by the simulator.

use std::sync::Arc;

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_simulator::{Execution, Program, ProgramOptions, Progress, Resources, Settings};
use coopmat_spirv::dr::Module;

/// What every shader here begins with.
pub const HEADER: &str = "#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_rotate : require
#extension GL_NV_shader_subgroup_partitioned : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_integer_dot_product : require
#extension GL_INTEL_shader_integer_functions2 : require
#extension GL_AMD_gcn_shader : require
#extension GL_AMD_shader_ballot : require
#extension GL_AMD_shader_trinary_minmax : require
#extension GL_EXT_debug_printf : require
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e2m1 : require
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_float_e5m2 : require
";

/// Compiles a shader, with [`HEADER`] before it.
pub fn module(source: &str) -> Module {
    let source = format!("{HEADER}{source}");
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let text: Arc<str> = source.as_str().into();
    let analysis = coopmat_analysis::analyze("/test.comp", text, &config, &NoFiles, None);
    match coopmat_codegen::compile(&analysis, &Default::default()) {
        Ok(compiled) => compiled.module,
        Err(errors) => panic!("{errors:#?}\n{source}"),
    }
}

/// A run that is described first.
#[derive(Clone)]
pub struct Run {
    module: Module,
    pub settings: Settings,
    groups: [u32; 3],
    specialization: Vec<(u32, u64)>,
    pub resources: Resources,
    buffers: Vec<coopmat_simulator::BufferId>,
}

impl Run {
    pub fn new(source: &str) -> Run {
        Run::of(module(source))
    }

    pub fn of(module: Module) -> Run {
        Run {
            module,
            settings: Settings::default(),
            groups: [1; 3],
            specialization: Vec::new(),
            resources: Resources::new(),
            buffers: Vec::new(),
        }
    }

    pub fn groups(mut self, x: u32, y: u32, z: u32) -> Run {
        self.groups = [x, y, z];
        self
    }

    pub fn subgroup_size(mut self, size: u32) -> Run {
        self.settings.subgroup_size = size;
        self
    }

    pub fn specialize(mut self, id: u32, bits: u64) -> Run {
        self.specialization.push((id, bits));
        self
    }

    /// A buffer at the next binding of set 0.
    pub fn bytes(mut self, bytes: &[u8]) -> Run {
        let buffer = self.resources.buffer(bytes);
        self.resources.bind(0, self.buffers.len() as u32, 0, buffer);
        self.buffers.push(buffer);
        self
    }

    /// Says that nobody has written the last buffer.
    pub fn unwritten(mut self) -> Run {
        self.settings.undefined_buffers.extend(self.buffers.last());
        self
    }

    /// The buffers so far, by their bindings.
    pub fn buffers(&self) -> &[coopmat_simulator::BufferId] {
        &self.buffers
    }

    pub fn words(self, words: &[u32]) -> Run {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    pub fn floats(self, values: &[f32]) -> Run {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    pub fn zeros(self, words: usize) -> Run {
        self.words(&vec![0; words])
    }

    pub fn push_constants(mut self, bytes: &[u8]) -> Run {
        self.resources.push_constants(bytes);
        self
    }

    pub fn program(&self) -> Program {
        let options = ProgramOptions { entry: None, specialization: &self.specialization, debug: false };
        Program::new(&self.module, &options).unwrap_or_else(|error| panic!("{error:?}"))
    }

    pub fn execution(self) -> (Execution, Vec<coopmat_simulator::BufferId>) {
        let program = self.program();
        let execution = Execution::new(&program, self.resources, self.settings, self.groups);
        (execution.unwrap_or_else(|error| panic!("{error:?}")), self.buffers)
    }

    pub fn run(self) -> Outcome {
        let (mut execution, buffers) = self.execution();
        loop {
            match execution.run(100_000_000) {
                Ok(Progress::Finished) => break,
                Ok(Progress::Running { .. }) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
        Outcome { execution, buffers }
    }
}

/// What a run left behind.
pub struct Outcome {
    pub execution: Execution,
    buffers: Vec<coopmat_simulator::BufferId>,
}

impl Outcome {
    pub fn buffer_count(&self) -> usize {
        self.buffers.len()
    }

    pub fn bytes(&self, binding: usize) -> Vec<u8> {
        self.execution.resources().bytes(self.buffers[binding])
    }

    pub fn words(&self, binding: usize) -> Vec<u32> {
        self.bytes(binding).chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }

    pub fn floats(&self, binding: usize) -> Vec<f32> {
        self.words(binding).into_iter().map(f32::from_bits).collect()
    }
}

/// Runs one workgroup of a shader that writes words to the buffer at binding 0, and gives what it wrote.
pub fn words(source: &str, count: usize) -> Vec<u32> {
    Run::new(source).zeros(count).run().words(0)
}

/// The value of an expression, computed by a shader of one invocation; `setup` comes before it.
pub fn evaluate(declarations: &str, statements: &str, count: usize) -> Vec<u32> {
    let source = format!(
        "layout(local_size_x = 1) in;
layout(binding = 0, scalar) buffer Out {{ uint o[]; }};
{declarations}
void main() {{
{statements}
}}"
    );
    words(&source, count)
}
