//! Builds llama.cpp with its CPU and Vulkan backends, from the Cargo package that has its shaders, and our program above it
//! (`vulkan-driver/programs/llama`); and lets the program write the models. All of it stays in `target/llama-vulkan`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{corpus, debian, setup, shell};

/// The program, and the folder for models and what comes out.
pub struct Built {
    pub program: PathBuf,
    pub folder: PathBuf,
}

/// Builds what is not built. The first time takes some ten minutes on two cores: llama.cpp compiles about 1,500 shaders.
pub fn build() -> Result<Built> {
    setup::program("cmake", &["cmake"])?;
    setup::program("ninja", &["ninja-build"])?;
    debian::install()?;
    debian::COMPILER.install()?;
    let llama = corpus::llama()?;
    let folder = shell::target().join("llama-vulkan");
    let made = folder.join("build");
    fs::create_dir_all(&folder)?;
    let glslc = glslc(&folder)?;
    let sid = debian::folder();
    let define = |name: &str, value: &Path| format!("-D{name}={}", value.display());
    let mut configure = shell::command("cmake", ["-G", "Ninja", "-S"]);
    configure.arg(shell::root().join("vulkan-driver/programs/llama")).arg("-B").arg(&made);
    configure.args([
        define("LLAMA", &llama),
        define("Vulkan_INCLUDE_DIR", &sid.join("usr/include")),
        define("Vulkan_LIBRARY", &sid.join("usr/lib/x86_64-linux-gnu/libvulkan.so")),
        define("Vulkan_GLSLC_EXECUTABLE", &glslc),
        define("SPIRV-Headers_DIR", &sid.join("usr/share/cmake/SPIRV-Headers")),
    ]);
    // Little optimisation: compiling takes longer than running.
    configure.args([
        "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG -w",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG -w",
    ]);
    shell::output(&mut configure).context("llama.cpp cannot be configured")?;
    shell::run(shell::command("ninja", ["--quiet", "logits", "-C"]).arg(&made))
        .context("llama.cpp cannot be built")?;
    Ok(Built { program: made.join("logits"), folder })
}

/// A script that starts the folder's `glslc` through the folder's dynamic linker: CMake takes the path of one program.
fn glslc(folder: &Path) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let command = debian::COMPILER.program("glslc").context("no glslc in its folder")?;
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted: Vec<String> = words.map(|word| format!("'{}'", word.to_string_lossy())).collect();
    let script = format!("#!/bin/sh\nexec {} \"$@\"\n", quoted.join(" "));
    let path = folder.join("glslc");
    if fs::read_to_string(&path).is_ok_and(|have| have == script) {
        return Ok(path);
    }
    fs::write(&path, script)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

impl Built {
    /// A model of random weights of this type.
    pub fn model(&self, kind: &str) -> Result<PathBuf> {
        let path = self.folder.join(format!("{kind}.gguf"));
        let mut write = debian::with_libraries(&self.program);
        shell::output(write.args(["model", kind]).arg(&path))?;
        Ok(path)
    }
}
