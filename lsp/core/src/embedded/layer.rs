//! Between client and server: the client has a file of C++ or Rust open, the server a document for each shader in it. As a shader's lines and columns are those of
//! the file, only addresses are changed on the way.
//!
//! A question about a place goes to the shader that is there, one about the whole file to every shader, and the answers are put together (`merge`). What is asked
//! about the rest of the file has no answer: that is for the language server of the file's own language.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Id, Request, Response};
use tower_lsp::ls_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

use super::given::{Given, Note};
use super::{Language, Part as Unknown, Region, merge, regions};
use crate::documents::Document;
use crate::paths;
use crate::positions::Encoding;
use crate::query::request_failed;
use coopmat_analysis::config::Stage;

/// A file of the client with its shaders.
pub struct File {
    pub document: Document,
    pub encoding: Encoding,
    language: Language,
    pub shaders: Vec<Shader>,
    /// Whether the client was told of diagnostics that it still shows.
    told: bool,
}

pub struct Shader {
    pub region: Region,
    /// Of the server's document.
    pub uri: String,
    given: Arc<Given>,
    /// As the server has published them, in the client's terms.
    diagnostics: Vec<Value>,
    /// The version whose diagnostics are still to come.
    awaited: Option<i32>,
}

/// What follows from a message of the client.
#[derive(Default)]
pub struct Incoming {
    /// What the server is to know of shaders, before what is forwarded.
    pub given: Vec<(Arc<str>, Option<Arc<Given>>)>,
    /// To the server, in this order.
    pub forward: Vec<Request>,
    /// To the client.
    pub answers: Vec<Response>,
    pub notifications: Vec<Request>,
}

/// A question of the client, until all of its parts are answered.
struct Group {
    id: Id,
    method: String,
    file: String,
    /// The report that the client has.
    previous: Option<String>,
    /// By the shader's number among those that were asked.
    parts: Vec<Part>,
    open: usize,
}

pub struct Part {
    /// Of the server's document.
    pub uri: String,
    pub answer: Option<Result<Value, Error>>,
}

/// How a question finds the shaders that it is about.
enum Way {
    /// The one at a position.
    At(Position),
    /// The ones that a range touches.
    Among(Position, Position),
    /// All of them.
    All,
    /// The only one.
    Only,
    Nowhere,
}

#[derive(Default)]
pub struct Layer {
    disabled: bool,
    encoding: Encoding,
    /// The request that has to be answered first.
    initialize: Option<Id>,
    files: FxHashMap<String, File>,
    /// The file of each shader, by the address of the server's document.
    addresses: BTreeMap<String, String>,
    groups: FxHashMap<u64, Group>,
    /// The questions that were put for the client's.
    asked: FxHashMap<Id, (u64, usize)>,
    next: u64,
}

impl Incoming {
    pub fn forward(request: Request) -> Incoming {
        Incoming { forward: vec![request], ..Incoming::default() }
    }

    pub fn answer(id: Option<Id>, answer: Result<Value, Error>) -> Incoming {
        let answers = id.map(|id| Response::from_parts(id, answer));
        Incoming { answers: answers.into_iter().collect(), ..Incoming::default() }
    }
}

/// A part of parameters, read as its type.
fn read<T: serde::de::DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    serde_json::from_value(value?.clone()).ok()
}

fn notification(method: &'static str, params: Value) -> Request {
    Request::build(method).params(params).finish()
}

/// The address that parameters are about, and the path to it.
fn address(params: &Value) -> Option<(&'static str, &str)> {
    const PATHS: [&str; 4] = ["/textDocument/uri", "/item/uri", "/uri", "/arguments/0/textDocument/uri"];
    PATHS.into_iter().find_map(|path| Some((path, params.pointer(path)?.as_str()?)))
}

impl Layer {
    /// A message of the client.
    pub fn incoming(&mut self, request: Request) -> Incoming {
        match request.method() {
            "initialize" => {
                self.initialize = request.id().cloned();
                return Incoming::forward(request);
            }
            "textDocument/didOpen" => return self.opened(request),
            _ if self.files.is_empty() => return Incoming::forward(request),
            "$/cancelRequest" => return self.cancelled(request),
            _ => {}
        }
        let Some(params) = request.params() else { return Incoming::forward(request) };
        let Some((path, uri)) = address(params) else { return Incoming::forward(request) };
        if !self.files.contains_key(uri) {
            return Incoming::forward(request);
        }
        let uri = uri.to_owned();
        match request.method() {
            "textDocument/didChange" => self.changed(&uri, params),
            "textDocument/didClose" => self.closed(&uri),
            "textDocument/didSave" => Incoming::forward(request),
            _ if request.id().is_none() => Incoming::default(),
            _ => self.question(&uri, path, request),
        }
    }

    fn opened(&mut self, request: Request) -> Incoming {
        let item = request.params().and_then(|params| params.get("textDocument"));
        let text = |key: &str| item.and_then(|item| item.get(key)?.as_str());
        let (Some(uri), Some(content)) = (text("uri"), text("text")) else {
            return Incoming::forward(request);
        };
        let Ok(parsed) = uri.parse::<Uri>() else { return Incoming::forward(request) };
        let path = paths::of_uri(&parsed);
        let is_shader = Stage::of_path(&path).is_some() || path.ends_with(".glsl");
        let by_id = text("languageId").and_then(Language::of_id);
        let by_path = || Language::of_path(&path).filter(|_| text("languageId") != Some("glsl"));
        let Some(language) = by_id.or_else(by_path).filter(|_| !is_shader) else {
            return Incoming::forward(request);
        };
        let version = item.and_then(|item| item.get("version")?.as_i64()).unwrap_or_default();
        let document = Document::new(parsed, path.into(), version as i32, content.to_owned());
        let uri = uri.to_owned();
        let encoding = self.encoding;
        self.files
            .insert(uri.clone(), File { document, encoding, language, shaders: Vec::new(), told: false });
        self.look(&uri)
    }

    fn changed(&mut self, uri: &str, params: &Value) -> Incoming {
        let Some(file) = self.files.get_mut(uri) else { return Incoming::default() };
        let version: i32 = read(params.pointer("/textDocument/version")).unwrap_or(file.document.version + 1);
        let changes: Vec<TextDocumentContentChangeEvent> =
            read(params.get("contentChanges")).unwrap_or_default();
        file.document = file.document.changed(version, changes, file.encoding);
        self.look(uri)
    }

    fn closed(&mut self, uri: &str) -> Incoming {
        let mut incoming = Incoming::default();
        let Some(file) = self.files.remove(uri) else { return incoming };
        for shader in &file.shaders {
            self.addresses.remove(&shader.uri);
            incoming.given.push((shader.path(&file), None));
            incoming.forward.push(close(&shader.uri));
        }
        if file.told {
            incoming.notifications.push(notification(PUBLISH, json!({ "uri": uri, "diagnostics": [] })));
        }
        incoming
    }

    /// Finds the shaders of a file anew, and tells the server what is another now.
    fn look(&mut self, uri: &str) -> Incoming {
        let mut incoming = Incoming::default();
        let disabled = self.disabled;
        let Some(file) = self.files.get_mut(uri) else { return incoming };
        let found = if disabled { Vec::new() } else { regions(file.language, &file.document.text) };
        let version = file.document.version;
        let mut before = std::mem::take(&mut file.shaders);
        for region in found {
            let path = region.path(&file.document.path);
            let Some(address) = paths::to_uri(&path) else { continue };
            let address = address.as_str().to_owned();
            let given = Arc::new(file.given(&region));
            let known = before.iter().position(|shader| shader.uri == address);
            let Some(known) = known.map(|known| before.swap_remove(known)) else {
                let document = json!({
                    "uri": &address, "languageId": "glsl", "version": version, "text": &*region.text,
                });
                incoming
                    .forward
                    .push(notification("textDocument/didOpen", json!({ "textDocument": document })));
                self.addresses.insert(address.clone(), uri.to_owned());
                incoming.given.push((path.into(), Some(given.clone())));
                file.shaders.push(Shader {
                    region,
                    uri: address,
                    given,
                    diagnostics: Vec::new(),
                    awaited: Some(version),
                });
                continue;
            };
            if known.given != given {
                incoming.given.push((path.into(), Some(given.clone())));
            }
            let moved = known.region.text != region.text;
            if moved {
                incoming.forward.push(notification(
                    "textDocument/didChange",
                    json!({
                        "textDocument": { "uri": &address, "version": version },
                        "contentChanges": [{ "text": &*region.text }],
                    }),
                ));
            }
            let awaited = if moved { Some(version) } else { known.awaited };
            file.shaders.push(Shader { region, awaited, given, ..known });
        }
        let gone = !before.is_empty();
        for shader in before {
            self.addresses.remove(&shader.uri);
            incoming.given.push((shader.path(file), None));
            incoming.forward.push(close(&shader.uri));
        }
        if gone && file.told {
            incoming.notifications.push(file.publish());
        }
        incoming
    }

    /// How the client counts positions, once that is negotiated.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Turns the shaders of all files on or off.
    pub fn enable(&mut self, enabled: bool) -> Incoming {
        let mut all = Incoming::default();
        if self.disabled != enabled {
            return all;
        }
        self.disabled = !enabled;
        let uris: Vec<String> = self.files.keys().cloned().collect();
        for uri in uris {
            let Incoming { given, forward, answers, notifications } = self.look(&uri);
            all.given.extend(given);
            all.forward.extend(forward);
            all.answers.extend(answers);
            all.notifications.extend(notifications);
        }
        all
    }

    fn cancelled(&self, request: Request) -> Incoming {
        let id: Option<Id> = read(request.params().and_then(|params| params.get("id")));
        let group = self.groups.iter().find(|(_, group)| Some(&group.id) == id.as_ref());
        let Some((number, _)) = group else { return Incoming::forward(request) };
        let ids = self.asked.iter().filter(|(_, (group, _))| group == number).map(|(id, _)| id);
        let forward = ids.map(|id| notification("$/cancelRequest", json!({ "id": id }))).collect();
        Incoming { forward, ..Incoming::default() }
    }

    /// Puts a question about a file to its shaders.
    fn question(&mut self, uri: &str, path: &str, request: Request) -> Incoming {
        let (method, id, params) = request.into_parts();
        let (Some(file), Some(params)) = (self.files.get(uri), params) else { return Incoming::default() };
        let found: Vec<&Shader> = match way(&method, &params) {
            Way::Nowhere => Vec::new(),
            Way::All => file.shaders.iter().collect(),
            Way::At(position) => {
                file.shaders.iter().filter(|shader| file.holds(shader, position)).take(1).collect()
            }
            Way::Among(start, end) => {
                file.shaders.iter().filter(|shader| file.touches(shader, start, end)).collect()
            }
            Way::Only if file.shaders.len() == 1 => file.shaders.iter().collect(),
            Way::Only => {
                let message = match file.shaders.len() {
                    0 => "no string of this file is marked as GLSL".to_owned(),
                    count => format!("this file has {count} shaders: put the cursor in one of them"),
                };
                return Incoming::answer(id, Err(request_failed(message)));
            }
        };
        if found.is_empty() {
            return match is_own(&method) {
                true => Incoming::answer(id, Err(request_failed("there is no shader here"))),
                false => Incoming::answer(id, Ok(merge::nothing(&method))),
            };
        }
        let Some(id) = id else { return Incoming::default() };
        let group = self.next;
        self.next += 1;
        let previous = params.get("previousResultId").and_then(Value::as_str).map(str::to_owned);
        let several = found.len() > 1;
        let mut parts = Vec::new();
        let mut forward = Vec::new();
        for (index, shader) in found.into_iter().enumerate() {
            let mut params = params.clone();
            if let Some(place) = params.pointer_mut(path) {
                *place = Value::from(&*shader.uri);
            }
            if let Some(params) = params.as_object_mut() {
                // These are of the file's own answer.
                params.remove("previousResultId");
                if several {
                    params.remove("workDoneToken");
                }
                params.remove("partialResultToken");
            }
            let part = Id::String(format!("shader/{group}/{index}"));
            self.asked.insert(part.clone(), (group, index));
            let asked = match &*method {
                // The shaders' colours are told anew.
                "textDocument/semanticTokens/full/delta" => "textDocument/semanticTokens/full".into(),
                _ => method.clone(),
            };
            forward.push(Request::build(asked).id(part).params(params).finish());
            parts.push(Part { uri: shader.uri.clone(), answer: None });
        }
        let open = parts.len();
        let file = uri.to_owned();
        self.groups.insert(group, Group { id, method: method.into_owned(), file, previous, parts, open });
        Incoming { forward, ..Incoming::default() }
    }

    /// An answer of the server, as the client gets it; `None`: others are awaited.
    pub fn answered(&mut self, response: Response) -> Option<Response> {
        if self.initialize.as_ref() == Some(response.id()) {
            self.initialize = None;
            let encoding =
                response.result().and_then(|result| read(result.pointer("/capabilities/positionEncoding")));
            let kind: Option<tower_lsp::ls_types::PositionEncodingKind> = encoding;
            self.encoding = Encoding::negotiate(kind.as_ref().map(std::slice::from_ref));
            return Some(response);
        }
        let Some((number, index)) = self.asked.remove(response.id()) else {
            if self.addresses.is_empty() {
                return Some(response);
            }
            let (id, answer) = response.into_parts();
            return Some(Response::from_parts(id, answer.map(|answer| self.in_files(answer))));
        };
        let group = self.groups.get_mut(&number)?;
        let (_, answer) = response.into_parts();
        group.parts.get_mut(index)?.answer = Some(answer);
        group.open -= 1;
        if group.open > 0 {
            return None;
        }
        let group = self.groups.remove(&number)?;
        let Some(file) = self.files.get(&group.file) else {
            return Some(Response::from_error(group.id, Error::content_modified()));
        };
        let merged = merge::merge(&group.method, file, group.parts, group.previous.as_deref());
        Some(Response::from_parts(group.id, merged.map(|answer| self.in_files(answer))))
    }

    /// A request or notification of the server, as the client gets it; `None`: the client has no such document.
    pub fn told(&mut self, request: Request) -> Option<Request> {
        if self.files.is_empty() && request.method() != PUBLISH {
            return Some(request);
        }
        if request.method() != PUBLISH {
            let (method, id, params) = request.into_parts();
            let mut built = Request::build(method);
            if let Some(params) = params {
                built = built.params(self.in_files(params));
            }
            return Some(match id {
                Some(id) => built.id(id).finish(),
                None => built.finish(),
            });
        }
        let (method, _, params) = request.into_parts();
        let mut params = params?;
        let uri = params.get("uri")?.as_str()?.to_owned();
        let Some(file) = self.addresses.get(&uri) else {
            // What the server takes back of a shader that is gone has been taken back with it.
            let parsed: Option<Uri> = uri.parse().ok();
            let gone = parsed.is_some_and(|uri| super::split(&paths::of_uri(&uri)).is_some());
            return (!gone).then(|| Request::build(method).params(self.in_files(params)).finish());
        };
        let file = file.clone();
        let found = params.get_mut("diagnostics").map(Value::take);
        let found = match found.map(|found| self.in_files(found)) {
            Some(Value::Array(found)) => found,
            _ => Vec::new(),
        };
        let file = self.files.get_mut(&file)?;
        let index = file.shaders.iter().position(|shader| shader.uri == uri)?;
        let found = merge::diagnostics(file, file.shaders.get(index)?, found);
        let version: Option<i32> = read(params.get("version"));
        let shader = file.shaders.get_mut(index)?;
        shader.diagnostics = found;
        if version.is_none() || version == shader.awaited {
            shader.awaited = None;
        }
        // What was told of an earlier text stands elsewhere now.
        if file.shaders.iter().any(|shader| shader.awaited.is_some()) {
            return None;
        }
        let nothing = file.shaders.iter().all(|shader| shader.diagnostics.is_empty());
        if nothing && !file.told {
            return None;
        }
        file.told = !nothing;
        Some(file.publish())
    }

    /// Addresses of shaders become those of their files.
    fn in_files(&self, mut value: Value) -> Value {
        if !self.addresses.is_empty() {
            merge::readdress(&mut value, &|uri| {
                let file = self.addresses.get(uri)?;
                let version = self.files.get(file).map_or(0, |file| file.document.version);
                Some((file.as_str(), version))
            });
        }
        value
    }
}

const PUBLISH: &str = "textDocument/publishDiagnostics";

fn close(uri: &str) -> Request {
    notification("textDocument/didClose", json!({ "textDocument": { "uri": uri } }))
}

fn is_own(method: &str) -> bool {
    method.starts_with("coopmat-analyzer/") || method == "workspace/executeCommand"
}

fn way(method: &str, params: &Value) -> Way {
    let at = |path: &str| read(params.pointer(path));
    match method.strip_prefix("textDocument/") {
        Some(
            "hover"
            | "completion"
            | "signatureHelp"
            | "declaration"
            | "definition"
            | "typeDefinition"
            | "implementation"
            | "references"
            | "documentHighlight"
            | "prepareRename"
            | "rename"
            | "prepareCallHierarchy",
        ) => at("/position").map_or(Way::Nowhere, Way::At),
        Some("codeAction") => at("/range/start").map_or(Way::Nowhere, Way::At),
        Some("selectionRange") => at("/positions/0").map_or(Way::Nowhere, Way::At),
        Some("inlayHint" | "inlineValue" | "semanticTokens/range") => {
            match (at("/range/start"), at("/range/end")) {
                (Some(start), Some(end)) => Way::Among(start, end),
                _ => Way::Nowhere,
            }
        }
        Some(
            "documentSymbol"
            | "foldingRange"
            | "documentLink"
            | "semanticTokens/full"
            | "semanticTokens/full/delta"
            | "diagnostic",
        ) => Way::All,
        // Lenses and formatting are for whole files.
        Some(_) => Way::Nowhere,
        None if method.starts_with("callHierarchy/") => {
            at("/item/selectionRange/start").map_or(Way::Nowhere, Way::At)
        }
        None => {
            let place = at("/position").or_else(|| at("/range/start"));
            place.or_else(|| at("/arguments/0/position")).map_or(Way::Only, Way::At)
        }
    }
}

impl Shader {
    /// Of the server's document.
    fn path(&self, file: &File) -> Arc<str> {
        self.region.path(&file.document.path).into()
    }
}

impl File {
    /// What the server is to know of a shader.
    fn given(&self, region: &Region) -> Given {
        let note = |part: Unknown| {
            let range = Range::new(self.position(part.range.start), self.position(part.range.end));
            Note { code: part.code, message: part.message, range }
        };
        Given {
            options: region.options.clone(),
            always: region.part.clone().map(note),
            without_version: (!region.has_version).then(|| note(region.without_version())),
        }
    }

    fn offset(&self, position: Position) -> usize {
        self.document.lines.offset(&self.document.text, position, self.encoding)
    }

    pub fn position(&self, offset: usize) -> Position {
        self.document.lines.position(&self.document.text, offset, self.encoding)
    }

    /// The bytes of a range of the protocol.
    pub fn bytes(&self, range: &Range) -> std::ops::Range<usize> {
        let start = self.offset(range.start);
        start..self.offset(range.end).max(start)
    }

    /// Whether a position is in a literal of the shader.
    pub fn holds(&self, shader: &Shader, position: Position) -> bool {
        let offset = self.offset(position);
        shader.region.pieces.iter().any(|piece| (piece.range.start..=piece.range.end).contains(&offset))
    }

    fn touches(&self, shader: &Shader, start: Position, end: Position) -> bool {
        let (start, end) = (self.offset(start), self.offset(end));
        start <= shader.region.range.end && shader.region.range.start <= end
    }

    pub fn shader(&self, uri: &str) -> Option<&Shader> {
        self.shaders.iter().find(|shader| shader.uri == uri)
    }

    fn publish(&self) -> Request {
        let diagnostics: Vec<&Value> = self.shaders.iter().flat_map(|shader| &shader.diagnostics).collect();
        let (uri, version) = (self.document.uri.as_str(), self.document.version);
        notification(PUBLISH, json!({ "uri": uri, "version": version, "diagnostics": diagnostics }))
    }
}
