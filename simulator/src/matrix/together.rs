//! Matrices of workgroup scope: every subgroup arrives, the operation is done once, all get the result.
//!
//! Each subgroup's registers hold the matrix. Between two such operations its invocations may write their own elements, each to its
//! subgroup's copy; when the subgroups meet again, every element is taken from the copy of the subgroup that owns it.

use std::sync::Arc;

use super::execution::{execute_operation, fetch, set};
use super::operation::{MatrixInstruction, Source};
use super::{Matrix, Scope};
use crate::RunError;
use crate::machine::{Environment, Subgroup};

/// Executes an instruction that subgroups have come together for; `absent` is one that has not come.
pub(crate) fn execute_together(
    instruction: &MatrixInstruction,
    env: &mut Environment,
    subgroups: &mut [&mut Subgroup],
    absent: Option<u32>,
) -> Result<(), RunError> {
    let origin =
        subgroups.first().and_then(|subgroup| subgroup.current(env.program)).map_or(0, |(_, origin)| origin);
    for source in instruction.operation.sources() {
        if source.type_.scope == Scope::Workgroup {
            merge(&source, env, subgroups);
        }
    }
    if env.settings.checked {
        super::checked::together(&instruction.operation, env, subgroups, absent, origin);
    }
    let Some((first, rest)) = subgroups.split_first_mut() else { return Ok(()) };
    let mut context = first.context(env);
    context.origin = origin;
    execute_operation(&instruction.operation, &mut context)?;
    let Some(result) = instruction.operation.result() else { return Ok(()) };
    let Some(matrix) = context.registers.matrix(context.plane(result)).cloned() else { return Ok(()) };
    for subgroup in rest {
        set(&mut subgroup.context(env), result, matrix.clone());
    }
    Ok(())
}

/// Gives the first subgroup every element as its owner has it.
fn merge(source: &Source, env: &mut Environment, subgroups: &mut [&mut Subgroup]) {
    let copies: Vec<(u32, Arc<Matrix>)> = subgroups
        .iter_mut()
        .map(|subgroup| (subgroup.index, fetch(&subgroup.context(env), source)))
        .collect();
    let Some(((_, first), rest)) = copies.split_first() else { return };
    if rest.iter().all(|(_, copy)| Arc::ptr_eq(copy, first)) {
        return;
    }
    let invocations: u32 = env.program.interface.workgroup_size.iter().product();
    let map = env.settings.ownership.map(&source.type_, invocations);
    let lanes = env.settings.subgroup_size.max(1);
    let mut merged = (**first).clone();
    for index in 0..source.type_.count() {
        let Some((owner, _)) = map.owners(index as u32).next() else { continue };
        if let Some((_, copy)) = copies.iter().find(|(subgroup, _)| *subgroup == owner / lanes) {
            merged.set(index, copy.get(index));
            merged.set_undefined(index, copy.is_undefined(index));
        }
    }
    let context = subgroups[0].context(env);
    if let Some(plane) = source.plane(&context) {
        context.registers.set_matrix(plane, Arc::new(merged));
    }
}
