//! For people: each finding with its source, in colour on a terminal.

use std::io::{self, ErrorKind, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use coopmat_analysis::diagnostics::Severity;

use super::{Finding, Location, Report};

/// Findings to standard output, the summary to standard error.
pub fn write(report: &Report, colour: bool) -> io::Result<()> {
    match write_findings(report, colour, &mut io::stdout().lock()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
        result => result?,
    }
    // The reader of the findings may have gone, and the reader of this too.
    let _ = writeln!(io::stderr(), "{}", summary(report));
    Ok(())
}

fn write_findings(report: &Report, colour: bool, out: &mut impl Write) -> io::Result<()> {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    for finding in &report.findings {
        writeln!(out, "{}\n", renderer.render(&[group(finding)]))?;
    }
    out.flush()
}

/// A place to mark, and what to say there.
type Mark<'a> = (&'a Location, Option<&'a str>);

fn group(finding: &Finding) -> Group<'_> {
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
        match files.iter_mut().find(|(first, _)| first.path == location.path) {
            Some((_, annotations)) => annotations.push((location, Some(message))),
            None => files.push((location, vec![(location, Some(message))])),
        }
    }
    let mut group =
        level.primary_title(&finding.message).id(finding.code.id).element(snippet(&files[0].1, true));
    for (_, annotations) in &files[1..] {
        group = group.element(snippet(annotations, false));
    }
    let name = &finding.configuration.name;
    if name != "default" {
        group = group.element(Level::NOTE.message(format!("in the configuration `{name}`")));
    }
    group
}

/// The lines that the annotations are in, not the whole text: it may be long, and is walked for each finding.
fn snippet<'a>(annotations: &[Mark<'a>], primary: bool) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let (first, _) = annotations[0];
    let text: &str = &first.text;
    let start = annotations.iter().map(|(l, _)| usize::from(l.range.start())).min().unwrap_or(0);
    let end = annotations.iter().map(|(l, _)| usize::from(l.range.end())).max().unwrap_or(0);
    let from = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let to = text.get(end..).and_then(|after| after.find('\n')).map_or(text.len(), |newline| end + newline);
    let window = text.get(from..to).unwrap_or_default();
    let line = text.get(..from).map_or(0, |before| before.bytes().filter(|byte| *byte == b'\n').count()) + 1;
    let mut snippet = Snippet::source(window).line_start(line).path(&*first.path);
    for (index, (location, label)) in annotations.iter().enumerate() {
        let kind = if primary && index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let inside = |offset: usize| offset.saturating_sub(from).min(window.len());
        let span = inside(location.range.start().into())..inside(location.range.end().into());
        snippet = snippet.annotation(kind.span(span).label(*label));
    }
    snippet
}

fn summary(report: &Report) -> String {
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let files = count(report.files, "file");
    let counts: Vec<_> = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Information, "remark"),
        (Severity::Hint, "hint"),
    ]
    .into_iter()
    .map(|(severity, noun)| (report.count(severity), noun))
    .filter(|(number, _)| *number > 0)
    .map(|(number, noun)| count(number, noun))
    .collect();
    let Some(first) = report.findings.first() else { return format!("{files} checked, nothing found") };
    format!(
        "{files} checked: {}; `coopmat-analyzer explain {}` tells more",
        counts.join(", "),
        report.findings.iter().find(|f| f.severity == Severity::Error).unwrap_or(first).code.id
    )
}
