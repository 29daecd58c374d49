//! Shaders of which nobody has said how they are built: one note in what is open, nothing about what is not, and what `check` says.

use serde_json::{Value, json};

use crate::client::{Client, ids};
use crate::command_line::{folder, run_in};

const NEEDS: &str = "#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { A_TYPE data[]; };
void main() { data[gl_GlobalInvocationID.x] = A_TYPE(SCALE); }
";

const MISTAKE: &str = "#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { A_TYPE data[]; };
float scaled(float value) { return value; }
void main() { data[0] = A_TYPE(1); float x = scaeld(1.0); }
";

const ID: &str = "missing-configuration";

#[test]
fn such_a_file_counts_as_not_analysed() {
    let folder = folder(&[("a.comp", NEEDS), ("b.comp", MISTAKE)]);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, "");
    let told = run(&["check", "a.comp"]);
    assert!(
        told.stdout.contains("warning[missing-configuration]: this shader needs macros"),
        "{}",
        told.stdout
    );
    assert!(!told.stdout.contains("error"), "{}", told.stdout);
    assert!(
        told.stderr.contains("accept this with `--allow-unanalysed missing-configuration`"),
        "{}",
        told.stderr
    );
    assert_eq!(told.code, Some(1));
    assert_eq!(run(&["check", "--allow-unanalysed", ID, "a.comp"]).code, Some(0));
    assert_eq!(run(&["check", "-DA_TYPE=float", "-DSCALE=2", "a.comp"]).code, Some(0));
    // A choice of macros covers the file: what is left is wrong.
    let half = run(&["check", "-DA_TYPE=float", "a.comp"]);
    assert!(half.stdout.contains("error[undeclared-name]: `SCALE` is not declared"), "{}", half.stdout);
    let compiled = run(&["spirv", "a.comp"]);
    assert_eq!(compiled.code, Some(1));
    assert!(compiled.stderr.contains("not fully analysed: this shader needs macros"), "{}", compiled.stderr);
    // A mistake is one all the same.
    let mistake = run(&["check", "b.comp"]);
    assert!(mistake.stdout.contains("did you mean `scaled`?"), "{}", mistake.stdout);
    assert!(run(&["check", "--portability", "a.comp"]).stdout.contains("the shader was not fully analysed"));
}

#[test]
fn a_project_file_that_names_other_shaders_leaves_it_a_guess() {
    let project = |text: &str| {
        let folder = folder(&[("a.comp", NEEDS), ("coopmat-analyzer.toml", text)]);
        run_in(folder.path(), &["check", "a.comp"], "").stdout
    };
    assert!(project("[[shaders]]\nfiles = [\"b.comp\"]\ndefines = { N = 1 }\n").contains(ID));
    for covers in ["", "[[shaders]]\nfiles = [\"a.comp\"]\n", "defines = { N = 1 }\n"] {
        let told = project(covers);
        assert!(told.contains("error[undeclared-type]") && !told.contains(ID), "{covers}: {told}");
    }
}

#[test]
fn the_note_has_an_action_and_is_in_no_list_of_the_workspace() {
    let folder = folder(&[("a.comp", NEEDS), ("b.comp", MISTAKE), ("c.comp", NEEDS)]);
    let root = coopmat_server::uri_of_path(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    let uri = format!("{root}/a.comp");
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let folders = json!([{"uri": root, "name": "p"}]);
    let (mut client, _) =
        Client::start(&[], json!({"capabilities": capabilities, "workspaceFolders": folders}));
    client.open(&uri, NEEDS);
    let report = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}));
    assert_eq!(ids(&report["items"]), [ID]);
    let note = &report["items"][0];
    let ask =
        json!({"textDocument": {"uri": uri}, "range": note["range"], "context": {"diagnostics": [note]}});
    let actions = client.request("textDocument/codeAction", ask);
    let action = actions.as_array().unwrap().iter().find(|action| action["title"] == "Set up this project");
    let command = json!({
        "title": "Set up this project", "command": "coopmat-analyzer.setUpProject", "arguments": [uri],
    });
    assert_eq!(action.unwrap()["command"], command);
    let listed = client.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let of = |name: &str| {
        let items = listed["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["uri"] == format!("{root}/{name}"));
        item.map_or(Value::Null, |item| item["items"].clone())
    };
    assert_eq!(ids(&of("b.comp")), ["undeclared-name"]);
    assert_eq!(of("c.comp"), json!([]));
}

/// VS Code asks for all of a workspace before it has told its settings, and the search for includes waits for these.
#[test]
fn a_part_of_a_shader_is_no_shader_for_a_client_whose_settings_come_late() {
    let folder = folder(&[
        (
            "user.comp",
            "#version 460\n#extension GL_GOOGLE_include_directive : require\n#include \"part.comp\"\nlayout(local_size_x = 32) in;\nvoid main() { twice(1.0); }\n",
        ),
        ("part.comp", "float twice(float x) { return x * 2.0; }\n"),
        ("coopmat-analyzer.toml", "[[shaders]]\nfiles = [\"*.comp\"]\n"),
    ]);
    let root = coopmat_server::uri_of_path(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"configuration": true, "diagnostics": {"refreshSupport": true}},
    });
    let folders = json!([{"uri": root, "name": "p"}]);
    let (mut client, _) =
        Client::start(&[], json!({"capabilities": capabilities, "workspaceFolders": folders}));
    let question = client.wait(|message| message["method"] == "workspace/configuration");
    let listing = client.begin("workspace/diagnostic", json!({"previousResultIds": []}));
    // As long as a list of the folder takes.
    std::thread::sleep(std::time::Duration::from_millis(300));
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": [{}]}));
    let listed = client.response(listing)["result"].clone();
    let items = listed["items"].as_array().unwrap();
    assert_eq!(items.iter().flat_map(|item| ids(&item["items"])).collect::<Vec<_>>(), [""; 0], "{listed}");
    assert_eq!(client.finish(), Some(0));
}
