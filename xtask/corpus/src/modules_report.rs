//! Modules of any compiler through our reader and printer, beside SPIRV-Tools.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use coopmat_corpus::tools::Tools;
use rayon::prelude::*;

#[derive(clap::Args)]
pub struct Options {
    /// The folder of the modules, `*.spv`
    #[arg(long)]
    folder: PathBuf,
    #[command(flatten)]
    tools: Tools,
}

pub fn run(options: &Options) -> Result<bool> {
    let entries =
        fs::read_dir(&options.folder).with_context(|| format!("no folder {}", options.folder.display()))?;
    let mut modules: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    modules.retain(|path| path.extension().is_some_and(|extension| extension == "spv"));
    modules.sort();
    let errors: Vec<String> = modules
        .par_iter()
        .filter_map(|path| {
            let error = options.tools.round_trip(path).err()?;
            Some(format!("{}: {error:#}", path.display()))
        })
        .collect();
    for error in &errors {
        println!("{error}");
    }
    println!("{} modules, {} failed", modules.len(), errors.len());
    Ok(!modules.is_empty() && errors.is_empty())
}
