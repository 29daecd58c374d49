//! Folders with other releases of Debian, for programs that the host's release has only in old versions or not at all: Neovim,
//! a software Vulkan driver, SPIRV-Tools and glslang, the machine-readable grammar of SPIR-V and registry of Vulkan; editors; and
//! the Neovim of Debian 12. Programs start through the folder's own dynamic linker, so that they see the host's files and need no
//! privileges.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{self, command};

/// A system in a folder, and what it holds beside the smallest one; each package with a program or file that shows it is there.
pub struct Folder {
    name: &'static str,
    suite: &'static str,
    packages: &'static [(&'static str, &'static str)],
}

pub const TOOLS: Folder = Folder {
    name: "debian-sid",
    suite: "sid",
    packages: &[
        ("neovim", "usr/bin/nvim"),
        ("libvulkan1", "usr/lib/x86_64-linux-gnu/libvulkan.so.1"),
        ("mesa-vulkan-drivers", LAVAPIPE),
        ("vulkan-tools", "usr/bin/vulkaninfo"),
        ("vulkan-validationlayers", LAYERS),
        ("spirv-tools", "usr/bin/spirv-val"),
        ("glslang-tools", "usr/bin/glslangValidator"),
        ("spirv-headers", "usr/include/spirv/unified1/spirv.core.grammar.json"),
        ("libvulkan-dev", "usr/share/vulkan/registry/vk.xml"),
    ],
};

/// The shader compiler that llama.cpp's build asks for.
pub const COMPILER: Folder =
    Folder { name: "debian-glslc", suite: "sid", packages: &[("glslc", "usr/bin/glslc")] };

/// Editors whose settings in docs/editors.md are tried.
pub const EDITORS: Folder = Folder {
    name: "debian-editors",
    suite: "sid",
    packages: &[("hx", "usr/bin/hx"), ("emacs-nox", "usr/bin/emacs")],
};

/// The Neovim of Debian 12, for which the plugin has a fallback.
pub const OLD: Folder =
    Folder { name: "debian-bookworm", suite: "bookworm", packages: &[("neovim", "usr/bin/nvim")] };

/// The description of Khronos's validation layers that the Vulkan loader reads.
const LAYERS: &str = "usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json";

/// The description of the software driver that the Vulkan loader reads.
const LAVAPIPE: &str = "usr/share/vulkan/icd.d/lvp_icd.json";

impl Folder {
    pub fn path(&self) -> PathBuf {
        shell::target().join("tools").join(self.name)
    }

    /// Unpacks the folder unless it holds every package.
    pub fn install(&self) -> Result<()> {
        let folder = self.path();
        if self.packages.iter().all(|(_, shown)| there(&folder.join(shown))) {
            return Ok(());
        }
        println!("unpacking tools of Debian {} into {}", self.suite, folder.display());
        if !shell::succeeds(&mut command("debootstrap", ["--version"])) {
            shell::apt_install(&["debootstrap"])?;
        }
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let names: Vec<&str> = self.packages.iter().map(|(name, _)| *name).collect();
        let include = format!("--include={}", names.join(","));
        let mut bootstrap = command("debootstrap", ["--variant=minbase", &include, self.suite]);
        shell::run(bootstrap.arg(&folder))?;
        let missing = self.packages.iter().find(|(_, shown)| !there(&folder.join(shown)));
        missing.map_or(Ok(()), |(name, shown)| bail!("{name} was unpacked without {shown}"))
    }

    /// A program of the folder, such as `spirv-val`; `None` before [`Folder::install`].
    pub fn program(&self, name: &str) -> Option<Command> {
        let path = self.path().join("usr/bin").join(name);
        path.exists().then(|| self.with_its_libraries(&path))
    }

    fn with_its_libraries(&self, program: &Path) -> Command {
        let folder = self.path();
        let mut command = Command::new(folder.join("lib64/ld-linux-x86-64.so.2"));
        command.arg("--library-path").arg(folder.join("usr/lib/x86_64-linux-gnu")).arg(program);
        command
    }

    /// Its Neovim, which looks for its files where they are not unless it is told.
    pub fn neovim(&self) -> Option<Command> {
        let mut nvim = self.program("nvim")?;
        nvim.env("VIMRUNTIME", self.path().join("usr/share/nvim/runtime"));
        // Its parsers, which it would look for beside the dynamic linker.
        nvim.arg("--cmd").arg(format!("set runtimepath+={}", self.path().join("usr/lib/nvim").display()));
        Some(nvim)
    }
}

/// Links between alternatives begin at the root of the folder's own system: that they are there is enough.
fn there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

pub fn folder() -> PathBuf {
    TOOLS.path()
}

pub fn install() -> Result<()> {
    TOOLS.install()
}

pub fn program(name: &str) -> Option<Command> {
    TOOLS.program(name)
}

/// Any program, with the folder's libraries.
pub fn with_libraries(program: &Path) -> Command {
    TOOLS.with_its_libraries(program)
}

/// The same with the host's libraries as well, for programs that need more.
pub fn with_both_libraries(program: &Path) -> Command {
    let mut command = Command::new(TOOLS.path().join("lib64/ld-linux-x86-64.so.2"));
    let theirs = TOOLS.path().join("usr/lib/x86_64-linux-gnu");
    let all = [theirs.as_os_str(), OsStr::new("/usr/lib/x86_64-linux-gnu")].join(OsStr::new(":"));
    command.arg("--library-path").arg(all).arg(program);
    command
}

/// The folder of the validation layers' description; the library that it names is one of the folder's.
pub fn layers() -> PathBuf {
    folder().join(LAYERS).with_file_name("")
}

/// Any program, with the folder's libraries and its software Vulkan driver as the only one.
///
/// # Errors
/// That the folder is not there.
pub fn with_lavapipe(program: impl AsRef<OsStr>) -> Result<Command> {
    let mut command = TOOLS.with_its_libraries(Path::new(program.as_ref()));
    only_lavapipe(&mut command)?;
    Ok(command)
}

/// Makes the folder's software Vulkan driver the only one of a program.
///
/// # Errors
/// That the folder is not there.
pub fn only_lavapipe(command: &mut Command) -> Result<()> {
    let driver = folder().join(LAVAPIPE);
    let driver = driver.canonicalize().context("no software Vulkan driver: run `cargo xtask setup` first")?;
    command.env("VK_DRIVER_FILES", &driver).env("VK_ICD_FILENAMES", &driver);
    // What an earlier run compiled is no part of what is measured or tested.
    command.env("MESA_SHADER_CACHE_DISABLE", "true");
    Ok(())
}
