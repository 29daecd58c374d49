//! `coopmat-analyzer spirv` as a person runs it.

use std::process::{Command, Output};

use crate::client::BINARY;

fn spirv(arguments: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    Command::new(BINARY).current_dir(root).arg("spirv").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_text_of_a_function_with_the_lines_that_it_comes_from() {
    let output = spirv(&["examples/khr/gemm.comp", "--function", "main", "--source"]);
    let listing = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(listing.contains("%main = OpFunction %void None"), "{listing}");
    assert!(!listing.contains("OpCapability"), "one function only: {listing}");
    // The multiply-add stands below the line that it comes from.
    let source = listing.find("coopMatMulAdd(").expect("the source line");
    let instruction = listing.find("OpCooperativeMatrixMulAddKHR").expect("the instruction");
    assert!(source < instruction, "{listing}");
}

#[test]
fn a_module_is_written_and_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gemm.spv");
    let output = spirv(&[
        "examples/khr/gemm.comp",
        "-g=full",
        "--target-env",
        "vulkan1.3",
        "-o",
        path.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let module = coopmat_spirv::load_bytes(&std::fs::read(&path).unwrap()).expect("a module");
    let version = module.header.as_ref().map(|header| header.version());
    assert_eq!(version, Some((1, 6)), "vulkan1.3 implies SPIR-V 1.6");
}

#[test]
fn what_cannot_be_compiled_is_told_with_its_place() {
    let output = spirv(&["examples/mistakes/indexed-shape-mismatch.comp"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        message.contains("error[coopmat-muladd-shape]: A is 16x16")
            && message.contains("indexed-shape-mismatch.comp:31:43"),
        "{message}"
    );

    let output = spirv(&["examples/khr/gemm.comp", "--target-env", "vulkan1.0"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(message.contains("choose vulkan1.1 or later"), "{message}");
    assert!(message.contains("gemm.comp:34:36") && message.contains("^^^^^"), "{message}");

    let output = spirv(&["examples/khr/gemm.comp", "--function", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no function `nobody`"));
}

#[test]
fn a_module_is_read_from_a_pipe_and_printed() {
    let module = spirv(&["examples/khr/gemm.comp", "-o", "-"]);
    assert!(module.status.success() && module.stdout.starts_with(&[0x03, 0x02, 0x23, 0x07]));
    let printed = spirv_of(&["-"], &module.stdout);
    let direct = spirv(&["examples/khr/gemm.comp"]);
    assert_eq!(text(&printed.stdout), text(&direct.stdout));
    // A module says nothing about a source.
    let refused = spirv_of(&["-", "--source"], &module.stdout);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("does not say where its instructions come from"));
    let broken = spirv_of(&["-"], &module.stdout[..64]);
    assert_eq!(broken.status.code(), Some(2));
    assert!(broken.stdout.is_empty() && text(&broken.stderr).starts_with("error: standard input: "));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gemm.spvasm");
    assert!(spirv(&["examples/khr/gemm.comp", "-o", path.to_str().unwrap()]).status.success());
    assert_eq!(std::fs::read(&path).unwrap(), direct.stdout);
}

fn spirv_of(arguments: &[&str], input: &[u8]) -> Output {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut child = Command::new(BINARY)
        .arg("spirv")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn statistics_are_for_people_and_programs() {
    let output = spirv(&["examples/khr/gemm.comp", "--statistics"]);
    let counted = text(&output.stdout);
    assert!(counted.contains("workgroup: 128 x 1 x 1; subgroups of 32 are assumed"), "{counted}");
    assert!(
        counted.contains("L1 in main at examples/khr/gemm.comp:43: unknown number of iterations"),
        "{counted}"
    );
    assert!(counted.contains("matrix operations: 32,768 FLOPs per iteration of L1"), "{counted}");
    assert!(!counted.contains("OpCapability"), "{counted}");

    let output = spirv(&["examples/khr/gemm.comp", "--statistics", "--json", "--subgroup-size", "64"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let entry = &json["entryPoints"][0];
    assert_eq!(
        entry["matrixFlops"][0],
        serde_json::json!({"value": 16384, "perRoundOf": ["L1"], "atMost": false})
    );
    assert_eq!(json["subgroupSize"], 64);
    assert_eq!(spirv(&["examples/khr/gemm.comp", "--json"]).status.code(), Some(2));
}

#[test]
fn values_are_folded_and_the_module_cleaned_up() {
    let output = spirv(&[
        "examples/khr/gemm.comp",
        "-O",
        "--spec",
        "0=16",
        "--spec",
        "1=0x10",
        "--spec",
        "defaults",
        "--function",
        "main",
        "--source",
    ]);
    let listing = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(listing.contains("OpPhi"), "the sum is a value of the loop: {listing}");
    assert!(!listing.contains("OpVariable"), "no local is left: {listing}");
    // What is left still tells where it comes from.
    let source = listing.find("coopMatMulAdd(").expect("the source line");
    let instruction = listing.find("OpCooperativeMatrixMulAddKHR").expect("the instruction");
    assert!(source < instruction, "{listing}");

    let output = spirv(&["examples/khr/gemm.comp", "--spec", "0=16", "--spec", "1=16", "--spec", "2=32"]);
    let listing = text(&output.stdout);
    assert!(!listing.contains("OpSpecConstant"), "every constant has a value: {listing}");
    assert!(listing.contains("%TILE_K = OpConstant %uint 32"), "{listing}");
}

#[test]
fn values_that_cannot_be_given_are_told_with_the_constants_there_are() {
    let output = spirv(&["examples/khr/gemm.comp", "--spec", "9=1"]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("no specialization constant 9"), "{message}");
    assert!(message.contains("0 (TILE_M: uint32 = 16)"), "{message}");

    let output = spirv(&["examples/khr/gemm.comp", "--spec", "0=-1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("uint32 holds 0 to 4294967295"));

    let output = spirv(&["examples/khr/gemm.comp", "--spec", "TILE_M=16"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("such as 0=64"));
}

const TILES: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint TM = 4;
layout(constant_id = 1) const uint TK = 2;
layout(binding = 0) buffer Out { uint rows; } result;
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, TM, TK, gl_MatrixUseA> a = coopmat<float16_t, gl_ScopeSubgroup, TM, TK, gl_MatrixUseA>(1);
    result.rows = TM * TK + a.length();
}
";

const PROJECT: &str = "specialization = { TM = 8 }
specializations = { square = { TM = 16, TK = 16 } }
[[shaders]]
files = \"a.comp\"
specialization = { 1 = 32 }
[shaders.specializations]
odd = { TK = 3 }
";

const RECIPE: &str = "[sizes]
M = 8
[specialization]
TM = \"2 * M\"
TK = 8
[[buffers]]
name = \"result\"
type = \"u32\"
shape = [1]
[[expect]]
buffer = \"result\"
equals.values = [134]
";

/// The shader of which a project file names values, sets of them, and a recipe beside it others.
fn tiles() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.comp", TILES), ("b.comp", TILES), ("coopmat-analyzer.toml", PROJECT)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::write(folder.path().join("a.run.toml"), RECIPE).unwrap();
    folder
}

fn in_folder(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    Command::new(BINARY).current_dir(folder.path()).args(arguments).output().unwrap()
}

/// The shape of the matrix type, its sizes as they are written: numbers, or constants that have no value yet.
fn shape(folder: &tempfile::TempDir, arguments: &[&str]) -> String {
    let output = in_folder(folder, &[&["spirv", "a.comp"], arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let listing = text(&output.stdout);
    let value = |name: &str| {
        let line = listing.lines().find(|line| line.trim_start().starts_with(&format!("%{name} = ")));
        line.map_or("-", |line| line.split('=').nth(1).unwrap().trim()).to_owned()
    };
    format!("{}; {}", value("TM"), value("TK"))
}

#[test]
fn values_of_the_project_file_are_folded_as_editors_do() {
    let folder = tiles();
    let of = |arguments: &[&str]| shape(&folder, arguments);
    let is = |tm: u32, tk: u32| format!("OpConstant %uint {tm}; OpConstant %uint {tk}");
    assert_eq!(of(&[]), is(8, 32));
    assert_eq!(of(&["--spec", "1=4"]), is(8, 4));
    assert_eq!(of(&["--specialization", "square"]), is(16, 16));
    assert_eq!(of(&["--specialization", "odd", "--spec", "0=2"]), is(2, 3));
    assert_eq!(of(&["--specialization", "recipe"]), is(16, 8));
    assert_eq!(of(&["--specialization", "TM=64, 1=0x20"]), is(64, 32));
    assert_eq!(of(&["--spec", "keep"]), "OpSpecConstant %uint 4; OpSpecConstant %uint 2");
    assert_eq!(of(&["--spec", "keep", "--spec", "0=2"]), "OpConstant %uint 2; OpSpecConstant %uint 2");

    // The size of the workgroup has an id and no name.
    let output = in_folder(&folder, &["spirv", "a.comp", "--specialization", "3=64"]);
    assert!(text(&output.stdout).contains("OpExecutionMode %main LocalSize 64 1 1"), "{output:?}");
}

#[test]
fn a_specialization_that_is_none_is_told() {
    let folder = tiles();
    let told = |arguments: &[&str]| {
        let output = in_folder(&folder, arguments);
        (output.status.code(), text(&output.stderr).trim_end().to_owned())
    };
    let (code, message) = told(&["spirv", "b.comp", "--specialization", "odd"]);
    assert_eq!(
        (code, &*message),
        (
            Some(2),
            "error: b.comp: there is no set `odd` of specialization constants; expected one of `square`"
        )
    );
    let (code, message) = told(&["spirv", "a.comp", "--specialization", "TN=4"]);
    assert_eq!(code, Some(2));
    assert!(
        message.contains("there is no specialization constant `TN`; expected one of TM (0), TK (1)"),
        "{message}"
    );
    let (code, message) = told(&["spirv", "b.comp", "--specialization", "recipe"]);
    assert_eq!((code, &*message), (Some(2), "error: b.comp: there is no recipe `b.run.toml`"));
    let (code, message) = told(&["spirv", "a.comp", "--specialization", "TM=x"]);
    assert_eq!(code, Some(2));
    assert!(message.contains("`x` is not a value"), "{message}");
    let (code, message) = told(&["check", "a.comp", "b.comp", "--specialization", "odd"]);
    assert_eq!(code, Some(2));
    assert!(message.contains("b.comp: there is no set `odd`") && !message.contains("a.comp: "), "{message}");
}

#[test]
fn a_specialization_holds_for_checks_and_runs_too() {
    let folder = tiles();
    // No device has matrices of 16 x 3.
    let check = |arguments: &[&str]| {
        let common = ["check", "a.comp", "--device", "nvidia-h200", "--all"];
        let output = in_folder(&folder, &[&common, arguments].concat());
        text(&output.stdout) + &text(&output.stderr)
    };
    assert!(
        check(&["--specialization", "TM=16,TK=3"]).contains("16x3"),
        "{}",
        check(&["--specialization", "TM=16,TK=3"])
    );
    assert!(
        !check(&["--specialization", "square"]).contains("device-"),
        "{}",
        check(&["--specialization", "square"])
    );

    // A workgroup of one invocation owns 4 elements of each subgroup of 32. The recipe expects another number, so that what is found is told.
    let run = |arguments: &[&str]| {
        let output = in_folder(&folder, &[&["run", "a.comp"], arguments].concat());
        text(&output.stdout) + &text(&output.stderr)
    };
    for (arguments, found) in [
        (&[][..], "found 132"),
        (&["--specialization", "recipe"], "found 132"),
        (&["--specialization", "square"], "found 264"),
        (&["--specialization", "TK=16"], "found 264"),
    ] {
        assert!(run(arguments).contains(found), "{arguments:?}: {}", run(arguments));
    }
}
