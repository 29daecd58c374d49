//! A replayed typing session: each character is an edit of its own, and what is measured is the time from sending it to diagnostics,
//! to a hover and to completions for the text with it. The peer gets the same edits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::client::Client;
use super::figures::{Figure, Found, median};
use super::process;
use crate::{corpus, debian, shell};

/// The peer: the language server of the extension shader-validator, which has glslang inside.
const PEER: (&str, &str) = ("shader_language_server", "1.6.2");
/// The largest of llama.cpp's shaders with matrices, and the variant that it is looked at as.
const SHADER: &str = "mul_mm.comp";
const VARIANT: &str = "matmul_f16_f32_cm1.spv";
/// What is typed at the start of `main`, and deleted again.
const TYPED: &str = "\n    uint zz = gl_LocalInvocationID.x * 2 + 1;";
/// The bounds that the session is held to, as 95 % of the edits see them, in milliseconds.
const DIAGNOSTICS_BOUND: f64 = 10.0;
const ANSWER_BOUND: f64 = 5.0;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Session {
    /// A few edits with the server that the tests have built: whether the measurement works.
    Short,
    /// The whole session, and the peer's where it is wanted.
    Whole { peer: bool },
}

pub fn run(session: Session) -> Result<()> {
    let folder = shaders()?;
    let server = match session {
        Session::Short => shell::server()?,
        Session::Whole { .. } => shell::optimised_server()?,
    };
    let edits = if session == Session::Short { 8 } else { 4 * TYPED.len() };
    println!("typing in {SHADER} ({VARIANT}), {edits} edits for each question, one at a time:");
    let ours = measure("coopmat-analyzer", Command::new(server).arg("lsp"), &folder, edits)?;
    if let Session::Whole { peer } = session {
        for (what, times, bound) in [
            ("diagnostics", &ours.diagnostics, DIAGNOSTICS_BOUND),
            ("hover", &ours.hover, ANSWER_BOUND),
            ("completion", &ours.completion, ANSWER_BOUND),
        ] {
            let verdict = if times.quantile(0.95) <= bound { "within" } else { "ABOVE" };
            println!("  {what}: 95 % in {:.2} ms, {verdict} the bound of {bound} ms", times.quantile(0.95));
        }
        if peer {
            let edits = TYPED.len();
            measure(&format!("{} {}", PEER.0, PEER.1), &mut Command::new(installed_peer()?), &folder, edits)?;
        }
    }
    Ok(())
}

/// What the keystroke is held against: all that a client without such a server can do is to start glslang on what it has.
pub fn figures() -> Result<Found> {
    const ROUNDS: usize = 7;
    let mut found = Found::default();
    let folder = shaders()?;
    let server = shell::optimised_server()?;
    let ours = measure("coopmat-analyzer", Command::new(server).arg("lsp"), &folder, ROUNDS * TYPED.len())?;
    // The processes, as far as they can be had, turn by turn.
    let (_, defines) = variant()?;
    let mut theirs = Vec::new();
    for round in 0..=ROUNDS {
        let Some(mut glslang) = debian::program("glslang") else { break };
        glslang.args(["--target-env", "vulkan1.3", "-S", "comp", "-o", "/dev/null"]);
        glslang.arg("-P#extension GL_GOOGLE_include_directive : enable").arg("-I.").current_dir(&folder);
        glslang.args(defines.iter().map(|define| format!("-D{define}"))).arg(SHADER);
        let time = process::time(&mut glslang)?;
        if round > 0 {
            theirs.push(time);
        }
    }
    if theirs.is_empty() {
        found.note("There is no glslang to start beside the server: `cargo xtask setup` installs it.");
    }
    for (id, what, times) in [
        ("keystroke/diagnostics", "diagnostics", &ours.diagnostics),
        ("keystroke/hover", "a hover", &ours.hover),
        ("keystroke/completion", "completions", &ours.completion),
    ] {
        let milliseconds: Vec<f64> = times.0.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        let rounds = milliseconds.chunks(TYPED.len()).map(median).collect();
        let what = format!("from a keystroke in `main` of `{SHADER}` to {what}");
        let figure = Figure::times(id, &what, rounds);
        found.figures.push(if theirs.is_empty() {
            figure
        } else {
            figure.beside("`glslang` started on the text", theirs.clone())
        });
    }
    let bounds = [
        ("diagnostics", &ours.diagnostics, DIAGNOSTICS_BOUND),
        ("a hover", &ours.hover, ANSWER_BOUND),
        ("completions", &ours.completion, ANSWER_BOUND),
    ];
    let words =
        bounds.map(|(what, times, bound)| format!("{what} {:.1} ms of {bound:.0}", times.quantile(0.95)));
    found.note(format!(
        "95 % of {} keystrokes each, and what they may take: {}. glsl_analyzer is in no registry that cargo, npm or pip knows, and tells no diagnostics; the server of \
         shader-validator, which has glslang inside, is measured by `cargo xtask bench --peer`.",
        ours.diagnostics.0.len(),
        words.join(", ")
    ));
    Ok(found)
}

/// llama.cpp's shaders in a folder of their own.
pub fn copy_of_shaders(name: &str) -> Result<PathBuf> {
    corpus::prepare()?;
    let folder = shell::target().join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(corpus::folder().join("llama/vulkan-shaders"))? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            fs::copy(&path, folder.join(name))?;
        }
    }
    Ok(folder)
}

/// The same with a project file that names the variant.
fn shaders() -> Result<PathBuf> {
    let folder = copy_of_shaders("typing")?;
    let (target_env, defines) = variant()?;
    let defines: Vec<String> = defines
        .iter()
        .map(|define| {
            let (name, value) = define.split_once('=').unwrap_or((define, ""));
            format!("{name} = {}", json!(value))
        })
        .collect();
    let project = format!(
        "target-env = \"{target_env}\"\ngoogle-include = true\n\n[[shaders]]\nfiles = [\"{SHADER}\"]\ndefines = {{ {} }}\n",
        defines.join(", ")
    );
    fs::write(folder.join("coopmat-analyzer.toml"), project)?;
    Ok(folder)
}

/// The target and the definitions of the variant.
fn variant() -> Result<(String, Vec<String>)> {
    let table = fs::read_to_string(corpus::folder().join("llama/variants.tsv"))?;
    let row = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .find(|row| row.get(1) == Some(&VARIANT))
        .with_context(|| format!("no variant {VARIANT}"))?;
    let [_, _, target_env, defines] = row[..] else { anyhow::bail!("a row without four cells") };
    let defines = defines.split('\u{1f}').filter(|define| !define.is_empty()).map(str::to_owned);
    Ok((target_env.to_owned(), defines.collect()))
}

/// Installs the peer into the target folder; it compiles glslang, which takes minutes.
fn installed_peer() -> Result<PathBuf> {
    let root = shell::target().join("tools").join("peer");
    let binary = root.join("bin").join(format!("shader-language-server{}", std::env::consts::EXE_SUFFIX));
    if !binary.exists() {
        println!("installing {} {} to compare with", PEER.0, PEER.1);
        let mut install = shell::cargo(["install", PEER.0, "--locked", "--version", PEER.1, "--root"]);
        shell::run(install.arg(&root))?;
    }
    Ok(binary)
}

#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    /// In milliseconds; infinite when nothing was measured.
    fn quantile(&self, part: f64) -> f64 {
        let mut times = self.0.clone();
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        let at = (last as f64 * part).round() as usize;
        times.get(at).map_or(f64::INFINITY, |time| time.as_secs_f64() * 1000.0)
    }
}

#[derive(Default)]
struct Measured {
    diagnostics: Times,
    hover: Times,
    completion: Times,
}

/// The document as the client holds it.
struct Document {
    uri: String,
    version: i64,
    line: usize,
    column: usize,
    typed: usize,
}

impl Document {
    /// The next character of the session: typed, then deleted from the end again.
    fn edit(&mut self, client: &mut Client, number: usize) -> Result<()> {
        let length = TYPED.len();
        let deleting = (number / length) % 2 == 1;
        self.version += 1;
        let (start, end, text);
        if deleting {
            start = self.position(self.typed - 1);
            end = self.position(self.typed);
            text = String::new();
            self.typed -= 1;
        } else {
            start = self.position(self.typed);
            end = start.clone();
            text = TYPED[self.typed..=self.typed].to_owned();
            self.typed += 1;
        }
        client.notify(
            "textDocument/didChange",
            json!({
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": [{"range": {"start": start, "end": end}, "text": text}],
            }),
        )
    }

    /// Where the first `typed` characters of the text end.
    fn position(&self, typed: usize) -> Value {
        let text = &TYPED[..typed];
        match text.rfind('\n') {
            Some(newline) => {
                let lines = text.matches('\n').count();
                json!({"line": self.line + lines, "character": typed - newline - 1})
            }
            None => json!({"line": self.line, "character": self.column + typed}),
        }
    }
}

/// A server with the shader open, which has a mistake before `main` where that is wanted.
fn opened(server: &mut Command, folder: &Path, mistaken: bool) -> Result<(Client, Document)> {
    const MISTAKE: &str = "void mistaken() { uint a = (1 + ; }\n";
    let root = format!("file://{}", folder.display());
    let mut text = fs::read_to_string(folder.join(SHADER))?;
    let main = |text: &str| text.find("void main()").context("no main");
    if mistaken {
        text.insert_str(main(&text)?, MISTAKE);
    }
    let start = main(&text)?;
    let at = start + text[start..].find('{').context("no body")? + 1;
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let mut client = Client::start(server, &root)?;
    let uri = format!("{root}/{SHADER}");
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "glsl", "version": 0, "text": text}}),
    )?;
    client.diagnostics(&uri, 0)?;
    Ok((client, Document { uri, version: 0, line, column, typed: 0 }))
}

/// What an editor asks for after each keystroke, of a server that is started behind `before`.
pub fn profile(before: &mut Command, mistaken: bool) -> Result<()> {
    let folder = shaders()?;
    let server = shell::optimised_server()?;
    let (mut client, mut document) = opened(before.arg(server).arg("lsp"), &folder, mistaken)?;
    for number in 0..4 * TYPED.len() {
        document.edit(&mut client, number)?;
        client.diagnostics(&document.uri, document.version)?;
        let identifier = json!({"uri": document.uri});
        client.request("textDocument/semanticTokens/full", json!({"textDocument": identifier}))?;
    }
    client.finish()
}

fn measure(name: &str, server: &mut Command, folder: &Path, edits: usize) -> Result<Measured> {
    let (mut client, mut document) = opened(server, folder, false)?;
    let line = document.line;
    let mut measured = Measured::default();
    // A word above the place that is typed at, which means the same all the time.
    let over = json!({"line": line.saturating_sub(1), "character": 6});
    let mut silent = 0;
    for number in 0..edits {
        let begin = Instant::now();
        document.edit(&mut client, number)?;
        match client.diagnostics(&document.uri, document.version)? {
            Some(arrived) => measured.diagnostics.0.push(arrived - begin),
            None => silent += 1,
        }
    }
    for number in edits..2 * edits {
        let begin = Instant::now();
        document.edit(&mut client, number)?;
        let ask = json!({"textDocument": {"uri": document.uri}, "position": over});
        let arrived = client.request("textDocument/hover", ask)?;
        measured.hover.0.extend(arrived.map(|arrived| arrived - begin));
    }
    for number in 2 * edits..3 * edits {
        let begin = Instant::now();
        document.edit(&mut client, number)?;
        let ask =
            json!({"textDocument": {"uri": document.uri}, "position": document.position(document.typed)});
        let arrived = client.request("textDocument/completion", ask)?;
        measured.completion.0.extend(arrived.map(|arrived| arrived - begin));
    }
    println!("{name}:");
    for (what, times) in [
        ("diagnostics", &measured.diagnostics),
        ("hover", &measured.hover),
        ("completion", &measured.completion),
    ] {
        println!(
            "  {what:<12} median {:>8.2} ms, 95 % {:>8.2} ms, slowest {:>8.2} ms of {}",
            times.quantile(0.5),
            times.quantile(0.95),
            times.quantile(1.0),
            times.0.len()
        );
    }
    if silent > 0 {
        println!("  {silent} edits without diagnostics");
    }
    Ok(measured)
}
