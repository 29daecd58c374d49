//! Shaders in strings of C++ and Rust files: on the command line, and to a client that has such a file open.

use serde_json::{Value, json};

use crate::client::{Client, ids};
use crate::command_line::{folder, run_in};

const ADD: &str = r###"// Größe
#include <string>

static const char* kAdd = R"glsl(#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Numbers { float numbers[]; };
float twice(float x) { return 2.0 * x; }
void main() {
    numbers[gl_LocalInvocationIndex] = twice(missing);
}
)glsl";

int before() { return 1; }

const char* scale = /* glsl */
    "#version 460\n"
    "layout(local_size_x = 1) in;\n"
    "void main() { /* é */ int x = 1.5; x++; }\n";

std::string made = R"glsl(#version 460
void main() { int n = )glsl" + std::to_string(before()) + R"glsl(; wrong(); }
)glsl";
"###;

#[test]
fn the_command_line_reads_strings() {
    let folder = folder(&[
        ("x.cpp", ADD),
        ("other.cpp", "auto s = R\"glsl(#version 460\nvoid main() { nothing(); })glsl\";\n"),
        ("part.rs", "const A: &str = /* glsl */ r\"float half_of(float x) { return y; }\";\n"),
        ("none.cpp", "int main() {}\n"),
        (
            "good.rs",
            "const A: &str = /* glsl */ r\"#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}\n\";\n",
        ),
        ("bare.rs", "const A: &str = /* glsl */ r\"layout(local_size_x = N) in;\nvoid main() {}\n\";\n"),
    ]);
    let check = |arguments: &[&str]| run_in(folder.path(), &[&["check"], arguments].concat(), "");

    let run = check(&["x.cpp"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("x.cpp:9:46"), "{}", run.stdout);
    assert!(run.stdout.contains("error[undeclared-name]"), "{}", run.stdout);
    assert!(run.stdout.contains("x.cpp:18:36"), "{}", run.stdout);
    assert!(run.stdout.contains("info[embedded-part]"), "{}", run.stdout);
    assert!(run.stdout.contains("x.cpp:21:32"), "{}", run.stdout);
    assert!(!run.stdout.contains("`wrong`"), "{}", run.stdout);
    assert!(run.stderr.starts_with("1 file checked, with 3 shaders in strings: 2 errors"), "{}", run.stderr);
    assert!(run.stderr.contains("\n1 shader in a string not analysed; "), "{}", run.stderr);

    let run = check(&["x.cpp#made", "--allow-unanalysed", "embedded-part"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let run = check(&["x.cpp#nothing"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("there is no shader `nothing`; expected `kAdd`, `scale`, `made`"),
        "{}",
        run.stderr
    );
    let run = check(&["x.cpp#"]);
    let expected = "x.cpp#: expected the name of a shader after `#`: `kAdd`, `scale`, `made`";
    assert!(run.code == Some(2) && run.stderr.contains(expected), "{}", run.stderr);
    let run = check(&["none.cpp"]);
    assert!(run.code == Some(2) && run.stderr.contains("no string is marked as GLSL"), "{}", run.stderr);
    let run = check(&["part.rs", "good.rs"]);
    assert!(run.code == Some(0) && run.stdout.is_empty(), "{}", run.stdout);
    let run = check(&["--all", "part.rs"]);
    assert!(run.stdout.contains("hint[embedded-fragment]"), "{}", run.stdout);
    let run = check(&["bare.rs"]);
    assert!(run.code == Some(1) && run.stdout.contains("has no `#version` line"), "{}", run.stdout);

    // A search takes what the project file lists.
    let run = check(&["."]);
    assert!(run.code == Some(2) && run.stderr.contains("no shaders found"), "{}", run.stderr);
    let listed = "[[shaders]]\nfiles = [\"x.cpp#kAdd\", \"*.rs\"]\ndefines = { missing = \"1.0\", N = 4 }\n";
    std::fs::write(folder.path().join("coopmat-analyzer.toml"), listed).unwrap();
    let run = check(&[".", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let names: Vec<_> = report["configurations"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(names, ["bare.rs#A", "good.rs#A", "part.rs#A", "x.cpp#kAdd"]);
    assert_eq!(report["summary"]["error"], 0, "{report}");

    let run = run_in(folder.path(), &["spirv", "x.cpp#kAdd"], "");
    assert!(run.code == Some(0) && run.stdout.contains("OpEntryPoint GLCompute"), "{}", run.stderr);
    let run = run_in(folder.path(), &["spirv", "x.cpp"], "");
    assert!(run.code == Some(2) && run.stderr.contains("name one of them: x.cpp#kAdd, "), "{}", run.stderr);
    let run = run_in(folder.path(), &["spirv", "x.cpp#made"], "");
    assert!(run.code == Some(2) && run.stderr.contains("not known here"), "{}", run.stderr);

    // One runs with the recipe beside the file that is called like the shader.
    let run = run_in(folder.path(), &["run", "x.cpp#made"], "");
    assert!(run.code == Some(2) && run.stderr.contains("not known here"), "{}", run.stderr);
    let run = run_in(folder.path(), &["run", "--create-recipe", "x.cpp#kAdd"], "");
    assert!(run.code == Some(0) && run.stdout.contains("no expectations"), "{}{}", run.stdout, run.stderr);
    let recipe = folder.path().join("x.cpp#kAdd.run.toml");
    let expected = "dispatch = [1]\n[[buffers]]\nname = \"numbers\"\nshape = [32]\n\
        [[expect]]\nbuffer = \"numbers\"\nequals.formula = \"2\"\n";
    std::fs::write(&recipe, expected).unwrap();
    let run = run_in(folder.path(), &["run", "x.cpp#kAdd", "-Dmissing=1.0"], "");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let run = run_in(folder.path(), &["run", "x.cpp#kAdd.run.toml", "-Dmissing=1.0"], "");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    for tested in [".", "x.cpp#kAdd"] {
        let run = run_in(folder.path(), &["test", tested], "");
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    }
    std::fs::write(&recipe, expected.replace("numbers", "number")).unwrap();
    let run = run_in(folder.path(), &["test", "x.cpp#kAdd.run.toml"], "");
    assert!(run.code == Some(1) && run.stdout.contains("number"), "{}{}", run.stdout, run.stderr);
}

/// Whatever reads a string says where its mistakes are in the file, as `check` does.
#[test]
fn every_command_has_the_places_of_the_file() {
    let folder = folder(&[("x.cpp", ADD)]);
    for command in [&["check", "x.cpp#kAdd"][..], &["spirv", "x.cpp#kAdd"], &["run", "x.cpp#kAdd"]] {
        let run = run_in(folder.path(), command, "");
        let told = run.stdout + &run.stderr;
        assert!(told.contains("--> x.cpp:9:46"), "{told}");
        assert!(told.contains("= twice(missing);") && !told.contains("#kAdd"), "{told}");
    }
    let source = run_in(folder.path(), &["spirv", "x.cpp#kAdd", "--source", "-Dmissing=1.0"], "");
    assert!(source.stdout.contains("; x.cpp:7: float twice"), "{}{}", source.stdout, source.stderr);
    for wrong in [["--config", "none"], ["--specialization", "none"]] {
        let run = run_in(folder.path(), &[&["check", "x.cpp#kAdd"], &wrong[..]].concat(), "");
        assert!(run.code == Some(2) && run.stderr.contains("x.cpp#kAdd: "), "{}", run.stderr);
    }
    for debug in ["-g", "-g=full"] {
        let run = run_in(folder.path(), &["spirv", "x.cpp#kAdd", debug, "-Dmissing=1.0"], "");
        let told = run.stdout + &run.stderr;
        assert!(told.contains("OpString \"x.cpp\"") && !told.contains("#kAdd"), "{told}");
    }
    let table = run_in(folder.path(), &["check", "--portability", "x.cpp#kAdd", "-Dmissing=1.0"], "");
    assert!(table.stdout.contains("x.cpp#kAdd") && !table.stdout.contains(".comp"), "{}", table.stdout);
}

const MACRO: &str = r###"
mod cs {
    vulkano_shaders::shader! {
        ty: "compute",
        define: [("N", "4"), ("TYPE", "float")],
        include: ["shaders"],
        src: r"#version 460
            #extension GL_GOOGLE_include_directive : require
            #include <half.glsl>
            layout(local_size_x = N) in;
            TYPE half_of(TYPE x) { return x * HALF; }
            void main() { half_of(missing); }",
    }
}
"###;

/// What vulkano's macro defines and where it looks for headers is the build, on the command line and in editors.
#[test]
fn a_macro_says_how_its_shader_is_built() {
    let files = [("p/Cargo.toml", ""), ("p/src/x.rs", MACRO), ("p/shaders/half.glsl", "#define HALF 0.5\n")];
    let folder = folder(&files);
    let run = run_in(folder.path(), &["check", "p/src/x.rs"], "");
    assert_eq!(run.stdout.matches("error[").count(), 1, "{}", run.stdout);
    assert!(run.stdout.contains("x.rs:12:35") && run.stdout.contains("`missing`"), "{}", run.stdout);
    let run = run_in(folder.path(), &["spirv", "-Dmissing=1.0", "p/src/x.rs"], "");
    assert!(run.stdout.contains("OpExecutionMode %main LocalSize 4 1 1"), "{}{}", run.stdout, run.stderr);

    let root = coopmat_server::uri_of_path(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    let folders = json!([{"uri": root, "name": "p"}]);
    let (mut client, _) = Client::start(&["lsp"], json!({"capabilities": {}, "workspaceFolders": folders}));
    let uri = format!("{root}/p/src/x.rs");
    open(&mut client, &uri, "rust", MACRO);
    let of = |client: &mut Client, version: i32, wanted: &[&str]| {
        client.wait(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
                && ids(&params["diagnostics"]) == wanted
        })
    };
    of(&mut client, 1, &["undeclared-name"]);
    // A change of the macro alone is one of the shader.
    let edit = |client: &mut Client, version: i32, text: &str| {
        client.notify(
            "textDocument/didChange",
            json!({
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"text": text}],
            }),
        );
    };
    edit(&mut client, 2, &MACRO.replace("(\"N\", \"4\")", "(\"missing\", \"1\"), (\"N\", \"4\")"));
    of(&mut client, 2, &[]);
    edit(&mut client, 3, &MACRO.replace("\"4\"", "COUNT"));
    of(&mut client, 3, &["embedded-part"]);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn levels_hold_for_notes_about_strings() {
    let in_string = |text: &str| format!("const A: &str = /* glsl */ r\"{text}\";\n");
    let part = in_string("layout(local_size_x = N) in;\nvoid main() {}\n");
    let fragment = in_string("float half_of(float x) { return x / 2.0; }");
    let levels = [
        (&part, "embedded-part = \"error\"", json!([1])),
        (&fragment, "embedded-fragment = \"warning\"", json!([2])),
        (&fragment, "embedded-fragment = \"allow\"", json!([])),
    ];
    for (text, level, expected) in levels {
        let project = format!("[diagnostics]\n{level}\n");
        let folder = folder(&[("x.rs", text), ("coopmat-analyzer.toml", &project)]);
        let root = folder.path().canonicalize().unwrap();
        let root = coopmat_server::uri_of_path(root.to_str().unwrap()).unwrap();
        let folders = json!([{"uri": root, "name": "p"}]);
        let (mut client, _) =
            Client::start(&["lsp"], json!({"capabilities": {}, "workspaceFolders": folders}));
        let uri = format!("{root}/x.rs");
        open(&mut client, &uri, "rust", text);
        let pulled = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}));
        let told: Vec<_> =
            pulled["items"].as_array().unwrap().iter().map(|one| one["severity"].clone()).collect();
        assert_eq!(json!(told), expected, "{level}: {pulled}");
        assert_eq!(client.finish(), Some(0));
    }
}

const URI: &str = "file:///p/x.cpp";

fn open(client: &mut Client, uri: &str, language: &str, text: &str) {
    let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

fn at(line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}})
}

/// The report that has some number of diagnostics.
fn reported(client: &mut Client, version: i32, count: usize) -> Value {
    let message = client.wait(|message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["uri"] == URI
            && message["params"]["version"] == version
            && message["params"]["diagnostics"].as_array().is_some_and(|list| list.len() == count)
    });
    message["params"]["diagnostics"].clone()
}

fn line_of(diagnostic: &Value) -> (u64, u64, u64) {
    let range = &diagnostic["range"];
    let number = |value: &Value| value.as_u64().unwrap();
    (
        number(&range["start"]["line"]),
        number(&range["start"]["character"]),
        number(&range["end"]["character"]),
    )
}

#[test]
fn editors_see_the_shaders_of_a_file() {
    let capabilities =
        json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}});
    let (mut client, _) = Client::start(&["lsp"], json!({"capabilities": capabilities}));
    open(&mut client, URI, "cpp", ADD);
    let found = reported(&mut client, 1, 3);
    assert_eq!(ids(&found), ["undeclared-name", "type-mismatch", "embedded-part"]);
    assert_eq!(line_of(&found[0]), (8, 45, 52));
    assert_eq!(line_of(&found[1]), (17, 35, 38));
    assert_eq!(line_of(&found[2]), (20, 31, 55));

    let hover = client.request("textDocument/hover", at(8, 40));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("float twice(float x)"), "{hover}");
    assert_eq!(hover["range"]["start"]["line"], 8);
    let definition = client.request("textDocument/definition", at(8, 40));
    assert_eq!(definition["uri"], URI, "{definition}");
    assert_eq!(definition["range"]["start"], json!({"line": 6, "character": 6}));
    // Hovers work where errors are not told.
    let hover = client.request("textDocument/hover", at(20, 18));
    assert!(hover.to_string().contains("int n"), "{hover}");

    // The rest of the file is for others.
    for method in ["hover", "definition", "completion", "references", "documentHighlight", "prepareRename"] {
        assert_eq!(client.request(&format!("textDocument/{method}"), at(12, 5)), Value::Null, "{method}");
    }
    let whole = json!({"textDocument": {"uri": URI}, "options": {"tabSize": 4, "insertSpaces": true}});
    assert_eq!(client.request("textDocument/formatting", whole), Value::Null);
    let whole = json!({"textDocument": {"uri": URI}});
    assert_eq!(client.request("textDocument/codeLens", whole.clone()), Value::Null);

    let completion = client.request("textDocument/completion", at(8, 42));
    assert!(completion.to_string().contains("\"twice\""), "{completion}");
    let symbols = client.request("textDocument/documentSymbol", whole.clone());
    let names: Vec<_> = symbols.as_array().unwrap().iter().map(|symbol| &symbol["name"]).collect();
    assert_eq!(names, ["kAdd", "scale", "made"]);
    assert_eq!(symbols[0]["children"].as_array().unwrap().last().unwrap()["name"], "main");
    let folds = client.request("textDocument/foldingRange", whole.clone());
    assert!(folds.as_array().unwrap().iter().any(|fold| fold["startLine"] == 7), "{folds}");

    let tokens = client.request("textDocument/semanticTokens/full", whole);
    let data: Vec<u64> = serde_json::from_value(tokens["data"].clone()).unwrap();
    let mut line = 0;
    let mut lines: Vec<u64> = data
        .chunks(5)
        .map(|token| {
            line += token[0];
            line
        })
        .collect();
    lines.dedup();
    assert!(lines.contains(&8) && lines.contains(&16) && !lines.contains(&12), "{lines:?}");

    let rename = client.request(
        "textDocument/rename",
        json!({"textDocument": {"uri": URI}, "position": {"line": 6, "character": 8}, "newName": "doubled"}),
    );
    let edits = rename["changes"][URI].as_array().unwrap();
    assert_eq!(
        edits.iter().map(|edit| &edit["range"]["start"]["line"]).collect::<Vec<_>>(),
        [6, 8],
        "{rename}"
    );

    let actions = client.request(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": URI},
            "range": {"start": {"line": 6, "character": 37}, "end": {"line": 6, "character": 37}},
            "context": {"diagnostics": []},
        }),
    );
    assert!(!actions.to_string().contains("%23"), "{actions}");

    // An edit above moves everything.
    client.notify(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": URI, "version": 2},
            "contentChanges": [
                {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}}, "text": "\n// é\n"},
                {"range": {"start": {"line": 10, "character": 45}, "end": {"line": 10, "character": 52}}, "text": "1.0"},
            ],
        }),
    );
    let found = reported(&mut client, 2, 2);
    assert_eq!(line_of(&found[0]).0, 19);
    assert_eq!(line_of(&found[1]).0, 22);
    let pulled = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": URI}}));
    assert_eq!(ids(&pulled["items"]), ["type-mismatch", "embedded-part"]);
    let again = client.request(
        "textDocument/diagnostic",
        json!({"textDocument": {"uri": URI}, "previousResultId": pulled["resultId"]}),
    );
    assert_eq!(again["kind"], "unchanged");

    // Settings turn it off, and everything goes.
    let settings = json!({"settings": {"coopmat-analyzer": {"embedded": {"enable": false}}}});
    client.notify("workspace/didChangeConfiguration", settings);
    reported(&mut client, 2, 0);
    assert_eq!(client.request("textDocument/hover", at(10, 40)), Value::Null);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn files_without_shaders_are_quiet() {
    let (mut client, _) = Client::start(&["lsp"], json!({"capabilities": {}}));
    open(&mut client, URI, "cpp", "int main() { return undeclared; }\n");
    open(&mut client, "file:///p/x.rs", "rust", &"fn main() { let glsl = 1; }\n".repeat(1000));
    open(&mut client, "file:///p/x.h", "c", "#pragma once\nint x;\n");
    assert_eq!(client.request("textDocument/hover", at(0, 5)), Value::Null);
    let whole = json!({"textDocument": {"uri": "file:///p/x.rs"}});
    for method in ["documentSymbol", "foldingRange", "codeLens", "semanticTokens/full", "documentLink"] {
        assert_eq!(client.request(&format!("textDocument/{method}"), whole.clone()), Value::Null, "{method}");
    }
    let told = client.arrived();
    assert!(!told.iter().any(|message| message["method"] == "textDocument/publishDiagnostics"), "{told:?}");
    assert_eq!(client.finish(), Some(0));
}
