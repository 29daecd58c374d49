//! What the macro around a shader says of how it is compiled: `define` and `include` of vulkano's `shader!`.

use coopmat_analysis::config::Configuration;
use coopmat_analysis::preprocess::join_path;

use crate::paths;

/// In the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Macros with their values.
    pub defines: Vec<(String, String)>,
    /// Folders for `#include <...>`; relative to the folder of `Cargo.toml`.
    pub include: Vec<String>,
}

impl Options {
    /// Whether they say nothing.
    pub fn is_empty(&self) -> bool {
        self.defines.is_empty() && self.include.is_empty()
    }

    /// Adds them to the configuration of a shader in `file`; what the project file defines stays. Nothing is guessed then: the macro is the build.
    pub fn apply(&self, configuration: &mut Configuration, file: &str, is_file: &dyn Fn(&str) -> bool) {
        if self.is_empty() {
            return;
        }
        let own = self.defines.iter();
        let known = |name: &str| configuration.defines.iter().any(|(defined, _)| defined == name);
        let new: Vec<_> = own.filter(|(name, _)| !known(name)).collect();
        configuration
            .defines
            .extend(new.into_iter().map(|(name, value)| (name.clone(), Some(value.clone()))));
        let mut folders = std::iter::successors(paths::parent(file), |folder| paths::parent(folder));
        let package = folders.find(|folder| is_file(&format!("{folder}/Cargo.toml")));
        let base = package.or_else(|| paths::parent(file)).unwrap_or_default();
        configuration.include_dirs.extend(self.include.iter().map(|folder| join_path(base, folder)));
        configuration.guessed = false;
    }
}
