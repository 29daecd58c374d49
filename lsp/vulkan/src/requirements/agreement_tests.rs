//! What everybody says about devices agrees: a call of every overload in the tables, and shaders of matrices, with every profile that comes
//! along. `check --device`, the table of portability and hovers ask the profile; `--device vulkan` asks a device, here one that has what the
//! profile says.

#[path = "../../../../codegen/tests/builtins/calls.rs"]
mod calls;

use std::collections::BTreeSet;
use std::path::Path;

use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::devices::{self, DeviceProfile, List};
use coopmat_analysis::diagnostics::codes;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::text::{FileId, FilePosition, TextSize};
use coopmat_analysis::{Analysis, analyze};
use coopmat_codegen::{Options, compile, device};
use coopmat_ide::portability;
use coopmat_spirv::vulkan::{CORE, Origin, PROPERTIES, STRUCTURES, SubgroupOperation};

use super::{Has, enabled};
use crate::module::Program;
use crate::profile::{FeatureWords, Reported};

/// A device that has what a profile says.
struct Device {
    profile: &'static DeviceProfile,
    version: (u32, u32),
    extensions: BTreeSet<String>,
    reported: Reported,
}

impl Device {
    fn new(profile: &'static DeviceProfile) -> Device {
        let mut numbers = profile.api_version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let extensions: BTreeSet<String> = profile.extensions.iter().cloned().collect();
        let word = |name: &&str| u32::from(profile.has_feature(name));
        let mut core = [0; CORE.len()];
        for (place, name) in core.iter_mut().zip(CORE) {
            *place = word(name);
        }
        let has = |origin: &Origin| match *origin {
            Origin::Version(major, minor) => version >= (major, minor),
            Origin::Extension(name) => extensions.contains(name),
        };
        let known = STRUCTURES.iter().filter(|structure| structure.since.iter().any(has));
        let structures = known
            .map(|structure| {
                let mut words = Box::new(FeatureWords::new(structure.kind));
                for (place, name) in words.words.iter_mut().zip(structure.features) {
                    *place = word(name);
                }
                (structure, words)
            })
            .collect();
        Device { profile, version, extensions, reported: Reported { core, structures } }
    }

    /// Why `--device vulkan` would not run a module.
    fn refusal(&self, program: &Program) -> Option<String> {
        let names = self.profile.limits.subgroup_supported_operations.clone().unwrap_or_default();
        let bits = SubgroupOperation::ALL.iter().filter(|(.., name)| names.iter().any(|known| known == name));
        let floats =
            PROPERTIES.iter().find(|structure| structure.features.contains(&"denormBehaviorIndependence"));
        let of = |name: &&str| u32::from(self.profile.property(name) == Some(true));
        let floats: Vec<u32> = floats.into_iter().flat_map(|structure| structure.features).map(of).collect();
        let has = Has {
            name: &self.profile.title,
            version: self.version,
            extensions: &self.extensions,
            reported: &self.reported,
            subgroup_operations: bits.fold(1, |all, (_, bit, _)| all | bit),
            float_controls: &floats,
        };
        enabled(program, &has).err()
    }
}

fn all() -> Vec<Device> {
    devices::builtin().iter().map(|profile| Device::new(profile)).collect()
}

/// The devices' names under a line of a hover.
fn hovered(analysis: &Analysis, at: usize, line: &str) -> Option<BTreeSet<String>> {
    let position = FilePosition { file: FileId::ROOT, offset: TextSize::new(at as u32) };
    let hover = coopmat_ide::hover::hover(analysis, position)?;
    let (_, devices) = hover.markdown.rsplit_once("Devices:\n")?;
    let line = devices.lines().find_map(|known| known.strip_prefix(&format!("- {line}: ")));
    Some(line.unwrap_or_default().split('`').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Where two of them differ, and how many answers were compared.
fn judge(
    title: &str,
    source: &str,
    call: Option<&str>,
    devices: &[Device],
    faults: &mut Vec<String>,
) -> usize {
    let config = Configuration {
        target_env: TargetEnv::Vulkan1_3,
        stage: Some(Stage::Compute),
        ..Configuration::default()
    };
    let mut analysis = analyze("call.comp", source.into(), &config, &NoFiles, None);
    let Ok(compiled) = compile(&analysis, &Options::default()) else { return 0 };
    let program = Program::new(&compiled.module, "main", &[]).expect("an entry point");
    let table = portability::table(&analysis);
    let call = call.and_then(|call| source.rfind(&format!("{call}(")));
    let told = call.and_then(|at| hovered(&analysis, at, "lacks it"));
    let praised = call.and_then(|at| hovered(&analysis, at, "has it"));
    let before = std::mem::take(&mut analysis.diagnostics);
    let mut compared = 0;
    for (device, row) in devices.iter().zip(&table.rows) {
        let name = &device.profile.name;
        analysis.config.device = Some(name.clone());
        device::add_diagnostics(&mut analysis);
        let checked: BTreeSet<String> =
            analysis.diagnostics.drain(..).map(|diagnostic| diagnostic.message).collect();
        let stops = row.stops.iter().filter(|stop| stop.code == codes::DEVICE_FEATURE.id);
        let listed: BTreeSet<String> =
            stops.map(|stop| format!("{} {}", device.profile.title, stop.message)).collect();
        if checked != listed {
            faults.push(format!("{title}, {name}: check --device says {checked:?}, portability {listed:?}"));
        }
        if told.as_ref().is_some_and(|told| told.contains(name)) && listed.is_empty() {
            faults
                .push(format!("{title}, {name}: the hover says that it lacks the call, portability nothing"));
        }
        // What the types of operands need is told where these are declared, before the call.
        let of_call = row.stops.iter().filter(|stop| stop.code == codes::DEVICE_FEATURE.id).any(|stop| {
            stop.location.file == FileId::ROOT
                && call.is_some_and(|call| usize::from(stop.location.range.end()) > call)
        });
        if praised.as_ref().is_some_and(|praised| praised.contains(name)) && of_call {
            faults.push(format!(
                "{title}, {name}: the hover says that it has the call, portability {listed:?}"
            ));
        }
        let refused = device.refusal(&program);
        // A device without what its profile does not tell is not what it says.
        let knows = [List::Features, List::Properties, List::Extensions]
            .iter()
            .all(|list| device.profile.knows(*list));
        let unknown = !knows || row.unknown.iter().any(|unknown| unknown.starts_with("whether it has"));
        match &refused {
            Some(refused) if listed.is_empty() && !unknown => {
                faults.push(format!("{title}, {name}: only --device vulkan says: {refused}"));
            }
            None if !listed.is_empty() => {
                faults.push(format!(
                    "{title}, {name}: --device vulkan says nothing, check --device {listed:?}"
                ));
            }
            _ => compared += 1,
        }
    }
    analysis.diagnostics = before;
    compared
}

#[test]
fn everybody_says_the_same_of_every_overload() {
    let functions = calls::functions();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let share = functions.len().div_ceil(workers);
    let results: Vec<(usize, Vec<String>)> = std::thread::scope(|scope| {
        let work = |part: &[&'static coopmat_analysis::extensions::BuiltinFunction]| {
            let devices = all();
            let mut faults = Vec::new();
            let mut compared = 0;
            for function in part {
                for call in calls::of(function) {
                    compared += judge(&call.title, &call.source, Some(function.name), &devices, &mut faults);
                }
            }
            (compared, faults)
        };
        let started: Vec<_> = functions.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        started.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    });
    let compared: usize = results.iter().map(|(compared, _)| compared).sum();
    let faults: Vec<String> = results.into_iter().flat_map(|(_, faults)| faults).collect();
    assert!(faults.is_empty(), "{} of {compared}:\n{}", faults.len(), faults.join("\n"));
    assert!(compared > 30_000, "only {compared} answers were compared");
}

#[test]
fn everybody_says_the_same_of_matrices() {
    let devices = all();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/tests/matrix");
    let mut faults = Vec::new();
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "comp") {
            let source = std::fs::read_to_string(&path).unwrap();
            compared += judge(&path.to_string_lossy(), &source, None, &devices, &mut faults);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(compared > 100, "only {compared} answers were compared");
}
