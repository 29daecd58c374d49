//! Findings in shaders of strings: at their places of the file that the strings are in.

use coopmat_analysis::NotLookedAt;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::text::{TextRange, TextSize};
use coopmat_server::embedded::Part;

use super::Checked;
use super::report::{Finding, Location};
use crate::embedded::Shader;

/// What is told of a shader: what was found, or that part of it is not known. `codes` are those of all that was found.
pub fn told(
    shader: &Shader,
    configuration: &Configuration,
    least: Severity,
    codes: &mut dyn Iterator<Item = &str>,
    checked: Checked,
) -> Checked {
    match shader.region.instead(codes) {
        Some(part) => instead(shader, &part, configuration, least),
        None => {
            let findings = checked.findings.into_iter().map(|finding| in_file(shader, finding));
            Checked { findings: findings.collect(), ..checked }
        }
    }
}

fn instead(shader: &Shader, part: &Part, configuration: &Configuration, least: Severity) -> Checked {
    let name = part.code.unanalysed.map(|_| part.code.id.to_owned());
    let allowed = configuration.allow_unanalysed.iter().any(|one| one == part.code.id);
    let unanalysed = name.clone().map(|name| NotLookedAt { name, allowed });
    let severity = configuration.levels.severity(part.code, &shader.path);
    let finding = severity.filter(|severity| *severity <= least).map(|severity| Finding {
        code: part.code,
        severity,
        message: part.message.clone(),
        unanalysed: name,
        location: place(shader, part.range.start, part.range.end),
        related: Vec::new(),
        runs: Vec::new(),
    });
    Checked {
        findings: finding.into_iter().collect(),
        unanalysed: unanalysed.into_iter().collect(),
        part_of: None,
    }
}

fn place(shader: &Shader, start: usize, end: usize) -> Location {
    let size = |offset: usize| TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX));
    Location {
        path: shader.file.clone(),
        text: shader.source.clone(),
        range: TextRange::new(size(start), size(end.max(start))),
    }
}

pub fn in_file(shader: &Shader, mut finding: Finding) -> Finding {
    let related = finding.related.iter_mut().map(|(location, _)| location);
    for location in std::iter::once(&mut finding.location).chain(related) {
        *location = place_in_file(shader, location.clone());
    }
    finding
}

pub fn place_in_file(shader: &Shader, found: Location) -> Location {
    if *found.path != *shader.path {
        return found;
    }
    let in_file = |offset: TextSize| shader.region.in_file(offset.into());
    place(shader, in_file(found.range.start()), in_file(found.range.end()))
}
