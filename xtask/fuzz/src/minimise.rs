//! Makes a failing input small: pieces are taken out, large ones first, as long as it goes on failing in the same way.

use coopmat_analysis::lex::lexemes;

use crate::input::EDIT;
use crate::target::Unit;

/// The most runs that are spent on one input.
const RUNS: usize = 3000;

/// Makes an input smaller; `fails` tells whether one still fails as the first did.
pub fn minimise(input: &[u8], unit: Unit, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut left = RUNS;
    let mut try_once = |candidate: &[u8]| {
        left = left.saturating_sub(1);
        left > 0 && fails(candidate)
    };
    let mut best = input.to_vec();
    loop {
        let before = best.len();
        best = match unit {
            Unit::Text => text(&best, &mut try_once),
            Unit::Words => {
                pieces(best.chunks(4).map(<[u8]>::to_vec).collect(), &mut |parts| try_once(&parts.concat()))
                    .concat()
            }
        };
        if best.len() == before {
            return best;
        }
    }
}

/// Edits that are not needed, then the same lines of all texts, then lines, then tokens.
fn text(input: &[u8], fails: &mut dyn FnMut(&[u8]) -> bool) -> Vec<u8> {
    let Ok(input) = std::str::from_utf8(input) else {
        return pieces(input.iter().map(|&byte| vec![byte]).collect(), &mut |parts| fails(&parts.concat()))
            .concat();
    };
    let mut texts: Vec<String> = input.split(EDIT).map(str::to_owned).collect();
    texts = pieces(texts, &mut |texts| fails(texts.join(EDIT).as_bytes()));
    if texts.len() > 1 {
        texts = together(texts, &mut |texts| fails(texts.join(EDIT).as_bytes()));
    }
    for cut in [lines, tokens] {
        for index in 0..texts.len() {
            let parts = pieces(cut(&texts[index]), &mut |parts| {
                let mut changed = texts.clone();
                changed[index] = parts.concat();
                fails(changed.join(EDIT).as_bytes())
            });
            texts[index] = parts.concat();
        }
    }
    texts.join(EDIT).into_bytes()
}

fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

fn tokens(text: &str) -> Vec<String> {
    lexemes(text).map(|lexeme| text[lexeme.start..lexeme.end].to_owned()).collect()
}

/// Takes the same lines out of all texts at once: what an edit does not touch.
fn together(texts: Vec<String>, fails: &mut dyn FnMut(&[String]) -> bool) -> Vec<String> {
    let mut texts = texts;
    let first = lines(&texts[0]);
    let mut size = (first.len() / 2).max(1);
    loop {
        let mut at = 0;
        let mut current = lines(&texts[0]);
        while at < current.len() {
            let end = (at + size).min(current.len());
            let piece = current[at..end].concat();
            let shared = !piece.is_empty() && texts.iter().all(|text| text.contains(&piece));
            let without: Vec<String> = texts.iter().map(|text| text.replacen(&piece, "", 1)).collect();
            if shared && fails(&without) {
                texts = without;
                current.drain(at..end);
            } else {
                at = end;
            }
        }
        if size == 1 {
            return texts;
        }
        size /= 2;
    }
}

/// Leaves out pieces, in halves, quarters and so on.
fn pieces<T: Clone>(parts: Vec<T>, fails: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    let mut parts = parts;
    let mut size = (parts.len() / 2).max(1);
    loop {
        let mut at = 0;
        while at < parts.len() && parts.len() > 1 {
            let end = (at + size).min(parts.len());
            let mut without = parts.clone();
            without.drain(at..end);
            if !without.is_empty() && fails(&without) {
                parts = without;
            } else {
                at = end;
            }
        }
        if size == 1 {
            return parts;
        }
        size /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_taken_out() {
        let input = "int a;\nvoid main() { bad(1, 2); int b; }\nint c;\n";
        let small =
            minimise(input.as_bytes(), Unit::Text, |text| String::from_utf8_lossy(text).contains("bad"));
        assert_eq!(String::from_utf8_lossy(&small), "bad");
    }

    #[test]
    fn an_edit_loses_what_both_texts_share() {
        let input = format!("int a;\nint x;\nint b;\n{EDIT}int a;\nint y;\nint b;\n");
        let small = minimise(input.as_bytes(), Unit::Text, |text| {
            let text = String::from_utf8_lossy(text);
            text.split_once(EDIT).is_some_and(|(one, other)| one.contains('x') && other.contains('y'))
        });
        assert_eq!(String::from_utf8_lossy(&small), format!("x{EDIT}y"));
    }

    #[test]
    fn words_stay_whole() {
        let input: Vec<u8> = (0..40).collect();
        let small = minimise(&input, Unit::Words, |bytes| bytes.chunks(4).any(|word| word == [8, 9, 10, 11]));
        assert_eq!(small, [8, 9, 10, 11]);
    }
}
