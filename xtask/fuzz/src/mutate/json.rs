//! Damage to JSON values: of messages, and of every file that is JSON.

use serde_json::{Map, Number, Value};

use crate::random::Random;

/// Exchanges, takes out or doubles one value somewhere inside.
pub fn value(value: &mut Value, random: &mut Random) {
    let deeper = match value {
        Value::Array(list) if !list.is_empty() && random.below(5) > 0 => {
            let at = random.below(list.len());
            if random.one_in(6) {
                match random.below(3) {
                    0 => drop(list.remove(at)),
                    1 => list.push(list[at].clone()),
                    _ => list.swap(0, at),
                }
                return;
            }
            list.get_mut(at)
        }
        Value::Object(fields) if !fields.is_empty() && random.below(6) > 0 => {
            let at = random.below(fields.len());
            let Some(key) = fields.keys().nth(at).cloned() else { return };
            if random.one_in(8) {
                damage_field(fields, &key, random);
                return;
            }
            fields.get_mut(&key)
        }
        _ => None,
    };
    match deeper {
        Some(inner) => self::value(inner, random),
        None => *value = replacement(value, random),
    }
}

fn damage_field(fields: &mut Map<String, Value>, key: &str, random: &mut Random) {
    let Some(old) = fields.remove(key) else { return };
    match random.below(3) {
        0 => {}
        1 => drop(fields.insert(format!("{key}x"), old)),
        _ => {
            let other = random.below(fields.len());
            let exchanged = fields.values_mut().nth(other).map(|other| std::mem::replace(other, old));
            fields.insert(key.to_owned(), exchanged.unwrap_or_default());
        }
    }
}

fn replacement(old: &Value, random: &mut Random) -> Value {
    match (random.below(8), old) {
        (0, _) => Value::Null,
        (1, _) => Value::Bool(random.one_in(2)),
        (2..5, Value::Number(_)) | (2, _) => random.number().into(),
        (5, _) => (-(random.below(3) as i64)).into(),
        (6, Value::Number(_)) => Number::from_f64(0.5).map_or(Value::Null, Value::Number),
        (6, Value::String(text)) => {
            Value::String(format!("{text}{}", random.pick(["é", "\u{1F600}", "/..", "", "\n"])))
        }
        (3, _) => Value::Array(vec![old.clone()]),
        (4, _) => Value::Object(Map::new()),
        _ => Value::String(
            random.pick(["", "file:///p/a.comp", "x", "é\u{1F600}", "../..", "%zz", "//"]).to_owned(),
        ),
    }
}
