//! What the command line tells of what it finds: comments in the source allow some of it.

use serde_json::Value;

use crate::command_line::{folder, run_in};

const SHADER: &str = "#version 450
layout(local_size_x = 1) in;
shared int value;
void main() {
    // coopmat-analyzer: allow(shift-out-of-range): nobody reads it
    value = SHIFT;
    value = 1 << 50;
}
";

/// The ids of a report in JSON.
fn ids(report: &str) -> Vec<String> {
    let report: Value = serde_json::from_str(report).unwrap();
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_the_source_allows_is_told_in_no_format_and_not_counted() {
    let folder = folder(&[("a.comp", SHADER)]);
    let check = |arguments: &[&str]| {
        run_in(folder.path(), &[&["check", "-DSHIFT=1 << 40", "a.comp"], arguments].concat(), "")
    };
    let text = check(&["--all", "--deny", "warnings"]);
    assert_eq!(text.stdout.matches("shift-out-of-range").count(), 1, "{}", text.stdout);
    assert!(text.stdout.contains("a.comp:7:15"), "{}", text.stdout);
    assert!(text.stderr.starts_with("1 file checked: 1 warning"), "{}", text.stderr);
    assert_eq!(text.code, Some(1));
    assert_eq!(ids(&check(&["--format", "json"]).stdout), ["shift-out-of-range"]);
    let sarif: Value = serde_json::from_str(&check(&["--format", "sarif"]).stdout).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn an_allow_is_superfluous_where_no_configuration_needs_it() {
    let project = |wide: &str| {
        format!(
            "[[shaders]]\nfiles = \"*.comp\"\n[[shaders.configurations]]\nname = \"a\"\ndefines = {{ SHIFT = 1 }}\n\
             [[shaders.configurations]]\nname = \"b\"\ndefines = {{ SHIFT = \"{wide}\" }}\n"
        )
    };
    let check = |wide: &str| {
        let folder = folder(&[("a.comp", SHADER), ("coopmat-analyzer.toml", &project(wide))]);
        ids(&run_in(folder.path(), &["check", "--all", "--all-configs", "--format", "json", "a.comp"], "")
            .stdout)
    };
    assert_eq!(check("1 << 40"), ["shift-out-of-range"]);
    assert_eq!(check("2"), ["unused-allow", "shift-out-of-range"]);
}

#[test]
fn pages_say_what_can_be_allowed() {
    let page = |id: &str| run_in(std::path::Path::new("."), &["explain", id], "").stdout;
    assert!(page("shift-out-of-range").contains("`// coopmat-analyzer: allow(shift-out-of-range)`"));
    assert!(page("type-mismatch").contains("This is an error of the language and cannot be allowed."));
}

const TWO: &str = "#version 450
#extension GL_GOOGLE_include_directive : require
#include \"old/header.glsl\"
layout(local_size_x = 1) in;
shared int value;
void main() {
    value = 1 << 40;
    old();
}
";
const HEADER: &str = "void old() { int unused = 1 << 41; }\n";

#[test]
fn the_project_file_says_how_loudly_by_id_and_by_file() {
    let check = |diagnostics: &str| {
        let files = [("a.comp", TWO), ("old/header.glsl", HEADER), ("coopmat-analyzer.toml", diagnostics)];
        let folder = folder(&files);
        let run = run_in(folder.path(), &["check", "--format", "json", "a.comp"], "");
        let report: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        let severities = report["findings"].as_array().into_iter().flatten();
        let severities: Vec<_> =
            severities.map(|finding| finding["severity"].as_str().unwrap().to_owned()).collect();
        (severities.join(" "), run.code, run.stderr)
    };
    assert_eq!(check("").0, "warning warning");
    let (severities, code, _) = check("[diagnostics]\nshift-out-of-range = \"error\"\n");
    assert_eq!((severities.as_str(), code), ("error error", Some(1)));
    let by_glob = "[diagnostics]\nshift-out-of-range = \"information\"\n[diagnostics.\"old/\"]\nshift-out-of-range = \"allow\"\n";
    let (severities, code, _) = check(by_glob);
    assert_eq!((severities.as_str(), code), ("information", Some(0)));
    let (_, code, stderr) = check("[diagnostics]\ntype-mismatch = \"allow\"\n");
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("coopmat-analyzer.toml:2: `type-mismatch` is an error of the language"),
        "{stderr}"
    );
}

#[test]
fn options_come_before_the_project_file_and_after_the_source() {
    let project = "[diagnostics]\nshift-out-of-range = \"information\"\n";
    let folder = folder(&[("a.comp", SHADER), ("coopmat-analyzer.toml", project)]);
    let check = |options: &[&str]| {
        run_in(folder.path(), &[&["check", "-DSHIFT=1 << 40", "a.comp"], options].concat(), "")
    };
    let summary = |options: &[&str]| {
        let run = check(options);
        (run.stderr.split([':', ';']).nth(1).unwrap_or_default().trim().to_owned(), run.code)
    };
    assert_eq!(summary(&[]), ("1 remark".to_owned(), Some(0)));
    assert_eq!(summary(&["--warn", "shift-out-of-range"]), ("1 warning".to_owned(), Some(0)));
    assert_eq!(summary(&["--deny", "unused-variable, shift-out-of-range"]), ("1 error".to_owned(), Some(1)));
    let allowed = check(&["--allow=unused-variable", "--allow=shift-out-of-range", "--deny", "warnings"]);
    assert_eq!((allowed.stdout.as_str(), allowed.code), ("", Some(0)));
}

#[test]
fn options_refuse_what_has_no_such_level() {
    let refused = |options: &[&str]| {
        let run = run_in(std::path::Path::new("."), &[&["check", "a.comp"], options].concat(), "");
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        run.stderr
    };
    assert!(refused(&["--allow", "unused-varaible"]).contains("did you mean `unused-variable`?"));
    assert!(
        refused(&["--allow", "type-mismatch"]).contains("is an error of the language and cannot be allowed")
    );
    assert!(refused(&["--warn", "type-mismatch"]).contains("cannot be allowed or reported at a lower level"));
    assert!(refused(&["--deny", "warning"]).contains("there is no diagnostic `warning`"));
    let two = refused(&["--allow", "unused-variable", "--deny", "unused-variable"]);
    assert!(two.contains("`unused-variable` is given two levels"), "{two}");
}

const UNBOUND: &str = "#version 450
layout(local_size_x = 1) in;
buffer Data { float value; };
void main() { value = 1.0; }
";

#[test]
fn what_glslang_refuses_is_told_where_it_is_asked_for() {
    let check = |project: &str, arguments: &[&str]| {
        let folder = folder(&[("a.comp", UNBOUND), ("coopmat-analyzer.toml", project)]);
        let run = run_in(folder.path(), &[&["check", "--format", "json", "a.comp"], arguments].concat(), "");
        (ids(&run.stdout).join(" "), run.code)
    };
    let own = ("missing-binding".to_owned(), Some(0));
    let refused = ("glslang-missing-binding".to_owned(), Some(1));
    assert_eq!(check("", &[]), own);
    assert_eq!(check("", &["--like", "glslang"]), refused);
    assert_eq!(check("like = \"glslang\"\n", &[]), refused);
    assert_eq!(check("[[shaders]]\nfiles = \"*.comp\"\nlike = \"glslang\"\n", &[]), refused);
    assert_eq!(check("[[shaders]]\nfiles = \"*.frag\"\nlike = \"glslang\"\n", &[]), own);
    // Unlike an error of the language it can be allowed, and told less loudly.
    assert_eq!(check("", &["--like", "glslang", "--allow", "glslang-missing-binding"]), own);
    let warned = check("like = \"glslang\"\n[diagnostics]\nglslang-missing-binding = \"warning\"\n", &[]);
    assert_eq!(warned, (refused.0, Some(0)));
    let unknown = run_in(std::path::Path::new("."), &["check", "--like", "dxc", "a.comp"], "");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("expected one of glslang"), "{}", unknown.stderr);
}

/// Such a shader is valid.
#[test]
fn what_glslang_refuses_is_compiled_all_the_same() {
    let folder = folder(&[("a.comp", UNBOUND), ("coopmat-analyzer.toml", "like = \"glslang\"\n")]);
    let run = run_in(folder.path(), &["spirv", "a.comp"], "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}
