//! What the debugger's session asks of the disk: a launch is a command line of `run`.

use std::path::Path;

use clap::Parser as _;
use coopmat_debug::{Checked, Host, Launch, MODULE_DOCUMENTS, Subject};
use coopmat_recipe::report::{Modes, SourcePlace};
use coopmat_recipe::{Plan, Recipe, Report};
use coopmat_simulator::debugger::Lines;
use coopmat_spirv::dr::Module;

use crate::arguments::{Arguments, Command, RunOptions};
use crate::disk;
use crate::paths;
use crate::run::{SetUp, no_recipe, report_text, set_up_for_debugging};

pub struct OnDisk;

impl Host for OnDisk {
    fn prepare(&mut self, launch: &Launch) -> Result<Box<dyn Subject>, String> {
        if let Some(folder) = &launch.cwd {
            std::env::set_current_dir(folder).map_err(|error| format!("`cwd`: {folder}: {error}"))?;
        }
        let set_up = set_up_for_debugging(&options(launch)?)?;
        Ok(Box::new(Debugged(set_up)))
    }

    fn read(&self, path: &str) -> Result<String, String> {
        disk::read(Path::new(path)).map_err(|error| error.to_string())
    }

    fn normalized(&self, path: &str) -> String {
        match Some(path)
            .filter(|path| path.starts_with(MODULE_DOCUMENTS))
            .and_then(coopmat_server::module_path)
        {
            Some(path) => path,
            None => paths::absolute(path),
        }
    }
}

/// The options of `run` that a launch stands for.
fn options(launch: &Launch) -> Result<RunOptions, String> {
    let mut words = vec!["coopmat-analyzer".to_owned(), "run".to_owned()];
    let mut option = |name: &str, value: &Option<String>| {
        words.extend(value.iter().map(|value| format!("--{name}={value}")));
    };
    option("recipe", &launch.recipe);
    option("device", &launch.device);
    option("ownership", &launch.ownership);
    option("numerics", &launch.numerics);
    option("decode", &launch.decode);
    option("config", &launch.config);
    option("specialization", &launch.specialization);
    option("subgroup-size", &launch.subgroup_size.map(|size| size.to_string()));
    match launch.checked {
        Checked::AsRecipe => {}
        Checked::Plain => words.push("--checked".to_owned()),
        Checked::Strict => words.push("--checked=strict".to_owned()),
    }
    words.extend(launch.args.iter().cloned());
    // A path may begin like an option.
    words.extend(["--".to_owned(), launch.program.clone()]);
    let read = Arguments::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or_default();
        format!("`launch`: {}", message.strip_prefix("error: ").unwrap_or(message))
    })?;
    let Some(Command::Run(options)) = read.command else {
        return Err("`launch`: `args` are options of `coopmat-analyzer run`".to_owned());
    };
    let RunOptions { trace, json, init, create_recipe, schema, headroom, show, dump, png, diff, .. } =
        &*options;
    let profiles = options.profile || options.profile_file.is_some();
    let others = *trace || *json || *init || *create_recipe || *schema || *headroom || profiles;
    if others || !show.is_empty() || !dump.is_empty() || png.is_some() || diff.is_some() {
        let message = "`launch`: `args` say how the shader is compiled and run; options that print or write are not used by the debugger";
        return Err(message.to_owned());
    }
    Ok(*options)
}

/// A recipe and its modules, compiled for the debugger.
struct Debugged(SetUp);

impl Subject for Debugged {
    fn plan(&self) -> &Plan {
        &self.0.prepared.plan
    }

    fn recipe(&self) -> &Recipe {
        &self.0.prepared.recipe
    }

    fn modes(&self) -> &Modes {
        &self.0.modes
    }

    fn module(&self, dispatch: usize) -> Option<&Module> {
        self.0.prepared.shaders.get(dispatch).map(|shader| &shader.module)
    }

    fn lines(&self, dispatch: usize) -> Lines {
        let shader = self.0.prepared.shaders.get(dispatch);
        let mut lines = shader.map(|shader| shader.lines.clone()).unwrap_or_default();
        let mut known = Vec::new();
        for (number, file) in (0..).zip(&mut lines.files) {
            *file = paths::absolute(file);
            // A client opens files by itself, but for words.
            if Path::new(file).is_file() && !file.ends_with(".spv") {
                known.push(number);
            }
        }
        known.into_iter().for_each(|number| lines.forget_text(number));
        lines
    }

    fn place(&self, dispatch: usize, instruction: u32) -> Option<SourcePlace> {
        self.0.prepared.place(dispatch, instruction)
    }

    fn note(&self) -> Option<String> {
        self.0.prepared.recipe_path.is_none().then(|| no_recipe(&coopmat_recipe::beside(&self.0.path)))
    }

    fn text(&self, mut report: Report) -> String {
        report.shader.clone_from(&self.0.path);
        self.0.prepared.name_shaders(&mut report);
        report.recipe.clone_from(&self.0.prepared.recipe_path);
        report_text(&report, &self.0.prepared)
    }
}
