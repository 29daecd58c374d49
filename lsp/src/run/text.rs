//! The report for people.

use std::fmt::Write as _;

use coopmat_recipe::report::{Outcome, Report, ReportedTier, SourcePlace};

use super::prepare::Prepared;
use super::table::number;

pub fn paint(text: &str, code: &str, colour: bool) -> String {
    if colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

pub fn place(place: &SourcePlace) -> String {
    format!("{}:{}:{}", place.path, place.line, place.column)
}

/// The source's line of a place, if a module holds it: there may be no such file here.
fn source_line(place: Option<&SourcePlace>, prepared: &Prepared) -> String {
    let line = place.and_then(|place| Some((place.line, prepared.line(place)?.trim_end())));
    line.map_or(String::new(), |(number, line)| format!("    {number} | {line}\n"))
}

/// A count with a suffix: `12.3 M`.
pub fn count(value: u64) -> String {
    let scaled = value as f64;
    match value {
        0..10_000 => value.to_string(),
        10_000..1_000_000 => format!("{:.1} k", scaled / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} M", scaled / 1e6),
        _ => format!("{:.1} G", scaled / 1e9),
    }
}

/// The same with a unit.
pub fn quantity(value: u64, unit: &str) -> String {
    let count = count(value);
    let space = if count.ends_with(|last: char| last.is_ascii_digit()) { " " } else { "" };
    format!("{count}{space}{unit}")
}

/// What an expectation came to, in a line or two.
pub fn outcome(outcome: &Outcome, colour: bool) -> String {
    let verdict = if outcome.met { paint("met", "32", colour) } else { paint("NOT MET", "1;31", colour) };
    let after = outcome.after.as_ref().map_or(String::new(), |after| format!(" after {after}"));
    let mut text = format!("  {}{after} = {}: {verdict}", outcome.buffer, outcome.reference);
    if outcome.wrong > 0 {
        let _ = write!(text, ", {} of {} elements are wrong", outcome.wrong, outcome.elements);
    } else {
        let _ = write!(text, ", {} elements", outcome.elements);
    }
    if outcome.worst.is_none() {
        text += ", all equal\n";
        return text;
    }
    let _ = writeln!(
        text,
        ", largest error {} absolute, {} relative, {} ulp",
        number(outcome.max_absolute),
        number(outcome.max_relative),
        number(outcome.max_ulp)
    );
    for pattern in &outcome.patterns {
        let _ = writeln!(text, "    {pattern}");
    }
    if let Some(worst) = &outcome.worst {
        let index: Vec<String> = worst.index.iter().map(usize::to_string).collect();
        let [expected, found] = match &worst.exact {
            Some(exact) => exact.clone(),
            None => [worst.expected, worst.found].map(|value| value.to_string()),
        };
        let _ = writeln!(text, "    worst at [{}]: expected {expected}, found {found}", index.join(", "));
    }
    text
}

pub fn report(report: &Report, prepared: &Prepared, colour: bool) -> String {
    let mut text = String::new();
    if let Some(description) = &prepared.recipe.description {
        let _ = writeln!(text, "{description}");
    }
    let size = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let what = match report.dispatches.len() {
        0 => format!(
            "{}: {} workgroups of {}",
            report.shader,
            size(report.dispatch),
            size(report.workgroup_size)
        ),
        1 => "1 dispatch".to_owned(),
        count => format!("{count} dispatches"),
    };
    let _ = writeln!(
        text,
        "{what}, subgroups of {}, numerics {}, ownership {}{}",
        report.modes.subgroup_size,
        report.modes.numerics,
        report.modes.ownership,
        match (report.modes.checked, report.modes.strict) {
            (true, true) => ", checked strictly",
            (true, false) => ", checked",
            (false, _) => "",
        }
    );
    for dispatch in &report.dispatches {
        let (name, shader) = (&dispatch.name, &dispatch.shader);
        let (workgroups, of) = (size(dispatch.workgroups), size(dispatch.workgroup_size));
        let did = match &dispatch.work {
            Some(work) if work.matrix_multiplies > 0 => format!(
                ", {} instructions, {} matrix multiply-adds",
                count(work.instructions),
                count(work.matrix_multiplies)
            ),
            Some(work) => format!(", {} instructions", count(work.instructions)),
            None => ", not run".to_owned(),
        };
        let _ = writeln!(text, "  {name}: {shader}, {workgroups} workgroups of {of}{did}");
    }
    for note in &report.notes {
        let _ = writeln!(text, "  note: {note}");
    }
    for line in report.log.iter().flat_map(|message| message.trim_end_matches('\n').split('\n')) {
        let _ = writeln!(text, "  | {line}");
    }
    if let Some(problem) = &report.error {
        let at = problem.place.as_ref().map(|at| format!("{}: ", place(at))).unwrap_or_default();
        let of = problem.dispatch.as_ref().map(|name| format!("dispatch {name}: ")).unwrap_or_default();
        let _ = writeln!(text, "{}: {of}{at}{}", paint("error", "1;31", colour), problem.message);
        text += &source_line(problem.place.as_ref(), prepared);
    }
    for outcome in &report.expectations {
        text += &self::outcome(outcome, colour);
    }
    if report.expectations.is_empty() && report.error.is_none() && report.missing_findings.is_empty() {
        text += "  no expectations, so the results were not compared\n";
    }
    for finding in &report.findings {
        let at = finding.place.as_ref().map(|at| format!("{}: ", place(at))).unwrap_or_default();
        let [x, y, z] = finding.workgroup;
        let of = finding.dispatch.as_ref().map(|name| format!("dispatch {name}, ")).unwrap_or_default();
        let times = if finding.times > 1 { format!(", {} times", finding.times) } else { String::new() };
        let kind = paint(&finding.kind, if finding.expected { "33" } else { "1;31" }, colour);
        let expected = if finding.expected { ", as expected" } else { "" };
        let _ = writeln!(
            text,
            "  {at}{kind}: {} ({of}workgroup {x}, {y}, {z}, invocation {}{times}){expected}",
            finding.message, finding.invocation
        );
        text += &source_line(finding.place.as_ref(), prepared);
        if let Some(other) = &finding.other {
            let _ = writeln!(text, "    with {}", place(other));
            text += &source_line(Some(other), prepared);
        }
    }
    for missing in &report.missing_findings {
        let _ = writeln!(
            text,
            "  {}: `{}` was expected at line {}{}, but was not found",
            paint("NOT FOUND", "1;31", colour),
            missing.kind,
            missing.line,
            missing.dispatch.as_ref().map(|name| format!(" of the dispatch {name}")).unwrap_or_default()
        );
    }
    if let Some(headroom) = &report.headroom {
        text += &super::headroom::text(headroom, colour);
    }
    let work = &report.work;
    let families: Vec<String> =
        work.by_family.iter().map(|(family, number)| format!("{} {family}", count(*number))).collect();
    let _ = writeln!(text, "  {} instructions: {}", count(work.instructions), families.join(", "));
    let seconds = report.seconds.unwrap_or_default();
    let rate = if seconds > 0.0 && work.matrix_flops > 0 {
        format!(" ({})", quantity((work.matrix_flops as f64 / seconds) as u64, "FLOP/s"))
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "  {} matrix multiply-adds, {}{rate}; {} read, {} written; {seconds:.3} s{}",
        count(work.matrix_multiplies),
        quantity(work.matrix_flops, "FLOP"),
        quantity(work.bytes_read, "B"),
        quantity(work.bytes_written, "B"),
        tiers(report)
    );
    text
}

/// Who ran the dispatches, where that is worth a word.
fn tiers(report: &Report) -> String {
    let told = |tier: &ReportedTier| match (tier.compiled, &tier.reason) {
        (true, _) => "compiled".to_owned(),
        (false, Some(reason)) => format!("interpreted, as {reason}"),
        (false, None) => "interpreted".to_owned(),
    };
    let each: Vec<String> = report.tiers.iter().map(told).collect();
    match each.as_slice() {
        [] => String::new(),
        all if all.iter().all(|tier| tier == "interpreted") => String::new(),
        [first, rest @ ..] if rest.iter().all(|tier| tier == first) => format!(", {first}"),
        all => {
            let named = report.dispatches.iter().zip(all);
            named.map(|(dispatch, tier)| format!("\n  {}: {tier}", dispatch.name)).collect()
        }
    }
}
