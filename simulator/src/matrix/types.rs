//! The types of cooperative matrices.

use std::fmt;

use crate::numerics::Format;

/// The most elements of one matrix: more than any device has, and few enough that one operation on them is soon done.
pub(crate) const MAXIMUM_ELEMENTS: u64 = 1 << 18;

/// What the elements are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Component {
    /// Floating-point numbers.
    Float(Format),
    /// Integers.
    Integer {
        /// In bits: 8, 16, 32 or 64.
        width: u8,
        /// Whether the highest bit is a sign.
        signed: bool,
    },
}

impl Component {
    /// In bits.
    pub fn width(self) -> u32 {
        match self {
            Component::Float(format) => format.width(),
            Component::Integer { width, .. } => u32::from(width),
        }
    }

    /// In memory. Formats of less than a byte lie in one each.
    pub fn bytes(self) -> u32 {
        self.width().div_ceil(8)
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, Component::Float(_))
    }

    /// All bits of the component.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width().clamp(1, 64))
    }

    /// As GLSL calls it, with its width.
    pub fn name(self) -> &'static str {
        match self {
            Component::Float(Format::F64) => "float64_t",
            Component::Float(Format::F32) => "float32_t",
            Component::Float(Format::F16) => "float16_t",
            Component::Float(Format::BF16) => "bfloat16_t",
            Component::Float(Format::E4M3) => "floate4m3_t",
            Component::Float(Format::E5M2) => "floate5m2_t",
            Component::Float(Format::E2M3) => "floate2m3_t",
            Component::Float(Format::E3M2) => "floate3m2_t",
            Component::Float(Format::E2M1) => "floate2m1_t",
            Component::Float(Format::UE8M0) => "floatue8m0_t",
            Component::Float(Format::MxInt8) => "floatmxint8_t",
            Component::Integer { width: 8, signed: true } => "int8_t",
            Component::Integer { width: 8, signed: false } => "uint8_t",
            Component::Integer { width: 16, signed: true } => "int16_t",
            Component::Integer { width: 16, signed: false } => "uint16_t",
            Component::Integer { width: 64, signed: true } => "int64_t",
            Component::Integer { width: 64, signed: false } => "uint64_t",
            Component::Integer { signed: true, .. } => "int32_t",
            Component::Integer { signed: false, .. } => "uint32_t",
        }
    }

    /// The component of a [`Component::name`].
    pub fn from_name(name: &str) -> Option<Component> {
        let floats = Format::ALL.into_iter().map(Component::Float);
        let integers = [8, 16, 32, 64]
            .into_iter()
            .flat_map(|width| [true, false].map(|signed| Component::Integer { width, signed }));
        floats.chain(integers).find(|component| component.name() == name)
    }
}

/// The invocations that hold a matrix together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// `gl_ScopeSubgroup`.
    Subgroup,
    /// `gl_ScopeWorkgroup`: SPV_NV_cooperative_matrix2.
    Workgroup,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Subgroup => "subgroup",
            Scope::Workgroup => "workgroup",
        })
    }
}

/// What a matrix is to a multiply-add.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Use {
    /// The left factor: M rows, K columns.
    A,
    /// The right factor: K rows, N columns.
    B,
    /// What is added, and the result: M rows, N columns.
    Accumulator,
    /// Types of SPV_NV_cooperative_matrix do not say.
    Unspecified,
}

impl Use {
    /// An enumerant of Cooperative Matrix Use.
    pub fn from_number(number: u32) -> Option<Use> {
        [Use::A, Use::B, Use::Accumulator].get(number as usize).copied()
    }

    /// As `gl_MatrixUse` goes on.
    pub fn name(self) -> &'static str {
        match self {
            Use::A => "A",
            Use::B => "B",
            Use::Accumulator => "Accumulator",
            Use::Unspecified => "any",
        }
    }
}

/// The type of a cooperative matrix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MatrixType {
    /// What the elements are.
    pub component: Component,
    /// The invocations that hold it.
    pub scope: Scope,
    /// At least one; as specialized.
    pub rows: u32,
    /// At least one; as specialized.
    pub columns: u32,
    /// What it is to a multiply-add.
    pub use_: Use,
}

impl MatrixType {
    /// The number of elements.
    pub fn count(&self) -> usize {
        self.rows as usize * self.columns as usize
    }

    /// Whether a matrix of this type may be made at all; to be asked once, when the type is declared.
    pub fn is_allowed(&self) -> bool {
        let count = u64::from(self.rows) * u64::from(self.columns);
        count > 0 && count <= MAXIMUM_ELEMENTS
    }

    /// Of an element, by its index in rows.
    pub(crate) fn row_and_column(&self, index: usize) -> (u32, u32) {
        let columns = self.columns.max(1) as usize;
        ((index / columns) as u32, (index % columns) as u32)
    }
}

impl fmt::Display for MatrixType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "coopmat<{}, {}x{}, {}>", self.component.name(), self.rows, self.columns, self.use_.name())
    }
}
