//! Code lenses: what is told above a file, an entry point, a function, a structure.
//!
//! A further lens of an entry point (its SPIR-V, a run of it) is a variant of [`LensKind`] and an entry in
//! `of_entry_point`.

mod resources;
#[cfg(test)]
mod tests;

use crate::occurrences::{Occurrences, Symbol};
use crate::portability;
use crate::specialization;
use coopmat_analysis::Analysis;
use coopmat_analysis::hir::FunctionId;
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};

/// What a lens tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LensKind {
    /// The configuration in force; choosing another is for the client.
    Configuration,
    /// Of an entry point.
    SharedMemory,
    /// Of an entry point.
    Matrices,
    /// Of an entry point: how many devices accept it, unless the configuration has one.
    Portability,
    /// Of an entry point, in the place of that: that no device takes the defaults of its specialization constants.
    Defaults,
    /// How often a function or structure is named; counted when it comes into view.
    References,
}

/// Words above a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// In the file.
    pub range: TextRange,
    /// What they tell, and so what a click on them does.
    pub kind: LensKind,
    /// `None` where it takes work to say, see [`references`].
    pub title: Option<String>,
}

/// The lenses of a file in the order of the text.
pub fn lenses(analysis: &Analysis, file: FileId) -> Vec<Lens> {
    let mut found = vec![configuration(analysis, file)];
    for (id, function) in analysis.module.functions.iter() {
        let Some(range) = named_in(analysis, file, function.name_range) else { continue };
        if function.is_entry_point() {
            found.extend(of_entry_point(analysis, id, range));
        } else {
            found.push(Lens { range, kind: LensKind::References, title: None });
        }
    }
    for (_, structure) in analysis.module.structs.iter() {
        // The name of an interface block cannot be used.
        if !structure.is_type() {
            continue;
        }
        let base =
            structure.owner.map_or(TextSize::new(0), |owner| analysis.module.functions[owner].range.start());
        if let Some(range) = named_in(analysis, file, structure.name_range + base) {
            found.push(Lens { range, kind: LensKind::References, title: None });
        }
    }
    // The order of what stands at one place is the order of telling.
    found.sort_by_key(|lens| lens.range.start());
    found
}

/// Where a name of the expanded text is spelled in a file, unless a macro's body brings it.
fn named_in(analysis: &Analysis, file: FileId, name: TextRange) -> Option<TextRange> {
    if name.is_empty() {
        return None;
    }
    let mapped = analysis.preprocessed.map.to_file(name);
    (mapped.in_macro.is_none() && mapped.primary.file == file && !mapped.primary.range.is_empty())
        .then_some(mapped.primary.range)
}

fn configuration(analysis: &Analysis, file: FileId) -> Lens {
    let mut title = format!("configuration `{}`", analysis.config.name);
    if let Some(device) = &analysis.config.device {
        title.push_str(&format!(", device {device}"));
    }
    if let Some(values) = specialization::given_in_words(analysis) {
        title.push_str(&format!(", {values}"));
    }
    if file != FileId::ROOT {
        let root = &analysis.files()[FileId::ROOT].path;
        title.push_str(&format!(", as part of {}", root.rsplit('/').next().unwrap_or(root)));
    }
    let range = match analysis.preprocessed.version {
        Some(version) if version.range.file == file => version.range.range,
        _ => TextRange::default(),
    };
    Lens { range, kind: LensKind::Configuration, title: Some(title) }
}

fn of_entry_point(analysis: &Analysis, entry: FunctionId, range: TextRange) -> Vec<Lens> {
    let devices = match portability::lens(analysis) {
        Some(portability::Told::Defaults(title)) => (LensKind::Defaults, Some(title)),
        Some(portability::Told::Summary(title)) => (LensKind::Portability, Some(title)),
        None => (LensKind::Portability, None),
    };
    let told = [
        (LensKind::SharedMemory, resources::shared_memory(analysis, entry)),
        (LensKind::Matrices, resources::matrices(analysis, entry)),
        devices,
    ];
    let lens = |(kind, title): (LensKind, Option<String>)| Some(Lens { range, kind, title: Some(title?) });
    told.into_iter().filter_map(lens).collect()
}

/// The places that name the function or structure whose name stands at `name`, without its declarations.
pub fn references(analysis: &Analysis, file: FileId, name: TextRange) -> Vec<FileRange> {
    let here = FileRange { file, range: name };
    let word = analysis.files()[file].text.get(std::ops::Range::<usize>::from(name)).unwrap_or_default();
    let occurrences = Occurrences::of(analysis, word);
    let declared = |symbol: &Symbol| matches!(symbol, Symbol::Function(_) | Symbol::Struct(_));
    let symbol = occurrences
        .list
        .iter()
        .find(|one| one.place == Some(here) && declared(&one.symbol))
        .map(|one| one.symbol.clone());
    let Some(symbol) = symbol else { return Vec::new() };
    let mut places: Vec<FileRange> = occurrences
        .list
        .iter()
        .filter(|one| one.symbol == symbol && !one.role.declares())
        .filter_map(|one| one.place)
        .filter(|place| *place != here)
        .collect();
    places.sort_by_key(|place| (place.file, place.range.start()));
    places.dedup();
    places
}
