//! What `#extension` lines themselves need: a version, and other extensions.

use crate::diagnostics::{Code, codes};
use crate::extensions::{self, Extension};
use crate::hir::{ExtensionBehavior, Profile};
use crate::text::TextSize;

use super::environment::Environment;
use super::prelude::Prelude;

/// A gate that an `#extension` line does not pass.
#[derive(Clone, Debug)]
pub struct GateProblem {
    /// Index into `Prelude::extensions`.
    pub state: usize,
    /// `not-analysed`, `extension-version` or `extension-dependency`.
    pub code: &'static Code,
    /// What is missing, and what to do about it.
    pub message: String,
}

/// The version and dependency gates of each enabled extension, and which of them are not analysed. Compilers are lax about gates, so
/// they are warnings.
pub fn extension_gates(prelude: &Prelude) -> Vec<GateProblem> {
    let mut problems = Vec::new();
    let mut environment = Environment::new(prelude);
    environment.advance(TextSize::new(u32::MAX));
    for (state_index, state) in prelude.extensions.iter().enumerate() {
        let Some(id) = state.extension else { continue };
        if matches!(state.behavior, ExtensionBehavior::Disable) {
            continue;
        }
        let extension = extensions::extension_by_id(id);
        if !extension.analysed {
            let message = format!(
                "not analysed: {}; what depends on it is neither checked nor reported",
                extension.name
            );
            problems.push(GateProblem { state: state_index, code: &codes::NOT_ANALYSED, message });
            continue;
        }
        if let Some(message) = version_problem(extension, prelude) {
            problems.push(GateProblem { state: state_index, code: &codes::EXTENSION_VERSION, message });
        }
        for choice in extension.requires {
            if let Some(first) = choice.first()
                && !choice.iter().any(|&extension| environment.enabled(extension))
            {
                let message = format!(
                    "{} requires {}: add `#extension {} : require`",
                    extension.name,
                    extensions::names_of(choice, " or "),
                    first.name()
                );
                problems.push(GateProblem {
                    state: state_index,
                    code: &codes::EXTENSION_DEPENDENCY,
                    message,
                });
            }
        }
    }
    problems
}

fn version_problem(extension: &Extension, prelude: &Prelude) -> Option<String> {
    let (needed, suffix) = match prelude.profile {
        Profile::Es => (extension.min_es_version, " es"),
        _ => (extension.min_version, ""),
    };
    match needed {
        Some(needed) if prelude.version < needed => Some(format!(
            "{} is written against `#version {needed}{suffix}`, this shader has `#version {}{suffix}`",
            extension.name, prelude.version
        )),
        _ => None,
    }
}
