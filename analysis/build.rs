//! Turns the data folders of this crate into Rust tables: the pages of `diagnostics/` become `diagnostic_codes.rs`.

#[path = "build/diagnostics.rs"]
mod diagnostics;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    diagnostics::generate();
}
