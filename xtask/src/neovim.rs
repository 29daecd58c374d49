//! `cargo xtask neovim`: a scripted run of a real Neovim against the real server, on one of llama.cpp's shaders.

use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

use crate::{corpus, setup, shell};

/// The shader that is opened, and the variant that it is looked at as.
const SHADER: &str = "mul_mm.comp";
const VARIANT: &str = "matmul_f16_cm1.spv";

pub fn run() -> Result<()> {
    let nvim = setup::find_neovim().context("no Neovim 0.12: run `cargo xtask setup` first")?;
    corpus::prepare()?;
    // The same packages as the tests, so that dependencies are compiled with the same features, once.
    shell::run(&mut shell::cargo(["build", "--quiet"]))?;
    let server =
        shell::target().join("debug").join(format!("coopmat-analyzer{}", std::env::consts::EXE_SUFFIX));

    // A copy, for the run types into it.
    let folder = shell::target().join("neovim");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(corpus::folder().join("llama/vulkan-shaders"))? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            fs::copy(&path, folder.join(name))?;
        }
    }

    let mut nvim = nvim;
    nvim.args(["--clean", "--headless", "-n", "-c"])
        .arg("lua dofile(vim.env.SCRIPT)")
        .current_dir(&folder)
        .env("SCRIPT", shell::root().join("editors/nvim/test/diagnostics.lua"))
        .env("SERVER", server)
        .env("SHADER", folder.join(SHADER))
        .env("SETTINGS", settings()?.to_string())
        .env("XDG_STATE_HOME", folder.join("state"));
    if !nvim.status().context("cannot start Neovim")?.success() {
        bail!("the run in Neovim failed");
    }
    Ok(())
}

/// The variant as settings of the server.
fn settings() -> Result<Value> {
    let table = fs::read_to_string(corpus::folder().join("llama/variants.tsv"))?;
    let row: Vec<&str> = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .find(|row| row.get(1) == Some(&VARIANT))
        .with_context(|| format!("no variant {VARIANT}"))?;
    let [_, _, target_env, defines] = row[..] else { bail!("a row without four cells") };
    let defines: Map<String, Value> = defines
        .split('\u{1f}')
        .map(|define| define.split_once('=').unwrap_or((define, "")))
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    Ok(json!({ "targetEnv": target_env, "defines": defines, "googleInclude": true }))
}
