//! What stands between two tokens of a line: nothing, a blank, or what the author put there.

use super::context::Context;
use super::lines::{Kind, Line, Token};
use coopmat_analysis::lex::{TokenKind, lexeme_at};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    Nothing,
    Blank,
    /// As it is, but one blank at most.
    Either,
    /// As it is.
    Kept,
}

pub fn decide(text: &str, lines: &mut [Line], context: &Context) {
    // Whether what came last can be the left side of an operator, also on the line before.
    let mut operand = false;
    for line in lines {
        if line.keeps_indent && line.directive.is_some() {
            continue;
        }
        line.roles.clear();
        for index in 0..line.tokens.len() {
            let role = role(text, &line.tokens[index], operand, context);
            if index > 0 && !line.untouched {
                let before = Neighbour { token: line.tokens[index - 1], role: line_role(line, index - 1) };
                let after = Neighbour { token: line.tokens[index], role };
                let next = line.tokens.get(index + 1).copied();
                line.tokens[index].gap = columns(text, &before, &after, next);
            }
            line.roles.push(role);
            operand = match role {
                Role::Comment => operand,
                Role::Word | Role::Number | Role::Close | Role::Postfix | Role::String => true,
                _ => false,
            };
        }
        if !line.untouched {
            balance(line);
        }
    }
}

/// What a token is to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Comment,
    Word,
    /// `if`, `for`, `while`, `switch`, `return`, `case`, `else`, `do`.
    Control,
    Number,
    String,
    Open,
    /// `[`
    OpenIndex,
    Close,
    OpenBrace,
    CloseBrace,
    Comma,
    Semicolon,
    Dot,
    /// `<` and `>` of a type.
    OpenAngle,
    CloseAngle,
    Prefix,
    Postfix,
    /// Arithmetic, which may stand tight.
    Arithmetic,
    /// Assignments, comparisons, `&&`, `?`, the colon of `?`.
    Operator,
    LabelColon,
    Unknown,
}

struct Neighbour {
    token: Token,
    role: Role,
}

fn role(text: &str, token: &Token, operand: bool, context: &Context) -> Role {
    let kind = match token.kind {
        Kind::LineComment | Kind::BlockComment => return Role::Comment,
        Kind::Token(kind) => kind,
    };
    match kind {
        TokenKind::Identifier => match token.text(text) {
            "if" | "for" | "while" | "switch" | "return" | "case" | "else" | "do" => Role::Control,
            _ => Role::Word,
        },
        TokenKind::Number => Role::Number,
        TokenKind::String => Role::String,
        TokenKind::LeftParen => Role::Open,
        TokenKind::RightParen => Role::Close,
        TokenKind::Comma => Role::Comma,
        TokenKind::Hash | TokenKind::HashHash | TokenKind::Unknown => Role::Unknown,
        TokenKind::Punctuation => match token.text(text) {
            "[" => Role::OpenIndex,
            "]" => Role::Close,
            "{" => Role::OpenBrace,
            "}" => Role::CloseBrace,
            ";" => Role::Semicolon,
            "." => Role::Dot,
            ":" if context.labels.contains(&token.start) => Role::LabelColon,
            "<" if context.angles.contains(&token.start) => Role::OpenAngle,
            ">" if context.angles.contains(&token.start) => Role::CloseAngle,
            "<" | ">" if context.comparisons.contains(&token.start) => Role::Operator,
            "<" | ">" => Role::Unknown,
            "++" | "--" if operand => Role::Postfix,
            "++" | "--" | "!" | "~" => Role::Prefix,
            "+" | "-" if !operand => Role::Prefix,
            "+" | "-" | "*" | "/" | "%" | "<<" | ">>" | "&" | "|" | "^" => Role::Arithmetic,
            _ => Role::Operator,
        },
    }
}

fn columns(text: &str, before: &Neighbour, after: &Neighbour, next: Option<Token>) -> usize {
    let old = after.token.old_gap;
    let gap = match gap(before, after, old) {
        // `q[i    ]` above `q[i + 1]`
        Gap::Nothing
            if old > 1 && (is_open(before.role) || matches!(after.role, Role::Close | Role::Comma)) =>
        {
            return old;
        }
        Gap::Nothing => 0,
        // A table of numbers is the author's.
        Gap::Blank if before_number(text, before) && starts_number(text, after, next) => return old.max(1),
        Gap::Either if before_number(text, before) && starts_number(text, after, next) => return old,
        Gap::Blank => 1,
        Gap::Either => old.min(1),
        Gap::Kept => old,
    };
    // What would become one token stays apart.
    if gap == 0 && old > 0 && merges(text, &before.token, &after.token) {
        return old;
    }
    gap
}

fn is_open(role: Role) -> bool {
    matches!(role, Role::Open | Role::OpenIndex)
}

/// Behind a comma, a comparison, a sum: not behind an assignment.
fn before_number(text: &str, before: &Neighbour) -> bool {
    let word = before.token.text(text);
    match before.role {
        Role::Comma | Role::Arithmetic => true,
        Role::Operator => !word.ends_with('=') || matches!(word, "==" | "!=" | "<=" | ">="),
        _ => false,
    }
}

fn starts_number(text: &str, token: &Neighbour, next: Option<Token>) -> bool {
    token.role == Role::Number
        || token.role == Role::Prefix
            && token.token.text(text) == "-"
            && next.is_some_and(|next| next.kind == Kind::Token(TokenKind::Number))
}

fn merges(text: &str, before: &Token, after: &Token) -> bool {
    let (left, right) = (before.text(text), after.text(text));
    let joined = format!("{left}{right}");
    lexeme_at(&joined, 0).is_none_or(|first| first.end != left.len())
        || lexeme_at(&joined, left.len()).is_none_or(|second| second.end != joined.len())
}

fn gap(before: &Neighbour, after: &Neighbour, old: usize) -> Gap {
    use Role::*;
    match (before.role, after.role) {
        (_, Comment) if after.token.kind == Kind::LineComment && old == 0 => Gap::Blank,
        (Comment, _) | (_, Comment) | (Unknown, _) | (_, Unknown) | (String, _) | (_, String) => Gap::Kept,
        (Semicolon, Semicolon) | (Open | OpenIndex, Semicolon) | (Semicolon, Close) => Gap::Either,
        (_, Semicolon | Comma | Close | Postfix) => Gap::Nothing,
        (Open | OpenIndex | Dot | Prefix | OpenAngle, _) => Gap::Nothing,
        (_, Dot | CloseAngle | LabelColon) => Gap::Nothing,
        (Word, OpenAngle) => Gap::Nothing,
        (_, OpenAngle) => Gap::Kept,
        (OpenBrace, _) | (_, CloseBrace) => Gap::Either,
        (_, OpenBrace) => Gap::Blank,
        (Control, _) => Gap::Blank,
        (Word, OpenIndex) => Gap::Nothing,
        (Close | CloseAngle | Postfix | Number, OpenIndex) => Gap::Either,
        // `layout (binding = 0)` and `layout(binding = 0)` are both at home.
        (Word, Open) => Gap::Either,
        (Close | CloseAngle, Open) => Gap::Nothing,
        (Postfix | Number, Open) => Gap::Either,
        (Arithmetic, _) | (_, Arithmetic) => Gap::Either,
        (Comma | Semicolon | CloseBrace | LabelColon | Operator, _) | (_, Operator) => Gap::Blank,
        (Word | Number | Close | CloseAngle | Postfix, Word | Number | Control | Prefix) => Gap::Blank,
    }
}

fn line_role(line: &Line, index: usize) -> Role {
    line.roles.get(index).copied().unwrap_or(Role::Unknown)
}

/// An arithmetic operator with a blank on one side gets one on the other.
fn balance(line: &mut Line) {
    for index in 1..line.tokens.len() {
        if line_role(line, index) != Role::Arithmetic {
            continue;
        }
        let Some(after) = line.tokens.get(index + 1).copied() else {
            // At the end of a line only its left side shows.
            line.tokens[index].gap = 1;
            continue;
        };
        if after.is_comment() {
            continue;
        }
        let tight = line.tokens[index].gap == 0 && after.gap == 0;
        if !tight {
            line.tokens[index].gap = 1;
            line.tokens[index + 1].gap = after.gap.max(1);
        }
    }
}
