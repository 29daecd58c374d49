//! Neovim 0.12 with the plugin as docs/editors.md puts it on `runtimepath`, and with the settings there that need no plugin.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::trial::{MISTAKE, Recorder, said, snippet};
use crate::{setup, shell};

/// Waits for the mistake's diagnostic, says it and ends.
const WAIT: &str = r#"
local seen = vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
print(seen and vim.diagnostic.get(0)[1].message or "nothing came")
vim.cmd(seen and "qall!" or "cquit 1")
"#;

pub fn plugin(folder: &Path, server: &Path) -> Result<()> {
    let settings = snippet("Neovim", "vim")?;
    let place = "/path/of/coopmat-analyzer";
    ensure!(settings.contains(place), "the settings name no {place}");
    let file = folder.join("init.vim");
    fs::write(&file, settings.replace(place, &shell::root().display().to_string()))?;
    opens_with(&file, folder, server)?;
    Ok(())
}

pub fn plain(folder: &Path, server: &Path) -> Result<()> {
    let file = folder.join("init.lua");
    fs::write(&file, snippet("Neovim", "lua")?)?;
    let recorder = opens_with(&file, folder, server)?;
    ensure!(recorder.has("googleInclude"), "the server is not sent its settings");
    Ok(())
}

/// A user's start with this file, and a shader with a mistake.
fn opens_with(init: &Path, folder: &Path, server: &Path) -> Result<Recorder> {
    let recorder = Recorder::new(folder, server)?;
    let script = folder.join("wait.lua");
    fs::write(&script, WAIT)?;
    let mut nvim = setup::find_neovim().context("no Neovim 0.12: run `cargo xtask setup`")?;
    nvim.args(["--headless", "-n", "-u"]).arg(init).arg(shell::root().join(MISTAKE));
    nvim.args(["-c", &format!("luafile {}", script.display())]);
    nvim.env("PATH", recorder.path()?);
    for (name, own) in [("XDG_STATE_HOME", "state"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")]
    {
        nvim.env(name, folder.join(own));
    }
    let said = said(&mut nvim)?;
    ensure!(said.contains("must equal"), "Neovim says:\n{said}");
    Ok(recorder)
}
