//! Catches panics, those also that the server catches itself, and says where they began.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// A run that broke what must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    /// File and line of the panic.
    pub place: String,
}

impl Failure {
    /// The message, as much of it as a person reads.
    pub fn words(&self) -> String {
        let mut words: String = self.message.chars().take(600).collect();
        if words.len() < self.message.len() {
            words.push('…');
        }
        words
    }

    /// Whether two failures are likely to have one cause: the place, and the words up to the first number or name in quotes.
    pub fn is_like(&self, other: &Failure) -> bool {
        let words = |message: &str| -> String {
            message.chars().take(60).take_while(|c| !c.is_ascii_digit() && !"`\"'(".contains(*c)).collect()
        };
        self.place == other.place && words(&self.message) == words(&other.message)
    }
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static FIRST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Runs something; the first panic on this thread is the failure, whoever caught it.
pub fn catch(run: impl FnOnce()) -> Result<(), Failure> {
    install();
    FIRST.set(None);
    CATCHING.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    CATCHING.set(false);
    match (FIRST.take(), outcome) {
        (Some(failure), _) => Err(failure),
        (None, Ok(())) => Ok(()),
        (None, Err(_)) => Err(Failure { message: "a panic without words".to_owned(), place: String::new() }),
    }
}

fn install() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !CATCHING.get() {
                return before(info);
            }
            let payload = info.payload();
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let message = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            let place =
                info.location().map_or(String::new(), |place| format!("{}:{}", place.file(), place.line()));
            FIRST.with_borrow_mut(|first| {
                first.get_or_insert(Failure { message, place });
            });
        }));
    });
}
