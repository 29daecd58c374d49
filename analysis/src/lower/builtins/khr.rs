//! GL_KHR_cooperative_matrix: loads, stores and the multiply-add. Sections are those of the extension's text.

use crate::diagnostics::{Severity, codes};
use crate::extensions::values::{
    GL_COOPERATIVE_MATRIX_LAYOUT_COLUMN_BLOCKED_INTERLEAVED_ARM as COLUMN_BLOCKED,
    GL_COOPERATIVE_MATRIX_LAYOUT_ROW_BLOCKED_INTERLEAVED_ARM as ROW_BLOCKED,
};
use crate::extensions::{self, sets};
use crate::hir::{Const, ExprId, RemedyKind};
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::matrices::lines::{Line, alignment, line_bytes, negative_value};
use crate::matrices::memory::{Memory, MemoryPlace};
use crate::symbolic::Sym;
use crate::types::{Scalar, Ty};

use super::matrix::{
    self, Operand, Relation, USE_A, USE_ACCUMULATOR, USE_B, check_use, constant_of, known_value,
    matrix_argument, relation, report_relation, report_sizes, shape_text, size_text,
};
use super::memory::{self, Element};

pub(super) fn load(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    access(lowerer, call, false)
}

pub(super) fn store(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    access(lowerer, call, true)
}

/// `coopMatLoad(m, buf, element, stride, matrixLayout)` and the store of the same arguments.
fn access(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>, store: bool) -> Ty {
    let function = extensions::function(call.function).name;
    let operand = matrix_argument(lowerer, call, 0);
    let Some(&buffer) = call.arguments.get(1) else { return call.result };
    let place = memory::check_place(lowerer, buffer, function, store);
    let element = memory::check_element(lowerer, buffer, call.arguments.get(2).copied(), function, false);
    let layout = call.arguments.get(4).and_then(|&layout| memory_layout(lowerer, layout));
    if let Some(&start) = call.arguments.get(2)
        && let Some(value) = negative_value(&lowerer.body, start)
    {
        let range = lowerer.range_of(start);
        let message = format!("the matrix starts at element {value}, but `element` is unsigned");
        lowerer.report(&codes::COOPMAT_EXTENT, range, message);
        return call.result;
    }
    if let (Some(operand), Some(element), Some(layout), &[_, _, start, stride, ..]) =
        (operand, element, layout, call.arguments)
    {
        let Some(line) = Line::of(operand.matrix, layout) else {
            check_blocks(lowerer, &operand, layout, stride);
            return call.result;
        };
        check_stride(lowerer, &operand, element, line, stride, store);
        check_start(lowerer, &operand, element, line, start, &place);
    }
    call.result
}

/// The value of `matrixLayout`, where it is known; reports what cannot be one.
fn memory_layout(lowerer: &mut Lowerer<'_>, layout: ExprId) -> Option<i64> {
    let range = lowerer.range_of(layout);
    let Some(sym) = constant_of(lowerer, layout) else {
        lowerer.report(
            &codes::COOPMAT_LAYOUT_CONSTANT,
            range,
            "the memory layout must be a constant or specialization-constant expression".to_owned(),
        );
        return None;
    };
    let known = lowerer.types.symbols.as_int(sym);
    let value = known.or_else(|| lowerer.config.value_of(&lowerer.types.symbols, sym))?;
    if sets::GL_COOPERATIVE_MATRIX_LAYOUT.with_value(value).is_some() {
        return known;
    }
    let condition = if known.is_some() { "" } else { " under the default values" };
    let message = format!(
        "no memory layout has the value {value}: expected `gl_CooperativeMatrixLayoutRowMajor` (0) or \
         `gl_CooperativeMatrixLayoutColumnMajor` (1){condition}"
    );
    let severity = if known.is_some() { codes::COOPMAT_LAYOUT_VALUE.severity } else { Severity::Hint };
    lowerer.report_as(&codes::COOPMAT_LAYOUT_VALUE, severity, range, message, Vec::new());
    None
}

/// A stride below the length of a line, and one that is not aligned (VUID 08986). Both count in elements of the array.
fn check_stride(
    lowerer: &mut Lowerer<'_>,
    operand: &Operand,
    element: Element,
    line: Line,
    stride: ExprId,
    store: bool,
) {
    if let Some(value) = negative_value(&lowerer.body, stride) {
        let range = lowerer.range_of(stride);
        let message = format!("the stride {value} is negative, but strides are unsigned");
        return lowerer.report(&codes::COOPMAT_STRIDE, range, message);
    }
    let Some(sym) = constant_of(lowerer, stride) else { return };
    let Some((line_bytes, line_known)) =
        line_bytes(&lowerer.types.symbols, lowerer.config, operand.matrix, line)
    else {
        return;
    };
    let stride_known = lowerer.types.symbols.as_int(sym).is_some();
    let Some(value) =
        lowerer.config.value_of(&lowerer.types.symbols, sym).and_then(|value| u64::try_from(value).ok())
    else {
        return;
    };
    // A single line is not followed by another.
    if lowerer.config.value_of(&lowerer.types.symbols, line.count) == Some(1) {
        return;
    }
    let range = lowerer.range_of(stride);
    let known = line_known && stride_known;
    let Some(stride_bytes) = value.checked_mul(element.bytes()) else { return };
    let stride_text = size_text(lowerer, sym);
    let stride_text = if stride_text.contains(' ') { format!("({stride_text})") } else { stride_text };
    let what =
        format!("the stride is {stride_text} x {} = {stride_bytes} bytes", lowerer.display(element.ty));
    let (name, component) = (line.name, operand.matrix.component.name());
    let length = size_text(lowerer, line.size);
    if stride_bytes < line_bytes {
        // A load with a stride of 0 repeats one line, which is defined.
        if value == 0 && !store {
            return;
        }
        let severity = if known { codes::COOPMAT_STRIDE.severity } else { Severity::Hint };
        let condition = if known { "" } else { " under the default values" };
        let related = matrix::declarations(lowerer, &[operand.expr]);
        lowerer.report_as(
            &codes::COOPMAT_STRIDE,
            severity,
            range,
            format!("{what}, but a {name} of {length} {component} takes {line_bytes} bytes{condition}"),
            related,
        );
    } else if known
        && let Some(align) = alignment(line_bytes)
        && !stride_bytes.is_multiple_of(align)
    {
        lowerer.report(
            &codes::COOPMAT_ALIGNMENT,
            range,
            format!("{what}, which is not a multiple of {align} bytes (the smaller of 16 bytes and a {name} of {length} {component})"),
        );
    }
}

/// SPV_ARM_cooperative_matrix_layouts, section 2.16.1: how many blocks are interleaved, and matrices that are whole blocks. Errors, since a rule of all
/// modules is broken, on whatever device.
fn check_blocks(lowerer: &mut Lowerer<'_>, operand: &Operand, layout: i64, stride: ExprId) {
    if !matches!(layout, ROW_BLOCKED | COLUMN_BLOCKED) {
        return;
    }
    let range = lowerer.range_of(stride);
    let Some(sym) = constant_of(lowerer, stride) else {
        let message =
            "the stride of a layout with interleaved blocks must be a constant: 1, 2 or 4".to_owned();
        lowerer.report_as(&codes::COOPMAT_STRIDE, Severity::Error, range, message, Vec::new());
        return;
    };
    let Some(blocks) = lowerer.types.symbols.as_int(sym) else { return };
    if !matches!(blocks, 1 | 2 | 4) {
        let message =
            format!("the stride of a layout with interleaved blocks must be 1, 2 or 4, not {blocks}");
        lowerer.report_as(&codes::COOPMAT_STRIDE, Severity::Error, range, message, Vec::new());
        return;
    }
    // A block is 4 rows of 16 bytes; those that are interleaved are neighbours in a row, or in a column.
    let wide = i64::from(16 / operand.matrix.component.bytes().max(1));
    let (rows, columns) = if layout == ROW_BLOCKED { (4, wide * blocks) } else { (4 * blocks, wide) };
    for (size, of, name) in
        [(operand.matrix.rows, rows, "rows"), (operand.matrix.columns, columns, "columns")]
    {
        if let Some(value) = lowerer.types.symbols.as_int(size)
            && value % of != 0
        {
            let message = format!(
                "the matrix is {}, but with {blocks} interleaved blocks of 4 rows and {wide} columns its number of {name} must be a multiple \
                 of {of}",
                shape_text(lowerer, operand.matrix)
            );
            let related = matrix::declarations(lowerer, &[operand.expr]);
            lowerer.report_as(&codes::COOPMAT_STRIDE, Severity::Error, operand.range, message, related);
        }
    }
}

/// The start of a matrix in a storage buffer.
fn check_start(
    lowerer: &mut Lowerer<'_>,
    operand: &Operand,
    element: Element,
    line: Line,
    start: ExprId,
    place: &MemoryPlace,
) {
    if place.memory != Memory::StorageBuffer || !place.at_start {
        return;
    }
    let Some(value) = known_value(lowerer, start).and_then(|value| u64::try_from(value).ok()) else { return };
    let Some((line_bytes, true)) = line_bytes(&lowerer.types.symbols, lowerer.config, operand.matrix, line)
    else {
        return;
    };
    let Some(offset) = value.checked_mul(element.bytes()) else { return };
    if let Some(align) = alignment(line_bytes)
        && !offset.is_multiple_of(align)
    {
        let range = lowerer.range_of(start);
        let (name, component) = (line.name, operand.matrix.component.name());
        let message = format!(
            "the matrix starts at {value} x {} = {offset} bytes, which is not a multiple of {align} bytes (the smaller of 16 \
             bytes and a {name} of {} {component})",
            lowerer.display(element.ty),
            size_text(lowerer, line.size),
        );
        lowerer.report(&codes::COOPMAT_ALIGNMENT, range, message);
    }
}

/// `coopMatMulAdd(A, B, C, operands)`: section 8.X.
pub(super) fn mul_add(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let a = matrix_argument(lowerer, call, 0);
    let b = matrix_argument(lowerer, call, 1);
    let c = matrix_argument(lowerer, call, 2);
    if let (Some(a), Some(b), Some(c)) = (&a, &b, &c)
        && let Some(result) = reordered_operands(lowerer, [a, b, c])
    {
        return result;
    }
    let mut uses_fit = true;
    for (operand, name, expected) in
        [(&a, "operand A", USE_A), (&b, "operand B", USE_B), (&c, "operand C", USE_ACCUMULATOR)]
    {
        if let Some(operand) = operand {
            uses_fit &= check_use(lowerer, &codes::COOPMAT_OPERAND_USE, name, operand, expected);
        }
    }
    // The shape of a matrix that belongs elsewhere says nothing.
    if uses_fit {
        check_shapes(lowerer, &a, &b, &c);
    }
    if let Some(a) = &a {
        for (other, name) in [(&b, "B"), (&c, "C")] {
            if let Some(other) = other {
                check_scope(lowerer, a, other, name);
                check_component(lowerer, a, other, name);
            }
        }
    }
    if let Some(&mask) = call.arguments.get(3) {
        check_mask(lowerer, mask, c.map(|c| c.matrix.component));
    }
    c.map_or(Ty::ERROR, |c| c.ty)
}

/// Operands of all three uses in another order than A, B, C: one mistake. The type of the result, which is C's.
fn reordered_operands(lowerer: &mut Lowerer<'_>, operands: [&Operand; 3]) -> Option<Ty> {
    let symbols = &lowerer.types.symbols;
    let with =
        |usage| operands.iter().position(|operand| symbols.as_int(operand.matrix.usage) == Some(usage));
    let order = [with(USE_A)?, with(USE_B)?, with(USE_ACCUMULATOR)?];
    let moved: Vec<_> = order.iter().enumerate().filter(|&(place, &from)| place != from).collect();
    let ranges = moved.iter().map(|&(place, _)| operands[place].range);
    let range = ranges.reduce(|all, one| all.cover(one))?;
    let found = operands.map(|operand| match symbols.as_int(operand.matrix.usage) {
        Some(USE_A) => "A",
        Some(USE_B) => "B",
        _ => "C",
    });
    let message =
        format!("the operands are in the order {}: expected A, B, C, by their uses", found.join(", "));
    let moves = moved.iter().map(|&(place, &from)| (operands[place].range, operands[from].range)).collect();
    let related = matrix::declarations(lowerer, &operands.map(|operand| operand.expr));
    lowerer.remedy(&codes::COOPMAT_OPERAND_USE, range, RemedyKind::Reorder(moves));
    lowerer.report_with(&codes::COOPMAT_OPERAND_USE, range, message, related);
    Some(operands[order[2]].ty)
}

fn check_shapes(lowerer: &mut Lowerer<'_>, a: &Option<Operand>, b: &Option<Operand>, c: &Option<Operand>) {
    if let (Some(a), Some(b)) = (a, b) {
        let relation = relation(lowerer, a.matrix.columns, b.matrix.rows);
        if matches!(relation, Relation::Different | Relation::Depends { .. }) {
            let sizes = Sizes::new(lowerer, a.matrix.columns, b.matrix.rows);
            let message = format!(
                "A is {} but B is {}: {}",
                shape_text(lowerer, a.matrix),
                shape_text(lowerer, b.matrix),
                sizes.rule(relation, "A's columns", "B's rows", "K")
            );
            report_sizes(
                lowerer,
                &codes::COOPMAT_MULADD_SHAPE,
                (a.matrix.columns, b.matrix.rows),
                b.range,
                message,
                &[a.expr, b.expr],
            );
        }
    }
    let Some(c) = c else { return };
    let pairs = [(a, "A", "C's rows", "A's rows", "M"), (b, "B", "C's columns", "B's columns", "N")];
    for (other, name, mine, theirs, dimension) in pairs {
        let Some(other) = other else { continue };
        let (size, expected) = match dimension {
            "M" => (c.matrix.rows, other.matrix.rows),
            _ => (c.matrix.columns, other.matrix.columns),
        };
        let relation = relation(lowerer, size, expected);
        if matches!(relation, Relation::Different | Relation::Depends { .. }) {
            let sizes = Sizes::new(lowerer, size, expected);
            let message = format!(
                "C is {} but {name} is {}: {}",
                shape_text(lowerer, c.matrix),
                shape_text(lowerer, other.matrix),
                sizes.rule(relation, mine, theirs, dimension)
            );
            report_sizes(
                lowerer,
                &codes::COOPMAT_MULADD_SHAPE,
                (size, expected),
                c.range,
                message,
                &[c.expr, other.expr],
            );
        }
    }
}

/// Two sizes in words.
struct Sizes {
    first: String,
    second: String,
}

impl Sizes {
    fn new(lowerer: &Lowerer<'_>, first: Sym, second: Sym) -> Sizes {
        Sizes { first: size_text(lowerer, first), second: size_text(lowerer, second) }
    }

    fn rule(&self, relation: Relation, first: &str, second: &str, dimension: &str) -> String {
        let Sizes { first: a, second: b } = self;
        match relation {
            Relation::Different => format!("{first} ({a}) must equal {second} ({b})"),
            _ => format!(
                "{first} must equal {second}, which depends on specialization ({dimension}: {a} vs {b})"
            ),
        }
    }
}

fn check_scope(lowerer: &mut Lowerer<'_>, a: &Operand, other: &Operand, name: &str) {
    let relation = relation(lowerer, a.matrix.scope, other.matrix.scope);
    if relation.differs_by_default() {
        let message = format!(
            "A has scope {} but {name} has {}: the operands of a multiply-add must have the same scope",
            matrix::scope_text(lowerer, a.matrix.scope),
            matrix::scope_text(lowerer, other.matrix.scope)
        );
        report_relation(
            lowerer,
            &codes::COOPMAT_MULADD_SCOPE,
            relation,
            other.range,
            message,
            &[a.expr, other.expr],
        );
    }
}

/// Which combinations exist is the device's to say; integers with floats are none that any is known to have.
fn check_component(lowerer: &mut Lowerer<'_>, a: &Operand, other: &Operand, name: &str) {
    let (left, right) = (a.matrix.component, other.matrix.component);
    if left.is_float() == right.is_float() || left == Scalar::Bool || right == Scalar::Bool {
        return;
    }
    let related = matrix::declarations(lowerer, &[a.expr, other.expr]);
    lowerer.report_with(
        &codes::COOPMAT_MULADD_COMPONENT,
        other.range,
        format!(
            "A has components of {} but {name} of {}: no known device multiplies integers with floats",
            left.name(),
            right.name()
        ),
        related,
    );
}

const SATURATING_ACCUMULATION: i128 = 0x10;

/// The mask is a literal of the instruction, so not even specialization may decide it.
fn check_mask(lowerer: &mut Lowerer<'_>, mask: ExprId, component: Option<Scalar>) {
    let range = lowerer.range_of(mask);
    let message = match &lowerer.body.exprs[mask].constant {
        Some(Const::Int(0)) => return,
        Some(Const::Int(SATURATING_ACCUMULATION)) => {
            if let Some(component) = component
                && component.is_float()
            {
                lowerer.report_as(
                    &codes::COOPMAT_MULADD_OPERANDS,
                    Severity::Information,
                    range,
                    format!(
                        "saturation is only defined for integers, but C has components of {}",
                        component.name()
                    ),
                    Vec::new(),
                );
            }
            return;
        }
        Some(Const::Int(value)) => {
            format!(
                "the operands mask is {value:#x}: expected 0 or `gl_MatrixOperandsSaturatingAccumulation` (0x10)"
            )
        }
        _ => "the operands mask must be a constant expression that does not depend on specialization"
            .to_owned(),
    };
    lowerer.report(&codes::COOPMAT_MULADD_OPERANDS, range, message);
}
