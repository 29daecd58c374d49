//! What our Vulkan driver found, as SARIF.

use std::collections::BTreeSet;

use coopmat_driver_report::{Event, Place};
use serde_json::{Value, json};

use super::text::named;
use crate::sarif::{Fingerprints, log, uri_reference};

/// Where the findings are described.
const PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/vulkan-driver.md");

/// One result, before it is written.
struct Problem<'e> {
    rule: &'e str,
    level: &'static str,
    message: String,
    place: Option<&'e Place>,
    /// What it is of, if the source is not known.
    within: String,
    other: Option<&'e Place>,
}

fn problem(event: &Event) -> Option<Problem<'_>> {
    Some(match event {
        Event::Finding(found) => {
            let why = found.allowed_by.as_ref().map_or(String::new(), |name| format!(" (allowed by {name})"));
            Problem {
                rule: &found.kind,
                level: if found.allowed_by.is_some() { "note" } else { "error" },
                message: format!("{}{why}", found.message),
                place: found.place.as_ref(),
                within: named(&found.dispatch),
                other: found.other.as_ref(),
            }
        }
        Event::FoundCommand(found) => Problem {
            rule: &found.kind,
            level: "error",
            message: format!("{}; {}", found.message, found.advice),
            place: found.place.as_ref(),
            within: "the program's commands".to_owned(),
            other: found.other.as_ref(),
        },
        Event::Failed { dispatch, message, place } => Problem {
            rule: "dispatch-failed",
            level: "error",
            message: message.clone(),
            place: place.as_ref(),
            within: named(dispatch),
            other: None,
        },
        Event::Misuse { call, message } => of_call("wrong-use", "error", call, message),
        Event::Missing { call, message } => of_call("not-in-this-driver", "warning", call, message),
        Event::Refused { message } => Problem {
            rule: "driver-options",
            level: "error",
            message: message.clone(),
            place: None,
            within: "the driver".to_owned(),
            other: None,
        },
        Event::Internal { call, message } => of_call("mistake-of-coopmat-analyzer", "error", call, message),
        Event::Started { .. }
        | Event::Again { .. }
        | Event::Printed { .. }
        | Event::Captured { .. }
        | Event::Replaced { .. }
        | Event::Progress { .. } => return None,
    })
}

fn of_call<'e>(rule: &'e str, level: &'static str, call: &str, message: &str) -> Problem<'e> {
    let within = call.to_owned();
    Problem { rule, level, message: format!("{call}: {message}"), place: None, within, other: None }
}

fn physical(place: &Place) -> Value {
    json!({
        "artifactLocation": {"uri": uri_reference(&place.path)},
        "region": {"startLine": place.line, "startColumn": place.column},
    })
}

pub fn render(events: &[Event]) -> String {
    let problems: Vec<Problem<'_>> = events.iter().filter_map(problem).collect();
    let names: BTreeSet<&str> = problems.iter().map(|one| one.rule).collect();
    let rules: Vec<Value> = names
        .iter()
        .map(
            |name| json!({"id": name, "shortDescription": {"text": name.replace('-', " ")}, "helpUri": PAGE}),
        )
        .collect();
    let mut fingerprints = Fingerprints::default();
    let results: Vec<Value> = problems
        .iter()
        .map(|one| {
            let location = match one.place {
                Some(place) => json!({"physicalLocation": physical(place)}),
                None => json!({"logicalLocations": [{"fullyQualifiedName": one.within}]}),
            };
            let related: Vec<Value> = one
                .other
                .iter()
                .map(|place| {
                    json!({"id": 0, "message": {"text": "the other one"}, "physicalLocation": physical(place)})
                })
                .collect();
            let path = one.place.map_or(one.within.as_str(), |place| place.path.as_str());
            let line = one.place.and_then(|place| place.text.as_deref()).unwrap_or(&one.message);
            json!({
                "ruleId": one.rule,
                "ruleIndex": names.iter().position(|name| *name == one.rule),
                "level": one.level,
                "message": {"text": one.message},
                "locations": [location],
                "relatedLocations": related,
                "partialFingerprints": fingerprints.of(&[one.rule, path, line.trim()]),
            })
        })
        .collect();
    log(&rules, &results, &json!({}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_a_result_with_its_place_or_its_call() {
        let place = Place { path: "a.comp".to_owned(), line: 3, column: 5, text: Some("x = 1;".to_owned()) };
        let events = [
            Event::Started { process: 1, device: "A device".to_owned(), assumed: Vec::new() },
            Event::FoundCommand(coopmat_driver_report::FoundCommand {
                kind: "missing-pipeline-barrier".to_owned(),
                message: "dispatch 2 reads".to_owned(),
                advice: "a barrier is enough".to_owned(),
                place: Some(place.clone()),
                other: Some(place),
            }),
            Event::Misuse { call: "vkFreeMemory".to_owned(), message: "freed twice".to_owned() },
            Event::Again { finding: 0, times: 1 },
        ];
        let log: Value = serde_json::from_str(&render(&events)).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 2);
        assert_eq!(results[0]["message"]["text"], "dispatch 2 reads; a barrier is enough");
        let region = &results[0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!((&region["startLine"], &region["startColumn"]), (&json!(3), &json!(5)));
        assert_eq!(results[1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "vkFreeMemory");
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        for result in results {
            assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
        }
    }
}
