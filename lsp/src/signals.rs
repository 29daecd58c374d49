//! Signals that ask the program to end.

use futures::future;
#[cfg(unix)]
use futures::future::{Either, FutureExt as _};

/// Waits for SIGINT or SIGTERM; gives its number.
#[cfg(unix)]
pub async fn asked_to_end() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    async fn of(kind: SignalKind) {
        match signal(kind) {
            Ok(mut signals) => drop(signals.recv().await),
            // Then the system does what it does by itself.
            Err(_) => future::pending().await,
        }
    }
    let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
    let kind = match future::select(of(interrupt).boxed(), of(terminate).boxed()).await {
        Either::Left(_) => interrupt,
        Either::Right(_) => terminate,
    };
    u8::try_from(kind.as_raw_value()).unwrap_or_default()
}

/// Waits for Ctrl+C: SIGINT's number, which is the same everywhere.
#[cfg(not(unix))]
pub async fn asked_to_end() -> u8 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => 2,
        Err(_) => future::pending().await,
    }
}
