//! ncnn's shaders as they lie there, under the project file that the docs show: no shader has an error or a warning.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::project::Project;
use coopmat_analysis::sources::FileLoader;
use coopmat_analysis::{Analyzer, told};
use coopmat_corpus::ncnn::HEADER;
use rayon::prelude::*;

const FOLDER: &str = "/ncnn";

/// The package's folder as the project's.
struct Package<'p>(&'p Path);

impl FileLoader for Package<'_> {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        let inside = path.strip_prefix(FOLDER)?.strip_prefix('/')?;
        fs::read_to_string(self.0.join(inside)).ok().map(Arc::from)
    }
}

/// Whether the project file of the page leaves nothing wrong.
pub fn check(package: &Path, page: &str, analyzer: &Analyzer) -> Result<bool> {
    let blocks = page.split("```toml project\n").skip(1).filter_map(|rest| rest.split("```").next());
    let text = blocks.into_iter().find(|block| block.contains("ncnn_glsl_ext.comp"));
    let text = text.context("the page shows no project file for ncnn")?;
    let project = match Project::parse(text, FOLDER) {
        Ok(project) => project,
        Err(errors) => bail!("the project file of the page: {errors:?}"),
    };
    let shaders = Path::new("layer/vulkan/shader");
    let names = fs::read_dir(package.join(shaders))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<String>>>()?;
    let names: Vec<_> = names.into_iter().filter(|name| name.ends_with(".comp") && *name != HEADER).collect();
    let found: Vec<Vec<String>> = names
        .par_iter()
        .map(|name| {
            let path = format!("{FOLDER}/{}/{name}", shaders.display());
            let Some(text) = Package(package).load(&path) else {
                return vec![format!("{name}: cannot be read")];
            };
            let under = |configuration| {
                let analysis = analyzer.analyze(&path, text.clone(), configuration, &Package(package), None);
                let told = told(&analysis).diagnostics.into_iter();
                let wrong = told.filter(|one| one.severity <= Severity::Warning);
                wrong
                    .map(|one| format!("{name} `{}`: {}", configuration.name, one.message))
                    .collect::<Vec<_>>()
            };
            project.configurations(&path).list.iter().flat_map(under).collect()
        })
        .collect();
    let found: Vec<&String> = found.iter().flatten().collect();
    found.iter().take(10).for_each(|line| println!("      {line}"));
    println!(
        "{} shaders under the documented project file: {} errors and warnings",
        names.len(),
        found.len()
    );
    Ok(!names.is_empty() && found.is_empty())
}
