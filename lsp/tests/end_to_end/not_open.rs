//! Requests about documents that are not open. Clients send them around `didOpen` and `didClose`, and show their users every error but a few:
//! nothing is the answer.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///shaders/not-open.comp";
const TEXT: &str = "#version 450\nvoid helper() {}\nvoid main() { helper(); }\n";

/// What the server answers about a document, by `docs/lsp.md`.
fn methods() -> Vec<&'static str> {
    let rows = include_str!("../../../docs/lsp.md").lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        Some((cells.next()?, cells.next()?))
    });
    let answered = rows.filter(|(_, answered)| *answered == "yes").map(|(method, _)| method);
    answered
        .filter(|method| method.starts_with("textDocument/") && *method != "textDocument/publishDiagnostics")
        .collect()
}

/// Of every request about a document: each takes what it knows.
fn params(uri: &str) -> Value {
    let position = json!({"line": 2, "character": 15});
    let range = json!({"start": position, "end": position});
    json!({
        "textDocument": {"uri": uri},
        "position": position,
        "positions": [position],
        "range": range,
        "context": {
            "includeDeclaration": true, "diagnostics": [], "triggerKind": 1, "isRetrigger": false, "frameId": 1,
            "stoppedLocation": range,
        },
        "options": {"tabSize": 4, "insertSpaces": true},
        "newName": "other",
        "ch": "}",
        "previousResultId": "1",
    })
}

/// The answers that are something, as `method: answer`.
fn answers(client: &mut Client, uri: &str) -> Vec<String> {
    let mut found = Vec::new();
    for method in methods() {
        let id = client.begin(method, params(uri));
        let response = client.response(id);
        // A report without anything takes back what was reported before.
        let nothing = match method {
            "textDocument/diagnostic" => response["result"]["items"] == json!([]),
            _ => response.get("result") == Some(&Value::Null),
        };
        if !nothing {
            found.push(format!("{method}: {response}"));
        }
    }
    found
}

fn start() -> Client {
    let pull = json!({"textDocument": {"diagnostic": {}}});
    Client::start(&[], json!({"capabilities": pull})).0
}

#[test]
fn nothing_is_known_of_a_document_that_was_not_opened_yet() {
    let mut client = start();
    assert!(methods().len() > 20, "{:?}", methods());
    assert_eq!(answers(&mut client, URI), [""; 0]);
    client.open(URI, TEXT);
    let known = answers(&mut client, URI);
    assert!(known.iter().any(|answer| answer.contains("helper")), "{known:?}");
}

#[test]
fn nothing_is_known_of_a_document_that_was_closed() {
    let mut client = start();
    client.open(URI, TEXT);
    client.request("textDocument/hover", params(URI));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert_eq!(answers(&mut client, URI), [""; 0]);
}

#[test]
fn nothing_is_known_of_a_project_file() {
    let uri = "file:///shaders/coopmat-analyzer.toml";
    let mut client = start();
    client.open(uri, "");
    assert_eq!(answers(&mut client, uri), [""; 0]);
}

/// An editor that shows a module while the server is started again asks about a text that this server has not sent.
#[test]
fn nothing_is_known_of_a_module_whose_text_was_not_asked_for_or_whose_shader_was_closed() {
    let document = "coopmat-spirv:/shaders/not-open.comp.spvasm";
    let mut client = start();
    client.open(document, "");
    assert_eq!(answers(&mut client, document), [""; 0]);
    client.open(URI, TEXT);
    client.request("coopmat-analyzer/virtualDocument", json!({"uri": document}));
    let symbols = client.request("textDocument/documentSymbol", params(document));
    assert!(!symbols.as_array().unwrap().is_empty());
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert_eq!(answers(&mut client, document), [""; 0]);
}

#[test]
fn what_is_to_be_resolved_stays_as_it_was() {
    let mut client = start();
    client.open(URI, TEXT);
    let list = client.request("textDocument/completion", params(URI));
    let items = list["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["label"] == "helper").unwrap().clone();
    let lenses = client.request("textDocument/codeLens", params(URI));
    let unresolved = |lens: &&Value| lens.get("command").is_none_or(Value::is_null);
    let lens = lenses.as_array().unwrap().iter().find(unresolved).unwrap().clone();
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert_eq!(client.request("completionItem/resolve", item.clone()), item);
    assert_eq!(client.request("codeLens/resolve", lens.clone()), lens);
}

/// Nobody shows an error about contents that were modified: it says that there is nothing to see any more.
#[test]
fn calls_of_a_function_that_is_gone_are_of_a_modified_document() {
    let mut client = start();
    client.open(URI, TEXT);
    let items = client.request("textDocument/prepareCallHierarchy", params(URI));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    let id = client.begin("callHierarchy/incomingCalls", json!({"item": items[0]}));
    let response = client.response(id);
    assert_eq!(response["error"]["code"], -32801, "{response}");
}

#[test]
fn our_own_requests_say_that_it_is_not_open() {
    let mut client = start();
    let document = json!({"uri": URI});
    let lines = json!({"textDocument": document, "range": params(URI)["range"]});
    for (method, params) in [
        ("spirv", json!({"textDocument": document})),
        ("spirvLines", lines),
        ("run", json!({"textDocument": document})),
        ("portability", json!({"textDocument": document})),
        ("virtualDocument", json!({"uri": "coopmat-spirv:/shaders/not-open.comp.spvasm"})),
    ] {
        let id = client.begin(&format!("coopmat-analyzer/{method}"), params);
        let error = client.response(id)["error"].clone();
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(-32803), &json!("the document is not open")),
            "{method}"
        );
    }
}
