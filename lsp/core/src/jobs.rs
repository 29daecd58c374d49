//! Jobs of the server, and whether any is under way: what a job holds on to is not free before it ends.

use std::cell::Cell;
use std::sync::Arc;

use crate::host::Host;

pub struct Jobs {
    host: Arc<dyn Host>,
    /// Each job has a copy until it has ended, in whatever way.
    under_way: Arc<()>,
    started: Cell<u64>,
}

impl Jobs {
    pub fn new(host: Arc<dyn Host>) -> Jobs {
        Jobs { host, under_way: Arc::default(), started: Cell::new(0) }
    }

    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        self.started.set(self.started.get() + 1);
        let counted = self.under_way.clone();
        self.host.spawn(Box::new(move || {
            job();
            drop(counted);
        }));
    }

    /// How many were started, if all of them have ended.
    pub fn all_ended(&self) -> Option<u64> {
        (Arc::strong_count(&self.under_way) == 1).then(|| self.started.get())
    }
}
