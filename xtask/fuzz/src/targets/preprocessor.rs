//! The preprocessor: it answers for every range, whatever the text, and a cache changes nothing.

use coopmat_analysis::preprocess::{PreprocessCache, Preprocessed, directives, preprocess};
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};

use super::inputs::{edited_shader, mutate_edited, offsets};
use crate::check;
use crate::input::Input;
use crate::random::Random;
use crate::target::{Effort, Target, Unit};

pub const TARGET: Target = Target {
    name: "preprocessor",
    about: "every place of the source map, macros, directives; a cache makes no difference",
    unit: Unit::Text,
    run,
    generate: edited_shader,
    mutate: mutate_edited,
};

fn run(bytes: &[u8], effort: Effort) {
    let input = Input::read(bytes);
    let mut random = Random::of(bytes);
    let cache = PreprocessCache::new();
    for text in &input.versions {
        let done = cache.preprocess("/main.comp", text.clone(), &input.config, &input);
        ask(&done, effort, &mut random);
        let fresh = preprocess("/main.comp", text.clone(), &input.config, &input);
        assert_eq!(done.text, fresh.text, "with a cache and without");
        assert_eq!(done.diagnostics.len(), fresh.diagnostics.len(), "with a cache and without");
        let found = directives(text);
        for line in &found.lines {
            check::range(text, line.range, "a directive");
            check::range(text, line.name, "a directive's name");
            check::offset(text, line.line_end, "a directive's line");
        }
        for branch in found.conditionals.iter().flat_map(|conditional| &conditional.branches) {
            check::range(text, branch.directive, "a branch's directive");
            check::range(text, branch.body, "a branch");
        }
    }
}

fn ask(done: &Preprocessed, effort: Effort, random: &mut Random) {
    let file = |range: FileRange, what: &str| {
        assert!((range.file.0 as usize) < done.files.len(), "{what}: no such file");
        check::range(&done.files[range.file].text, range.range, what);
    };
    for start in offsets(&done.text, effort, 40, random) {
        let rest = done.text.len() as u32 - start;
        for len in [0, 1, 20, rest] {
            if len > rest || !done.text.is_char_boundary((start + len) as usize) {
                continue;
            }
            let range = TextRange::at(TextSize::new(start), TextSize::new(len));
            let mapped = done.map.to_file(range);
            file(mapped.primary, "the place of expanded text");
            assert_eq!(done.map.primary(range), mapped.primary);
            mapped.spelling.into_iter().for_each(|place| file(place, "a spelling"));
            mapped.included_from.iter().for_each(|&place| file(place, "an include"));
            for call in mapped.in_macro.iter().flat_map(|inside| &inside.calls) {
                done.definition(call.definition);
                call.call.into_iter().for_each(|place| file(place, "a call of a macro"));
            }
        }
    }
    for (id, source) in done.files.iter() {
        let count = if id == FileId::ROOT { 40 } else { 3 };
        for offset in offsets(&source.text, effort, count, random) {
            let position = FilePosition { file: id, offset: TextSize::new(offset) };
            for expanded in done.map.to_expanded(position) {
                check::offset(&done.text, expanded, "expanded text");
            }
            let whole =
                FileRange { file: id, range: TextRange::new(position.offset, TextSize::of(&*source.text)) };
            for range in done.map.to_expanded_ranges(whole) {
                check::range(&done.text, range, "an expanded range");
            }
            if let Some((range, name)) = done.word_at(position) {
                check::range(&source.text, range, "a word");
                done.name_tokens(id, &name);
            }
            done.macro_use_at(position);
            done.macro_in_body_at(position);
            done.is_inactive(position);
        }
        done.conditionals(id);
    }
    for diagnostic in &done.diagnostics {
        file(diagnostic.location, diagnostic.code.id);
    }
    for usage in &done.macro_uses {
        file(usage.name, "a use of a macro");
        done.expansion_text(usage);
    }
    done.inactive.iter().for_each(|&place| file(place, "an inactive region"));
}
