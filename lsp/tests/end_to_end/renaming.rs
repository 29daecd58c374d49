//! References, renaming and calls across the files and configurations of a project, over the real server's pipes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::navigation::Project;

const TYPES: &str = "#ifndef TYPES
#define TYPES
struct block_a { float d; float m; };
struct block_b { float d; };
#if defined(DATA_A)
#define BLOCK block_a
#elif defined(DATA_B)
#define BLOCK block_b
#else
#define BLOCK block_c
struct block_c { float d; };
#endif
#define FIRST(x) x[0].d
float twice(float x);
float twice(float x) { return x + x; }
#endif
";
const A: &str = "#version 460
#include \"types.glsl\"
layout(binding = 0) buffer Data { BLOCK data[]; };
void main() {
    float scale = FIRST(data);
#ifdef DATA_A
    scale += data[1].m;
#elif defined(NEVER)
    scale += data[2].m + scale;
#endif
    data[1].d = twice(scale);
}
";
const B: &str = "#version 460
#include \"types.glsl\"
layout(binding = 0) buffer Data { block_a data[]; };
void main() { float scale = twice(data[0].m); data[0].m = scale; }
";
const PROJECT: &str = "google-include = true
[[shaders]]
files = [\"a.comp\"]
[[shaders.configurations]]
name = \"a\"
defines = { DATA_A = 1 }
[[shaders.configurations]]
name = \"b\"
defines = { DATA_B = 1 }
";
const FILES: &[(&str, &str)] =
    &[("coopmat-analyzer.toml", PROJECT), ("a.comp", A), ("b.comp", B), ("types.glsl", TYPES)];

fn start() -> Project {
    let capabilities = json!({"workspace": {"workspaceEdit": {"documentChanges": true}}});
    let mut project = Project::start(FILES, capabilities);
    project.open("a.comp");
    project.open("types.glsl");
    project
}

/// `file:line text` of each location.
fn places(project: &Project, locations: &Value) -> Vec<String> {
    let place = |one: &Value| {
        let name = one["uri"].as_str().unwrap().rsplit('/').next().unwrap();
        let line = one["range"]["start"]["line"].as_u64().unwrap() + 1;
        format!("{name}:{line} {}", Project::slice(&project.text(name), &one["range"]))
    };
    locations.as_array().unwrap().iter().map(place).collect()
}

/// The texts of the files that an edit changes, after it.
fn apply(project: &Project, edit: &Value) -> BTreeMap<String, String> {
    let mut changed = BTreeMap::new();
    for document in edit["documentChanges"].as_array().unwrap() {
        let name = document["textDocument"]["uri"].as_str().unwrap().rsplit('/').next().unwrap();
        let open = name != "b.comp";
        assert_eq!(document["textDocument"]["version"], if open { json!(1) } else { Value::Null });
        let mut text = project.text(name);
        for edit in document["edits"].as_array().unwrap().iter().rev() {
            let offset = |position: &Value| {
                let line = position["line"].as_u64().unwrap() as usize;
                let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
                start + position["character"].as_u64().unwrap() as usize
            };
            let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
            text.replace_range(range, edit["newText"].as_str().unwrap());
        }
        changed.insert(name.to_owned(), text);
    }
    changed
}

fn rename(project: &mut Project, name: &str, needle: &str, to: &str) -> BTreeMap<String, String> {
    let edit = project.ask("textDocument/rename", name, needle, 0, json!({"newName": to}));
    apply(project, &edit)
}

fn refused(project: &mut Project, name: &str, needle: &str, to: &str) -> String {
    let params = project.params(name, needle, 0, json!({"newName": to}));
    let id = project.client.begin("textDocument/rename", params);
    let response = project.client.response(id);
    response["error"]["message"].as_str().unwrap_or_else(|| panic!("{response}")).to_owned()
}

#[test]
fn references_are_found_in_closed_shaders_and_other_configurations() {
    let mut project = start();
    let context = json!({"context": {"includeDeclaration": true}});
    let found = project.ask("textDocument/references", "types.glsl", "m; };", 0, context.clone());
    assert_eq!(
        places(&project, &found),
        // The one that no configuration compiles can be no other member.
        ["a.comp:7 m", "a.comp:9 m", "b.comp:4 m", "b.comp:4 m", "types.glsl:3 m"]
    );
    let found = project.ask("textDocument/references", "a.comp", "BLOCK", 0, context.clone());
    assert_eq!(
        places(&project, &found),
        ["a.comp:3 BLOCK", "types.glsl:6 BLOCK", "types.glsl:8 BLOCK", "types.glsl:10 BLOCK"]
    );
    let found = project.ask("textDocument/references", "types.glsl", "DATA_B", 0, context.clone());
    assert_eq!(places(&project, &found), ["types.glsl:7 DATA_B"]);
    let without = json!({"context": {"includeDeclaration": false}});
    let found = project.ask("textDocument/references", "types.glsl", "twice", 0, without);
    assert_eq!(places(&project, &found), ["a.comp:11 twice", "b.comp:4 twice"]);
    // What the language brings is looked for in every shader.
    let found = project.ask("textDocument/references", "types.glsl", "float twice", 0, context);
    assert!(places(&project, &found).contains(&"b.comp:4 float".to_owned()), "{found}");
    assert_eq!(project.client.finish(), Some(0));
}

#[test]
fn a_rename_reaches_every_use_and_nothing_else() {
    let mut project = start();
    // `d` of both structures, since one text reads either; and of the third, which stands in the same macro's place.
    let changed = rename(&mut project, "types.glsl", "d; float m", "delta");
    assert!(changed["types.glsl"].contains("struct block_a { float delta; float m; };"), "{changed:#?}");
    assert!(changed["types.glsl"].contains("struct block_b { float delta; };"), "{changed:#?}");
    assert!(changed["types.glsl"].contains("#define FIRST(x) x[0].delta"), "{changed:#?}");
    assert!(changed["a.comp"].contains("data[1].delta = twice(scale);"), "{changed:#?}");
    assert!(!changed.contains_key("b.comp"));

    let changed = rename(&mut project, "a.comp", "BLOCK", "TILE");
    assert_eq!(changed["types.glsl"], TYPES.replace("#define BLOCK", "#define TILE"));
    assert_eq!(changed["a.comp"], A.replace("BLOCK", "TILE"));

    let changed = rename(&mut project, "types.glsl", "block_a", "block_x");
    assert_eq!(changed["types.glsl"], TYPES.replace("block_a", "block_x"));
    assert_eq!(changed["b.comp"], B.replace("block_a", "block_x"));
    assert_eq!(changed.len(), 2);

    let changed = rename(&mut project, "a.comp", "twice(", "double_");
    assert_eq!(changed["types.glsl"], TYPES.replace("twice", "double_"), "the prototype, too");
    assert_eq!(changed["b.comp"], B.replace("twice", "double_"));

    // The configuration in view leaves it out; another shader compiles it.
    let changed = rename(&mut project, "types.glsl", "block_c", "block_z");
    assert_eq!(changed["types.glsl"], TYPES.replace("block_c", "block_z"));
    assert_eq!(changed.len(), 1);

    // A local, with the use that no configuration compiles.
    let changed = rename(&mut project, "a.comp", "scale = ", "factor");
    assert_eq!(changed["a.comp"], A.replace("scale", "factor"));
    assert_eq!(changed.len(), 1);

    let changed = rename(&mut project, "types.glsl", "x[0]", "values");
    assert_eq!(changed["types.glsl"], TYPES.replace("FIRST(x) x[0]", "FIRST(values) values[0]"));
    assert_eq!(project.client.finish(), Some(0));
}

#[test]
fn what_cannot_be_renamed_says_why() {
    let mut project = start();
    let prepared = project.ask("textDocument/prepareRename", "types.glsl", "block_a", 2, json!({}));
    assert_eq!(prepared["placeholder"], "block_a");
    assert_eq!(Project::slice(TYPES, &prepared["range"]), "block_a");
    let params = project.params("types.glsl", "float d", 0, json!({}));
    let id = project.client.begin("textDocument/prepareRename", params);
    let message = project.client.response(id)["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "`float` is a type of the language: it cannot be renamed");

    let mut check = |name: &str, needle: &str, to: &str, expected: &str| {
        let message = refused(&mut project, name, needle, to);
        assert!(message.contains(expected), "{message}");
    };
    check("a.comp", "NEVER", "nothing here", "not a valid name");
    check("types.glsl", "DATA_A", "DATA_X", "the configuration `a` defines `DATA_A`");
    check("a.comp", "main", "start", "the entry point");
    check("types.glsl", "block_a", "gl_block", "reserved");
    check("types.glsl", "block_a", "block__a", "two consecutive underscores");
    check("types.glsl", "block_a", "float", "a type of the language");
    check("types.glsl", "block_a", "for", "a keyword");
    check("types.glsl", "block_a", "1a", "not a valid name");
    check("types.glsl", "block_a", "block_b", "already");
    // In the other configuration the name is taken.
    check("a.comp", "scale = ", "data", "would refer to another");
    check("types.glsl", "twice", "max", "a built-in function");
    assert_eq!(project.client.finish(), Some(0));
}

#[test]
fn calls_are_followed_in_both_directions() {
    let mut project = start();
    let items = project.ask("textDocument/prepareCallHierarchy", "a.comp", "twice(", 1, json!({}));
    assert_eq!(items[0]["name"], "twice");
    assert_eq!(items[0]["detail"], "float(float x)");
    assert_eq!(items[0]["uri"], project.uri("types.glsl"));
    let calls = project.client.request("callHierarchy/incomingCalls", json!({"item": items[0]}));
    let from: Vec<&str> =
        calls.as_array().unwrap().iter().map(|call| call["from"]["uri"].as_str().unwrap()).collect();
    assert_eq!(from, [project.uri("a.comp"), project.uri("b.comp")]);
    assert_eq!(Project::slice(A, &calls[0]["fromRanges"][0]), "twice");
    assert_eq!(calls[0]["from"]["name"], "main");
    let calls = project.client.request("callHierarchy/outgoingCalls", json!({"item": calls[1]["from"]}));
    assert_eq!(calls[0]["to"]["name"], "twice");
    assert_eq!(Project::slice(B, &calls[0]["fromRanges"][0]), "twice");
    assert_eq!(project.client.finish(), Some(0));
}
