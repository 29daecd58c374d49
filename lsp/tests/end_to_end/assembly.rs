//! Assembly text as a document of an editor, over the real server's pipes.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///modules/add.spvasm";

const ADD: &str = "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %sum RelaxedPrecision
%void = OpTypeVoid
%type = OpTypeFunction %void
%int = OpTypeInt 32 1
%one = OpConstant %int 1
%main = OpFunction %void None %type
%entry = OpLabel
%sum = OpIAdd %int %one %one
OpBranch %next
%next = OpLabel
OpReturn
OpFunctionEnd
";

fn open(capabilities: Value, text: &str) -> Client {
    let (mut client, _) = Client::start(&[], json!({"capabilities": capabilities}));
    let document = json!({"uri": URI, "languageId": "spirv", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    client
}

/// The parameters of a question about the word that `before` stands before.
fn at(text: &str, before: &str) -> Value {
    let offset = text.find(before).unwrap() + before.len();
    let line = text[..offset].matches('\n').count();
    let column = offset - text[..offset].rfind('\n').map_or(0, |at| at + 1);
    json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": column}})
}

fn hover(client: &mut Client, text: &str, before: &str) -> String {
    let answer = client.request("textDocument/hover", at(text, before));
    answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

/// `line:column` of each place, from 1.
fn places(answer: &Value) -> Vec<String> {
    let place = |one: &Value| {
        let start = &one["range"]["start"];
        let number = |key: &str| start[key].as_u64().unwrap() + 1;
        format!("{}:{}", number("line"), number("character"))
    };
    answer.as_array().unwrap().iter().map(place).collect()
}

#[test]
fn mistakes_are_published_and_follow_the_text() {
    let mut client = open(json!({}), &ADD.replace("OpIAdd %int", "OpIAd %int"));
    let found = client.published(URI, 1);
    assert_eq!(found[0]["message"], "there is no instruction OpIAd", "{found}");
    assert_eq!(places(&found), ["13:8"]);
    let range = json!({"start": {"line": 12, "character": 7}, "end": {"line": 12, "character": 12}});
    let change = json!([{"range": range, "text": "OpIAdd"}]);
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": change}),
    );
    assert_eq!(client.published(URI, 2), json!([]));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_client_that_asks_for_mistakes_gets_them_as_answers() {
    let mut client = open(json!({"textDocument": {"diagnostic": {}}}), "OpCapability Shadr\n");
    let report = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": URI}}));
    assert_eq!(report["kind"], "full");
    assert_eq!(places(&report["items"]), ["1:14"]);
    let told = client.arrived().into_iter().find(|one| one["method"] == "textDocument/publishDiagnostics");
    assert_eq!(told, None);
}

#[test]
fn hovers_document_instructions_and_show_where_ids_come_from() {
    let mut client = open(json!({}), ADD);
    let add = hover(&mut client, ADD, "%sum = Op");
    assert!(add.starts_with("**OpIAdd**"), "{add}");
    let one = hover(&mut client, ADD, "OpIAdd %int %o");
    assert!(one.contains("%one = OpConstant %int 1") && one.contains("used 2 times"), "{one}");
    let sum = hover(&mut client, ADD, "\n%su");
    assert!(sum.contains("OpDecorate %sum RelaxedPrecision"), "{sum}");
    let shader = hover(&mut client, ADD, "OpCapability S");
    assert!(shader.contains("*Capability* of OpCapability"), "{shader}");
}

/// As of a shader, without a text and a map: the document is the text.
#[test]
fn what_the_module_does_is_counted_and_it_is_given_in_words() {
    let mut client = open(json!({}), ADD);
    let wanted = json!({"textDocument": {"uri": URI}, "statistics": true, "words": true});
    let answer = client.request("coopmat-analyzer/spirv", wanted);
    assert_eq!(answer["text"], json!(null));
    assert_eq!(answer["functions"][0]["name"], "main");
    assert_eq!(answer["functions"][0]["range"]["start"], json!({"line": 10, "character": 0}));
    let entry = &answer["statistics"]["entryPoints"][0];
    assert_eq!(entry["instructions"], answer["functions"][0]["instructions"], "{entry}");
    assert_eq!(answer["words"][0], 0x0723_0203);
}

#[test]
fn hovers_work_in_a_text_with_mistakes() {
    let wrong = ADD.replace("OpBranch %next", "OpBranch");
    let mut client = open(json!({}), &wrong);
    let add = hover(&mut client, &wrong, "%sum = Op");
    assert!(add.starts_with("**OpIAdd**"), "{add}");
    let one = hover(&mut client, &wrong, "OpIAdd %int %o");
    assert_eq!(one, "```spirv\n%one = OpConstant %int 1\n```");
}

#[test]
fn ids_lead_to_their_definition_and_uses() {
    let mut client = open(json!({}), ADD);
    let definition = client.request("textDocument/definition", at(ADD, "OpBranch %n"));
    assert_eq!(places(&json!([definition])), ["15:1"]);
    let mut asked = at(ADD, "%on");
    asked["context"] = json!({"includeDeclaration": true});
    assert_eq!(places(&client.request("textDocument/references", asked)), ["10:1", "13:20", "13:25"]);
    let highlights = client.request("textDocument/documentHighlight", at(ADD, "%on"));
    assert_eq!(highlights.as_array().map(Vec::len), Some(3));
}

#[test]
fn ids_are_renamed_everywhere_or_a_reason_is_given() {
    let mut client = open(json!({}), ADD);
    let prepared = client.request("textDocument/prepareRename", at(ADD, "\n%on"));
    assert_eq!(prepared["placeholder"], "one");
    let mut rename = |name: &str| {
        let mut asked = at(ADD, "\n%on");
        asked["newName"] = json!(name);
        let id = client.begin("textDocument/rename", asked);
        client.response(id)
    };
    let edits = rename("unit")["result"]["changes"][URI].clone();
    assert_eq!(places(&edits), ["10:1", "13:20", "13:25"]);
    assert!(edits.as_array().unwrap().iter().all(|edit| edit["newText"] == "%unit"), "{edits}");
    assert_eq!(rename("sum")["error"]["message"], "%sum is already defined, in line 6");
    let message = rename("a-b")["error"]["message"].clone();
    assert_eq!(message, "`a-b` is not a valid name of an id: expected letters, digits and underscores");
}

#[test]
fn the_outline_has_functions_and_blocks() {
    let mut client = open(json!({}), ADD);
    let whole = json!({"textDocument": {"uri": URI}});
    let outline = client.request("textDocument/documentSymbol", whole.clone());
    assert_eq!(outline[0]["name"], "main", "{outline}");
    assert_eq!(places(&outline), ["11:1"]);
    let blocks = &outline[0]["children"];
    assert_eq!((&blocks[0]["name"], &blocks[1]["name"]), (&json!("%entry"), &json!("%next")), "{blocks}");
    let lines = |fold: &Value| (fold["startLine"].as_u64().unwrap(), fold["endLine"].as_u64().unwrap());
    let folds = client.request("textDocument/foldingRange", whole.clone());
    let folds: Vec<_> = folds.as_array().unwrap().iter().map(lines).collect();
    assert_eq!(folds, [(0, 9), (10, 16)]);
    let tokens = client.request("textDocument/semanticTokens/full", whole);
    let words = ADD.split_whitespace().filter(|word| *word != "=").count();
    // The comment is one token.
    assert_eq!(tokens["data"].as_array().map(|data| data.len() / 5), Some(words - 2), "{tokens}");
}

/// A program that says what `spirv-val` would stands in for it.
#[cfg(unix)]
#[test]
fn what_spirv_val_says_follows_at_its_instruction() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("spirv-val");
    let script = "#!/bin/sh\ncat > /dev/null\necho 'error: line 12: it is wrong' >&2\nexit 1\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let options = json!({"spirvVal": program});
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}, "initializationOptions": options}));
    let document = json!({"uri": URI, "languageId": "spirv", "version": 1, "text": ADD});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    let told = |message: &Value| {
        let diagnostics = message["params"]["diagnostics"].as_array();
        message["method"] == "textDocument/publishDiagnostics"
            && diagnostics.is_some_and(|all| !all.is_empty())
    };
    let found = client.wait(told)["params"]["diagnostics"].clone();
    assert_eq!((&found[0]["source"], &found[0]["message"]), (&json!("spirv-val"), &json!("it is wrong")));
    // The comment is no instruction.
    assert_eq!(places(&found), ["13:1"]);
}

/// `buffer[0] = 7`, with a store to the element after the buffer's end where `index` says so.
fn store(index: u32) -> String {
    format!(
        "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpName %out \"out\"
OpDecorate %numbers ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%at = OpConstant %uint {index}
%seven = OpConstant %uint 7
%numbers = OpTypeRuntimeArray %uint
%block = OpTypeStruct %numbers
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%out = OpVariable %to_block StorageBuffer
%main = OpFunction %void None %type
%entry = OpLabel
%place = OpAccessChain %to_uint %out %zero %at
OpStore %place %seven
OpReturn
OpFunctionEnd
"
    )
}

const RECIPE: &str = "dispatch = [1, 1, 1]

[[buffers]]
name = \"out\"
set = 0
binding = 0
type = \"u32\"
shape = [1]

[[expect]]
buffer = \"out\"
equals.values = [7]
";

/// A document in a folder with the recipe beside it.
fn with_recipe(text: &str) -> (tempfile::TempDir, Client, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("store.run.toml"), RECIPE).unwrap();
    let uri = format!("file://{}/store.spvasm", folder.path().display());
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    let document = json!({"uri": uri, "languageId": "spirv", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    (folder, client, uri)
}

#[test]
fn a_text_with_a_recipe_has_the_lens_run_above_its_entry_point() {
    let (folder, mut client, uri) = with_recipe(&store(0));
    let asked = json!({"textDocument": {"uri": uri}});
    let lenses = client.request("textDocument/codeLens", asked.clone());
    assert_eq!(places(&lenses), ["23:1"], "{lenses}");
    let command = &lenses[0]["command"];
    assert_eq!((&command["title"], &command["command"]), (&json!("Run"), &json!("coopmat-analyzer.run")));
    let run = json!({"command": command["command"], "arguments": command["arguments"]});
    let answer = client.request("workspace/executeCommand", run);
    assert_eq!(answer["summary"], "the expectation is met", "{answer}");
    std::fs::remove_file(folder.path().join("store.run.toml")).unwrap();
    assert_eq!(client.request("textDocument/codeLens", asked), json!([]));
}

#[test]
fn findings_of_a_checked_run_have_lines_of_the_text() {
    let (_folder, mut client, uri) = with_recipe(&store(1));
    let asked = json!({"textDocument": {"uri": uri}, "checked": true});
    let answer = client.request("coopmat-analyzer/run", asked);
    let finding = &answer["report"]["findings"][0];
    assert_eq!(finding["place"]["line"], 26, "{answer}");
    assert!(finding["place"]["path"].as_str().unwrap().ends_with("store.spvasm"), "{finding}");
}

#[test]
fn a_text_with_mistakes_is_not_run_and_says_where() {
    let (_folder, mut client, uri) = with_recipe(&store(0).replace("OpStore", "OpStoer"));
    let answer = client.request("coopmat-analyzer/run", json!({"textDocument": {"uri": uri}}));
    assert_eq!(answer["error"]["message"], "there is no instruction OpStoer", "{answer}");
    assert_eq!(answer["error"]["line"], 26, "{answer}");
}

#[test]
fn a_file_of_words_is_disassembled_and_answers_as_its_text_does() {
    let folder = tempfile::tempdir().unwrap();
    let module = coopmat_spirv::assembly::read(ADD).unwrap();
    let words = coopmat_spirv::to_bytes(&coopmat_spirv::assemble(&module).unwrap());
    std::fs::write(folder.path().join("add.spv"), words).unwrap();
    let path = folder.path().join("add.spv").display().to_string();
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    let file = json!({"textDocument": {"uri": format!("file://{path}")}});
    let answer = client.request("coopmat-analyzer/disassembly", file);
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("= OpIAdd %int %"), "{text}");
    // As VS Code shows it.
    let uri = format!("coopmat-module:{path}");
    let document = json!({"uri": uri, "languageId": "spirv", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    assert_eq!(client.published(&uri, 1), json!([]));
    let outline = client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}));
    assert_eq!(outline[0]["children"].as_array().map(Vec::len), Some(2), "{outline}");
    std::fs::write(&path, "no module").unwrap();
    let file = json!({"textDocument": {"uri": uri}});
    let id = client.begin("coopmat-analyzer/disassembly", file);
    let message = client.response(id)["error"]["message"].clone();
    assert!(message.as_str().unwrap().starts_with("add.spv: "), "{message}");
}

#[test]
fn two_modules_are_compared_as_text_or_in_words() {
    let module = coopmat_spirv::assembly::read(ADD).unwrap();
    let words = coopmat_spirv::assemble(&module).unwrap();
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    let add = json!({"name": "add.spv", "words": words});
    let compared = "coopmat-analyzer/compareModules";
    let same = client.request(compared, json!({"old": add, "new": {"name": "add.spvasm", "text": ADD}}));
    assert_eq!(same, json!({"same": true, "parts": [], "text": ""}));

    let subtracts = json!({"name": "sub.spvasm", "text": ADD.replace("OpIAdd", "OpISub")});
    let differs = client.request(compared, json!({"old": add, "new": subtracts}));
    let changed = |part: &&Value| part["part"] == "function main";
    let main = differs["parts"].as_array().unwrap().iter().find(changed).unwrap();
    assert_eq!(main["removed"], json!(["%2 = OpIAdd %int %int_1 %int_1"]), "{differs}");
    let text = differs["text"].as_str().unwrap();
    assert!(text.starts_with("--- add.spv\n+++ sub.spvasm\n@@ "), "{text}");
    assert!(text.lines().any(|line| line.starts_with('+') && line.contains("OpISub")), "{text}");

    let wrong = json!({"name": "wrong.spvasm", "text": ADD.replace("OpIAdd", "OpIAd")});
    let id = client.begin(compared, json!({"old": add, "new": wrong}));
    let message = client.response(id)["error"]["message"].clone();
    let expected = "wrong.spvasm: line ";
    assert!(message.as_str().unwrap().starts_with(expected), "{message}");
    assert!(message.as_str().unwrap().contains("OpIAd"), "{message}");
}
