//! Headers: whose they are, and what a change of one changes.

use super::*;

#[test]
fn an_include_is_read_from_the_editor_before_the_disk() {
    let user = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"types.glsl\"\nvoid main() { int first = limit; first++; }\n";
    let mut session = Session::start(&[("/p/types.glsl", "#define limit 1\n")], json!({}));
    session.open("/p/a.comp", user);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    // Opened and edited but not saved: the shader that includes it is checked again.
    session.open("/p/types.glsl", "#define limit 1\n");
    session.replace("/p/types.glsl", 2, "#define limits 1\n");
    let again = session.wait(|message| {
        message["params"]["uri"] == "file:///p/a.comp" && message["params"]["diagnostics"] != json!([])
    });
    assert_eq!(ids(&again["params"]["diagnostics"]), ["undeclared-name"]);
}

#[test]
fn a_header_alone_is_checked_as_part_of_a_shader_that_includes_it() {
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#define SIZE 16\n#include \"part.glsl\"\nvoid main() { twice(); }\n";
    let header = "int twice() { return 2 * SIZE; }\n";
    let mut session = Session::start(&[("/p/user.comp", shader), ("/p/part.glsl", header)], json!({}));
    session.open("/p/part.glsl", header);
    assert_eq!(session.published("/p/part.glsl", 1), Vec::<String>::new());
    let state = session.request("coopmat-analyzer/documentState", json!({"uri": "file:///p/part.glsl"}));
    assert_eq!(state["root"], "file:///p/user.comp");
    let hover = session.request("textDocument/hover", hover_at("/p/part.glsl", 0, 26));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("16"), "{hover}");
}

/// The text of a shader that is closed unsaved is gone; the file still includes the header.
#[test]
fn a_header_returns_to_a_shader_that_was_closed() {
    let on = "#extension GL_GOOGLE_include_directive : enable\n";
    let shader = format!("#version 450\n{on}#define T float\n#include \"h.glsl\"\nvoid main() {{ f(); }}\n");
    let files = [("/p/a.comp", shader.as_str()), ("/p/h.glsl", "T f() { return T(1); }\n")];
    let mut session = Session::start(&files, json!({}));
    session.open("/p/h.glsl", files[1].1);
    assert_eq!(session.published("/p/h.glsl", 1), Vec::<String>::new());
    session.open("/p/a.comp", "#version 450\nvoid main() {}\n");
    assert_eq!(session.published("/p/h.glsl", 1), ["header-alone"]);
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///p/a.comp"}}));
    assert_eq!(session.published("/p/h.glsl", 1), Vec::<String>::new());
}

#[test]
fn a_header_that_nobody_includes_has_one_note() {
    let header = "float scaled(float x) { return FACTOR * x + OTHER; }\n";
    let mut session = Session::start(&[("/p/alone.glsl", header)], json!({}));
    session.open("/p/alone.glsl", header);
    assert_eq!(session.published("/p/alone.glsl", 1), ["header-alone"]);
}

#[test]
fn a_header_in_an_include_folder_belongs_to_a_shader() {
    let header = "float scaled(float x) { return FACTOR * x; }\n";
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#define FACTOR 2\n#include \"scale.h\"\nvoid main() { scaled(1.0); }\n";
    let files = [
        ("/p/coopmat-analyzer.toml", "include = \"lib\"\n"),
        ("/p/lib/scale.h", header),
        ("/p/lib/unrelated.h", "struct c;\n"),
        ("/p/shaders/a.comp", shader),
    ];
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut session = Session::start(&files, capabilities);
    let workspace = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let listed: Vec<_> =
        workspace["items"].as_array().unwrap().iter().map(|item| item["uri"].clone()).collect();
    assert_eq!(listed, ["file:///p/lib/scale.h", "file:///p/shaders/a.comp"]);
    session.open("/p/lib/scale.h", header);
    let pulled =
        session.request("textDocument/diagnostic", json!({"textDocument": {"uri": "file:///p/lib/scale.h"}}));
    assert_eq!(ids(&pulled["items"]), Vec::<String>::new());
    let state = session.request("coopmat-analyzer/documentState", json!({"uri": "file:///p/lib/scale.h"}));
    assert_eq!(state["root"], "file:///p/shaders/a.comp");
}
