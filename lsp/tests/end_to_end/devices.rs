//! Devices: the list and the profiles that the command line writes, and portability in text, in JSON and over the protocol.

use expect_test::expect;
use serde_json::{Value, json};

use crate::client::Client;
use crate::command_line::{folder, run_in};

const SHADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint ROWS = 16;
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, ROWS, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, ROWS, 16, gl_MatrixUseAccumulator> c;
    c = coopMatMulAdd(a, b, c);
}
";

/// Another device than any built-in one: 8x16 matrices, as one file of a project.
const OWN: &str = r#"{"name": "own", "title": "My device", "subgroupSize": {"default": 32, "min": 32, "max": 32},
    "features": ["cooperativeMatrix", "vulkanMemoryModel", "shaderFloat16"], "extensions": ["VK_KHR_cooperative_matrix"],
    "cooperativeMatrixProperties": [{"MSize": 8, "NSize": 16, "KSize": 16, "AType": "float16", "BType": "float16",
    "CType": "float32", "ResultType": "float32", "scope": "subgroup"}]}"#;

const VULKANINFO: &str = r#"{"capabilities": {"device": {
    "extensions": {"VK_KHR_cooperative_matrix": 2},
    "features": {"VkPhysicalDeviceVulkan12Features": {"shaderFloat16": true},
        "VkPhysicalDeviceCooperativeMatrixFeaturesKHR": {"cooperativeMatrix": true}},
    "properties": {"VkPhysicalDeviceProperties": {"apiVersion": 4211042, "deviceName": "Some GPU",
        "limits": {"maxComputeSharedMemorySize": 16384}}}}},
    "profiles": {"VP_VULKANINFO_Some_GPU": {"version": 1, "capabilities": ["device"]}}}"#;

#[test]
fn devices_are_listed_with_those_of_the_project() {
    let project = "device = \"own.json\"\n";
    let folder = folder(&[("coopmat-analyzer.toml", project), ("own.json", OWN)]);
    let run = run_in(folder.path(), &["devices", "--no-vulkan"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "Built-in profiles (--device NAME):");
    let own = "  own.json                 My device: 1 matrix combination, subgroups of 32";
    assert!(lines.contains(&own), "{}", run.stdout);
    assert!(run.stdout.contains("  lavapipe "), "{}", run.stdout);
    // With the loader or without: it is said, and the command does not fail.
    let run = run_in(folder.path(), &["devices"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("Vulkan devices of this machine:"), "{}", run.stdout);
}

#[test]
fn a_profile_that_was_written_is_a_target_device() {
    let folder = folder(&[("a.comp", SHADER)]);
    let run = run_in(folder.path(), &["devices", "lavapipe", "--json", "--no-vulkan"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let profile =
        run.stdout.replace("\"default\":8,\"min\":8,\"max\":8", "\"default\":64,\"min\":64,\"max\":64");
    std::fs::write(folder.path().join("mine.json"), profile).unwrap();
    let run = run_in(folder.path(), &["check", "--device", "mine.json", "a.comp"], "");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let run = run_in(folder.path(), &["devices", "no-such", "--no-vulkan"], "");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("there is no device `no-such`"), "{}", run.stderr);
}

#[test]
fn what_vulkaninfo_writes_becomes_a_profile_that_says_what_it_lacks() {
    let folder = folder(&[("a.comp", SHADER), ("info.json", VULKANINFO)]);
    let run = run_in(folder.path(), &["devices", "--import", "info.json"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let profile: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&profile["name"], &profile["limits"]["maxComputeSharedMemorySize"]),
        (&json!("some-gpu"), &json!(16384))
    );
    assert_eq!(profile["incomplete"], json!(["cooperativeMatrixProperties", "properties"]));
    assert!(run.stderr.contains("the supported matrices are not known"), "{}", run.stderr);
    // It can be named as it is, too.
    let run = run_in(folder.path(), &["check", "--device", "info.json", "a.comp"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("does not have the feature `vulkanMemoryModel`"), "{}", run.stdout);
}

#[test]
fn the_portability_table_names_what_stops_a_shader_and_what_would_pass() {
    let folder = folder(&[("a.comp", SHADER), ("own.json", OWN)]);
    let run = run_in(folder.path(), &["check", "--portability", "--device", "own.json", "a.comp"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mine: Vec<&str> = run.stdout.lines().take(12).collect();
    expect![[r#"
        a.comp: accepted by 8 of 13 device profiles, 2 reject the defaults of specialization constants, 1 not known
          own                  rejects the defaults
                                 a.comp:8:5: has no 16x16 matrix of float16_t with use A and this scope
                                   nearest value that would pass: 8x16
                                 a.comp:10:5: has no 16x16 matrix of float with use Accumulator and this scope
                                   nearest value that would pass: 8x16
                                 a.comp:11:9: has no multiply-add of M = 16, N = 16, K = 16 with A float16_t, B float16_t, C float in this scope
                                   nearest value that would pass: 8x16x16
                                 depends on the defaults of ROWS
          amd-rdna3            accepts
                                 depends on the defaults of ROWS
          amd-rdna4            accepts"#]].assert_eq(&mine.join("\n"));
    let run = run_in(folder.path(), &["check", "--portability", "--format", "json", "a.comp"], "");
    let table: Value = serde_json::from_str(&run.stdout).unwrap();
    let devices = table["shaders"][0]["devices"].as_array().unwrap();
    let device = |name: &str| devices.iter().find(|device| device["name"] == name).unwrap();
    assert_eq!(device("nvidia-h200")["verdict"], "accepts");
    assert_eq!(device("nvidia-h200")["defaults"], json!(["ROWS"]));
    assert_eq!(device("intel-xe2")["verdict"], "rejects-defaults");
    let stop = &device("intel-xe2")["stops"][0];
    assert_eq!((&stop["nearest"], &stop["location"]["line"]), (&json!("8x16"), &json!(8)));
}

#[test]
fn editors_ask_for_the_table_and_see_it_over_the_entry_point() {
    let uri = "file:///shaders/portable.comp";
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    client.open(uri, SHADER);
    let table = client.request("coopmat-analyzer/portability", json!({"textDocument": {"uri": uri}}));
    let rows = table["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["device"] == "intel-xe2").unwrap();
    assert_eq!(row["stops"][0]["place"], "portable.comp:8");
    assert_eq!(row["stops"][0]["range"]["start"], json!({"line": 7, "character": 4}));
    let hover = json!({"textDocument": {"uri": uri}, "position": {"line": 6, "character": 6}});
    let hover = client.request("textDocument/hover", hover);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("**Portability**: accepted by"), "{text}");
    assert!(text.ends_with(table["markdown"].as_str().unwrap()), "{text}");
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    let lenses = lenses.as_array().unwrap();
    let lens =
        lenses.iter().find(|lens| lens["command"]["command"] == "coopmat-analyzer.showPortability").unwrap();
    assert_eq!(lens["command"]["title"], table["summary"]);
    assert_eq!(lens["command"]["arguments"], json!([{"uri": uri}]));
}
