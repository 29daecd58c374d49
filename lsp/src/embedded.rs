//! Shaders in strings of C++ and Rust files, as the command line names them: a file for all that are in it, `FILE#NAME` for one.

use std::path::Path;
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_server::embedded::{LARGEST, Language, Region, may_have, regions, split};

use crate::disk::Disk;
use crate::paths;

/// A shader, and the file that it is in.
pub struct Shader {
    /// `FILE#NAME.STAGE`: what the analysis knows it by.
    pub path: String,
    pub file: Arc<str>,
    /// The whole file.
    pub source: Arc<str>,
    pub region: Region,
}

impl Shader {
    /// The configuration that its macro makes of one of the project file.
    pub fn configured(&self, configuration: Arc<Configuration>) -> Arc<Configuration> {
        if self.region.options.is_empty() {
            return configuration;
        }
        let mut own = (*configuration).clone();
        let is_file = |path: &str| Path::new(path).is_file();
        self.region.options.apply(&mut own, &paths::absolute(&self.file), &is_file);
        Arc::new(own)
    }

    /// `FILE#NAME`: what people know it by.
    pub fn name(&self) -> String {
        format!("{}#{}", self.file, self.region.name)
    }
}

/// The file in which people find a place: of a shader in a string the one around it, which has the same lines and columns.
pub fn file_of(path: &str) -> &str {
    split(path).map_or(path, |(file, _)| file)
}

/// What people know a path by: a shader in a string without its stage.
pub fn known_as(path: &str) -> &str {
    split(path).and_then(|(file, name)| path.get(..file.len() + 1 + name.len())).unwrap_or(path)
}

/// The file that a path names, where that is one of another language, and the name of a shader in it.
fn target(path: &str) -> Option<(&str, Option<&str>)> {
    if let Some((file, name)) = split(path).filter(|_| !Path::new(path).is_file()) {
        return Some((file, Some(name)));
    }
    // A name is still to be said.
    if let Some(file) = path.strip_suffix('#').filter(|_| !Path::new(path).is_file()) {
        return Language::of_path_with_strings(file).map(|_| (file, Some("")));
    }
    Language::of_path_with_strings(path).map(|_| (path, None))
}

/// The shaders that a path names; nothing where it names no file of another language.
///
/// # Errors
/// That cannot read the file, or has no such shader.
pub fn named(path: &str, disk: &Disk) -> Option<Result<Vec<Arc<Shader>>, String>> {
    let (file, name) = target(path)?;
    let source = match disk.named(file) {
        Ok(source) => source,
        Err(message) => return Some(Err(message)),
    };
    let found = of(file, &source);
    if Language::of_path(file).is_none() && found.is_empty() && name.is_none() {
        // A header of shaders.
        return None;
    }
    let Some(name) = name else {
        return Some(match found.is_empty() {
            true if source.len() > LARGEST => Err(format!("{file}: larger than {LARGEST} bytes")),
            true => Err(format!(
                "{file}: no string is marked as GLSL: in C++ write `R\"glsl(...)glsl\"` or put `/* glsl */` before it, in Rust use `glsl!`"
            )),
            false => Ok(found),
        });
    };
    let names: Vec<String> = found.iter().map(|shader| format!("`{}`", shader.region.name)).collect();
    let wanted: Vec<_> = found.into_iter().filter(|shader| shader.region.name == name).collect();
    Some(match (wanted.is_empty(), names.is_empty()) {
        (false, _) => Ok(wanted),
        (true, true) => Err(format!("{file}: no string is marked as GLSL")),
        (true, false) if name.is_empty() => {
            Err(format!("{path}: expected the name of a shader after `#`: {}", names.join(", ")))
        }
        (true, false) => Err(format!("{file}: there is no shader `{name}`; expected {}", names.join(", "))),
    })
}

/// The shaders of a file.
pub fn of(file: &str, source: &Arc<str>) -> Vec<Arc<Shader>> {
    let Some(language) = Language::of_path_with_strings(file).filter(|_| may_have(source)) else {
        return Vec::new();
    };
    let path: Arc<str> = file.into();
    let shader = |region: Region| {
        let path_of_shader = region.path(file);
        Arc::new(Shader { path: path_of_shader, file: path.clone(), source: source.clone(), region })
    };
    regions(language, source).into_iter().map(shader).collect()
}

/// The one shader that a path names, for what takes one at a time.
pub fn one(path: &str, disk: &Disk) -> Option<Result<Arc<Shader>, String>> {
    let found = match named(path, disk)? {
        Ok(found) => found,
        Err(message) => return Some(Err(message)),
    };
    Some(match <[_; 1]>::try_from(found) {
        Ok([shader]) => Ok(shader),
        Err(found) => {
            let names: Vec<String> = found.iter().map(|shader| shader.name()).collect();
            Err(format!("{path} has {} shaders, name one of them: {}", names.len(), names.join(", ")))
        }
    })
}

/// Whether a path names a file of another language or a shader in one.
pub fn is_meant(path: &str) -> bool {
    target(path).is_some_and(|(file, _)| Language::of_path(file).is_some())
}
