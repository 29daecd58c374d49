//! References in a large tree: llama.cpp's shaders as they lie in a checkout, without a project file, and a name of a header that most of them
//! include. The first question comes while the server looks who includes what; behind it that is known.

use std::fs;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;

use super::client::Client;
use super::figures::{Figure, Found};
use super::typing;
use crate::shell;

const ROUNDS: usize = 5;
/// What a user waits for at most, in milliseconds, where it is known who includes what.
const BOUND: f64 = 2000.0;
/// By how many shaders are looked at: a header, a name that it declares, and what that is.
const NAMES: [(&str, &str, &str, &str); 2] = [
    ("most", "types.glsl", "block_q4_0", "a structure of a header that most shaders include"),
    ("few", "mul_mm_funcs.glsl", "load_a_to_shmem", "a function of a header that few include"),
];

pub fn run() -> Result<Found> {
    let mut found = Found::default();
    let folder = typing::copy_of_shaders("references")?;
    let server = shell::optimised_server()?;
    let root = format!("file://{}", folder.display());
    let mut worst: f64 = 0.0;
    for (id, file, name, words) in NAMES {
        let text = fs::read_to_string(folder.join(file))?;
        let at = text.find(name).with_context(|| format!("{file} has no {name}"))?;
        let before = text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().map_or(0, str::len);
        let uri = format!("{root}/{file}");
        let question = json!({
            "textDocument": {"uri": uri}, "position": {"line": line, "character": character},
            "context": {"includeDeclaration": true},
        });
        let (mut first, mut warm) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let mut client = Client::start(Command::new(&server).arg("lsp"), &root)?;
            let document = json!({"uri": uri, "languageId": "glsl", "version": 1, "text": text});
            client.notify("textDocument/didOpen", json!({"textDocument": document}))?;
            for times in [&mut first, &mut warm] {
                let begin = Instant::now();
                let answered = client.request("textDocument/references", question.clone())?;
                let answered = answered.with_context(|| format!("no references of {name}"))?;
                times.push((answered - begin).as_secs_f64() * 1e3);
            }
            client.finish()?;
        }
        worst = warm.iter().copied().fold(worst, f64::max);
        let what = format!("References of `{name}`, {words}: the first, asked at once");
        found.figures.push(Figure::times(&format!("references/{id}-first"), &what, first));
        let what = format!("the same of `{name}` where it is known who includes what");
        found.figures.push(Figure::times(&format!("references/{id}"), &what, warm));
    }
    let verdict = if worst <= BOUND { "within" } else { "ABOVE" };
    found.note(format!("The longest, where it is known who includes what: {worst:.0} ms, {verdict} the {BOUND:.0} ms that a user is to wait."));
    Ok(found)
}
