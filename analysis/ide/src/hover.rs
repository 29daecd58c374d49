//! Hover: what a person reads over a name, a call, a macro, an include.
//!
//! `declaration` tells of names of the program, `matrix` of shapes, `call` of built-ins and their arguments, `preprocessor` of
//! macros, includes and extensions.

mod call;
pub(crate) mod declaration;
pub(crate) mod matrix;
mod preprocessor;
#[cfg(test)]
mod tests;

pub(super) use declaration::source_line;

use crate::{Cursor, portability};
use coopmat_analysis::Analysis;
use coopmat_analysis::display::display_type;
use coopmat_analysis::hir::{Const, Definition, ExprKind};
use coopmat_analysis::symbolic::Sym;
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
    Cursor::at(analysis, position).find_map(|cursor| at_cursor(&cursor))
}

/// What there is to say about a place of the expanded text.
pub(super) fn at_expanded(analysis: &Analysis, offset: TextSize) -> Option<Hover> {
    at_cursor(&Cursor::new(analysis, offset))
}

fn at_cursor(cursor: &Cursor<'_>) -> Option<Hover> {
    let analysis = cursor.analysis;
    let argument = call::argument(cursor);
    if let Some((range, definition)) = cursor.name() {
        let devices = portability::hover(cursor, range, &definition);
        let text = match definition {
            Definition::BuiltinFunction(id) => Some(call::builtin(cursor, id)),
            definition => declaration::describe(cursor, &definition),
        };
        if let Some(mut markdown) = text {
            if let Some(argument) = argument {
                markdown.push_str("\n\n");
                markdown.push_str(&argument);
            }
            if let Some(devices) = devices {
                markdown.push_str("\n\n---\n\n");
                markdown.push_str(&devices);
            }
            return Some(Hover { range: analysis.file_range(range), markdown });
        }
    }
    // Between names: a value's type, and what the argument it belongs to means.
    let (_, expr) = cursor.expressions().into_iter().next()?;
    if matches!(expr.kind, ExprKind::Error) || analysis.module.types.is_error(expr.ty) {
        return None;
    }
    let mut markdown =
        code(&format!("{}{}", show(analysis, expr.ty), value_suffix(analysis, expr.constant.as_ref())));
    if let Some(shape) = shape(analysis, expr.ty) {
        markdown.push_str(&shape);
    }
    if let Some(argument) = argument {
        markdown.push_str("\n\n");
        markdown.push_str(&argument);
    }
    Some(Hover { range: analysis.file_range(expr.range + cursor.base), markdown })
}

/// A type as users write it.
pub(crate) fn show(analysis: &Analysis, ty: Ty) -> String {
    display_type(&analysis.module.types, &analysis.module.structs, ty)
}

fn code(text: &str) -> String {
    format!("```glsl\n{text}\n```")
}

/// What is to be said about the shape of a matrix type, or of the matrices in an array.
fn shape(analysis: &Analysis, ty: Ty) -> Option<String> {
    match analysis.module.types.kind(ty) {
        TypeKind::Coopmat(coopmat) => Some(format!("\n\n{}", matrix::describe(analysis, coopmat))),
        TypeKind::Array(element, _) => shape(analysis, *element),
        _ => None,
    }
}

/// ` = 32`, for a value that is known.
fn value_suffix(analysis: &Analysis, value: Option<&Const>) -> String {
    match value.and_then(|value| show_const(analysis, value)) {
        Some(value) => format!(" = {value}"),
        None => String::new(),
    }
}

pub(crate) fn show_const(analysis: &Analysis, value: &Const) -> Option<String> {
    Some(match value {
        Const::Bool(value) => value.to_string(),
        Const::Int(value) => value.to_string(),
        Const::Float(value) => format!("{value:?}"),
        Const::Symbolic(sym) => {
            let symbols = &analysis.module.types.symbols;
            match configured_value(analysis, *sym) {
                Some(value) => format!("{} ({value} under the default values)", symbols.display(*sym)),
                None => symbols.display(*sym),
            }
        }
        Const::Composite(parts) => {
            let shown: Option<Vec<_>> =
                parts.iter().take(16).map(|part| show_const(analysis, part)).collect();
            format!("{{{}{}}}", shown?.join(", "), if parts.len() > 16 { ", …" } else { "" })
        }
        Const::Opaque { .. } => return None,
    })
}

/// The value of a size under the configuration's specialization, and the shader's defaults for what that leaves open.
pub(crate) fn configured_value(analysis: &Analysis, sym: Sym) -> Option<i64> {
    analysis.config.value_of(&analysis.module.types.symbols, sym)
}
