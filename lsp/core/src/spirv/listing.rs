//! A module as a document: its text, and what stands where in it.

use std::ops::Range as Indices;
use std::sync::Arc;

use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};
use coopmat_spirv::dr;
use coopmat_spirv::text::{self, Span, Text};
use tower_lsp::ls_types::{Position, Range};

use super::document::Shown;
use super::module::Module;
use super::shown::{Found, Stale};
use super::source::{Origin, Origins};
use super::view::{Scope, View};
use crate::documents::Documents;
use crate::positions::{Encoding, LineTable};
use crate::snapshot::OfDocument;

pub struct Listing {
    /// The path of the shader.
    pub path: Arc<str>,
    pub view: View,
    pub module: Option<Arc<Module>>,
    pub stale: Option<Stale>,
    pub documents: Documents,
    pub encoding: Encoding,
    pub text: String,
    lines: LineTable,
    printed: Text,
    /// The bytes before what was printed.
    shift: u32,
}

impl Listing {
    /// `Err`: what was asked for is not in the module.
    pub fn new(
        path: Arc<str>,
        view: View,
        found: Found,
        documents: Documents,
        encoding: Encoding,
    ) -> Result<Listing, String> {
        let mut text = String::new();
        let Found { module, stale } = found;
        if let Some(stale) = &stale {
            text.push_str(match module {
                Some(_) => "; Stale: compiled before this error: ",
                None => "; No module yet: ",
            });
            text.push_str(&one_line(&stale.reason()));
            text.push('\n');
        }
        let shift = text.len() as u32;
        let mut printed = Text::default();
        if let Some(module) = &module {
            let origins = Origins::new(module, &documents, encoding);
            let only = only(module, &view.scope, &path, &origins)?;
            let lines: Vec<Option<(FileId, u32)>> = if view.source_comments {
                let all = 0..module.compiled.map.len();
                all.map(|at| origins.of(at).map(|origin| (origin.file, origin.range.start.line))).collect()
            } else {
                Vec::new()
            };
            let comment = |at: usize| {
                let Some(Some(here)) = lines.get(at) else { return Vec::new() };
                if lines[..at].iter().rev().flatten().next() == Some(here) {
                    return Vec::new();
                }
                let (file, line) = *here;
                let name = origins.path(file).rsplit('/').next().unwrap_or_default();
                vec![format!("{name}:{}: {}", line + 1, origins.line(file, line).unwrap_or_default())]
            };
            printed = text::disassemble(
                &module.compiled.module,
                &text::Options {
                    friendly_names: !view.raw_ids,
                    header: only.is_none(),
                    only: only.as_deref(),
                    comments: view.source_comments.then_some(&comment),
                    // The source itself, of debug information, hides the rest.
                    cut_strings: Some(160),
                    ..text::Options::default()
                },
            );
            text.push_str(&printed.text);
        }
        let lines = LineTable::new(&text);
        Ok(Listing { path, view, module, stale, documents, encoding, text, lines, printed, shift })
    }

    fn range(&self, bytes: &Indices<u32>) -> Range {
        let range =
            TextRange::new(TextSize::new(bytes.start + self.shift), TextSize::new(bytes.end + self.shift));
        self.lines.range(&self.text, range, self.encoding)
    }

    /// The lines of an instruction, from its first word on; nothing where it is not shown.
    pub fn instruction_range(&self, instruction: usize) -> Option<Range> {
        let lines = self.printed.lines.get(self.printed.lines_of(instruction as u32))?;
        let (first, last) = (lines.first()?, lines.last()?);
        let text = self.printed.text.get(first.range.start as usize..first.range.end as usize)?;
        let indent = (text.len() - text.trim_start().len()) as u32;
        Some(self.range(&(first.range.start + indent..last.range.end)))
    }

    /// The instructions that are shown, in their order.
    pub fn shown(&self) -> impl Iterator<Item = usize> {
        let mut last = None;
        self.printed.lines.iter().filter_map(move |line| {
            let new = line.instruction.filter(|_| line.instruction != last);
            last = line.instruction.or(last);
            new.map(|at| at as usize)
        })
    }

    /// The instruction and the word at a position.
    pub fn at(&self, position: Position) -> (Option<usize>, Option<&Span>) {
        let offset = self.lines.offset(&self.text, position, self.encoding) as u32;
        let Some(offset) = offset.checked_sub(self.shift) else { return (None, None) };
        let line = self.printed.lines.partition_point(|line| line.range.end < offset);
        let instruction = self.printed.instruction_at(line).map(|at| at as usize);
        let spans = &self.printed.spans;
        let at = spans.partition_point(|span| span.range.end <= offset);
        // The end of a word belongs to it where nothing follows at once.
        let touches = |span: &&Span| span.range.start <= offset && offset <= span.range.end;
        let before = at.checked_sub(1).and_then(|at| spans.get(at));
        (instruction, spans.get(at).filter(touches).or(before.filter(touches)))
    }

    pub fn origins(&self) -> Option<Origins<'_>> {
        self.module.as_ref().map(|module| Origins::new(module, &self.documents, self.encoding))
    }
}

impl Shown for Listing {
    fn module(&self) -> Option<&dr::Module> {
        self.module.as_ref().map(|module| &module.compiled.module)
    }

    fn is_stale(&self) -> bool {
        self.stale.is_some()
    }

    fn has_blocks(&self) -> bool {
        false
    }

    fn at(&self, position: Position) -> (Option<usize>, Option<&Span>) {
        Listing::at(self, position)
    }

    fn spans(&self) -> &[Span] {
        &self.printed.spans
    }

    fn spans_of(&self, instruction: usize) -> &[Span] {
        let Some(lines) = self.printed.lines.get(self.printed.lines_of(instruction as u32)) else {
            return &[];
        };
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return &[] };
        let spans = &self.printed.spans;
        let start = spans.partition_point(|span| span.range.start < first.range.start);
        let end = spans.partition_point(|span| span.range.start < last.range.end);
        spans.get(start..end).unwrap_or_default()
    }

    fn span_text(&self, span: &Span) -> &str {
        self.printed.text.get(span.range.start as usize..span.range.end as usize).unwrap_or_default()
    }

    fn span_range(&self, span: &Span) -> Range {
        self.range(&span.range)
    }

    fn instruction_range(&self, instruction: usize) -> Option<Range> {
        Listing::instruction_range(self, instruction)
    }

    /// Without indentation.
    fn instruction_text(&self, instruction: usize) -> Option<&str> {
        let lines = self.printed.lines.get(self.printed.lines_of(instruction as u32))?;
        let (first, last) = (lines.first()?, lines.last()?);
        Some(self.printed.text.get(first.range.start as usize..last.range.end as usize)?.trim())
    }

    fn functions(&self) -> Vec<(String, Indices<usize>)> {
        let Some(module) = self.module() else { return Vec::new() };
        let names = text::Names::friendly(module);
        let functions = module.functions.iter().filter(|function| function.def.is_some());
        functions
            .zip(text::function_ranges(module))
            .filter(|(_, range)| self.instruction_range(range.start).is_some())
            .filter_map(|(function, range)| Some((names.of(function.def_id()?), range)))
            .collect()
    }

    fn line_ranges(&self) -> Vec<Range> {
        self.printed.lines.iter().map(|line| self.range(&line.range)).collect()
    }

    fn origins(&self) -> Option<Origins<'_>> {
        Listing::origins(self)
    }
}

impl OfDocument for Arc<Listing> {
    fn path(&self) -> &str {
        &self.path
    }

    fn text(&self) -> &str {
        &self.text
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The instructions to show; `None` for all.
fn only(
    module: &Module,
    scope: &Scope,
    path: &str,
    origins: &Origins<'_>,
) -> Result<Option<Vec<Indices<usize>>>, String> {
    let file = || module.file(path).ok_or_else(|| "the file is not part of the shader".to_owned());
    match scope {
        Scope::Module => Ok(None),
        Scope::Function(name) => match text::function_named(&module.compiled.module, name) {
            Some(range) => Ok(Some(vec![range])),
            None => Err(format!(
                "the module has no function `{name}`; functions that `main` does not call are left out"
            )),
        },
        Scope::Position(position) => {
            let file = file()?;
            let text = &module.analysis.files()[file].text;
            let offset = LineTable::new(text).text_size(text, *position, origins.encoding());
            let place = FileRange { file, range: TextRange::empty(offset) };
            let range = module.function_at(place).ok_or(
                "there is no function here, or the module leaves it out because `main` does not call it",
            )?;
            Ok(Some(vec![range]))
        }
        Scope::Selection(range) => {
            let touches = |origin: &Origin| {
                let (start, end) = (origin.range.start, origin.range.end);
                // What stands for more than the selection, such as the merge of a loop around it, is not of it.
                start >= range.start && (end <= range.end || start < range.end)
            };
            let found = origins.in_file(file()?).into_iter().filter(|(_, origin)| touches(origin));
            let mut ranges: Vec<Indices<usize>> = Vec::new();
            for (at, _) in found {
                match ranges.last_mut() {
                    Some(last) if last.end == at => last.end += 1,
                    _ => ranges.push(at..at + 1),
                }
            }
            Ok(Some(ranges))
        }
    }
}
