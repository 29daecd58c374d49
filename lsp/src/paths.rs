//! Paths of the command line as the analysis has them: absolute, with `/`, without `.` and `..`.

use std::path::Path;

/// Paths have `/` inside, whatever the system writes.
pub fn slashes(path: &str) -> String {
    if std::path::MAIN_SEPARATOR == '\\' { path.replace('\\', "/") } else { path.to_owned() }
}

pub fn absolute(path: &str) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| Path::new(path).to_owned());
    coopmat_server::normalize_path(slashes(&absolute.to_string_lossy()).trim_end_matches("/."))
}
