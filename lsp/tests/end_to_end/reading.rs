//! Reading aids over the real server's pipes: folding, selection, colours, hints, lenses.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///shaders/reading.comp";

fn start(capabilities: Value, text: &str) -> Client {
    let (mut client, _) = Client::start(&[], json!({"capabilities": capabilities}));
    client.open(URI, text);
    client
}

#[test]
fn folds_are_whole_lines_where_the_client_wants_them() {
    let text = "#version 450\nvoid main() {\n    if (true) {\n    } else {\n        return;\n    }\n}\n";
    let ask = json!({"textDocument": {"uri": URI}});
    let mut client = start(json!({}), text);
    let folds = client.request("textDocument/foldingRange", ask.clone());
    let first = json!({"startLine": 1, "startCharacter": 13, "endLine": 6, "endCharacter": 0});
    assert_eq!(folds[0], first, "{folds}");
    assert_eq!(folds.as_array().map(Vec::len), Some(3), "{folds}");

    let mut client = start(json!({"textDocument": {"foldingRange": {"lineFoldingOnly": true}}}), text);
    let folds = client.request("textDocument/foldingRange", ask.clone());
    assert_eq!(folds, json!([{"startLine": 1, "endLine": 5}, {"startLine": 3, "endLine": 4}]));

    let limited = json!({"textDocument": {"foldingRange": {"lineFoldingOnly": true, "rangeLimit": 1}}});
    let mut client = start(limited, text);
    let folds = client.request("textDocument/foldingRange", ask);
    assert_eq!(folds, json!([{"startLine": 1, "endLine": 5}]));
}

#[test]
fn selections_grow_also_in_headers_that_nothing_includes() {
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    let uri = "file:///shaders/lonely.glsl";
    client.open(uri, "float f(int a) { return g(a, 1); }\n");
    let position = json!({"line": 0, "character": 26});
    let answer = client.request(
        "textDocument/selectionRange",
        json!({"textDocument": {"uri": uri}, "positions": [position, {"line": 0, "character": 0}]}),
    );
    assert_eq!(answer.as_array().map(Vec::len), Some(2));
    let mut widths = Vec::new();
    let mut at = &answer[0];
    while at.is_object() {
        let column = |end: &str| at["range"][end]["character"].as_u64().unwrap();
        if at["range"]["end"]["line"] == 0 {
            widths.push((column("start"), column("end")));
        }
        at = &at["parent"];
    }
    assert_eq!(widths, [(26, 27), (26, 30), (25, 31), (24, 31), (17, 32), (15, 34), (0, 34)]);
}
