//! The JSON schema of recipes, for editors.

/// The schema as text. `recipe/run-recipe.schema.json` is the same.
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(crate::Recipe);
    schema.insert("title".to_owned(), "Run recipe of coopmat-analyzer".into());
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_file_is_up_to_date() {
        expect_test::expect_file!["../run-recipe.schema.json"].assert_eq(&super::schema());
    }
}
