//! A type argument with an operator gets its parentheses (GL_KHR_cooperative_matrix, issue 1).

use coopmat_analysis::BARE_OPERATOR;
use coopmat_analysis::diagnostics::Diagnostic;

use super::action::{Action, quick_fix};
use super::context::Context;
use crate::TextEdit;

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    if !diagnostic.message.ends_with(BARE_OPERATOR) {
        return;
    }
    let text = context.text(diagnostic.location).trim();
    let edit = TextEdit { range: diagnostic.location, text: format!("({text})") };
    actions.push(quick_fix(format!("Write `({text})`"), true, vec![edit]));
}
