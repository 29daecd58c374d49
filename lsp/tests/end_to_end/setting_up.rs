//! "Set up this project": what the server asks its client, runs, writes and refuses.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, ids};
use crate::command_line::folder;

const COMMAND: &str = "coopmat-analyzer.setUpProject";

const SHADER: &str = "#version 450
#include \"n.glsl\"
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { TYPE values[]; };
void main() { values[gl_GlobalInvocationID.x] += TYPE(HALF); }
";
const GENERATOR: &str = "echo building
for n in 2 4; do glslc -fshader-stage=compute s/k.comp -o \"$1/k_$n.spv\" -DTYPE=float -DN=$n || exit 1; done
";

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let own = [("s/k.comp", SHADER), ("s/n.glsl", "#define HALF (N / 2)\n"), ("gen.sh", GENERATOR)];
        Project { folder: folder(&[&own[..], files].concat()) }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(name).to_str().unwrap().to_owned()
    }

    fn uri(&self, name: &str) -> String {
        coopmat_server::uri_of_path(&self.path(name)).unwrap()
    }

    fn exists(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }

    /// `asks`: the client lets its user edit the command.
    fn client(&self, asks: bool) -> Client {
        let capabilities = json!({
            "window": {"workDoneProgress": true},
            "experimental": {"coopmat-analyzer": {"askBuildCommand": asks}},
        });
        let settings = json!({"googleInclude": true});
        let folders = json!([{"uri": self.uri("").trim_end_matches('/'), "name": "p"}]);
        let (client, _) = Client::start(
            &[],
            json!({"capabilities": capabilities, "initializationOptions": settings, "workspaceFolders": folders}),
        );
        client
    }

    fn begin(&self, client: &mut Client) -> i64 {
        let params = json!({"command": COMMAND, "arguments": [self.uri("s/k.comp")]});
        client.begin("workspace/executeCommand", params)
    }
}

/// The next question of a kind, answered.
fn answer(client: &mut Client, method: &str, result: Value) -> Value {
    let question = client.wait(|message| message["method"] == method);
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}));
    question["params"].clone()
}

const ASK: &str = "coopmat-analyzer/askBuildCommand";

#[test]
fn the_button_of_the_message_sets_the_project_up() {
    let project = Project::new(&[("Makefile", "all:\n\tsh gen.sh build\n")]);
    let mut client = project.client(true);
    client.open(&project.uri("s/k.comp"), SHADER);
    assert_ne!(client.published(&project.uri("s/k.comp"), 1), json!([]));
    let offer = answer(&mut client, "window/showMessageRequest", json!({"title": "Set up this project"}));
    assert_eq!(offer["actions"], json!([{"title": "Set up this project"}]));
    assert!(offer["message"].as_str().unwrap().starts_with("k.comp: this shader needs macros "), "{offer}");
    let agreed = json!({"command": "sh gen.sh {build}", "trusted": true});
    let asked = answer(&mut client, ASK, agreed);
    assert_eq!(
        asked,
        json!({
            "folder": project.path("").trim_end_matches('/'), "command": "make -B", "because": "Makefile",
            "file": project.path("coopmat-analyzer.toml"), "exists": false,
        })
    );
    let progress = answer(&mut client, "window/workDoneProgress/create", Value::Null);
    let begun = client
        .wait(|message| message["method"] == "$/progress" && message["params"]["value"]["kind"] == "begin");
    assert_eq!(begun["params"]["token"], progress["token"]);
    assert_eq!(begun["params"]["value"]["title"], "Setting up the project");
    assert_eq!(begun["params"]["value"]["cancellable"], true);
    client.wait(|message| message["method"] == "$/progress" && message["params"]["value"]["kind"] == "end");
    let told = client.wait(|message| message["method"] == "window/showMessage");
    assert_eq!(
        told["params"]["message"],
        "coopmat-analyzer.toml was written: 1 shader, 2 configurations, 0 with errors"
    );
    // What is open is looked at anew.
    let found = client.wait(|message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["uri"] == project.uri("s/k.comp")
            && message["params"]["diagnostics"] == json!([])
    });
    assert!(ids(&found["params"]["diagnostics"]).is_empty());
    let list = client.request("coopmat-analyzer/configurations", json!({"uri": project.uri("s/k.comp")}));
    assert_eq!(list["inView"], "k_2");
    let text = std::fs::read_to_string(project.path("coopmat-analyzer.toml")).unwrap();
    assert!(text.starts_with("# Imported from what `sh gen.sh {build}` calls.\n"), "{text}");
}

#[test]
fn nothing_is_run_that_nobody_agreed_to() {
    let project = Project::new(&[]);
    let mut client = project.client(true);
    let run = "echo ran > ran; sh gen.sh {build}";
    let refused = |client: &mut Client, agreed: Value| {
        let id = project.begin(client);
        let asked = answer(client, ASK, agreed);
        let response = client.response(id);
        assert!(!project.exists("ran"), "{response}");
        (asked, response["error"]["message"].as_str().unwrap_or_default().to_owned())
    };
    let (asked, error) = refused(&mut client, json!({"command": run, "trusted": false, "replace": true}));
    assert_eq!((&asked["command"], &asked["because"]), (&json!(""), &Value::Null));
    assert!(error.contains("not trusted"), "{error}");
    assert_eq!(refused(&mut client, Value::Null).1, "");
    assert!(refused(&mut client, json!({"command": " ", "trusted": true})).1.contains("no command"));
    std::fs::write(project.path("coopmat-analyzer.toml"), "# Mine.\n").unwrap();
    let (asked, error) = refused(&mut client, json!({"command": run, "trusted": true}));
    assert_eq!(asked["exists"], true);
    assert!(error.contains("already exists and was not to be replaced"), "{error}");
    assert_eq!(std::fs::read_to_string(project.path("coopmat-analyzer.toml")).unwrap(), "# Mine.\n");

    // The same, agreed to.
    let id = project.begin(&mut client);
    answer(&mut client, ASK, json!({"command": run, "trusted": true, "replace": true}));
    answer(&mut client, "window/workDoneProgress/create", Value::Null);
    let done = client.response(id);
    assert_eq!(done["result"]["summary"], "1 shader, 2 configurations, 0 with errors", "{done}");
    assert!(project.exists("ran"));
}

/// A client that lets nobody edit the command shows it with two buttons.
#[test]
fn other_clients_ask_whether_to_run_what_fits() {
    let project = Project::new(&[("Makefile", "all:\n\tsh gen.sh build\n")]);
    let mut client = project.client(false);
    let id = project.begin(&mut client);
    let asked = answer(&mut client, "window/showMessageRequest", json!({"title": "Cancel"}));
    assert!(asked["message"].as_str().unwrap().contains("by running `make -B` in "), "{asked}");
    assert_eq!(client.response(id)["result"], Value::Null);
    assert!(!project.exists("coopmat-analyzer.toml"));
    std::fs::remove_file(project.path("Makefile")).unwrap();
    let id = project.begin(&mut client);
    let error = client.response(id)["error"]["message"].as_str().unwrap().to_owned();
    assert!(error.contains("coopmat-analyzer import --capture"), "{error}");
}

#[test]
fn a_build_is_stopped_with_what_it_started() {
    let project = Project::new(&[]);
    let mut client = project.client(true);
    let id = project.begin(&mut client);
    let run = "sh -c 'echo $$ > pid; sleep 1000; echo on > on'; echo on > on";
    answer(&mut client, ASK, json!({"command": run, "trusted": true}));
    let progress = answer(&mut client, "window/workDoneProgress/create", Value::Null);
    while !std::fs::read_to_string(project.path("pid")).is_ok_and(|pid| pid.ends_with('\n')) {
        std::thread::sleep(Duration::from_millis(10));
    }
    // Another one has to wait.
    let second = project.begin(&mut client);
    assert!(client.response(second)["error"]["message"].as_str().unwrap().contains("already"));
    client.notify("window/workDoneProgress/cancel", json!({"token": progress["token"]}));
    let error = client.response(id)["error"]["message"].as_str().unwrap().to_owned();
    assert!(error.contains("was stopped"), "{error}");
    let pid = std::fs::read_to_string(project.path("pid")).unwrap();
    #[cfg(target_os = "linux")]
    assert!(!std::path::Path::new("/proc").join(pid.trim()).join("exe").exists(), "{pid}");
    assert!(!project.exists("on") && !project.exists("coopmat-analyzer.toml"), "{pid}");
}
