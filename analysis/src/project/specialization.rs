//! Specialization constants in a project file: values that a configuration gives, and named sets of them to choose from.

use toml::de::DeValue;

use super::read::{Reader, Value, integer};
use crate::config::{ConstantKey, SpecializationValue};

/// What stands for no set: what the recipe beside a shader gives, and what the configuration does.
pub const TAKEN: [(&str, &str); 2] =
    [("recipe", "what a recipe gives"), ("project", "what the configuration gives")];

/// Values of specialization constants to choose, under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecializationSet {
    /// As people choose it.
    pub name: String,
    /// What is not in it keeps the value that the configuration gives.
    pub values: Vec<(ConstantKey, SpecializationValue)>,
}

impl Reader<'_> {
    /// `{ 0 = 64, TM = 32, CHECKS = true }`.
    pub(super) fn specialization(&mut self, value: &Value<'_>) -> Vec<(ConstantKey, SpecializationValue)> {
        let DeValue::Table(table) = value.get_ref() else {
            self.expected(value, "values by constant_id or name, such as `{ 0 = 64, TM = 32 }`");
            return Vec::new();
        };
        let mut values = Vec::new();
        for (key, value) in table {
            let constant = match key.get_ref().parse::<ConstantKey>() {
                Ok(constant) => constant,
                Err(message) => {
                    self.error(key, message);
                    continue;
                }
            };
            let found = match value.get_ref() {
                DeValue::Boolean(on) => SpecializationValue::Bool(*on),
                DeValue::Float(float) => match float.as_str().parse::<f64>() {
                    Ok(float) => SpecializationValue::Float(float.to_bits()),
                    Err(_) => {
                        self.expected(value, "a number");
                        continue;
                    }
                },
                DeValue::Integer(_) => match integer(value.get_ref()) {
                    Some(number) => SpecializationValue::Int(number),
                    None => {
                        self.error(value, "this number does not fit in 64 bits".to_owned());
                        continue;
                    }
                },
                _ => {
                    self.expected(value, "a number or a boolean");
                    continue;
                }
            };
            values.push((constant, found));
        }
        values.sort_by(|(one, _), (other, _)| one.cmp(other));
        values
    }

    /// `{ small = { TM = 16 }, large = { TM = 64 } }`, in the order of the text.
    pub(super) fn specializations(&mut self, value: &Value<'_>) -> Vec<SpecializationSet> {
        let DeValue::Table(table) = value.get_ref() else {
            self.expected(value, "sets of values by name, such as `{ small = { TM = 16 } }`");
            return Vec::new();
        };
        let mut sets: Vec<_> = table.iter().collect();
        sets.sort_by_key(|(key, _)| key.span().start);
        let mut found = Vec::new();
        for (key, value) in sets {
            let name = &**key.get_ref();
            if let Some((_, means)) = TAKEN.iter().find(|(taken, _)| *taken == name) {
                self.error(key, format!("`{name}` already means {means}: give the set another name"));
            } else if name.trim().is_empty() || name.contains('=') {
                self.error(
                    key,
                    format!("invalid name `{name}` of a set: it must not be empty or contain `=`"),
                );
            }
            found.push(SpecializationSet { name: name.to_owned(), values: self.specialization(value) });
        }
        found
    }
}
