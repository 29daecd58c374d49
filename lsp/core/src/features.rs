//! Answers to requests about a document, one file each: from a snapshot and the request's parameters to the protocol's answer.

pub mod calls;
pub mod code_action;
pub mod compare;
pub mod compare_modules;
pub mod completion;
pub mod create_recipe;
pub mod definition;
pub mod edits;
pub mod folding;
pub mod format;
pub mod highlight;
pub mod hover;
pub mod inlay;
pub mod inline_values;
pub mod lens;
pub mod links;
pub mod outline;
pub mod portability;
pub mod references;
pub mod renaming;
pub mod selection;
pub mod set_up;
pub mod show_configuration;
pub mod signature_help;
pub mod tokens;
pub mod workspace_symbols;
