//! `ownership`: who may own which element of a cooperative matrix, as far as that is known; and tables that are captured on a device, for
//! `--ownership FILE.json` and recipes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};
use coopmat_analysis::Analyzer;
use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::devices::{self, DeviceProfile, Scope};
use coopmat_analysis::project::Settings;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::types::Scalar;
use coopmat_codegen::{Options, compile};
use coopmat_server::matrix_component as component;
use coopmat_simulator::matrix::Use;
use coopmat_simulator::ownership::Ownership;
use coopmat_simulator::ownership::capture::{Capture, table};
use coopmat_vulkan::{Binding, Bound, Buffer, Job};

use crate::output::{self, report_error};
use crate::program::UNUSABLE;
use crate::run;

/// The shader that asks a device.
const SHADER: &str = include_str!("../../examples/khr/capture_ownership.comp");
/// Words of its buffer before the elements.
const HEADER: usize = 8;
/// How often an element may be there: devices keep copies.
const COPIES: usize = 16;

#[derive(Debug, Args)]
#[command(
    after_help = "Without a command, the built-in ownerships are listed. See docs/simulator.md for details."
)]
pub struct OwnershipOptions {
    #[command(subcommand)]
    command: Option<OwnershipCommand>,
}

#[derive(Debug, Subcommand)]
enum OwnershipCommand {
    /// Ask a Vulkan device of this machine who owns the elements of every matrix type that it has
    Capture(CaptureOptions),
    /// Print the shader that asks, to be run elsewhere; its first lines say how
    Shader,
    /// Make a table of what that shader wrote elsewhere
    Import(ImportOptions),
}

#[derive(Debug, Args)]
struct CaptureOptions {
    /// A part of the device's name; otherwise the first device
    #[arg(long, value_name = "NAME")]
    device: Option<String>,

    /// Invocations per subgroup; otherwise the device's usual number
    #[arg(long, value_name = "N")]
    subgroup_size: Option<u32>,

    /// Where the table is written to; otherwise to standard output
    #[arg(short = 'o', long, value_name = "FILE.json")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ImportOptions {
    /// The bytes of the shader's buffer, one file for each type
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The device's name, for the table
    #[arg(long, value_name = "NAME", default_value = "a device")]
    device: String,

    /// The driver's version, for the table
    #[arg(long, value_name = "TEXT", default_value = "")]
    driver: String,

    /// Where the table is written to; otherwise to standard output
    #[arg(short = 'o', long, value_name = "FILE.json")]
    output: Option<PathBuf>,
}

pub fn run(options: &OwnershipOptions) -> ExitCode {
    let result = match &options.command {
        None => Ok(output::print(&list())),
        Some(OwnershipCommand::Shader) => Ok(output::print(SHADER)),
        Some(OwnershipCommand::Capture(options)) => {
            capture(options).and_then(|text| write(options.output.as_deref(), &text))
        }
        Some(OwnershipCommand::Import(options)) => {
            import(options).and_then(|text| write(options.output.as_deref(), &text))
        }
    };
    result.unwrap_or_else(|message| {
        report_error(&message);
        ExitCode::from(UNUSABLE)
    })
}

fn list() -> String {
    let mut text = "Built-in ownerships (--ownership NAME):\n".to_owned();
    for name in Ownership::NAMES {
        if let Some(ownership) = Ownership::by_name(name) {
            let sizes: Vec<String> = ownership.subgroup_sizes().iter().map(u32::to_string).collect();
            let sizes = match sizes.is_empty() {
                true => String::new(),
                false => format!(", subgroups of {}", sizes.join(" or ")),
            };
            let _ = writeln!(text, "  {name:<12} {}{sizes}", ownership.source());
        }
    }
    text += "\n`coopmat-analyzer ownership capture -o FILE.json` captures the ownership of a GPU in this machine; use it with `--ownership FILE.json`.\n";
    text
}

fn write(path: Option<&Path>, text: &str) -> Result<ExitCode, String> {
    let Some(path) = path else { return Ok(output::print(text)) };
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    output::note(&format!("note: `--ownership {}` distributes elements as this device does", path.display()));
    Ok(ExitCode::SUCCESS)
}

fn import(options: &ImportOptions) -> Result<String, String> {
    let mut captures = Vec::new();
    for path in &options.files {
        let shown = path.display();
        let bytes = crate::disk::module(path).map_err(|error| format!("{shown}: {error}"))?;
        let capture = Capture::read(&bytes).map_err(|error| format!("{shown}: {error}"))?;
        let scalar = devices::component_of_vulkan(capture.kind);
        let name = scalar.and_then(component).map(|found| found.name());
        let name = name.ok_or_else(|| format!("{shown}: component type {} is not known", capture.kind))?;
        captures.push((name, capture));
    }
    table(&options.device, &options.driver, &captures)
}

/// A matrix type of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wanted {
    /// What VkComponentTypeKHR and `gl_MatrixUse...` have.
    kind: u32,
    use_: u32,
    rows: u32,
    columns: u32,
}

/// The matrix types of subgroup scope that a device multiplies.
fn wanted(profile: &DeviceProfile) -> BTreeSet<Wanted> {
    let exact = profile.cooperative_matrix_properties.iter().map(|row| (row.m, row.n, row.k, &row.types));
    let flexible = &profile.cooperative_matrix_flexible_dimensions_properties;
    let flexible = flexible.iter().map(|row| (row.m, row.n, row.k, &row.types));
    let mut all = BTreeSet::new();
    for (m, n, k, types) in exact.chain(flexible) {
        if types.scope != Scope::Subgroup {
            continue;
        }
        let uses: [(Scalar, Use, u32, u32); 4] = [
            (types.a, Use::A, m, k),
            (types.b, Use::B, k, n),
            (types.c, Use::Accumulator, m, n),
            (types.result, Use::Accumulator, m, n),
        ];
        for (scalar, use_, rows, columns) in uses {
            if let Some(kind) = devices::component_to_vulkan(scalar) {
                let use_ = match use_ {
                    Use::A => 0,
                    Use::B => 1,
                    Use::Accumulator | Use::Unspecified => 2,
                };
                all.insert(Wanted { kind, use_, rows, columns });
            }
        }
    }
    all
}

fn capture(options: &CaptureOptions) -> Result<String, String> {
    let profiles = coopmat_vulkan::devices().map_err(|error| error.to_string())?;
    let named = |profile: &&DeviceProfile| {
        let name = options.device.as_deref().unwrap_or_default().to_lowercase();
        profile.title.to_lowercase().contains(&name)
    };
    let profile = profiles.iter().find(named).ok_or_else(|| {
        let known: Vec<&str> = profiles.iter().map(|profile| profile.title.as_str()).collect();
        match &options.device {
            Some(name) => {
                format!("no Vulkan device has `{name}` in its name; available: {}", known.join(", "))
            }
            None => "this machine has no Vulkan device".to_owned(),
        }
    })?;
    let wanted = wanted(profile);
    if wanted.is_empty() {
        return Err(format!("{} lists no cooperative matrices of subgroup scope", profile.title));
    }
    let size = options.subgroup_size.or(profile.subgroup_size.map(|size| size.default));
    let mut captures = Vec::new();
    let mut driver = profile.driver.clone();
    for one in &wanted {
        let scalar = devices::component_of_vulkan(one.kind);
        let Some(type_) = scalar.and_then(component) else { continue };
        let use_ = ["A", "B", "accumulator"][one.use_.min(2) as usize];
        let name = format!("{} {}x{} {use_}", type_.name(), one.rows, one.columns);
        match ask(one, &profile.title, size) {
            Ok((capture, found)) => {
                let length = capture.owner.first().map_or(0, Vec::len);
                let invocations = capture.subgroup_size;
                output::note(&format!("{name}: {length} elements in each of {invocations} invocations"));
                driver = found;
                captures.push((type_.name(), capture));
            }
            Err(message) => output::note(&format!("note: {name} is left out: {message}")),
        }
    }
    table(&profile.title, &driver, &captures)
}

/// Runs the shader for one type, in a process of its own; gives the driver's name, too.
fn ask(wanted: &Wanted, device: &str, subgroup_size: Option<u32>) -> Result<(Capture, String), String> {
    let Wanted { kind, use_, rows, columns } = *wanted;
    let mut configuration = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let defines = [("KIND", kind), ("USE", use_), ("ROWS", rows), ("COLUMNS", columns)];
    let defines = defines.map(|(name, value)| (name.to_owned(), Some(value.to_string())));
    Settings { defines: defines.into(), ..Settings::default() }.apply(&mut configuration, "");
    let analyzer = Analyzer::default();
    let analysis =
        analyzer.analyze("capture_ownership.comp", Arc::from(SHADER), &configuration, &NoFiles, None);
    let compiled = compile(&analysis, &Options::default())
        .map_err(|errors| errors.first().map_or(String::new(), |error| error.message.clone()))?;
    let mut job = Job::new(coopmat_spirv::assemble(&compiled.module).map_err(|error| error.to_string())?);
    job.device = Some(device.to_owned());
    job.subgroup_size = subgroup_size;
    job.buffers.push(Buffer {
        name: "capture".to_owned(),
        bindings: vec![Bound::storage(Binding { set: 0, binding: 0, element: 0 })],
        bytes: vec![0; (HEADER + COPIES * rows as usize * columns as usize) * 4],
    });
    let outcome = run::execute_job(&job)?;
    let capture = Capture::read(outcome.buffers.first().map_or(&[][..], Vec::as_slice))?;
    Ok((capture, outcome.driver))
}
