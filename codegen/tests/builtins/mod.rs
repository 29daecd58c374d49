//! A call of every overload of every built-in function that compute shaders have, compiled by itself: so each call declares the
//! capabilities and extensions that it needs. `refused.txt` lists what is not compiled, with the reason that the user reads.
//!
//! With `SPIRV_VAL` set to a command, each module is given to it too; `cargo xtask spirv` does that.

mod calls;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_codegen::{Options, compile};
use coopmat_spirv::{assemble, load, to_bytes};
use expect_test::expect_file;

use calls::Call;

/// What became of a call.
enum Outcome {
    Valid,
    /// Why it is not compiled.
    Refused(String),
    Invalid(String),
}

fn compiled(call: &Call, validator: Option<&str>, file: &Path) -> Outcome {
    let config = Configuration {
        target_env: TargetEnv::Vulkan1_3,
        stage: Some(Stage::Compute),
        ..Configuration::default()
    };
    let analysis =
        coopmat_analysis::analyze("call.comp", call.source.as_str().into(), &config, &NoFiles, None);
    let module = match compile(&analysis, &Options::default()) {
        Ok(compiled) => compiled.module,
        Err(errors) => {
            return Outcome::Refused(errors.first().map(|error| error.message.clone()).unwrap_or_default());
        }
    };
    let words = match assemble(&module) {
        Ok(words) => words,
        Err(error) => return Outcome::Invalid(error.to_string()),
    };
    if let Err(error) = load(&words) {
        return Outcome::Invalid(error.to_string());
    }
    let Some(validator) = validator else { return Outcome::Valid };
    std::fs::write(file, to_bytes(&words)).expect("a folder to write to");
    let mut parts = validator.split_whitespace();
    let mut command = Command::new(parts.next().expect("a command"));
    // Bits of integers of other widths are counted where a device has the feature maintenance9.
    let output = command
        .args(parts)
        .args(["--target-env", "vulkan1.3", "--allow-vulkan-32-bit-bitwise"])
        .arg(file)
        .output()
        .expect("the command starts");
    match output.status.success() {
        true => Outcome::Valid,
        false => Outcome::Invalid(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn every_overload_compiles() {
    let functions = calls::functions();
    let validator = std::env::var("SPIRV_VAL").ok();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let share = functions.len().div_ceil(workers);
    let outcomes: Vec<(Call, Outcome)> = std::thread::scope(|scope| {
        let started: Vec<_> = functions
            .chunks(share)
            .enumerate()
            .map(|(worker, part)| {
                let validator = validator.as_deref();
                let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("call{worker}.spv"));
                scope.spawn(move || {
                    let calls = part.iter().flat_map(|&function| calls::of(function));
                    calls
                        .map(|call| {
                            let outcome = compiled(&call, validator, &file);
                            (call, outcome)
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        started.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut invalid = String::new();
    for (call, outcome) in &outcomes {
        match outcome {
            Outcome::Valid => {}
            Outcome::Refused(message) => refused.entry(message.clone()).or_default().push(call.title.clone()),
            Outcome::Invalid(message) => {
                invalid.push_str(&format!("{}\n{message}\n{}\n", call.title, call.source));
            }
        }
    }
    let total = outcomes.len();
    let mut text = String::new();
    for (message, calls) in refused {
        text.push_str(&format!("{message}\n"));
        for call in calls {
            text.push_str(&format!("    {call}\n"));
        }
    }
    expect_file!["refused.txt"].assert_eq(&text);
    assert!(invalid.is_empty(), "of {total} calls:\n{invalid}");
    assert!(total > 3000, "only {total} calls are declared");
}
