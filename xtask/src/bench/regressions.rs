//! `cargo xtask bench --regressions`: the ratios of a run beside those of the committed one. Only ratios of two things that were measured in the same
//! run are compared, never times: these belong to a machine. Shares belong to none, and are compared as they are.

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde_json::Value;

use super::figures::{Better, Figure, Ratio};

/// What is let pass in any case: as much lies between two builds of the same source.
const ALWAYS: f64 = 1.15;
/// What is noise nowhere.
const NEVER: f64 = 2.0;

/// What a share may fall by, in percent of all: so much is let pass for a change that is better elsewhere.
const SHARE: f64 = 0.5;

/// How a figure is beside the baseline.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// So many times as bad as before; as much is allowed.
    Within {
        worse: f64,
        allowed: f64,
    },
    Regression {
        worse: f64,
        allowed: f64,
    },
    /// Nothing is known of it from before.
    New,
}

/// What a figure was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Before {
    Ratio(Ratio),
    /// In percent.
    Share(f64),
}

pub type Baseline = HashMap<String, Before>;

pub fn baseline(text: &str) -> Result<Baseline> {
    let value: Value = serde_json::from_str(text).context("the baseline is no JSON")?;
    let figures = value["figures"].as_array().context("the baseline has no figures")?;
    Ok(figures
        .iter()
        .filter_map(|figure| {
            let before = match figure["unit"].as_str() {
                Some("%") => Before::Share(figure["ours"].as_f64()?),
                _ => Before::Ratio(Ratio::read(figure.get("ratio")?)?),
            };
            Some((figure["id"].as_str()?.to_owned(), before))
        })
        .collect())
}

/// Nothing for a time without a peer.
pub fn judge(figure: &Figure, baseline: &Baseline) -> Option<Verdict> {
    let share = (figure.unit == "%").then(|| figure.ours.first().copied()).flatten();
    let ratio = figure.ratios();
    if share.is_none() && ratio.is_none() {
        return None;
    }
    let (now, before) = match (baseline.get(&figure.id), share, ratio) {
        (Some(Before::Ratio(before)), _, Some(now)) => (now, before),
        (Some(Before::Share(before)), Some(now), _) => {
            let (worse, allowed) = (before / now, before / (before - SHARE));
            let falls = now < before - SHARE;
            return Some(if falls {
                Verdict::Regression { worse, allowed }
            } else {
                Verdict::Within { worse, allowed }
            });
        }
        _ => return Some(Verdict::New),
    };
    let worse = match figure.better {
        Better::Less => now.median / before.median,
        Better::More => before.median / now.median,
    };
    // Half of all rounds lie within the spread; twice that, of both runs, is where the medians of equal things may lie.
    let noise = 1.0 + 2.0 * (now.spread() + before.spread());
    let allowed = noise.clamp(ALWAYS, NEVER);
    Some(if worse > allowed {
        Verdict::Regression { worse, allowed }
    } else {
        Verdict::Within { worse, allowed }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(ours: f64) -> Figure {
        Figure::times("s/t", "t", vec![ours, ours, ours]).beside("p", vec![1.0, 1.0, 1.0])
    }

    #[test]
    fn what_is_worse_than_noise_is_a_regression() {
        let text = r#"{"figures": [{"id": "s/t", "ratio": {"median": 1.0, "low": 0.95, "high": 1.05}}]}"#;
        let baseline = baseline(text).expect("a baseline");
        // 1 + 2 * 0.1
        assert!(matches!(judge(&figure(1.19), &baseline), Some(Verdict::Within { .. })));
        assert!(matches!(judge(&figure(1.21), &baseline), Some(Verdict::Regression { .. })));
        assert!(matches!(judge(&figure(0.5), &baseline), Some(Verdict::Within { .. })));
        let rate = Figure { better: Better::More, ..figure(0.5) };
        assert!(matches!(judge(&rate, &baseline), Some(Verdict::Regression { .. })));
        assert_eq!(judge(&figure(1.0), &Baseline::new()), Some(Verdict::New));
    }

    #[test]
    fn a_share_falls_by_half_a_percent_of_all_at_most() {
        let baseline =
            baseline(r#"{"figures": [{"id": "s/t", "unit": "%", "ours": 90.0}]}"#).expect("a baseline");
        let share = |now| Figure { unit: "%", better: Better::More, ..Figure::times("s/t", "t", vec![now]) };
        assert!(matches!(judge(&share(89.6), &baseline), Some(Verdict::Within { .. })));
        assert!(matches!(judge(&share(89.4), &baseline), Some(Verdict::Regression { .. })));
        assert!(matches!(judge(&share(95.0), &baseline), Some(Verdict::Within { .. })));
    }
}
