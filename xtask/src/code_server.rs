//! code-server, the VS Code that the tests run: where it lies, its Node.js, and how it gets there.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::shell;

fn folder() -> PathBuf {
    shell::target().join("tools/code-server")
}

/// The Node.js that code-server asks for, which also runs the tests' TypeScript.
pub fn node() -> Command {
    Command::new(folder().join("node_modules/.bin/node"))
}

/// The script that starts it.
pub fn entry() -> PathBuf {
    folder().join("node_modules/code-server/out/node/entry.js")
}

/// VS Code in it, with its own extensions and packages.
pub fn vscode() -> PathBuf {
    folder().join("node_modules/code-server/lib/vscode")
}

/// Installs code-server unless it is there.
pub fn install() -> Result<()> {
    if entry().exists() && shell::succeeds(node().arg("--version")) {
        return Ok(());
    }
    println!("code-server is missing: installing it into {}", folder().display());
    if !shell::succeeds(&mut shell::command("pkg-config", ["--exists", "krb5-gssapi"])) {
        shell::apt_install(&["libkrb5-dev", "pkg-config"])?;
    }
    fs::create_dir_all(folder())?;
    fs::write(folder().join("package.json"), "{ \"private\": true }\n")?;
    let npm = |package: &str| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", package]).current_dir(folder());
        npm
    };
    shell::run(&mut npm("node@24"))?;
    // Its native parts are compiled for the Node.js that runs it.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = folder().join("node_modules/.bin");
    let path = std::env::join_paths(std::iter::once(first).chain(std::env::split_paths(&path)))?;
    shell::run(npm("code-server@4").env("PATH", path))?;
    if !entry().exists() {
        bail!("code-server was installed without {}", entry().display());
    }
    Ok(())
}
