//! Findings of checked mode as exceptions: a filter for each kind, and what the client shows where one stops the run.

use coopmat_simulator::{Finding, FindingKind};

/// The kinds that are found while a shader runs. The dependence on ownership is found when two runs are compared, after both.
pub fn kinds() -> impl Iterator<Item = FindingKind> {
    FindingKind::ALL.into_iter().filter(|kind| *kind != FindingKind::OwnershipDependence)
}

/// A filter for each kind. All are on, as checked mode is asked for.
pub fn filters() -> Vec<dapts::ExceptionBreakpointsFilter> {
    let filter = |kind: FindingKind| dapts::ExceptionBreakpointsFilter {
        filter: kind.id().to_owned(),
        label: format!("Finding: {}", kind.id()),
        description: Some(format!("Stop before a line with the finding `{}` of checked mode", kind.id())),
        default: Some(true),
        condition_description: None,
        supports_condition: None,
    };
    kinds().map(filter).collect()
}

/// The kind of a filter.
pub fn of_filter(name: &str) -> Option<FindingKind> {
    kinds().find(|kind| kind.id() == name)
}

/// Who did it, in words.
pub fn who(finding: &Finding) -> String {
    let [x, y, z] = finding.invocation.workgroup;
    format!("workgroup {x},{y},{z}, invocation {}", finding.invocation.index)
}
