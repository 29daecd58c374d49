//! Which words follow in which contexts, counted in the shaders of a project.

use std::collections::BTreeMap;

use coopmat_analysis::preprocess::{DirectiveKind, Item};
use coopmat_analysis::text::{FileId, FilePosition, TextSize};
use coopmat_ide::completion::order;
use rayon::prelude::*;
use tree_sitter_glsl_coopmat::QUALIFIERS;

use crate::places::{Place, analyze};
use crate::shaders::Project;

/// How often words followed in contexts.
#[derive(Default)]
pub struct Counts {
    /// By context and word.
    pub words: BTreeMap<String, BTreeMap<String, f64>>,
    /// The next more general context of each.
    general: BTreeMap<String, String>,
}

impl Counts {
    /// The more general contexts of one, the most general first.
    pub fn ancestors(&self, context: &str) -> Vec<&str> {
        let mut found: Vec<&str> =
            std::iter::successors(self.general.get(context), |context| self.general.get(*context))
                .map(String::as_str)
                .collect();
        found.reverse();
        found
    }

    /// The sum of several.
    pub fn sum<'c>(parts: impl Iterator<Item = &'c Counts>) -> Counts {
        let mut sum = Counts::default();
        for part in parts {
            for (context, words) in &part.words {
                let own = sum.words.entry(context.clone()).or_default();
                for (word, count) in words {
                    *own.entry(word.clone()).or_default() += count;
                }
            }
            for (context, general) in &part.general {
                sum.general.entry(context.clone()).or_insert_with(|| general.clone());
            }
        }
        sum
    }
}

/// How often words follow in one file, in contexts with the next more general ones.
type Found = BTreeMap<(Vec<String>, String), f64>;

/// So many words has each project, however large it is.
const MASS: f64 = 100_000.0;

/// Repetition in a file counts less each time, and each project as much as another.
pub fn count(project: &Project, places: &[Place]) -> Counts {
    let groups: Vec<&[Place]> = places.chunk_by(|a, b| (a.shader, &a.file) == (b.shader, &b.file)).collect();
    let parts: Vec<Found> = groups.par_iter().map(|group| of_file(project, group)).collect();
    let mut counts = Counts::default();
    let mut total = 0.0;
    for part in parts {
        let mut of_file: BTreeMap<(&String, &String), f64> = BTreeMap::new();
        for ((contexts, word), count) in &part {
            for context in contexts {
                *of_file.entry((context, word)).or_default() += count;
            }
            for pair in contexts.windows(2) {
                counts.general.entry(pair[1].clone()).or_insert_with(|| pair[0].clone());
            }
        }
        for ((context, word), count) in of_file {
            let count = f64::sqrt(count);
            total += count;
            *counts.words.entry(context.clone()).or_default().entry(word.clone()).or_default() += count;
        }
    }
    counts.words.values_mut().flat_map(|words| words.values_mut()).for_each(|count| *count *= MASS / total);
    counts
}

fn of_file(project: &Project, places: &[Place]) -> Found {
    let mut found = Found::new();
    let analysis = analyze(&project.shaders[places[0].shader]);
    let Some(file) = analysis.files().find(&places[0].file) else { return found };
    let source = &analysis.files()[file].text;
    let mut add = |start: usize, words: &[&str]| {
        let position = FilePosition { file, offset: TextSize::new(start as u32) };
        for (index, word) in words.iter().enumerate() {
            let Some((contexts, word)) = order::counted(&analysis, position, word) else { return };
            if index == 0 || order::is_after_layout(&contexts) {
                *found.entry((contexts, word.to_owned())).or_default() += 1.0;
            }
        }
    };
    for (index, place) in places.iter().enumerate() {
        // Each of several qualifiers could have been the first.
        let mut end = place.start + place.word.len();
        let more = places[index + 1..].iter().take_while(|next| {
            let is_next = source.get(end..next.start).is_some_and(|between| between.trim().is_empty());
            end = next.start + next.word.len();
            is_next && QUALIFIERS.contains(&next.word.as_str())
        });
        let words: Vec<&str> = std::iter::once(place).chain(more).map(|place| place.word.as_str()).collect();
        add(place.start, &words);
    }
    let from = if file == FileId::ROOT { project.shaders[places[0].shader].from } else { 0 };
    let Some(lexed) = analysis.preprocessed.lexed(file) else { return found };
    for item in &lexed.items {
        let Item::Directive(directive) = item else { continue };
        let start = usize::from(directive.range.start());
        if start < from {
            continue;
        }
        let name = std::ops::Range::<usize>::from(directive.name);
        add(name.start, &[&source[name.clone()]]);
        if directive.kind == DirectiveKind::Extension
            && let Some(token) =
                lexed.slice(&directive.tokens).iter().find(|token| token.start as usize >= name.end)
        {
            add(token.start as usize, &[&source[token.start as usize..token.end as usize]]);
        }
    }
    found
}
