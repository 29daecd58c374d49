//! `coopmat-analyzer run --tier`: the interpreter and machine code give the same, and the report says which of them it was.

use std::process::Command;

use expect_test::expect;
use serde_json::{Value, json};

use crate::client::BINARY;
use crate::command_line::folder;

const TOLD: &str = "\
#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Words { uint words[]; };
void main() {
    words[0] = 1u;
    if (gl_LocalInvocationIndex == 0u) debugPrintfEXT(\"written\");
}
";

const TOLD_RECIPE: &str = "\
dispatch = [1]

[[buffers]]
name = \"words\"
shape = [1]
";

fn run(arguments: &[&str]) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let output = Command::new(BINARY).current_dir(root).arg("run").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The report without what a clock says, and what ran.
fn report(arguments: &[&str]) -> (Value, Value) {
    let mut report: Value = serde_json::from_str(&run(&[arguments, &["--json"]].concat())).unwrap();
    let fields = report.as_object_mut().unwrap();
    fields.remove("seconds");
    let tiers = fields.remove("tiers").unwrap_or_default();
    // Bytes are counted once where all invocations read the same place, which a tier may know or not.
    for name in ["bytes-read", "bytes-written"] {
        fields["work"].as_object_mut().unwrap().remove(name);
    }
    (report, tiers)
}

#[test]
fn both_tiers_make_the_same_report() {
    for example in ["examples/khr/gemm_shared.comp", "examples/khr/gemm_split_k.run.toml"] {
        let (interpreted, tiers) = report(&[example, "--tier", "interpreter"]);
        assert_eq!(tiers, Value::Null);
        let (compiled, tiers) = report(&[example, "--tier", "compiled"]);
        assert!(tiers.as_array().unwrap().iter().all(|tier| *tier == json!({ "compiled": true })), "{tiers}");
        assert_eq!(interpreted, compiled);
    }
}

#[test]
fn a_report_says_what_ran_and_why() {
    let last = |arguments: &[&str]| {
        let text = run(arguments);
        let last = text.lines().last().unwrap();
        last.split_once(" s, ").map(|(_, told)| told.to_owned()).unwrap_or_default()
    };
    expect!["compiled"].assert_eq(&last(&["examples/khr/gemm_shared.comp", "--tier", "compiled"]));
    expect![""].assert_eq(&last(&["examples/khr/gemm_shared.comp"]));
    expect!["interpreted, as every step is looked at"].assert_eq(&last(&[
        "examples/khr/gemm_shared.comp",
        "--tier",
        "compiled",
        "--checked",
    ]));
    let folder = folder(&[("told.comp", TOLD), ("told.run.toml", TOLD_RECIPE)]);
    let told = folder.path().join("told.comp");
    expect!["interpreted, as the shader uses debugPrintf"].assert_eq(&last(&[
        told.to_str().unwrap(),
        "--tier",
        "compiled",
    ]));
}
