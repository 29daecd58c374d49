//! Turns the data folders of this crate into Rust tables: the pages of `diagnostics/` become `diagnostic_codes.rs`, the files of
//! `extensions/` become `extension_tables.rs`. Whatever is wrong in one of them ends the build with the file, the entry, what was
//! expected and what was found.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "build/diagnostics.rs"]
mod diagnostics;
#[path = "build/extensions.rs"]
mod extensions;
#[path = "build/files.rs"]
mod files;
#[path = "build/names.rs"]
mod names;
#[path = "build/notation.rs"]
mod notation;
#[path = "build/schema.rs"]
mod schema;

use std::process::ExitCode;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    match diagnostics::generate().and_then(|()| extensions::generate()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            for line in message.lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}
