//! What `check` prints as JSON, against the schemas that programs read it by.

use serde_json::Value;

use crate::command_line::{folder, run_in};

const REPORT: &str = include_str!("../../check-report.schema.json");
const PROFILE: &str = include_str!("../../profile-report.schema.json");
const PORTABILITY: &str = include_str!("../../portability-report.schema.json");

/// Two configurations, an error, a warning with a related place, an extension that is not analysed.
const SHADER: &str = "#version 450
#extension GL_NV_bindless_texture : enable
#ifdef WRONG
int first = missing;
#endif
void f(int twice, int twice) {}
void main() {
    int unused;
}
";
const PROJECT: &str = "[[shaders]]
files = \"a.comp\"
[[shaders.configurations]]
name = \"right\"
[[shaders.configurations]]
name = \"wrong\"
defines = [\"WRONG\"]
";

fn problems(schema: &str, report: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(report).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn reports_are_as_their_schema_says() {
    let folder = folder(&[("a.comp", SHADER), ("coopmat-analyzer.toml", PROJECT)]);
    let check = ["check", "--all-configs", "--all", "--format", "json", "a.comp"];
    let mut report: Value = serde_json::from_str(&run_in(folder.path(), &check, "").stdout).unwrap();
    assert_eq!(problems(REPORT, &report), [""; 0]);
    assert_eq!(report["findings"][0]["configurations"]["of"], 2, "{report:#}");
    assert!(report["not-analysed"][0]["names"].is_array(), "{report:#}");

    // It refuses what is no report.
    report["findings"][0]["severity"] = "fatal".into();
    report["version"] = 2.into();
    report.as_object_mut().unwrap().remove("summary");
    assert_eq!(problems(REPORT, &report).len(), 3);
}

#[test]
fn tables_of_devices_are_as_their_schema_says() {
    let gemm = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/khr/gemm.comp");
    let folder = folder(&[]);
    let run = run_in(folder.path(), &["check", "--portability", "--format", "json", gemm], "");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(problems(PORTABILITY, &report), [""; 0]);
    assert!(report["shaders"][0]["devices"].as_array().unwrap().len() > 5);
}

#[test]
fn schemas_are_printed() {
    let folder = folder(&[]);
    let print = |arguments: &[&str]| run_in(folder.path(), arguments, "").stdout;
    assert_eq!(print(&["check", "--schema"]), REPORT);
    assert_eq!(print(&["check", "--schema", "--portability"]), PORTABILITY);
}

/// With a device, and without one, when much is not known.
#[test]
fn profiles_are_as_their_schema_says() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let folder = folder(&[]);
    for arguments in [
        &["--device", "nvidia-h200", "performance/banks.run.toml"][..],
        &["--device", "nvidia-h200", "performance/coalescing.run.toml"],
        &["khr/gemm_shared.comp"],
    ] {
        let (path, options) = arguments.split_last().unwrap();
        let path = format!("{examples}/{path}");
        let run = [&["run", "--profile", "--json"], options, &[path.as_str()]].concat();
        let report: Value = serde_json::from_str(&run_in(folder.path(), &run, "").stdout).unwrap();
        assert_eq!(problems(PROFILE, &report["profile"]), [""; 0], "{arguments:?}");
        assert!(!report["profile"]["dispatches"].as_array().unwrap().is_empty());
    }
    let printed = run_in(folder.path(), &["run", "--profile", "--schema"], "").stdout;
    assert_eq!(printed, PROFILE);
}
