//! Emacs and its eglot with the settings of docs/editors.md.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::trial::{MISTAKE, Recorder, snippet};
use crate::{debian, shell};

/// Emacs without a window: eglot starts the server, and flymake has its diagnostic.
pub fn check(folder: &Path, server: &Path) -> Result<()> {
    let root = debian::EDITORS.path();
    let mut emacs = debian::EDITORS.program("emacs-nox").context("no Emacs: run `cargo xtask setup`")?;
    let recorder = Recorder::new(folder, server)?;
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
        .env("PATH", recorder.path()?);
    let output = emacs.output().context("Emacs does not start")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success() && said.contains("must equal"), "Emacs says:\n{said}");
    ensure!(recorder.has("googleInclude"), "the server is not sent its settings");
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
