//! What `#extension` lines themselves need: a version, and other extensions.

use crate::config::Stage;
use crate::diagnostics::{Code, codes};
use crate::extensions::{self, Extension, ids};
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
        if !extension.is_analysed_in(prelude.stage) {
            let message = not_analysed(extension);
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
                    match choice {
                        [first, _, _, ..] => format!("{} or a part of it", first.name()),
                        few => extensions::names_of(few, " or "),
                    },
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

/// What is told of an extension that is recognised and no more. It begins with the name, by which somebody accepts that.
pub fn not_analysed(extension: &Extension) -> String {
    format!("{} is not analysed: what it adds is not checked", extension.name)
}

/// What is wrong with the version of a shader that is to be compiled as a whole: GLSL 4.60, section 3.3, and compute shaders came with
/// version 430, or 420 with GL_ARB_compute_shader; the first of GLSL ES that Vulkan takes has them.
pub fn version_gate(prelude: &Prelude, stated: bool) -> Option<String> {
    if prelude.stage != Some(Stage::Compute) || prelude.profile == Profile::Es {
        return None;
    }
    let mut environment = Environment::new(prelude);
    environment.advance(TextSize::new(u32::MAX));
    let needed = if environment.named(ids::GL_ARB_COMPUTE_SHADER) { 420 } else { 430 };
    if prelude.version >= needed {
        return None;
    }
    Some(if stated {
        format!("compute shaders need `#version 430` or later, but this shader has {}", prelude.version)
    } else {
        "there is no `#version` line, so the version is 110, but compute shaders need 430: begin with `#version 460`".to_owned()
    })
}

fn version_problem(extension: &Extension, prelude: &Prelude) -> Option<String> {
    let (needed, suffix) = match prelude.profile {
        Profile::Es => (extension.min_es_version, " es"),
        _ => (extension.min_version, ""),
    };
    // Texts are written against the version of their day, 4.60; compilers take them from 450 on.
    match needed {
        Some(needed) if prelude.version < needed.min(450) => Some(format!(
            "{} is written against `#version {needed}{suffix}`, but this shader has `#version {}{suffix}`",
            extension.name, prelude.version
        )),
        _ => None,
    }
}
