//! The JSON schema of recipes, for editors.

use std::collections::BTreeMap;

use serde_json::Value;

/// The schema as text. `recipe/run-recipe.schema.json` is the same.
pub fn schema() -> String {
    schema_text(schemars::schema_for!(crate::Recipe), "Run recipe of coopmat-analyzer")
}

/// A schema as the text of a file, under a title.
pub fn schema_text(mut schema: schemars::Schema, title: &str) -> String {
    schema.insert("title".to_owned(), title.into());
    let mut text = serde_json::to_string_pretty(&sorted(schema.to_value())).unwrap_or_default();
    text.push('\n');
    text
}

/// Keys by name: whether serde_json keeps the order in which they were made depends on what else is in the build.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let entries: BTreeMap<String, Value> = map.into_iter().collect();
            Value::Object(entries.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_file_is_up_to_date() {
        expect_test::expect_file!["../run-recipe.schema.json"].assert_eq(&super::schema());
    }
}
