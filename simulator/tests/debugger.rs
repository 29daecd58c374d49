//! The debugger: where it stops, forwards and backwards, and what it shows there.

mod support;

#[path = "debugger/backwards.rs"]
mod backwards;
#[path = "debugger/session.rs"]
mod session;
#[path = "debugger/stepping.rs"]
mod stepping;
#[path = "debugger/values.rs"]
mod values;
