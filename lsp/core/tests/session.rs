//! The server in one process, with a host that runs jobs when the test says so.

#[path = "session/checking.rs"]
mod checking;
#[path = "session/choosing.rs"]
mod choosing;
#[path = "session/headers.rs"]
mod headers;
#[path = "session/levels.rs"]
mod levels;
#[path = "session/progress.rs"]
mod progress;
#[path = "session/project_files.rs"]
mod project_files;
#[path = "session/protocol.rs"]
mod protocol;
#[path = "session/switching.rs"]
mod switching;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak, mpsc as sync};
use std::time::{Duration, Instant};

use coopmat_server::{End, Host, Job, LogLevel};
use futures::channel::mpsc;
use serde_json::{Value, json};

#[derive(Default)]
struct TestHost {
    files: Mutex<HashMap<String, Arc<str>>>,
    held: Mutex<VecDeque<Job>>,
    hold: AtomicBool,
    log: Mutex<Vec<String>>,
    /// Texts that were handed out.
    read: Mutex<Vec<Weak<str>>>,
    /// Who holds it keeps files that are called `slow.glsl` from being read.
    gate: Mutex<()>,
    /// Whether somebody held on to one of them, each time memory was given back.
    given_back: Mutex<Vec<bool>>,
}

impl TestHost {
    /// Lets jobs run again, those that were held first.
    fn release(&self) {
        self.hold.store(false, Ordering::SeqCst);
        let held = std::mem::take(&mut *self.held.lock().unwrap());
        held.into_iter().for_each(|job| job());
    }

    /// Takes one of the jobs that are held.
    fn take_held_job(&self, index: usize) -> Job {
        self.wait_for_held_jobs(index + 1);
        self.held.lock().unwrap().remove(index).unwrap()
    }

    fn wait_for_held_job(&self) {
        self.wait_for_held_jobs(1);
    }

    fn wait_for_held_jobs(&self, number: usize) {
        while self.held.lock().unwrap().len() < number {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Host for TestHost {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        // Stands for a defect anywhere in an analysis.
        assert!(!path.ends_with("/defect.glsl"), "a defect");
        if path.ends_with("/slow.glsl") {
            drop(self.gate.lock().unwrap());
        }
        let text: Arc<str> = Arc::from(&**self.files.lock().unwrap().get(path)?);
        self.read.lock().unwrap().push(Arc::downgrade(&text));
        Some(text)
    }

    fn stamp(&self, path: &str) -> Option<u64> {
        self.files.lock().unwrap().get(path).map(|text| coopmat_server::text_hash(text))
    }

    fn shaders_under(&self, folder: &str, _deep: bool) -> Vec<String> {
        let mut paths: Vec<_> = self.files.lock().unwrap().keys().cloned().collect();
        paths.retain(|path| path.starts_with(folder) && !path.ends_with(".toml"));
        paths.sort();
        paths
    }

    fn spawn(&self, job: Job) {
        if self.hold.load(Ordering::SeqCst) { self.held.lock().unwrap().push_back(job) } else { job() }
    }

    fn parallelism(&self) -> usize {
        1
    }

    fn give_memory_back(&self) {
        let held = self.read.lock().unwrap().iter().any(|text| text.strong_count() > 0);
        self.given_back.lock().unwrap().push(held);
    }

    fn log(&self, _level: LogLevel, message: &str) {
        self.log.lock().unwrap().push(message.to_owned());
    }
}

struct Session {
    host: Arc<TestHost>,
    to_server: mpsc::UnboundedSender<String>,
    from_server: sync::Receiver<Value>,
    kept: VecDeque<Value>,
    end: std::thread::JoinHandle<End>,
    next_id: i64,
}

impl Session {
    fn start(files: &[(&str, &str)], capabilities: Value) -> Session {
        Session::start_as(files, json!({"capabilities": capabilities})).0
    }

    /// With what a client says of itself; and what it is told.
    fn start_as(files: &[(&str, &str)], client: Value) -> (Session, Value) {
        Session::start_at(TestHost::default(), files, client)
    }

    fn start_at(host: TestHost, files: &[(&str, &str)], mut client: Value) -> (Session, Value) {
        let mut session = Session::connect(host, files);
        client["workspaceFolders"] = json!([{"uri": "file:///p", "name": "p"}]);
        let told = session.request("initialize", client);
        session.notify("initialized", json!({}));
        // The first look at the workspace has begun by then, and is over where nothing is held.
        session.request("coopmat-analyzer/devices", json!({}));
        (session, told["capabilities"].clone())
    }

    fn connect(host: TestHost, files: &[(&str, &str)]) -> Session {
        let host = Arc::new(host);
        for (path, text) in files {
            host.files.lock().unwrap().insert((*path).to_owned(), (*text).into());
        }
        let (to_server, incoming) = mpsc::unbounded();
        let (outgoing, from_server) = sync::channel();
        let outgoing = move |message: String| outgoing.send(serde_json::from_str(&message).unwrap()).is_ok();
        let (carry, server) = coopmat_server::session(host.clone(), incoming, outgoing);
        std::thread::spawn(move || futures::executor::block_on(server));
        let end = std::thread::spawn(move || futures::executor::block_on(carry));
        Session { host, to_server, from_server, kept: VecDeque::new(), end, next_id: 0 }
    }

    fn send(&self, message: &Value) {
        self.to_server.unbounded_send(message.to_string()).unwrap();
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}));
        self.next_id
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at).unwrap();
        }
        loop {
            let message = self.from_server.recv_timeout(Duration::from_secs(20)).expect("an answer");
            if wanted(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    fn response(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let response = self.response(id);
        assert!(response.get("error").is_none(), "{response}");
        response["result"].clone()
    }

    fn open(&self, path: &str, text: &str) {
        let document =
            json!({"uri": format!("file://{path}"), "languageId": "glsl", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn replace(&self, path: &str, version: i32, text: &str) {
        let document = json!({"uri": format!("file://{path}"), "version": version});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [{"text": text}]}),
        );
    }

    /// The ids published for a version of a document.
    fn published(&mut self, path: &str, version: i32) -> Vec<String> {
        let uri = format!("file://{path}");
        let message = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        ids(&message["params"]["diagnostics"])
    }

    /// Lets the server show progress, and presses its button.
    fn stop_progress(&mut self, title: &str) {
        let create = self.wait(|message| message["method"] == "window/workDoneProgress/create");
        self.send(&json!({"jsonrpc": "2.0", "id": create["id"], "result": null}));
        let begun = self.wait(|message| message["params"]["value"]["kind"] == "begin");
        assert_eq!(begun["params"]["value"]["title"], title);
        assert_eq!(begun["params"]["value"]["cancellable"], true);
        self.notify("window/workDoneProgress/cancel", json!({"token": create["params"]["token"]}));
        self.request("coopmat-analyzer/devices", json!({}));
    }

    /// Waits for a message for people.
    fn wait_for_words(&mut self, words: &str) {
        let has = |text: &Value| text.as_str().is_some_and(|text| text.contains(words));
        self.wait(|message| message["method"] == "window/showMessage" && has(&message["params"]["message"]));
        self.wait(|message| message["params"]["value"]["kind"] == "end");
    }

    fn finish(mut self) -> End {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.end.join().unwrap()
    }
}

fn ids(diagnostics: &Value) -> Vec<String> {
    let diagnostics = diagnostics.as_array().unwrap();
    diagnostics.iter().map(|diagnostic| diagnostic["code"].as_str().unwrap().to_owned()).collect()
}

fn hover_at(path: &str, line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": format!("file://{path}")}, "position": {"line": line, "character": character}})
}

const GOOD: &str = "#version 450\nvoid main() { int first = 1; first++; }\n";
const BAD: &str = "#version 450\nvoid main() { int first = missing; first++; }\n";
