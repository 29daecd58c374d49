//! A client of the real server: frames messages over its pipes.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub const BINARY: &str = env!("CARGO_BIN_EXE_coopmat-analyzer");

/// Longer than anything takes, so that a hang fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Client {
    pub server: Child,
    input: Option<Box<dyn Write>>,
    messages: Receiver<Value>,
    kept: VecDeque<Value>,
    next_id: i64,
}

impl Client {
    /// Starts the server without a word.
    pub fn spawn(arguments: &[&str]) -> Client {
        let mut server = Command::new(BINARY)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        Client::over(server, input, output)
    }

    /// The client of a server that is reached by other streams than its standard ones.
    pub fn over(server: Child, input: impl Write + 'static, output: impl Read + Send + 'static) -> Client {
        let mut output = BufReader::new(output);
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client { server, input: Some(Box::new(input)), messages, kept: VecDeque::new(), next_id: 0 }
    }

    /// Starts the server and introduces the client; the answer is the server's.
    pub fn start(arguments: &[&str], params: Value) -> (Client, Value) {
        let mut client = Client::spawn(arguments);
        let result = client.request("initialize", params);
        client.notify("initialized", json!({}));
        (client, result)
    }

    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().unwrap();
        let _ = write!(input, "Content-Length: {}\r\n\r\n{body}", body.len());
        let _ = input.flush();
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and does not wait.
    pub fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}));
        self.next_id
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let response = self.response(id);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    pub fn response(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The first message, sent already or to come, that is wanted; the others are kept.
    pub fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at).unwrap();
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).expect("the server answers");
            if wanted(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    /// What has arrived and was not waited for.
    pub fn arrived(&mut self) -> Vec<Value> {
        self.kept.drain(..).chain(self.messages.try_iter()).collect()
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "glsl", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub fn published(&mut self, uri: &str, version: i32) -> Value {
        let message = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        message["params"]["diagnostics"].clone()
    }

    /// `shutdown` and `exit`; the exit code.
    pub fn finish(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.wait_for_end()
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the process, not for ever.
    pub fn wait_for_end(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.server.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < deadline, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
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

pub fn ids(diagnostics: &Value) -> Vec<&str> {
    diagnostics.as_array().unwrap().iter().map(|diagnostic| diagnostic["code"].as_str().unwrap()).collect()
}
