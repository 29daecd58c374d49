//! How loudly diagnostics are told, what is allowed, and what is not compiled.

use super::*;

const ALLOWED: &str = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n    int x = SHIFT; // coopmat-analyzer: allow(shift-out-of-range)\n    x++;\n}\n";

const SHIFTS: &str = "[[shaders]]\nfiles = [\"*.comp\"]\n[[shaders.configurations]]\nname = \"narrow\"\ndefines = { SHIFT = \"1 << 4\" }\n[[shaders.configurations]]\nname = \"wide\"\ndefines = { SHIFT = \"1 << 40\" }\n";

/// Pushed, pulled and of files that are not open: what a comment allows is told nowhere.
#[test]
fn what_the_source_allows_is_not_told() {
    let text = ALLOWED.replace("SHIFT", "1 << 40");
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", &text);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.replace("/p/a.comp", 2, &text.replace("allow", "alow"));
    assert_eq!(session.published("/p/a.comp", 2), ["shift-out-of-range", "unusable-allow"]);
    assert_eq!(session.finish(), End::Orderly);

    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut session = Session::start(&[("/p/b.comp", &text)], capabilities);
    session.open("/p/a.comp", &text);
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    assert_eq!(session.request("textDocument/diagnostic", pull)["items"], json!([]));
    let workspace = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = workspace["items"].as_array().unwrap();
    assert_eq!(items.iter().find(|item| item["uri"] == "file:///p/b.comp").unwrap()["items"], json!([]));
}

/// The project file's levels hold, a mistake in them is told in the project file, and the editor's list comes before them.
#[test]
fn the_project_file_and_the_editor_give_levels() {
    let text = ALLOWED.replace("SHIFT; // coopmat-analyzer: allow(shift-out-of-range)", "1 << 40;");
    let project = |level: &str| format!("[diagnostics]\nshift-out-of-range = \"{level}\"\n");
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", &project("error"))], json!({}));
    session.open("/p/a.comp", &text);
    let pushed = session.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    assert_eq!(pushed["params"]["diagnostics"][0]["severity"], 1, "{pushed}");
    let settings =
        json!({"coopmat-analyzer": {"diagnostics": {"disabled": ["shift-out-of-range", "type-mismatch"]}}});
    session.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    let complaint = session.wait(|message| message["method"] == "window/showMessage");
    let words = complaint["params"]["message"].as_str().unwrap();
    assert!(words.contains("`type-mismatch` is an error of the language"), "{words}");
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());

    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", &project("deny"))], json!({}));
    session.open("/p/a.comp", &text);
    let told = session.wait(|message| message["params"]["uri"] == "file:///p/coopmat-analyzer.toml");
    let words = told["params"]["diagnostics"][0]["message"].as_str().unwrap();
    assert!(words.contains("expected one of allow, hint, information, warning, error"), "{words}");
}

const CALLS: &str =
    "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n    float x = CALL(1.0);\n    x++;\n}\n";

/// What is not compiled is told behind the errors, stays while somebody types, and goes with its cause.
#[test]
fn what_is_not_compiled_is_told_as_a_warning() {
    let mut session = Session::start(&[], json!({}));
    let text = CALLS.replace("CALL", "noise1");
    session.open("/p/a.comp", &text);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    assert_eq!(session.published("/p/a.comp", 1), ["not-compiled"]);
    session.replace("/p/a.comp", 2, &text.replace("void main", "\n\nvoid main"));
    let moved = session.wait(|message| message["params"]["version"] == 2);
    assert_eq!(ids(&moved["params"]["diagnostics"]), ["not-compiled"]);
    assert_eq!(moved["params"]["diagnostics"][0]["range"]["start"], json!({"line": 5, "character": 14}));
    session.replace("/p/a.comp", 3, &text.replace("x++", "y++"));
    assert_eq!(session.published("/p/a.comp", 3), ["unused-variable", "undeclared-name"]);
    session.replace("/p/a.comp", 4, &CALLS.replace("CALL", "sin"));
    assert_eq!(session.published("/p/a.comp", 4), Vec::<String>::new());
    assert_eq!(session.finish(), End::Orderly);
}

/// Pulled, of files that are not open, and of a configuration that is not in view.
#[test]
fn what_is_not_compiled_is_told_wherever_diagnostics_are() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let text = CALLS.replace("CALL", "noise1");
    let mut session = Session::start(&[("/p/b.comp", &text)], capabilities);
    session.open("/p/a.comp", &text);
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    let mut pulled = session.request("textDocument/diagnostic", pull.clone());
    if pulled["items"] == json!([]) {
        session.wait(|message| message["method"] == "workspace/diagnostic/refresh");
        pulled = session.request("textDocument/diagnostic", pull);
    }
    assert_eq!(ids(&pulled["items"]), ["not-compiled"]);
    let workspace = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = workspace["items"].as_array().unwrap();
    let closed = items.iter().find(|item| item["uri"] == "file:///p/b.comp").unwrap();
    assert_eq!(ids(&closed["items"]), ["not-compiled"]);

    let project = "[[shaders]]\nfiles = [\"*.comp\"]\n[[shaders.configurations]]\nname = \"plain\"\ndefines = { CALL = \"sin\" }\n[[shaders.configurations]]\nname = \"noisy\"\ndefines = { CALL = \"noise1\" }\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], json!({}));
    session.open("/p/a.comp", CALLS);
    let told = session.wait(|message| {
        message["params"]["uri"] == "file:///p/a.comp"
            && message["params"]["diagnostics"][0]["code"] == "not-compiled"
    });
    let words = told["params"]["diagnostics"][0]["message"].as_str().unwrap();
    assert!(words.contains("in 1 of 2 configurations, but not in the one in view: `noisy`"), "{words}");
}

/// The configuration in view does not need the comment, and another one does: it is superfluous only until that is known.
#[test]
fn a_comment_that_another_configuration_needs_is_not_superfluous() {
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", SHIFTS)], json!({}));
    session.open("/p/a.comp", ALLOWED);
    assert_eq!(session.published("/p/a.comp", 1), ["unused-allow"]);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());

    let narrow = SHIFTS.replace("40", "5");
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", &narrow)], json!({}));
    session.open("/p/a.comp", ALLOWED);
    let pushed = session.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    let diagnostic = &pushed["params"]["diagnostics"][0];
    assert_eq!((&diagnostic["severity"], &diagnostic["tags"]), (&json!(4), &json!([1])), "{diagnostic}");
}

/// Off, unless the setting asks for it: then conflicts are hints at the loads, of open files and of others, and comments allow them.
#[test]
fn performance_is_reported_if_the_setting_asks_for_it() {
    let text = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float16_t data[]; };
shared float16_t staged[256];
void main() {
    for (uint i = gl_LocalInvocationIndex; i < 256; i += 32) staged[i] = data[i];
    barrier();
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopMatLoad(a, staged, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
";
    let of = |settings: Value, text: &str| {
        let capabilities = json!({
            "textDocument": {"diagnostic": {}},
            "workspace": {"diagnostics": {"refreshSupport": true}},
        });
        let client = json!({"capabilities": capabilities, "initializationOptions": settings});
        let (mut session, _) = Session::start_as(&[("/p/a.comp", text)], client);
        let workspace = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
        workspace["items"][0]["items"].clone()
    };
    let on = json!({"device": "nvidia-h200", "performance": true});
    assert_eq!(of(json!({"device": "nvidia-h200"}), text), json!([]));
    let told = of(on.clone(), text);
    assert_eq!(ids(&told), ["bank-conflicts"]);
    assert_eq!((&told[0]["severity"], &told[0]["range"]["start"]["line"]), (&json!(4), &json!(11)));
    let allowed = text.replace("Major);", "Major); // coopmat-analyzer: allow(bank-conflicts)");
    assert_eq!(of(on.clone(), &allowed), json!([]));

    // In an open file, after the errors.
    let client = json!({"capabilities": {}, "initializationOptions": on});
    let (mut session, _) = Session::start_as(&[], client);
    session.open("/p/a.comp", text);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    assert_eq!(session.published("/p/a.comp", 1), ["bank-conflicts"]);
    // It stays while somebody types, and goes with the module.
    session.replace("/p/a.comp", 2, &text.replace("void main", "\nvoid main"));
    assert_eq!(session.published("/p/a.comp", 2), ["bank-conflicts"]);
    session.replace("/p/a.comp", 3, &text.replace("staged[i] = ", "stage[i] = "));
    assert_eq!(session.published("/p/a.comp", 3), ["undeclared-name"]);
    assert_eq!(session.finish(), End::Orderly);
}
