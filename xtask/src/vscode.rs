//! The extension for VS Code: the package (`cargo xtask dist --vscode`), and a scripted run of it in a real VS Code - code-server from
//! the npm registry - in Chromium: with the native server, with the WebAssembly one, and with the entry of VS Code for the Web.

use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::test::Count;
use crate::wasm::{Profile, Vectors};
use crate::{corpus, neovim, playground, setup, shell};

fn folder() -> PathBuf {
    shell::root().join("editors/vscode")
}

fn code_server() -> PathBuf {
    shell::target().join("tools/code-server")
}

/// The Node.js that code-server asks for, which also runs the tests' TypeScript.
fn node() -> Command {
    Command::new(code_server().join("node_modules/.bin/node"))
}

fn entry() -> PathBuf {
    code_server().join("node_modules/code-server/out/node/entry.js")
}

/// Installs code-server unless it is there.
pub fn install() -> Result<()> {
    if entry().exists() && shell::succeeds(node().arg("--version")) {
        return Ok(());
    }
    println!("code-server is missing: installing it into {}", code_server().display());
    if !shell::succeeds(&mut shell::command("pkg-config", ["--exists", "krb5-gssapi"])) {
        shell::apt_install(&["libkrb5-dev", "pkg-config"])?;
    }
    fs::create_dir_all(code_server())?;
    fs::write(code_server().join("package.json"), "{ \"private\": true }\n")?;
    let npm = |package: &str| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", package]).current_dir(code_server());
        npm
    };
    shell::run(&mut npm("node@24"))?;
    // Its native parts are compiled for the Node.js that runs it.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = code_server().join("node_modules/.bin");
    let path = std::env::join_paths(std::iter::once(first).chain(std::env::split_paths(&path)))?;
    shell::run(npm("code-server@4").env("PATH", path))?;
    if !entry().exists() {
        bail!("code-server was installed without {}", entry().display());
    }
    Ok(())
}

/// The platforms that have a package with the program, as vsce names them, and the targets whose programs these are.
const PLATFORMS: [(&str, &str); 6] = [
    ("linux-x64", "x86_64-unknown-linux-gnu"),
    ("linux-arm64", "aarch64-unknown-linux-gnu"),
    ("darwin-x64", "x86_64-apple-darwin"),
    ("darwin-arm64", "aarch64-apple-darwin"),
    ("win32-x64", "x86_64-pc-windows-msvc"),
    ("win32-arm64", "aarch64-pc-windows-msvc"),
];

/// The packages for distribution: one for each program, and one without a program for all other platforms. Where no programs are given, the
/// release build for this platform is made.
pub fn dist(programs: &[Program]) -> Result<()> {
    match programs {
        [] => {
            shell::run(&mut shell::cargo(["build", "--release", "--package", "coopmat-analyzer"]))?;
            let name = format!("coopmat-analyzer{}", std::env::consts::EXE_SUFFIX);
            let program = shell::target().join("release").join(name);
            package(&Parts::Platform { program: &program, platform: here()? })?;
        }
        given => {
            for Program { platform, file } in given {
                if !file.is_file() {
                    bail!("there is no program {}", file.display());
                }
                package(&Parts::Platform { program: file, platform })?;
            }
        }
    }
    package(&Parts::Universal)?;
    Ok(())
}

/// This machine's platform.
fn here() -> Result<&'static str> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let ours = |(_, target): &&(&str, &str)| target.starts_with(arch) && target.contains(os_of_target(os));
    let found = PLATFORMS.iter().find(ours);
    found
        .map(|(platform, _)| *platform)
        .with_context(|| format!("VS Code has no platform for {os} on {arch}"))
}

fn os_of_target(os: &str) -> &str {
    if os == "macos" { "darwin" } else { os }
}

/// A program that is there already, and the platform that it is for: `linux-arm64=FILE`.
#[derive(Clone, Debug)]
pub struct Program {
    platform: &'static str,
    file: PathBuf,
}

impl std::str::FromStr for Program {
    type Err = String;

    fn from_str(text: &str) -> Result<Program, String> {
        let (name, file) = text.split_once('=').ok_or("expected PLATFORM=FILE")?;
        let known = PLATFORMS.iter().find(|(platform, _)| *platform == name);
        let (platform, _) = known.ok_or_else(|| {
            let names: Vec<&str> = PLATFORMS.iter().map(|(platform, _)| *platform).collect();
            format!("VS Code has no platform `{name}`; expected one of {}", names.join(", "))
        })?;
        // The extension's folder is built from elsewhere.
        let file = std::path::absolute(file).map_err(|error| error.to_string())?;
        Ok(Program { platform, file })
    }
}

/// Installs the extension's own npm packages.
fn packages() -> Result<()> {
    playground::packages_in(&folder())
}

/// What is packed.
enum Parts<'a> {
    /// With the native program; the platform as vsce names it.
    Platform { program: &'a Path, platform: &'a str },
    /// For every platform, with the WebAssembly server alone.
    Universal,
    /// The same without an entry for desktops, so that any VS Code runs it in the browser. For tests.
    Web,
}

/// Builds the package, and answers with its path.
fn package(parts: &Parts) -> Result<PathBuf> {
    packages()?;
    let staging = shell::target().join("vscode/extension");
    let mut build = playground::node();
    build.arg(folder().join("build/build.mjs")).arg(&staging);
    let mut vsce = Command::new(folder().join("node_modules/.bin/vsce"));
    setup::with_node(&mut vsce);
    let suffix = match parts {
        Parts::Platform { program, platform } => {
            build.arg("--program").arg(program);
            vsce.args(["package", "--target", platform]);
            format!("-{platform}")
        }
        Parts::Universal => {
            vsce.arg("package");
            String::new()
        }
        Parts::Web => {
            build.arg("--web");
            vsce.arg("package");
            "-web".to_owned()
        }
    };
    shell::run(&mut build)?;
    let package = shell::target().join(format!("vscode/coopmat-analyzer{suffix}.vsix"));
    vsce.args(["--no-dependencies", "-o"]).arg(&package).current_dir(&staging);
    shell::run(&mut vsce)?;
    println!("{}: {} bytes", package.display(), package.metadata()?.len());
    Ok(package)
}

/// Types and lints, and the scripted runs.
pub fn test() -> Result<Count> {
    install()?;
    setup::for_page(true)?;
    packages()?;
    let mut count = Count::default();
    let mut step = |what: &str, result: Result<()>| match result {
        Ok(()) => count.passed += 1,
        Err(error) => {
            eprintln!("error: {what}: {error:#}");
            count.failed += 1;
        }
    };
    let tool = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(folder().join("node_modules/.bin").join(name));
        setup::with_node(&mut command).args(arguments).current_dir(folder());
        command
    };
    step("types", shell::run(&mut tool("tsc", &["--noEmit"])));
    step("lints", shell::run(&mut tool("biome", &["ci", "."])));
    step("schemas", schemas(tool("taplo", &["lint", "--schema"])));
    playground::module(Profile::Web, Vectors::Yes)?;
    let program = shell::target().join("vscode/coopmat-analyzer");
    fs::create_dir_all(shell::target().join("vscode"))?;
    // Without what only a debugger reads, which is most of a debug build.
    shell::run(Command::new("strip").arg("-o").arg(&program).arg(shell::server()?))?;
    let native = package(&Parts::Platform { program: &program, platform: "linux-x64" })?;
    let web = package(&Parts::Web)?;
    for (kind, package) in [("native", &native), ("wasm", &native), ("web", &web)] {
        step(kind, drive(package, kind));
    }
    Ok(count)
}

/// Every example's recipe keeps to the schema, as the extensions for TOML check it.
fn schemas(mut taplo: Command) -> Result<()> {
    taplo.arg(format!("file://{}", shell::root().join("recipe/run-recipe.schema.json").display()));
    taplo.arg(shell::root().join("examples/**/*.run.toml"));
    shell::run(&mut taplo)
}

/// One scripted user of a fresh profile. `kind` is the server that is asked for, or `web`.
fn drive(package: &Path, kind: &str) -> Result<()> {
    let folder_of_run = shell::target().join("vscode/run").join(kind);
    if folder_of_run.exists() {
        fs::remove_dir_all(&folder_of_run)?;
    }
    let workspace = workspace(&folder_of_run.join("workspace"))?;
    let user = folder_of_run.join("user");
    fs::create_dir_all(user.join("User"))?;
    let settings_file = user.join("User/settings.json");
    fs::write(&settings_file, settings(kind).to_string())?;
    let extensions = folder_of_run.join("extensions");
    let code = || {
        let mut code = node();
        code.arg(entry()).arg("--user-data-dir").arg(&user).arg("--extensions-dir").arg(&extensions);
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
    let mut drive = node();
    drive.arg("--no-warnings").arg(folder().join("test/drive.ts"));
    drive.args(["--url", &format!("http://{address}"), "--kind", kind, "--workspace"]).arg(&workspace);
    drive.arg("--settings").arg(&settings_file);
    drive.arg("--pictures").arg(shell::target().join("vscode/pictures"));
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

fn settings(kind: &str) -> Value {
    json!({
        "coopmat-analyzer.server.kind": if kind == "web" { "auto" } else { kind },
        // Nobody is to be reached there: the test reads the link.
        "coopmat-analyzer.playground.url": "https://playground.invalid/",
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
        // Long lines would scroll the lenses out of view.
        "[glsl]": { "editor.wordWrap": "on" },
        "editor.minimap.enabled": false,
        "files.autoSave": "off",
        "testing.automaticallyOpenTestResults": "neverOpen",
    })
}

#[cfg(test)]
mod tests {
    use super::{PLATFORMS, here};
    use crate::shell;

    fn read(path: &str) -> String {
        std::fs::read_to_string(shell::root().join(path)).unwrap()
    }

    /// The workflow names the archives and packs the programs, Mason downloads them.
    #[test]
    fn every_target_has_an_archive_a_package_and_a_line_for_mason() {
        let workflow = read(".github/workflows/release.yml");
        let mason = read("editors/nvim/mason/packages/coopmat-analyzer/package.yaml");
        for (platform, target) in PLATFORMS {
            let windows = target.contains("windows");
            let archive = format!("coopmat-analyzer-{target}.{}", if windows { "zip" } else { "tar.gz" });
            let program = if windows { "coopmat-analyzer.exe" } else { "coopmat-analyzer" };
            assert!(workflow.contains(&format!("{{ target: {target}, runner:")), "{target} is not built");
            assert!(workflow.contains(&format!("unpack {platform} {archive}\n")), "{archive}");
            let packed = format!("--program {platform}=programs/{platform}/{program}");
            assert!(workflow.lines().any(|line| line.trim().trim_end_matches(" \\") == packed), "{packed}");
            assert!(mason.contains(&format!("file: {archive}\n      bin: {program}\n")), "Mason: {archive}");
        }
    }

    #[test]
    fn this_machine_has_a_platform() {
        assert!(here().is_ok());
    }
}
