//! Extensions: versions, and what each requires by its text.

use std::collections::BTreeSet;

use coopmat_analysis::extensions::{self, ExtensionId, ids};

use crate::shader::Shader;
use crate::suite::Suite;
use crate::valid::functions;

/// The extensions that bring matrix functions.
fn of_matrices() -> BTreeSet<ExtensionId> {
    let mut found: BTreeSet<ExtensionId> = functions()
        .filter(|function| function.rule.is_some_and(|rule| rule.is_of_matrices()))
        .flat_map(|function| function.providers)
        .copied()
        .collect();
    found.extend([
        ids::GL_NV_INTEGER_COOPERATIVE_MATRIX,
        ids::GL_NV_COOPERATIVE_MATRIX_DECODE_VECTOR,
        ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1,
    ]);
    found
}

pub fn add(suite: &mut Suite) {
    for id in of_matrices() {
        let mut shader = Shader::default();
        shader.require(id);
        let twin = suite.twin(id.name(), shader.text(), shader.settings);
        let extension = extensions::extension_by_id(id);
        for choice in extension.requires {
            let Some(&required) = choice.first() else { continue };
            let mut broken = shader.clone();
            broken.extensions.remove(&required);
            // Those that another one requires would be missed twice.
            let also = broken.extensions.iter().filter(|&&other| other != id && requires(other, required));
            if also.count() > 0 || extension.enables.contains(&required) {
                continue;
            }
            broken.marked_extensions.insert(id);
            suite.case(
                twin,
                "the extensions that it requires are enabled",
                &["extension-dependency"],
                broken.text(),
                broken.settings,
            );
        }
        if let Some(version) = extension.min_version {
            let lower = match version {
                // Compilers take all of them from 450 on.
                450 | 460 => "440",
                _ => continue,
            };
            let mut broken = shader.clone();
            broken.version = lower.to_owned();
            // What it requires may be as new as it is.
            broken.marked_extensions =
                broken.extensions.iter().copied().filter(|&other| !older(other, lower)).collect();
            suite.case(
                twin,
                "the version that it is written against",
                &["extension-version"],
                broken.text(),
                broken.settings,
            );
        }
    }
}

fn requires(extension: ExtensionId, required: ExtensionId) -> bool {
    extensions::extension_by_id(extension).requires.iter().any(|choice| choice.contains(&required))
}

fn older(extension: ExtensionId, version: &str) -> bool {
    let version: u32 = version.parse().unwrap_or_default();
    extensions::extension_by_id(extension).min_version.is_some_and(|lowest| lowest <= version)
}
