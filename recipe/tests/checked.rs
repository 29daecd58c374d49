//! Every example in checked mode: mistakes are found at their line and nothing else is; the others have no findings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::devices;
use coopmat_analysis::sources::NoFiles;
use coopmat_recipe::modes::first;
use coopmat_recipe::report::SourcePlace;
use coopmat_recipe::{Files, Host, Overrides, Plan, parse, run};

struct Beside(PathBuf);

impl Files for Beside {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(path)).map_err(|error| error.to_string())
    }
}

/// What a checked run of an example says: kinds and lines found, and what is wrong with the run.
fn outcome(recipe_path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(recipe_path).unwrap();
    let mut recipe = parse(&text).map_err(|error| error.message)?;
    let folder = recipe_path.parent().unwrap().to_owned();
    let name = recipe_path.to_str().unwrap();
    let shader = match &recipe.shader {
        Some(shader) => folder.join(shader).to_str().unwrap().to_owned(),
        None => name.replace(".run.toml", ".comp"),
    };
    let mut config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    config.device.clone_from(&recipe.device);
    let compile = |path: String| {
        let source = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let analysis = coopmat_analysis::analyze(&path, source.as_str().into(), &config, &NoFiles, None);
        let compiled = coopmat_codegen::compile(&analysis, &Default::default())
            .map_err(|errors| format!("{path} does not compile: {:?}", errors.first()))?;
        Ok((path, source, analysis, compiled))
    };
    let dispatches = recipe.all_dispatches().into_iter();
    let paths = dispatches.map(|dispatch| match dispatch.shader {
        Some(shader) => folder.join(shader).to_str().unwrap().to_owned(),
        None => shader.clone(),
    });
    let shaders: Vec<_> = paths.map(compile).collect::<Result<_, String>>()?;
    let modules: Vec<_> = shaders.iter().map(|(_, _, _, compiled)| (&compiled.module).into()).collect();
    let overrides = Overrides::default();
    let mut plan = Plan::new(&recipe, &text, &modules, &Beside(folder), &overrides)
        .map_err(|error| format!("{error:?}"))?;
    if let Some(device) = &recipe.device {
        // The server makes this list of a profile; here its size decides.
        let profile = devices::find(device).unwrap();
        let shape = |row: &devices::MatrixProperties| {
            let component = |scalar: coopmat_analysis::types::Scalar| {
                let name = if scalar.name() == "float" { "float32_t" } else { scalar.name() };
                coopmat_simulator::matrix::Component::from_name(name)
            };
            let types = [row.types.a, row.types.b, row.types.c, row.types.result].map(component);
            let [Some(a), Some(b), Some(c), Some(result)] = types else { return None };
            Some(coopmat_simulator::AdvertisedShape {
                m: row.m,
                n: row.n,
                k: row.k,
                components: [a, b, c, result],
                saturating: row.types.saturating,
                scope: coopmat_simulator::matrix::Scope::Subgroup,
                flexible: None,
            })
        };
        let shapes: Arc<[_]> = profile.cooperative_matrix_properties.iter().filter_map(shape).collect();
        plan.shapes = Some(shapes);
    }
    let mut modes = first(&recipe, plan.subgroup_size);
    modes.checked = true;
    // What is expected of the results is tested elsewhere.
    recipe.expect.clear();
    let line = |dispatch: usize, instruction: u32| {
        let (path, source, analysis, compiled) = &shaders[dispatch];
        let place = compiled.map.place(analysis, instruction as usize)?;
        let start = usize::from(place.location.range.start());
        let line = source[..start].matches('\n').count() as u32 + 1;
        Some(SourcePlace { path: path.clone(), line, column: 1 })
    };
    let mut go_on = |_, _| true;
    let host = Host { pool: None, tier: None, observers: Vec::new(), place: &line, go_on: &mut go_on };
    let report = run(&plan, &recipe, &modes, host).report;
    if let Some(error) = report.error {
        return Err(error.message);
    }
    let wrong = report.findings.iter().filter(|finding| !finding.expected);
    let mut wrong: Vec<String> = wrong
        .map(|finding| {
            let line = finding.place.as_ref().map_or(0, |place| place.line);
            format!("line {line}: {}: {}", finding.kind, finding.message)
        })
        .collect();
    wrong.extend(
        report
            .missing_findings
            .iter()
            .map(|missing| format!("line {}: {} is missing", missing.line, missing.kind)),
    );
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n    ")) }
}

fn recipes(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            recipes(&path, found);
        } else if path.to_str().unwrap().ends_with(".run.toml") {
            found.insert(path);
        }
    }
}

#[test]
fn examples_have_the_findings_that_they_are_made_for() {
    let mut found = BTreeSet::new();
    recipes(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"), &mut found);
    assert!(found.len() > 30);
    let mut failed = Vec::new();
    for path in &found {
        if let Err(message) = outcome(path) {
            failed.push(format!("{}\n    {message}", path.file_name().unwrap().to_string_lossy()));
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), found.len(), failed.join("\n"));
}
