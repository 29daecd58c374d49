//! What GL_EXT_spirv_intrinsics brings into a program: instructions, decorations, execution modes, storage classes and types by their
//! numbers in SPIR-V.

use smol_str::SmolStr;

use super::constant::Const;
use crate::ids::GlobalId;
use crate::types::Ty;

/// `extensions = [...], capabilities = [...]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpirvRequirements {
    /// Names of SPIR-V's extensions, for `OpExtension`.
    pub extensions: Vec<SmolStr>,
    /// Numbers of capabilities, for `OpCapability`.
    pub capabilities: Vec<u32>,
}

/// `spirv_instruction(...)`: what calls of a function become.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpirvInstruction {
    /// The set of extended instructions; `None` for SPIR-V's own.
    pub set: Option<SmolStr>,
    /// The opcode, or the number in the set. Without it the call cannot be compiled.
    pub id: Option<u32>,
    /// What the module has to declare.
    pub requirements: SpirvRequirements,
}

/// One of the arguments after the number.
#[derive(Clone, Debug, PartialEq)]
pub enum SpirvOperand {
    /// A literal as it is written: it becomes a literal of the instruction.
    Literal(Const, Ty),
    /// Another constant expression.
    Constant(Const, Ty),
    /// A string literal.
    Text(SmolStr),
    /// A variable of the top level, by its id.
    Global(GlobalId),
    /// A type, by its id.
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
    /// Which instruction writes it down.
    pub kind: SpirvOperandKind,
    /// The number of the decoration or the execution mode.
    pub number: u32,
    /// In the order of the text.
    pub operands: Vec<SpirvOperand>,
    /// What the module has to declare.
    pub requirements: SpirvRequirements,
}

/// `spirv_storage_class(N)`
#[derive(Clone, Debug, PartialEq)]
pub struct SpirvStorageClass {
    /// The number of the storage class.
    pub number: u32,
    /// What the module has to declare.
    pub requirements: SpirvRequirements,
}

/// `spirv_type(id = N, ...)`
#[derive(Clone, Debug, PartialEq)]
pub struct SpirvType {
    /// The opcode of the type's declaration.
    pub number: u32,
    /// In the order of the text.
    pub operands: Vec<SpirvOperand>,
    /// What the module has to declare.
    pub requirements: SpirvRequirements,
}
