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

/// Each word with its type and modifiers, decoded as a client does.
fn decoded(hello: &Value, text: &str, data: &[u64]) -> Vec<String> {
    let legend = &hello["capabilities"]["semanticTokensProvider"]["legend"];
    let lines: Vec<&str> = text.lines().collect();
    let (mut line, mut column) = (0, 0);
    let mut shown = Vec::new();
    for token in data.chunks(5) {
        line += token[0] as usize;
        column = if token[0] == 0 { column + token[1] as usize } else { token[1] as usize };
        let word = &lines[line][column..column + token[2] as usize];
        let mut one = format!("{word} {}", legend["tokenTypes"][token[3] as usize].as_str().unwrap());
        for (bit, modifier) in legend["tokenModifiers"].as_array().unwrap().iter().enumerate() {
            if token[4] & (1 << bit) != 0 {
                one.push(' ');
                one.push_str(modifier.as_str().unwrap());
            }
        }
        shown.push(one);
    }
    shown
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

const MATRIX: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    b = b; /* over
    lines */
}
";

#[test]
fn tokens_come_whole_as_a_difference_and_of_a_range() {
    let (mut client, hello) = Client::start(&[], json!({"capabilities": {}}));
    client.open(URI, MATRIX);
    let document = json!({"uri": URI});
    let full = client.request("textDocument/semanticTokens/full", json!({"textDocument": document}));
    let mut data = numbers(&full["data"]);
    let shown = decoded(&hello, MATRIX, &data);
    assert!(shown.contains(&"b variable declaration matrixB".to_owned()), "{shown:?}");
    assert!(shown.contains(&"gl_MatrixUseB enumMember readonly defaultLibrary".to_owned()), "{shown:?}");
    assert!(shown.contains(&"/* over comment".to_owned()), "{shown:?}");
    assert!(shown.contains(&"    lines */ comment".to_owned()), "{shown:?}");

    let range = json!({"start": {"line": 6, "character": 0}, "end": {"line": 7, "character": 0}});
    let part = client
        .request("textDocument/semanticTokens/range", json!({"textDocument": document, "range": range}));
    let part = decoded(&hello, MATRIX, &numbers(&part["data"]));
    assert_eq!(part[..2], ["b variable matrixB", "= operator"]);

    // An edit: the difference applied to what the client has is the whole of the new text.
    let edited = MATRIX.replace("    b = b;", "    int i = 1;\n    b = b;");
    let change = json!({"range": {"start": {"line": 6, "character": 0}, "end": {"line": 6, "character": 0}},
        "text": "    int i = 1;\n"});
    let changed = json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]});
    client.notify("textDocument/didChange", changed);
    let ask = json!({"textDocument": document, "previousResultId": full["resultId"]});
    let delta = client.request("textDocument/semanticTokens/full/delta", ask);
    for edit in delta["edits"].as_array().unwrap() {
        let start = edit["start"].as_u64().unwrap() as usize;
        let count = edit["deleteCount"].as_u64().unwrap() as usize;
        data.splice(start..start + count, numbers(&edit["data"]));
    }
    let shown = decoded(&hello, &edited, &data);
    assert!(shown.contains(&"i variable declaration".to_owned()), "{shown:?}");
    let full = client.request("textDocument/semanticTokens/full", json!({"textDocument": document}));
    assert_eq!(numbers(&full["data"]), data);
    assert_eq!(full["resultId"], delta["resultId"]);

    // Who asks for a difference to something unknown gets everything.
    let ask = json!({"textDocument": document, "previousResultId": "0"});
    let whole = client.request("textDocument/semanticTokens/full/delta", ask);
    assert_eq!(numbers(&whole["data"]), data);
}

#[test]
fn a_client_with_a_grammar_is_told_again_when_a_header_changes() {
    let folder = tempfile::tempdir().unwrap();
    let root = format!("file://{}", folder.path().to_str().unwrap());
    let capabilities = json!({
        "textDocument": {"semanticTokens": {"requests": {}, "tokenTypes": [], "tokenModifiers": [], "formats": [],
            "augmentsSyntaxTokens": true}},
        "workspace": {"semanticTokens": {"refreshSupport": true}},
    });
    let options = json!({"googleInclude": true});
    let (mut client, hello) =
        Client::start(&[], json!({"capabilities": capabilities, "initializationOptions": options}));
    let (header, shader) = (format!("{root}/h.glsl"), format!("{root}/a.comp"));
    let text = "#version 450\n#include \"h.glsl\"\nvoid main() { x = 1; }\n";
    client.open(&header, "float x;\n");
    client.open(&shader, text);
    let ask = json!({"textDocument": {"uri": shader}});
    let full = client.request("textDocument/semanticTokens/full", ask.clone());
    let shown = decoded(&hello, text, &numbers(&full["data"]));
    assert!(shown.contains(&"x variable".to_owned()), "{shown:?}");
    assert!(!shown.iter().any(|token| token.ends_with("number")), "the grammar tells these: {shown:?}");

    let change = json!({"text": "shared float x;\n"});
    let changed = json!({"textDocument": {"uri": header, "version": 2}, "contentChanges": [change]});
    client.notify("textDocument/didChange", changed);
    let refresh = client.wait(|message| message["method"] == "workspace/semanticTokens/refresh");
    client.send(&json!({"jsonrpc": "2.0", "id": refresh["id"], "result": null}));
    let full = client.request("textDocument/semanticTokens/full", ask);
    let shown = decoded(&hello, text, &numbers(&full["data"]));
    assert!(shown.contains(&"x variable shared".to_owned()), "{shown:?}");
}

#[test]
fn hints_stand_in_the_range_and_can_be_switched_off() {
    let text = "#version 450
layout(constant_id = 0) const int BK = 32;
const int N = BK / 2;
float f(int count, float scale) { return scale * count; }
void main() { f(N, 2.0); }
";
    let ask = |first: u32, last: u32| {
        let range = json!({"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}});
        json!({"textDocument": {"uri": URI}, "range": range})
    };
    let labels = |hints: &Value| -> Vec<String> {
        let one = |hint: &Value| match &hint["label"] {
            Value::String(label) => label.clone(),
            parts => parts[0]["value"].as_str().unwrap().to_owned(),
        };
        hints.as_array().unwrap().iter().map(one).collect()
    };
    let mut client = start(json!({"workspace": {"inlayHint": {"refreshSupport": true}}}), text);
    let hints = client.request("textDocument/inlayHint", ask(0, 9));
    assert_eq!(labels(&hints), ["= 16", "count:", "scale:"]);
    assert_eq!(hints[0]["position"], json!({"line": 2, "character": 20}));
    assert_eq!(hints[1]["label"][0]["location"]["range"]["start"], json!({"line": 3, "character": 12}));
    assert_eq!(labels(&client.request("textDocument/inlayHint", ask(0, 3))), ["= 16"]);

    // A setting changes what is shown of the same text; the client is told to ask again.
    let hints = json!({"values": false, "implicitConversions": true});
    let settings = json!({"coopmat-analyzer": {"inlayHints": hints}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    client.wait(|message| message["method"] == "workspace/inlayHint/refresh");
    let hints = client.request("textDocument/inlayHint", ask(0, 9));
    assert_eq!(labels(&hints), ["float(", ")", "count:", "scale:"]);
    assert_eq!(hints[0]["textEdits"][0]["newText"], "float(");
}

#[test]
fn lenses_tell_of_the_configuration_and_count_references_when_asked() {
    let text = "#version 450
shared float tile[64];
void helper() { tile[0] = 1.0; }
void main() { helper(); helper(); }
";
    let mut client = start(json!({}), text);
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    let lenses = lenses.as_array().unwrap();
    let commands: Vec<_> = lenses.iter().map(|lens| lens["command"]["command"].as_str()).collect();
    assert_eq!(commands, [Some("coopmat-analyzer.chooseConfiguration"), None, Some("")]);
    assert_eq!(lenses[0]["command"]["arguments"], json!([{"uri": URI, "configuration": "default"}]));
    assert_eq!(lenses[2]["command"]["title"], "shared memory 256 bytes");
    let resolved = client.request("codeLens/resolve", lenses[1].clone());
    assert_eq!(resolved["command"]["title"], "2 references");
    assert_eq!(resolved["command"]["command"], "coopmat-analyzer.showReferences");
    let places = resolved["command"]["arguments"][2].as_array().unwrap();
    assert_eq!(places[1]["range"]["start"], json!({"line": 3, "character": 24}));

    let settings = json!({"coopmat-analyzer": {"codeLens": {"references": false, "configuration": false}}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    assert_eq!(lenses.as_array().map(Vec::len), Some(1), "{lenses}");
}

/// A document after edits, as a client applies them: from the last to the first.
fn edited(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| -> usize {
        let line = position["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + position["character"].as_u64().unwrap() as usize
    };
    let mut result = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        result.replace_range(range, edit["newText"].as_str().unwrap());
    }
    result
}

#[test]
fn documents_ranges_and_what_was_typed_are_formatted() {
    let text = "void main(){\nint a=1;\nif (a>0) {\na++;\n}\n}";
    let mut client = start(json!({}), text);
    let document = json!({"uri": URI});
    let options = json!({"tabSize": 2, "insertSpaces": true, "insertFinalNewline": true});
    let whole =
        client.request("textDocument/formatting", json!({"textDocument": document, "options": options}));
    assert_eq!(edited(text, &whole), "void main() {\n  int a = 1;\n  if (a > 0) {\n    a++;\n  }\n}\n");

    let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}});
    let ask = json!({"textDocument": document, "range": range, "options": options});
    let part = client.request("textDocument/rangeFormatting", ask);
    assert_eq!(edited(text, &part), "void main(){\n  int a = 1;\nif (a>0) {\na++;\n}\n}");

    let position = json!({"line": 4, "character": 1});
    let ask = json!({"textDocument": document, "position": position, "ch": "}", "options": options});
    let typed = client.request("textDocument/onTypeFormatting", ask);
    assert_eq!(edited(text, &typed), "void main(){\nint a=1;\n  if (a > 0) {\n    a++;\n  }\n}");

    let settings = json!({"coopmat-analyzer": {"format": {"enable": false}}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    let ask = json!({"textDocument": document, "options": options});
    assert_eq!(client.request("textDocument/formatting", ask), Value::Null);
}

#[test]
fn the_command_line_formats_and_checks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.comp");
    std::fs::write(&path, "void main(){int a=1;}\n").unwrap();
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(crate::client::BINARY)
            .arg("fmt")
            .args(arguments)
            .arg(folder.path())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, listed) = run(&["--check"]);
    assert_eq!(code, Some(1));
    assert!(listed.trim().ends_with("a.comp"), "{listed}");
    assert_eq!(run(&[]), (Some(0), String::new()));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "void main() {int a = 1;}\n");
    assert_eq!(run(&["--check"]), (Some(0), String::new()));
}
