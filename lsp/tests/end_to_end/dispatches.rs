//! Recipes with several dispatches, on the command line and in an editor.

use std::process::{Command, Output};

use serde_json::json;

use crate::client::{BINARY, Client};

fn command(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    Command::new(BINARY).current_dir(folder.path()).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const DOUBLE: &str = "#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { float values[]; };
void main() { values[gl_GlobalInvocationID.x] *= 2.0; }
";

const REVERSE: &str = "#version 450
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer Data { float before[]; };
layout(binding = 1) buffer Reversed { float reversed[]; };
void main() { reversed[gl_GlobalInvocationID.x] = before[SIZE - 1 - gl_GlobalInvocationID.x]; }
";

const RECIPE: &str = r#"[[dispatches]]
workgroups = [2]

[[dispatches]]
name = "reverse"
shader = "reverse.comp"
workgroups = [2]
defines = { SIZE = 8 }
buffers = { before = "values" }

[[buffers]]
name = "values"
shape = [8]
fill.iota = {}

[[buffers]]
name = "reversed"
shape = [8]

[[expect]]
buffer = "values"
after = "1"
equals.formula = "2 * values"

[[expect]]
buffer = "reversed"
equals.formula = "14 - 2 * index"
"#;

fn folder(recipe: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("double.comp", DOUBLE), ("reverse.comp", REVERSE), ("double.run.toml", recipe)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_report_names_dispatches_and_their_shaders() {
    let folder = folder(RECIPE);
    let output = command(&folder, &["run", "double.comp"]);
    let report = text(&output.stdout);
    assert!(output.status.success(), "{report}{}", text(&output.stderr));
    for line in [
        "2 dispatches, subgroups of 32",
        "  1: double.comp, 2 x 1 x 1 workgroups of 4 x 1 x 1, ",
        "  reverse: reverse.comp, 2 x 1 x 1 workgroups of 4 x 1 x 1, ",
        "  values after 1 = formula: met, 8 elements, all equal",
        "  reversed after reverse = formula: met, 8 elements, all equal",
    ] {
        assert!(report.contains(line), "{line}\n{report}");
    }
    let output = command(&folder, &["run", "double.run.toml", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["dispatches"][1]["shader"], "reverse.comp");
    assert_eq!(report["expectations"][0]["after"], "1");
    assert_eq!(report["met"], true);

    let traced = text(&command(&folder, &["run", "double.comp", "--trace"]).stdout);
    let first = traced.find("dispatch 1\n").expect("the first dispatch");
    let second = traced.find("dispatch reverse\n").expect("the second dispatch");
    assert!(first < traced.find("double.comp:4").unwrap() && second < traced.find("reverse.comp:5").unwrap());

    let output = command(&folder, &["test", "--first", "."]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let output = command(&folder, &["test", "--ownership", "all", "double.run.toml"]);
    assert!(output.status.success(), "{}", text(&output.stdout));
}

#[test]
fn what_cannot_be_run_is_told_with_its_dispatch() {
    let refused = |recipe: &str, arguments: &[&str]| {
        let output = command(&folder(recipe), arguments);
        assert!(!output.status.success());
        text(&output.stderr) + &text(&output.stdout)
    };
    let missing = RECIPE.replace("shader = \"reverse.comp\"", "shader = \"missing.comp\"");
    let told = refused(&missing, &["run", "double.comp"]);
    assert!(told.contains("`shader = \"missing.comp\"`: the file does not exist"), "{told}");
    let told = refused(RECIPE, &["run", "double.comp", "--spirv", "x.spv"]);
    assert!(told.contains("--spirv x.spv: the recipe has several dispatches"), "{told}");
    let named = RECIPE.replacen("workgroups = [2]", "workgroups = [2]\nshader = \"double.comp\"", 1);
    let told = refused(&named, &["run", "reverse.comp", "--recipe", "double.run.toml"]);
    assert!(!told.contains("is none of them"), "one of the shaders is named: {told}");
    let wrong = RECIPE.replace("14 - 2 * index", "15 - 2 * index");
    let told = refused(&wrong, &["run", "double.comp"]);
    assert!(told.contains("reversed after reverse = formula: NOT MET, 8 of 8 elements are wrong"), "{told}");
}

#[test]
fn an_editor_runs_all_dispatches_of_the_recipe_beside_a_shader() {
    let folder = folder(RECIPE);
    let path = folder.path().join("double.comp");
    let uri = coopmat_server::uri_of_path(path.to_str().unwrap()).unwrap();
    let root = coopmat_server::uri_of_path(folder.path().to_str().unwrap()).unwrap();
    let start = json!({"capabilities": {}, "workspaceFolders": [{"uri": root, "name": "shaders"}]});
    let (mut client, _) = Client::start(&[], start);
    client.open(&uri, DOUBLE);
    let run = json!({"textDocument": {"uri": uri}, "buffers": true});
    let answer = client.request("coopmat-analyzer/run", run);
    assert_eq!(answer["summary"], "2 of 2 expectations are met", "{answer}");
    assert_eq!(answer["buffers"][1]["elements"], json!([14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 2.0, 0.0]));
    assert!(answer["report"]["dispatches"][1]["shader"].as_str().unwrap().ends_with("/reverse.comp"));

    let wrong = RECIPE.replace("2 * values", "3 * values");
    let run = json!({"textDocument": {"uri": uri}, "recipe": wrong});
    let summary = client.request("coopmat-analyzer/run", run)["summary"].as_str().unwrap().to_owned();
    assert!(
        summary.starts_with("1 of 2 expectations are met; `values` after `1`: 7 of 8 elements"),
        "{summary}"
    );
    client.finish();
}
