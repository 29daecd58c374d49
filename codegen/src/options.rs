//! What a caller chooses, and what it gets when compiling fails.

use coopmat_analysis::Analysis;
use coopmat_analysis::config::TargetEnv;
use coopmat_analysis::diagnostics::{Diagnostic, Severity};
use coopmat_analysis::text::FileRange;

/// How a module is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// `None` for the environment that the shader was analysed under.
    pub target_env: Option<TargetEnv>,
    /// What debuggers and listings are told of the source.
    pub debug: DebugInfo,
    /// `OpName` and `OpMemberName`.
    pub names: bool,
    /// What is done to the module when it is whole.
    pub optimisation: Optimisation,
    /// Every local is a variable, those also that nothing writes to, and the built-in variables of compute shaders that say where an invocation is
    /// are declared: for debuggers, which show variables.
    pub keep_locals: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            target_env: None,
            debug: DebugInfo::None,
            names: true,
            optimisation: Optimisation::None,
            keep_locals: false,
        }
    }
}

/// What is done to the module after it is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimisation {
    /// Nothing: instructions stand as the source has them.
    #[default]
    None,
    /// The clean-up passes, which keep the code readable.
    Clean,
}

/// What a module tells a debugger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugInfo {
    /// Nothing.
    #[default]
    None,
    /// `OpLine` with the names of the files.
    Lines,
    /// NonSemantic.Shader.DebugInfo.100, with the source texts.
    Full,
}

/// Why there is no module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// What is lacking: the feature that is not supported, or the target that it needs.
    pub message: String,
    /// Where the source asks for it first; the start of the shader where no place does.
    pub location: FileRange,
    /// Where else it does, some of the places.
    pub also: Vec<FileRange>,
}

/// How what should not happen begins.
const INTERNAL: &str = "internal error";

impl CompileError {
    /// What only a mistake of this program leads to.
    pub(crate) fn internal(what: &str, location: FileRange) -> CompileError {
        CompileError {
            message: format!("{INTERNAL}: {what}; please report this"),
            location,
            also: Vec::new(),
        }
    }

    /// Whether it says that this program has a mistake, rather than what is not supported.
    pub fn is_internal(&self) -> bool {
        self.message.starts_with(INTERNAL)
    }
}

/// The error of a shader that is not compiled for having some.
pub(crate) fn error_of(analysis: &Analysis) -> Option<CompileError> {
    let find = |wanted: &dyn Fn(&Diagnostic) -> bool| analysis.diagnostics.iter().find(|one| wanted(one));
    let told = |why: &str, one: &Diagnostic| CompileError {
        message: format!("{why}: {}", one.message),
        location: one.location,
        also: Vec::new(),
    };
    let error =
        find(&|one| one.severity == Severity::Error).map(|error| told("the shader has errors", error));
    error.or_else(|| Some(told("the shader was not fully analysed", find(&Diagnostic::prevents_module)?)))
}
