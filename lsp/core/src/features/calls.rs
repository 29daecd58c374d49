//! `textDocument/prepareCallHierarchy`, incoming and outgoing calls. A function that is handed to another one, as the
//! matrix operations take them, is called by whoever hands it over.

use std::collections::BTreeMap;
use std::sync::Arc;

use coopmat_analysis::extensions;
use coopmat_analysis::text::FileRange;
use coopmat_ide::builtin_pages;
use coopmat_ide::occurrences::{self, Builtin, Role, Symbol};
use coopmat_ide::usages::{Closure, FunctionPlace, Place, builtin_words, function_place};
use tower_lsp::ls_types::*;

use crate::documents::Documents;
use crate::host::Host;
use crate::pages;
use crate::paths;
use crate::positions::{Encoding, LineTable};
use crate::search::question::Wanted;
use crate::search::state::Search;
use crate::search::texts::FileTexts;
use crate::snapshot::Snapshot;

pub fn prepare(snapshot: &Snapshot, params: &CallHierarchyPrepareParams) -> Option<Vec<CallHierarchyItem>> {
    let position = snapshot.position(params.text_document_position_params.position);
    let found = occurrences::find(&snapshot.analysis, position)?;
    let items = found.symbols.iter().filter_map(|symbol| match symbol {
        Symbol::Function(id) => function_item(snapshot, &function_place(&snapshot.analysis, *id)?),
        Symbol::Builtin(builtin @ Builtin::Function(_)) => builtin_item(snapshot, builtin),
        _ => None,
    });
    let items: Vec<_> = items.collect();
    (!items.is_empty()).then_some(items)
}

fn function_item(snapshot: &Snapshot, function: &FunctionPlace) -> Option<CallHierarchyItem> {
    let range = |place: &Place| {
        let file = snapshot.analysis.files().find(&place.path)?;
        Some(snapshot.range(FileRange { file, range: place.range }))
    };
    Some(CallHierarchyItem {
        name: function.name.clone(),
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: Some(function.detail.clone()),
        uri: snapshot.documents.uri(&function.name_place.path)?,
        range: range(&function.whole)?,
        selection_range: range(&function.name_place)?,
        data: None,
    })
}

fn builtin_item(snapshot: &Snapshot, builtin: &Builtin) -> Option<CallHierarchyItem> {
    let Builtin::Function(id) = builtin else { return None };
    let function = extensions::function(*id);
    let (provider, range) = builtin_pages::locate(&snapshot.analysis, builtin)?;
    let text = builtin_pages::page(provider).text;
    let range = LineTable::new(&text).range(&text, range, snapshot.encoding);
    Some(CallHierarchyItem {
        name: function.name.to_owned(),
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: Some(extensions::extension_by_id(provider).name.to_owned()),
        uri: pages::builtins_uri(provider)?,
        range,
        selection_range: range,
        data: None,
    })
}

/// What an item stands for. Built-in functions of one name count together.
pub fn wanted(
    item: &CallHierarchyItem,
    documents: &Documents,
    host: &dyn Host,
    encoding: Encoding,
) -> Option<(String, Wanted)> {
    if item.uri.scheme().as_str() == pages::SCHEME {
        let (id, _) = extensions::functions(&item.name).next()?;
        return Some((item.name.clone(), Wanted::Builtin(builtin_words(&Builtin::Function(id)))));
    }
    let path: Arc<str> = paths::of_uri(&item.uri).into();
    let place = FileTexts::new(documents, host, encoding).place(&path, item.selection_range)?;
    Some((item.name.clone(), Wanted::Places(vec![place])))
}

type Grouped = BTreeMap<Place, (FunctionPlace, Vec<Place>)>;

fn add(grouped: &mut Grouped, function: &FunctionPlace, place: &Place) {
    let (_, places) =
        grouped.entry(function.name_place.clone()).or_insert_with(|| (function.clone(), Vec::new()));
    if !places.contains(place) {
        places.push(place.clone());
    }
}

fn item(texts: &mut FileTexts<'_>, function: &FunctionPlace) -> Option<CallHierarchyItem> {
    Some(CallHierarchyItem {
        name: function.name.clone(),
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: Some(function.detail.clone()),
        uri: texts.documents.uri(&function.name_place.path)?,
        range: texts.range(&function.whole)?,
        selection_range: texts.range(&function.name_place)?,
        data: None,
    })
}

fn ranges(texts: &mut FileTexts<'_>, mut places: Vec<Place>) -> Vec<Range> {
    places.sort();
    places.iter().filter_map(|place| texts.range(place)).collect()
}

pub fn incoming(search: &Search, closure: &Closure, host: &dyn Host) -> Vec<CallHierarchyIncomingCall> {
    let mut grouped = Grouped::new();
    for &(piece, group) in &closure.groups {
        let piece = &search.pieces[piece];
        for one in piece.groups[group].uses.iter().filter(|one| one.role == Role::Call) {
            if let Some(caller) = one.caller.and_then(|caller| piece.functions.get(caller)) {
                // From a macro's body the call is where the macro is used.
                add(&mut grouped, caller, one.shown.as_ref().unwrap_or(&one.place));
            }
        }
    }
    let mut texts = search.texts(host);
    grouped
        .into_values()
        .filter_map(|(caller, mut places)| {
            places.retain(|place| place.path == caller.name_place.path);
            let from_ranges = ranges(&mut texts, places);
            Some(CallHierarchyIncomingCall { from: item(&mut texts, &caller)?, from_ranges })
        })
        .collect()
}

pub fn outgoing(search: &Search, host: &dyn Host) -> Vec<CallHierarchyOutgoingCall> {
    let mut grouped = Grouped::new();
    for (function, place) in &search.calls {
        add(&mut grouped, function, place);
    }
    let Wanted::Places(from) = &search.wanted else { return Vec::new() };
    let here = from.first().map(|place| place.path.clone());
    let mut texts = search.texts(host);
    grouped
        .into_values()
        .filter_map(|(function, mut places)| {
            places.retain(|place| Some(&place.path) == here.as_ref());
            let from_ranges = ranges(&mut texts, places);
            Some(CallHierarchyOutgoingCall { to: item(&mut texts, &function)?, from_ranges })
        })
        .collect()
}
