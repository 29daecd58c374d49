//! The simulator: any module ends within its budget, and results depend neither on slices, on threads, on the order of workgroups, on
//! checked mode, on the debugger nor on whether it is compiled.

mod scheduling;

use std::sync::Arc;

use coopmat_native::{Left as Untaken, Machine};
use coopmat_simulator::debugger::{Advance, Command, Debugger, Motion, Setup};
use coopmat_simulator::ownership::Ownership;
use coopmat_simulator::{
    BindingKind, BufferId, DecodeChoice, Execution, Image, Program, ProgramOptions, Progress, Resources,
    RunError, Settings,
};
use coopmat_spirv::{dr, load_bytes, to_bytes};

use super::inputs::mutate_words;
use super::spirv;
use crate::mutate::words;
use crate::random::Random;
use crate::seeds::Seeds;
use crate::target::{Effort, Target, Unit};
use scheduling::{Backwards, Two};

pub const TARGET: Target = Target {
    name: "simulator",
    about: "compiled and damaged modules under small budgets: same results in slices, on threads, checked, debugged and compiled",
    unit: Unit::Words,
    run,
    generate,
    mutate: mutate_words,
};

/// Steps of one run. What does not end by then is no less welcome.
const STEPS: u64 = 6000;
const GROUPS: [u32; 3] = [2, 2, 1];

/// Small shaders with control flow, calls, pointers and subgroups, which the examples have little of.
pub const SHADERS: [&str; 3] = [
    "#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer Out { uint o[]; };
layout(constant_id = 1) const uint N = 4;
shared uint s[N * 2u];
uint f(inout uint v, uint n) { for (uint i = 0u; i < n; i++) { if (v == i) return i; v += i; } return v; }
void main() {
    uint i = gl_LocalInvocationIndex; uint t[4]; t[i & 3u] = i; s[i % (N * 2u)] = i;
    barrier();
    switch (i % 3u) { case 0u: t[0] = f(t[1], i); case 1u: t[1] += 1u; break; default: t[2] = s[i ^ 1u]; }
    o[gl_GlobalInvocationID.x] = t[0] + subgroupAdd(t[1]);
}
",
    "#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { mat3 m; vec4 v[]; };
void main() {
    uint i = gl_LocalInvocationIndex; vec3 a = m * v[i].xyz; mat3 b = transpose(m) * inverse(m + mat3(1));
    v[i] = vec4(normalize(a), dot(a, b[1])) + vec4(float16_t(a.x), double(a.y), int8_t(a.z), unpackHalf2x16(i).x);
}
",
    "#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_debug_printf : require
layout(buffer_reference, scalar) buffer Node { uint value; Node next; };
layout(local_size_x = 4) in;
layout(binding = 0, scalar) buffer A { Node first; uint64_t raw; uint o[]; };
layout(binding = 1, r32ui) uniform uimage2D image;
void main() {
    Node n = first; uint k = 0u;
    while (uint64_t(n) != 0ul && k++ < 4u) { o[k] += n.value; n = n.next; }
    imageAtomicAdd(image, ivec2(k), 1u); o[9] = imageLoad(image, ivec2(0)).x;
    debugPrintfEXT(\"%d\", k);
}
",
];

fn generate(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let module = spirv::some_module(random, seeds);
    to_bytes(&if random.one_in(3) { module } else { words::module(&module, random) })
}

fn run(bytes: &[u8], effort: Effort) {
    let Ok(module) = load_bytes(bytes) else { return };
    let mut random = Random::of(bytes);
    for _ in 0..if effort.everywhere { 8 } else { 1 } {
        let settings = settings(&mut random);
        let observed = random.one_in(4);
        one(&module, &settings, observed || effort.everywhere);
    }
}

fn settings(random: &mut Random) -> Settings {
    let name = random.pick(Ownership::NAMES);
    let numerics = coopmat_recipe::modes::numerics_names();
    let numerics = random.choose(&numerics).and_then(|name| coopmat_recipe::modes::numerics(name).ok());
    Settings {
        step_limit: STEPS,
        memory_limit: 1 << 24,
        subgroup_size: random.pick([4, 8, 32, 32, 64, 128]),
        numerics: numerics.unwrap_or_default(),
        ownership: Arc::new(Ownership::by_name(name).unwrap_or_default()),
        decode: random.pick([DecodeChoice::Scalar, DecodeChoice::Vector, DecodeChoice::Mixed]),
        finding_limit: 20,
        log_limit: 100,
        ..Settings::default()
    }
}

fn resources(program: &Program) -> (Resources, Vec<BufferId>) {
    let mut resources = Resources::new();
    let mut buffers = Vec::new();
    for (index, binding) in program.interface().bindings.iter().enumerate() {
        for element in 0..binding.count.unwrap_or(1).min(4) {
            match binding.kind {
                BindingKind::StorageBuffer | BindingKind::UniformBuffer => {
                    // Small numbers in most formats.
                    let bytes: Vec<u8> = (0..4096).map(|at| ((at * 7 + index) % 61) as u8).collect();
                    let buffer = resources.buffer(&bytes);
                    buffers.push(buffer);
                    resources.bind(binding.set, binding.binding, element, buffer);
                }
                BindingKind::StorageImage | BindingKind::SampledImage | BindingKind::Sampler => {
                    let image = resources.image(Image::new([4, 4, 1]));
                    resources.bind_image(binding.set, binding.binding, element, image);
                }
            }
        }
    }
    resources.push_constants(&[0; 256]);
    (resources, buffers)
}

/// What is left of a run: contents of buffers, lines of the log.
#[derive(Debug, PartialEq)]
struct Left {
    ended: Result<(), RunError>,
    buffers: Vec<Vec<u8>>,
    log: Vec<String>,
}

fn left(execution: Execution, ended: Result<(), RunError>, buffers: &[BufferId]) -> Left {
    let log = execution.log().to_vec();
    Left { ended, buffers: contents(execution.resources(), buffers), log }
}

fn contents(resources: &Resources, buffers: &[BufferId]) -> Vec<Vec<u8>> {
    buffers.iter().map(|&buffer| resources.bytes(buffer)).collect()
}

fn in_slices(program: &Program, settings: &Settings, steps: u64) -> Option<(Left, usize)> {
    let (resources, buffers) = resources(program);
    let mut execution = Execution::new(program, resources, settings.clone(), GROUPS).ok()?;
    let ended = loop {
        match execution.run(steps) {
            Ok(Progress::Running { .. }) => {}
            Ok(Progress::Finished) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let _ = (execution.counts(), execution.executed());
    let findings = execution.findings().len();
    Some((left(execution, ended, &buffers), findings))
}

fn one(module: &dr::Module, settings: &Settings, debugged: bool) {
    let Ok(program) = Program::new(module, &ProgramOptions::default()) else { return };
    program.unsupported();
    let Some((plain, _)) = in_slices(&program, settings, 1 << 20) else { return };
    if let Some((sliced, _)) = in_slices(&program, settings, 37) {
        assert_eq!(plain, sliced, "in one go (left) and in slices (right)");
    }
    let checked = Settings { checked: true, ..settings.clone() };
    let Some((checked, findings)) = in_slices(&program, &checked, 1 << 20) else { return };
    if plain.ended.is_ok() && checked.ended.is_ok() {
        assert_eq!(plain.buffers, checked.buffers, "unchecked (left) and checked (right)");
    }
    // Without races, that is.
    if plain.ended.is_ok() && findings == 0 {
        let pools: [&dyn coopmat_simulator::Pool; 2] = [&Backwards, &Two];
        for pool in pools {
            let (resources, buffers) = resources(&program);
            let Ok(mut execution) = Execution::new(&program, resources, settings.clone(), GROUPS) else {
                return;
            };
            let ended = execution.run_parallel(pool);
            let parallel = left(execution, ended, &buffers);
            assert_eq!(plain, parallel, "workgroups in order (left) and in another (right)");
        }
    }
    let options = ProgramOptions { debug: true, ..ProgramOptions::default() };
    if let Ok(program) = Program::new(module, &options)
        && let Some((kept, _)) = in_slices(&program, settings, 1 << 20)
        && plain.ended.is_ok()
        && kept.ended.is_ok()
    {
        assert_eq!(plain.buffers, kept.buffers, "as a rule (left) and for the debugger (right)");
    }
    if debugged {
        debug(module, &program, settings, &plain);
        compiled(&program, settings, &plain);
    }
}

/// As machine code: the same, or left to the interpreter.
fn compiled(program: &Program, settings: &Settings, plain: &Left) {
    let machine = match Machine::new(program, settings) {
        Ok(machine) => machine,
        Err(Untaken::Machine(error)) => panic!("the module that was made is not valid: {error}"),
        Err(_) => return,
    };
    let (resources, buffers) = resources(program);
    let Ok(mut execution) = Execution::new(program, resources, settings.clone(), GROUPS) else { return };
    match machine.run(&mut execution, None, &mut |_, _| true) {
        Ok(_) => {
            let compiled = left(execution, Ok(()), &buffers);
            assert_eq!(*plain, compiled, "interpreted (left) and compiled (right)");
        }
        Err(Untaken::Machine(error)) => panic!("the module that was made traps: {error}"),
        Err(_) => {}
    }
}

/// To the end, back to the middle, and to the end again.
fn debug(module: &dr::Module, program: &Program, settings: &Settings, plain: &Left) {
    let (resources, buffers) = resources(program);
    let setup = Setup {
        module,
        entry: None,
        specialization: &[],
        resources,
        settings: settings.clone(),
        groups: GROUPS,
        lines: None,
    };
    let Ok(mut debugger) = Debugger::new(setup) else { return };
    let go = |debugger: &mut Debugger, motion, backwards| {
        debugger.begin(Command { motion, backwards });
        while debugger.advance(1000) == Advance::Working {}
        for frame in debugger.stack() {
            let _ = format!("{frame:?}");
        }
    };
    go(&mut debugger, Motion::Into, false);
    go(&mut debugger, Motion::Instruction, false);
    go(&mut debugger, Motion::End, false);
    let (first, end) = (contents(debugger.resources(), &buffers), debugger.time());
    go(&mut debugger, Motion::Time(end / 2), false);
    go(&mut debugger, Motion::Over, true);
    go(&mut debugger, Motion::Out, false);
    go(&mut debugger, Motion::End, false);
    assert_eq!(
        first,
        contents(debugger.resources(), &buffers),
        "the first time (left) and the second (right)"
    );
    assert_eq!(end, debugger.time(), "the time of the end");
    if plain.ended.is_ok() && debugger.failure().is_none() {
        assert_eq!(plain.buffers, first, "as a rule (left) and in the debugger (right)");
    }
}
