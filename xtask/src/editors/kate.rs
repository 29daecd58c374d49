//! Kate with the settings of docs/editors.md, on no screen.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::trial::{MISTAKE, Recorder, snippet};
use crate::shell;

pub fn check(folder: &Path, server: &Path) -> Result<()> {
    install()?;
    let recorder = Recorder::new(folder, server)?;
    let config = folder.join("config");
    fs::create_dir_all(config.join("kate/lspclient"))?;
    fs::write(config.join("kate/lspclient/settings.json"), snippet("Kate", "json")?)?;
    fs::write(config.join("katemoderc"), snippet("Kate", "ini")?)?;
    // The plugin is on, and the user has allowed what Kate asks about once for each server.
    let allowed = recorder.bin.join("coopmat-analyzer");
    let own = format!(
        "[Kate Plugins]\nlspclientplugin=true\n\n[lspclient]\nAllowedServerCommandLines={} lsp\n",
        allowed.display()
    );
    fs::write(config.join("katerc"), own)?;
    let shader = folder.join("shader.comp");
    fs::copy(shell::root().join(MISTAKE), &shader)?;
    let log = fs::File::create(folder.join("kate.log"))?;
    let mut kate = shell::command("timeout", ["60", "dbus-run-session", "kate", "--new", "--block"]);
    kate.arg(&shader).env("QT_QPA_PLATFORM", "offscreen").env("PATH", recorder.path()?).env("HOME", folder);
    for (name, own) in [("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")]
    {
        kate.env(name, folder.join(own));
    }
    let mut child = kate.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?;
    let opened = recorder.waits_for("textDocument/didOpen");
    let stopped = shell::run(&mut shell::command("kill", [child.id().to_string()]));
    let _ = child.wait();
    opened.with_context(|| format!("see {}", folder.join("kate.log").display()))?;
    ensure!(recorder.has("shader.comp"), "Kate has opened something else");
    stopped
}

fn install() -> Result<()> {
    let there = || shell::succeeds(Command::new("kate").arg("--version").env("QT_QPA_PLATFORM", "offscreen"));
    if !there() {
        println!("Kate is missing: installing it");
        shell::apt_install(&["kate", "dbus-daemon"])?;
    }
    ensure!(there(), "the installed Kate does not start");
    Ok(())
}
