//! Replaces the use of a macro by what it stands for.

use crate::TextEdit;
use coopmat_analysis::preprocess::MacroUseKind;
use coopmat_analysis::text::FilePosition;

use super::action::{self, Action, ActionKind};
use super::context::Context;

/// Longer results are no help in a text.
const LONGEST: usize = 20_000;

fn expanded(context: &Context<'_>) -> Option<Action> {
    let preprocessed = &context.analysis.preprocessed;
    let position = FilePosition { file: context.range.file, offset: context.range.range.start() };
    let usage = preprocessed.macro_use_at(position)?;
    if usage.kind != MacroUseKind::Call || usage.range.file != context.range.file {
        return None;
    }
    let text = preprocessed.expansion_text(usage)?;
    if text.len() > LONGEST {
        return None;
    }
    let name = preprocessed.definition(usage.definition).name();
    let edit = TextEdit { range: usage.range, text: text.trim().to_owned() };
    Some(action::rewrite(format!("Expand the macro `{name}`"), ActionKind::Inline, vec![edit]))
}

pub fn rewrite(context: &Context<'_>, actions: &mut Vec<Action>) {
    actions.extend(expanded(context));
}
