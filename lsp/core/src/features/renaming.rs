//! `textDocument/prepareRename` and `textDocument/rename`.

use std::collections::BTreeMap;
use std::sync::Arc;

use coopmat_ide::rename;
use coopmat_ide::usages::{Closure, GroupKind, Place};
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::*;

use crate::features::edits;
use crate::host::Host;
use crate::paths;
use crate::search::question::Wanted;
use crate::search::state::Search;
use crate::snapshot::Snapshot;

pub fn prepare(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Result<PrepareRenameResponse, String> {
    let target = rename::prepare(&snapshot.analysis, snapshot.position(params.position))?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: snapshot.range(target.place),
        placeholder: target.name.to_string(),
    })
}

/// The name at a position and its place; an error when it cannot be renamed, or not to the name that is asked for.
pub fn wanted(snapshot: &Snapshot, params: &RenameParams) -> Result<(String, Wanted), String> {
    let position = snapshot.position(params.text_document_position.position);
    let target = rename::prepare(&snapshot.analysis, position)?;
    rename::check_new_name(&params.new_name, target.is_macro)?;
    let place = Place::new(&snapshot.analysis, target.place);
    Ok((target.name.to_string(), Wanted::Places(vec![place])))
}

/// A rename that is to be tried.
pub struct Plan {
    pub edit: WorkspaceEdit,
    /// The files that change, after it.
    pub texts: FxHashMap<Arc<str>, Arc<str>>,
}

pub fn plan(search: &Search, closure: &Closure, new_name: &str, host: &dyn Host) -> Result<Plan, String> {
    let name = &search.name;
    if search.incomplete {
        return Err(format!(
            "`{name}` is used in more shaders and configurations than can be searched: a rename could miss some"
        ));
    }
    if closure.uses.is_empty() {
        return Err(format!(
            "no configuration compiles this code, so it is not known what `{name}` refers to: rename it where it is compiled"
        ));
    }
    let mut texts = search.texts(host);
    for &(piece, group) in &closure.groups {
        let found = &search.pieces[piece].groups[group];
        let first = found.uses.iter().map(|one| &one.place).min();
        if let GroupKind::Builtin(words) = &found.kind {
            let place = first.map(|place| texts.line(place)).unwrap_or_default();
            return Err(format!(
                "`{name}` is also {words} at {place} in the configuration `{}`: the same text refers to both, so it cannot be renamed",
                search.pieces[piece].configuration
            ));
        }
        if let Some(reason) = &found.unwritten {
            return Err(format!("`{name}` cannot be renamed: {reason}"));
        }
    }
    let (certain, _) = closure.settle_loose(&search.pieces);
    let mut by_file: BTreeMap<Arc<str>, Vec<&Place>> = BTreeMap::new();
    for place in closure.uses.keys().chain(&certain) {
        by_file.entry(place.path.clone()).or_default().push(place);
    }
    let mut changed = FxHashMap::default();
    let mut edits = Vec::new();
    for (path, mut places) in by_file {
        let inside = search.folders.iter().any(|folder| paths::is_inside(&path, folder));
        let document = search.documents.get(&path);
        if !inside && document.is_none() && !search.folders.is_empty() {
            return Err(format!("`{name}` is also used in {path}, which is outside the workspace"));
        }
        places.sort();
        places.dedup();
        let (Some(text), Some(uri)) = (texts.text(&path), search.documents.uri(&path)) else {
            return Err(format!("`{name}` is also used in {path}, which cannot be read"));
        };
        let mut renamed = String::with_capacity(text.len());
        let mut from = 0;
        let mut here = Vec::new();
        for place in places {
            let (start, end) = (usize::from(place.range.start()), usize::from(place.range.end()));
            let (Some(before), Some(range)) = (text.get(from..start), texts.range(place)) else {
                return Err(format!("{path} has changed: try again"));
            };
            renamed.push_str(before);
            renamed.push_str(new_name);
            from = end;
            here.push(TextEdit { range, new_text: new_name.to_owned() });
        }
        renamed.push_str(text.get(from..).unwrap_or_default());
        changed.insert(path, Arc::from(renamed));
        edits.push((uri, document.map(|document| document.version), here));
    }
    Ok(Plan { edit: edits::of_documents(edits, search.document_changes), texts: changed })
}
