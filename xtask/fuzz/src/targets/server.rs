//! The server: sequences of messages, well-formed and damaged, with answers that come late. Every request is answered once, the server's
//! texts are the client's, and what is reported lies in them.
//!
//! An input is a list of JSON texts, one to a line, as a client sends them. A line that is empty lets the server do one piece of work.

mod client;
mod script;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use coopmat_server::{Host, Job, LogLevel, text_hash};
use futures::FutureExt as _;
use futures::channel::mpsc;
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt as _;
use serde_json::{Value, json};

use crate::target::{Effort, Target, Unit};
use client::Client;

pub const TARGET: Target = Target {
    name: "server",
    about: "sequences of messages: one answer to each request, the same text on both sides, ranges inside of it",
    unit: Unit::Text,
    run,
    generate: script::generate,
    mutate: script::mutate,
};

/// What a client needs not say to be a client.
const HEADER: &str = "// Shared.\nconst int LIMIT = 4;\nint twice(int value) { return value * 2; }\n";

/// Files in memory, and jobs that run when they are told to.
#[derive(Default)]
struct Memory {
    jobs: Mutex<VecDeque<Job>>,
    sent: Mutex<Vec<String>>,
}

fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host for Memory {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        match path {
            "/p/shared.glsl" => Some(HEADER.into()),
            "/p/closed.comp" => {
                Some("#version 460\n#include \"shared.glsl\"\nvoid main() { twice(LIMIT); }\n".into())
            }
            _ => None,
        }
    }

    fn stamp(&self, path: &str) -> Option<u64> {
        self.read(path).map(|text| text_hash(&text))
    }

    fn shaders_under(&self, folder: &str, _: bool) -> Vec<String> {
        let all = ["/p/closed.comp", "/p/shared.glsl"];
        all.into_iter().filter(|path| path.starts_with(folder)).map(str::to_owned).collect()
    }

    fn spawn(&self, job: Job) {
        hold(&self.jobs).push_back(job);
    }

    fn parallelism(&self) -> usize {
        2
    }

    fn log(&self, _: LogLevel, _: &str) {}
}

/// Pieces of work after the last message: far more than the longest sequence brings.
const MOST_JOBS: usize = 20_000;

struct Session {
    host: Arc<Memory>,
    pool: LocalPool,
    to_server: mpsc::UnboundedSender<String>,
    client: Client,
    /// Answers by the id of their request.
    answers: BTreeMap<String, usize>,
    asked: BTreeMap<String, usize>,
    /// Ids of messages that are damaged.
    loose: BTreeSet<String>,
    has_ended: bool,
}

fn run(bytes: &[u8], _: Effort) {
    let host = Arc::new(Memory::default());
    let (to_server, incoming) = mpsc::unbounded();
    let outbox = host.clone();
    let outgoing = move |message: String| {
        hold(&outbox.sent).push(message);
        true
    };
    let (carry, server) = coopmat_server::session(host.clone(), incoming, outgoing);
    let pool = LocalPool::new();
    let spawner = pool.spawner();
    let started = spawner.spawn_local(carry.map(|_| ())).and_then(|()| spawner.spawn_local(server));
    assert!(started.is_ok(), "the session does not start");
    let mut session = Session {
        host,
        pool,
        to_server,
        client: Client::default(),
        answers: BTreeMap::new(),
        asked: BTreeMap::new(),
        loose: BTreeSet::new(),
        has_ended: false,
    };
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        if line.is_empty() {
            session.work(1);
        } else {
            session.send(line);
        }
    }
    session.work(MOST_JOBS);
    session.compare_texts();
    if !session.has_ended {
        for (id, times) in session.asked.iter().filter(|(id, _)| !session.loose.contains(*id)) {
            let answered = session.answers.get(id).copied().unwrap_or(0);
            assert_eq!(answered, *times, "answers to the requests with the id {id}");
        }
    }
}

impl Session {
    fn send(&mut self, line: &str) {
        if let Ok(message) = serde_json::from_str::<Value>(line) {
            let method = message["method"].as_str().unwrap_or_default();
            self.has_ended |= method == "exit" || method == "shutdown";
            let id = &message["id"];
            let is_id = id.is_i64() || id.is_string();
            if message["jsonrpc"] == "2.0" && is_id && message["method"].is_string() {
                *self.asked.entry(id.to_string()).or_default() += 1;
            } else if !id.is_null() {
                // Whether what is no request is answered is left open.
                self.loose.insert(id.to_string());
            }
            self.client.sent(&message);
        } else {
            // Duplicate keys, for instance, are read otherwise by others.
            self.client.forget();
        }
        let _ = self.to_server.unbounded_send(line.to_owned());
        self.pool.run_until_stalled();
        self.receive();
    }

    /// Runs so many jobs, or all that there are.
    fn work(&mut self, jobs: usize) {
        for done in 0..=jobs {
            self.pool.run_until_stalled();
            self.receive();
            if done == jobs {
                assert!(done < MOST_JOBS, "the server finds work for ever");
                return;
            }
            let Some(job) = hold(&self.host.jobs).pop_front() else { return };
            job();
        }
    }

    fn receive(&mut self) {
        let sent = std::mem::take(&mut *hold(&self.host.sent));
        for text in sent {
            let Ok(message) = serde_json::from_str::<Value>(&text) else { panic!("the server sends {text}") };
            if message.get("method").is_none() {
                *self.answers.entry(message["id"].to_string()).or_default() += 1;
            } else if message.get("id").is_some() {
                // The server's own requests are answered with nothing.
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": null});
                let _ = self.to_server.unbounded_send(answer.to_string());
            }
            self.client.received(&message);
        }
    }

    /// The server's texts are the client's.
    fn compare_texts(&mut self) {
        let texts: HashMap<String, String> = self.client.known_texts();
        for (number, (uri, text)) in texts.into_iter().enumerate() {
            let id = format!("state{number}");
            let message = json!({
                "jsonrpc": "2.0", "id": id, "method": "coopmat-analyzer/documentState", "params": {"uri": uri},
            });
            if self.has_ended {
                return;
            }
            let _ = self.to_server.unbounded_send(message.to_string());
            self.pool.run_until_stalled();
            let sent = std::mem::take(&mut *hold(&self.host.sent));
            let answer = sent
                .iter()
                .filter_map(|text| serde_json::from_str::<Value>(text).ok())
                .find(|message| message["id"] == id.as_str());
            let Some(answer) = answer else { panic!("no answer about the state of {uri}") };
            if !answer["result"].is_object() {
                continue;
            }
            let hash = answer["result"]["hash"].as_str().unwrap_or_default();
            assert_eq!(hash, format!("{:016x}", text_hash(&text)), "the text of {uri} should be\n{text}");
        }
    }
}
