//! Reads a recipe's text, and finds the places that errors are about.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::model::Recipe;

/// The most bytes of a recipe: its literal values may be many.
const LONGEST: usize = 16 << 20;

/// Something in a recipe that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeError {
    /// Bytes of the recipe's text; empty where no place is to blame.
    pub range: Range<usize>,
    /// What was expected, what was found, what to do.
    pub message: String,
}

impl RecipeError {
    /// An error that no place of the text is to blame for.
    pub fn new(message: impl Into<String>) -> RecipeError {
        RecipeError { range: 0..0, message: message.into() }
    }

    /// Line and column of the place, from 1; columns count characters.
    pub fn position(&self, text: &str) -> (usize, usize) {
        let before = text.get(..self.range.start).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RecipeError {}

/// A key, or a place in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(String),
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Step {
        Step::Key(key.to_owned())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Step {
        Step::Index(index)
    }
}

/// Where in a recipe something stands, by its keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(Vec<Step>);

impl Place {
    pub fn top(key: &str) -> Place {
        Place(vec![key.into()])
    }

    pub fn then(&self, step: impl Into<Step>) -> Place {
        let mut steps = self.0.clone();
        steps.push(step.into());
        Place(steps)
    }

    pub fn fail(&self, message: impl Into<String>) -> Fault {
        Fault { place: self.clone(), message: message.into() }
    }
}

/// What is wrong, with a place that becomes a range when the text is at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub place: Place,
    pub message: String,
}

impl Fault {
    pub fn locate(self, text: &str) -> RecipeError {
        RecipeError { range: locate(text, &self.place), message: self.message }
    }
}

/// The range of a value; of the innermost table around it that there is, when it is left out.
fn locate(text: &str, place: &Place) -> Range<usize> {
    let Ok(table) = DeTable::parse(text) else { return 0..0 };
    let mut range = 0..0;
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for step in &place.0 {
        let next = match (step, value.map(Spanned::get_ref)) {
            (Step::Key(key), None) => table.get_ref().get(key.as_str()),
            (Step::Key(key), Some(DeValue::Table(table))) => table.get(key.as_str()),
            (Step::Index(index), Some(DeValue::Array(array))) => array.get(*index),
            _ => None,
        };
        let Some(next) = next else { break };
        range = next.span();
        value = Some(next);
    }
    // A table of its own spans up to its last value: its first line is enough.
    let shown = text.get(range.clone()).and_then(|shown| shown.lines().next()).map_or(0, str::len);
    range.start..range.start + shown
}

/// Reads a recipe.
pub fn parse(text: &str) -> Result<Recipe, RecipeError> {
    if text.len() > LONGEST {
        return Err(RecipeError::new(format!("the recipe is longer than {} MiB", LONGEST >> 20)));
    }
    toml::from_str(text).map_err(|error| {
        let message = error.message().trim();
        let range = error.span().unwrap_or(0..0);
        let found = text.get(range.clone()).unwrap_or_default();
        let told = RecipeError { message: advice(message, found), range };
        if message.starts_with("invalid type: map") { table_for_list(text).unwrap_or(told) } else { told }
    })
}

/// The lists of tables, and a key that each of their tables needs.
const LISTS: [(&str, &str); 5] = [
    ("dispatches", "name"),
    ("buffers", "name"),
    ("references", "name"),
    ("expect", "buffer"),
    ("findings", "kind"),
];

/// What to write where a table stands for a list of tables: `[buffers.x]`, or `[buffers]`.
fn table_for_list(text: &str) -> Option<RecipeError> {
    let table = DeTable::parse(text).ok()?;
    LISTS.iter().find_map(|&(list, key)| {
        let DeValue::Table(found) = table.get_ref().get(list)?.get_ref() else { return None };
        let within = found.iter().find(|(_, value)| matches!(value.get_ref(), DeValue::Table(_)));
        let names = found.len() == 1 && within.is_some();
        let place = Place::top(list);
        let (place, shown, name) = match within.filter(|_| names) {
            Some((name, _)) => {
                let name = name.get_ref();
                (place.then(&**name), format!("[{list}.{name}]"), format!("{key} = \"{name}\""))
            }
            None => (place, format!("[{list}]"), format!("{key} = \"...\"")),
        };
        let message = format!(
            "expected a list of tables, found a table: write `[[{list}]]` and `{name}` instead of `{shown}`"
        );
        Some(place.fail(message).locate(text))
    })
}

/// The reader's message, with what to do about it. `found` is the text that it is about.
fn advice(message: &str, found: &str) -> String {
    // A kind that has values, such as `constant`, as a word alone.
    if message.starts_with("invalid type: unit variant") {
        let kind = found.trim_matches(['"', '\'']);
        format!("`{kind}` takes values: write `{{ {kind} = ... }}`; docs/recipes.md describes each")
    } else if message.starts_with("unknown field") || message.starts_with("unknown variant") {
        format!("{message}; docs/recipes.md describes each")
    } else {
        message.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_kind_with_values_is_not_written_alone() {
        let text = "dispatch = [1, 1, 1]\n[[buffers]]\nname = \"A\"\nfill = \"constant\"\n";
        let error = parse(text).expect_err("`constant` takes a value");
        let expected = "`constant` takes values: write `{ constant = ... }`; docs/recipes.md describes each";
        assert_eq!((&text[error.range], error.message.as_str()), ("\"constant\"", expected));
    }

    /// What is no type of recipes is named, whatever else was written.
    #[test]
    fn types_of_ggml_that_are_not_supported_are_named() {
        let error = |element: &str| {
            let text = format!(
                "dispatch = [1, 1, 1]\n[[buffers]]\nname = \"A\"\ntype = \"{element}\"\nshape = [256]\n"
            );
            parse(&text).expect_err("no such type").message
        };
        assert_eq!(
            error("iq2_xs"),
            "`iq2_xs` is a type of ggml that recipes do not support, nor iq1_s, iq1_m, iq2_xxs, iq2_s, iq3_xxs, iq3_s, q8_K: describe its blocks as bytes, \
             `type = \"u8\"`"
        );
        let message = error("q4_k");
        assert!(
            message.starts_with("`q4_k` is not an element type; expected one of f64, f32, "),
            "{message}"
        );
        let end = " (of ggml's types, iq1_s, iq1_m, iq2_xxs, iq2_xs, iq2_s, iq3_xxs, iq3_s, q8_K are not supported)";
        assert!(message.ends_with(end), "{message}");
    }
}
