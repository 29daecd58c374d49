//! The table of choices, for people and as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use coopmat_recipe::statistics::rank_correlation;
use serde::Serialize;
use serde_json::{Value, json};

use super::candidate::{Candidate, Measured};

/// Rows that people are shown; `--json` has all.
const SHOWN: usize = 20;
/// Choices that are named with a reason why they are not possible.
const NAMED: usize = 3;

/// What decided the order of the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the recipe lists them: the device has no model that was held against measured times.
    NotPredicted,
    /// The model.
    Model,
    /// A device's times.
    Times,
}

pub struct Report {
    pub shader: String,
    /// The profile.
    pub device: Option<String>,
    /// A module is not held against the device: only shaders are analysed.
    pub is_module: bool,
    /// Whether the recipe expects anything of the results: else nothing is compared.
    pub expects: bool,
    /// Combinations of all values.
    pub all: usize,
    /// By conditions of the recipe.
    pub excluded: usize,
    /// Choices that are not possible, by the kind of the reason: the id of a diagnostic, or `not-run`.
    pub refused: BTreeMap<&'static str, Refused>,
    /// Those that give the device the same as an earlier one.
    pub equal: usize,
    /// Those that another one is better than in every respect.
    pub dropped: usize,
    pub order: Order,
    pub candidates: Vec<Candidate>,
    /// How well the model orders what was measured.
    pub agreement: Option<Agreement>,
}

/// Choices that are not possible for one reason.
#[derive(Clone, Debug, Serialize)]
pub struct Refused {
    /// In words, of the first choice.
    pub reason: String,
    pub choices: Vec<String>,
}

/// The model beside the times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Spearman's, of all choices that were measured.
    pub rank_correlation: f64,
    /// How much longer the model's first choice takes than the fastest one, and the best of its first five.
    pub first: f64,
    pub best_of_five: f64,
    /// The same of a choice at random, on average.
    pub random: f64,
}

impl Report {
    /// Leaves out what gives the device the same as an earlier choice.
    pub fn drop_equal(&mut self) {
        let before = self.candidates.len();
        let mut kept: Vec<Candidate> = Vec::new();
        for candidate in self.candidates.drain(..) {
            if !kept.iter().any(|other| candidate.is_as(other)) {
                kept.push(candidate);
            }
        }
        self.candidates = kept;
        self.equal = before - self.candidates.len();
    }

    /// Leaves out what another choice is better than in every respect.
    pub fn drop_worse(&mut self) {
        let counts: Vec<_> = self.candidates.iter().map(|it| it.counts).collect();
        let before = self.candidates.len();
        self.candidates.retain(|it| !counts.iter().any(|other| it.counts.is_worse_than(other)));
        self.dropped = before - self.candidates.len();
    }

    pub fn sort_by_model(&mut self) {
        if self.candidates.iter().all(|it| it.predicted.is_some()) {
            let key = |it: &Candidate| it.predicted.unwrap_or(f64::INFINITY);
            self.candidates.sort_by(|a, b| key(a).total_cmp(&key(b)));
            self.order = Order::Model;
        }
    }

    /// By times, the model's order judged by them.
    pub fn sort_by_times(&mut self) {
        let measured: Vec<(Option<f64>, f64)> =
            self.candidates.iter().filter_map(|it| Some((it.predicted, it.median()?))).collect();
        if measured.is_empty() {
            return;
        }
        self.agreement = agreement(&measured);
        let key = |it: &Candidate| it.median().unwrap_or(f64::INFINITY);
        self.candidates.sort_by(|a, b| key(a).total_cmp(&key(b)));
        self.order = Order::Times;
    }

    pub fn text(&self) -> String {
        let mut text = self.shader.clone();
        if let Some(device) = &self.device {
            let _ = write!(text, " on {device}");
        }
        let _ = writeln!(
            text,
            ": {} combinations, {} excluded by conditions, {} not possible, {} the same as another, {} worse than another in every respect, {} left",
            self.all,
            self.excluded,
            self.refused.values().map(|refused| refused.choices.len()).sum::<usize>(),
            self.equal,
            self.dropped,
            self.candidates.len()
        );
        if !self.expects {
            text += "  results are not compared: the recipe expects nothing of them\n";
        }
        for note in self.notes() {
            let _ = writeln!(text, "  note: {note}");
        }
        if self.is_module {
            text += "  a module is not held against the device's limits and shapes: only shaders are\n";
        } else if self.device.is_none() {
            text += "  no device is set: limits and shapes were not checked; use --device NAME\n";
        }
        for (kind, Refused { reason, choices }) in &self.refused {
            let _ = writeln!(text, "  {} not possible ({kind}):", choices.len());
            for choice in choices.iter().take(NAMED) {
                let _ = writeln!(text, "    {choice}");
            }
            if choices.len() > NAMED {
                let _ = writeln!(text, "    and {} more", choices.len() - NAMED);
            }
            let _ = writeln!(text, "    the first: {}", reason.trim_end().replace('\n', "\n    "));
        }
        text += match self.order {
            Order::NotPredicted => {
                "  order: not predicted, as no model of this device was held against measured times; in the order of the recipe\n"
            }
            Order::Model => "  order: by the model of docs/performance.md\n",
            Order::Times => "  order: by measured times\n",
        };
        text += &self.table();
        if self.candidates.len() > SHOWN {
            let _ = writeln!(text, "  and {} more; --json lists them all", self.candidates.len() - SHOWN);
        }
        let mut unmeasured: BTreeMap<&str, usize> = BTreeMap::new();
        for it in &self.candidates {
            if let Some(Measured::Refused(reason)) = &it.measured {
                *unmeasured.entry(reason).or_default() += 1;
            }
        }
        for (reason, count) in unmeasured {
            let _ = writeln!(text, "  {count} not measured: {reason}");
        }
        if let Some(Agreement { rank_correlation, first, best_of_five, random }) = &self.agreement {
            let _ = writeln!(
                text,
                "  the model beside the times: rank correlation {rank_correlation:.2}; of those that were measured, its first choice takes {:.0} % longer than the fastest, the best of its first five {:.0} %, a random one {:.0} % on average",
                first * 100.0,
                best_of_five * 100.0,
                random * 100.0
            );
        }
        if self.order != Order::NotPredicted {
            let right = self.candidates.iter().position(|it| !it.is_wrong());
            let _ = match right {
                Some(0) => Ok(()),
                Some(before) => {
                    writeln!(text, "  the first right one has {before} before it with wrong results")
                }
                None => writeln!(text, "  no choice has right results"),
            };
            if let Some(best) = right.and_then(|at| self.candidates.get(at)) {
                text += &pasted(best);
            }
        }
        text
    }

    /// What was found of a choice's results.
    fn results(&self, it: &Candidate) -> String {
        let word = |met: bool| match (self.expects, met) {
            (false, true) => "not compared",
            (true, true) => "right",
            (_, false) => "wrong",
        };
        let device = match &it.measured {
            Some(Measured::Times { met, .. }) => Some(format!("{} on the device", word(*met))),
            _ => None,
        };
        let simulator = it.verified.map(|met| format!("{} on the simulator", word(met)));
        device.into_iter().chain(simulator).collect::<Vec<_>>().join(", ")
    }

    /// What choices have been told of, each once.
    fn notes(&self) -> BTreeSet<&str> {
        self.candidates.iter().flat_map(|it| &it.notes).map(String::as_str).collect()
    }

    fn table(&self) -> String {
        let mut rows = vec![
            ["choice", "workgroups", "invocations", "shared memory", "model", "median", "range", "results"]
                .map(str::to_owned),
        ];
        let fastest = self.candidates.iter().filter_map(|it| it.predicted).fold(f64::INFINITY, f64::min);
        for it in self.candidates.iter().take(SHOWN) {
            let (median, range) = match &it.measured {
                None => (String::new(), String::new()),
                Some(Measured::Refused(_)) => ("not measured".to_owned(), String::new()),
                Some(Measured::Times { times, .. }) => (
                    format!("{:.1} us", times.median * 1e6),
                    format!("{:.1} to {:.1} us", times.shortest * 1e6, times.longest * 1e6),
                ),
            };
            rows.push([
                it.choice.to_string(),
                it.workgroups.map(|count| count.to_string()).join(" x "),
                it.workgroup_size.iter().product::<u32>().to_string(),
                format!("{} B", it.counts.shared_bytes),
                it.predicted.map_or(String::new(), |cost| format!("{:.2}", cost / fastest)),
                median,
                range,
                self.results(it),
            ]);
        }
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        for row in &rows {
            let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
            let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
            let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
        }
        text
    }

    /// # Errors
    /// None in practice.
    pub fn json(&self) -> Result<String, String> {
        let candidate = |it: &Candidate| {
            let values: serde_json::Map<String, Value> =
                it.choice.0.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            let (times, refused) = match &it.measured {
                Some(Measured::Times { times, .. }) => (json!(times), Value::Null),
                Some(Measured::Refused(reason)) => (Value::Null, json!(reason)),
                None => (Value::Null, Value::Null),
            };
            json!({
                "choice": values,
                "workgroups": it.workgroups,
                "workgroup-size": it.workgroup_size,
                "shared-bytes": it.counts.shared_bytes,
                "of-first-workgroup": {
                    "instructions": it.counts.instructions,
                    "matrix-flops": it.counts.flops,
                    "passes": it.counts.passes,
                    "sectors": it.counts.sectors,
                    "barriers": it.counts.barriers,
                },
                "model-cycles": it.predicted,
                "times": times,
                "not-measured": refused,
                "results": self.results(it),
            })
        };
        let order = match self.order {
            Order::NotPredicted => "not-predicted",
            Order::Model => "model",
            Order::Times => "times",
        };
        let value = json!({
            "shader": self.shader,
            "device": self.device,
            "held-against-device": self.device.is_some() && !self.is_module,
            "combinations": self.all,
            "excluded": self.excluded,
            "not-possible": self.refused,
            "equal": self.equal,
            "dropped": self.dropped,
            "notes": self.notes(),
            "order": order,
            "choices": self.candidates.iter().map(candidate).collect::<Vec<_>>(),
            "agreement": self.agreement.map(|it| json!({
                "rank-correlation": it.rank_correlation,
                "first": it.first,
                "best-of-five": it.best_of_five,
                "random": it.random,
            })),
        });
        serde_json::to_string_pretty(&value).map(|text| text + "\n").map_err(|error| error.to_string())
    }
}

/// The choice as the project file and the recipe have it.
fn pasted(best: &Candidate) -> String {
    let list = |values: &[(String, String)]| {
        values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::new();
    if !best.specialization.is_empty() {
        let _ = writeln!(
            text,
            "\n# For coopmat-analyzer.toml:\n[[shaders.configurations]]\nname = \"tuned\"\nspecialization = {{ {} }}",
            list(&best.specialization)
        );
    }
    let chosen: Vec<(String, String)> =
        best.choice.0.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    let _ = writeln!(text, "\n# For the recipe, `sizes` or `specialization`:\n# {{ {} }}", list(&chosen));
    text
}

fn agreement(measured: &[(Option<f64>, f64)]) -> Option<Agreement> {
    let pairs: Vec<(f64, f64)> =
        measured.iter().filter_map(|(predicted, time)| Some(((*predicted)?, *time))).collect();
    if pairs.len() < 3 {
        return None;
    }
    let (predicted, times): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let fastest = pairs.iter().map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
    let mut by_model = pairs.clone();
    by_model.sort_by(|a, b| a.0.total_cmp(&b.0));
    let five = by_model.iter().take(5).map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
    let mean = pairs.iter().map(|(_, time)| *time).sum::<f64>() / pairs.len() as f64;
    Some(Agreement {
        rank_correlation: rank_correlation(&predicted, &times),
        first: by_model[0].1 / fastest - 1.0,
        best_of_five: five / fastest - 1.0,
        random: mean / fastest - 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_with_wrong_results_is_not_pasted() {
        let candidates = vec![
            Candidate::of_test(1, None, Some((1e-6, false))),
            Candidate::of_test(2, None, Some((2e-6, true))),
        ];
        let mut report = Report {
            shader: "a.comp".to_owned(),
            device: None,
            is_module: false,
            expects: true,
            all: 2,
            excluded: 0,
            refused: BTreeMap::new(),
            equal: 0,
            dropped: 0,
            order: Order::Times,
            candidates,
            agreement: None,
        };
        let text = report.text();
        assert!(text.contains("  the first right one has 1 before it with wrong results\n"), "{text}");
        assert!(text.ends_with("# { T = 2 }\n"), "{text}");
        report.candidates.truncate(1);
        assert!(report.text().ends_with("  no choice has right results\n"), "{}", report.text());
    }

    #[test]
    fn the_model_is_judged_by_what_its_choices_cost() {
        let measured = [(Some(1.0), 12.0), (Some(2.0), 10.0), (Some(3.0), 20.0), (Some(4.0), 30.0)];
        let found = agreement(&measured).unwrap();
        assert!((found.rank_correlation - 0.8).abs() < 1e-9, "{found:?}");
        assert!((found.first - 0.2).abs() < 1e-9 && found.best_of_five == 0.0, "{found:?}");
        assert!((found.random - 0.8).abs() < 1e-9, "{found:?}");
        assert_eq!(agreement(&measured[..2]), None);
    }
}
