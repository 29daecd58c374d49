//! What the parts of the server want done. A part owns its state, takes an event and answers with effects; `server` carries them out.

use std::time::Duration;

use crate::host::Host;
use crate::outgoing::Outgoing;

/// What a job of the host does. What it finds comes back to the part as an event; where it answers a request, nothing comes back.
pub type Work<E> = Box<dyn FnOnce(&dyn Host) -> Option<E> + Send>;

pub enum Effect<E> {
    Work(Work<E>),
    /// The event comes after a while.
    Later(Duration, E),
    Tell(Outgoing),
    /// Reports have become others: the client is told.
    Publish,
}

impl<E> Effect<E> {
    pub fn work(work: impl FnOnce(&dyn Host) -> Option<E> + Send + 'static) -> Effect<E> {
        Effect::Work(Box::new(work))
    }
}
