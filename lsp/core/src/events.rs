//! What the server's task receives: owned messages, in the order in which the client sent them, and what its parts hear of their jobs.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use futures::channel::mpsc;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types::*;

use crate::background::BackgroundEvent;
use crate::choices::{
    ConfigurationList, DeviceList, DocumentParams, FavouriteParams, SetConfigurationParams, SetDeviceParams,
    SetSpecializationParams, SpecializationList,
};
use crate::compiling::LookedAt;
use crate::configuring::SettingsEvent;
use crate::embedded::given::Given;
use crate::features::lens;
use crate::query::{Query, Reply};
use crate::roots::RootEvent;
use crate::run;
use crate::running::Link;
use crate::search::SearchEvent;
use crate::search::question::{Purpose, Question};
use crate::set_up::proposal::Proposal;
use crate::snapshot::TextSnapshot;
use crate::spirv::follow::FollowEvent;
use crate::spirv::listing::Listing;
use crate::units::RootChecked;
use crate::workspace::WorkspaceEvent;

pub type Events = mpsc::UnboundedSender<Event>;

pub enum Event {
    Initialize(Box<InitializeParams>, Reply<InitializeResult>),
    Initialized,
    Opened(TextDocumentItem),
    Changed(DidChangeTextDocumentParams),
    Saved,
    Closed(Uri),
    FilesChanged(Vec<FileEvent>),
    FoldersChanged(WorkspaceFoldersChangeEvent),
    Query(Box<dyn Query>),
    /// A question about the text alone.
    TextQuery(Box<dyn Query<TextSnapshot>>),
    /// A question about the text of a module.
    ListingQuery(Box<dyn Query<Arc<Listing>>>),
    /// A run has ended: what it has shown is in lenses.
    Ran,
    /// Runs a document of assembly text.
    RunModule(Box<run::Params>, Reply<Value>),
    /// The lenses of one.
    ModuleLenses(lens::OfModule, Reply<Vec<CodeLens>>),
    /// What the workspace declares under a name like this.
    Symbols(String, Reply<Option<WorkspaceSymbolResponse>>),
    /// A question about the whole workspace.
    Search(Box<Question>),
    /// Calls of or from an item of the call hierarchy.
    CallSearch(Box<CallHierarchyItem>, Purpose, Link),
    ResolveLink(Box<DocumentLink>, Reply<DocumentLink>),
    Diagnostic(DocumentDiagnosticParams, Reply<DocumentDiagnosticReportResult>),
    WorkspaceDiagnostic(WorkspaceDiagnosticParams, Reply<WorkspaceDiagnosticReportResult>),
    State(Uri, Reply<Option<DocumentState>>),
    /// `workspace/executeCommand`.
    Command(ExecuteCommandParams, Reply<Option<Value>>),
    Configurations(DocumentParams, Reply<ConfigurationList>),
    /// The configuration of a document's shader that has a name.
    ConfigurationNamed(Uri, String, Reply<Arc<Configuration>>),
    /// Nobody waits for the answer where the user was asked in a window.
    SetConfiguration(SetConfigurationParams, Option<Reply<ConfigurationList>>),
    Favourite(FavouriteParams, Reply<ConfigurationList>),
    Specializations(DocumentParams, Reply<SpecializationList>),
    SetSpecialization(SetSpecializationParams, Option<Reply<SpecializationList>>),
    Devices(Reply<DeviceList>),
    SetDevice(SetDeviceParams, Option<Reply<DeviceList>>),
    /// How the project of a document may be set up.
    ProposeSetUp(Option<Uri>, Reply<Proposal>),
    /// What is known of a shader in a string besides its text; nothing of one that is gone.
    Given(Arc<str>, Option<Arc<Given>>),
    /// A project has been set up, or has not.
    ProjectSetUp,

    Settings(SettingsEvent),
    /// A job has checked a root.
    Checked(RootChecked),
    Roots(RootEvent),
    Background(BackgroundEvent),
    LookedAt(LookedAt),
    Searches(SearchEvent),
    Workspace(WorkspaceEvent),
    Following(FollowEvent),
}

macro_rules! parts {
    ($($part:ident: $event:ty),+) => {
        $(impl From<$event> for Event {
            fn from(event: $event) -> Event {
                Event::$part(event)
            }
        })+
    };
}

parts!(
    Settings: SettingsEvent, Checked: RootChecked, Roots: RootEvent, Background: BackgroundEvent,
    Searches: SearchEvent, Workspace: WorkspaceEvent, Following: FollowEvent, LookedAt: LookedAt
);

/// `coopmat-analyzer/documentState`: what the server holds of a document.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentState {
    pub uri: Uri,
    pub version: i32,
    /// FNV-1a of the text, in hexadecimal.
    pub hash: String,
    pub length: usize,
    /// The file whose analysis answers for this document: itself, or one that includes it.
    pub root: Option<Uri>,
    pub configuration: String,
}
