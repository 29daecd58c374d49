//! Read-only virtual documents: the pages of the catalogue, under `coopmat-analyzer:/diagnostics/ID.md`, and what each
//! extension brings along, under `coopmat-analyzer:/builtins/EXTENSION.glsl`.

use std::str::FromStr as _;

use coopmat_analysis::diagnostics::{self, Code};
use coopmat_analysis::extensions::{self, ExtensionId};
use coopmat_ide::builtin_pages;
use tower_lsp::ls_types::Uri;

/// The scheme of all of them.
pub const SCHEME: &str = "coopmat-analyzer";
const DIAGNOSTICS: &str = "coopmat-analyzer:/diagnostics/";
const BUILTINS: &str = "coopmat-analyzer:/builtins/";

/// Where a diagnostic's page is found.
pub fn uri(code: &Code) -> Option<Uri> {
    Uri::from_str(&format!("{DIAGNOSTICS}{}.md", code.id)).ok()
}

/// Where the built-ins of an extension, or of the core language, are found.
pub fn builtins_uri(id: ExtensionId) -> Option<Uri> {
    Uri::from_str(&format!("{BUILTINS}{}.glsl", extensions::extension_by_id(id).name)).ok()
}

/// The text behind a virtual document's URI.
pub fn text(uri: &str) -> Option<String> {
    if let Some(name) = uri.strip_prefix(BUILTINS) {
        let id = extensions::extension(name.strip_suffix(".glsl")?)?;
        return Some(builtin_pages::page(id).text);
    }
    let id = uri.strip_prefix(DIAGNOSTICS)?.strip_suffix(".md")?;
    diagnostics::find(id).map(Code::document)
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
        let id = extensions::extension("GL_KHR_cooperative_matrix").unwrap();
        assert!(text(builtins_uri(id).unwrap().as_str()).unwrap().contains("coopMatMulAdd"));
        assert!(text("coopmat-analyzer:/builtins/GL_nothing.glsl").is_none());
        assert!(text("file:///etc/passwd").is_none());
    }
}
