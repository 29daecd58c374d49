//! `coopmat-rules`: `cargo xtask rules` starts it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Parser;
use coopmat_analysis::Analyzer;
use coopmat_rules::shader::Settings;
use coopmat_rules::suite::Suite;
use coopmat_rules::{broken, fix_table, fixes, hands, judge, probes, table};

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
    /// Instead: apply every preferred quick fix
    #[arg(long)]
    fixes: bool,
    /// With `--fixes`: a folder of valid kernels, which get slips of hands
    #[arg(long)]
    kernels: Option<PathBuf>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let mut suite = broken::suite();
    if let Some(only) = options.only.as_ref().filter(|_| !options.fixes) {
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
    if options.fixes {
        return apply_fixes(&suite, &options);
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

/// How many slips of hands there are.
const SLIPS: usize = 600;

fn apply_fixes(suite: &Suite, options: &Options) -> Result<()> {
    let mut shaders: Vec<fixes::Mistaken<'_>> = suite
        .cases
        .iter()
        .map(|case| fixes::Mistaken {
            class: case.rule,
            id: case.id(),
            text: &case.text,
            settings: case.settings,
        })
        .collect();
    let kernels = options.kernels.as_deref().map(kernels).transpose()?.unwrap_or_default();
    let slips = hands::slips(&kernels, SLIPS);
    shaders.extend(slips.iter().map(|slip| fixes::Mistaken {
        class: slip.class,
        id: "",
        text: &slip.text,
        settings: Settings::default(),
    }));
    if let Some(only) = &options.only {
        shaders.retain(|shader| shader.class.contains(only.as_str()) || shader.id.contains(only.as_str()));
    }
    let report = fixes::report(&shaders);
    if options.only.is_some() {
        for ((class, id), offered) in &report.classes {
            println!("{id}: {class}: {offered:?}");
        }
        for ((class, _), shown) in &report.without {
            println!("nothing is offered for: {class}\n{shown}");
        }
    }
    for text in report.wrong.iter().take(options.show) {
        println!("{text}");
    }
    println!("{} shaders, {} fixes applied, {} wrong", shaders.len(), report.applied, report.wrong.len());
    if options.only.is_none() {
        let classes: Vec<(&str, bool)> = slips.iter().map(|slip| (slip.class, slip.one_answer)).collect();
        fix_table::write(&report, &classes, &options.document, options.check)?;
    }
    if !report.wrong.is_empty() {
        bail!("some fixes do harm");
    }
    Ok(())
}

/// The texts of all compute shaders below a folder.
fn kernels(folder: &Path) -> Result<Vec<String>> {
    let analyzer = Analyzer::default();
    let mut texts = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries =
            fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "comp") {
                let text = fs::read_to_string(&path)?;
                // The slip is to be the only mistake.
                let analysis = judge::analyze(&analyzer, &text, Settings::default());
                if judge::said(&analysis).is_empty() {
                    texts.push(text);
                }
            }
        }
    }
    Ok(texts)
}
