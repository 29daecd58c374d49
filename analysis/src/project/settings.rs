//! Settings of configurations: what a project file, a command line, an editor or a build says about them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::{Configuration, ConstantKey, Like, SpecializationValue, Stage, TargetEnv};
use crate::diagnostics::{Code, Unanalysed, codes, find};
use crate::extensions::{all_extensions, is_extension_name};
use crate::preamble::Excerpts;
use crate::preprocess::join_path;
use crate::similar::closest;
use crate::text::TextRange;
use crate::version::LanguageVersion;

/// The project file's name; it stands in the folder that its globs and include folders are relative to.
pub const FILE_NAME: &str = "coopmat-analyzer.toml";

/// What a project file, a command line or an editor says about a configuration; what it leaves out stays as it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// A `None` value defines an empty macro.
    pub defines: Vec<(String, Option<String>)>,
    /// Added behind the folders that are there already.
    pub include_dirs: Vec<String>,
    /// The Vulkan version that is compiled for.
    pub target_env: Option<TargetEnv>,
    /// The name of a device profile.
    pub device: Option<String>,
    /// Invocations, where the device or the pipeline says it.
    pub subgroup_size: Option<u32>,
    /// Whether `#include` needs no `#extension` line, as with glslc.
    pub google_include: Option<bool>,
    /// Whatever the file's name says.
    pub stage: Option<Stage>,
    /// Values of specialization constants.
    pub specialization: Vec<(ConstantKey, SpecializationValue)>,
    /// The compiler whose refusals are told too.
    pub like: Option<Like>,
    /// What may stay unlooked at, added to what is there already; see [`unanalysed_name`].
    pub allow_unanalysed: Vec<String>,
    /// Files that are read before the shader, behind those that are there already.
    pub preamble: Vec<String>,
    /// What is read before the shader and these files: the text of the project file, and where in it.
    pub preamble_text: Option<(Arc<str>, TextRange)>,
    /// Whether the preamble is read before the first line of a shader with a `#version`, rather than behind it.
    pub preamble_at_start: Option<bool>,
    /// The `#version` of files that have none.
    pub version: Option<LanguageVersion>,
}

impl Settings {
    /// Lays the settings over a configuration; relative include folders are joined to `folder`.
    pub fn apply(&self, configuration: &mut Configuration, folder: &str) {
        let mut defines = Definitions::default();
        let before = std::mem::take(&mut configuration.defines);
        for (name, value) in before.into_iter().chain(self.defines.iter().cloned()) {
            defines.set(name, value);
        }
        configuration.defines = defines.into_list();
        configuration.include_dirs.extend(self.include_dirs.iter().map(|path| join_path(folder, path)));
        if let Some(env) = self.target_env {
            configuration.target_env = env;
        }
        if let Some(device) = &self.device {
            configuration.device = Some(device.clone());
        }
        if let Some(size) = self.subgroup_size {
            configuration.subgroup_size = Some(size);
        }
        if let Some(on) = self.google_include {
            configuration.google_include = on;
        }
        if let Some(stage) = self.stage {
            configuration.stage = Some(stage);
        }
        if let Some(like) = self.like {
            configuration.like = Some(like);
        }
        configuration.specialize(&self.specialization);
        configuration.allow_unanalysed.extend(self.allow_unanalysed.iter().cloned());
        let preamble = &mut configuration.preamble;
        preamble.files.extend(self.preamble.iter().map(|path| join_path(folder, path)));
        if let Some((whole, part)) = &self.preamble_text {
            let path = join_path(folder, FILE_NAME);
            preamble.text = Some(match preamble.text.take() {
                Some(before) if *before.path == *path => before.with(whole, *part),
                _ => Excerpts::new(&path, whole, *part),
            });
        }
        if let Some(at_start) = self.preamble_at_start {
            preamble.at_start = at_start;
        }
        if let Some(version) = self.version {
            configuration.version = Some(version);
        }
    }
}

/// Checks a name of what may stay unlooked at: an extension, known or not, or a diagnostic that says so.
///
/// # Errors
/// That it is neither, in a sentence for whoever wrote it.
pub fn unanalysed_name(name: &str) -> Result<String, String> {
    let names = |code: &&Code| matches!(code.unanalysed, Some(Unanalysed::Text | Unanalysed::Check));
    let ids = || codes::ALL.iter().copied().filter(names).map(|code| code.id);
    if is_extension_name(name) || ids().any(|id| id == name) {
        return Ok(name.to_owned());
    }
    if find(name).is_some_and(|code| code.unanalysed == Some(Unanalysed::Extension)) {
        return Err(format!("`{name}` is reported for extensions: give the name of the extension to accept"));
    }
    let wanted = ids().chain(all_extensions().map(|(_, extension)| extension.name));
    Err(match closest(name, wanted) {
        Some(close) => {
            format!("`{name}` is not a reason for which a file is not analysed: did you mean `{close}`?")
        }
        None => format!(
            "`{name}` is not a reason for which a file is not analysed: expected the name of an extension, or one of {}",
            ids().collect::<Vec<_>>().join(", ")
        ),
    })
}

/// `NAME=VALUE`, or `NAME` alone.
pub fn split_define(define: &str) -> (String, Option<String>) {
    match define.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (define.to_owned(), None),
    }
}

/// Macros in the order of their definitions, of which a later one of a name stands for an earlier one.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    /// `None`: it holds no more.
    list: Vec<Option<(String, Option<String>)>>,
    /// By name; sorted, since names that are chosen for it make a hash table slow.
    places: BTreeMap<String, usize>,
}

impl Definitions {
    pub(crate) fn set(&mut self, definition: String, value: Option<String>) {
        if let Some(before) = self.places.insert(macro_name(&definition).to_owned(), self.list.len()) {
            self.list[before] = None;
        }
        self.list.push(Some((definition, value)));
    }

    pub(crate) fn remove(&mut self, definition: &str) {
        if let Some(before) = self.places.remove(macro_name(definition)) {
            self.list[before] = None;
        }
    }

    pub(crate) fn into_list(self) -> Vec<(String, Option<String>)> {
        self.list.into_iter().flatten().collect()
    }
}

/// `MAX` for `MAX(a, b)`.
pub(crate) fn macro_name(definition: &str) -> &str {
    definition.split('(').next().unwrap_or(definition).trim()
}
