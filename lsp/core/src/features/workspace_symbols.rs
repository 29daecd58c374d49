//! `workspace/symbol`: what the files of the workspace declare, open or not, from their texts as they are written.
//!
//! The outline of a file is kept while the file stays the same. Headers and code that no configuration compiles are there too.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};

use coopmat_analysis::surface::Surface;
use coopmat_ide::symbols::{OutlineKind, OutlineSymbol, outline};
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::{Location, Range, SymbolInformation, WorkspaceSymbolResponse};

use crate::documents::{Documents, text_hash};
use crate::features::outline::symbol_kind;
use crate::host::Host;
use crate::positions::{Encoding, LineTable};
use crate::roots::Listing;

/// No list is longer: clients ask again with every letter that is typed.
const MOST: usize = 256;
/// A larger file is no shader that somebody wrote, and is passed over.
const LARGEST: usize = 2 << 20;

struct Entry {
    name: String,
    kind: OutlineKind,
    container: Option<String>,
    range: Range,
}

/// A file's symbols, with a hash of the text that they are from.
type Known = (u64, Arc<[Entry]>);

/// The outlines that are known, by path.
#[derive(Default)]
pub struct SymbolIndex {
    files: Mutex<FxHashMap<Arc<str>, Known>>,
}

impl SymbolIndex {
    fn entries(
        &self,
        path: &Arc<str>,
        documents: &Documents,
        host: &dyn Host,
        encoding: Encoding,
    ) -> Option<Arc<[Entry]>> {
        let document = documents.get(path);
        let stamp = match document {
            Some(document) => text_hash(&document.text),
            None => host.stamp(path)?,
        };
        let known = self.files.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some((_, entries)) = known.filter(|(before, _)| *before == stamp) {
            return Some(entries);
        }
        let text = match document {
            Some(document) => document.text.clone(),
            None => host.read(path)?,
        };
        let mut entries = Vec::new();
        if text.len() <= LARGEST {
            let table = LineTable::new(&text);
            let range = |symbol: &OutlineSymbol| table.range(&text, symbol.name_range, encoding);
            for symbol in outline(&Surface::new(text.clone(), None)) {
                flatten(symbol, None, &range, &mut entries);
            }
        }
        let entries: Arc<[Entry]> = entries.into();
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.clone(), (stamp, entries.clone()));
        Some(entries)
    }
}

fn flatten(
    symbol: OutlineSymbol,
    container: Option<&str>,
    range: &impl Fn(&OutlineSymbol) -> Range,
    entries: &mut Vec<Entry>,
) {
    entries.push(Entry {
        range: range(&symbol),
        kind: symbol.kind,
        container: container.map(str::to_owned),
        name: symbol.name.clone(),
    });
    for child in symbol.children {
        flatten(child, Some(&symbol.name), range, entries);
    }
}

/// The best matches, the best first. The letters of the question have to appear in their order; capitals in it are heeded.
#[expect(deprecated, reason = "the type has the field")]
pub fn symbols(
    query: &str,
    index: &SymbolIndex,
    folders: &[String],
    listing: &Listing,
    documents: &Documents,
    host: &dyn Host,
    encoding: Encoding,
) -> WorkspaceSymbolResponse {
    let listed = folders.iter().flat_map(|folder| host.shaders_under(folder, true));
    let listed = listed.filter(|path| listing.has(path));
    let mut paths: FxHashSet<Arc<str>> = listed.map(Arc::from).collect();
    index.files.lock().unwrap_or_else(PoisonError::into_inner).retain(|path, _| paths.contains(path));
    paths.extend(documents.iter().map(|document| document.path.clone()));
    let mut paths: Vec<Arc<str>> = paths.into_iter().collect();
    paths.sort();

    let pattern = Pattern::new(query, CaseMatching::Smart, Normalization::Never, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut found = Vec::new();
    for path in &paths {
        let Some(entries) = index.entries(path, documents, host, encoding) else { continue };
        for (at, entry) in entries.iter().enumerate() {
            if let Some(score) = pattern.score(Utf32Str::new(&entry.name, &mut buffer), &mut matcher) {
                found.push((Reverse(score), entry.name.len(), entry.name.clone(), path, at, entries.clone()));
            }
        }
    }
    found.sort_by(|a, b| (a.0, a.1, &a.2, a.3, a.4).cmp(&(b.0, b.1, &b.2, b.3, b.4)));
    let information = found.into_iter().take(MOST).filter_map(|(_, _, name, path, at, entries)| {
        let entry = &entries[at];
        Some(SymbolInformation {
            name,
            kind: symbol_kind(entry.kind),
            tags: None,
            deprecated: None,
            location: Location { uri: documents.uri(path)?, range: entry.range },
            container_name: entry.container.clone(),
        })
    });
    WorkspaceSymbolResponse::Flat(information.collect())
}
