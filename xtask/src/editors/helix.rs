//! Helix with the settings of docs/editors.md.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::trial::{MISTAKE, Recorder, snippet};
use crate::{debian, shell};

/// Helix itself says which servers a language has; and in a terminal it opens the shader with ours.
pub fn check(folder: &Path, server: &Path) -> Result<()> {
    let config = folder.join("helix-config");
    fs::create_dir_all(config.join("helix"))?;
    fs::write(config.join("helix/languages.toml"), snippet("Helix", "toml")?)?;
    let recorder = Recorder::new(folder, server)?;
    let hx = || -> Result<Command> {
        let mut hx = debian::EDITORS.program("hx").context("no Helix: run `cargo xtask setup`")?;
        hx.env("XDG_CONFIG_HOME", &config)
            .env("XDG_CACHE_HOME", folder.join("helix-cache"))
            .env("PATH", recorder.path()?)
            .env("TERM", "xterm-256color");
        Ok(hx)
    };
    let health = shell::try_output(hx()?.args(["--health", "glsl"])).context("`hx --health glsl` fails")?;
    ensure!(health.contains("coopmat-analyzer"), "Helix does not take the settings:\n{health}");
    // In a terminal of its own, for less than a minute; `script` gives it one.
    let mut open = hx()?;
    open.arg(shell::root().join(MISTAKE));
    let line = std::iter::once(open.get_program())
        .chain(open.get_args())
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ");
    let mut terminal = Command::new("timeout");
    terminal.args(["40", "script", "-qec", &line, "/dev/null"]);
    for (key, value) in open.get_envs() {
        if let Some(value) = value {
            terminal.env(key, value);
        }
    }
    let mut child = terminal.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    let opened = recorder.waits_for("textDocument/didOpen");
    let _ = child.kill();
    let _ = child.wait();
    opened.context("Helix did not open the shader with the server")?;
    ensure!(recorder.has("googleInclude"), "the server is not sent its settings");
    Ok(())
}
