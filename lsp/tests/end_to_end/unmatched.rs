//! What of a project file has no effect is a warning of `check`.

use expect_test::expect;

use crate::command_line::{folder, run_in};

const GOOD: &str = "#version 450\nvoid main() {\n}\n";
const PROJECT: &str = "ignore = [\"build/\"]
[diagnostics.\"old/*\"]
unused-variable = \"allow\"
[[shaders]]
files = [\"*.comp\", \"kernles/*.comp\", \"!gone.comp\"]
[[shaders]]
files = [\"generated/*.comp\", \"host.cpp#main\", \"tables.glsl\"]
";

#[test]
fn globs_that_match_no_file_are_warned_of() {
    let folder = folder(&[
        ("coopmat-analyzer.toml", PROJECT),
        ("a.comp", GOOD),
        (".gitignore", "generated/\n"),
        ("generated/b.comp", GOOD),
        ("host.cpp", ""),
        ("tables.glsl", ""),
    ]);
    let run = run_in(folder.path(), &["check", "."], "");
    expect![[r#"
        warning: coopmat-analyzer.toml:2:14: no file matches `old/*`
        warning: coopmat-analyzer.toml:5:20: no file matches `kernles/*.comp`
        1 file checked, no problems
    "#]]
    .assert_eq(&run.stderr);
    assert_eq!(run.code, Some(0));
    let quiet = run_in(folder.path(), &["check", "-q", "."], "");
    assert_eq!(quiet.stderr, "");
    // One file is not a reason to search for others.
    assert!(!run_in(folder.path(), &["check", "a.comp"], "").stderr.contains("warning"));
}

#[test]
fn a_project_that_says_nothing_about_the_files_says_so() {
    let folder = folder(&[
        ("p/coopmat-analyzer.toml", "[[shaders]]\nfiles = \"*.comp\"\n"),
        ("p/b.comp", GOOD),
        ("for-all.toml", "subgroup-size = 32\n"),
        ("a.comp", GOOD),
    ]);
    let warned = |project: &str, file: &str| {
        let run = run_in(folder.path(), &["check", "--project", project, file], "");
        run.stderr.lines().filter(|line| line.starts_with("warning")).collect::<Vec<_>>().join("\n")
    };
    let nothing = "warning: p/coopmat-analyzer.toml: no entry and no import names any of the files: only the settings for all shaders apply";
    assert_eq!(warned("p/coopmat-analyzer.toml", "a.comp"), nothing);
    assert_eq!(warned("p/coopmat-analyzer.toml", "p/b.comp"), "");
    assert_eq!(warned("for-all.toml", "a.comp"), "");
}
