//! The ways to a client besides standard input and output, and how the server ends when the system asks for it.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{BINARY, Client};
use crate::command_line::{folder, run_in};

const SHADER: &str = "#version 450\nvoid main() { undeclared = 1; }\n";

fn start(arguments: &[&str]) -> Child {
    // What goes to standard output is no part of a conversation elsewhere.
    Command::new(BINARY).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
}

/// A whole conversation: what matters is that messages of both directions arrive.
fn talk(mut client: Client) {
    let result = client.request("initialize", json!({"capabilities": {}}));
    assert_eq!(result["serverInfo"]["name"], "coopmat-analyzer");
    client.notify("initialized", json!({}));
    let text = format!("{SHADER}{}", "// long\n".repeat(50_000));
    client.open("file:///a.comp", &text);
    let found = client.published("file:///a.comp", 1).to_string();
    assert!(found.contains("undeclared"), "{found}");
    let document = json!({"textDocument": {"uri": "file:///a.comp"}});
    let folds = client.request("textDocument/foldingRange", document);
    assert!(folds.is_array(), "{folds}");
    assert_eq!(client.finish(), Some(0));
}

/// As vscode-languageclient's `TransportKind.socket` does: it listens, starts the server with `--socket=PORT`, and takes its connection.
#[test]
fn a_client_listens_at_a_port() {
    for option in ["--port", "--socket"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = start(&["lsp", &format!("{option}={port}"), "--clientProcessId=1"]);
        let (stream, from) = listener.accept().unwrap();
        assert!(from.ip().is_loopback());
        talk(Client::over(server, stream.try_clone().unwrap(), stream));
    }
}

/// As `TransportKind.pipe` does, with `--pipe=NAME`.
#[cfg(unix)]
#[test]
fn a_client_listens_at_a_pipe() {
    let folder = folder(&[]);
    let name = folder.path().join("pipe");
    let listener = std::os::unix::net::UnixListener::bind(&name).unwrap();
    let server = start(&["lsp", &format!("--pipe={}", name.to_str().unwrap())]);
    let (stream, _) = listener.accept().unwrap();
    talk(Client::over(server, stream.try_clone().unwrap(), stream));

    // A client that goes away without a word takes the server with it.
    // Without the subcommand, as generic clients start servers.
    let server = start(&["--pipe", name.to_str().unwrap()]);
    let (stream, _) = listener.accept().unwrap();
    let mut client = Client::over(server, stream.try_clone().unwrap(), stream.try_clone().unwrap());
    client.request("initialize", json!({"capabilities": {}}));
    stream.shutdown(std::net::Shutdown::Both).unwrap();
    assert_eq!(client.wait_for_end(), Some(1));
}

#[test]
fn nobody_listens() {
    let folder = folder(&[]);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, "");
    let port = run(&["lsp", "--port", &free]);
    assert_eq!(port.code, Some(2));
    assert!(
        port.stderr.contains(&format!("cannot connect to the client at port {free} of this machine")),
        "{}",
        port.stderr
    );
    let pipe = run(&["lsp", "--pipe", "none"]);
    assert_eq!(pipe.code, Some(2));
    assert!(pipe.stderr.contains("cannot connect to the client at the pipe `none`"), "{}", pipe.stderr);
    for both in [&["--port=1", "--pipe=x"][..], &["--stdio", "--port=1"], &["--port=0"], &["--port=65536"]] {
        assert_eq!(run(&[&["lsp"], both].concat()).code, Some(2), "{both:?}");
    }
}

/// Answers that are on their way arrive whole or not at all, and the exit code is the one that shells give.
#[cfg(unix)]
#[test]
fn signals_end_the_server() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let (mut client, _) = Client::start(&["lsp"], json!({"capabilities": {}}));
        client.open("file:///a.comp", SHADER);
        client.published("file:///a.comp", 1);
        let busy = format!("#version 450\nvoid main() {{\n{}}}\n", "int a = b;\n".repeat(20_000));
        client.open("file:///busy.comp", &busy);
        let waiting = client.begin(
            "textDocument/hover",
            json!({"textDocument": {"uri": "file:///busy.comp"}, "position": {"line": 2, "character": 4}}),
        );
        let process = client.server.id().to_string();
        assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
        let asked = Instant::now();
        assert_eq!(client.wait_for_end(), Some(code), "{signal}");
        assert!(asked.elapsed() < Duration::from_secs(5), "{signal}: {:?}", asked.elapsed());
        // Every message that was sent is whole: the client reads nothing else.
        let arrived = client.arrived();
        assert!(arrived.iter().filter(|message| message["id"] == waiting).count() <= 1);
    }
}
