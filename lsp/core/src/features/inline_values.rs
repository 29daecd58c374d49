//! `textDocument/inlineValue`: which expressions a client's debugger shows at the ends of lines.

use coopmat_analysis::text::{FileRange, TextRange};
use coopmat_ide::inline_values;
use tower_lsp::ls_types::{InlineValue, InlineValueEvaluatableExpression, InlineValueParams};

use crate::snapshot::Snapshot;

pub fn values(snapshot: &Snapshot, params: &InlineValueParams) -> Option<Vec<InlineValue>> {
    let at = |position| snapshot.position(position).offset;
    let (start, end) = (at(params.range.start), at(params.range.end));
    let stopped = at(params.context.stopped_location.start);
    let within = TextRange::new(start, end.max(start));
    let found = inline_values::values(&snapshot.analysis, snapshot.file, within, stopped);
    let convert = |value: inline_values::InlineValue| {
        InlineValue::EvaluatableExpression(InlineValueEvaluatableExpression {
            range: snapshot.range(FileRange { file: snapshot.file, range: value.range }),
            expression: Some(value.expression),
        })
    };
    Some(found.into_iter().map(convert).collect())
}
