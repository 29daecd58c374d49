//! What kind of work an instruction is.

use coopmat_spirv::grammar::Family;
use coopmat_spirv::opcode;
use rspirv::dr::Instruction;
use serde::Serialize;

/// What kind of work an instruction is. Each is of one kind, the first that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// On cooperative matrices: loads, stores, multiply-adds, conversions, lengths.
    Matrix,
    /// Tensor layouts and views, cooperative vectors, tensors of Arm.
    Tensor,
    /// Loads, stores and copies.
    Memory,
    /// Access chains and other computing of pointers.
    Address,
    /// On integers and floats, without their bits.
    Arithmetic,
    /// Between types of numbers, and of the bits as they are.
    Conversion,
    /// Comparisons, logic and selection.
    Comparison,
    /// Shifts, masks and bit fields.
    Bits,
    /// Taking apart and putting together.
    Composite,
    /// Atomic operations, loads and stores among them.
    Atomic,
    /// Of control and of memory.
    Barrier,
    /// Votes, ballots, reductions and exchanges, of workgroups, too.
    Subgroup,
    /// Reads, writes and samples, questions about images, places of texels.
    Image,
    /// Of extended sets such as GLSL.std.450.
    Extended,
    /// Of functions of the module.
    Call,
    /// Labels, branches, merges, returns, phis.
    Control,
    /// Variables of functions, and undefined values.
    Variable,
    /// Lines and other notes for debuggers.
    Debug,
    /// Derivatives, clocks, ray tracing, graphics, and what nobody knows.
    Other,
}

impl Class {
    /// In lower case, as the statistics' JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Matrix => "matrix",
            Class::Tensor => "tensor",
            Class::Memory => "memory",
            Class::Address => "address",
            Class::Arithmetic => "arithmetic",
            Class::Conversion => "conversion",
            Class::Comparison => "comparison",
            Class::Bits => "bits",
            Class::Composite => "composite",
            Class::Atomic => "atomic",
            Class::Barrier => "barrier",
            Class::Subgroup => "subgroup",
            Class::Image => "image",
            Class::Extended => "extended",
            Class::Call => "call",
            Class::Control => "control",
            Class::Variable => "variable",
            Class::Debug => "debug",
            Class::Other => "other",
        }
    }

    /// The class of an instruction inside a function.
    pub fn of(instruction: &Instruction) -> Class {
        match opcode(instruction).family() {
            Family::MatrixLoad
            | Family::MatrixStore
            | Family::MatrixArithmetic
            | Family::MatrixFunction
            | Family::MatrixLength
            | Family::MatrixCoordinate
            | Family::MatrixArray => Class::Matrix,
            Family::TensorLayout | Family::Tensor | Family::CooperativeVector => Class::Tensor,
            Family::Load | Family::Store => Class::Memory,
            Family::Address => Class::Address,
            Family::Arithmetic
            | Family::DotProduct
            | Family::IntegerFunction
            | Family::ArbitraryPrecision => Class::Arithmetic,
            Family::Conversion => Class::Conversion,
            Family::Comparison => Class::Comparison,
            Family::Bits => Class::Bits,
            Family::Composite | Family::Array => Class::Composite,
            Family::Atomic => Class::Atomic,
            Family::Barrier | Family::MemoryBarrier => Class::Barrier,
            Family::SubgroupReduction
            | Family::SubgroupExchange
            | Family::BallotBits
            | Family::GroupReduction
            | Family::GroupCopy
            | Family::SubgroupBlock => Class::Subgroup,
            Family::TexelAddress
            | Family::ImageRead
            | Family::ImageSample
            | Family::StorageImageRead
            | Family::ImageWrite
            | Family::ImageValue => Class::Image,
            Family::Extended => Class::Extended,
            Family::Call => Class::Call,
            Family::Function | Family::Flow | Family::Phi => Class::Control,
            Family::Variable | Family::Undefined => Class::Variable,
            Family::Debug => Class::Debug,
            Family::Module
            | Family::Import
            | Family::Annotation
            | Family::Type
            | Family::Constant
            | Family::Hint
            | Family::Expectation
            | Family::Derivative
            | Family::Bindless
            | Family::BindlessMode
            | Family::Graph
            | Family::Clock
            | Family::RayTracing
            | Family::Graphics
            | Family::WorkGraph
            | Family::VideoMotion
            | Family::Kernel
            | Family::Unknown => Class::Other,
        }
    }
}
