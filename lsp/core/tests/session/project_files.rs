//! Project files and settings: configurations, and what they put before shaders.

use super::*;

#[test]
fn a_project_file_is_no_shader() {
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", "colour = 1\n")], capabilities);
    session.open("/p/coopmat-analyzer.toml", "colour = 1\n");
    session.replace("/p/coopmat-analyzer.toml", 2, "colour = 2\n");
    let pull = json!({"textDocument": {"uri": "file:///p/coopmat-analyzer.toml"}});
    let items = session.request("textDocument/diagnostic", pull)["items"].clone();
    assert!(items[0]["message"].as_str().unwrap().contains("unknown setting `colour`"), "{items}");
    assert_eq!(items.as_array().unwrap().len(), 1);
    assert_eq!(
        session.request("textDocument/hover", hover_at("/p/coopmat-analyzer.toml", 0, 0)),
        Value::Null
    );
}

#[test]
fn a_new_project_file_is_noticed_on_save() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", BAD);
    assert_eq!(session.published("/p/a.comp", 1), ["undeclared-name"]);
    let project = "defines = { missing = 3 }\n";
    session.host.files.lock().unwrap().insert("/p/coopmat-analyzer.toml".into(), project.into());
    session
        .notify("textDocument/didSave", json!({"textDocument": {"uri": "file:///p/coopmat-analyzer.toml"}}));
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
}

#[test]
fn the_project_file_and_the_settings_configure() {
    let project = "[[shaders]]\nfiles = [\"*.comp\"]\ndefines = { missing = \"3\" }\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], json!({}));
    session.open("/p/a.comp", BAD);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.host.files.lock().unwrap().remove("/p/coopmat-analyzer.toml");
    session.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": "file:///p/coopmat-analyzer.toml", "type": 3}]}),
    );
    assert_eq!(session.published("/p/a.comp", 1), ["undeclared-name"]);
    session.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"coopmat-analyzer": {"defines": ["missing=4"]}}}),
    );
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"coopmat-analyzer": {"defins": []}}}),
    );
    let complaint = session.wait(|message| message["method"] == "window/showMessage");
    assert!(complaint["params"]["message"].as_str().unwrap().contains("defins"));
}

#[test]
fn a_macro_of_the_configuration_leads_into_the_project_file() {
    let project = "[[shaders]]\nfiles = [\"*.comp\"]\ndefines = { missing = \"3\" }\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], json!({}));
    session.open("/p/a.comp", BAD);
    let asked =
        json!({"textDocument": {"uri": "file:///p/a.comp"}, "position": {"line": 1, "character": 27}});
    let answer = session.request("textDocument/definition", asked);
    assert_eq!(answer["uri"], "file:///p/coopmat-analyzer.toml", "{answer}");
    assert_eq!(
        answer["range"],
        json!({"start": {"line": 2, "character": 12}, "end": {"line": 2, "character": 19}})
    );
}

const OPENER: &str = "[[shaders]]\nfiles = \"*.comp\"\npreamble = \"types.comp\"\npreamble-text = '''\nint before = missing;\n'''\n";

#[test]
fn what_a_project_puts_before_shaders_is_followed() {
    let shader = "#version 450\nvoid main() { REAL x = before; x++; }\n";
    let files = [
        ("/p/coopmat-analyzer.toml", OPENER),
        ("/p/types.comp", "#define REAL float\n"),
        ("/p/a.comp", shader),
    ];
    let mut session = Session::start(&files, json!({}));
    session.open("/p/a.comp", shader);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    let project = session.wait(|message| message["params"]["uri"] == "file:///p/coopmat-analyzer.toml");
    assert_eq!(ids(&project["params"]["diagnostics"]), ["undeclared-name"]);
    assert_eq!(project["params"]["diagnostics"][0]["range"]["start"], json!({"line": 4, "character": 13}));

    // Called as a shader is, it is a part of them.
    session.open("/p/types.comp", "#define REAL float\n");
    assert_eq!(session.published("/p/types.comp", 1), Vec::<String>::new());
    let state = session.request("coopmat-analyzer/documentState", json!({"uri": "file:///p/types.comp"}));
    assert_eq!(state["root"], "file:///p/a.comp");
    session.replace("/p/types.comp", 2, "#define REEL float\n");
    let again = session.wait(|message| {
        message["params"]["uri"] == "file:///p/a.comp" && message["params"]["diagnostics"] != json!([])
    });
    assert_eq!(ids(&again["params"]["diagnostics"]), ["undeclared-type"]);
}

#[test]
fn a_file_of_a_preamble_that_is_open_alone_belongs_to_a_shader() {
    let files = [
        ("/p/coopmat-analyzer.toml", OPENER),
        ("/p/types.comp", "#define REAL float\n"),
        ("/p/a.comp", "#version 450\nvoid main() { REAL x = 1.0; x++; }\n"),
    ];
    let mut session = Session::start(&files, json!({}));
    session.open("/p/types.comp", "#define REAL float\n");
    assert_eq!(session.published("/p/types.comp", 1), Vec::<String>::new());
    let state = session.request("coopmat-analyzer/documentState", json!({"uri": "file:///p/types.comp"}));
    assert_eq!(state["root"], "file:///p/a.comp");
}
