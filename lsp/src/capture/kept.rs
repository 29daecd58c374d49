//! What stand-ins write by themselves outside of the capture's folder, and how it is as before when the build step has ended: files that were there are kept
//! aside before they are written, and put back; others are removed. Later steps of the build read what was written until then.
//!
//! Several stand-ins write at once: each holds a lock while it does. One that is left running when the build has ended writes nothing any more.

use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// In the capture's folder.
const FOLDER: &str = "kept";
const LOCK: &str = "lock";
/// Says that what was written is put back by now.
const CLOSED: &str = "closed";
/// How many bytes are kept, as a text.
const BYTES: &str = "bytes";
/// Bytes of all files that are kept aside. Modules of a build have some MiB.
const MOST_BYTES: u64 = 1 << 30;

/// A file that a stand-in has written.
#[derive(Serialize, Deserialize)]
struct Written {
    path: PathBuf,
    /// When the file that is kept aside was changed; none: there was no file.
    before: Option<SystemTime>,
}

/// What became of the files that stand-ins have written.
#[derive(Default)]
pub struct Outcome {
    /// Files that were not there before.
    pub removed: usize,
    /// Files that are as they were.
    pub put_back: usize,
    /// Files that the build has moved or removed itself: what it made of them is not known.
    pub gone: usize,
    /// What cannot be put back, with the reason.
    pub failed: Vec<String>,
}

/// Makes the place where files are kept.
pub fn prepare(capture: &Path) -> io::Result<()> {
    let folder = capture.join(FOLDER);
    std::fs::create_dir(&folder)?;
    File::create(folder.join(LOCK)).map(drop)
}

/// Writes a file for the build, after what was there is kept. Devices and pipes are written to, and files in the capture's folder, which go with it.
pub fn write(capture: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let real = real_path(path)?;
    let other = std::fs::metadata(&real).is_ok_and(|file| !file.is_file());
    if other || real.starts_with(capture) {
        return std::fs::write(&real, bytes);
    }
    let folder = capture.join(FOLDER);
    let lock = File::open(folder.join(LOCK))?;
    lock.lock()?;
    if folder.join(CLOSED).exists() {
        return Err(io::Error::other("the captured build step has already ended"));
    }
    let name = record_of(&folder, &real)?;
    if !folder.join(&name).exists() {
        let before = keep(&folder, &real, &name).map_err(|error| {
            io::Error::other(format!("cannot back up the existing file, so it is left as it is: {error}"))
        })?;
        let written = Written { path: real.clone(), before };
        // Whole or not there: the folder may be full.
        let made = folder.join("new");
        std::fs::write(&made, serde_json::to_vec(&written)?)?;
        std::fs::rename(&made, folder.join(&name))?;
    }
    // The lock is held until the file is whole.
    std::fs::write(&real, bytes)
}

/// A path that is the same for each name of a file, also of one that is not there yet.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    if let Ok(real) = std::fs::canonicalize(path) {
        return Ok(real);
    }
    let no_name = || io::Error::from(io::ErrorKind::InvalidFilename);
    let folder = path.parent().ok_or_else(no_name)?;
    Ok(std::fs::canonicalize(folder)?.join(path.file_name().ok_or_else(no_name)?))
}

/// The name of the file that says of a path what was there.
fn record_of(folder: &Path, path: &Path) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    let hash = hasher.finish();
    for number in 0_u32.. {
        let name = format!("{hash:016x}-{number}.json");
        match std::fs::read(folder.join(&name)) {
            Ok(bytes) if serde_json::from_slice::<Written>(&bytes)?.path == path => return Ok(name),
            Ok(_) => {}
            Err(_) => return Ok(name),
        }
    }
    Err(io::Error::other("too many files"))
}

fn kept_as(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).with_extension("kept")
}

/// Keeps a file aside where there is one; answers when it was changed.
fn keep(folder: &Path, path: &Path, name: &str) -> io::Result<Option<SystemTime>> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // One that cannot be written is not to be copied.
    OpenOptions::new().append(true).open(path)?;
    let count = folder.join(BYTES);
    let before = std::fs::read_to_string(&count).ok().and_then(|text| text.parse().ok()).unwrap_or(0_u64);
    let bytes = before.saturating_add(metadata.len());
    if bytes > MOST_BYTES {
        return Err(io::Error::other(format!("the backups would take more than {} MiB", MOST_BYTES >> 20)));
    }
    std::fs::write(count, bytes.to_string())?;
    std::fs::copy(path, kept_as(folder, name))?;
    metadata.modified().map(Some)
}

/// Makes files be as they were before stand-ins wrote them.
pub fn put_back(capture: &Path) -> Outcome {
    let mut outcome = Outcome::default();
    let folder = capture.join(FOLDER);
    let all = || -> io::Result<Vec<PathBuf>> {
        let lock = File::open(folder.join(LOCK))?;
        lock.lock()?;
        File::create(folder.join(CLOSED))?;
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let records = match all() {
        Ok(records) => records,
        Err(error) => {
            outcome.failed.push(format!("cannot restore the files that were overwritten: {error}"));
            return outcome;
        }
    };
    for record in records.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "json")) {
        let read = std::fs::read(&record);
        let written: Written = match read.and_then(|bytes| Ok(serde_json::from_slice(&bytes)?)) {
            Ok(written) => written,
            Err(error) => {
                outcome.failed.push(format!("cannot restore the files that were overwritten: {error}"));
                continue;
            }
        };
        let there = std::fs::symlink_metadata(&written.path).is_ok();
        outcome.gone += usize::from(!there);
        let (result, count) = match written.before {
            Some(modified) => {
                (restore(&record.with_extension("kept"), &written.path, modified), &mut outcome.put_back)
            }
            None if there => (std::fs::remove_file(&written.path), &mut outcome.removed),
            None => continue,
        };
        match result {
            Ok(()) => *count += 1,
            Err(error) => {
                let path = crate::paths::slashes(&written.path.to_string_lossy());
                outcome.failed.push(format!("cannot restore {path}: {error}"));
            }
        }
    }
    outcome.failed.sort();
    outcome
}

/// With its time, by which builds know what is up to date.
fn restore(kept: &Path, path: &Path, modified: SystemTime) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::copy(kept, path)?;
    OpenOptions::new().append(true).open(path)?.set_modified(modified)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn files_are_as_they_were() {
        let project = tempfile::tempdir().unwrap();
        let capture = tempfile::tempdir().unwrap();
        let (capture, project) =
            (capture.path().canonicalize().unwrap(), project.path().canonicalize().unwrap());
        prepare(&capture).unwrap();
        let old = project.join("old.spv");
        std::fs::write(&old, "real").unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
        OpenOptions::new().append(true).open(&old).unwrap().set_modified(long_ago).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (capture, project, old) = (&capture, &project, &old);
                scope.spawn(move || {
                    for number in 0..20 {
                        write(capture, old, format!("{thread} {number}").as_bytes()).unwrap();
                        write(capture, &project.join(format!("new{number}.spv")), b"module").unwrap();
                    }
                });
            }
        });
        assert_ne!(std::fs::read(&old).unwrap(), b"real");
        std::fs::rename(project.join("new7.spv"), project.join("moved.spv")).unwrap();
        let Outcome { removed, put_back: back, gone, failed } = put_back(&capture);
        assert_eq!((removed, back, gone, failed.len()), (19, 1, 1, 0));
        assert_eq!(std::fs::read(&old).unwrap(), b"real");
        assert_eq!(std::fs::metadata(&old).unwrap().modified().unwrap(), long_ago);
        let left = std::fs::read_dir(&project).unwrap().map(|file| file.unwrap().file_name());
        let mut left: Vec<_> = left.collect();
        left.sort();
        assert_eq!(left, ["moved.spv", "old.spv"]);
        // Whoever is late writes nothing.
        assert!(write(&capture, &old, b"late").is_err());
        assert_eq!(std::fs::read(&old).unwrap(), b"real");
    }
}
