//! The way from a mistake in a configuration that is not in view to that configuration.

use serde::Deserialize;
use serde_json::json;
use tower_lsp::ls_types::*;

use crate::commands::CHOOSE_CONFIGURATION;

/// What comes along with such a diagnostic.
#[derive(Deserialize)]
struct Elsewhere {
    configurations: Vec<String>,
}

/// One action for each of the first configurations that a diagnostic names.
pub fn actions(params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
    const OFFERED: usize = 3;
    let wanted = |only: &Vec<CodeActionKind>| {
        only.iter().any(|kind| kind.as_str().is_empty() || *kind == CodeActionKind::QUICKFIX)
    };
    if !params.context.only.as_ref().is_none_or(wanted) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for diagnostic in &params.context.diagnostics {
        let Some(Ok(elsewhere)) = diagnostic.data.as_ref().map(Elsewhere::deserialize) else { continue };
        found.extend(elsewhere.configurations.into_iter().take(OFFERED).map(|name| {
            let title = format!("Show the configuration `{name}`");
            CodeActionOrCommand::CodeAction(CodeAction {
                title: title.clone(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic.clone()]),
                command: Some(Command {
                    title,
                    command: CHOOSE_CONFIGURATION.to_owned(),
                    arguments: Some(vec![json!(params.text_document.uri), json!(name)]),
                }),
                ..CodeAction::default()
            })
        }));
    }
    found
}
