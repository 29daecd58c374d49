//! What becomes of a shader by an edit that an answer proposes: of a code action, or of renaming.

use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::sources::{FileLoader, Overlay};
use coopmat_analysis::text::{FileId, FileRange};
use coopmat_analysis::{Analysis, analyze};
use coopmat_ide::TextEdit;
use coopmat_ide::actions::Action;
use coopmat_ide::rename::{Digest, Target, is_same_program};
use coopmat_ide::usages::{Closure, Piece, Place};

use super::same;
use crate::check;
use crate::input::Input;

/// The analysis after some edits, which is also that from nothing.
fn after(analysis: &Analysis, input: &Input, edits: &[TextEdit], what: &str) -> Analysis {
    let texts = check::edits(analysis, edits, what);
    let path = |file: u32| analysis.files()[FileId(file)].path.to_string();
    let edited = Overlay::new(input, texts.into_iter().map(|(file, text)| (path(file), text.into())));
    let root = &analysis.files()[FileId::ROOT];
    let text = edited.load(&root.path).unwrap_or_else(|| root.text.clone());
    let incremental = analyze(&root.path, text.clone(), &input.config, &edited, Some(analysis));
    same(&incremental, &analyze(&root.path, text, &input.config, &edited, None));
    incremental
}

fn parses(analysis: &Analysis) -> bool {
    analysis.tree.as_ref().is_some_and(|tree| !tree.root_node().has_error())
}

/// The ids of a shader's errors.
fn errors(analysis: &Analysis) -> Vec<&'static str> {
    let errors = analysis.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    errors.map(|found| found.code.id).collect()
}

/// What was a shader without errors still is one, and what could be parsed still can.
pub fn by_action(analysis: &Analysis, input: &Input, action: &Action) {
    let edited = after(analysis, input, &action.edits, &action.title);
    let root = &edited.files()[FileId::ROOT].text;
    let title = &action.title;
    assert!(parses(&edited) || !parses(analysis), "after {title:?} the text does not parse:\n{root}");
    if errors(analysis).is_empty() {
        let new = errors(&edited);
        assert!(new.is_empty(), "after {title:?} there are errors {new:?}:\n{root}");
    }
}

/// What the tokens show to be the same program under another name is the same to the analysis: the server relies on it.
pub fn by_renaming(analysis: &Analysis, input: &Input, target: &Target, piece: Piece) {
    const NAME: &str = "renamed_in_a_run";
    let closure = Closure::of_name(&[piece], &[Place::new(analysis, target.place)]);
    let edit = |place: &Place| {
        let file = analysis.files().find(&place.path)?;
        Some(TextEdit { range: FileRange { file, range: place.range }, text: NAME.to_owned() })
    };
    let edits: Vec<TextEdit> = closure.uses.keys().filter_map(edit).collect();
    let renamed = after(analysis, input, &edits, "renaming");
    if is_same_program(analysis, &renamed, &target.name, NAME) {
        let digests = [analysis, &renamed].map(|one| Digest::of(one, &target.name, NAME));
        assert_eq!(
            digests[0], digests[1],
            "after {} was renamed:\n{}",
            target.name, renamed.preprocessed.text
        );
    }
}
