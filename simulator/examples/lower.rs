//! Lowers modules and tells what is refused: `lower FILE.spv...`.

use coopmat_simulator::{Program, ProgramOptions};

fn main() {
    let mut refused = 0;
    let mut count = 0;
    for path in std::env::args().skip(1) {
        count += 1;
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let module = match coopmat_spirv::load_bytes(&bytes) {
            Ok(module) => module,
            Err(error) => {
                println!("{path}: cannot be read: {error:?}");
                continue;
            }
        };
        match Program::new(&module, &ProgramOptions::default()) {
            Ok(program) => {
                for name in program.unsupported() {
                    println!("{path}: {name} is not known");
                }
            }
            Err(error) => {
                refused += 1;
                let instruction =
                    error.instruction.and_then(|index| module.all_inst_iter().nth(index as usize));
                println!("{path}: {error} at {:?} {instruction:?}", error.instruction);
            }
        }
    }
    println!("{refused} of {count} refused");
}
