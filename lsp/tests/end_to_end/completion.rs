//! Completion and signature help over the real server's pipes, for clients that know snippets and clients that do not.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///shaders/gemm.comp";

/// The position of `$0`, and the text without it.
fn cursor(marked: &str) -> (String, Value) {
    let at = marked.find("$0").unwrap();
    let line = marked[..at].matches('\n').count();
    let column = at - marked[..at].rfind('\n').map_or(0, |newline| newline + 1);
    (marked.replace("$0", ""), json!({"line": line, "character": column}))
}

fn start(item: Value) -> Client {
    let capabilities = json!({"textDocument": {"completion": {"completionItem": item}}});
    Client::start(&[], json!({"capabilities": capabilities})).0
}

fn ask(client: &mut Client, uri: &str, marked: &str, context: Value) -> Value {
    let (text, position) = cursor(marked);
    client.open(uri, &text);
    let params = json!({"textDocument": {"uri": uri}, "position": position, "context": context});
    client.request("textDocument/completion", params)
}

fn invoked() -> Value {
    json!({"triggerKind": 1})
}

fn typed(character: &str) -> Value {
    json!({"triggerKind": 2, "triggerCharacter": character})
}

fn item<'a>(list: &'a Value, label: &str) -> &'a Value {
    let items = list["items"].as_array().unwrap();
    items.iter().find(|item| item["label"] == label).unwrap_or_else(|| panic!("no `{label}`"))
}

const MULTIPLY: &str = "#version 460
layout(local_size_x = 32) in;
// Weighs a value.
float weigh(float value, uint times) { return value * times; }
void main() { float w = wei$0; }
";

#[test]
fn calls_are_snippets_for_clients_that_know_them() {
    let mut client = start(json!({"snippetSupport": true, "labelDetailsSupport": true}));
    let list = ask(&mut client, URI, MULTIPLY, invoked());
    let weigh = item(&list, "weigh");
    assert_eq!(weigh["insertText"], "weigh(${1:value}, ${2:times})$0");
    assert_eq!(weigh["insertTextFormat"], 2);
    assert_eq!(weigh["labelDetails"]["description"], "float weigh(float value, uint times)");
    assert_eq!(weigh["documentation"], Value::Null);
    let resolved = client.request("completionItem/resolve", weigh.clone());
    let read = resolved["documentation"]["value"].as_str().unwrap();
    assert!(read.contains("Weighs a value."), "{read}");
    let list =
        ask(&mut client, "file:///b.comp", "#version 460\nvoid main() { float w = ma$0; }\n", invoked());
    let builtin = client.request("completionItem/resolve", item(&list, "max").clone());
    assert!(builtin["documentation"]["value"].as_str().unwrap().contains("max(genFType x"), "{builtin}");
}

#[test]
fn calls_are_names_for_clients_that_do_not() {
    let mut client = start(json!({}));
    let list = ask(&mut client, URI, MULTIPLY, invoked());
    let weigh = item(&list, "weigh");
    assert_eq!(weigh["insertText"], Value::Null);
    assert_eq!(weigh["insertTextFormat"], Value::Null);
    let text = list.to_string();
    assert!(!text.contains("${1"), "no tab stops");
}

#[test]
fn a_name_of_an_extension_brings_its_line_along() {
    let mut client = start(json!({"snippetSupport": true}));
    let list = ask(&mut client, URI, "#version 460\nvoid main() {\n    coopMatMul$0\n}\n", invoked());
    let edits = &item(&list, "coopMatMulAdd")["additionalTextEdits"];
    assert_eq!(edits[0]["newText"], "\n#extension GL_KHR_cooperative_matrix : require");
    assert_eq!(edits[0]["range"]["start"], json!({"line": 0, "character": 12}));
    assert_eq!(item(&list, "coopMatMulAdd")["detail"], "GL_KHR_cooperative_matrix");
}

#[test]
fn typed_characters_list_where_there_is_something_to_list() {
    let mut client = start(json!({"snippetSupport": true}));
    let matrix =
        "#version 460\n#extension GL_KHR_cooperative_matrix : require\nvoid main() { coopmat<float, $0\n}\n";
    let list = ask(&mut client, "file:///a.comp", matrix, typed(" "));
    item(&list, "gl_ScopeSubgroup");
    let list = ask(&mut client, "file:///b.comp", "#version 460\nvoid main() { int x = $0 }\n", typed(" "));
    assert_eq!(list, Value::Null);
    let list =
        ask(&mut client, "file:///c.comp", "#version 460\nvoid main() { int x = 1 /$0 }\n", typed("/"));
    assert_eq!(list, Value::Null);
    let list =
        ask(&mut client, "file:///d.comp", "#version 460\nvoid main() { vec3 v; v.$0\n}\n", typed("."));
    item(&list, "xyz");
    let list = ask(&mut client, "file:///e.comp", "#version 460\n#$0\n", typed("#"));
    assert_eq!(item(&list, "extension")["insertText"], "extension $0");
}

#[test]
fn includes_list_files_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("types.glsl", "");
    write("common/math.glsl", "");
    write("lib/far.glsl", "");
    write("coopmat-analyzer.toml", "google-include = true\ninclude = [\"lib\"]\n");
    let root = format!("file://{}", folder.path().to_str().unwrap());
    let params = json!({
        "capabilities": {"textDocument": {"completion": {"completionItem": {"insertReplaceSupport": true}}}},
        "workspaceFolders": [{"uri": root, "name": "p"}],
    });
    let (mut client, _) = Client::start(&[], params);
    let list = ask(&mut client, &format!("{root}/a.comp"), "#version 460\n#include \"$0\n", typed("\""));
    assert_eq!(item(&list, "types.glsl")["textEdit"]["newText"], "types.glsl\"");
    assert_eq!(item(&list, "common")["textEdit"]["newText"], "common/");
    item(&list, "far.glsl");
    let list =
        ask(&mut client, &format!("{root}/b.comp"), "#version 460\n#include \"common/ma$0\"\n", invoked());
    let math = item(&list, "math.glsl");
    assert_eq!(math["textEdit"]["newText"], "math.glsl");
    assert_eq!(math["textEdit"]["insert"]["start"]["character"], 17);
    assert_eq!(math["textEdit"]["insert"]["end"]["character"], 19);
}

#[test]
fn signature_help_follows_the_arguments() {
    let mut client = start(json!({}));
    let (text, position) = cursor(
        "#version 460\n#extension GL_KHR_cooperative_matrix : require\nbuffer B { float x[]; } b;
void main() { coopmat<float, 3, 16, 16, 0> m; coopMatLoad(m, b.x, 0, 16, $0",
    );
    client.open(URI, &text);
    let params = json!({"textDocument": {"uri": URI}, "position": position});
    let help = client.request("textDocument/signatureHelp", params);
    assert_eq!(help["activeParameter"], 4);
    let signature = &help["signatures"][0];
    let label = signature["label"].as_str().unwrap();
    let parameter = &signature["parameters"][4];
    let range = [0, 1].map(|end| parameter["label"][end].as_u64().unwrap() as usize);
    assert_eq!(&label[range[0]..range[1]], "int matrixLayout");
    assert!(
        parameter["documentation"]["value"].as_str().unwrap().contains("gl_CooperativeMatrixLayoutRowMajor")
    );
}
