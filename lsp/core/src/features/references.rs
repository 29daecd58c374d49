//! `textDocument/references`.

use coopmat_ide::occurrences::{self, Symbol};
use coopmat_ide::usages::{Closure, Place, builtin_words};
use tower_lsp::ls_types::{Location, Position};

use crate::host::Host;
use crate::search::question::Wanted;
use crate::search::state::Search;
use crate::snapshot::Snapshot;

/// The name at a position, and what to look for.
pub fn wanted(snapshot: &Snapshot, position: &Position) -> Option<(String, Wanted)> {
    let found = occurrences::find(&snapshot.analysis, snapshot.position(*position))?;
    let wanted = match found.symbols.first() {
        Some(Symbol::Builtin(builtin)) if found.symbols.len() == 1 => Wanted::Builtin(builtin_words(builtin)),
        Some(_) => Wanted::Places(vec![Place::new(&snapshot.analysis, found.place)]),
        None => {
            // In code that is left out: what the name stands for where it is not.
            let declared = found.occurrences.list.iter().filter(|one| match one.symbol {
                Symbol::Global(_) | Symbol::Struct(_) | Symbol::Function(_) | Symbol::Macro(_) => true,
                Symbol::Local(..) | Symbol::Member(..) | Symbol::MacroParameter(..) | Symbol::Builtin(_) => {
                    false
                }
            });
            let places: Vec<Place> =
                declared.filter_map(|one| Some(Place::new(&snapshot.analysis, one.place?))).collect();
            // Another configuration may know the place itself.
            Wanted::Places(if places.is_empty() {
                vec![Place::new(&snapshot.analysis, found.place)]
            } else {
                places
            })
        }
    };
    Some((found.name.to_string(), wanted))
}

/// Every place, by file and line.
pub fn locations(search: &Search, closure: &Closure, declarations: bool, host: &dyn Host) -> Vec<Location> {
    let mut texts = search.texts(host);
    let (certain, _) = closure.settle_loose(&search.pieces);
    let mut places: Vec<&Place> = closure
        .uses
        .iter()
        .filter(|(_, role)| declarations || !role.declares())
        .map(|(place, _)| place)
        .chain(&certain)
        .collect();
    places.sort();
    places.dedup();
    places.into_iter().filter_map(|place| texts.location(place)).collect()
}
