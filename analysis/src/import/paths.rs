//! Paths as command lines write them.

use crate::preprocess::join_path;

/// What stands behind the last slash.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path of a command line: with `/`, absolute where the folder is.
pub fn path_in(folder: &str, path: &str) -> String {
    join_path(folder, &path.replace('\\', "/"))
}
