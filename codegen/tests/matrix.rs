//! What cooperative matrices, and vectors of any length, become. Each shader in `matrix/` stands beside the module that is made of it, without names and
//! layouts; `UPDATE_EXPECT=1 cargo test` writes these anew.
//!
//! With `SPIRV_VAL` set to a command, each module is given to it too; `cargo xtask spirv` does that.

use std::path::Path;
use std::process::Command;

use coopmat_analysis::Analysis;
use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_codegen::{Options, compile};
use coopmat_spirv::spirv::Op;
use coopmat_spirv::{assemble, load, text, to_bytes};
use expect_test::expect_file;

fn analysis(path: &Path) -> (String, Analysis) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis =
        coopmat_analysis::analyze(&path.to_string_lossy(), text.as_str().into(), &config, &NoFiles, None);
    (text, analysis)
}

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/matrix").join(name).with_extension("comp");
    let (source, analysis) = analysis(&path);
    let compiled = compile(&analysis, &Options::default()).unwrap_or_else(|errors| {
        let told: Vec<String> = errors
            .iter()
            .map(|error| {
                let range = error.location.range;
                format!("{}: {}", &source[range.start().into()..range.end().into()], error.message)
            })
            .collect();
        panic!("{name}:\n{}", told.join("\n"))
    });
    let words = assemble(&compiled.module).expect("instructions of a possible length");
    let read = load(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(assemble(&read).as_ref() == Ok(&words), "{name} comes back otherwise");
    validate(name, &to_bytes(&words));
    let hidden = [Op::Name, Op::MemberName, Op::Source, Op::Decorate, Op::MemberDecorate, Op::ExtInstImport];
    let is_shown = |inst: &coopmat_spirv::dr::Instruction| {
        let matrix_decoration = inst.operands.len() == 2 && inst.class.opcode == Op::Decorate;
        !hidden.contains(&inst.class.opcode) || matrix_decoration
    };
    let shown: Vec<_> = compiled
        .module
        .all_inst_iter()
        .enumerate()
        .filter(|(_, inst)| is_shown(inst))
        .map(|(index, _)| index..index + 1)
        .collect();
    let options = text::Options { header: false, only: Some(&shown), ..text::Options::default() };
    expect_file![path.with_extension("spvasm")]
        .assert_eq(&text::disassemble(&compiled.module, &options).text);
}

fn validate(name: &str, bytes: &[u8]) {
    let Ok(validator) = std::env::var("SPIRV_VAL") else { return };
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("spv");
    std::fs::write(&file, bytes).expect("a folder to write to");
    let mut words = validator.split_whitespace();
    let mut command = Command::new(words.next().expect("a command"));
    let output = command.args(words).arg("--target-env").arg("vulkan1.3").arg(&file).output();
    let output = output.expect("the command starts");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}

macro_rules! shaders {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*
    };
}

shaders! {
    loads_and_stores
    multiply_add
    arithmetic
    conversions
    functions
    tensors
    decode
    qcom
    version1
    arm_layouts
    implicit
    maintenance
    both_extensions
    long_vectors
    cooperative_vectors
}
