//! The formatter: it changes blanks between tokens and at the ends of lines, and nothing else.
//!
//! The author's line breaks, blank lines, comments and directives stay. `lines` cuts the text, `context` reads from the tree what
//! tokens alone do not tell, `spacing` decides what stands between two tokens of a line, `align` keeps what was aligned aligned,
//! `indent` decides how lines begin. Lines with syntax errors stay as they are. Whatever the rules say, the tokens of the result are compared with
//! those of the text before anything is answered.

mod align;
mod context;
mod indent;
mod line_ends;
mod lines;
mod spacing;
#[cfg(test)]
mod tests;

use context::Context;
use coopmat_analysis::lex::{Lexeme, LexemeKind, lexemes};
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{TextRange, TextSize};
pub use line_ends::{LineEnd, with_line_ends};
use line_ends::{first_line_end, last_line_end};
use lines::Line;
use smol_str::SmolStr;

/// Whether the last line has an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalNewline {
    /// It gets one.
    Insert,
    /// As it is.
    Keep,
    /// It has none.
    Remove,
}

/// How blanks are written, as editors ask for it (LSP 3.17, FormattingOptions) and `.editorconfig` files do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatOptions {
    /// Columns of one level.
    pub indent_size: usize,
    /// Columns of a tab.
    pub tab_size: usize,
    /// Levels are spaces; otherwise tabs.
    pub insert_spaces: bool,
    /// No blanks at the ends of lines.
    pub trim_trailing_whitespace: bool,
    /// The line end behind the last line.
    pub final_newline: FinalNewline,
    /// No empty lines at the end.
    pub trim_final_newlines: bool,
}

impl Default for FormatOptions {
    fn default() -> Self {
        FormatOptions {
            indent_size: 4,
            tab_size: 4,
            insert_spaces: true,
            trim_trailing_whitespace: true,
            final_newline: FinalNewline::Insert,
            trim_final_newlines: true,
        }
    }
}

/// Blanks that replace blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The blanks that go, in bytes of the text; empty where blanks are added.
    pub range: TextRange,
    /// Blanks, tabs and line ends.
    pub text: SmolStr,
}

/// The edits would change more than blanks: a mistake in the formatter, which costs the user nothing but the formatting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokensDiffer;

/// The edits that format a text, or the lines of a part of it; in order, not touching each other.
pub fn format(
    surface: &Surface,
    options: &FormatOptions,
    within: Option<TextRange>,
) -> Result<Vec<Edit>, TokensDiffer> {
    let text = surface.text();
    // Without a tree a type argument's `<` cannot be told from a comparison, and what is laid out depends on the line breaks.
    if surface.root().is_none() {
        return Ok(Vec::new());
    }
    let Layout { mut edits, damaged, .. } = layout(surface, options, None);
    if let Some(within) = within {
        let part = whole_lines(text, within);
        edits.retain(|edit| part.contains_range(edit.range));
        return verified(text, edits);
    }
    if damaged {
        // Which lines are damaged depends on the blanks, too.
        let mut formatted = apply(text, &edits);
        for round in 0..MOST_ROUNDS {
            let more = layout(&Surface::new(formatted.as_str().into(), None), options, None).edits;
            if more.is_empty() {
                if round > 0 {
                    edits = blank_edits(text, &formatted);
                }
                break;
            }
            formatted = apply(&formatted, &more);
        }
    }
    verified(text, edits)
}

/// How often a text is formatted again until nothing changes any more.
const MOST_ROUNDS: usize = 5;

/// The edits between two texts that differ in blanks alone.
fn blank_edits(old: &str, new: &str) -> Vec<Edit> {
    let words = |text: &str| -> Vec<(usize, usize)> {
        let shown = |lexeme: Lexeme| match lexeme.kind {
            LexemeKind::Space | LexemeKind::Newline => None,
            LexemeKind::LineComment => {
                let word = text[lexeme.start..lexeme.end].trim_end_matches([' ', '\t']);
                Some((lexeme.start, lexeme.start + word.len()))
            }
            LexemeKind::Splice
            | LexemeKind::BlockComment
            | LexemeKind::UnterminatedComment
            | LexemeKind::Token(_) => Some((lexeme.start, lexeme.end)),
        };
        lexemes(text).filter_map(shown).chain(std::iter::once((text.len(), text.len()))).collect()
    };
    let mut edits = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for ((old_start, old_end), (new_start, new_end)) in words(old).into_iter().zip(words(new)) {
        let (before, after) = (old.get(old_at..old_start), new.get(new_at..new_start));
        if before != after {
            let range = TextRange::new(size(old_at), size(old_start));
            edits.push(Edit { range, text: after.unwrap_or_default().into() });
        }
        (old_at, new_at) = (old_end, new_end);
    }
    edits
}

/// The edits after a character was typed, just before `offset`: `}` formats the block that it ends, `;` the lines of the statement, a
/// line end indents the new line.
pub fn on_type(
    surface: &Surface,
    options: &FormatOptions,
    offset: TextSize,
    typed: char,
) -> Result<Vec<Edit>, TokensDiffer> {
    let text = surface.text();
    if surface.root().is_none() {
        return Ok(Vec::new());
    }
    let line = whole_lines(text, TextRange::empty(offset));
    let (edits, part) = match typed {
        '\n' => (layout(surface, options, Some(offset)).edits, line),
        '}' => {
            let closed = offset.checked_sub(TextSize::new(1));
            let pairs = super::brackets::pairs(surface);
            let pair = pairs.iter().find(|pair| Some(pair.close) == closed);
            let start = pair.map_or(line.start(), |pair| pair.open);
            (layout(surface, options, None).edits, whole_lines(text, TextRange::new(start, offset)))
        }
        _ => {
            let layout = layout(surface, options, None);
            let start = layout.statement_start(offset).unwrap_or(line.start());
            let part = whole_lines(text, TextRange::new(start.min(offset), offset));
            (layout.edits, part)
        }
    };
    verified(text, edits.into_iter().filter(|edit| part.contains_range(edit.range)).collect())
}

/// A text with edits applied.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for edit in edits {
        let range = std::ops::Range::<usize>::from(edit.range);
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

struct Layout {
    edits: Vec<Edit>,
    /// Parts of the text are no GLSL.
    damaged: bool,
    /// For each line the start of the statement that its end belongs to.
    statements: Vec<(TextRange, TextSize)>,
}

impl Layout {
    fn statement_start(&self, offset: TextSize) -> Option<TextSize> {
        let line = self.statements.iter().find(|(line, _)| line.contains_inclusive(offset))?;
        Some(line.1)
    }
}

/// `cursor` stands on a line that is to be indented even if nothing is on it yet.
fn layout(surface: &Surface, options: &FormatOptions, cursor: Option<TextSize>) -> Layout {
    let text = surface.text();
    let mut lines = lines::cut(surface, options.tab_size);
    let context = Context::of(surface);
    for line in &mut lines {
        line.untouched |= context.is_damaged(line.range());
    }
    let mut statements = Vec::new();
    // What is aligned is seen in the text as it stands: with other gaps there may be more, or less, to align.
    for _ in 0..MOST_ROUNDS {
        spacing::decide(text, &mut lines, &context);
        statements = indent::decide(text, &mut lines, &context, options.indent_size, cursor);
        align::decide(text, &mut lines);
        if !lines::settle(text, &mut lines, options.tab_size) {
            break;
        }
    }
    let mut edits = Vec::new();
    for line in &lines {
        line_edits(text, line, options, cursor, &mut edits);
    }
    end_edits(text, &lines, options, &mut edits);
    edits.retain(|edit| {
        text.get(std::ops::Range::<usize>::from(edit.range)).is_some_and(|before| before != edit.text)
    });
    let statements =
        lines.iter().zip(statements).map(|(line, first)| (line.range(), size(lines[first].start)));
    let statements = statements.collect();
    Layout { edits, statements, damaged: context.has_damage() }
}

fn line_edits(
    text: &str,
    line: &Line,
    options: &FormatOptions,
    cursor: Option<TextSize>,
    edits: &mut Vec<Edit>,
) {
    if line.untouched {
        return;
    }
    let mut push = |start: usize, end: usize, text: SmolStr| {
        edits.push(Edit { range: TextRange::new(size(start), size(end)), text });
    };
    let first = line.tokens.first().map_or(line.end, |token| token.start);
    let waits = cursor.is_some_and(|cursor| line.range().contains_inclusive(cursor));
    if line.keeps_indent {
        // What a directive or the inside of a comment begins with is the author's.
    } else if !line.tokens.is_empty() || waits {
        push(line.start, first, blanks(line.new_indent, options));
    }
    for pair in line.tokens.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        if after.respaced {
            push(before.end, after.start, spaces(after.gap));
        }
    }
    if options.trim_trailing_whitespace && !waits {
        let inside = text.get(line.start..line.end).unwrap_or_default();
        let kept = inside.trim_end_matches([' ', '\t']);
        // A backslash at the end of a line would join it with the next; `\r` and `\n` would become one end.
        if !kept.ends_with('\\') && !line.ends_in_block_comment {
            // Blanks in a string that does not end are the string's.
            let code_end =
                line.tokens.last().filter(|token| !token.is_comment()).map_or(first, |token| token.end);
            let start =
                (line.start + kept.len()).max(if line.tokens.is_empty() { line.start } else { code_end });
            let joins = text.get(..start).is_some_and(|before| before.ends_with('\r'))
                && text.get(line.end..).is_some_and(|after| after.starts_with('\n'));
            if !joins {
                push(start, line.end, SmolStr::default());
            }
        }
    }
}

fn end_edits(text: &str, lines: &[Line], options: &FormatOptions, edits: &mut Vec<Edit>) {
    // Blanks in a string that does not end are the string's.
    let code = lines.iter().rev().find_map(|line| line.tokens.last()).filter(|token| !token.is_comment());
    let kept = text.trim_end_matches([' ', '\t', '\r', '\n']).len().max(code.map_or(0, |token| token.end));
    if kept == 0 || lines.last().is_some_and(|line| line.untouched) {
        return;
    }
    let end = text.get(kept..).unwrap_or_default();
    // Each line keeps its own end; one without gets that of the line before it.
    let own = first_line_end(end);
    let comment_open = lexemes(text).last().is_some_and(|last| {
        matches!(last.kind, LexemeKind::UnterminatedComment)
            || last.kind != LexemeKind::LineComment && last.end > kept && last.start < kept
    });
    if comment_open || text.get(..kept).is_some_and(|text| text.ends_with('\\')) {
        return;
    }
    let wanted = match (own, options.final_newline) {
        (None, FinalNewline::Insert) => last_line_end(text).unwrap_or("\n"),
        (Some(_), FinalNewline::Remove) => "",
        (Some(own), _) if options.trim_final_newlines => own,
        _ => return,
    };
    edits.retain(|edit| usize::from(edit.range.start()) < kept);
    edits.push(Edit { range: TextRange::new(size(kept), TextSize::of(text)), text: wanted.into() });
}

fn blanks(columns: usize, options: &FormatOptions) -> SmolStr {
    if options.insert_spaces || options.tab_size == 0 {
        return spaces(columns);
    }
    let (tabs, rest) = (columns / options.tab_size, columns % options.tab_size);
    ("\t".repeat(tabs) + &" ".repeat(rest)).into()
}

fn spaces(columns: usize) -> SmolStr {
    const SOME: &str = "                      ";
    SOME.get(..columns).map_or_else(|| " ".repeat(columns).into(), SmolStr::new_inline)
}

/// The lines that a range touches, with the line end.
fn whole_lines(text: &str, range: TextRange) -> TextRange {
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let from = text.get(..start).and_then(|before| before.rfind(['\n', '\r'])).map_or(0, |at| at + 1);
    let to = text.get(end..).and_then(|after| after.find('\n')).map_or(text.len(), |at| end + at);
    TextRange::new(size(from), size(to))
}

/// The edits, if the tokens after them are those before.
fn verified(text: &str, edits: Vec<Edit>) -> Result<Vec<Edit>, TokensDiffer> {
    if edits.is_empty() {
        return Ok(edits);
    }
    let after = apply(text, &edits);
    let mut old = significant(text);
    let mut new = significant(&after);
    loop {
        match (old.next(), new.next()) {
            (None, None) => return Ok(edits),
            (a, b) if a == b => {}
            _ => return Err(TokensDiffer),
        }
    }
}

/// Tokens, comments without the blanks at their end, and where lines end.
fn significant(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let shown = move |lexeme: Lexeme| {
        let word = &text[lexeme.start..lexeme.end];
        match lexeme.kind {
            LexemeKind::Space => None,
            LexemeKind::Newline => Some((true, "")),
            LexemeKind::LineComment => Some((false, word.trim_end_matches([' ', '\t']))),
            LexemeKind::Splice
            | LexemeKind::BlockComment
            | LexemeKind::UnterminatedComment
            | LexemeKind::Token(_) => Some((false, word)),
        }
    };
    let mut all = lexemes(text).filter_map(shown).peekable();
    // How many line ends stand at the end is a matter of the options.
    std::iter::from_fn(move || {
        let (newline, word) = all.next()?;
        if newline {
            let mut rest = 1;
            while all.next_if(|(newline, _)| *newline).is_some() {
                rest += 1;
            }
            all.peek()?;
            const MARKS: &str = "\n\n\n\n\n\n\n\n";
            return Some((true, &MARKS[..rest.min(MARKS.len())]));
        }
        Some((false, word))
    })
}

fn size(offset: usize) -> TextSize {
    TextSize::new(offset as u32)
}
