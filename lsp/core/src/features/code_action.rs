//! `textDocument/codeAction`.

use coopmat_analysis::text::FileRange;
use coopmat_ide::actions::{self, Action, ActionKind};
use tower_lsp::ls_types::*;

use super::edits::workspace_edit;
use super::{create_recipe, set_up, show_configuration};
use crate::element_tables::element_tables;
use crate::snapshot::Snapshot;

/// What the server tells about itself: the kinds that it knows.
pub fn options() -> CodeActionOptions {
    CodeActionOptions {
        code_action_kinds: Some(
            ActionKind::ALL.iter().map(|kind| CodeActionKind::from(kind.name())).collect(),
        ),
        resolve_provider: Some(false),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}

pub fn actions(snapshot: &Snapshot, params: &CodeActionParams) -> Option<CodeActionResponse> {
    let only = params.context.only.as_deref();
    let (start, end) = (snapshot.position(params.range.start), snapshot.position(params.range.end));
    let range =
        coopmat_analysis::text::TextRange::new(start.offset.min(end.offset), start.offset.max(end.offset));
    let place = FileRange { file: snapshot.file, range };
    let mut found = actions::actions(&snapshot.analysis, place);
    if asks_for(only, ActionKind::Rewrite) {
        found.extend(actions::coordinates(&snapshot.analysis, place, &element_tables));
    }
    if asks_for(only, ActionKind::Organize) && only.is_some() {
        found.retain(|action| action.kind != ActionKind::Organize);
        found.extend(actions::organize(&snapshot.analysis, snapshot.file));
    }
    let offered = found.iter().filter(|action| asks_for(only, action.kind));
    let edits = offered.filter_map(|action| convert(snapshot, params, action));
    let others = show_configuration::actions(params).into_iter().chain(set_up::actions(snapshot, params));
    Some(edits.chain(others).chain(create_recipe::actions(snapshot, params, place)).collect())
}

/// A kind stands for its sub-kinds, too: `refactor` asks for `refactor.inline`.
fn asks_for(only: Option<&[CodeActionKind]>, kind: ActionKind) -> bool {
    let name = kind.name();
    only.is_none_or(|only| {
        only.iter().any(|wanted| {
            let wanted = wanted.as_str();
            wanted.is_empty()
                || name.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    })
}

fn convert(snapshot: &Snapshot, params: &CodeActionParams, action: &Action) -> Option<CodeActionOrCommand> {
    // The client's own diagnostic, which it recognises.
    let diagnostics = action.fixes.as_ref().map(|fixed| {
        let range = snapshot.range(fixed.location);
        let code = NumberOrString::String(fixed.code.id.to_owned());
        let shown = &params.context.diagnostics;
        shown
            .iter()
            .filter(|shown| shown.range == range && shown.code.as_ref() == Some(&code))
            .cloned()
            .collect()
    });
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: action.title.clone(),
        kind: Some(CodeActionKind::from(action.kind.name())),
        diagnostics,
        edit: Some(workspace_edit(snapshot, &action.edits)?),
        is_preferred: action.preferred.then_some(true),
        ..CodeAction::default()
    }))
}
