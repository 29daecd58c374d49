//! Why the interpreter has to run something.

use std::fmt;

/// Why a program or a run is left to the interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An instruction, or a form of it, is not taken.
    Instruction(&'static str),
    /// Checked mode looks at every access, and headroom at every multiply-add.
    Checked,
    /// It was compiled for other settings.
    Settings,
    /// Somebody watches the run, or a workgroup has not ended.
    Begun,
    /// Subgroups of more than 64 invocations.
    SubgroupSize(u32),
    /// A function that calls itself.
    Recursion,
    /// Descriptors in heaps.
    Heaps,
    /// Too large a program: more blocks, planes or bytes than are worth it.
    Size,
    /// More memory than one module has, or than the run may take.
    Memory,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Instruction(what) => write!(f, "the shader uses {what}"),
            Refusal::Checked => f.write_str("every step is looked at"),
            Refusal::Settings => f.write_str("it was compiled for other settings"),
            Refusal::Begun => f.write_str("the run is watched, or in the middle of a workgroup"),
            Refusal::SubgroupSize(size) => write!(f, "subgroups of {size} invocations are larger than 64"),
            Refusal::Recursion => f.write_str("a function calls itself"),
            Refusal::Heaps => f.write_str("the shader takes descriptors from a heap"),
            Refusal::Size => f.write_str("the shader is too large"),
            Refusal::Memory => f.write_str("the buffers and registers take too much memory"),
        }
    }
}

impl std::error::Error for Refusal {}
