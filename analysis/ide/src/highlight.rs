//! The other places of the file that mean what the place under the cursor means.

use rustc_hash::FxHashSet;

use crate::occurrences::{Role, Symbol, find};
use coopmat_analysis::Analysis;
use coopmat_analysis::text::{FilePosition, TextRange};

/// What happens to a variable where it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its value is used.
    Read,
    /// It gets a value, perhaps after it was read.
    Write,
    /// Neither: a type, a function, a macro, a declaration without a value.
    Mention,
}

/// In the order of the file, each place once.
pub fn highlight(analysis: &Analysis, position: FilePosition) -> Vec<(TextRange, Access)> {
    let Some(found) = find(analysis, position) else { return Vec::new() };
    let symbols: FxHashSet<&Symbol> = found.symbols.iter().collect();
    let mut places: Vec<(TextRange, Access)> = found
        .occurrences
        .list
        .iter()
        .filter(|one| symbols.contains(&one.symbol))
        .filter_map(|one| {
            let place = one.place.filter(|place| place.file == position.file)?;
            Some((place.range, access(one.role)))
        })
        .collect();
    places.sort_by_key(|(range, access)| (range.start(), *access != Access::Write));
    places.dedup_by_key(|(range, _)| *range);
    places
}

fn access(role: Role) -> Access {
    match role {
        Role::Initialized | Role::Write | Role::ReadWrite => Access::Write,
        Role::Read => Access::Read,
        Role::Declaration | Role::Definition | Role::Call | Role::Condition => Access::Mention,
    }
}
