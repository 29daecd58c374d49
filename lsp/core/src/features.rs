//! Answers to requests about a document, one file each: from a snapshot and the request's parameters to the protocol's answer.

pub mod folding;
pub mod hover;
pub mod selection;
pub mod tokens;
