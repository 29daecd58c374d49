//! Extensions: versions, and what each requires by its text.

use std::collections::BTreeSet;

use coopmat_analysis::extensions;

use crate::shader::Shader;
use crate::suite::Suite;
use crate::valid::functions;

/// The extensions that bring matrix functions.
fn names() -> BTreeSet<&'static str> {
    let mut names: BTreeSet<&'static str> = functions()
        .filter(|function| function.rule.is_some_and(|rule| rule.is_of_matrices()))
        .flat_map(|function| function.providers)
        .map(|&id| extensions::extension_by_id(id).name)
        .collect();
    names.extend([
        "GL_NV_integer_cooperative_matrix",
        "GL_NV_cooperative_matrix_decode_vector",
        "GL_EXT_cooperative_matrix_maintenance1",
    ]);
    names
}

pub fn add(suite: &mut Suite) {
    for name in names() {
        let mut shader = Shader::default();
        shader.require(name);
        let twin = suite.twin(name, shader.text(), shader.settings);
        let Some(extension) = extensions::extension(name).map(extensions::extension_by_id) else { continue };
        for choice in extension.requires {
            let Some(&required) = choice.first() else { continue };
            let mut broken = shader.clone();
            broken.extensions.remove(required);
            // Those that another one requires would be missed twice.
            let also = broken.extensions.iter().filter(|&&other| other != name && requires(other, required));
            if also.count() > 0 || enables(extension, required) {
                continue;
            }
            broken.marked_extensions.insert(name);
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
                460 => "450",
                450 => "440",
                _ => continue,
            };
            let mut broken = shader.clone();
            broken.version = lower.to_owned();
            // What it requires may be as new as it is.
            broken.marked_extensions =
                broken.extensions.iter().copied().filter(|other| !older(other, lower)).collect();
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

fn requires(name: &str, required: &str) -> bool {
    extensions::extension(name)
        .map(extensions::extension_by_id)
        .is_some_and(|extension| extension.requires.iter().any(|choice| choice.contains(&required)))
}

fn enables(extension: &extensions::Extension, name: &str) -> bool {
    extension.enables.contains(&name)
}

fn older(name: &str, version: &str) -> bool {
    let version: u32 = version.parse().unwrap_or_default();
    extensions::extension(name)
        .map(extensions::extension_by_id)
        .and_then(|extension| extension.min_version)
        .is_some_and(|lowest| lowest <= version)
}
