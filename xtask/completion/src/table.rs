//! The text of a model: shares of words by context, from counts, and weights.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::counts::Counts;

/// Contexts that are met less often say nothing.
const SELDOM: f64 = 20.0;
/// Smaller shares, in thousandths, are left to the more general contexts.
const SMALL: f64 = 8.0;
/// The same for the most general contexts.
const SMALL_AT_ALL: f64 = 0.3;
/// A context whose words become less likelier by it than this, all together, is left out.
const GAIN: f64 = 80.0;
/// How likely a word is of which nothing is known.
const UNKNOWN: f64 = 0.01;

/// The words of a context with their shares in thousandths, and what is left.
struct Row<'c> {
    rest: f64,
    shares: BTreeMap<&'c str, f64>,
}

pub fn text(counts: &Counts, weights: &[(String, f32)]) -> String {
    let mut rows: BTreeMap<&str, Row<'_>> = BTreeMap::new();
    let mut contexts: Vec<&String> = counts.words.keys().collect();
    // Before each context the one that is more general.
    contexts.sort_by_key(|context| counts.ancestors(context).len());
    for context in contexts {
        let followers = &counts.words[context];
        let total: f64 = followers.values().sum();
        if total < SELDOM {
            continue;
        }
        let ancestors = counts.ancestors(context);
        // As many unseen as there are different ones (Witten and Bell).
        let all = total + followers.len() as f64;
        let small = if ancestors.is_empty() { SMALL_AT_ALL } else { SMALL };
        let shares: BTreeMap<&str, f64> = followers
            .iter()
            .map(|(word, count)| (word.as_str(), 1000.0 * count / all))
            .filter(|(_, share)| *share >= small)
            .collect();
        let row = Row { rest: (1000.0 - shares.values().sum::<f64>()).max(0.0), shares };
        let shorter = |word: &str| likelihood(ancestors.iter().filter_map(|context| rows.get(context)), word);
        let longer = |word: &str| row.shares.get(word).unwrap_or(&0.0) + row.rest * shorter(word) / 1000.0;
        let gain: f64 = followers
            .iter()
            .map(|(word, count)| count * (longer(word).max(UNKNOWN) / shorter(word)).ln())
            .sum();
        if !row.shares.is_empty() && (gain >= GAIN || ancestors.is_empty()) {
            rows.insert(context, row);
        }
    }
    written(&rows, weights)
}

/// In thousandths, after contexts from the most general to the closest.
fn likelihood<'r>(rows: impl Iterator<Item = &'r Row<'r>>, word: &str) -> f64 {
    rows.fold(UNKNOWN, |shorter, row| {
        (row.shares.get(word).unwrap_or(&0.0) + row.rest * shorter / 1000.0).max(UNKNOWN)
    })
}

fn written(rows: &BTreeMap<&str, Row<'_>>, weights: &[(String, f32)]) -> String {
    // The most frequent words have the shortest numbers.
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for word in rows.values().flat_map(|row| row.shares.keys()) {
        *words.entry(word).or_default() += 1;
    }
    let mut order: Vec<(&str, usize)> = words.iter().map(|(word, count)| (*word, *count)).collect();
    order.sort_by_key(|(word, count)| (std::cmp::Reverse(*count), *word));
    let order: Vec<&str> = order.into_iter().map(|(word, _)| word).collect();
    words.extend(order.iter().copied().zip(0..));
    let mut text =
        "# Learned from real shaders by `cargo xtask completion`: src/completion/order/model.rs says what the lines mean.\n"
            .to_owned();
    let _ = writeln!(text, "words {}", order.join(" "));
    for (name, weight) in weights.iter().filter(|(_, weight)| weight.abs() >= 0.005) {
        let _ = writeln!(text, "weight {name} {weight:.2}");
    }
    for (context, row) in rows {
        let _ = write!(text, "{context}\t{}", short(row.rest));
        for (word, share) in &row.shares {
            let _ = write!(text, " {}:{}", words[word], short(*share));
        }
        text.push('\n');
    }
    text
}

fn short(share: f64) -> String {
    if share >= 2.95 {
        format!("{share:.0}")
    } else {
        format!("{share:.1}").trim_end_matches(".0").to_owned()
    }
}
