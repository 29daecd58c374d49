//! How fast a scalar-heavy shader runs: nanoseconds for each instruction of a lane, and for each instruction. `speed [FILE.spv]`

use std::time::Instant;

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_simulator::{Class, Execution, Program, ProgramOptions, Progress, Resources, Settings};

const SHADER: &str = "#version 460
layout(local_size_x = 128) in;
layout(binding = 0) buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
shared float tile[128];
void main() {
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
    float sum = 0.0; uint h = i;
    for (uint k = 0u; k < 2000u; k++) {
        h = h * 1664525u + 1013904223u;
        float x = float(h >> 8) * (1.0 / 16777216.0);
        tile[l] = x;
        sum += tile[l ^ 1u] * a[(i + k) & 1023u] + x * x;
        if ((h & 7u) == 0u) sum *= 0.5;
    }
    b[i] = sum;
}";

fn main() {
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis = coopmat_analysis::analyze("/speed.comp", SHADER.into(), &config, &NoFiles, None);
    let Ok(compiled) = coopmat_codegen::compile(&analysis, &Default::default()) else { return };
    for subgroup_size in [8, 32, 64] {
        let Ok(program) = Program::new(&compiled.module, &ProgramOptions::default()) else { return };
        let mut resources = Resources::new();
        for (binding, size) in [(0, 4096), (1, 8192)] {
            let buffer = resources.buffer(&vec![0; size]);
            resources.bind(0, binding, 0, buffer);
        }
        let settings = Settings { subgroup_size, ..Settings::default() };
        let Ok(mut execution) = Execution::new(&program, resources, settings, [16, 1, 1]) else { return };
        let start = Instant::now();
        if execution.run(u64::MAX) != Ok(Progress::Finished) {
            return println!("it does not end");
        }
        let nanoseconds = start.elapsed().as_nanos() as f64;
        let counts = execution.counts();
        let lanes: u64 = counts.lane_instructions.iter().sum();
        println!(
            "subgroups of {subgroup_size}: {:.1} ns per instruction, {:.3} ns per instruction of a lane, {} instructions",
            nanoseconds / counts.total() as f64,
            nanoseconds / lanes as f64,
            counts.total()
        );
        for class in Class::ALL {
            if counts.of(class) > 0 {
                println!("    {}: {}", class.name(), counts.of(class));
            }
        }
    }
}
