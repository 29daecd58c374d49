//! `check` for people who keep it: short lines, quiet, a limit, globs, values of constants, parts of a sweep, watching.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use expect_test::expect;
use serde_json::Value;

use crate::client::BINARY;
use crate::command_line::{folder, run_in};

const BAD: &str = "#version 450\nvoid main() {\n    int first = missing;\n    first = absent;\n}\n";
const GOOD: &str = "#version 450\nvoid main() {\n}\n";

#[test]
fn short_lines_are_what_compilers_print() {
    let folder = folder(&[("a.comp", BAD), ("b.comp", GOOD)]);
    let run = run_in(folder.path(), &["check", "--format", "short", "."], "");
    assert_eq!(run.code, Some(1));
    expect![[r#"
        a.comp:3:17: error: `missing` is not declared [undeclared-name]
        a.comp:4:13: error: `absent` is not declared [undeclared-name]
    "#]]
    .assert_eq(&run.stdout);
    expect![[r#"
        2 files checked: 2 errors; run `coopmat-analyzer explain undeclared-name` for details
    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn quiet_prints_findings_alone() {
    let folder = folder(&[("a.comp", BAD), ("b.comp", GOOD)]);
    let run = run_in(folder.path(), &["check", "-q", "--format", "short", "."], "");
    assert_eq!((run.stdout.lines().count(), run.stderr.as_str(), run.code), (2, "", Some(1)));
    let run = run_in(folder.path(), &["check", "--quiet", "b.comp"], "");
    assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.code), ("", "", Some(0)));
}

#[test]
fn a_limit_says_how_much_it_hides() {
    let folder = folder(&[("a.comp", BAD)]);
    let run = run_in(folder.path(), &["check", "--format", "short", "--error-limit", "1", "a.comp"], "");
    assert_eq!(run.code, Some(1));
    expect![[r#"
        a.comp:3:17: error: `missing` is not declared [undeclared-name]
    "#]]
    .assert_eq(&run.stdout);
    expect![[r#"
        1 more finding not shown; --error-limit 0 shows all
        1 file checked: 2 errors; run `coopmat-analyzer explain undeclared-name` for details
    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn statistics_count_instead_of_listing() {
    let folder = folder(&[("a.comp", BAD), ("b.comp", GOOD)]);
    let run = run_in(folder.path(), &["check", "--statistics", "--exit-zero", "."], "");
    assert_eq!((run.stdout.as_str(), run.code), ("2  error        undeclared-name\n", Some(0)));
}

#[test]
fn globs_that_no_shell_has_looked_at_are_matched() {
    let folder =
        folder(&[("k/a.comp", BAD), ("k/deep/b.comp", BAD), ("k/c.comp", GOOD), ("other.comp", BAD)]);
    let files = |glob: &str| {
        let run = run_in(folder.path(), &["check", "-q", "--format", "short", glob], "");
        let mut files: Vec<String> =
            run.stdout.lines().map(|line| line.split(':').next().unwrap().to_owned()).collect();
        files.dedup();
        (files.join(" "), run.stderr)
    };
    assert_eq!(files("k/*.comp").0, "k/a.comp");
    assert_eq!(files("k/**/*.comp").0, "k/a.comp k/deep/b.comp");
    assert_eq!(files("./k/**/b.{comp,vert}").0, "k/deep/b.comp");
    assert_eq!(files("k/*.frag").1, "error: no file matches `k/*.frag`\n");
}

#[test]
fn values_of_constants_are_given_one_by_one() {
    let folder = folder(&[(
        "a.comp",
        "#version 450\nlayout(local_size_x = 32) in;\nlayout(constant_id = 3) const int N = 4;\nshared float x[N * 1024];\nvoid main() { x[0] = 1.0; }\n",
    )]);
    let wrong = |arguments: &[&str]| {
        let base = ["check", "-q", "--format", "short", "--device", "nvidia-h200"];
        let all = [&base[..], arguments, &["a.comp"]].concat();
        run_in(folder.path(), &all, "").stdout.lines().count()
    };
    assert_eq!(wrong(&[]), 0);
    assert_eq!(wrong(&["--spec", "3=8"]), 0);
    assert_eq!(wrong(&["--spec", "3=1024"]), 1);
    assert_eq!(wrong(&["--spec", "N=1024"]), 1);
    let run = run_in(folder.path(), &["check", "--spec", "large", "a.comp"], "");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("expected ID=VALUE"), "{}", run.stderr);
}

#[test]
fn the_parts_of_a_sweep_are_the_whole() {
    let names = ["a", "b", "c", "d", "e"];
    let files: Vec<(String, &str)> = names.iter().map(|name| (format!("{name}.comp"), BAD)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let folder = folder(&files);
    let part = |shard: &str| {
        let run = run_in(folder.path(), &["check", "-q", "--format", "short", "--shard", shard, "."], "");
        run.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut all = [part("1/3"), part("2/3"), part("3/3")].concat();
    assert_eq!(part("1/3").len(), 4);
    all.sort();
    assert_eq!(all, part("1/1"));
    assert!(part("7/8").is_empty());
    let run = run_in(folder.path(), &["check", "--shard", "4/3", "."], "");
    assert!(run.stderr.contains("expected a part from 1/3 to 3/3"), "{}", run.stderr);
}

#[test]
fn findings_of_sarif_are_known_again_when_lines_move() {
    let folder = folder(&[("a.comp", BAD)]);
    let fingerprints = || {
        let run = run_in(folder.path(), &["check", "--format", "sarif", "a.comp"], "");
        let log: Value = serde_json::from_str(&run.stdout).unwrap();
        let rule = &log["runs"][0]["tool"]["driver"]["rules"][0];
        assert!(rule["helpUri"].as_str().unwrap().starts_with("https://"), "{rule}");
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results.iter().map(|one| one["partialFingerprints"].to_string()).collect::<Vec<_>>()
    };
    let before = fingerprints();
    assert_ne!(before[0], before[1]);
    std::fs::write(folder.path().join("a.comp"), BAD.replace("void main", "\n// moved\nvoid main")).unwrap();
    assert_eq!(fingerprints(), before);
}

#[test]
fn watching_checks_again_when_a_file_changes() {
    let folder = folder(&[("a.comp", BAD)]);
    let mut child = Command::new(BINARY)
        .args(["check", "--watch", "--format", "short", "a.comp"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut until = |words: &str| {
        let found = lines.find(|line| line.contains(words));
        assert!(found.is_some(), "the end came before `{words}`");
    };
    until("1 file checked: 2 errors");
    until("watching for changes");
    std::fs::write(folder.path().join("a.comp"), GOOD).unwrap();
    until("a.comp changed");
    until("1 file checked, no problems");
    child.kill().unwrap();
    child.wait().unwrap();
}
