//! Rewrites a shader of GL_NV_cooperative_matrix (and its integer companion) for GL_KHR_cooperative_matrix, which replaces it.
//!
//! The older types do not tell their use: it follows from where a matrix stands in a multiply-add.

use rustc_hash::FxHashMap;
use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::{Cursor, TextEdit};
use coopmat_analysis::extensions::{self, ExtensionId, Rule, constants, ids};
use coopmat_analysis::hir::{Callee, Const, ExprId, ExprKind, FunctionId};
use coopmat_analysis::text::TextRange;
use coopmat_analysis::types::{CoopmatNv, ScalarClassNv, TypeKind};

use super::action::{self, Action, ActionKind};
use super::context::{Context, field_children, node_range};
use super::declaration;
use super::matrix_operands::USE_CONSTANTS;

const FLOATS: ExtensionId = ids::GL_NV_COOPERATIVE_MATRIX;
const INTEGERS: ExtensionId = ids::GL_NV_INTEGER_COOPERATIVE_MATRIX;
const KHR: ExtensionId = ids::GL_KHR_COOPERATIVE_MATRIX;

/// Definitions by the place of their names in the expanded text, with their use.
type Uses = FxHashMap<TextRange, usize>;

pub fn rewrite(context: &Context<'_>, actions: &mut Vec<Action>) {
    if !context.enables(FLOATS) || !is_about(context) {
        return;
    }
    if let Some(edits) = edits(context) {
        let title = format!("Replace {FLOATS} by {KHR} in this shader");
        actions.push(action::rewrite(title, ActionKind::Rewrite, edits));
    }
}

/// Whether the cursor is on a name of the older extension.
fn is_about(context: &Context<'_>) -> bool {
    let name = context.word();
    [FLOATS.name(), INTEGERS.name()].contains(&name)
        || name.ends_with("coopmatNV")
        || extensions::functions(name).any(|(_, function)| function.is_provided_by(FLOATS))
}

fn edits(context: &Context<'_>) -> Option<Vec<TextEdit>> {
    let mut edits = Vec::new();
    for event in &context.analysis.preprocessed.extensions {
        if event.name == FLOATS.name() {
            edits.push(TextEdit { range: event.name_range, text: KHR.name().to_owned() });
        } else if event.name == INTEGERS.name() {
            edits.push(TextEdit { range: context.whole_line(event.range), text: String::new() });
        }
    }
    let uses = uses(context);
    let tree = context.analysis.tree.as_ref()?;
    let mut stack = vec![tree.root_node()];
    while let Some(node) = stack.pop() {
        if node.kind_id() == kind::GENERIC_TYPE && is_older(context, node) {
            edits.push(khr_type(context, node, &uses)?);
            continue;
        }
        let mut walk = node.walk();
        stack.extend(node.children(&mut walk));
    }
    for (body, base, function) in context.analysis.module.bodies() {
        for (_, expr) in body.exprs.iter() {
            if let ExprKind::Call { callee: Callee::Builtin(id), arguments } = &expr.kind {
                let cursor = Cursor { analysis: context.analysis, offset: base, function, body, base };
                call(context, &cursor, expr.range + base, *id, arguments, &mut edits)?;
            }
        }
    }
    edits.sort_by_key(|edit| (edit.range.file, edit.range.range.start()));
    edits.dedup();
    Some(edits)
}

fn is_older(context: &Context<'_>, node: Node<'_>) -> bool {
    let name = node.child_by_field_id(field::NAME).and_then(|name| node_text(context, name));
    name.is_some_and(|name| name.ends_with("coopmatNV"))
}

fn node_text<'a>(context: &Context<'a>, node: Node<'_>) -> Option<&'a str> {
    context.analysis.preprocessed.text.get(node.byte_range())
}

/// What each matrix is used as in the multiply-adds of the shader.
fn uses(context: &Context<'_>) -> Uses {
    let mut uses = Uses::default();
    for (body, base, function) in context.analysis.module.bodies() {
        let cursor = Cursor { analysis: context.analysis, offset: base, function, body, base };
        for (_, expr) in body.exprs.iter() {
            let ExprKind::Call { callee: Callee::Builtin(id), arguments } = &expr.kind else { continue };
            if extensions::function(*id).rule != Some(Rule::CoopMatMulAddNv) {
                continue;
            }
            for (usage, &argument) in arguments.iter().take(3).enumerate() {
                if let Some(place) = declared_at(context, &cursor, function, argument) {
                    uses.insert(place, usage);
                }
            }
        }
    }
    uses
}

fn declared_at(
    context: &Context<'_>,
    cursor: &Cursor<'_>,
    function: Option<FunctionId>,
    expr: ExprId,
) -> Option<TextRange> {
    let (definition, _) = declaration::declared(cursor, expr)?;
    context.analysis.module.definition_range(&definition, function)
}

/// The KHR type in place of an older one.
fn khr_type(context: &Context<'_>, node: Node<'_>, uses: &Uses) -> Option<TextEdit> {
    let name = node_text(context, node.child_by_field_id(field::NAME)?)?;
    let arguments = field_children(node, field::ARGUMENT);
    let &[bits, scope, rows, columns] = arguments.as_slice() else { return None };
    let written = |node: Node<'_>| Some(context.text(context.editable(node_range(node))?));
    let class = match name {
        "fcoopmatNV" => ScalarClassNv::Float,
        "icoopmatNV" => ScalarClassNv::Signed,
        _ => ScalarClassNv::Unsigned,
    };
    let bits = matrix_bits(context, node).or_else(|| node_text(context, bits)?.trim().parse().ok())?;
    let component = component(class, bits)?;
    let usage = USE_CONSTANTS[usage(context, node, uses)].name();
    let text = format!(
        "coopmat<{component}, {}, {}, {}, {usage}>",
        written(scope)?,
        written(rows)?,
        written(columns)?
    );
    Some(TextEdit { range: context.editable(node_range(node))?, text })
}

/// The number of bits where it is not written as a number.
fn matrix_bits(context: &Context<'_>, node: Node<'_>) -> Option<i64> {
    let cursor = Cursor::new(context.analysis, node_range(node).start());
    let types = &context.analysis.module.types;
    let ty = cursor.body.exprs.iter().find_map(|(_, expr)| match types.kind(expr.ty) {
        TypeKind::CoopmatNv(matrix) if (expr.range + cursor.base).start() == node_range(node).start() => {
            Some(*matrix)
        }
        _ => None,
    });
    let CoopmatNv { bits, .. } = ty?;
    types.symbols.as_int(bits)
}

fn component(class: ScalarClassNv, bits: i64) -> Option<&'static str> {
    Some(match (class, bits) {
        (ScalarClassNv::Float, 16) => "float16_t",
        (ScalarClassNv::Float, 32) => "float",
        (ScalarClassNv::Float, 64) => "double",
        (ScalarClassNv::Signed, 8) => "int8_t",
        (ScalarClassNv::Signed, 16) => "int16_t",
        (ScalarClassNv::Signed, 32) => "int",
        (ScalarClassNv::Unsigned, 8) => "uint8_t",
        (ScalarClassNv::Unsigned, 16) => "uint16_t",
        (ScalarClassNv::Unsigned, 32) => "uint",
        _ => return None,
    })
}

/// The use of what a type is written for: of the variables that it declares, or of what a constructor's value goes to. A matrix that
/// takes part in no multiply-add is read and written element by element, as accumulators are.
fn usage(context: &Context<'_>, node: Node<'_>, uses: &Uses) -> usize {
    const ACCUMULATOR: usize = 2;
    let declarations = [kind::DECLARATION, kind::PARAMETER, kind::MEMBER_DECLARATION];
    if let Some(holder) = context.node(node_range(node), &declarations) {
        let names: Vec<TextRange> = field_children(holder, field::DECLARATOR)
            .into_iter()
            .chain(std::iter::once(holder))
            .filter_map(|declarator| declarator.child_by_field_id(field::NAME))
            .map(node_range)
            .collect();
        if let Some(&usage) = names.iter().find_map(|name| uses.get(name)) {
            return usage;
        }
    }
    if let Some(assignment) = context.node(node_range(node), &[kind::ASSIGNMENT_EXPRESSION]) {
        let cursor = Cursor::new(context.analysis, node_range(assignment).start());
        let target = cursor.body.exprs.iter().find_map(|(_, expr)| match expr.kind {
            ExprKind::Assign { target, .. } if expr.range + cursor.base == node_range(assignment) => {
                Some(target)
            }
            _ => None,
        });
        let place = target.and_then(|target| declared_at(context, &cursor, cursor.function, target));
        if let Some(&usage) = place.and_then(|place| uses.get(&place)) {
            return usage;
        }
    }
    ACCUMULATOR
}

/// The KHR function in place of an older one, and its layout in place of a flag.
fn call(
    context: &Context<'_>,
    cursor: &Cursor<'_>,
    range: TextRange,
    id: extensions::BuiltinFunctionId,
    arguments: &[ExprId],
    edits: &mut Vec<TextEdit>,
) -> Option<()> {
    let function = extensions::function(id);
    let (rule, layout) = match function.rule {
        Some(Rule::CoopMatLoadNv) => (Rule::CoopMatLoad, true),
        Some(Rule::CoopMatStoreNv) => (Rule::CoopMatStore, true),
        Some(Rule::CoopMatMulAddNv) => (Rule::CoopMatMulAdd, false),
        _ => return Some(()),
    };
    let name = extensions::function_of(rule)?;
    let start = TextRange::at(range.start(), (function.name.len() as u32).into());
    edits.push(TextEdit { range: context.editable(start)?, text: name.to_owned() });
    if layout {
        let &flag = arguments.get(4)?;
        let place = context.editable_expr(cursor, flag)?;
        let columns = constants::GL_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR.name();
        let rows = constants::GL_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR.name();
        let text = match cursor.body.exprs[flag].constant {
            Some(Const::Bool(true)) => columns.to_owned(),
            Some(Const::Bool(false)) => rows.to_owned(),
            _ => format!("({}) ? {columns} : {rows}", context.text(place)),
        };
        edits.push(TextEdit { range: place, text });
    }
    Some(())
}
