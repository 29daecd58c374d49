//! What of a shader is not compiled: collected while it is compiled, each construct once, and told as diagnostics by whoever shows those.
//!
//! A refusal does not end anything: the expression gets an undefined value, so that the rest of the shader is looked at, too. What such a value
//! would lead to is not told: a variable whose declaration is refused is refused in silence from then on, and what looks like a mistake of
//! this program is told only where nothing else is.

use coopmat_analysis::Analysis;
use coopmat_analysis::diagnostics::{Diagnostic, Related, codes};
use coopmat_analysis::text::{FileRange, TextRange};
use coopmat_analysis::{Later, Told, told_with};

use crate::kept::kept;
use crate::options::{CompileError, error_of};

/// No more constructs than these are told of one shader.
pub(crate) const MAX_REFUSALS: usize = 64;
/// No more places than these of one construct.
const MAX_PLACES: usize = 8;

/// Why there will be no module.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    told: Vec<CompileError>,
    /// What should not happen, by the first place where it did.
    internal: Option<CompileError>,
    /// Whether what is attempted may fail without a word.
    pub quiet: bool,
    /// What is refused now is refused here, whatever instruction it is for: a member of a structure.
    pub place: Option<TextRange>,
}

impl Refusals {
    pub fn is_empty(&self) -> bool {
        self.told.is_empty() && self.internal.is_none()
    }

    /// Adds a construct, or another place of one that is known.
    pub fn add(&mut self, message: String, location: FileRange) {
        if self.quiet {
            return;
        }
        if let Some(known) = self.told.iter_mut().find(|known| known.message == message) {
            let is_new = known.location != location && !known.also.contains(&location);
            if is_new && known.also.len() + 1 < MAX_PLACES {
                known.also.push(location);
            }
        } else if self.told.len() < MAX_REFUSALS {
            self.told.push(CompileError { message, location, also: Vec::new() });
        }
    }

    pub fn add_internal(&mut self, what: &str, location: FileRange) {
        if !self.quiet {
            self.internal.get_or_insert_with(|| CompileError::internal(what, location));
        }
    }

    /// All of them, in the order in which they were met.
    pub fn into_errors(self) -> Vec<CompileError> {
        if self.told.is_empty() { self.internal.into_iter().collect() } else { self.told }
    }
}

/// What of a shader is not compiled, compiled now unless it was before. Nothing where the shader has errors or was not analysed whole, or is no
/// shader: a header has no `main`.
pub fn not_compiled(analysis: &Analysis) -> Vec<Diagnostic> {
    let has_main = analysis.module.functions.iter().any(|(_, function)| function.name == "main");
    if analysis.tree.is_none() || !has_main || error_of(analysis).is_some() {
        return Vec::new();
    }
    let kept = kept(analysis);
    kept.refusals().iter().map(diagnostic).collect()
}

fn diagnostic(error: &CompileError) -> Diagnostic {
    let related = |&location: &FileRange| Related { location, message: "and here".to_owned() };
    Diagnostic {
        code: &codes::NOT_COMPILED,
        severity: codes::NOT_COMPILED.severity,
        message: format!("this shader cannot be compiled to SPIR-V: {}", error.message),
        location: error.location,
        related: error.also.iter().map(related).collect(),
    }
}

/// What is told about an analysis, with what of the shader is not compiled.
pub fn told(analysis: &Analysis) -> Told {
    told_with(analysis, Later::Known(not_compiled(analysis)))
}
