//! `coopmat-analyzer test --ownership`: a verdict of each recipe under each ownership, whatever the recipe claims.

use std::fmt::Write as _;

use coopmat_recipe::modes;
use coopmat_recipe::ownership::{Row, Verdict, notes, verdicts};

use crate::disk;
use crate::run::Prepared;

/// The verdicts of one recipe, and whether all ownerships give the same.
pub struct Judged {
    pub runs: usize,
    pub text: String,
    pub same: bool,
}

/// Runs the recipe under these ownerships.
///
/// # Errors
/// A name that no ownership has, or a table that cannot be read.
pub fn judge(prepared: &mut Prepared, wanted: &[String]) -> Result<Judged, String> {
    let mut names: Vec<String> = Vec::new();
    for name in wanted {
        let all = name == "all";
        let more = if all {
            modes::ownership_names().into_iter().map(str::to_owned).collect()
        } else {
            vec![name.clone()]
        };
        names.extend(more);
    }
    for name in &names {
        if name.ends_with(".json") {
            let text = disk::read(std::path::Path::new(name)).map_err(|error| format!("{name}: {error}"))?;
            prepared.plan.add_ownership(name, &text).map_err(|message| format!("{name}: {message}"))?;
        } else {
            modes::ownership(name)?;
        }
    }
    let base = modes::first(&prepared.recipe, prepared.plan.subgroup_size);
    let rows = verdicts(&prepared.plan, &prepared.recipe, &base, &names, prepared.device_sizes());
    let judges = !prepared.plan.expectations.is_empty();
    Ok(Judged {
        runs: rows.iter().filter(|row| row.verdict != Verdict::NotKnown).count(),
        same: rows.iter().all(|row| matches!(row.verdict, Verdict::Met | Verdict::NotKnown)),
        text: table(&rows, judges),
    })
}

fn table(rows: &[Row], judges: bool) -> String {
    let mut text = String::new();
    let width = rows.iter().map(|row| row.ownership.len()).max().unwrap_or(0);
    let mut size = 0;
    for row in rows {
        if row.subgroup_size != size {
            size = row.subgroup_size;
            let _ = writeln!(text, "  subgroups of {size}{}:", compared(rows, size, judges));
        }
        let _ = write!(text, "    {:<width$}  {}", row.ownership, row.words);
        match row.reasons.as_slice() {
            [reason] => {
                let _ = writeln!(text, ": {reason}");
            }
            reasons => {
                text.push('\n');
                for reason in reasons {
                    let _ = writeln!(text, "    {:<width$}    {reason}", "");
                }
            }
        }
    }
    for note in notes(rows) {
        let _ = writeln!(text, "  {note}");
    }
    text
}

/// Which ownership the results of others were compared with, where some depend.
fn compared(rows: &[Row], size: u32, judges: bool) -> String {
    let mut own = rows.iter().filter(|row| row.subgroup_size == size && row.verdict == Verdict::Depends);
    match own.find_map(|row| row.compared_with.as_ref()) {
        Some(name) if judges => {
            format!(", compared with {name}, the first ownership that met the expectations")
        }
        Some(name) => format!(", compared with {name}, the first ownership that ran"),
        None => String::new(),
    }
}
