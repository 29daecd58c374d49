//! Lints and tests by cargo, and the counts of what it prints.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::count::Count;
use crate::shell;

/// Clippy over the whole workspace. What is only linted needs no glslang, so that its C++ is not compiled here.
pub fn lints(targets: &[&str]) -> Result<Command> {
    let mut lints = shell::cargo(["clippy", "--quiet", "--workspace"].iter().chain(targets));
    lints.args(without_glslang()?).args(["--", "--deny", "warnings"]);
    Ok(lints)
}

/// The documentation of all libraries, for what rustdoc warns of: links that lead nowhere, for one.
pub fn documentation() -> Result<Command> {
    let mut documentation = shell::cargo(["doc", "--quiet", "--workspace", "--no-deps", "--lib"]);
    documentation.args(without_glslang()?).env("RUSTDOCFLAGS", "--deny warnings");
    Ok(documentation)
}

/// What tells cargo that glslang's library is there, for commands that link nothing.
fn without_glslang() -> Result<[String; 2]> {
    let version = shell::output(&mut shell::command("rustc", ["-vV"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc tells no host")?;
    Ok(["--config".to_owned(), format!("target.{host}.glslang.rustc-link-lib=[]")])
}

/// Runs `cargo test` over all that it selects and adds up the results that it prints.
pub fn cargo_test() -> Result<Count> {
    let mut command = shell::cargo(["test", "--no-fail-fast"]);
    eprintln!("$ {}", shell::describe(&command));
    count_tests(&mut command)
}

pub fn count_tests(command: &mut Command) -> Result<Count> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().context("no output")?;
    let mut count = Count::default();
    for line in BufReader::new(output).lines() {
        let line = line?;
        match test_result(&line) {
            Some(more) => {
                count.passed += more.passed;
                count.failed += more.failed;
            }
            // The name of each passing test would bury the rest.
            None if line.starts_with("test ") && line.ends_with("ok") => {}
            None if line.trim().is_empty() || line.starts_with("running ") => {}
            None => println!("{line}"),
        }
    }
    if !child.wait()?.success() && count.failed == 0 {
        count.failed = 1;
    }
    Ok(count)
}

/// The numbers in `test result: ok. 12 passed; 0 failed; 0 ignored; …`.
fn test_result(line: &str) -> Option<Count> {
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |word: &str| {
        let field = numbers.split(';').find(|field| field.ends_with(word))?;
        field.split_whitespace().next()?.parse().ok()
    };
    Some(Count { passed: number("passed")?, failed: number("failed")? })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::test_result;
    use crate::shell;

    /// What cargo would compile of the default members: each package with its features.
    fn packages(edges: &str) -> BTreeSet<String> {
        let mut tree =
            shell::cargo(["tree", "--offline", "--prefix", "none", "--no-dedupe", "--edges", edges]);
        let text = shell::output(tree.args(["--format", "{p} [{f}]"])).expect("a tree");
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn a_build_and_a_test_have_the_same_features_so_that_each_crate_is_compiled_once() {
        let (programs, tests) = (packages("no-dev"), packages("normal,build,dev"));
        assert!(programs.len() > 100, "{programs:?}");
        let twice: Vec<&String> = programs.difference(&tests).collect();
        assert!(
            twice.is_empty(),
            "what tests of other packages ask for belongs into xtask/book/Cargo.toml: {twice:#?}"
        );
    }

    #[test]
    fn the_summary_line_of_a_test_binary_is_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let count = test_result(line).expect("a summary line");
        assert_eq!((count.passed, count.failed), (12, 3));
        assert!(test_result("test some::name ... ok").is_none());
    }
}
