//! ncnn with its Vulkan backend on our driver: its layers have to be as its CPU backend's, and bugs that are planted into its shaders are found.

use anyhow::Result;

use super::planted;
use super::programs::NCNN;
use crate::shell;

pub fn check() -> Result<()> {
    let installed = NCNN.installed()?;
    let modules = shell::target().join("ncnn-modules");
    let _ = std::fs::remove_dir_all(&modules);
    std::fs::create_dir_all(&modules)?;
    let options = ["--checked".as_ref(), "--write-shaders".as_ref(), modules.as_os_str()];
    NCNN.judge(&installed.run(&NCNN.devices[0], &options, &[])?)?;
    planted::check(&installed, &modules)
}
