//! Semantic tokens as the client keeps them: five numbers each, changed by the differences that the server tells.

use serde_json::Value;

pub fn numbers(data: &Value) -> Option<Vec<u64>> {
    data.as_array()?.iter().map(Value::as_u64).collect()
}

/// The tokens after an answer, with their name. `before`: those that the difference is to.
pub fn after(before: Option<&(String, Vec<u64>)>, result: &Value) -> Result<(String, Vec<u64>), String> {
    let name = result["resultId"].as_str().ok_or("no resultId")?.to_owned();
    let Some(edits) = result.get("edits").and_then(Value::as_array) else {
        return Ok((name, numbers(&result["data"]).ok_or("neither data nor edits")?));
    };
    let (_, data) = before.ok_or("a difference to nothing")?;
    let mut data = data.clone();
    // Each counts in the numbers before all of them; the last ones first, so that they stay where they are.
    let mut parts = Vec::new();
    for edit in edits {
        let number = |name: &str| edit[name].as_u64().map(|number| number as usize);
        let (start, count) =
            (number("start").ok_or("no start")?, number("deleteCount").ok_or("no deleteCount")?);
        let new = edit.get("data").map_or(Some(Vec::new()), numbers).ok_or("no numbers")?;
        parts.push((start, count, new));
    }
    parts.sort_by_key(|(start, ..)| std::cmp::Reverse(*start));
    for (start, count, new) in parts {
        if start + count > data.len() {
            return Err(format!("an edit at {start}, {count} numbers long, of {}", data.len()));
        }
        data.splice(start..start + count, new);
    }
    Ok((name, data))
}

/// Lines, columns and lengths of tokens, as they are in the text.
pub fn places(data: &[u64]) -> impl Iterator<Item = [usize; 3]> {
    let (mut line, mut column) = (0, 0);
    data.as_chunks::<5>().0.iter().map(move |[lines, columns, length, _, _]| {
        line += *lines as usize;
        column = if *lines > 0 { *columns as usize } else { column + *columns as usize };
        [line, column, *length as usize]
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_carried_out() {
        let before = ("1".to_owned(), vec![0, 1, 2, 3, 4, 5]);
        let result = json!({"resultId": "2", "edits": [
            {"start": 1, "deleteCount": 2, "data": [9]},
            {"start": 5, "deleteCount": 1},
        ]});
        assert_eq!(after(Some(&before), &result), Ok(("2".to_owned(), vec![0, 9, 3, 4])));
    }

    #[test]
    fn places_are_counted_from_the_token_before() {
        let places: Vec<_> = places(&[0, 4, 3, 0, 0, 0, 5, 1, 0, 0, 2, 1, 1, 0, 0]).collect();
        assert_eq!(places, [[0, 4, 3], [0, 9, 1], [2, 1, 1]]);
    }
}
