//! `textDocument/codeLens` and `codeLens/resolve`.
//!
//! Commands are the client's: `coopmat-analyzer.chooseConfiguration` shows a picker, `coopmat-analyzer.showReferences` lists places,
//! `coopmat-analyzer.chooseSpecialization` asks for values of constants, `coopmat-analyzer.showPortability` shows the answer to `coopmat-analyzer/portability`,
//! `coopmat-analyzer.showSpirv` the module of a function. What is only told has no command.

use coopmat_analysis::hir::Function;
use coopmat_analysis::text::{FileId, FileRange, TextRange};
use coopmat_ide::lens::{self, LensKind};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower_lsp::ls_types::Range;
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Command, Location, Uri};

use crate::commands::{CHOOSE_CONFIGURATION, CHOOSE_SPECIALIZATION};
use crate::features::references;
use crate::run;
use crate::search::question::Wanted;
use crate::session::Session;
use crate::snapshot::Snapshot;
use crate::spirv::summaries;

pub const SHOW_PORTABILITY: &str = "coopmat-analyzer.showPortability";
pub const SHOW_SPIRV: &str = "coopmat-analyzer.showSpirv";
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
        LensKind::Portability | LensKind::Defaults => settings.portability,
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
            LensKind::Defaults => (CHOOSE_SPECIALIZATION, Some(vec![json!({"uri": document.uri})])),
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
    // First what is clicked most: editors cut long lines of lenses off.
    let run = (settings.run && run::has_recipe(snapshot)).then(|| run_lens(snapshot)).flatten();
    let mut lenses: Vec<CodeLens> = run.into_iter().collect();
    lenses.extend(found.into_iter().filter(|lens| wanted(lens.kind)).map(convert));
    lenses.extend(speed_lens(snapshot));
    if settings.spirv {
        lenses.extend(spirv(snapshot));
    }
    Some(lenses)
}

/// The name of `main`, if it is in the document.
fn main_of(snapshot: &Snapshot) -> Option<Range> {
    let analysis = &snapshot.analysis;
    let mut functions = analysis.module.functions.iter().map(|(_, function)| function);
    let main = functions.find(|function| function.name == "main" && function.body.is_some())?;
    let place = analysis.file_range(main.name_range);
    (place.file == snapshot.file).then(|| snapshot.range(place))
}

/// Above `main`, where the shader has a recipe.
fn run_lens(snapshot: &Snapshot) -> Option<CodeLens> {
    let command = run_command(&snapshot.document.uri);
    Some(CodeLens { range: main_of(snapshot)?, command: Some(command), data: None })
}

/// Above `main`, if the setting asks for it: what the last run has shown, or else what is known before one.
#[cfg(not(target_arch = "wasm32"))]
fn speed_lens(snapshot: &Snapshot) -> Option<CodeLens> {
    let found = snapshot.checked.speed.found(&snapshot.analysis, &snapshot.settings)?;
    let title = match snapshot.checked.speed.shown() {
        Some(shown) => shown.summary(),
        None => format!("before a run: {}", found.summary()?),
    };
    let command = Command { title, command: String::new(), arguments: None };
    Some(CodeLens { range: main_of(snapshot)?, command: Some(command), data: None })
}

/// Not in browsers: see [`crate::performance::kept::Kept::found`].
#[cfg(target_arch = "wasm32")]
fn speed_lens(_: &Snapshot) -> Option<CodeLens> {
    None
}

/// A document of assembly text whose lenses are wanted.
#[derive(Debug, Serialize, Deserialize)]
pub struct OfModule {
    pub uri: Uri,
    /// Where the function of the entry point begins.
    pub range: Range,
}

/// Of a module there is "Run" alone, where it has a recipe.
pub fn of_module(session: &Session, wanted: OfModule) -> Vec<CodeLens> {
    let settings = &session.settings.code_lens;
    let recipe = coopmat_recipe::beside(&crate::assembly::path_of(&wanted.uri));
    let is_there = || session.documents.get(&recipe).is_some() || session.host.stamp(&recipe).is_some();
    let runs = settings.enable && settings.run && is_there();
    runs.then(|| CodeLens { range: wanted.range, command: Some(run_command(&wanted.uri)), data: None })
        .into_iter()
        .collect()
}

fn run_command(uri: &Uri) -> Command {
    let arguments = Some(vec![json!({"uri": uri})]);
    Command { title: "Run".to_owned(), command: run::RUN.to_owned(), arguments }
}

/// What each function has become: of the last text that could be compiled, so that they stay while somebody types.
fn spirv(snapshot: &Snapshot) -> Vec<CodeLens> {
    let Some(summaries) = &snapshot.summaries else { return Vec::new() };
    let analysis = &snapshot.analysis;
    let lens = |function: &Function| {
        let place = analysis.file_range(function.name_range);
        if place.file != snapshot.file || function.body.is_none() {
            return None;
        }
        let title = summaries.get(&summaries::key(&snapshot.document.path, &function.name))?.clone();
        let argument = json!({"uri": snapshot.document.uri, "function": function.name.as_str()});
        let command = Command { title, command: SHOW_SPIRV.to_owned(), arguments: Some(vec![argument]) };
        Some(CodeLens { range: snapshot.range(place), command: Some(command), data: None })
    };
    analysis.module.functions.iter().filter_map(|(_, function)| lens(function)).collect()
}

/// More looks at shaders than these are not worth a number above a function: references are searched for when somebody asks.
pub const LOOKS: Option<usize> = Some(64);

/// Counts the references of a lens that comes into view. Those of a header are in other shaders, too: what is to be searched for.
pub fn resolve(snapshot: &Snapshot, unresolved: &CodeLens) -> (CodeLens, Option<(String, Wanted)>) {
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
    let in_header = current && snapshot.file != FileId::ROOT;
    let searched = in_header.then(|| references::wanted(snapshot, &lens.range.start)).flatten();
    let arguments = vec![json!(snapshot.document.uri), json!(lens.range.start)];
    let command = SHOW_REFERENCES.to_owned();
    lens.command = Some(Command { title: String::new(), command, arguments: Some(arguments) });
    (with_references(lens, Some(locations)), searched)
}

/// A lens that leads to references, with their number; without one where they are not known.
pub fn with_references(mut lens: CodeLens, found: Option<Vec<Location>>) -> CodeLens {
    if let Some(Command { title, arguments: Some(arguments), .. }) = &mut lens.command {
        *title = match found.as_ref().map(Vec::len) {
            None => "references".to_owned(),
            Some(1) => "1 reference".to_owned(),
            Some(count) => format!("{count} references"),
        };
        arguments.truncate(2);
        arguments.push(json!(found));
    }
    lens
}
