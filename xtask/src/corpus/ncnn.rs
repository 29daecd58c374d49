//! Fetches the source package of ncnn by pip and unpacks its shaders. They are never built and never committed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::folder;
use crate::shell;

const VERSION: &str = "1.0.20261020";
/// Of the archive; pip holds what it downloads against it.
const SHA256: &str = "ad8cdd63e9755cfa8e23b9b6d9ce46156077d80298a89e7c3ba325ffccfca200";

/// Makes `ncnn/` in the folder of the corpus present; does nothing when it is.
pub fn prepare() -> Result<()> {
    let into = folder().join("ncnn");
    let stamp = into.join("downloaded");
    if fs::read_to_string(&stamp).is_ok_and(|have| have == VERSION) {
        return Ok(());
    }
    eprintln!("downloading ncnn {VERSION}");
    let scratch = folder().join("fetch/ncnn");
    fs::create_dir_all(&scratch)?;
    let archive = download(&scratch)?;
    if into.exists() {
        fs::remove_dir_all(&into)?;
    }
    fs::create_dir_all(&into)?;
    let mut tar = shell::command("tar", ["-x", "-z", "--strip-components=2", "-f"]);
    tar.arg(&archive).arg("-C").arg(&into);
    for part in ["src/layer/vulkan/shader", "src/ncnn_glsl_ext.comp"] {
        tar.arg(format!("ncnn-{VERSION}/{part}"));
    }
    shell::run(&mut tar)?;
    fs::write(stamp, VERSION)?;
    Ok(())
}

/// The archive. Its `setup.py` takes the present day for its version, so that pip finds the package by its version and then refuses it; by its
/// address, which pip tells then, it takes it.
fn download(scratch: &Path) -> Result<PathBuf> {
    let archive = scratch.join(format!("ncnn-{VERSION}.tar.gz"));
    if archive.exists() {
        fs::remove_file(&archive)?;
    }
    let by_version = pip(scratch).arg(format!("ncnn=={VERSION}")).output().context("cannot start pip")?;
    if !archive.exists() {
        let told = [by_version.stdout, by_version.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        let Some(address) = address(&told) else { bail!("pip does not find ncnn {VERSION}: {told}") };
        shell::output(pip(scratch).arg(address))?;
    }
    if archive.exists() { Ok(archive) } else { bail!("pip wrote no {}", archive.display()) }
}

fn pip(scratch: &Path) -> Command {
    // ncnn itself is not built, and what it would be built with need not be, either.
    let mut pip =
        shell::command("pip3", ["download", "--quiet", "--no-deps", "--no-binary", "ncnn", "--dest"]);
    pip.arg(scratch);
    pip
}

/// The archive's address in what pip tells, with the checksum by which pip judges it. The address that pip tells has the checksum only where the
/// index wrote it into the address; an index that answers in JSON tells it beside (PEP 691).
fn address(told: &str) -> Option<String> {
    let end = format!("/ncnn-{VERSION}.tar.gz");
    told.split_whitespace().find_map(|word| {
        let at = word.find(&end)?;
        word.starts_with("http").then(|| format!("{}#sha256={SHA256}", &word[..at + end.len()]))
    })
}

#[cfg(test)]
mod tests {
    use super::{SHA256, VERSION, address};

    #[test]
    fn the_address_has_the_checksum() {
        let file = format!("https://host/b7/ncnn-{VERSION}.tar.gz");
        let expected = format!("{file}#sha256={SHA256}");
        for from in [file.clone(), expected.clone(), format!("{file}#sha256=00")] {
            let told = format!("WARNING: Requested ncnn=={VERSION} from {from}, but installing another");
            assert_eq!(address(&told), Some(expected.clone()));
        }
        assert_eq!(address("ERROR: No matching distribution found for ncnn"), None);
    }
}
