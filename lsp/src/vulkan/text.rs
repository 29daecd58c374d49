//! The report of a program that ran with our Vulkan driver, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use coopmat_driver_report::{Event, Found, FoundCommand, InDispatch, Place};

use crate::run::{count_of, paint};

/// Whether nothing was found that is wrong.
pub fn is_clean(events: &[Event]) -> bool {
    events.iter().all(|event| match event {
        // What is found again was told before, and judged then.
        Event::Started { .. }
        | Event::Printed { .. }
        | Event::Progress { .. }
        | Event::Captured { .. }
        | Event::Replaced { .. }
        | Event::Again { .. } => true,
        Event::Finding(found) => found.allowed_by.is_some(),
        Event::FoundCommand(_) => false,
        Event::Misuse { .. }
        | Event::Missing { .. }
        | Event::Failed { .. }
        | Event::Refused { .. }
        | Event::Internal { .. } => false,
    })
}

/// `3 dispatches`.
fn counted(count: u64, what: &str) -> String {
    let end = if count == 1 {
        ""
    } else if what.ends_with("ch") {
        "es"
    } else {
        "s"
    };
    format!("{count} {what}{end}")
}

fn at(place: &Place) -> String {
    format!("{}:{}:{}: ", place.path, place.line, place.column)
}

fn source(place: Option<&Place>) -> String {
    let text = place.and_then(|place| Some((place.line, place.text.as_ref()?)));
    text.map_or(String::new(), |(line, text)| format!("    {line} | {text}\n"))
}

pub fn named(dispatch: &InDispatch) -> String {
    let mut text = format!("dispatch {}", dispatch.number);
    if let Some(pipeline) = &dispatch.pipeline {
        let _ = write!(text, " of {pipeline}");
    }
    if !dispatch.labels.is_empty() {
        let _ = write!(text, " in {}", dispatch.labels.join(", "));
    }
    text
}

/// What is wrong, in a line, as it comes; the report at the end says more. What a feature allows comes at the end alone.
pub fn line(event: &Event) -> Option<String> {
    let place = |place: &Option<Place>| place.as_ref().map(at).unwrap_or_default();
    Some(match event {
        Event::Finding(found) if found.allowed_by.is_none() => {
            let (at, dispatch) = (place(&found.place), named(&found.dispatch));
            format!("coopmat-analyzer: {at}{}: {} ({dispatch})", found.kind, found.message)
        }
        Event::FoundCommand(found) => {
            format!("coopmat-analyzer: {}{}: {}", place(&found.place), found.kind, found.message)
        }
        Event::Failed { dispatch, message, place: at } => {
            format!("coopmat-analyzer: error: {}: {}{message}", named(dispatch), place(at))
        }
        Event::Misuse { call, message } => format!("coopmat-analyzer: wrong use: {call}: {message}"),
        Event::Missing { call, message } => {
            format!("coopmat-analyzer: not in this driver: {call}: {message}")
        }
        Event::Refused { message } => format!("coopmat-analyzer: error: {message}"),
        Event::Internal { call, message } => {
            format!("coopmat-analyzer: error: {call}: {message} (a mistake of coopmat-analyzer)")
        }
        Event::Finding(_)
        | Event::Started { .. }
        | Event::Again { .. }
        | Event::Printed { .. }
        | Event::Captured { .. }
        | Event::Replaced { .. }
        | Event::Progress { .. } => return None,
    })
}

pub fn report(events: &[Event], colour: bool) -> String {
    let mut text = String::new();
    // By process and its last word.
    let mut progress: BTreeMap<u32, (u64, u64, u64)> = BTreeMap::new();
    let mut again: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    let mut devices: Vec<&str> = Vec::new();
    let mut assumptions: Vec<&str> = Vec::new();
    for event in events {
        match event {
            Event::Started { device, assumed, .. } if !devices.contains(&device.as_str()) => {
                devices.push(device);
                assumptions.extend(assumed.iter().map(String::as_str));
            }
            Event::Progress { process, dispatches, checked, instructions } => {
                progress.insert(*process, (*dispatches, *checked, *instructions));
            }
            Event::Again { finding, times } => {
                let entry = again.entry(*finding).or_default();
                entry.0 += 1;
                entry.1 += times;
            }
            _ => {}
        }
    }
    for event in events {
        if let Event::Refused { message } = event {
            let _ = writeln!(text, "{}: {message}", paint("error", "1;31", colour));
        }
    }
    if devices.is_empty() && !text.is_empty() {
        return text + "nothing ran on this driver\n";
    }
    if devices.is_empty() {
        return "the program did not make a Vulkan instance with this driver: it does not use Vulkan, has a loader that ignores VK_DRIVER_FILES, or failed before\n"
            .to_owned();
    }
    for line in &assumptions {
        let _ = writeln!(text, "  assumed: {line}");
    }
    let (mut findings, mut allowed) = (0, 0);
    for event in events {
        match event {
            Event::Finding(found) => {
                text += &finding(found, again.get(&findings).copied(), colour);
                findings += 1;
                allowed += u64::from(found.allowed_by.is_some());
            }
            Event::FoundCommand(found) => {
                text += &between(found, again.get(&findings).copied(), colour);
                findings += 1;
            }
            Event::Failed { dispatch, message, place } => {
                let place_text = place.as_ref().map(at).unwrap_or_default();
                let error = paint("error", "1;31", colour);
                let _ = writeln!(text, "{error}: {}: {place_text}{message}", named(dispatch));
                text += &source(place.as_ref());
            }
            Event::Misuse { call, message } => {
                let _ = writeln!(text, "  {}: {call}: {message}", paint("wrong use", "1;31", colour));
            }
            Event::Missing { call, message } => {
                let _ = writeln!(text, "  {}: {call}: {message}", paint("not in this driver", "33", colour));
            }
            Event::Internal { call, message } => {
                let error = paint("error", "1;31", colour);
                let _ = writeln!(text, "{error}: {call}: {message} (a mistake of coopmat-analyzer)");
            }
            Event::Captured { dispatch, recipe } => {
                let _ = writeln!(text, "  captured dispatch {dispatch}: {recipe}");
            }
            Event::Replaced { shader } => {
                let _ = writeln!(text, "  a shader was replaced by {shader}");
            }
            Event::Printed { dispatch, text: printed } => {
                for line in printed.trim_end_matches('\n').split('\n') {
                    let _ = writeln!(text, "  dispatch {dispatch} | {line}");
                }
            }
            Event::Started { .. } | Event::Refused { .. } | Event::Again { .. } | Event::Progress { .. } => {}
        }
    }
    let sum = |part: fn(&(u64, u64, u64)) -> u64| progress.values().map(part).sum::<u64>();
    let (dispatches, checked) = (sum(|of| of.0), sum(|of| of.1));
    let _ = writeln!(
        text,
        "  {}: {}, {checked} of them checked, {} instructions; {}",
        devices.join(", "),
        counted(dispatches, "dispatch"),
        count_of(sum(|of| of.2)),
        match findings {
            0 if checked > 0 => "no findings".to_owned(),
            0 if dispatches == 0 => "no shader ran".to_owned(),
            0 => "shaders were not checked: add --checked".to_owned(),
            number if allowed == number => format!("{}, allowed", counted(number, "finding")),
            number if allowed > 0 => format!("{}, {allowed} of them allowed", counted(number, "finding")),
            number => counted(number, "finding"),
        }
    );
    text
}

fn finding(found: &Found, again: Option<(u64, u64)>, colour: bool) -> String {
    let mut text = String::new();
    let [x, y, z] = found.workgroup;
    let times = if found.times > 1 { format!(", {} times", found.times) } else { String::new() };
    let _ = writeln!(
        text,
        "  {}{}: {} ({}, workgroup {x}, {y}, {z}, invocation {}{times})",
        found.place.as_ref().map(at).unwrap_or_default(),
        paint(&found.kind, if found.allowed_by.is_some() { "33" } else { "1;31" }, colour),
        found.message,
        named(&found.dispatch),
        found.invocation
    );
    if let Some(feature) = &found.allowed_by {
        let _ = writeln!(
            text,
            "    allowed, as the program enabled {feature}: memory that is not the buffer's is safe, but what is read is left open, and what is written may end up elsewhere in the buffer; --checked=strict counts it"
        );
    }
    if found.place.is_none() {
        let _ = writeln!(
            text,
            "    instruction {} of the module, which has no lines: compile it with `-g`",
            found.instruction
        );
    }
    text += &source(found.place.as_ref());
    if let Some(other) = &found.other {
        let _ = writeln!(text, "    with {}", at(other).trim_end_matches(": "));
        text += &source(Some(other));
    }
    for (binding, name) in &found.dispatch.buffers {
        let _ = writeln!(text, "    {binding} is {name}");
    }
    if let Some((dispatches, times)) = again {
        let _ = writeln!(text, "    found in {} more, {times} times", counted(dispatches, "dispatch"));
    }
    text
}

/// A finding between commands.
fn between(found: &FoundCommand, again: Option<(u64, u64)>, colour: bool) -> String {
    let mut text = String::new();
    let place = found.place.as_ref().map(at).unwrap_or_default();
    let _ = writeln!(text, "  {place}{}: {}", paint(&found.kind, "1;31", colour), found.message);
    text += &source(found.place.as_ref());
    if let Some(other) = &found.other {
        let _ = writeln!(text, "    with {}", at(other).trim_end_matches(": "));
        text += &source(Some(other));
    }
    let _ = writeln!(text, "    {}", found.advice);
    if let Some((commands, _)) = again {
        let _ = writeln!(text, "    found {} more", counted(commands, "time"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race() -> Found {
        Found {
            kind: "data-race".to_owned(),
            message: "buffer out is written".to_owned(),
            dispatch: InDispatch {
                number: 2,
                pipeline: Some("gemm".to_owned()),
                labels: vec!["frame".to_owned()],
                buffers: vec![("set 0, binding 1".to_owned(), "weights".to_owned())],
            },
            instruction: 7,
            place: Some(Place {
                path: "a.comp".to_owned(),
                line: 3,
                column: 5,
                text: Some("x = 1;".to_owned()),
            }),
            other: None,
            workgroup: [1, 0, 0],
            invocation: 4,
            times: 2,
            allowed_by: None,
        }
    }

    #[test]
    fn a_finding_says_where_it_was_found_and_how_often() {
        let events = [
            Event::Started { process: 1, device: "A device".to_owned(), assumed: Vec::new() },
            Event::Finding(race()),
            Event::Again { finding: 0, times: 3 },
            Event::Progress { process: 1, dispatches: 3, checked: 3, instructions: 12_000 },
        ];
        assert!(!is_clean(&events));
        assert_eq!(
            report(&events, false),
            "  a.comp:3:5: data-race: buffer out is written (dispatch 2 of gemm in frame, workgroup 1, 0, 0, invocation 4, 2 times)\n    3 | x = 1;\n    set 0, binding 1 is weights\n    found in 1 dispatch more, 3 times\n  A device: 3 dispatches, 3 of them checked, 12.0 k instructions; 1 finding\n"
        );
    }

    #[test]
    fn what_a_feature_allows_is_told_and_is_no_mistake() {
        let found = Found { allowed_by: Some("robustBufferAccess".to_owned()), ..race() };
        let events = [
            Event::Started { process: 1, device: "A device".to_owned(), assumed: Vec::new() },
            Event::Finding(found),
            Event::Again { finding: 0, times: 3 },
        ];
        assert!(is_clean(&events));
        let text = report(&events, false);
        assert!(text.contains("allowed, as the program enabled robustBufferAccess"), "{text}");
        assert!(text.contains("what is written may end up elsewhere in the buffer"), "{text}");
        assert!(text.contains("1 finding, allowed"), "{text}");
    }

    #[test]
    fn a_missing_barrier_says_what_is_enough() {
        let found = FoundCommand {
            kind: "missing-pipeline-barrier".to_owned(),
            message: "dispatch 2 reads 4 bytes".to_owned(),
            advice: "a barrier is enough".to_owned(),
            place: race().place,
            other: None,
        };
        let events = [
            Event::Started { process: 1, device: "A device".to_owned(), assumed: Vec::new() },
            Event::FoundCommand(found),
            Event::Again { finding: 0, times: 1 },
        ];
        assert!(!is_clean(&events));
        assert_eq!(
            report(&events, false).lines().take(4).collect::<Vec<_>>(),
            [
                "  a.comp:3:5: missing-pipeline-barrier: dispatch 2 reads 4 bytes",
                "    3 | x = 1;",
                "    a barrier is enough",
                "    found 1 time more"
            ]
        );
    }

    #[test]
    fn a_program_without_vulkan_is_not_one_without_findings() {
        assert!(report(&[], false).contains("did not make a Vulkan instance"));
    }
}
