//! The calls that stand-ins note: one file, a line of JSON for each call.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::disk;

/// A call of a compiler.
#[derive(Debug, Serialize, Deserialize)]
pub struct Call {
    /// The name that it was called by.
    pub compiler: String,
    /// The folder that it was called in.
    pub directory: String,
    /// With the words of response files in their place.
    pub arguments: Vec<String>,
    /// The compiler that answered; none: the stand-in did.
    pub answered_by: Option<String>,
}

const NAME: &str = "calls";

/// Notes a call in the folder of a capture. Builds call several compilers at once: one write in append mode keeps their lines whole.
pub fn note(folder: &Path, call: &Call) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(call)?;
    line.push(b'\n');
    OpenOptions::new().create(true).append(true).open(folder.join(NAME))?.write_all(&line)
}

/// The calls that were noted, in their order.
pub fn read(folder: &Path) -> Result<Vec<Call>, String> {
    let path = folder.join(NAME);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = disk::log(&path).map_err(|error| format!("cannot read the recorded calls: {error}"))?;
    let read = |line: &str| {
        serde_json::from_str(line).map_err(|error| format!("cannot read a recorded call: {error}: {line}"))
    };
    text.lines().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_come_at_once_stay_whole() {
        let folder = tempfile::tempdir().unwrap();
        let long = "-DX=".to_owned() + &"é \"\n".repeat(5000);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (folder, long) = (folder.path(), &long);
                scope.spawn(move || {
                    for number in 0..50 {
                        let arguments = vec![long.clone(), format!("{thread}/{number}.comp")];
                        let directory = "/a b".to_owned();
                        let call =
                            Call { compiler: "glslc".to_owned(), directory, arguments, answered_by: None };
                        note(folder, &call).unwrap();
                    }
                });
            }
        });
        let calls = read(folder.path()).unwrap();
        assert_eq!(calls.len(), 400);
        assert!(calls.iter().all(|call| call.arguments[0] == long));
        let mut names: Vec<_> = calls.iter().map(|call| &call.arguments[1]).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 400);
    }
}
