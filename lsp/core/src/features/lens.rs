//! `textDocument/codeLens` and `codeLens/resolve`.
//!
//! Commands are the client's: `coopmat-analyzer.chooseConfiguration` shows a picker, `coopmat-analyzer.showReferences` lists places,
//! `coopmat-analyzer.showPortability` shows the answer to `coopmat-analyzer/portability`. What is only told has no command.

use coopmat_analysis::ide::lens::{self, LensKind};
use coopmat_analysis::text::{FileId, FileRange, TextRange};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Command, Location, Uri};

use crate::commands::CHOOSE_CONFIGURATION;
use crate::snapshot::Snapshot;

pub const SHOW_PORTABILITY: &str = "coopmat-analyzer.showPortability";
pub const SHOW_REFERENCES: &str = "coopmat-analyzer.showReferences";

/// What a lens that is resolved later carries.
#[derive(Debug, Serialize, Deserialize)]
pub struct Unresolved {
    pub uri: Uri,
    version: i32,
}

pub fn lenses(snapshot: &Snapshot, _: &CodeLensParams) -> Option<Vec<CodeLens>> {
    let settings = &snapshot.settings.code_lens;
    if !settings.enable {
        return Some(Vec::new());
    }
    let wanted = |kind| match kind {
        LensKind::Configuration => settings.configuration,
        LensKind::SharedMemory => settings.shared_memory,
        LensKind::Matrices => settings.matrices,
        LensKind::Portability => settings.portability,
        LensKind::References => settings.references,
    };
    let document = &snapshot.document;
    let convert = |lens: lens::Lens| {
        let range = snapshot.range(FileRange { file: snapshot.file, range: lens.range });
        let Some(title) = lens.title else {
            let data = Unresolved { uri: document.uri.clone(), version: document.version };
            return CodeLens { range, command: None, data: serde_json::to_value(data).ok() };
        };
        let (command, arguments) = match lens.kind {
            LensKind::Configuration => {
                let configuration = &snapshot.analysis.config.name;
                let argument = json!({"uri": document.uri, "configuration": configuration});
                (CHOOSE_CONFIGURATION, Some(vec![argument]))
            }
            LensKind::Portability => (SHOW_PORTABILITY, Some(vec![json!({"uri": document.uri})])),
            LensKind::SharedMemory | LensKind::Matrices | LensKind::References => ("", None),
        };
        CodeLens {
            range,
            command: Some(Command { title, command: command.to_owned(), arguments }),
            data: None,
        }
    };
    let found = lens::lenses(&snapshot.analysis, snapshot.file);
    Some(found.into_iter().filter(|lens| wanted(lens.kind)).map(convert).collect())
}

/// Counts the references of a lens that comes into view.
pub fn resolve(snapshot: &Snapshot, unresolved: &CodeLens) -> CodeLens {
    let mut lens = unresolved.clone();
    let data = lens.data.take().and_then(|data| serde_json::from_value::<Unresolved>(data).ok());
    let current = data.is_some_and(|data| data.version == snapshot.document.version);
    let name = TextRange::new(
        snapshot.position(lens.range.start).offset,
        snapshot.position(lens.range.end).offset.max(snapshot.position(lens.range.start).offset),
    );
    // Of an older text: the client asks for all lenses again.
    let places = if current { lens::references(&snapshot.analysis, snapshot.file, name) } else { Vec::new() };
    let locations: Vec<Location> = places
        .into_iter()
        .filter_map(|place| Some(Location { uri: snapshot.uri(place.file)?, range: snapshot.range(place) }))
        .collect();
    let mut title = match locations.len() {
        1 => "1 reference".to_owned(),
        count => format!("{count} references"),
    };
    if snapshot.file != FileId::ROOT {
        // Of all the shaders that a header may serve, one was looked at.
        let root = &snapshot.analysis.files()[FileId::ROOT].path;
        title.push_str(&format!(" in {}", root.rsplit('/').next().unwrap_or(root)));
    }
    let arguments = vec![json!(snapshot.document.uri), json!(lens.range.start), json!(locations)];
    lens.command = Some(Command { title, command: SHOW_REFERENCES.to_owned(), arguments: Some(arguments) });
    lens
}
