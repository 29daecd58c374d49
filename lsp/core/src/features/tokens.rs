//! `textDocument/semanticTokens`: of a whole document, as the difference to what the client has, and of a range.

use coopmat_analysis::text::{TextRange, TextSize};
use coopmat_ide::tokens::{Modifiers, Token, TokenKind, tokens};
use tower_lsp::ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensDelta,
    SemanticTokensDeltaParams, SemanticTokensEdit, SemanticTokensFullDeltaResult, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions, SemanticTokensParams, SemanticTokensRangeParams,
    SemanticTokensRangeResult, SemanticTokensResult,
};

use crate::client::ClientFeatures;
use crate::settings::LexicalTokens;
use crate::snapshot::Snapshot;

pub fn capability(client: &ClientFeatures) -> SemanticTokensOptions {
    SemanticTokensOptions {
        legend: SemanticTokensLegend {
            token_types: TokenKind::ALL.iter().map(|kind| SemanticTokenType::new(kind.name())).collect(),
            token_modifiers: Modifiers::NAMES.into_iter().map(SemanticTokenModifier::new).collect(),
        },
        range: client.range_tokens.then_some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        ..SemanticTokensOptions::default()
    }
}

pub fn full(snapshot: &Snapshot, _: &SemanticTokensParams) -> Option<SemanticTokensResult> {
    let (result_id, data) = whole(snapshot);
    snapshot.document.last_tokens.replace(&result_id, &data);
    Some(SemanticTokens { result_id: Some(result_id), data }.into())
}

pub fn delta(
    snapshot: &Snapshot,
    params: &SemanticTokensDeltaParams,
) -> Option<SemanticTokensFullDeltaResult> {
    let (result_id, data) = whole(snapshot);
    let before = snapshot.document.last_tokens.replace(&result_id, &data);
    Some(match before {
        Some((id, before)) if id == params.previous_result_id => {
            let edits = edit(&before, &data).into_iter().collect();
            SemanticTokensDelta { result_id: Some(result_id), edits }.into()
        }
        _ => SemanticTokens { result_id: Some(result_id), data }.into(),
    })
}

pub fn range(snapshot: &Snapshot, params: &SemanticTokensRangeParams) -> Option<SemanticTokensRangeResult> {
    let (start, end) =
        (snapshot.position(params.range.start).offset, snapshot.position(params.range.end).offset);
    let data = encoded(snapshot, Some(TextRange::new(start, end.max(start))));
    Some(SemanticTokens { result_id: None, data }.into())
}

fn whole(snapshot: &Snapshot) -> (String, Vec<SemanticToken>) {
    let data = encoded(snapshot, None);
    (format!("{:016x}", hash(&data)), data)
}

/// Equal for equal tokens: 64-bit FNV-1a over their numbers.
fn hash(tokens: &[SemanticToken]) -> u64 {
    let numbers = tokens.iter().flat_map(|token| {
        [token.delta_line, token.delta_start, token.length, token.token_type, token.token_modifiers_bitset]
    });
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, number| {
        (hash ^ u64::from(number)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The one edit that makes the new tokens of the old ones: what lies between their common beginning and end.
fn edit(old: &[SemanticToken], new: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    const NUMBERS: usize = 5;
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[prefix..], &new[prefix..]);
    if old.is_empty() && new.is_empty() {
        return None;
    }
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (removed, added) = (old.len() - suffix, &new[..new.len() - suffix]);
    Some(SemanticTokensEdit {
        start: (prefix * NUMBERS) as u32,
        delete_count: (removed * NUMBERS) as u32,
        data: (!added.is_empty()).then(|| added.to_vec()),
    })
}

fn encoded(snapshot: &Snapshot, within: Option<TextRange>) -> Vec<SemanticToken> {
    let lexical = match snapshot.settings.semantic_tokens.lexical {
        LexicalTokens::Always => true,
        LexicalTokens::Never => false,
        LexicalTokens::Auto => !snapshot.client.augments_syntax_tokens,
    };
    let mut data = Vec::new();
    let mut last = (0, 0);
    let mut words = tokens(&snapshot.analysis, snapshot.file, snapshot.document.surface(), within);
    words.retain(|token| lexical || !token.kind.is_lexical());
    if !snapshot.client.dims_by_hints {
        // Words and these do not overlap: words in there have no tokens.
        words.extend(left_out(snapshot, within));
        words.sort_by_key(|token| token.range.start());
    }
    for token in words {
        // Comments alone go over several lines, and words that a line's end is escaped in.
        let text = &snapshot.document.text;
        let one_line = || {
            let inside = text.get(std::ops::Range::<usize>::from(token.range));
            inside.is_some_and(|inside| !inside.bytes().any(|byte| matches!(byte, b'\n' | b'\r')))
        };
        if snapshot.client.multiline_tokens || one_line() {
            push(snapshot, &mut data, &mut last, token.range, &token);
            continue;
        }
        for part in lines_of(text, token.range) {
            push(snapshot, &mut data, &mut last, part, &token);
        }
    }
    data
}

/// The lines that the configuration leaves out, as comments.
fn left_out(snapshot: &Snapshot, within: Option<TextRange>) -> impl Iterator<Item = Token> {
    let inactive = snapshot.analysis.preprocessed.inactive.iter();
    let regions = inactive.filter(|region| region.file == snapshot.file).map(|region| region.range);
    regions.flat_map(|region| lines_of(&snapshot.document.text, region)).filter_map(move |line| {
        let text = snapshot.document.text.get(std::ops::Range::<usize>::from(line))?;
        let blank = text.len() - text.trim_start().len();
        let range = TextRange::new(line.start() + TextSize::new(blank as u32), line.end());
        let wanted = within.is_none_or(|within| range.start() < within.end() && within.start() < range.end());
        let token = Token { range, kind: TokenKind::Comment, modifiers: Modifiers::NONE };
        (wanted && !range.is_empty()).then_some(token)
    })
}

fn push(
    snapshot: &Snapshot,
    data: &mut Vec<SemanticToken>,
    last: &mut (u32, u32),
    part: TextRange,
    token: &Token,
) {
    let (document, encoding) = (&snapshot.document, snapshot.encoding);
    let range = document.lines.range(&document.text, part, encoding);
    let length = if range.start.line == range.end.line {
        range.end.character - range.start.character
    } else {
        // Counted through the line ends, as the protocol has it for such tokens.
        encoding.length(document.text.get(std::ops::Range::from(part)).unwrap_or_default()) as u32
    };
    let (line, character) = (range.start.line, range.start.character);
    data.push(SemanticToken {
        delta_line: line - last.0,
        delta_start: if line == last.0 { character - last.1 } else { character },
        length,
        token_type: TokenKind::ALL.iter().position(|kind| *kind == token.kind).unwrap_or_default() as u32,
        token_modifiers_bitset: token.modifiers.0,
    });
    *last = (line, character);
}

/// The pieces of a range on each line, without what is empty.
fn lines_of(text: &str, range: TextRange) -> Vec<TextRange> {
    let Some(inside) = text.get(std::ops::Range::<usize>::from(range)) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut start = range.start();
    for line in inside.split_inclusive(['\n', '\r']) {
        let shown = line.trim_end_matches(['\n', '\r']);
        if !shown.is_empty() {
            parts.push(TextRange::at(start, TextSize::of(shown)));
        }
        start += TextSize::of(line);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(length: u32) -> SemanticToken {
        SemanticToken { delta_line: 0, delta_start: 1, length, token_type: 0, token_modifiers_bitset: 0 }
    }

    #[test]
    fn an_edit_holds_what_differs() {
        let old = [1, 2, 3, 4].map(token);
        let new = [1, 7, 8, 3, 4].map(token);
        let found = edit(&old, &new).unwrap();
        assert_eq!((found.start, found.delete_count), (5, 5));
        assert_eq!(found.data, Some([7, 8].map(token).to_vec()));
        assert_eq!(edit(&old, &old), None);
        let found = edit(&old, &old[..3]).unwrap();
        assert_eq!((found.start, found.delete_count, found.data), (15, 5, None));
        // What repeats is not counted for both ends.
        let found = edit(&[1, 1].map(token), &[1, 1, 1].map(token)).unwrap();
        assert_eq!((found.start, found.delete_count, found.data.map(|data| data.len())), (10, 0, Some(1)));
    }

    #[test]
    fn the_id_of_tokens_changes_with_each_number() {
        let tokens = [1, 2].map(token);
        assert_eq!(hash(&tokens), hash(&tokens.clone()));
        for other in [[2, 1], [1, 3], [0, 2]] {
            assert_ne!(hash(&tokens), hash(&other.map(token)));
        }
        assert_ne!(hash(&tokens), hash(&tokens[..1]));
    }

    #[test]
    fn a_comment_has_a_piece_on_each_line() {
        let text = "x /* a\r\n\n b */";
        let pieces = lines_of(text, TextRange::new(TextSize::new(2), TextSize::of(text)));
        let pieces: Vec<_> =
            pieces.into_iter().map(|range| &text[std::ops::Range::<usize>::from(range)]).collect();
        assert_eq!(pieces, ["/* a", " b */"]);
    }
}
