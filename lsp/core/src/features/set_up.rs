//! The way from a shader that needs macros of its build to a project file.

use coopmat_analysis::diagnostics::codes;
use serde_json::json;
use tower_lsp::ls_types::*;

use crate::engine::is_about_guess;
use crate::set_up;
use crate::snapshot::Snapshot;

/// One action for the note that nobody has said how the shader is built, where the host can run a build.
pub fn actions(snapshot: &Snapshot, params: &CodeActionParams) -> Option<CodeActionOrCommand> {
    let wanted = |only: &Vec<CodeActionKind>| {
        only.iter().any(|kind| kind.as_str().is_empty() || *kind == CodeActionKind::QUICKFIX)
    };
    if !snapshot.host.starts_programs() || !params.context.only.as_ref().is_none_or(wanted) {
        return None;
    }
    let shown = params.context.diagnostics.iter().find(|diagnostic| is_about_guess(diagnostic))?;
    let known = snapshot.analysis.diagnostics.iter();
    known.into_iter().find(|diagnostic| *diagnostic.code == codes::MISSING_CONFIGURATION)?;
    let command = Command {
        title: set_up::TITLE.to_owned(),
        command: set_up::COMMAND.to_owned(),
        arguments: Some(vec![json!(params.text_document.uri)]),
    };
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: set_up::TITLE.to_owned(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![shown.clone()]),
        command: Some(command),
        ..CodeAction::default()
    }))
}
