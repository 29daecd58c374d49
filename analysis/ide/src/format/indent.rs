//! How lines begin: a level for each open brace and each body without braces; what continues a line keeps its distance to it.
//!
//! The branches of an `#if` are alternatives: each begins where the `#if` stood, and what follows the `#endif` continues the first.

use super::context::Context;
use super::lines::Line;
use super::spacing::Role;
use crate::branches::Branches;
use coopmat_analysis::text::TextSize;

/// Decides the indentation of each line, and gives for each the line where the statement at its end begins.
pub fn decide(
    text: &str,
    lines: &mut [Line],
    context: &Context,
    unit: usize,
    cursor: Option<TextSize>,
) -> Vec<usize> {
    let mut indenter = Indenter {
        text,
        context,
        unit,
        open: Vec::new(),
        state: State { top: NOTHING, fresh: true, statement: 0 },
        branches: Branches::default(),
    };
    let mut statements = Vec::with_capacity(lines.len());
    for index in 0..lines.len() {
        indenter.line(lines, index, cursor);
        statements.push(indenter.state.statement.min(index));
    }
    statements
}

const NOTHING: usize = usize::MAX;

struct Open {
    round: bool,
    /// Of its own line, and of the line where its statement begins.
    line: usize,
    base: usize,
    /// The column behind it, in the text as it is and as it will be.
    old_column: usize,
    new_column: usize,
    /// Indentation of what is inside braces.
    inner: usize,
    /// Of the labels in a `switch`, once one was seen.
    labels: Option<usize>,
    /// Values follow on its line: what is inside keeps its distance.
    hanging: bool,
    /// A statement or a member follows on its line: the next one may be aligned with it.
    followed: bool,
    /// Braces around values.
    list: bool,
    /// The statement around it.
    statement: usize,
    below: usize,
}

#[derive(Clone, Copy)]
struct State {
    top: usize,
    /// A statement ended.
    fresh: bool,
    /// The line where the current statement began.
    statement: usize,
}

struct Indenter<'a> {
    text: &'a str,
    context: &'a Context,
    unit: usize,
    open: Vec<Open>,
    state: State,
    branches: Branches<State>,
}

impl Indenter<'_> {
    fn line(&mut self, lines: &mut [Line], index: usize, cursor: Option<TextSize>) {
        if let Some(directive) = lines[index].directive {
            self.branches.pass(directive.kind, &mut self.state);
            lines[index].new_indent = lines[index].old_indent;
            return;
        }
        let line = &lines[index];
        let waits = cursor.is_some_and(|cursor| line.range().contains_inclusive(cursor));
        let new_indent = if line.keeps_indent || line.untouched {
            line.old_indent
        } else if line.tokens.is_empty() && !waits {
            0
        } else {
            self.indentation(lines, index)
        };
        if !lines[index].untouched || !lines[index].tokens.is_empty() {
            lines[index].new_indent = new_indent;
        }
        self.take_in(lines, index);
    }

    fn indentation(&mut self, lines: &[Line], index: usize) -> usize {
        let line = &lines[index];
        let first = line.tokens.first();
        if first.is_some_and(|token| token.is_comment())
            && line.old_indent == 0
            && line.first_token().is_none()
        {
            // Code that was commented out, and rules between parts.
            return 0;
        }
        // A comment goes with what follows it.
        let leading = line.first_token().or_else(|| {
            let next = lines[index + 1..].iter().take(NEAR).filter(|line| line.directive.is_none());
            next.filter_map(Line::first_token).next().filter(|_| first.is_some())
        });
        let own = line.first_token();
        let word = leading.map_or("", |token| token.text(self.text));
        let moved = |by: usize| shifted(line.old_indent, lines[by].old_indent, lines[by].new_indent);
        if let Some(open) = self.open.get(self.state.top)
            && (open.round || open.hanging)
            && !(own.is_some() && word == "}" && !open.round)
        {
            // The first token of what the bracket holds may stand below what follows the bracket.
            if line.tokens.is_empty() {
                return lines[open.line].new_indent + self.unit;
            }
            if line.old_indent == open.old_column && word != ")" && word != "]" {
                return open.new_column;
            }
            return moved(open.line);
        }
        let block = self.open.get(self.state.top);
        if own.is_some() && word == "}" {
            return block.map_or(0, |open| lines[open.base].new_indent);
        }
        let is_label = leading.is_some_and(|token| {
            matches!(word, "case" | "default") && self.label_follows(lines, index, token.start)
        });
        if is_label {
            return self.label(lines, index);
        }
        if let Some(token) = own {
            if let Some(&owner) = self.context.elses.get(&token.start) {
                return lines[line_of(lines, owner)].new_indent;
            }
            if let Some(&owner) = self.context.bodies.get(&token.start) {
                let owner = lines[line_of(lines, owner)].new_indent;
                return if word == "{" { owner } else { owner + self.unit };
            }
            if word == "{" && !self.state.fresh {
                return lines[self.state.statement].new_indent;
            }
        }
        if !self.state.fresh && !line.tokens.is_empty() {
            return moved(self.state.statement);
        }
        let unit = self.unit;
        self.open.get_mut(self.state.top).map_or(0, |open| {
            // `struct S { int a;` above `int b;`: the second decides where all stand.
            if std::mem::take(&mut open.followed) && line.old_indent == open.old_column {
                open.inner = open.new_column;
            }
            open.labels.map_or(open.inner, |labels| labels + unit)
        })
    }

    /// Whether `case` or `default` begins a label of the current block.
    fn label_follows(&self, lines: &[Line], index: usize, start: usize) -> bool {
        let line = line_of(lines, start);
        line >= index
            && lines[line]
                .tokens
                .iter()
                .zip(&lines[line].roles)
                .any(|(token, role)| token.start > start && *role == Role::LabelColon)
    }

    /// Labels stand below the `switch` or one level in, as the first one does.
    fn label(&mut self, lines: &[Line], index: usize) -> usize {
        let unit = self.unit;
        let Some(open) = self.open.get_mut(self.state.top) else { return 0 };
        let base = &lines[open.base];
        *open.labels.get_or_insert_with(|| {
            if lines[index].old_indent > base.old_indent { base.new_indent + unit } else { base.new_indent }
        })
    }

    /// Follows brackets and statements through a line.
    fn take_in(&mut self, lines: &[Line], index: usize) {
        let line = &lines[index];
        let mut column = line.new_indent;
        for (at, token) in line.tokens.iter().enumerate() {
            if at > 0 {
                column += token.gap;
            }
            column += token.width(self.text);
            let Some(role) = line.roles.get(at).copied() else { continue };
            if role == Role::Comment {
                continue;
            }
            let in_round = self.open.get(self.state.top).is_some_and(|open| open.round);
            let begins = self.context.bodies.contains_key(&token.start)
                || self.context.elses.contains_key(&token.start);
            // A brace belongs to the statement before it, which may have begun lines ago.
            let begins = begins && role != Role::OpenBrace;
            if !in_round && (self.state.fresh || begins) && role != Role::CloseBrace {
                self.state.statement = index;
            }
            self.state.fresh = false;
            match role {
                Role::Open | Role::OpenIndex | Role::OpenBrace => {
                    let round = role != Role::OpenBrace;
                    let base = if in_round { index } else { self.state.statement };
                    let last = line.tokens[at + 1..].iter().all(super::lines::Token::is_comment);
                    let list = !round && self.begins_list(lines, index, at);
                    self.open.push(Open {
                        round,
                        line: index,
                        base,
                        old_column: token.old_column
                            + 1
                            + line.tokens.get(at + 1).map_or(0, |next| next.old_gap),
                        new_column: column + line.tokens.get(at + 1).map_or(0, |next| next.gap),
                        inner: lines[base].new_indent + self.unit,
                        labels: None,
                        hanging: list && !last,
                        // Distances are for columns that go on in other lines.
                        followed: !round
                            && !list
                            && line.tokens.get(at + 1).is_some_and(|next| !last && next.old_gap <= 1),
                        list,
                        statement: self.state.statement,
                        below: self.state.top,
                    });
                    self.state.top = self.open.len() - 1;
                    self.state.fresh = !round;
                }
                Role::Close => self.close(true),
                Role::CloseBrace => {
                    self.close(false);
                    self.state.fresh = true;
                    self.state.statement = index;
                }
                Role::Semicolon | Role::LabelColon if !in_round => self.state.fresh = true,
                Role::Comma if !in_round && self.state.top != NOTHING => {
                    // The next element of a list begins.
                    self.state.fresh = self.open.get(self.state.top).is_some_and(|open| open.list);
                }
                _ => {}
            }
        }
    }

    /// Whether a brace holds values: `=`, `,`, `(`, `]` or another brace stands before it.
    fn begins_list(&self, lines: &[Line], line: usize, at: usize) -> bool {
        let before = at
            .checked_sub(1)
            .and_then(|at| lines[line].tokens.get(at))
            .or_else(|| lines[..line].iter().rev().take(NEAR).find_map(|line| line.tokens.last()));
        before.is_some_and(|token| match token.text(self.text) {
            "=" | "," | "(" | "]" => true,
            // In a block, another block.
            "{" => self.open.get(self.state.top).is_some_and(|open| open.list),
            _ => false,
        })
    }

    fn close(&mut self, round: bool) {
        // One that nothing opened closes nothing.
        let mut at = self.state.top;
        for _ in 0..PATIENCE {
            let Some(open) = self.open.get(at) else { return };
            if open.round == round {
                self.state.top = open.below;
                self.state.statement = open.statement;
                return;
            }
            at = open.below;
        }
    }
}

/// How many lines are looked at for what stands next to a comment or a brace.
const NEAR: usize = 64;
/// A closing bracket looks past this many open ones that were never closed.
const PATIENCE: usize = 16;

fn shifted(indent: usize, old: usize, new: usize) -> usize {
    (indent + new).saturating_sub(old)
}

fn line_of(lines: &[Line], offset: usize) -> usize {
    lines.partition_point(|line| line.start <= offset).saturating_sub(1)
}
