//! The sizes of a recipe: numbers with names, which may be formulas of each other.

use std::collections::BTreeMap;

use crate::formula::Formula;
use crate::model::Number;
use crate::read::{Fault, Place};

/// Sizes by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizes {
    known: BTreeMap<String, f64>,
}

/// Names that formulas over elements have taken.
const TAKEN: [&str; 4] = ["row", "column", "matrix", "index"];

/// An integer of up to 64 bits in decimal or hexadecimal digits, and nothing else.
fn digits(text: &str) -> Option<i128> {
    let (negative, magnitude) = match text.trim().strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.trim()),
    };
    let value = match magnitude.strip_prefix("0x").or_else(|| magnitude.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => magnitude.bytes().all(|byte| byte.is_ascii_digit()).then(|| magnitude.parse().ok())??,
    };
    Some(if negative { -i128::from(value) } else { i128::from(value) })
}

impl Sizes {
    pub fn new(written: &BTreeMap<String, Number>) -> Result<Sizes, Fault> {
        let mut sizes = Sizes::default();
        let mut waiting: Vec<(&String, &Number)> = written.iter().collect();
        for (name, _) in &waiting {
            let place = Place::top("sizes").then(name.as_str());
            if TAKEN.contains(&name.as_str()) {
                return Err(
                    place.fail(format!("`{name}` is the name of an element's coordinate: use another name"))
                );
            }
            if !name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_') {
                return Err(
                    place.fail(format!("`{name}` cannot be used in formulas: use letters, digits and `_`"))
                );
            }
        }
        // Each round settles those whose names are known; a round that settles none has met a circle or an unknown name.
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut failed = None;
            let mut left = Vec::new();
            for (name, number) in waiting {
                let place = Place::top("sizes").then(name.as_str());
                match sizes.number(number, &place) {
                    Ok(value) => {
                        sizes.known.insert(name.clone(), value);
                    }
                    Err(fault) => {
                        failed.get_or_insert(fault);
                        left.push((name, number));
                    }
                }
            }
            waiting = left;
            if waiting.len() == before
                && let Some(fault) = failed
            {
                return Err(fault);
            }
        }
        Ok(sizes)
    }

    pub fn get(&self, name: &str) -> Option<f64> {
        self.known.get(name).copied()
    }

    pub fn number(&self, number: &Number, place: &Place) -> Result<f64, Fault> {
        let text = match number {
            Number::Integer(integer) => return Ok(*integer as f64),
            Number::Float(float) => return Ok(*float),
            Number::Formula(text) => text,
        };
        let formula = Formula::parse(text).map_err(|error| place.fail(format!("`{text}`: {error}")))?;
        if let Some(unknown) = formula.names().iter().find(|name| self.get(name).is_none()) {
            let known: Vec<&str> = self.known.keys().map(String::as_str).collect();
            let there_are = if known.is_empty() {
                "the recipe has no `[sizes]` yet".to_owned()
            } else {
                format!("expected one of {}", known.join(", "))
            };
            return Err(place.fail(format!("`{text}`: there is no size `{unknown}`: {there_are}")));
        }
        let names = formula.names();
        Ok(formula.evaluate(&|index| names.get(index).and_then(|name| self.get(name)).unwrap_or(f64::NAN)))
    }

    /// A number that counts something.
    /// A number that is written as an integer, or as the digits of one in quotes, exactly; any other as the float that it is.
    pub fn integer(&self, number: &Number, place: &Place) -> Result<(f64, Option<i128>), Fault> {
        let written = match number {
            Number::Integer(integer) => Some(i128::from(*integer)),
            Number::Float(_) => None,
            Number::Formula(text) => digits(text),
        };
        match written {
            Some(integer) => Ok((integer as f64, Some(integer))),
            None => Ok((self.number(number, place)?, None)),
        }
    }

    pub fn whole(&self, number: &Number, place: &Place) -> Result<usize, Fault> {
        let value = self.number(number, place)?;
        if (0.0..=9e15).contains(&value) && value == libm::trunc(value) {
            Ok(value as usize)
        } else {
            Err(place.fail(format!("expected a non-negative integer, found {value}")))
        }
    }

    pub fn wholes(&self, numbers: &[Number], place: &Place) -> Result<Vec<usize>, Fault> {
        numbers.iter().enumerate().map(|(index, number)| self.whole(number, &place.then(index))).collect()
    }
}
