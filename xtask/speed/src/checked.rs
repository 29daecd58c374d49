//! What checked mode costs: recipes run without and with it, turn by turn.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use coopmat_recipe::{Files, Overrides, Plan, modes, parse};
use coopmat_simulator::{Execution, Progress, SecondRun};
use cpu_time::ThreadTime;

/// Files beside the recipe.
struct Beside<'f>(&'f Path);

impl Files for Beside<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(path)).map_err(|error| error.to_string())
    }
}

/// Prints the name, and the seconds without and with checks, for each pair of a module and its recipe. The best of so many runs.
pub fn measure(runs: usize, files: &[&str]) -> Result<()> {
    for pair in files.chunks(2) {
        let [module, recipe] = pair else { bail!("a recipe is missing") };
        let seconds =
            costs(runs, Path::new(module), Path::new(recipe)).with_context(|| (*module).to_owned())?;
        println!("{} {} {}", Path::new(module).display(), seconds[0], seconds[1]);
    }
    Ok(())
}

fn costs(runs: usize, module: &Path, recipe_path: &Path) -> Result<[f64; 2]> {
    let module = coopmat_spirv::load_bytes(&std::fs::read(module)?).map_err(|error| anyhow!("{error}"))?;
    let text = std::fs::read_to_string(recipe_path)?;
    let recipe = parse(&text).map_err(|error| anyhow!("{error:?}"))?;
    let folder = Beside(recipe_path.parent().unwrap_or(Path::new(".")));
    let plan = Plan::new(&recipe, &text, &[(&module).into()], &folder, &Overrides::default())
        .map_err(|error| anyhow!("{error:?}"))?;
    let mut best = [f64::MAX; 2];
    for _ in 0..runs {
        for (checked, best) in [false, true].into_iter().zip(&mut best) {
            let modes =
                coopmat_recipe::report::Modes { checked, ..modes::first(&recipe, plan.subgroup_size) };
            let settings = plan.settings(&modes).map_err(|error| anyhow!(error))?;
            let (resources, _) = plan.resources();
            let [dispatch] = plan.dispatches.as_slice() else { bail!("expected a single dispatch") };
            let (program, groups) = (&dispatch.program, dispatch.workgroups);
            let mut execution = Execution::new(program, resources, settings.clone(), groups)
                .map_err(|error| anyhow!("{error}"))?;
            let (again, _) = plan.resources();
            let start = ThreadTime::now();
            let ended = execution.run(u64::MAX).map_err(|error| anyhow!("{error}"))?;
            if checked {
                // A second run, for shaders that use elements.
                if let Ok(mut second) = SecondRun::new(program, &execution, again, &settings, groups) {
                    second.run(u64::MAX).map_err(|error| anyhow!("{error}"))?;
                    second.compare(&execution);
                }
            }
            *best = best.min(start.elapsed().as_secs_f64());
            ensure!(ended == Progress::Finished, "it does not end");
        }
    }
    Ok(best)
}
