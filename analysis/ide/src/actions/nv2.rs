//! Moves a shader from GL_NV_cooperative_matrix2 to GL_EXT_cooperative_matrix_maintenance1, as far as that has the same: reductions, functions
//! over elements, transposes and conversions. Every such call means the same under the newer name, and so does every constructor; what only
//! the older extension has keeps its `#extension` line, which the title says.
//!
//! Names mean the same wherever they stand, so those in macros and in inactive code are replaced too.

use coopmat_analysis::extensions::{self, ExtensionId, ids, values};
use coopmat_analysis::lex::{LexemeKind, TokenKind, lexemes};
use coopmat_analysis::text::{FileId, FileRange, TextRange};
use coopmat_analysis::types::TypeKind;

use super::action::{self, Action, ActionKind};
use super::context::Context;
use crate::{TextEdit, extension_lines};

const OLDER: ExtensionId = ids::GL_NV_COOPERATIVE_MATRIX2;
const NEWER: ExtensionId = ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1;
/// What the older extension enables by itself, and the newer one does not.
const KHR: ExtensionId = ids::GL_KHR_COOPERATIVE_MATRIX;

pub fn rewrite(context: &Context<'_>, actions: &mut Vec<Action>) {
    let name = context.word();
    if !context.enables(OLDER) || !(name == OLDER.name() || newer(name).is_some()) {
        return;
    }
    let names: Vec<(FileRange, &str)> = names(context).collect();
    let mut edits: Vec<TextEdit> =
        names.iter().filter_map(|&(range, name)| newer(name).map(|text| TextEdit { range, text })).collect();
    let title = match reason_to_stay(context, &names) {
        None => {
            replace_lines(context, &names, &mut edits);
            format!("Replace {OLDER} by {NEWER} in this shader")
        }
        Some(reason) => {
            if edits.is_empty() {
                return;
            }
            if !context.enables(NEWER) {
                edits.push(extension_lines::enable(context.analysis, FileId::ROOT, NEWER.name()));
            }
            format!("Use {NEWER} in this shader, and keep {OLDER} for {reason}")
        }
    };
    edits.sort_by_key(|edit| (edit.range.file, edit.range.range.start()));
    actions.push(action::rewrite(title, ActionKind::Rewrite, edits));
}

/// The identifiers of all files of the shader.
fn names<'a>(context: &Context<'a>) -> impl Iterator<Item = (FileRange, &'a str)> {
    context.analysis.files().iter().flat_map(|(file, source)| {
        let text: &'a str = &source.text;
        lexemes(text).filter(|lexeme| lexeme.kind == LexemeKind::Token(TokenKind::Identifier)).filter_map(
            move |lexeme| {
                let range = TextRange::new((lexeme.start as u32).into(), (lexeme.end as u32).into());
                Some((FileRange { file, range }, text.get(lexeme.start..lexeme.end)?))
            },
        )
    })
}

/// Whether a name is one of an extension's functions, constants or types.
fn is_provided(name: &str, extension: ExtensionId) -> bool {
    extensions::functions(name).any(|(_, function)| function.is_provided_by(extension))
        || extensions::constant(name)
            .is_some_and(|id| extensions::constant_by_id(id).providers.contains(&extension))
        || extensions::type_(name).is_some_and(|id| extensions::type_by_id(id).providers.contains(&extension))
}

/// The newer name of what the older extension provides: they differ in their suffix.
fn newer(name: &str) -> Option<String> {
    let newer = format!("{}EXT", name.strip_suffix("NV")?);
    (is_provided(name, OLDER) && is_provided(&newer, NEWER)).then_some(newer)
}

/// What the shader has that only the older extension has.
fn reason_to_stay(context: &Context<'_>, names: &[(FileRange, &str)]) -> Option<String> {
    let only_there = |name: &str| is_provided(name, OLDER) && newer(name).is_none();
    if let Some((_, name)) = names.iter().find(|(_, name)| only_there(name)) {
        return Some(format!("`{name}`"));
    }
    let types = &context.analysis.module.types;
    let of_a_workgroup = types.all().any(|kind| match kind {
        TypeKind::Coopmat(matrix) => types.symbols.as_int(matrix.scope) == Some(values::GL_SCOPE_WORKGROUP),
        _ => false,
    });
    if of_a_workgroup {
        return Some("matrices of workgroup scope".to_owned());
    }
    let enabled = context.analysis.preprocessed.extensions.iter();
    let needs_older = |id: ExtensionId| {
        extensions::extension_by_id(id).requires.iter().any(|choice| choice.contains(&OLDER))
    };
    enabled
        .filter_map(|event| extensions::extension(&event.name))
        .find(|&id| needs_older(id))
        .map(|id| id.name().to_owned())
}

/// The newer extension in place of the older one, in `#extension` lines and in conditions.
fn replace_lines(context: &Context<'_>, names: &[(FileRange, &str)], edits: &mut Vec<TextEdit>) {
    let mut removed = Vec::new();
    if context.enables(NEWER) {
        for event in
            context.analysis.preprocessed.extensions.iter().filter(|event| event.name == OLDER.name())
        {
            removed.push(context.whole_line(event.range));
        }
    }
    let is_removed = |place: FileRange| {
        removed.iter().any(|line| line.file == place.file && line.range.contains_range(place.range))
    };
    for &(range, _) in names.iter().filter(|&&(range, name)| name == OLDER.name() && !is_removed(range)) {
        edits.push(TextEdit { range, text: NEWER.name().to_owned() });
    }
    edits.extend(removed.into_iter().map(|range| TextEdit { range, text: String::new() }));
    if !context.enables(KHR) {
        edits.push(extension_lines::enable(context.analysis, FileId::ROOT, KHR.name()));
    }
}
