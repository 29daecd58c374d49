//! Code actions over the real server's pipes.

use serde_json::{Value, json};

use crate::client::{Client, ids};

const MISTAKE: &str = include_str!("../../../examples/mistakes/indexed-shape-mismatch.comp");
const URI: &str = "file:///shaders/gemm.comp";

/// Lines and columns of ASCII text, replaced from the end.
fn apply(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + position["character"].as_u64().unwrap() as usize
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort_unstable();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}

#[test]
fn a_shape_is_mended_and_the_diagnostic_goes() {
    let capabilities = json!({"workspace": {"workspaceEdit": {"documentChanges": true}}});
    let (mut client, hello) = Client::start(&[], json!({"capabilities": capabilities}));
    let kinds = &hello["capabilities"]["codeActionProvider"]["codeActionKinds"];
    assert!(kinds.as_array().unwrap().contains(&json!("quickfix")), "{kinds}");
    client.open(URI, MISTAKE);
    let diagnostics = client.published(URI, 1);
    let diagnostic = diagnostics[0].clone();
    let ask = |only: Value| {
        json!({
            "textDocument": {"uri": URI},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic], "only": only},
        })
    };
    let actions = client.request("textDocument/codeAction", ask(json!(["quickfix"])));
    let titles: Vec<&str> =
        actions.as_array().unwrap().iter().map(|action| action["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Declare B (`b`) with 16 rows", "Declare A (`a`) with 32 columns"]);
    for action in actions.as_array().unwrap() {
        assert_eq!(action["diagnostics"], json!([diagnostic]));
    }
    let changes = &actions[0]["edit"]["documentChanges"];
    assert_eq!(changes[0]["textDocument"], json!({"uri": URI, "version": 1}));
    let mended = apply(MISTAKE, &changes[0]["edits"]);
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": mended}]}),
    );
    let diagnostics = client.published(URI, 2);
    assert!(ids(&diagnostics).is_empty(), "{diagnostics:?}");

    let refactors = client.request("textDocument/codeAction", ask(json!(["refactor"])));
    for action in refactors.as_array().unwrap() {
        assert!(action["kind"].as_str().unwrap().starts_with("refactor."), "{action}");
    }
}

#[test]
fn extension_lines_are_organised_on_request_anywhere_in_the_file() {
    let text = "#version 450\n#extension GL_KHR_shader_subgroup_basic : enable\n#extension GL_EXT_bfloat16 : enable\nvoid main() {}\n";
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    client.open(URI, text);
    let end = json!({"line": 3, "character": 3});
    let answer = client.request(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": URI},
            "range": {"start": end, "end": end},
            "context": {"diagnostics": [], "only": ["source.organizeImports"]},
        }),
    );
    let edits = &answer[0]["edit"]["changes"][URI];
    assert_eq!(
        apply(text, edits),
        "#version 450\n#extension GL_EXT_bfloat16 : enable\n#extension GL_KHR_shader_subgroup_basic : enable\nvoid main() {}\n"
    );
}

/// What is written takes the diagnostic back, and what is superfluous then can be taken away.
#[test]
fn a_diagnostic_is_allowed_by_a_comment_that_can_be_removed() {
    let text = "#version 450\nlayout(local_size_x = 1) in;\nshared int value;\nvoid main() {\n    value = 1 << 40;\n}\n";
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    client.open(URI, text);
    let diagnostics = client.published(URI, 1);
    assert_eq!(ids(&diagnostics), ["shift-out-of-range"]);
    let actions = |client: &mut Client, diagnostic: &Value| {
        let context = json!({"diagnostics": [diagnostic], "only": ["quickfix"]});
        let answer = client.request(
            "textDocument/codeAction",
            json!({"textDocument": {"uri": URI}, "range": diagnostic["range"], "context": context}),
        );
        answer.as_array().unwrap().clone()
    };
    let offered = actions(&mut client, &diagnostics[0]);
    let titles: Vec<&str> = offered.iter().map(|action| action["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Allow `shift-out-of-range` here", "Allow `shift-out-of-range` in this file"]);
    for (action, version) in offered.iter().zip([2, 3]) {
        assert_eq!(action["isPreferred"], Value::Null);
        let allowed = apply(text, &action["edit"]["changes"][URI]);
        assert!(allowed.contains("// coopmat-analyzer: allow(shift-out-of-range)\n"), "{allowed}");
        client.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": [{"text": allowed}]}),
        );
        assert_eq!(client.published(URI, version), json!([]));
    }
    let narrow = "#version 450\nlayout(local_size_x = 1) in;\nshared int value;\nvoid main() {\n    // coopmat-analyzer: allow(shift-out-of-range)\n    value = 1 << 4;\n}\n";
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 4}, "contentChanges": [{"text": narrow}]}),
    );
    let diagnostics = client.published(URI, 4);
    assert_eq!(ids(&diagnostics), ["unused-allow"]);
    let offered = actions(&mut client, &diagnostics[0]);
    assert_eq!(offered[0]["title"], "Remove this comment");
    assert_eq!(apply(narrow, &offered[0]["edit"]["changes"][URI]), text.replace("40", "4"));
}
