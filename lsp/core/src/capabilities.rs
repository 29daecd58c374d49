//! What the client can do, and what the server tells it that the server does: one field per feature, in the protocol's order.

use tower_lsp::ls_types::*;

use crate::commands;
use crate::features;
use crate::features::completion::{self, CompletionSupport};
use crate::features::definition::LinkSupport;
use crate::features::{format, signature_help, tokens};
use crate::positions::Encoding;

/// What the client can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClientFeatures {
    pub pull_diagnostics: bool,
    pub related_documents: bool,
    pub refresh_diagnostics: bool,
    pub fetch_settings: bool,
    pub watch_files: bool,
    pub register_settings: bool,
    /// Folds whole lines, whatever the columns.
    pub line_folding_only: bool,
    /// How many folds it takes.
    pub fold_limit: Option<u32>,
    /// Takes semantic tokens that go over several lines.
    pub multiline_tokens: bool,
    /// Lays semantic tokens over those of a grammar of its own.
    pub augments_syntax_tokens: bool,
    pub refresh_tokens: bool,
    pub refresh_inlay_hints: bool,
    pub refresh_code_lenses: bool,
    pub completion: CompletionSupport,
    pub links: LinkSupport,
    pub hierarchical_symbols: bool,
    /// Edits of several documents may name their versions.
    /// Takes edits that name the versions of documents.
    pub document_changes: bool,
}

impl ClientFeatures {
    pub fn of(capabilities: &ClientCapabilities) -> ClientFeatures {
        let text = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let folding = text.and_then(|text| text.folding_range.as_ref());
        let tokens = text.and_then(|text| text.semantic_tokens.as_ref());
        let diagnostic = text.and_then(|text| text.diagnostic.as_ref());
        ClientFeatures {
            pull_diagnostics: diagnostic.is_some(),
            related_documents: diagnostic.is_some_and(|d| d.related_document_support == Some(true)),
            refresh_diagnostics: workspace
                .and_then(|workspace| workspace.diagnostics.as_ref())
                .is_some_and(|diagnostics| diagnostics.refresh_support == Some(true)),
            fetch_settings: workspace.is_some_and(|workspace| workspace.configuration == Some(true)),
            watch_files: workspace
                .and_then(|workspace| workspace.did_change_watched_files.as_ref())
                .is_some_and(|watch| watch.dynamic_registration == Some(true)),
            register_settings: workspace
                .and_then(|workspace| workspace.did_change_configuration.as_ref())
                .is_some_and(|settings| settings.dynamic_registration == Some(true)),
            line_folding_only: folding.is_some_and(|folding| folding.line_folding_only == Some(true)),
            fold_limit: folding.and_then(|folding| folding.range_limit),
            multiline_tokens: tokens.is_some_and(|tokens| tokens.multiline_token_support == Some(true)),
            augments_syntax_tokens: tokens.is_some_and(|tokens| tokens.augments_syntax_tokens == Some(true)),
            refresh_tokens: workspace
                .and_then(|workspace| workspace.semantic_tokens.as_ref())
                .is_some_and(|tokens| tokens.refresh_support == Some(true)),
            refresh_inlay_hints: workspace
                .and_then(|workspace| workspace.inlay_hint.as_ref())
                .is_some_and(|hints| hints.refresh_support == Some(true)),
            refresh_code_lenses: workspace
                .and_then(|workspace| workspace.code_lens.as_ref())
                .is_some_and(|lenses| lenses.refresh_support == Some(true)),
            completion: CompletionSupport::of(capabilities),
            links: LinkSupport::of(capabilities),
            document_changes: workspace
                .and_then(|workspace| workspace.workspace_edit.as_ref())
                .is_some_and(|edit| edit.document_changes == Some(true)),
            hierarchical_symbols: text
                .and_then(|text| text.document_symbol.as_ref())
                .is_some_and(|symbols| symbols.hierarchical_document_symbol_support == Some(true)),
        }
    }
}

/// What the server does for this client.
pub fn server(encoding: Encoding, client: &ClientFeatures) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(completion::capability()),
        signature_help_provider: Some(signature_help::capability()),
        declaration_provider: Some(DeclarationCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(features::code_action::options())),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(format::on_type_capability()),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(true) }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(tokens::capability().into()),
        diagnostic_provider: client.pull_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("coopmat-analyzer".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                ..DiagnosticOptions::default()
            })
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::names(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            ..WorkspaceServerCapabilities::default()
        }),
        ..ServerCapabilities::default()
    }
}
