//! The WebAssembly build in Node.js beside the native program: both are sent the same messages about the page's first example.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::client::Client;
use super::figures::{Figure, Found};
use crate::{playground, setup, shell};

const ROUNDS: usize = 9;

/// What is asked one after the other: the name in the script's output, words.
const STEPS: [(&str, &str); 5] = [
    ("start", "from the start to the answer to `initialize`"),
    ("diagnostics", "first diagnostics of `examples/khr/gemm.comp`"),
    ("keystroke", "a keystroke in it, to its diagnostics"),
    ("module", "its SPIR-V"),
    ("run", "its run as its recipe says, with the comparison"),
];

pub fn run() -> Result<Found> {
    let mut found = Found::default();
    let module = playground::pkg().join("coopmat_bg.wasm");
    if !module.exists() {
        found.note("There is no WebAssembly build to measure: `cargo xtask dist` makes it.");
        return Ok(found);
    }
    let server = shell::optimised_server()?;
    let shader = shell::root().join("examples/khr/gemm.comp");
    let text = std::fs::read_to_string(&shader)?;
    let recipe = std::fs::read_to_string(shader.with_extension("run.toml"))?;
    let mut ours = vec![Vec::new(); STEPS.len()];
    let mut native = vec![Vec::new(); STEPS.len()];
    for round in 0..=ROUNDS {
        let mut node = Command::new("node");
        node.arg(shell::root().join("xtask/speed/src/server.mjs")).arg(playground::pkg());
        let written = shell::output(setup::with_node(node.arg(&shader)))?;
        let times: Value = serde_json::from_str(&written).context("the script tells no times")?;
        let beside = session(&server, &text, &recipe)?;
        // The first round brings both into memory.
        if round > 0 {
            for (at, (name, _)) in STEPS.into_iter().enumerate() {
                let time = times[name].as_f64().with_context(|| format!("no time of {name}: {written}"))?;
                ours[at].push(time);
                native[at].push(beside[at]);
            }
        }
    }
    for (((name, words), ours), native) in STEPS.into_iter().zip(ours).zip(native) {
        let figure = Figure::times(&format!("node/{name}"), words, ours);
        found.figures.push(figure.beside("the native program", native));
    }
    Ok(found)
}

/// Milliseconds of each step with the native server.
fn session(server: &std::path::Path, text: &str, recipe: &str) -> Result<[f64; STEPS.len()]> {
    let uri = "file:///bench/gemm.comp";
    let mut last = Instant::now();
    let mut since = move |arrived: Option<Instant>| {
        let arrived = arrived.unwrap_or_else(Instant::now);
        let time = arrived.saturating_duration_since(last).as_secs_f64() * 1e3;
        last = Instant::now();
        time
    };
    let mut client = Client::start(Command::new(server).arg("lsp"), "file:///bench")?;
    let start = since(None);
    let document = json!({"uri": uri, "languageId": "glsl", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}))?;
    let diagnostics = since(client.diagnostics(uri, 1)?);
    let line = text.matches('\n').count();
    let end = json!({"line": line, "character": 0});
    let change = json!({"range": {"start": end, "end": end}, "text": "// x\n"});
    let version = json!({"uri": uri, "version": 2});
    client.notify("textDocument/didChange", json!({"textDocument": version, "contentChanges": [change]}))?;
    let keystroke = since(client.diagnostics(uri, 2)?);
    let identifier = json!({"uri": uri});
    let module = since(client.request("coopmat-analyzer/spirv", json!({"textDocument": identifier}))?);
    let wanted = json!({"textDocument": identifier, "recipe": recipe});
    let run = since(client.request("coopmat-analyzer/run", wanted)?);
    Ok([start, diagnostics, keystroke, module, run])
}
