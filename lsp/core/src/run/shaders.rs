//! The shader of each dispatch of a recipe, compiled in the configuration in view.

use std::sync::Arc;

use coopmat_analysis::config::{Configuration, ConstantKey, SpecializationValue};
use coopmat_analysis::sources::FileLoader as _;
use coopmat_analysis::text::{FileId, FileRange};
use coopmat_analysis::{Analysis, Analyzer, devices, project};
use coopmat_codegen::{Compiled, compile_once};
use coopmat_recipe::model::Dispatch;
use coopmat_recipe::report::SourcePlace;
use coopmat_recipe::{Module, Recipe};
use coopmat_spirv::{assembly, dr::Module as DrModule};

use super::OfProject;
use crate::client::ClientFeatures;
use crate::documents::{Documents, Loader};
use crate::host::Host;
use crate::positions::{Encoding, LineTable};
use crate::recipe_files;
use crate::session::Session;
use crate::settings::Settings;
use crate::snapshot::Snapshot;

/// What a run is asked for on: a document, and what else is known when it is.
pub struct Ground {
    own: Own,
    /// What was chosen for specialization constants.
    pub specialization: Vec<(ConstantKey, SpecializationValue)>,
    pub documents: Documents,
    pub host: Arc<dyn Host>,
    /// Of the workspace.
    pub folders: Vec<String>,
    pub settings: Arc<Settings>,
    pub client: ClientFeatures,
}

/// The shader that the document is.
enum Own {
    Analysis(Arc<Analysis>),
    /// Assembly text.
    Text {
        path: String,
        text: String,
        configuration: Arc<Configuration>,
    },
}

impl Ground {
    pub fn of(snapshot: &Snapshot) -> Ground {
        Ground {
            own: Own::Analysis(snapshot.analysis.clone()),
            specialization: snapshot.specialization.clone(),
            documents: snapshot.documents.clone(),
            host: snapshot.host.clone(),
            folders: snapshot.folders.clone(),
            settings: snapshot.settings.clone(),
            client: snapshot.client,
        }
    }

    /// Of a document of assembly text.
    pub fn of_assembly(session: &Session, path: String, text: String) -> Ground {
        Ground {
            own: Own::Text { path, text, configuration: Arc::default() },
            specialization: Vec::new(),
            documents: session.documents.clone(),
            host: session.host.clone(),
            folders: session.folders.clone(),
            settings: session.settings.clone(),
            client: session.client,
        }
    }

    pub fn path(&self) -> &str {
        match &self.own {
            Own::Analysis(analysis) => &analysis.files()[FileId::ROOT].path,
            Own::Text { path, .. } => path,
        }
    }

    pub fn configuration(&self) -> &Configuration {
        match &self.own {
            Own::Analysis(analysis) => &analysis.config,
            Own::Text { configuration, .. } => configuration,
        }
    }

    /// The document's shader in the configuration in view.
    pub fn shader(&self) -> Result<Shader, Refusal> {
        match &self.own {
            Own::Analysis(analysis) => Shader::of(analysis.clone()),
            Own::Text { path, text, .. } => Shader::of_assembly(path, text),
        }
    }
}

/// A shader that compiles.
#[derive(Clone)]
pub enum Shader {
    Compiled {
        analysis: Arc<Analysis>,
        compiled: Arc<Compiled>,
    },
    /// A module, of which each instruction may have a place.
    Module {
        path: String,
        module: Arc<DrModule>,
        places: Arc<[Option<SourcePlace>]>,
        configuration: Arc<Configuration>,
    },
}

/// Why a shader does not compile, and where.
pub type Refusal = (String, Option<SourcePlace>);

impl Shader {
    /// The shader of an analysis.
    fn of(analysis: Arc<Analysis>) -> Result<Shader, Refusal> {
        match compile_once(&analysis) {
            Ok(compiled) => Ok(Shader::Compiled { analysis, compiled }),
            Err(errors) => {
                let first = errors.first();
                let message = first.map_or("the shader does not compile", |error| error.message.as_str());
                Err((message.to_owned(), first.map(|error| place_of(&analysis, error.location))))
            }
        }
    }

    /// The module of an assembly text. In an editor, its places are in that text, whatever the module says of its source.
    fn of_assembly(path: &str, text: &str) -> Result<Shader, Refusal> {
        let table = LineTable::new(text);
        let place = |at: usize| {
            let at = table.position(text, at, Encoding::Utf32);
            SourcePlace { path: path.to_owned(), line: at.line + 1, column: at.character + 1 }
        };
        let parsed = assembly::parse(text);
        let Some(module) = parsed.module else {
            let first = parsed.errors.first();
            let message = first.map_or("the text is no module", |error| error.message.as_str());
            return Err((message.to_owned(), first.map(|error| place(error.range.start))));
        };
        Ok(Shader::Module {
            path: path.to_owned(),
            module: Arc::new(module),
            places: parsed.instructions.iter().map(|one| Some(place(one.range.start))).collect(),
            configuration: Arc::default(),
        })
    }

    /// A module that a recipe names, in words or as text; nothing where the path names none.
    fn of_file(ground: &Ground, path: &str) -> Option<Result<Shader, Refusal>> {
        let refuse = |message: String| Err((format!("{path}: {message}"), None));
        if path.ends_with(".spvasm") {
            let loader = Loader::new(&ground.documents, &*ground.host, path, ground.configuration());
            return Some(match loader.load(path) {
                Some(text) => Shader::of_assembly(path, &text),
                None => refuse("cannot read the file".to_owned()),
            });
        }
        if !path.ends_with(".spv") {
            return None;
        }
        let Some(bytes) = ground.host.read_bytes(path) else {
            return Some(refuse("cannot read the file".to_owned()));
        };
        Some(match coopmat_spirv::load_bytes(&bytes) {
            Ok(module) => Ok(Shader::Module {
                path: path.to_owned(),
                places: coopmat_recipe::places::of_module(&module).into(),
                module: Arc::new(module),
                configuration: Arc::default(),
            }),
            Err(error) => refuse(error.to_string()),
        })
    }

    pub fn path(&self) -> &str {
        match self {
            Shader::Compiled { analysis, .. } => &analysis.files()[FileId::ROOT].path,
            Shader::Module { path, .. } => path,
        }
    }

    pub fn configuration(&self) -> &Configuration {
        match self {
            Shader::Compiled { analysis, .. } => &analysis.config,
            Shader::Module { configuration, .. } => configuration,
        }
    }

    /// The source of an instruction.
    pub fn place(&self, instruction: u32) -> Option<SourcePlace> {
        match self {
            Shader::Compiled { analysis, compiled } => {
                let place = compiled.map.place(analysis, instruction as usize)?;
                Some(place_of(analysis, place.location))
            }
            Shader::Module { places, .. } => places.get(instruction as usize).cloned().flatten(),
        }
    }

    pub fn module(&self) -> &DrModule {
        match self {
            Shader::Compiled { compiled, .. } => &compiled.module,
            Shader::Module { module, .. } => module,
        }
    }

    /// The text of a place's line, if it is at hand.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn text(&self, place: &SourcePlace) -> Option<String> {
        let Shader::Compiled { analysis, .. } = self else { return None };
        let files = analysis.files();
        let file = &files[files.find(&place.path)?];
        let line = file.text.lines().nth((place.line as usize).checked_sub(1)?)?;
        Some(line.trim().to_owned())
    }

    /// As a plan takes it.
    pub fn given(&self, chosen: &[(ConstantKey, SpecializationValue)]) -> Module<'_> {
        Module {
            module: self.module(),
            configured: recipe_files::written(&self.configuration().specialization),
            chosen: recipe_files::written(chosen),
        }
    }
}

pub fn place_of(analysis: &Analysis, location: FileRange) -> SourcePlace {
    let file = &analysis.files()[location.file];
    let at = file.line_index().line_col(location.range.start());
    SourcePlace { path: file.path.to_string(), line: at.line + 1, column: at.col + 1 }
}

/// The shaders of all dispatches.
pub fn all(ground: &Ground, recipe: &Recipe, files: &OfProject<'_>) -> Result<Vec<Shader>, Refusal> {
    let own = ground.path();
    let several = !recipe.dispatches.is_empty();
    let dispatches = recipe.all_dispatches();
    let mut shaders: Vec<(String, Shader)> = Vec::new();
    for (index, dispatch) in dispatches.iter().enumerate() {
        // The document stands for the recipe's own shader.
        let named =
            dispatch.shader.as_ref().filter(|shader| several && recipe.shader.as_ref() != Some(shader));
        let path = match named {
            Some(shader) => {
                let place = |message: String| (format!("`shader = \"{shader}\"`: {message}"), None);
                files.path_of(shader).map_err(place)?
            }
            None => own.to_owned(),
        };
        let same = |other: &usize| {
            shaders.get(*other).is_some_and(|(known, _)| *known == path)
                && dispatches.get(*other).is_some_and(|other| other.defines == dispatch.defines)
        };
        let shader = match (0..index).find(same).and_then(|same| shaders.get(same)) {
            Some((_, same)) => same.clone(),
            None => compiled(ground, recipe, dispatch, &path)?,
        };
        shaders.push((path, shader));
    }
    Ok(shaders.into_iter().map(|(_, shader)| shader).collect())
}

/// The shader at a path, which may be a module.
fn compiled(ground: &Ground, recipe: &Recipe, dispatch: &Dispatch, path: &str) -> Result<Shader, Refusal> {
    if matches!(ground.own, Own::Text { .. }) && ground.path() == path {
        return ground.shader();
    }
    if let Some(module) = Shader::of_file(ground, path) {
        return module;
    }
    Shader::of(analysis(ground, recipe, dispatch, path)?)
}

/// A shader under what the recipe says about compiling, over the configuration in view; where that is the analysis at hand, that one.
fn analysis(
    ground: &Ground,
    recipe: &Recipe,
    dispatch: &Dispatch,
    path: &str,
) -> Result<Arc<Analysis>, Refusal> {
    let refuse = |message: String| (message, None);
    let shown = ground.configuration();
    if let Some(name) = recipe.config.as_ref().filter(|name| **name != shown.name) {
        return Err(refuse(format!(
            "the recipe is for the configuration `{name}`, but `{}` is in view: show `{name}` first",
            shown.name
        )));
    }
    let mut configuration = shown.clone();
    if let Some(env) = &recipe.target_env {
        configuration.target_env =
            env.parse().map_err(|error| refuse(format!("the recipe's `target-env`: {error}")))?;
    }
    if let Some(device) = recipe.device.as_ref().filter(|device| !device.ends_with(".json")) {
        devices::find(device).map_err(|error| refuse(format!("the recipe's `device`: {error}")))?;
        configuration.device = Some(device.clone());
        configuration.profile = None;
    }
    let defines = dispatch.defines.iter();
    let defines =
        defines.map(|(name, value)| (name.clone(), Some(value.0.clone()).filter(|v| !v.is_empty())));
    project::Settings { defines: defines.collect(), ..Default::default() }.apply(&mut configuration, "");
    if let Own::Analysis(analysis) = &ground.own
        && configuration == *shown
        && ground.path() == path
    {
        return Ok(analysis.clone());
    }
    let loader = Loader::new(&ground.documents, &*ground.host, path, &configuration);
    let text = loader.load(path).ok_or_else(|| refuse(format!("{path} cannot be read")))?;
    Ok(Arc::new(Analyzer::default().analyze(path, text, &configuration, &loader, None)))
}
