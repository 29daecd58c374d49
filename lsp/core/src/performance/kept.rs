//! What is known of the speed of one analysis, kept with it: found when it is first asked for, and what the last run of the same text has shown.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use coopmat_analysis::Analysis;

use super::Found;
use super::shown::Shown;
use crate::settings::Settings;

/// A new text has a new analysis, and nothing of this.
#[derive(Default)]
pub struct Kept {
    found: OnceLock<Arc<Found>>,
    shown: Mutex<Option<Arc<Shown>>>,
}

impl Kept {
    /// What is known before a run, if the setting asks for it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn found(&self, analysis: &Analysis, settings: &Settings) -> Option<Arc<Found>> {
        let wanted = settings.performance;
        wanted.then(|| self.found.get_or_init(|| Arc::new(super::performance(analysis))).clone())
    }

    /// Not in browsers, which would have to download it.
    #[cfg(target_arch = "wasm32")]
    pub fn found(&self, _: &Analysis, _: &Settings) -> Option<Arc<Found>> {
        self.found.get().cloned()
    }

    /// Keeps what a run has shown, in the place of what the one before has.
    pub fn show(&self, shown: Shown) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(shown));
    }

    /// What the last run of this text has shown, if it was one with a profile.
    pub fn shown(&self) -> Option<Arc<Shown>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
