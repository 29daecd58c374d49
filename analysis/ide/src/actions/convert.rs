//! A constructor around a value of the wrong type, where one converts it.

use crate::TextEdit;
use coopmat_analysis::diagnostics::Diagnostic;
use coopmat_analysis::hir::RemedyKind;

use super::action::{Action, quick_fix};
use super::context::Context;

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    for cursor in context.cursors(diagnostic.location) {
        let remedies = cursor.body.remedies.iter().filter(|remedy| remedy.code == diagnostic.code);
        for remedy in remedies {
            let RemedyKind::Convert(ty) = remedy.kind else { continue };
            let Some(range) = context.editable(remedy.range + cursor.base) else { continue };
            if range != diagnostic.location {
                continue;
            }
            let ty = context.code(ty);
            let text = format!("{ty}({})", context.text(range));
            actions.push(quick_fix(format!("Convert to `{ty}`"), true, vec![TextEdit { range, text }]));
            return;
        }
    }
}
