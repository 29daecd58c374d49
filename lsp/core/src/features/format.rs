//! `textDocument/formatting`, `rangeFormatting` and `onTypeFormatting`.

use coopmat_analysis::text::TextRange;
use coopmat_ide::format::{self, Edit, FinalNewline, FormatOptions, TokensDiffer};
use tower_lsp::ls_types::{
    DocumentFormattingParams, DocumentOnTypeFormattingOptions, DocumentOnTypeFormattingParams,
    DocumentRangeFormattingParams, FormattingOptions, TextEdit,
};

use crate::documents::text_hash;
use crate::host::LogLevel;
use crate::snapshot::TextSnapshot;

pub fn on_type_capability() -> DocumentOnTypeFormattingOptions {
    DocumentOnTypeFormattingOptions {
        first_trigger_character: "}".to_owned(),
        more_trigger_character: Some(vec![";".to_owned(), "\n".to_owned()]),
    }
}

pub fn document(snapshot: &TextSnapshot, params: &DocumentFormattingParams) -> Option<Vec<TextEdit>> {
    answer(snapshot, || format::format(snapshot.document.surface(), &options(&params.options), None))
}

pub fn range(snapshot: &TextSnapshot, params: &DocumentRangeFormattingParams) -> Option<Vec<TextEdit>> {
    let start = snapshot.offset(params.range.start);
    let mut end = snapshot.offset(params.range.end).max(start);
    // A selection of whole lines ends before the first character of the next.
    if params.range.end.character == 0 && end > start {
        end -= coopmat_analysis::text::TextSize::new(1);
    }
    let within = TextRange::new(start, end);
    answer(snapshot, || format::format(snapshot.document.surface(), &options(&params.options), Some(within)))
}

pub fn on_type(snapshot: &TextSnapshot, params: &DocumentOnTypeFormattingParams) -> Option<Vec<TextEdit>> {
    let offset = snapshot.offset(params.text_document_position.position);
    let typed = params.ch.chars().next()?;
    answer(snapshot, || {
        format::on_type(snapshot.document.surface(), &options(&params.options), offset, typed)
    })
}

fn options(client: &FormattingOptions) -> FormatOptions {
    let default = FormatOptions::default();
    // A level wider than a screen is a slip.
    let tab_size = client.tab_size.clamp(1, 64) as usize;
    FormatOptions {
        indent_size: tab_size,
        tab_size,
        insert_spaces: client.insert_spaces,
        trim_trailing_whitespace: client.trim_trailing_whitespace.unwrap_or(default.trim_trailing_whitespace),
        final_newline: match client.insert_final_newline {
            Some(false) => FinalNewline::Keep,
            Some(true) => FinalNewline::Insert,
            None => default.final_newline,
        },
        trim_final_newlines: client.trim_final_newlines.unwrap_or(default.trim_final_newlines),
    }
}

fn answer(
    snapshot: &TextSnapshot,
    edits: impl FnOnce() -> Result<Vec<Edit>, TokensDiffer>,
) -> Option<Vec<TextEdit>> {
    if !snapshot.settings.format.enable {
        return None;
    }
    match edits() {
        Ok(edits) => {
            let edit =
                |edit: Edit| TextEdit { range: snapshot.range(edit.range), new_text: edit.text.into() };
            Some(edits.into_iter().map(edit).collect())
        }
        Err(TokensDiffer) => {
            let document = &snapshot.document;
            let (path, hash) = (&document.path, text_hash(&document.text));
            let message = format!(
                "formatting {path} (text {hash:016x}) would change more than whitespace: nothing is changed"
            );
            snapshot.host.log(LogLevel::Error, &message);
            None
        }
    }
}
