//! A connection to a server over its standard input and output: messages, its log, its memory, its end.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

pub struct Client {
    pub server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    log: Arc<Mutex<String>>,
    next_id: i64,
}

impl Client {
    /// Starts the server without a word.
    pub fn spawn(program: &Path) -> Result<Client> {
        let mut server = Command::new(program)
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let input = server.stdin.take();
        let mut output = BufReader::new(server.stdout.take().context("no output")?);
        let errors = BufReader::new(server.stderr.take().context("no log")?);
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let log = Arc::new(Mutex::new(String::new()));
        let lines = log.clone();
        std::thread::spawn(move || {
            for line in errors.lines().map_while(std::io::Result::ok) {
                let mut log = lines.lock().unwrap_or_else(PoisonError::into_inner);
                log.push_str(&line);
                log.push('\n');
            }
        });
        Ok(Client { server, input, messages, log, next_id: 0 })
    }

    /// Starts the server and introduces a client that can do everything.
    pub fn start(program: &Path, root: &Path) -> Result<Client> {
        let mut client = Client::spawn(program)?;
        let root = uri(root);
        let id = client.request("initialize", introduction(&root))?;
        let answer = client.answer(id)?;
        if answer["result"]["capabilities"]["positionEncoding"] != "utf-16" {
            bail!("expected positions in UTF-16, found {answer}");
        }
        client.notify("initialized", json!({}))?;
        Ok(client)
    }

    pub fn send(&mut self, message: &Value) -> Result<()> {
        let body = message.to_string();
        let input = self.input.as_mut().context("the input is closed")?;
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(input.flush()?)
    }

    pub fn notify(&mut self, method: &str, params: Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Sends a request, and does not wait.
    pub fn request(&mut self, method: &str, params: Value) -> Result<i64> {
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}))?;
        Ok(self.next_id)
    }

    /// The next message, if there is one within this time.
    pub fn next(&mut self, patience: Duration) -> Result<Option<Value>> {
        match self.messages.recv_timeout(patience) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => bail!("the server has ended:\n{}", self.log()),
        }
    }

    /// Waits for the answer to a request; the server's own requests are answered with nothing, what it tells is passed over.
    pub fn answer(&mut self, id: i64) -> Result<Value> {
        let until = Instant::now() + Duration::from_secs(120);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let message = self.next(left)?.context("no answer within two minutes")?;
            match kind(&message) {
                Kind::Answer(of) if of == id => return Ok(message),
                Kind::Answer(_) | Kind::Told => {}
                Kind::Asked => self.reply(&message)?,
            }
        }
    }

    /// An answer with nothing in it, to what the server asks.
    pub fn reply(&mut self, request: &Value) -> Result<()> {
        let count = request["params"]["items"].as_array().map(Vec::len);
        let result = count.map_or(Value::Null, |count| json!(vec![Value::Null; count]));
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
    }

    /// What the server wrote to its standard error.
    pub fn log(&self) -> String {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Closes the input, as an editor that ends does, and tells how long the server took to end.
    pub fn close_input(&mut self) -> Result<Duration> {
        self.input = None;
        self.wait_for_end()
    }

    /// `shutdown` and `exit`.
    pub fn finish(mut self) -> Result<()> {
        let id = self.request("shutdown", Value::Null)?;
        self.answer(id)?;
        self.notify("exit", Value::Null)?;
        self.wait_for_end()?;
        let status = self.server.wait()?;
        if !status.success() {
            bail!("the server ended with {status} after shutdown and exit");
        }
        Ok(())
    }

    fn wait_for_end(&mut self) -> Result<Duration> {
        let start = Instant::now();
        while self.server.try_wait()?.is_none() {
            if start.elapsed() > Duration::from_secs(30) {
                bail!("the server still runs 30 s after its input was closed");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(start.elapsed())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

pub enum Kind {
    /// To the request of this number.
    Answer(i64),
    /// The server's own request.
    Asked,
    /// A notification.
    Told,
}

pub fn kind(message: &Value) -> Kind {
    match (message.get("id"), message.get("method")) {
        (Some(_), Some(_)) => Kind::Asked,
        (Some(id), None) => Kind::Answer(id.as_i64().unwrap_or(-1)),
        (None, _) => Kind::Told,
    }
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// A client that can do what VS Code and Neovim can.
fn introduction(root: &str) -> Value {
    json!({
        "processId": null,
        "rootUri": root,
        "workspaceFolders": [{"uri": root, "name": "load"}],
        // Both ways of getting diagnostics at once, so that each can be held against the other.
        "initializationOptions": {
            "diagnostics": {"mode": "push"},
            "inlayHints": {"spirv": true},
            "hover": {"spirv": "line"},
        },
        "capabilities": {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {
                "publishDiagnostics": {"versionSupport": true, "relatedInformation": true},
                "diagnostic": {"relatedDocumentSupport": true},
                "completion": {"completionItem": {"snippetSupport": true, "insertReplaceSupport": true}},
                "hover": {"contentFormat": ["markdown"]},
                "definition": {"linkSupport": true},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
                "rename": {"prepareSupport": true},
                "semanticTokens": {
                    "multilineTokenSupport": true,
                    "requests": {"full": {"delta": true}},
                    "tokenTypes": [],
                    "tokenModifiers": [],
                    "formats": ["relative"],
                },
            },
            "workspace": {
                "configuration": true,
                "workspaceEdit": {"documentChanges": true},
                "didChangeWatchedFiles": {"dynamicRegistration": true},
                "didChangeConfiguration": {"dynamicRegistration": true},
                "diagnostics": {"refreshSupport": true},
                "semanticTokens": {"refreshSupport": true},
                "inlayHint": {"refreshSupport": true},
                "codeLens": {"refreshSupport": true},
            },
            "window": {"workDoneProgress": true},
        },
    })
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// KiB of memory that a process has now, and the most that it had; nothing where the system does not tell.
pub fn memory(process: u32) -> Option<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    Some((value("VmRSS:")?, value("VmHWM:")?))
}

/// Whether a process runs; one that has ended and that nobody has asked about does not.
pub fn runs(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = status.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}
