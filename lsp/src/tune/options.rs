//! The command line of `tune`.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{Color, LimitOptions, ShaderOptions, parse_pair};

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 done; 1 no choice is possible, or results are wrong; 2 the command line is invalid or a file cannot be read."
)]
pub struct TuneOptions {
    /// The shader or its recipe, whose `[tune]` says what may be chosen
    #[arg(value_name = "FILE")]
    pub path: String,

    /// The recipe to use instead of NAME.run.toml beside the shader
    #[arg(long, value_name = "FILE")]
    pub recipe: Option<PathBuf>,

    /// Measure the choices on a Vulkan device of this machine
    #[arg(long, value_name = "vulkan|vulkan:NAME")]
    pub measure: Option<String>,

    /// How often each choice is timed; the median counts
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub repeat: u32,

    /// The most choices that are measured
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    pub most: usize,

    /// Keep choices that another one is better than in every respect that is counted
    #[arg(long)]
    pub all: bool,

    /// How many of the first choices are run whole on the simulator and compared with what the recipe expects
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub verify: usize,

    /// Set a specialization constant, by name or id, or one of the recipe's sizes
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,

    /// Draw the choices as a PNG file: by the model, and by the times if they are measured
    #[arg(long, value_name = "FILE.png")]
    pub plot: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,

    /// Number of threads that run workgroups; one per core by default
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,

    #[command(flatten)]
    pub shader: ShaderOptions,

    #[command(flatten)]
    pub limits: LimitOptions,

    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}
