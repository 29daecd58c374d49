//! Room on the disk. A run from nothing takes [`WHOLE_RUN`] gigabytes; where they are not there it fails late, in whatever step comes then, so
//! it says so first.

use std::path::Path;

use crate::shell;

/// What a run leaves in an empty target folder, in gigabytes.
const WHOLE_RUN: f64 = 15.0;

const GIGABYTE: f64 = 1e9;

/// Free space where the target folder is, in gigabytes; `None` where the system does not tell.
pub fn free() -> Option<f64> {
    let target = shell::target();
    let place = if target.exists() { target } else { shell::root() };
    available(&place)
}

#[cfg(unix)]
fn available(place: &Path) -> Option<f64> {
    let space = rustix::fs::statvfs(place).ok()?;
    Some(space.f_bavail as f64 * space.f_frsize as f64 / GIGABYTE)
}

#[cfg(not(unix))]
fn available(_: &Path) -> Option<f64> {
    None
}

/// Says what is free, and that it is too little for a first run where it is.
pub fn before() {
    let Some(free) = free() else { return };
    let little = free < WHOLE_RUN && !shell::target().join("debug").exists();
    let warning = if little {
        format!("; the first run takes {WHOLE_RUN:.0} GB, so it may fail: make room, or set CARGO_TARGET_DIR")
    } else {
        String::new()
    };
    println!("disk: {free:.1} GB free{warning}");
}

/// What is left, and a word about failures that come from there.
pub fn after() {
    let Some(free) = free() else { return };
    let full = if free < 0.5 { ": the disk is full, which makes steps fail" } else { "" };
    println!("disk: {free:.1} GB free{full}");
}
