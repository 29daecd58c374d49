//! What the client can do, as it says when it starts, and as it is known to do.

use tower_lsp::ls_types::{ClientCapabilities, GotoCapability, InitializeParams, ResourceOperationKind};

/// As Neovim calls itself in `clientInfo`.
const NEOVIM: &str = "Neovim";

/// What the client can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClientFeatures {
    /// Asks for diagnostics, and shows what it gets whenever it asks.
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
    /// Takes the tokens of a range and those of the whole for what they are.
    pub range_tokens: bool,
    /// Shows a hint about code that a configuration leaves out as dimmed code; else such code has the colour of comments.
    pub dims_by_hints: bool,
    pub refresh_inlay_hints: bool,
    pub refresh_code_lenses: bool,
    pub completion: CompletionSupport,
    pub links: LinkSupport,
    pub hierarchical_symbols: bool,
    /// Takes edits that name the versions of documents.
    pub document_changes: bool,
    /// Answers `coopmat-analyzer/askBuildCommand`, as it says under `experimental`.
    pub asks_build_command: bool,
    /// Wants to be told what is in view, as it says under `experimental`.
    pub follows_view: bool,
    /// Creates files when it is asked to.
    pub creates_files: bool,
}

impl ClientFeatures {
    pub fn of(params: &InitializeParams) -> ClientFeatures {
        let mut client = ClientFeatures::stated(&params.capabilities);
        if params.client_info.as_ref().is_some_and(|info| info.name == NEOVIM) {
            client.correct_neovim();
        }
        client
    }

    /// Neovim (seen in 0.12.4) says that it can do more than it does.
    fn correct_neovim(&mut self) {
        // `vim.lsp.diagnostic.on_refresh` asks a server that reports about the workspace for that alone, and then leaves the files that are open out.
        self.pull_diagnostics = false;
        // `vim.lsp.semantic_tokens` asks for both after a refresh; differences of the whole are then applied to the tokens of the range.
        self.range_tokens = false;
        // `vim.diagnostic` gives every hint a sign and an underline, whatever its tags.
        self.dims_by_hints = false;
    }

    fn stated(capabilities: &ClientCapabilities) -> ClientFeatures {
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
            range_tokens: true,
            dims_by_hints: true,
            completion: CompletionSupport::of(capabilities),
            links: LinkSupport::of(capabilities),
            document_changes: workspace
                .and_then(|workspace| workspace.workspace_edit.as_ref())
                .is_some_and(|edit| edit.document_changes == Some(true)),
            asks_build_command: capabilities
                .experimental
                .as_ref()
                .is_some_and(|more| more["coopmat-analyzer"]["askBuildCommand"] == true),
            follows_view: capabilities
                .experimental
                .as_ref()
                .is_some_and(|more| more["coopmat-analyzer"]["inView"] == true),
            creates_files: workspace.is_some_and(|workspace| {
                let edit = workspace.workspace_edit.as_ref();
                let operations = edit.and_then(|edit| edit.resource_operations.as_ref());
                workspace.apply_edit == Some(true)
                    && operations.is_some_and(|known| known.contains(&ResourceOperationKind::Create))
            }),
            hierarchical_symbols: text
                .and_then(|text| text.document_symbol.as_ref())
                .is_some_and(|symbols| symbols.hierarchical_document_symbol_support == Some(true)),
        }
    }
}

/// What the client can do with items.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompletionSupport {
    pub snippets: bool,
    pub insert_replace: bool,
    pub label_details: bool,
}

impl CompletionSupport {
    pub fn of(capabilities: &ClientCapabilities) -> CompletionSupport {
        let item = capabilities
            .text_document
            .as_ref()
            .and_then(|text| text.completion.as_ref())
            .and_then(|completion| completion.completion_item.as_ref());
        CompletionSupport {
            snippets: item.is_some_and(|item| item.snippet_support == Some(true)),
            insert_replace: item.is_some_and(|item| item.insert_replace_support == Some(true)),
            label_details: item.is_some_and(|item| item.label_details_support == Some(true)),
        }
    }
}

/// Whether the client takes links, which say what they start from.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkSupport {
    pub definition: bool,
    pub declaration: bool,
    pub type_definition: bool,
    pub implementation: bool,
}

impl LinkSupport {
    pub fn of(capabilities: &ClientCapabilities) -> LinkSupport {
        let Some(text) = &capabilities.text_document else { return LinkSupport::default() };
        let links = |goto: &Option<GotoCapability>| goto.is_some_and(|goto| goto.link_support == Some(true));
        LinkSupport {
            definition: links(&text.definition),
            declaration: links(&text.declaration),
            type_definition: links(&text.type_definition),
            implementation: links(&text.implementation),
        }
    }
}
