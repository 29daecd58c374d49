//! Definitions, highlights, outlines and links over the real server's pipes.

use serde_json::{Value, json};

use crate::client::Client;

/// A project on disk and a client that has it open as its workspace.
pub struct Project {
    pub client: Client,
    pub root: String,
    pub hello: Value,
    folder: tempfile::TempDir,
}

impl Project {
    pub fn start(files: &[(&str, &str)], capabilities: Value) -> Project {
        let folder = tempfile::tempdir().unwrap();
        let root = format!("file://{}", folder.path().to_str().unwrap());
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let folders = json!([{"uri": root, "name": "p"}]);
        let params = json!({"capabilities": capabilities, "workspaceFolders": folders});
        let (client, hello) = Client::start(&[], params);
        Project { client, root, hello, folder }
    }

    pub fn uri(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    /// Writes a file, as another program does.
    pub fn write(&mut self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
        let change = json!({"uri": self.uri(name), "type": 1});
        self.client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
    }

    /// Opens a file as it is on disk.
    pub fn open(&mut self, name: &str) {
        let (uri, text) = (self.uri(name), self.text(name));
        self.client.open(&uri, &text);
    }

    /// Asks about the place of `needle` in a file, so many characters behind its start.
    pub fn ask(&mut self, method: &str, name: &str, needle: &str, behind: usize, more: Value) -> Value {
        let params = self.params(name, needle, behind, more);
        self.client.request(method, params)
    }

    pub fn params(&self, name: &str, needle: &str, behind: usize, more: Value) -> Value {
        let text = self.text(name);
        let at = text.find(needle).expect("the text is there") + behind;
        let line = text[..at].matches('\n').count();
        let column = at - text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let mut params = json!({
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": line, "character": column},
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        params
    }

    /// What stands in a range of a text.
    pub fn slice(text: &str, range: &Value) -> String {
        let offset = |position: &Value| {
            let line = position["line"].as_u64().unwrap() as usize;
            let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            start + position["character"].as_u64().unwrap() as usize
        };
        text[offset(&range["start"])..offset(&range["end"])].to_owned()
    }
}

const SHADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#include \"types.glsl\"
#ifdef OTHER
#include \"folder.glsl\"
#endif
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { block_q data[]; };
float scale(float x);
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum;
    sum = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(ONE);
    data[0].d = scale(data[1].d);
}
float scale(float x) { return x * ONE; }
";
const FILES: &[(&str, &str)] = &[
    ("coopmat-analyzer.toml", "google-include = true\n"),
    ("a.comp", SHADER),
    ("types.glsl", "struct block_q { float d; };\n#define ONE 1.0\n"),
    ("folder.glsl", "float other;\n"),
];

#[test]
fn definitions_are_locations_or_links_as_the_client_has_it() {
    let mut project = Project::start(FILES, json!({}));
    project.open("a.comp");
    let found = project.ask("textDocument/definition", "a.comp", "scale(data", 2, json!({}));
    assert_eq!(found["uri"], project.uri("a.comp"));
    assert_eq!(found["range"]["start"], json!({"line": 15, "character": 6}));
    let found = project.ask("textDocument/declaration", "a.comp", "scale(data", 2, json!({}));
    assert_eq!(found["range"]["start"]["line"], 9);

    let links = json!({"textDocument": {"definition": {"linkSupport": true}}});
    let mut project = Project::start(FILES, links);
    project.open("a.comp");
    let found = project.ask("textDocument/definition", "a.comp", "ONE);", 1, json!({}));
    assert_eq!(found[0]["targetUri"], project.uri("types.glsl"));
    assert_eq!(Project::slice(SHADER, &found[0]["originSelectionRange"]), "ONE");
    assert_eq!(Project::slice(&project.text("types.glsl"), &found[0]["targetRange"]), "#define ONE 1.0");
    assert_eq!(Project::slice(&project.text("types.glsl"), &found[0]["targetSelectionRange"]), "ONE");
    let found = project.ask("textDocument/definition", "a.comp", "types.glsl", 1, json!({}));
    assert_eq!(found[0]["targetUri"], project.uri("types.glsl"));

    // A header is seen from the shader that includes it.
    project.open("types.glsl");
    let found = project.ask("textDocument/documentHighlight", "types.glsl", "block_q", 0, json!({}));
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn built_ins_lead_into_virtual_documents() {
    let capabilities = json!({"workspace": {"textDocumentContent": {"dynamicRegistration": false}}});
    for capabilities in [capabilities, json!({})] {
        let mut project = Project::start(FILES, capabilities.clone());
        let content = &project.hello["capabilities"]["workspace"]["textDocumentContent"];
        let modern = capabilities != json!({});
        assert_eq!(
            *content,
            if modern { json!({"schemes": ["coopmat-analyzer", "coopmat-spirv"]}) } else { Value::Null }
        );
        project.open("a.comp");
        let found = project.ask("textDocument/definition", "a.comp", "gl_MatrixUseAcc", 3, json!({}));
        assert_eq!(found["uri"], "coopmat-analyzer:/builtins/GL_KHR_cooperative_matrix.glsl");
        let params = json!({"uri": found["uri"]});
        let text = if modern {
            project.client.request("workspace/textDocumentContent", params)["text"].clone()
        } else {
            project.client.request("coopmat-analyzer/virtualDocument", params)
        };
        assert_eq!(Project::slice(text.as_str().unwrap(), &found["range"]), "gl_MatrixUseAccumulator");

        // Some editors open what they show. It is not analysed.
        let uri = found["uri"].as_str().unwrap().to_owned();
        project.client.open(&uri, text.as_str().unwrap());
        project.client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        assert_eq!(project.client.finish(), Some(0));
    }
}

#[test]
fn symbols_of_the_workspace_are_found_by_their_letters() {
    let mut project = Project::start(FILES, json!({}));
    let mut names = |query: &str| {
        let found = project.client.request("workspace/symbol", json!({"query": query}));
        let name = |one: &Value| {
            let file = one["location"]["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{file} {}", one["name"].as_str().unwrap())
        };
        found.as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    // Nothing is open, and no shader includes the second file.
    assert_eq!(names("blq"), ["types.glsl block_q"]);
    assert_eq!(names("other"), ["folder.glsl other"]);
    assert_eq!(names("ONE"), ["types.glsl ONE"]);
    assert_eq!(names("scale"), ["a.comp scale", "a.comp scale"]);
    assert!(names("").len() > 6);

    project.client.open(&project.uri("folder.glsl"), "float renamed;\n");
    let found = project.client.request("workspace/symbol", json!({"query": "renamed"}));
    assert_eq!(found[0]["name"], "renamed", "the open text stands before the file");
    assert_eq!(project.client.finish(), Some(0));
}

#[test]
fn outlines_links_and_highlights_are_answered() {
    let hierarchy = json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}});
    let mut project = Project::start(FILES, hierarchy);
    project.open("a.comp");
    let document = json!({"textDocument": {"uri": project.uri("a.comp")}});
    let symbols = project.client.request("textDocument/documentSymbol", document.clone());
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Data", "scale", "main", "scale"]);
    assert_eq!(symbols[0]["children"][0]["name"], "data");

    let links = project.client.request("textDocument/documentLink", document);
    let links = links.as_array().unwrap();
    assert_eq!(links.len(), 2);
    assert_eq!(links[0]["target"], project.uri("types.glsl"));
    assert!(links[0]["tooltip"].as_str().unwrap().ends_with("/types.glsl"));
    // The other line is not obeyed: its file is looked for when the client asks.
    assert_eq!(links[1]["target"], Value::Null);
    let resolved = project.client.request("documentLink/resolve", links[1].clone());
    assert_eq!(resolved["target"], project.uri("folder.glsl"));

    let found = project.ask("textDocument/documentHighlight", "a.comp", "d = scale", 0, json!({}));
    let kinds: Vec<u64> = found.as_array().unwrap().iter().map(|one| one["kind"].as_u64().unwrap()).collect();
    assert_eq!(kinds, [3, 2], "a write and a read");
    assert_eq!(project.client.finish(), Some(0));
}

/// A search through many shaders shows how far it is, and ends when nobody wants it any more.
#[test]
fn a_long_search_shows_progress_and_can_be_stopped() {
    let mut files: Vec<(String, String)> = (0..400)
        .map(|n| (format!("s{n}.comp"), "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"h.glsl\"\nvoid main() { twice(1.0); }\n".to_owned()))
        .collect();
    let header = "float twice(float x) { return x * 2.0; }\n";
    files.push(("h.glsl".to_owned(), header.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = crate::command_line::folder(&files);
    let root = coopmat_server::uri_of_path(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    let folders = json!([{"uri": root, "name": "p"}]);
    let (mut client, _) = Client::start(
        &[],
        json!({"capabilities": {"window": {"workDoneProgress": true}}, "workspaceFolders": folders}),
    );
    let uri = format!("{root}/h.glsl");
    client.open(&uri, header);
    let params = json!({
        "textDocument": {"uri": uri}, "position": {"line": 0, "character": 7},
        "context": {"includeDeclaration": true},
    });
    let id = client.begin("textDocument/references", params.clone());
    let create = client.wait(|message| message["method"] == "window/workDoneProgress/create");
    client.send(&json!({"jsonrpc": "2.0", "id": create["id"], "result": null}));
    let begun = client.wait(|message| message["params"]["value"]["kind"] == "begin");
    assert_eq!(begun["params"]["value"]["title"], "Searching shaders");
    assert_eq!(client.response(id)["result"].as_array().unwrap().len(), 401);

    let mut params = params;
    params["workDoneToken"] = json!("mine");
    let id = client.begin("textDocument/references", params);
    client.wait(|message| {
        message["params"]["value"]["kind"] == "begin" && message["params"]["token"] == "mine"
    });
    client.notify("window/workDoneProgress/cancel", json!({"token": "mine"}));
    let answer = client.wait(|message| message["id"] == id);
    assert_eq!(answer["error"]["code"], -32800, "{answer}");

    // A rename and the callers of a function are such searches, too.
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 7}});
    let item = client.request("textDocument/prepareCallHierarchy", place.clone())[0].clone();
    let mut rename = place;
    rename["newName"] = json!("double_of");
    for (method, mut params) in
        [("textDocument/rename", rename), ("callHierarchy/incomingCalls", json!({"item": item}))]
    {
        params["workDoneToken"] = json!(method);
        let id = client.begin(method, params);
        let begun = client.wait(|message| {
            message["params"]["value"]["kind"] == "begin" && message["params"]["token"] == method
        });
        assert_eq!(begun["params"]["value"]["title"], "Searching shaders");
        client.notify("window/workDoneProgress/cancel", json!({"token": method}));
        let answer = client.wait(|message| message["id"] == id);
        assert_eq!(answer["error"]["code"], -32800, "{method}: {answer}");
    }
}
