//! Under how many of the configurations of a project file that was just made shaders have errors.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use coopmat_analysis::Analyzer;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::import::{Imported, Written};
use coopmat_analysis::project::Project;
use coopmat_server::reach;
use rayon::prelude::*;

use super::found::{count, counted};
use crate::check;
use crate::configurations::readable;
use crate::disk::{self, Disk};
use crate::program::STACK;

#[derive(Default)]
pub struct Verdict {
    /// Shaders that are not there, so that nothing was looked at.
    missing: Vec<String>,
    /// Shader, configuration, the first error, how many more there are.
    wrong: Vec<(String, String, String, usize)>,
    /// What kept shaders from being looked at.
    failed: Vec<String>,
}

/// Looks at each shader that the imports name under each of its configurations. `text`: of the project file, `folder`: where it stands.
pub fn judge(text: &str, folder: &str, imports: &[Imported], allowed: &[String]) -> Verdict {
    let mut verdict = Verdict::default();
    let project = match Project::parse(text, folder) {
        Ok(project) => project,
        Err(errors) => {
            verdict.failed = errors.into_iter().map(|error| error.message).collect();
            return verdict;
        }
    };
    let sources: BTreeSet<&str> =
        imports.iter().flat_map(|one| one.variants()).map(|variant| variant.source.as_str()).collect();
    let mut tasks: Vec<(String, Arc<Configuration>)> = Vec::new();
    for source in sources {
        if !Path::new(source).is_file() {
            verdict.missing.push(shown(source, folder));
            continue;
        }
        if shown(source, folder) == source {
            let why = "is outside the project file's folder, so the file does not apply to it: write the file above the shaders (-o)";
            verdict.failed.push(format!("{source} {why}"));
            continue;
        }
        let folders = readable(source, Some(folder), Vec::new(), allowed.to_vec());
        for mut configuration in project.configurations(source).list {
            // The include folders are the words of whoever built: of a call that was noted, or of a log that the user named.
            let mut folders = folders.clone().unwrap_or_else(|| vec![reach::EVERYWHERE.to_owned()]);
            folders.extend(configuration.include_dirs.iter().cloned());
            configuration.readable = reach::readable(folders, &disk::OnDisk).map(Arc::from);
            tasks.push((source.to_owned(), Arc::new(configuration)));
        }
    }
    let (disk, analyzer) = (Disk::default(), Analyzer::default());
    let look = |(path, configuration): &(String, Arc<Configuration>)| {
        let name = configuration.name.clone();
        (path.clone(), name, check::errors(path, configuration.clone(), &analyzer, &disk))
    };
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
    let looked: Vec<_> = match pool {
        Ok(pool) => pool.install(|| tasks.par_iter().map(look).collect()),
        Err(error) => {
            verdict.failed.push(format!("cannot start threads: {error}"));
            return verdict;
        }
    };
    for (path, name, result) in looked {
        match result {
            Ok(errors) => {
                if let Some(first) = errors.first() {
                    let more = errors.len() - 1;
                    verdict.wrong.push((shown(&path, folder), name, shown(first, folder), more));
                }
            }
            Err(message) => verdict.failed.push(message),
        }
    }
    verdict
}

/// A path, or a line that begins with one, from the folder.
fn shown(path: &str, folder: &str) -> String {
    path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path).to_owned()
}

/// Lines about single shaders; the rest are counted.
const SHOWN: usize = 5;

impl Verdict {
    /// Tells it line by line; the last one has all counts.
    pub fn tell(&self, written: &Written, mut line: impl FnMut(&str)) {
        self.failed.iter().take(SHOWN).for_each(|message| line(message));
        for path in self.missing.iter().take(SHOWN) {
            line(&format!("{path} does not exist and was not checked"));
        }
        if let more @ 1.. = self.missing.len().saturating_sub(SHOWN) {
            line(&format!("{} more do not exist", count(more, "shader")));
        }
        for (path, name, first, more) in self.wrong.iter().take(SHOWN) {
            let more = match more {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            line(&format!("{path} `{name}`: {first}{more}"));
        }
        if let more @ 1.. = self.wrong.len().saturating_sub(SHOWN) {
            line(&format!(
                "{} more with errors; `coopmat-analyzer check --all-configs` lists them all",
                count(more, "configuration")
            ));
        }
        line(&self.summary(written));
    }

    /// All counts.
    pub fn summary(&self, written: &Written) -> String {
        let unseen = match self.failed.len() + self.missing.len() {
            0 => String::new(),
            unseen => format!(", {unseen} not checked"),
        };
        format!("{}, {} with errors{unseen}", counted(written), self.wrong.len())
    }
}
