//! GLSL.std.450, and the instructions of SPV_AMD_gcn_shader.

use coopmat_spirv::spirv::GlslStd450Op as Gl;
use smallvec::SmallVec;

use crate::Class;
use crate::numerics::Format;
use crate::program::Slot;
use crate::program::types::Scalar;

/// An instruction of an extended set.
#[derive(Clone, Debug)]
pub(crate) enum ExtendedInstruction {
    Component(ComponentInstruction),
    Vector(VectorInstruction),
    Packing(PackingInstruction),
}

impl ExtendedInstruction {
    pub fn class(&self) -> Class {
        match self {
            ExtendedInstruction::Component(_) | ExtendedInstruction::Vector(_) => Class::Float,
            ExtendedInstruction::Packing(_) => Class::Conversion,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ComponentInstruction {
    pub op: Gl,
    pub scalar: Scalar,
    pub count: u32,
    pub result: Slot,
    /// Planes of a component of the result, and of what `second` is.
    pub made: u32,
    pub second: Slot,
    pub second_made: u32,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
    /// The width of the integers that `ldexp` takes.
    pub other: u8,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum VectorOp {
    Glsl(Gl),
    CubeFaceIndex,
    CubeFaceCoord,
}

#[derive(Clone, Debug)]
pub(crate) struct VectorInstruction {
    pub op: VectorOp,
    pub format: Format,
    pub result: Slot,
    pub made: u32,
    pub operands: SmallVec<[(Slot, u32); 3]>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PackingInstruction {
    pub op: Gl,
    pub result: Slot,
    pub a: Slot,
}
