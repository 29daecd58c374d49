//! What a growing selection takes in: the token, the expression, the arguments, the call, the statement, the block, the
//! function; in directives the word, the text, the line; the branch of an `#if` and the whole of it.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::kind;

use crate::brackets::{self, Pair};
use crate::tree_path::path;
use coopmat_analysis::lex::{Lexeme, LexemeKind, TokenKind, lexemes};
use coopmat_analysis::surface::{Surface, node_range};
use coopmat_analysis::text::{TextRange, TextSize};

/// The most ranges around a place. The protocol puts each into the one before it, and many readers of JSON go no deeper than 128.
const LEVELS: usize = 100;

/// For each place the ranges around it, from the smallest to the whole text; each holds the one before it.
pub fn selections(surface: &Surface, offsets: &[TextSize]) -> Vec<Vec<TextRange>> {
    let pairs = brackets::pairs(surface);
    let lexemes: Vec<Lexeme> = lexemes(surface.text()).collect();
    offsets.iter().map(|&offset| Selection { surface, pairs: &pairs, lexemes: &lexemes }.at(offset)).collect()
}

struct Selection<'a> {
    surface: &'a Surface,
    pairs: &'a [Pair],
    lexemes: &'a [Lexeme],
}

impl Selection<'_> {
    fn at(&self, offset: TextSize) -> Vec<TextRange> {
        let whole = TextRange::up_to(TextSize::of(self.surface.text()));
        let offset = offset.min(whole.end());
        let mut candidates = vec![whole];
        let token = self.token(offset);
        if let Some(token) = token {
            self.add_token(offset, token, &mut candidates);
        }
        let at = usize::from(offset);
        self.nodes(token.map_or((at, at), |token| (token.start, token.end)), &mut candidates);
        for pair in self.pairs.iter().filter(|pair| pair.outer().contains_range(TextRange::empty(offset))) {
            if pair.inner().contains_inclusive(offset) {
                candidates.push(self.trimmed(pair.inner()));
            }
            candidates.push(pair.outer());
        }
        self.directives(offset, &mut candidates);
        // Trees, tokens and directives need not nest in each other: the shorter comes first, and what cuts it is left out.
        candidates.retain(|range| range.contains_inclusive(offset) && !range.is_empty());
        candidates.sort_by_key(|range| (range.len(), range.start()));
        let mut chain: Vec<TextRange> = Vec::new();
        for range in candidates {
            match chain.last() {
                Some(last) if *last == range || !range.contains_range(*last) => {}
                _ => chain.push(range),
            }
        }
        if chain.is_empty() {
            chain.push(whole);
        }
        if chain.len() > LEVELS {
            chain.truncate(LEVELS - 1);
            chain.push(whole);
        }
        chain
    }

    /// The token at a place: the word where one touches it, else what follows.
    fn token(&self, offset: TextSize) -> Option<&Lexeme> {
        let at = usize::from(offset);
        let next = self.lexemes.partition_point(|lexeme| lexeme.end <= at);
        let word = |lexeme: &Lexeme| {
            matches!(lexeme.kind, LexemeKind::Token(TokenKind::Identifier | TokenKind::Number))
        };
        let here = self.lexemes.get(next);
        let before = next.checked_sub(1).and_then(|before| self.lexemes.get(before));
        let before = before.filter(|before| before.end == at);
        match (before, here) {
            (Some(before), Some(here)) if word(before) && !word(here) => Some(before),
            (Some(before), None) => Some(before),
            (_, here) => here,
        }
    }

    fn add_token(&self, offset: TextSize, lexeme: &Lexeme, candidates: &mut Vec<TextRange>) {
        let range = range_of(lexeme.start, lexeme.end);
        match lexeme.kind {
            LexemeKind::Space | LexemeKind::Newline | LexemeKind::Splice => {}
            LexemeKind::Token(TokenKind::String) => {
                candidates.push(range);
                let quotes = TextSize::new(1);
                if range.len() > TextSize::new(2) {
                    candidates.push(TextRange::new(range.start() + quotes, range.end() - quotes));
                }
            }
            LexemeKind::Token(_) => candidates.push(range),
            LexemeKind::LineComment | LexemeKind::BlockComment | LexemeKind::UnterminatedComment => {
                self.comment(offset, range, candidates);
            }
        }
    }

    /// The word in a comment, the comment, and the comments above and below it.
    fn comment(&self, offset: TextSize, comment: TextRange, candidates: &mut Vec<TextRange>) {
        candidates.push(comment);
        let text = self.surface.text();
        let word = |char: char| char.is_alphanumeric() || char == '_';
        let at = usize::from(offset);
        let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else { return };
        let start =
            at - before.chars().rev().take_while(|&char| word(char)).map(char::len_utf8).sum::<usize>();
        let end = at + after.chars().take_while(|&char| word(char)).map(char::len_utf8).sum::<usize>();
        candidates.push(range_of(start, end));
        let line_comment = |lexeme: &&Lexeme| lexeme.kind == LexemeKind::LineComment;
        let Ok(index) =
            self.lexemes.binary_search_by_key(&usize::from(comment.start()), |lexeme| lexeme.start)
        else {
            return;
        };
        // Only blanks and one line end stand between comments of a run.
        let run = |lexemes: &mut dyn Iterator<Item = &Lexeme>| {
            let mut newlines = 0;
            let mut last = None;
            for lexeme in lexemes {
                match lexeme.kind {
                    LexemeKind::Space => {}
                    LexemeKind::Newline if newlines == 0 => newlines = 1,
                    LexemeKind::LineComment => {
                        newlines = 0;
                        last = Some(*lexeme);
                    }
                    _ => break,
                }
            }
            last
        };
        if line_comment(&&self.lexemes[index]) {
            let first = run(&mut self.lexemes[..index].iter().rev());
            let last = run(&mut self.lexemes[index + 1..].iter());
            let start = first.map_or(usize::from(comment.start()), |first| first.start);
            let end = last.map_or(usize::from(comment.end()), |last| last.end);
            candidates.push(range_of(start, end));
        }
    }

    fn nodes(&self, (start, end): (usize, usize), candidates: &mut Vec<TextRange>) {
        let Some(root) = self.surface.root() else { return };
        for here in path(root, start, end) {
            if !here.is_error() {
                candidates.push(node_range(here));
            }
            if matches!(
                here.kind_id(),
                kind::FUNCTION_DEFINITION
                    | kind::FUNCTION_DECLARATION
                    | kind::DECLARATION
                    | kind::INTERFACE_BLOCK
                    | kind::MEMBER_DECLARATION
            ) {
                candidates.extend(with_comments_above(here));
            }
        }
    }

    fn directives(&self, offset: TextSize, candidates: &mut Vec<TextRange>) {
        let directives = self.surface.directives();
        if let Some(line) = directives.lines.iter().find(|line| line.range.contains_inclusive(offset)) {
            candidates.push(self.trimmed(TextRange::new(line.name.end(), line.range.end())));
            candidates.push(line.range);
        }
        for conditional in &directives.conditionals {
            let (Some(first), Some(end)) = (conditional.branches.first(), conditional.end) else { continue };
            candidates.push(TextRange::new(first.directive.start(), end.end()));
            for branch in &conditional.branches {
                candidates.push(self.trimmed(branch.body));
                candidates.push(branch.body);
            }
        }
    }

    /// A range without the blanks at its ends.
    fn trimmed(&self, range: TextRange) -> TextRange {
        let Some(text) = self.surface.text().get(std::ops::Range::<usize>::from(range)) else { return range };
        let start = range.start() + TextSize::new((text.len() - text.trim_start().len()) as u32);
        TextRange::at(start, TextSize::of(text.trim()))
    }
}

/// A declaration and the comments right above it.
fn with_comments_above(node: Node<'_>) -> Option<TextRange> {
    let mut first = node;
    while let Some(before) = first.prev_sibling()
        && before.kind_id() == kind::COMMENT
        && before.end_position().row + 1 == first.start_position().row
    {
        first = before;
    }
    (first != node).then(|| range_of(first.start_byte(), node.end_byte()))
}

fn range_of(start: usize, end: usize) -> TextRange {
    TextRange::new(TextSize::new(start as u32), TextSize::new(end.max(start) as u32))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;

    fn check(marked: &str, expected: Expect) {
        let offset = marked.find("$0").unwrap();
        let text = marked.replace("$0", "");
        let surface = Surface::new(text.as_str().into(), None);
        let chain = selections(&surface, &[TextSize::new(offset as u32)]).remove(0);
        let mut shown = String::new();
        for range in chain {
            writeln!(shown, "{}", text[std::ops::Range::<usize>::from(range)].replace('\n', "~")).unwrap();
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn from_a_name_to_the_file() {
        check(
            "// Sums.\nfloat sum(float a) {\n    return f(a, b[$0i] + 1) * 2;\n}\nint x;\n",
            expect![[r#"
                i
                [i]
                b[i]
                b[i] + 1
                a, b[i] + 1
                (a, b[i] + 1)
                f(a, b[i] + 1)
                f(a, b[i] + 1) * 2
                return f(a, b[i] + 1) * 2;
                {~    return f(a, b[i] + 1) * 2;~}
                float sum(float a) {~    return f(a, b[i] + 1) * 2;~}
                // Sums.~float sum(float a) {~    return f(a, b[i] + 1) * 2;~}
                // Sums.~float sum(float a) {~    return f(a, b[i] + 1) * 2;~}~int x;~
            "#]],
        );
    }

    #[test]
    fn in_a_macro_and_its_branch() {
        check(
            "#if A\n#define TILE(n) coopmat<float, S, (n$0 * 2), 16, U>\n#else\nint b;\n#endif\nint c;\n",
            expect![[r#"
                n
                n * 2
                (n * 2)
                coopmat<float, S, (n * 2), 16, U>
                TILE(n) coopmat<float, S, (n * 2), 16, U>
                #define TILE(n) coopmat<float, S, (n * 2), 16, U>
                #define TILE(n) coopmat<float, S, (n * 2), 16, U>~
                #if A~#define TILE(n) coopmat<float, S, (n * 2), 16, U>~#else~int b;~#endif
                #if A~#define TILE(n) coopmat<float, S, (n * 2), 16, U>~#else~int b;~#endif~int c;~
            "#]],
        );
    }

    #[test]
    fn in_a_comment() {
        check(
            "int a;\n// One wo$0rd\n// of two lines.\nint b;\n",
            expect![[r#"
                word
                // One word
                // One word~// of two lines.
                int a;~// One word~// of two lines.~int b;~
            "#]],
        );
    }

    #[test]
    fn at_the_end_and_in_nothing() {
        let nothing = Surface::new("".into(), None);
        assert_eq!(selections(&nothing, &[TextSize::new(9)]), [[TextRange::default()]]);
        check(
            "void f() {}$0",
            expect![[r#"
                }
                {}
                void f() {}
            "#]],
        );
    }

    #[test]
    fn brackets_may_nest_without_end() {
        let text = format!("void f() {{ {}1{}; }}\n", "(".repeat(5000), ")".repeat(5000));
        let surface = Surface::new(text.as_str().into(), None);
        let chains = selections(&surface, &[TextSize::new(5012)]);
        assert_eq!(chains[0].len(), LEVELS);
        assert_eq!(chains[0].last(), Some(&TextRange::up_to(TextSize::of(&*text))));
    }

    /// Whatever the text, each range holds the one before it.
    #[test]
    fn selections_grow() {
        let text = "void f(int a {\n#if X\n g(h(1, \"s\"), {2});\n#else }\n // é\n#endif\n x = ;\n}\n";
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            let surface = Surface::new(text[..end].into(), None);
            let offsets: Vec<_> = (0..=end as u32).map(TextSize::new).collect();
            for (offset, chain) in offsets.iter().zip(selections(&surface, &offsets)) {
                assert!(chain.windows(2).all(|pair| pair[1].contains_range(pair[0]) && pair[0] != pair[1]));
                assert!(chain.iter().all(|range| range.contains_inclusive(*offset)));
                assert_eq!(chain.last().map(|range| usize::from(range.len())), Some(end));
            }
        }
    }
}
