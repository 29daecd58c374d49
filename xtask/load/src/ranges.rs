//! Finds every range and position in an answer, and says in which document each of them lies.

use serde_json::Value;

use crate::text::Position;

/// A place that an answer names.
#[derive(Debug)]
pub struct Found {
    pub uri: String,
    /// The version that the answer names, where it does.
    pub version: Option<i64>,
    pub start: Position,
    pub end: Position,
}

/// All places in an answer about the document `home`.
pub fn find(answer: &Value, home: &str) -> Vec<Found> {
    let mut found = Vec::new();
    walk(answer, &Scope { uri: home, home, version: None }, &mut found);
    found
}

#[derive(Clone, Copy)]
struct Scope<'a> {
    uri: &'a str,
    home: &'a str,
    version: Option<i64>,
}

fn walk(value: &Value, scope: &Scope<'_>, found: &mut Vec<Found>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, scope, found)),
        Value::Object(fields) => {
            let mut here = *scope;
            // What stops a device is told of with the path of its file.
            let of_path = fields.get("path").and_then(Value::as_str).map(|path| format!("file://{path}"));
            if let Some(uri) = &of_path {
                here = Scope { uri, version: None, ..here };
            }
            if let Some(uri) = fields.get("uri").and_then(Value::as_str) {
                here = Scope { uri, version: None, ..here };
            }
            if let Some(document) = fields.get("textDocument")
                && let Some(uri) = document["uri"].as_str()
            {
                here = Scope { uri, version: document["version"].as_i64(), ..here };
            }
            if let (Some(start), Some(end)) = (fields.get("start"), fields.get("end"))
                && let (Some(start), Some(end)) = (Position::read(start), Position::read(end))
            {
                let (uri, version) = (here.uri.to_owned(), here.version);
                found.push(Found { uri, version, start, end });
                return;
            }
            if let Some(at) = Position::read(value) {
                let (uri, version) = (here.uri.to_owned(), here.version);
                found.push(Found { uri, version, start: at, end: at });
                return;
            }
            for (name, inner) in fields {
                match name.as_str() {
                    // What the server keeps there for itself, and for commands of the client; places in a module's text.
                    "data" | "arguments" | "virtualRange" | "map" | "functions" => {}
                    "originSelectionRange" => {
                        walk(inner, &Scope { uri: here.home, version: None, ..here }, found);
                    }
                    "targetRange" | "targetSelectionRange" => {
                        let uri = fields.get("targetUri").and_then(Value::as_str).unwrap_or(here.uri);
                        walk(inner, &Scope { uri, version: None, ..here }, found);
                    }
                    // Of a caller, in its file; of a call, in the file that was asked about.
                    "fromRanges" => {
                        let uri = fields.get("from").and_then(|from| from["uri"].as_str());
                        walk(inner, &Scope { uri: uri.unwrap_or(here.home), version: None, ..here }, found);
                    }
                    "changes" if inner.is_object() => {
                        for (uri, edits) in inner.as_object().into_iter().flatten() {
                            walk(edits, &Scope { uri, version: None, ..here }, found);
                        }
                    }
                    "relatedDocuments" => {
                        for (uri, report) in inner.as_object().into_iter().flatten() {
                            walk(report, &Scope { uri, version: None, ..here }, found);
                        }
                    }
                    _ => walk(inner, &here, found),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The places in the source of `coopmat-analyzer/spirv`: rows of numbers, each with the index of a file.
pub fn of_map(answer: &Value) -> Vec<Found> {
    let files: Vec<Option<&str>> =
        answer["files"].as_array().into_iter().flatten().map(Value::as_str).collect();
    let rows = answer["map"].as_array().into_iter().flatten();
    let places = rows.flat_map(|row| {
        let numbers: Vec<usize> =
            row.as_array().into_iter().flatten().filter_map(|n| Some(n.as_u64()? as usize)).collect();
        let rest = numbers.get(4..).unwrap_or_default();
        rest.as_chunks::<5>().0.to_vec()
    });
    places
        .filter_map(|[file, line, character, end_line, end_character]| {
            Some(Found {
                uri: (*files.get(file)?)?.to_owned(),
                version: None,
                start: Position { line, character },
                end: Position { line: end_line, character: end_character },
            })
        })
        .collect()
}

/// The places in a module's text: the rows of the map, and the functions.
pub fn of_module(answer: &Value) -> Vec<[Position; 2]> {
    let rows = answer["map"].as_array().into_iter().flatten().filter_map(|row| {
        let number = |at: usize| Some(row.get(at)?.as_u64()? as usize);
        Some([
            Position { line: number(0)?, character: number(1)? },
            Position { line: number(2)?, character: number(3)? },
        ])
    });
    let functions = answer["functions"].as_array().into_iter().flatten().filter_map(|function| {
        let range = function.get("range")?;
        Some([Position::read(range.get("start")?)?, Position::read(range.get("end")?)?])
    });
    rows.chain(functions).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_found_with_their_documents() {
        let range = json!({"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 2}});
        let answer = json!([
            {"originSelectionRange": range, "targetUri": "b", "targetRange": range, "targetSelectionRange": range},
            {"documentChanges": [{"textDocument": {"uri": "c", "version": 3}, "edits": [{"range": range, "newText": ""}]}]},
            {"position": {"line": 4, "character": 0}, "label": "x", "data": {"range": range}},
        ]);
        let found = find(&answer, "a");
        let places: Vec<_> = found.iter().map(|one| (one.uri.as_str(), one.version, one.end.line)).collect();
        assert_eq!(
            places,
            [("a", None, 0), ("b", None, 0), ("b", None, 0), ("c", Some(3), 0), ("a", None, 4)]
        );
    }
}
