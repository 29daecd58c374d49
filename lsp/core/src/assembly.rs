//! Assembly text of SPIR-V (`.spvasm`) as a document, between client and server: the server itself knows shaders alone.
//!
//! What is asked about such a document is answered here, from its text, by what answers in listings (`spirv::document`), and by `text` what
//! those do not have, as nobody edits them: mistakes and renames. Runs and lenses, which depend on settings and files, are the server's: it gets
//! the text along with the question.
//!
//! `spirv-val` is asked a moment after each edit, where the host has it, and what it says follows then.
//!
//! A module in words (`.spv`) is shown by clients as its text, in documents of the scheme `coopmat-module`.

mod text;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use coopmat_spirv::text::Class;
use futures::channel::mpsc::UnboundedSender;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Request, Response};
use tower_lsp::ls_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

use self::text::Text;
use crate::commands;
use crate::documents::Document;
use crate::embedded::layer::Incoming;
use crate::host::Host;
use crate::outgoing::Outgoing;
use crate::positions::Encoding;
use crate::query::request_failed;
use crate::spirv::document::{self, Shown as _};
use crate::spirv::view;
use crate::{pages, paths, run};

/// Between an edit and the question of whether the module is valid.
const QUIET: Duration = Duration::from_millis(300);

/// The languages that editors call it.
const LANGUAGES: [&str; 3] = ["spirv", "spvasm", "spirv-asm"];

const PUBLISH: &str = "textDocument/publishDiagnostics";

/// Asks the server for the lenses of a text.
pub const LENSES: &str = "coopmat-analyzer/moduleLenses";

/// Of documents that are the text of a file of words.
const MODULE: &str = "coopmat-module";

/// The path of a document of assembly text, or of the module whose text it is.
pub fn path_of(uri: &Uri) -> String {
    if uri.scheme().as_str() != MODULE {
        return paths::of_uri(uri);
    }
    let file = uri.as_str().replacen(MODULE, "file", 1).replacen("file:/", "file:///", 1);
    file.parse().map_or_else(|_| paths::of_uri(uri), |file| paths::of_uri(&file))
}

/// The client's documents of assembly text.
pub struct Layer {
    host: Arc<dyn Host>,
    texts: FxHashMap<String, Text>,
    /// The client asks for diagnostics.
    pulls: bool,
    /// What validates: nothing names the program on `PATH`, `off` none.
    validator: String,
    answers: UnboundedSender<Outgoing>,
}

impl Layer {
    pub fn new(host: Arc<dyn Host>, answers: UnboundedSender<Outgoing>) -> Layer {
        Layer { host, texts: FxHashMap::default(), pulls: false, validator: String::new(), answers }
    }

    /// A message of the client: what follows from it, or the message itself where it is about something else.
    pub fn incoming(&mut self, request: Request, encoding: Encoding) -> Result<Incoming, Request> {
        match request.method() {
            "initialize" => {
                let pulls =
                    |params: &Value| params.pointer("/capabilities/textDocument/diagnostic").is_some();
                self.pulls = request.params().is_some_and(pulls);
                return Err(request);
            }
            "textDocument/didOpen" => return self.opened(request, encoding),
            "coopmat-analyzer/disassembly" => return Ok(self.disassembled(request)),
            _ if self.texts.is_empty() => return Err(request),
            "workspace/executeCommand" => return self.command(request),
            _ => {}
        }
        let params = request.params();
        let uri = params.and_then(|params| params.pointer("/textDocument/uri")?.as_str());
        let Some(uri) = uri.filter(|uri| self.texts.contains_key(*uri)).map(str::to_owned) else {
            return Err(request);
        };
        let (method, id, params) = request.into_parts();
        let params = params.unwrap_or_default();
        match &*method {
            "textDocument/didChange" => {
                let changes: Vec<TextDocumentContentChangeEvent> =
                    read(&params, "/contentChanges").unwrap_or_default();
                if let Some(text) = self.texts.get_mut(&uri) {
                    let version = read(&params, "/textDocument/version").unwrap_or(text.document.version + 1);
                    let latest = text.latest.clone();
                    *text = Text::new(text.document.changed(version, changes, encoding), encoding);
                    text.latest = latest;
                }
                self.validate(&uri);
                return Ok(self.told(&uri));
            }
            "textDocument/didClose" => {
                self.texts.remove(&uri);
                return Ok(self.publish(json!({ "uri": uri, "diagnostics": [] })));
            }
            _ => {}
        }
        let (Some(id), Some(text)) = (id, self.texts.get(&uri)) else { return Ok(Incoming::default()) };
        let forward = |method, params| {
            Ok(Incoming::forward(Request::build(method).params(params).id(id.clone()).finish()))
        };
        match &*method {
            "coopmat-analyzer/run" => {
                let mut params = params;
                params["module"] = json!(&*text.document.text);
                return forward("coopmat-analyzer/run", params);
            }
            "textDocument/codeLens" => {
                return match text.entry() {
                    Some(range) => forward(LENSES, json!({ "uri": uri, "range": range })),
                    None => Ok(Incoming::answer(Some(id), Ok(json!([])))),
                };
            }
            _ => {}
        }
        let answers = vec![Response::from_parts(id, answer(text, &method, &params))];
        Ok(Incoming { answers, ..Incoming::default() })
    }

    fn opened(&mut self, request: Request, encoding: Encoding) -> Result<Incoming, Request> {
        let item = request.params().and_then(|params| params.get("textDocument"));
        let field = |key: &str| item.and_then(|item| item.get(key)?.as_str());
        let (Some(uri), Some(content)) = (field("uri"), field("text")) else { return Err(request) };
        let Ok(parsed) = uri.parse::<Uri>() else { return Err(request) };
        let is_ours = field("languageId").is_some_and(|id| LANGUAGES.contains(&id))
            || paths::of_uri(&parsed).ends_with(".spvasm");
        // Listings that the server makes itself are documents of its own.
        let is_listing = view::is_virtual(&parsed) || parsed.scheme().as_str() == pages::SCHEME;
        if !is_ours || is_listing {
            return Err(request);
        }
        let version = item.and_then(|item| item.get("version")?.as_i64()).unwrap_or_default() as i32;
        let path = paths::of_uri(&parsed).into();
        let uri = uri.to_owned();
        let document = Document::new(parsed, path, version, content.to_owned());
        self.texts.insert(uri.clone(), Text::new(document, encoding));
        self.validate(&uri);
        Ok(self.told(&uri))
    }

    /// A run that a command asks for gets the text along with it.
    fn command(&self, request: Request) -> Result<Incoming, Request> {
        let params = request.params();
        let command = params.and_then(|params| params.get("command")?.as_str());
        let argument = params.and_then(|params| params.pointer("/arguments/0"));
        let uri = argument.and_then(|one| one.as_str().or_else(|| one.get("uri")?.as_str()));
        let text = uri.and_then(|uri| self.texts.get(uri));
        let (Some(run::RUN | run::CREATE_RECIPE), Some(text)) = (command, text) else { return Err(request) };
        let argument = json!({ "uri": uri, "module": &*text.document.text });
        let (method, id, params) = request.into_parts();
        let mut params = params.unwrap_or_default();
        params["arguments"] = json!([argument]);
        let again = Request::build(method).params(params);
        Ok(Incoming::forward(match id {
            Some(id) => again.id(id).finish(),
            None => again.finish(),
        }))
    }

    /// The text of a file of words: `{text}`.
    fn disassembled(&self, request: Request) -> Incoming {
        let (_, id, params) = request.into_parts();
        let answer = || {
            let params = params.unwrap_or_default();
            let uri = params.pointer("/textDocument/uri").cloned().unwrap_or_default();
            let path = path_of(&commands::document(&[uri])?);
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            let bytes = self.host.read_bytes(&path);
            let bytes = bytes.ok_or_else(|| request_failed(format!("{name}: cannot read the file")))?;
            let module = coopmat_spirv::load_bytes(&bytes);
            let module = module.map_err(|error| request_failed(format!("{name}: {error}")))?;
            let options = coopmat_spirv::text::Options::default();
            Ok(json!({ "text": coopmat_spirv::text::disassemble(&module, &options).text }))
        };
        Incoming::answer(id, answer())
    }

    /// What the server's task says that is about texts; the message itself where it is not.
    pub fn told_by_server(&mut self, message: Outgoing) -> Result<Incoming, Outgoing> {
        match message {
            Outgoing::SpirvVal(program) => {
                if self.validator != program {
                    self.validator = program;
                    self.texts.keys().for_each(|uri| self.validate(uri));
                }
                Ok(Incoming::default())
            }
            Outgoing::Validated { uri, version, said } => {
                let Some(text) = self.texts.get_mut(&uri) else { return Ok(Incoming::default()) };
                if text.document.version != version || !text.validated(said) {
                    return Ok(Incoming::default());
                }
                if self.pulls {
                    let _ = self.answers.unbounded_send(Outgoing::RefreshDiagnostics);
                }
                Ok(self.told(&uri))
            }
            other => Err(other),
        }
    }

    /// Asks what validates about a text that is a module, once it has not been edited for a moment.
    fn validate(&self, uri: &str) {
        let Some(text) = self.texts.get(uri) else { return };
        let version = text.document.version;
        text.latest.store(version, Ordering::Relaxed);
        let off = self.validator == "off";
        let Some(module) = text.shared().filter(|_| !off) else {
            if off {
                let said = Ok(Vec::new());
                let _ =
                    self.answers.unbounded_send(Outgoing::Validated { uri: uri.to_owned(), version, said });
            }
            return;
        };
        let (latest, uri, answers) = (text.latest.clone(), uri.to_owned(), self.answers.clone());
        let (program, host) = (self.validator.clone(), self.host.clone());
        let ask = move || {
            let program = Some(program.as_str()).filter(|program| !program.is_empty());
            let wanted = || latest.load(Ordering::Relaxed) == version;
            if let Some(said) = wanted().then(|| host.validate(program, &module)).flatten() {
                let _ = answers.unbounded_send(Outgoing::Validated { uri, version, said });
            }
        };
        // What comes later takes no time; the program does.
        let host = self.host.clone();
        self.host.later(QUIET, Box::new(move || host.spawn(Box::new(ask))));
    }

    /// Tells of a text's mistakes, unless the client asks for them.
    fn told(&self, uri: &str) -> Incoming {
        let Some(text) = self.texts.get(uri) else { return Incoming::default() };
        let version = text.document.version;
        self.publish(json!({ "uri": uri, "version": version, "diagnostics": text.diagnostics() }))
    }

    fn publish(&self, params: Value) -> Incoming {
        let notification = (!self.pulls).then(|| Request::build(PUBLISH).params(params).finish());
        Incoming { notifications: notification.into_iter().collect(), ..Incoming::default() }
    }
}

/// A part of parameters, read as its type.
fn read<T: DeserializeOwned>(params: &Value, path: &str) -> Option<T> {
    serde_json::from_value(params.pointer(path)?.clone()).ok()
}

fn value(answer: impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(answer).map_err(|error| request_failed(error.to_string()))
}

/// The answer to a question about a text; nothing to what such texts do not have.
fn answer(text: &Text, method: &str, params: &Value) -> Result<Value, Error> {
    let at: Position = read(params, "/position").unwrap_or_default();
    let uri = &text.document.uri;
    match method {
        "textDocument/hover" => value(document::hover(text, at)),
        "textDocument/definition" | "textDocument/declaration" => value(document::definition(text, uri, at)),
        "textDocument/references" => {
            let declarations = read(params, "/context/includeDeclaration").unwrap_or(true);
            value(document::references(text, uri, at, declarations))
        }
        "textDocument/documentHighlight" => value(document::highlights(text, at)),
        "textDocument/documentSymbol" => value(document::symbols(text)),
        "textDocument/foldingRange" => value(document::folds(text)),
        // An edit of the colours is an answer as well that is not one.
        "textDocument/semanticTokens/full" | "textDocument/semanticTokens/full/delta" => {
            value(document::tokens(text, None))
        }
        "textDocument/semanticTokens/range" => value(document::tokens(text, read::<Range>(params, "/range"))),
        "coopmat-analyzer/spirv" => {
            let wanted = |what: &str| read(params, what).unwrap_or(false);
            text.counted(wanted("/statistics"), wanted("/words")).map_err(request_failed)
        }
        "textDocument/diagnostic" => Ok(json!({ "kind": "full", "items": text.diagnostics() })),
        "textDocument/prepareRename" => match text.at(at).1 {
            Some(span) if matches!(span.class, Class::Result | Class::Type | Class::Id) => {
                let name = text.span_text(span).trim_start_matches('%');
                Ok(json!({ "range": text.span_range(span), "placeholder": name }))
            }
            _ => Err(request_failed("there is no id here: only ids can be renamed")),
        },
        "textDocument/rename" => {
            let name: String = read(params, "/newName").unwrap_or_default();
            let edits = text.renamed(at, &name).map_err(request_failed)?;
            Ok(json!({ "changes": { uri.as_str(): edits } }))
        }
        _ => Ok(Value::Null),
    }
}
