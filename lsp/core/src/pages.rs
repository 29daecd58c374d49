//! Read-only virtual documents: the pages of the catalogue, under `coopmat-analyzer:/diagnostics/ID.md`.

use std::str::FromStr as _;

use coopmat_analysis::diagnostics::{self, Code};
use tower_lsp::ls_types::Uri;

const DIAGNOSTICS: &str = "coopmat-analyzer:/diagnostics/";

/// Where a diagnostic's page is found.
pub fn uri(code: &Code) -> Option<Uri> {
    Uri::from_str(&format!("{DIAGNOSTICS}{}.md", code.id)).ok()
}

/// The text behind a virtual document's URI.
pub fn text(uri: &str) -> Option<String> {
    let id = uri.strip_prefix(DIAGNOSTICS)?.strip_suffix(".md")?;
    diagnostics::find(id).map(page)
}

/// A diagnostic's page as one Markdown document.
pub fn page(code: &Code) -> String {
    format!(
        "# {}\n\n**{}**: {}\n\nSource: {}\n\n{}",
        code.id,
        code.severity.name(),
        code.summary,
        code.source,
        code.page
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_diagnostic_has_a_page_behind_its_link() {
        for code in diagnostics::codes::ALL {
            let uri = uri(code).unwrap();
            assert!(text(uri.as_str()).unwrap().contains(code.summary));
        }
        assert!(text("coopmat-analyzer:/diagnostics/nothing.md").is_none());
        assert!(text("file:///etc/passwd").is_none());
    }
}
