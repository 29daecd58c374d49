//! A module as text, in the standard assembly syntax that `spirv-as` accepts.
//!
//! The layout and the friendly names are those of `spirv-dis`, so that a listing of one tool is found again in the other. What
//! has no name in the syntax is written as `!number`, which `spirv-as` copies as it is. Every line says which instruction it
//! belongs to, and spans say what each word is, so that a terminal, an editor or a web page can colour and link them.

mod generators;
mod names;
mod number;
mod printer;

use std::ops::Range;

use rspirv::dr::Module;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

pub(crate) use generators::generator_number;
pub use names::Names;
use printer::Printer;

/// How a module is written.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// `%main` and `%v4float` rather than `%4` and `%7`.
    pub friendly_names: bool,
    /// The comments that tell version, generator and bound.
    pub header: bool,
    /// Align results, so that the opcodes form a column.
    pub indent: bool,
    /// Only the instructions with these indices, in the module's order; names are those of the whole module.
    pub only: Option<&'a [Range<usize>]>,
    /// Comment lines before an instruction, by its index: source lines, for example. Without `; `.
    pub comments: Option<&'a dyn Fn(usize) -> Vec<String>>,
    /// Strings longer than this many characters are cut, with an ellipsis, and kept on one line: for reading only, since
    /// the text then stands for another module.
    pub cut_strings: Option<usize>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            friendly_names: true,
            header: true,
            indent: true,
            only: None,
            comments: None,
            cut_strings: None,
        }
    }
}

/// What a part of the text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Class {
    /// From `;` to the end of the line.
    Comment,
    /// The name of an instruction, of an extended one and of a constant operation, too.
    Opcode,
    /// The id that a line defines.
    Result,
    /// An id in the place of a result type.
    Type,
    /// Any other id.
    Id,
    /// A named value or a mask.
    Enumerant,
    /// A literal number, or a word that is copied as it is (`!7`).
    Number,
    /// A literal string with its quotes, or the part of it that stands in one line.
    String,
}

/// A part of the text with a class. Spans are in order and do not overlap; a span never crosses the end of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// Bytes of the whole text.
    pub range: Range<u32>,
    /// What stands there.
    pub class: Class,
    /// The id that is meant, for results, types and ids; 0 otherwise.
    pub id: u32,
}

/// A line of the text, without its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Bytes of the whole text.
    pub range: Range<u32>,
    /// The index of the instruction that the line writes; a comment before an instruction has none.
    pub instruction: Option<u32>,
}

/// A module's text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    /// All lines, each with an end.
    pub text: String,
    /// In the order of the text.
    pub lines: Vec<Line>,
    /// In the order of the text; what is between them is spaces and punctuation.
    pub spans: Vec<Span>,
    /// Each instruction that is shown, and its first line, ascending.
    starts: Vec<(u32, u32)>,
}

/// What a text calls the ids that it defines, without `%`.
pub fn names_of_results(text: &str, spans: &[Span]) -> FxHashMap<u32, String> {
    let results = spans.iter().filter(|span| span.class == Class::Result);
    let named = results.filter_map(|span| {
        let word = text.get(span.range.start as usize..span.range.end as usize)?;
        Some((span.id, word.trim_start_matches('%').to_owned()))
    });
    named.collect()
}

impl Text {
    /// The lines of an instruction; more than one where a string has several. Nothing where it is not shown.
    pub fn lines_of(&self, instruction: u32) -> Range<usize> {
        let Ok(place) = self.starts.binary_search_by_key(&instruction, |&(shown, _)| shown) else {
            return 0..0;
        };
        let first = self.starts[place].1 as usize;
        let of_it = |line: &&Line| line.instruction == Some(instruction);
        first..first + self.lines[first..].iter().take_while(of_it).count()
    }

    /// The instruction that a line (from 0) writes.
    pub fn instruction_at(&self, line: usize) -> Option<u32> {
        self.lines.get(line).and_then(|line| line.instruction)
    }
}

/// The text of a module.
pub fn disassemble(module: &Module, options: &Options) -> Text {
    let names = if options.friendly_names { Names::friendly(module) } else { Names::numbers() };
    disassemble_as(module, &names, options)
}

/// The text of a module with these names, whatever the options say of names.
pub fn disassemble_as(module: &Module, names: &Names, options: &Options) -> Text {
    Printer::new(module, names, options).module()
}

/// The indices of each function's instructions, in the module's order. What stands between functions is in none.
pub fn function_ranges(module: &Module) -> Vec<Range<usize>> {
    let mut at = module.global_inst_iter().count();
    let mut ranges = Vec::with_capacity(module.functions.len());
    for function in &module.functions {
        let start = at;
        at += function.all_inst_iter().count();
        if function.def.is_some() {
            ranges.push(start..at);
        }
    }
    ranges
}

/// The indices of a function's instructions, by the name that `OpName` or `OpEntryPoint` gives it. glslang adds the
/// parameters' types to a function's name after a parenthesis; the part before it is enough.
pub fn function_named(module: &Module, name: &str) -> Option<Range<usize>> {
    use rspirv::dr::Operand::{IdRef, LiteralString};
    let matches = |given: &str| given == name || given.split('(').next() == Some(name);
    let named =
        module.debug_names.iter().filter_map(|inst| match (inst.class.opcode, inst.operands.as_slice()) {
            (Op::Name, [IdRef(id), LiteralString(given), ..]) if matches(given) => Some(*id),
            _ => None,
        });
    let entries = module.entry_points.iter().filter_map(|inst| match inst.operands.as_slice() {
        [_, IdRef(id), LiteralString(given), ..] if matches(given) => Some(*id),
        _ => None,
    });
    let ids: Vec<u32> = named.chain(entries).collect();
    let functions = module.functions.iter().filter(|function| function.def.is_some());
    let found = functions
        .zip(function_ranges(module))
        .find(|(function, _)| function.def_id().is_some_and(|id| ids.contains(&id)));
    found.map(|(_, range)| range)
}
