//! Hover: what a person reads over a name, a call, a macro, an include.
//!
//! `declaration` tells of names of the program, `matrix` of shapes, `call` of built-ins and their arguments, `preprocessor` of
//! macros, includes and extensions, `words` of the words of the language.

pub(crate) mod call;
pub(crate) mod declaration;
pub(crate) mod matrix;
mod preprocessor;
#[cfg(test)]
mod tests;
mod words;

pub(super) use declaration::source_line;

use crate::showing::{code, show, value_suffix};
use crate::{Cursor, portability};
use coopmat_analysis::Analysis;
use coopmat_analysis::hir::{Definition, ExprKind};
use coopmat_analysis::text::{FilePosition, FileRange, TextSize};
use coopmat_analysis::types::{Ty, TypeKind};

/// What is shown over a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about.
    pub range: FileRange,
    /// As GitHub reads it; code is in blocks of `glsl`.
    pub markdown: String,
}

/// What there is to say about a place.
pub fn hover(analysis: &Analysis, position: FilePosition) -> Option<Hover> {
    if let Some(hover) = preprocessor::hover(analysis, position) {
        return Some(hover);
    }
    Cursor::at(analysis, position)
        .find_map(|cursor| named(&cursor))
        .or_else(|| words::hover(analysis, position))
        .or_else(|| Cursor::at(analysis, position).find_map(|cursor| between_names(&cursor)))
}

/// What there is to say about a place of the expanded text.
pub(super) fn at_expanded(analysis: &Analysis, offset: TextSize) -> Option<Hover> {
    let cursor = Cursor::new(analysis, offset);
    named(&cursor).or_else(|| between_names(&cursor))
}

/// The name at the cursor.
fn named(cursor: &Cursor<'_>) -> Option<Hover> {
    let (range, definition) = cursor.name()?;
    let devices = portability::hover(cursor, range, &definition);
    let mut markdown = match definition {
        Definition::BuiltinFunction(id) => call::builtin(cursor, id),
        definition => declaration::describe(cursor, &definition)?,
    };
    if let Some(argument) = call::argument(cursor) {
        markdown.push_str("\n\n");
        markdown.push_str(&argument);
    }
    if let Some(devices) = devices {
        markdown.push_str("\n\n---\n\n");
        markdown.push_str(&devices);
    }
    Some(Hover { range: cursor.analysis.file_range(range), markdown })
}

/// Between names: a value's type, and what the argument it belongs to means.
fn between_names(cursor: &Cursor<'_>) -> Option<Hover> {
    let analysis = cursor.analysis;
    let argument = call::argument(cursor);
    let (_, expr) = cursor.expressions().into_iter().next()?;
    if matches!(expr.kind, ExprKind::Error) || analysis.module.types.is_error(expr.ty) {
        return None;
    }
    // Of a call that gives nothing there is no value to tell of.
    let value = (!matches!(analysis.module.types.kind(expr.ty), TypeKind::Void)).then(|| {
        let line = format!("{}{}", show(analysis, expr.ty), value_suffix(analysis, expr.constant.as_ref()));
        code(&line) + &shape(analysis, expr.ty).unwrap_or_default()
    });
    let parts: Vec<String> = value.into_iter().chain(argument).collect();
    if parts.is_empty() {
        return None;
    }
    let markdown = parts.join("\n\n");
    Some(Hover { range: analysis.file_range(expr.range + cursor.base), markdown })
}

/// What is to be said about the shape of a matrix type, of the matrices in an array, and of what a reference leads to.
fn shape(analysis: &Analysis, ty: Ty) -> Option<String> {
    match analysis.module.types.kind(ty) {
        TypeKind::Coopmat(coopmat) => Some(format!("\n\n{}", matrix::describe(analysis, coopmat))),
        TypeKind::CoopVec(scalar, length) => {
            Some(format!("\n\n{}", matrix::describe_vector(analysis, *scalar, *length)))
        }
        TypeKind::Array(..) => matrix::describe_array(analysis, ty).map(|text| format!("\n\n{text}")),
        TypeKind::Reference(structure) => {
            declaration::referenced(analysis, *structure).map(|text| format!("\n\n{text}"))
        }
        _ => None,
    }
}
