//! Types and values as users write them.

use coopmat_analysis::Analysis;
use coopmat_analysis::display::display_type;
use coopmat_analysis::hir::Const;
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::types::Ty;

/// A type as users write it.
pub fn show(analysis: &Analysis, ty: Ty) -> String {
    display_type(&analysis.module.types, &analysis.module.structs, ty)
}

/// A block of GLSL in Markdown.
pub fn code(text: &str) -> String {
    format!("```glsl\n{text}\n```")
}

/// ` = 32`, for a value that is known.
pub fn value_suffix(analysis: &Analysis, value: Option<&Const>) -> String {
    match value.and_then(|value| show_const(analysis, value)) {
        Some(value) => format!(" = {value}"),
        None => String::new(),
    }
}

pub fn show_const(analysis: &Analysis, value: &Const) -> Option<String> {
    Some(match value {
        Const::Bool(value) => value.to_string(),
        Const::Int(value) => value.to_string(),
        Const::Float(value) => format!("{value:?}"),
        Const::Symbolic(sym) => {
            let symbols = &analysis.module.types.symbols;
            match configured_value(analysis, *sym) {
                Some(value) => format!("{} ({value} under the default values)", symbols.display_value(*sym)),
                None => symbols.display_value(*sym),
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
pub fn configured_value(analysis: &Analysis, sym: Sym) -> Option<i64> {
    analysis.config.value_of(&analysis.module.types.symbols, sym)
}
