//! One session with a server: documents are opened, edited and closed, questions asked about them, and everything that comes back is checked.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::client::{Client, Kind, kind};
use crate::counts::Counts;
use crate::document::Document;
use crate::random::Random;
use crate::requests;
use crate::tokens;

/// A request that takes longer has no answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// Requests under way at a time.
const IN_FLIGHT: usize = 48;

/// A request that is not answered yet.
pub struct Pending {
    pub method: &'static str,
    pub uri: String,
    /// When it was sent, as the session counts.
    pub since: u64,
    pub cancelled: bool,
    /// The semantic tokens that a difference is told to.
    pub tokens: Option<(String, Vec<u64>)>,
}

pub struct Session {
    pub client: Client,
    pub documents: Vec<Document>,
    pub by_uri: HashMap<String, usize>,
    /// Counts everything that is told to the server.
    pub now: u64,
    pub pending: HashMap<i64, Pending>,
    pub counts: Counts,
    /// What is wrong, in words.
    pub problems: Vec<String>,
    /// Questions of the server that are answered late.
    asked: Vec<Value>,
    /// Files that are not open, as they are on disk.
    pub disk: HashMap<String, Option<Arc<str>>>,
    random: Random,
}

impl Session {
    pub fn start(server: &Path, root: &Path, documents: Vec<Document>, seed: u64) -> Result<Session> {
        let by_uri =
            documents.iter().enumerate().map(|(index, document)| (document.uri.clone(), index)).collect();
        Ok(Session {
            client: Client::start(server, root)?,
            documents,
            by_uri,
            now: 0,
            pending: HashMap::new(),
            counts: Counts::default(),
            problems: Vec::new(),
            asked: Vec::new(),
            disk: HashMap::new(),
            random: Random::new(seed),
        })
    }

    /// Goes on with another server, as an editor does whose server has ended: everything is opened as it is.
    pub fn restart(&mut self, server: &Path, root: &Path) -> Result<()> {
        self.client = Client::start(server, root)?;
        self.pending.clear();
        self.asked.clear();
        self.documents.iter_mut().for_each(Document::forget);
        self.open_all()
    }

    pub fn problem(&mut self, words: String) {
        // The first ones say enough.
        if self.problems.len() < 40 {
            eprintln!("problem: {words}");
        }
        self.problems.push(words);
    }

    pub fn open_all(&mut self) -> Result<()> {
        (0..self.documents.len()).try_for_each(|index| self.open(index))
    }

    pub fn open(&mut self, index: usize) -> Result<()> {
        self.now += 1;
        let params = self.documents[index].open(self.now);
        self.counts.opened += 1;
        self.client.notify("textDocument/didOpen", params)
    }

    pub fn close(&mut self, index: usize) -> Result<()> {
        self.now += 1;
        let uri = &self.documents[index].uri;
        self.client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}))
    }

    pub fn touch(&mut self, index: usize) -> Result<()> {
        self.now += 1;
        let params = self.documents[index].touch(self.now);
        self.client.notify("textDocument/didChange", params)
    }

    /// Edits, with requests between them, until there were so many.
    pub fn storm(&mut self, edits: usize) -> Result<()> {
        let mut focus = 0;
        for step in 0..edits {
            // A person stays in a file for a while.
            if step == 0 || self.random.once_in(30) {
                focus = self.random.below(self.documents.len());
            }
            let index = if self.random.once_in(8) { self.random.below(self.documents.len()) } else { focus };
            self.edit(index)?;
            for _ in 0..self.random.below(3) {
                let about =
                    if self.random.once_in(4) { self.random.below(self.documents.len()) } else { index };
                self.ask_something(about)?;
            }
            if self.random.once_in(10) {
                self.cancel_something()?;
            }
            if self.random.once_in(60) {
                let index = self.random.below(self.documents.len());
                self.close(index)?;
                self.open(index)?;
            }
            self.take(Duration::ZERO)?;
            // Somebody who types fast, and who looks at what comes of it now and then.
            let limit = if self.random.once_in(6) { 0 } else { IN_FLIGHT };
            self.wait_until(limit)?;
        }
        Ok(())
    }

    fn edit(&mut self, index: usize) -> Result<()> {
        let from = self.random.below(self.documents.len());
        let source = &self.documents[from];
        let start = source.place(&mut self.random);
        let rest = &source.text[start..];
        let length = self.random.below(600).min(rest.len());
        let end = (0..=length).rev().find(|&at| rest.is_char_boundary(at)).unwrap_or(0);
        let paste = rest[..end].to_owned();
        self.now += 1;
        let (params, changes) = self.documents[index].edit(&mut self.random, &paste, self.now);
        self.counts.edits += 1;
        self.counts.changes += changes;
        self.client.notify("textDocument/didChange", params)
    }

    fn ask_something(&mut self, index: usize) -> Result<()> {
        let searches = self.random.once_in(4);
        let document = &self.documents[index];
        let request = requests::choose(document, &mut self.random, searches);
        let (uri, tokens) = (document.uri.clone(), document.tokens.clone());
        self.send(request.method, request.params, uri, tokens)?;
        Ok(())
    }

    fn send(
        &mut self,
        method: &'static str,
        params: Value,
        uri: String,
        tokens: Option<(String, Vec<u64>)>,
    ) -> Result<i64> {
        let id = self.client.request(method, params)?;
        self.counts.asked(method);
        self.pending.insert(id, Pending { method, uri, since: self.now, cancelled: false, tokens });
        Ok(id)
    }

    /// Asks, and waits for the answer, which is checked as all are.
    pub fn ask(&mut self, method: &'static str, params: Value, uri: &str) -> Result<Value> {
        let id = self.send(method, params, uri.to_owned(), None)?;
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Some(message) = self.client.next(left)? else {
                bail!("no answer to {method} about {uri} within {PATIENCE:?}")
            };
            let found = matches!(kind(&message), Kind::Answer(of) if of == id);
            let result = found.then(|| message["result"].clone());
            self.handle(message)?;
            if let Some(result) = result {
                return Ok(result);
            }
        }
    }

    /// Waits until a document is analysed.
    pub fn pull(&mut self, index: usize) -> Result<()> {
        let uri = self.documents[index].uri.clone();
        self.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}), &uri)?;
        Ok(())
    }

    fn cancel_something(&mut self) -> Result<()> {
        let mut ids: Vec<i64> = self.pending.keys().copied().collect();
        ids.sort_unstable();
        let Some(&id) = self.random.pick(&ids) else { return Ok(()) };
        if let Some(pending) = self.pending.get_mut(&id) {
            pending.cancelled = true;
        }
        self.counts.cancelled += 1;
        self.client.notify("$/cancelRequest", json!({"id": id}))
    }

    /// Takes what has arrived, and what arrives within this time.
    pub fn take(&mut self, patience: Duration) -> Result<()> {
        while let Some(message) = self.client.next(patience)? {
            self.handle(message)?;
        }
        Ok(())
    }

    /// Waits until no more requests than this are unanswered.
    pub fn wait_until(&mut self, limit: usize) -> Result<()> {
        if limit == 0 {
            self.answer_the_server()?;
        }
        while self.pending.len() > limit {
            match self.client.next(PATIENCE)? {
                Some(message) => self.handle(message)?,
                None => {
                    let mut left: Vec<String> = self
                        .pending
                        .drain()
                        .map(|(id, one)| format!("request {id}, {} about {}", one.method, one.uri))
                        .collect();
                    left.sort();
                    for one in left {
                        self.problem(format!("unanswered: {one}"));
                    }
                    bail!("the server has not said a word for {PATIENCE:?}");
                }
            }
        }
        Ok(())
    }

    /// The newest of its questions first, as an editor may.
    fn answer_the_server(&mut self) -> Result<()> {
        while let Some(request) = self.asked.pop() {
            self.client.reply(&request)?;
        }
        Ok(())
    }

    pub fn handle(&mut self, message: Value) -> Result<()> {
        match kind(&message) {
            Kind::Asked => {
                self.counts.asked_by_server += 1;
                self.asked.push(message);
                if self.asked.len() > 4 {
                    self.answer_the_server()?;
                }
            }
            Kind::Told if message["method"] == "textDocument/publishDiagnostics" => {
                self.published(&message["params"]);
            }
            Kind::Told => {
                self.counts.told += 1;
                if message["method"] == "window/showMessage" && message["params"]["type"] == 1 {
                    self.problem(format!("the server complains: {}", message["params"]["message"]));
                }
            }
            Kind::Answer(id) => match self.pending.remove(&id) {
                Some(pending) => self.answered(&pending, &message),
                None => self.problem(format!("an answer to no request: {}", shortened(&message))),
            },
        }
        Ok(())
    }

    fn published(&mut self, params: &Value) {
        self.counts.published += 1;
        let uri = params["uri"].as_str().unwrap_or_default();
        let diagnostics = &params["diagnostics"];
        let version = params["version"].as_i64();
        self.check_published(uri, version, diagnostics);
        if let (Some(version), Some(&index)) = (version, self.by_uri.get(uri)) {
            let document = &mut self.documents[index];
            if document.pushed.as_ref().is_none_or(|(before, _)| *before <= version) {
                document.pushed = Some((version, diagnostics.clone()));
            } else {
                let words =
                    format!("diagnostics of version {version} of {uri} came after those of a later one");
                self.problem(words);
            }
        }
    }

    fn answered(&mut self, pending: &Pending, message: &Value) {
        if let Some(error) = message.get("error") {
            let code = error["code"].as_i64().unwrap_or(0);
            match code {
                -32801 => self.counts.outdated += 1,
                -32800 if pending.cancelled => self.counts.stopped += 1,
                // Of what has no answer: a name that cannot be renamed, a shader that cannot be compiled or run.
                -32803 | -32602 if refuses(pending.method) => self.counts.refused += 1,
                _ => self.problem(format!("{} about {}: {error}", pending.method, pending.uri)),
            }
            return;
        }
        self.counts.answered += 1;
        let result = &message["result"];
        self.check_answer(pending, result);
        if pending.method.starts_with("textDocument/semanticTokens/full") && !result.is_null() {
            match tokens::after(pending.tokens.as_ref(), result) {
                Ok(now) => {
                    self.check_tokens(pending, &now.1);
                    if let Some(&index) = self.by_uri.get(&pending.uri) {
                        self.documents[index].tokens = Some(now);
                    }
                }
                Err(words) => self.problem(format!("semantic tokens of {}: {words}", pending.uri)),
            }
        } else if pending.method == "textDocument/semanticTokens/range" && !result.is_null() {
            match tokens::numbers(&result["data"]) {
                Some(data) => self.check_tokens(pending, &data),
                None => self.problem(format!("semantic tokens of {}: no numbers", pending.uri)),
            }
        }
    }
}

/// Methods that may answer that they cannot.
fn refuses(method: &str) -> bool {
    method.starts_with("coopmat-analyzer/")
        || matches!(method, "textDocument/rename" | "textDocument/prepareRename")
}

pub fn shortened(message: &Value) -> String {
    let text = message.to_string();
    text.chars().take(400).collect()
}
