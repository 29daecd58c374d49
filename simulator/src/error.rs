//! Why a module does not become a program, and why a run ends early.

use std::fmt;

/// Why a module cannot be run. The message says what is expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError {
    /// What is expected and what was found, for people; without the place.
    pub message: String,
    /// The instruction's index in the module, where one is to blame.
    pub instruction: Option<u32>,
}

impl ProgramError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        ProgramError { message: message.into(), instruction: None }
    }

    pub(crate) fn at(mut self, instruction: u32) -> Self {
        self.instruction.get_or_insert(instruction);
        self
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ProgramError {}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError {
    /// What programs may tell errors apart by.
    pub kind: RunErrorKind,
    /// What happened, with the values, for people; without the place.
    pub message: String,
    /// The instruction's index in the module, where one is to blame.
    pub instruction: Option<u32>,
}

/// Why a run cannot go on, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunErrorKind {
    /// The instruction is not known, or not made for this simulator.
    Unsupported,
    /// The budget of steps is used up.
    Steps,
    /// The budget of memory is used up.
    Memory,
    /// Calls are nested too deeply.
    Depth,
    /// The host wants no more of it.
    Stopped,
    /// What the host supplied does not fit the program.
    Setup,
    /// The module does something that no valid module does.
    Invalid,
}

impl RunError {
    pub(crate) fn new(kind: RunErrorKind, message: impl Into<String>) -> Self {
        RunError { kind, message: message.into(), instruction: None }
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        RunError::new(RunErrorKind::Unsupported, message)
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        RunError::new(RunErrorKind::Invalid, message)
    }

    pub(crate) fn at(mut self, instruction: u32) -> Self {
        self.instruction.get_or_insert(instruction);
        self
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RunError {}
