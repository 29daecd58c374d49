//! A thousand edits with requests in flight, cancellations, and answers to the server out of order; then a closed pipe.

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{BINARY, Client};

/// The same numbers in every run: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// The client's copy of a document.
struct Copy {
    uri: String,
    version: i32,
    text: String,
    /// Edits happen behind this, so that the shader goes on including its header.
    fixed: usize,
}

impl Copy {
    fn random_place(&self, random: &mut Random) -> usize {
        let mut at = self.fixed + random.below(self.text.len() - self.fixed + 1);
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn position(&self, at: usize) -> Value {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        json!({
            "line": before.matches('\n').count(),
            "character": before[line_start..].encode_utf16().count(),
        })
    }

    /// Changes the copy; the change as the protocol says it.
    fn edit(&mut self, random: &mut Random) -> Value {
        const PIECES: &[&str] = &[
            "a",
            ";",
            "(",
            ")",
            "{",
            "}",
            " ",
            "\n",
            "1",
            ".",
            "é",
            "\u{1F600}",
            "int x = 1;\n",
            "coopmat<",
            "/*",
            "*/",
            "\"",
            "#if 0\n",
            "#endif\n",
            "float f() { return 1.0; }\n",
            "sums[i]",
            "",
        ];
        let from = self.random_place(random);
        let mut to = (from + random.below(6)).min(self.text.len());
        while !self.text.is_char_boundary(to) {
            to += 1;
        }
        // Lines end in `\n` alone here, so every place is a position.
        let piece = PIECES[random.below(PIECES.len())];
        let change =
            json!({"range": {"start": self.position(from), "end": self.position(to)}, "text": piece});
        self.text.replace_range(from..to, piece);
        change
    }
}

const SHADER: &str = include_str!("../../../examples/mistakes/indexed-shape-mismatch.comp");
const HEADER: &str = "// Shared by all.\nint twice(int value) { return value * 2; }\nconst int LIMIT = 4;\n";

fn documents() -> Vec<Copy> {
    let start = "#version 460\n#extension GL_GOOGLE_include_directive : require\n#include \"shared.glsl\"\n";
    let text = format!("{start}{}", SHADER.split_once('\n').unwrap().1);
    vec![
        Copy { uri: "file:///storm/main.comp".to_owned(), version: 1, fixed: start.len(), text },
        Copy { uri: "file:///storm/shared.glsl".to_owned(), version: 1, fixed: 0, text: HEADER.to_owned() },
    ]
}

fn fnv(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[test]
fn a_thousand_edits_with_requests_in_flight() {
    let begun = Instant::now();
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {
            "configuration": true,
            "didChangeWatchedFiles": {"dynamicRegistration": true},
            "didChangeConfiguration": {"dynamicRegistration": true},
            "diagnostics": {"refreshSupport": true},
        },
    });
    // Both ways of getting diagnostics at once.
    let options = json!({"diagnostics": {"mode": "push"}});
    let (mut client, _) =
        Client::start(&[], json!({"capabilities": capabilities, "initializationOptions": options}));
    let mut random = Random(0x5eed);
    let mut copies = documents();
    for copy in &copies {
        client.open(&copy.uri, &copy.text);
    }

    let mut asked = Vec::new();
    let mut cancelled = HashSet::new();
    let mut seen: Vec<Value> = Vec::new();
    let mut unanswered: Vec<Value> = Vec::new();
    for step in 0..1000 {
        let copy = &mut copies[usize::from(random.below(4) == 0)];
        let changes: Vec<_> = (0..=random.below(3)).map(|_| copy.edit(&mut random)).collect();
        copy.version += 1;
        let document = json!({"uri": copy.uri, "version": copy.version});
        client.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));

        let copy = &copies[random.below(copies.len())];
        let document = json!({"uri": copy.uri});
        asked.push(match random.below(3) {
            0 => client.begin("textDocument/diagnostic", json!({"textDocument": document})),
            1 => client.begin("coopmat-analyzer/documentState", document),
            _ => {
                let position = copy.position(copy.random_place(&mut random));
                client.begin("textDocument/hover", json!({"textDocument": document, "position": position}))
            }
        });
        if random.below(3) == 0 {
            let id = asked[asked.len() - 1 - random.below(asked.len().min(4))];
            client.notify("$/cancelRequest", json!({"id": id}));
            cancelled.insert(id);
        }
        // The server's own requests are answered late, the newest first.
        for message in client.arrived() {
            if message.get("method").is_some() && message.get("id").is_some() {
                unanswered.push(message);
            } else {
                seen.push(message);
            }
        }
        if step % 100 == 99 {
            while let Some(request) = unanswered.pop() {
                client.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": null}));
            }
        }
    }

    // Every request has one answer, and none but those two errors.
    let barrier = client.begin("coopmat-analyzer/documentState", json!({"uri": copies[0].uri}));
    client.response(barrier);
    for &id in &asked {
        let answer = match seen.iter().position(|message| message["id"] == id) {
            Some(at) => seen.swap_remove(at),
            None => client.response(id),
        };
        if let Some(error) = answer.get("error") {
            let expected = error["code"] == -32801 || (error["code"] == -32800 && cancelled.contains(&id));
            assert!(expected, "{answer}");
        }
    }
    seen.extend(client.arrived());
    assert!(
        !seen.iter().any(|message| message.get("method").is_none() && !message["id"].is_null()),
        "answered twice"
    );

    // The server's text is the client's, and what it reports is what a fresh one reports.
    let (mut fresh, _) = Client::start(&[], json!({"capabilities": {}}));
    for copy in &copies {
        fresh.open(&copy.uri, &copy.text);
    }
    for copy in &copies {
        let state = client.request("coopmat-analyzer/documentState", json!({"uri": copy.uri}));
        assert_eq!(state["version"], copy.version);
        assert_eq!(state["hash"], fnv(&copy.text));
        let report = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": copy.uri}}));
        let pushed = seen
            .iter()
            .rfind(|message| {
                message["params"]["uri"] == copy.uri.as_str() && message["params"]["version"] == copy.version
            })
            .map(|message| message["params"]["diagnostics"].clone());
        let pushed = pushed.unwrap_or_else(|| client.published(&copy.uri, copy.version));
        assert_eq!(report["items"], pushed, "pulled and pushed");
        let pull = json!({"textDocument": {"uri": copy.uri}});
        // The fresh server may have to learn first who includes the header.
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            let anew = fresh.request("textDocument/diagnostic", pull.clone());
            if anew["items"] == report["items"] || Instant::now() > deadline {
                assert_eq!(anew["items"], report["items"], "{}", copy.uri);
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    assert_eq!(client.finish(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// A client that sends everything before it reads anything, and one that goes away in the middle.
#[test]
fn pipes_that_are_full_or_closed() {
    let frame = |message: Value| {
        let body = message.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    };
    let mut script =
        frame(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}}));
    let spawn = || {
        Command::new(BINARY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };

    let mut eager = spawn();
    let mut input = eager.stdin.take().unwrap();
    input.write_all(script.as_bytes()).unwrap();
    let mut output = eager.stdout.take().unwrap();
    let mut first = [0; 64];
    output.read_exact(&mut first).unwrap();
    script.clear();
    script += &frame(json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
    let document = json!({"uri": "file:///x.comp", "languageId": "glsl", "version": 1, "text": SHADER});
    script += &frame(
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}),
    );
    for id in 1..400 {
        let position = json!({"line": 30, "character": 24});
        let params = json!({"textDocument": {"uri": "file:///x.comp"}, "position": position});
        script +=
            &frame(json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": params}));
    }
    // More answers than a pipe holds, and nobody reads them yet.
    input.write_all(script.as_bytes()).unwrap();
    input.write_all(frame(json!({"jsonrpc": "2.0", "id": 400, "method": "shutdown"})).as_bytes()).unwrap();
    let mut answers = Vec::new();
    let (sender, all) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 65536];
        while let Ok(read @ 1..) = output.read(&mut buffer) {
            answers.extend_from_slice(&buffer[..read]);
            // One report, the answers to the hovers, and the one to `shutdown`.
            if String::from_utf8_lossy(&answers).matches("Content-Length").count() == 401 {
                let _ = sender.send(());
            }
        }
    });
    all.recv_timeout(Duration::from_secs(20)).expect("the last answer");
    input.write_all(frame(json!({"jsonrpc": "2.0", "method": "exit"})).as_bytes()).unwrap();
    assert_eq!(eager.wait().unwrap().code(), Some(0));

    // The client is gone: the next thing that there is to say ends the server, without a panic.
    let mut left = spawn();
    let mut input = left.stdin.take().unwrap();
    drop(left.stdout.take());
    let hello =
        frame(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}}));
    let deadline = Instant::now() + Duration::from_secs(20);
    let status = loop {
        // The input stays open; writing to a process that has ended fails.
        let _ = input.write_all(hello.as_bytes());
        if let Some(status) = left.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < deadline, "the server does not notice that nobody listens");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(1));
    let mut errors = String::new();
    left.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(!errors.contains("panicked"), "{errors}");
}
