//! The language server in a worker. The worker gives it messages and calls `step` until there is nothing left to do,
//! taking what arrives in between: so an edit overtakes the work that it makes void.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use coopmat_server::{Host, Job, LogLevel};
use futures::channel::mpsc;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::files::Files;

/// A job that is not due yet; the worker's clock says when it is.
struct Delayed {
    delay: Duration,
    due: Option<f64>,
    job: Job,
}

#[derive(Default)]
struct Queues {
    ready: VecDeque<Job>,
    delayed: Vec<Delayed>,
    outgoing: Vec<String>,
    log: Vec<String>,
}

/// The worker, as the server sees it.
#[derive(Default)]
struct Worker {
    files: Files,
    /// Files that are no text, by their paths.
    data: Mutex<BTreeMap<String, Vec<u8>>>,
    queues: Mutex<Queues>,
}

impl Worker {
    fn queues<T>(&self, act: impl FnOnce(&mut Queues) -> T) -> T {
        act(&mut self.queues.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Host for Worker {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.files.text(path)
    }

    fn read_bytes(&self, path: &str) -> Option<Vec<u8>> {
        let data = self.data.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        data.or_else(|| Some(self.files.text(path)?.as_bytes().to_vec()))
    }

    fn stamp(&self, path: &str) -> Option<u64> {
        self.files.stamp(path)
    }

    /// There are no files but those that the page or the extension hands over.
    fn is_confined(&self) -> bool {
        false
    }

    fn shaders_under(&self, folder: &str, deep: bool) -> Vec<String> {
        self.files.under(folder, deep)
    }

    fn spawn(&self, job: Job) {
        self.queues(|queues| queues.ready.push_back(job));
    }

    fn later(&self, delay: Duration, job: Job) {
        self.queues(|queues| queues.delayed.push(Delayed { delay, due: None, job }));
    }

    fn parallelism(&self) -> usize {
        1
    }

    fn log(&self, level: LogLevel, message: &str) {
        let level = match level {
            LogLevel::Error => "error",
            LogLevel::Info => "info",
        };
        self.queues(|queues| queues.log.push(format!("{level}: {message}")));
    }
}

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// One session of the language server.
#[wasm_bindgen]
pub struct Server {
    worker: Arc<Worker>,
    incoming: mpsc::UnboundedSender<String>,
    /// Carrying messages, and the server's own task. `None`: it has ended.
    tasks: [Option<Task>; 2],
}

#[wasm_bindgen]
impl Server {
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default, reason = "JavaScript calls the constructor")]
    pub fn new() -> Server {
        let worker = Arc::new(Worker::default());
        let (incoming, messages) = mpsc::unbounded();
        let send = {
            let worker = worker.clone();
            move |message| {
                worker.queues(|queues| queues.outgoing.push(message));
                true
            }
        };
        let (carry, server) = coopmat_server::session(worker.clone(), messages, send);
        let carry = async move {
            carry.await;
        };
        Server { worker, incoming, tasks: [Some(Box::pin(carry)), Some(Box::pin(server))] }
    }

    /// Takes one message of the protocol, as JSON without a header.
    pub fn receive(&mut self, message: String) {
        // It fails only after `exit`, when nobody waits for an answer.
        let _ = self.incoming.unbounded_send(message);
    }

    /// A file that no editor has open.
    #[wasm_bindgen(js_name = putFile)]
    pub fn put_file(&mut self, path: String, text: &str) {
        self.worker.files.put(path, text);
    }

    #[wasm_bindgen(js_name = removeFile)]
    pub fn remove_file(&mut self, path: &str) {
        self.worker.files.remove(path);
    }

    /// A file that is no text: a module in words.
    #[wasm_bindgen(js_name = putData)]
    pub fn put_data(&mut self, path: String, bytes: Vec<u8>) {
        self.worker.data.lock().unwrap_or_else(PoisonError::into_inner).insert(path, bytes);
    }

    #[wasm_bindgen(js_name = removeData)]
    pub fn remove_data(&mut self, path: &str) {
        self.worker.data.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
    }

    /// Handles the messages that are there, then does at most one job; `now` is in milliseconds. Answers after how many milliseconds it
    /// wants to be called again: 0 for at once, a negative number for when a message arrives.
    pub fn step(&mut self, now: f64) -> f64 {
        self.poll();
        let job = self.worker.queues(|queues| {
            let mut due = Vec::new();
            for index in (0..queues.delayed.len()).rev() {
                let delayed = &mut queues.delayed[index];
                let at = *delayed.due.get_or_insert(now + delayed.delay.as_secs_f64() * 1000.0);
                if at <= now {
                    due.push(queues.delayed.remove(index).job);
                }
            }
            queues.ready.extend(due.into_iter().rev());
            queues.ready.pop_front()
        });
        if let Some(job) = job {
            job();
            self.poll();
        }
        self.worker.queues(|queues| {
            if !queues.ready.is_empty() {
                return 0.0;
            }
            let waits = queues.delayed.iter().map(|delayed| {
                delayed.due.map_or(delayed.delay.as_secs_f64() * 1000.0, |due| (due - now).max(0.0))
            });
            waits.reduce(f64::min).unwrap_or(-1.0)
        })
    }

    /// The messages for the client since the last call.
    #[wasm_bindgen(js_name = takeMessages)]
    pub fn take_messages(&mut self) -> Vec<String> {
        self.worker.queues(|queues| std::mem::take(&mut queues.outgoing))
    }

    /// What the server wrote to its log since the last call.
    #[wasm_bindgen(js_name = takeLog)]
    pub fn take_log(&mut self) -> Vec<String> {
        self.worker.queues(|queues| std::mem::take(&mut queues.log))
    }
}

impl Server {
    /// Polls both tasks until neither has anything to do.
    fn poll(&mut self) {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        loop {
            woken.0.store(false, std::sync::atomic::Ordering::Relaxed);
            for task in &mut self.tasks {
                let Some(future) = task else { continue };
                if let Poll::Ready(()) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    *task = None;
                }
            }
            if !woken.0.load(std::sync::atomic::Ordering::Relaxed) {
                return;
            }
        }
    }
}

#[derive(Default)]
struct Woken(std::sync::atomic::AtomicBool);

impl std::task::Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(server: &mut Server) -> Vec<String> {
        let mut messages = Vec::new();
        for now in 0..10_000 {
            let wait = server.step(f64::from(now));
            messages.extend(server.take_messages());
            if wait < 0.0 {
                break;
            }
        }
        messages
    }

    #[test]
    fn a_shader_with_a_mistake_is_reported() {
        let mut server = Server::new();
        server.receive(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#.to_owned(),
        );
        assert!(run(&mut server).iter().any(|message| message.contains("hoverProvider")));
        server.receive(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#.to_owned());
        let text = "#version 460\\nvoid main() { uint x = 1.0; }\\n";
        server.receive(format!(
            r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"file:///w/a.comp","languageId":"glsl","version":1,"text":"{text}"}}}}}}"#
        ));
        let messages = run(&mut server);
        assert!(
            messages.iter().any(|message| message.contains("publishDiagnostics") && message.contains("uint")),
            "{messages:?}"
        );
    }

    /// What the server's one look at levels and comments says holds on the page, too.
    #[test]
    fn what_a_comment_allows_is_not_told() {
        let told = |comment: &str| {
            let mut server = Server::new();
            server.receive(
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#.to_owned(),
            );
            run(&mut server);
            server.receive(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#.to_owned());
            let text = format!("#version 460\\nvoid main() {{ int x = 1 << 40; x++; }} {comment}\\n");
            server.receive(format!(
                r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"file:///w/a.comp","languageId":"glsl","version":1,"text":"{text}"}}}}}}"#
            ));
            run(&mut server).iter().any(|message| message.contains("shift-out-of-range"))
        };
        assert!(told(""));
        assert!(!told("// coopmat-analyzer: allow(shift-out-of-range)"));
    }

    /// A project file among the page's files says so.
    #[test]
    fn what_glslang_refuses_is_told_where_the_project_asks_for_it() {
        let told = |project: &str| {
            let mut server = Server::new();
            server.put_file("/w/coopmat-analyzer.toml".to_owned(), project);
            server.receive(
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"rootUri":"file:///w"}}"#
                    .to_owned(),
            );
            run(&mut server);
            server.receive(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#.to_owned());
            let text = "#version 460\\nlayout(local_size_x = 2048) in;\\nvoid main() {}\\n";
            server.receive(format!(
                r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"file:///w/a.comp","languageId":"glsl","version":1,"text":"{text}"}}}}}}"#
            ));
            run(&mut server).iter().any(|message| message.contains("glslang-workgroup-size"))
        };
        assert!(!told(""));
        assert!(told("like = \"glslang\"\n"));
    }

    /// ... and one that is edited, added or taken away while a shader is open, as the page tells it.
    #[test]
    fn a_project_file_that_changes_holds_at_once() {
        const FILE: &str = "/w/coopmat-analyzer.toml";
        let mut server = Server::new();
        let change = |server: &mut Server, kind: u32, project: Option<&str>| {
            match project {
                Some(project) => server.put_file(FILE.to_owned(), project),
                None => server.remove_file(FILE),
            }
            server.receive(format!(
                r#"{{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{{"changes":[{{"uri":"file://{FILE}","type":{kind}}}]}}}}"#
            ));
            let messages = run(server);
            let last = messages.iter().rev().find(|message| message.contains("publishDiagnostics"));
            last.map(|message| message.contains("glslang-workgroup-size"))
        };
        server.receive(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"rootUri":"file:///w"}}"#
                .to_owned(),
        );
        run(&mut server);
        server.receive(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#.to_owned());
        let text = "#version 460\\nlayout(local_size_x = 2048) in;\\nvoid main() {}\\n";
        server.receive(format!(
            r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"file:///w/a.comp","languageId":"glsl","version":1,"text":"{text}"}}}}}}"#
        ));
        run(&mut server);
        assert_eq!(change(&mut server, 1, Some("like = \"glslang\"\n")), Some(true));
        assert_eq!(change(&mut server, 2, Some("\n")), Some(false));
        assert_eq!(change(&mut server, 2, Some("like = \"glslang\"\n")), Some(true));
        assert_eq!(change(&mut server, 3, None), Some(false));
    }

    #[test]
    fn a_broken_message_is_answered() {
        let mut server = Server::new();
        server.receive("{".to_owned());
        assert!(run(&mut server)[0].contains("-32700"));
    }
}
