//! What kind of place a cursor stands in, described from the general to the close: by the bracket around it, the token before it, the two and the three before it,
//! and by the argument of the call.

use crate::site::{Site, Tok};
use crate::vocabulary::keywords::keyword;
use coopmat_analysis::extensions;
use coopmat_analysis::lex::TokenKind;

/// The kinds of places, the most general description.
pub const KINDS: [&str; 16] = [
    "top",
    "statement",
    "members",
    "values",
    "after",
    "first",
    "later",
    "index",
    "operand",
    "assigned",
    "layout",
    "type-argument",
    "member",
    "directive",
    "clause",
    "returned",
];

pub struct Context {
    /// Index in [`KINDS`].
    pub kind: usize,
    /// From the most general to the closest.
    pub keys: Vec<String>,
    /// The call around the place: what is called, and which argument is being written.
    pub call: Option<(String, usize)>,
    /// All words that stand here are the language's.
    pub of_language: bool,
}

/// Begins the description of what follows a `layout(...)`, by what that can belong to.
pub const LAYOUT: &str = "layout of ";

/// The kind of what follows a `.`.
pub const MEMBER: usize = 12;

/// The kind of what follows a `#`.
pub const DIRECTIVE: usize = 13;

/// Whether a word belongs to the language rather than to a program. Names in `layout(...)` do not: programs use them as well.
pub fn is_of_language(word: &str) -> bool {
    keyword(word).is_some()
        || extensions::type_(word).is_some()
        || extensions::constant(word).is_some()
        || extensions::variable(word, None).is_some()
        || extensions::functions(word).len() > 0
        || matches!(word, "true" | "false")
}

impl Context {
    pub fn new(site: &Site<'_>) -> Context {
        let tokens = &site.tokens;
        let count = tokens.len();
        let class = |index: usize| class(&tokens[index]);
        let frame = site.frame();
        let callee = frame.and_then(|frame| frame.index.checked_sub(1)).map(|index| &tokens[index]);
        let call = frame
            .filter(|frame| frame.bracket != '{')
            .zip(callee.filter(|callee| callee.is_name()))
            .map(|(frame, callee)| (callee.text.to_owned(), frame.commas));
        if let Some(directive) = site.directive
            && !matches!(directive.kind, coopmat_analysis::preprocess::DirectiveKind::Define)
        {
            let name = site.text.get(std::ops::Range::<usize>::from(directive.name)).unwrap_or_default();
            let named = site.offset > u32::from(directive.name.end());
            let key = if named { format!("#{name}") } else { "#".to_owned() };
            let keys = vec![KINDS[DIRECTIVE].to_owned(), key];
            return Context { kind: DIRECTIVE, keys, call, of_language: true };
        }
        // What the last token is, with what a bracket belongs to.
        let last = count.checked_sub(1).map(|index| {
            let own = class(index);
            let opener =
                matches!(own, ")" | "]").then(|| super::super::value::opener(tokens, index)).flatten();
            match opener.and_then(|open| open.checked_sub(1)).filter(|&before| tokens[before].is_name()) {
                Some(before) => format!("{}{own}", class(before)),
                None => own.to_owned(),
            }
        });
        let last = last.unwrap_or_default();
        let place = place(site, frame.map(|frame| frame.bracket), callee, &last);
        let mut keys = vec![place.to_owned(), format!("{place} {last}")];
        let asks =
            matches!(last.as_str(), "(" | "," | "<") && frame.is_some_and(|frame| frame.bracket != '{');
        match &call {
            // The argument of a call says more than the arguments before it.
            Some((callee, argument)) if asks => {
                if is_of_language(callee) || callee == "layout" {
                    let argument = if callee == "layout" { 0 } else { *argument };
                    keys.push(format!("{callee}#{argument}"));
                }
            }
            _ => {
                if last == "layout)" {
                    keys.extend(super::super::layouts::before(tokens).map(|of| format!("{LAYOUT}{of}")));
                } else if count > 1 {
                    keys.push(format!("{} {last}", class(count - 2)));
                    if count > 2 {
                        keys.push(format!("{} {} {last}", class(count - 3), class(count - 2)));
                    }
                }
            }
        }
        Context { kind: kind(place), keys, call, of_language: place == "layout" }
    }
}

fn kind(name: &str) -> usize {
    KINDS.iter().position(|kind| *kind == name).unwrap_or(0)
}

fn place(site: &Site<'_>, bracket: Option<char>, callee: Option<&Tok<'_>>, last: &str) -> &'static str {
    use super::super::position::{Block, block};
    match last {
        "." => return "member",
        "=" => return "assigned",
        "return" => return "returned",
        _ => {}
    }
    let starts = matches!(last, "" | ";" | "{" | "}");
    match bracket {
        Some('<') => "type-argument",
        Some('[') => {
            if last == "[" {
                "index"
            } else {
                "operand"
            }
        }
        Some('(') => match callee.map(|callee| callee.text) {
            Some("layout") => "layout",
            Some("for" | "if" | "while" | "switch") if matches!(last, "(" | ";") => "clause",
            _ if last == "(" => "first",
            _ if last == "," => "later",
            _ => "operand",
        },
        _ => match block(site) {
            _ if !starts && last != "," => {
                let word = last.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    || last.ends_with(')');
                if word { "after" } else { "operand" }
            }
            Block::None => "top",
            Block::Code => "statement",
            Block::Members => "members",
            Block::Values => "values",
        },
    }
}

/// A token as descriptions have it: words of the language as they are; of other names, only how they are spelled.
fn class<'a>(token: &Tok<'a>) -> &'a str {
    match token.kind {
        TokenKind::Identifier if is_of_language(token.text) => token.text,
        TokenKind::Identifier => spelling(token.text),
        TokenKind::Number => "0",
        TokenKind::String => "\"",
        _ => token.text,
    }
}

/// How a name of a program is spelled: in capitals, as constants and macros are, or not.
pub fn spelling(name: &str) -> &'static str {
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) { "n" } else { "N" }
}
