//! Breakpoints: where the run stops when it comes by, how often it has come by, and what is logged instead of stopping.

use std::collections::BTreeSet;

use super::expression;
use super::watch::Watched;

/// Where the run stops when it comes by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Breakpoint {
    /// The index in [`Lines::files`](super::Lines::files).
    pub file: u32,
    /// In that file, from zero.
    pub line: u32,
    /// Only there.
    pub workgroup: Option<[u32; 3]>,
    /// `gl_SubgroupID`.
    pub subgroup: Option<u32>,
    /// Only where this holds for an active lane. One that cannot be evaluated stops, and is logged.
    pub condition: Option<String>,
    /// Only at these of the times that it is hit and its condition holds.
    pub hits: Option<Hits>,
    /// Not at a line, but before this instruction: its index in the module.
    pub instruction: Option<u32>,
    /// Not at a line, but before an instruction that accesses this. The condition is judged after it, for the lanes that access.
    pub data: Option<Watched>,
    /// The run goes on, and this is logged: expressions in braces become their values.
    pub log: Option<String>,
}

impl Breakpoint {
    /// Whether more than the place says that the run stops.
    pub(super) fn is_judged(&self) -> bool {
        self.condition.is_some() || self.hits.is_some() || self.log.is_some()
    }

    /// Whether the condition and the expressions of the log are expressions; their names are known only when the run is there.
    ///
    /// # Errors
    /// What was expected where.
    pub fn check(&self) -> Result<(), String> {
        let condition = self.condition.iter().map(String::as_str);
        for text in condition.chain(self.log.iter().flat_map(|log| pieces(log).filter_map(Result::err))) {
            expression::parse(text).map_err(|error| format!("`{text}`: {error}"))?;
        }
        Ok(())
    }
}

/// At which hits a breakpoint stops, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hits {
    /// At this one alone.
    Equal(u64),
    /// At this one and all after it.
    AtLeast(u64),
    /// Up to this one.
    AtMost(u64),
    /// At every so many.
    Every(u64),
}

impl Hits {
    /// Reads `5`, `== 5`, `> 5`, `>= 5`, `< 5`, `<= 5` or `% 5`.
    ///
    /// # Errors
    /// That it is none of these.
    pub fn parse(text: &str) -> Result<Hits, String> {
        let text = text.trim();
        let at = text.find(|char: char| char.is_ascii_digit()).unwrap_or(text.len());
        let (operator, number) = text.split_at(at);
        let number: Option<u64> = number.trim().parse().ok();
        let hits = number.and_then(|number| match operator.trim() {
            "" | "=" | "==" => Some(Hits::Equal(number)),
            ">=" => Some(Hits::AtLeast(number)),
            ">" => Some(Hits::AtLeast(number.saturating_add(1))),
            "<=" => Some(Hits::AtMost(number)),
            "<" => Some(Hits::AtMost(number.saturating_sub(1))),
            "%" => Some(Hits::Every(number)).filter(|_| number > 0),
            _ => None,
        });
        hits.ok_or_else(|| format!("`{text}`: expected a number of hits, such as `5`, `>= 5` or `% 5`"))
    }

    fn has(self, hit: u64) -> bool {
        match self {
            Hits::Equal(number) => hit == number,
            Hits::AtLeast(number) => hit >= number,
            Hits::AtMost(number) => hit <= number,
            Hits::Every(number) => hit.is_multiple_of(number),
        }
    }
}

/// What a breakpoint has logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The breakpoint's index.
    pub breakpoint: usize,
    /// The line's text.
    pub text: String,
}

/// A breakpoint, and what the run has seen of it.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub breakpoint: Breakpoint,
    /// The times at which it was hit. Which of them a hit is does not depend on the direction in which the run comes by.
    hits: BTreeSet<u64>,
}

impl Known {
    pub fn new(breakpoint: Breakpoint) -> Known {
        Known { breakpoint, hits: BTreeSet::new() }
    }

    /// Forgets hits after a time.
    pub fn forget_after(&mut self, time: u64) {
        self.hits.retain(|hit| *hit <= time);
    }

    /// Whether a hit at this time, where the condition holds, is one of those that count.
    pub fn counts(&mut self, time: u64) -> bool {
        let Some(wanted) = self.breakpoint.hits else { return true };
        self.hits.insert(time);
        wanted.has(self.hits.range(..=time).count() as u64)
    }
}

/// The pieces of a text for a log: words as they are, and expressions between braces as errors of words.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Result<&str, &str>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(inner) = rest.strip_prefix('{')
            && let Some((expression, after)) = inner.split_once('}')
        {
            rest = after;
            return Some(Err(expression));
        }
        let end = rest.char_indices().skip(1).find(|(_, char)| *char == '{').map_or(rest.len(), |(at, _)| at);
        let (words, after) = rest.split_at(end);
        rest = after;
        Some(Ok(words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_read_and_counted() {
        let stops = |text: &str| -> Vec<u64> {
            let hits = Hits::parse(text).unwrap();
            (1..=6).filter(|&hit| hits.has(hit)).collect()
        };
        assert_eq!(stops("3"), [3]);
        assert_eq!(stops("== 3"), [3]);
        assert_eq!(stops(">= 5"), [5, 6]);
        assert_eq!(stops("> 5"), [6]);
        assert_eq!(stops("<= 2"), [1, 2]);
        assert_eq!(stops("<2"), [1]);
        assert_eq!(stops("% 2"), [2, 4, 6]);
        for wrong in ["", "often", "% 0", "!= 3", "3 times"] {
            assert!(Hits::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hits_count_the_same_in_both_directions() {
        let mut known = Known::new(Breakpoint { hits: Some(Hits::Equal(2)), ..Breakpoint::default() });
        assert_eq!([10, 20, 30].map(|time| known.counts(time)), [false, true, false]);
        assert_eq!([30, 20, 10].map(|time| known.counts(time)), [false, true, false]);
    }

    #[test]
    fn logs_have_expressions_in_braces() {
        let all: Vec<_> = pieces("k = {k}, {a[1]}; {").collect();
        assert_eq!(all, [Ok("k = "), Err("k"), Ok(", "), Err("a[1]"), Ok("; "), Ok("{")]);
        let wrong = Breakpoint { log: Some("{k +}".to_owned()), ..Breakpoint::default() };
        assert!(wrong.check().unwrap_err().starts_with("`k +`: "));
    }
}
