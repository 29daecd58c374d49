//! Chapters that are made of data. Each stands for a file of the repository, which links in Markdown lead to.

mod command_line;
mod devices;
mod diagnostics;
mod extensions;
mod schema;

use std::path::PathBuf;

use anyhow::Result;

use crate::chapters::Book;
use crate::untested;

/// What generators need beside the crates' own data.
pub struct Sources {
    /// The program whose command line is described.
    pub program: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    Diagnostics,
    Diagnostic,
    Extensions,
    Extension,
    Devices,
    Device,
    Settings,
    Recipe,
    ProjectFile,
    CommandLine,
    Untested,
}

/// What makes a chapter of a file or folder.
pub fn generator(source: &str) -> Option<Generator> {
    Some(match source {
        "analysis/diagnostics/" => Generator::Diagnostics,
        "analysis/extensions/" => Generator::Extensions,
        "analysis/devices/" => Generator::Devices,
        "lsp/core/settings.schema.json" => Generator::Settings,
        "recipe/run-recipe.schema.json" => Generator::Recipe,
        "analysis/schema/coopmat-analyzer.schema.json" => Generator::ProjectFile,
        "lsp/src/arguments.rs" => Generator::CommandLine,
        "xtask/book/src/untested.rs" => Generator::Untested,
        _ => return None,
    })
}

impl Generator {
    /// The chapters below one, of the files of its folder: titles and sources.
    pub fn below(self) -> Vec<(String, String, Generator)> {
        let (below, each) = match self {
            Generator::Diagnostics => (diagnostics::below(), Generator::Diagnostic),
            Generator::Extensions => (extensions::below(), Generator::Extension),
            Generator::Devices => (devices::below(), Generator::Device),
            _ => return Vec::new(),
        };
        below.into_iter().map(|(title, source)| (title, source, each)).collect()
    }

    /// The file below mdBook's `src`.
    pub fn destination(self, source: &str) -> String {
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or(source);
        let name = name.split('.').next().unwrap_or(name);
        match self {
            Generator::Diagnostics => "diagnostics/index.md".to_owned(),
            Generator::Diagnostic => format!("diagnostics/{name}.md"),
            Generator::Extensions => "extensions/index.md".to_owned(),
            Generator::Extension => format!("extensions/{name}.md"),
            Generator::Devices => "devices/index.md".to_owned(),
            Generator::Device => format!("devices/{name}.md"),
            Generator::Settings => "reference/settings.md".to_owned(),
            Generator::Recipe => "reference/recipe.md".to_owned(),
            Generator::ProjectFile => "reference/project-file.md".to_owned(),
            Generator::CommandLine => "reference/command-line.md".to_owned(),
            Generator::Untested => "reference/untested.md".to_owned(),
        }
    }

    pub fn text(self, source: &str, book: &Book, sources: &Sources) -> Result<String> {
        match self {
            Generator::Diagnostics => Ok(diagnostics::index()),
            Generator::Diagnostic => diagnostics::page(source),
            Generator::Extensions => Ok(extensions::index()),
            Generator::Extension => extensions::page(source),
            Generator::Devices => Ok(devices::index()),
            Generator::Device => devices::page(source),
            Generator::Settings => schema::settings(source),
            Generator::Recipe => schema::recipe(source),
            Generator::ProjectFile => schema::project_file(source),
            Generator::CommandLine => command_line::page(&sources.program),
            Generator::Untested => untested::text(book),
        }
    }
}
