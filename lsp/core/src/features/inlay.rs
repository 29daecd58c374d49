//! `textDocument/inlayHint`.

use coopmat_analysis::text::{FileRange, TextRange, TextSize};
use coopmat_ide::inlay::{self, Hint, HintKind, HintOptions};
use tower_lsp::ls_types::{
    InlayHint, InlayHintKind, InlayHintLabel, InlayHintLabelPart, InlayHintParams, InlayHintTooltip,
    Location, MarkupContent, MarkupKind, Range, TextEdit,
};

use crate::snapshot::Snapshot;
use crate::spirv::request;

pub fn hints(snapshot: &Snapshot, params: &InlayHintParams) -> Option<Vec<InlayHint>> {
    let settings = &snapshot.settings.inlay_hints;
    if !settings.enable {
        return Some(Vec::new());
    }
    let options = HintOptions {
        shapes: settings.shapes,
        parameter_names: settings.parameter_names,
        implicit_conversions: settings.implicit_conversions,
        values: settings.values,
        layout: settings.layout,
    };
    let (start, end) =
        (snapshot.position(params.range.start).offset, snapshot.position(params.range.end).offset);
    let within = TextRange::new(start, end.max(start));
    let found = inlay::hints(&snapshot.analysis, snapshot.file, within, &options);
    let mut hints: Vec<InlayHint> = found.into_iter().map(|hint| convert(snapshot, hint)).collect();
    if settings.spirv {
        hints.extend(request::line_summaries(snapshot, params.range).into_iter().map(|(position, words)| {
            InlayHint {
                position,
                label: InlayHintLabel::String(words),
                kind: None,
                text_edits: None,
                tooltip: None,
                padding_left: Some(true),
                padding_right: None,
                data: None,
            }
        }));
    }
    Some(hints)
}

fn convert(snapshot: &Snapshot, hint: Hint) -> InlayHint {
    let at = |offset: TextSize| {
        snapshot.range(FileRange { file: snapshot.file, range: TextRange::empty(offset) }).start
    };
    let edits = hint.insertions.into_iter().map(|(offset, new_text)| {
        let position = at(offset);
        TextEdit { range: Range::new(position, position), new_text }
    });
    let edits: Vec<_> = edits.collect();
    let location = hint
        .target
        .and_then(|target| Some(Location { uri: snapshot.uri(target.file)?, range: snapshot.range(target) }));
    let label = match location {
        Some(location) => InlayHintLabel::LabelParts(vec![InlayHintLabelPart {
            value: hint.label,
            location: Some(location),
            ..InlayHintLabelPart::default()
        }]),
        None => InlayHintLabel::String(hint.label),
    };
    let (kind, padding_left, padding_right) = match hint.kind {
        HintKind::ParameterName => (Some(InlayHintKind::PARAMETER), None, Some(true)),
        HintKind::Shape => (Some(InlayHintKind::TYPE), None, None),
        HintKind::Value => (None, Some(true), None),
        HintKind::Layout => (None, Some(true), None),
        HintKind::ConversionStart | HintKind::ConversionEnd => (Some(InlayHintKind::TYPE), None, None),
    };
    InlayHint {
        position: at(hint.offset),
        label,
        kind,
        text_edits: (!edits.is_empty()).then_some(edits),
        tooltip: hint.tooltip.map(|value| {
            InlayHintTooltip::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
        }),
        padding_left,
        padding_right,
        data: None,
    }
}
