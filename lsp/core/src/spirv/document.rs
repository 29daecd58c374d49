//! Answers in the text of a module: hovers, definitions and uses of ids, functions, folds, colours.

use coopmat_ide::tokens::TokenKind;
use coopmat_spirv::dr::{Instruction, Module, Operand};
use coopmat_spirv::spirv::Op;
use coopmat_spirv::text::{Class, Span};
use coopmat_spirv::{Opcode, OperandKind, docs, extended};
use serde_json::{Value, json};
use tower_lsp::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentSymbol, DocumentSymbolResponse, FoldingRange,
    GotoDefinitionResponse, Hover, HoverContents, Location, MarkupContent, MarkupKind, Position, Range,
    SemanticToken, SemanticTokens, SymbolKind, Uri,
};

use super::source::Origins;

/// Characters of a line in a hover.
const LONGEST_LINE: usize = 300;

/// A text of a module, and what stands where in it.
pub trait Shown {
    /// Nothing where the text is of none.
    fn module(&self) -> Option<&Module>;
    /// Whether it is that of an earlier source.
    fn is_stale(&self) -> bool;
    /// Whether an outline lists the blocks of functions.
    fn has_blocks(&self) -> bool;
    /// The instruction and the word at a position.
    fn at(&self, position: Position) -> (Option<usize>, Option<&Span>);
    fn spans(&self) -> &[Span];
    /// Of an instruction's lines.
    fn spans_of(&self, instruction: usize) -> &[Span];
    fn span_text(&self, span: &Span) -> &str;
    fn span_range(&self, span: &Span) -> Range;
    /// Where an instruction stands; nothing where it is not shown.
    fn instruction_range(&self, instruction: usize) -> Option<Range>;
    fn instruction_text(&self, instruction: usize) -> Option<&str>;
    /// Names and instructions of functions.
    fn functions(&self) -> Vec<(String, std::ops::Range<usize>)>;
    /// All lines.
    fn line_ranges(&self) -> Vec<Range>;
    /// Where a compiler of ours has it from.
    fn origins(&self) -> Option<Origins<'_>>;

    fn instruction(&self, at: usize) -> Option<&Instruction> {
        self.module()?.all_inst_iter().nth(at)
    }

    fn opcode(&self, at: usize) -> Option<Opcode> {
        self.instruction(at).map(coopmat_spirv::opcode)
    }

    /// Where an id is defined in what is shown.
    fn definition(&self, id: u32) -> Option<&Span> {
        self.spans().iter().find(|span| span.class == Class::Result && span.id == id)
    }
}

pub fn hover(listing: &dyn Shown, position: Position) -> Option<Hover> {
    let (instruction, span) = listing.at(position);
    let (at, span) = (instruction?, span?);
    let Some(instruction) = listing.instruction(at) else { return hover_by_text(listing, at, span) };
    let mut parts: Vec<String> = Vec::new();
    match span.class {
        Class::Opcode => parts.extend(opcode_doc(listing, at, instruction, span)),
        Class::Result => {
            parts.push(about_id(listing, span));
            parts.extend(docs::of(coopmat_spirv::opcode(instruction)).map(|doc| doc.markdown()));
        }
        Class::Type | Class::Id => {
            parts.extend(operand_doc(listing, at, instruction, span));
            parts.push(about_id(listing, span));
        }
        Class::Enumerant => {
            parts.extend(operand_doc(listing, at, instruction, span));
            parts.extend(enumerant_doc(instruction, listing.span_text(span)));
        }
        Class::Number | Class::String => parts.extend(operand_doc(listing, at, instruction, span)),
        Class::Comment => return None,
    }
    parts.extend(origin_words(listing, at));
    if parts.is_empty() {
        return None;
    }
    Some(hover_of(listing, span, parts.join("\n\n---\n\n")))
}

fn hover_of(listing: &dyn Shown, span: &Span, value: String) -> Hover {
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Hover { contents, range: Some(listing.span_range(span)) }
}

/// What is known without a module, as a text with mistakes is none: instructions by their names, and lines of ids.
fn hover_by_text(listing: &dyn Shown, at: usize, span: &Span) -> Option<Hover> {
    let value = match span.class {
        Class::Opcode => {
            let own = listing.spans_of(at).iter().find(|one| one.class == Class::Opcode)?;
            docs::of(listing.opcode(at).filter(|_| own.range == span.range)?)?.markdown()
        }
        Class::Result | Class::Type | Class::Id => {
            let start = listing.span_range(listing.definition(span.id)?).start;
            format!("```spirv\n{}\n```", listing.instruction_text(listing.at(start).0?)?)
        }
        Class::Enumerant | Class::Number | Class::String | Class::Comment => return None,
    };
    Some(hover_of(listing, span, value))
}

/// The instruction's page: of the extended set where its number is named.
fn opcode_doc(listing: &dyn Shown, at: usize, instruction: &Instruction, span: &Span) -> Option<String> {
    let own = listing.spans_of(at).iter().find(|one| one.class == Class::Opcode);
    let first = own.is_none_or(|own| own.range == span.range);
    match instruction.operands.as_slice() {
        [Operand::IdRef(set), Operand::LiteralExtInstInteger(number), ..] if !first => {
            let import =
                listing.module()?.ext_inst_imports.iter().find(|import| import.result_id == Some(*set))?;
            let Some(Operand::LiteralString(set)) = import.operands.first() else { return None };
            match docs::of_extended(set, *number) {
                Some(doc) => Some(doc.markdown()),
                None => Some(format!("**{}** of `{set}`", extended::name(set, *number)?)),
            }
        }
        [Operand::LiteralSpecConstantOpInteger(op), ..] if !first => {
            docs::of((*op).into()).map(|doc| doc.markdown())
        }
        _ => match docs::of(coopmat_spirv::opcode(instruction)) {
            Some(doc) => Some(doc.markdown()),
            None => Some(format!("**Op{}**", instruction.class.opname)),
        },
    }
}

/// What the operand at a place is for.
fn operand_doc(listing: &dyn Shown, at: usize, instruction: &Instruction, span: &Span) -> Option<String> {
    let spans = listing.spans_of(at);
    let operands =
        spans.iter().filter(|one| !matches!(one.class, Class::Result | Class::Type | Class::Comment));
    // The opcode is the first of these.
    let place = operands.clone().position(|one| one.range == span.range)?.checked_sub(1)?;
    if instruction.class.opcode == Op::ExtInst {
        return None;
    }
    let doc = docs::of(coopmat_spirv::opcode(instruction))?;
    let operand = doc.operands.get(place)?;
    Some(format!("*{}* of {}: {}", operand.name, doc.name, operand.text))
}

fn enumerant_doc(instruction: &Instruction, text: &str) -> Option<String> {
    let kinds = instruction.class.operands.iter().map(|logical| logical.kind);
    let extra = [OperandKind::BuiltIn, OperandKind::Decoration];
    let kinds: Vec<_> = kinds.chain(extra).collect();
    let parts: Vec<String> = text
        .split('|')
        .filter_map(|name| {
            let doc = kinds.iter().find_map(|kind| docs::of_enumerant(*kind, name))?;
            Some(format!("**{name}**: {doc}"))
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Where an id comes from, and how often it is used.
fn about_id(listing: &dyn Shown, span: &Span) -> String {
    let id = span.id;
    let module = listing.module();
    let mut code: Vec<String> = Vec::new();
    if let Some(module) = module {
        let about = |one: &Instruction| one.operands.first() == Some(&Operand::IdRef(id));
        let definition = module.all_inst_iter().enumerate().find(|(_, one)| one.result_id == Some(id));
        let before = module.global_inst_iter().count() - module.types_global_values.len();
        let first = before - module.annotations.len();
        let notes = (first..).zip(&module.annotations).filter(|(_, one)| about(one));
        let written =
            |(at, one)| listing.instruction_text(at).map_or_else(|| line(module, one), str::to_owned);
        code.extend(definition.into_iter().chain(notes).map(written));
    }
    let uses = listing.spans().iter().filter(|one| one.id == id && one.class != Class::Result).count();
    let uses = match uses {
        0 => "not used".to_owned(),
        1 => "used once".to_owned(),
        count => format!("used {count} times"),
    };
    let cut = |line: &String| -> String {
        match line.char_indices().nth(LONGEST_LINE) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line.clone(),
        }
    };
    let code: Vec<String> = code.iter().map(cut).collect();
    format!("```spirv\n{}\n```\n{uses}", code.join("\n"))
}

/// An instruction that is not shown, as it would be.
fn line(module: &Module, instruction: &Instruction) -> String {
    let at = module.all_inst_iter().position(|one| std::ptr::eq(one, instruction));
    let Some(at) = at else { return String::new() };
    let only = at..at + 1;
    let options = coopmat_spirv::text::Options {
        header: false,
        indent: false,
        only: Some(std::slice::from_ref(&only)),
        ..coopmat_spirv::text::Options::default()
    };
    coopmat_spirv::text::disassemble(module, &options).text.trim_end().to_owned()
}

/// `From gemm.comp:42:5`, with the text.
fn origin_words(listing: &dyn Shown, at: usize) -> Option<String> {
    let origins = listing.origins()?;
    let origin = origins.of(at)?;
    let name = origins.path(origin.file).rsplit('/').next().unwrap_or_default();
    let start = origin.range.start;
    let text = origins.line(origin.file, start.line).unwrap_or_default();
    let mut words = format!("From {name}:{}:{}\n```glsl\n{text}\n```", start.line + 1, start.character + 1);
    if let Some((file, range)) = origin.spelling {
        let name = origins.path(file).rsplit('/').next().unwrap_or_default();
        words.push_str(&format!("\nwritten in a macro at {name}:{}", range.start.line + 1));
    }
    Some(words)
}

/// The line that defines the id; from an opcode the way leads to the source.
pub fn definition(listing: &dyn Shown, uri: &Uri, position: Position) -> Option<GotoDefinitionResponse> {
    let (instruction, span) = listing.at(position);
    let span = span?;
    if span.id != 0 && span.class != Class::Result {
        let range = listing.span_range(listing.definition(span.id)?);
        return Some(GotoDefinitionResponse::Scalar(Location { uri: uri.clone(), range }));
    }
    let origins = listing.origins()?;
    let origin = origins.of(instruction?)?;
    let location = Location { uri: origins.uri(origin.file)?, range: origin.range };
    Some(GotoDefinitionResponse::Scalar(location))
}

fn occurrences(listing: &dyn Shown, position: Position) -> Vec<&Span> {
    let (_, Some(span)) = listing.at(position) else { return Vec::new() };
    let id = span.id;
    listing.spans().iter().filter(|one| id != 0 && one.id == id).collect()
}

pub fn references(listing: &dyn Shown, uri: &Uri, position: Position, declarations: bool) -> Vec<Location> {
    let found = occurrences(listing, position);
    let wanted = found.into_iter().filter(|one| declarations || one.class != Class::Result);
    wanted.map(|one| Location { uri: uri.clone(), range: listing.span_range(one) }).collect()
}

pub fn highlights(listing: &dyn Shown, position: Position) -> Vec<DocumentHighlight> {
    let kind = |span: &Span| match span.class {
        Class::Result => DocumentHighlightKind::WRITE,
        _ => DocumentHighlightKind::READ,
    };
    let found = occurrences(listing, position).into_iter();
    found.map(|one| DocumentHighlight { range: listing.span_range(one), kind: Some(kind(one)) }).collect()
}

pub fn symbols(listing: &dyn Shown) -> DocumentSymbolResponse {
    let summaries = listing.module().map(coopmat_codegen::statistics::summaries).unwrap_or_default();
    let functions = listing.functions();
    let function = |(name, instructions): (String, std::ops::Range<usize>)| {
        let first = listing.instruction_range(instructions.start)?;
        let last = listing.instruction_range(instructions.end.checked_sub(1)?)?;
        let id = listing.instruction(instructions.start).and_then(|one| one.result_id);
        let words = summaries.iter().find(|one| id == Some(one.function)).map(|one| one.words.clone());
        let detail = words.filter(|words| !words.is_empty());
        let function = symbol(name, SymbolKind::FUNCTION, Range::new(first.start, last.end), first);
        let blocks = blocks(listing, &instructions);
        Some(DocumentSymbol { detail, children: (!blocks.is_empty()).then_some(blocks), ..function })
    };
    DocumentSymbolResponse::Nested(functions.into_iter().filter_map(function).collect())
}

fn symbol(name: String, kind: SymbolKind, range: Range, selection_range: Range) -> DocumentSymbol {
    #[expect(deprecated, reason = "the structure has no default")]
    DocumentSymbol {
        name,
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: None,
    }
}

/// The blocks of a function, where the outline has them.
fn blocks(listing: &dyn Shown, instructions: &std::ops::Range<usize>) -> Vec<DocumentSymbol> {
    if !listing.has_blocks() {
        return Vec::new();
    }
    let labels: Vec<usize> =
        instructions.clone().filter(|at| listing.opcode(*at) == Some(Opcode::Label)).collect();
    let ends = labels.iter().skip(1).copied().chain([instructions.end.saturating_sub(1)]);
    let block = |(start, end): (usize, usize)| {
        let first = listing.instruction_range(start)?;
        let last = listing.instruction_range(end.checked_sub(1)?)?;
        let label = listing.spans_of(start).iter().find(|span| span.class == Class::Result)?;
        let range = Range::new(first.start, last.end.max(first.end));
        Some(symbol(listing.span_text(label).to_owned(), SymbolKind::KEY, range, first))
    };
    labels.iter().copied().zip(ends).filter_map(block).collect()
}

/// The functions of a module, where they are and what they do, as `coopmat-analyzer/spirv` tells them.
pub fn functions(listing: &dyn Shown) -> Vec<Value> {
    let summaries = listing.module().map(coopmat_codegen::statistics::summaries).unwrap_or_default();
    let function = |(name, instructions): (String, std::ops::Range<usize>)| {
        let first = listing.instruction_range(instructions.start);
        let last = instructions.end.checked_sub(1).and_then(|at| listing.instruction_range(at));
        let id = listing.instruction(instructions.start).and_then(|one| one.result_id);
        let summary = summaries.iter().find(|one| Some(one.function) == id);
        json!({
            "name": name,
            "range": first.zip(last).map(|(first, last)| Range::new(first.start, last.end)),
            "instructions": summary.map(|one| one.instructions),
            "summary": summary.map(|one| one.words.clone()),
        })
    };
    listing.functions().into_iter().map(function).collect()
}

/// Functions, and what stands before the first of them.
pub fn folds(listing: &dyn Shown) -> Vec<FoldingRange> {
    let fold =
        |start_line: u32, end_line: u32| FoldingRange { start_line, end_line, ..FoldingRange::default() };
    let functions = listing.functions();
    let mut folds = Vec::new();
    if let Some((_, first)) = functions.first()
        && let Some(range) = listing.instruction_range(first.start)
        && range.start.line > 1
    {
        folds.push(fold(0, range.start.line - 1));
    }
    for (_, instructions) in functions {
        let first = listing.instruction_range(instructions.start);
        let last = instructions.end.checked_sub(1).and_then(|at| listing.instruction_range(at));
        if let (Some(first), Some(last)) = (first, last) {
            folds.push(fold(first.start.line, last.end.line));
        }
    }
    folds
}

/// Colours, of the lines of a range if one is asked for. A stale text has one, that of comments, which editors grey.
pub fn tokens(listing: &dyn Shown, within: Option<Range>) -> SemanticTokens {
    let kind = |class: Class| match class {
        Class::Comment => TokenKind::Comment,
        Class::Opcode => TokenKind::Keyword,
        Class::Result | Class::Id => TokenKind::Variable,
        Class::Type => TokenKind::Type,
        Class::Enumerant => TokenKind::EnumMember,
        Class::Number => TokenKind::Number,
        Class::String => TokenKind::String,
    };
    let words: Vec<(Range, TokenKind)> = match listing.is_stale() {
        true => listing.line_ranges().into_iter().map(|range| (range, TokenKind::Comment)).collect(),
        false => listing.spans().iter().map(|span| (listing.span_range(span), kind(span.class))).collect(),
    };
    let mut data = Vec::with_capacity(words.len());
    let mut last = Position::new(0, 0);
    for (range, kind) in words {
        let start = range.start;
        let outside = |within: Range| start.line < within.start.line || start.line > within.end.line;
        if range.end.line != start.line
            || range.end.character == start.character
            || within.is_some_and(outside)
        {
            continue;
        }
        data.push(SemanticToken {
            delta_line: start.line - last.line,
            delta_start: if start.line == last.line {
                start.character - last.character
            } else {
                start.character
            },
            length: range.end.character - start.character,
            token_type: TokenKind::ALL.iter().position(|one| *one == kind).unwrap_or_default() as u32,
            token_modifiers_bitset: 0,
        });
        last = start;
    }
    SemanticTokens { result_id: None, data }
}
