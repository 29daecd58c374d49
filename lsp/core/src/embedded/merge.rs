//! Puts the answers about the shaders of a file together, and leaves out what an edit of the file cannot be.

use coopmat_analysis::diagnostics::codes;
use serde_json::{Map, Value, json};
use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::Range;

use super::layer::{File, Part, Shader};
use crate::documents::text_hash;
use crate::query::request_failed;

/// The answer to a question that is about no shader.
pub fn nothing(method: &str) -> Value {
    match method {
        "textDocument/diagnostic" => json!({ "kind": "full", "items": [] }),
        _ => Value::Null,
    }
}

/// The answer of the file. Whoever asks about a place asked one shader.
pub fn merge(method: &str, file: &File, parts: Vec<Part>, previous: Option<&str>) -> Result<Value, Error> {
    let mut answers = Vec::new();
    for part in parts {
        let answer = part.answer.unwrap_or(Ok(Value::Null))?;
        let Some(shader) = file.shader(&part.uri) else { return Err(Error::content_modified()) };
        answers.push((shader, answer));
    }
    match method {
        "textDocument/diagnostic" => Ok(report(file, answers, previous)),
        "textDocument/documentSymbol" => Ok(Value::Array(
            answers
                .into_iter()
                .map(|(shader, answer)| symbols(file, shader, answer))
                .collect::<Vec<_>>()
                .concat(),
        )),
        "textDocument/foldingRange"
        | "textDocument/documentLink"
        | "textDocument/inlayHint"
        | "textDocument/inlineValue" => {
            Ok(Value::Array(answers.into_iter().flat_map(|(_, answer)| list(answer)).collect()))
        }
        "textDocument/semanticTokens/full"
        | "textDocument/semanticTokens/full/delta"
        | "textDocument/semanticTokens/range" => Ok(tokens(file, answers)),
        "textDocument/codeAction" => {
            let actions = answers.into_iter().flat_map(|(shader, answer)| {
                list(answer).into_iter().filter(|action| edits_fit(file, shader, action.get("edit")))
            });
            Ok(Value::Array(actions.collect()))
        }
        "textDocument/rename" => {
            let Some((shader, answer)) = answers.pop() else { return Ok(Value::Null) };
            if edits_fit(file, shader, Some(&answer)) {
                return Ok(answer);
            }
            Err(request_failed("the new name cannot be written in one of these strings"))
        }
        "textDocument/completion" => {
            let Some((shader, mut answer)) = answers.pop() else { return Ok(Value::Null) };
            let items = if answer.is_array() { Some(&mut answer) } else { answer.get_mut("items") };
            for item in items.and_then(Value::as_array_mut).into_iter().flatten() {
                // What is added elsewhere may have no place in the string.
                let Some(added) = item.get("additionalTextEdits").and_then(Value::as_array) else { continue };
                if !added.iter().all(|edit| fits(file, shader, edit))
                    && let Some(item) = item.as_object_mut()
                {
                    item.remove("additionalTextEdits");
                }
            }
            Ok(answer)
        }
        _ => Ok(answers.pop().map_or(Value::Null, |(_, answer)| answer)),
    }
}

fn list(answer: Value) -> Vec<Value> {
    match answer {
        Value::Array(list) => list,
        _ => Vec::new(),
    }
}

fn range_of(value: &Value) -> Option<Range> {
    serde_json::from_value(value.get("range")?.clone()).ok()
}

fn range_in_file(file: &File, bytes: std::ops::Range<usize>) -> Range {
    Range::new(file.position(bytes.start), file.position(bytes.end))
}

/// What is told of a shader. A note that part of it is not known has its place already.
pub fn diagnostics(file: &File, shader: &Shader, mut found: Vec<Value>) -> Vec<Value> {
    let placed = [codes::EMBEDDED_PART.id, codes::EMBEDDED_FRAGMENT.id];
    let is_placed = |found: &Value| found["code"].as_str().is_some_and(|code| placed.contains(&code));
    let first = file.position(shader.region.range.start);
    for diagnostic in found.iter_mut().filter(|one| !is_placed(one)) {
        let Some(range) = range_of(diagnostic).filter(|range| range.start < first) else { continue };
        diagnostic["range"] = json!(Range::new(first, range.end.max(first)));
    }
    found
}

/// The report of `textDocument/diagnostic`.
fn report(file: &File, answers: Vec<(&Shader, Value)>, previous: Option<&str>) -> Value {
    let mut items = Vec::new();
    let mut related = Map::new();
    for (shader, mut answer) in answers {
        if let Some(Value::Object(more)) = answer.get_mut("relatedDocuments").map(Value::take) {
            related.extend(more);
        }
        let found = answer.get_mut("items").map(Value::take).map(list).unwrap_or_default();
        items.extend(diagnostics(file, shader, found));
    }
    let id = format!("{:016x}", text_hash(&Value::from(items.clone()).to_string()));
    let mut report = match previous == Some(id.as_str()) {
        true => json!({ "kind": "unchanged", "resultId": id }),
        false => json!({ "kind": "full", "resultId": id, "items": items }),
    };
    if !related.is_empty() {
        report["relatedDocuments"] = Value::Object(related);
    }
    report
}

/// The shader as a symbol that holds its own, where the client takes such; else its own under its name.
fn symbols(file: &File, shader: &Shader, answer: Value) -> Vec<Value> {
    const MODULE: u32 = 2;
    let mut found = list(answer);
    let name = &shader.region.name;
    if found.iter().any(|symbol| symbol.get("location").is_some()) {
        for symbol in &mut found {
            if symbol.get("containerName").is_none_or(Value::is_null) {
                symbol["containerName"] = Value::from(name.as_str());
            }
        }
        return found;
    }
    let whole = range_in_file(file, shader.region.range.clone());
    let detail = format!("{} shader", shader.region.stage.name());
    vec![json!({
        "name": name,
        "detail": detail,
        "kind": MODULE,
        "range": whole,
        "selectionRange": Range::new(whole.start, whole.start),
        "children": found,
    })]
}

/// The numbers of a token: lines and columns from the one before it.
const TOKEN: usize = 5;

fn tokens(file: &File, answers: Vec<(&Shader, Value)>) -> Value {
    let mut all: Vec<[u32; TOKEN]> = Vec::new();
    for (shader, answer) in answers {
        let data: Vec<u32> =
            answer.get("data").and_then(|data| serde_json::from_value(data.clone()).ok()).unwrap_or_default();
        let (mut line, mut column) = (0_u32, 0_u32);
        for token in data.as_chunks::<TOKEN>().0 {
            let [lines, columns, length, kind, modifiers] = *token;
            column = if lines > 0 { columns } else { column.saturating_add(columns) };
            line = line.saturating_add(lines);
            // Comments stand for what is not ASCII beside the literals.
            if file.holds(shader, tower_lsp::ls_types::Position::new(line, column)) {
                all.push([line, column, length, kind, modifiers]);
            }
        }
    }
    all.sort_unstable();
    let (mut line, mut column) = (0, 0);
    let mut data = Vec::with_capacity(all.len() * TOKEN);
    for [at, start, length, kind, modifiers] in all {
        let from = if at == line { start - column } else { start };
        data.extend([at - line, from, length, kind, modifiers]);
        (line, column) = (at, start);
    }
    json!({ "data": data })
}

/// Whether all edits of this file leave its strings what they are.
fn edits_fit(file: &File, shader: &Shader, edit: Option<&Value>) -> bool {
    let Some(edit) = edit else { return true };
    let is_here = |uri: &str| uri == shader.uri;
    let changes = edit.get("changes").and_then(Value::as_object).into_iter().flatten();
    let changes = changes.filter(|(uri, _)| is_here(uri)).map(|(_, edits)| edits);
    let documents = edit.get("documentChanges").and_then(Value::as_array).into_iter().flatten();
    let documents = documents
        .filter(|document| document.pointer("/textDocument/uri").and_then(Value::as_str).is_some_and(is_here))
        .filter_map(|document| document.get("edits"));
    let mut all = changes.chain(documents).filter_map(Value::as_array).flatten();
    all.all(|edit| fits(file, shader, edit))
}

fn fits(file: &File, shader: &Shader, edit: &Value) -> bool {
    let (Some(range), Some(new)) = (range_of(edit), edit.get("newText").and_then(Value::as_str)) else {
        return false;
    };
    let bytes = file.bytes(&range);
    if shader.region.takes(&bytes, new) {
        return true;
    }
    // Among escapes, what needs none.
    let plain = |text: &str| !text.contains(['\\', '"', '\n', '\r']);
    let inside = |piece: &super::Piece| {
        piece.end.is_none() && piece.range.start <= bytes.start && bytes.end <= piece.range.end
    };
    shader.region.pieces.iter().any(inside)
        && plain(new)
        && file.document.text.get(bytes.clone()).is_some_and(plain)
}

/// The address of a file and its version, for that of a shader.
type ToFile<'a> = &'a dyn Fn(&str) -> Option<(&'a str, i32)>;

/// Puts the addresses of files in the place of those of shaders: but for what comes back to the server as it is.
pub fn readdress(value: &mut Value, file: ToFile<'_>) {
    match value {
        Value::String(text) => {
            if let Some((uri, _)) = file(text) {
                *text = uri.to_owned();
            } else if let Some(linked) = linked(text, file) {
                *text = linked;
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| readdress(value, file)),
        Value::Object(map) => {
            let version = map.get("uri").and_then(Value::as_str).and_then(file).map(|(_, version)| version);
            if let (Some(version), Some(place)) = (version, map.get_mut("version")) {
                *place = Value::from(version);
            }
            let renamed: Vec<String> = map.keys().filter(|key| file(key).is_some()).cloned().collect();
            for key in renamed {
                let Some(moved) = map.remove(&key) else { continue };
                let Some((uri, _)) = file(&key) else { continue };
                match (map.get_mut(uri), moved) {
                    (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
                    (_, moved) => drop(map.insert(uri.to_owned(), moved)),
                }
            }
            let others = map.iter_mut().filter(|(key, _)| !matches!(key.as_str(), "data" | "arguments"));
            others.for_each(|(_, value)| readdress(value, file));
        }
        _ => {}
    }
}

/// A text with links into a shader.
fn linked(text: &str, file: ToFile<'_>) -> Option<String> {
    let mut changed = None;
    let mut rest = text;
    while let Some(at) = rest.find("](file:") {
        let from = at + 2;
        let end = rest.get(from..)?.find(')').map(|end| from + end)?;
        let link = rest.get(from..end)?;
        let uri = link.split('#').next().unwrap_or(link);
        if let Some((to, _)) = file(uri) {
            changed = Some(changed.unwrap_or_else(|| text.to_owned()).replace(uri, to));
        }
        rest = rest.get(end..)?;
    }
    changed
}
