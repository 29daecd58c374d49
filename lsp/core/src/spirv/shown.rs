//! Which module is shown: that of the current text, or an older one while the text cannot be compiled.

use std::sync::Arc;

use coopmat_analysis::Analysis;

use super::module::{Module, ModuleOptions, Refusal};
use crate::engine::Checked;
use crate::snapshot::Snapshot;

/// What is shown in place of a module of the current text.
#[derive(Clone, Debug)]
pub struct Stale {
    /// Why the current text has none.
    pub errors: Vec<Refusal>,
    /// The texts that the errors are in.
    pub analysis: Arc<Analysis>,
}

impl Stale {
    /// `gemm.comp:12: undeclared identifier (and 2 more)`
    pub fn reason(&self) -> String {
        let Some(first) = self.errors.first() else { return "the shader does not compile".to_owned() };
        let file = &self.analysis.files()[first.location.file];
        let line = file.line_index().try_line_col(first.location.range.start()).map_or(0, |at| at.line + 1);
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        if first.location.range.is_empty() && line == 1 {
            // Of no place in the text, such as a value for a constant that is not there.
            return first.message.clone();
        }
        let more = match self.errors.len() {
            0 | 1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        format!("{name}:{line}: {}{more}", first.message)
    }
}

/// The module to show, and why it is not that of the current text.
#[derive(Clone)]
pub struct Found {
    pub module: Option<Arc<Module>>,
    pub stale: Option<Stale>,
}

/// The module of the current text, else that of the last text that could be compiled.
pub fn find(checked: &Checked, good: Option<&Arc<Checked>>, options: &ModuleOptions) -> Found {
    match checked.module(options) {
        Ok(module) => Found { module: Some(module), stale: None },
        Err(errors) => Found {
            module: good.and_then(|good| good.module(options).ok()),
            stale: Some(Stale { errors, analysis: checked.analysis.clone() }),
        },
    }
}

impl Snapshot {
    pub fn spirv(&self, options: &ModuleOptions) -> Found {
        find(&self.checked, self.good.as_ref(), options)
    }
}
