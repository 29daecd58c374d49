//! Instructions on matrices in checked mode: who takes part, which operands, what came of them.

use smallvec::SmallVec;

use super::arithmetic::{born_special, division_by_zero};
use super::execution::fetch;
use super::operation::{Operation, Tensor};
use super::{Data, Matrix};
use crate::checks::FindingKind;
use crate::machine::{Context, Environment, Mask, Subgroup, first_lanes};
use crate::program::Slot;

/// Looks at an instruction's operands.
pub(super) fn before(operation: &Operation, cx: &mut Context) {
    if !operation.is_apart() && !matches!(operation, Operation::Splat { .. }) {
        cx.check_convergence(name(operation));
    }
    check_common(operation, cx);
    match operation {
        Operation::MultiplyAdd { a, b, c, type_, operands, .. } => {
            cx.check_shape([&a.type_, &b.type_, &c.type_, type_], operands.saturating);
        }
        Operation::Binary { operation, b, .. } => {
            let matrix = fetch(cx, b);
            if let Some(index) = division_by_zero(*operation, &matrix).filter(|i| !matrix.is_undefined(*i)) {
                let (row, column) = b.type_.row_and_column(index);
                let message =
                    format!("element ({row}, {column}) is divided by 0; make sure that the divisor is not 0");
                cx.find(FindingKind::DivisionByZero, cx.registers.first_active(), message);
            }
        }
        Operation::ElementLoad { .. }
        | Operation::ElementStore { .. }
        | Operation::Extract { .. }
        | Operation::Insert { .. }
            if cx.env.report.checks.elements.is_none() =>
        {
            let invocation = cx.checked_invocation(cx.registers.first_active());
            cx.env.report.checks.elements = Some((cx.origin, invocation));
        }
        _ => {}
    }
    let sources = operation.sources();
    let makes = operation.result().is_some() && !sources.is_empty();
    let finite = makes && sources.iter().all(|source| is_finite(&fetch(cx, source)));
    let scalar = match operation {
        Operation::TimesScalar { scalar, a, .. } => {
            let bits = super::execution::component_bits(cx, *scalar, &a.type_);
            a.type_.component.number(bits).is_finite()
        }
        // A component may be anything, and is no result of the instruction.
        Operation::Insert { .. } | Operation::LoadTensor { .. } => false,
        _ => true,
    };
    cx.env.report.checks.finite = finite && scalar;
}

/// Operands that are the same for all that execute an instruction together: first plane, how many planes, name.
fn common(operation: &Operation) -> SmallVec<[(Slot, u32, &'static str); 8]> {
    let mut common = SmallVec::new();
    let mut tensor = |tensor: &Tensor| {
        common.push((tensor.pointer.slot, 2, "the pointer"));
        let words = tensor.dimensions as u32 * 5 + 1;
        common.extend((0..words).map(|word| (tensor.layout.offset(word), 1, "a value of the tensor layout")));
        if let Some((slot, view)) = tensor.view {
            let words = view.to_words().len() as u32;
            common.extend((0..words).map(|word| (slot.offset(word), 1, "a value of the tensor view")));
        }
    };
    match operation {
        Operation::LoadTensor { from, .. } => tensor(from),
        Operation::StoreTensor { to, .. } => tensor(to),
        Operation::Load { from: strided, .. } | Operation::Store { to: strided, .. } => {
            common.push((strided.pointer.slot, 2, "the pointer"));
            let stride =
                strided.stride.map(|stride| (stride.slot, if stride.wide { 2 } else { 1 }, "the stride"));
            common.extend(stride);
        }
        _ => {}
    }
    common
}

fn check_common(operation: &Operation, cx: &mut Context) {
    for (slot, planes, what) in common(operation) {
        cx.check_uniform(cx.plane(slot), planes, what);
    }
}

/// Looks at what an instruction made.
pub(super) fn after(operation: &Operation, cx: &mut Context) {
    if let Operation::ExtractArray { result, object, length, .. } = operation {
        // Invocations that have a row have the elements of the matrix, undefined ones among them.
        let (rows, _) = super::arrays::lines(&object.type_);
        let undefined: Mask =
            (0..*length).fold(0, |lanes, i| lanes | cx.registers.undefined(cx.plane(result.offset(i))));
        let undefined = undefined & !first_lanes(rows as usize);
        if undefined & cx.mask() != 0 {
            let (subgroup, origin) = (cx.subgroup, cx.origin);
            cx.env.report.checks.undefined_rows.insert(subgroup, (origin, undefined));
        }
    }
    if !cx.env.report.checks.finite {
        return;
    }
    let Some(result) = operation.result() else { return };
    let Some(matrix) = cx.registers.matrix(cx.plane(result)).cloned() else { return };
    if is_finite(&matrix) {
        return;
    }
    if let Some(index) = born_special(&matrix, &[]) {
        let nan = (0..matrix.type_().count()).find(|index| matrix.number(*index).is_nan());
        let (index, is_nan) = nan.map_or((index, false), |index| (index, true));
        let (row, column) = matrix.type_().row_and_column(index);
        cx.note_birth(is_nan, Mask::MAX, |_| {
            let what = if is_nan { "not a number" } else { "infinite" };
            format!(
                "element ({row}, {column}) of the result is {what} in {}, although all elements of the operands are finite; it is stored later",
                matrix.type_().component.name()
            )
        });
    }
}

fn is_finite(matrix: &Matrix) -> bool {
    match matrix.data() {
        // To the end in any case: the compiler makes vectors of it.
        Data::F32(values) => values.iter().fold(true, |all, value| all & value.is_finite()),
        Data::F64(values) => values.iter().fold(true, |all, value| all & value.is_finite()),
        Data::U32(_) | Data::U64(_) => true,
    }
}

/// As people call it who write shaders.
fn name(operation: &Operation) -> &'static str {
    match operation {
        Operation::Load { .. } => "coopMatLoad",
        Operation::Store { .. } => "coopMatStore",
        Operation::MultiplyAdd { .. } => "coopMatMulAdd",
        Operation::Reduce { .. } => "coopMatReduce",
        Operation::PerElement { .. } => "coopMatPerElement",
        Operation::LoadTensor { .. } => "coopMatLoadTensor",
        Operation::StoreTensor { .. } => "coopMatStoreTensor",
        Operation::Construct { .. } => "vectorToCoopmat",
        Operation::ExtractArray { .. } => "coopmatToVector",
        _ => "an operation on a cooperative matrix",
    }
}

/// All subgroups execute an instruction of the workgroup's scope, and give the same operands. `absent` is one that does not.
pub(super) fn together(
    operation: &Operation,
    env: &mut Environment,
    subgroups: &mut [&mut Subgroup],
    absent: Option<u32>,
    origin: u32,
) {
    let Some((first, rest)) = subgroups.split_first_mut() else { return };
    let mut cx = first.context(env);
    cx.origin = origin;
    if let Some(absent) = absent
        && !matches!(operation, Operation::Splat { .. })
    {
        cx.check_all_subgroups(name(operation), absent);
    }
    let words = |cx: &Context, slot, planes| match planes {
        2 => cx.registers.any_wide(cx.plane(slot)),
        _ => u64::from(cx.registers.any(cx.plane(slot))),
    };
    let known = common(operation).into_iter();
    let known: SmallVec<[_; 8]> =
        known.map(|(slot, planes, what)| (slot, planes, what, words(&cx, slot, planes))).collect();
    let speaker = cx.subgroup;
    for subgroup in rest {
        let mut cx = subgroup.context(env);
        cx.origin = origin;
        if !matches!(operation, Operation::Splat { .. }) {
            cx.check_convergence(name(operation));
        }
        check_common(operation, &mut cx);
        let differs = |(slot, planes, _, word): &&_| words(&cx, *slot, *planes) != *word;
        if let Some(&(slot, planes, what, word)) = known.iter().find(differs) {
            let own = words(&cx, slot, planes);
            cx.find_subgroups_differ(what, own, (speaker, word));
        }
    }
}
