//! Formats every shader that was downloaded: only blanks may change, and formatting the result may change nothing.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use coopmat_analysis::surface::Surface;
use coopmat_corpus::files::Files;
use coopmat_ide::format::{FormatOptions, apply, format};

use crate::common::Common;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Write the formatted texts into a folder, to look at
    #[arg(long)]
    write: Option<PathBuf>,
}

#[derive(Default)]
struct Count {
    files: usize,
    lines: usize,
    changed: usize,
    damaged: usize,
    failures: Vec<String>,
    time: Duration,
}

pub fn run(options: &Options) -> Result<bool> {
    let mut good = true;
    for (name, folder) in [("llama.cpp", "llama/vulkan-shaders"), ("glslang", "glslang/Test")] {
        let files = Files::read(&options.common.sources.join(folder))?;
        let mut count = Count::default();
        for file in files.names().into_iter().filter(|file| options.common.chosen(file) && is_shader(file)) {
            let Some(text) = files.get(file) else { continue };
            let result = check(file, text, &mut count);
            if let (Some(folder), Some(text)) = (&options.write, result) {
                std::fs::create_dir_all(folder)?;
                std::fs::write(folder.join(file), text)?;
            }
        }
        println!(
            "{name}: {} files, {} lines, {} of them changed, {} files with damaged lines, {} failures, {:.1} ms",
            count.files,
            count.lines,
            count.changed,
            count.damaged,
            count.failures.len(),
            count.time.as_secs_f64() * 1e3
        );
        for failure in count.failures.iter().take(options.common.limit) {
            println!("  {failure}");
        }
        good &= count.failures.is_empty() && count.files > 0;
    }
    Ok(good)
}

/// Headers too; not the outputs and lists that lie between the tests.
fn is_shader(name: &str) -> bool {
    const EXTENSIONS: [&str; 20] = [
        "comp", "vert", "tesc", "tese", "geom", "frag", "task", "mesh", "rgen", "rint", "rahit", "rchit",
        "rmiss", "rcall", "glsl", "h", "inc", "glslh", "hglsl", "vs",
    ];
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

fn check(file: &str, text: std::sync::Arc<str>, count: &mut Count) -> Option<String> {
    let options = FormatOptions::default();
    count.files += 1;
    count.lines += text.lines().count();
    let start = Instant::now();
    let surface = Surface::new(text.clone(), None);
    count.damaged += usize::from(surface.root().is_none_or(|root| root.has_error()));
    let once = format(&surface, &options, None);
    count.time += start.elapsed();
    let Ok(edits) = once else {
        count.failures.push(format!("{file}: the tokens would change"));
        return None;
    };
    let once = apply(&text, &edits);
    count.changed += text.lines().zip(once.lines()).filter(|(before, after)| before != after).count();
    let twice = format(&Surface::new(once.as_str().into(), None), &options, None);
    match twice {
        Ok(edits) if edits.is_empty() => {}
        Ok(edits) => {
            let at = usize::from(edits[0].range.start());
            let line = once[..at].matches('\n').count() + 1;
            count.failures.push(format!("{file}:{line}: a second time changes it again"));
        }
        Err(_) => count.failures.push(format!("{file}: the tokens would change the second time")),
    }
    Some(once)
}
