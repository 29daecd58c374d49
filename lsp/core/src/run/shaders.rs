//! The shader of each dispatch of a recipe, compiled in the configuration in view.

use std::sync::Arc;

use coopmat_analysis::sources::FileLoader as _;
use coopmat_analysis::text::{FileId, FileRange};
use coopmat_analysis::{Analysis, Analyzer, devices, project};
use coopmat_codegen::{Compiled, compile_once};
use coopmat_recipe::model::Dispatch;
use coopmat_recipe::report::SourcePlace;
use coopmat_recipe::{Module, Recipe};

use super::OfProject;
use crate::documents::Loader;
use crate::recipe_files;
use crate::snapshot::Snapshot;

/// A shader that compiles.
#[derive(Clone)]
pub struct Shader {
    pub analysis: Arc<Analysis>,
    compiled: Arc<Compiled>,
}

/// Why a shader does not compile, and where.
pub type Refusal = (String, Option<SourcePlace>);

impl Shader {
    /// The shader of an analysis.
    fn of(analysis: Arc<Analysis>) -> Result<Shader, Refusal> {
        match compile_once(&analysis) {
            Ok(compiled) => Ok(Shader { analysis, compiled }),
            Err(errors) => {
                let first = errors.first();
                let message = first.map_or("the shader does not compile", |error| error.message.as_str());
                Err((message.to_owned(), first.map(|error| place_of(&analysis, error.location))))
            }
        }
    }

    pub fn path(&self) -> &str {
        &self.analysis.files()[FileId::ROOT].path
    }

    /// The source of an instruction.
    pub fn place(&self, instruction: u32) -> Option<SourcePlace> {
        let place = self.compiled.map.place(&self.analysis, instruction as usize)?;
        Some(place_of(&self.analysis, place.location))
    }

    /// As a plan takes it.
    pub fn given(&self, snapshot: &Snapshot) -> Module<'_> {
        Module {
            module: &self.compiled.module,
            configured: recipe_files::written(&self.analysis.config.specialization),
            chosen: recipe_files::written(&snapshot.specialization),
        }
    }
}

pub fn place_of(analysis: &Analysis, location: FileRange) -> SourcePlace {
    let file = &analysis.files()[location.file];
    let at = file.line_index().line_col(location.range.start());
    SourcePlace { path: file.path.to_string(), line: at.line + 1, column: at.col + 1 }
}

/// The shaders of all dispatches.
pub fn all(snapshot: &Snapshot, recipe: &Recipe, files: &OfProject<'_>) -> Result<Vec<Shader>, Refusal> {
    let own = &snapshot.analysis.files()[FileId::ROOT].path;
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
            None => own.to_string(),
        };
        let same = |other: &usize| {
            shaders.get(*other).is_some_and(|(known, _)| *known == path)
                && dispatches.get(*other).is_some_and(|other| other.defines == dispatch.defines)
        };
        let shader = match (0..index).find(same).and_then(|same| shaders.get(same)) {
            Some((_, same)) => same.clone(),
            None => Shader::of(analysis(snapshot, recipe, dispatch, &path)?)?,
        };
        shaders.push((path, shader));
    }
    Ok(shaders.into_iter().map(|(_, shader)| shader).collect())
}

/// A shader under what the recipe says about compiling, over the configuration in view; where that is the analysis at hand, that one.
fn analysis(
    snapshot: &Snapshot,
    recipe: &Recipe,
    dispatch: &Dispatch,
    path: &str,
) -> Result<Arc<Analysis>, Refusal> {
    let refuse = |message: String| (message, None);
    let shown = &snapshot.analysis.config;
    if let Some(name) = recipe.config.as_ref().filter(|name| **name != shown.name) {
        return Err(refuse(format!(
            "the recipe is for the configuration `{name}`, but `{}` is in view: show `{name}` first",
            shown.name
        )));
    }
    let mut configuration = (*shown).clone();
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
    let root = &snapshot.analysis.files()[FileId::ROOT];
    if configuration == *shown && *root.path == *path {
        return Ok(snapshot.analysis.clone());
    }
    let loader = Loader::new(&snapshot.documents, &*snapshot.host, path, &configuration);
    let text = loader.load(path).ok_or_else(|| refuse(format!("{path} cannot be read")))?;
    Ok(Arc::new(Analyzer::default().analyze(path, text, &configuration, &loader, None)))
}
