//! `cargo xtask neovim`: scripted runs of a real Neovim with the plugin against the real server, on llama.cpp's shaders and an
//! example; and of an old Neovim, for which the plugin has a fallback.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::count::Count;
use crate::{corpus, debian, setup, shell};

/// The shader that is opened, and the variant that it is looked at as.
pub const SHADER: &str = "mul_mm.comp";
const VARIANT: &str = "matmul_f16_cm1.spv";

/// The configurations of the example that the commands are tried on.
const PROJECT: &str = r#"[[shaders]]
files = ["gemm.comp"]
in-view = "plain"

[[shaders.configurations]]
name = "plain"

[[shaders.configurations]]
name = "tiles"
defines = { TILES = 2 }
"#;

/// C++ with three shaders, the second of which has a mistake.
const STRINGS: &str = r###"#include <string>

// Raw strings, with a delimiter or a comment as their mark.
static const char* kScale = R"glsl(#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Numbers { float numbers[]; };
void main() { numbers[gl_GlobalInvocationID.x] *= 2.0; }
)glsl";

int twice(int value) { return 2 * value; }

static const std::string kPaint = /* glsl frag */ R"(#version 450
layout(location = 0) out vec4 shown;
void main() { shown = colour; }
)";

static const char* kTile = R"glsl(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Tile { float16_t tile[]; };
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> part;
    coopMatLoad(part, tile, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(part, tile, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
}
)glsl";
"###;

pub fn run() -> Result<()> {
    let count = test()?;
    anyhow::ensure!(count.failed == 0, "{} of the runs in Neovim failed", count.failed);
    Ok(())
}

/// Each script is a run of its own.
pub fn test() -> Result<Count> {
    setup::find_neovim().context("no Neovim 0.12: run `cargo xtask setup` first")?;
    corpus::prepare()?;
    let server = shell::server()?;
    let folder = shell::target().join("neovim");
    let shaders = llama_shaders(&folder.join("llama"))?;
    let example = example(&folder.join("example"))?;
    let parser = folder.join("parser/glsl_coopmat.so");
    let doc = folder.join("doc");
    fs::create_dir_all(&doc)?;
    for entry in fs::read_dir(plugin().join("doc"))? {
        let path = entry?.path();
        if let (Some("txt"), Some(name)) = (path.extension().and_then(|e| e.to_str()), path.file_name()) {
            fs::copy(&path, doc.join(name))?;
        }
    }
    let packs = folder.join("packs");
    copy(&plugin(), &packs.join("pack/any/start/coopmat-analyzer"))?;
    let ncnn = folder.join("ncnn/src");
    copy(&corpus::ncnn()?, &ncnn)?;
    let bare = bare(&folder.join("bare"))?;
    let strings = folder.join("strings.cpp");
    fs::write(&strings, STRINGS)?;
    let settings = settings()?.to_string();
    // For scripts that start one more.
    let own = setup::find_neovim().context("no Neovim 0.12")?;
    let command: Vec<_> =
        std::iter::once(own.get_program()).chain(own.get_args()).map(|word| word.to_string_lossy()).collect();
    let command = serde_json::to_string(&command)?;
    let environment = |nvim: &mut Command, script: &str| {
        nvim.arg("--cmd").arg(format!("set runtimepath^={}", plugin().display()));
        nvim.args(["--clean", "--headless", "-n", "-c", "lua dofile(vim.env.SCRIPT)"])
            .current_dir(&shaders)
            .env("SCRIPT", plugin().join("test").join(script))
            .env("SERVER", &server)
            .env("SHADER", shaders.join(SHADER))
            .env("SHADERS", &shaders)
            .env("SETTINGS", &settings)
            .env("EXAMPLE", &example)
            .env("PARSER", &parser)
            .env("DOC", &doc)
            .env("PLUGIN", plugin())
            .env("PACKS", &packs)
            .env("BARE", &bare)
            .env("NCNN", &ncnn)
            .env("PAGE", shell::root().join("docs/project-file.md"))
            .env("GRAMMAR", shell::root().join("parser"))
            .env("STRINGS", &strings)
            .env("NVIM_COMMAND", &command)
            .env("XDG_STATE_HOME", folder.join("state"))
            .env("XDG_DATA_HOME", folder.join("data"));
    };
    let mut count = Count::default();
    let mut run = |nvim: Option<Command>, script: &str| {
        println!("-- {script}");
        // What an earlier one has chosen is not kept for it.
        let _ = fs::remove_dir_all(folder.join("state"));
        let result =
            nvim.context("this Neovim is not installed: run `cargo xtask setup`").and_then(|mut nvim| {
                environment(&mut nvim, script);
                let status = nvim.status().context("cannot start Neovim")?;
                anyhow::ensure!(status.success(), "{script} failed");
                Ok(())
            });
        match result {
            Ok(()) => count.passed += 1,
            Err(error) => {
                eprintln!("error: {error:#}");
                count.failed += 1;
            }
        }
    };
    for script in [
        "diagnostics.lua",
        "choice.lua",
        "strings.lua",
        "commands.lua",
        "setup.lua",
        "treesitter.lua",
        "copied.lua",
        "bare.lua",
        "preamble.lua",
    ] {
        run(setup::find_neovim(), script);
    }
    run(debian::OLD.neovim(), "fallback.lua");
    Ok(count)
}

fn plugin() -> PathBuf {
    shell::root().join("editors/nvim")
}

/// All of llama.cpp as its package has it, in what looks like a clone.
fn bare(folder: &Path) -> Result<PathBuf> {
    copy(&corpus::llama()?, folder)?;
    fs::create_dir_all(folder.join(".git"))?;
    Ok(folder.canonicalize()?)
}

/// A folder alone, as somebody copies it: what lies outside of it does not come along.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        anyhow::ensure!(
            !kind.is_symlink(),
            "{} is a link: a copy would not have what it leads to",
            path.display()
        );
        let to = to.join(entry.file_name());
        if kind.is_dir() {
            copy(&path, &to)?;
        } else {
            fs::copy(&path, &to)?;
        }
    }
    Ok(())
}

/// A copy of llama.cpp's shaders, for a run types into it.
pub fn llama_shaders(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(corpus::folder().join("llama/vulkan-shaders"))? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            fs::copy(&path, folder.join(name))?;
        }
    }
    Ok(folder.to_path_buf())
}

/// An example with a recipe in a project of its own.
pub fn example(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    for name in ["gemm.comp", "gemm.run.toml"] {
        fs::copy(shell::root().join("examples/khr").join(name), folder.join(name))?;
    }
    fs::write(folder.join("coopmat-analyzer.toml"), PROJECT)?;
    Ok(folder.join("gemm.comp"))
}

/// The variant as settings of the server.
pub fn settings() -> Result<Value> {
    let table = fs::read_to_string(corpus::folder().join("llama/variants.tsv"))?;
    let row: Vec<&str> = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .find(|row| row.get(1) == Some(&VARIANT))
        .with_context(|| format!("no variant {VARIANT}"))?;
    let [_, _, target_env, defines] = row[..] else { anyhow::bail!("a row without four cells") };
    let defines: Map<String, Value> = defines
        .split('\u{1f}')
        .map(|define| define.split_once('=').unwrap_or((define, "")))
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    Ok(json!({ "targetEnv": target_env, "defines": defines, "googleInclude": true }))
}
