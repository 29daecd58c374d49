//! Code actions: what an editor can do about a diagnostic, and rewrites of what is selected.
//!
//! A fix reads the typed program at the diagnostic's place again, so that the rule that reported it need not know about it; where only
//! lowering knows what would do, it leaves a [`coopmat_analysis::hir::Remedy`]. An edit is proposed only for text that stands in a file as it
//! was analysed: never inside a macro's body, but for names that are replaced wherever they stand (`nv2`).

mod action;
mod allow;
mod array_length;
mod barrier;
mod callback_types;
mod const_in;
mod context;
mod coordinates;
mod declaration;
mod expand_macro;
mod extensions;
mod extract;
mod inline;
mod matrix_operands;
mod missing_token;
mod nv1;
mod nv2;
mod parentheses;
mod remedies;
mod similar;
mod stride;
#[cfg(test)]
mod tests;
mod unwritten;
mod version;

use coopmat_analysis::Analysis;
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};

pub use action::{Action, ActionKind};
use context::Context;
pub use coordinates::{Shape, Table, Tables, actions as coordinates};

/// What can be done about a range of a file; an empty one is a cursor.
pub fn actions(analysis: &Analysis, range: FileRange) -> Vec<Action> {
    let context = Context::new(analysis, range);
    let mut actions = Vec::new();
    for diagnostic in &context.diagnostics() {
        let first = actions.len();
        version::fix(&context, diagnostic, &mut actions);
        extensions::enable(&context, diagnostic, &mut actions);
        remedies::fix(&context, diagnostic, &mut actions);
        similar::fix(&context, diagnostic, &mut actions);
        missing_token::fix(&context, diagnostic, &mut actions);
        parentheses::fix(&context, diagnostic, &mut actions);
        matrix_operands::fix(&context, diagnostic, &mut actions);
        stride::fix(&context, diagnostic, &mut actions);
        const_in::fix(&context, diagnostic, &mut actions);
        array_length::fix(&context, diagnostic, &mut actions);
        unwritten::fix(&context, diagnostic, &mut actions);
        barrier::fix(&context, diagnostic, &mut actions);
        // What mends comes before what hides.
        allow::fix(&context, diagnostic, &mut actions);
        for action in &mut actions[first..] {
            action.fixes = Some(diagnostic.clone());
        }
    }
    expand_macro::rewrite(&context, &mut actions);
    inline::rewrite(&context, &mut actions);
    extract::rewrite(&context, &mut actions);
    nv1::rewrite(&context, &mut actions);
    nv2::rewrite(&context, &mut actions);
    // Elsewhere an editor asks for it by name.
    if let Some(organize) = organize(analysis, range.file)
        && organize.edits.iter().any(|edit| edit.range.range.intersect(range.range).is_some())
    {
        actions.push(organize);
    }
    actions.retain(|action| !action.edits.is_empty());
    actions
}

/// Brings the `#extension` lines of a file into order, where they are not.
pub fn organize(analysis: &Analysis, file: FileId) -> Option<Action> {
    let whole = FileRange { file, range: TextRange::empty(TextSize::new(0)) };
    extensions::organize(&Context::new(analysis, whole))
}
