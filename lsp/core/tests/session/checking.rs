//! What is told of a text: pushed or pulled, as it changes, and what stands beside it.

use super::*;

#[test]
fn diagnostics_follow_the_text() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", GOOD);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.replace("/p/a.comp", 2, BAD);
    assert_eq!(session.published("/p/a.comp", 2), ["undeclared-name"]);
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///p/a.comp"}}));
    let cleared = session.wait(|message| message["params"]["version"].is_null());
    assert_eq!(cleared["params"]["diagnostics"], json!([]));
    assert_eq!(session.finish(), End::Orderly);
}

#[test]
fn pulled_reports_say_when_nothing_changed() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut session = Session::start(&[("/p/b.comp", BAD), ("/p/c.comp", GOOD)], capabilities);
    session.open("/p/a.comp", BAD);
    let pull =
        |previous: Value| json!({"textDocument": {"uri": "file:///p/a.comp"}, "previousResultId": previous});
    let first = session.request("textDocument/diagnostic", pull(Value::Null));
    assert_eq!(first["kind"], "full");
    assert_eq!(ids(&first["items"]), ["undeclared-name"]);
    let second = session.request("textDocument/diagnostic", pull(first["resultId"].clone()));
    assert_eq!(second, json!({"kind": "unchanged", "resultId": first["resultId"]}));

    let workspace = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = workspace["items"].as_array().unwrap();
    let of = |uri: &str| items.iter().find(|item| item["uri"] == uri).unwrap();
    assert_eq!(ids(&of("file:///p/b.comp")["items"]), ["undeclared-name"]);
    assert_eq!(of("file:///p/c.comp")["items"], json!([]));
    let known: Vec<_> =
        items.iter().map(|item| json!({"uri": item["uri"], "value": item["resultId"]})).collect();
    let again = session.request("workspace/diagnostic", json!({"previousResultIds": known}));
    assert!(again["items"].as_array().unwrap().iter().all(|item| item["kind"] == "unchanged"), "{again}");
    assert!(!session.kept.iter().any(|message| message["method"] == "textDocument/publishDiagnostics"));
}

#[test]
fn a_client_that_pulls_is_told_when_a_header_changed_the_report() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let user = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"types.glsl\"\nvoid main() { int first = limit; first++; }\n";
    let mut session = Session::start(&[("/p/types.glsl", "#define limit 1\n")], capabilities);
    session.open("/p/a.comp", user);
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    assert_eq!(session.request("textDocument/diagnostic", pull.clone())["items"], json!([]));
    session.host.files.lock().unwrap().insert("/p/types.glsl".to_owned(), "#define other 1\n".into());
    session.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": "file:///p/types.glsl", "type": 2}]}),
    );
    session.wait(|message| message["method"] == "workspace/diagnostic/refresh");
    assert_eq!(ids(&session.request("textDocument/diagnostic", pull)["items"]), ["undeclared-name"]);
}

/// The configurations that are not in view are checked after the answer, which is another one then.
#[test]
fn a_client_that_pulls_is_told_when_the_other_configurations_are_checked() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let project = "[[shaders]]\nfiles = [\"*.comp\"]\n[[shaders.configurations]]\nname = \"a\"\ndefines = { missing = 1 }\n[[shaders.configurations]]\nname = \"b\"\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], capabilities);
    session.host.hold.store(true, Ordering::SeqCst);
    session.open("/p/a.comp", BAD);
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    let first = session.begin("textDocument/diagnostic", pull.clone());
    session.host.wait_for_held_job();
    session.host.release();
    assert_eq!(session.response(first)["result"]["items"], json!([]));
    session.wait(|message| message["method"] == "workspace/diagnostic/refresh");
    let items = session.request("textDocument/diagnostic", pull)["items"].clone();
    let message = items[0]["message"].as_str().unwrap();
    assert!(message.ends_with("in 1 of 2 configurations, but not in the one in view: `b`"), "{message}");
    assert_eq!(items[0]["data"]["configurations"], json!(["b"]));
}

/// A check of a configuration that is not in view may end after its shader was closed and opened again.
#[test]
fn a_shader_that_is_opened_again_takes_nothing_from_checks_of_before() {
    let project = "[[shaders]]\nfiles = [\"*.comp\"]\n[[shaders.configurations]]\nname = \"a\"\ndefines = { missing = 1 }\n[[shaders.configurations]]\nname = \"b\"\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], json!({}));
    let run_held_job = |session: &Session| {
        session.host.wait_for_held_job();
        let job = session.host.held.lock().unwrap().pop_front().unwrap();
        job();
    };
    session.host.hold.store(true, Ordering::SeqCst);
    session.open("/p/a.comp", BAD);
    // The pause, the analysis of the configuration in view, its module, the words of code lenses: then comes the check of the other
    // configuration.
    (0..4).for_each(|_| run_held_job(&session));
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.host.wait_for_held_job();
    let before = session.host.held.lock().unwrap().pop_front().unwrap();
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///p/a.comp"}}));
    let closed = session.begin("textDocument/hover", hover_at("/p/a.comp", 0, 0));
    assert!(session.response(closed)["result"].is_null(), "it is closed");
    session.open("/p/a.comp", GOOD);
    // The pause, which is not over, and the analysis. Were the pause over before the shader is opened, another one would come first.
    session.host.wait_for_held_jobs(2);
    (0..2).for_each(|_| run_held_job(&session));
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    before();
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    assert_eq!(session.request("textDocument/diagnostic", pull)["items"], json!([]));
    session.host.release();
    assert_eq!(session.finish(), End::Orderly);
}

#[test]
fn links_lead_to_pages() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", BAD);
    let published = session.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    let href = &published["params"]["diagnostics"][0]["codeDescription"]["href"];
    let page = session.request("coopmat-analyzer/virtualDocument", json!({"uri": href}));
    assert!(page.as_str().unwrap().starts_with("# undeclared-name\n"));
}

#[test]
fn inactive_code_is_dimmed() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", "#version 450\n#if 0\nint x;\n#endif\nvoid main() {}\n");
    let published = session.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    let inactive = &published["params"]["diagnostics"][0];
    assert_eq!(inactive["code"], "inactive-code");
    assert_eq!(inactive["tags"], json!([1]));
    assert_eq!(inactive["range"]["start"]["line"], 2);
}
