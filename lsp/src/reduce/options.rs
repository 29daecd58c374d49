//! The command line of `reduce`.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{Color, LimitOptions, ModeOptions, ShaderOptions, parse_pair};

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the reduced recipe was written; 1 the shader does not compile; 2 the command line is invalid, a file cannot be read or written, or there is nothing to reduce."
)]
pub struct ReduceOptions {
    /// The recipe, or a shader with one beside it
    #[arg(value_name = "RECIPE|FILE")]
    pub path: String,

    /// The recipe to use instead of NAME.run.toml beside the shader
    #[arg(long, value_name = "FILE")]
    pub recipe: Option<PathBuf>,

    /// The folder for the reduced recipe, its modules and its data; NAME.reduced in this folder by default
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,

    /// Keep a finding of this kind, such as `out-of-bounds`, instead of the first one
    #[arg(long, value_name = "KIND", conflicts_with = "result")]
    pub finding: Option<String>,

    /// Keep a wrong result, though there are findings
    #[arg(long)]
    pub result: bool,

    /// Checked mode also reports two invocations that write the same value to one place, and values passed through memory that is not coherent
    #[arg(long)]
    pub strict: bool,

    #[command(flatten)]
    pub modes: ModeOptions,

    /// Set one of the recipe's sizes or a specialization constant, by name or id
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,

    /// Seconds after which what is reached is written
    #[arg(long, value_name = "N", default_value_t = 600)]
    pub seconds: u64,

    #[command(flatten)]
    pub shader: ShaderOptions,

    #[command(flatten)]
    pub limits: LimitOptions,

    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}
