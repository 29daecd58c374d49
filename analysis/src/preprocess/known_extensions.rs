//! Which extensions exist, and which macros that defines (GLSL 4.60, section 3.3): asked of the tables in `crate::extensions`.

use crate::extensions::{all_extensions, extension, extension_macros};

/// In the tables the core language stands among the extensions.
const CORE: &str = "GLSL";

pub fn is_known(name: &str) -> bool {
    name != CORE && extension(name).is_some()
}

pub fn known() -> impl Iterator<Item = &'static str> {
    all_extensions().map(|(_, extension)| extension.name).filter(|&name| name != CORE)
}

/// The macros of extensions under a profile, with their values.
pub fn macros(es: bool) -> impl Iterator<Item = (&'static str, i32)> {
    extension_macros(es).filter(|&(name, _)| name != CORE)
}
