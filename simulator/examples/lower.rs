//! Lowers modules and tells what is refused: `lower [--run] FILE.spv...`. With `--run`, one workgroup of each runs on buffers of small numbers, up to a
//! limit of steps, and what stops it is told.

use coopmat_simulator::{
    BindingKind, Execution, Image, Program, ProgramOptions, Progress, Resources, Settings,
};

fn run(program: &Program) -> Result<String, String> {
    let mut resources = Resources::new();
    let contents: Vec<u8> = (0..1u32 << 14).flat_map(|n| (n % 3).to_le_bytes()).collect();
    for binding in &program.interface().bindings {
        for index in 0..binding.count.unwrap_or(1).min(8) {
            match binding.kind {
                BindingKind::StorageBuffer | BindingKind::UniformBuffer => {
                    let buffer = resources.buffer(&contents);
                    resources.bind(binding.set, binding.binding, index, buffer);
                }
                BindingKind::StorageImage | BindingKind::SampledImage => {
                    let image = resources.image(Image::new([8, 8, 1]));
                    resources.bind_image(binding.set, binding.binding, index, image);
                }
                BindingKind::Sampler => {}
            }
        }
    }
    let constants: Vec<u8> = (0..64u32).flat_map(|_| 1u32.to_le_bytes()).collect();
    resources.push_constants(&constants);
    let settings = Settings { step_limit: 300_000, ..Settings::default() };
    let mut execution =
        Execution::new(program, resources, settings, [1; 3]).map_err(|error| error.message)?;
    match execution.run(u64::MAX) {
        Ok(Progress::Finished) => Ok(format!("ran {} instructions", execution.counts().total())),
        Ok(Progress::Running { .. }) => Err("does not end".to_owned()),
        Err(error) => Err(format!("{} at {:?}", error.message, error.instruction)),
    }
}

fn main() {
    let (mut refused, mut count, mut ran) = (0, 0, 0);
    let runs = std::env::args().any(|argument| argument == "--run");
    for path in std::env::args().skip(1).filter(|argument| argument != "--run") {
        count += 1;
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let module = match coopmat_spirv::load_bytes(&bytes) {
            Ok(module) => module,
            Err(error) => {
                println!("{path}: cannot read the file: {error:?}");
                continue;
            }
        };
        match Program::new(&module, &ProgramOptions::default()) {
            Ok(program) => {
                for name in program.unsupported() {
                    println!("{path}: {name} is not known");
                }
                if runs {
                    match run(&program) {
                        Ok(_) => ran += 1,
                        Err(error) => println!("{path}: {error}"),
                    }
                }
            }
            Err(error) => {
                refused += 1;
                println!("{path}: {error} at {:?}", error.instruction);
            }
        }
    }
    println!("{refused} of {count} refused");
    if runs {
        println!("{ran} ran to their end");
    }
}
