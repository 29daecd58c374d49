//! What each line of the source did in a run: instructions and bytes, which every run counts, and passes of shared memory, which a profile has.

use std::collections::BTreeMap;

use coopmat_simulator::InstructionCounts;
use serde::Serialize;

use crate::profile::DispatchProfile;
use crate::run::PlaceOf;

/// A line of the source, and what it did in all dispatches together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct LineWork {
    /// As the host names the file.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// Instructions that subgroups executed, without those that end blocks.
    pub instructions: u64,
    /// Bytes that were read and written; what all invocations of a subgroup read alike counts once. None where machine code ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub bytes: Option<u64>,
    /// Passes of shared memory, of a run with a profile on a device whose banks are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub passes: Option<u64>,
    /// Those of them that conflicts cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub extra_passes: Option<u64>,
}

/// What instructions did: of the module of a dispatch, by its place in [`crate::Plan::dispatches`].
pub type Executed = Vec<(usize, Vec<InstructionCounts>)>;

/// What the lines did, in the order of files and lines. Instructions without a place are left out.
pub fn lines(executed: &[(usize, Vec<InstructionCounts>)], place: PlaceOf<'_>) -> Vec<LineWork> {
    let mut lines: BTreeMap<(String, u32), LineWork> = BTreeMap::new();
    for (dispatch, counts) in executed {
        for counts in counts {
            let Some(place) = place(*dispatch, counts.instruction) else { continue };
            let line = lines.entry((place.path, place.line)).or_insert_with_key(|(path, line)| LineWork {
                path: path.clone(),
                line: *line,
                bytes: Some(0),
                ..LineWork::default()
            });
            line.instructions += counts.times;
            line.bytes = line.bytes.zip(counts.bytes).map(|(sum, bytes)| sum + bytes);
        }
    }
    lines.into_values().collect()
}

/// Adds the passes of a profile of the same run.
pub fn add_passes(lines: &mut [LineWork], profile: &DispatchProfile) {
    for access in &profile.shared {
        let (Some(place), Some(passes)) = (&access.place, access.passes) else { continue };
        let mut same = lines.iter_mut().filter(|line| line.path == place.path && line.line == place.line);
        let Some(line) = same.next() else { continue };
        *line.passes.get_or_insert(0) += passes;
        *line.extra_passes.get_or_insert(0) += passes - access.least_passes.unwrap_or(passes).min(passes);
    }
}
