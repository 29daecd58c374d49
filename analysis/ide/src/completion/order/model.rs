//! What was learned from real shaders: which words of the language follow in which contexts, and the weights of the evidence. The text of it is made by
//! `cargo xtask completion`; lines are `word WORD...`, `weight NAME VALUE`, and `CONTEXT<tab>REST WORD:SHARE...`, shares in thousandths.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

static SHIPPED: LazyLock<Model> = LazyLock::new(|| Model::read(include_str!("../../../data/completion.txt")));

/// How likely a word is of which nothing is known.
const UNKNOWN: f32 = 1e-5;

/// The words that follow in a context.
#[derive(Clone, Debug, Default)]
pub struct Followers {
    /// What is left for words that are not listed, in thousandths.
    rest: f32,
    words: FxHashMap<u16, f32>,
}

/// Shares of words by context, and weights.
#[derive(Clone, Debug, Default)]
pub struct Model {
    words: FxHashMap<String, u16>,
    followers: FxHashMap<String, Followers>,
    weights: Vec<f32>,
}

impl Model {
    /// The one that is built in.
    pub fn shipped() -> &'static Model {
        &SHIPPED
    }

    /// Reads the text of a model; what is not understood is left out.
    pub fn read(text: &str) -> Model {
        let mut model = Model::default();
        let names = super::names();
        model.weights = vec![0.0; names.len()];
        let indices: FxHashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        for line in text.lines() {
            if let Some((context, words)) = line.split_once('\t') {
                let mut words = words.split(' ');
                let rest = words.next().and_then(|rest| rest.parse().ok()).unwrap_or(1000.0);
                let words = words.filter_map(|entry| {
                    let (word, share) = entry.split_once(':')?;
                    Some((word.parse().ok()?, share.parse().ok()?))
                });
                model.followers.insert(context.to_owned(), Followers { rest, words: words.collect() });
            } else if let Some(words) = line.strip_prefix("words ") {
                model.words = words.split(' ').map(str::to_owned).zip(0..).collect();
            } else if let Some((name, value)) =
                line.strip_prefix("weight ").and_then(|line| line.split_once(' '))
                && let (Some(&index), Ok(value)) = (indices.get(name), value.parse())
            {
                model.weights[index] = value;
            }
        }
        model
    }

    pub(super) fn followers(&self, context: &str) -> Option<&Followers> {
        self.followers.get(context)
    }

    /// How likely a word is after contexts, from the most general to the closest.
    pub(super) fn likelihood(&self, contexts: &[&Followers], word: &str) -> f32 {
        let word = self.words.get(word);
        contexts.iter().fold(UNKNOWN, |shorter, followers| {
            let own = word.and_then(|word| followers.words.get(word)).copied().unwrap_or(0.0);
            ((own + followers.rest * shorter) / 1000.0).max(UNKNOWN)
        })
    }

    /// The sum of the evidence under its weights.
    pub fn score(&self, evidence: &[(u16, f32)]) -> f32 {
        let weight = |index: u16| self.weights.get(usize::from(index)).copied().unwrap_or(0.0);
        evidence.iter().map(|&(index, value)| weight(index) * value).sum()
    }
}
