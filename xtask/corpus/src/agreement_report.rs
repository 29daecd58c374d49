//! Whether all that tells about devices says the same of llama.cpp's shaders: hovers of matrix types and multiply-adds, the table of
//! portability, the lens over it, and the diagnostics of a target device.

use std::collections::{BTreeMap, BTreeSet};

use coopmat_analysis::config::Configuration;
use coopmat_analysis::extensions::{self, Rule};
use coopmat_analysis::hir::{Callee, Definition, ExprKind};
use coopmat_analysis::sources::FileLoader;
use coopmat_analysis::text::{FileId, FilePosition, TextRange};
use coopmat_analysis::types::TypeKind;
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_corpus::files::Files;
use coopmat_corpus::llama::{Llama, Variant};
use coopmat_ide::hover::hover;
use coopmat_ide::lens::lenses;
use coopmat_ide::portability::{self, Row, Verdict};

use crate::common::Common;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Look at every so many-th variant
    #[arg(long, default_value_t = 1)]
    every: usize,
}

/// What a hover says of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    Has,
    Lacks,
    NotKnown,
}

#[derive(Default)]
struct Count {
    shaders: usize,
    hovers: usize,
    devices: usize,
    differences: Vec<String>,
}

pub fn run(options: &Options) -> anyhow::Result<bool> {
    let llama = Llama::read(&options.common.sources)?;
    let analyzer = Analyzer::default();
    let mut count = Count::default();
    let chosen = llama.variants.iter().filter(|variant| options.common.chosen(&variant.name));
    for variant in chosen.step_by(options.every.max(1)) {
        compare(&analyzer, &llama.files, variant, &mut count);
    }
    for difference in count.differences.iter().take(options.common.limit) {
        println!("{difference}");
    }
    println!(
        "{} shaders with matrices, {} hovers, {} verdicts of devices: {} differ",
        count.shaders,
        count.hovers,
        count.devices,
        count.differences.len()
    );
    Ok(count.differences.is_empty() && count.hovers > 0)
}

fn compare(analyzer: &Analyzer, files: &Files, variant: &Variant, count: &mut Count) {
    let Some(text) = files.load(&variant.source) else { return };
    let config = variant.configuration();
    let analysis = analyzer.analyze(&variant.source, text.clone(), &config, files, None);
    if !portability::has_matrices(&analysis.module) {
        return;
    }
    count.shaders += 1;
    let mut differ = |what: String| count.differences.push(format!("{}: {what}", variant.name));
    let table = portability::table(&analysis);
    let over_entry_point = lenses(&analysis, FileId::ROOT);
    let summary = table.summary();
    let in_root = analysis
        .module
        .entry_point()
        .is_some_and(|id| analysis.file_range(analysis.module.functions[id].name_range).file == FileId::ROOT);
    // Where every device refuses the defaults, the lens says that instead.
    let refused = table.accepting() == 0 && table.count(Verdict::RejectsDefaults) > 0;
    let titles = || over_entry_point.iter().filter_map(|lens| lens.title.as_deref());
    if in_root && !refused && !titles().any(|title| title.contains(&summary)) {
        differ(format!("no lens says \"{summary}\""));
    }
    let mut all: BTreeMap<String, BTreeSet<Said>> = BTreeMap::new();
    for place in places(&analysis) {
        let location = analysis.file_range(place);
        let position = FilePosition { file: location.file, offset: location.range.start() };
        let Some(hover) = hover(&analysis, position) else { continue };
        let said = said(&hover.markdown);
        count.hovers += usize::from(!said.is_empty());
        for (device, said) in said {
            all.entry(device).or_default().insert(said);
        }
    }
    for row in &table.rows {
        count.devices += 1;
        let Some(said) = all.get(&row.name) else { continue };
        if let Some(why) = contradiction(row, said) {
            differ(format!("{}: {why}", row.name));
        }
        let on_device = Configuration { device: Some(row.name.clone()), ..config.clone() };
        let mut target = analyzer.analyze(&variant.source, text.clone(), &on_device, files, None);
        coopmat_codegen::device::add_diagnostics(&mut target);
        let told: BTreeSet<&str> = target
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code.id)
            .filter(|id| id.starts_with("device-matrix"))
            .collect();
        let stops: BTreeSet<&str> =
            row.stops.iter().map(|stop| stop.code).filter(|id| id.starts_with("device-matrix")).collect();
        // A profile brings its size of subgroups along, by which other branches may be compiled.
        if told != stops {
            differ(format!("{}: the table has {stops:?}, `--device` {told:?}", row.name));
        }
    }
}

/// What the hovers of all matrices and multiply-adds cannot say where the table says this.
fn contradiction(row: &Row, said: &BTreeSet<Said>) -> Option<String> {
    let stops = |id: &str| row.stops.iter().any(|stop| stop.code == id);
    let has_none = row.stops.iter().any(|stop| stop.message.contains("`cooperativeMatrix`"));
    let of_matrices = stops("device-matrix-type") || stops("device-matrix-muladd") || has_none;
    let lacks = said.contains(&Said::Lacks);
    if lacks != of_matrices {
        return Some(format!("hovers say {said:?}, the table {}", row.verdict.name()));
    }
    (said.contains(&Said::NotKnown) && row.verdict == Verdict::Accepts)
        .then(|| "a hover says that it is not known, the table accepts".to_owned())
}

/// Matrix types and multiply-adds.
fn places(analysis: &Analysis) -> Vec<TextRange> {
    let mut places = Vec::new();
    for (body, base, _) in analysis.module.bodies() {
        for name in &body.names {
            let asked = match name.definition {
                Definition::Type(ty) => matches!(analysis.module.types.kind(ty), TypeKind::Coopmat(_)),
                Definition::BuiltinFunction(id) => {
                    extensions::function(id).rule == Some(Rule::CoopMatMulAdd)
                        && body.exprs.iter().any(|(_, expr)| {
                            matches!(&expr.kind, ExprKind::Call { callee: Callee::Builtin(callee), .. } if *callee == id)
                                && expr.range.start() == name.range.start()
                        })
                }
                _ => false,
            };
            if asked {
                places.push(name.range + base);
            }
        }
    }
    places
}

/// The devices of a hover by what it says of them.
fn said(markdown: &str) -> BTreeMap<String, Said> {
    let mut said = BTreeMap::new();
    for (lead, what) in
        [("- has it: ", Said::Has), ("- lacks it: ", Said::Lacks), ("- not known: ", Said::NotKnown)]
    {
        for line in markdown.lines().filter_map(|line| line.strip_prefix(lead)) {
            let names = line.split('`').skip(1).step_by(2);
            said.extend(names.map(|name| (name.to_owned(), what)));
        }
    }
    said
}
