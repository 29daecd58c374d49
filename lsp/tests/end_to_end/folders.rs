//! A workspace of several folders, each with its own project file: what one says holds for its own shaders alone.

use serde_json::{Value, json};

use crate::client::{Client, ids};
use crate::command_line::folder;

const SHADER: &str = "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"values.glsl\"
layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { float values[]; };
void main() { values[gl_GlobalInvocationID.x] = VALUE * FACTOR; }
";

fn project(name: &str, device: &str) -> String {
    format!(
        "device = \"{device}\"\ninclude = [\"headers\"]\n\n[[shaders]]\nfiles = [\"*.comp\"]\n\n[[shaders.configurations]]\nname = \"{name}\"\n\
         defines = {{ VALUE = \"1.5\" }}\n"
    )
}

/// The configuration in view of a shader, and its device.
fn in_view(client: &mut Client, uri: &str) -> (Value, Value) {
    let found = client.request("coopmat-analyzer/configurations", json!({"uri": uri}));
    let list = found["configurations"].as_array().unwrap();
    let shown = list.iter().find(|one| one["inView"] == true).unwrap();
    (found["inView"].clone(), shown["device"].clone())
}

#[test]
fn each_folder_has_its_own_project() {
    let folder = folder(&[
        ("first/one.comp", SHADER),
        ("first/headers/values.glsl", "const float FACTOR = 2.0;\n"),
        ("first/coopmat-analyzer.toml", &project("of-first", "nvidia-h200")),
        ("second/two.comp", SHADER),
        ("second/headers/values.glsl", "const uvec2 FACTOR = uvec2(2);\n"),
        ("second/coopmat-analyzer.toml", &project("of-second", "intel-xe2")),
        ("third/three.comp", SHADER),
    ]);
    let uri = |path: &str| format!("file://{}/{path}", folder.path().display());
    let workspace = |name: &str| json!({"uri": uri(name), "name": name});
    let folders = [workspace("first"), workspace("second")];
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}, "workspaceFolders": folders}));
    let (one, two, three) = (uri("first/one.comp"), uri("second/two.comp"), uri("third/three.comp"));
    client.open(&one, SHADER);
    client.open(&two, SHADER);
    let clean = client.published(&one, 1);
    assert!(ids(&clean).is_empty(), "{clean}");
    let wrong = client.published(&two, 1);
    assert_eq!(wrong.as_array().unwrap().len(), 1, "the header of its own folder does not fit: {wrong}");
    assert_eq!(in_view(&mut client, &one), (json!("of-first"), json!("nvidia-h200")));
    assert_eq!(in_view(&mut client, &two), (json!("of-second"), json!("intel-xe2")));

    // What changes in one folder is nothing to the other.
    let file = folder.path().join("second/coopmat-analyzer.toml");
    std::fs::write(file, project("changed", "intel-xe2")).unwrap();
    let changed = json!({"changes": [{"uri": uri("second/coopmat-analyzer.toml"), "type": 2}]});
    client.notify("workspace/didChangeWatchedFiles", changed);
    assert_eq!(in_view(&mut client, &two), (json!("changed"), json!("intel-xe2")));
    assert_eq!(in_view(&mut client, &one), (json!("of-first"), json!("nvidia-h200")));

    // A folder that comes later has none, and takes nobody else's.
    let event = json!({"event": {"added": [workspace("third")], "removed": [workspace("first")]}});
    client.notify("workspace/didChangeWorkspaceFolders", event);
    client.open(&three, SHADER);
    assert_eq!(in_view(&mut client, &three).1, Value::Null);
    assert_eq!(in_view(&mut client, &two), (json!("changed"), json!("intel-xe2")));
}
