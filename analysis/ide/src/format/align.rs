//! What was aligned stays aligned: tokens of one sort that start at one column on neighbouring lines of code, when at least one of them
//! has more than a blank before it.

use super::lines::{Kind, Line, Token};
use super::spacing::Role;

pub fn decide(text: &str, lines: &mut [Line]) {
    let mut groups = groups(text, lines);
    // From left to right, because what stands to the left moves what follows.
    groups.sort_by_key(|group| group.column);
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
            .map(|&(line, token)| end_before(text, &lines[line], token) + spare)
            .max()
            .unwrap_or(0);
        for &(line, token) in &group.members {
            let gap = column - end_before(text, &lines[line], token);
            lines[line].tokens[token].gap = gap;
        }
    }
}

/// Where the token before one ends, as it will be.
fn end_before(text: &str, line: &Line, token: usize) -> usize {
    let before = &line.tokens[..token];
    let gaps: usize = before.iter().skip(1).map(|token| token.gap).sum();
    let widths: usize = before.iter().map(|token| token.width(text)).sum();
    line.new_indent + gaps + widths
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
                let (line, other) = group.members[group.members.len() - 1];
                group.column == token.old_column && alike(text, &lines[line].tokens[other], token)
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
