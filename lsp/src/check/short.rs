//! For people and for programs that read what compilers write: a line for each finding.

use std::io::{self, ErrorKind, Write};

use coopmat_analysis::diagnostics::Severity;

use super::positions::Positions;
use super::report::Report;
use super::text;
use crate::arguments::CheckOptions;

/// `FILE:LINE:COLUMN: LEVEL: MESSAGE [ID]` to standard output, the summary to standard error.
pub fn write(report: &Report, options: &CheckOptions) -> io::Result<()> {
    let mut positions = Positions::default();
    let mut out = io::stdout().lock();
    let shown = text::shown(report, options);
    for finding in shown {
        let ((line, column), _) = positions.of(&finding.location);
        let share = report.share(finding);
        let share = share.words().map_or(String::new(), |words| format!(" ({words})"));
        let written = writeln!(
            out,
            "{}:{line}:{column}: {}: {}{share} [{}]",
            finding.location.path,
            level(finding.severity),
            one_line(&finding.message),
            finding.code.id
        );
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            result => result?,
        }
    }
    out.flush()?;
    text::tell_summary(report, options);
    Ok(())
}

/// As compilers call them, whose lines such programs know.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
