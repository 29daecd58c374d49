//! Numbers and constants that glslang rejects: above limits of its own, of 64 bits, or left to specialization.

use crate::diagnostics::codes;
use crate::extensions::{Rule, instructions};
use crate::hir::{Body, Const, ExprId, ExprKind, Layout, StmtKind, Storage, StructKind};
use crate::text::{TextRange, TextSize};
use crate::types::{ArrayLength, Ty, TypeKind};

use super::refusals::Refusals;
use crate::checks::walk::builtin_call;

/// The highest descriptor set and binding that its qualifiers have room for.
const MOST_SET: u32 = 62;
const MOST_BINDING: u32 = 65_534;
/// It reads sizes as an `int`.
const MOST_SIZE: i64 = i32::MAX as i64;

pub(super) fn declarations(refusals: &mut Refusals<'_>) {
    let module = refusals.module;
    for (_, global) in module.globals.iter() {
        refusals.base = TextSize::new(0);
        layout(refusals, &global.layout, global.name_range);
        if let TypeKind::Struct(structure) = *refusals.kind(innermost(refusals, global.ty))
            && let StructKind::Block { layout: of_block, .. } = &module.structs[structure].kind
        {
            layout(refusals, of_block, global.name_range);
        }
        size(refusals, global.ty, global.name_range);
        // What is declared with `constant_id` is no array.
        if global.storage == Storage::Const
            && matches!(refusals.kind(global.ty), TypeKind::Array(..))
            && global.constant.as_ref().is_some_and(Const::is_specialization)
        {
            let message = "glslang rejects an array outside of functions whose elements are specialized: declare it in the function that reads it";
            refusals.refuse(&codes::GLSLANG_SPECIALIZED_CONSTANT, global.name_range, message.to_owned());
        }
        precision(refusals, global.precision.is_some(), global.ty, global.name_range);
        if let Some(id) = global.constant_id {
            negative_id(refusals, id, global.name_range);
        }
    }
    if let Some(range) = module.local_size.range {
        let ids = module.local_size.dims.iter().filter_map(|dim| dim.constant_id);
        if let Some(id) = ids.into_iter().find(|id| i64::from(*id) > MOST_SIZE) {
            negative_id(refusals, id, range);
        }
    }
    for (_, function) in module.functions.iter() {
        for parameter in &function.parameters {
            precision(refusals, parameter.precision.is_some(), parameter.ty, parameter.name_range);
        }
    }
}

fn negative_id(refusals: &mut Refusals<'_>, id: u32, range: TextRange) {
    if i64::from(id) > MOST_SIZE {
        refusals.refuse(
            &codes::GLSLANG_LIMIT,
            range,
            format!("glslang rejects the id {id}, which it reads as a negative number: expected at most {MOST_SIZE}"),
        );
    }
}

pub(super) fn bodies(refusals: &mut Refusals<'_>, body: &Body) {
    for (_, local) in body.locals.iter() {
        size(refusals, local.ty, local.name_range);
        if !local.parameter {
            precision(refusals, local.precision.is_some(), local.ty, local.name_range);
        }
    }
    for (_, stmt) in body.stmts.iter() {
        if let StmtKind::Case(label) = stmt.kind
            && let Some(scalar) = refusals.module.types.as_scalar(body.exprs[label].ty)
            && scalar.is_integer()
            && scalar.bits() > 32
        {
            refusals.refuse(
                &codes::GLSLANG_LIMIT,
                body.exprs[label].range,
                format!("glslang rejects a label of type `{}`: write it without its suffix", scalar.name()),
            );
        }
    }
    for (id, expr) in body.exprs.iter() {
        match expr.kind {
            ExprKind::Index { base, index } => default_length(refusals, body, base, index),
            ExprKind::Call { .. } => cluster(refusals, body, id),
            _ => {}
        }
    }
}

fn innermost(refusals: &Refusals<'_>, mut ty: Ty) -> Ty {
    while let Some((element, _)) = refusals.module.types.as_array(ty) {
        ty = element;
    }
    ty
}

fn layout(refusals: &mut Refusals<'_>, layout: &Layout, range: TextRange) {
    for (what, value, most) in [("set", layout.set, MOST_SET), ("binding", layout.binding, MOST_BINDING)] {
        if let Some(value) = value.filter(|value| *value > most) {
            refusals.refuse(
                &codes::GLSLANG_LIMIT,
                range,
                format!("glslang rejects `{what} = {value}`: expected at most {most}"),
            );
        }
    }
}

fn size(refusals: &mut Refusals<'_>, mut ty: Ty, range: TextRange) {
    while let Some((element, length)) = refusals.module.types.as_array(ty) {
        if let ArrayLength::Sized(length) = length
            && let Some(length) =
                refusals.module.types.symbols.as_int(length).filter(|length| *length > MOST_SIZE)
        {
            refusals.refuse(
                &codes::GLSLANG_LIMIT,
                range,
                format!("glslang rejects an array of {length} elements: expected at most {MOST_SIZE}"),
            );
        }
        ty = element;
    }
}

/// GLSL 4.60, 4.7.2, lets any floating-point or integer type have one; glslang only those of 32 bits.
fn precision(refusals: &mut Refusals<'_>, stated: bool, ty: Ty, range: TextRange) {
    let element = innermost(refusals, ty);
    if stated
        && let Some(scalar) = refusals.module.types.component(element)
        && scalar.bits() != 32
        && (scalar.is_float() || scalar.is_integer())
    {
        refusals.refuse(
            &codes::GLSLANG_PRECISION,
            range,
            format!("glslang rejects a precision of `{}`: leave it out", scalar.name()),
        );
    }
}

/// `v[4]` of an array whose size is specialized, and 4 by default.
fn default_length(refusals: &mut Refusals<'_>, body: &Body, base: ExprId, index: ExprId) {
    let symbols = &refusals.module.types.symbols;
    if let TypeKind::Array(_, ArrayLength::Sized(length)) = *refusals.kind(body.exprs[base].ty)
        && symbols.as_int(length).is_none()
        && let Some(default) = symbols.default_value(length)
        && let Some(value) = body.exprs[index].constant.as_ref().and_then(Const::as_int)
        && value >= i128::from(default)
    {
        refusals.refuse(
            &codes::GLSLANG_ARRAY_INDEX,
            body.exprs[index].range,
            format!(
                "glslang rejects the index {value}: by default the array has {default} elements, and it does not take specialization into account"
            ),
        );
    }
}

/// `subgroupClusteredAdd(x, N)`; of `subgroupClusteredRotate` glslang takes it.
fn cluster(refusals: &mut Refusals<'_>, body: &Body, call: ExprId) {
    let Some((function, arguments)) = builtin_call(body, call) else { return };
    let refused = function.rule == Some(Rule::SubgroupClustered)
        && function.instruction != instructions::OP_GROUP_NON_UNIFORM_ROTATE_KHR;
    let Some(&size) = arguments.last().filter(|_| refused) else { return };
    if body.exprs[size].constant.as_ref().is_some_and(Const::is_specialization) {
        refusals.refuse(
            &codes::GLSLANG_SPECIALIZED_CONSTANT,
            body.exprs[size].range,
            format!(
                "glslang rejects a size of clusters that is specialized: give `{}` a number",
                function.name
            ),
        );
    }
}
