//! What was aligned stays aligned: tokens of one sort that start at one column on neighbouring lines of code, when at least one of them
//! has more than a blank before it.

use super::lines::{Kind, Line, Token};
use super::spacing::Role;

pub fn decide(text: &str, lines: &mut [Line]) {
    let mut groups = groups(text, lines);
    // From left to right, because what stands to the left moves what follows.
    groups.sort_by_key(|group| group.column);
    let mut ends = Ends(lines.iter().map(|line| (0, line.new_indent)).collect());
    for group in &groups {
        // A column that three lines agree on, and that of comments, is the author's; two keep no more distance than they need.
        let many = group.members.len() > 2;
        let distance = |&(line, token): &(usize, usize)| {
            let token = &lines[line].tokens[token];
            if many || token.is_comment() { token.old_gap } else { 1 }
        };
        let spare = group.members.iter().map(distance).min().unwrap_or(1).max(1);
        let column = group
            .members
            .iter()
            .map(|&(line, token)| ends.before(text, &lines[line], line, token) + spare)
            .max()
            .unwrap_or(0);
        for &(line, token) in &group.members {
            let gap = column - ends.before(text, &lines[line], line, token);
            lines[line].tokens[token].gap = gap;
        }
    }
}

/// For each line how many of its tokens were passed, and where the last of them ends, as it will be.
struct Ends(Vec<(usize, usize)>);

impl Ends {
    /// Where the token before one ends. On each line, tokens are asked about from left to right.
    fn before(&mut self, text: &str, line: &Line, index: usize, token: usize) -> usize {
        let (passed, column) = &mut self.0[index];
        for at in *passed..token {
            let gap = if at > 0 { line.tokens[at].gap } else { 0 };
            *column += gap + line.tokens[at].width(text);
        }
        *passed = token;
        *column
    }
}

/// Lines with more tokens are no rows of a table that anybody reads.
const LONGEST: usize = 256;

struct Group {
    column: usize,
    /// Line and token.
    members: Vec<(usize, usize)>,
}

fn groups(text: &str, lines: &[Line]) -> Vec<Group> {
    let mut done: Vec<Group> = Vec::new();
    // Those that the next line may continue.
    let mut growing: Vec<Group> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        // Blank lines, comments and directives stand between the lines of a table.
        if line.directive.is_some() || line.tokens.iter().all(Token::is_comment) {
            continue;
        }
        let usable = !line.untouched && !line.keeps_indent && line.tokens.len() <= LONGEST;
        let mut continued = Vec::new();
        for (at, token) in line.tokens.iter().enumerate().skip(1).filter(|_| usable) {
            // Nothing is aligned that touches what stands before it.
            let bracketed = matches!(line.roles.get(at), Some(Role::Close | Role::Comma))
                || matches!(line.roles.get(at - 1), Some(Role::Open | Role::OpenIndex));
            if token.old_gap == 0 || token.gap == 0 || bracketed {
                continue;
            }
            let position = growing.iter().position(|group| {
                let (above, other) = group.members[group.members.len() - 1];
                // Code that moves to another level was below the other by accident.
                let together = token.is_comment() || moves_with(&lines[above], line);
                group.column == token.old_column
                    && together
                    && alike(text, &lines[above].tokens[other], token)
            });
            let mut group = match position {
                Some(position) => growing.swap_remove(position),
                None => Group { column: token.old_column, members: Vec::new() },
            };
            group.members.push((index, at));
            continued.push(group);
        }
        done.append(&mut growing);
        growing = continued;
    }
    done.append(&mut growing);
    done.retain(|group| {
        group.members.len() > 1
            && group.members.iter().any(|&(line, token)| lines[line].tokens[token].old_gap > 1)
    });
    done
}

fn moves_with(a: &Line, b: &Line) -> bool {
    a.old_indent + b.new_indent == b.old_indent + a.new_indent
}

fn alike(text: &str, a: &Token, b: &Token) -> bool {
    match (a.kind, b.kind) {
        (Kind::LineComment | Kind::BlockComment, Kind::LineComment | Kind::BlockComment) => true,
        (Kind::Token(a_kind), Kind::Token(b_kind)) if a_kind == b_kind => {
            use coopmat_analysis::lex::TokenKind::*;
            match a_kind {
                Identifier | Number | String => true,
                LeftParen | RightParen | Comma | Hash | HashHash | Punctuation | Unknown => {
                    a.text(text) == b.text(text)
                }
            }
        }
        _ => false,
    }
}
