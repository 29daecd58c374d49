//! The row or column of an element, computed from the invocation's number as one device distributes elements: `coopMatGetCoordinateEXT` gives it on
//! every device.
//!
//! Whether an expression is a row or a column is decided by its values: it is evaluated for every invocation and every element, and has to equal
//! what a device's table says. Who knows the tables hands them in.

mod formula;

use coopmat_analysis::extensions::{self, Rule, ids, values};
use coopmat_analysis::hir::{Body, Const, ExprId, ExprKind, LocalId};
use coopmat_analysis::sources::{NoFiles, Overlay};
use coopmat_analysis::text::{FileId, FileRange};
use coopmat_analysis::types::{Coopmat, Scalar, Ty, TypeKind};
use coopmat_analysis::{Analysis, analyze};

use super::action::{self, Action, ActionKind};
use super::context::{Context, unconverted};
use crate::showing::configured_value;
use crate::{Cursor, TextEdit, edit, extension_lines};
use formula::{At, Formula, scalar};

/// A matrix of a subgroup whose elements some device distributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The type of each element.
    pub component: Scalar,
    /// How many rows it has.
    pub rows: u32,
    /// How many columns it has.
    pub columns: u32,
    /// A value of `gl_MatrixUse...`: 0, 1 and 2 for A, B and accumulators.
    pub usage: i64,
}

/// Which element `m[i]` of each invocation is on a device.
#[derive(Clone, Debug)]
pub struct Table {
    /// What the device is called.
    pub device: String,
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// `m.length()`
    pub length: u32,
    /// Row and column of `m[i]` of each invocation, at `invocation * length + i`.
    pub elements: Vec<(u32, u32)>,
}

/// The tables of a matrix: none of a device that does not know it, and none with places that have no element.
pub type Tables<'t> = dyn Fn(&Shape) -> Vec<Table> + 't;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Row,
    Column,
}

/// A matrix that may be meant, as an argument of the call.
struct Candidate {
    written: String,
    shape: Shape,
    /// Whether its elements are accessed by the very variable.
    indexed: bool,
}

/// What an expression was found to be.
struct Found {
    axis: Axis,
    device: String,
    subgroup_size: u32,
    matrix: String,
}

/// Offers the call for the outermost expression at a place that is a row or a column.
pub fn actions(analysis: &Analysis, range: FileRange, tables: &Tables<'_>) -> Vec<Action> {
    let context = Context::new(analysis, range);
    let action = context.cursors(range).find_map(|cursor| at(&context, &cursor, tables));
    action.filter(|action| is_sound(analysis, &action.edits)).into_iter().collect()
}

fn at(context: &Context<'_>, cursor: &Cursor<'_>, tables: &Tables<'_>) -> Option<Action> {
    let covers = |expr: ExprId| {
        let place = context.analysis.file_range(cursor.body.exprs[expr].range + cursor.base);
        place.file == context.range.file && place.range.contains_range(context.range.range)
    };
    let holding = cursor.expressions().into_iter().rev().map(|(id, _)| id).filter(|id| covers(*id));
    let formula = Formula::new(context.analysis, cursor.function, cursor.body);
    holding.into_iter().find_map(|expr| rewrite(context, cursor, &formula, expr, tables))
}

/// The action for one expression, if it is a formula.
fn rewrite(
    context: &Context<'_>,
    cursor: &Cursor<'_>,
    formula: &Formula<'_>,
    expr: ExprId,
    tables: &Tables<'_>,
) -> Option<Action> {
    let body = cursor.body;
    if matches!(body.exprs[expr].kind, ExprKind::Convert { .. }) {
        return None;
    }
    let ends = formula.ends(expr)?;
    // The number of the invocation alone, under whichever name, is no formula.
    if !ends.invocation || formula.is_bare(expr) {
        return None;
    }
    let loops = match ends.variables.as_slice() {
        [] => formula::loops_around(body, expr),
        &[variable] => vec![variable],
        _ => return None,
    };
    let depends = !ends.variables.is_empty();
    let (element, found) = loops.into_iter().find_map(|element| {
        let candidates = candidates(context, cursor, formula, expr, element);
        // What is the same for all elements is a coordinate only next to the other one.
        let others = if depends { Vec::new() } else { formula.of_variable(element) };
        Some((element, find(formula, expr, element, &candidates, depends, &others, tables)?))
    })?;
    // What a variable is initialized with, rather than one of its uses.
    let place = match formula.initializer(expr) {
        Some(initializer) if depends => unconverted(body, initializer),
        _ => expr,
    };
    let name = visible(body, element, place)?;
    let index = match scalar(context.analysis, body.locals[element].ty)? {
        Scalar::Int32 | Scalar::Uint32 => name.to_owned(),
        _ => format!("uint({name})"),
    };
    let function = extensions::function_of(Rule::CoopMatCoordinate)?;
    let (axis, component) = match found.axis {
        Axis::Row => ("row", "x"),
        Axis::Column => ("column", "y"),
    };
    let call = format!("{function}({}, {index}).{component}", found.matrix);
    let text = match scalar(context.analysis, body.exprs[place].ty)? {
        Scalar::Uint32 => call,
        other => format!("{}({call})", other.name()),
    };
    let range = context.editable_expr(cursor, place)?;
    let mut edits = vec![TextEdit { range, text }];
    let extension = ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1;
    if !context.enables(extension) {
        edits.push(extension_lines::enable(context.analysis, range.file, extension.name()));
    }
    let title = format!(
        "Get the {axis} from `{function}`: this formula is that of {} with subgroups of {}",
        found.device, found.subgroup_size
    );
    Some(action::rewrite(title, ActionKind::Rewrite, edits))
}

/// The first matrix and device by whose table the expression is a row or a column; where it does not depend on the element, one that has its elements
/// accessed by the variable, or of which another expression is the other coordinate.
fn find(
    formula: &Formula<'_>,
    expr: ExprId,
    element: LocalId,
    candidates: &[Candidate],
    depends: bool,
    others: &[ExprId],
    tables: &Tables<'_>,
) -> Option<Found> {
    candidates.iter().find_map(|candidate| {
        tables(&candidate.shape).into_iter().find_map(|table| {
            let own = axis(formula, expr, element, &table)?;
            let is_other =
                |&other: &ExprId| axis(formula, other, element, &table).is_some_and(|axis| axis != own);
            if !depends && !candidate.indexed && !others.iter().any(is_other) {
                return None;
            }
            let Table { device, subgroup_size, .. } = table;
            Some(Found { axis: own, device, subgroup_size, matrix: candidate.written.clone() })
        })
    })
}

fn axis(formula: &Formula<'_>, expr: ExprId, element: LocalId, table: &Table) -> Option<Axis> {
    let (mut is_row, mut is_column) = (true, true);
    for (place, &(row, column)) in (0u32..).zip(&table.elements) {
        let (invocation, index) = (place / table.length, place % table.length);
        let at = At { invocation, subgroup_size: table.subgroup_size, element: Some((element, index)) };
        let Const::Int(value) = formula.value(expr, &at)? else { return None };
        is_row &= value == i128::from(row);
        is_column &= value == i128::from(column);
        if !is_row && !is_column {
            return None;
        }
    }
    let axis = if is_row { Axis::Row } else { Axis::Column };
    (!table.elements.is_empty()).then_some(axis)
}

/// The matrices of which a variable may count the elements: those that it is an index of, else the types whose elements the shader accesses with
/// other variables, accumulators first.
fn candidates(
    context: &Context<'_>,
    cursor: &Cursor<'_>,
    formula: &Formula<'_>,
    expr: ExprId,
    element: LocalId,
) -> Vec<Candidate> {
    let analysis = context.analysis;
    let place = formula.initializer(expr).unwrap_or(expr);
    let mut candidates: Vec<Candidate> = Vec::new();
    for (body, _, function) in analysis.module.bodies() {
        for (_, node) in body.exprs.iter() {
            let ExprKind::Index { base, index } = node.kind else { continue };
            let ty = body.exprs[base].ty;
            let Some(shape) = shape(analysis, ty).filter(|_| body.exprs[index].constant.is_none()) else {
                continue;
            };
            let indexed = function == cursor.function
                && body.exprs[unconverted(body, index)].kind == ExprKind::Local(element);
            let named = if indexed { name_of(context, cursor, base, place) } else { None };
            let written = named.unwrap_or_else(|| zero(context, ty, &shape));
            if candidates.iter().all(|known| known.written != written || known.indexed != indexed) {
                candidates.push(Candidate { written, shape, indexed });
            }
        }
    }
    if candidates.iter().any(|candidate| candidate.indexed) {
        candidates.retain(|candidate| candidate.indexed);
    }
    candidates.sort_by_key(|candidate| candidate.shape.usage != values::GL_MATRIX_USE_ACCUMULATOR);
    candidates
}

/// A matrix of a type, where none is at hand: its elements do not matter.
fn zero(context: &Context<'_>, ty: Ty, shape: &Shape) -> String {
    format!("{}({})", context.code(ty), if shape.component.is_float() { "0.0" } else { "0" })
}

/// The name of a matrix, where it means the same at a place.
fn name_of(context: &Context<'_>, cursor: &Cursor<'_>, matrix: ExprId, place: ExprId) -> Option<String> {
    match cursor.body.exprs[matrix].kind {
        ExprKind::Local(local) => visible(cursor.body, local, place).map(str::to_owned),
        ExprKind::Global(global) => Some(context.analysis.module.globals[global].name.to_string()),
        _ => None,
    }
}

/// The name of a variable, if it is declared before a place, and no other one of this name in between.
fn visible(body: &Body, local: LocalId, place: ExprId) -> Option<&str> {
    let declared = &body.locals[local];
    let end = body.exprs[place].range.start();
    let last = body
        .locals
        .iter()
        .filter(|(_, other)| other.name == declared.name && other.name_range.start() < end)
        .max_by_key(|(_, other)| other.name_range.start());
    last.filter(|(found, _)| *found == local).map(|_| declared.name.as_str())
}

/// A matrix of a subgroup, with sizes that the configuration knows.
fn shape(analysis: &Analysis, ty: Ty) -> Option<Shape> {
    let TypeKind::Coopmat(matrix) = analysis.module.types.kind(ty) else { return None };
    let Coopmat { component, scope, rows, columns, usage } = *matrix;
    if configured_value(analysis, scope)? != values::GL_SCOPE_SUBGROUP {
        return None;
    }
    let size = |sym| configured_value(analysis, sym).and_then(|size| u32::try_from(size).ok());
    let usage = configured_value(analysis, usage)?;
    Some(Shape { component, rows: size(rows)?, columns: size(columns)?, usage })
}

/// Whether the shader is reported nothing new after the edits: the call may stand where not all invocations come together.
fn is_sound(analysis: &Analysis, edits: &[TextEdit]) -> bool {
    let changed = analysis.files().iter().map(|(id, file)| {
        let own = edits.iter().filter(|edit| edit.range.file == id);
        (file.path.to_string(), edit::apply(&file.text, own).into())
    });
    let files = Overlay::new(&NoFiles, changed.collect::<Vec<_>>());
    let root = &analysis.files()[FileId::ROOT];
    let own = edits.iter().filter(|edit| edit.range.file == FileId::ROOT);
    let text = edit::apply(&root.text, own);
    let after = analyze(&root.path, text.into(), &analysis.config, &files, None);
    let reported = |analysis: &Analysis| {
        let mut codes: Vec<&str> =
            analysis.all_diagnostics().filter(|it| it.code.tag.is_none()).map(|it| it.code.id).collect();
        codes.sort_unstable();
        codes
    };
    let mut before = reported(analysis).into_iter().peekable();
    // What is reported after is a part of what was reported before.
    reported(&after).into_iter().all(|code| {
        while before.next_if(|known| *known < code).is_some() {}
        before.next_if(|known| *known == code).is_some()
    })
}
