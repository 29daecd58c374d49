//! What `coopmat-analyzer spirv` does to a module on request: specialization values (those of the configuration, `--spec`), and clean-up (`-O`).

use clap::Args;
use coopmat_analysis::config::Configuration;
use coopmat_codegen::{Compiled, SpecializeError};

#[derive(Debug, Args)]
pub struct ChangeOptions {
    /// Clean up: locals become values, constants are folded, what is not used goes
    #[arg(short = 'O', long)]
    pub optimise: bool,

    /// Fold a specialization constant's value into the module, as a driver does: `0=64`, `3=0x10`, `4=1.5`, `5=true`. The values of the
    /// project file and of --specialization are folded as well, where this names no other; `keep` leaves those alone, `defaults` gives all
    /// constants that have no value the one that the shader says
    #[arg(long, value_name = "ID=VALUE|defaults|keep", value_parser = parse_spec)]
    pub spec: Vec<Spec>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    Value(u32, String),
    Defaults,
    Keep,
}

fn parse_spec(text: &str) -> Result<Spec, String> {
    match text {
        "defaults" => return Ok(Spec::Defaults),
        "keep" => return Ok(Spec::Keep),
        _ => {}
    }
    let parsed = text.split_once('=').and_then(|(id, value)| Some((id.trim().parse().ok()?, value)));
    let (id, value) = parsed.ok_or_else(|| {
        "expected the constant's id and value, such as 0=64, or one of `defaults` and `keep`".to_owned()
    })?;
    Ok(Spec::Value(id, value.to_owned()))
}

/// The module with the values that are in force, and cleaned up where that is asked for. `configuration`: what a shader was compiled under.
pub fn changed(
    compiled: Compiled,
    options: &ChangeOptions,
    configuration: &Configuration,
) -> Result<Compiled, SpecializeError> {
    let none = Configuration::default();
    let configuration = if options.spec.contains(&Spec::Keep) { &none } else { configuration };
    let written = options.spec.iter().filter_map(|spec| match spec {
        Spec::Value(id, value) => Some((*id, value.as_str())),
        Spec::Defaults | Spec::Keep => None,
    });
    let defaults = options.spec.contains(&Spec::Defaults);
    let compiled = coopmat_codegen::specialize_in(configuration, compiled, written, defaults)?;
    Ok(if options.optimise { coopmat_codegen::optimise(compiled) } else { compiled })
}
