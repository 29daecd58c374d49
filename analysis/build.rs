//! Turns the data folders of this crate into Rust tables: the pages of `diagnostics/` become `diagnostic_codes.rs`, the files of
//! `extensions/` become `extension_tables.rs`.

#[path = "build/diagnostics.rs"]
mod diagnostics;
#[path = "build/extensions.rs"]
mod extensions;
#[path = "build/names.rs"]
mod names;
#[path = "build/notation.rs"]
mod notation;
#[path = "build/schema.rs"]
mod schema;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    diagnostics::generate();
    extensions::generate();
}
