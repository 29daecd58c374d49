//! What checked mode costs, and what compiled code gains: recipes run in the one way and the other, turn by turn.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use coopmat_native::{Ended, Machine};
use coopmat_recipe::{Files, Overrides, Plan, Recipe, modes, parse};
use coopmat_simulator::{Execution, Progress, SecondRun, Settings};
use cpu_time::ThreadTime;

/// Files beside the recipe.
struct Beside<'f>(&'f Path);

impl Files for Beside<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(path)).map_err(|error| error.to_string())
    }
}

/// Prints the name, and the seconds without and with checks, for each pair of a module and its recipe of one dispatch. The best of so many runs.
pub fn measure(runs: usize, files: &[&str]) -> Result<()> {
    for pair in files.chunks(2) {
        let [module, recipe] = pair else { bail!("a recipe is missing") };
        if !is_single(Path::new(recipe))? {
            continue;
        }
        let seconds =
            costs(runs, Path::new(module), Path::new(recipe)).with_context(|| (*module).to_owned())?;
        println!("{} {} {}", Path::new(module).display(), seconds[0], seconds[1]);
    }
    Ok(())
}

/// Prints, for each pair of a module and its recipe, the module's name, the milliseconds of making its code, of each run of the interpreter and of each
/// compiled one; or the name and why it is left to the interpreter.
pub fn tiers(runs: usize, files: &[&str]) -> Result<()> {
    for pair in files.chunks(2) {
        let [module, recipe] = pair else { bail!("a recipe is missing") };
        if !is_single(Path::new(recipe))? {
            println!("{module} not measured: the recipe has several dispatches");
            continue;
        }
        let line = tier(runs, Path::new(module), Path::new(recipe)).with_context(|| (*module).to_owned())?;
        println!("{module} {line}");
    }
    Ok(())
}

fn tier(runs: usize, module: &Path, recipe_path: &Path) -> Result<String> {
    let (recipe, plan) = planned(module, recipe_path)?;
    let modes = modes::first(&recipe, plan.subgroup_size);
    let settings = Settings { checked: false, ..plan.settings(&modes).map_err(|error| anyhow!(error))? };
    let [dispatch] = plan.dispatches.as_slice() else { bail!("expected a single dispatch") };
    let begin = || {
        let (resources, ids) = plan.resources();
        let execution = Execution::new(&dispatch.program, resources, settings.clone(), dispatch.workgroups);
        execution.map(|execution| (execution, ids)).map_err(|error| anyhow!("{error}"))
    };
    let (mut interpreted, mut compiled, mut making) = (Vec::new(), Vec::new(), f64::MAX);
    for _ in 0..runs {
        let start = ThreadTime::now();
        let machine = match Machine::new(&dispatch.program, &settings) {
            Ok(machine) => machine,
            Err(left) => return Ok(left.to_string()),
        };
        making = making.min(start.elapsed().as_secs_f64());
        let (mut execution, ids) = begin()?;
        let start = ThreadTime::now();
        match machine.run(&mut execution, None, &mut |_, _| true) {
            Ok(Ended::Finished) => compiled.push(start.elapsed().as_secs_f64()),
            Ok(Ended::Stopped) => bail!("it was stopped"),
            Err(left) => return Ok(left.to_string()),
        }
        let made = plan.left(execution.resources(), &ids);
        let (mut execution, ids) = begin()?;
        let start = ThreadTime::now();
        let ended = execution.run(u64::MAX).map_err(|error| anyhow!("{error}"))?;
        interpreted.push(start.elapsed().as_secs_f64());
        ensure!(ended == Progress::Finished, "it does not end");
        ensure!(plan.left(execution.resources(), &ids) == made, "the tiers differ");
    }
    let numbers = [making].into_iter().chain(interpreted).chain(compiled);
    Ok(numbers.map(|seconds| (seconds * 1e3).to_string()).collect::<Vec<_>>().join(" "))
}

/// Whether a recipe is of one dispatch, which is what is measured.
fn is_single(recipe: &Path) -> Result<bool> {
    let recipe = parse(&std::fs::read_to_string(recipe)?).map_err(|error| anyhow!("{error:?}"))?;
    Ok(recipe.all_dispatches().len() == 1)
}

fn planned(module: &Path, recipe_path: &Path) -> Result<(Recipe, Plan)> {
    let module = coopmat_spirv::load_bytes(&std::fs::read(module)?).map_err(|error| anyhow!("{error}"))?;
    let text = std::fs::read_to_string(recipe_path)?;
    let recipe = parse(&text).map_err(|error| anyhow!("{error:?}"))?;
    let folder = Beside(recipe_path.parent().unwrap_or(Path::new(".")));
    let plan = Plan::new(&recipe, &text, &[(&module).into()], &folder, &Overrides::default())
        .map_err(|error| anyhow!("{error:?}"))?;
    Ok((recipe, plan))
}

fn costs(runs: usize, module: &Path, recipe_path: &Path) -> Result<[f64; 2]> {
    let (recipe, plan) = planned(module, recipe_path)?;
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
