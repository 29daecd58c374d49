//! `coopmat-analyzer/spirv` and `coopmat-analyzer/spirvLines`: a module's text with the way to the source and back, and the
//! instructions of each line of the source. docs/lsp.md describes both.

use std::collections::BTreeMap;

use coopmat_analysis::text::{FileId, FileRange};
use coopmat_codegen::statistics::{Assumptions, Statistics, statistics, words_of};
use coopmat_spirv::assemble;
use coopmat_spirv::spirv::Op;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::ls_types::{Position, Range, TextDocumentIdentifier, Uri};

use super::document::{self, Shown as _};
use super::listing::Listing;
use super::module::{Module, Refusal};
use super::shown::Stale;
use super::source::{Origin, Origins};
use super::view::{OptionsInput, Scope, View};
use crate::snapshot::Snapshot;

/// Lines of one answer to `spirvLines`.
const MOST_LINES: usize = 10_000;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    pub text_document: TextDocumentIdentifier,
    /// One of these at most; the whole module without any.
    pub function: Option<String>,
    pub position: Option<Position>,
    pub range: Option<Range>,
    #[serde(default)]
    pub options: OptionsInput,
    /// Count what the module does, too.
    #[serde(default)]
    pub statistics: bool,
    /// The module itself, too: its words.
    #[serde(default)]
    pub words: bool,
    /// Tell when the text has become another one.
    #[serde(default)]
    pub follow: bool,
}

impl Params {
    pub fn view(&self) -> Result<View, String> {
        let scope = match (&self.function, self.position, self.range) {
            (None, None, None) => Scope::Module,
            (Some(name), None, None) => Scope::Function(name.clone()),
            (None, Some(position), None) => Scope::Position(position),
            (None, None, Some(range)) => Scope::Selection(range),
            _ => return Err("expected at most one of `function`, `position` and `range`".to_owned()),
        };
        View::new(&self.options, scope)
    }
}

impl Snapshot {
    pub fn listing(&self, view: &View) -> Result<Listing, String> {
        let found = self.spirv(&view.module);
        let path = self.document.path.clone();
        Listing::new(path, view.clone(), found, self.documents.clone(), self.encoding)
    }

    /// The statistics of a module, its loops with their places in the source.
    pub fn statistics(&self, module: &Module) -> Statistics {
        let subgroup_size = module.analysis.config.subgroup_size.unwrap_or_default();
        let assumptions = match subgroup_size {
            0 => Assumptions::default(),
            subgroup_size => Assumptions { subgroup_size },
        };
        let mut found = statistics(&module.compiled.module, &assumptions);
        let origins = Origins::new(module, &self.documents, self.encoding);
        for one in found.entry_points.iter_mut().flat_map(|entry| &mut entry.loops) {
            one.place = origins.of(one.instruction).map(|origin| {
                let name = origins.path(origin.file).rsplit('/').next().unwrap_or_default().to_owned();
                format!("{name}:{}", origin.range.start.line + 1)
            });
        }
        found
    }

    fn errors(&self, stale: &Stale) -> Vec<Value> {
        let error = |one: &Refusal| {
            let FileRange { file, range } = one.location;
            let source = &stale.analysis.files()[file];
            let lines = crate::positions::LineTable::new(&source.text);
            json!({
                "message": one.message,
                "uri": self.documents.uri(&source.path),
                "range": lines.range(&source.text, range, self.encoding),
            })
        };
        stale.errors.iter().map(error).collect()
    }
}

/// The answer to `coopmat-analyzer/spirv`, and the text for those who follow it.
pub fn listing(snapshot: &Snapshot, params: &Params) -> Result<(Value, Listing), String> {
    let listing = snapshot.listing(&params.view()?)?;
    let mut followed = listing.view.clone();
    followed.scope = match &listing.view.scope {
        Scope::Position(_) => match listing.functions().first() {
            Some((name, _)) => Scope::Function(name.clone()),
            None => Scope::Module,
        },
        Scope::Selection(_) => Scope::Module,
        scope => scope.clone(),
    };
    let mut files: Vec<FileId> = Vec::new();
    let mut map: Vec<Value> = Vec::new();
    if let Some(origins) = listing.origins() {
        for at in listing.shown() {
            let (Some(range), Some(origin)) = (listing.instruction_range(at), origins.of(at)) else {
                continue;
            };
            let mut entry = numbers(range);
            entry.extend(place(&mut files, origin.file, origin.range));
            if let Some((file, range)) = origin.spelling {
                entry.extend(place(&mut files, file, range));
            }
            map.push(json!(entry));
        }
        let uris: Vec<Option<Uri>> = files.iter().map(|file| origins.uri(*file)).collect();
        let answer = answer(snapshot, params, &listing, &followed, map, &uris);
        drop(origins);
        return Ok((answer, listing));
    }
    let answer = answer(snapshot, params, &listing, &followed, map, &[]);
    Ok((answer, listing))
}

fn numbers(range: Range) -> Vec<u32> {
    vec![range.start.line, range.start.character, range.end.line, range.end.character]
}

fn place(files: &mut Vec<FileId>, file: FileId, range: Range) -> Vec<u32> {
    let number = match files.iter().position(|known| *known == file) {
        Some(number) => number,
        None => {
            files.push(file);
            files.len() - 1
        }
    };
    let mut entry = vec![number as u32];
    entry.extend(numbers(range));
    entry
}

fn answer(
    snapshot: &Snapshot,
    params: &Params,
    listing: &Listing,
    followed: &View,
    map: Vec<Value>,
    files: &[Option<Uri>],
) -> Value {
    let functions = document::functions(listing);
    let stale = listing
        .stale
        .as_ref()
        .map(|stale| json!({ "reason": stale.reason(), "errors": snapshot.errors(stale) }));
    let counted = listing.module.as_ref().filter(|_| params.statistics);
    let mut answer = json!({
        "uri": followed.uri(&listing.path),
        "version": snapshot.document.version,
        "text": listing.module.as_ref().map(|_| &listing.text),
        "stale": stale,
        "functions": functions,
        "files": files,
        "map": map,
        "statistics": counted.map(|module| snapshot.statistics(module)),
    });
    if params.words {
        let words = listing.module.as_ref().map(|module| assemble(&module.compiled.module));
        // What cannot be written is told where the module is compiled; there are no words then.
        answer["words"] = json!(words.and_then(Result::ok));
    }
    answer
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinesParams {
    pub text_document: TextDocumentIdentifier,
    /// Lines of the source; all without it.
    pub range: Option<Range>,
    #[serde(default)]
    pub options: OptionsInput,
}

/// What stands in a function and begins in a line, by line.
fn by_line(module: &Module, origins: &Origins<'_>, file: FileId) -> BTreeMap<u32, Vec<(usize, Origin)>> {
    let globals = module.compiled.module.global_inst_iter().count();
    let mut lines: BTreeMap<u32, Vec<(usize, Origin)>> = BTreeMap::new();
    for (at, origin) in origins.in_file(file) {
        if at >= globals {
            lines.entry(origin.range.start.line).or_default().push((at, origin));
        }
    }
    lines
}

/// The answer to `coopmat-analyzer/spirvLines`.
pub fn lines(snapshot: &Snapshot, params: &LinesParams) -> Result<Value, String> {
    let view = View::new(&params.options, Scope::Module)?;
    let listing = snapshot.listing(&view)?;
    let stale = listing
        .stale
        .as_ref()
        .map(|stale| json!({ "reason": stale.reason(), "errors": snapshot.errors(stale) }));
    let mut lines = Vec::new();
    if let (Some(module), Some(origins)) = (&listing.module, listing.origins())
        && let Some(file) = module.file(&listing.path)
    {
        for (line, found) in by_line(module, &origins, file) {
            let wanted = params.range.is_none_or(|range| {
                // A range that ends at the start of a line does not mean that line.
                let last =
                    range.end.line - u32::from(range.end.character == 0 && range.end.line > range.start.line);
                (range.start.line..=last).contains(&line)
            });
            if !wanted || lines.len() >= MOST_LINES {
                continue;
            }
            let instructions: Vec<Value> = found
                .iter()
                .filter_map(|(at, origin)| {
                    let opcode = listing.instruction(*at)?.class.opname;
                    Some(json!({
                        "text": listing.instruction_text(*at)?,
                        "opcode": format!("Op{opcode}"),
                        "range": origin.range,
                        "virtualRange": listing.instruction_range(*at)?,
                    }))
                })
                .collect();
            lines.push(json!({ "line": line, "instructions": instructions }));
        }
    }
    Ok(json!({
        "uri": view.uri(&listing.path),
        "version": snapshot.document.version,
        "stale": stale,
        "lines": lines,
    }))
}

/// What the lines of a range have become, at their ends: `2 loads, 1 OpCooperativeMatrixMulAddKHR`. Lines without such instructions are
/// left out.
pub fn line_summaries(snapshot: &Snapshot, range: Range) -> Vec<(Position, String)> {
    let Some(module) = snapshot.spirv(&View::default().module).module else { return Vec::new() };
    let Some(file) = module.file(&snapshot.document.path) else { return Vec::new() };
    let origins = Origins::new(&module, &snapshot.documents, snapshot.encoding);
    let mut lines = by_line(&module, &origins, file);
    lines.retain(|line, _| (range.start.line..=range.end.line).contains(line));
    let groups: Vec<Vec<usize>> =
        lines.values().map(|found| found.iter().map(|(at, _)| *at).collect()).collect();
    let words = words_of(&module.compiled.module, &groups);
    let end = |line: u32| {
        let text = &snapshot.document.text;
        let after = snapshot.document.lines.offset(text, Position::new(line, u32::MAX), snapshot.encoding);
        snapshot.document.lines.position(text, after, snapshot.encoding)
    };
    lines
        .keys()
        .zip(words)
        .filter(|(_, words)| !words.is_empty())
        .map(|(line, words)| (end(*line), words))
        .collect()
}

fn is_frame(op: Op) -> bool {
    matches!(
        op,
        Op::Function
            | Op::FunctionParameter
            | Op::FunctionEnd
            | Op::Label
            | Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::LoopMerge
            | Op::SelectionMerge
            | Op::Unreachable
    )
}

/// Instructions in a hover over the source.
const MOST_IN_HOVER: usize = 8;

/// What the expression at a position, or its line, has become; nothing where the module is not that of the text. In an argument of a call it is
/// the argument's own, not what the call does with it.
pub fn hover_part(snapshot: &Snapshot, position: Position, whole_line: bool) -> Option<String> {
    let view = View::default();
    let found = snapshot.spirv(&view.module);
    let module = found.module.clone().filter(|_| found.stale.is_none())?;
    let origins = Origins::new(&module, &snapshot.documents, snapshot.encoding);
    let file = module.file(&snapshot.document.path)?;
    let lines = by_line(&module, &origins, file);
    let holds = |range: Range| range.start <= position && position <= range.end;
    // The frame of functions and blocks says nothing about an expression, and comes from whole statements.
    let mut frame: Vec<bool> = Vec::with_capacity(module.compiled.map.len());
    frame.extend(module.compiled.module.all_inst_iter().map(|one| is_frame(one.class.opcode)));
    let is_part = |at: usize| frame.get(at) == Some(&false);
    // The smallest expression around the position that has instructions, with all inside it.
    let smallest = lines
        .range(..=position.line)
        .flat_map(|(_, found)| found)
        .filter(|(at, origin)| is_part(*at) && holds(origin.range))
        .min_by_key(|(_, origin)| origin.bytes.len());
    let argument = coopmat_ide::argument_at(&snapshot.analysis, snapshot.position(position));
    let argument = argument.filter(|argument| argument.file == file).map(|argument| argument.range);
    let of_line = lines.get(&position.line).map_or(&[][..], Vec::as_slice);
    let mut shown: Vec<usize> = match smallest {
        Some((_, around)) if !whole_line => {
            let around =
                argument.filter(|argument| around.bytes.contains_range(*argument)).unwrap_or(around.bytes);
            let inside = lines.values().flatten();
            let inside = inside.filter(|(_, origin)| around.contains_range(origin.bytes));
            inside.map(|(at, _)| *at).collect()
        }
        _ if whole_line => of_line.iter().map(|(at, _)| *at).collect(),
        _ => return None,
    };
    shown.retain(|at| whole_line || is_part(*at));
    if shown.is_empty() {
        return None;
    }
    let listing = snapshot.listing(&view).ok()?;
    let mut text: Vec<&str> =
        shown.iter().take(MOST_IN_HOVER).filter_map(|at| listing.instruction_text(*at)).collect();
    let more = format!("; and {} more", shown.len().saturating_sub(MOST_IN_HOVER));
    if shown.len() > MOST_IN_HOVER {
        text.push(&more);
    }
    Some(format!("SPIR-V\n```spirv\n{}\n```", text.join("\n")))
}
