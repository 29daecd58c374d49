//! Where matrices lie in memory, as far as the ranges of offsets and strides tell: rows that overlap, starts and strides that
//! are never aligned, matrices that run past the end of an array.
//!
//! What constants say by themselves, `khr` says at the call; here are values that a whole body is needed for.

use crate::diagnostics::codes;
use crate::extensions::Rule;
use crate::hir::{Body, BodyDiagnostic, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::types::{ArrayLength, Scalar, TypeKind};

use super::ranges::{Number, Ranges};
use crate::checks::context::Context;
use crate::checks::walk::{builtin_call, children, each_expression, expressions};
use crate::matrices::lines::{self, Line};
use crate::matrices::memory::{self, Memory};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<BodyDiagnostic>) {
    let body = context.body;
    let Some(root) = body.root else { return };
    let mut accesses = Vec::new();
    collect(body, root, &mut accesses);
    if accesses.is_empty() {
        return;
    }
    let mut ranges = Ranges::new(body, context.types, &context.module.local_size);
    for access in accesses {
        check_access(context, &mut ranges, &access, findings);
    }
}

/// A load or store, and the loops whose every round reaches it.
struct Access {
    call: ExprId,
    rounds: Vec<LocalId>,
}

/// The loads and stores of a body, without recursion.
fn collect(body: &Body, root: StmtId, accesses: &mut Vec<Access>) {
    let mut stack: Vec<(StmtId, Vec<LocalId>)> = vec![(root, Vec::new())];
    while let Some((stmt, rounds)) = stack.pop() {
        for expr in expressions(body, stmt) {
            each_expression(body, expr, &mut |expr| {
                if let Some((function, _)) = builtin_call(body, expr)
                    && matches!(function.rule, Some(Rule::CoopMatLoad | Rule::CoopMatStore))
                {
                    accesses.push(Access { call: expr, rounds: rounds.clone() });
                }
            });
        }
        let mut inner = rounds;
        match &body.stmts[stmt].kind {
            StmtKind::Block(_) => {}
            StmtKind::For { init: Some(init), body: inside, .. } if !jumps(body, *inside) => {
                if let StmtKind::Declare { local, .. } = body.stmts[*init].kind {
                    inner.push(local);
                }
            }
            // Not every round of the loops outside comes here.
            _ => inner.clear(),
        }
        for child in children(body, stmt) {
            stack.push((child, inner.clone()));
        }
    }
}

/// Whether something in a loop may leave it, or the function, early.
fn jumps(body: &Body, stmt: StmtId) -> bool {
    let mut stack = vec![stmt];
    while let Some(stmt) = stack.pop() {
        match &body.stmts[stmt].kind {
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Discard
            | StmtKind::Other(_) => {
                return true;
            }
            _ => stack.extend(children(body, stmt)),
        }
    }
    false
}

fn check_access(
    context: &Context<'_>,
    ranges: &mut Ranges<'_>,
    access: &Access,
    findings: &mut Vec<BodyDiagnostic>,
) {
    let body = context.body;
    let Some((function, arguments)) = builtin_call(body, access.call) else { return };
    let &[matrix, buffer, start, stride, layout, ..] = arguments else { return };
    let TypeKind::Coopmat(coopmat) = *context.types.kind(body.exprs[matrix].ty) else { return };
    let TypeKind::Array(element_ty, length) = *context.types.kind(body.exprs[buffer].ty) else { return };
    let Some((component, count)) = context.types.as_vector(element_ty) else { return };
    let element_bytes = u64::from(component.bytes()) * u64::from(count);
    let Some(line) = body.exprs[layout]
        .constant
        .as_ref()
        .and_then(|constant| constant.as_int())
        .and_then(|layout| Line::of(coopmat, i64::try_from(layout).ok()?))
    else {
        return;
    };
    let symbols = &context.types.symbols;
    let known = |sym| symbols.as_int(sym).and_then(|value| u64::try_from(value).ok());
    let (Some(size), Some(lines)) = (known(line.size), known(line.count)) else { return };
    if size == 0 || lines == 0 || size > 1 << 20 || lines > 1 << 20 || component.bits() < 8 || count == 3 {
        return;
    }
    let Some((line_bytes, true)) = lines::line_bytes(symbols, context.config, coopmat, line) else { return };
    let store = function.rule == Some(Rule::CoopMatStore);
    let element_name = context.display(element_ty);
    let name = line.name;
    let line_text = format!("a {name} of {size} {}", coopmat.component.name());
    let place = memory::place_of(context.module, context.types, body, buffer);
    // What is wrong with the array itself is said already.
    if !matches!(place.memory, Memory::StorageBuffer | Memory::BufferReference | Memory::Shared)
        || component == Scalar::Bool
    {
        return;
    }
    let (start_number, stride_number) = (ranges.number(start), ranges.number(stride));
    let is_constant =
        |expr: ExprId| body.exprs[expr].constant.as_ref().is_some_and(|constant| constant.as_int().is_some());

    if !is_constant(stride) && lines > 1 {
        let longest = u64::try_from(stride_number.high).ok().and_then(|high| high.checked_mul(element_bytes));
        if let Some(longest) = longest
            && longest < line_bytes
            && (store || stride_number.low > 0)
        {
            findings.push(BodyDiagnostic {
                code: &codes::COOPMAT_STRIDE,
                severity: codes::COOPMAT_STRIDE.severity,
                range: body.exprs[stride].range,
                message: format!(
                    "the stride is at most {} x {element_name} = {longest} bytes, but {line_text} takes {line_bytes} bytes",
                    stride_number.high
                ),
                related: context.declared(stride),
            });
        }
        misaligned(
            context,
            stride,
            stride_number,
            element_bytes,
            line_bytes,
            "the stride",
            &line_text,
            findings,
        );
    }
    let from_start = place.memory == Memory::StorageBuffer && place.at_start;
    if !is_constant(start) && from_start {
        misaligned(
            context,
            start,
            start_number,
            element_bytes,
            line_bytes,
            "the start",
            &line_text,
            findings,
        );
    }
    if let ArrayLength::Sized(length) = length
        && let Some(length) = known(length)
    {
        let extent = Extent { lines, line_elements: line_bytes.div_ceil(element_bytes), length };
        past_the_end(
            context,
            ranges,
            access,
            (buffer, start, stride),
            (start_number, stride_number),
            extent,
            findings,
        );
    }
}

#[allow(clippy::too_many_arguments)]
fn misaligned(
    context: &Context<'_>,
    expr: ExprId,
    number: Number,
    element_bytes: u64,
    line_bytes: u64,
    what: &str,
    line_text: &str,
    findings: &mut Vec<BodyDiagnostic>,
) {
    let Some(alignment) = lines::alignment(line_bytes) else { return };
    if !number.never_aligned(element_bytes, alignment) {
        return;
    }
    // The values repeat with the modulus; within it they are the rest.
    let period = number.modulus.min((alignment / element_bytes.min(alignment)).max(1));
    let elements = match number.rest % period {
        0 => format!("a multiple of {} elements of {element_bytes} bytes", number.modulus),
        rest => format!("{rest} more than a multiple of {period} elements of {element_bytes} bytes"),
    };
    findings.push(BodyDiagnostic {
        code: &codes::COOPMAT_ALIGNMENT,
        severity: codes::COOPMAT_ALIGNMENT.severity,
        range: context.body.exprs[expr].range,
        message: format!(
            "{what} is {elements}, which is never a multiple of {alignment} bytes (the smaller of 16 bytes and {line_text})"
        ),
        related: context.declared(expr),
    });
}

#[derive(Clone, Copy)]
struct Extent {
    lines: u64,
    /// Elements of the array that one line takes.
    line_elements: u64,
    length: u64,
}

fn past_the_end(
    context: &Context<'_>,
    ranges: &Ranges<'_>,
    access: &Access,
    (buffer, start, stride): (ExprId, ExprId, ExprId),
    (start_number, stride_number): (Number, Number),
    extent: Extent,
    findings: &mut Vec<BodyDiagnostic>,
) {
    let Extent { lines, line_elements, length } = extent;
    let end = |start: i64, stride: i64| {
        let (start, stride) = (u64::try_from(start).ok()?, u64::try_from(stride).ok()?);
        start.checked_add((lines - 1).checked_mul(stride)?)?.checked_add(line_elements)
    };
    // Every round reaches the loop's last values.
    let reached = |number: Number, expr: ExprId| {
        number.reached
            && (number.is_exact()
                || ranges.counters_in(expr).iter().all(|local| {
                    access.rounds.contains(local) || context.body.locals[*local].constant.is_some()
                }))
    };
    let first = if reached(start_number, start) { start_number.high } else { start_number.low };
    let step = if reached(stride_number, stride) { stride_number.high } else { stride_number.low };
    let Some(end) = end(first.max(0), step.max(0)) else { return };
    // What is written below zero has been told as that.
    if end <= length || lines::negative_value(context.body, start).is_some() {
        return;
    }
    let array = match context.body.exprs[buffer].kind {
        ExprKind::Global(global) if !context.module.globals[global].name.is_empty() => {
            format!("`{}`", context.module.globals[global].name)
        }
        _ => "the array".to_owned(),
    };
    let least = if start_number.is_exact() && stride_number.is_exact() {
        ""
    } else if first == start_number.high && !start_number.is_exact() {
        ", in the last iteration of the loop"
    } else {
        " at least"
    };
    let message = if first as u64 >= length {
        format!("the matrix starts at element {first}{least}, but {array} has {length} elements")
    } else {
        format!(
            "the matrix ends after element {}{least}, but {array} has {length} elements: it starts at {first}, and {lines} lines of \
             {line_elements} elements are {step} apart",
            end - 1
        )
    };
    findings.push(BodyDiagnostic {
        code: &codes::COOPMAT_EXTENT,
        severity: codes::COOPMAT_EXTENT.severity,
        range: context.body.exprs[start].range,
        message,
        related: context.declared(buffer),
    });
}
