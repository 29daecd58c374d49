//! How roots are named: by the path of a file, and where a configuration is not the one in view by both.

use std::sync::Arc;

/// A root under one of its configurations, whichever is in view: its path, a NUL and the name of the configuration.
pub fn pinned(root: &str, name: &str) -> Arc<str> {
    format!("{root}\0{name}").into()
}

/// The path of a root, and the configuration that it is pinned to.
pub fn split(root: &str) -> (&str, Option<&str>) {
    match root.split_once('\0') {
        Some((path, name)) => (path, Some(name)),
        None => (root, None),
    }
}

pub fn path_of(root: &Arc<str>) -> Arc<str> {
    match split(root) {
        (path, Some(_)) => path.into(),
        (_, None) => root.clone(),
    }
}
