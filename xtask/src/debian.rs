//! A folder with the newest Debian, for programs that the host's release has only in old versions or not at all: Neovim,
//! a software Vulkan driver, SPIRV-Tools and glslang. Programs start through the folder's own dynamic linker, so that
//! they see the host's files and need no privileges.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{self, command};

/// What the folder holds beside the smallest system; each package with a program or file that shows it is there.
const PACKAGES: [(&str, &str); 6] = [
    ("neovim", "usr/bin/nvim"),
    ("libvulkan1", "usr/lib/x86_64-linux-gnu/libvulkan.so.1"),
    ("mesa-vulkan-drivers", LAVAPIPE),
    ("vulkan-tools", "usr/bin/vulkaninfo"),
    ("spirv-tools", "usr/bin/spirv-val"),
    ("glslang-tools", "usr/bin/glslangValidator"),
];

/// The description of the software driver that the Vulkan loader reads.
const LAVAPIPE: &str = "usr/share/vulkan/icd.d/lvp_icd.json";

pub fn folder() -> PathBuf {
    shell::target().join("tools/debian-sid")
}

/// Unpacks the folder unless it holds every package.
pub fn install() -> Result<()> {
    let folder = folder();
    if PACKAGES.iter().all(|(_, shown)| folder.join(shown).exists()) {
        return Ok(());
    }
    println!("unpacking Debian's newest tools into {}", folder.display());
    if !shell::succeeds(&mut command("debootstrap", ["--version"])) {
        shell::apt_install(&["debootstrap"])?;
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let names: Vec<&str> = PACKAGES.iter().map(|(name, _)| *name).collect();
    let include = format!("--include={}", names.join(","));
    let mut bootstrap = command("debootstrap", ["--variant=minbase", &include, "sid"]);
    shell::run(bootstrap.arg(&folder))?;
    let missing = PACKAGES.iter().find(|(_, shown)| !folder.join(shown).exists());
    missing.map_or(Ok(()), |(name, shown)| bail!("{name} was unpacked without {shown}"))
}

/// A program of the folder, such as `spirv-val`; `None` before [`install`].
pub fn program(name: &str) -> Option<Command> {
    let path = folder().join("usr/bin").join(name);
    path.exists().then(|| with_its_libraries(&path))
}

/// Any program, with the folder's libraries and its software Vulkan driver as the only one.
///
/// # Errors
/// That the folder is not there.
pub fn with_lavapipe(program: impl AsRef<OsStr>) -> Result<Command> {
    let driver = folder().join(LAVAPIPE);
    let driver = driver.canonicalize().context("no software Vulkan driver: run `cargo xtask setup` first")?;
    let mut command = with_its_libraries(Path::new(program.as_ref()));
    command.env("VK_DRIVER_FILES", &driver).env("VK_ICD_FILENAMES", &driver);
    Ok(command)
}

fn with_its_libraries(program: &Path) -> Command {
    let folder = folder();
    let mut command = Command::new(folder.join("lib64/ld-linux-x86-64.so.2"));
    command.arg("--library-path").arg(folder.join("usr/lib/x86_64-linux-gnu")).arg(program);
    command
}
