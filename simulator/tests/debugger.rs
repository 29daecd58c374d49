//! The debugger: where it stops, forwards and backwards, and what it shows there.

mod backwards;
mod change;
mod data;
mod foreign;
mod session;
mod stepping;
mod values;
