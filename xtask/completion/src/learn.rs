//! Learns a model from projects: counts of words, and weights. For the weights of each project, words are counted in the others, as it will be for shaders that
//! nobody has counted.

use coopmat_analysis::Analyzer;
use coopmat_ide::completion::order::{self, Model};
use rayon::prelude::*;

use crate::bench::sampled;
use crate::counts::Counts;
use crate::fit::{self, Choice};
use crate::places::{Cut, Place, analyze, typed};
use crate::shaders::Project;
use crate::table;

/// A project with what is known of its words.
pub struct Counted {
    pub project: Project,
    pub places: Vec<Place>,
    pub counts: Counts,
}

/// So many places of each project the weights are fitted to.
const PLACES: usize = 1200;

/// The text of a model of these projects.
pub fn learn(projects: &[&Counted]) -> String {
    let mut choices = Vec::new();
    for (index, own) in projects.iter().enumerate() {
        let others = projects.iter().enumerate().filter(|(other, _)| *other != index);
        let model = Model::read(&table::text(&Counts::sum(others.map(|(_, other)| &other.counts)), &[]));
        choices.extend(observe(own, &model));
    }
    let names = order::names();
    let weights = fit::weights(&choices, names.len());
    let weights: Vec<(String, f32)> = names.into_iter().zip(weights).collect();
    table::text(&Counts::sum(projects.iter().map(|project| &project.counts)), &weights)
}

fn observe(own: &Counted, model: &Model) -> Vec<Choice> {
    const CUTS: [Cut; 3] = [Cut::Line, Cut::Word, Cut::File];
    let places = sampled(&own.places, PLACES);
    let groups: Vec<&[Place]> = places.chunk_by(|a, b| a.shader == b.shader).collect();
    let of_group = |group: &&[Place]| {
        let analyzer = Analyzer::default();
        let shader = &own.project.shaders[group[0].shader];
        let whole = analyze(shader);
        let mut choices = Vec::new();
        for place in *group {
            let kept = if place.start % 3 == 0 { 2 } else { 1 };
            let cut = CUTS[place.start / 3 % CUTS.len()];
            if kept >= place.word.len() {
                continue;
            }
            let Some((analysis, position)) = typed(&analyzer, shader, &whole, place, kept, cut) else {
                continue;
            };
            let mut observed = order::observe(&analysis, position, model);
            let tier = observed.iter().find(|item| item.label == place.word).map(|item| item.tier);
            observed.retain(|item| Some(item.tier) == tier && item.label.starts_with(&place.word[..kept]));
            if let Some(written) = observed.iter().position(|item| item.label == place.word)
                && observed.len() > 1
            {
                let offered = observed.into_iter().map(|item| item.evidence).collect();
                choices.push(Choice { offered, written });
            }
        }
        choices
    };
    groups.par_iter().flat_map(of_group).collect()
}
