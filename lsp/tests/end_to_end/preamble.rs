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
    expect![[r#"
        error[preprocessor-include-not-found]: cannot read the preamble `/ROOT/nowhere.glsl`: `/ROOT/nowhere.glsl` is outside the folders that may be read here (`/ROOT/p`); move it there, or allow its folder: with `--allow-dir FOLDER` on the command line, or the setting `allowDirs` in an editor
         --> a.comp:1:1
          |
        1 | #version 450
          | ^
          |
          = note: in the configuration `half`

        error[undeclared-type]: no type is called `REAL`
         --> a.comp:4:5
          |
        4 |     REAL one = HALF_ONE;
          |     ^^^^
          |
          = note: in the configuration `half`

        error[undeclared-name]: `missing` is not declared
          --> a.comp:4:16
           |
         4 |     REAL one = HALF_ONE;
           |                ^^^^^^^^
           |
          ::: coopmat-analyzer.toml:10:18
           |
        10 | #define HALF_ONE missing
           |         -------- ------- written here, in the macro
           |         |
           |         in the expansion of the macro `HALF_ONE`
           |
           = note: in the configuration `half`

        error[undeclared-name]: no function is called `twice`
         --> a.comp:5:21
          |
        5 |     data[0] = float(twice(one));
          |                     ^^^^^
          |
          = note: in the configuration `half`

    "#]].assert_eq(&shown);
}

/// A file that is not there is told where the project file names it, until it is there.
#[test]
fn a_file_that_is_missing_is_told_in_the_project_file() {
    let project = PROJECT.replace("types.glsl", "nowhere.glsl");
    let mut project = Project::start(&[("coopmat-analyzer.toml", &project), ("a.comp", SHADER)], json!({}));
    project.open("a.comp");
    let told = |message: &serde_json::Value, count: usize| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["uri"].as_str().is_some_and(|uri| uri.ends_with("coopmat-analyzer.toml"))
            && message["params"]["diagnostics"].as_array().is_some_and(|list| list.len() == count)
    };
    let message = project.client.wait(|message| told(message, 1));
    let problem = &message["params"]["diagnostics"][0];
    let expected = json!({"start": {"line": 2, "character": 12}, "end": {"line": 2, "character": 26}});
    assert_eq!(problem["range"], expected);
    assert_eq!(problem["severity"], 1);
    let text = problem["message"].as_str().unwrap();
    assert!(
        text.starts_with("there is no file ") && text.contains("/nowhere.glsl: add it, or correct its path"),
        "{text}"
    );
    project.write("nowhere.glsl", TYPES);
    project.client.wait(|message| told(message, 0));
    assert_eq!(project.client.finish(), Some(0));
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

/// As ncnn has its shaders: a file of macros that asks for options, and a part that is called as a shader is.
#[test]
fn parts_that_are_called_like_shaders_are_checked_with_those_that_use_them() {
    let project = "\
[[shaders]]
files = [\"shaders/*.comp\"]
preamble = [\"macros.comp\"]

[[shaders.configurations]]
name = \"half\"
defines = [\"OPTION_half=1\"]
preamble-text = '''
#extension GL_EXT_shader_16bit_storage: require
'''

[[shaders.configurations]]
name = \"full\"
";
    let macros = "\
#if OPTION_half
#define stored float16_t
#define load(buffer, i) float(buffer[i])
#else
#define stored float
#define load(buffer, i) buffer[i]
#endif
";
    let shader = "\
#version 450
#extension GL_GOOGLE_include_directive : enable
#include \"activation.comp\"
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { stored data[]; };
void main() {
    data[0] = stored(activated(load(data, 1)));
}
";
    let part = "float activated(float v) { return max(v, 0.0); }\n";
    let files = [
        ("coopmat-analyzer.toml", project),
        ("macros.comp", macros),
        ("shaders/a.comp", shader),
        ("shaders/activation.comp", part),
    ];
    let folder = folder(&files);
    let run = run_in(folder.path(), &["check", "--all-configs", "."], "");
    assert_eq!(
        (run.code, &*run.stderr),
        (Some(0), "1 file checked under 2 configurations, no problems\n"),
        "{}",
        run.stdout
    );
    // Named, it is still no shader.
    let run = run_in(folder.path(), &["check", "shaders/activation.comp"], "");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("is checked as part of shaders/a.comp"), "{}", run.stderr);
    // And without the project file nothing of this is known.
    std::fs::remove_file(folder.path().join("coopmat-analyzer.toml")).unwrap();
    assert_eq!(run_in(folder.path(), &["check", "shaders"], "").code, Some(1));
}

#[test]
fn a_header_that_is_named_is_checked_as_part_of_a_shader() {
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : enable\n#define ONE 1\n#include \"part.glsl\"\nvoid main() {}\n";
    let part = "int one() { return ONE; }\nint two() { return two_of_them; }\n";
    let folder = folder(&[("a.comp", shader), ("part.glsl", part), ("alone.glsl", part)]);
    let run = run_in(folder.path(), &["check", "part.glsl"], "");
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains("`two_of_them` is not declared") && !run.stdout.contains("`ONE`"),
        "{}",
        run.stdout
    );
    let run = run_in(folder.path(), &["check", "alone.glsl"], "");
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.starts_with("info[header-alone]") && !run.stdout.contains("error"), "{}", run.stdout);
    let accepted = run_in(folder.path(), &["check", "--allow-unanalysed", "header-alone", "alone.glsl"], "");
    assert_eq!(accepted.code, Some(0), "{}", accepted.stdout);
}

/// `main` stands in a header that shaders share, or only one configuration includes it.
#[test]
fn a_header_is_checked_in_the_configuration_that_includes_it() {
    let project = "\
[[shaders]]
files = \"a.comp\"
[[shaders.configurations]]
name = \"plain\"
[[shaders.configurations]]
name = \"shared\"
defines = { SHARED = \"float\" }
";
    let shader = "\
#version 450
#extension GL_GOOGLE_include_directive : enable
#ifdef SHARED
#include \"shared_main.glsl\"
#else
void main() {}
#endif
";
    let main = "void main() { SHARED value = missing; }\n";
    let folder =
        folder(&[("coopmat-analyzer.toml", project), ("a.comp", shader), ("shared_main.glsl", main)]);
    for arguments in
        [&["check", "shared_main.glsl"][..], &["check", "--config", "shared", "shared_main.glsl"]]
    {
        let run = run_in(folder.path(), arguments, "");
        assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
        assert_eq!(run.stdout.matches("error").count(), 1, "{}", run.stdout);
        assert!(run.stdout.contains("`missing` is not declared"), "{}", run.stdout);
        assert!(run.stderr.contains("is checked as part of a.comp"), "{}", run.stderr);
    }
}
