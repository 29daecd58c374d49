//! A token that the grammar misses at one place: it is written there.

use coopmat_analysis::diagnostics::{Diagnostic, codes};
use coopmat_analysis::text::{FileRange, TextRange};

use super::action::{Action, quick_fix};
use super::context::Context;
use crate::TextEdit;

/// Where a `}` belongs, indentation says at best; these belong behind the last token before the mistake.
const TOKENS: [&str; 5] = [";", ")", "]", ">", ","];

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    if diagnostic.code != &codes::SYNTAX_ERROR {
        return;
    }
    let Some((token, rest)) =
        diagnostic.message.strip_prefix("expected `").and_then(|text| text.split_once('`'))
    else {
        return;
    };
    // "expected `,` or `)`" leaves a choice.
    if rest.starts_with(" or ") || !TOKENS.contains(&token) {
        return;
    }
    let location = diagnostic.location;
    // The mark is the end of what stands before: text of the file, not of a macro.
    if context.text(location).trim().is_empty() {
        return;
    }
    let range = FileRange { file: location.file, range: TextRange::empty(location.range.end()) };
    let edit = TextEdit { range, text: token.to_owned() };
    actions.push(quick_fix(format!("Insert `{token}`"), true, vec![edit]));
}
