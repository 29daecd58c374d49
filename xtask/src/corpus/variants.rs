//! Lists llama.cpp's shader variants: builds its own generator and runs it with this program in place of `glslc`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

use super::folder;
use crate::{glslc_stub, shell};

/// What llama.cpp's build defines for each thing that the shader compiler can do; with all of them every variant is made.
const FEATURES: &[&str] = &[
    "GGML_VULKAN_COOPMAT_GLSLC_SUPPORT",
    "GGML_VULKAN_COOPMAT2_GLSLC_SUPPORT",
    "GGML_VULKAN_COOPMAT2_DECODE_VECTOR_GLSLC_SUPPORT",
    "GGML_VULKAN_INTEGER_DOT_GLSLC_SUPPORT",
    "GGML_VULKAN_BFLOAT16_GLSLC_SUPPORT",
    "GGML_VULKAN_FLOAT_E2M1_GLSLC_SUPPORT",
    "GGML_VULKAN_FLOAT_E4M3_GLSLC_SUPPORT",
];

/// Writes `llama/variants.tsv`: source, output, target environment, definitions separated by 0x1f.
pub fn list() -> Result<()> {
    let llama = folder().join("llama");
    let shaders = llama.join("vulkan-shaders");
    let table = llama.join("variants.tsv");
    if newer(&table, &shaders.join("vulkan-shaders-gen.cpp")) {
        return Ok(());
    }
    let generator = build_generator(&shaders, &generator(&llama))?;
    let log = llama.join("glslc.log");
    if log.exists() {
        fs::remove_file(&log)?;
    }
    let compiler = own_copy(&llama)?;
    for shader in shader_files(&shaders)? {
        let output = Command::new(&generator)
            .arg("--glslc")
            .arg(&compiler)
            .arg("--source")
            .arg(&shader)
            .arg("--output-dir")
            .arg(&llama)
            .current_dir(&llama)
            .env(glslc_stub::LOG_VARIABLE, &log)
            .output()?;
        if !output.status.success() {
            bail!("{}: {}", shader.display(), String::from_utf8_lossy(&output.stderr));
        }
    }
    let calls = fs::read_to_string(&log).context("the generator compiled nothing")?;
    let mut rows = calls.lines().map(row).collect::<Result<Vec<_>>>()?;
    rows.sort();
    fs::write(&table, rows.concat())?;
    eprintln!("{} variants of llama.cpp's shaders", rows.len());
    Ok(())
}

fn generator(llama: &Path) -> PathBuf {
    llama.join("vulkan-shaders-gen")
}

/// Captures the generator with the program itself (`import --capture`), where no compiler is on `PATH`: the same variants, none with errors.
pub fn capture(program: &Path) -> Result<()> {
    list()?;
    let llama = folder().join("llama");
    let output = import(program, &llama.join("captured.toml"), |_| {})?;
    let told = String::from_utf8_lossy(&output.stderr);
    let table = fs::read_to_string(llama.join("variants.tsv"))?;
    let shaders: BTreeSet<&str> = table.lines().filter_map(|row| row.split('\t').next()).collect();
    let wanted =
        format!("{} shaders, {} configurations, 0 with errors", shaders.len(), table.lines().count());
    println!("{}", told.lines().last().unwrap_or_default());
    if !output.status.success() || told.lines().last() != Some(&wanted) {
        bail!("expected `{wanted}`:\n{told}");
    }
    Ok(())
}

/// The shaders, and a project file above them as a capture writes it, for whoever opens them as a project. Nothing is compiled.
pub fn as_project(program: &Path) -> Result<(PathBuf, PathBuf)> {
    list()?;
    let llama = folder().join("llama");
    let shaders = llama.join("vulkan-shaders");
    let file = llama.join("project.toml");
    if !newer(&file, &shaders.join("vulkan-shaders-gen.cpp")) {
        own_copy(&llama)?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(llama.clone()).chain(std::env::split_paths(&path)))?;
        let output = import(program, &file, |import| {
            import.arg("--no-check").env("PATH", path);
            import.env(glslc_stub::LOG_VARIABLE, llama.join("project.log"));
        })?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    Ok((shaders, file))
}

/// `import --capture` of the generator, into a project file; `more`: how else it is called.
fn import(program: &Path, file: &Path, more: impl FnOnce(&mut Command)) -> Result<Output> {
    let llama = folder().join("llama");
    let generator = generator(&llama);
    if !generator.exists() {
        build_generator(&llama.join("vulkan-shaders"), &generator)?;
    }
    let loop_over_shaders = format!(
        "for shader in \"$PWD\"/*.comp; do '{}' --source \"$shader\" --output-dir {{build}} || exit 1; done",
        generator.display()
    );
    let mut import = Command::new(program);
    import.args(["import", "--capture", "--force", "-o"]).arg(file);
    more(&mut import);
    import.args(["--", "sh", "-c", &loop_over_shaders]).current_dir(llama.join("vulkan-shaders"));
    import.output().with_context(|| format!("cannot start {}", program.display()))
}

/// This program under a path that stays: cargo may have replaced the file that it was started from, as building the tests does.
fn own_copy(folder: &Path) -> Result<PathBuf> {
    let copy = folder.join(format!("glslc{}", std::env::consts::EXE_SUFFIX));
    let running = Path::new("/proc/self/exe");
    let from = if running.exists() { running.to_path_buf() } else { std::env::current_exe()? };
    fs::copy(&from, &copy).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(copy)
}

pub fn newer(file: &Path, than: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    modified(file).is_some_and(|time| Some(time) > modified(than))
}

fn build_generator(shaders: &Path, program: &Path) -> Result<PathBuf> {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let mut build = shell::command(&compiler, ["-std=c++17", "-O1", "-w", "-pthread", "-o"]);
    build.arg(program).arg(shaders.join("vulkan-shaders-gen.cpp"));
    build.args(FEATURES.iter().map(|feature| format!("-D{feature}")));
    shell::run(&mut build)?;
    Ok(program.to_path_buf())
}

fn shader_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "comp") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// One call of the compiler as one row of the table.
fn row(call: &str) -> Result<String> {
    let (mut source, mut output, mut target_env, mut defines) = (None, None, None, Vec::new());
    let mut words = call.split(glslc_stub::SEPARATOR);
    while let Some(word) = words.next() {
        match word {
            "-o" => output = words.next(),
            "-MF" => drop(words.next()),
            _ => {
                if let Some(name) = word.strip_prefix("--target-env=") {
                    target_env = Some(name);
                } else if let Some(define) = word.strip_prefix("-D") {
                    defines.push(define);
                } else if !word.starts_with('-') {
                    source = Some(word);
                }
            }
        }
    }
    let name = |path: Option<&'_ str>| {
        let name = Path::new(path?).file_name()?;
        Some(name.to_string_lossy().into_owned())
    };
    let (Some(source), Some(output), Some(target_env)) = (name(source), name(output), target_env) else {
        bail!("not a call of a shader compiler: {call}");
    };
    Ok(format!("{source}\t{output}\t{target_env}\t{}\n", defines.join("\u{1f}")))
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn a_compiler_call_becomes_a_row() {
        let call = [
            "-fshader-stage=compute",
            "--target-env=vulkan1.3",
            "/a/mul_mm.comp",
            "-o",
            "/b/m_cm2.spv",
            "-MD",
            "-MF",
            ".d",
            "-DA=1",
            "-DUNROLL=",
        ];
        let row = row(&call.join("\u{1f}")).expect("a whole call");
        assert_eq!(row, "mul_mm.comp\tm_cm2.spv\tvulkan1.3\tA=1\u{1f}UNROLL=\n");
    }

    #[test]
    fn a_call_without_output_is_refused() {
        assert!(row("--target-env=vulkan1.3\u{1f}/a/mul_mm.comp").is_err());
    }
}
