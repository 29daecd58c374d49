//! The command line's grammar.

mod vulkan;

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use coopmat_analysis::config::{Like, Stage, TargetEnv};
use coopmat_analysis::diagnostics::{Code, Severity};
use coopmat_analysis::levels::Level;
use coopmat_analysis::project::unanalysed_name;
use coopmat_server::Specialization;

use crate::run::TierChoice;
use crate::transport::Endpoint;

pub use vulkan::VulkanOptions;

#[derive(Debug, Parser)]
#[command(
    name = "coopmat-analyzer",
    version = env!("COOPMAT_ANALYZER_VERSION"),
    about = "Analyses GLSL compute shaders that use cooperative matrices"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Arguments {
    /// Those that the program was started with. An option of `lsp` alone starts the server: that is how editors' generic clients call one.
    pub fn read() -> Arguments {
        let mut words: Vec<OsString> = std::env::args_os().collect();
        if words.get(1).and_then(|word| word.to_str()).is_some_and(is_of_server) {
            words.insert(1, "lsp".into());
        }
        Arguments::parse_from(words)
    }
}

/// Whether a word is an option of `lsp`, with its value or without.
fn is_of_server(word: &str) -> bool {
    let Some(name) = word.strip_prefix("--").map(|word| word.split('=').next().unwrap_or(word)) else {
        return false;
    };
    let program = Arguments::command();
    let mut options = program.find_subcommand("lsp").into_iter().flat_map(|server| server.get_arguments());
    options.any(|option| option.get_long_and_visible_aliases().is_some_and(|names| names.contains(&name)))
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the language server for an editor (the default), over standard input and output, a pipe or a port
    Lsp(LspOptions),
    /// Check shaders and report problems
    Check(Box<CheckOptions>),
    /// Compile a shader to SPIR-V, as text or as a binary module
    Spirv(Box<SpirvOptions>),
    /// Run a shader on the simulator as its recipe (NAME.run.toml) describes, and compare the results with what it expects
    Run(Box<RunOptions>),
    /// Debug a shader on the simulator: the Debug Adapter Protocol over standard input and output, for an editor
    Dap,
    /// Run every recipe of a folder under all modes that it names
    Test(Box<TestOptions>),
    /// List the choices of sizes and specialization constants that a device takes, likely fast ones first, and measure them on a GPU
    Tune(Box<crate::tune::TuneOptions>),
    /// Make a failing recipe smaller while what is wrong stays: workgroups, buffers, and the module
    Reduce(Box<crate::reduce::ReduceOptions>),
    /// One job on a Vulkan device: `run --device vulkan` starts it, in case the driver crashes
    #[command(hide = true)]
    VulkanJob,
    /// Run a program that uses Vulkan on the simulator, as any device of the profiles, and report what is wrong in its shaders
    Vulkan(Box<VulkanOptions>),
    /// List device profiles and the Vulkan devices of this machine, or write the profile of one
    Devices(crate::devices::DevicesOptions),
    /// List the known mappings of matrix elements to invocations, or capture one on a GPU
    Ownership(crate::ownership::OwnershipOptions),
    /// Write a project file from the compiler calls of a build
    Import(Box<ImportOptions>),
    /// Format shaders in place; only whitespace changes
    Fmt(FmtOptions),
    /// Explain a diagnostic; without an id, list them all
    Explain { id: Option<String> },
    /// Print a completion script for a shell
    Completions { shell: clap_complete::Shell },
}

#[derive(Debug, Default, Args)]
#[command(
    after_help = "Exit codes: 0 the client sent `shutdown`, then `exit`; 1 it disconnected without them; 2 no client could be reached; 130 or 143 stopped by a signal (SIGINT, SIGTERM)."
)]
pub struct LspOptions {
    /// Communicate over standard input and output (the default)
    #[arg(long, conflicts_with_all = ["pipe", "port"])]
    stdio: bool,

    /// Connect to a pipe on which the client listens: the path of a Unix domain socket or, on Windows, the name of a named pipe
    #[arg(long, value_name = "NAME", conflicts_with = "port")]
    pipe: Option<String>,

    /// Connect to a port of this machine (127.0.0.1) on which the client listens
    #[arg(long, value_name = "PORT", visible_alias = "socket", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    /// Clients name their process. When it ends, so does the connection, and with it the server
    #[arg(long = "clientProcessId", hide = true)]
    client_process: Option<u32>,
}

impl LspOptions {
    pub fn endpoint(self) -> Endpoint {
        match (self.pipe, self.port) {
            (Some(name), _) => Endpoint::Pipe(name),
            (None, Some(port)) => Endpoint::Port(port),
            (None, None) => Endpoint::Standard,
        }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 no errors; 1 errors were found (or warnings, with --deny warnings), or a file was not fully analysed (see --allow-unanalysed); 2 the command line is invalid or a file cannot be read."
)]
pub struct CheckOptions {
    /// Shaders, folders to search for shaders (files with a stage's extension), globs ('kernels/**/*.comp'), SPIR-V modules (.spv, .spvasm), or
    /// `-` for a shader on standard input
    #[arg(
        required_unless_present_any = ["compiler", "schema"],
        conflicts_with = "compiler",
        value_name = "FILE|FOLDER|GLOB"
    )]
    pub paths: Vec<String>,

    /// A call of glslc, glslangValidator or glslang: its shaders are checked as the call would compile them
    #[arg(last = true, value_name = "COMPILER ARGUMENTS")]
    pub compiler: Vec<String>,

    #[command(flatten)]
    pub shader: ShaderOptions,

    /// Check each file under every configuration of the project file that matches it
    #[arg(long, conflicts_with = "config")]
    pub all_configs: bool,

    /// Instead of problems, report which device profiles accept each shader, why the others do not, and the nearest values that would pass
    #[arg(long)]
    pub portability: bool,

    /// Also report what is known of the shader's speed on the device before it runs: conflicts in the banks of shared memory, registers of matrices. A model, which
    /// was held against an H100 alone
    #[arg(long, conflicts_with = "portability")]
    pub performance: bool,

    /// Also report what this compiler rejects although the specifications allow it: glslang
    #[arg(long, value_name = "COMPILER")]
    pub like: Option<Like>,

    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Print the JSON schema of what --format json prints, or with --portability of that report
    #[arg(long)]
    pub schema: bool,

    /// Do not report diagnostics with these ids
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = |id: &str| Level::Allow.of(id.trim()))]
    pub allow: Vec<&'static Code>,

    /// Report diagnostics with these ids as warnings
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = |id: &str| WARNING.of(id.trim()))]
    pub warn: Vec<&'static Code>,

    /// Report diagnostics with these ids as errors; `warnings` makes every warning fail the check
    #[arg(long, value_name = "ID|warnings", value_delimiter = ',', value_parser = parse_deny)]
    pub deny: Vec<Deny>,

    /// Do not fail for files that were not fully analysed for these reasons: names of extensions that are not analysed, or ids of limits
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = |name: &str| unanalysed_name(name.trim()))]
    pub allow_unanalysed: Vec<String>,

    /// Also report hints
    #[arg(long)]
    pub all: bool,

    /// A value of a specialization constant, by its id or name: `0=64`, `TM=32`. May be given several times
    #[arg(long, value_name = "ID=VALUE", conflicts_with = "specialization", value_parser = parse_specialization_value)]
    pub spec: Vec<Specialization>,

    /// The program that validates SPIR-V modules, or `off`
    #[arg(long, value_name = "PROGRAM|off", default_value = crate::validator::PROGRAM)]
    pub spirv_val: String,

    /// Print findings only: no notes, no progress, no summary
    #[arg(short, long)]
    pub quiet: bool,

    /// Print at most so many findings, the first ones; the summary counts all. 0: all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub error_limit: usize,

    /// Check one part of several of the shaders and configurations, for a sweep over N machines: `1/4` to `4/4`
    #[arg(long, value_name = "K/N", value_parser = str::parse::<Shard>)]
    pub shard: Option<Shard>,

    /// Instead of findings, print how many there are of each diagnostic
    #[arg(long, conflicts_with_all = ["portability", "format"])]
    pub statistics: bool,

    /// Exit with 0 even if there are errors; what cannot be read or is not analysed still counts
    #[arg(long)]
    pub exit_zero: bool,

    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["compiler", "portability"])]
    pub watch: bool,

    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// One part of several, `K/N` with `K` from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    /// Whether the part has what stands at this place of the list.
    pub fn has(self, index: usize) -> bool {
        index % self.of == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        let (number, of) = parts.ok_or("expected K/N, such as 1/4")?;
        if number == 0 || number > of {
            return Err(format!("expected a part from 1/{of} to {of}/{of}"));
        }
        Ok(Shard { number, of })
    }
}

/// `ID=VALUE`, one or several with commas.
fn parse_specialization_value(text: &str) -> Result<Specialization, String> {
    match text.parse()? {
        values @ Specialization::Values(_) => Ok(values),
        _ => Err("expected ID=VALUE, such as 0=64; --specialization takes the names of sets".to_owned()),
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 every expectation is met and there are no findings; 1 an expectation is not met, there are findings, or the shader does not compile; 2 the command line or the recipe is invalid, or a file cannot be read.\n--device vulkan (or vulkan:NAME, for a device with NAME in its name) also runs the shader on this machine's Vulkan device and compares the results with the simulator's.\nRecipes are described in docs/recipes.md."
)]
pub struct RunOptions {
    /// The shader, a module (.spv, or .spvasm for its text), or a recipe (.run.toml), which runs the shader that it names or the one beside it
    #[arg(value_name = "FILE", required_unless_present_any = ["schema", "recipe"])]
    pub path: Option<String>,

    /// The recipe to use instead of NAME.run.toml beside the shader
    #[arg(long, value_name = "FILE")]
    pub recipe: Option<PathBuf>,

    /// Run this module instead of what the shader compiles to
    #[arg(long, value_name = "FILE.spv")]
    pub spirv: Option<PathBuf>,

    /// Report undefined behaviour: out-of-bounds accesses, races, uninitialized values and more; `strict` also reports two invocations that write
    /// the same value to one place, and values that they pass through memory which is not coherent
    #[arg(long, value_name = "strict", num_args = 0..=1, require_equals = true, default_missing_value = "plain", hide_possible_values = true)]
    pub checked: Option<Checked>,

    /// Measure how far float16_t accumulators are from overflowing: the headroom in bits, where a sum goes beyond the range first, by which factor
    /// products may be scaled
    #[arg(long)]
    pub headroom: bool,

    /// Report what each line costs: instructions, passes of shared memory, sectors of buffers, FLOP. With a device, its banks and its ownership are
    /// assumed
    #[arg(long, conflicts_with = "trace")]
    pub profile: bool,

    /// Write the profile in Chrome's Trace Event Format, which speedscope and Perfetto show as flame graphs
    #[arg(long, value_name = "FILE.json", conflicts_with = "trace")]
    pub profile_file: Option<PathBuf>,

    #[command(flatten)]
    pub modes: ModeOptions,

    /// Set a specialization constant, by name or id, or one of the recipe's sizes
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,

    /// Print a trace of the run: lines, instructions, memory accesses
    #[arg(long, conflicts_with = "json")]
    pub trace: bool,

    /// Print a buffer's elements
    #[arg(long, value_name = "BUFFER")]
    pub show: Vec<String>,

    /// Write a buffer to a file: as .npy, or its bytes under any other extension
    #[arg(long, value_name = "BUFFER=FILE", value_parser = parse_pair)]
    pub dump: Vec<(String, String)>,

    /// With --device vulkan, write every element that differs from the simulator's to a file
    #[arg(long, value_name = "FILE.csv")]
    pub diff: Option<PathBuf>,

    /// With --device vulkan, run the dispatch this often again, on what the run left behind, and report the median of the times
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub repeat: Option<u32>,

    /// Draw the buffers of --show, or those with an expectation, as heat maps
    #[arg(long, value_name = "FILE.png")]
    pub png: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,

    /// Print a first recipe for the shader, ready to be filled in
    #[arg(long)]
    pub init: bool,

    /// Write such a recipe beside the shader if there is none, and run it
    #[arg(long, conflicts_with = "init")]
    pub create_recipe: bool,

    /// Print the JSON schema of recipes, or with --profile of what --json prints as `profile`
    #[arg(long)]
    pub schema: bool,

    /// Number of threads that run workgroups; one per core by default
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,

    /// What runs the shader: the interpreter or machine code, with the same results
    #[arg(long, value_enum, default_value_t)]
    pub tier: TierChoice,

    #[command(flatten)]
    pub shader: ShaderOptions,

    #[command(flatten)]
    pub limits: LimitOptions,

    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 all recipes passed; 1 some failed; 2 the command line is invalid or a file cannot be read."
)]
pub struct TestOptions {
    /// Recipes, shaders with a recipe, or folders to search for recipes
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub paths: Vec<String>,

    /// Also write the results as JUnit XML for build servers
    #[arg(long, value_name = "FILE.xml")]
    pub junit: Option<PathBuf>,

    /// Run each recipe only under the first of its modes
    #[arg(long)]
    pub first: bool,

    /// Instead, run each recipe under these ownerships, whatever it claims, at each subgroup size of the target device (or the recipe's), and print a verdict for each: `all` built-in ones, names, or tables captured on devices
    #[arg(long, value_name = "all|NAME|FILE.json,...", value_delimiter = ',', conflicts_with = "first")]
    pub ownership: Vec<String>,

    /// Number of threads that run recipes; one per core by default
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,

    #[command(flatten)]
    pub limits: LimitOptions,

    #[command(flatten)]
    pub shader: ShaderOptions,

    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

impl ShaderOptions {
    /// The options, where these files and folders are searched for shaders or recipes.
    pub fn searching(&self, paths: &[String]) -> ShaderOptions {
        ShaderOptions { folders: paths.to_vec(), ..self.clone() }
    }
}

/// What runs may take, whatever their recipes say.
#[derive(Clone, Copy, Debug, Args)]
pub struct LimitOptions {
    /// Memory limit for the buffers and the numbers they are filled and compared with, in bytes or as 512M, 16G; the workgroups may take as much again
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    pub memory_limit: u64,

    /// Steps (instructions of a subgroup) after which a run is stopped; a recipe can lower this limit but not raise it
    #[arg(long, value_name = "N", default_value = "1e11", value_parser = parse_steps)]
    pub step_limit: u64,
}

/// The choices that a shader may not depend on, over the recipe's.
#[derive(Clone, Debug, Default, Args)]
pub struct ModeOptions {
    /// Which invocation owns which element of a matrix: the name of an ownership, or a table captured on a device
    #[arg(long, value_name = "NAME|FILE.json")]
    pub ownership: Option<String>,

    /// How floating-point matrices are multiplied
    #[arg(long, value_name = "NAME")]
    pub numerics: Option<String>,

    /// Which decode function tensor loads use when they have two: vector, scalar or mixed
    #[arg(long, value_name = "NAME")]
    pub decode: Option<String>,
}

/// Under which configuration a shader is analysed.
#[derive(Clone, Debug, Args)]
pub struct ShaderOptions {
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub defines: Vec<String>,

    /// Search a folder for included files
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include_dirs: Vec<String>,

    /// Let shaders, project files and recipes also read files of a folder outside the project (`/`: everywhere)
    #[arg(long = "allow-dir", value_name = "FOLDER")]
    pub allow_dirs: Vec<String>,

    /// Folders that the command line names to be searched: what lies there is of one project.
    #[arg(skip)]
    pub folders: Vec<String>,

    /// The configuration of the project file to use; by default the first that matches each file
    #[arg(long, value_name = "NAME")]
    pub config: Option<String>,

    /// Values of specialization constants, over those of the project file: the name of a set there (`specializations`), `recipe` for those of
    /// the recipe beside the shader, or values such as `TM=64,3=true`
    #[arg(long, value_name = "SET|recipe|NAME=VALUE,...", value_parser = str::parse::<Specialization>)]
    pub specialization: Option<Specialization>,

    /// The project file to use, instead of the nearest coopmat-analyzer.toml up from each shader
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,

    /// Where there is no project file, do not take configurations from a build's compile_commands.json or log
    #[arg(long)]
    pub no_discover: bool,

    /// The target environment: vulkan1.0, vulkan1.1, vulkan1.2, vulkan1.3 or vulkan1.4
    #[arg(long, value_name = "ENV")]
    pub target_env: Option<TargetEnv>,

    /// The target device: the name of a built-in profile, or the path of a JSON profile
    #[arg(long, value_name = "NAME|FILE.json")]
    pub device: Option<String>,

    /// Invocations per subgroup
    #[arg(long, value_name = "N", value_parser = parse_subgroup_size)]
    pub subgroup_size: Option<u32>,

    /// Enable GL_GOOGLE_include_directive from the start, as glslc does
    #[arg(long)]
    pub google_include: bool,

    /// The stage of files whose names do not say it
    #[arg(long, value_name = "STAGE", value_parser = parse_stage)]
    pub stage: Option<Stage>,

    /// The path to assume for standard input: its includes are searched from there
    #[arg(long, visible_alias = "stdin-filename", value_name = "PATH")]
    pub stdin_path: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 success; 1 the shader has errors or cannot be compiled; 2 the command line is invalid or a file cannot be read."
)]
pub struct SpirvOptions {
    /// The shader, a SPIR-V module from any compiler (.spv, or .spvasm for its text), or `-` for any of them on standard input
    #[arg(value_name = "FILE")]
    pub path: String,

    /// Print what differs between the module of OLD, which may be a shader or a module as well, and that of FILE: capabilities, decorations,
    /// types, functions. Numbers of ids, the order of declarations and debug information do not count
    #[arg(long, value_name = "OLD", conflicts_with_all = ["output", "asm", "statistics", "function", "source", "raw_id", "debug"])]
    pub diff: Option<String>,

    #[command(flatten)]
    pub shader: ShaderOptions,

    /// Write the module to a file (`-`: to standard output, for a pipe), or its text if the name ends in .spvasm; without this option, the
    /// text goes to standard output
    #[arg(short = 'o', long, value_name = "FILE.spv")]
    pub output: Option<PathBuf>,

    /// Print the text form even when the module is written to a file or with --statistics
    #[arg(long)]
    pub asm: bool,

    /// Write debug information: -g for lines (OpLine), -g=full for NonSemantic.Shader.DebugInfo.100 with the source
    #[arg(short = 'g', long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "lines")]
    pub debug: Option<Debug>,

    #[command(flatten)]
    pub changes: crate::spirv_changes::ChangeOptions,

    /// Print statistics of each entry point: instructions by class, matrix operations, FLOPs and bytes of a workgroup
    #[arg(long)]
    pub statistics: bool,

    /// Print the statistics, or what differs, as JSON
    #[arg(long)]
    pub json: bool,

    /// Print one function only
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// Print each source line before the instructions that come from it
    #[arg(long)]
    pub source: bool,

    /// Print ids as numbers
    #[arg(long)]
    pub raw_id: bool,

    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// How much undefined behaviour is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Checked {
    /// What may change results.
    #[value(hide = true)]
    Plain,
    /// Writes of the same value by two invocations, too.
    Strict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Debug {
    Lines,
    Full,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Each call of glslc, glslangValidator or glslang becomes a configuration of its shader.\nWith --capture, the command after -- is a build step of the project, which is run: `{build}` in it stands for a temporary folder, `{compilers}` for the folder of the programs that record the calls.\nExit codes: 0 everything was read; 2 something could not be read, which is reported with its place (the rest is still written), or the build step failed."
)]
pub struct ImportOptions {
    /// compile_commands.json, or the output of a build or of a generator of shader variants: a log, `ninja -t commands`
    #[arg(required_unless_present_any = ["compiler", "capture"], value_name = "FILE")]
    pub files: Vec<String>,

    /// The file to write instead of standard output; paths in it are relative to its folder
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the output file if it exists
    #[arg(long)]
    pub force: bool,

    /// Let logs and response files also name response files of a folder outside their project (`/`: everywhere)
    #[arg(long = "allow-dir", value_name = "FOLDER")]
    pub allow_dirs: Vec<String>,

    /// Run the command after `--`, a build step of the project, and record how it calls shader compilers
    #[arg(long, conflicts_with = "files")]
    pub capture: bool,

    /// Do not check the shaders under their configurations
    #[arg(long)]
    pub no_check: bool,

    /// A compiler call as it would be typed; with --capture, a build step
    #[arg(last = true, value_name = "COMPILER ARGUMENTS")]
    pub compiler: Vec<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 everything is formatted; 1 with --check or --diff, some files are not; 2 a file cannot be read or written."
)]
pub struct FmtOptions {
    /// Files, folders to search for shaders and headers, globs ('kernels/**/*.comp'), or `-` for standard input to standard output
    #[arg(required = true, value_name = "FILE|FOLDER|GLOB")]
    pub paths: Vec<String>,

    /// Change nothing; list the files that formatting would change
    #[arg(long)]
    pub check: bool,

    /// Change nothing; print what formatting would change as a unified diff
    #[arg(long)]
    pub diff: bool,

    /// Number of columns of one level of indentation; 4, unless an .editorconfig file says otherwise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub tab_size: Option<u8>,

    /// Indent with tabs instead of spaces
    #[arg(long)]
    pub tabs: bool,

    /// The name of the file on standard input: .editorconfig files above it apply, and reports name it
    #[arg(long, visible_alias = "stdin-path", value_name = "FILE")]
    pub stdin_filename: Option<String>,

    /// Do not read .editorconfig files
    #[arg(long)]
    pub no_editorconfig: bool,
}

impl FmtOptions {
    /// Whether files stay as they are.
    pub fn only_tells(&self) -> bool {
        self.check || self.diff
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: each problem with the source that it is about
    Text,
    /// A line for each finding: `FILE:LINE:COLUMN: LEVEL: MESSAGE [ID]`
    Short,
    Json,
    /// SARIF 2.1.0, for code-scanning services
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deny {
    Warnings,
    Diagnostic(&'static Code),
}

const WARNING: Level = Level::Tell(Severity::Warning);
const ERROR: Level = Level::Tell(Severity::Error);

fn parse_deny(what: &str) -> Result<Deny, String> {
    match what.trim() {
        "warnings" => Ok(Deny::Warnings),
        id => ERROR.of(id).map(Deny::Diagnostic),
    }
}

impl CheckOptions {
    /// The options of the shaders, with the values of `--spec`.
    pub fn shader(&self) -> ShaderOptions {
        let mut shader = self.shader.searching(&self.paths);
        let values = self.spec.iter().flat_map(|one| match one {
            Specialization::Values(values) => values.clone(),
            _ => Vec::new(),
        });
        let values: Vec<_> = values.collect();
        if !values.is_empty() {
            shader.specialization = Some(Specialization::Values(values));
        }
        shader
    }

    /// The levels of `--allow`, `--warn` and `--deny`, which come before those of project files. The error names an id that has two.
    pub fn levels(&self) -> Result<Vec<(&'static Code, Level)>, String> {
        let denied = self.deny.iter().filter_map(|deny| match deny {
            Deny::Diagnostic(code) => Some(*code),
            Deny::Warnings => None,
        });
        let mut levels: Vec<(&'static Code, Level)> = Vec::new();
        let allowed = self.allow.iter().map(|code| (*code, Level::Allow));
        let warned = self.warn.iter().map(|code| (*code, WARNING));
        for (code, level) in allowed.chain(warned).chain(denied.map(|code| (code, ERROR))) {
            if levels.iter().any(|(one, other)| *one == code && *other != level) {
                return Err(format!(
                    "`{code}` is given two levels: name it in only one of --allow, --warn and --deny"
                ));
            }
            levels.push((code, level));
        }
        Ok(levels)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// When standard output is a terminal
    Auto,
    Always,
    Never,
}

/// A define as it stands, where its name can be a macro's.
fn parse_define(text: &str) -> Result<String, String> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    let ordinary = |char: char| char.is_ascii_alphanumeric() || char == '_';
    if name.chars().all(ordinary) && !name.is_empty() && !name.starts_with(|char: char| char.is_ascii_digit())
    {
        Ok(text.to_owned())
    } else {
        Err(format!("`{name}` is not a valid macro name"))
    }
}

/// `NAME=VALUE`
pub fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// `4096`, `512M`, `16G`, `1.5GiB`.
fn parse_size(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let number = lower.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let factor = match &lower[number.len()..] {
        "" | "b" => 1u64,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err("expected a size such as 4096, 512M or 16G".to_owned()),
    };
    let size = number.trim().parse::<f64>().ok().map(|number| number * factor as f64);
    size.filter(|size| *size >= 1.0 && *size < 1e18)
        .map(|size| size as u64)
        .ok_or_else(|| "expected a size such as 4096, 512M or 16G".to_owned())
}

/// `1000000`, `1e11`.
fn parse_steps(text: &str) -> Result<u64, String> {
    let steps = text.parse().ok().or_else(|| {
        let steps = text.parse::<f64>().ok()?;
        (steps.fract() == 0.0 && (0.0..1e19).contains(&steps)).then_some(steps as u64)
    });
    steps
        .filter(|&steps| steps > 0)
        .ok_or_else(|| "expected a number of steps such as 1000000 or 1e11".to_owned())
}

fn parse_subgroup_size(text: &str) -> Result<u32, String> {
    let size = text.parse().ok().filter(|&size| coopmat_server::is_subgroup_size(size));
    size.ok_or_else(|| "expected a power of two from 1 to 128".to_owned())
}

/// A stage by the extension of its files.
fn parse_stage(text: &str) -> Result<Stage, String> {
    Stage::of_path(&format!("x.{text}")).ok_or_else(|| {
        "expected one of comp, vert, tesc, tese, geom, frag, task, mesh, rgen, rint, rahit, rchit, rmiss, rcall"
            .to_owned()
    })
}
