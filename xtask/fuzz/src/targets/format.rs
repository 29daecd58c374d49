//! Formatting: it changes no token and nothing a second time; its edits lie in the text.

use coopmat_analysis::lex::{LexemeKind, lexemes};
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{TextRange, TextSize};
use coopmat_ide::format::{Edit, FinalNewline, FormatOptions, apply, format, on_type};

use super::inputs::{damaged_shader, mutate_text, offsets};
use crate::check;
use crate::input::Input;
use crate::random::Random;
use crate::target::{Effort, Target, Unit};

pub const TARGET: Target = Target {
    name: "format",
    about: "whole files, ranges and typed characters: no token changes, and nothing the second time",
    unit: Unit::Text,
    run,
    generate: damaged_shader,
    mutate: mutate_text,
};

fn run(bytes: &[u8], effort: Effort) {
    let input = Input::read(bytes);
    let text = input.text();
    let mut random = Random::of(bytes);
    let tab_size = random.pick([0, 1, 2, 4, 4, 4, 8, 1000]);
    let options = FormatOptions {
        indent_size: random.pick([tab_size, tab_size, 4]),
        tab_size,
        insert_spaces: random.below(4) > 0,
        trim_trailing_whitespace: random.one_in(2),
        final_newline: random.pick([FinalNewline::Insert, FinalNewline::Keep, FinalNewline::Remove]),
        trim_final_newlines: random.one_in(2),
    };
    let surface = Surface::new(text.clone(), None);
    // A text whose tokens would change is left as it is, and its user told so.
    if let Ok(edits) = format(&surface, &options, None) {
        let once = applied(text, &edits, "formatting");
        let again = Surface::new(once.as_str().into(), None);
        let twice = format(&again, &options, None);
        assert!(twice.is_ok(), "formatting what was formatted would change tokens");
        let edits = twice.unwrap_or_default();
        if let Some(edit) = edits.first() {
            let at = usize::from(edit.range.start());
            let line = once[..at].matches('\n').count() + 1;
            panic!("formatting twice changes line {line} again: {edit:?} in\n{once}");
        }
    } else {
        panic!("formatting would change tokens");
    }
    for offset in offsets(text, effort, 2, &mut random) {
        let start = TextSize::new(offset);
        for end in [offset, offset + 30, text.len() as u32] {
            let end = crate::mutate::floor(text, (end as usize).min(text.len())).max(offset as usize);
            let within = TextRange::new(start, TextSize::new(end as u32));
            if let Ok(edits) = format(&surface, &options, Some(within)) {
                applied(text, &edits, "formatting a range");
            }
        }
        for typed in ['\n', '}', ';', '{', 'x'] {
            if let Ok(edits) = on_type(&surface, &options, start, typed) {
                applied(text, &edits, "formatting on a key");
            }
        }
    }
}

fn applied(text: &str, edits: &[Edit], what: &str) -> String {
    let mut last = TextSize::new(0);
    for edit in edits {
        check::range(text, edit.range, what);
        assert!(last <= edit.range.start(), "{what}: edits overlap, or are not in order");
        last = edit.range.end();
    }
    let after = apply(text, edits);
    let tokens = |text: &str| -> Vec<String> {
        lexemes(text)
            .filter(|lexeme| matches!(lexeme.kind, LexemeKind::Token(_)))
            .map(|lexeme| text[lexeme.start..lexeme.end].to_owned())
            .collect()
    };
    assert_eq!(tokens(text), tokens(&after), "{what} changes tokens");
    after
}
