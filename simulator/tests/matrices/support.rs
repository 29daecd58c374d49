//! Compiles a shader, fills its buffers, runs it.

use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage};
use coopmat_analysis::sources::NoFiles;
use coopmat_simulator::matrix::Component;
use coopmat_simulator::numerics::{Format, Overflow, Rounding};
use coopmat_simulator::ownership::Ownership;
use coopmat_simulator::{Execution, Finding, Program, ProgramOptions, Resources, Settings};

/// What every shader begins with.
const PROLOGUE: &str = "
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
";

pub fn compile(source: &str) -> Program {
    let text = format!("#version 460{PROLOGUE}{source}");
    let config = Configuration {
        target_env: "vulkan1.3".parse().expect("a known environment"),
        stage: Some(Stage::Compute),
        ..Configuration::default()
    };
    let analysis = coopmat_analysis::analyze("test.comp", text.as_str().into(), &config, &NoFiles, None);
    let compiled =
        coopmat_codegen::compile(&analysis, &coopmat_codegen::Options::default()).unwrap_or_else(|errors| {
            let told: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
            panic!("{text}\n{}", told.join("\n"))
        });
    Program::new(&compiled.module, &ProgramOptions::default())
        .unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// Runs one workgroup with these buffers at bindings 0, 1, ...; what they hold afterwards, and what checked mode found.
pub fn run_with(program: &Program, buffers: &[Vec<u8>], settings: Settings) -> (Vec<Vec<u8>>, Vec<Finding>) {
    let mut resources = Resources::new();
    let ids: Vec<_> = buffers.iter().map(|bytes| resources.buffer(bytes)).collect();
    let mut addresses = Vec::new();
    for (binding, id) in ids.iter().enumerate() {
        resources.bind(0, binding as u32, 0, *id);
        addresses.extend(resources.address(*id).to_le_bytes());
    }
    // A shader that wants addresses finds those of all buffers among the push constants.
    resources.push_constants(&addresses);
    let mut execution = Execution::new(program, resources, settings, [1, 1, 1]).expect("resources that fit");
    while !matches!(
        execution.run(1 << 20).unwrap_or_else(|error| panic!("{error}")),
        coopmat_simulator::Progress::Finished
    ) {}
    let findings = execution.findings().to_vec();
    let resources = execution.into_resources();
    (ids.iter().map(|id| resources.bytes(*id)).collect(), findings)
}

pub fn settings(subgroup_size: u32, ownership: &str) -> Settings {
    let ownership = Arc::new(Ownership::by_name(ownership).expect("a known ownership"));
    Settings { subgroup_size, ownership, ..Settings::default() }
}

/// Under every ownership, with the subgroup size that it is for, and under plain and shuffled ones with all sizes: the results are
/// the same.
pub fn run(source: &str, buffers: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let program = compile(source);
    let (first, _) = run_with(&program, buffers, settings(32, "plain"));
    let sizes = [8, 16, 32, 64];
    let cases =
        sizes.into_iter().flat_map(|size| [(size, "plain"), (size, "shuffled"), (size, "shuffled:7")]).chain(
            [(32, "nvidia-h200"), (64, "amd-rdna3"), (32, "amd-rdna4"), (64, "amd-cdna"), (8, "lavapipe")],
        );
    for (size, ownership) in cases {
        let (other, _) = run_with(&program, buffers, settings(size, ownership));
        assert!(other == first, "subgroups of {size}, {ownership}: {:?}", first_difference(&first, &other));
    }
    first
}

fn first_difference(left: &[Vec<u8>], right: &[Vec<u8>]) -> Option<(usize, usize)> {
    left.iter().zip(right).enumerate().find_map(|(buffer, (left, right))| {
        left.iter().zip(right).position(|(left, right)| left != right).map(|at| (buffer, at))
    })
}

/// A component type as GLSL writes it, and what is declared for it.
pub fn glsl(component: Component) -> &'static str {
    match component.name() {
        "float32_t" => "float",
        "float64_t" => "double",
        name => name,
    }
}

/// The extensions that a component type needs beyond the prologue.
pub fn extensions(component: Component) -> &'static str {
    match component {
        Component::Float(Format::BF16) => "#extension GL_EXT_bfloat16 : require\n",
        Component::Float(Format::E4M3) => "#extension GL_EXT_float_e4m3 : require\n",
        Component::Float(Format::E5M2) => "#extension GL_EXT_float_e5m2 : require\n",
        _ => "",
    }
}

pub const F16: Component = Component::Float(Format::F16);
pub const F32: Component = Component::Float(Format::F32);
pub const BF16: Component = Component::Float(Format::BF16);
pub const E4M3: Component = Component::Float(Format::E4M3);
pub const E5M2: Component = Component::Float(Format::E5M2);
pub const S8: Component = Component::Integer { width: 8, signed: true };
pub const U8: Component = Component::Integer { width: 8, signed: false };
pub const S32: Component = Component::Integer { width: 32, signed: true };
pub const U32: Component = Component::Integer { width: 32, signed: false };

/// The nearest that a component has to a number; integers wrap.
pub fn nearest(component: Component, value: f64) -> f64 {
    match component {
        Component::Float(format) => format.nearest(value, Rounding::NearestEven),
        Component::Integer { .. } => component.number(value as i64 as u64),
    }
}

/// Numbers as they lie in memory.
pub fn bytes(component: Component, values: impl IntoIterator<Item = f64>) -> Vec<u8> {
    let size = component.bytes() as usize;
    let bits = |value: f64| match component {
        Component::Float(format) => format.from_f64(value, Rounding::NearestEven, Overflow::Special),
        Component::Integer { .. } => value as i64 as u64,
    };
    values.into_iter().flat_map(|value| bits(value).to_le_bytes().into_iter().take(size)).collect()
}

/// The other way round.
pub fn numbers(component: Component, bytes: &[u8]) -> Vec<f64> {
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
    bytes.chunks_exact(component.bytes() as usize).map(|bytes| component.number(bits(bytes))).collect()
}

/// Small numbers that every component type has: halves for floats, negative ones where there are any.
pub fn small(component: Component, count: usize, seed: usize) -> Vec<f64> {
    (0..count)
        .map(|index| {
            let value = ((index * 7 + seed * 5 + index / 11) % 13) as f64;
            match component {
                Component::Float(_) => value / 2.0 - 3.0,
                Component::Integer { signed: true, .. } => value - 6.0,
                Component::Integer { signed: false, .. } => value,
            }
        })
        .collect()
}
