//! What can be folded: brackets over several lines, `case` sections, comments, the branches of `#if`, runs of directives.

use tree_sitter_glsl_coopmat::kind;

use crate::brackets;
use coopmat_analysis::lex::{LexemeKind, lexemes};
use coopmat_analysis::preprocess::{Conditional, DirectiveKind, DirectiveLine};
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{TextRange, TextSize};

/// Why something can be folded, which decides what stays in view and what "fold all comments" folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// Between brackets: the line of the closing one stays in view.
    Brackets,
    /// A comment of several lines, or `//` lines that follow each other.
    Comment,
    /// `#include` and `#extension` lines.
    Imports,
    /// A branch of an `#if`, a run of `#define`s.
    Region,
    /// What belongs to a `case`.
    Section,
}

/// Something that can be folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// What disappears; it begins on the line that stays.
    pub range: TextRange,
    /// Why.
    pub kind: FoldKind,
}

/// The folds of a text in the order of their starts; each goes over more than one line.
pub fn folds(surface: &Surface) -> Vec<Fold> {
    let mut folds = Folds { text: surface.text(), found: Vec::new() };
    for pair in brackets::pairs(surface) {
        folds.add(pair.inner(), FoldKind::Brackets);
    }
    folds.comments();
    for conditional in &surface.directives().conditionals {
        folds.conditional(conditional);
    }
    folds.runs(&surface.directives().lines);
    folds.sections(surface);
    let mut found = folds.found;
    found.sort_by_key(|fold| (fold.range.start(), std::cmp::Reverse(fold.range.end())));
    found
}

struct Folds<'a> {
    text: &'a str,
    found: Vec<Fold>,
}

impl Folds<'_> {
    fn add(&mut self, range: TextRange, kind: FoldKind) {
        let inside = self.text.as_bytes().get(std::ops::Range::from(range)).unwrap_or_default();
        if memchr::memchr2(b'\n', b'\r', inside).is_some() {
            self.found.push(Fold { range, kind });
        }
    }

    /// A block comment, and line comments below each other with nothing else on their lines.
    fn comments(&mut self) {
        let mut run: Option<(usize, usize)> = None;
        let mut lines_since = 0;
        let mut alone = true;
        for lexeme in lexemes(self.text) {
            match lexeme.kind {
                LexemeKind::Space | LexemeKind::Splice => {}
                LexemeKind::Newline => {
                    lines_since += 1;
                    alone = true;
                }
                LexemeKind::LineComment if alone => {
                    match &mut run {
                        Some((_, end)) if lines_since == 1 => *end = lexeme.end,
                        other => {
                            if let Some((start, end)) = other.take() {
                                self.add(range(start, end), FoldKind::Comment);
                            }
                            *other = Some((lexeme.start, lexeme.end));
                        }
                    }
                    lines_since = 0;
                }
                _ => {
                    if let Some((start, end)) = run.take() {
                        self.add(range(start, end), FoldKind::Comment);
                    }
                    if matches!(lexeme.kind, LexemeKind::BlockComment | LexemeKind::UnterminatedComment) {
                        self.add(range(lexeme.start, lexeme.end), FoldKind::Comment);
                    }
                    alone = false;
                }
            }
        }
        if let Some((start, end)) = run {
            self.add(range(start, end), FoldKind::Comment);
        }
    }

    fn conditional(&mut self, conditional: &Conditional) {
        for branch in &conditional.branches {
            let end = self.line_end_before(branch.body.end());
            if end > branch.directive.end() {
                self.add(TextRange::new(branch.directive.end(), end), FoldKind::Region);
            }
        }
    }

    /// The end of the line before the one that holds `offset`.
    fn line_end_before(&self, offset: TextSize) -> TextSize {
        let bytes = self.text.as_bytes();
        let newline = |byte: u8| matches!(byte, b'\n' | b'\r');
        let mut at = usize::from(offset).min(bytes.len());
        while at > 0 && !newline(bytes[at - 1]) {
            at -= 1;
        }
        if at > 0 {
            at -= if at > 1 && bytes[at - 1] == b'\n' && bytes[at - 2] == b'\r' { 2 } else { 1 };
        }
        TextSize::new(at as u32)
    }

    /// Directives of one sort on lines below each other, and one that is continued over lines.
    fn runs(&mut self, lines: &[DirectiveLine]) {
        let mut at = 0;
        while let Some(first) = lines.get(at) {
            let mut last = first;
            at += 1;
            let Some(kind) = run_kind(first.kind) else { continue };
            while let Some(next) = lines.get(at)
                && run_kind(next.kind) == Some(kind)
                && self.only_space(last.line_end, next.range.start())
            {
                last = next;
                at += 1;
            }
            if first.range == last.range && first.kind == DirectiveKind::Define {
                self.add(TextRange::new(first.name.end(), first.range.end()), kind);
            } else {
                self.add(TextRange::new(first.range.start(), last.range.end()), kind);
            }
        }
    }

    /// Whether two places are on one line but for blanks before the second.
    fn only_space(&self, from: TextSize, to: TextSize) -> bool {
        let between = self.text.get(usize::from(from)..usize::from(to));
        between.is_some_and(|between| between.bytes().all(|byte| matches!(byte, b' ' | b'\t')))
    }

    fn sections(&mut self, surface: &Surface) {
        let Some(root) = surface.root() else { return };
        let mut cursor = root.walk();
        // For each level the end of the label whose section is being read, and of the last statement in it. Siblings are met
        // once: to look for them from each label takes time with the square of their number.
        let mut levels: Vec<(Option<usize>, usize)> = vec![(None, 0)];
        loop {
            let node = cursor.node();
            let level = levels.len() - 1;
            if node.kind_id() == kind::CASE_LABEL {
                self.section(std::mem::replace(&mut levels[level], (Some(node.end_byte()), node.end_byte())));
            } else if node.is_named() {
                levels[level].1 = node.end_byte();
            }
            if cursor.goto_first_child() {
                levels.push((None, 0));
                continue;
            }
            while !cursor.goto_next_sibling() {
                if let Some(level) = levels.pop() {
                    self.section(level);
                }
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn section(&mut self, (label_end, last_end): (Option<usize>, usize)) {
        if let Some(label_end) = label_end {
            self.add(range(label_end, last_end.max(label_end)), FoldKind::Section);
        }
    }
}

fn run_kind(kind: DirectiveKind) -> Option<FoldKind> {
    match kind {
        DirectiveKind::Include | DirectiveKind::Extension => Some(FoldKind::Imports),
        DirectiveKind::Define | DirectiveKind::Undef => Some(FoldKind::Region),
        DirectiveKind::Null
        | DirectiveKind::If
        | DirectiveKind::Ifdef
        | DirectiveKind::Ifndef
        | DirectiveKind::Elif
        | DirectiveKind::Else
        | DirectiveKind::Endif
        | DirectiveKind::Error
        | DirectiveKind::Pragma
        | DirectiveKind::Version
        | DirectiveKind::Line
        | DirectiveKind::Unknown => None,
    }
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let surface = Surface::new(text.into(), None);
        let line = |offset: TextSize| text[..usize::from(offset)].matches('\n').count() + 1;
        let mut shown = String::new();
        for fold in folds(&surface) {
            let (start, end) = (line(fold.range.start()), line(fold.range.end()));
            writeln!(shown, "{start}-{end} {:?}", fold.kind).unwrap();
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_shader_folds() {
        check(
            "#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#include \"types.glsl\"
#define BM 64
#define TILE(n) \\
    coopmat<float16_t, gl_ScopeSubgroup, n, 16, gl_MatrixUseA>
// What it does:
// a product.
/* and
   a sum */
layout(binding = 0) buffer Data {
    float values[]; // not a run
};
const int TABLE[] = {
    1, 2,
};
float f(
    int a,
    int b
) {
    switch (a) {
    case 0:
        b = 1;
        break;
    default:
        return g(b,
            a);
    }
    return 1.0;
}
",
            expect![[r#"
                2-4 Imports
                5-7 Region
                8-9 Comment
                10-11 Comment
                12-14 Brackets
                15-17 Brackets
                18-21 Brackets
                21-31 Brackets
                22-29 Brackets
                23-25 Section
                26-28 Section
                27-28 Brackets
            "#]],
        );
    }

    #[test]
    fn branches_fold_by_themselves() {
        check(
            "#if A
int a;
#elif B
#if C
int c;
#endif
#else
int e;
#endif
#ifdef EMPTY
#endif
",
            expect![[r#"
                1-2 Region
                3-6 Region
                4-5 Region
                7-8 Region
            "#]],
        );
    }

    #[test]
    fn damaged_text_folds_as_far_as_it_can() {
        check(
            "void f() {
    if (x
}
#if A
void g(int a) {
#else
void g() {
#endif
    a = 1;
}
#if B
int b;
",
            expect![[r#"
                1-3 Brackets
                4-5 Region
                5-10 Brackets
                6-7 Region
            "#]],
        );
    }
}
