//! The order of items. The files that make them say how well each fits and what kind of name it is (`rank`); what comes first among them follows from how often
//! such a word has followed in such a place: in real shaders, whose counts and weights are data (`model`), and in the file itself (`document`). `context` classifies
//! places, for the learner (`cargo xtask completion`) as well as here; `evidence` is what speaks for an item.

mod context;
mod document;
mod evidence;
mod model;
mod numbers;
mod siblings;
#[cfg(test)]
mod tests;

use super::item::{Completions, Item};
use super::rank;
use crate::site::{Region, Site};
use coopmat_analysis::Analysis;
use coopmat_analysis::text::FilePosition;
use smol_str::SmolStr;

pub use model::Model;
pub use numbers::{NAMES, names};

/// How many ranks the likelihood of items spreads over; what is put behind others begins with the next multiple.
const SPREAD: u32 = 100_000;

/// Gives each item its rank among all: what is refused or begins otherwise last, then by the evidence.
pub fn order(site: &Site<'_>, model: &Model, completions: &mut Completions) {
    if completions.items.is_empty() || completions.settled {
        return;
    }
    let mut evidence = evidence::Evidence::new(site, model, &completions.items);
    for item in &mut completions.items {
        let score = model.score(evidence.of(item));
        // A hundredth of a unit decides; no likelihood of a word is as far from another as what the spread leaves room for.
        let below = (f64::from(SPREAD) / 2.0 - f64::from(score) * 400.0).clamp(0.0, f64::from(SPREAD - 1));
        item.rank = rank::tier(item.rank) * SPREAD + below as u32;
    }
    super::layouts::settle(site, completions);
}

/// What speaks for each item at a place: its label, how far behind others it is put in any case, and the numbers that the model has weights for.
#[derive(Clone, Debug)]
pub struct Observed {
    /// As the item's.
    pub label: SmolStr,
    /// Items of a lower one come before it in any case.
    pub tier: u32,
    /// Each with its index in [`NAMES`].
    pub evidence: Vec<(u16, f32)>,
}

/// The evidence for all items at a place, for who fits the weights.
pub fn observe(analysis: &Analysis, position: FilePosition, model: &Model) -> Vec<Observed> {
    let Some(site) = Site::new(analysis, position) else { return Vec::new() };
    let completions = super::unordered(&site);
    let mut evidence = evidence::Evidence::new(&site, model, &completions.items);
    let of = |item: &Item| Observed {
        label: item.label.clone(),
        tier: rank::tier(item.rank),
        evidence: evidence.of(item).to_vec(),
    };
    completions.items.iter().map(of).collect()
}

/// Whether descriptions of a place are those after a `layout(...)`, where qualifiers stand in any order (GLSL 4.60, 4.7 Order of Qualification).
pub fn is_after_layout(contexts: &[String]) -> bool {
    contexts.last().is_some_and(|last| last.starts_with(context::LAYOUT))
}

/// The descriptions of a place, from the most general to the closest, by which words are counted, and the word that is counted for one: itself, or how it is spelled
/// if a program chose it.
pub fn counted<'w>(
    analysis: &Analysis,
    position: FilePosition,
    word: &'w str,
) -> Option<(Vec<String>, &'w str)> {
    let site = Site::new(analysis, position).filter(|site| site.region == Region::Code)?;
    let context = context::Context::new(&site);
    let own = context.of_language || context::is_of_language(word);
    Some((context.keys, if own { word } else { context::spelling(word) }))
}
