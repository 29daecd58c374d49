//! What declarations without a variable, `layout(...) in;` and `layout(...) out;`, say of the whole stage.

use smol_str::SmolStr;

use super::Storage;
use crate::symbolic::Sym;
use crate::text::TextRange;

/// `layout(local_size_x = ...) in;` in each dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalSize {
    /// x, y and z.
    pub dims: [LocalSizeDim; 3],
    /// Range of the declaration, when there is one.
    pub range: Option<TextRange>,
}

/// One dimension of the size of the workgroup. It is 1 where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalSizeDim {
    /// `local_size_x`: the value under no specialization.
    pub value: Option<Sym>,
    /// `local_size_x_id`.
    pub constant_id: Option<u32>,
}

/// A name in `layout(...) in;` and its like: `max_vertices = 3`.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultLayout {
    /// In lower case.
    pub name: SmolStr,
    /// What stands behind it.
    pub value: Option<u32>,
    /// `In` or `Out`, as the declaration says.
    pub storage: Storage,
    /// Of the declaration.
    pub range: TextRange,
}

/// How the invocations of a workgroup are arranged for derivatives (GL_KHR_compute_shader_derivatives).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivativeGroup {
    /// `derivative_group_quadsKHR`: 2 x 2 invocations in x and y.
    Quads,
    /// `derivative_group_linearKHR`: four invocations whose indices follow each other.
    Linear,
}
