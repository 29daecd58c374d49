//! The server in one process, with a host that runs jobs when the test says so.

#[path = "session/choosing.rs"]
mod choosing;
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

#[test]
fn diagnostics_follow_the_text() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", GOOD);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.replace("/p/a.comp", 2, BAD);
    assert_eq!(session.published("/p/a.comp", 2), ["undeclared-name"]);
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///p/a.comp"}}));
    let cleared = session.wait(|message| message["params"]["version"].is_null());
    assert_eq!(cleared["params"]["diagnostics"], json!([]));
    assert_eq!(session.finish(), End::Orderly);
}

#[test]
fn an_answer_about_a_text_that_is_gone_is_refused() {
    let mut session = Session::start(&[], json!({}));
    session.host.hold.store(true, Ordering::SeqCst);
    session.open("/p/a.comp", GOOD);
    let hover = session.begin("textDocument/hover", hover_at("/p/a.comp", 1, 20));
    session.replace("/p/a.comp", 2, BAD);
    assert_eq!(session.response(hover)["error"]["code"], -32801);
    session.host.release();
    assert_eq!(session.published("/p/a.comp", 2), ["undeclared-name"]);
    assert!(
        !session.kept.iter().any(|message| message["params"]["version"] == 1),
        "a stale report was published"
    );
    let hover = session.request("textDocument/hover", hover_at("/p/a.comp", 1, 20));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("int first"), "{hover}");
}

#[test]
fn a_cancelled_request_is_answered_at_once() {
    let mut session = Session::start(&[], json!({}));
    session.host.hold.store(true, Ordering::SeqCst);
    session.open("/p/a.comp", GOOD);
    let hover = session.begin("textDocument/hover", hover_at("/p/a.comp", 1, 20));
    session.host.wait_for_held_job();
    session.notify("$/cancelRequest", json!({"id": hover}));
    assert_eq!(session.response(hover)["error"]["code"], -32800);
    session.host.release();
    session.published("/p/a.comp", 1);
}

#[test]
fn a_defect_in_an_analysis_does_not_end_the_server() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", "#version 450\n#include \"defect.glsl\"\n");
    let hover = session.begin("textDocument/hover", hover_at("/p/a.comp", 0, 2));
    assert_eq!(session.response(hover)["error"]["code"], -32603);
    let hash = format!("{:016x}", coopmat_server::text_hash("#version 450\n#include \"defect.glsl\"\n"));
    assert!(session.host.log.lock().unwrap().iter().any(|line| line.contains(&hash)), "the hash is logged");
    session.replace("/p/a.comp", 2, BAD);
    assert_eq!(session.published("/p/a.comp", 2), ["undeclared-name"]);
    assert_eq!(session.finish(), End::Orderly);
}

#[test]
fn an_include_is_read_from_the_editor_before_the_disk() {
    let user = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"types.glsl\"\nvoid main() { int first = limit; first++; }\n";
    let mut session = Session::start(&[("/p/types.glsl", "#define limit 1\n")], json!({}));
    session.open("/p/a.comp", user);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    // Opened and edited but not saved: the shader that includes it is checked again.
    session.open("/p/types.glsl", "#define limit 1\n");
    session.replace("/p/types.glsl", 2, "#define limits 1\n");
    let again = session.wait(|message| {
        message["params"]["uri"] == "file:///p/a.comp" && message["params"]["diagnostics"] != json!([])
    });
    assert_eq!(ids(&again["params"]["diagnostics"]), ["undeclared-name"]);
}

#[test]
fn a_header_alone_is_checked_as_part_of_a_shader_that_includes_it() {
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#define SIZE 16\n#include \"part.glsl\"\nvoid main() { twice(); }\n";
    let header = "int twice() { return 2 * SIZE; }\n";
    let mut session = Session::start(&[("/p/user.comp", shader), ("/p/part.glsl", header)], json!({}));
    session.open("/p/part.glsl", header);
    assert_eq!(session.published("/p/part.glsl", 1), Vec::<String>::new());
    let state = session.request("coopmat-analyzer/documentState", json!({"uri": "file:///p/part.glsl"}));
    assert_eq!(state["root"], "file:///p/user.comp");
    let hover = session.request("textDocument/hover", hover_at("/p/part.glsl", 0, 26));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("16"), "{hover}");
}

#[test]
fn pulled_reports_say_when_nothing_changed() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut session = Session::start(&[("/p/b.comp", BAD), ("/p/c.comp", GOOD)], capabilities);
    session.open("/p/a.comp", BAD);
    let pull =
        |previous: Value| json!({"textDocument": {"uri": "file:///p/a.comp"}, "previousResultId": previous});
    let first = session.request("textDocument/diagnostic", pull(Value::Null));
    assert_eq!(first["kind"], "full");
    assert_eq!(ids(&first["items"]), ["undeclared-name"]);
    let second = session.request("textDocument/diagnostic", pull(first["resultId"].clone()));
    assert_eq!(second, json!({"kind": "unchanged", "resultId": first["resultId"]}));

    let workspace = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = workspace["items"].as_array().unwrap();
    let of = |uri: &str| items.iter().find(|item| item["uri"] == uri).unwrap();
    assert_eq!(ids(&of("file:///p/b.comp")["items"]), ["undeclared-name"]);
    assert_eq!(of("file:///p/c.comp")["items"], json!([]));
    let known: Vec<_> =
        items.iter().map(|item| json!({"uri": item["uri"], "value": item["resultId"]})).collect();
    let again = session.request("workspace/diagnostic", json!({"previousResultIds": known}));
    assert!(again["items"].as_array().unwrap().iter().all(|item| item["kind"] == "unchanged"), "{again}");
    assert!(!session.kept.iter().any(|message| message["method"] == "textDocument/publishDiagnostics"));
}

#[test]
fn a_client_that_pulls_is_told_when_a_header_changed_the_report() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let user = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"types.glsl\"\nvoid main() { int first = limit; first++; }\n";
    let mut session = Session::start(&[("/p/types.glsl", "#define limit 1\n")], capabilities);
    session.open("/p/a.comp", user);
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    assert_eq!(session.request("textDocument/diagnostic", pull.clone())["items"], json!([]));
    session.host.files.lock().unwrap().insert("/p/types.glsl".to_owned(), "#define other 1\n".into());
    session.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": "file:///p/types.glsl", "type": 2}]}),
    );
    session.wait(|message| message["method"] == "workspace/diagnostic/refresh");
    assert_eq!(ids(&session.request("textDocument/diagnostic", pull)["items"]), ["undeclared-name"]);
}

/// The configurations that are not in view are checked after the answer, which is another one then.
#[test]
fn a_client_that_pulls_is_told_when_the_other_configurations_are_checked() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let project = "[[shaders]]\nfiles = [\"*.comp\"]\n[[shaders.configurations]]\nname = \"a\"\ndefines = { missing = 1 }\n[[shaders.configurations]]\nname = \"b\"\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], capabilities);
    session.host.hold.store(true, Ordering::SeqCst);
    session.open("/p/a.comp", BAD);
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    let first = session.begin("textDocument/diagnostic", pull.clone());
    session.host.wait_for_held_job();
    session.host.release();
    assert_eq!(session.response(first)["result"]["items"], json!([]));
    session.wait(|message| message["method"] == "workspace/diagnostic/refresh");
    let items = session.request("textDocument/diagnostic", pull)["items"].clone();
    let message = items[0]["message"].as_str().unwrap();
    assert!(message.ends_with("in 1 of 2 configurations, not in the one in view: `b`"), "{message}");
    assert_eq!(items[0]["data"]["configurations"], json!(["b"]));
}

/// A check of a configuration that is not in view may end after its shader was closed and opened again.
#[test]
fn a_shader_that_is_opened_again_takes_nothing_from_checks_of_before() {
    let project = "[[shaders]]\nfiles = [\"*.comp\"]\n[[shaders.configurations]]\nname = \"a\"\ndefines = { missing = 1 }\n[[shaders.configurations]]\nname = \"b\"\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], json!({}));
    let run_held_job = |session: &Session| {
        session.host.wait_for_held_job();
        let job = session.host.held.lock().unwrap().pop_front().unwrap();
        job();
    };
    session.host.hold.store(true, Ordering::SeqCst);
    session.open("/p/a.comp", BAD);
    // The pause, the analysis of the configuration in view, its module, the words of code lenses: then comes the check of the other
    // configuration.
    (0..4).for_each(|_| run_held_job(&session));
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.host.wait_for_held_job();
    let before = session.host.held.lock().unwrap().pop_front().unwrap();
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///p/a.comp"}}));
    let closed = session.begin("textDocument/hover", hover_at("/p/a.comp", 0, 0));
    assert!(session.response(closed)["result"].is_null(), "it is closed");
    session.open("/p/a.comp", GOOD);
    // The pause, which is not over, and the analysis. Were the pause over before the shader is opened, another one would come first.
    session.host.wait_for_held_jobs(2);
    (0..2).for_each(|_| run_held_job(&session));
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    before();
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    assert_eq!(session.request("textDocument/diagnostic", pull)["items"], json!([]));
    session.host.release();
    assert_eq!(session.finish(), End::Orderly);
}

#[test]
fn a_project_file_is_no_shader() {
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", "colour = 1\n")], capabilities);
    session.open("/p/coopmat-analyzer.toml", "colour = 1\n");
    session.replace("/p/coopmat-analyzer.toml", 2, "colour = 2\n");
    let pull = json!({"textDocument": {"uri": "file:///p/coopmat-analyzer.toml"}});
    let items = session.request("textDocument/diagnostic", pull)["items"].clone();
    assert!(items[0]["message"].as_str().unwrap().contains("no setting `colour`"), "{items}");
    assert_eq!(items.as_array().unwrap().len(), 1);
    assert_eq!(
        session.request("textDocument/hover", hover_at("/p/coopmat-analyzer.toml", 0, 0)),
        Value::Null
    );
}

#[test]
fn a_new_project_file_is_noticed_on_save() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", BAD);
    assert_eq!(session.published("/p/a.comp", 1), ["undeclared-name"]);
    let project = "defines = { missing = 3 }\n";
    session.host.files.lock().unwrap().insert("/p/coopmat-analyzer.toml".into(), project.into());
    session
        .notify("textDocument/didSave", json!({"textDocument": {"uri": "file:///p/coopmat-analyzer.toml"}}));
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
}

/// The text of a shader that is closed unsaved is gone; the file still includes the header.
#[test]
fn a_header_returns_to_a_shader_that_was_closed() {
    let on = "#extension GL_GOOGLE_include_directive : enable\n";
    let shader = format!("#version 450\n{on}#define T float\n#include \"h.glsl\"\nvoid main() {{ f(); }}\n");
    let files = [("/p/a.comp", shader.as_str()), ("/p/h.glsl", "T f() { return T(1); }\n")];
    let mut session = Session::start(&files, json!({}));
    session.open("/p/h.glsl", files[1].1);
    assert_eq!(session.published("/p/h.glsl", 1), Vec::<String>::new());
    session.open("/p/a.comp", "#version 450\nvoid main() {}\n");
    assert_eq!(session.published("/p/h.glsl", 1), ["header-alone"]);
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///p/a.comp"}}));
    assert_eq!(session.published("/p/h.glsl", 1), Vec::<String>::new());
}

#[test]
fn the_project_file_and_the_settings_configure() {
    let project = "[[shaders]]\nfiles = [\"*.comp\"]\ndefines = { missing = \"3\" }\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], json!({}));
    session.open("/p/a.comp", BAD);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.host.files.lock().unwrap().remove("/p/coopmat-analyzer.toml");
    session.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": "file:///p/coopmat-analyzer.toml", "type": 3}]}),
    );
    assert_eq!(session.published("/p/a.comp", 1), ["undeclared-name"]);
    session.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"coopmat-analyzer": {"defines": ["missing=4"]}}}),
    );
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"coopmat-analyzer": {"defins": []}}}),
    );
    let complaint = session.wait(|message| message["method"] == "window/showMessage");
    assert!(complaint["params"]["message"].as_str().unwrap().contains("defins"));
}

const ALLOWED: &str = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n    int x = SHIFT; // coopmat-analyzer: allow(shift-out-of-range)\n    x++;\n}\n";
const SHIFTS: &str = "[[shaders]]\nfiles = [\"*.comp\"]\n[[shaders.configurations]]\nname = \"narrow\"\ndefines = { SHIFT = \"1 << 4\" }\n[[shaders.configurations]]\nname = \"wide\"\ndefines = { SHIFT = \"1 << 40\" }\n";

/// Pushed, pulled and of files that are not open: what a comment allows is told nowhere.
#[test]
fn what_the_source_allows_is_not_told() {
    let text = ALLOWED.replace("SHIFT", "1 << 40");
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", &text);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    session.replace("/p/a.comp", 2, &text.replace("allow", "alow"));
    assert_eq!(session.published("/p/a.comp", 2), ["shift-out-of-range", "unusable-allow"]);
    assert_eq!(session.finish(), End::Orderly);

    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut session = Session::start(&[("/p/b.comp", &text)], capabilities);
    session.open("/p/a.comp", &text);
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    assert_eq!(session.request("textDocument/diagnostic", pull)["items"], json!([]));
    let workspace = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = workspace["items"].as_array().unwrap();
    assert_eq!(items.iter().find(|item| item["uri"] == "file:///p/b.comp").unwrap()["items"], json!([]));
}

/// The project file's levels hold, a mistake in them is told in the project file, and the editor's list comes before them.
#[test]
fn the_project_file_and_the_editor_give_levels() {
    let text = ALLOWED.replace("SHIFT; // coopmat-analyzer: allow(shift-out-of-range)", "1 << 40;");
    let project = |level: &str| format!("[diagnostics]\nshift-out-of-range = \"{level}\"\n");
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", &project("error"))], json!({}));
    session.open("/p/a.comp", &text);
    let pushed = session.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    assert_eq!(pushed["params"]["diagnostics"][0]["severity"], 1, "{pushed}");
    let settings =
        json!({"coopmat-analyzer": {"diagnostics": {"disabled": ["shift-out-of-range", "type-mismatch"]}}});
    session.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    let complaint = session.wait(|message| message["method"] == "window/showMessage");
    let words = complaint["params"]["message"].as_str().unwrap();
    assert!(words.contains("`type-mismatch` is an error of the language"), "{words}");
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());

    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", &project("deny"))], json!({}));
    session.open("/p/a.comp", &text);
    let told = session.wait(|message| message["params"]["uri"] == "file:///p/coopmat-analyzer.toml");
    let words = told["params"]["diagnostics"][0]["message"].as_str().unwrap();
    assert!(words.contains("expected one of allow, hint, information, warning, error"), "{words}");
}

const CALLS: &str =
    "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n    float x = CALL(1.0);\n    x++;\n}\n";

/// What is not compiled is told behind the errors, stays while somebody types, and goes with its cause.
#[test]
fn what_is_not_compiled_is_told_as_a_warning() {
    let mut session = Session::start(&[], json!({}));
    let text = CALLS.replace("CALL", "noise1");
    session.open("/p/a.comp", &text);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    assert_eq!(session.published("/p/a.comp", 1), ["not-compiled"]);
    session.replace("/p/a.comp", 2, &text.replace("void main", "\n\nvoid main"));
    let moved = session.wait(|message| message["params"]["version"] == 2);
    assert_eq!(ids(&moved["params"]["diagnostics"]), ["not-compiled"]);
    assert_eq!(moved["params"]["diagnostics"][0]["range"]["start"], json!({"line": 5, "character": 14}));
    session.replace("/p/a.comp", 3, &text.replace("x++", "y++"));
    assert_eq!(session.published("/p/a.comp", 3), ["unused-variable", "undeclared-name"]);
    session.replace("/p/a.comp", 4, &CALLS.replace("CALL", "sin"));
    assert_eq!(session.published("/p/a.comp", 4), Vec::<String>::new());
    assert_eq!(session.finish(), End::Orderly);
}

/// Pulled, of files that are not open, and of a configuration that is not in view.
#[test]
fn what_is_not_compiled_is_told_wherever_diagnostics_are() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let text = CALLS.replace("CALL", "noise1");
    let mut session = Session::start(&[("/p/b.comp", &text)], capabilities);
    session.open("/p/a.comp", &text);
    let pull = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    let mut pulled = session.request("textDocument/diagnostic", pull.clone());
    if pulled["items"] == json!([]) {
        session.wait(|message| message["method"] == "workspace/diagnostic/refresh");
        pulled = session.request("textDocument/diagnostic", pull);
    }
    assert_eq!(ids(&pulled["items"]), ["not-compiled"]);
    let workspace = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = workspace["items"].as_array().unwrap();
    let closed = items.iter().find(|item| item["uri"] == "file:///p/b.comp").unwrap();
    assert_eq!(ids(&closed["items"]), ["not-compiled"]);

    let project = "[[shaders]]\nfiles = [\"*.comp\"]\n[[shaders.configurations]]\nname = \"plain\"\ndefines = { CALL = \"sin\" }\n[[shaders.configurations]]\nname = \"noisy\"\ndefines = { CALL = \"noise1\" }\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], json!({}));
    session.open("/p/a.comp", CALLS);
    let told = session.wait(|message| {
        message["params"]["uri"] == "file:///p/a.comp"
            && message["params"]["diagnostics"][0]["code"] == "not-compiled"
    });
    let words = told["params"]["diagnostics"][0]["message"].as_str().unwrap();
    assert!(words.contains("in 1 of 2 configurations, not in the one in view: `noisy`"), "{words}");
}

/// The configuration in view does not need the comment, and another one does: it is superfluous only until that is known.
#[test]
fn a_comment_that_another_configuration_needs_is_not_superfluous() {
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", SHIFTS)], json!({}));
    session.open("/p/a.comp", ALLOWED);
    assert_eq!(session.published("/p/a.comp", 1), ["unused-allow"]);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());

    let narrow = SHIFTS.replace("40", "5");
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", &narrow)], json!({}));
    session.open("/p/a.comp", ALLOWED);
    let pushed = session.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    let diagnostic = &pushed["params"]["diagnostics"][0];
    assert_eq!((&diagnostic["severity"], &diagnostic["tags"]), (&json!(4), &json!([1])), "{diagnostic}");
}

#[test]
fn links_lead_to_pages() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", BAD);
    let published = session.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    let href = &published["params"]["diagnostics"][0]["codeDescription"]["href"];
    let page = session.request("coopmat-analyzer/virtualDocument", json!({"uri": href}));
    assert!(page.as_str().unwrap().starts_with("# undeclared-name\n"));
}

#[test]
fn inactive_code_is_dimmed() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", "#version 450\n#if 0\nint x;\n#endif\nvoid main() {}\n");
    let published = session.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    let inactive = &published["params"]["diagnostics"][0];
    assert_eq!(inactive["code"], "inactive-code");
    assert_eq!(inactive["tags"], json!([1]));
    assert_eq!(inactive["range"]["start"]["line"], 2);
}

/// Neovim says that it pulls, refreshes and takes ranges; what it does with the answers is wrong.
#[test]
fn neovim_is_offered_what_works_there() {
    const TEXT: &str = "#version 450\n#if 0\n    int x; // left out\n\n#endif\nvoid main() {}\n";
    let tokens = json!({
        "requests": {"range": true, "full": {"delta": true}},
        "tokenTypes": [], "tokenModifiers": [], "formats": ["relative"],
        "augmentsSyntaxTokens": true,
    });
    let says = json!({
        "textDocument": {"diagnostic": {}, "semanticTokens": tokens},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    for mode in ["auto", "pull"] {
        let (mut session, offered) = Session::start_as(
            &[],
            json!({
                "capabilities": says,
                "clientInfo": {"name": "Neovim", "version": "0.12.4"},
                "initializationOptions": {"diagnostics": {"mode": mode}},
            }),
        );
        assert!(offered["diagnosticProvider"].is_null(), "{offered}");
        assert!(offered["semanticTokensProvider"]["range"].is_null(), "{offered}");
        session.open("/p/a.comp", TEXT);
        assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new(), "no hint about what is left out");
        let legend = &offered["semanticTokensProvider"]["legend"]["tokenTypes"];
        let comment = legend.as_array().unwrap().iter().position(|name| name == "comment").unwrap();
        let of = json!({"textDocument": {"uri": "file:///p/a.comp"}});
        let tokens = session.request("textDocument/semanticTokens/full", of);
        let tokens: Vec<u64> =
            tokens["data"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
        let comments: Vec<_> = tokens.chunks(5).filter(|token| token[3] == comment as u64).collect();
        // One line after the `#if`, from the first letter to the last.
        assert_eq!(comments, [[1, 4, 18, comment as u64, 0]]);
    }
    let (_, offered) = Session::start_as(
        &[],
        json!({"capabilities": says, "clientInfo": {"name": "Visual Studio Code", "version": "1.100.0"}}),
    );
    assert_eq!(offered["semanticTokensProvider"]["range"], true);
    assert!(offered["diagnosticProvider"].is_object(), "{offered}");
}

#[test]
fn malformed_messages_are_answered_and_survived() {
    let mut session = Session::start(&[], json!({}));
    session.to_server.unbounded_send("{nonsense".to_owned()).unwrap();
    assert_eq!(
        session.wait(|message| message["id"].is_null() && message.get("error").is_some())["error"]["code"],
        -32700
    );
    let wrong = session.begin("textDocument/hover", json!({"textDocument": 5}));
    assert_eq!(session.response(wrong)["error"]["code"], -32602);
    let unknown = session.begin("textDocument/nothing", json!({}));
    assert_eq!(session.response(unknown)["error"]["code"], -32601);
    assert_eq!(session.finish(), End::Orderly);
}

#[test]
fn leaving_without_a_word_is_abrupt() {
    let session = Session::start(&[], json!({}));
    drop(session.to_server);
    assert_eq!(session.end.join().unwrap(), End::Abrupt);
}

/// What is freed later would stay: so an answer that takes long is waited for, and nothing is kept for the next analysis.
#[test]
fn memory_is_given_back_when_nobody_holds_on_to_what_was_closed() {
    let mut session =
        Session::start(&[("/p/shared.glsl", "int twice(int x) { return 2 * x; }\n")], json!({}));
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"shared.glsl\"\nvoid main() { int a = twice(2); a++; }\n";
    session.open("/p/a.comp", shader);
    session.published("/p/a.comp", 1);
    session.host.hold.store(true, Ordering::SeqCst);
    let hover = session.begin("textDocument/hover", hover_at("/p/a.comp", 3, 25));
    session.host.wait_for_held_job();
    let slow = session.host.held.lock().unwrap().pop_front().unwrap();
    session.host.release();
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///p/a.comp"}}));
    let closed = session.begin("textDocument/hover", hover_at("/p/a.comp", 3, 25));
    assert!(session.response(closed)["result"].is_null(), "it is closed");
    std::thread::sleep(Duration::from_millis(50));
    assert!(session.host.given_back.lock().unwrap().is_empty(), "while the answer is made");
    slow();
    assert!(session.response(hover).get("error").is_none());
    let until = Instant::now() + Duration::from_secs(20);
    while session.host.given_back.lock().unwrap().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(*session.host.given_back.lock().unwrap(), [false]);
}

const OPENER: &str = "[[shaders]]\nfiles = \"*.comp\"\npreamble = \"types.comp\"\npreamble-text = '''\nint before = missing;\n'''\n";

#[test]
fn what_a_project_puts_before_shaders_is_followed() {
    let shader = "#version 450\nvoid main() { REAL x = before; x++; }\n";
    let files = [
        ("/p/coopmat-analyzer.toml", OPENER),
        ("/p/types.comp", "#define REAL float\n"),
        ("/p/a.comp", shader),
    ];
    let mut session = Session::start(&files, json!({}));
    session.open("/p/a.comp", shader);
    assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new());
    let project = session.wait(|message| message["params"]["uri"] == "file:///p/coopmat-analyzer.toml");
    assert_eq!(ids(&project["params"]["diagnostics"]), ["undeclared-name"]);
    assert_eq!(project["params"]["diagnostics"][0]["range"]["start"], json!({"line": 4, "character": 13}));

    // Called as a shader is, it is a part of them.
    session.open("/p/types.comp", "#define REAL float\n");
    assert_eq!(session.published("/p/types.comp", 1), Vec::<String>::new());
    let state = session.request("coopmat-analyzer/documentState", json!({"uri": "file:///p/types.comp"}));
    assert_eq!(state["root"], "file:///p/a.comp");
    session.replace("/p/types.comp", 2, "#define REEL float\n");
    let again = session.wait(|message| {
        message["params"]["uri"] == "file:///p/a.comp" && message["params"]["diagnostics"] != json!([])
    });
    assert_eq!(ids(&again["params"]["diagnostics"]), ["undeclared-type"]);
}

#[test]
fn a_file_of_a_preamble_that_is_open_alone_belongs_to_a_shader() {
    let files = [
        ("/p/coopmat-analyzer.toml", OPENER),
        ("/p/types.comp", "#define REAL float\n"),
        ("/p/a.comp", "#version 450\nvoid main() { REAL x = 1.0; x++; }\n"),
    ];
    let mut session = Session::start(&files, json!({}));
    session.open("/p/types.comp", "#define REAL float\n");
    assert_eq!(session.published("/p/types.comp", 1), Vec::<String>::new());
    let state = session.request("coopmat-analyzer/documentState", json!({"uri": "file:///p/types.comp"}));
    assert_eq!(state["root"], "file:///p/a.comp");
}

#[test]
fn a_header_that_nobody_includes_has_one_note() {
    let header = "float scaled(float x) { return FACTOR * x + OTHER; }\n";
    let mut session = Session::start(&[("/p/alone.glsl", header)], json!({}));
    session.open("/p/alone.glsl", header);
    assert_eq!(session.published("/p/alone.glsl", 1), ["header-alone"]);
}

#[test]
fn a_header_in_an_include_folder_belongs_to_a_shader() {
    let header = "float scaled(float x) { return FACTOR * x; }\n";
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#define FACTOR 2\n#include \"scale.h\"\nvoid main() { scaled(1.0); }\n";
    let files = [
        ("/p/coopmat-analyzer.toml", "include = \"lib\"\n"),
        ("/p/lib/scale.h", header),
        ("/p/lib/unrelated.h", "struct c;\n"),
        ("/p/shaders/a.comp", shader),
    ];
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut session = Session::start(&files, capabilities);
    let workspace = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let listed: Vec<_> =
        workspace["items"].as_array().unwrap().iter().map(|item| item["uri"].clone()).collect();
    assert_eq!(listed, ["file:///p/lib/scale.h", "file:///p/shaders/a.comp"]);
    session.open("/p/lib/scale.h", header);
    let pulled =
        session.request("textDocument/diagnostic", json!({"textDocument": {"uri": "file:///p/lib/scale.h"}}));
    assert_eq!(ids(&pulled["items"]), Vec::<String>::new());
    let state = session.request("coopmat-analyzer/documentState", json!({"uri": "file:///p/lib/scale.h"}));
    assert_eq!(state["root"], "file:///p/shaders/a.comp");
}

fn shows_progress() -> Value {
    json!({"window": {"workDoneProgress": true}, "workspace": {"diagnostics": {}}, "textDocument": {"diagnostic": {}}})
}

#[test]
fn the_first_look_at_a_workspace_can_be_stopped() {
    let header = "float twice(float x) { return x * 2.0; }\n";
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"h.glsl\"\nvoid main() { twice(1.0); }\n";
    let files = [("/p/a.comp", shader), ("/p/h.glsl", header), ("/p/slow.glsl", ""), ("/p/z.comp", shader)];
    let host = TestHost { hold: AtomicBool::new(true), ..TestHost::default() };
    let client = json!({"capabilities": shows_progress()});
    let (mut session, _) = Session::start_at(host, &files, client);
    let host = session.host.clone();
    let gate = host.gate.lock().unwrap();
    let (after_a_while, look) = (host.take_held_job(1), host.take_held_job(0));
    let looking = std::thread::spawn(look);
    after_a_while();
    session.stop_progress("Looking for shaders");
    drop(gate);
    looking.join().unwrap();
    session.wait_for_words("the search for shaders was stopped");
    host.release();
    session.open("/p/h.glsl", header);
    let params = json!({
        "textDocument": {"uri": "file:///p/h.glsl"}, "position": {"line": 0, "character": 7},
        "context": {"includeDeclaration": false},
    });
    let found = session.request("textDocument/references", params);
    assert_eq!(found.as_array().unwrap().len(), 1, "`z.comp` was not looked at: {found}");
}

#[test]
fn the_first_report_of_a_workspace_can_be_stopped() {
    let files = [("/p/a.comp", BAD), ("/p/b.comp", BAD), ("/p/c.comp", BAD)];
    let mut session = Session::start(&files, shows_progress());
    let host = session.host.clone();
    host.hold.store(true, Ordering::SeqCst);
    let report = session.begin("workspace/diagnostic", json!({"previousResultIds": []}));
    let (after_a_while, list) = (host.take_held_job(1), host.take_held_job(0));
    list();
    after_a_while();
    let check = host.take_held_job(0);
    session.stop_progress("Checking the shaders of the workspace");
    check();
    session.wait_for_words("the check of the workspace was stopped");
    let with_errors = |report: &Value| {
        let items = report["items"].as_array().unwrap().iter();
        items.filter(|item| item["items"] != json!([])).map(|item| item["uri"].clone()).collect::<Vec<_>>()
    };
    let report = session.response(report)["result"].clone();
    assert_eq!(with_errors(&report), ["file:///p/a.comp"]);
    // No more is checked for the next one.
    host.release();
    let again = session.request("workspace/diagnostic", json!({"previousResultIds": []}));
    assert_eq!(with_errors(&again), ["file:///p/a.comp"]);
}
