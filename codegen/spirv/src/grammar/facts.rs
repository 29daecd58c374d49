//! What no grammar says about an instruction: whether it may go, who executes it together, who gets the same result.

use super::Opcode;

/// What no grammar says about the instructions of a family.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Facts {
    /// Whether the clean-up passes may drop it.
    pub effect: Effect,
    /// Which invocations its meaning rests on.
    pub together: Together,
    /// How much the result depends on the invocation.
    pub uniform: Uniform,
}

/// Whether an instruction may go when nothing uses its result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// It makes its result and does nothing else.
    Nothing,
    /// It reads memory: it may go unless the access is volatile, or calls a function of the shader.
    Reads,
    /// It does more than make its result, or nobody has said that it does not.
    Acts,
}

/// Which invocations have to execute an instruction together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Together {
    /// Each for itself.
    Apart,
    /// Where an operand or the result is a cooperative matrix: all invocations of the matrix's scope, or none
    /// (SPV_KHR_cooperative_matrix, `OpTypeCooperativeMatrixKHR`). Elsewhere each for itself.
    Matrix,
    /// Those that are active exchange values: who they are is part of what the instruction means.
    Active,
    /// The neighbours that a difference is taken with.
    Neighbours,
    /// All invocations of the scope that the first operand names.
    Scope,
}

/// Which invocations get the same result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Uniform {
    /// There is no result, or it is no value.
    Nothing,
    /// Those whose operands are the same; but elements that are taken out of a cooperative matrix are each invocation's own.
    Operands,
    /// Those whose operands are the same, as long as memory holds the same for them.
    Memory,
    /// The active ones of a subgroup, whatever their operands are.
    Subgroup,
    /// Each may get its own.
    Varies,
}

impl Opcode {
    /// What no grammar says about it.
    pub const fn facts(self) -> Facts {
        self.family().facts()
    }
}
