//! What GL_EXT_spirv_intrinsics brings into a program: instructions, decorations, execution modes, storage classes and types by their
//! numbers in SPIR-V.

use smol_str::SmolStr;

use super::constant::Const;
use crate::ids::GlobalId;
use crate::types::Ty;

/// `extensions = [...], capabilities = [...]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpirvRequirements {
    pub extensions: Vec<SmolStr>,
    pub capabilities: Vec<u32>,
}

/// `spirv_instruction(...)`: what calls of a function become.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpirvInstruction {
    pub set: Option<SmolStr>,
    pub id: Option<u32>,
    pub requirements: SpirvRequirements,
}

/// One of the arguments after the number.
#[derive(Clone, Debug, PartialEq)]
pub enum SpirvOperand {
    /// A literal as it is written: it becomes a literal of the instruction.
    Literal(Const, Ty),
    /// Another constant expression.
    Constant(Const, Ty),
    Text(SmolStr),
    Global(GlobalId),
    Type(Ty),
}

/// How the operands of a decoration or an execution mode are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpirvOperandKind {
    /// `spirv_decorate`, `spirv_execution_mode`
    Literals,
    /// `spirv_decorate_id`, `spirv_execution_mode_id`
    Ids,
    /// `spirv_decorate_string`
    Strings,
}

/// A decoration, or an execution mode.
#[derive(Clone, Debug, PartialEq)]
pub struct SpirvMark {
    pub kind: SpirvOperandKind,
    pub number: u32,
    pub operands: Vec<SpirvOperand>,
    pub requirements: SpirvRequirements,
}

/// `spirv_storage_class(N)`
#[derive(Clone, Debug, PartialEq)]
pub struct SpirvStorageClass {
    pub number: u32,
    pub requirements: SpirvRequirements,
}

/// `spirv_type(id = N, ...)`
#[derive(Clone, Debug, PartialEq)]
pub struct SpirvType {
    pub number: u32,
    pub operands: Vec<SpirvOperand>,
    pub requirements: SpirvRequirements,
}
