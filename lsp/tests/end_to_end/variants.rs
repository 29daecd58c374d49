//! Several configurations of one file over the real server's pipes.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::client::{Client, ids};

const SHADER: &str =
    "#version 450\n#include \"n.glsl\"\nvoid main() {\n    T first = T(N);\n    first.x = first.y;\n}\n";
const HEADER: &str = "int half_n = N / 2;\n";

/// A folder with a shader and a project file, and a client that has it open.
struct Folder {
    folder: tempfile::TempDir,
    root: String,
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = crate::command_line::folder(files);
        let root = format!("file://{}", folder.path().to_str().unwrap());
        Folder { folder, root }
    }

    fn uri(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn client(&self, mut capabilities: Value) -> Client {
        capabilities["workspace"]["didChangeWatchedFiles"] = json!({"dynamicRegistration": true});
        let params =
            json!({"capabilities": capabilities, "workspaceFolders": [{"uri": self.root, "name": "p"}]});
        Client::start(&[], params).0
    }

    /// The next diagnostics of a file for which something holds.
    fn published(&self, client: &mut Client, name: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let uri = self.uri(name);
        let message = client.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri.as_str()
                && wanted(&message["params"]["diagnostics"])
        });
        message["params"]["diagnostics"].clone()
    }

    fn changed_on_disk(&self, client: &mut Client, name: &str) {
        client.notify(
            "workspace/didChangeWatchedFiles",
            json!({"changes": [{"uri": self.uri(name), "type": 2}]}),
        );
    }
}

fn messages(diagnostics: &Value) -> Vec<&str> {
    diagnostics.as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap()).collect()
}

fn configuration(name: &str, defines: &str) -> String {
    format!("[[shaders.configurations]]\nname = \"{name}\"\ndefines = {{ {defines} }}\n")
}

const HEAD: &str = "google-include = true\n[[shaders]]\nfiles = [\"*.comp\"]\n";

#[test]
fn the_other_configurations_are_checked_when_nothing_else_is_to_do() {
    let mut project = HEAD.to_owned();
    for number in 0..200 {
        // Three of them have a type without a second component, and one more no `N`.
        let of = match number {
            50 | 100 | 150 => "T = \"float\", N = 1",
            199 => "T = \"vec2\"",
            _ => "T = \"vec2\", N = 1",
        };
        let _ = write!(project, "{}", configuration(&format!("c{number}"), of));
    }
    let folder = Folder::new(&[("coopmat-analyzer.toml", &project), ("k.comp", SHADER), ("n.glsl", HEADER)]);
    let mut client = folder.client(json!({}));
    client.open(&folder.uri("k.comp"), SHADER);
    // The one in view first, at once.
    assert_eq!(client.published(&folder.uri("k.comp"), 1), json!([]));
    let others = folder.published(&mut client, "k.comp", |diagnostics| *diagnostics != json!([]));
    assert_eq!(
        messages(&others),
        [
            "`N` is not declared\nin 1 of 200 configurations, but not in the one in view: `c199`",
            "`float` has no component `y`: it has 1 component\nin 3 of 200 configurations, but not in the one in view: `c50`, `c100`, `c150`",
        ]
    );
    let header = folder.published(&mut client, "n.glsl", |diagnostics| *diagnostics != json!([]));
    assert_eq!(ids(&header), ["undeclared-name"]);

    // A diagnostic leads to the configurations that it is in.
    let diagnostic = &others[1];
    let context = json!({"diagnostics": [diagnostic]});
    let document = json!({"uri": folder.uri("k.comp")});
    let actions = client.request(
        "textDocument/codeAction",
        json!({"textDocument": document, "range": diagnostic["range"], "context": context}),
    );
    let titles: Vec<_> = actions.as_array().unwrap().iter().filter_map(|one| one["title"].as_str()).collect();
    assert!(titles.contains(&"Show the configuration `c150`"), "{actions}");
    let command = &actions.as_array().unwrap().last().unwrap()["command"];
    assert_eq!(command["arguments"], json!([folder.uri("k.comp"), "c150"]));

    // With one of the three in view it is told for what it is, and where it is not.
    let list = client
        .request("coopmat-analyzer/setConfiguration", json!({"uri": folder.uri("k.comp"), "name": "c100"}));
    assert_eq!((&list["inView"], &list["chosen"]), (&json!("c100"), &json!(true)));
    let plain = folder.published(&mut client, "k.comp", |diagnostics| ids(diagnostics) == ["no-such-member"]);
    assert_eq!(messages(&plain), ["`float` has no component `y`: it has 1 component"]);
    let shared = folder.published(&mut client, "k.comp", |diagnostics| ids(diagnostics).len() == 2);
    assert!(
        messages(&shared)[1].ends_with("\nin 3 of 200 configurations: `c50`, `c100`, `c150`"),
        "{shared}"
    );

    // What all have is not said to be in some; an edit starts anew.
    let all = SHADER.replace("first.y", "first.q");
    let change = json!({"textDocument": {"uri": folder.uri("k.comp"), "version": 2}, "contentChanges": [{"text": all}]});
    client.notify("textDocument/didChange", change);
    let all = folder.published(&mut client, "k.comp", |diagnostics| messages(diagnostics).len() == 2);
    assert!(messages(&all)[0].starts_with("`N` is not declared\nin 1 of 200"), "{all}");
    assert!(!messages(&all)[1].contains("configurations"), "{all}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_header_shows_the_configuration_that_its_shader_has_in_view() {
    let project =
        [HEAD, &configuration("small", "T = \"vec2\", N = 1"), &configuration("none", "T = \"vec2\"")]
            .concat();
    let folder = Folder::new(&[("coopmat-analyzer.toml", &project), ("k.comp", SHADER), ("n.glsl", HEADER)]);
    let mut client = folder.client(json!({}));
    client.open(&folder.uri("n.glsl"), HEADER);
    assert_eq!(client.published(&folder.uri("n.glsl"), 1), json!([]));
    let list = client.request("coopmat-analyzer/configurations", json!({"uri": folder.uri("n.glsl")}));
    assert_eq!(list["root"], folder.uri("k.comp"));
    let entries: Vec<_> =
        list["configurations"].as_array().unwrap().iter().map(|one| (&one["name"], &one["inView"])).collect();
    assert_eq!(entries, [(&json!("small"), &json!(true)), (&json!("none"), &json!(false))]);
    assert_eq!(list["configurations"][1]["summary"], "T=vec2 vulkan1.4");
    assert_eq!(
        list["configurations"][1]["source"],
        json!({"uri": folder.uri("coopmat-analyzer.toml"), "line": 6})
    );

    client.request(
        "workspace/executeCommand",
        json!({"command": "coopmat-analyzer.chooseConfiguration", "arguments": [folder.uri("n.glsl"), "none"]}),
    );
    let now = folder.published(&mut client, "n.glsl", |diagnostics| *diagnostics != json!([]));
    assert_eq!(ids(&now), ["undeclared-name"]);
    let state = client.request("coopmat-analyzer/documentState", json!({"uri": folder.uri("n.glsl")}));
    assert_eq!(state["configuration"], "none");

    // Without a name the user is asked, as by the lens above the header.
    let lenses =
        client.request("textDocument/codeLens", json!({"textDocument": {"uri": folder.uri("n.glsl")}}));
    let name = "coopmat-analyzer.chooseConfiguration";
    let lenses = lenses.as_array().unwrap();
    let lens = lenses.iter().find(|lens| lens["command"]["command"] == name).unwrap();
    assert!(lens["command"]["title"].as_str().unwrap().contains("none"), "{lens}");
    let arguments = lens["command"]["arguments"].clone();
    client.request("workspace/executeCommand", json!({"command": name, "arguments": arguments}));
    let question = client.wait(|message| message["method"] == "window/showMessageRequest");
    assert_eq!(question["params"]["actions"], json!([{"title": "small"}]));
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "small"}}));
    folder.published(&mut client, "n.glsl", |diagnostics| {
        !diagnostics
            .as_array()
            .unwrap()
            .iter()
            .any(|one| !one["message"].as_str().unwrap().contains("not in the one in view"))
    });
    let wrong = client.begin(
        "workspace/executeCommand",
        json!({"command": "coopmat-analyzer.chooseConfiguration", "arguments": [folder.uri("n.glsl"), "huge"]}),
    );
    assert!(client.response(wrong)["error"]["message"].as_str().unwrap().contains("no configuration `huge`"));
    let unknown = client.begin("workspace/executeCommand", json!({"command": "nothing"}));
    assert_eq!(client.response(unknown)["error"]["code"], -32602);
}

/// The first configuration includes another header.
#[test]
fn a_header_is_shown_under_a_configuration_that_includes_it() {
    let shader = "#version 450\n#ifdef N\n#include \"n.glsl\"\n#endif\nvoid main() {}\n";
    let project = [HEAD, &configuration("without", "M = 1"), &configuration("with", "N = 1")].concat();
    let folder = Folder::new(&[("coopmat-analyzer.toml", &project), ("k.comp", shader), ("n.glsl", HEADER)]);
    let mut client = folder.client(json!({}));
    client.open(&folder.uri("n.glsl"), HEADER);
    assert_eq!(client.published(&folder.uri("n.glsl"), 1), json!([]));
    let state = client.request("coopmat-analyzer/documentState", json!({"uri": folder.uri("n.glsl")}));
    assert_eq!((&state["root"], &state["configuration"]), (&json!(folder.uri("k.comp")), &json!("with")));
    // Opened, the shader shows what its project says; the header stays where it is.
    client.open(&folder.uri("k.comp"), shader);
    client.published(&folder.uri("k.comp"), 1);
    for (name, configuration) in [("k.comp", "without"), ("n.glsl", "with")] {
        // A hover waits until the file's place is known.
        let position = json!({"line": 0, "character": 0});
        client.request(
            "textDocument/hover",
            json!({"textDocument": {"uri": folder.uri(name)}, "position": position}),
        );
        let list = client.request("coopmat-analyzer/configurations", json!({"uri": folder.uri(name)}));
        assert_eq!(list["inView"], configuration, "{name}");
    }
}

/// What is in view in the open shader is not changed for a header's sake.
#[test]
fn a_header_beside_its_open_shader_is_shown_under_a_configuration_of_its_own() {
    let shader = "#version 450\n#ifdef N\n#include \"n.glsl\"\n#endif\nvoid main() {}\n";
    let project = [HEAD, &configuration("without", "M = 1"), &configuration("with", "N = 1")].concat();
    let folder = Folder::new(&[("coopmat-analyzer.toml", &project), ("k.comp", shader), ("n.glsl", HEADER)]);
    let mut client = folder.client(json!({}));
    client.open(&folder.uri("k.comp"), shader);
    client.published(&folder.uri("k.comp"), 1);
    client.open(&folder.uri("n.glsl"), HEADER);
    assert_eq!(client.published(&folder.uri("n.glsl"), 1), json!([]));
    let in_view = |client: &mut Client, name: &str| {
        let list = client.request("coopmat-analyzer/configurations", json!({"uri": folder.uri(name)}));
        assert_eq!(list["root"], folder.uri("k.comp"));
        list["inView"].clone()
    };
    assert_eq!(in_view(&mut client, "n.glsl"), "with");
    assert_eq!(in_view(&mut client, "k.comp"), "without");

    // It follows the shader's text, and the shader's own choice once that includes it.
    let text = shader.replace("#ifdef N", "#ifdef N\n#undef N");
    let change = json!({"textDocument": {"uri": folder.uri("k.comp"), "version": 2}, "contentChanges": [{"text": text}]});
    client.notify("textDocument/didChange", change);
    let broken = folder.published(&mut client, "n.glsl", |diagnostics| *diagnostics != json!([]));
    assert_eq!(ids(&broken), ["undeclared-name"]);
    client.request("coopmat-analyzer/setConfiguration", json!({"uri": folder.uri("n.glsl"), "name": "with"}));
    assert_eq!(in_view(&mut client, "k.comp"), "with");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_background_can_be_switched_off_or_limited() {
    let project = [
        HEAD,
        &configuration("a", "T = \"vec2\", N = 1"),
        &configuration("b", "T = \"float\", N = 1"),
        &configuration("c", "T = \"vec2\""),
    ]
    .concat();
    let folder = Folder::new(&[("coopmat-analyzer.toml", &project), ("k.comp", SHADER), ("n.glsl", HEADER)]);
    let mut client = folder.client(json!({}));
    let settings = |client: &mut Client, background: Value| {
        let settings = json!({"coopmat-analyzer": {"configurations": {"background": background}}});
        client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    };
    settings(&mut client, json!(1));
    client.open(&folder.uri("k.comp"), SHADER);
    let limited = folder.published(&mut client, "k.comp", |diagnostics| *diagnostics != json!([]));
    assert_eq!(
        messages(&limited),
        [
            "`float` has no component `y`: it has 1 component\nin 1 of the 2 configurations checked (3 in total), but not in the one in view: `b`"
        ]
    );
    settings(&mut client, json!(false));
    folder.published(&mut client, "k.comp", |diagnostics| *diagnostics == json!([]));
    settings(&mut client, json!("many"));
    let complaint = client.wait(|message| message["method"] == "window/showMessage");
    assert!(
        complaint["params"]["message"].as_str().unwrap().contains("configurations.background"),
        "{complaint}"
    );
}

#[test]
fn mistakes_in_the_project_file_are_shown_in_it_and_what_it_said_before_holds() {
    let good = "google-include = true\ndefines = { T = \"vec2\", N = 1 }\n";
    let folder = Folder::new(&[("coopmat-analyzer.toml", good), ("k.comp", SHADER), ("n.glsl", HEADER)]);
    let mut client = folder.client(json!({}));
    client.open(&folder.uri("k.comp"), SHADER);
    assert_eq!(client.published(&folder.uri("k.comp"), 1), json!([]));

    folder.write("coopmat-analyzer.toml", &format!("{good}subgroup_size = 32\nimport = \"none.log\"\n"));
    folder.changed_on_disk(&mut client, "coopmat-analyzer.toml");
    let mistakes = folder.published(&mut client, "coopmat-analyzer.toml", |_| true);
    assert_eq!(messages(&mistakes), ["unknown setting `subgroup_size`: did you mean `subgroup-size`?"]);
    assert_eq!(mistakes[0]["range"]["start"], json!({"line": 2, "character": 0}));
    assert_eq!(mistakes[0]["severity"], 1);
    let told = client.wait(|message| message["method"] == "window/showMessage");
    assert!(told["params"]["message"].as_str().unwrap().contains("its previous contents apply"), "{told}");
    let state = client.request("coopmat-analyzer/documentState", json!({"uri": folder.uri("k.comp")}));
    assert_eq!(state["version"], 1);

    // An import that is not there is told in its place, and appears when it does.
    folder.write("coopmat-analyzer.toml", "import = \"none.log\"\n");
    folder.changed_on_disk(&mut client, "coopmat-analyzer.toml");
    let missing = folder.published(&mut client, "coopmat-analyzer.toml", |_| true);
    assert!(messages(&missing)[0].contains("build the project first"), "{missing}");
    assert_eq!(missing[0]["severity"], 2);
    folder.published(&mut client, "k.comp", |diagnostics| *diagnostics != json!([]));
    let registered = client.wait(|message| {
        message["method"] == "client/registerCapability"
            && message["params"]["registrations"][0]["id"].as_str().unwrap().starts_with("import ")
    });
    assert!(registered.to_string().contains("none.log"));
    folder.write("none.log", "glslc -DT=vec2 -DN=2 k.comp -o k.spv\nglslc --target-env=x k.comp -o l.spv\n");
    folder.changed_on_disk(&mut client, "none.log");
    folder.published(&mut client, "coopmat-analyzer.toml", |diagnostics| *diagnostics == json!([]));
    let log = folder.published(&mut client, "none.log", |_| true);
    assert_eq!(log[0]["range"]["start"], json!({"line": 1, "character": 6}));
    assert_eq!(log[0]["relatedInformation"][0]["location"]["uri"], folder.uri("coopmat-analyzer.toml"));
    assert_eq!(folder.published(&mut client, "k.comp", |diagnostics| *diagnostics == json!([])), json!([]));
}

#[test]
fn what_a_build_left_is_used_where_no_project_file_is() {
    let log = "glslc -DT=vec2 -DN=2 s/k.comp -o k2.spv\nglslc -DT=vec4 -DN=4 s/k.comp -o k4.spv\n";
    let folder = Folder::new(&[("glslc.log", log), ("s/k.comp", SHADER), ("s/n.glsl", HEADER)]);
    let mut client = folder.client(json!({}));
    client.open(&folder.uri("s/k.comp"), SHADER);
    assert_eq!(client.published(&folder.uri("s/k.comp"), 1), json!([]));
    let list = client
        .request("coopmat-analyzer/configurations", json!({"textDocument": {"uri": folder.uri("s/k.comp")}}));
    assert_eq!(list["configurations"][1]["name"], "k4");
    assert_eq!(list["configurations"][1]["source"], json!({"uri": folder.uri("glslc.log"), "line": 1}));

    // Switched off, nothing says what the macros are: that is told once.
    let settings =
        json!({"coopmat-analyzer": {"googleInclude": true, "configurations": {"discover": false}}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    folder.published(&mut client, "s/k.comp", |diagnostics| *diagnostics != json!([]));
    let hint = client.wait(|message| message["method"] == "window/showMessageRequest");
    assert!(hint["params"]["message"].as_str().unwrap().contains("coopmat-analyzer import"), "{hint}");
}

#[test]
fn the_target_device_is_chosen_for_the_session() {
    let folder = Folder::new(&[("a.comp", "#version 450\nvoid main() {}\n")]);
    let mut client = folder.client(json!({}));
    client.open(&folder.uri("a.comp"), "#version 450\nvoid main() {}\n");
    let list = client.request("coopmat-analyzer/devices", Value::Null);
    assert_eq!(list["chosen"], Value::Null);
    assert!(list["devices"].as_array().unwrap().iter().any(|one| one["name"] == "nvidia-h200"), "{list}");
    let list = client.request("coopmat-analyzer/setDevice", json!({"name": "nvidia-h200"}));
    assert_eq!(list["chosen"], "nvidia-h200");
    let list = client.request("coopmat-analyzer/configurations", json!({"uri": folder.uri("a.comp")}));
    assert!(list["configurations"][0]["summary"].as_str().unwrap().contains("nvidia-h200"), "{list}");
    assert_eq!(list["configurations"][0]["device"], "nvidia-h200");
    let wrong = client.begin("coopmat-analyzer/setDevice", json!({"name": "toaster"}));
    assert!(client.response(wrong)["error"]["message"].as_str().unwrap().contains("toaster"));
    client.request(
        "workspace/executeCommand",
        json!({"command": "coopmat-analyzer.chooseDevice", "arguments": [null]}),
    );
    assert_eq!(client.request("coopmat-analyzer/devices", Value::Null)["chosen"], Value::Null);
}

#[test]
fn settings_hold_from_the_first_report_on_and_nobody_waits_for_ever() {
    let text = "#version 450\nvoid main() { int a = VALUE; a++; }\n";
    let start = || {
        let capabilities = json!({"workspace": {"configuration": true}});
        let (mut client, _) = Client::start(&[], json!({"capabilities": capabilities}));
        client.open("file:///x/a.comp", text);
        let question = client.wait(|message| message["method"] == "workspace/configuration");
        (client, question)
    };
    let (mut client, question) = start();
    let settings = json!({"defines": {"VALUE": 3}, "diagnostics": {"disabled": ["undeclared-nmae"]}});
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": [settings]}));
    assert_eq!(client.published("file:///x/a.comp", 1), json!([]));
    let warning = client.wait(|message| message["method"] == "window/showMessage");
    assert!(
        warning["params"]["message"].as_str().unwrap().contains("did you mean `undeclared-name`?"),
        "{warning}"
    );

    // A client that never answers, and one that answers with an error.
    let (mut client, _) = start();
    assert_eq!(ids(&client.published("file:///x/a.comp", 1)), ["missing-configuration"]);
    let (mut client, question) = start();
    let error = json!({"code": -32601, "message": "no"});
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error}));
    assert_eq!(ids(&client.published("file:///x/a.comp", 1)), ["missing-configuration"]);
    assert_eq!(client.finish(), Some(0));
}
