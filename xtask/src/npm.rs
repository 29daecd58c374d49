//! `cargo xtask dist --npm`: the WebAssembly build as a package of npm, with types. Before it is given out, it is installed from the packed file and its
//! README's example runs in Node.js.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::{playground, setup, shell};

const NAME: &str = "coopmat-analyzer";

/// What a program with the package is checked against.
const TYPES: &str = r#"import init, { Debugger, initSync, Server, Simulator } from "coopmat-analyzer";

const bytes: ArrayBuffer = new ArrayBuffer(0);
initSync({ module: bytes });
const loaded: Promise<unknown> = init({ module_or_path: "coopmat_bg.wasm" });
const server: Server = new Server();
server.receive("{}");
const wait: number = server.step(0);
for (const message of server.takeMessages()) console.log(message.toString());
console.log(loaded, wait, Simulator, Debugger);
"#;

/// Packs `playground-web/shared/pkg`, tries the package, and tells where it is.
pub fn dist(notices: &Path) -> Result<()> {
    let packed = pack(Some(notices))?;
    check(&packed)?;
    println!("The npm package is {}.", packed.display());
    Ok(())
}

/// A step of the tests: the package of whatever module was built last.
pub fn test() -> Result<()> {
    if !playground::pkg().join("coopmat_bg.wasm").exists() {
        bail!("there is no module: run `cargo xtask playground --module-only`");
    }
    check(&pack(None)?)
}

fn folder() -> PathBuf {
    shell::target().join("npm")
}

fn pack(notices: Option<&Path>) -> Result<PathBuf> {
    let package = folder().join("package");
    if folder().exists() {
        fs::remove_dir_all(folder())?;
    }
    fs::create_dir_all(&package)?;
    let copy = |from: PathBuf, name: &str| {
        fs::copy(&from, package.join(name)).with_context(|| format!("cannot copy {}", from.display()))
    };
    for name in ["coopmat.js", "coopmat.d.ts", "coopmat_bg.wasm", "coopmat_bg.wasm.d.ts"] {
        copy(playground::pkg().join(name), name)?;
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        copy(shell::root().join(name), name)?;
    }
    copy(playground::folder().join("wasm/README.md"), "README.md")?;
    if let Some(notices) = notices {
        copy(notices.to_path_buf(), "THIRD-PARTY.md")?;
    }
    let manifest = json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Language server, compiler and simulator for GLSL compute shaders with cooperative matrices, as WebAssembly",
        "license": "MIT OR Apache-2.0",
        "repository": { "type": "git", "url": "git+https://github.com/coopmat-analyzer/coopmat-analyzer.git" },
        "keywords": ["glsl", "vulkan", "spir-v", "cooperative matrix", "language server"],
        "type": "module",
        "exports": {
            ".": { "types": "./coopmat.d.ts", "default": "./coopmat.js" },
            "./coopmat_bg.wasm": { "types": "./coopmat_bg.wasm.d.ts", "default": "./coopmat_bg.wasm" },
        },
        "types": "./coopmat.d.ts",
        "sideEffects": false,
        "engines": { "node": ">=20.19" },
    });
    fs::write(package.join("package.json"), format!("{manifest:#}\n"))?;
    shell::run(npm().args(["pack", "--silent", "--pack-destination"]).arg(folder()).arg(&package))?;
    Ok(folder().join(format!("{NAME}-{}.tgz", env!("CARGO_PKG_VERSION"))))
}

fn npm() -> Command {
    let mut npm = Command::new("npm");
    setup::with_node(&mut npm);
    npm
}

/// Installs the packed file elsewhere, runs the README's example, and lets TypeScript read the types.
fn check(packed: &Path) -> Result<()> {
    let project = folder().join("user");
    fs::create_dir_all(&project)?;
    fs::write(
        project.join("package.json"),
        "{ \"name\": \"user\", \"private\": true, \"type\": \"module\" }\n",
    )?;
    let install = ["install", "--offline", "--no-audit", "--no-fund", "--silent"];
    shell::run(npm().args(install).arg(packed).current_dir(&project))?;
    let installed = project.join("node_modules").join(NAME);
    let readme = fs::read_to_string(installed.join("README.md")).context("the package has no README")?;
    fs::write(project.join("example.js"), example(&readme).context("the README has no example")?)?;
    let printed = shell::output(playground::node().arg("example.js").current_dir(&project))?;
    for expected in ["\"capabilities\"", "textDocument/publishDiagnostics", "type-mismatch"] {
        if !printed.contains(expected) {
            bail!("the README's example prints no {expected}:\n{printed}");
        }
    }
    playground::packages()?;
    fs::write(project.join("types.ts"), TYPES)?;
    let options = [
        "--noEmit",
        "--strict",
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "--lib",
        "esnext,dom",
        "types.ts",
    ];
    shell::run(playground::tool("tsc", &options).current_dir(&project))
}

/// The first block of JavaScript.
fn example(readme: &str) -> Option<&str> {
    Some(readme.split_once("```js\n")?.1.split_once("```")?.0)
}
