//! Cooperative matrices: one dense object for all invocations of the scope, and every operation on it.
//!
//! An element is named by its row and column, or by its index in rows. What is done to matrices knows of no lanes' registers and of no
//! instructions; the last four modules fetch operands and give results back.
//!
//! | module | does |
//! |---|---|
//! | `memory` | loads and stores with a stride: row major, column major, Arm's blocks |
//! | `arithmetic` | operations on each element, with a scalar, and on one matrix |
//! | `convert` | component types, uses, transposition, bits |
//! | `multiply` | multiply-add |
//! | `headroom` | how far `float16_t` accumulators are from overflowing |
//! | `reduce` | reductions with a function of the shader |
//! | `tensor` | tensor layouts and views, where they put elements, decoding |
//! | `arrays` | rows and columns as arrays of the invocations (QCOM) |
//! | `operation` | instructions as they are executed |
//! | `lowering` | a module's instructions to these |
//! | `checked` | what checked mode looks at |
//! | `execution` | what they do to a subgroup's registers and to memory |
//! | `together` | the same where a matrix belongs to all subgroups of a workgroup |

pub(crate) mod arithmetic;
pub(crate) mod arrays;
mod checked;
pub(crate) mod convert;
mod execution;
mod headroom;
mod lowering;
pub(crate) mod memory;
pub(crate) mod multiply;
pub(crate) mod operation;
pub(crate) mod reduce;
pub mod tensor;
mod together;
mod types;

use std::sync::Arc;

use crate::numerics::{Format, bulk};

pub(crate) use execution::execute;
pub(crate) use headroom::{Adder, Ranges};
pub use headroom::{Headroom, PartialSum, Sums};
pub(crate) use lowering::{
    component_type, lower, lower_element_load, lower_element_store, lower_shared, lower_type,
};
pub(crate) use operation::MatrixInstruction;
pub(crate) use together::execute_together;
pub(crate) use types::MAXIMUM_ELEMENTS;
pub use types::{Component, MatrixType, Scope, Use};

/// The elements of a matrix in rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Floating-point components of at most 32 bits; each is an `f32` exactly.
    F32(Vec<f32>),
    /// Components of [`Format::F64`].
    F64(Vec<f64>),
    /// Integers of at most 32 bits: their bits, without what is above them.
    U32(Vec<u32>),
    /// Integers of 64 bits.
    U64(Vec<u64>),
}

/// A cooperative matrix.
#[derive(Clone, Debug)]
pub struct Matrix {
    type_: MatrixType,
    data: Data,
    /// A bit for each element that holds no defined value; empty where all do.
    undefined: Vec<u64>,
    /// What multiply-adds have made it of, where that is measured.
    sums: Option<Arc<Sums>>,
}

impl Matrix {
    /// All zeros: also what OpConstantNull gives, and OpUndef where nobody asks what is undefined.
    pub fn zero(type_: MatrixType) -> Self {
        let count = type_.count();
        let data = match type_.component {
            Component::Float(Format::F64) => Data::F64(vec![0.0; count]),
            Component::Float(Format::UE8M0) => Data::F32(vec![Format::UE8M0.to_f32(0); count]),
            Component::Float(_) => Data::F32(vec![0.0; count]),
            Component::Integer { width: 64, .. } => Data::U64(vec![0; count]),
            Component::Integer { .. } => Data::U32(vec![0; count]),
        };
        Matrix { type_, data, undefined: Vec::new(), sums: None }
    }

    /// OpUndef: zeros that are marked.
    pub fn undefined(type_: MatrixType) -> Self {
        let mut matrix = Self::zero(type_);
        matrix.undefined = vec![u64::MAX; type_.count().div_ceil(64)];
        matrix
    }

    /// The same value everywhere: OpCompositeConstruct, OpConstantComposite, OpCompositeConstructReplicateEXT.
    pub fn splat(type_: &MatrixType, bits: u64) -> Self {
        let mut matrix = Self::zero(*type_);
        match &mut matrix.data {
            Data::F32(values) => values.fill(type_.component.f32(bits)),
            Data::F64(values) => values.fill(f64::from_bits(bits)),
            Data::U32(values) => values.fill((bits & type_.component.mask()) as u32),
            Data::U64(values) => values.fill(bits),
        }
        matrix
    }

    /// From bits in rows; what lacks is zero.
    pub fn from_bits(type_: MatrixType, bits: &[u64]) -> Self {
        let mut matrix = Self::zero(type_);
        for (index, bits) in bits.iter().enumerate().take(type_.count()) {
            matrix.set(index, *bits);
        }
        matrix
    }

    /// Shape, components, use and scope.
    pub fn type_(&self) -> &MatrixType {
        &self.type_
    }

    /// The elements in rows, as they are computed with.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The elements, to be written by something else than a multiply-add.
    fn data_mut(&mut self) -> &mut Data {
        self.sums = None;
        &mut self.data
    }

    /// What its elements are sums of, where multiply-adds made it and headroom is measured.
    pub fn sums(&self) -> Option<&Sums> {
        self.sums.as_deref()
    }

    pub(crate) fn take_sums(&mut self) -> Option<Arc<Sums>> {
        self.sums.take()
    }

    pub(crate) fn set_sums(&mut self, sums: Arc<Sums>) {
        self.sums = Some(sums);
    }

    /// Becomes a copy of another matrix without new storage; false, and unchanged, where the data is of another kind or length.
    pub(crate) fn copy_from(&mut self, other: &Matrix) -> bool {
        match (&mut self.data, &other.data) {
            (Data::F32(to), Data::F32(from)) if to.len() == from.len() => to.copy_from_slice(from),
            (Data::F64(to), Data::F64(from)) if to.len() == from.len() => to.copy_from_slice(from),
            (Data::U32(to), Data::U32(from)) if to.len() == from.len() => to.copy_from_slice(from),
            (Data::U64(to), Data::U64(from)) if to.len() == from.len() => to.copy_from_slice(from),
            _ => return false,
        }
        self.type_ = other.type_;
        self.undefined.clone_from(&other.undefined);
        self.sums.clone_from(&other.sums);
        true
    }

    /// Says that these elements have another type of the same shape and the same data.
    pub(crate) fn retype(&mut self, type_: MatrixType) {
        self.type_ = type_;
    }

    /// The bits of an element; zero beyond the last.
    #[inline]
    pub fn get(&self, index: usize) -> u64 {
        match &self.data {
            Data::F32(values) => values.get(index).map_or(0, |value| self.type_.component.bits(*value)),
            Data::F64(values) => values.get(index).map_or(0, |value| value.to_bits()),
            Data::U32(values) => values.get(index).map_or(0, |value| u64::from(*value)),
            Data::U64(values) => values.get(index).copied().unwrap_or(0),
        }
    }

    /// Writes the bits of an element, which is then defined; nothing beyond the last.
    #[inline]
    pub fn set(&mut self, index: usize, bits: u64) {
        let component = self.type_.component;
        match self.data_mut() {
            Data::F32(values) => {
                if let Some(value) = values.get_mut(index) {
                    *value = component.f32(bits);
                }
            }
            Data::F64(values) => {
                if let Some(value) = values.get_mut(index) {
                    *value = f64::from_bits(bits);
                }
            }
            Data::U32(values) => {
                if let Some(value) = values.get_mut(index) {
                    *value = (bits & component.mask()) as u32;
                }
            }
            Data::U64(values) => {
                if let Some(value) = values.get_mut(index) {
                    *value = bits;
                }
            }
        }
        if !self.undefined.is_empty() {
            self.set_undefined(index, false);
        }
    }

    /// An element as a number, for people.
    pub fn number(&self, index: usize) -> f64 {
        self.type_.component.number(self.get(index))
    }

    /// Whether an element, by its index in rows, holds no defined value; false beyond the last.
    pub fn is_undefined(&self, index: usize) -> bool {
        self.undefined.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    /// Whether any element holds no defined value.
    pub fn any_undefined(&self) -> bool {
        self.undefined.iter().any(|word| *word != 0)
    }

    /// The first element in rows that is undefined.
    pub fn first_undefined(&self) -> Option<usize> {
        let word = self.undefined.iter().position(|word| *word != 0)?;
        let index = word * 64 + self.undefined[word].trailing_zeros() as usize;
        (index < self.type_.count()).then_some(index)
    }

    /// Marks an element, by its index in rows, or takes the mark away; nothing beyond the last.
    pub fn set_undefined(&mut self, index: usize, undefined: bool) {
        if index >= self.type_.count() {
            return;
        }
        if self.undefined.is_empty() {
            if !undefined {
                return;
            }
            self.undefined = vec![0; self.type_.count().div_ceil(64)];
        }
        let bit = 1 << (index % 64);
        let word = &mut self.undefined[index / 64];
        *word = if undefined { *word | bit } else { *word & !bit };
    }

    pub(crate) fn undefined_bits(&self) -> &[u64] {
        &self.undefined
    }

    /// What is undefined in `other`, which has as many elements, is undefined here too.
    pub(crate) fn taint(&mut self, other: &[u64]) {
        if other.is_empty() {
            return;
        }
        if self.undefined.is_empty() {
            self.undefined = vec![0; self.type_.count().div_ceil(64)];
        }
        for (word, other) in self.undefined.iter_mut().zip(other) {
            *word |= other;
        }
    }

    /// The bits of all elements in rows.
    pub(crate) fn all_bits(&self) -> Vec<u64> {
        (0..self.type_.count()).map(|index| self.get(index)).collect()
    }

    /// The memory that this takes.
    pub fn bytes(&self) -> u64 {
        let element = match self.data {
            Data::F32(_) | Data::U32(_) => 4,
            Data::F64(_) | Data::U64(_) => 8,
        };
        self.type_.count() as u64 * element + self.sums.as_ref().map_or(0, |sums| sums.bytes())
    }
}

/// Equal bits, of a NaN too.
impl PartialEq for Matrix {
    fn eq(&self, other: &Self) -> bool {
        self.type_ == other.type_
            && (0..self.type_.count()).all(|index| self.get(index) == other.get(index))
            && (self.undefined == other.undefined || !self.any_undefined() && !other.any_undefined())
    }
}

impl Component {
    /// The bits of a number that is one of this component's already.
    #[inline]
    pub(crate) fn bits(self, value: f32) -> u64 {
        match self {
            Component::Float(Format::F32) => u64::from(value.to_bits()),
            Component::Float(Format::F16) => u64::from(bulk::f32_to_f16(value)),
            Component::Float(Format::BF16) => u64::from(bulk::f32_to_bf16(value)),
            Component::Float(format) => format.from_f32(value, Default::default(), Default::default()),
            Component::Integer { .. } => 0,
        }
    }

    #[inline]
    pub(crate) fn f32(self, bits: u64) -> f32 {
        match self {
            Component::Float(format) => format.to_f32(bits & self.mask()),
            Component::Integer { .. } => 0.0,
        }
    }

    /// The bits as a number, for people.
    pub fn number(self, bits: u64) -> f64 {
        match self {
            Component::Float(format) => format.to_f64(bits & self.mask()),
            Component::Integer { width, signed } => {
                crate::numerics::integers::Component { width: u32::from(width), signed }.extend(bits) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests;
