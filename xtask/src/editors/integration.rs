//! The GitHub action's steps and the hooks for pre-commit, with the settings of docs/editors.md.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::trial::{MISTAKE, path_with, said, snippet};
use crate::{setup, shell};

/// The step "Check" of action.yml as a workflow runs it: with the inputs of the settings, and then with others.
pub fn action(folder: &Path, server: &Path) -> Result<()> {
    let action = fs::read_to_string(shell::root().join("action.yml"))?;
    ensure!(action.contains("editors/github-action/check.sh"), "action.yml runs something else");
    let inputs = defaults(&action)?;
    let given = given(&snippet("Continuous integration", "yaml")?);
    ensure!(!given.is_empty(), "the settings give no inputs");
    for name in given.keys() {
        ensure!(inputs.contains_key(name), "action.yml has no input `{name}`");
    }
    // The workflow's own folder of shaders.
    let checkout = folder.join("checkout");
    let shaders = checkout.join(given.get("paths").context("the settings give no paths")?);
    fs::create_dir_all(&shaders)?;
    fs::copy(shell::root().join("examples/khr/gemm.comp"), shaders.join("gemm.comp"))?;
    let step = |others: &[(&str, &str)]| -> Result<bool> {
        let mut values = inputs.clone();
        values.extend(given.clone());
        values.extend(others.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let mut script = shell::command("bash", [shell::root().join("editors/github-action/check.sh")]);
        script
            .env("COOPMAT_ANALYZER", server)
            .env("GITHUB_OUTPUT", folder.join("output"))
            .current_dir(&checkout);
        for name in ["paths", "arguments", "fail", "sarif"] {
            let value = values.get(name).with_context(|| format!("action.yml has no input `{name}`"))?;
            script.env(format!("INPUT_{}", name.to_uppercase()), value);
        }
        Ok(script.status()?.success())
    };
    let results = || -> Result<usize> {
        let report: Value =
            serde_json::from_str(&fs::read_to_string(checkout.join("coopmat-analyzer.sarif"))?)?;
        ensure!(report["version"] == "2.1.0", "the report is no SARIF 2.1.0: {}", report["version"]);
        Ok(report["runs"][0]["results"].as_array().map_or(0, Vec::len))
    };
    ensure!(step(&[])?, "a shader without mistakes fails the step");
    ensure!(results()? == 0, "a shader without mistakes has results");
    fs::copy(shell::root().join(MISTAKE), shaders.join("wrong.comp"))?;
    ensure!(!step(&[])?, "a mistake does not fail the step");
    ensure!(results()? > 0, "the report has no results");
    ensure!(step(&[("fail", "false")])?, "`fail: false` fails the step");
    let output = fs::read_to_string(folder.join("output"))?;
    ensure!(output.lines().all(|line| line == "sarif=coopmat-analyzer.sarif"), "the outputs are {output}");
    Ok(())
}

/// The inputs of an action with their defaults.
fn defaults(action: &str) -> Result<BTreeMap<String, String>> {
    let (_, inputs) = action.split_once("\ninputs:\n").context("action.yml has no inputs")?;
    let mut name = String::new();
    let mut found = BTreeMap::new();
    for line in inputs.lines().take_while(|line| line.is_empty() || line.starts_with(' ')) {
        if let Some(key) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) {
            name = key.trim_end_matches(':').to_owned();
        } else if let Some(value) = line.trim().strip_prefix("default:") {
            found.insert(name.clone(), value.trim().trim_matches('"').to_owned());
        }
    }
    Ok(found)
}

/// What stands below `with:`.
fn given(workflow: &str) -> BTreeMap<String, String> {
    let (_, given) = workflow.split_once("with:\n").unwrap_or_default();
    let pairs = given.lines().map_while(|line| line.strip_prefix("      ")?.split_once(": "));
    pairs.map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned())).collect()
}

/// pre-commit itself in a repository of its own, with the settings, but for this repository's address and revision.
pub fn hooks(folder: &Path, server: &Path) -> Result<()> {
    setup::program("pre-commit", &["pre-commit"])?;
    let git = |place: &Path, arguments: &[&str]| {
        let mut git = shell::command("git", ["-c", "user.name=a", "-c", "user.email=a@example.org"]);
        said(git.args(arguments).current_dir(place))
    };
    let ours = folder.join("ours");
    fs::create_dir_all(&ours)?;
    fs::copy(shell::root().join(".pre-commit-hooks.yaml"), ours.join(".pre-commit-hooks.yaml"))?;
    git(&ours, &["init", "--quiet", "--initial-branch=main"])?;
    git(&ours, &["add", "."])?;
    git(&ours, &["commit", "--quiet", "--message=hooks"])?;
    let revision = git(&ours, &["rev-parse", "HEAD"])?;

    let theirs = folder.join("theirs");
    fs::create_dir_all(&theirs)?;
    git(&theirs, &["init", "--quiet", "--initial-branch=main"])?;
    let address = "https://github.com/coopmat-analyzer/coopmat-analyzer";
    let settings = snippet("pre-commit", "yaml")?;
    ensure!(
        settings.contains(address) && settings.contains("rev: main"),
        "the settings name another repository"
    );
    let settings = settings.replace(address, &ours.display().to_string());
    let settings = settings.replace("rev: main", &format!("rev: {}", revision.trim()));
    fs::write(theirs.join(".pre-commit-config.yaml"), settings)?;
    fs::copy(shell::root().join("examples/khr/gemm.comp"), theirs.join("gemm.comp"))?;
    git(&theirs, &["add", "."])?;

    let bin = folder.join("bin");
    fs::create_dir_all(&bin)?;
    fs::copy(server, bin.join("coopmat-analyzer"))?;
    let pre_commit = || -> Result<Command> {
        let mut command = shell::command("pre-commit", ["run", "--all-files", "--verbose"]);
        command
            .env("PATH", path_with(&bin)?)
            .env("PRE_COMMIT_HOME", folder.join("cache"))
            .current_dir(&theirs);
        Ok(command)
    };
    let told = said(&mut pre_commit()?)?;
    ensure!(told.matches("Passed").count() == 2, "both hooks should have passed:\n{told}");
    fs::copy(shell::root().join(MISTAKE), theirs.join("wrong.comp"))?;
    git(&theirs, &["add", "."])?;
    let output = pre_commit()?.output()?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(!output.status.success() && told.contains("must equal"), "a mistake passes the hook:\n{told}");
    Ok(())
}
