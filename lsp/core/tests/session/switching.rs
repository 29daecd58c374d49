//! Whatever was in view before, what an editor shows in the end is what it shows where that was chosen from the start: diagnostics, colours, lenses, hints,
//! SPIR-V, status. The editor here asks again when it is told to, and never else, as the real ones do.

use std::collections::BTreeMap;

use super::*;

const PROJECT: &str = "google-include = true
specializations = { small = { TM = 16, TK = 16 }, odd = { TM = 12, TK = 16, OTHER = 1 } }
[[shaders]]
files = \"*.comp\"
in-view = \"half\"
[[shaders.configurations]]
name = \"half\"
defines = { T = \"float16_t\", WITH_PART = 1 }
[[shaders.configurations]]
name = \"bytes\"
defines = { T = \"int8_t\" }
[[shaders.configurations]]
name = \"broken\"
defines = { T = \"nothing\", WITH_PART = 1 }
[[shaders.configurations]]
name = \"device\"
defines = { T = \"float\", LONG = 1 }
device = \"lavapipe\"
specialization = { TM = 8, TK = 8 }
[[shaders.configurations]]
name = \"twin\"
defines = { T = \"float16_t\", WITH_PART = 1 }
";

const SHADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint TM = 4;
layout(constant_id = 1) const uint TK = 2;
layout(binding = 0) buffer Out { uint rows; T first; } result;
#ifdef WITH_PART
#include \"part.glsl\"
#endif
#ifdef LONG
uint extra(uint x) { return missing + x; }
#endif
void main() {
    coopmat<T, gl_ScopeSubgroup, TM, TK, gl_MatrixUseA> a;
    result.rows = TM * TK;
#ifdef WITH_PART
    result.rows += twice(TM);
#else
    result.first = T(gl_LocalInvocationIndex);
#endif
}
";

const PART: &str =
    "uint twice(uint x) { T y = T(x); return 2 * uint(y); }\n#ifdef LONG\nuint never;\n#endif\n";
const OTHER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
void main() { coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a; T b; }
";
const RECIPE: &str = "[specialization]\nTM = 16\nTK = 8\n";

const FILES: [(&str, &str); 5] = [
    ("/p/coopmat-analyzer.toml", PROJECT),
    ("/p/a.comp", SHADER),
    ("/p/part.glsl", PART),
    ("/p/other.comp", OTHER),
    ("/p/a.run.toml", RECIPE),
];
const OPEN: [(&str, &str); 2] = [("/p/a.comp", SHADER), ("/p/part.glsl", PART)];

/// What the real editors say of themselves, as far as it matters here.
fn client(name: &str) -> Value {
    json!({
        "clientInfo": {"name": name},
        "capabilities": {
            "textDocument": {
                "diagnostic": {"relatedDocumentSupport": false},
                "semanticTokens": {"requests": {"full": {"delta": true}, "range": true}, "tokenTypes": [],
                    "tokenModifiers": [], "formats": ["relative"], "augmentsSyntaxTokens": true},
            },
            "workspace": {
                "diagnostics": {"refreshSupport": true}, "semanticTokens": {"refreshSupport": true},
                "inlayHint": {"refreshSupport": true}, "codeLens": {"refreshSupport": true},
                "didChangeWatchedFiles": {"dynamicRegistration": true},
            },
            "experimental": {"coopmat-analyzer": {"inView": true}},
        },
    })
}

/// What an editor holds.
struct Editor {
    session: Session,
    pulls: bool,
    /// What the server has told to ask for again.
    outdated: Vec<&'static str>,
    diagnostics: BTreeMap<String, Value>,
    reports: BTreeMap<String, Value>,
    tokens: BTreeMap<String, (Value, Vec<Value>)>,
    lenses: BTreeMap<String, Value>,
    hints: BTreeMap<String, Value>,
    listing: Value,
    in_view: Value,
}

const DIAGNOSTICS: &str = "workspace/diagnostic/refresh";
const TOKENS: &str = "workspace/semanticTokens/refresh";
const LENSES: &str = "workspace/codeLens/refresh";
const HINTS: &str = "workspace/inlayHint/refresh";
const LISTING: &str = "coopmat-analyzer/virtualDocumentChanged";
const ALL: [&str; 5] = [DIAGNOSTICS, TOKENS, LENSES, HINTS, LISTING];

impl Editor {
    fn start(name: &str, choices: &Value) -> Editor {
        let mut client = client(name);
        client["initializationOptions"] = json!({"choices": choices});
        let (session, told) = Session::start_as(&FILES, client);
        let mut editor = Editor {
            session,
            pulls: told["diagnosticProvider"].is_object(),
            outdated: ALL.to_vec(),
            diagnostics: BTreeMap::new(),
            reports: BTreeMap::new(),
            tokens: BTreeMap::new(),
            lenses: BTreeMap::new(),
            hints: BTreeMap::new(),
            listing: Value::Null,
            in_view: Value::Null,
        };
        for (path, text) in OPEN {
            editor.session.open(path, text);
        }
        editor.settle();
        editor
    }

    /// Takes messages until there are no more, asking again for what the server says.
    fn settle(&mut self) {
        // The server here does its work between two messages, one step for each: more steps than anything takes without a word.
        const STEPS: usize = 24;
        let mut silent = 0;
        while silent < STEPS {
            let uri = json!({"uri": "file:///p/a.comp"});
            self.session.request("coopmat-analyzer/documentState", uri);
            silent += 1;
            if !self.session.kept.is_empty() {
                self.glance();
                silent = 0;
            }
            if silent == STEPS && !self.outdated.is_empty() {
                self.ask_again();
                silent = 0;
            }
        }
    }

    /// Takes what has arrived, without waiting for more.
    fn glance(&mut self) {
        while let Some(message) =
            self.session.kept.pop_front().or_else(|| self.session.from_server.try_recv().ok())
        {
            self.take(&message);
        }
    }

    fn take(&mut self, message: &Value) {
        let method = message["method"].as_str().unwrap_or_default();
        if message.get("id").is_some() && !method.is_empty() {
            self.session.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": null}));
        }
        if let Some(known) = ALL.into_iter().find(|known| *known == method) {
            self.outdated.push(known);
        }
        let params = &message["params"];
        match method {
            "textDocument/publishDiagnostics" => {
                let uri = params["uri"].as_str().unwrap().to_owned();
                self.diagnostics.insert(uri, params["diagnostics"].clone());
            }
            "coopmat-analyzer/inView" => self.in_view = params.clone(),
            _ => {}
        }
    }

    fn ask_again(&mut self) {
        for what in std::mem::take(&mut self.outdated) {
            for (path, _) in OPEN {
                let document = json!({"uri": format!("file://{path}")});
                match what {
                    DIAGNOSTICS if self.pulls => self.pull(path),
                    TOKENS => self.ask_for_tokens(path, &document),
                    LENSES => {
                        let params = json!({"textDocument": document});
                        let lenses = self.session.request("textDocument/codeLens", params);
                        self.lenses.insert(path.to_owned(), lenses);
                    }
                    HINTS => {
                        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
                        let params = json!({"textDocument": document, "range": range});
                        let hints = self.session.request("textDocument/inlayHint", params);
                        self.hints.insert(path.to_owned(), hints);
                    }
                    LISTING if path.ends_with(".comp") => {
                        let params = json!({"textDocument": document, "follow": true});
                        let answer = self.session.request("coopmat-analyzer/spirv", params);
                        self.listing = json!([answer["text"], answer["stale"]["reason"]]);
                    }
                    _ => {}
                }
            }
        }
    }

    fn pull(&mut self, path: &str) {
        let uri = format!("file://{path}");
        let previous = self.reports.get(path);
        let params = json!({"textDocument": {"uri": uri}, "previousResultId": previous});
        let report = self.session.request("textDocument/diagnostic", params);
        if report["kind"] == "full" {
            self.diagnostics.insert(uri, report["items"].clone());
            self.reports.insert(path.to_owned(), report["resultId"].clone());
        }
    }

    fn ask_for_tokens(&mut self, path: &str, document: &Value) {
        let (id, mut data) = self.tokens.remove(path).unwrap_or_default();
        let answer = match id.is_null() {
            true => {
                self.session.request("textDocument/semanticTokens/full", json!({"textDocument": document}))
            }
            false => {
                let params = json!({"textDocument": document, "previousResultId": id});
                self.session.request("textDocument/semanticTokens/full/delta", params)
            }
        };
        if let Some(whole) = answer["data"].as_array() {
            data = whole.clone();
        }
        for edit in answer["edits"].as_array().into_iter().flatten() {
            let number = |key: &str| edit[key].as_u64().unwrap() as usize;
            let (start, end) = (number("start"), number("start") + number("deleteCount"));
            data.splice(start..end, edit["data"].as_array().cloned().unwrap_or_default());
        }
        self.tokens.insert(path.to_owned(), (answer["resultId"].clone(), data));
    }

    /// Everything that is on the screen.
    fn screen(&mut self) -> BTreeMap<String, Value> {
        self.settle();
        let mut screen = BTreeMap::new();
        // What is shown of files that are not open, and was, is nothing.
        for (uri, diagnostics) in &self.diagnostics {
            if *diagnostics != json!([]) {
                screen.insert(format!("diagnostics {uri}"), diagnostics.clone());
            }
        }
        if self.pulls {
            let params = json!({"previousResultIds": []});
            let report = self.session.request("workspace/diagnostic", params);
            for item in report["items"].as_array().unwrap() {
                screen.insert(format!("workspace {}", item["uri"]), item["items"].clone());
            }
        }
        for (path, (_, data)) in &self.tokens {
            screen.insert(format!("colours {path}"), json!(data));
        }
        for (path, lenses) in &self.lenses {
            screen.insert(format!("lenses {path}"), lenses.clone());
        }
        for (path, hints) in &self.hints {
            screen.insert(format!("hints {path}"), hints.clone());
        }
        screen.insert("SPIR-V".to_owned(), self.listing.clone());
        screen.insert("in view".to_owned(), self.in_view["documents"].clone());
        screen
    }
}

/// One of the things that are chosen.
fn switch(session: &mut Session, number: usize) -> (String, Value) {
    let pick = |among: &[&str]| match among[number / 4 % among.len()] {
        "" => Value::Null,
        name => json!(name),
    };
    let (method, name) = match number % 4 {
        0 => ("setDevice", pick(&["", "none", "nvidia-h200", "lavapipe", "intel-xe2"])),
        1 => ("setSpecialization", pick(&["", "small", "odd", "recipe", "TM=8, TK=32"])),
        _ => ("setConfiguration", pick(&["", "half", "bytes", "broken", "device", "twin"])),
    };
    // From the shader or from its header.
    let uri = if number.is_multiple_of(3) { "file:///p/part.glsl" } else { "file:///p/a.comp" };
    let params =
        if method == "setDevice" { json!({"name": name}) } else { json!({"uri": uri, "name": name}) };
    session.begin(&format!("coopmat-analyzer/{method}"), params.clone());
    (method.to_owned(), params)
}

fn switches_leave_no_trace(name: &str, seed: u64) {
    let mut editor = Editor::start(name, &Value::Null);
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut made = Vec::new();
    for _ in 0..30 {
        made.push(switch(&mut editor.session, random()));
        match random() % 4 {
            0 => editor.settle(),
            1 => editor.glance(),
            2 => {
                editor.glance();
                editor.ask_again();
            }
            _ => {}
        }
    }
    let shown = editor.screen();
    let mut fresh = Editor::start(name, &editor.in_view["choices"]);
    let expected = fresh.screen();
    let keys = |screen: &BTreeMap<String, Value>| screen.keys().cloned().collect::<Vec<_>>();
    let context = format!("{name}, seed {seed}, {made:?}");
    for (key, value) in &expected {
        let now = shown.get(key);
        assert!(now == Some(value), "{key}:\n{}\nexpected\n{value}\n{context}", now.unwrap_or(&Value::Null));
    }
    assert_eq!(keys(&shown), keys(&expected), "{context}");
    assert!(expected.keys().any(|key| key.starts_with("colours")), "there is a screen to compare");
}

fn seeds() -> impl Iterator<Item = u64> {
    let number = std::env::var("SWITCHES").ok().and_then(|number| number.parse().ok()).unwrap_or(5);
    1..=number
}

#[test]
fn thirty_switches_leave_what_a_fresh_start_shows_in_vs_code() {
    seeds().for_each(|seed| switches_leave_no_trace("Visual Studio Code", seed));
}

#[test]
fn thirty_switches_leave_what_a_fresh_start_shows_in_neovim() {
    seeds().for_each(|seed| switches_leave_no_trace("Neovim", seed));
}
