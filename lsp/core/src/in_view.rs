//! What is in view of the open documents - configuration, device, specialization -, told to clients that show it; and what was chosen, which they keep for the
//! next session.

use serde::Serialize;
use serde_json::{Value, json};
use tower_lsp::ls_types::Uri;

use crate::outgoing::Outgoing;
use crate::projects::Projects;
use crate::root;
use crate::roots::Roots;
use crate::session::Session;
use crate::specialization;

/// Where `initializationOptions` have what the client was told to keep.
pub const KEPT: &str = "choices";

/// `coopmat-analyzer/inView`.
pub enum Told {}

impl tower_lsp::ls_types::notification::Notification for Told {
    type Params = Value;
    const METHOD: &'static str = "coopmat-analyzer/inView";
}

/// What the client was told last.
#[derive(Default)]
pub struct InView {
    told: Option<Value>,
}

/// What is in view of a document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OfDocument {
    uri: Uri,
    /// The shader that it is shown as part of.
    root: Option<Uri>,
    configuration: String,
    /// How many there are.
    configurations: usize,
    device: Option<String>,
    /// As it was chosen: the name of a set, `recipe`, values; null where the configuration's own holds.
    specialization: Option<String>,
    /// The values that constants have: `TM=64, TN=32`.
    values: String,
}

impl InView {
    /// What to tell, where it is not what was told before.
    pub fn look(&mut self, projects: &mut Projects, roots: &Roots, session: &Session) -> Option<Outgoing> {
        let mut documents: Vec<OfDocument> = Vec::new();
        for document in session.documents.iter() {
            let Some(root) = roots.of(&document.path) else { continue };
            let variants = projects.variants(root, session);
            let configuration = variants.configuration();
            documents.push(OfDocument {
                uri: document.uri.clone(),
                root: session.documents.uri(&root::path_of(root)),
                configuration: configuration.name.clone(),
                configurations: projects.variants(&root::path_of(root), session).list.len(),
                device: configuration.device.clone(),
                specialization: variants.specialization.as_ref().map(|(chosen, _)| chosen.to_string()),
                values: specialization::in_words(&configuration.specialization),
            });
        }
        documents.sort_by(|one, other| one.uri.as_str().cmp(other.uri.as_str()));
        let now = json!({"documents": documents, KEPT: projects.chosen()});
        if self.told.as_ref() == Some(&now) {
            return None;
        }
        self.told = Some(now.clone());
        Some(Outgoing::InView(now))
    }
}
