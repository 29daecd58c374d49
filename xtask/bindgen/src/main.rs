//! `coopmat-bindgen MODULE FOLDER`: what the program `wasm-bindgen` does, in the version of the crate that the module was built with.
//!
//! A crate of its own because nothing but the playground needs it, and it takes long to compile.

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else { bail!("usage: coopmat-bindgen MODULE FOLDER") };
    Bindgen::new()
        .input_path(module)
        .web(true)?
        .typescript(true)
        .out_name("coopmat")
        .generate(folder)
        .with_context(|| format!("cannot make the JavaScript side of {module}"))
}
