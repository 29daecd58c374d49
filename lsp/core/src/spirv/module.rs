//! Compiled modules: made when something first asks, and kept beside the analysis that they are made of.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use coopmat_analysis::Analysis;
use coopmat_analysis::config::TargetEnv;
use coopmat_analysis::diagnostics::Diagnostic;
use coopmat_analysis::text::{FileId, FileRange, TextRange};
use coopmat_codegen::{CompileError, Compiled, DebugInfo, Options, compile, compile_once, specialize_in};

/// Under how many options a text's modules are kept.
const MOST: usize = 8;

/// How a module is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleOptions {
    pub target_env: Option<TargetEnv>,
    pub debug: DebugInfo,
    /// With the clean-up passes.
    pub optimise: bool,
    /// Values of specialization constants by their `constant_id`, which are folded as those are that the configuration gives.
    pub specialization: BTreeMap<u32, String>,
    /// The constants that are not given take their default values, so that none is left.
    pub specialize_defaults: bool,
}

/// A module, and the analysis that its map refers to.
pub struct Module {
    pub analysis: Arc<Analysis>,
    pub compiled: Arc<Compiled>,
}

/// Why there is none.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub message: String,
    pub location: FileRange,
}

pub type Outcome = Result<Arc<Module>, Vec<Refusal>>;

type Slot = (ModuleOptions, Arc<OnceLock<Outcome>>);

/// The modules of one analysis.
#[derive(Default)]
pub struct Modules(Mutex<Vec<Slot>>);

impl Modules {
    fn slot(&self, options: &ModuleOptions) -> Arc<OnceLock<Outcome>> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = slots.iter().position(|(known, _)| known == options) {
            let found = slots.remove(at);
            let slot = found.1.clone();
            slots.push(found);
            return slot;
        }
        if slots.len() >= MOST {
            slots.remove(0);
        }
        let slot: Arc<OnceLock<Outcome>> = Arc::default();
        slots.push((options.clone(), slot.clone()));
        slot
    }

    /// The module of the analysis that these belong to, compiled now unless it was before.
    pub fn of(&self, analysis: &Arc<Analysis>, options: &ModuleOptions) -> Outcome {
        self.slot(options).get_or_init(|| make(analysis, options)).clone()
    }
}

/// Whether there are errors, or what stands for errors where the configuration is a guess.
pub fn has_errors(analysis: &Analysis) -> bool {
    analysis.diagnostics.iter().any(Diagnostic::prevents_module)
}

fn make(analysis: &Arc<Analysis>, options: &ModuleOptions) -> Outcome {
    if has_errors(analysis) {
        let errors = analysis.diagnostics.iter().filter(|one| one.prevents_module());
        let refusal = |one: &Diagnostic| Refusal { message: one.message.clone(), location: one.location };
        return Err(errors.map(refusal).collect());
    }
    let compiled = if *options == ModuleOptions::default() && analysis.config.specialization.is_empty() {
        // Devices are judged by the same module.
        compile_once(analysis).map_err(refusals)?
    } else {
        let wanted = Options { target_env: options.target_env, debug: options.debug, ..Options::default() };
        let compiled = compile(analysis, &wanted).map_err(refusals)?;
        let more = options.specialization.iter().map(|(id, value)| (*id, value.as_str()));
        let compiled = specialize_in(&analysis.config, compiled, more, options.specialize_defaults);
        let compiled = compiled.map_err(|error| {
            let location = FileRange { file: FileId::ROOT, range: TextRange::default() };
            vec![Refusal { message: error.to_string(), location }]
        })?;
        Arc::new(if options.optimise { coopmat_codegen::optimise(compiled) } else { compiled })
    };
    Ok(Arc::new(Module { analysis: analysis.clone(), compiled }))
}

fn refusals(errors: Vec<CompileError>) -> Vec<Refusal> {
    let refusal = |error: CompileError| Refusal { message: error.message, location: error.location };
    errors.into_iter().map(refusal).collect()
}

#[cfg(test)]
mod tests {
    use coopmat_analysis::analyze;
    use coopmat_analysis::config::Configuration;
    use coopmat_analysis::sources::NoFiles;
    use coopmat_codegen::device;

    use super::*;

    fn analysis() -> Arc<Analysis> {
        let text = "#version 450\nlayout(local_size_x = 32) in;\nvoid main() {}\n";
        Arc::new(analyze("once.comp", text.into(), &Configuration::default(), &NoFiles, None))
    }

    #[test]
    fn a_listing_shows_the_module_that_devices_were_asked_about() {
        let analysis = analysis();
        assert!(!device::needs(&analysis).list().is_empty());
        let asked_about = compile_once(&analysis).unwrap();
        let shown = Modules::default().of(&analysis, &ModuleOptions::default()).unwrap();
        assert!(Arc::ptr_eq(&shown.compiled, &asked_about));
    }

    #[test]
    fn other_options_give_a_module_of_their_own() {
        let analysis = analysis();
        let modules = Modules::default();
        let of = |options: &ModuleOptions| modules.of(&analysis, options).unwrap();
        let lines = of(&ModuleOptions { debug: DebugInfo::Lines, ..ModuleOptions::default() });
        let plain = of(&ModuleOptions::default());
        assert!(
            lines.compiled.module.all_inst_iter().count() > plain.compiled.module.all_inst_iter().count()
        );
    }
}
