//! What one change mends is told once: at its first place, with how many others there are.

use rustc_hash::FxHashMap;

use crate::diagnostics::{Code, Diagnostic, codes};
use crate::text::FileId;

/// What is said of the device wherever a type or an operation is used.
const OF_USES: [&Code; 4] = [
    &codes::DEVICE_MATRIX_TYPE,
    &codes::DEVICE_MATRIX_MULADD,
    &codes::DEVICE_COOPVEC,
    &codes::DEVICE_FEATURE,
];

/// What diagnostics have in common that one change mends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Cause {
    file: FileId,
    id: &'static str,
    /// The extension that is to be enabled, or what is said of the device.
    what: String,
}

fn cause(diagnostic: &Diagnostic) -> Option<Cause> {
    let what = if diagnostic.code == &codes::MISSING_EXTENSION {
        let (_, rest) = diagnostic.message.split_once("add `#extension ")?;
        rest.split([' ', '`']).next()?.to_owned()
    } else if OF_USES.contains(&diagnostic.code) {
        diagnostic.message.clone()
    } else {
        return None;
    };
    Some(Cause { file: diagnostic.location.file, id: diagnostic.code.id, what })
}

/// Leaves the first of those that have a cause in common; the diagnostics are in the order of their places.
pub fn once(diagnostics: &mut Vec<Diagnostic>) {
    let mut counts: FxHashMap<Cause, usize> = FxHashMap::default();
    for cause in diagnostics.iter().filter_map(cause) {
        *counts.entry(cause).or_default() += 1;
    }
    diagnostics.retain_mut(|diagnostic| {
        let Some(cause) = cause(diagnostic) else { return true };
        // Taken by the first.
        let Some(count) = counts.remove(&cause) else { return false };
        match (count - 1, cause.id == codes::MISSING_EXTENSION.id) {
            (0, _) => {}
            (1, true) => diagnostic.message.push_str("; one more name below needs it"),
            (others, true) => diagnostic.message.push_str(&format!("; {others} more names below need it")),
            (1, false) => diagnostic.message.push_str("; the same holds for one other place below"),
            (others, false) => {
                diagnostic.message.push_str(&format!("; the same holds for {others} other places below"));
            }
        }
        true
    });
}
