//! What `coopmat-analyzer spirv` does to a module on request: specialization values (`--spec`), and clean-up (`-O`).

use clap::Args;
use coopmat_codegen::{Compiled, SpecializeError};
use coopmat_spirv::Values;

#[derive(Debug, Args)]
pub struct ChangeOptions {
    /// Clean up: locals become values, constants are folded, what is not used goes
    #[arg(short = 'O', long)]
    pub optimise: bool,

    /// Fold a specialization constant's value into the module, as a driver does: `0=64`, `3=0x10`, `4=1.5`, `5=true`; `defaults`
    /// gives all others the values that the shader says
    #[arg(long, value_name = "ID=VALUE|defaults", value_parser = parse_spec)]
    pub spec: Vec<Spec>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    Value(u32, String),
    Defaults,
}

fn parse_spec(text: &str) -> Result<Spec, String> {
    if text == "defaults" {
        return Ok(Spec::Defaults);
    }
    let parsed = text.split_once('=').and_then(|(id, value)| Some((id.trim().parse().ok()?, value)));
    let (id, value) = parsed.ok_or_else(|| {
        "expected the constant's id and its value, such as 0=64, or the word defaults".to_owned()
    })?;
    Ok(Spec::Value(id, value.to_owned()))
}

/// The module with the values, and cleaned up, as far as either is asked for.
pub fn changed(compiled: Compiled, options: &ChangeOptions) -> Result<Compiled, SpecializeError> {
    let mut compiled = compiled;
    if !options.spec.is_empty() {
        let written = options.spec.iter().filter_map(|spec| match spec {
            Spec::Value(id, value) => Some((*id, value.as_str())),
            Spec::Defaults => None,
        });
        let mut values = Values::parse(&compiled.module, written)?;
        values.defaults = options.spec.contains(&Spec::Defaults);
        compiled = coopmat_codegen::specialize(compiled, &values)?;
    }
    Ok(if options.optimise { coopmat_codegen::optimise(compiled) } else { compiled })
}
