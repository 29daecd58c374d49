//! What the preprocessor found out about the whole text, as lowering takes it: version, profile, stage, `#extension` lines.

use crate::config::{Configuration, Stage};
use crate::extensions;
use crate::hir::{ExtensionBehavior, ExtensionState, Profile};
use crate::preprocess::{self, Preprocessed};
use crate::text::FileId;

/// What the preprocessor found out about the whole text.
#[derive(Clone, Debug, Default)]
pub struct Prelude {
    /// The number of the `#version` line; 110 without one.
    pub version: u32,
    /// The profile of the `#version` line.
    pub profile: Profile,
    /// By the name of the file, else by `#pragma shader_stage`, else by the configuration.
    pub stage: Option<Stage>,
    /// Sorted by `from`.
    pub extensions: Vec<ExtensionState>,
}

impl Prelude {
    /// Gathers what was found; what no line of the text says comes from the configuration.
    pub fn new(config: &Configuration, preprocessed: &Preprocessed) -> Prelude {
        let profile = match preprocessed.version.as_ref().map(|version| version.profile) {
            Some(preprocess::Profile::Es) => Profile::Es,
            Some(preprocess::Profile::Compatibility) => Profile::Compatibility,
            _ => Profile::Core,
        };
        let by_path = (!preprocessed.files.is_empty())
            .then(|| Stage::of_path(&preprocessed.files[FileId::ROOT].path))
            .flatten();
        // `#pragma shader_stage(compute)`, as glslc has it.
        let by_pragma = || {
            preprocessed.pragmas.iter().find_map(|pragma| {
                let text = pragma.text.trim().strip_prefix("shader_stage")?.trim();
                Stage::of_pragma(text.strip_prefix('(')?.strip_suffix(')')?.trim())
            })
        };
        let extensions = preprocessed
            .extensions
            .iter()
            .map(|event| ExtensionState {
                from: event.offset,
                extension: extensions::extension(&event.name),
                name: event.name.clone(),
                behavior: match event.behavior {
                    preprocess::Behavior::Require => ExtensionBehavior::Require,
                    preprocess::Behavior::Enable => ExtensionBehavior::Enable,
                    preprocess::Behavior::Warn => ExtensionBehavior::Warn,
                    preprocess::Behavior::Disable => ExtensionBehavior::Disable,
                },
            })
            .collect();
        Prelude {
            // GLSL 4.60, section 3.3: without a `#version` line it is 110.
            version: preprocessed.version.as_ref().map_or(110, |version| version.number),
            profile,
            stage: by_path.or_else(by_pragma).or(config.stage),
            extensions,
        }
    }
}
