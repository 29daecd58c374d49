//! `docs/lsp.md` says what the server answers, and the server says the same.

use serde_json::json;

use crate::client::Client;

const TABLE: &str = include_str!("../../../docs/lsp.md");

/// Where a client finds that a method is answered.
fn capability(method: &str) -> Option<&'static str> {
    Some(match method {
        "textDocument/diagnostic" => "/diagnosticProvider",
        "workspace/diagnostic" => "/diagnosticProvider/workspaceDiagnostics",
        "textDocument/hover" => "/hoverProvider",
        "textDocument/completion" => "/completionProvider",
        "completionItem/resolve" => "/completionProvider/resolveProvider",
        "textDocument/signatureHelp" => "/signatureHelpProvider",
        "textDocument/declaration" => "/declarationProvider",
        "textDocument/definition" => "/definitionProvider",
        "textDocument/typeDefinition" => "/typeDefinitionProvider",
        "textDocument/implementation" => "/implementationProvider",
        "textDocument/references" => "/referencesProvider",
        "textDocument/documentHighlight" => "/documentHighlightProvider",
        "textDocument/documentSymbol" => "/documentSymbolProvider",
        "workspace/symbol" => "/workspaceSymbolProvider",
        "textDocument/prepareCallHierarchy" => "/callHierarchyProvider",
        "textDocument/prepareTypeHierarchy" => "/typeHierarchyProvider",
        "textDocument/documentLink" => "/documentLinkProvider",
        "textDocument/rename" => "/renameProvider",
        "textDocument/prepareRename" => "/renameProvider/prepareProvider",
        "textDocument/codeAction" => "/codeActionProvider",
        "textDocument/codeLens" => "/codeLensProvider",
        "workspace/executeCommand" => "/executeCommandProvider",
        "textDocument/semanticTokens/full" => "/semanticTokensProvider/full",
        "textDocument/semanticTokens/full/delta" => "/semanticTokensProvider/full/delta",
        "textDocument/semanticTokens/range" => "/semanticTokensProvider/range",
        "textDocument/inlayHint" => "/inlayHintProvider",
        "textDocument/foldingRange" => "/foldingRangeProvider",
        "textDocument/selectionRange" => "/selectionRangeProvider",
        "textDocument/formatting" => "/documentFormattingProvider",
        "textDocument/rangeFormatting" => "/documentRangeFormattingProvider",
        "textDocument/onTypeFormatting" => "/documentOnTypeFormattingProvider",
        "workspace/willRenameFiles" => "/workspace/fileOperations/willRename",
        "textDocument/linkedEditingRange" => "/linkedEditingRangeProvider",
        "textDocument/inlineValue" => "/inlineValueProvider",
        "textDocument/moniker" => "/monikerProvider",
        "textDocument/documentColor" => "/colorProvider",
        // Not announced: the server sends it.
        "textDocument/publishDiagnostics" => return None,
        other => panic!("docs/lsp.md has a row for `{other}`, which this test does not know"),
    })
}

#[test]
fn the_table_of_methods_says_what_the_server_says() {
    let everything = json!({
        "textDocument": {"diagnostic": {"relatedDocumentSupport": true}},
        "workspace": {"configuration": true},
    });
    let (_client, hello) = Client::start(&[], json!({"capabilities": everything}));
    let capabilities = &hello["capabilities"];
    let rows = TABLE.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let method = cells.next().filter(|method| method.contains('/') && !method.contains('`'))?;
        Some((method, cells.next()? == "yes"))
    });
    let mut count = 0;
    for (method, told) in rows {
        let Some(pointer) = capability(method) else { continue };
        let answered =
            capabilities.pointer(pointer).is_some_and(|value| !value.is_null() && *value != json!(false));
        assert_eq!(told, answered, "{method}: docs/lsp.md and {pointer} disagree");
        count += 1;
    }
    assert!(count > 30, "the table has {count} rows");
}
