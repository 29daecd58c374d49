//! Settings, recipes and project files, as their JSON schemas describe them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use crate::markdown::cell;
use crate::paths;

pub fn settings(source: &str) -> Result<String> {
    let schema = Schema::read(source)?;
    let mut out = String::from(
        "# Settings of the server\n\nWhat the server reads from an editor: below `coopmat-analyzer` in `workspace/configuration`, or as `initializationOptions`. \
         [In an editor](../../docs/editors.md#settings) says how they are laid over the [project file](../../docs/project-file.md).\n\n\
         | setting | value | meaning | otherwise |\n|---|---|---|---|\n",
    );
    schema.flat("", &schema.root, &mut out);
    Ok(out)
}

pub fn recipe(source: &str) -> Result<String> {
    let schema = Schema::read(source)?;
    let mut out = String::from(
        "# Keys of recipes\n\nEvery key that a recipe may have. [Run recipes](../docs/recipes.md) explains them with examples; `coopmat-analyzer run --schema` prints the schema, \
         for editors that complete TOML.\n",
    );
    schema.sections("A recipe", &mut out);
    Ok(out)
}

pub fn project_file(source: &str) -> Result<String> {
    let schema = Schema::read(source)?;
    let mut out = String::from(
        "# Keys of the project file\n\nEvery key of `coopmat-analyzer.toml`. [The project file](../../docs/project-file.md) explains them with examples.\n",
    );
    schema.sections("At the top", &mut out);
    Ok(out)
}

struct Schema {
    root: Value,
}

impl Schema {
    fn read(source: &str) -> Result<Schema> {
        let text = fs::read_to_string(paths::root().join(source))
            .with_context(|| format!("cannot read {source}"))?;
        Ok(Schema { root: serde_json::from_str(&text).with_context(|| format!("{source} is no JSON"))? })
    }

    /// The schema and its name that a reference leads to.
    fn referred<'a>(&'a self, schema: &'a Value) -> (&'a Value, Option<&'a str>) {
        let Some(reference) = schema["$ref"].as_str() else { return (schema, None) };
        let path = reference.trim_start_matches('#');
        (self.root.pointer(path).unwrap_or(schema), path.rsplit('/').next())
    }

    /// The properties of an object, those that it takes over from others included.
    fn properties<'a>(&'a self, schema: &'a Value) -> Vec<(&'a str, &'a Value)> {
        let mut list: Vec<(&str, &Value)> = Vec::new();
        let mut add = |schema: &'a Value| {
            for (key, value) in schema["properties"].as_object().into_iter().flatten() {
                list.push((key, value));
            }
        };
        for part in schema["allOf"].as_array().into_iter().flatten() {
            add(self.referred(part).0);
        }
        add(schema);
        list
    }

    /// `inlayHints.shapes` and the like: a row for each setting that is no object with settings of its own.
    fn flat(&self, prefix: &str, schema: &Value, out: &mut String) {
        for (key, property) in self.properties(schema) {
            let name = format!("{prefix}{key}");
            let inner = self.referred(property).0;
            if inner["properties"].is_object() {
                self.flat(&format!("{name}."), inner, out);
                continue;
            }
            let _ = writeln!(
                out,
                "| `{name}` | {} | {} | {} |",
                self.kind(property, None),
                cell(self.description(property)),
                otherwise(property)
            );
        }
    }

    fn description<'a>(&'a self, property: &'a Value) -> &'a str {
        let own = property["description"].as_str();
        own.or_else(|| self.referred(property).0["description"].as_str()).unwrap_or_default()
    }

    /// A table for the top, and one for each kind of object that it leads to.
    fn sections(&self, title: &str, out: &mut String) {
        let mut linked = BTreeSet::new();
        self.objects(&self.root, &mut linked);
        let mut waiting: Vec<String> = Vec::new();
        let mut done: BTreeSet<String> = BTreeSet::new();
        self.section(title, &self.root, &linked, &mut waiting, out);
        while let Some(name) = (!waiting.is_empty()).then(|| waiting.remove(0)) {
            if !done.insert(name.clone()) {
                continue;
            }
            if let Some(schema) = self.definition(&name) {
                self.section(&spaced(&name), schema, &linked, &mut waiting, out);
            }
        }
    }

    fn definition(&self, name: &str) -> Option<&Value> {
        ["$defs", "definitions"].iter().find_map(|place| self.root[*place].get(name))
    }

    fn section(
        &self,
        title: &str,
        schema: &Value,
        linked: &BTreeSet<String>,
        waiting: &mut Vec<String>,
        out: &mut String,
    ) {
        let _ = writeln!(out, "\n## {title}\n");
        if let Some(words) = schema["description"].as_str() {
            let _ = writeln!(out, "{}\n", words.trim());
        }
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        self.rows(schema, &required, linked, out);
        for choice in choices(schema) {
            let (inner, _) = self.referred(choice);
            if self.properties(inner).is_empty() {
                let _ = writeln!(
                    out,
                    "- {}{}",
                    self.kind(choice, Some(linked)),
                    described(self.description(choice))
                );
            } else {
                let names: Vec<&str> =
                    inner["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                if !choice["description"].is_null() {
                    let _ = writeln!(out, "\n{}\n", self.description(choice));
                }
                self.rows(inner, &names, linked, out);
            }
        }
        // Objects without a name of their own stand right behind the key that holds them.
        for (key, property) in self.properties(schema) {
            let item = if property["items"].is_object() { &property["items"] } else { property };
            if item["$ref"].is_null() && !self.properties(item).is_empty() {
                self.section(&format!("Each of `{key}`"), item, linked, waiting, out);
            }
        }
        self.mentioned(schema, waiting);
    }

    fn rows(&self, schema: &Value, required: &[&str], linked: &BTreeSet<String>, out: &mut String) {
        let properties = self.properties(schema);
        if properties.is_empty() {
            return;
        }
        out.push_str("| key | value | meaning | otherwise |\n|---|---|---|---|\n");
        for (key, property) in properties {
            let otherwise = if required.contains(&key) { "required".to_owned() } else { otherwise(property) };
            let words = cell(self.description(property));
            let _ =
                writeln!(out, "| `{key}` | {} | {words} | {otherwise} |", self.kind(property, Some(linked)));
        }
        out.push('\n');
    }

    /// The definitions that are objects, and so get a section.
    fn objects(&self, schema: &Value, found: &mut BTreeSet<String>) {
        let mut names = Vec::new();
        self.mentioned(schema, &mut names);
        for name in names {
            if found.insert(name.clone())
                && let Some(schema) = self.definition(&name)
            {
                self.objects(schema, found);
            }
        }
    }

    /// The objects that a schema names, in its order.
    fn mentioned(&self, schema: &Value, names: &mut Vec<String>) {
        match schema {
            Value::Object(map) => {
                if let (inner, Some(name)) = self.referred(schema)
                    && self.has_section(inner)
                {
                    names.push(name.to_owned());
                }
                for (key, value) in
                    map.iter().filter(|(key, _)| !["$defs", "definitions", "default"].contains(&key.as_str()))
                {
                    // What is taken over stands in the same table.
                    if key != "allOf" {
                        self.mentioned(value, names);
                    } else {
                        for part in value.as_array().into_iter().flatten() {
                            self.mentioned(&self.referred(part).0["properties"], names);
                        }
                    }
                }
            }
            Value::Array(list) => list.iter().for_each(|value| self.mentioned(value, names)),
            _ => {}
        }
    }

    fn has_section(&self, schema: &Value) -> bool {
        let with_keys = |schema: &Value| !self.properties(schema).is_empty();
        with_keys(schema) || choices(schema).any(|choice| with_keys(self.referred(choice).0))
    }

    /// What a value may be, in words. `linked`: the objects with a section of their own.
    fn kind(&self, schema: &Value, linked: Option<&BTreeSet<String>>) -> String {
        self.kind_within(schema, linked, &mut Vec::new())
    }

    /// `around`: the definitions that this one is a part of, as lists of lists are.
    fn kind_within<'a>(
        &'a self,
        schema: &'a Value,
        linked: Option<&BTreeSet<String>>,
        around: &mut Vec<&'a str>,
    ) -> String {
        let (inner, name) = self.referred(schema);
        if let (Some(name), Some(linked)) = (name, linked)
            && linked.contains(name)
        {
            let title = spaced(name);
            return format!("[{}](#{})", title.to_lowercase(), title.to_lowercase().replace(' ', "-"));
        }
        if let Some(name) = name {
            if around.contains(&name) {
                return "the same".to_owned();
            }
            around.push(name);
            let words = self.kind_within(inner, linked, around);
            around.pop();
            return words;
        }
        if let Some(words) = one_of(schema) {
            return words;
        }
        let parts: Vec<String> = choices(schema)
            .filter(|choice| choice["type"] != "null")
            .map(|choice| self.kind_within(choice, linked, around))
            .collect();
        if !parts.is_empty() {
            let mut unique: Vec<String> = Vec::new();
            for part in parts {
                if !unique.contains(&part) {
                    unique.push(part);
                }
            }
            return unique.join(" or ");
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::String(name) => vec![name],
            Value::Array(names) => {
                names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect()
            }
            _ => Vec::new(),
        };
        let words = types.iter().map(|name| match *name {
            "array" if schema["items"].is_object() => {
                format!("list of {}", self.kind_within(&schema["items"], linked, around))
            }
            "array" => "list".to_owned(),
            "object" => match &schema["additionalProperties"] {
                Value::Object(_) => {
                    format!("table of {}", self.kind_within(&schema["additionalProperties"], linked, around))
                }
                _ => "table".to_owned(),
            },
            "boolean" => "`true`, `false`".to_owned(),
            "integer" => "integer".to_owned(),
            other => other.to_owned(),
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { "anything".to_owned() } else { words.join(" or ") }
    }
}

fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf"].into_iter().flat_map(|key| schema[key].as_array().into_iter().flatten())
}

/// The values of an enumeration.
fn one_of(schema: &Value) -> Option<String> {
    if !schema["const"].is_null() {
        return Some(code(&schema["const"]));
    }
    let values = schema["enum"].as_array()?;
    Some(values.iter().filter(|value| !value.is_null()).map(code).collect::<Vec<_>>().join(", "))
}

fn code(value: &Value) -> String {
    format!("`{value}`").replace('|', "\\|")
}

fn otherwise(property: &Value) -> String {
    match &property["default"] {
        Value::Null => String::new(),
        Value::Object(map) if map.is_empty() => String::new(),
        Value::Object(map) => defaults(map),
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        other => code(other),
    }
}

fn defaults(map: &Map<String, Value>) -> String {
    let values: Vec<String> = map.iter().map(|(key, value)| format!("`{key} = {value}`")).collect();
    values.join(", ")
}

fn described(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {}", cell(words)) }
}

/// `PushConstants` as words.
fn spaced(name: &str) -> String {
    let mut out = String::new();
    for (index, char) in name.char_indices() {
        if index > 0 && char.is_uppercase() {
            out.push(' ');
            out.extend(char.to_lowercase());
        } else if index == 0 {
            out.extend(char.to_uppercase());
        } else {
            out.push(char);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{project_file, recipe, settings};

    #[test]
    fn every_key_of_the_schemas_has_a_row() {
        let text = settings("lsp/core/settings.schema.json").unwrap();
        for key in ["inlayHints.shapes", "codeLens.references", "targetEnv", "diagnostics.mode"] {
            assert!(text.contains(&format!("| `{key}` | ")), "{key}: {text}");
        }
        let text = recipe("recipe/run-recipe.schema.json").unwrap();
        for key in ["dispatch", "buffers", "ulp", "scale", "weights"] {
            assert!(text.contains(&format!("| `{key}` | ")), "{key}: {text}");
        }
        let text = project_file("analysis/schema/coopmat-analyzer.schema.json").unwrap();
        for key in ["target-env", "ignore", "files", "in-view"] {
            assert!(text.contains(&format!("| `{key}` | ")), "{key}: {text}");
        }
    }
}
