//! Imported configurations as the text of a project file.

use std::fmt::Write as _;

use crate::project::{Settings, escape};
use crate::version::Profile;

use super::paths::file_name;
use super::{Imported, Variant};

/// A project file's text, and what did not find room in it.
pub struct Written {
    /// TOML, with a comment as its first line.
    pub text: String,
    /// How many `[[shaders]]` it has.
    pub shaders: usize,
    /// How many configurations these have together.
    pub configurations: usize,
}

/// Writes all configurations, each shader as one `[[shaders]]`, with paths relative to `folder` where they lie in it. What all
/// configurations of a shader have in common stands once.
pub fn project_file(imports: &[Imported], folder: &str, title: &str) -> Written {
    let mut text = format!("# {title}\n");
    let (mut shaders, mut configurations) = (0, 0);
    for imported in imports {
        for of_one in imported.variants.chunk_by(|a, b| a.source == b.source) {
            shaders += 1;
            configurations += of_one.len();
            let unique = |source: &String| {
                imports.iter().all(|other| {
                    other
                        .by_file_name
                        .get(file_name(source))
                        .is_none_or(|sources| sources.iter().all(|other| other == source))
                })
            };
            shader(&mut text, of_one, folder, unique);
        }
    }
    Written { text, shaders, configurations }
}

/// `unique`: no other shader has the file name of this one.
fn shader(text: &mut String, variants: &[Variant], folder: &str, unique: impl Fn(&String) -> bool) {
    let Some(first) = variants.first() else { return };
    let settings = |f: &dyn Fn(&Settings) -> bool| variants.iter().all(|variant| f(&variant.settings));
    let common = &first.settings;
    let source = relative(&first.source, folder);
    let glob = if source != first.source {
        // A glob with a slash in front counts from the project file's folder.
        format!("/{}", escape(&source))
    } else if unique(&first.source) {
        // The import was made elsewhere: the shader is known by its name.
        escape(file_name(&source))
    } else {
        let start = source.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        format!("**/{}", escape(&source[start..]))
    };
    let _ = write!(text, "\n[[shaders]]\nfiles = [{}]\n", quoted(&glob));
    let same = Same {
        target_env: settings(&|one| one.target_env == common.target_env),
        google_include: settings(&|one| one.google_include == common.google_include),
        stage: settings(&|one| one.stage == common.stage),
        version: settings(&|one| one.version == common.version),
        include: settings(&|one| one.include_dirs == common.include_dirs),
    };
    let all = Same { target_env: true, google_include: true, stage: true, version: true, include: true };
    scalars(text, common, &same, folder);
    for variant in variants {
        let _ = write!(text, "\n[[shaders.configurations]]\nname = {}\n", quoted(&variant.name));
        scalars(text, &variant.settings, &all.without(&same), folder);
        if !variant.settings.defines.is_empty() {
            let defines: Vec<_> = variant
                .settings
                .defines
                .iter()
                .map(|(name, value)| match value {
                    Some(value) => quoted(&format!("{name}={value}")),
                    None => quoted(name),
                })
                .collect();
            let _ = writeln!(text, "defines = [{}]", defines.join(", "));
        }
    }
}

/// Which settings are written.
struct Same {
    target_env: bool,
    google_include: bool,
    stage: bool,
    version: bool,
    include: bool,
}

impl Same {
    fn without(&self, other: &Same) -> Same {
        Same {
            target_env: self.target_env && !other.target_env,
            google_include: self.google_include && !other.google_include,
            stage: self.stage && !other.stage,
            version: self.version && !other.version,
            include: self.include && !other.include,
        }
    }
}

fn scalars(text: &mut String, settings: &Settings, which: &Same, folder: &str) {
    if let (true, Some(env)) = (which.target_env, settings.target_env) {
        let _ = writeln!(text, "target-env = \"{env}\"");
    }
    if let (true, Some(on)) = (which.google_include, settings.google_include) {
        let _ = writeln!(text, "google-include = {on}");
    }
    if let (true, Some(stage)) = (which.stage, settings.stage) {
        let _ = writeln!(text, "stage = \"{}\"", stage.extension());
    }
    if let (true, Some(version)) = (which.version, settings.version) {
        let number = version.to_string();
        let number = if version.profile == Profile::None { number } else { quoted(&number) };
        let _ = writeln!(text, "version = {number}");
    }
    if which.include && !settings.include_dirs.is_empty() {
        let folders: Vec<_> =
            settings.include_dirs.iter().map(|path| quoted(&relative(path, folder))).collect();
        let _ = writeln!(text, "include = [{}]", folders.join(", "));
    }
}

/// A path from the folder where it lies in it, else as it is.
fn relative(path: &str, folder: &str) -> String {
    let folder = folder.trim_end_matches('/');
    if path == folder {
        return ".".to_owned();
    }
    if let Some(inside) = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) {
        return inside.to_owned();
    }
    path.to_owned()
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
