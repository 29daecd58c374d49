//! SPIR-V beside the source: requests, virtual documents that follow edits, what hovers and code lenses say.
//!
//! | module | does |
//! |---|---|
//! | `module` | compiled modules, kept beside their analysis |
//! | `view` | what is shown of a module, and its URI |
//! | `source` | where instructions come from, in the texts of the client |
//! | `listing` | a module's text, and what stands where |
//! | `document` | answers in that text |
//! | `request` | requests about the source |
//! | `shown` | the module of the text, or of an older one |
//! | `summaries` | what functions have become, for code lenses |
//! | `follow` | what the background does |

pub mod document;
pub mod follow;
pub mod listing;
pub mod module;
pub mod request;
pub mod shown;
pub mod source;
pub mod summaries;
pub mod view;
