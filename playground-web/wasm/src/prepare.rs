//! From the page's files to a plan: the shader compiled, the recipe read, the recipe applied to the module.

use std::collections::BTreeMap;
use std::rc::Rc;

use coopmat_analysis::Analyzer;
use coopmat_analysis::project::Settings;
use coopmat_codegen::{Options, compile};
use coopmat_recipe::model::{Define, Dispatch};
use coopmat_recipe::report::Modes;
use coopmat_recipe::{Module, Overrides, Plan, PlanError, Recipe, RecipeError, modes};
use coopmat_server::recipe_files::written;
use serde::{Deserialize, Serialize};

use crate::configure::{Configured, configure};
use crate::files::{FOLDER, Files, path_of};
use crate::module;
use crate::places::{self, Place};
use crate::shader::{Code, Shader};

/// Steps of a run whose recipe says no limit: some seconds.
pub const STEPS: u64 = 300_000_000;
/// Bytes that all buffers may take together, with the numbers that they are made of and compared with.
const MEMORY: usize = 768 << 20;
/// More elements than these have their references computed when they run, not while somebody types.
const FEW: usize = 1 << 17;

/// What is to be run, as the page says it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RunRequest", optional_fields))]
pub struct Request {
    /// The name of the shader's file.
    pub shader: String,
    /// The name of the recipe's file. Without one it follows from the shader.
    pub recipe: Option<String>,
    /// A device profile, over the recipe's.
    pub device: Option<String>,
    /// The name of a configuration. Without one the recipe's, or the project file's own choice.
    pub configuration: Option<String>,
    /// Values of specialization constants, over those of everything: a set of the project file, `recipe`, or `TM=64, TN=32`.
    pub specialization: Option<String>,
    pub choices: Choices,
    /// For the debugger: the dispatch that it runs, counted from 0, after those before it. The first one by default.
    pub dispatch: Option<usize>,
    /// For the debugger, which shows variables: every local is one.
    #[serde(skip)]
    pub keep_locals: bool,
}

/// Over the first of the recipe's modes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Choices {
    pub numerics: Option<String>,
    pub ownership: Option<String>,
    pub decode: Option<String>,
    pub subgroup_size: Option<u32>,
    pub checked: bool,
    /// Checked mode also reports two invocations that write the same value to one place, and values that they pass through memory which is not coherent.
    pub strict: bool,
    /// Not checked, even where the recipe expects findings: as the runs are behind the verdicts of ownerships.
    pub unchecked: bool,
    /// Measure how far `float16_t` accumulators are from overflowing.
    pub headroom: bool,
    /// Keep what matrix instructions of one subgroup read and made, for the matrix views.
    pub record: Option<Record>,
}

/// Which subgroup's matrices are kept, and of which line alone.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Recorder", optional_fields))]
pub struct Record {
    /// The dispatch, counted from 0; by default the first one.
    pub dispatch: Option<usize>,
    pub workgroup: [u32; 3],
    pub subgroup: u32,
    /// The page's file, and the line from 0.
    pub line: Option<(String, u32)>,
}

/// Why something cannot be done, and where that is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Problem {
    pub message: String,
    #[cfg_attr(test, ts(optional = nullable))]
    pub place: Option<Place>,
}

impl Problem {
    pub fn new(message: impl Into<String>) -> Problem {
        Problem { message: message.into(), place: None }
    }
}

/// Everything that a run needs.
pub struct Prepared {
    /// The shader of each dispatch; one at least.
    pub shaders: Vec<Rc<Shader>>,
    pub recipe: Recipe,
    pub plan: Plan,
    pub modes: Modes,
    /// Whose matrices are kept.
    pub record: Option<Record>,
    /// What the page calls the files.
    pub names: (String, Option<String>),
}

impl Prepared {
    /// The shader of a dispatch.
    pub fn shader(&self, dispatch: usize) -> Option<&Shader> {
        self.shaders.get(dispatch).map(|shader| &**shader)
    }
}

/// What the page has beside its texts.
pub type Data = BTreeMap<String, Vec<u8>>;

/// Files that a recipe names.
struct Beside<'a> {
    files: &'a Files,
    data: &'a Data,
    /// Where the recipe is: with a slash at its end, or nothing.
    folder: &'a str,
}

impl Beside<'_> {
    /// What the page calls a file that the recipe names. A file that was put in with `Upload` has the name that the recipe writes, wherever the recipe is.
    fn name(&self, path: &str) -> String {
        let beside = format!("{}{path}", self.folder);
        if self.has(&beside) { beside } else { path.to_owned() }
    }

    fn has(&self, name: &str) -> bool {
        self.data.contains_key(name) || self.files.stamp(&path_of(name)).is_some()
    }
}

impl coopmat_recipe::Files for Beside<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let name = self.name(path);
        if let Some(bytes) = self.data.get(&name) {
            return Ok(bytes.clone());
        }
        let text = self.files.text(&path_of(&name));
        text.map(|text| text.as_bytes().to_vec())
            .ok_or_else(|| "the page has no such file: put one in with `Upload`".to_owned())
    }
}

/// The folder of the recipe that a request is about.
fn folder(request: &Request) -> &str {
    let recipe = request.recipe.as_deref().unwrap_or_default();
    recipe.rfind('/').and_then(|slash| recipe.get(..=slash)).unwrap_or_default()
}

/// The recipe's text and what it says, if there is one.
pub fn recipe(files: &Files, request: &Request) -> Result<Option<(String, Recipe)>, Problem> {
    let Some(name) = &request.recipe else { return Ok(None) };
    let Some(text) = files.text(&path_of(name)) else {
        return Err(Problem::new(format!("there is no file {name}")));
    };
    match coopmat_recipe::parse(&text) {
        Ok(recipe) => Ok(Some((text.to_string(), recipe))),
        Err(error) => Err(in_recipe(name, &text, error)),
    }
}

fn in_recipe(name: &str, text: &str, error: RecipeError) -> Problem {
    Problem { message: error.message, place: Some(places::of_text(name, text, error.range)) }
}

/// Compiles the shader of each dispatch, each once.
pub fn shaders(
    files: &Files,
    data: &Data,
    request: &Request,
    recipe: Option<&Recipe>,
) -> Result<Vec<Rc<Shader>>, Problem> {
    let beside = Beside { files, data, folder: folder(request) };
    let dispatches = recipe.map_or_else(|| vec![Dispatch::default()], Recipe::all_dispatches);
    let several = recipe.is_some_and(|recipe| !recipe.dispatches.is_empty());
    let own = recipe.and_then(|recipe| recipe.shader.as_ref());
    // The page's shader stands for the recipe's own.
    let named = |dispatch: &Dispatch| {
        let other = dispatch.shader.as_ref().filter(|shader| several && Some(*shader) != own);
        other.map_or_else(|| request.shader.clone(), |other| beside.name(other))
    };
    let mut shaders: Vec<Rc<Shader>> = Vec::new();
    for (index, dispatch) in dispatches.iter().enumerate() {
        let name = named(dispatch);
        let mut same = dispatches.iter().take(index);
        let same = same.position(|other| named(other) == name && other.defines == dispatch.defines);
        let shader = match same.and_then(|same| shaders.get(same)) {
            Some(same) => same.clone(),
            None => Rc::new(shader(&beside, request, recipe, (name.as_str(), &dispatch.defines))?),
        };
        shaders.push(shader);
    }
    Ok(shaders)
}

/// Compiles a shader with these macros, under what the project file and the recipe say; or takes a module as it is.
fn shader(
    beside: &Beside<'_>,
    request: &Request,
    recipe: Option<&Recipe>,
    (name, defines): (&str, &BTreeMap<String, Define>),
) -> Result<Shader, Problem> {
    let files = beside.files;
    if module::is_named(name) {
        let device = request.device.as_ref().or_else(|| recipe?.device.as_ref());
        return module::shader(files, beside.data, name, device);
    }
    let path = path_of(name);
    let text = files.text(&path).ok_or_else(|| Problem::new(format!("there is no file {name}")))?;
    let Configured { mut configuration, chosen } = configure(files, &path, request, recipe)?;
    if let Some(recipe) = recipe {
        let env = recipe.target_env.as_deref().map(str::parse).transpose();
        let target_env = env.map_err(|error| Problem::new(format!("`target-env`: {error}")))?;
        let value = |value: &str| Some(value.to_owned()).filter(|value| !value.is_empty());
        let defines = defines.iter().map(|(name, define)| (name.clone(), value(&define.0)));
        let settings = Settings {
            defines: defines.collect(),
            target_env,
            device: recipe.device.clone(),
            ..Settings::default()
        };
        settings.apply(&mut configuration, FOLDER);
    }
    if request.device.is_some() {
        configuration.device.clone_from(&request.device);
    }
    if let Some(device) = &configuration.device {
        coopmat_analysis::devices::find(device).map_err(Problem::new)?;
    }
    let analysis = Analyzer::default().analyze(&path, text, &configuration, files, None);
    let options = Options { keep_locals: request.keep_locals, ..Options::default() };
    match compile(&analysis, &options) {
        Ok(compiled) => {
            let code = Code::Compiled { analysis: Box::new(analysis), compiled: Box::new(compiled) };
            Ok(Shader { name: name.to_owned(), code, chosen: written(&chosen) })
        }
        Err(errors) => {
            let first = errors.first();
            let message = first.map_or("the shader does not compile", |error| error.message.as_str());
            let place = first.map(|error| places::of_range(&analysis, error.location));
            Err(Problem { message: format!("the shader does not compile: {message}"), place })
        }
    }
}

/// A plan for the shader. `runs`: expectations are wanted, however long they take.
pub fn plan(
    files: &Files,
    data: &Data,
    request: &Request,
    shaders: Vec<Rc<Shader>>,
    recipe: Option<(String, Recipe)>,
    runs: bool,
) -> Result<Prepared, Problem> {
    let Some(shader) = shaders.first() else { return Err(Problem::new("the recipe has no dispatch")) };
    let (text, recipe) = match recipe {
        Some(recipe) => recipe,
        None => match shader.program() {
            Ok(program) if program.interface().push_constants.is_some() => {
                let message = "the shader's push constants cannot be guessed: make a recipe for it";
                return Err(Problem::new(message));
            }
            Ok(program) => (String::new(), coopmat_recipe::derived(&program)),
            Err(problem) => return Err(problem),
        },
    };
    let config = shader.configuration();
    let overrides = Overrides {
        subgroup_size: config.known_subgroup_size(),
        most_memory: Some(MEMORY),
        workgroup_memory: Some(coopmat_recipe::workgroup_memory(MEMORY as u64, 1)),
        most_steps: Some(STEPS),
        more: ("this page gives no more", "this page takes no more"),
        most_judged: (!runs).then_some(FEW),
        // The page ends the worker.
        ..Overrides::default()
    };
    let beside = Beside { files, data, folder: folder(request) };
    let modules: Vec<Module<'_>> = shaders.iter().map(|shader| shader.given()).collect();
    let mut plan = match Plan::new(&recipe, &text, &modules, &beside, &overrides) {
        Ok(plan) => plan,
        Err(PlanError::Recipe(error)) => {
            let problem = match &request.recipe {
                Some(name) => in_recipe(name, &text, error),
                None => Problem::new(error.message),
            };
            return Err(problem);
        }
        Err(PlanError::Program(dispatch, error)) => {
            return Err(shaders.get(dispatch).unwrap_or(shader).program_problem(error));
        }
    };
    plan.shapes = config.device_profile().and_then(|profile| coopmat_server::advertised(&profile));
    let first = modes::first(&recipe, plan.subgroup_size);
    let choices = &request.choices;
    let pick = |chosen: &Option<String>, first: &String| chosen.clone().unwrap_or_else(|| first.clone());
    let modes = Modes {
        subgroup_size: choices.subgroup_size.unwrap_or(first.subgroup_size),
        numerics: pick(&choices.numerics, &first.numerics),
        ownership: pick(&choices.ownership, &first.ownership),
        decode: pick(&choices.decode, &first.decode),
        checked: !choices.unchecked && (first.checked || choices.checked),
        strict: first.strict || choices.strict,
        headroom: choices.headroom,
    };
    let names = (request.shader.clone(), request.recipe.clone());
    Ok(Prepared { shaders, recipe, plan, modes, record: choices.record.clone(), names })
}

/// All of it.
pub fn prepare(files: &Files, data: &Data, request: &Request, runs: bool) -> Result<Prepared, Problem> {
    let recipe = recipe(files, request)?;
    let shaders = shaders(files, data, request, recipe.as_ref().map(|(_, recipe)| recipe))?;
    plan(files, data, request, shaders, recipe, runs)
}
