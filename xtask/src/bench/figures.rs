//! What a measurement gives: ours and a peer's, taken turn by turn in the same run, so that other work on the machine falls on both.

use serde_json::{Value, json};

/// One thing that was measured.
#[derive(Clone, Debug)]
pub struct Figure {
    /// `subject/thing`: how the baseline knows it.
    pub id: String,
    /// In words, for the table.
    pub what: String,
    pub unit: &'static str,
    /// One value for each round.
    pub ours: Vec<f64>,
    pub peer: Option<Peer>,
    pub better: Better,
}

#[derive(Clone, Debug)]
pub struct Peer {
    pub name: String,
    pub values: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    Less,
    More,
}

/// What a subject found: figures, and in words what could not be measured and why.
#[derive(Default)]
pub struct Found {
    pub figures: Vec<Figure>,
    pub notes: Vec<String>,
}

impl Found {
    pub fn note(&mut self, words: impl Into<String>) {
        let words = words.into();
        println!("  {words}");
        self.notes.push(words);
    }
}

impl Figure {
    /// Times in milliseconds.
    pub fn times(id: &str, what: &str, ours: Vec<f64>) -> Figure {
        Figure {
            id: id.to_owned(),
            what: what.to_owned(),
            unit: "ms",
            ours,
            peer: None,
            better: Better::Less,
        }
    }

    pub fn beside(mut self, name: &str, values: Vec<f64>) -> Figure {
        self.peer = Some(Peer { name: name.to_owned(), values });
        self
    }

    /// Ours by the peer's, round by round.
    pub fn ratios(&self) -> Option<Ratio> {
        let peer = self.peer.as_ref()?;
        let ratios = self.ours.iter().zip(&peer.values).map(|(ours, theirs)| ours / theirs);
        Ratio::of(ratios.filter(|ratio| ratio.is_finite()).collect())
    }

    pub fn json(&self) -> Value {
        let ratio = self.ratios();
        json!({
            "id": self.id,
            "unit": self.unit,
            "ours": median(&self.ours),
            "peer": self.peer.as_ref().map(|peer| json!({"name": peer.name, "value": median(&peer.values)})),
            "better": match self.better { Better::Less => "less", Better::More => "more" },
            "ratio": ratio.map(|ratio| json!({"median": ratio.median, "low": ratio.low, "high": ratio.high})),
        })
    }
}

/// The middle of the ratios of all rounds, and the quarter and the three quarters of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Ratio {
    fn of(ratios: Vec<f64>) -> Option<Ratio> {
        (!ratios.is_empty()).then(|| Ratio {
            median: median(&ratios),
            low: quantile(&ratios, 0.25),
            high: quantile(&ratios, 0.75),
        })
    }

    pub fn read(value: &Value) -> Option<Ratio> {
        let number = |name: &str| value.get(name)?.as_f64();
        Some(Ratio { median: number("median")?, low: number("low")?, high: number("high")? })
    }

    /// How far the rounds are apart, as a part of the median.
    pub fn spread(&self) -> f64 {
        (self.high - self.low) / self.median
    }
}

pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value that this part of all does not exceed, between two of them where it falls there; not a number for none.
pub fn quantile(values: &[f64], part: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return f64::NAN };
    let at = last as f64 * part;
    let (below, above) = (values[at.floor() as usize], values[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_the_rounds() {
        let figure = Figure::times("a/b", "b", vec![1.0, 4.0, 3.0]).beside("peer", vec![2.0, 4.0, 2.0]);
        assert_eq!(figure.ratios(), Some(Ratio { median: 1.0, low: 0.75, high: 1.25 }));
        assert_eq!(Figure::times("a/b", "b", vec![1.0]).ratios(), None);
        assert_eq!(median(&[1.0, 2.0]), 1.5);
    }
}
