//! The command line: what it prints and how it exits.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::expect;
use serde_json::Value;

use crate::client::BINARY;

const BAD: &str = "#version 450\nvoid main() {\n    int first = missing;\n    first++;\n}\n";
const GOOD: &str = "#version 450\nvoid main() {\n}\n";

pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

pub fn run_in(folder: &Path, arguments: &[&str], input: &str) -> Run {
    let mut child = Command::new(BINARY)
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { stdout: text(stdout), stderr: text(stderr), code: status.code() }
}

pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn a_finding_is_shown_in_its_source() {
    let folder = folder(&[("a.comp", BAD)]);
    let run = run_in(folder.path(), &["check", "a.comp"], "");
    assert_eq!(run.code, Some(1));
    expect![[r#"
        error[undeclared-name]: `missing` is not declared
         --> a.comp:3:17
          |
        3 |     int first = missing;
          |                 ^^^^^^^

    "#]]
    .assert_eq(&run.stdout);
    expect![[r#"
        1 file checked: 1 error; run `coopmat-analyzer explain undeclared-name` for details
    "#]]
    .assert_eq(&run.stderr);
    let coloured = run_in(folder.path(), &["check", "--color", "always", "a.comp"], "");
    assert!(coloured.stdout.contains("\u{1b}["));
}

/// A generated file may be one line: it is neither walked nor printed whole for each of its findings.
#[test]
fn a_very_long_line_is_cut() {
    let statements = "a = a + missing;".repeat(5000);
    let folder = folder(&[(
        "a.comp",
        &format!(
            "#version 450
void main() {{ int a = 0; {statements} }}
"
        ),
    )]);
    let run = run_in(folder.path(), &["check", "a.comp"], "");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("5000 errors"), "{}", run.stderr);
    let last = run.stdout.split("error[").last().unwrap();
    let column = "void main() { int a = 0; ".len() + 4999 * "a = a + missing;".len() + "a = a + ".len() + 1;
    assert!(
        last.contains(&format!(
            "--> a.comp:2:{column}
"
        )),
        "{last}"
    );
    assert!(
        last.contains("a = a + missing;")
            && last.contains(
                "^^^^^^^
"
            ),
        "{last}"
    );

    let json: Value =
        serde_json::from_str(&run_in(folder.path(), &["check", "--format", "json", "a.comp"], "").stdout)
            .unwrap();
    assert_eq!(json["findings"][4999]["location"]["start"]["column"], column);
    assert_eq!(json["findings"][4999]["location"]["end"]["column"], column + "missing".len());
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = folder(&[("a.comp", GOOD)]);
    for define in ["", "=1", "1A=3", "A B"] {
        let run = run_in(folder.path(), &["check", "-D", define, "a.comp"], "");
        assert_eq!(run.code, Some(2), "{define}");
        assert!(run.stderr.contains("is not a valid macro name"), "{}", run.stderr);
    }
    for define in ["A", "A=", "F(x)=x=1"] {
        assert_eq!(run_in(folder.path(), &["check", "-D", define, "a.comp"], "").code, Some(0), "{define}");
    }
    let run = run_in(folder.path(), &["check", "--subgroup-size", "33", "a.comp"], "");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("power of two"), "{}", run.stderr);
}

#[test]
fn folders_are_searched_and_headers_told_once() {
    let header = "int helper = nothing;\n";
    let user = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"../common.glsl\"\nvoid main() {}\n";
    let folder = folder(&[
        ("common.glsl", header),
        ("sub/a.comp", user),
        ("sub/b.comp", user),
        ("sub/good.comp", GOOD),
        ("ignored/c.comp", BAD),
        (".gitignore", "ignored/\n"),
    ]);
    let run = run_in(folder.path(), &["check", "."], "");
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert_eq!(run.stdout.matches("error[undeclared-name]").count(), 1, "{}", run.stdout);
    assert!(run.stdout.contains("--> common.glsl:1:14"), "{}", run.stdout);
    assert!(run.stderr.starts_with("3 files checked: 1 error"), "{}", run.stderr);
}

/// A header that is named beside its shader is looked at as part of that, which is one shader still.
#[test]
fn a_shader_and_its_header_are_one_shader() {
    let user = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"h.glsl\"\nvoid main() {}\n";
    let folder = folder(&[("h.comp", user), ("h.glsl", "int helper = nothing;\n"), ("i.comp", user)]);
    let run = run_in(folder.path(), &["check", "h.comp", "h.glsl"], "");
    assert_eq!(run.stdout.matches("error[undeclared-name]").count(), 1, "{}", run.stdout);
    assert!(!run.stdout.contains("configurations"), "{}", run.stdout);
    let run = run_in(folder.path(), &["check", "h.comp", "h.glsl", "i.comp"], "");
    assert!(run.stdout.contains("in all 2 configurations of 2 shaders"), "{}", run.stdout);
}

#[test]
fn exit_codes_say_what_happened() {
    let unused = "#version 450\nlayout(local_size_x = 1) in;\nshared int v;\nvoid main() { v = 1 << 40; }\n";
    let folder =
        folder(&[("good.comp", GOOD), ("bad.comp", BAD), ("warning.comp", unused), ("empty/x.txt", "")]);
    let code = |arguments: &[&str]| run_in(folder.path(), arguments, "").code;
    assert_eq!(code(&["check", "good.comp"]), Some(0));
    assert_eq!(code(&["check", "good.comp", "bad.comp"]), Some(1));
    assert_eq!(code(&["check", "warning.comp"]), Some(0));
    assert_eq!(code(&["check", "warning.comp", "--deny", "warnings"]), Some(1));
    assert_eq!(code(&["check", "nothing.comp"]), Some(2));
    assert_eq!(code(&["check", "empty"]), Some(2), "no shader was found");
    assert_eq!(code(&["check"]), Some(2));
    assert_eq!(code(&["check", "good.comp", "--target-env", "metal"]), Some(2));
    assert_eq!(code(&["--version"]), Some(0));
}

#[test]
fn standard_input_is_checked_in_the_place_it_stands_for() {
    let folder = folder(&[("shaders/size.glsl", "#define SIZE 4\n")]);
    let text =
        "#version 450\n#include \"size.glsl\"\nfloat table[SIZE];\nvoid main() { table[0] = VALUE; }\n";
    let arguments = ["check", "-", "--stdin-path", "shaders/x.comp", "--google-include", "-DVALUE=1.0"];
    let run = run_in(folder.path(), &arguments, text);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let run = run_in(folder.path(), &["check", "-", "-I", "shaders", "--google-include"], text);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("`VALUE`"), "{}", run.stdout);
}

/// It is one of every shader that the file is for.
#[test]
fn a_mistake_in_a_project_file_is_told_once() {
    const PLAIN: &str = "#version 450\nvoid main() {}\n";
    let folder = folder(&[
        ("coopmat-analyzer.toml", "foo = 3\n"),
        ("a.comp", PLAIN),
        ("b.comp", PLAIN),
        ("sub/c.comp", PLAIN),
    ]);
    for (arguments, told) in [
        (&["check", "."][..], "coopmat-analyzer.toml:1: "),
        (&["check", "a.comp", "b.comp"], "coopmat-analyzer.toml:1: "),
        (&["check", ".", "--project", "sub"], "sub: not a file"),
    ] {
        let run = run_in(folder.path(), arguments, "");
        assert_eq!(run.code, Some(2));
        assert_eq!(run.stderr.matches(told).count(), 1, "{}", run.stderr);
    }
}

#[test]
fn the_project_file_configures() {
    let project = "[[shaders]]\nfiles = [\"*.comp\"]\nin-view = \"small\"\n\n[[shaders.configurations]]\nname = \"small\"\ndefines = { missing = 1 }\n\n[[shaders.configurations]]\nname = \"large\"\n";
    let folder = folder(&[
        ("coopmat-analyzer.toml", project),
        ("sub/a.comp", BAD),
        ("none/coopmat-analyzer.toml", ""),
    ]);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, "");
    assert_eq!(run(&["check", "sub/a.comp"]).code, Some(0));
    let all = run(&["check", "sub", "--all-configs"]);
    assert_eq!(all.code, Some(1));
    assert!(all.stdout.contains("in 1 of 2 configurations: `large`"), "{}", all.stdout);
    assert_eq!(run(&["check", "sub/a.comp", "--config", "large"]).code, Some(1));
    let unknown = run(&["check", "sub/a.comp", "--config", "huge"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("no configuration `huge`; expected small, large"), "{}", unknown.stderr);
    assert_eq!(run(&["check", "sub/a.comp", "--project", "none/coopmat-analyzer.toml"]).code, Some(1));
    std::fs::write(folder.path().join("coopmat-analyzer.toml"), "\nnonsense = 1\n").unwrap();
    let broken = run(&["check", "sub/a.comp"]);
    assert_eq!(broken.code, Some(2));
    assert!(broken.stderr.contains("coopmat-analyzer.toml:2: "), "{}", broken.stderr);
}

#[test]
fn a_device_is_built_in_or_read_from_a_file() {
    let project = "device = \"mine.json\"\n";
    let mine = r#"{"name": "mine", "subgroupSize": {"default": 64, "min": 64, "max": 64}}"#;
    let folder = folder(&[
        ("a.comp", GOOD),
        ("p/b.comp", GOOD),
        ("p/coopmat-analyzer.toml", project),
        ("p/mine.json", mine),
    ]);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, "");
    assert_eq!(run(&["check", "a.comp", "--device", "nvidia-h200"]).code, Some(0));
    assert_eq!(run(&["check", "a.comp", "--device", "p/mine.json"]).code, Some(0));
    assert_eq!(run(&["check", "p/b.comp"]).code, Some(0));
    let unknown = run(&["check", "a.comp", "--device", "toaster"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("unknown device `toaster`"), "{}", unknown.stderr);
    std::fs::write(folder.path().join("p/mine.json"), "{").unwrap();
    let broken = run(&["check", "p/b.comp"]);
    assert_eq!(broken.code, Some(2));
    assert!(broken.stderr.contains("p/mine.json: "), "{}", broken.stderr);
}

#[test]
fn json_for_programs() {
    let folder = folder(&[("a.comp", "#version 450\nvoid main() { /* é */ missing; }\n")]);
    let run = run_in(folder.path(), &["check", "--format", "json", "a.comp"], "");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["summary"]["error"], 1);
    let finding = &report["findings"][0];
    assert_eq!(finding["id"], "undeclared-name");
    assert_eq!(finding["location"]["path"], "a.comp");
    assert_eq!(finding["location"]["start"], serde_json::json!({"line": 2, "column": 23, "offset": 36}));
}

/// What the SARIF 2.1.0 schema requires of the parts that are written, and what code-scanning services need beyond.
#[test]
fn sarif_for_code_scanning() {
    let folder = folder(&[("a b.comp", BAD)]);
    let run = run_in(folder.path(), &["check", "--format", "sarif", "a b.comp"], "");
    assert_eq!(run.code, Some(1));
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "coopmat-analyzer");
    let rules = driver["rules"].as_array().unwrap();
    for rule in rules {
        assert!(rule["id"].is_string() && rule["shortDescription"]["text"].is_string());
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["none", "note", "warning", "error"].contains(&level));
    }
    let result = &run["results"][0];
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(rules[index]["id"], result["ruleId"]);
    assert_eq!(result["level"], "error");
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "a%20b.comp");
    assert_eq!(
        location["region"],
        serde_json::json!({"startLine": 3, "startColumn": 17, "endLine": 3, "endColumn": 24})
    );
}

#[test]
fn pages_are_explained() {
    let here = Path::new(".");
    let page = run_in(here, &["explain", "coopmat-muladd-shape"], "");
    assert_eq!(page.code, Some(0));
    assert!(page.stdout.starts_with("# coopmat-muladd-shape\n\n**error**: "), "{}", page.stdout);
    let list = run_in(here, &["explain"], "");
    assert!(list.stdout.lines().any(|line| line.starts_with("coopmat-operand-use ")));
    let wrong = run_in(here, &["explain", "coopmat-muladd-shpae"], "");
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("did you mean `coopmat-muladd-shape`?"), "{}", wrong.stderr);
}

#[test]
fn completions_and_version() {
    let here = Path::new(".");
    assert!(run_in(here, &["completions", "bash"], "").stdout.contains("coopmat-analyzer"));
    assert!(run_in(here, &["--version"], "").stdout.starts_with("coopmat-analyzer "));
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = folder(&[("a.comp", &BAD.replace("first++;", &"missing;\n".repeat(3000)))]);
    let mut child = Command::new(BINARY)
        .args(["check", "a.comp"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
