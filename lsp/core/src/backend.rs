//! The tower layer. Each handler puts an owned message into the server's channel before it first waits, so that the order
//! of messages is the client's, and forwards the answer: no state, no work, no wait for the client.

mod asking;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::channel::{mpsc, oneshot};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use crate::choices::{
    ConfigurationList, DeviceList, DocumentParams, FavouriteParams, SetConfigurationParams, SetDeviceParams,
    SetSpecializationParams, SpecializationList,
};
use crate::configuring::SettingsEvent;
use crate::events::{DocumentState, Event, Events};
use crate::features;
use crate::host::Host;
use crate::outgoing::Channel;
use crate::pages;
use crate::query::{Reply, request_failed};
use crate::running::{Link, Running};
use crate::search::question::{self, Purpose, Question};
use crate::set_up::SettingUp;
use crate::snapshot::Snapshot;
use crate::spirv::follow::{self, FollowEvent};
use crate::spirv::listing::Listing;
use crate::spirv::view::{self, View};
use crate::spirv::{document, request};
use crate::text_content;
use crate::{commands, run, set_up};

pub struct Backend {
    pub(crate) client: tower_lsp::Client,
    events: Events,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) shut_down: Arc<AtomicBool>,
    pub(crate) running: Running,
    pub(crate) setting_up: SettingUp,
}

#[derive(Debug, Deserialize)]
struct UriParams {
    uri: Uri,
}

pub fn service(events: Events, host: Arc<dyn Host>) -> (LspService<Backend>, ClientSocket) {
    let running = Running::default();
    let service = LspService::build(|client| Backend {
        setting_up: SettingUp::new(client.clone(), events.clone(), host.clone(), running.clone()),
        client,
        events,
        host,
        shut_down: Arc::default(),
        running,
    })
    .custom_method("coopmat-analyzer/virtualDocument", Backend::virtual_document)
    .custom_method(text_content::METHOD, Backend::text_document_content)
    .custom_method("coopmat-analyzer/documentState", Backend::document_state)
    .custom_method("coopmat-analyzer/configurations", Backend::configurations)
    .custom_method("coopmat-analyzer/setConfiguration", Backend::set_configuration)
    .custom_method("coopmat-analyzer/setFavourite", Backend::set_favourite)
    .custom_method("coopmat-analyzer/specializations", Backend::specializations)
    .custom_method("coopmat-analyzer/setSpecialization", Backend::set_specialization)
    .custom_method("coopmat-analyzer/devices", Backend::devices)
    .custom_method("coopmat-analyzer/setDevice", Backend::set_device)
    .custom_method("coopmat-analyzer/portability", Backend::portability)
    .custom_method("coopmat-analyzer/run", Backend::run)
    .custom_method("window/workDoneProgress/cancel", Backend::cancel_progress)
    .custom_method("coopmat-analyzer/spirv", Backend::spirv)
    .custom_method("coopmat-analyzer/compare", Backend::compare)
    .custom_method("coopmat-analyzer/compareModules", Backend::compare_modules)
    .custom_method("coopmat-analyzer/spirvLines", Backend::spirv_lines);
    let service = service.custom_method(crate::assembly::LENSES, Backend::module_lenses);
    service.finish()
}

impl Backend {
    fn tell(&self, event: Event) {
        // Nobody listens once the server's task has ended, which it does only with the connection.
        let _ = self.events.unbounded_send(event);
    }

    /// Sends an event that carries the place for its answer, then waits for that answer.
    async fn ask<R>(&self, event: impl FnOnce(Reply<R>) -> Event) -> Result<R> {
        let (reply, answer) = oneshot::channel();
        self.tell(event(reply));
        answer.await.unwrap_or_else(|_| Err(Error::internal_error()))
    }

    /// The same for what looks at many shaders: how far it is, is shown, and it can be stopped.
    async fn search<R>(
        &self,
        token: Option<ProgressToken>,
        event: impl FnOnce(Reply<R>, Link) -> Event,
    ) -> Result<R> {
        let (far, told) = mpsc::unbounded();
        let link = Link { far: Some(far), ..Link::default() };
        let shown = self.running.begin(token, link.stop.clone(), question::TITLE);
        let answer = self.ask(|reply| event(reply, link));
        // The other end of `told` goes with the search.
        let (answer, ()) = futures::join!(answer, shown.tell(&self.client, told));
        answer
    }

    /// The colours of a module's text, whichever request asks for them.
    async fn listing_tokens<R: From<SemanticTokens> + Send + 'static>(
        &self,
        method: &'static str,
        uri: &Uri,
    ) -> Result<Option<R>> {
        self.query_listing(method, uri, (), |listing, (): &()| {
            Some(document::tokens(&**listing, None).into())
        })
        .await
    }

    /// The text of a module, which is followed from now on.
    async fn module_text(&self, uri: Uri, channel: Channel) -> Result<String> {
        let (source, view) = follow::wanted(&uri)?;
        let run = |snapshot: &Snapshot, view: &View| snapshot.listing(view).map(Arc::new);
        let listing = self.query_whole("coopmat-analyzer/virtualDocument", &source, view, run).await?;
        let listing = listing.map_err(Error::invalid_params)?;
        let text = listing.text.clone();
        self.tell(Event::Following(FollowEvent::Sent { uri, channel, listing }));
        Ok(text)
    }

    /// Runs a shader. The run ends when the client cancels the request, or the progress that it is shown.
    async fn run(&self, mut params: run::Params) -> Result<Value> {
        let uri = params.text_document.uri.clone();
        let stop = params.link.stop.clone();
        let shown = self.running.begin(params.work_done_token.take(), stop, run::TITLE);
        let (far, told) = mpsc::unbounded();
        params.link.far = Some(far);
        let answer = async {
            if params.module.is_some() {
                return self.ask(|reply| Event::RunModule(Box::new(params), reply)).await;
            }
            self.query_open("coopmat-analyzer/run", &uri, params, run::run).await
        };
        // The other end of `told` goes with the question.
        let (answer, ()) = futures::join!(answer, shown.tell(&self.client, told));
        self.tell(Event::Ran);
        answer
    }

    /// Asks whether a recipe is to be written where there is none.
    async fn offers_recipe(&self, answer: &Value) -> bool {
        let (kind, message) = run::message(answer);
        let create = MessageActionItem { title: "Create recipe".to_owned(), properties: Default::default() };
        let chosen = self.client.show_message_request(kind, message, Some(vec![create])).await;
        chosen.is_ok_and(|chosen| chosen.is_some())
    }

    async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        self.running.cancel(&params.token);
    }

    /// The lenses of a document of assembly text.
    async fn module_lenses(&self, params: features::lens::OfModule) -> Result<Vec<CodeLens>> {
        self.ask(|reply| Event::ModuleLenses(params, reply)).await
    }

    async fn spirv(&self, params: request::Params) -> Result<Value> {
        let uri = params.text_document.uri.clone();
        let follow = params.follow;
        let whole = params.position.is_none() && params.range.is_none();
        let answer = match whole {
            true => self.query_whole("coopmat-analyzer/spirv", &uri, params, request::listing).await?,
            false => self.query_open("coopmat-analyzer/spirv", &uri, params, request::listing).await?,
        };
        let (answer, listing) = answer.map_err(Error::invalid_params)?;
        if follow && let Some(uri) = answer["uri"].as_str().and_then(|uri| uri.parse().ok()) {
            let listing = Arc::new(listing);
            self.tell(Event::Following(FollowEvent::Sent { uri, channel: Channel::Own, listing }));
        }
        Ok(answer)
    }

    async fn spirv_lines(&self, params: request::LinesParams) -> Result<Value> {
        let uri = params.text_document.uri.clone();
        let answer = self.query_open("coopmat-analyzer/spirvLines", &uri, params, request::lines).await?;
        answer.map_err(Error::invalid_params)
    }

    async fn compare(&self, mut params: features::compare::Params) -> Result<Value> {
        let uri = params.text_document.uri.clone();
        let name = params.with.clone();
        params.other = self.ask(|reply| Event::ConfigurationNamed(uri.clone(), name, reply)).await?;
        let run = features::compare::compare;
        let answer = self.query_whole("coopmat-analyzer/compare", &uri, params, run).await?;
        answer.map_err(request_failed)
    }

    async fn compare_modules(
        &self,
        params: features::compare_modules::Params,
    ) -> Result<features::compare_modules::Answer> {
        features::compare_modules::compare(&*self.host, params).await
    }

    async fn virtual_document(&self, params: UriParams) -> Result<Option<String>> {
        if view::is_virtual(&params.uri) {
            return self.module_text(params.uri, Channel::Own).await.map(Some);
        }
        Ok(pages::text(params.uri.as_str()))
    }

    async fn text_document_content(&self, params: UriParams) -> Result<Value> {
        if view::is_virtual(&params.uri) {
            let text = self.module_text(params.uri, Channel::Content).await?;
            return Ok(json!({ "text": text }));
        }
        let text = pages::text(params.uri.as_str());
        text.map(|text| json!({ "text": text }))
            .ok_or_else(|| Error::invalid_params("there is no such virtual document"))
    }

    async fn configurations(&self, params: DocumentParams) -> Result<ConfigurationList> {
        self.ask(|reply| Event::Configurations(params, reply)).await
    }

    async fn set_configuration(&self, params: SetConfigurationParams) -> Result<ConfigurationList> {
        self.ask(|reply| Event::SetConfiguration(params, Some(reply))).await
    }

    async fn set_favourite(&self, params: FavouriteParams) -> Result<ConfigurationList> {
        self.ask(|reply| Event::Favourite(params, reply)).await
    }

    async fn specializations(&self, params: DocumentParams) -> Result<SpecializationList> {
        self.ask(|reply| Event::Specializations(params, reply)).await
    }

    async fn set_specialization(&self, params: SetSpecializationParams) -> Result<SpecializationList> {
        self.ask(|reply| Event::SetSpecialization(params, Some(reply))).await
    }

    async fn devices(&self) -> Result<DeviceList> {
        self.ask(Event::Devices).await
    }

    async fn set_device(&self, params: SetDeviceParams) -> Result<DeviceList> {
        self.ask(|reply| Event::SetDevice(params, Some(reply))).await
    }

    async fn portability(&self, params: features::portability::Params) -> Result<Value> {
        let uri = params.text_document.uri.clone();
        self.query_open("coopmat-analyzer/portability", &uri, params, features::portability::table).await
    }

    async fn document_state(&self, params: UriParams) -> Result<Option<DocumentState>> {
        self.ask(|reply| Event::State(params.uri, reply)).await
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        self.running.learn(&params.capabilities);
        self.setting_up.learn(&params);
        self.ask(|reply| Event::Initialize(Box::new(params), reply)).await
    }

    async fn initialized(&self, _: InitializedParams) {
        self.tell(Event::Initialized);
    }

    async fn shutdown(&self) -> Result<()> {
        self.shut_down.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        self.tell(Event::Opened(params.text_document));
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        self.tell(Event::Changed(params));
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        self.tell(Event::Saved);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.tell(Event::Closed(params.text_document.uri));
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.tell(Event::FilesChanged(params.changes));
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        self.tell(Event::Settings(SettingsEvent::Sent(params.settings)));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.tell(Event::FoldersChanged(params.event));
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        if view::is_virtual(&uri) {
            let run = |listing: &Arc<Listing>, at: &Position| document::hover(&**listing, *at);
            return self
                .query_listing("textDocument/hover", &uri, params.text_document_position_params.position, run)
                .await;
        }
        self.query("textDocument/hover", &uri, params, features::hover::hover).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let uri = params.text_document_position.text_document.uri.clone();
        self.query_shader("textDocument/completion", &uri, params, features::completion::completion).await
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        let Some(uri) = features::completion::document_of(&item) else {
            return Ok(features::completion::resolve_builtin(item));
        };
        // A document that has changed or gone has nothing to add to an item that was listed before.
        let known = item.clone();
        let run =
            |snapshot: &Snapshot, item: &CompletionItem| Some(features::completion::resolve(snapshot, item));
        let resolved = self.query("completionItem/resolve", &uri, item, run).await;
        Ok(resolved.ok().flatten().unwrap_or(known))
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.query_shader(
            "textDocument/signatureHelp",
            &uri,
            params,
            features::signature_help::signature_help,
        )
        .await
    }

    async fn goto_declaration(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.query("textDocument/declaration", &uri, params, features::definition::declaration).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        if view::is_virtual(&uri) {
            let run = |listing: &Arc<Listing>, params: &GotoDefinitionParams| {
                let at = &params.text_document_position_params;
                document::definition(&**listing, &at.text_document.uri, at.position)
            };
            return self.query_listing("textDocument/definition", &uri, params, run).await;
        }
        self.query("textDocument/definition", &uri, params, features::definition::definition).await
    }

    async fn goto_type_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.query("textDocument/typeDefinition", &uri, params, features::definition::type_definition).await
    }

    async fn goto_implementation(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.query("textDocument/implementation", &uri, params, features::definition::implementation).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let token = params.work_done_progress_params.work_done_token;
        let uri = params.text_document_position.text_document.uri;
        let (position, declarations) =
            (params.text_document_position.position, params.context.include_declaration);
        if view::is_virtual(&uri) {
            let of = (uri.clone(), position, declarations);
            let run = |listing: &Arc<Listing>, (uri, at, declarations): &(Uri, Position, bool)| {
                Some(document::references(&**listing, uri, *at, *declarations))
            };
            return self.query_listing("textDocument/references", &uri, of, run).await;
        }
        let run = features::references::wanted;
        let wanted = self.query("textDocument/references", &uri, position, run).await?;
        let Some((name, wanted)) = wanted else { return Ok(None) };
        self.search(token, |reply, link| {
            let purpose = Purpose::References { declarations, most: None, reply };
            Event::Search(Box::new(Question { name, wanted, purpose, link }))
        })
        .await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        let uri = params.text_document.uri.clone();
        let run = |snapshot: &Snapshot, params: &TextDocumentPositionParams| {
            Some(features::renaming::prepare(snapshot, params))
        };
        let prepared = self.query("textDocument/prepareRename", &uri, params, run).await?;
        prepared.transpose().map_err(request_failed)
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let token = params.work_done_progress_params.work_done_token.clone();
        let (uri, new_name) =
            (params.text_document_position.text_document.uri.clone(), params.new_name.clone());
        let run =
            |snapshot: &Snapshot, params: &RenameParams| Some(features::renaming::wanted(snapshot, params));
        let Some(wanted) = self.query("textDocument/rename", &uri, params, run).await? else {
            return Ok(None);
        };
        let (name, wanted) = wanted.map_err(request_failed)?;
        if name == new_name {
            return Ok(None);
        }
        self.search(token, |reply, link| {
            let purpose = Purpose::Rename { new_name, reply };
            Event::Search(Box::new(Question { name, wanted, purpose, link }))
        })
        .await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.query("textDocument/prepareCallHierarchy", &uri, params, features::calls::prepare).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        let token = params.work_done_progress_params.work_done_token;
        self.search(token, |reply, link| {
            Event::CallSearch(Box::new(params.item), Purpose::IncomingCalls { reply }, link)
        })
        .await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        let token = params.work_done_progress_params.work_done_token;
        self.search(token, |reply, link| {
            Event::CallSearch(Box::new(params.item), Purpose::OutgoingCalls { reply }, link)
        })
        .await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        if view::is_virtual(&uri) {
            let run = |listing: &Arc<Listing>, at: &Position| Some(document::highlights(&**listing, *at));
            return self
                .query_listing(
                    "textDocument/documentHighlight",
                    &uri,
                    params.text_document_position_params.position,
                    run,
                )
                .await;
        }
        self.query("textDocument/documentHighlight", &uri, params, features::highlight::highlights).await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        let uri = params.text_document.uri.clone();
        if view::is_virtual(&uri) {
            let run = |listing: &Arc<Listing>, (): &()| Some(document::symbols(&**listing));
            return self.query_listing("textDocument/documentSymbol", &uri, (), run).await;
        }
        let run = features::outline::document_symbols;
        self.query_text("textDocument/documentSymbol", &uri, params, run).await
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        self.ask(|reply| Event::Symbols(params.query, reply)).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        let uri = params.text_document.uri.clone();
        self.query_shader("textDocument/documentLink", &uri, params, features::links::links).await
    }

    async fn document_link_resolve(&self, params: DocumentLink) -> Result<DocumentLink> {
        self.ask(|reply| Event::ResolveLink(Box::new(params), reply)).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let uri = params.text_document.uri.clone();
        self.query_shader("textDocument/codeAction", &uri, params, features::code_action::actions).await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        let uri = params.text_document.uri.clone();
        self.query_text("textDocument/formatting", &uri, params, features::format::document).await
    }

    async fn range_formatting(&self, params: DocumentRangeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        let uri = params.text_document.uri.clone();
        self.query_text("textDocument/rangeFormatting", &uri, params, features::format::range).await
    }

    async fn on_type_formatting(
        &self,
        params: DocumentOnTypeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        let uri = params.text_document_position.text_document.uri.clone();
        self.query_text("textDocument/onTypeFormatting", &uri, params, features::format::on_type).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        let uri = params.text_document.uri.clone();
        if view::is_virtual(&uri) {
            let run = |listing: &Arc<Listing>, (): &()| Some(document::folds(&**listing));
            return self.query_listing("textDocument/foldingRange", &uri, (), run).await;
        }
        self.query_text("textDocument/foldingRange", &uri, params, features::folding::folding).await
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        let uri = params.text_document.uri.clone();
        self.query_shader_text("textDocument/selectionRange", &uri, params, features::selection::selection)
            .await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        let uri = params.text_document.uri.clone();
        if view::is_virtual(&uri) {
            return self.listing_tokens("textDocument/semanticTokens/full", &uri).await;
        }
        self.query("textDocument/semanticTokens/full", &uri, params, features::tokens::full).await
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensFullDeltaResult>> {
        let uri = params.text_document.uri.clone();
        if view::is_virtual(&uri) {
            return self.listing_tokens("textDocument/semanticTokens/full/delta", &uri).await;
        }
        self.query("textDocument/semanticTokens/full/delta", &uri, params, features::tokens::delta).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        let uri = params.text_document.uri.clone();
        if view::is_virtual(&uri) {
            return self.listing_tokens("textDocument/semanticTokens/range", &uri).await;
        }
        self.query("textDocument/semanticTokens/range", &uri, params, features::tokens::range).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let uri = params.text_document.uri.clone();
        self.query_shader("textDocument/codeLens", &uri, params, features::lens::lenses).await
    }

    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        let data = lens.data.clone().unwrap_or_default();
        let Ok(data) = serde_json::from_value::<features::lens::Unresolved>(data) else { return Ok(lens) };
        let known = lens.clone();
        let run = |snapshot: &Snapshot, lens: &CodeLens| Some(features::lens::resolve(snapshot, lens));
        let resolved = self.query("codeLens/resolve", &data.uri, lens, run).await?;
        let Some((lens, searched)) = resolved else { return Ok(known) };
        let Some((name, wanted)) = searched else { return Ok(lens) };
        // A header is part of many shaders: counted as references are found.
        let found = self.ask(|reply| {
            let purpose = Purpose::References { declarations: false, most: features::lens::LOOKS, reply };
            Event::Search(Box::new(Question { name, wanted, purpose, link: Link::default() }))
        });
        Ok(features::lens::with_references(lens, found.await?))
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let uri = params.text_document.uri.clone();
        self.query_shader("textDocument/inlayHint", &uri, params, features::inlay::hints).await
    }

    async fn inline_value(&self, params: InlineValueParams) -> Result<Option<Vec<InlineValue>>> {
        let uri = params.text_document.uri.clone();
        self.query_shader("textDocument/inlineValue", &uri, params, features::inline_values::values).await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        if view::is_virtual(&params.text_document.uri) {
            let report = RelatedFullDocumentDiagnosticReport::default();
            return Ok(DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(report)));
        }
        self.ask(|reply| Event::Diagnostic(params, reply)).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        if params.command == run::RUN || params.command == run::CREATE_RECIPE {
            let mut wanted = run::Params::of(commands::document(&params.arguments)?);
            wanted.work_done_token = params.work_done_progress_params.work_done_token;
            wanted.create_recipe = params.command == run::CREATE_RECIPE;
            wanted.by_edit = true;
            wanted.module = commands::module(&params.arguments);
            let mut answer = self.run(wanted.clone()).await?;
            if answer.get("missingRecipe").is_some() && self.offers_recipe(&answer).await {
                wanted.create_recipe = true;
                answer = self.run(wanted).await?;
            } else if answer.get("missingRecipe").is_some() {
                return Ok(Some(answer));
            }
            if let Some(edit) = run::creation(&answer["created"]) {
                let applied = self.client.apply_edit(edit).await.is_ok_and(|answer| answer.applied);
                if !applied {
                    return Err(request_failed("the editor could not create the recipe"));
                }
            }
            let (kind, message) = run::message(&answer);
            self.client.show_message(kind, message).await;
            return Ok(Some(answer));
        }
        if params.command == set_up::COMMAND {
            let uri = commands::document_if_any(&params.arguments)?;
            let token = params.work_done_progress_params.work_done_token;
            return self.setting_up.carry_out(uri, token).await.map(Some);
        }
        self.ask(|reply| Event::Command(params, reply)).await
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        self.ask(|reply| Event::WorkspaceDiagnostic(params, reply)).await
    }
}
