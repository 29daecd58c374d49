//! Whatever codegen can emit is documented.

use std::fs;
use std::path::{Path, PathBuf};

use coopmat_analysis::extensions;
use coopmat_spirv::{Opcode, docs, extended};

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// The names after `Op::` and `Opcode::`.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let after = move |prefix: &'static str| {
        text.match_indices(prefix).filter(move |(at, _)| !text[..*at].ends_with(is_part)).map(
            move |(at, found)| {
                let rest = &text[at + found.len()..];
                &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]
            },
        )
    };
    after("Op::").chain(after("Opcode::"))
}

#[test]
fn every_instruction_that_the_sources_name_has_a_documentation() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut missing = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        for name in named(&text) {
            // Names that are no instruction are functions and constants of other types called `Op`.
            if Opcode::named(name).is_some_and(|opcode| docs::of(opcode).is_none()) {
                missing.push(format!("Op{name} in {}", file.display()));
            }
        }
    }
    missing.sort();
    missing.dedup();
    assert!(missing.is_empty(), "write these into codegen/spirv/docs:\n{}", missing.join("\n"));
}

#[test]
fn every_instruction_that_a_built_in_becomes_has_a_documentation() {
    let mut missing = Vec::new();
    for (_, function) in extensions::all_functions() {
        for part in function.instruction.split(',').map(str::trim) {
            let documented = match part.strip_prefix("GLSL.std.450 ") {
                Some(name) => (0..200)
                    .find(|&number| extended::name("GLSL.std.450", number) == Some(name))
                    .is_none_or(|number| docs::of_extended("GLSL.std.450", number).is_some()),
                None => part
                    .strip_prefix("Op")
                    .and_then(Opcode::named)
                    .is_none_or(|opcode| docs::of(opcode).is_some()),
            };
            if !documented {
                missing.push(format!("{part} of {}", function.name));
            }
        }
    }
    missing.sort();
    missing.dedup();
    assert!(missing.is_empty(), "write these into codegen/spirv/docs:\n{}", missing.join("\n"));
}
