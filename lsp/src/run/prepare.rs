//! From a command line to a plan: the recipe, the compiled module, where its instructions come from.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coopmat_analysis::devices::DeviceProfile;
use coopmat_analysis::project::Settings;
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_codegen::{Options, compile};
use coopmat_debug::lines_of;
use coopmat_recipe::model::{Define, Dispatch};
use coopmat_recipe::report::SourcePlace;
use coopmat_recipe::{Files, Overrides, Plan, PlanError, Recipe, RecipeError, Report, beside};
use coopmat_simulator::debugger::Lines;
use coopmat_simulator::{AdvertisedShape, Program, ProgramOptions};
use coopmat_spirv::{assembly, dr, text};

use super::place::Places;
use crate::arguments::{Color, LimitOptions, ShaderOptions};
use crate::configurations::{Configurations, allowed};
use crate::disk::{self, Confined, Disk, OnDisk};
use crate::embedded::{self, Shader, file_of};
use crate::module;
use crate::paths;
use crate::spirv::{reasons, tell};
use coopmat_server::recipe_files::{self, written};
use coopmat_server::{Specialization, advertised};

/// What is to be run.
#[derive(Clone)]
pub struct Wanted {
    /// The shader, or a module (`.spv`, `.spvasm`).
    pub path: String,
    /// Otherwise the one beside the shader.
    pub recipe: Option<String>,
    /// Another module instead of what the shader compiles to.
    pub spirv: Option<PathBuf>,
    pub shader: ShaderOptions,
    pub set: Vec<(String, String)>,
    pub limits: LimitOptions,
    /// Workgroups that run at once.
    pub at_once: usize,
    /// Write a first recipe instead of a plan.
    pub init: bool,
    /// Write the first recipe where there is none.
    pub create_recipe: bool,
    /// For the debugger: every local is a variable, modules have their lines, and errors are texts.
    pub debug: bool,
    /// Recipes whose buffers have more bytes are compared with nothing: 0 for who wants no results.
    pub most_judged: Option<usize>,
    pub color: Color,
}

pub struct Prepared {
    pub recipe: Recipe,
    /// Nothing for a recipe that is derived from the shader.
    pub recipe_path: Option<String>,
    pub plan: Plan,
    /// The shader of each dispatch.
    pub shaders: Vec<Arc<Compiled>>,
}

impl Prepared {
    /// The source of an instruction of a dispatch's module.
    pub fn place(&self, dispatch: usize, instruction: u32) -> Option<SourcePlace> {
        self.shaders.get(dispatch)?.places.of(instruction)
    }

    /// The text of a place's line, if a module holds it.
    pub fn line(&self, place: &SourcePlace) -> Option<&str> {
        self.shaders.iter().find_map(|shader| shader.places.line(place))
    }

    /// The text of a place's line, if it is known without reading a file.
    pub fn text(&self, dispatch: usize, place: &SourcePlace) -> Option<String> {
        let shader = self.shaders.get(dispatch)?;
        let own = shader.texts.iter().find(|(path, _)| *path == place.path);
        let own = own.and_then(|(_, text)| text.lines().nth((place.line as usize).checked_sub(1)?));
        own.or_else(|| shader.places.line(place)).map(|line| line.trim().to_owned())
    }

    /// Tells a report whose shaders its dispatches have.
    pub fn name_shaders(&self, report: &mut Report) {
        for (dispatch, shader) in report.dispatches.iter_mut().zip(&self.shaders) {
            dispatch.shader.clone_from(&shader.path);
        }
    }

    /// The sizes of subgroups that the target device offers; none where there is no target device.
    pub fn device_sizes(&self) -> &[u32] {
        self.shaders.first().map_or(&[][..], |shader| &shader.device_sizes)
    }
}

pub enum Failure {
    /// It has been told.
    Told,
    /// The command line or a file cannot be used.
    Unusable(String),
    /// Nothing is wrong: this text was asked for instead.
    Text(String),
}

impl Failure {
    /// Why there is nothing to run.
    pub fn words(self) -> String {
        match self {
            Failure::Told => "the shader does not compile: `check` tells why".to_owned(),
            Failure::Unusable(message) | Failure::Text(message) => message,
        }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Unusable(message)
    }
}

/// Files of the recipe's project.
struct OfProject<'w> {
    recipe_path: &'w str,
    options: &'w ShaderOptions,
}

impl Files for OfProject<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let full = named_by(self.recipe_path, path, self.options)?;
        disk::bytes(Path::new(&full)).map_err(|error| error.to_string())
    }
}

/// The whole path of a file that a recipe names.
fn named_by(recipe_path: &str, path: &str, options: &ShaderOptions) -> Result<String, String> {
    let recipe = paths::absolute(recipe_path);
    let folder = recipe.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folders = options.folders.iter().map(|folder| paths::absolute(folder));
    let folders: Vec<String> = folders.chain(disk::working_folder()).chain(allowed(options)).collect();
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    recipe_files::of_recipe(folder, path, &folders, &OnDisk)
}

fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| path.get(..=at).unwrap_or_default())
}

/// The shader of a recipe.
///
/// # Errors
/// That there is none, or that it lies where the recipe may not read, or what is wrong with the recipe where that hides it.
pub fn shader_of(recipe_path: &str, options: &ShaderOptions) -> Result<String, String> {
    let text = disk::read(Path::new(recipe_path)).map_err(|error| format!("{recipe_path}: {error}"))?;
    let parsed = coopmat_recipe::parse(&text);
    if let Some(shader) = parsed.as_ref().ok().and_then(Recipe::named_shader) {
        return named_shader(recipe_path, shader, options);
    }
    let stem = recipe_path.strip_suffix(coopmat_recipe::EXTENSION).unwrap_or(recipe_path);
    let shaders = [".comp", ".comp.glsl", ".glsl"].map(str::to_owned).into_iter();
    let modules = module::EXTENSIONS.map(|extension| format!(".{extension}"));
    let mut candidates = shaders.chain(modules).map(|extension| format!("{stem}{extension}"));
    if let Some((file, _)) = coopmat_server::embedded::split(stem)
        && Path::new(file).is_file()
    {
        return Ok(stem.to_owned());
    }
    let found = candidates.find(|path| Path::new(path).is_file());
    found.ok_or_else(|| match &parsed {
        // It may name its shader behind the mistake.
        Err(error) => placed(recipe_path, &text, error),
        Ok(_) => {
            format!("there is no shader {stem}.comp beside the recipe: add it, or set `shader = \"...\"`")
        }
    })
}

/// The path of a shader that a recipe names.
fn named_shader(recipe_path: &str, shader: &str, options: &ShaderOptions) -> Result<String, String> {
    let placed = |message: String| format!("{recipe_path}: `shader = \"{shader}\"`: {message}");
    let file = coopmat_server::embedded::split(shader).map_or(shader, |(file, _)| file);
    named_by(recipe_path, file, options).map_err(placed)?;
    Ok(format!("{}{shader}", folder(recipe_path)))
}

/// Compiles the shader of each dispatch, each once.
fn shaders(
    wanted: &Wanted,
    recipe: Option<&Recipe>,
    recipe_path: &str,
) -> Result<Vec<Arc<Compiled>>, Failure> {
    let dispatches = recipe.map_or_else(|| vec![Dispatch::default()], Recipe::all_dispatches);
    let several = recipe.is_some_and(|recipe| !recipe.dispatches.is_empty());
    if several && let Some(path) = &wanted.spirv {
        return Err(Failure::Unusable(format!(
            "--spirv {}: the recipe has several dispatches, and a module replaces the shader of one: name it as the `shader` of its dispatch",
            path.display()
        )));
    }
    let mut paths = Vec::new();
    for dispatch in &dispatches {
        // The shader that is named to run stands for the recipe's own.
        let own = recipe.and_then(|recipe| recipe.shader.as_ref());
        let other = dispatch.shader.as_ref().filter(|shader| several && Some(*shader) != own);
        paths.push(match other {
            Some(shader) => named_shader(recipe_path, shader, &wanted.shader)?,
            None => wanted.path.clone(),
        });
    }
    let named = paths::absolute(&wanted.path);
    if !paths.iter().any(|path| paths::absolute(path) == named) {
        return Err(Failure::Unusable(format!(
            "{recipe_path}: each dispatch names its shader, and {} is none of them: {}",
            wanted.path,
            paths.join(", ")
        )));
    }
    let mut shaders: Vec<Arc<Compiled>> = Vec::new();
    for (index, (dispatch, path)) in dispatches.iter().zip(&paths).enumerate() {
        let same = |other: &usize| paths[*other] == *path && dispatches[*other].defines == dispatch.defines;
        let shader = match (0..index).find(same).and_then(|same| shaders.get(same)) {
            Some(same) => same.clone(),
            None => Arc::new(compiled(wanted, path, &dispatch.defines, recipe, recipe_path)?),
        };
        shaders.push(shader);
    }
    Ok(shaders)
}

pub fn prepare(wanted: &Wanted) -> Result<Prepared, Failure> {
    let in_string = in_string(&wanted.path)?;
    let name = in_string.as_ref().map_or_else(|| wanted.path.clone(), |shader| shader.name());
    let recipe_path = wanted.recipe.clone().unwrap_or_else(|| beside(&name));
    let given = match disk::read(Path::new(&recipe_path)) {
        Ok(text) => {
            let mut recipe =
                coopmat_recipe::parse(&text).map_err(|error| placed(&recipe_path, &text, &error))?;
            // The command line counts more.
            recipe.subgroup_size = wanted.shader.subgroup_size.or(recipe.subgroup_size);
            Some((recipe, text))
        }
        Err(_) if wanted.recipe.is_none() || wanted.create_recipe => None,
        Err(error) => return Err(format!("{recipe_path}: {error}").into()),
    };
    let recipe = given.as_ref().map(|(recipe, _)| recipe);
    let shaders = shaders(wanted, recipe, &recipe_path)?;
    let Some(first) = shaders.first() else { return Err("the recipe has no dispatch".to_owned().into()) };
    if wanted.init {
        return Err(Failure::Text(first_recipe(wanted, first, &name)?));
    }
    let (recipe, text, recipe_path) = match given {
        Some((recipe, text)) => (recipe, text, Some(recipe_path)),
        None if wanted.create_recipe => {
            let (recipe, text) = created(wanted, first, &recipe_path)?;
            (recipe, text, Some(recipe_path))
        }
        None => (without_recipe(wanted, first, &recipe_path)?, String::new(), None),
    };
    let files =
        OfProject { recipe_path: recipe_path.as_deref().unwrap_or(&wanted.path), options: &wanted.shader };
    let LimitOptions { memory_limit, step_limit } = wanted.limits;
    let overrides = Overrides {
        set: wanted.set.clone(),
        subgroup_size: first.subgroup_size,
        most_memory: Some(usize::try_from(memory_limit).unwrap_or(usize::MAX)),
        workgroup_memory: Some(coopmat_recipe::workgroup_memory(memory_limit, wanted.at_once)),
        most_steps: Some(step_limit),
        most_judged: wanted.most_judged,
        more: ("use `--memory-limit` to allow more", "use `--step-limit` to allow more"),
        ..Overrides::default()
    };
    let modules: Vec<coopmat_recipe::Module<'_>> = shaders.iter().map(|shader| shader.given()).collect();
    let mut plan = Plan::new(&recipe, &text, &modules, &files, &overrides).map_err(|error| match error {
        PlanError::Recipe(error) => match &recipe_path {
            Some(path) => placed(path, &text, &error),
            None => error.message,
        },
        PlanError::Program(index, error) => match shaders.get(index) {
            Some(shader) => program_error(shader, &error),
            None => error.message,
        },
    })?;
    plan.shapes.clone_from(&first.shapes);
    Ok(Prepared { recipe, recipe_path, plan, shaders })
}

/// The shader that a path names in a file of C++ or Rust.
fn in_string(path: &str) -> Result<Option<Arc<Shader>>, Failure> {
    if !embedded::is_meant(path) {
        return Ok(None);
    }
    let Some(found) = embedded::one(path, &Disk::default()) else { return Ok(None) };
    let shader = found?;
    match &shader.region.part {
        Some(part) => Err(Failure::Unusable(format!("{}: not run: {}", shader.name(), part.message))),
        None => Ok(Some(shader)),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A recipe that follows from the shader alone: one workgroup, random numbers in what it reads, zeros in what it writes. Sizes
/// that push constants say cannot be guessed.
fn without_recipe(wanted: &Wanted, shader: &Compiled, recipe_path: &str) -> Result<Recipe, Failure> {
    let program = Program::new(&shader.module, &ProgramOptions::default());
    let program = program.map_err(|error| Failure::Unusable(program_error(shader, &error)))?;
    if program.interface().push_constants.is_some() {
        return Err(Failure::Unusable(format!(
            "there is no recipe {recipe_path}, and the shader has push constants, whose values cannot be guessed: run `coopmat-analyzer run --create-recipe {}` to write one, and fill it in",
            wanted.path
        )));
    }
    if !wanted.debug {
        crate::output::note(&no_recipe(recipe_path));
    }
    Ok(coopmat_recipe::derived(&program))
}

/// What a run without a recipe is.
pub fn no_recipe(recipe_path: &str) -> String {
    format!(
        "note: there is no recipe {recipe_path}: one workgroup runs on random numbers and the results are not compared with anything; `run --create-recipe` writes a recipe"
    )
}

/// The recipe that follows from the shader, and from the values of specialization constants on the command line.
fn first_recipe(wanted: &Wanted, shader: &Compiled, name: &str) -> Result<String, Failure> {
    let program = Program::new(&shader.module, &ProgramOptions::default());
    let program = program.map_err(|error| Failure::Unusable(program_error(shader, &error)))?;
    let constants = &program.interface().specialization;
    let is_declared =
        |name: &str| constants.iter().any(|it| it.name.as_deref() == Some(name) || it.id.to_string() == name);
    // A recipe that is run at once has sizes, too.
    if let Some((name, _)) = wanted.set.iter().find(|(name, _)| wanted.init && !is_declared(name)) {
        let path = &shader.path;
        let message = format!("--set {name}: {path} has no specialization constant of this name or id");
        return Err(Failure::Unusable(message));
    }
    let mut module = shader.given();
    module.chosen.extend(wanted.set.iter().cloned());
    Ok(coopmat_recipe::init(&module, &program, file_name(name), &shader.configuration))
}

/// Writes the recipe that follows from the shader.
fn created(wanted: &Wanted, shader: &Compiled, recipe_path: &str) -> Result<(Recipe, String), Failure> {
    let text = first_recipe(wanted, shader, &wanted.path)?;
    let mut recipe = coopmat_recipe::parse(&text).map_err(|error| placed(recipe_path, &text, &error))?;
    recipe.subgroup_size = wanted.shader.subgroup_size.or(recipe.subgroup_size);
    let file = std::fs::File::create_new(recipe_path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| format!("{recipe_path}: {error}"))?;
    crate::output::note(&format!("note: wrote the recipe {recipe_path}: add there what you expect"));
    Ok((recipe, text))
}

fn program_error(shader: &Compiled, error: &coopmat_simulator::ProgramError) -> String {
    match error.instruction.and_then(|instruction| shader.places.of(instruction)) {
        Some(place) => format!("{}:{}:{}: {}", place.path, place.line, place.column, error.message),
        None => format!("{}: {}", shader.path, error.message),
    }
}

/// An error with its place, and the line that it is about.
pub fn placed(path: &str, text: &str, error: &RecipeError) -> String {
    if error.range == (0..0) {
        return format!("{path}: {}", error.message);
    }
    let (line, column) = error.position(text);
    let source = text.lines().nth(line - 1).unwrap_or_default();
    let length = text
        .get(error.range.clone())
        .and_then(|marked| marked.lines().next())
        .map_or(1, |marked| marked.chars().count());
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    format!(
        "{path}:{line}:{column}: {}\n {number} | {source}\n {margin} | {}{}",
        error.message,
        " ".repeat(column - 1),
        "^".repeat(length.max(1))
    )
}

/// A shader that compiles.
pub struct Compiled {
    /// Its path.
    pub path: String,
    pub module: dr::Module,
    /// The name of the configuration that it was compiled under; nothing for a module that was given.
    configuration: String,
    /// Where its instructions come from.
    pub places: Places,
    /// The same for the debugger.
    pub lines: Lines,
    /// The configuration's.
    subgroup_size: Option<u32>,
    /// The configuration's.
    specialization: Vec<(String, String)>,
    /// What the command line chooses, which comes before the recipe's.
    chosen: Vec<(String, String)>,
    /// What the configuration's device offers.
    shapes: Option<Arc<[AdvertisedShape]>>,
    /// The sizes of subgroups that the configuration's device offers.
    device_sizes: Vec<u32>,
    /// The configuration's device.
    pub device: Option<Arc<DeviceProfile>>,
    /// The texts of its files, by the names that places have; a module's own are in `places`.
    texts: Vec<(String, Arc<str>)>,
}

impl Compiled {
    /// As a plan takes it.
    fn given(&self) -> coopmat_recipe::Module<'_> {
        coopmat_recipe::Module {
            module: &self.module,
            configured: self.specialization.clone(),
            chosen: self.chosen.clone(),
        }
    }
}

/// The module of a shader, with these macros.
fn compiled(
    wanted: &Wanted,
    path: &str,
    defines: &BTreeMap<String, Define>,
    recipe: Option<&Recipe>,
    recipe_path: &str,
) -> Result<Compiled, Failure> {
    let is_module = module::is_named(Path::new(path));
    let other = wanted.spirv.clone().or_else(|| is_module.then(|| PathBuf::from(path)));
    let name = path.to_owned();
    if let Some(path) = other {
        let shown = path.display();
        let (module, mut places) = module::load(&path)?;
        let subgroup_size = wanted.shader.subgroup_size;
        let chosen = match &wanted.shader.specialization {
            None | Some(Specialization::OfRecipe) => Vec::new(),
            Some(Specialization::Values(values)) => written(values),
            Some(Specialization::Set(name)) => {
                return Err(Failure::Unusable(format!(
                    "{shown} is a SPIR-V module, so there is no set `{name}` of specialization constants for it in a project file: expected values such as --specialization TM=64"
                )));
            }
        };
        let lines = match wanted.debug {
            true => lines_of_module(&module, &mut places, &shown.to_string()),
            false => Lines::default(),
        };
        let device = device_of_module(wanted, &name, recipe)?;
        return Ok(Compiled {
            lines,
            module,
            configuration: String::new(),
            places,
            subgroup_size,
            specialization: Vec::new(),
            chosen,
            shapes: device.as_ref().and_then(|profile| advertised(profile)),
            device_sizes: device.as_ref().map_or(Vec::new(), |profile| profile.subgroup_sizes()),
            device,
            path: name,
            texts: Vec::new(),
        });
    }
    let in_string = in_string(path)?;
    let in_string = in_string.as_deref();
    let (analysis, chosen) = analyze(wanted, path, defines, in_string, recipe, recipe_path)?;
    let options = Options { keep_locals: wanted.debug, ..Options::default() };
    let compiled = compile(&analysis, &options).map_err(|errors| {
        if wanted.debug {
            return Failure::Unusable(reasons(&analysis, &errors, in_string));
        }
        tell(&analysis, &errors, in_string, wanted.color);
        Failure::Told
    })?;
    let lines = match wanted.debug {
        true => lines_of(&analysis, &compiled, |path| file_of(path).to_owned()),
        false => Lines::default(),
    };
    let subgroup_size = analysis.config.subgroup_size;
    let places = Places::of_map(&analysis, &compiled.map);
    let device = analysis.config.device_profile();
    let shapes = device.as_ref().and_then(|profile| advertised(profile));
    let device_sizes = device.as_ref().map_or(Vec::new(), |profile| profile.subgroup_sizes());
    let configuration = analysis.config.name.clone();
    let files = analysis.files().iter();
    let texts = files.map(|(_, file)| (file_of(&file.path).to_owned(), file.text.clone())).collect();
    let specialization = written(&analysis.config.specialization);
    let module = compiled.module;
    Ok(Compiled {
        path: name,
        module,
        configuration,
        places,
        lines,
        subgroup_size,
        specialization,
        chosen,
        shapes,
        device_sizes,
        device,
        texts,
    })
}

/// What the debugger steps by: the module's source, else its own text, which is that of a file of assembly, or the listing of a file of words.
fn lines_of_module(module: &dr::Module, places: &mut Places, path: &str) -> Lines {
    let lines = Lines::of_module(module);
    if !lines.is_empty() {
        return lines;
    }
    let is_listed = places.is_empty();
    let names = if is_listed {
        *places = Places::of_listing(path, module);
        // An assembler that read the listing would number its names anew.
        let listing = text::disassemble(module, &text::Options::default());
        text::names_of_results(&listing.text, &listing.spans)
    } else {
        let text = places.own_text().unwrap_or_default();
        text::names_of_results(text, &assembly::parse(text).spans)
    };
    let text = places.own_text().unwrap_or_default();
    let mut lines = places.lines().of_own_text(names);
    if is_listed {
        lines.set_text(0, text.to_owned());
    }
    lines
}

/// The device that a module is run for: that of the command line or the recipe.
fn device_of_module(
    wanted: &Wanted,
    path: &str,
    recipe: Option<&Recipe>,
) -> Result<Option<Arc<DeviceProfile>>, String> {
    let mut options = wanted.shader.clone();
    options.device = options.device.or_else(|| recipe.and_then(|recipe| recipe.device.clone()));
    if options.device.is_none() {
        return Ok(None);
    }
    let found = Configurations::new(&options, false).of(path, true)?;
    Ok(found.first().and_then(|configuration| configuration.device_profile()))
}

/// The analysis of a dispatch's shader under the values that its plan gives to specialization constants; nothing for a module.
///
/// # Errors
/// What is wrong with the command line or the recipe.
pub fn analysis_of(
    wanted: &Wanted,
    prepared: &Prepared,
    dispatch: usize,
) -> Result<Option<Analysis>, String> {
    let (Some(planned), Some(shader)) =
        (prepared.plan.dispatches.get(dispatch), prepared.shaders.get(dispatch))
    else {
        return Ok(None);
    };
    if wanted.spirv.is_some() || module::is_named(Path::new(&shader.path)) {
        return Ok(None);
    }
    let values = planned.specialization_texts().map(|(id, _, value)| format!("{id}={value}"));
    let values: Vec<String> = values.collect();
    let mut wanted = wanted.clone();
    if !values.is_empty() {
        wanted.shader.specialization = Some(values.join(",").parse()?);
    }
    let written = prepared.recipe.all_dispatches();
    let defines = written.get(dispatch).map(|dispatch| dispatch.defines.clone()).unwrap_or_default();
    let in_string = in_string(&shader.path).map_err(Failure::words)?;
    let recipe_path = prepared.recipe_path.as_deref().unwrap_or_default();
    let recipe = Some(&prepared.recipe);
    let found = analyze(&wanted, &shader.path, &defines, in_string.as_deref(), recipe, recipe_path);
    found.map(|(analysis, _)| Some(analysis)).map_err(Failure::words)
}

/// The analysis, and the values of specialization constants that the command line chooses.
fn analyze(
    wanted: &Wanted,
    path: &str,
    defines: &BTreeMap<String, Define>,
    in_string: Option<&Shader>,
    recipe: Option<&Recipe>,
    recipe_path: &str,
) -> Result<(Analysis, Vec<(String, String)>), Failure> {
    let disk = Disk::default();
    let (path, text) = match in_string {
        Some(shader) => (shader.path.as_str(), shader.region.text.clone()),
        None => (path, disk.named(path)?),
    };
    // The command line counts more than the recipe, and the recipe more than the project file.
    let mut options = wanted.shader.clone();
    // A run has the values of its recipe anyway, wherever that lies.
    options.specialization = options.specialization.filter(|one| *one != Specialization::OfRecipe);
    if let Some(recipe) = recipe {
        options.config = options.config.or_else(|| recipe.config.clone());
        if let (None, Some(device)) = (&options.device, &recipe.device) {
            let is_file = device.ends_with(".json");
            let file = is_file.then(|| named_by(recipe_path, device, &options)).transpose();
            let file =
                file.map_err(|message| format!("{recipe_path}: `device = \"{device}\"`: {message}"))?;
            options.device = file.or_else(|| Some(device.clone()));
        }
        if let (None, Some(env)) = (&options.target_env, &recipe.target_env) {
            let env = env.parse().map_err(|error| format!("{recipe_path}: `target-env`: {error}"))?;
            options.target_env = Some(env);
        }
    }
    let mut configurations = Configurations::new(&options, false);
    let found = configurations.of(path, true)?;
    let found = found.first().cloned().unwrap_or_default();
    let chosen = written(&configurations.specialization(path, &found)?);
    let mut configuration = match in_string {
        Some(shader) => (*shader.configured(found)).clone(),
        None => (*found).clone(),
    };
    let defined =
        |name: &str| options.defines.iter().any(|define| define.split(['=', '(']).next() == Some(name));
    let defines = defines.iter().filter(|(name, _)| !defined(name));
    let defines =
        defines.map(|(name, value)| (name.clone(), Some(value.0.clone()).filter(|v| !v.is_empty())));
    Settings { defines: defines.collect(), ..Settings::default() }.apply(&mut configuration, "");
    let loader = Confined::new(&disk, &configuration);
    let analysis = Analyzer::default().analyze(path, text, &configuration, &loader, None);
    Configurations::mistyped(&options, &analysis)?;
    Ok((analysis, chosen))
}
