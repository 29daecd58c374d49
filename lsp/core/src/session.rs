//! What every part of the server reads: the client with its documents, settings and folders, and the host. `server` alone changes it.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use tower_lsp::ls_types::MessageType;

use crate::client::ClientFeatures;
use crate::documents::Documents;
use crate::embedded::given::AllGiven;
use crate::engine::{Analyzer, Inputs};
use crate::host::{Host, LogLevel};
use crate::outgoing::Outgoing;
use crate::paths;
use crate::positions::Encoding;
use crate::settings::Settings;

pub struct Session {
    pub host: Arc<dyn Host>,
    pub analyzer: Arc<Analyzer>,
    pub client: ClientFeatures,
    pub encoding: Encoding,
    pub settings: Arc<Settings>,
    /// Of the workspace.
    pub folders: Vec<String>,
    pub documents: Documents,
    /// Of shaders in strings.
    pub given: AllGiven,
}

impl Session {
    pub fn new(host: Arc<dyn Host>) -> Session {
        Session {
            host,
            analyzer: Arc::default(),
            client: ClientFeatures::default(),
            encoding: Encoding::default(),
            settings: Arc::default(),
            folders: Vec::new(),
            documents: Documents::default(),
            given: AllGiven::default(),
        }
    }

    /// What a check reads that starts now.
    pub fn inputs(&self, configuration: Arc<Configuration>) -> Inputs {
        Inputs {
            analyzer: self.analyzer.clone(),
            documents: self.documents.clone(),
            given: self.given.clone(),
            configuration,
            settings: self.settings.clone(),
            encoding: self.encoding,
            dims_by_hints: self.client.dims_by_hints,
        }
    }

    /// The workspace folder that holds a file.
    pub fn folder_of(&self, path: &str) -> Option<&str> {
        let holding = self.folders.iter().filter(|folder| paths::is_inside(path, folder));
        holding.max_by_key(|folder| folder.len()).map(String::as_str)
    }

    /// Logs what the user is to be told.
    pub fn complaint(&self, message: String) -> Outgoing {
        self.host.log(LogLevel::Error, &message);
        Outgoing::ShowMessage(MessageType::ERROR, message)
    }
}
