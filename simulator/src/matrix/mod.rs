//! Cooperative matrices: dense objects, and what instructions do to them.

use std::sync::Arc;

use coopmat_spirv::dr::Instruction as Source;

use crate::machine::{Context, Environment, Subgroup};
use crate::numerics::Format;
use crate::program::{Lowering, Place, TypeId, Value};
use crate::{ProgramError, RunError};

/// The type of a cooperative matrix.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatrixType {
    /// The program's type of an element.
    pub component_type: TypeId,
    pub component: Component,
    pub rows: u32,
    pub columns: u32,
    /// `gl_MatrixUse…`.
    pub use_: u32,
    /// `gl_Scope…`.
    pub scope: u32,
}

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    Float(Format),
    Integer { width: u8, signed: bool },
}

/// A cooperative matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    pub type_: MatrixType,
}

impl Matrix {
    /// A matrix whose elements all have these bits.
    pub fn splat(type_: &MatrixType, _bits: u64) -> Matrix {
        Matrix { type_: type_.clone() }
    }
}

/// An instruction on cooperative matrices.
#[derive(Clone, Debug)]
pub(crate) enum MatrixInstruction {}

impl MatrixInstruction {
    /// Whether all subgroups of a workgroup execute it together.
    pub fn is_together(&self) -> bool {
        match *self {}
    }
}

/// The type that `OpTypeCooperativeMatrixKHR` or `NV` declares.
pub(crate) fn lower_type(_lowering: &mut Lowering, _source: &Source) -> Result<MatrixType, ProgramError> {
    Err(ProgramError::new("cooperative matrices are not there yet"))
}

/// Lowers an instruction that touches cooperative matrices (or tensor layouts and views): `false` where it does not.
pub(crate) fn lower(_lowering: &mut Lowering, _source: &Source) -> Result<bool, ProgramError> {
    Ok(false)
}

/// Loads one element of a matrix variable: `OpLoad` through an access chain into a matrix.
pub(crate) fn lower_element_load(
    _lowering: &mut Lowering,
    _result: Value,
    _matrix: &Place,
    _index: Value,
) -> Result<(), ProgramError> {
    Err(ProgramError::new("cooperative matrices are not there yet"))
}

/// Stores one element of a matrix variable.
pub(crate) fn lower_element_store(
    _lowering: &mut Lowering,
    _matrix: &Place,
    _index: Value,
    _value: Value,
) -> Result<(), ProgramError> {
    Err(ProgramError::new("cooperative matrices are not there yet"))
}

/// Executes an instruction for the lanes of a subgroup.
pub(crate) fn execute(instruction: &MatrixInstruction, _context: &mut Context) -> Result<(), RunError> {
    match *instruction {}
}

/// Executes an instruction that subgroups have come together for. `Subgroup::context` gives the context of each.
pub(crate) fn execute_together(
    instruction: &MatrixInstruction,
    _env: &mut Environment,
    _subgroups: &mut [&mut Subgroup],
) -> Result<(), RunError> {
    match *instruction {}
}

#[allow(dead_code)]
type Shared = Arc<Matrix>;
