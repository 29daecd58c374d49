//! What shaders of other stages than compute become: interfaces, built-in variables, modes.
//!
//! With `SPIRV_VAL` set to a command, each module is given to it too; `cargo xtask spirv` does that.

mod drawing;
mod lookups;
mod meshes;
mod rays;

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_codegen::{CompileError, Compiled, Options, compile};
use coopmat_spirv::{assemble, text, to_bytes};
use expect_test::Expect;

fn compiled(file: &str, source: &str, target_env: TargetEnv) -> Result<Compiled, Vec<CompileError>> {
    let config = Configuration { target_env, ..Configuration::default() };
    let source =
        if source.starts_with("#version") { source.to_owned() } else { format!("#version 460\n{source}") };
    let analysis = coopmat_analysis::analyze(file, source.into(), &config, &NoFiles, None);
    compile(&analysis, &Options::default())
}

/// The lines of a module that have one of these words; all lines without words.
fn check(file: &str, source: &str, words: &[&str], expected: Expect) {
    check_for(TargetEnv::Vulkan1_3, file, source, words, expected);
}

fn check_for(target: TargetEnv, file: &str, source: &str, words: &[&str], expected: Expect) {
    let module = compiled(file, source, target).unwrap_or_else(|errors| panic!("{errors:#?}")).module;
    validate(file, &to_bytes(&assemble(&module).expect("a module")));
    let options = text::Options { header: false, indent: false, ..text::Options::default() };
    let text = text::disassemble(&module, &options).text;
    let is_shown = |line: &&str| words.is_empty() || words.iter().any(|word| line.contains(word));
    let shown: String = text.lines().filter(is_shown).map(|line| format!("{line}\n")).collect();
    expected.assert_eq(&shown);
}

#[test]
fn what_passes_between_stages_stays_when_a_module_is_cleaned_up() {
    let source = "layout(location = 0) in vec4 a;
        layout(location = 1) in vec4 unused;
        layout(location = 0) out vec4 b;
        layout(binding = 0) uniform sampler2D picture;
        void main() { vec4 c = a + texture(picture, gl_FragCoord.xy); b = a; }";
    let module =
        compiled("a.frag", source, TargetEnv::Vulkan1_3).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let module = coopmat_codegen::optimise(module).module;
    validate("a.frag", &to_bytes(&assemble(&module).expect("a module")));
    let text = text::disassemble(&module, &text::Options::default()).text;
    let shown: Vec<&str> = text.lines().filter(|line| line.contains("OpEntryPoint")).collect();
    assert_eq!(shown, [r#"               OpEntryPoint Fragment %main "main" %a %b %unused"#]);
}

fn check_errors(file: &str, source: &str, target_env: TargetEnv, expected: Expect) {
    let told: String = match compiled(file, source, target_env) {
        Ok(_) => String::new(),
        Err(errors) => errors.iter().map(|error| format!("{}\n", error.message)).collect(),
    };
    expected.assert_eq(&told);
}

fn validate(file: &str, module: &[u8]) {
    let Ok(validator) = std::env::var("SPIRV_VAL") else { return };
    let thread = std::thread::current().name().unwrap_or_default().replace(':', "_");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{thread}.{file}.spv"));
    std::fs::write(&path, module).expect("a folder to write to");
    let mut parts = validator.split_whitespace();
    let mut command = std::process::Command::new(parts.next().expect("a command"));
    // Vulkan allows offsets that are no constants with maintenance8.
    let options = ["--target-env", "vulkan1.3", "--allow-offset-texture-operand"];
    let output = command.args(parts).args(options).arg(&path).output();
    let output = output.expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
