//! `textDocument/documentSymbol`.

use coopmat_ide::symbols::{OutlineKind, OutlineSymbol, outline};
use tower_lsp::ls_types::*;

use crate::snapshot::TextSnapshot;

pub fn document_symbols(snapshot: &TextSnapshot, _: &DocumentSymbolParams) -> Option<DocumentSymbolResponse> {
    let symbols = outline(snapshot.document.surface());
    if snapshot.client.hierarchical_symbols {
        let nested = symbols.iter().map(|symbol| nested(snapshot, symbol)).collect();
        return Some(DocumentSymbolResponse::Nested(nested));
    }
    let mut flat = Vec::new();
    for symbol in &symbols {
        flatten(snapshot, symbol, None, &mut flat);
    }
    Some(DocumentSymbolResponse::Flat(flat))
}

pub fn symbol_kind(kind: OutlineKind) -> SymbolKind {
    match kind {
        OutlineKind::Function => SymbolKind::FUNCTION,
        OutlineKind::Struct => SymbolKind::STRUCT,
        OutlineKind::Block => SymbolKind::INTERFACE,
        OutlineKind::Variable => SymbolKind::VARIABLE,
        OutlineKind::Constant | OutlineKind::Macro => SymbolKind::CONSTANT,
        OutlineKind::Member => SymbolKind::FIELD,
    }
}

#[expect(deprecated, reason = "the type has the field")]
fn nested(snapshot: &TextSnapshot, symbol: &OutlineSymbol) -> DocumentSymbol {
    let children: Vec<_> = symbol.children.iter().map(|child| nested(snapshot, child)).collect();
    let detail = match symbol.kind {
        OutlineKind::Macro => format!("macro{}", symbol.detail),
        _ => symbol.detail.clone(),
    };
    DocumentSymbol {
        name: symbol.name.clone(),
        detail: (!detail.is_empty()).then_some(detail),
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: snapshot.range(symbol.range),
        selection_range: snapshot.range(symbol.name_range),
        children: (!children.is_empty()).then_some(children),
    }
}

#[expect(deprecated, reason = "the type has the field")]
fn flatten(
    snapshot: &TextSnapshot,
    symbol: &OutlineSymbol,
    container: Option<&str>,
    out: &mut Vec<SymbolInformation>,
) {
    out.push(SymbolInformation {
        name: symbol.name.clone(),
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        location: Location { uri: snapshot.document.uri.clone(), range: snapshot.range(symbol.name_range) },
        container_name: container.map(str::to_owned),
    });
    for child in &symbol.children {
        flatten(snapshot, child, Some(&symbol.name), out);
    }
}
