//! Renames what llama.cpp's `types.glsl` declares, through the server as an editor does, and checks the outcome by itself:
//! every variant has the tokens that it had but for the name, and still no error.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::lex::{LexemeKind, lexeme_at};
use coopmat_analysis::sources::{FileLoader, Overlay};
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::LineIndex;
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_corpus::files::Files;
use coopmat_corpus::llama::{Llama, Variant};
use coopmat_ide::symbols::{OutlineSymbol, outline};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::common::Common;
use crate::server::Session;

const ROOT: &str = "/shaders";
const HEADER: &str = "types.glsl";

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// How many names of each kind (macros, structures, members, constants) are renamed
    #[arg(long, default_value_t = 6)]
    each: usize,
    /// Only the first variant of each source, and two names of each kind
    #[arg(long)]
    quick: bool,
}

pub fn run(options: &Options) -> Result<bool> {
    let mut llama = Llama::read(&options.common.sources)?;
    let chosen = |variant: &Variant| options.common.chosen(&format!("{} {}", variant.source, variant.name));
    llama.variants.retain(chosen);
    if options.quick {
        llama.keep_one_of_each();
    }
    let header = llama.files.get(HEADER).context("no types.glsl")?;
    let symbols = choose(&header, if options.quick { 2 } else { options.each });
    let mut session = start(&llama, &header)?;
    let analyzer = Analyzer::default();
    let unchanged = Overlay::new(&llama.files, []);
    let before: Vec<Option<String>> = llama
        .variants
        .par_iter()
        .map(|variant| Some(analyze(&analyzer, &unchanged, variant)?.preprocessed.text))
        .collect();

    let (mut renamed, mut refused, mut wrong) = (0, 0, 0);
    for symbol in &symbols {
        let start = Instant::now();
        let new_name = format!("{}_renamed", symbol.name);
        let answer = session.request("textDocument/rename", &rename_params(&header, symbol, &new_name))?;
        let seconds = start.elapsed().as_secs_f64();
        let kind = format!("{:?}", symbol.kind).to_lowercase();
        let edit = match answer {
            Ok(edit) => edit,
            // What the build itself defines cannot be renamed in the shaders alone, and what no variant compiles is not known.
            Err(message)
                if message.contains("there first") || message.starts_with("no configuration compiles") =>
            {
                refused += 1;
                println!("{kind} {}: refused in {seconds:.1} s: {message}", symbol.name);
                continue;
            }
            Err(message) => {
                wrong += 1;
                println!("{kind} {}: WRONG, refused in {seconds:.1} s: {message}", symbol.name);
                continue;
            }
        };
        let (changed, edits) = apply(&llama, &edit, &symbol.name, &new_name)?;
        let files = changed.len();
        let texts = Overlay::new(&llama.files, changed);
        let problems: Vec<String> = llama
            .variants
            .par_iter()
            .zip(&before)
            .filter_map(|(variant, before)| {
                compare(&analyzer, &texts, variant, before.as_deref()?, &symbol.name, &new_name)
            })
            .collect();
        println!(
            "{kind} {}: {edits} places in {files} files, {seconds:.1} s{}",
            symbol.name,
            if problems.is_empty() { "" } else { ", WRONG" }
        );
        for problem in problems.iter().take(options.common.limit) {
            println!("    {problem}");
        }
        renamed += 1;
        wrong += usize::from(!problems.is_empty());
    }
    session.finish()?;
    println!(
        "{renamed} names renamed over {} variants, {refused} refused because the build defines them or compiles them nowhere, {wrong} wrong",
        llama.variants.len()
    );
    Ok(renamed > 0 && wrong == 0)
}

/// So many names of each kind, spread over the header.
fn choose(header: &Arc<str>, each: usize) -> Vec<OutlineSymbol> {
    let mut by_kind: BTreeMap<String, Vec<OutlineSymbol>> = BTreeMap::new();
    let mut seen = std::collections::HashSet::new();
    let mut all = Vec::new();
    for symbol in outline(&Surface::new(header.clone(), None)) {
        all.extend(symbol.children.clone());
        all.push(symbol);
    }
    for symbol in all {
        if seen.insert((symbol.name.clone(), format!("{:?}", symbol.kind))) {
            by_kind.entry(format!("{:?}", symbol.kind)).or_default().push(symbol);
        }
    }
    by_kind
        .into_values()
        .flat_map(|list| {
            let step = list.len().div_ceil(each.max(1)).max(1);
            list.into_iter().step_by(step).collect::<Vec<_>>()
        })
        .collect()
}

/// The server over all shaders, under a project file that lists the variants; the header is open.
fn start(llama: &Llama, header: &str) -> Result<Session> {
    let path = |name: &str| format!("{ROOT}/{name}");
    let mut files: HashMap<String, Arc<str>> = HashMap::new();
    for name in llama.files.names() {
        files.insert(path(name), llama.files.get(name).unwrap_or_default());
    }
    files.insert(path("coopmat-analyzer.toml"), project_file(llama).into());
    let mut session = Session::start(ROOT, files)?;
    let document =
        json!({"uri": format!("file://{ROOT}/{HEADER}"), "languageId": "glsl", "version": 1, "text": header});
    session.notify("textDocument/didOpen", &json!({"textDocument": document}))?;
    Ok(session)
}

fn project_file(llama: &Llama) -> String {
    let mut text = String::from("google-include = true\n");
    let mut by_source: BTreeMap<&str, Vec<&Variant>> = BTreeMap::new();
    for variant in &llama.variants {
        by_source.entry(&variant.source).or_default().push(variant);
    }
    for (source, variants) in by_source {
        let _ = write!(text, "\n[[shaders]]\nfiles = [{source:?}]\n");
        for (index, variant) in variants.iter().enumerate() {
            let defines: Vec<String> = variant
                .defines
                .iter()
                .map(|(name, value)| format!("{name:?} = {:?}", value.as_deref().unwrap_or_default()))
                .collect();
            let _ = write!(
                text,
                "[[shaders.configurations]]\nname = \"{} {index}\"\ntarget-env = {:?}\ndefines = {{ {} }}\n",
                variant.name,
                variant.target_env.name(),
                defines.join(", ")
            );
        }
    }
    text
}

fn rename_params(header: &str, symbol: &OutlineSymbol, new_name: &str) -> Value {
    let place = LineIndex::new(header).line_col(symbol.name_range.start());
    json!({
        "textDocument": {"uri": format!("file://{ROOT}/{HEADER}")},
        "position": {"line": place.line, "character": place.col},
        "newName": new_name,
    })
}

/// The texts after an edit, and how many places it changes: each must hold the name.
fn apply(
    llama: &Llama,
    edit: &Value,
    name: &str,
    new_name: &str,
) -> Result<(HashMap<String, Arc<str>>, usize)> {
    let mut changed = HashMap::new();
    let mut count = 0;
    for document in edit["documentChanges"].as_array().context("no changes")? {
        let uri = document["textDocument"]["uri"].as_str().context("no URI")?;
        let file = uri.strip_prefix(&format!("file://{ROOT}/")).context("a file of somewhere else")?;
        let text = llama.files.get(file).context("no such file")?;
        let mut renamed = text.to_string();
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let offset = |position: &Value| -> Option<usize> {
            let line = usize::try_from(position["line"].as_u64()?).ok()?;
            Some(starts.get(line)? + usize::try_from(position["character"].as_u64()?).ok()?)
        };
        let edits = document["edits"].as_array().context("no edits")?;
        for edit in edits.iter().rev() {
            let start = offset(&edit["range"]["start"]).context("a position outside of the text")?;
            let end = offset(&edit["range"]["end"]).context("a position outside of the text")?;
            ensure!(edit["newText"] == new_name, "another text than the new name");
            if renamed.get(start..end) != Some(name) {
                bail!("{file}: `{name}` is not what would be replaced at {}", edit["range"]["start"]);
            }
            renamed.replace_range(start..end, new_name);
            count += 1;
        }
        changed.insert(file.to_owned(), Arc::from(renamed));
    }
    Ok((changed, count))
}

fn analyze(analyzer: &Analyzer, texts: &Overlay<'_, Files>, variant: &Variant) -> Option<Analysis> {
    let text = texts.load(&variant.source)?;
    Some(analyzer.analyze(&variant.source, text, &variant.configuration(), texts, None))
}

/// What is wrong with a variant after the rename.
fn compare(
    analyzer: &Analyzer,
    texts: &Overlay<'_, Files>,
    variant: &Variant,
    before: &str,
    name: &str,
    new_name: &str,
) -> Option<String> {
    let after = analyze(analyzer, texts, variant)?;
    let error = after.diagnostics.iter().find(|one| one.severity == Severity::Error);
    if let Some(error) = error {
        return Some(format!("{}: error: {}", variant.name, error.message));
    }
    let (mut old, mut new) = (tokens(before), tokens(&after.preprocessed.text));
    loop {
        match (old.next(), new.next()) {
            (None, None) => return None,
            (Some(a), Some(b)) if a == b || (a == name && b == new_name) => {}
            (a, b) => {
                return Some(format!("{}: `{}` became `{}`", variant.name, a.unwrap_or(""), b.unwrap_or("")));
            }
        }
    }
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let lexeme = lexeme_at(text, at)?;
            at = lexeme.end;
            if matches!(lexeme.kind, LexemeKind::Token(_)) {
                return text.get(lexeme.start..lexeme.end);
            }
        }
    })
}
