//! A first recipe for a shader that has none: offered at its `main`.

use coopmat_analysis::text::FileRange;
use serde_json::json;
use tower_lsp::ls_types::*;

use crate::run;
use crate::snapshot::Snapshot;
use crate::spirv::module::has_errors;

const TITLE: &str = "Create recipe";

/// One action at the name of `main`, where there is no recipe beside the shader and the shader can be run.
pub fn actions(snapshot: &Snapshot, params: &CodeActionParams, place: FileRange) -> Vec<CodeActionOrCommand> {
    let kind = CodeActionKind::REFACTOR;
    let wanted = |only: &Vec<CodeActionKind>| only.iter().any(|one| one.as_str().is_empty() || *one == kind);
    if !params.context.only.as_ref().is_none_or(wanted) {
        return Vec::new();
    }
    let analysis = &snapshot.analysis;
    let functions = analysis.module.functions.iter();
    let at_main = functions.filter(|(_, function)| function.name == "main" && function.body.is_some()).any(
        |(_, function)| {
            let name = analysis.file_range(function.name_range);
            name.file == place.file && name.range.intersect(place.range).is_some()
        },
    );
    if !at_main || has_errors(analysis) || run::has_recipe(snapshot) {
        return Vec::new();
    }
    let command = Command {
        title: TITLE.to_owned(),
        command: run::CREATE_RECIPE.to_owned(),
        arguments: Some(vec![json!(params.text_document.uri)]),
    };
    vec![CodeActionOrCommand::CodeAction(CodeAction {
        title: TITLE.to_owned(),
        kind: Some(kind),
        command: Some(command),
        ..CodeAction::default()
    })]
}
