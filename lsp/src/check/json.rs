//! For programs: one JSON object, of which `lsp/check-report.schema.json` is the schema.
//!
//! Lines and columns count from 1, columns in characters, offsets in bytes; an end is the first place that is not part.

use std::borrow::Cow;

use coopmat_analysis::NotLookedAt;
use coopmat_analysis::diagnostics;
use schemars::JsonSchema;
use serde::Serialize;

use super::positions::Positions;
use super::report::{self, Report};
use crate::schema;

/// What `check --format json` prints.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct CheckReport<'r> {
    /// Of this format: it grows if something is removed, or changes its meaning. Keys may be added without that.
    #[schemars(extend("const" = VERSION))]
    version: u32,
    /// How many files were checked.
    files: usize,
    /// Ordered by file, then by place.
    findings: Vec<Finding<'r>>,
    /// Of all files.
    summary: Summary,
    /// The files that were not looked at whole, and why.
    not_analysed: Vec<NotAnalysed<'r>>,
    /// How much was found in each file under each configuration.
    configurations: Vec<InConfiguration<'r>>,
}

pub const VERSION: u32 = 1;

/// One finding, which may be in several configurations.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Finding<'r> {
    /// The diagnostic's id, which `coopmat-analyzer explain` takes.
    id: &'r str,
    severity: Severity,
    /// In words, with the values.
    message: &'r str,
    /// The first configuration that it was found in.
    configuration: &'r str,
    /// All of them.
    configurations: Share<'r>,
    location: Location<'r>,
    /// Places that have to do with it.
    related: Vec<Related<'r>>,
    /// If something was not looked at: the name of the extension or the id of the limit, which `--allow-unanalysed` takes.
    not_analysed: Option<&'r str>,
}

/// How bad a finding is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

impl From<diagnostics::Severity> for Severity {
    fn from(severity: diagnostics::Severity) -> Severity {
        match severity {
            diagnostics::Severity::Error => Severity::Error,
            diagnostics::Severity::Warning => Severity::Warning,
            diagnostics::Severity::Information => Severity::Information,
            diagnostics::Severity::Hint => Severity::Hint,
        }
    }
}

/// In how many of its shaders' configurations a finding is.
#[derive(Serialize, JsonSchema)]
struct Share<'r> {
    count: usize,
    /// So many there are.
    of: usize,
    /// Their names, with the shader in front if there are several shaders.
    names: Vec<Cow<'r, str>>,
}

#[derive(Serialize, JsonSchema)]
struct Related<'r> {
    message: &'r str,
    location: Location<'r>,
}

/// A part of a file.
#[derive(Serialize, JsonSchema)]
struct Location<'r> {
    path: &'r str,
    start: Point,
    /// The first place that is not part.
    end: Point,
}

#[derive(Serialize, JsonSchema)]
struct Point {
    /// From 1.
    line: usize,
    /// From 1, in characters.
    column: usize,
    /// From 0, in bytes.
    offset: u32,
}

/// How much was found in all files, and how many of them are not compiled or not analysed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Summary {
    error: usize,
    warning: usize,
    information: usize,
    hint: usize,
    not_compiled: usize,
    not_analysed: usize,
}

/// What of a file was not looked at.
#[derive(Serialize, JsonSchema)]
pub struct NotAnalysed<'r> {
    path: &'r str,
    names: Vec<Name>,
}

#[derive(Serialize, JsonSchema)]
struct Name {
    /// Of the extension, or the id of the limit.
    name: String,
    /// It does not fail the check.
    allowed: bool,
}

/// How much was found in a file under one configuration.
#[derive(Serialize, JsonSchema)]
pub struct InConfiguration<'r> {
    path: &'r str,
    name: &'r str,
    error: usize,
    warning: usize,
    information: usize,
    hint: usize,
}

/// The schema of the report.
pub fn schema() -> String {
    schema::of::<CheckReport>("Report of coopmat-analyzer check --format json")
}

pub fn render(report: &Report) -> String {
    let mut positions = Positions::default();
    let findings =
        report.findings.iter().map(|finding| finding_of(report, finding, &mut positions)).collect();
    let report = CheckReport {
        version: VERSION,
        files: report.files(),
        findings,
        summary: summary(report),
        not_analysed: not_analysed(report),
        configurations: by_configuration(report),
    };
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

fn finding_of<'r>(
    report: &'r Report,
    finding: &'r report::Finding,
    positions: &mut Positions<'r>,
) -> Finding<'r> {
    let related = finding.related.iter();
    let related =
        related.map(|(place, message)| Related { message, location: location(place, positions) }).collect();
    let share = report.share(finding);
    Finding {
        id: finding.code.id,
        severity: finding.severity.into(),
        message: &finding.message,
        configuration: &report.runs[finding.runs[0]].configuration,
        configurations: Share { count: share.count, of: share.of, names: share.names },
        location: location(&finding.location, positions),
        related,
        not_analysed: finding.unanalysed.as_deref(),
    }
}

fn summary(report: &Report) -> Summary {
    use diagnostics::Severity::*;
    Summary {
        error: report.count(Error),
        warning: report.count(Warning),
        information: report.count(Information),
        hint: report.count(Hint),
        not_compiled: report.not_compiled().len(),
        not_analysed: report.unanalysed().len(),
    }
}

/// The files that were not looked at whole, and why.
pub fn not_analysed(report: &Report) -> Vec<NotAnalysed<'_>> {
    let name = |found: NotLookedAt| Name { name: found.name, allowed: found.allowed };
    let files = report.unanalysed().into_iter();
    files.map(|(path, names)| NotAnalysed { path, names: names.into_iter().map(name).collect() }).collect()
}

/// How much was found in each file under each configuration.
pub fn by_configuration(report: &Report) -> Vec<InConfiguration<'_>> {
    use diagnostics::Severity::*;
    let runs = report.runs.iter();
    runs.map(|run| InConfiguration {
        path: &run.path,
        name: &run.configuration,
        error: run.count(Error),
        warning: run.count(Warning),
        information: run.count(Information),
        hint: run.count(Hint),
    })
    .collect()
}

fn location<'r>(location: &'r report::Location, positions: &mut Positions<'r>) -> Location<'r> {
    let (start, end) = positions.of(location);
    let point = |(line, column): (usize, usize), offset: u32| Point { line, column, offset };
    Location {
        path: &location.path,
        start: point(start, location.range.start().into()),
        end: point(end, location.range.end().into()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_file_is_up_to_date() {
        expect_test::expect_file!["../../check-report.schema.json"].assert_eq(&super::schema());
    }
}
