//! Writes the recording of a shader's recipe for work on the matrix views: `recording SHADER.comp OUT` writes `OUT.json` and `OUT.bin`.

use std::error::Error;
use std::path::Path;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::text::FileId;
use coopmat_playground::record::{Wanted, recorder};
use coopmat_recipe::{Files, Host, Overrides, Plan, modes};
use coopmat_simulator::Observer;

/// Recipes of the examples name no files.
struct Nothing;

impl Files for Nothing {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("{path} is not read"))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, shader, out] = arguments.as_slice() else { return Err("recording SHADER.comp OUT".into()) };
    let text = std::fs::read_to_string(shader)?;
    let config = Configuration { target_env: "vulkan1.3".parse()?, ..Configuration::default() };
    let analysis = coopmat_analysis::analyze(shader, text.as_str().into(), &config, &NoFiles, None);
    let compiled = coopmat_codegen::compile(&analysis, &coopmat_codegen::Options::default())
        .map_err(|errors| errors.first().map_or_else(String::new, |error| error.message.clone()))?;
    let files = analysis.files();
    let place = |instruction: u32| {
        let location = compiled.map.place(&analysis, instruction as usize)?.location;
        let line = files[location.file].line_index().line_col(location.range.start()).line;
        (location.file == FileId::ROOT).then(|| (shader.clone(), line))
    };
    let recipe_text = std::fs::read_to_string(Path::new(shader).with_extension("run.toml"))?;
    let recipe = coopmat_recipe::parse(&recipe_text).map_err(|error| error.message)?;
    let plan =
        Plan::new(&recipe, &recipe_text, &[(&compiled.module).into()], &Nothing, &Overrides::default())
            .map_err(|error| format!("{error:?}"))?;
    let modes = modes::first(&recipe, plan.subgroup_size);
    let (observer, recording) = recorder(Wanted::default());
    let observers: Vec<(usize, Box<dyn Observer>)> = vec![(0, Box::new(observer))];
    let host = Host { pool: None, tier: None, observers, place: &|_, _| None, go_on: &mut |_, _| true };
    let finished = coopmat_recipe::run(&plan, &recipe, &modes, host);
    if let Some(error) = finished.report.error {
        return Err(error.message.into());
    }
    let (index, data) = recording.pack(&place);
    std::fs::write(format!("{out}.json"), index)?;
    std::fs::write(format!("{out}.bin"), data)?;
    Ok(())
}
