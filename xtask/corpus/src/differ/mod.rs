//! Compares two modules of the same shader: ours, and another compiler's.
//!
//! What is compared is what a device does with matrices, with other invocations and with memory that outlives one of them. For
//! each entry point both modules have to hold the same multiset of
//!
//! - operations on cooperative matrices, vectors and tensor layouts, arithmetic and conversions of matrices included;
//! - barriers, atomics, subgroup operations and integer dot products;
//! - accesses and lookups of images and tensors, derivatives, ray queries, and what prints or ends an invocation;
//! - accesses of storage buffers, uniform blocks, push constants, workgroup memory and physical addresses,
//!   with the variables that they go to;
//! - execution modes;
//! - in stages other than compute, interface variables, what is written to them, and the instructions of single stages (`stages`);
//! - with [`Depth::Computations`], all arithmetic, conversions and functions, too.
//!
//! Operations are the same when opcodes, types, literals and constants are. Ids, names and the order of instructions play no
//! part, nor does where values that are not constant come from. `operations` says what is normalised.

mod accepted;
mod constants;
mod contents;
mod operations;
mod pairing;
mod stages;
mod types;

use std::collections::BTreeMap;

use coopmat_spirv::load;

pub use accepted::Accepted;
pub use operations::Operation;
pub use pairing::{Difference, Side};

/// How much of what modules compute is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What others see, and what is computed with matrices.
    Effects,
    /// Arithmetic and functions of invocations by themselves, too.
    Computations,
}

/// What two modules have in common, and what not.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// In the order of the operations' names.
    pub differences: Vec<Difference>,
    /// How many operations of ours were compared.
    pub operations: usize,
}

/// Compares our module with another compiler's.
///
/// # Errors
/// That one of them is no module.
pub fn compare(ours: &[u32], theirs: &[u32], depth: Depth) -> Result<Comparison, String> {
    let ours = load(ours).map_err(|error| format!("ours: {error}"))?;
    let theirs = load(theirs).map_err(|error| format!("theirs: {error}"))?;
    let (ours, theirs) = (contents::Contents::new(&ours), contents::Contents::new(&theirs));
    // A compiler may give blocks their bindings or leave them out.
    let bindings = ours.has_bindings() && theirs.has_bindings();
    let mut counts: BTreeMap<Operation, i64> = BTreeMap::new();
    let mut operations = 0;
    for operation in operations::operations(&ours, bindings, depth) {
        *counts.entry(operation).or_default() += 1;
        operations += 1;
    }
    for operation in operations::operations(&theirs, bindings, depth) {
        *counts.entry(operation).or_default() -= 1;
    }
    Ok(Comparison { differences: pairing::differences(counts), operations })
}
