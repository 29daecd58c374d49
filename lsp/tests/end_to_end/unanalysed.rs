//! What `check` says of files that were not looked at whole.

use serde_json::Value;

use crate::command_line::{folder, run_in};

const RAYS: &str = "#version 460
#extension GL_NV_bindless_texture : require
layout(local_size_x = 1) in;
void main() {}
";

const EMPTY: &str = "#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}\n";

#[test]
fn an_extension_that_is_not_analysed_fails_unless_it_is_named() {
    let folder = folder(&[("a.comp", RAYS), ("b.comp", EMPTY)]);
    let check = |options: &[&str]| run_in(folder.path(), &[&["check", "."], options].concat(), "");
    let told = check(&[]);
    assert!(
        told.stdout.contains("warning[not-analysed]: GL_NV_bindless_texture is not analysed"),
        "{}",
        told.stdout
    );
    assert!(
        told.stderr
            .contains("\n1 file not analysed; accept this with `--allow-unanalysed GL_NV_bindless_texture`"),
        "{}",
        told.stderr
    );
    assert_eq!(told.code, Some(1));
    let other = check(&["--allow-unanalysed", "GL_EXT_ray_tracing,preprocessor-output-limit"]);
    assert_eq!(other.code, Some(1));
    let allowed = check(&["--allow-unanalysed", "GL_NV_bindless_texture", "--deny", "warnings"]);
    assert!(allowed.stdout.contains("info[not-analysed]"), "{}", allowed.stdout);
    assert!(allowed.stderr.contains("1 file not analysed, which is allowed"), "{}", allowed.stderr);
    assert_eq!(allowed.code, Some(0));
}

#[test]
fn what_all_enables_is_named_too() {
    let shader = "#version 310 es\n#extension all : warn\nlayout(local_size_x = 1) in;\nvoid main() { yuvCscStandardEXT query; }\n";
    let folder = folder(&[("a.comp", shader)]);
    let check = |options: &[&str]| run_in(folder.path(), &[&["check", "a.comp"], options].concat(), "");
    let told = check(&[]);
    let hint = "1 file not analysed; accept this with `--allow-unanalysed GL_EXT_YUV_target`";
    assert!(told.stderr.contains(hint), "{}", told.stderr);
    assert_eq!(told.code, Some(1));
    assert_eq!(check(&["--allow-unanalysed", "GL_EXT_YUV_target"]).code, Some(0));
}

#[test]
fn neither_levels_nor_comments_make_less_of_it() {
    let comment = "// coopmat-analyzer: allow(not-analysed)\n";
    let folder = folder(&[("a.comp", &format!("{comment}{RAYS}"))]);
    let check = |options: &[&str]| run_in(folder.path(), &[&["check", "a.comp"], options].concat(), "");
    let told = check(&[]);
    assert!(told.stdout.contains("unusable-allow"), "{}", told.stdout);
    assert_eq!(told.code, Some(1));
    let refused = check(&["--allow", "not-analysed"]);
    assert!(refused.stderr.contains("accept it by the name of the extension"), "{}", refused.stderr);
    assert_eq!(refused.code, Some(2));
    assert!(check(&["--deny", "not-analysed"]).stdout.contains("error[not-analysed]"));
    for (name, why) in [
        ("not-analysed", "give the name of the extension"),
        ("nesting-to-deep", "did you mean `nesting-too-deep`?"),
    ] {
        let refused = check(&["--allow-unanalysed", name]);
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
        assert_eq!(refused.code, Some(2));
    }
}

#[test]
fn the_project_file_names_what_is_all_right() {
    let check = |project: &str| {
        let folder = folder(&[("rays/a.comp", RAYS), ("coopmat-analyzer.toml", project)]);
        let run = run_in(folder.path(), &["check", "rays/a.comp"], "");
        (run.code, run.stderr)
    };
    assert_eq!(check("").0, Some(1));
    assert_eq!(check("allow-unanalysed = \"GL_NV_bindless_texture\"\n").0, Some(0));
    let some = |files: &str| {
        format!("[[shaders]]\nfiles = [\"{files}\"]\nallow-unanalysed = [\"GL_NV_bindless_texture\"]\n")
    };
    assert_eq!(check(&some("rays/**")).0, Some(0));
    assert_eq!(check(&some("other/**")).0, Some(1));
    let (code, stderr) = check("allow-unanalysed = [\"not-analysed\"]\n");
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("coopmat-analyzer.toml:1: `not-analysed` is reported for extensions"),
        "{stderr}"
    );
}

#[test]
fn programs_are_told_which_files_and_why() {
    let folder = folder(&[("a.comp", RAYS), ("b.comp", EMPTY)]);
    let report = |format: &str| -> Value {
        let run = run_in(folder.path(), &["check", "--format", format, "."], "");
        assert_eq!(run.code, Some(1));
        serde_json::from_str(&run.stdout).unwrap()
    };
    let json = report("json");
    let files = serde_json::json!([{"path": "a.comp", "names": [{"name": "GL_NV_bindless_texture", "allowed": false}]}]);
    assert_eq!(json["not-analysed"], files);
    assert_eq!(json["summary"]["not-analysed"], 1);
    assert_eq!(json["findings"][0]["not-analysed"], "GL_NV_bindless_texture");
    let sarif = report("sarif");
    assert_eq!(sarif["runs"][0]["properties"]["notAnalysed"], files);
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "warning");
}

#[test]
fn limits_fail_unless_they_are_named() {
    let large = format!("{EMPTY}{}", "int abc;\n".repeat(10 << 20 >> 3));
    assert!(large.len() > 9 << 20);
    let deep = format!("{}\nint x = {}1{};\n", EMPTY, "(".repeat(300), ")".repeat(300));
    let unknown = format!("#version 460\n#extension GL_EXT_of_tomorrow : enable\n{}", &EMPTY[13..]);
    let macros: String =
        (1..9).map(|n| format!("#define A{n} {}\n", format!("A{} ", n - 1).repeat(8))).collect();
    let macros = format!(
        "#version 460\n#define A0 +\n{macros}layout(local_size_x = 1) in;\nvoid main() {{ int x = A8 1; }}\n"
    );
    let cases = [
        (large, "preprocessor-output-limit"),
        (deep, "nesting-too-deep"),
        (macros, "preprocessor-expansion-limit"),
        (unknown, "GL_EXT_of_tomorrow"),
    ];
    for (shader, name) in cases {
        let folder = folder(&[("a.comp", &shader)]);
        let told = run_in(folder.path(), &["check", "a.comp"], "");
        let hint = format!("1 file not analysed; accept this with `--allow-unanalysed {name}`");
        assert!(told.stderr.contains(&hint), "{name}: {}{}", told.stdout, told.stderr);
        assert_eq!(told.code, Some(1), "{name}: {}", told.stdout);
        let allowed = run_in(folder.path(), &["check", "--allow-unanalysed", name, "a.comp"], "");
        assert_eq!(allowed.code, Some(0), "{name}: {}", allowed.stdout);
        if !name.starts_with("GL_") {
            let compiled = run_in(folder.path(), &["spirv", "a.comp"], "");
            assert_eq!(compiled.code, Some(1), "{name}");
            assert!(
                compiled.stderr.contains("the shader was not fully analysed"),
                "{name}: {}",
                compiled.stderr
            );
        }
    }
}
