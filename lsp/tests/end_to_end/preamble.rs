//! What a project file puts before its shaders, on the command line and in the server.

use expect_test::expect;
use serde_json::json;

use crate::command_line::{folder, run_in};
use crate::navigation::Project;

const PROJECT: &str = "\
[[shaders]]
files = [\"*.comp\"]
preamble = [\"types.glsl\"]

[[shaders.configurations]]
name = \"half\"
defines = { HALF = 1 }
preamble-text = '''
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define HALF_ONE 1.0hf
'''
";
const TYPES: &str = "\
#if HALF
#define REAL float16_t
#else
#define REAL float
#endif
REAL twice(REAL x) { return x + x; }
";
const SHADER: &str = "\
#version 450
layout(binding = 0) buffer Data { float data[]; };
void main() {
    REAL one = HALF_ONE;
    data[0] = float(twice(one));
}
";
const FILES: &[(&str, &str)] =
    &[("coopmat-analyzer.toml", PROJECT), ("types.glsl", TYPES), ("a.comp", SHADER)];

#[test]
fn a_shader_is_checked_and_compiled_with_it() {
    let folder = folder(FILES);
    let run = run_in(folder.path(), &["check", "a.comp"], "");
    assert_eq!((run.code, &*run.stdout), (Some(0), ""), "{}", run.stderr);
    let alone = crate::command_line::folder(&[("a.comp", SHADER)]);
    assert_eq!(run_in(alone.path(), &["check", "a.comp"], "").code, Some(1));
    let text = run_in(folder.path(), &["spirv", "a.comp", "-g=lines"], "");
    assert!(text.stdout.contains("types.glsl\""), "{}{}", text.stdout, text.stderr);
}

#[test]
fn what_is_wrong_in_it_is_told_where_it_stands() {
    let project = PROJECT.replace("1.0hf", "missing").replace("types.glsl", "../nowhere.glsl");
    let folder = folder(&[("p/coopmat-analyzer.toml", &project), ("p/a.comp", SHADER)]);
    let run = run_in(&folder.path().join("p"), &["check", "a.comp"], "");
    let shown = run.stdout.replace(folder.path().to_str().unwrap(), "/ROOT");
    expect![[""]].assert_eq(&shown);
}

#[test]
fn its_names_are_known_in_editors() {
    let mut project = Project::start(FILES, json!({}));
    project.open("a.comp");
    let target = |found: &serde_json::Value| {
        let found = if found.is_array() { &found[0] } else { found };
        let uri = found["uri"].as_str().or(found["targetUri"].as_str()).unwrap_or_default();
        let range = if found["range"].is_object() { &found["range"] } else { &found["targetSelectionRange"] };
        format!("{} {}", uri.rsplit('/').next().unwrap_or_default(), range["start"]["line"])
    };
    let twice = project.ask("textDocument/definition", "a.comp", "twice", 1, json!({}));
    assert_eq!(target(&twice), "types.glsl 5");
    let real = project.ask("textDocument/definition", "a.comp", "REAL", 1, json!({}));
    assert_eq!(target(&real), "types.glsl 1");
    let one = project.ask("textDocument/definition", "a.comp", "HALF_ONE", 1, json!({}));
    assert_eq!(target(&one), "coopmat-analyzer.toml 9");
    let offered = project.ask("textDocument/completion", "a.comp", "twice(", 3, json!({})).to_string();
    assert!(offered.contains("\"twice\""), "{offered}");
}

#[test]
fn every_shader_behind_it_is_searched() {
    let mut files = FILES.to_vec();
    files.push(("b.comp", SHADER));
    let mut project = Project::start(&files, json!({}));
    project.open("types.glsl");
    let all = json!({"context": {"includeDeclaration": true}});
    let found = project.ask("textDocument/references", "types.glsl", "twice", 1, all);
    let mut files: Vec<&str> =
        found.as_array().unwrap().iter().filter_map(|one| one["uri"].as_str()).collect();
    files.iter_mut().for_each(|uri| *uri = uri.rsplit('/').next().unwrap_or_default());
    files.sort_unstable();
    assert_eq!(files, ["a.comp", "b.comp", "types.glsl"]);
}
