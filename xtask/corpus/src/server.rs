//! The real server in this process, over files in memory: what an editor would get, without an editor.

use std::collections::HashMap;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use anyhow::{Context, Result, bail};
use coopmat_server::{Host, Job, LogLevel};
use futures::channel::mpsc as unbounded;
use futures::executor::block_on;
use serde_json::{Value, json};

struct MemoryHost {
    files: HashMap<String, Arc<str>>,
}

impl Host for MemoryHost {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.files.get(path).cloned()
    }

    fn stamp(&self, path: &str) -> Option<u64> {
        self.files.get(path).map(|text| coopmat_server::text_hash(text))
    }

    fn shaders_under(&self, folder: &str, _deep: bool) -> Vec<String> {
        let mut paths: Vec<_> = self.files.keys().filter(|path| path.starts_with(folder)).cloned().collect();
        paths.retain(|path| !path.ends_with(".toml"));
        paths.sort();
        paths
    }

    fn spawn(&self, job: Job) {
        rayon::spawn(job);
    }

    fn parallelism(&self) -> usize {
        rayon::current_num_threads()
    }

    fn log(&self, _: LogLevel, message: &str) {
        eprintln!("server: {message}");
    }
}

pub struct Session {
    to_server: unbounded::UnboundedSender<String>,
    from_server: mpsc::Receiver<String>,
    messages: JoinHandle<()>,
    next_id: i64,
}

impl Session {
    /// A session whose workspace is `root`, with files by their absolute path.
    pub fn start(root: &str, files: HashMap<String, Arc<str>>) -> Result<Session> {
        let (to_server, incoming) = unbounded::unbounded();
        let (outgoing, from_server) = mpsc::channel();
        let host = Arc::new(MemoryHost { files });
        let (messages, server) =
            coopmat_server::session(host, incoming, move |text| outgoing.send(text).is_ok());
        let messages = std::thread::spawn(move || {
            block_on(messages);
        });
        // The server's task waits for events as long as the process lives.
        std::thread::spawn(move || block_on(server));
        let mut session = Session { to_server, from_server, messages, next_id: 0 };
        let capabilities = json!({"workspace": {"workspaceEdit": {"documentChanges": true}}});
        let folders = json!([{"uri": format!("file://{root}"), "name": "shaders"}]);
        let params = json!({"capabilities": capabilities, "workspaceFolders": folders});
        if let Err(message) = session.request("initialize", &params)? {
            bail!("the server does not start: {message}");
        }
        session.notify("initialized", &json!({}))?;
        Ok(session)
    }

    pub fn notify(&mut self, method: &str, params: &Value) -> Result<()> {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.to_server.unbounded_send(message.to_string()).context("the server has ended")
    }

    /// The answer, or the words of the refusal.
    pub fn request(&mut self, method: &str, params: &Value) -> Result<Result<Value, String>> {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.to_server.unbounded_send(message.to_string()).context("the server has ended")?;
        loop {
            let mut message: Value = serde_json::from_str(&self.from_server.recv()?)?;
            if message["id"] == id && message.get("method").is_none() {
                return Ok(match message["error"]["message"].as_str() {
                    Some(error) => Err(error.to_owned()),
                    None => Ok(message["result"].take()),
                });
            }
        }
    }

    pub fn finish(mut self) -> Result<()> {
        let _ = self.request("shutdown", &Value::Null)?;
        self.notify("exit", &Value::Null)?;
        drop(self.to_server);
        if self.messages.join().is_err() {
            bail!("the server panicked");
        }
        Ok(())
    }
}
