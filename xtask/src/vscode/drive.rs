//! A scripted user of a real VS Code - code-server from the npm registry - in Chromium: `editors/vscode/test/drive.ts`, with what it needs
//! around it.

use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::folder;
use crate::{code_server, corpus, neovim, shell};

/// Where the runs leave their pictures.
pub fn pictures() -> PathBuf {
    shell::target().join("vscode/pictures")
}

/// One user of a fresh profile, who tries the kinds of servers one after the other. `only`: these parts. `sharp`: its pictures are for others.
pub fn run(package: &Path, kinds: &[&str], only: Option<&str>, sharp: bool) -> Result<()> {
    let folder_of_run = shell::target().join("vscode/run").join(kinds.join("-"));
    if folder_of_run.exists() {
        fs::remove_dir_all(&folder_of_run)?;
    }
    let workspace = workspace(&folder_of_run.join("workspace"))?;
    let user = folder_of_run.join("user");
    fs::create_dir_all(user.join("User"))?;
    let settings_file = user.join("User/settings.json");
    fs::write(&settings_file, settings().to_string())?;
    let extensions = folder_of_run.join("extensions");
    let code = || {
        let mut code = code_server::node();
        code.arg(code_server::entry())
            .arg("--user-data-dir")
            .arg(&user)
            .arg("--extensions-dir")
            .arg(&extensions);
        code
    };
    shell::run(code().arg("--install-extension").arg(package))?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let address = format!("127.0.0.1:{port}");
    let log_file = folder_of_run.join("code-server.log");
    let log = fs::File::create(&log_file)?;
    let mut serve = code();
    serve.args(["--auth", "none", "--disable-telemetry", "--disable-update-check", "--bind-addr", &address]);
    let server = Served(serve.stdout(log.try_clone()?).stderr(log).stdin(Stdio::null()).spawn()?);
    wait_for(&address)?;
    let mut drive = code_server::node();
    drive.arg("--no-warnings").arg(folder().join("test/drive.ts"));
    drive.args(["--url", &format!("http://{address}"), "--kinds", &kinds.join(","), "--workspace"]);
    drive
        .arg(&workspace)
        .arg("--llama")
        .arg(corpus::llama()?)
        .arg("--ncnn")
        .arg(corpus::ncnn()?)
        .arg("--settings")
        .arg(&settings_file)
        .arg("--pictures")
        .arg(pictures());
    if sharp {
        drive.arg("--sharp");
    }
    if let Some(only) = only {
        drive.args(["--only", only]);
    }
    let result = shell::run(&mut drive);
    drop(server);
    result.with_context(|| format!("code-server's own log is {}", log_file.display()))
}

/// Ends the server with the run.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_for(address: &str) -> Result<()> {
    let patience = Instant::now() + Duration::from_secs(120);
    while Instant::now() < patience {
        if let Ok(mut stream) = TcpStream::connect(address) {
            // Not every request has to be answered: that somebody listens is enough.
            let _ = stream.write_all(b"");
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    bail!("code-server does not listen at {address}")
}

/// llama.cpp's shaders with the commands of its build, and an example with a recipe.
fn workspace(folder: &Path) -> Result<PathBuf> {
    corpus::prepare()?;
    neovim::llama_shaders(folder)?;
    neovim::example(folder)?;
    let table = fs::read_to_string(corpus::folder().join("llama/variants.tsv"))?;
    let commands: Vec<Value> = table
        .lines()
        .filter_map(|line| {
            let [file, output, target_env, defines] = line.split('\t').collect::<Vec<_>>()[..] else {
                return None;
            };
            let defines = defines.split('\u{1f}').filter(|one| !one.is_empty()).map(|one| format!("-D{one}"));
            let arguments: Vec<String> = ["glslc".to_owned(), format!("--target-env={target_env}")]
                .into_iter()
                .chain(defines)
                .chain([file, "-o", output].map(str::to_owned))
                .collect();
            Some(json!({ "directory": folder, "file": file, "arguments": arguments }))
        })
        .collect();
    fs::write(folder.join("compile_commands.json"), serde_json::to_string(&commands)?)?;
    let project =
        fs::read_to_string(folder.join("coopmat-analyzer.toml")).context("the example's project")?;
    let project = format!("import = [\"compile_commands.json\"]\n\n{project}");
    fs::write(folder.join("coopmat-analyzer.toml"), project)?;
    Ok(folder.to_path_buf())
}

/// The user's; the script adds which server and which playground.
fn settings() -> Value {
    json!({
        // 1,566 variants in a debug build are another test's.
        "coopmat-analyzer.configurations.background": false,
        // So that the lens that runs is in view.
        "coopmat-analyzer.codeLens.sharedMemory": false,
        "coopmat-analyzer.codeLens.matrices": false,
        "coopmat-analyzer.codeLens.portability": false,
        "security.workspace.trust.enabled": false,
        "workbench.startupEditor": "none",
        "workbench.secondarySideBar.defaultVisibility": "hidden",
        "chat.disableAIFeatures": true,
        "telemetry.telemetryLevel": "off",
        // Of the folder that the runs lie in.
        "git.openRepositoryInParentFolders": "never",
        // Long lines would scroll the lenses out of view.
        "[glsl]": { "editor.wordWrap": "on" },
        "editor.minimap.enabled": false,
        // In pictures, what a hover explains stands above it.
        "editor.hover.above": false,
        // Pictures are of a small window.
        "workbench.activityBar.location": "hidden",
        "window.commandCenter": false,
        "files.autoSave": "off",
        "testing.automaticallyOpenTestResults": "neverOpen",
    })
}
