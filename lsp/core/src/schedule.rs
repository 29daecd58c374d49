//! Which work goes next, and how it is started.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::documents::text_hash;
use crate::engine::{self, Inputs};
use crate::events::{Event, Outcome};
use crate::host::{Host, LogLevel};
use crate::root;
use crate::server::Server;

impl Server {
    /// Starts as many jobs as the host runs at once: first what somebody waits for, then what was touched last, then
    /// searches, then the files that only the workspace report asks for; and when nothing of this is left, configurations that are
    /// not in view.
    pub(crate) fn schedule(&mut self) {
        if self.awaiting_settings {
            return;
        }
        while self.running < self.host.parallelism() {
            let ready = self.units.iter().filter(|(_, unit)| unit.stale && !unit.running);
            let next = ready
                .max_by_key(|(root, unit)| {
                    let wanted = unit.waiting.iter().any(|waiting| !waiting.waiter.cancelled());
                    (wanted, unit.touched, (*root).clone())
                })
                .map(|(root, _)| root.clone());
            match next {
                Some(root) => self.start(&root),
                None if self.start_search() => {}
                None if self.start_closed() => {}
                None => break,
            }
        }
        self.start_following();
        self.start_others();
    }

    fn start(&mut self, root: &Arc<str>) {
        let configuration = self.configuration(root);
        let inputs = Inputs {
            analyzer: self.analyzer.clone(),
            documents: self.documents.clone(),
            configuration: configuration.clone(),
            settings: self.settings.clone(),
            encoding: self.encoding,
        };
        let Some(unit) = self.units.get_mut(root) else { return };
        unit.stale = false;
        unit.running = true;
        // An analysis under another configuration is of no help.
        let same = unit.configuration.as_ref().is_some_and(|before| **before == *configuration);
        let previous = unit.checked.clone().filter(|_| same && !unit.failed);
        self.running += 1;
        let (host, events, root) = (self.host.clone(), self.events.clone(), root.clone());
        self.jobs.spawn(move || {
            let previous = previous.as_ref().map(|checked| &*checked.analysis);
            let outcome = check(&root::path_of(&root), &inputs, &*host, previous);
            drop(inputs);
            let _ = events.unbounded_send(Event::Checked { root, configuration, outcome });
        });
    }
}

fn check(root: &Arc<str>, inputs: &Inputs, host: &dyn Host, previous: Option<&engine::Analysis>) -> Outcome {
    let attempt = |previous| catch_unwind(AssertUnwindSafe(|| engine::check(root, inputs, host, previous)));
    let mut result = attempt(previous);
    if result.is_err() && previous.is_some() {
        // What was kept from before the edit may be to blame.
        result = attempt(None);
    }
    match result {
        Ok(Some(checked)) => Outcome::Done(Box::new(checked)),
        Ok(None) => Outcome::Missing,
        Err(_) => {
            let text = inputs.documents.get(root).map(|document| document.text.clone());
            let hash = text.or_else(|| host.read(root)).map_or(0, |text| text_hash(&text));
            host.log(LogLevel::Error, &format!("the analysis of {root} panicked (text {hash:016x})"));
            Outcome::Panicked
        }
    }
}
