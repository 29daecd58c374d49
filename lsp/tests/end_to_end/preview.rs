//! SPIR-V beside the source, over the real server's pipes: listings with their map, documents that follow edits, what is said in them.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///shaders/preview.comp";
const DOCUMENT: &str = "coopmat-spirv:/shaders/preview.comp.spvasm";

const TEXT: &str = "#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define SCALE(x) ((x) * 2.0)
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
shared float16_t tile[256];
float scaled(float x) {
    return SCALE(x) + 1.0;
}
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopMatLoad(a, tile, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    data[0] = scaled(data[1]);
    coopMatStore(a, tile, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
";

fn start(capabilities: Value) -> Client {
    let (mut client, hello) = Client::start(&[], json!({"capabilities": capabilities}));
    if capabilities["workspace"]["textDocumentContent"].is_object() {
        let schemes = &hello["capabilities"]["workspace"]["textDocumentContent"]["schemes"];
        assert_eq!(*schemes, json!(["coopmat-analyzer", "coopmat-spirv"]));
    }
    client.open(URI, TEXT);
    client
}

fn spirv(client: &mut Client, more: Value) -> Value {
    let mut params = json!({"textDocument": {"uri": URI}});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.request("coopmat-analyzer/spirv", params)
}

/// `text of the module <- text of the source`, one for each entry of the map.
fn mapped(answer: &Value, source: &str) -> Vec<String> {
    let piece = |text: &str, place: &[Value]| {
        let at = |index: usize| place[index].as_u64().unwrap() as usize;
        let lines: Vec<&str> = text.lines().collect();
        match at(0) == at(2) {
            true => lines[at(0)][at(1)..at(3)].to_owned(),
            false => format!("{}...", &lines[at(0)][at(1)..]),
        }
    };
    let text = answer["text"].as_str().unwrap();
    let entries = answer["map"].as_array().unwrap().iter();
    let pair = |entry: &Value| {
        let entry = entry.as_array().unwrap();
        let mut shown = format!("{} <- {}", piece(text, &entry[..4]), piece(source, &entry[5..9]));
        if entry.len() > 9 {
            shown.push_str(&format!(" (spelled {})", piece(source, &entry[10..14])));
        }
        shown
    };
    entries.map(pair).collect()
}

#[test]
fn a_function_is_listed_with_the_columns_that_its_instructions_come_from() {
    let mut client = start(json!({}));
    let answer = spirv(&mut client, json!({"function": "scaled"}));
    assert_eq!(answer["stale"], Value::Null);
    assert_eq!(answer["files"], json!([URI]));
    assert_eq!(answer["uri"], format!("{DOCUMENT}?function=scaled"));
    let mapped = mapped(&answer, TEXT).join("\n");
    for expected in
        ["OpFMul %float ", "<- SCALE(x) (spelled (x) * 2.0", "<- SCALE(x) + 1.0", "<- return SCALE(x) + 1.0;"]
    {
        assert!(mapped.contains(expected), "{expected} in:\n{mapped}");
    }

    let same = spirv(&mut client, json!({"position": {"line": 9, "character": 6}}));
    assert_eq!(same["text"], answer["text"]);
    assert_eq!(same["uri"], answer["uri"]);

    let line = json!({"range": {"start": {"line": 13, "character": 0}, "end": {"line": 14, "character": 0}}});
    let selection = spirv(&mut client, line);
    let text = selection["text"].as_str().unwrap();
    assert!(text.contains("OpCooperativeMatrixLoadKHR"), "{text}");
    assert!(!text.contains("OpCooperativeMatrixStoreKHR") && !text.contains("OpFunction"), "{text}");
}

#[test]
fn options_change_the_module_and_statistics_come_along() {
    let mut client = start(json!({}));
    let options =
        json!({"targetEnv": "vulkan1.2", "sourceComments": true, "debugInfo": "lines", "rawIds": true});
    let answer = spirv(&mut client, json!({"options": options, "statistics": true}));
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("; Version: 1.5"), "{text}");
    assert!(text.contains("; preview.comp:10: return SCALE(x) + 1.0;"), "{text}");
    assert!(text.contains("OpLine") && !text.contains("%main "), "{text}");
    let entry = &answer["statistics"]["entryPoints"][0];
    assert_eq!(entry["matrixOperations"][0]["instruction"], "OpCooperativeMatrixLoadKHR");
    assert_eq!(entry["sharedMemory"], 512);

    // The pointless detour over a variable goes, and the constant is a number.
    let sized = TEXT.replace("layout(local", "layout(constant_id = 3) const uint N = 4;\nlayout(local");
    change(&mut client, 2, &sized.replace("data[0] = ", "float x = 1.0; x += float(N); data[0] = x * "));
    let plain = spirv(&mut client, json!({"function": "main"}));
    let options = json!({"optimise": true, "specialization": {"3": 7}});
    let short = spirv(&mut client, json!({"function": "main", "options": options}));
    assert!(plain["text"].as_str().unwrap().contains("%N"), "{plain}");
    assert!(!short["text"].as_str().unwrap().contains("%N"), "{short}");
    assert!(short["text"].as_str().unwrap().len() < plain["text"].as_str().unwrap().len());
    assert_eq!(short["uri"], format!("{DOCUMENT}?function=main&optimise&spec.3=7"));
    let none = spirv(&mut client, json!({"options": {"specialization": {"9": 7}}}));
    let reason = none["stale"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("there is no specialization constant 9"), "{reason}");

    let id = client.begin(
        "coopmat-analyzer/spirv",
        json!({"textDocument": {"uri": URI}, "options": {"targetEnv": "metal"}}),
    );
    let refusal = client.response(id);
    assert!(refusal["error"]["message"].as_str().unwrap().contains("metal"), "{refusal}");
    let id =
        client.begin("coopmat-analyzer/spirv", json!({"textDocument": {"uri": URI}, "function": "nobody"}));
    let refusal = client.response(id);
    assert!(refusal["error"]["message"].as_str().unwrap().contains("no function `nobody`"), "{refusal}");
}

fn change(client: &mut Client, version: i32, text: &str) {
    let params =
        json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": [{"text": text}]});
    client.notify("textDocument/didChange", params);
}

#[test]
fn a_document_follows_edits_and_stays_while_there_is_an_error() {
    let mut client = start(json!({"workspace": {"textDocumentContent": {}}}));
    let fetch = |client: &mut Client| {
        let answer = client.request("workspace/textDocumentContent", json!({"uri": DOCUMENT}));
        answer["text"].as_str().unwrap().to_owned()
    };
    let refreshed = |client: &mut Client| {
        let message = client.wait(|message| message["method"] == "workspace/textDocumentContent/refresh");
        assert_eq!(message["params"]["uri"], DOCUMENT);
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": null});
        client.send(&answer);
    };
    let first = fetch(&mut client);
    assert!(first.starts_with("; SPIR-V"), "{first}");

    // Another constant: another module.
    change(&mut client, 2, &TEXT.replace("2.0", "3.5"));
    refreshed(&mut client);
    let second = fetch(&mut client);
    assert!(second.contains("%float_3_5") && !first.contains("%float_3_5"), "{second}");

    // A mistake, with a line before what stays.
    let wrong = TEXT.replace("2.0", "3.5").replace("void main() {", "void main() {\n    missing = 1;");
    change(&mut client, 3, &wrong);
    refreshed(&mut client);
    let stale = fetch(&mut client);
    let (heading, rest) = stale.split_once('\n').unwrap();
    assert!(heading.starts_with("; Stale: ") && heading.contains("preview.comp:13"), "{heading}");
    assert_eq!(rest, second);
    let answer = spirv(&mut client, json!({"function": "main"}));
    assert!(answer["stale"]["reason"].as_str().unwrap().contains("preview.comp:13"), "{answer}");
    assert_eq!(answer["stale"]["errors"][0]["range"]["start"]["line"], 12);
    // The map is that of the text with the mistake: what stands behind it has moved.
    let moved = mapped(&answer, &wrong).join("\n");
    assert!(moved.contains("OpCooperativeMatrixLoadKHR"), "{moved}");
    assert!(moved.contains("<- coopMatLoad(a, tile, 0, 16, gl_CooperativeMatrixLayoutRowMajor)"), "{moved}");
    // Everything is grey.
    let ask = json!({"textDocument": {"uri": DOCUMENT}});
    let tokens = client.request("textDocument/semanticTokens/full", ask.clone());
    let tokens = tokens["data"].as_array().unwrap().clone();
    assert!(tokens.chunks(5).all(|token| token[3] == tokens[3]), "one colour");

    change(&mut client, 4, TEXT);
    refreshed(&mut client);
    assert_eq!(fetch(&mut client), first);
    let tokens = client.request("textDocument/semanticTokens/full", ask);
    let tokens = tokens["data"].as_array().unwrap().clone();
    assert!(tokens.chunks(5).any(|token| token[3] != tokens[3]), "colours again");

    // What does not change the module is not told: the next message after a comment is about another change.
    change(&mut client, 5, &format!("{TEXT}// nothing\n"));
    client.published(URI, 5);
    change(&mut client, 6, &TEXT.replace("2.0", "4.5"));
    refreshed(&mut client);
    assert!(fetch(&mut client).contains("%float_4_5"));
}

#[test]
fn without_a_module_the_document_says_why() {
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    client.open(URI, &TEXT.replace("scaled(data[1])", "nothing(data[1])"));
    let text = client.request("coopmat-analyzer/virtualDocument", json!({"uri": DOCUMENT}));
    assert!(text.as_str().unwrap().starts_with("; No module yet: preview.comp:15: "), "{text}");
    let answer = spirv(&mut client, json!({}));
    assert_eq!(answer["text"], Value::Null);
    // Our own requests are told of news by our own notification.
    change(&mut client, 2, TEXT);
    let news = client.wait(|message| message["method"] == "coopmat-analyzer/virtualDocumentChanged");
    assert_eq!(news["params"]["uri"], DOCUMENT);
}

/// Line and character of a word in a text.
fn find(text: &str, word: &str) -> Value {
    let at = text.find(word).unwrap_or_else(|| panic!("{word} in {text}"));
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    json!({"line": line, "character": column})
}

#[test]
fn instructions_and_ids_are_explained_and_found() {
    let mut client = start(json!({}));
    let text = client.request("coopmat-analyzer/virtualDocument", json!({"uri": DOCUMENT}));
    let text = text.as_str().unwrap();
    let at = |word: &str| json!({"textDocument": {"uri": DOCUMENT}, "position": find(text, word)});
    let hover = |client: &mut Client, word: &str| {
        let hover = client.request("textDocument/hover", at(word));
        hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("a hover at {word}")).to_owned()
    };
    let load = hover(&mut client, "OpCooperativeMatrixLoadKHR");
    assert!(load.contains("Loads a whole matrix") && load.contains("*Memory Layout*"), "{load}");
    assert!(load.contains("From preview.comp:14:5"), "{load}");
    let operand = hover(&mut client, "NonPrivatePointer");
    assert!(operand.contains("Memory Operands"), "{operand}");
    let id = hover(&mut client, "%float = ");
    assert!(id.contains("OpTypeFloat 32") && id.contains("used "), "{id}");

    let definition = client.request("textDocument/definition", at("%scaled %"));
    assert_eq!(definition["uri"], DOCUMENT);
    assert_eq!(definition["range"]["start"], find(text, "%scaled = OpFunction "));
    // From an instruction the way leads to the source.
    let source = client.request("textDocument/definition", at("OpCooperativeMatrixLoadKHR"));
    assert_eq!(source["uri"], URI);
    assert_eq!(source["range"]["start"], json!({"line": 13, "character": 4}));

    let mut ask = at("%scaled = OpFunction ");
    ask["context"] = json!({"includeDeclaration": true});
    let references = client.request("textDocument/references", ask);
    // Its name, its definition, its call.
    assert_eq!(references.as_array().map(Vec::len), Some(3), "{references}");
    let highlights = client.request("textDocument/documentHighlight", at("%scaled = OpFunction "));
    assert_eq!(highlights.as_array().map(Vec::len), Some(3), "{highlights}");

    let ask = json!({"textDocument": {"uri": DOCUMENT}});
    let symbols = client.request("textDocument/documentSymbol", ask.clone());
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["main", "scaled"]);
    assert_eq!(
        symbols[0]["detail"],
        "1 load, 1 store, 1 OpCooperativeMatrixLoadKHR, 1 OpCooperativeMatrixStoreKHR"
    );
    let folds = client.request("textDocument/foldingRange", ask);
    assert_eq!(folds.as_array().map(Vec::len), Some(3), "the declarations and two functions: {folds}");
}

#[test]
fn lines_of_the_source_unfold_and_hovers_list_what_an_expression_became() {
    let mut client = start(json!({}));
    let range = json!({"start": {"line": 9, "character": 0}, "end": {"line": 10, "character": 0}});
    let answer =
        client.request("coopmat-analyzer/spirvLines", json!({"textDocument": {"uri": URI}, "range": range}));
    let lines = answer["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["line"], 9);
    let opcodes: Vec<&str> = lines[0]["instructions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["opcode"].as_str().unwrap())
        .collect();
    assert_eq!(opcodes.last(), Some(&"OpReturnValue"), "{opcodes:?}");
    assert!(opcodes.contains(&"OpFMul") && opcodes.contains(&"OpFAdd"), "{opcodes:?}");

    let at = json!({"textDocument": {"uri": URI}, "position": {"line": 13, "character": 6}});
    let hover = client.request("textDocument/hover", at.clone());
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(hover.contains("OpCooperativeMatrixLoadKHR"), "{hover}");

    // Over one argument stands what is the argument's.
    let mut over = |character: u32| {
        let at = json!({"textDocument": {"uri": URI}, "position": {"line": 13, "character": character}});
        let hover = client.request("textDocument/hover", at);
        let text = hover["contents"]["value"].as_str().unwrap();
        let listed = text.split("```spirv\n").nth(1).map(|rest| rest.split("\n```").next().unwrap());
        let name = |line: &str| line.rsplit(" = ").next().unwrap().split(' ').next().unwrap().to_owned();
        listed.map(|listed| listed.lines().map(name).collect::<Vec<_>>())
    };
    let listed = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
    let whole = ["OpAccessChain", "OpCooperativeMatrixLoadKHR", "OpStore"];
    assert_eq!(over(6), listed(&whole));
    assert_eq!(over(16), listed(&["OpStore"]), "the matrix");
    assert_eq!(over(20), listed(&["OpAccessChain"]), "the memory");
    assert_eq!(over(28), None, "a number");

    // Hints are off unless they are asked for.
    let whole = json!({"start": {"line": 12, "character": 0}, "end": {"line": 17, "character": 0}});
    let ask = json!({"textDocument": {"uri": URI}, "range": whole});
    let count = |hints: &Value| {
        let labels = hints.as_array().unwrap().iter().filter_map(|hint| hint["label"].as_str());
        labels.filter(|label| label.contains("OpCoop") || label.contains("load")).map(str::to_owned).collect()
    };
    let none: Vec<String> = count(&client.request("textDocument/inlayHint", ask.clone()));
    assert!(none.is_empty(), "{none:?}");
    let on = json!({"settings": {"coopmat-analyzer": {"inlayHints": {"spirv": true}}}});
    client.notify("workspace/didChangeConfiguration", on);
    let hints: Vec<String> = count(&client.request("textDocument/inlayHint", ask));
    assert_eq!(hints, ["1 OpCooperativeMatrixLoadKHR", "1 load, 1 store", "1 OpCooperativeMatrixStoreKHR"]);

    let off = json!({"settings": {"coopmat-analyzer": {"hover": {"spirv": "off"}}}});
    client.notify("workspace/didChangeConfiguration", off);
    let hover = client.request("textDocument/hover", at);
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(!hover.contains("= OpCooperativeMatrixLoadKHR"), "{hover}");
}

#[test]
fn code_lenses_count_and_stay_while_there_is_an_error() {
    let mut client = start(json!({"workspace": {"codeLens": {"refreshSupport": true}}}));
    let refresh = client.wait(|message| message["method"] == "workspace/codeLens/refresh");
    client.send(&json!({"jsonrpc": "2.0", "id": refresh["id"], "result": null}));
    let titles = |client: &mut Client| -> Vec<String> {
        let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
        let titles = lenses.as_array().unwrap().iter().filter_map(|lens| lens["command"]["title"].as_str());
        titles.filter(|title| title.starts_with("SPIR-V")).map(str::to_owned).collect()
    };
    let expected = [
        "SPIR-V: 8 instructions",
        "SPIR-V: 1 load, 1 store, 1 OpCooperativeMatrixLoadKHR, 1 OpCooperativeMatrixStoreKHR",
    ];
    let found = titles(&mut client);
    assert!(found.iter().any(|title| title == expected[1]), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
    change(&mut client, 2, &TEXT.replace("data[0] = ", "data[0] = missing + "));
    assert_eq!(titles(&mut client), found);
}

#[test]
fn the_module_itself_comes_as_words() {
    let mut client = start(json!({}));
    let answer = spirv(&mut client, json!({"words": true}));
    let words = answer["words"].as_array().unwrap();
    assert_eq!(words[0], 0x0723_0203);
    assert!(spirv(&mut client, json!({})).get("words").is_none());
}
