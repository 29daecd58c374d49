//! `coopmat-rules`: `cargo xtask rules` starts it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Parser;
use coopmat_rules::suite::Suite;
use coopmat_rules::{broken, judge, probes, table};

#[derive(Parser)]
struct Options {
    /// The document with the table
    #[arg(long)]
    document: PathBuf,
    /// Only look whether the document is what would be written
    #[arg(long)]
    check: bool,
    /// A command that starts `spirv-val`
    #[arg(long)]
    spirv_val: Option<String>,
    /// Where modules are written for it
    #[arg(long, default_value = "target/rules")]
    folder: PathBuf,
    /// Only shaders whose function, rule or diagnostic contains this
    #[arg(long)]
    only: Option<String>,
    /// How many of the shaders that are wrong are shown
    #[arg(long, default_value_t = 20)]
    show: usize,
    /// Write the shaders to a folder, with a list of what they are, and judge nothing
    #[arg(long)]
    write: Option<PathBuf>,
    /// Print the shaders, not just those that are wrong
    #[arg(long)]
    print: bool,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let mut suite = broken::suite();
    if let Some(only) = &options.only {
        suite.cases.retain(|case| {
            [&case.built_in, case.rule, case.id()].iter().any(|text| text.contains(only.as_str()))
        });
        suite.twins.retain(|twin| twin.built_in.contains(only.as_str()));
    }
    if options.print {
        for case in &suite.cases {
            println!(
                "{}",
                judge::show(&format!("{}: {}", case.built_in, case.rule), &case.text, &case.expected, &[])
            );
        }
    }
    if let Some(folder) = &options.write {
        return write_shaders(&suite, folder);
    }
    let mut answers = Vec::new();
    let mut wrong = judge::judge(&suite);
    if let Some(spirv_val) = &options.spirv_val {
        wrong.extend(judge::validate(&suite, spirv_val, &options.folder)?);
        if options.only.is_none() {
            answers = probes::ask(&suite, spirv_val, &options.folder)?;
        }
    }
    for text in wrong.iter().take(options.show) {
        println!("{text}");
    }
    println!(
        "{} valid shaders, {} with a broken rule, {} wrong",
        suite.twins.len(),
        suite.cases.len(),
        wrong.len()
    );
    if options.only.is_none() {
        let missing = table::not_reached(&suite);
        missing.iter().for_each(|id| println!("no shader breaks the rule of {id}"));
        table::write(&suite, &answers, &options.document, options.check)?;
        if !missing.is_empty() {
            bail!("{} diagnostics are not reached", missing.len());
        }
    }
    if wrong.is_empty() { Ok(()) } else { bail!("{} shaders are not what they should be", wrong.len()) }
}

/// `NUMBER.comp` each, and `list.tsv` with function, rule and diagnostic; `valid` where no rule is broken.
fn write_shaders(suite: &Suite, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let twins = suite.twins.iter().map(|twin| (&twin.built_in, "valid", "", &twin.text));
    let cases = suite.cases.iter().map(|case| (&case.built_in, case.rule, case.id(), &case.text));
    let mut list = String::new();
    for (index, (built_in, rule, id, text)) in twins.chain(cases).enumerate() {
        fs::write(folder.join(format!("{index}.comp")), text)?;
        list.push_str(&format!("{index}\t{built_in}\t{rule}\t{id}\n"));
    }
    fs::write(folder.join("list.tsv"), list)?;
    Ok(())
}
