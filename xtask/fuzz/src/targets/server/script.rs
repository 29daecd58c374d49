//! Makes sequences of messages: a session as an editor has it, then some of its messages damaged.

use serde_json::{Value, json};

use super::client;
use crate::mutate::{self, json as damaged};
use crate::random::Random;
use crate::seeds::Seeds;

const URIS: [&str; 3] = ["file:///p/a.comp", "file:///p/shared.glsl", "file:///p/b%20c.comp"];

/// Requests about a place in a document.
const AT_A_PLACE: [&str; 13] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/declaration",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/prepareCallHierarchy",
    "textDocument/onTypeFormatting",
];

/// Requests about a document, or a part of it.
const ABOUT_A_DOCUMENT: [&str; 19] = [
    "textDocument/documentSymbol",
    "textDocument/documentLink",
    "textDocument/codeAction",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/inlineValue",
    "textDocument/diagnostic",
    "coopmat-analyzer/documentState",
    "coopmat-analyzer/configurations",
    "coopmat-analyzer/portability",
    "coopmat-analyzer/spirv",
    "coopmat-analyzer/spirvLines",
];

const OTHERS: [&str; 8] = [
    "workspace/symbol",
    "workspace/diagnostic",
    "workspace/executeCommand",
    "coopmat-analyzer/devices",
    "coopmat-analyzer/setDevice",
    "coopmat-analyzer/virtualDocument",
    "completionItem/resolve",
    "unknown/method",
];

struct Script {
    messages: Vec<Value>,
    next_id: i64,
}

impl Script {
    fn request(&mut self, method: &str, params: Value) {
        self.next_id += 1;
        self.messages.push(json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}));
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.messages.push(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }
}

pub fn generate(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let mut script = Script { messages: Vec::new(), next_id: 0 };
    let encodings = random.pick([json!(["utf-16"]), json!(["utf-16", "utf-8"])]);
    let mut capabilities = json!({"general": {"positionEncodings": encodings}});
    if random.one_in(2) {
        capabilities["textDocument"] = json!({
            "diagnostic": {}, "completion": {"completionItem": {"snippetSupport": true}},
            "semanticTokens": {"multilineTokenSupport": true}, "foldingRange": {"lineFoldingOnly": true},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true}, "definition": {"linkSupport": true},
        });
        capabilities["workspace"] = json!({
            "configuration": true, "diagnostics": {"refreshSupport": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true}, "workspaceEdit": {"documentChanges": true},
        });
    }
    script.request(
        "initialize",
        json!({"capabilities": capabilities, "workspaceFolders": [{"uri": "file:///p", "name": "p"}]}),
    );
    script.notify("initialized", json!({}));
    let mut open: Vec<(&str, String, i64)> = Vec::new();
    for _ in 0..4 + random.below(24) {
        step(&mut script, &mut open, random, seeds);
    }
    if random.one_in(5) {
        script.request("shutdown", Value::Null);
        script.notify("exit", Value::Null);
    }
    // Half of the sessions are as the protocol wants them.
    if random.one_in(2) {
        damage(&mut script.messages, random);
    }
    let mut out = String::new();
    for message in script.messages {
        out.push_str(&message.to_string());
        out.push('\n');
        for _ in 0..random.pick([0, 0, 1, 3]) {
            out.push('\n');
        }
    }
    if random.one_in(20) {
        let at = mutate::floor(&out, random.below(out.len()));
        out.insert_str(
            at,
            random.pick(["}", "\"", "\u{0}", "[", "{\"jsonrpc\":\"2.0\"}\n", "null\n", "[]\n", "é"]),
        );
    }
    out.into_bytes()
}

/// Damages the messages of a session.
pub fn mutate(bytes: &[u8], random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let parsed: Option<Vec<Value>> =
        text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).ok()).collect();
    let Some(mut messages) = parsed.filter(|messages| !messages.is_empty()) else {
        return generate(random, seeds);
    };
    damage(&mut messages, random);
    messages.iter().map(|message| format!("{message}\n")).collect::<String>().into_bytes()
}

fn damage(messages: &mut Vec<Value>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(messages.len());
        match random.below(6) {
            0 => drop(messages.remove(at)),
            1 => messages.insert(at, messages[at].clone()),
            2 => {
                let other = random.below(messages.len());
                messages.swap(at, other);
            }
            _ => damaged::value(&mut messages[at], random),
        }
        if messages.is_empty() {
            return;
        }
    }
}

fn step(
    script: &mut Script,
    open: &mut Vec<(&'static str, String, i64)>,
    random: &mut Random,
    seeds: &Seeds,
) {
    let wants_another = open.is_empty() || (open.len() < URIS.len() && random.one_in(8));
    if wants_another {
        let uri = URIS.into_iter().find(|uri| !open.iter().any(|(known, _, _)| known == uri));
        let Some(uri) = uri else { return };
        let text = text(random, seeds);
        let document = json!({"uri": uri, "languageId": "glsl", "version": 1, "text": text});
        script.notify("textDocument/didOpen", json!({"textDocument": document}));
        open.push((uri, text, 1));
        return;
    }
    let at = random.below(open.len());
    match random.below(12) {
        0..5 => edit(script, &mut open[at], random),
        5 if random.one_in(4) => {
            let (uri, _, _) = open.remove(at);
            script.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        }
        5 | 6 => other(script, &open[at], random),
        _ => ask(script, &open[at], random),
    }
}

/// Short, so that many sessions are run; some with the header.
fn text(random: &mut Random, seeds: &Seeds) -> String {
    let mut text = match random.below(4) {
        0 => "#version 460\n#extension GL_GOOGLE_include_directive : require\n#include \"shared.glsl\"\nvoid main() { int a = twice(LIMIT); a++; }\n".to_owned(),
        1 => "#version 460\n#define N 4\n// é \u{1F600}\nstruct S { float x; };\nfloat f(S s) { return s.x * N; }\nvoid main() { S s = S(1.0); f(s); }\n".to_owned(),
        _ => (0..6).map(|_| seeds.shader(random)).min_by_key(|text| text.len()).unwrap_or_default().to_owned(),
    };
    if random.one_in(2) {
        text = mutate::shader(&text, random, seeds);
    }
    text
}

/// A place as the protocol says it: in UTF-16, mostly inside of the text.
fn position(text: &str, random: &mut Random) -> Value {
    if random.one_in(30) {
        return json!({"line": random.number() as u32, "character": random.number() as u32});
    }
    let at = mutate::floor(text, random.below(text.len() + 1));
    client::position(text, at)
}

fn edit(script: &mut Script, (uri, text, version): &mut (&'static str, String, i64), random: &mut Random) {
    const PIECES: [&str; 24] = [
        "a",
        ";",
        "(",
        ")",
        "{",
        "}",
        " ",
        "\n",
        "\r\n",
        "\r",
        "1",
        ".",
        "é",
        "\u{1F600}",
        "int x = 1;\n",
        "coopmat<",
        "/*",
        "*/",
        "\"",
        "#if 0\n",
        "#endif\n",
        "float f() { return 1.0; }\n",
        "sums[i]",
        "",
    ];
    let mut changes = Vec::new();
    for _ in 0..=random.below(3) {
        let piece = random.pick(PIECES);
        if random.one_in(10) {
            *text = format!("{piece}{text}");
            changes.push(json!({"text": text}));
            continue;
        }
        let from = mutate::floor(text, random.below(text.len() + 1));
        let to = mutate::floor(text, (from + random.below(9)).min(text.len()));
        changes.push(json!({"range": {"start": client::position(text, from), "end": client::position(text, to)}, "text": piece}));
        text.replace_range(from..to, piece);
    }
    *version += 1;
    let document = json!({"uri": uri, "version": version});
    script.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
}

fn ask(script: &mut Script, (uri, text, _): &(&'static str, String, i64), random: &mut Random) {
    let document = json!({"uri": uri});
    if random.one_in(2) {
        let method = random.pick(AT_A_PLACE);
        let mut params = json!({"textDocument": document, "position": position(text, random)});
        match method {
            "textDocument/rename" => {
                params["newName"] = random.pick(["renamed", "x", "gl_x", "", "a b", "main"]).into()
            }
            "textDocument/references" => params["context"] = json!({"includeDeclaration": random.one_in(2)}),
            "textDocument/onTypeFormatting" => {
                params["ch"] = random.pick(["\n", "}", ";"]).into();
                params["options"] = json!({"tabSize": 4, "insertSpaces": true});
            }
            "textDocument/completion" => {
                params["context"] =
                    json!({"triggerKind": 2, "triggerCharacter": random.pick([".", "<", "#", " "])});
            }
            _ => {}
        }
        return script.request(method, params);
    }
    let method = random.pick(ABOUT_A_DOCUMENT);
    let range = json!({"start": position(text, random), "end": position(text, random)});
    let mut params = json!({"textDocument": document, "uri": uri, "range": range});
    match method {
        "textDocument/codeAction" => params["context"] = json!({"diagnostics": []}),
        "textDocument/inlineValue" => {
            let stopped = json!({"start": position(text, random), "end": position(text, random)});
            params["context"] = json!({"frameId": 1, "stoppedLocation": stopped});
        }
        "textDocument/formatting" | "textDocument/rangeFormatting" => {
            params["options"] =
                json!({"tabSize": random.pick([0, 2, 4, 80]), "insertSpaces": random.one_in(2)});
        }
        "textDocument/selectionRange" => {
            params["positions"] = json!([position(text, random), position(text, random)])
        }
        "textDocument/semanticTokens/full/delta" => {
            params["previousResultId"] = random.pick(["1", "0", "x"]).into()
        }
        "coopmat-analyzer/spirv" if random.one_in(2) => {
            params = json!({"textDocument": document, "statistics": true, "words": true, "follow": true});
        }
        _ => {}
    }
    script.request(method, params);
}

fn other(script: &mut Script, (uri, _, _): &(&'static str, String, i64), random: &mut Random) {
    match random.below(6) {
        0 => {
            let id = script.next_id - random.below(3) as i64;
            script.notify("$/cancelRequest", json!({"id": id}));
        }
        1 => script.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}})),
        2 => script.notify(
            "workspace/didChangeWatchedFiles",
            json!({"changes": [{"uri": random.pick(URIS), "type": 1 + random.below(3)}]}),
        ),
        3 => script.notify(
            "workspace/didChangeConfiguration",
            json!({"settings": {"coopmat-analyzer": {"inlayHints": {"enable": random.one_in(2)}, "subgroupSize": random.pick([0, 32, 33])}}}),
        ),
        _ => {
            let method = random.pick(OTHERS);
            let params = match method {
                "workspace/symbol" => json!({"query": random.pick(["", "ma", "é", "zzz"])}),
                "workspace/diagnostic" => json!({"previousResultIds": []}),
                "workspace/executeCommand" => {
                    json!({"command": "coopmat-analyzer.chooseConfiguration", "arguments": [{"uri": uri}]})
                }
                "coopmat-analyzer/setDevice" => json!({"name": random.pick(["nvidia-h200", "none", "x", ""])}),
                "coopmat-analyzer/virtualDocument" => json!({"uri": "coopmat-analyzer:/GL_KHR_cooperative_matrix.glsl"}),
                "completionItem/resolve" => json!({"label": "coopMatLoad", "data": {"uri": uri, "version": 1}}),
                _ => json!({"uri": uri}),
            };
            script.request(method, params);
        }
    }
}
