//! Builds the judge of llama.cpp's kernels: ggml's CPU backend, from the Cargo package that has the shaders, with a program of ours
//! (`xtask/corpus/judge`). Only the files that it needs, in their portable form; kept in the target folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result};

use super::{download, variants};
use crate::shell;

/// Files of `ggml/src`, without those of one architecture, of other backends and of files of models.
const SOURCES: [&str; 12] = [
    "ggml-cpu/ops.cpp",
    "ggml-cpu/tiled/tiled.cpp",
    "ggml-quants.c",
    "ggml.c",
    "ggml-cpu/ggml-cpu.c",
    "ggml-cpu/quants.c",
    "ggml-cpu/unary-ops.cpp",
    "ggml-cpu/binary-ops.cpp",
    "ggml-cpu/traits.cpp",
    "ggml-cpu/vec.cpp",
    "ggml-cpu/tiled/tiled-kernel.cpp",
    "ggml-threading.cpp",
];

/// The program, built if it is not there or older than its source.
pub fn build() -> Result<PathBuf> {
    let folder = shell::target().join("judge").join(download::LLAMA_VERSION);
    fs::create_dir_all(&folder)?;
    let program = folder.join(format!("judge{}", std::env::consts::EXE_SUFFIX));
    let own = |file| shell::root().join("xtask/corpus/judge").join(file);
    let stale = ["judge.cpp", "operations.hpp"].into_iter().any(|file| variants::newer(&own(file), &program));
    if !stale && program.exists() {
        return Ok(program);
    }
    eprintln!("compiling ggml's CPU backend");
    let ggml = download::llama()?.join("ggml");
    // What CMake would write.
    let version =
        format!("#define GGML_VERSION \"{0}\"\n#define GGML_COMMIT \"{0}\"\n", download::LLAMA_VERSION);
    fs::write(folder.join("ggml-version.h"), version)?;
    let sources: Vec<PathBuf> =
        SOURCES.iter().map(|source| ggml.join("src").join(source)).chain([own("judge.cpp")]).collect();
    let objects: Vec<PathBuf> = sources.iter().map(|source| object(&folder, source)).collect();
    // As many at a time as there are cores: each takes what is next.
    let next = std::sync::atomic::AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let work = || -> Result<()> {
            while let Some(source) = sources.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                compile(&folder, &ggml, source)?;
            }
            Ok(())
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().map_err(|_| anyhow::anyhow!("a compiler's thread panicked"))?
        })
    })?;
    let mut link = shell::command(&compiler(true), ["-pthread", "-o"]);
    shell::run(link.arg(&program).args(&objects)).context("the judge was not linked")?;
    Ok(program)
}

fn compiler(cpp: bool) -> String {
    let (variable, default) = if cpp { ("CXX", "g++") } else { ("CC", "gcc") };
    std::env::var(variable).unwrap_or_else(|_| default.to_owned())
}

fn object(folder: &Path, source: &Path) -> PathBuf {
    // Some names differ only in their extensions.
    let name = source.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    folder.join(format!("{name}.o"))
}

fn compile(folder: &Path, ggml: &Path, source: &Path) -> Result<()> {
    let object = object(folder, source);
    // ggml's objects stay as they are: a version has a folder of its own.
    if source.starts_with(ggml) && object.exists() {
        return Ok(());
    }
    let cpp = source.extension().is_some_and(|extension| extension == "cpp");
    let mut compile =
        shell::command(&compiler(cpp), ["-O1", "-w", "-DGGML_CPU_GENERIC", "-D_GNU_SOURCE", "-pthread"]);
    compile.arg(if cpp { "-std=gnu++17" } else { "-std=gnu11" });
    for include in [ggml.join("include"), ggml.join("src"), ggml.join("src/ggml-cpu"), folder.to_path_buf()] {
        compile.arg("-I").arg(include);
    }
    // Under another name until it is whole: a compiler that is stopped may leave a part.
    let part = object.with_extension("part");
    shell::run(compile.arg("-c").arg(source).arg("-o").arg(&part))?;
    fs::rename(&part, &object)?;
    Ok(())
}
