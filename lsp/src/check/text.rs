//! For people: each finding with its source, in colour on a terminal.

use std::io::{self, ErrorKind, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use coopmat_analysis::diagnostics::Severity;

use super::positions::{Lines, Positions};
use super::report::{Finding, Location, Report, Run, is_in_string};
use crate::arguments::CheckOptions;

/// Findings to standard output, the summary to standard error.
pub fn write(report: &Report, colour: bool, options: &CheckOptions) -> io::Result<()> {
    match write_findings(report, shown(report, options), colour, &mut io::stdout().lock()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
        result => result?,
    }
    tell_summary(report, options);
    Ok(())
}

/// The findings that are printed: the first ones where there is a limit.
pub fn shown<'r>(report: &'r Report, options: &CheckOptions) -> &'r [Finding] {
    match options.error_limit {
        0 => &report.findings,
        limit => &report.findings[..limit.min(report.findings.len())],
    }
}

/// The summary on standard error, and how much is not shown.
pub fn tell_summary(report: &Report, options: &CheckOptions) {
    // The reader of the findings may have gone, and the reader of this too.
    let hidden = report.findings.len() - shown(report, options).len();
    if hidden > 0 {
        let _ =
            writeln!(io::stderr(), "{} not shown; --error-limit 0 shows all", count(hidden, "more finding"));
    }
    if !options.quiet {
        let _ = writeln!(io::stderr(), "{}", summary(report));
    }
}

/// Findings to standard error, for a command whose standard output is something else.
pub fn write_errors(report: &Report, colour: bool) {
    // Nobody is left to tell where this fails.
    let _ = write_findings(report, &report.findings, colour, &mut io::stderr().lock());
}

fn write_findings(
    report: &Report,
    findings: &[Finding],
    colour: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut positions = Positions::default();
    for finding in findings {
        let mut moved = Vec::new();
        let rendered = renderer.render(&[group(report, finding, &mut positions, &mut moved)]);
        let text = moved.iter().fold(rendered, |text, (from, to)| text.replacen(from, to, 1));
        writeln!(out, "{text}\n")?;
    }
    out.flush()
}

/// An error that is no finding, with its place.
pub fn write_error(message: &str, place: &Location, colour: bool) {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let Location { path, text: source, range } = place;
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let lines = Lines::new(source);
    // Of a long text, the lines that are marked.
    let (from, to) = (lines.bounds(start).0, lines.bounds(end).1);
    let window = source.get(from..to).unwrap_or_default();
    let marked = start - from..(end - from).max(start - from);
    let snippet = Snippet::source(window)
        .line_start(lines.position(start).0)
        .path(&**path)
        .annotation(AnnotationKind::Primary.span(marked));
    let group = Group::with_title(Level::ERROR.primary_title(message)).element(snippet);
    let _ = writeln!(io::stderr(), "{}\n", renderer.render(&[group]));
}

/// A place to mark, and what to say there.
type Mark<'a> = (&'a Location, Option<&'a str>);

/// Bytes between two places of a file beyond which each has its own snippet.
const FAR: usize = 1 << 16;

/// `moved`: places as the renderer words them, and as they are.
fn group<'a>(
    report: &'a Report,
    finding: &'a Finding,
    positions: &mut Positions<'a>,
    moved: &mut Vec<(String, String)>,
) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP.with_name("hint"),
    };
    // Each file has its snippet, in the order in which it is named; the finding's own comes first.
    let mut files: Vec<(&Location, Vec<Mark<'_>>)> =
        vec![(&finding.location, vec![(&finding.location, None)])];
    for (location, message) in &finding.related {
        let near = |first: &Location| {
            let between = usize::from(first.range.start()).abs_diff(location.range.start().into());
            first.path == location.path && between < FAR
        };
        match files.iter_mut().find(|(first, _)| near(first)) {
            Some((_, annotations)) => annotations.push((location, Some(message))),
            None => files.push((location, vec![(location, Some(message))])),
        }
    }
    let mut group = Group::with_title(level.primary_title(&finding.message).id(finding.code.id));
    for (index, (_, annotations)) in files.iter().enumerate() {
        group = add_snippet(group, annotations, index == 0, positions, moved);
    }
    if let Some(note) = configurations(report, finding) {
        group = group.element(Level::NOTE.message(note));
    }
    group
}

/// Under which configurations a finding was made.
fn configurations(report: &Report, finding: &Finding) -> Option<String> {
    let share = report.share(finding);
    let Some(words) = share.words() else {
        let name = share.names.first().filter(|name| *name != "default")?;
        return Some(format!("in the configuration `{name}`"));
    };
    if share.count == share.of {
        return Some(words);
    }
    Some(format!("{words}: {}", first_names(&share.names)))
}

/// The first few names, and how many more there are.
fn first_names(names: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{}`", name.as_ref())).collect();
    let more = names.len() - shown.len();
    let shown = shown.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// The lines that the annotations are in, not the whole text, and of very long lines what is near: all of it is walked for
/// each finding.
fn add_snippet<'a>(
    group: Group<'a>,
    annotations: &[Mark<'a>],
    primary: bool,
    positions: &mut Positions<'a>,
    moved: &mut Vec<(String, String)>,
) -> Group<'a> {
    // Bytes of a line that are kept before and after what is marked: more than a terminal shows.
    const NEAR: usize = 400;
    let (first, _) = annotations[0];
    let text: &str = &first.text;
    let start = annotations.iter().map(|(l, _)| usize::from(l.range.start())).min().unwrap_or(0);
    let end = annotations.iter().map(|(l, _)| usize::from(l.range.end())).max().unwrap_or(0);
    let ((line, column), _) = positions.of(first);
    let lines = positions.lines(first);
    let (line_start, (_, line_end)) = (lines.bounds(start).0, lines.bounds(end));
    let first_line = lines.position(line_start).0;
    let from = if start - line_start > NEAR { text.floor_char_boundary(start - NEAR) } else { line_start };
    let to = text.ceil_char_boundary(line_end.min(end + NEAR));
    let window = text.get(from..to).unwrap_or_default();
    let mut snippet = Snippet::source(window).line_start(first_line).path(&*first.path);
    if from > line_start {
        // Columns in the window are not those of the line.
        let start = usize::from(first.range.start()).saturating_sub(from);
        let inside = window
            .get(..start)
            .map_or(0, |before| before.rsplit('\n').next().unwrap_or(before).chars().count())
            + 1;
        let place = |column: usize| format!("{}:{line}:{column}", first.path);
        moved.push((place(inside), place(column)));
    }
    for (index, (location, label)) in annotations.iter().enumerate() {
        let kind = if primary && index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let inside = |offset: usize| offset.saturating_sub(from).min(window.len());
        let span = inside(location.range.start().into())..inside(location.range.end().into());
        snippet = snippet.annotation(kind.span(span).label(*label));
    }
    group.element(snippet)
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// "2 errors, 1 warning".
fn counts(of: impl Fn(Severity) -> usize) -> String {
    let nouns = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Information, "remark"),
        (Severity::Hint, "hint"),
    ];
    let counts = nouns.into_iter().map(|(severity, noun)| (of(severity), noun));
    let counts: Vec<_> = counts.filter(|(number, _)| *number > 0).map(|(n, noun)| count(n, noun)).collect();
    counts.join(", ")
}

fn summary(report: &Report) -> String {
    let mut checked = count(report.files(), "file");
    if report.has_several() {
        checked += &format!(" checked under {}", count(report.runs.len(), "configuration"));
    } else {
        checked += " checked";
    }
    match report.shaders().filter(|path| is_in_string(path)).count() {
        0 => {}
        strings => checked += &format!(", with {}", in_strings(strings)),
    }
    let unanalysed = unanalysed(report);
    let Some(first) = report.findings.first() else { return format!("{checked}, no problems{unanalysed}") };
    let not_compiled = match things(report.not_compiled().into_iter()) {
        Some(things) => format!("; {things} not compiled"),
        None => String::new(),
    };
    let mut summary = format!(
        "{checked}: {}{not_compiled}; run `coopmat-analyzer explain {}` for details",
        counts(|severity| report.count(severity)),
        report.findings.iter().find(|f| f.severity == Severity::Error).unwrap_or(first).code.id
    );
    summary += &unanalysed;
    if report.has_several() {
        summary += &by_configuration(report);
    }
    summary
}

/// "3 shaders in strings".
fn in_strings(number: usize) -> String {
    format!("{} in {}", count(number, "shader"), if number == 1 { "a string" } else { "strings" })
}

/// How many files, and shaders in strings of others, where there are any.
fn things<'p>(paths: impl Iterator<Item = &'p str>) -> Option<String> {
    let (strings, files): (Vec<&str>, Vec<&str>) = paths.partition(|path| is_in_string(path));
    match (files.len(), strings.len()) {
        (0, 0) => None,
        (files, 0) => Some(count(files, "file")),
        (0, strings) => Some(in_strings(strings)),
        (files, strings) => Some(format!("{} and {}", count(files, "file"), in_strings(strings))),
    }
}

/// How much was not looked at whole, and what would accept that.
fn unanalysed(report: &Report) -> String {
    let unanalysed = report.unanalysed();
    let Some(things) = things(unanalysed.iter().map(|(path, _)| *path)) else { return String::new() };
    let refused = report.refused();
    let told = format!("\n{things} not analysed");
    if refused.is_empty() {
        return told + ", which is allowed";
    }
    format!("{told}; accept this with `--allow-unanalysed {}`", refused.join(","))
}

/// For each configuration with findings, how many; for very many of them, the first.
fn by_configuration(report: &Report) -> String {
    const SHOWN: usize = 20;
    let severities = [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint];
    let found = |run: &&Run| severities.into_iter().any(|severity| run.count(severity) > 0);
    let runs: Vec<_> = report.runs.iter().filter(found).collect();
    let mut lines = String::new();
    for run in runs.iter().take(SHOWN) {
        lines +=
            &format!("\n  {} `{}`: {}", run.path, run.configuration, counts(|severity| run.count(severity)));
    }
    if runs.len() > SHOWN {
        lines += &format!("\n  and {} more configurations; --format json lists them all", runs.len() - SHOWN);
    }
    let clean = report.runs.len() - runs.len();
    if clean > 0 {
        lines += &format!("\n  no problems in {}", count(clean, "configuration"));
    }
    lines
}
