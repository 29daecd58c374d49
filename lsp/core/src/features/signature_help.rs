//! `textDocument/signatureHelp`.

use coopmat_ide::signature::{self, Signature};
use tower_lsp::ls_types::*;

use crate::snapshot::Snapshot;

pub fn capability() -> SignatureHelpOptions {
    SignatureHelpOptions {
        trigger_characters: Some(vec!["(".to_owned(), ",".to_owned(), "<".to_owned()]),
        // What closes one list leads back to the one around it.
        retrigger_characters: Some(vec![")".to_owned(), ">".to_owned()]),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}

pub fn signature_help(snapshot: &Snapshot, params: &SignatureHelpParams) -> Option<SignatureHelp> {
    let position = snapshot.position(params.text_document_position_params.position);
    let help = signature::signature_help(&snapshot.analysis, position)?;
    let active = help.active;
    let parameter = help.signatures.get(active).and_then(|signature| signature.active);
    Some(SignatureHelp {
        signatures: help.signatures.into_iter().map(information).collect(),
        active_signature: u32::try_from(active).ok(),
        active_parameter: parameter.and_then(|parameter| u32::try_from(parameter).ok()),
    })
}

fn information(signature: Signature) -> SignatureInformation {
    // Offsets in labels count UTF-16 units, whatever was negotiated for documents.
    let units = |bytes: usize| {
        let before = signature.label.get(..bytes).unwrap_or(&signature.label);
        before.encode_utf16().count() as u32
    };
    let parameters = signature
        .parameters
        .iter()
        .map(|parameter| ParameterInformation {
            label: ParameterLabel::LabelOffsets([units(parameter.start), units(parameter.end)]),
            documentation: markup(parameter.documentation.clone()),
        })
        .collect();
    // An overload that takes fewer arguments has none to show: past the end, as the protocol has it.
    let active = signature.active.unwrap_or(signature.parameters.len());
    SignatureInformation {
        parameters: Some(parameters),
        documentation: markup(signature.documentation),
        active_parameter: u32::try_from(active).ok(),
        label: signature.label,
    }
}

fn markup(value: String) -> Option<Documentation> {
    (!value.is_empty())
        .then_some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }))
}
