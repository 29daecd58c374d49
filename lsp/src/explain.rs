//! `explain`: the catalogue's pages.

use std::fmt::Write as _;
use std::process::ExitCode;

use coopmat_analysis::diagnostics::{self, codes};

use crate::output;
use crate::program::UNUSABLE;

pub fn run(id: Option<&str>) -> ExitCode {
    let Some(id) = id else { return output::print(&list()) };
    if let Some(code) = diagnostics::find(id) {
        return output::print(&code.document());
    }
    let similar = codes::ALL
        .iter()
        .map(|code| (strsim::jaro_winkler(id, code.id), code.id))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, _)| *likeness > 0.7);
    let hint = match similar {
        Some((_, similar)) => format!(": did you mean `{similar}`?"),
        None => "; `coopmat-analyzer explain` lists them all".to_owned(),
    };
    output::report_error(&format!("there is no diagnostic `{id}`{hint}"));
    ExitCode::from(UNUSABLE)
}

fn list() -> String {
    let width = codes::ALL.iter().map(|code| code.id.len()).max().unwrap_or(0);
    codes::ALL.iter().fold(String::new(), |mut out, code| {
        let _ = writeln!(out, "{:width$}  {:11}  {}", code.id, code.severity.name(), code.summary);
        out
    })
}
