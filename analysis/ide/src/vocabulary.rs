//! What the words of the language mean that are no names, for completion and hovers.

pub mod attributes;
pub mod directives;
pub mod keywords;
pub mod layouts;
