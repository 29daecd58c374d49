//! The module that an analysis becomes under the options that nobody has changed: made when something first asks, and kept beside the
//! analysis, since diagnostics, listings, lenses, hovers and the judgement of devices all ask for it.

use std::sync::{Arc, OnceLock};

use coopmat_analysis::Analysis;

use crate::device::Needs;
use crate::options::error_of;
use crate::{CompileError, Compiled, Options, compile};

/// What codegen keeps beside an analysis.
pub(crate) struct Kept {
    module: Result<Arc<Compiled>, Vec<CompileError>>,
    needs: OnceLock<Arc<Needs>>,
}

impl Kept {
    /// Why there is no module.
    pub fn refusals(&self) -> &[CompileError] {
        self.module.as_ref().err().map_or(&[], Vec::as_slice)
    }

    /// `analysis`: the one that it is kept beside.
    pub fn needs(&self, analysis: &Analysis) -> Arc<Needs> {
        self.needs.get_or_init(|| Arc::new(Needs::new(analysis, &self.module))).clone()
    }
}

pub(crate) fn kept(analysis: &Analysis) -> Arc<Kept> {
    analysis.beside.get_or_init(|| Kept {
        module: compile(analysis, &Options::default()).map(Arc::new),
        needs: OnceLock::new(),
    })
}

/// What [`compile`] makes of an analysis under [`Options::default`], compiled at the first call for this analysis.
///
/// # Errors
/// Those of [`compile`].
pub fn compile_once(analysis: &Analysis) -> Result<Arc<Compiled>, Vec<CompileError>> {
    // What a device lacks is found by the module, and makes an error of the analysis then.
    match error_of(analysis) {
        Some(error) => Err(vec![error]),
        None => kept(analysis).module.clone(),
    }
}
