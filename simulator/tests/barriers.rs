//! Kernels with mistakes of synchronisation that the analysis tells: a checked run sees the same in the same line, and neither tells anything of
//! the kernels without one. The kernels are those of `analysis/tests/barriers.rs`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::support::Run;
use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;

/// What is about barriers: kinds with their lines, as the analysis and as a run tells them.
struct Told {
    /// Each with the lines of both accesses.
    analysis: Vec<(BTreeSet<usize>, String)>,
    run: BTreeSet<(usize, String)>,
}

impl Told {
    /// Whether a run tells each as well, at one of its two accesses: at the later one, whichever that is in the run.
    fn are_seen(&self) -> bool {
        self.analysis
            .iter()
            .all(|(lines, kind)| lines.iter().any(|&line| self.run.contains(&(line, kind.clone()))))
    }
}

fn told(path: &Path) -> Told {
    let source = std::fs::read_to_string(path).unwrap();
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let text: Arc<str> = source.as_str().into();
    let analysis = coopmat_analysis::analyze("/test.comp", text, &config, &NoFiles, None);
    let compiled = coopmat_codegen::compile(&analysis, &Default::default()).unwrap();
    let line = |offset: usize| source[..offset].matches('\n').count() + 1;
    let mut told = Told { analysis: Vec::new(), run: BTreeSet::new() };
    for diagnostic in analysis.all_diagnostics() {
        // A run names the access, whatever barrier is to blame.
        let kind = if diagnostic.code.id == "barrier-scope" { "missing-barrier" } else { diagnostic.code.id };
        if kind.contains("barrier") {
            let places = std::iter::once(diagnostic.location)
                .chain(diagnostic.related.iter().map(|related| related.location));
            told.analysis
                .push((places.map(|place| line(place.range.start().into())).collect(), kind.to_owned()));
        }
    }
    let halves: Vec<u32> = (0..1024).map(|index| 0x3c00_3c00 + index % 64 * 0x10_0010).collect();
    let floats: Vec<f32> = (0..1024).map(|index| index as f32).collect();
    let parameters: Vec<u8> = [48u32, 32, 100, 1].iter().flat_map(|value| value.to_le_bytes()).collect();
    let run = Run::of(compiled.module.clone());
    let mut run =
        run.words(&halves).words(&halves).floats(&floats).push_constants(&parameters).subgroup_size(32);
    run.settings.checked = true;
    for finding in run.run().execution.findings() {
        let place = compiled.map.place(&analysis, finding.instruction as usize);
        let at = line(place.map_or(0, |place| usize::from(place.location.range.start())));
        if matches!(finding.kind.id(), "missing-barrier" | "divergent-barrier" | "data-race") {
            told.run.insert((at, finding.kind.id().to_owned()));
        }
    }
    told
}

fn kernels(folder: &str) -> Vec<(String, Told)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/tests/barriers").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), told(path))).collect()
}

#[test]
fn a_run_sees_what_the_analysis_tells() {
    let mut failures = String::new();
    for (name, told) in kernels("wrong") {
        let Told { analysis, run } = &told;
        assert!(!analysis.is_empty(), "{name}");
        if !told.are_seen() {
            failures.push_str(&format!("\n{name}: told {analysis:?}, seen in a run {run:?}"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn neither_tells_anything_of_right_kernels() {
    for (name, Told { analysis, run }) in kernels("right") {
        assert!(analysis.is_empty() && run.is_empty(), "{name}: {analysis:?}, {run:?}");
    }
}

#[test]
fn a_run_tells_what_the_analysis_leaves_undecided() {
    for (name, Told { analysis, run }) in kernels("undecided") {
        assert!(analysis.is_empty(), "{name}");
        // With these inputs, its conditions never hold together.
        assert_eq!(run.is_empty(), name == "two_conditions", "{name}: {run:?}");
    }
}
