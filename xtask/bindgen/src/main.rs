//! `coopmat-bindgen MODULE FOLDER NAME [--arrange]`: what the program `wasm-bindgen` does, in the version of the crate that the module was built with.
//! `--arrange`: for a smaller download, see `arrange.rs`.
//!
//! A crate of its own because nothing but the playground needs it, and it takes long to compile.

mod arrange;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (module, folder, name, arranges) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        [module, folder, name] => (module, folder, name, false),
        [module, folder, name, "--arrange"] => (module, folder, name, true),
        _ => bail!("usage: coopmat-bindgen MODULE FOLDER NAME [--arrange]"),
    };
    Bindgen::new()
        .input_path(module)
        .web(true)?
        .typescript(true)
        .out_name(name)
        .generate(folder)
        .with_context(|| format!("cannot make the JavaScript side of {module}"))?;
    if arranges {
        let made = Path::new(folder).join(format!("{name}_bg.wasm"));
        let bytes = fs::read(&made).with_context(|| format!("cannot read {}", made.display()))?;
        fs::write(&made, arrange::arrange(&bytes)?)
            .with_context(|| format!("cannot write {}", made.display()))?;
    }
    Ok(())
}
