//! `textDocument/definition`, `declaration`, `typeDefinition` and `implementation`.

use coopmat_analysis::project;
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};
use coopmat_ide::builtin_pages;
use coopmat_ide::definition::{self, Links, Target};
use tower_lsp::ls_types::*;

use crate::pages;
use crate::paths;
use crate::positions::LineTable;
use crate::snapshot::Snapshot;

pub fn definition(snapshot: &Snapshot, params: &GotoDefinitionParams) -> Option<GotoDefinitionResponse> {
    let position = snapshot.position(params.text_document_position_params.position);
    let Some(links) = definition::definition(&snapshot.analysis, position) else {
        let (origin, places) = in_project(snapshot, position)?;
        return answer(snapshot, origin, places, snapshot.client.links.definition);
    };
    response(snapshot, &links, snapshot.client.links.definition)
}

pub fn declaration(snapshot: &Snapshot, params: &GotoDefinitionParams) -> Option<GotoDefinitionResponse> {
    let position = snapshot.position(params.text_document_position_params.position);
    let links = definition::declaration(&snapshot.analysis, position)?;
    response(snapshot, &links, snapshot.client.links.declaration)
}

pub fn type_definition(snapshot: &Snapshot, params: &GotoDefinitionParams) -> Option<GotoDefinitionResponse> {
    let position = snapshot.position(params.text_document_position_params.position);
    let links = definition::type_definition(&snapshot.analysis, position)?;
    response(snapshot, &links, snapshot.client.links.type_definition)
}

pub fn implementation(snapshot: &Snapshot, params: &GotoDefinitionParams) -> Option<GotoDefinitionResponse> {
    let position = snapshot.position(params.text_document_position_params.position);
    let links = definition::implementation(&snapshot.analysis, position)?;
    response(snapshot, &links, snapshot.client.links.implementation)
}

/// A document, the whole of what is defined in it, and its name.
type Place = (Uri, Range, Range);

/// Where a target is.
fn place(snapshot: &Snapshot, target: &Target) -> Option<Place> {
    match target {
        Target::Source { name, whole } => {
            let uri = snapshot.uri(name.file)?;
            Some((uri, snapshot.range(*whole), snapshot.range(*name)))
        }
        Target::File(file) => Some((snapshot.uri(*file)?, Range::default(), Range::default())),
        Target::Builtin(builtin) => {
            let (provider, name) = builtin_pages::locate(&snapshot.analysis, builtin)?;
            let text = builtin_pages::page(provider).text;
            let table = LineTable::new(&text);
            let whole = line_around(&text, name);
            let range = |range| table.range(&text, range, snapshot.encoding);
            Some((pages::builtins_uri(provider)?, range(whole), range(name)))
        }
    }
}

fn line_around(text: &str, name: TextRange) -> TextRange {
    let (start, end) = (usize::from(name.start()), usize::from(name.end()));
    let from = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let to = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
    TextRange::new(TextSize::new(from as u32), TextSize::new(to as u32))
}

/// Where the nearest project file defines the macro at a place, when the configuration does.
fn in_project(snapshot: &Snapshot, position: FilePosition) -> Option<(FileRange, Vec<Place>)> {
    let (origin, name) = definition::configured_macro(&snapshot.analysis, position)?;
    let mut folder = paths::parent(&snapshot.document.path)?;
    let (path, text) = loop {
        let path = format!("{folder}/{}", project::FILE_NAME);
        match snapshot.host.read(&path) {
            Some(text) => break (path, text),
            None => folder = paths::parent(folder)?,
        }
    };
    let uri = snapshot.documents.uri(&path).or_else(|| paths::to_uri(&path))?;
    let table = LineTable::new(&text);
    let range = |range| table.range(&text, range, snapshot.encoding);
    let found = project::defined_at(&text, &snapshot.analysis.config.name, &name);
    let places = found.into_iter().map(|place| (uri.clone(), range(line_around(&text, place)), range(place)));
    Some((origin, places.collect()))
}

fn response(snapshot: &Snapshot, links: &Links, link_support: bool) -> Option<GotoDefinitionResponse> {
    let places: Vec<_> = links.targets.iter().filter_map(|target| place(snapshot, target)).collect();
    answer(snapshot, links.origin, places, link_support)
}

fn answer(
    snapshot: &Snapshot,
    origin: FileRange,
    places: Vec<Place>,
    link_support: bool,
) -> Option<GotoDefinitionResponse> {
    if places.is_empty() {
        return None;
    }
    if !link_support {
        let location = |(uri, _, range)| Location { uri, range };
        return Some(match <[_; 1]>::try_from(places) {
            Ok([only]) => GotoDefinitionResponse::Scalar(location(only)),
            Err(places) => GotoDefinitionResponse::Array(places.into_iter().map(location).collect()),
        });
    }
    // A range in another file would be taken for one in this.
    let origin = (origin.file == snapshot.file).then(|| snapshot.range(origin));
    let links = places.into_iter().map(|(target_uri, target_range, target_selection_range)| LocationLink {
        origin_selection_range: origin,
        target_uri,
        target_range,
        target_selection_range,
    });
    Some(GotoDefinitionResponse::Link(links.collect()))
}

impl Snapshot {
    pub fn uri(&self, file: FileId) -> Option<Uri> {
        self.documents.uri(&self.analysis.files()[file].path)
    }
}
