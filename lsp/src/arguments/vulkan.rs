//! The options of `coopmat-analyzer vulkan`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::{Checked, Color, LimitOptions};

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("captures").multiple(true),
    after_help = "Exit codes: 1 the driver found something: undefined behaviour in a shader, a dispatch that failed, a wrong use of Vulkan, or something that it does not have; otherwise the program's own; 2 the command line is invalid or the program cannot be started."
)]
pub struct VulkanOptions {
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "PROGRAM ARGUMENTS")]
    pub command: Vec<String>,

    /// The device that the program sees: the name of a built-in profile, or the path of a JSON profile
    #[arg(long, value_name = "NAME|FILE.json", default_value = "nvidia-h200")]
    pub device: String,

    /// Say that the queues can do graphics, for programs that ask for such a queue and only compute: drawing fails
    #[arg(long)]
    pub claim_graphics: bool,

    /// Report undefined behaviour in shaders, as `run --checked` does
    #[arg(long, value_name = "strict", num_args = 0..=1, require_equals = true, default_missing_value = "plain", hide_possible_values = true)]
    pub checked: Option<Checked>,

    /// Check these dispatches only: what the program calls their pipeline, or their number. The others run unchecked. May be given several times
    #[arg(long, value_name = "NAME|N", requires = "checked")]
    pub only: Vec<String>,

    /// Write these dispatches as recipes, with their module and buffers, for `run`. May be given several times
    #[arg(long, value_name = "NAME|N", group = "captures")]
    pub capture: Vec<String>,

    /// Write each dispatch with a finding that no dispatch had before as a recipe, too
    #[arg(long, requires = "checked", group = "captures")]
    pub capture_findings: bool,

    /// The folder that recipes are written to
    #[arg(long, value_name = "FOLDER", default_value = ".", requires = "captures")]
    pub capture_to: PathBuf,

    /// Write each shader module that the program makes to this folder, named by its contents
    #[arg(long, value_name = "FOLDER")]
    pub write_shaders: Option<PathBuf>,

    /// Take modules from this folder, which `--write-shaders` wrote and you changed, instead of the program's
    #[arg(long, value_name = "FOLDER")]
    pub read_shaders: Option<PathBuf>,

    /// How floating-point matrices are multiplied
    #[arg(long, value_name = "NAME")]
    pub numerics: Option<String>,

    /// Which invocation owns which element of a matrix: the name of an ownership
    #[arg(long, value_name = "NAME")]
    pub ownership: Option<String>,

    /// Number of threads that run workgroups; one per core by default
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,

    /// The library of the driver, instead of the one beside this program
    #[arg(long, value_name = "FILE")]
    pub driver: Option<PathBuf>,

    /// Print the report as JSON: a list of events
    #[arg(long)]
    pub json: bool,

    /// Write the findings to a file as SARIF 2.1.0 as well
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,

    /// Write the report to a file, rather than to standard error after the program has ended
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub limits: LimitOptions,

    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}
