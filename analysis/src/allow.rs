//! Comments by which a source allows diagnostics: `// coopmat-analyzer: allow(ID, ID)`.
//!
//! Behind code a comment holds for its own line, on a line of its own for the next line that is not empty, and at the top of a file, before
//! anything but comments and directives, for the whole file. Lines are those of the language: a line continuation does not end one.

use crate::diagnostics::{Code, Diagnostic, codes, named};
use crate::lex::{LexemeKind, TokenKind, lexeme_at};
use crate::text::{FileId, FileRange, TextRange, TextSize};

/// What such a comment begins with, behind `//`, and what comes behind that.
const NAME: &str = "coopmat-analyzer";
const MARK: &str = "coopmat-analyzer:";
/// What may follow, with the ids in parentheses.
const ALLOW: &str = "allow";

/// A comment that allows something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From `//` to the end of its line, without blanks there.
    pub range: TextRange,
    /// What it allows, and where it says so.
    pub ids: Vec<(TextRange, &'static Code)>,
    /// Behind the last id, before the parenthesis: where a further one goes.
    pub end_of_ids: TextSize,
    /// The line that it holds for, its indentation included; `None`: the whole file.
    pub line: Option<TextRange>,
}

/// The comments of one file.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    /// In the order of the text, so that the lines that they hold for never go back.
    pub list: Vec<Comment>,
    /// What is wrong with some of them.
    pub mistakes: Vec<(TextRange, String)>,
    /// The first line of code, which ends the top of the file; `None`: there is none.
    pub code: Option<TextSize>,
}

/// A comment that starts with the mark, before it is known for which line it holds.
struct Found {
    range: TextRange,
    holds: Holds,
}

enum Holds {
    File,
    Line(TextRange),
    Next,
}

impl Comments {
    /// Reads a file's text. It takes time that is linear in its length, and next to none where the mark is nowhere in it.
    pub fn of(text: &str) -> Comments {
        if memchr::memmem::find(text.as_bytes(), NAME.as_bytes()).is_none() {
            return Comments::default();
        }
        Comments::read(text)
    }

    /// The same for a text that may be without the mark, to know where its code begins.
    pub fn read(text: &str) -> Comments {
        let mut comments = Comments::default();
        let mut waiting: Vec<Found> = Vec::new();
        // A byte order mark is no code.
        let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
        while at < text.len() {
            let line = Line::at(text, at);
            for &block in &line.blocks {
                let message =
                    "a comment that allows a diagnostic must begin with `//`: this one has no effect";
                comments.mistakes.push((block, message.to_owned()));
            }
            if line.is_code && comments.code.is_none() {
                comments.code = Some(size(line.start));
            }
            if line.has_tokens {
                let range = TextRange::new(size(line.start), size(line.end));
                for found in waiting.drain(..) {
                    comments.add(text, found.range, found.holds, range);
                }
                if let Some(comment) = line.comment {
                    comments.add(text, comment, Holds::Line(range), range);
                }
            } else if let Some(comment) = line.comment {
                let holds = if comments.code.is_none() { Holds::File } else { Holds::Next };
                waiting.push(Found { range: comment, holds });
            }
            at = line.next;
        }
        // Nothing follows: they hold for nothing, or for the file.
        let end = TextRange::empty(size(text.len()));
        for found in waiting {
            comments.add(text, found.range, found.holds, end);
        }
        comments
    }

    fn add(&mut self, text: &str, range: TextRange, holds: Holds, next: TextRange) {
        let line = match holds {
            Holds::File => None,
            Holds::Line(line) => Some(line),
            Holds::Next => Some(next),
        };
        let Some(written) = text.get(std::ops::Range::<usize>::from(range)) else { return };
        let written = written.trim_end();
        let range = TextRange::at(range.start(), size(written.len()));
        let inside = written.trim_start_matches('/').trim_start();
        let Some(rest) = inside.strip_prefix(MARK) else {
            let allows = |rest: &str| rest.trim_start().starts_with("allow(");
            if inside.strip_prefix(NAME).is_some_and(allows) {
                self.mistakes.push((range, "expected `:` after `coopmat-analyzer`".to_owned()));
            }
            return;
        };
        let rest = rest.trim_start();
        let ids = rest.strip_prefix(ALLOW).and_then(|rest| rest.trim_start().strip_prefix('('));
        let Some((ids, _)) = ids.and_then(|ids| ids.split_once(')')) else {
            let found = rest.split([' ', '\t']).next().unwrap_or_default();
            let message = match found {
                "" => "expected `allow(ID)` after `coopmat-analyzer:`".to_owned(),
                found => format!("expected `allow(ID)` after `coopmat-analyzer:`, found `{found}`"),
            };
            self.mistakes.push((range, message));
            return;
        };
        let offset = |part: &str| size(part.as_ptr() as usize - text.as_ptr() as usize);
        let mut comment = Comment { range, ids: Vec::new(), end_of_ids: range.end(), line };
        for part in ids.split(',') {
            let id = part.trim();
            let place = TextRange::at(offset(id), size(id.len()));
            comment.end_of_ids = place.end();
            match named(id) {
                _ if id.is_empty() => {
                    self.mistakes.push((range, "expected the id of a diagnostic in `allow()`".to_owned()));
                }
                Ok(code) => match code.why_never_allowed() {
                    Some(why) => self.mistakes.push((place, format!("`{id}` {why}"))),
                    None => comment.ids.push((place, code)),
                },
                Err(message) => self.mistakes.push((place, message)),
            }
        }
        if !comment.ids.is_empty() {
            self.list.push(comment);
        }
    }

    /// What is wrong with the comments, as diagnostics of their file.
    pub(crate) fn complaints(&self, file: FileId) -> impl Iterator<Item = Diagnostic> {
        self.mistakes.iter().map(move |(range, message)| Diagnostic {
            code: &codes::UNUSABLE_ALLOW,
            severity: codes::UNUSABLE_ALLOW.severity,
            message: message.clone(),
            location: FileRange { file, range: *range },
            related: Vec::new(),
        })
    }
}

fn size(offset: usize) -> TextSize {
    TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX))
}

/// A line of the language, and the comment at its end.
struct Line {
    start: usize,
    /// Without its line end.
    end: usize,
    next: usize,
    has_tokens: bool,
    /// Whether it is neither empty nor a directive.
    is_code: bool,
    comment: Option<TextRange>,
    /// Comments between `/*` and `*/` that say the same, and cannot.
    blocks: Vec<TextRange>,
}

impl Line {
    fn at(text: &str, start: usize) -> Line {
        let mut line = Line {
            start,
            end: text.len(),
            next: text.len(),
            has_tokens: false,
            is_code: false,
            comment: None,
            blocks: Vec::new(),
        };
        let mut at = start;
        while let Some(lexeme) = lexeme_at(text, at) {
            at = lexeme.end;
            match lexeme.kind {
                LexemeKind::Newline => {
                    (line.end, line.next) = (lexeme.start, lexeme.end);
                    return line;
                }
                LexemeKind::LineComment => {
                    line.comment = Some(TextRange::new(size(lexeme.start), size(lexeme.end)));
                }
                LexemeKind::Token(kind) => {
                    line.is_code |= !line.has_tokens && kind != TokenKind::Hash;
                    line.has_tokens = true;
                }
                LexemeKind::BlockComment => {
                    let inside = text.get(lexeme.start..lexeme.end).unwrap_or_default();
                    if inside.trim_start_matches(['/', '*']).trim_start().starts_with(MARK) {
                        line.blocks.push(TextRange::new(size(lexeme.start), size(lexeme.end)));
                    }
                }
                LexemeKind::Space | LexemeKind::Splice | LexemeKind::UnterminatedComment => {}
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each comment's ids, and the text that it holds for.
    fn read(text: &str) -> Vec<(String, &str)> {
        let comments = Comments::of(text);
        assert_eq!(comments.mistakes, []);
        let held = |comment: &Comment| match comment.line {
            Some(line) => &text[std::ops::Range::<usize>::from(line)],
            None => "the file",
        };
        let ids =
            |comment: &Comment| comment.ids.iter().map(|(_, code)| code.id).collect::<Vec<_>>().join(" ");
        comments.list.iter().map(|comment| (ids(comment), held(comment))).collect()
    }

    fn mistake(comment: &str) -> String {
        let text = format!("int x;\n{comment}\n");
        let comments = Comments::of(&text);
        assert_eq!((comments.list.len(), comments.mistakes.len()), (0, 1), "{comments:?}");
        let (range, message) = &comments.mistakes[0];
        format!("{}: {message}", &text[std::ops::Range::<usize>::from(*range)])
    }

    #[test]
    fn a_comment_holds_for_the_line_that_follows() {
        let text = "int x;\n\n  // coopmat-analyzer: allow(unused-variable)\n\n  // why\n  int y;\nint z;\n";
        assert_eq!(read(text), [("unused-variable".to_owned(), "  int y;")]);
    }

    #[test]
    fn behind_code_it_holds_for_its_own_line() {
        let text = "int x;\nint y; // coopmat-analyzer: allow(unused-variable, shift-out-of-range) as planned\nint z;\n";
        let found = read(text);
        assert_eq!(found[0].0, "unused-variable shift-out-of-range");
        assert!(found[0].1.starts_with("int y; //"));
    }

    #[test]
    fn at_the_top_it_holds_for_the_file() {
        let text = "#version 450\n/* a */ // coopmat-analyzer: allow(unused-variable)\n#define X \\\n 1\nint x;\n// coopmat-analyzer: allow(unused-variable)\n";
        assert_eq!(
            read(text),
            [("unused-variable".to_owned(), "the file"), ("unused-variable".to_owned(), "")]
        );
    }

    #[test]
    fn behind_a_directive_it_holds_for_the_directive() {
        let text = "#extension GL_X : \\\n enable // coopmat-analyzer: allow(extension-dependency)\r\nint x;";
        let found = read(text);
        assert!(
            found[0].1.starts_with("#extension GL_X") && found[0].1.ends_with("allow(extension-dependency)")
        );
    }

    #[test]
    fn what_is_no_comment_of_this_kind_says_nothing() {
        assert_eq!(read("int x; // see coopmat-analyzer: allow(unused-variable)\n"), []);
        assert_eq!(
            read("// coopmat-analyzer allows what a comment names\nint x; /* see coopmat-analyzer: x */\n"),
            []
        );
    }

    #[test]
    fn mistakes_are_told_at_their_place() {
        assert_eq!(
            mistake("// coopmat-analyzer: allow(unused-varaible)"),
            "unused-varaible: there is no diagnostic `unused-varaible`: did you mean `unused-variable`?"
        );
        assert_eq!(
            mistake("// coopmat-analyzer: allow(syntax-error)"),
            "syntax-error: `syntax-error` is an error of the language and cannot be allowed"
        );
        assert_eq!(
            mistake("// coopmat-analyzer: ignore(unused-variable)"),
            "// coopmat-analyzer: ignore(unused-variable): expected `allow(ID)` after `coopmat-analyzer:`, found `ignore(unused-variable)`"
        );
        assert_eq!(
            mistake("int y; /* coopmat-analyzer: allow(unused-variable) */ int z;"),
            "/* coopmat-analyzer: allow(unused-variable) */: a comment that allows a diagnostic must begin with `//`: this one has no effect"
        );
        assert_eq!(
            mistake("// coopmat-analyzer allow(unused-variable)"),
            "// coopmat-analyzer allow(unused-variable): expected `:` after `coopmat-analyzer`"
        );
        assert_eq!(
            mistake("// coopmat-analyzer: allow()"),
            "// coopmat-analyzer: allow(): expected the id of a diagnostic in `allow()`"
        );
    }
}
