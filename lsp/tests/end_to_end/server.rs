//! Features over the real server's pipes.

use serde_json::{Value, json};

use crate::client::{Client, ids};

const MISTAKE: &str = include_str!("../../../examples/mistakes/indexed-shape-mismatch.comp");

fn position_of(text: &str, needle: &str) -> Value {
    let at = text.find(needle).unwrap();
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    json!({"line": line, "character": column})
}

#[test]
fn a_mistake_is_reported_at_its_argument_and_hovered() {
    // No subcommand serves too.
    for arguments in [&["lsp"][..], &[], &["lsp", "--stdio"], &["--stdio"]] {
        let (mut client, hello) = Client::start(arguments, json!({"capabilities": {}}));
        assert_eq!(hello["serverInfo"]["name"], "coopmat-analyzer");
        assert_eq!(hello["capabilities"]["positionEncoding"], "utf-16");
        let uri = "file:///shaders/gemm.comp";
        client.open(uri, MISTAKE);
        let diagnostics = client.published(uri, 1);
        assert_eq!(ids(&diagnostics), ["coopmat-muladd-shape"]);
        let diagnostic = &diagnostics[0];
        let mut argument = position_of(MISTAKE, "coopMatMulAdd(a[i], b");
        argument["character"] = json!(argument["character"].as_u64().unwrap() + 20);
        assert_eq!(diagnostic["range"]["start"], argument);
        assert_eq!(diagnostic["severity"], 1);
        assert!(diagnostic["message"].as_str().unwrap().contains("16x16"), "{diagnostic}");
        assert!(!diagnostic["relatedInformation"].as_array().unwrap().is_empty());
        assert_eq!(
            diagnostic["codeDescription"]["href"],
            "coopmat-analyzer:/diagnostics/coopmat-muladd-shape.md"
        );

        let hover = client.request(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": position_of(MISTAKE, "coopMatMulAdd(a[i]")}),
        );
        let text = hover["contents"]["value"].as_str().unwrap();
        assert!(text.contains("OpCooperativeMatrixMulAddKHR"), "{text}");
        assert_eq!(hover["range"]["start"], position_of(MISTAKE, "coopMatMulAdd(a[i]"));
        assert_eq!(client.finish(), Some(0));
    }
}

#[test]
fn a_file_that_is_yet_to_be_written_has_no_mistakes() {
    let uri = "file:///x/new.comp";
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    client.open(uri, "");
    assert_eq!(client.published(uri, 1), json!([]));
    let mut change = |version: i32, text: &str| {
        let document = json!({"uri": uri, "version": version});
        let changes = json!([{"text": text}]);
        client.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
        client.published(uri, version)
    };
    assert_eq!(change(2, "\n    \n"), json!([]));
    assert_eq!(ids(&change(3, "#version 450\n")), ["missing-main"]);
    assert_eq!(change(4, ""), json!([]));
}

#[test]
fn positions_are_counted_in_the_negotiated_units() {
    let text = "#version 450\nvoid main() { /* \u{1F600}é */ missing; }\n";
    for (encoding, column) in [("utf-8", 27), ("utf-16", 24), ("utf-32", 23)] {
        let capabilities = json!({"general": {"positionEncodings": [encoding, "utf-16"]}});
        let (mut client, hello) = Client::start(&[], json!({"capabilities": capabilities}));
        assert_eq!(hello["capabilities"]["positionEncoding"], encoding);
        client.open("untitled:Untitled-1", text);
        let diagnostics = client.published("untitled:Untitled-1", 1);
        assert_eq!(diagnostics[0]["range"]["start"], json!({"line": 1, "character": column}), "{encoding}");

        // The name is replaced by one that exists, in the same units.
        let edit = json!({
            "range": {"start": {"line": 1, "character": column}, "end": {"line": 1, "character": column + 7}},
            "text": "gl_LocalInvocationIndex",
        });
        let document = json!({"uri": "untitled:Untitled-1", "version": 2});
        client.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [edit]}));
        let diagnostics = client.published("untitled:Untitled-1", 2);
        assert!(!ids(&diagnostics).contains(&"undeclared-name"), "{diagnostics}");
    }
}

#[test]
fn files_on_disk_configure_include_and_are_watched() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let root = format!("file://{}", folder.path().to_str().unwrap());
    write(
        "coopmat-analyzer.toml",
        "google-include = true\n[[shaders]]\nfiles = [\"*.comp\"]\ndefines = { SIZE = 4 }\n",
    );
    write("common.glsl", "float table[SIZE];\n");
    let capabilities = json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    let params = json!({"capabilities": capabilities, "workspaceFolders": [{"uri": root, "name": "p"}]});
    let (mut client, _) = Client::start(&[], params);
    let registration = client.wait(|message| message["method"] == "client/registerCapability");
    assert_eq!(registration["params"]["registrations"][0]["method"], "workspace/didChangeWatchedFiles");
    client.send(&json!({"jsonrpc": "2.0", "id": registration["id"], "result": null}));

    let uri = format!("{root}/a.comp");
    client.open(&uri, "#version 450\n#include \"common.glsl\"\nvoid main() { table[3] = 1.0; }\n");
    assert_eq!(client.published(&uri, 1), json!([]));

    // The header changes on disk; the mistake in it is shown in it.
    write("common.glsl", "float table[SIZE]; int other = nothing;\n");
    let header = format!("{root}/common.glsl");
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": header, "type": 2}]}));
    let published = client.wait(|message| message["params"]["uri"] == header.as_str());
    assert_eq!(ids(&published["params"]["diagnostics"]), ["undeclared-name"]);

    // It goes away again with the mistake.
    write("common.glsl", "float table[SIZE];\n");
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": header, "type": 2}]}));
    let published = client.wait(|message| message["params"]["uri"] == header.as_str());
    assert_eq!(published["params"]["diagnostics"], json!([]));

    // Without the project file, `SIZE` is unknown.
    std::fs::remove_file(folder.path().join("coopmat-analyzer.toml")).unwrap();
    let project = format!("{root}/coopmat-analyzer.toml");
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": project, "type": 3}]}));
    let published = client.wait(|message| {
        message["params"]["uri"] == uri.as_str() && message["params"]["diagnostics"] != json!([])
    });
    assert_eq!(ids(&published["params"]["diagnostics"]), ["missing-configuration"]);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn settings_are_fetched_from_clients_that_offer_them() {
    let capabilities = json!({"workspace": {"configuration": true}});
    let (mut client, _) = Client::start(&[], json!({"capabilities": capabilities}));
    let question = client.wait(|message| message["method"] == "workspace/configuration");
    assert_eq!(question["params"]["items"][0]["section"], "coopmat-analyzer");
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": [{"defines": {"VALUE": 3}}]}));
    client.open("file:///x/a.comp", "#version 450\nvoid main() { int a = VALUE; a++; }\n");
    // The settings may arrive before or after the first analysis; in the end they hold.
    let done = client.wait(|message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["diagnostics"] == json!([])
    });
    assert_eq!(done["params"]["version"], 1);
}

#[test]
fn a_session_ends_as_the_protocol_says() {
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_end(), Some(1), "exit without shutdown");

    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    client.close_input();
    assert_eq!(client.wait_for_end(), Some(1), "the input was closed");

    let mut client = Client::spawn(&[]);
    let early = client.begin("textDocument/hover", json!({}));
    assert_eq!(client.response(early)["error"]["code"], -32002, "not initialized");
    client.request("initialize", json!({"capabilities": {}}));
    client.request("shutdown", Value::Null);
    let late = client.begin("textDocument/hover", json!({}));
    assert_eq!(client.response(late)["error"]["code"], -32600, "after shutdown");
}
