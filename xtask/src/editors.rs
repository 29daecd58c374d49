//! The settings of other editors in docs/editors.md, tried in these editors; and the steps of the GitHub action and the hook.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::test::Count;
use crate::{debian, shell};

/// What is opened: the mistake is a shape's.
const MISTAKE: &str = "examples/mistakes/indexed-shape-mismatch.comp";

/// With a folder to work in, and the server.
type Check = fn(&Path, &Path) -> Result<()>;

pub fn test() -> Result<Count> {
    let folder = shell::target().join("editors");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("bin"))?;
    let server = shell::server()?;
    let checks: [(&str, Check); 4] =
        [("Helix", helix), ("Emacs", emacs), ("GitHub action", action), ("pre-commit hook", hook)];
    let mut count = Count::default();
    for (name, check) in checks {
        match check(&folder, &server) {
            Ok(()) => {
                println!("ok      {name}");
                count.passed += 1;
            }
            Err(error) => {
                println!("FAILED  {name}: {error:#}");
                count.failed += 1;
            }
        }
    }
    Ok(count)
}

/// The first code block in a language under a heading of docs/editors.md.
fn snippet(heading: &str, language: &str) -> Result<String> {
    let text = fs::read_to_string(shell::root().join("docs/editors.md"))?;
    let section = text.split("\n## ").find(|section| section.starts_with(heading));
    let section = section.with_context(|| format!("docs/editors.md has no section {heading}"))?;
    let (_, block) = section
        .split_once(&format!("```{language}\n"))
        .with_context(|| format!("{heading} has no {language}"))?;
    Ok(block.split("```").next().unwrap_or_default().to_owned())
}

/// A folder for PATH in which `coopmat-analyzer` keeps what it is sent.
fn recorder(folder: &Path, server: &Path) -> Result<(PathBuf, PathBuf)> {
    use std::os::unix::fs::PermissionsExt as _;
    let (bin, log) = (folder.join("bin"), folder.join("sent.log"));
    let script = format!("#!/bin/sh\ntee '{}' | '{}' \"$@\"\n", log.display(), server.display());
    let path = bin.join("coopmat-analyzer");
    fs::write(&path, script)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok((bin, log))
}

fn path_with(folder: &Path) -> Result<std::ffi::OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths(std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path)))?)
}

/// Helix itself says which servers a language has; and in a terminal it opens the shader with ours.
fn helix(folder: &Path, server: &Path) -> Result<()> {
    let config = folder.join("helix-config");
    fs::create_dir_all(config.join("helix"))?;
    fs::write(config.join("helix/languages.toml"), snippet("Helix", "toml")?)?;
    let (bin, log) = recorder(folder, server)?;
    let hx = || -> Result<Command> {
        let mut hx = debian::EDITORS.program("hx").context("no Helix: run `cargo xtask setup`")?;
        hx.env("XDG_CONFIG_HOME", &config)
            .env("XDG_CACHE_HOME", folder.join("helix-cache"))
            .env("PATH", path_with(&bin)?)
            .env("TERM", "xterm-256color");
        Ok(hx)
    };
    let health = shell::try_output(hx()?.args(["--health", "glsl"])).context("`hx --health glsl` fails")?;
    ensure!(health.contains("coopmat-analyzer"), "Helix does not take the settings:\n{health}");
    // In a terminal of its own, for half a minute at most; `script` gives it one.
    let mut open = hx()?;
    open.arg(shell::root().join(MISTAKE));
    let line = std::iter::once(open.get_program())
        .chain(open.get_args())
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ");
    let mut terminal = Command::new("timeout");
    terminal.args(["20", "script", "-qec", &line, "/dev/null"]);
    for (key, value) in open.get_envs() {
        if let Some(value) = value {
            terminal.env(key, value);
        }
    }
    let mut child =
        terminal.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn()?;
    let opened = || fs::read_to_string(&log).is_ok_and(|text| text.contains("textDocument/didOpen"));
    for _ in 0..190 {
        if opened() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let _ = child.kill();
    let _ = child.wait();
    ensure!(opened(), "Helix did not open the shader with the server");
    Ok(())
}

/// Emacs without a window: eglot starts the server, and flymake has its diagnostic.
fn emacs(folder: &Path, server: &Path) -> Result<()> {
    let root = debian::EDITORS.path();
    let mut emacs = debian::EDITORS.program("emacs-nox").context("no Emacs: run `cargo xtask setup`")?;
    let (bin, _) = recorder(folder, server)?;
    let shader = folder.join("shader.comp");
    fs::copy(shell::root().join(MISTAKE), &shader)?;
    // As a user's start, without the hook, which waits for a command to end: the same contact, made at once.
    let script = format!(
        "{}\n(require 'flymake)\n(remove-hook 'glsl-mode-hook #'eglot-ensure)\n(find-file \"{}\")\n\
         (apply #'eglot--connect (eglot--guess-contact))\n(flymake-mode 1)\n(flymake-start)\n\
         (with-timeout (60 (message \"nothing came\") (kill-emacs 1))\n\
           (while (null (flymake-diagnostics)) (accept-process-output nil 0.1)))\n\
         (message \"found: %s\" (flymake-diagnostic-text (car (flymake-diagnostics))))\n(kill-emacs 0)\n",
        snippet("Emacs", "elisp")?,
        shader.display()
    );
    let file = folder.join("try.el");
    fs::write(&file, script)?;
    let share = fs::read_dir(root.join("usr/share/emacs"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.join("lisp").is_dir())
        .context("Emacs was unpacked without its library")?;
    let libexec = root.join("usr/libexec/emacs");
    if let Some(dump) = dump_of(&libexec) {
        emacs.arg(format!("--dump-file={}", dump.display()));
    }
    emacs.args(["--quick", "--batch", "--load"]).arg(&file);
    emacs
        .env("EMACSLOADPATH", folders_of(&share.join("lisp"))?)
        .env("EMACSDATA", share.join("etc"))
        .env("HOME", folder)
        .env("PATH", path_with(&bin)?);
    let output = emacs.output().context("Emacs does not start")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success() && said.contains("must equal"), "Emacs says:\n{said}");
    Ok(())
}

fn dump_of(libexec: &Path) -> Option<PathBuf> {
    let mut waiting = vec![libexec.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).ok()?.filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "pdmp") {
                return Some(path);
            }
        }
    }
    None
}

/// The folder and those in it, joined as in a search path.
fn folders_of(folder: &Path) -> Result<std::ffi::OsString> {
    let mut folders = vec![folder.to_path_buf()];
    folders.extend(
        fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()).filter(|path| path.is_dir())),
    );
    Ok(std::env::join_paths(folders)?)
}

/// The script that the action's step runs.
fn action(folder: &Path, server: &Path) -> Result<()> {
    let sarif = folder.join("action.sarif");
    let run = |paths: &str, fail: &str| -> Result<bool> {
        let mut script = shell::command("bash", [shell::root().join("editors/github-action/check.sh")]);
        script
            .env("COOPMAT_ANALYZER", server)
            .env("INPUT_PATHS", paths)
            .env("INPUT_ARGUMENTS", "")
            .env("INPUT_FAIL", fail)
            .env("INPUT_SARIF", &sarif)
            .env("GITHUB_OUTPUT", folder.join("action.output"))
            .current_dir(shell::root());
        Ok(script.status()?.success())
    };
    ensure!(!run(MISTAKE, "true")?, "a mistake does not fail the step");
    let report: Value = serde_json::from_str(&fs::read_to_string(&sarif)?)?;
    let results = report["runs"][0]["results"].as_array().map_or(0, Vec::len);
    ensure!(results > 0, "the report has no results");
    ensure!(run(MISTAKE, "false")?, "`fail: false` fails the step");
    ensure!(run("examples/khr", "true")?, "the examples fail the step");
    ensure!(
        fs::read_to_string(folder.join("action.output"))?.contains("sarif="),
        "no output names the report"
    );
    let action = fs::read_to_string(shell::root().join("action.yml"))?;
    ensure!(action.contains("editors/github-action/check.sh"), "action.yml runs something else");
    Ok(())
}

/// The command of the hook, on files as pre-commit hands them over.
fn hook(_: &Path, server: &Path) -> Result<()> {
    let hooks = fs::read_to_string(shell::root().join(".pre-commit-hooks.yaml"))?;
    let entries: Vec<&str> = hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    ensure!(entries.len() == 2, "two hooks are expected: {entries:?}");
    for entry in entries {
        let words: Vec<&str> = entry.split_whitespace().collect();
        ensure!(words.first() == Some(&"coopmat-analyzer"), "{entry}");
        let run =
            |file: &str| Command::new(server).args(&words[1..]).arg(file).current_dir(shell::root()).output();
        let good = run("examples/khr/gemm.comp")?;
        ensure!(good.status.success(), "{entry}: {}", String::from_utf8_lossy(&good.stderr));
    }
    let wrong = Command::new(server).args(["check", MISTAKE]).current_dir(shell::root()).output()?;
    ensure!(!wrong.status.success(), "a mistake passes the hook");
    Ok(())
}
