//! Progress that clients show, and may stop.

use super::*;

fn shows_progress() -> Value {
    json!({"window": {"workDoneProgress": true}, "workspace": {"diagnostics": {}}, "textDocument": {"diagnostic": {}}})
}

#[test]
fn the_first_look_at_a_workspace_can_be_stopped() {
    let header = "float twice(float x) { return x * 2.0; }\n";
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"h.glsl\"\nvoid main() { twice(1.0); }\n";
    let files = [("/p/a.comp", shader), ("/p/h.glsl", header), ("/p/slow.glsl", ""), ("/p/z.comp", shader)];
    let host = TestHost { hold: AtomicBool::new(true), ..TestHost::default() };
    let client = json!({"capabilities": shows_progress()});
    let (mut session, _) = Session::start_at(host, &files, client);
    let host = session.host.clone();
    let gate = host.gate.lock().unwrap();
    let (after_a_while, look) = (host.take_held_job(1), host.take_held_job(0));
    let looking = std::thread::spawn(look);
    after_a_while();
    session.stop_progress("Looking for shaders");
    drop(gate);
    looking.join().unwrap();
    session.wait_for_words("the search for shaders was cancelled");
    host.release();
    session.open("/p/h.glsl", header);
    let params = json!({
        "textDocument": {"uri": "file:///p/h.glsl"}, "position": {"line": 0, "character": 7},
        "context": {"includeDeclaration": false},
    });
    let found = session.request("textDocument/references", params);
    assert_eq!(found.as_array().unwrap().len(), 1, "`z.comp` was not looked at: {found}");
}

#[test]
fn the_first_report_of_a_workspace_can_be_stopped() {
    let files = [("/p/a.comp", BAD), ("/p/b.comp", BAD), ("/p/c.comp", BAD)];
    let mut session = Session::start(&files, shows_progress());
    let host = session.host.clone();
    host.hold.store(true, Ordering::SeqCst);
    let report = session.begin("workspace/diagnostic", json!({"previousResultIds": []}));
    let (after_a_while, list) = (host.take_held_job(1), host.take_held_job(0));
    list();
    after_a_while();
    let check = host.take_held_job(0);
    session.stop_progress("Checking the shaders of the workspace");
    check();
    session.wait_for_words("the check of the workspace was cancelled");
    let with_errors = |report: &Value| {
        let items = report["items"].as_array().unwrap().iter();
        items.filter(|item| item["items"] != json!([])).map(|item| item["uri"].clone()).collect::<Vec<_>>()
    };
    let report = session.response(report)["result"].clone();
    assert_eq!(with_errors(&report), ["file:///p/a.comp"]);
    // No more is checked for the next one.
    host.release();
    let again = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    assert_eq!(with_errors(&again), ["file:///p/a.comp"]);
}
