//! A client of any language server over its standard input and output, as small as a measurement needs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// A server that says nothing for so long has no answer.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Client {
    server: Child,
    input: ChildStdin,
    /// Each with the time at which its last byte was there: what this program does with it is no part of a measurement.
    messages: Receiver<(Instant, Value)>,
    next_id: i64,
}

impl Client {
    /// Starts a server and introduces the client.
    pub fn start(command: &mut Command, root: &str) -> Result<Client> {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let input = server.stdin.take().context("no input")?;
        let mut output = BufReader::new(server.stdout.take().context("no output")?);
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Client { server, input, messages, next_id: 0 };
        let capabilities = json!({
            "textDocument": {
                "publishDiagnostics": {"versionSupport": true},
                "completion": {"completionItem": {"snippetSupport": true}},
                "hover": {"contentFormat": ["markdown"]},
            },
            "workspace": {"configuration": true},
        });
        let folder = json!([{"uri": root, "name": "shaders"}]);
        client.request(
            "initialize",
            json!({"processId": null, "rootUri": root, "workspaceFolders": folder, "capabilities": capabilities}),
        )?;
        client.notify("initialized", json!({}))?;
        Ok(client)
    }

    /// Asks the server to end, and waits for it.
    pub fn finish(mut self) -> Result<()> {
        self.request("shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        self.server.wait()?;
        Ok(())
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(self.input.flush()?)
    }

    pub fn notify(&mut self, method: &str, params: Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Asks, and waits for the answer: when it was there.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Option<Instant>> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Waits for diagnostics of a document, of a version where the server tells one: when they were there.
    pub fn diagnostics(&mut self, uri: &str, version: i64) -> Result<Option<Instant>> {
        self.wait(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"].as_i64().is_none_or(|told| told >= version)
        })
    }

    /// The time of the next message that fits. Questions of the server are answered with nothing in them.
    fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Result<Option<Instant>> {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let (arrived, message) = match self.messages.recv_timeout(left) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => bail!("the server has ended"),
            };
            if fits(&message) {
                return Ok(Some(arrived));
            }
            if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
                let count = message["params"]["items"].as_array().map(Vec::len);
                let result = count.map_or(Value::Null, |count| json!(vec![Value::Null; count]));
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<(Instant, Value)> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    let arrived = Instant::now();
    Some((arrived, serde_json::from_slice(&body).ok()?))
}
