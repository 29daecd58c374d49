//! ncnn's shaders as ncnn puts them together, and three verdicts about every one: that of `check`, that of our compiler with `spirv-val` behind
//! it - plain, cleaned up, and under the matrix shapes that the device has -, and glslang's.
//!
//! Every disagreement fails: an error of ours where glslang accepts, what passes and becomes no valid module, what glslang rejects and we
//! do not.

mod documented;

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use anyhow::Result;
use coopmat_analysis::Analyzer;
use coopmat_analysis::diagnostics::Severity;
use coopmat_codegen::{Compiled, Values};
use coopmat_corpus::mutants::{Kind, Ours, Theirs, kind};
use coopmat_corpus::ncnn::{Ncnn, Variant};
use coopmat_corpus::tools::{Glslang, Validator};
use rayon::prelude::*;

use crate::common::Common;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    glslang: Glslang,
    #[command(flatten)]
    validator: Validator,
    /// Only every n-th shader
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// A folder for texts and modules; those of disagreements stay
    #[arg(long)]
    folder: PathBuf,
    /// The page that shows a project file for ncnn: under it no shader may have an error
    #[arg(long)]
    page: PathBuf,
}

/// What came of one variant.
struct Outcome {
    ours: Ours,
    theirs: Theirs,
    /// How many modules were valid besides the plain one and the cleaned up one.
    shapes: usize,
}

pub fn run(options: &Options) -> Result<bool> {
    let ncnn = Ncnn::read(&options.common.sources)?;
    let mut chosen: Vec<&Variant> =
        ncnn.variants.iter().filter(|variant| options.common.chosen(&variant.name)).collect();
    chosen = chosen.into_iter().step_by(options.every.max(1)).collect();
    let analyzer = Analyzer::default();
    let outcomes: Vec<Result<Outcome>> =
        chosen.par_iter().map(|variant| judge(options, &ncnn, &analyzer, variant)).collect();

    let mut disagreements: BTreeMap<Kind, Vec<(&Variant, Outcome)>> = BTreeMap::new();
    let (mut accepted, mut refused, mut shapes) = (0, 0, 0);
    for (variant, outcome) in chosen.iter().zip(outcomes) {
        let outcome = outcome?;
        match (&outcome.ours, &outcome.theirs) {
            (Ours::Valid, Theirs::Accepted) => accepted += 1,
            (Ours::Refused { .. }, Theirs::Refused(_)) => refused += 1,
            _ => {}
        }
        shapes += outcome.shapes;
        let text = ncnn.files(variant)?.get(&variant.source).unwrap_or_default();
        if let Some(kind) = kind(&outcome.ours, &outcome.theirs, &text) {
            disagreements.entry(kind).or_default().push((*variant, outcome));
        }
    }
    for (kind, members) in &disagreements {
        println!("{:5}: {kind}", members.len());
        for (variant, outcome) in members.iter().take(options.common.limit.min(4)) {
            println!(
                "      {}\n        ours: {:?}\n        glslang: {:?}",
                variant.name, outcome.ours, outcome.theirs
            );
        }
    }
    println!(
        "{} shaders: {accepted} valid for every judge, plain and cleaned up, {refused} refused by both; {shapes} modules for the matrix shapes \
         of devices; {} kinds of disagreement",
        chosen.len(),
        disagreements.len()
    );
    let page = fs::read_to_string(&options.page)?;
    let documented = documented::check(&options.common.sources.join("ncnn"), &page, &analyzer)?;
    Ok(accepted > 0 && disagreements.is_empty() && documented)
}

fn judge(options: &Options, ncnn: &Ncnn, analyzer: &Analyzer, variant: &Variant) -> Result<Outcome> {
    let folder = options.folder.join(variant.name.replace(' ', "."));
    fs::create_dir_all(&folder)?;
    let files = ncnn.files(variant)?;
    for name in files.names() {
        fs::write(folder.join(name), &*files.get(name).unwrap_or_default())?;
    }
    let module = folder.join("module.spv");
    let theirs =
        match options.glslang.compile(&folder.join(&variant.source), &ncnn.configuration(variant), &module) {
            Ok(()) => Theirs::Accepted,
            Err(error) => Theirs::Refused(error.to_string()),
        };
    let made = catch_unwind(AssertUnwindSafe(|| modules(ncnn, analyzer, variant)));
    let (ours, shapes) = match made {
        Err(_) => (Ours::Panic { message: String::new(), place: String::new() }, 0),
        Ok(Err(ours)) => (*ours, 0),
        Ok(Ok(Modules { modules, warnings })) => {
            let mut ours = Ours::Valid;
            let target = ncnn.configuration(variant).target_env;
            for words in &modules {
                fs::write(&module, coopmat_spirv::to_bytes(words))?;
                if let Some(complaint) = options.validator.complaint(&module, target, true)? {
                    ours = Ours::Invalid { complaint, warnings };
                    break;
                }
            }
            let shapes = if ours == Ours::Valid { modules.len() - 2 } else { 0 };
            (ours, shapes)
        }
    };
    let text = files.get(&variant.source).unwrap_or_default();
    if kind(&ours, &theirs, &text).is_none() {
        fs::remove_dir_all(&folder)?;
    }
    Ok(Outcome { ours, theirs, shapes })
}

struct Modules {
    /// Plain, cleaned up, and cleaned up for each shape.
    modules: Vec<Vec<u32>>,
    warnings: Vec<&'static str>,
}

fn modules(ncnn: &Ncnn, analyzer: &Analyzer, variant: &Variant) -> Result<Modules, Box<Ours>> {
    let not_compiled = |message: String| Box::new(Ours::NotCompiled { message, told: false });
    let files = ncnn.files(variant).map_err(|error| not_compiled(error.to_string()))?;
    let text = files.get(&variant.source).unwrap_or_default();
    let configuration = ncnn.configuration(variant);
    let mut analysis = analyzer.analyze(&variant.source, text, &configuration, &files, None);
    coopmat_codegen::device::add_diagnostics(&mut analysis);
    let of = |severity| analysis.all_diagnostics().filter(move |found| found.severity == severity);
    if let Some(error) = of(Severity::Error).next() {
        return Err(Box::new(Ours::Refused { id: error.code.id, message: error.message.clone() }));
    }
    let mut warnings: Vec<&'static str> = of(Severity::Warning).map(|found| found.code.id).collect();
    warnings.sort_unstable();
    warnings.dedup();
    let compiled =
        coopmat_codegen::compile(&analysis, &coopmat_codegen::Options::default()).map_err(|errors| {
            not_compiled(errors.first().map(|error| error.message.clone()).unwrap_or_default())
        })?;
    let optimised = coopmat_codegen::optimise(compiled.clone());
    let shaped = ncnn.shapes(variant).into_iter().map(|shape| specialized(compiled.clone(), shape));
    let all = [Ok(compiled.clone()), Ok(optimised)].into_iter().chain(shaped);
    let words =
        all.map(|compiled| coopmat_spirv::assemble(&compiled?.module).map_err(|error| error.to_string()));
    Ok(Modules { modules: words.collect::<Result<_, String>>().map_err(not_compiled)?, warnings })
}

/// The module for matrices of one shape, cleaned up. ncnn's shaders call their sizes `M`, `N` and `K`.
fn specialized(compiled: Compiled, shape: [u32; 3]) -> Result<Compiled, String> {
    let constants = coopmat_spirv::specialization_constants(&compiled.module);
    let value = |name: &str| ["M", "N", "K"].iter().position(|known| *known == name).map(|at| shape[at]);
    let given = constants
        .iter()
        .filter_map(|constant| Some((constant.spec_id, u64::from(value(constant.name.as_deref()?)?))))
        .collect();
    let values = Values { given, defaults: true };
    let specialized = coopmat_codegen::specialize(compiled, &values).map_err(|error| error.to_string())?;
    Ok(coopmat_codegen::optimise(specialized))
}
