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
        "-g",
        "full",
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
        message.contains("indexed-shape-mismatch.comp:31:43: coopmat-muladd-shape: A is 16x16"),
        "{message}"
    );

    let output = spirv(&["examples/khr/gemm.comp", "--target-env", "vulkan1.0"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(message.contains("choose vulkan1.1 or later"), "{message}");

    let output = spirv(&["examples/khr/gemm.comp", "--function", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no function `nobody`"));
}
