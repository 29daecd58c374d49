//! What an editor may ask: a random request about a random place of a document.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::document::Document;
use crate::random::Random;
use crate::text::Lines;

pub struct Request {
    pub method: &'static str,
    pub params: Value,
}

/// How often each method is asked for; those that look at the whole workspace seldom.
const METHODS: &[(usize, &str)] = &[
    (14, "textDocument/hover"),
    (14, "textDocument/completion"),
    (6, "textDocument/signatureHelp"),
    (6, "textDocument/definition"),
    (2, "textDocument/declaration"),
    (2, "textDocument/typeDefinition"),
    (2, "textDocument/implementation"),
    (4, "textDocument/documentHighlight"),
    (4, "textDocument/documentSymbol"),
    (2, "textDocument/prepareCallHierarchy"),
    (6, "textDocument/prepareRename"),
    (8, "textDocument/codeAction"),
    (4, "textDocument/codeLens"),
    (4, "textDocument/semanticTokens/full"),
    (10, "textDocument/semanticTokens/full/delta"),
    (4, "textDocument/semanticTokens/range"),
    (6, "textDocument/inlayHint"),
    (2, "textDocument/inlineValue"),
    (4, "textDocument/foldingRange"),
    (4, "textDocument/selectionRange"),
    (4, "textDocument/formatting"),
    (3, "textDocument/rangeFormatting"),
    (3, "textDocument/onTypeFormatting"),
    (2, "textDocument/documentLink"),
    (8, "textDocument/diagnostic"),
    (6, "coopmat-analyzer/spirv"),
    (3, "coopmat-analyzer/spirvLines"),
    (3, "coopmat-analyzer/documentState"),
    (2, "coopmat-analyzer/configurations"),
    (1, "coopmat-analyzer/portability"),
    (1, "coopmat-analyzer/run"),
    (1, "textDocument/references"),
    (1, "textDocument/rename"),
    (1, "workspace/symbol"),
];

/// `searches`: whether those that read the whole workspace may come.
pub fn choose(document: &Document, random: &mut Random, searches: bool) -> Request {
    let total: usize = METHODS.iter().map(|(weight, _)| weight).sum();
    let mut left = random.below(total);
    let mut method = METHODS[0].1;
    for (weight, name) in METHODS {
        if left < *weight {
            method = name;
            break;
        }
        left -= weight;
    }
    let expensive = matches!(method, "textDocument/references" | "textDocument/rename" | "workspace/symbol");
    if expensive && !searches && !random.once_in(16) {
        method = "textDocument/hover";
    }
    if method == "textDocument/semanticTokens/full/delta" && document.tokens.is_none() {
        method = "textDocument/semanticTokens/full";
    }
    Request { method, params: params(method, document, random) }
}

/// The parameters of a method, about a random place.
fn params(method: &str, document: &Document, random: &mut Random) -> Value {
    let text: Arc<str> = document.text.clone();
    let lines = Lines::of(&text);
    let identifier = json!({"uri": document.uri});
    let position = |at: usize| lines.position(at).map(|position| position.json());
    let first = document.place(random);
    let mut second = first;
    if random.once_in(2) {
        second = document.place(random);
    }
    let at = position(word(&text, first, random));
    let range = json!({"start": position(first.min(second)), "end": position(first.max(second))});
    match method {
        "textDocument/codeAction" => {
            json!({"textDocument": identifier, "range": range, "context": {"diagnostics": []}})
        }
        "textDocument/semanticTokens/range" | "textDocument/inlayHint" => {
            json!({"textDocument": identifier, "range": range})
        }
        "textDocument/inlineValue" => {
            let context = json!({"frameId": 1, "stoppedLocation": {"start": at, "end": at}});
            json!({"textDocument": identifier, "range": range, "context": context})
        }
        "textDocument/semanticTokens/full/delta" => {
            let known = document.tokens.as_ref().map(|(name, _)| name.clone());
            json!({"textDocument": identifier, "previousResultId": known})
        }
        "textDocument/formatting" => json!({"textDocument": identifier, "options": formatting(random)}),
        "textDocument/rangeFormatting" => {
            json!({"textDocument": identifier, "range": range, "options": formatting(random)})
        }
        "textDocument/onTypeFormatting" => {
            let char = random.pick(&["}", ";", "\n"]).copied();
            json!({"textDocument": identifier, "position": at, "ch": char, "options": formatting(random)})
        }
        "textDocument/selectionRange" => json!({"textDocument": identifier, "positions": [at]}),
        "textDocument/references" => {
            json!({"textDocument": identifier, "position": at, "context": {"includeDeclaration": true}})
        }
        "textDocument/rename" => {
            let name = random.pick(&["renamed", "x", "int", "a b", "Ähre"]).copied();
            json!({"textDocument": identifier, "position": at, "newName": name})
        }
        "workspace/symbol" => json!({"query": random.pick(&["load", "mul", "main", "zz"]).copied()}),
        "coopmat-analyzer/spirv" => {
            let statistics = random.once_in(4);
            let options = json!({"optimise": random.once_in(3), "sourceComments": random.once_in(3)});
            match random.below(3) {
                0 => json!({"textDocument": identifier, "position": at, "options": options}),
                1 => {
                    json!({"textDocument": identifier, "options": options, "statistics": statistics, "follow": random.once_in(2)})
                }
                _ => json!({"textDocument": identifier, "statistics": statistics}),
            }
        }
        "coopmat-analyzer/spirvLines" => json!({"textDocument": identifier, "range": range}),
        "coopmat-analyzer/documentState" | "coopmat-analyzer/configurations" => identifier,
        "textDocument/semanticTokens/full"
        | "textDocument/documentSymbol"
        | "textDocument/codeLens"
        | "textDocument/foldingRange"
        | "textDocument/documentLink"
        | "textDocument/diagnostic"
        | "coopmat-analyzer/portability"
        | "coopmat-analyzer/run" => json!({"textDocument": identifier}),
        _ => json!({"textDocument": identifier, "position": at}),
    }
}

fn formatting(random: &mut Random) -> Value {
    json!({"tabSize": 1 + random.below(8), "insertSpaces": random.once_in(2)})
}

/// The start of the next word after a place, mostly: there is more to say about words than about spaces.
fn word(text: &str, at: usize, random: &mut Random) -> usize {
    if random.once_in(5) {
        return at;
    }
    let rest = &text[at..];
    let gap = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(0);
    let start = rest[gap..].find(|char: char| char.is_ascii_alphabetic()).map(|found| at + gap + found);
    start.unwrap_or(at)
}
