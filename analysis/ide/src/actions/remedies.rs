//! What lowering says would mend a diagnostic ([`coopmat_analysis::hir::Remedy`]): a conversion, other text, a missing argument, another order, other types of a function.

use coopmat_analysis::diagnostics::Diagnostic;
use coopmat_analysis::hir::{Remedy, RemedyKind};
use coopmat_analysis::text::{FileRange, TextRange, TextSize};
use coopmat_analysis::types::{Scalar, Ty, TypeKind};

use super::action::{Action, quick_fix};
use super::callback_types;
use super::context::Context;
use crate::{Cursor, TextEdit};

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    let before = actions.len();
    for cursor in context.cursors(diagnostic.location) {
        for remedy in &cursor.body.remedies {
            let place = context.analysis.file_range(remedy.range + cursor.base);
            if remedy.code == diagnostic.code && place == diagnostic.location {
                actions.extend(action(context, &cursor, remedy));
            }
        }
        // A header that is read twice has the same remedies twice.
        if actions.len() > before {
            return;
        }
    }
}

fn action(context: &Context<'_>, cursor: &Cursor<'_>, remedy: &Remedy) -> Option<Action> {
    let editable = |range: TextRange| context.editable(range + cursor.base);
    let (title, edits) = match &remedy.kind {
        RemedyKind::Convert { operand, ty } => convert(context, editable(*operand)?, *ty),
        RemedyKind::Write { at, text } => {
            let edit = TextEdit { range: editable(*at)?, text: text.to_string() };
            (format!("Write `{text}`"), vec![edit])
        }
        RemedyKind::Argument { beside, after, text } => {
            let beside = editable(*beside)?;
            let edit = match after {
                true => insert(beside, beside.range.end(), format!(", {text}")),
                false => insert(beside, beside.range.start(), format!("{text}, ")),
            };
            (format!("Pass `{text}`"), vec![edit])
        }
        RemedyKind::Member { of, name } => {
            let of = editable(*of)?;
            let title = format!("Write `{}.{name}`", context.text(of));
            (title, vec![insert(of, of.range.end(), format!(".{name}"))])
        }
        RemedyKind::Replace(moves) => {
            let (names, edits) = moved(context, &editable, moves)?;
            (format!("Write {}", names.join(" and ")), edits)
        }
        RemedyKind::Reorder(moves) => {
            let (names, edits) = moved(context, &editable, moves)?;
            let title = match names.as_slice() {
                [first, second] => format!("Swap {first} and {second}"),
                _ => format!("Write {} in this order", names.join(", ")),
            };
            (title, edits)
        }
        RemedyKind::Signature { parameters, returns } => {
            callback_types::change(context, editable(remedy.range)?, parameters, *returns)?
        }
        // `array_length` knows the declaration.
        RemedyKind::ArrayLength(_) => return None,
    };
    Some(quick_fix(title, remedy.preferred, edits))
}

/// A literal is written as one of the other type, anything else gets a constructor around it.
fn convert(context: &Context<'_>, range: FileRange, ty: Ty) -> (String, Vec<TextEdit>) {
    let text = context.text(range);
    if let Some(literal) = literal(context, text, ty) {
        return (format!("Write `{literal}`"), vec![TextEdit { range, text: literal }]);
    }
    let code = context.code(ty);
    let matrix =
        matches!(context.analysis.module.types.kind(ty), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_));
    let from_scalar = matrix && text.parse::<f64>().is_ok();
    let title = match from_scalar {
        true => format!("Construct a matrix from `{text}`"),
        false => format!("Convert to `{code}`"),
    };
    (
        title,
        vec![
            insert(range, range.range.start(), format!("{code}(")),
            insert(range, range.range.end(), ")".to_owned()),
        ],
    )
}

fn insert(range: FileRange, at: TextSize, text: String) -> TextEdit {
    TextEdit { range: FileRange { file: range.file, range: TextRange::empty(at) }, text }
}

/// `2` as a `float`, `1.0` as an integer.
fn literal(context: &Context<'_>, text: &str, ty: Ty) -> Option<String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if ty == Ty::FLOAT {
        // A leading zero makes the number octal.
        return (digits(text) && (text == "0" || !text.starts_with('0'))).then(|| format!("{text}.0"));
    }
    let scalar = context.analysis.module.types.as_scalar(ty)?;
    let (whole, fraction) = text.split_once('.')?;
    let exact = digits(whole) && fraction.bytes().all(|byte| byte == b'0');
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if !exact || whole.parse::<i32>().is_err() {
        return None;
    }
    // An operator takes the type itself, not what converts to it.
    match scalar {
        Scalar::Int32 => Some(whole.to_owned()),
        Scalar::Uint32 => Some(format!("{whole}u")),
        _ => None,
    }
}

/// What each expression is called, and the edits that write it where it belongs.
fn moved(
    context: &Context<'_>,
    editable: &impl Fn(TextRange) -> Option<FileRange>,
    moves: &[(TextRange, TextRange)],
) -> Option<(Vec<String>, Vec<TextEdit>)> {
    let mut edits = Vec::new();
    let mut names = Vec::new();
    for &(place, from) in moves {
        let text = context.text(editable(from)?);
        names.push(format!("`{text}`"));
        edits.push(TextEdit { range: editable(place)?, text: text.to_owned() });
    }
    Some((names, edits))
}
