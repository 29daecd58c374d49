//! `devices`: the profiles that come along, those that the project names, and the Vulkan devices of this machine; and a
//! device's profile as a file.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use coopmat_analysis::devices::{self, ComputeUnit, DeviceProfile, List, MatrixRate, MatrixTypes};
use coopmat_analysis::project::{FILE_NAME, Project};
use coopmat_server::reach::{self, Reach};

use crate::disk::{self, OnDisk};
use crate::output::{self, report_error};
use crate::program::UNUSABLE;

#[derive(Debug, Args)]
#[command(
    after_help = "A profile written with --json can be given as `device = \"FILE.json\"` in coopmat-analyzer.toml and as `--device FILE.json`."
)]
pub struct DevicesOptions {
    /// Which device: its name in the list, or a part of its title; by default all
    #[arg(value_name = "DEVICE")]
    pub device: Option<String>,

    /// Write the profile of one device as JSON: of the one named, or of this machine's first
    #[arg(long)]
    pub json: bool,

    /// Convert what `vulkaninfo --json` wrote, or a Vulkan Profiles file, to a profile
    #[arg(long, value_name = "FILE.json", conflicts_with = "device")]
    pub import: Option<std::path::PathBuf>,

    /// Do not load the Vulkan loader: list profiles alone
    #[arg(long)]
    pub no_vulkan: bool,
}

pub fn run(options: &DevicesOptions) -> ExitCode {
    match answer(options) {
        Ok(text) => output::print(&text),
        Err(message) => {
            report_error(&message);
            ExitCode::from(UNUSABLE)
        }
    }
}

fn answer(options: &DevicesOptions) -> Result<String, String> {
    if let Some(path) = &options.import {
        let text = disk::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let profile = DeviceProfile::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        for missing in unknown(&profile) {
            crate::output::note(&format!("note: {missing}"));
        }
        return Ok(profile.to_json());
    }
    let local = if options.no_vulkan { Ok(Vec::new()) } else { coopmat_vulkan::devices() };
    let project = project_profiles();
    if options.json || options.device.is_some() {
        let wanted = options.device.as_deref();
        let profile = choose(wanted, local.as_deref().unwrap_or_default(), &project);
        let profile = profile.ok_or_else(|| match (wanted, &local) {
            (Some(name), _) => {
                format!("there is no device `{name}`; `coopmat-analyzer devices` lists them all")
            }
            (None, Err(reason)) => format!("{reason}: name a profile, or use --import"),
            (None, Ok(_)) => "this machine has no Vulkan device: name a profile, or use --import".to_owned(),
        })?;
        return Ok(if options.json { profile.to_json() } else { details(&profile) });
    }
    let mut out = String::new();
    let heading = |out: &mut String, text: &str| {
        let _ = writeln!(out, "{}{text}", if out.is_empty() { "" } else { "\n" });
    };
    heading(&mut out, "Built-in profiles (--device NAME):");
    for profile in devices::builtin() {
        line(&mut out, &profile.name, profile);
    }
    if !project.is_empty() {
        heading(&mut out, "Profiles named in coopmat-analyzer.toml:");
        for (path, profile) in &project {
            match profile {
                Ok(profile) => line(&mut out, path, profile),
                Err(message) => {
                    let _ = writeln!(out, "  {path}: {message}");
                }
            }
        }
    }
    heading(&mut out, "Vulkan devices of this machine:");
    match &local {
        Ok(_) if options.no_vulkan => out.push_str("  not listed because of --no-vulkan\n"),
        Ok(found) if found.is_empty() => out.push_str("  none\n"),
        Ok(found) => {
            for profile in found {
                line(&mut out, &profile.name, profile);
            }
            if std::io::stdout().is_terminal() {
                let name = &found[0].name;
                let _ = writeln!(
                    out,
                    "\n`coopmat-analyzer devices {name} --json > {name}.json` writes a profile."
                );
            }
        }
        Err(reason) => {
            let _ = writeln!(out, "  {reason}");
        }
    }
    Ok(out)
}

/// The devices that the project file of this folder, or of one above, names by files.
fn project_profiles() -> Vec<(String, Result<DeviceProfile, String>)> {
    let Ok(here) = std::env::current_dir() else { return Vec::new() };
    let Some(file) = here.ancestors().map(|folder| folder.join(FILE_NAME)).find(|file| file.is_file()) else {
        return Vec::new();
    };
    let Some(folder) = file.parent() else { return Vec::new() };
    let project = disk::read(&file).map_err(|error| error.to_string()).and_then(|text| {
        Project::parse(&text, &folder.to_string_lossy().replace('\\', "/"))
            .map_err(|errors| errors.first().map_or(String::new(), |error| error.message.clone()))
    });
    let project = match project {
        Ok(project) => project,
        Err(message) => {
            report_error(&format!("{}: {message}", file.display()));
            return Vec::new();
        }
    };
    let own = crate::paths::absolute(&folder.to_string_lossy());
    let readable = reach::readable(disk::repository(&own).into_iter().chain([own]).collect(), &OnDisk);
    let reach = Reach::new(readable.as_deref());
    let mut found: Vec<(String, _)> = Vec::new();
    for name in project.devices() {
        if name.ends_with(".json") && !found.iter().any(|(known, _)| known == name) {
            let path = crate::paths::absolute(&folder.join(Path::new(name)).to_string_lossy());
            let real = reach.admit(&path, &OnDisk).map_err(|refusal| reach.explain(&path, refusal));
            let text = real.and_then(|real| {
                let real = real.ok_or_else(|| format!("{path}: file not found"))?;
                disk::read(Path::new(&*real)).map_err(|error| error.to_string())
            });
            let profile = text.and_then(|text| DeviceProfile::parse(&text));
            found.push((name.to_owned(), profile));
        }
    }
    found
}

fn choose(
    wanted: Option<&str>,
    local: &[DeviceProfile],
    project: &[(String, Result<DeviceProfile, String>)],
) -> Option<DeviceProfile> {
    let Some(wanted) = wanted else { return local.first().cloned() };
    let named = || local.iter().find(|profile| profile.name == wanted).cloned();
    let of_project = || {
        let (_, profile) = project.iter().find(|(path, _)| path == wanted)?;
        profile.as_ref().ok().cloned()
    };
    let builtin = || devices::find(wanted).ok().map(|profile| (*profile).clone());
    let lower = wanted.to_lowercase();
    let part = || local.iter().find(|profile| profile.title.to_lowercase().contains(&lower)).cloned();
    named().or_else(of_project).or_else(builtin).or_else(part)
}

/// A device in one line.
fn line(out: &mut String, name: &str, profile: &DeviceProfile) {
    let rows = profile.cooperative_matrix_properties.len();
    let matrices = match (profile.knows(List::CooperativeMatrixProperties), rows) {
        (false, 0) => "matrices not known".to_owned(),
        (true, 0) => "no cooperative matrices".to_owned(),
        (complete, rows) => {
            let flexible = profile.cooperative_matrix_flexible_dimensions_properties.len();
            let more = if flexible > 0 { format!(", {flexible} flexible") } else { String::new() };
            let combinations = if rows == 1 { "combination" } else { "combinations" };
            format!("{}{rows} matrix {combinations}{more}", if complete { "" } else { "at least " })
        }
    };
    let subgroup = profile.subgroup_size.map_or("subgroup size not known".to_owned(), |size| {
        if size.min == size.max {
            format!("subgroups of {}", size.max)
        } else {
            format!("subgroups of {} to {}", size.min, size.max)
        }
    });
    let driver = if profile.driver.is_empty() { String::new() } else { format!(" ({})", profile.driver) };
    let _ = writeln!(out, "  {name:<24} {}{driver}: {matrices}, {subgroup}", profile.title);
}

/// What a person wants to know of a device: its matrices.
fn details(profile: &DeviceProfile) -> String {
    let mut out = format!("{} (`{}`)\n", profile.title, profile.name);
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            let _ = writeln!(out, "  {name:<16} {value}");
        }
    };
    fact("driver", profile.driver.clone());
    fact("Vulkan", profile.api_version.clone());
    fact("source", profile.source.clone());
    let size =
        profile.subgroup_size.map(|size| format!("{} (from {} to {})", size.default, size.min, size.max));
    fact("subgroup size", size.unwrap_or_default());
    let memory = profile.limits.max_compute_shared_memory_size.map(|bytes| format!("{bytes} bytes"));
    fact("shared memory", memory.unwrap_or_default());
    let banks = profile.performance.shared_memory_banks;
    let banks = banks.map(|banks| format!("{} banks of {} bytes", banks.count, banks.width));
    fact("shared banks", banks.unwrap_or_default());
    let bandwidth = profile.performance.memory_bandwidth.map(|bandwidth| format!("{bandwidth} GB/s"));
    fact("memory", bandwidth.unwrap_or_default());
    let unit = profile.performance.compute_unit.map(|unit| {
        let ComputeUnit { registers, registers_per_invocation, subgroups, shared_memory } = unit;
        format!(
            "{registers} registers of 32 bits ({registers_per_invocation} for an invocation), {subgroups} subgroups, {shared_memory} bytes of shared memory"
        )
    });
    fact("compute unit", unit.unwrap_or_default());
    for MatrixRate { a, b, result, gigaops } in &profile.performance.matrix_rates {
        let [a, b, result] = [a, b, result].map(|scalar| scalar.name());
        fact("matrix rate", format!("{} TOP/s, A {a}, B {b}, result {result}", *gigaops as f64 / 1e3));
    }
    let group = profile.limits.max_compute_work_group_invocations.map(|count| format!("{count} invocations"));
    fact("workgroups", group.unwrap_or_default());
    out += &matrices(profile);
    for missing in unknown(profile) {
        let _ = writeln!(out, "\n  {missing}");
    }
    out
}

/// The products that a device has.
pub fn matrices(profile: &DeviceProfile) -> String {
    let mut out = String::new();
    let types = |types: &MatrixTypes| {
        let saturating = if types.saturating { ", saturating" } else { "" };
        let scope = format!("{:?}", types.scope).to_lowercase();
        let [a, b, c, result] = [types.a, types.b, types.c, types.result].map(|scalar| scalar.name());
        format!("A {a}, B {b}, C {c}, result {result}, {scope} scope{saturating}")
    };
    if !profile.cooperative_matrix_properties.is_empty() {
        out.push_str("\n  M x N x K\n");
        for row in &profile.cooperative_matrix_properties {
            let size = format!("{}x{}x{}", row.m, row.n, row.k);
            let _ = writeln!(out, "  {size:<12} {}", types(&row.types));
        }
    }
    if !profile.cooperative_matrix_flexible_dimensions_properties.is_empty() {
        out.push_str("\n  multiples of (flexible dimensions)\n");
        for row in &profile.cooperative_matrix_flexible_dimensions_properties {
            let size = format!("{}x{}x{}", row.m, row.n, row.k);
            let workgroup = match row.workgroup_invocations {
                0 => String::new(),
                count => format!(", workgroups of {count}"),
            };
            let _ = writeln!(out, "  {size:<12} {}{workgroup}", types(&row.types));
        }
    }
    if !profile.cooperative_vector_properties.is_empty() {
        out.push_str("\n  cooperative vectors: products with matrices in memory\n");
        for row in &profile.cooperative_vector_properties {
            let _ = writeln!(
                out,
                "  vector {} as {}, matrix {}, bias {}, result {}{}",
                row.input_type.name(),
                row.input_interpretation.name(),
                row.matrix_interpretation.name(),
                row.bias_interpretation.name(),
                row.result_type.name(),
                if row.transpose { ", may transpose" } else { "" }
            );
        }
    }
    out
}

/// What the profile does not tell, in words.
fn unknown(profile: &DeviceProfile) -> Vec<String> {
    let mut lines = Vec::new();
    for list in &profile.incomplete {
        lines.push(match list {
            List::CooperativeMatrixProperties => {
                "the supported matrices are not known, so types and multiply-adds are not checked; run `coopmat-analyzer devices --json` on a machine with the device to ask its driver".to_owned()
            }
            List::CooperativeMatrixFlexibleDimensionsProperties => {
                "the flexible dimensions are not known, so shapes that are not listed are not reported".to_owned()
            }
            List::CooperativeVectorProperties => {
                "the supported products of cooperative vectors are not known, so these are not checked".to_owned()
            }
            List::Features => "not all features are known, so the others are not reported as missing".to_owned(),
            List::Properties => {
                "float controls and fast dot products of integers are not known".to_owned()
            }
            List::Extensions => "not all extensions are known".to_owned(),
        });
    }
    lines
}
