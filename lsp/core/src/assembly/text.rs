//! One document of assembly text: what it consists of, its mistakes, and its ids under other names.

use std::sync::Arc;
use std::sync::atomic::AtomicI32;

use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::text::{TextRange, TextSize};
use coopmat_codegen::statistics::{Assumptions, Statistics, statistics};
use coopmat_spirv::Opcode;
use coopmat_spirv::assembly::{self, Parsed, Written};
use coopmat_spirv::dr::Module;
use coopmat_spirv::text::{Class, Span};
use serde_json::{Value, json};
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, Position, Range, TextEdit};

use crate::documents::Document;
use crate::host::Validated;
use crate::positions::Encoding;
use crate::spirv::document::{self, Shown};
use crate::spirv::source::Origins;

pub struct Text {
    pub document: Document,
    /// The version that the client has by now, for what looks at this one elsewhere.
    pub latest: Arc<AtomicI32>,
    encoding: Encoding,
    parsed: Parsed,
    /// What `spirv-val` says of it.
    validated: Vec<Diagnostic>,
}

impl Text {
    pub fn new(document: Document, encoding: Encoding) -> Text {
        let parsed = assembly::parse(&document.text);
        let latest = Arc::new(AtomicI32::new(document.version));
        Text { document, latest, encoding, parsed, validated: Vec::new() }
    }

    /// The module, for work elsewhere.
    pub fn shared(&self) -> Option<Arc<Module>> {
        self.parsed.module.clone().map(Arc::new)
    }

    /// Takes what `spirv-val` says, or why it says nothing. Whether that is something new.
    pub fn validated(&mut self, said: Result<Vec<Validated>, String>) -> bool {
        let told = |one: Validated| {
            let range = one.instruction.and_then(|at| self.instruction_range(at)).unwrap_or_default();
            Diagnostic {
                range,
                severity: Some(match one.severity {
                    Severity::Error => DiagnosticSeverity::ERROR,
                    _ => DiagnosticSeverity::WARNING,
                }),
                source: Some("spirv-val".to_owned()),
                message: one.message,
                ..Diagnostic::default()
            }
        };
        let all = said.unwrap_or_else(|message| {
            vec![Validated { severity: Severity::Warning, instruction: None, message }]
        });
        let all: Vec<Diagnostic> = all.into_iter().map(told).collect();
        let is_new = all != self.validated;
        self.validated = all;
        is_new
    }

    fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        let range = TextRange::new(TextSize::new(bytes.start as u32), TextSize::new(bytes.end as u32));
        self.document.lines.range(&self.document.text, range, self.encoding)
    }

    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let told = |error: &assembly::Error| Diagnostic {
            range: self.range(error.range.clone()),
            severity: Some(DiagnosticSeverity::ERROR),
            source: Some("coopmat-analyzer".to_owned()),
            message: error.message.clone(),
            ..Diagnostic::default()
        };
        self.parsed.errors.iter().map(told).chain(self.validated.iter().cloned()).collect()
    }

    /// The edits that give the id at a place another name.
    pub fn renamed(&self, position: Position, name: &str) -> Result<Vec<TextEdit>, String> {
        let (_, span) = self.at(position);
        let id = span.map_or(0, |span| span.id);
        if id == 0 {
            return Err("there is no id here: only ids can be renamed".to_owned());
        }
        let name = name.strip_prefix('%').unwrap_or(name);
        let allowed = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if name.is_empty() || !name.chars().all(allowed) {
            return Err(format!(
                "`{name}` is not a valid name of an id: expected letters, digits and underscores"
            ));
        }
        let other = self
            .spans()
            .iter()
            .find(|one| one.id != 0 && one.id != id && self.span_text(one).strip_prefix('%') == Some(name));
        if let Some(other) = other {
            let line = self.span_range(other).start.line + 1;
            return Err(format!("%{name} is already defined, in line {line}"));
        }
        let new_text = format!("%{name}");
        let edit = |span: &Span| TextEdit { range: self.span_range(span), new_text: new_text.clone() };
        Ok(self.spans().iter().filter(|one| one.id == id).map(edit).collect())
    }

    /// Where the function of the first entry point is defined.
    pub fn entry(&self) -> Option<Range> {
        let entry = self.parsed.module.as_ref()?.entry_points.first()?;
        let function = entry.operands.iter().find_map(|operand| operand.id_ref_any())?;
        Some(self.span_range(self.definition(function)?))
    }

    /// What `coopmat-analyzer/spirv` answers about a shader, without a text: the document is that.
    pub fn counted(&self, counts: bool, words: bool) -> Result<Value, String> {
        let Some(module) = &self.parsed.module else {
            let first = self.parsed.errors.first();
            let Some(error) = first else { return Err("there is no module in this text".to_owned()) };
            let line = self.range(error.range.clone()).start.line + 1;
            return Err(format!("line {line}: {}", error.message));
        };
        let mut answer = json!({
            "uri": self.document.uri,
            "version": self.document.version,
            "text": null,
            "stale": null,
            "functions": document::functions(self),
            "files": [],
            "map": [],
            "statistics": counts.then(|| self.statistics(module)),
        });
        if words {
            answer["words"] = json!(coopmat_spirv::assemble(module).map_err(|error| error.to_string())?);
        }
        Ok(answer)
    }

    /// With the lines of loops in the text.
    fn statistics(&self, module: &Module) -> Statistics {
        let mut found = statistics(module, &Assumptions::default());
        for one in found.entry_points.iter_mut().flat_map(|entry| &mut entry.loops) {
            let range = self.instruction_range(one.instruction);
            one.place = range.map(|range| format!("line {}", range.start.line + 1));
        }
        found
    }

    fn written(&self, instruction: usize) -> Option<&Written> {
        self.parsed.instructions.get(instruction)
    }
}

impl Shown for Text {
    fn module(&self) -> Option<&Module> {
        self.parsed.module.as_ref()
    }

    fn is_stale(&self) -> bool {
        false
    }

    fn has_blocks(&self) -> bool {
        true
    }

    fn at(&self, position: Position) -> (Option<usize>, Option<&Span>) {
        let offset = self.document.lines.offset(&self.document.text, position, self.encoding);
        let written = &self.parsed.instructions;
        let at = written.partition_point(|one| one.range.end < offset);
        let instruction = written.get(at).filter(|one| one.range.start <= offset).map(|_| at);
        let spans = &self.parsed.spans;
        let offset = offset as u32;
        let at = spans.partition_point(|span| span.range.end <= offset);
        // The end of a word belongs to it where nothing follows at once.
        let touches = |span: &&Span| span.range.start <= offset && offset <= span.range.end;
        let before = at.checked_sub(1).and_then(|at| spans.get(at));
        (instruction, spans.get(at).filter(touches).or(before.filter(touches)))
    }

    fn spans(&self) -> &[Span] {
        &self.parsed.spans
    }

    fn spans_of(&self, instruction: usize) -> &[Span] {
        let spans = self.written(instruction).map(|one| one.spans.clone()).unwrap_or_default();
        self.parsed.spans.get(spans).unwrap_or_default()
    }

    fn span_text(&self, span: &Span) -> &str {
        self.document.text.get(span.range.start as usize..span.range.end as usize).unwrap_or_default()
    }

    fn span_range(&self, span: &Span) -> Range {
        self.range(span.range.start as usize..span.range.end as usize)
    }

    fn instruction_range(&self, instruction: usize) -> Option<Range> {
        self.written(instruction).map(|one| self.range(one.range.clone()))
    }

    fn instruction_text(&self, instruction: usize) -> Option<&str> {
        self.document.text.get(self.written(instruction)?.range.clone())
    }

    fn functions(&self) -> Vec<(String, std::ops::Range<usize>)> {
        let all = 0..self.parsed.instructions.len();
        let starts = all.clone().filter(|at| self.opcode(*at) == Some(Opcode::Function));
        let function = |start: usize| {
            let end = (start..all.end).find(|at| self.opcode(*at) == Some(Opcode::FunctionEnd));
            let id = self.spans_of(start).iter().find(|span| span.class == Class::Result)?;
            let name = self.span_text(id).trim_start_matches('%').to_owned();
            Some((name, start..end.map_or(all.end, |end| end + 1)))
        };
        starts.filter_map(function).collect()
    }

    fn line_ranges(&self) -> Vec<Range> {
        Vec::new()
    }

    fn origins(&self) -> Option<Origins<'_>> {
        None
    }

    fn opcode(&self, at: usize) -> Option<Opcode> {
        self.written(at)?.opcode.map(Opcode::from_number)
    }
}
