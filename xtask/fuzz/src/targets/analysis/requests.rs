//! Every question that an editor asks, at some places of every file; answers lie in the files.

use coopmat_analysis::Analysis;
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};
use coopmat_ide::actions::{actions, organize};
use coopmat_ide::completion::{Insert, completions, completions_after, documentation, extension_edits};
use coopmat_ide::definition::{self, Links, Target};
use coopmat_ide::extension_lines;
use coopmat_ide::folding::folds;
use coopmat_ide::highlight::highlight;
use coopmat_ide::hover::hover;
use coopmat_ide::inlay::{HintOptions, hints};
use coopmat_ide::lens;
use coopmat_ide::links::includes;
use coopmat_ide::portability;
use coopmat_ide::rename;
use coopmat_ide::selection::selections;
use coopmat_ide::signature::signature_help;
use coopmat_ide::symbols::{OutlineSymbol, outline};
use coopmat_ide::tokens::tokens;
use coopmat_ide::usages::{Piece, calls_from};

use super::super::inputs::offsets;
use super::edited;
use crate::check;
use crate::input::Input;
use crate::random::Random;
use crate::target::Effort;

const HINTS: HintOptions = HintOptions {
    shapes: true,
    parameter_names: true,
    implicit_conversions: true,
    values: true,
    layout: true,
};

pub fn all(analysis: &Analysis, surface: &Surface, input: &Input, effort: Effort, random: &mut Random) {
    of_the_text(surface, effort, random);
    of_the_file(analysis, surface, input, effort, random);
    let text = surface.text();
    for at in offsets(text, effort, 12, random) {
        at_a_place(analysis, FilePosition { file: FileId::ROOT, offset: TextSize::new(at) }, input, random);
    }
    // Headers are asked about as part of a shader, too.
    if analysis.files().len() > 1 {
        let file = FileId(random.below(analysis.files().len()) as u32);
        let text = analysis.files()[file].text.clone();
        for at in offsets(&text, Effort::default(), 3, random) {
            at_a_place(analysis, FilePosition { file, offset: TextSize::new(at) }, input, random);
        }
    }
}

fn of_the_text(surface: &Surface, effort: Effort, random: &mut Random) {
    let text = surface.text();
    for fold in folds(surface) {
        check::range(text, fold.range, "a fold");
    }
    let mut symbols: Vec<OutlineSymbol> = outline(surface);
    while let Some(symbol) = symbols.pop() {
        check::range(text, symbol.range, "a symbol");
        check::range(text, symbol.name_range, "the name of a symbol");
        assert!(symbol.range.contains_range(symbol.name_range), "the name is outside of {symbol:?}");
        assert!(!symbol.name.is_empty(), "a symbol without a name: {symbol:?}");
        symbols.extend(symbol.children);
    }
    let places: Vec<TextSize> = offsets(text, effort, 8, random).into_iter().map(TextSize::new).collect();
    for (place, ranges) in places.iter().zip(selections(surface, &places)) {
        let mut inner: Option<TextRange> = None;
        for range in ranges {
            check::range(text, range, "a selection");
            assert!(range.contains_inclusive(*place), "a selection {range:?} that is not around {place:?}");
            if let Some(inner) = inner {
                assert!(range.contains_range(inner), "a selection {range:?} that is not around {inner:?}");
            }
            inner = Some(range);
        }
    }
}

fn of_the_file(analysis: &Analysis, surface: &Surface, input: &Input, effort: Effort, random: &mut Random) {
    let text = surface.text();
    let file = FileId::ROOT;
    let whole = TextRange::up_to(TextSize::of(text));
    let mut end = TextSize::new(0);
    for token in tokens(analysis, file, surface, None) {
        check::range(text, token.range, "a semantic token");
        assert!(end <= token.range.start(), "semantic tokens overlap at {:?}", token.range);
        assert!(!token.range.is_empty(), "a semantic token of nothing");
        end = token.range.end();
    }
    for hint in hints(analysis, file, whole, &HINTS) {
        check::offset(text, hint.offset, "a hint");
        hint.target.into_iter().for_each(|target| check::place(analysis, target, "the target of a hint"));
    }
    for found in lens::lenses(analysis, file) {
        check::range(text, found.range, "a lens");
        for place in lens::references(analysis, file, found.range) {
            check::place(analysis, place, "a reference of a lens");
        }
    }
    for link in includes(analysis, file, surface) {
        check::range(text, link.range, "a link");
    }
    if let Some(action) = organize(analysis, file) {
        edited::by_action(analysis, input, &action);
    }
    if effort.everywhere || random.one_in(4) {
        portability::lens(analysis);
        portability::markdown(analysis, &portability::table(analysis));
    }
    for at in offsets(text, Effort::default(), 2, random) {
        let end = crate::mutate::floor(text, (at as usize + random.below(400)).min(text.len()));
        let within = TextRange::new(TextSize::new(at), TextSize::new((end as u32).max(at)));
        for token in tokens(analysis, file, surface, Some(within)) {
            check::range(text, token.range, "a semantic token of a part");
        }
        for hint in hints(analysis, file, within, &HINTS) {
            check::offset(text, hint.offset, "a hint of a part");
        }
        act(analysis, FileRange { file, range: within }, input, random);
    }
}

fn act(analysis: &Analysis, range: FileRange, input: &Input, random: &mut Random) {
    for action in actions(analysis, range) {
        assert!(!action.title.is_empty() && !action.edits.is_empty(), "an empty action {action:?}");
        if random.one_in(3) {
            edited::by_action(analysis, input, &action);
        } else {
            check::edits(analysis, &action.edits, &action.title);
        }
    }
}

fn at_a_place(analysis: &Analysis, position: FilePosition, input: &Input, random: &mut Random) {
    let text = &*analysis.files()[position.file].text;
    if let Some(hover) = hover(analysis, position) {
        check::place(analysis, hover.range, "a hover");
        assert!(!hover.markdown.is_empty(), "a hover without words");
    }
    complete(analysis, position, text, random);
    if let Some(help) = signature_help(analysis, position) {
        assert!(help.active < help.signatures.len().max(1), "no such signature");
        for signature in &help.signatures {
            for parameter in &signature.parameters {
                let label = signature.label.get(parameter.start..parameter.end);
                assert!(label.is_some(), "a parameter outside of {:?}", signature.label);
            }
        }
    }
    for links in [
        definition::definition(analysis, position),
        definition::declaration(analysis, position),
        definition::implementation(analysis, position),
        definition::type_definition(analysis, position),
    ] {
        links.iter().for_each(|links| check_links(analysis, links));
    }
    for (range, _) in highlight(analysis, position) {
        check::range(text, range, "a highlight");
    }
    if let Ok(target) = rename::prepare(analysis, position) {
        check::place(analysis, target.place, "what is renamed");
        let piece = Piece::of(analysis, &target.name);
        for found in piece.groups.iter().flat_map(|group| &group.uses) {
            let file = analysis.files().find(&found.place.path);
            let Some(file) = file else { panic!("a use in no file: {:?}", found.place) };
            let place = FileRange { file, range: found.place.range };
            check::place(analysis, place, "a use");
        }
        for function in &piece.functions {
            calls_from(analysis, &function.name_place);
        }
        if random.one_in(4) {
            edited::by_renaming(analysis, input, &target, piece);
        }
    }
    act(analysis, FileRange { file: position.file, range: TextRange::empty(position.offset) }, input, random);
}

fn check_links(analysis: &Analysis, links: &Links) {
    check::place(analysis, links.origin, "where a link begins");
    for target in &links.targets {
        match target {
            Target::Source { name, whole } => {
                check::place(analysis, *name, "the name that a link leads to");
                check::place(analysis, *whole, "what a link leads to");
            }
            Target::Builtin(builtin) => {
                coopmat_ide::builtin_pages::locate(analysis, builtin);
            }
            Target::File(file) => assert!((file.0 as usize) < analysis.files().len(), "no such file"),
        }
    }
}

fn complete(analysis: &Analysis, position: FilePosition, text: &str, random: &mut Random) {
    let typed = random.pick(['.', '<', ',', '(', '#', '"', '/', ':', ' ']);
    for found in [completions(analysis, position), completions_after(analysis, position, typed)] {
        if found.items.is_empty() && found.include.is_none() {
            continue;
        }
        check::range(text, found.replace, "what a completion replaces");
        check::offset(text, found.insert_end, "the end of what a completion inserts");
        let place = extension_lines::Place::of(analysis, position.file);
        for (index, item) in found.items.iter().enumerate() {
            assert!(!item.label.is_empty(), "an item without a label");
            // What has no plain form is offered to clients with snippets alone.
            if let Insert::Snippet { snippet, .. } = &item.insert {
                assert!(!snippet.is_empty(), "an item that inserts nothing: {item:?}");
            }
            // All of them take long.
            if index < 8 || index % 97 == 0 {
                documentation(Some(analysis), &item.label, &item.about);
                let edits = extension_edits(&place, position.file, &item.extensions);
                check::edits(analysis, &edits, "the extensions of a completion");
            }
        }
    }
}
