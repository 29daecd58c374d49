//! `cargo xtask fuzz`: the driver of the targets that needs nothing but the stable compiler.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser;
use coopmat_fuzz::driver::{self, Options, Outcome};
use coopmat_fuzz::seeds::{Seeds, root};
use coopmat_fuzz::target::Target;
use coopmat_fuzz::targets::{self, TARGETS};
use coopmat_fuzz::watchdog::Watchdog;

#[derive(Parser)]
#[command(about = "Feeds damaged shaders, modules, messages and files to every part")]
struct Arguments {
    /// Only this target; several are separated by commas
    #[arg(long, value_delimiter = ',')]
    target: Vec<String>,
    /// Seconds for each target
    #[arg(long, default_value_t = 20)]
    time: u64,
    /// At most so many inputs for each target
    #[arg(long, default_value_t = u64::MAX)]
    runs: u64,
    /// The same seed gives the same inputs
    #[arg(long)]
    seed: Option<u64>,
    /// Run this input, or those of a folder, instead of new ones (with one target)
    #[arg(long)]
    replay: Option<PathBuf>,
    /// Make the input of `--replay` smaller and write it beside
    #[arg(long, requires = "replay")]
    smaller: bool,
    /// Where failing inputs are written
    #[arg(long, default_value = "target/fuzz/failures")]
    folder: PathBuf,
    /// The command that starts spirv-val
    #[arg(long)]
    spirv_val: Option<String>,
    /// Seconds after which an input counts as a hang
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Print each input's number before it runs
    #[arg(long)]
    verbose: bool,
    /// Write some inputs into a folder instead of running them (with one target)
    #[arg(long)]
    write: Option<PathBuf>,
    /// List the targets
    #[arg(long)]
    list: bool,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if arguments.list {
        for target in TARGETS {
            println!("{:<14} {}", target.name, target.about);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = if arguments.target.is_empty() {
        TARGETS.iter().collect()
    } else {
        let known = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
        let find = |name: &String| {
            targets::find(name).with_context(|| format!("there is no target `{name}`: choose of {}", known()))
        };
        arguments.target.iter().map(find).collect::<Result<Vec<_>>>()?
    };
    let seed = arguments.seed.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |now| now.as_secs())
    });
    let limit = Duration::from_secs(arguments.limit.max(1));
    // Replayed inputs leave modules for the validator there as well.
    std::fs::create_dir_all(&arguments.folder)
        .with_context(|| format!("cannot make {}", arguments.folder.display()))?;
    let options = Options {
        seed,
        time: Duration::from_secs(arguments.time),
        runs: arguments.runs,
        watchdog: Watchdog::start(limit, arguments.folder.clone()),
        folder: arguments.folder,
        validator: arguments.spirv_val,
        verbose: arguments.verbose,
    };
    if let Some(path) = &arguments.replay {
        let [target] = chosen[..] else { bail!("--replay needs one --target") };
        return replay(target, &options, path, arguments.smaller);
    }
    if let Some(folder) = &arguments.write {
        let [target] = chosen[..] else { bail!("--write needs one --target") };
        return driver::write(target, &options, folder).map(|()| ExitCode::SUCCESS);
    }
    // What failed once comes first.
    let mut failed = 0;
    for target in &chosen {
        let kept = root().join("xtask/fuzz/regressions").join(target.name);
        let (count, failures) = driver::replay(target, &options, &kept)?;
        for (failure, path) in &failures {
            println!("{}: {} ({})", path.display(), failure.words(), failure.place);
        }
        if count > 0 {
            println!("{}: {count} inputs that failed once, {} fail", target.name, failures.len());
        }
        failed += failures.len();
    }
    println!("seed {seed}; {}", Seeds::shared().describe());
    for target in chosen {
        let outcome = driver::run(target, &options)?;
        print(target, &outcome);
        failed += outcome.failures.len();
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(target: &Target, outcome: &Outcome) {
    let modules = match outcome.modules {
        0 => String::new(),
        modules => format!(", {modules} modules validated"),
    };
    println!(
        "{:<14} {:>8} inputs in {:>6.1} s, slowest {} ms{modules}, {} kinds of failures, {} more of them",
        target.name,
        outcome.runs,
        outcome.time.as_secs_f64(),
        outcome.slowest,
        outcome.failures.len(),
        outcome.again
    );
}

fn replay(
    target: &'static Target,
    options: &Options,
    path: &std::path::Path,
    smaller: bool,
) -> Result<ExitCode> {
    let (count, failures) = driver::replay(target, options, path)?;
    if count == 0 {
        bail!("there is no file {}", path.display());
    }
    for (failure, path) in &failures {
        println!("{}: {} ({})", path.display(), failure.words(), failure.place);
        if smaller {
            let input = std::fs::read(path)?;
            let small = driver::smaller(target, options, failure, &input);
            let beside = path.with_extension("small");
            std::fs::write(&beside, &small)?;
            println!("  {} bytes of {} are enough: {}", small.len(), input.len(), beside.display());
        }
    }
    println!("{count} inputs, {} fail", failures.len());
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
