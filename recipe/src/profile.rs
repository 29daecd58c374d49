//! What a run costs, line by line, as reports have it: passes of shared memory, sectors of buffers, instructions.
//!
//! The addresses are those of the run, and exact. What they cost is the model that `docs/performance.md` describes; nothing of it was measured on a
//! device. `strides` says what other strides in shared memory would do, `roofline` which limit of the device is met first, `loops` what loops
//! execute, `registers` how many subgroups can be resident; `trace` makes a file that shows as a flame graph.

mod loops;
mod registers;
mod roofline;
mod strides;
mod trace;

use std::collections::BTreeMap;

use coopmat_simulator::observer::{AccessKind, Region};
use coopmat_simulator::profile::{self as measured, Banks, Measured, Product, SECTOR, SharedArray};
use coopmat_spirv::dr::Module;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::report::{SourcePlace, Work};

pub use loops::LoopProfile;
use loops::loops;
pub use registers::{ComputeUnit, HeldMatrices, HeldRegisters, Registers, Residency};
pub use roofline::{Between, Limit, Products, Rate, Roofline};
use strides::Search;
pub use strides::{Stride, Strides};
pub use trace::{Traced, trace};

/// What a run costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Profile {
    /// The name of the device profile whose banks are assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub device: Option<String>,
    /// The banks of shared memory; without them passes are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub banks: Option<ReportedBanks>,
    /// Bytes of a sector.
    pub sector: u64,
    /// Who owns which element of a matrix.
    pub ownership: String,
    /// What is assumed or not known, in sentences without a full stop.
    pub notes: Vec<String>,
    /// In the order in which they ran.
    pub dispatches: Vec<DispatchProfile>,
}

/// The banks of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReportedBanks {
    /// How many there are.
    pub count: u32,
    /// Bytes of a word.
    pub width: u32,
}

/// What a dispatch costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct DispatchProfile {
    /// Its name, of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub dispatch: Option<String>,
    /// Instructions that subgroups executed.
    pub instructions: u64,
    /// Those of them that are on matrices.
    pub matrix_instructions: u64,
    /// Barriers of the workgroup that all its subgroups passed, in all workgroups.
    pub barriers: u64,
    /// Workgroups that ran.
    pub workgroups: u64,
    /// Two for each multiplication and addition inside of matrix multiplies.
    pub matrix_flops: u64,
    /// Of all buffers together.
    pub traffic: Traffic,
    /// `matrix-flops` for each byte that is read from or written to buffers, each time again; none without such bytes.
    #[serde(serialize_with = "optional_real")]
    pub intensity: Option<f64>,
    /// The same, with each byte counted once if it is read and once if it is written: what a cache that forgets nothing would leave.
    #[serde(serialize_with = "optional_real")]
    pub largest_intensity: Option<f64>,
    /// Loads and stores of shared memory, those with the most passes first.
    pub shared: Vec<AccessProfile>,
    /// Loads and stores of buffers, those with the most sectors first.
    pub global: Vec<AccessProfile>,
    /// What was read from and written to each buffer.
    pub buffers: Vec<BufferTraffic>,
    /// Which limit of the device is met first.
    pub roofline: Roofline,
    /// Loops, each without the loops inside, those with the most instructions first.
    pub loops: Vec<LoopProfile>,
    /// The registers that matrices take; none if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub registers: Option<Registers>,
    /// Lines, those with the most instructions first.
    pub lines: Vec<LineProfile>,
}

/// Bytes that were read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Traffic {
    /// In all, each time again.
    pub read: u64,
    /// In all, each time again.
    pub written: u64,
    /// Different bytes that were read.
    pub distinct_read: u64,
    /// Different bytes that were written.
    pub distinct_written: u64,
}

/// A buffer, and what was read and written there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct BufferTraffic {
    /// As the recipe calls it.
    pub buffer: String,
    /// What was read and written.
    #[serde(flatten)]
    pub traffic: Traffic,
}

/// A load or store, and what it costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct AccessProfile {
    /// The source of the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub place: Option<SourcePlace>,
    /// The text of the line, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub text: Option<String>,
    /// The instruction's index in the module; of several at one place the first.
    pub instruction: u32,
    /// `load`, `store` or `atomic`.
    pub operation: String,
    /// The variable of shared memory or the buffer.
    pub memory: String,
    /// The type of the matrix that is loaded or stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub matrix: Option<String>,
    /// How often subgroups did it.
    pub times: u64,
    /// Requests to memory, by the bytes of each lane in one.
    pub requests: BTreeMap<u32, u64>,
    /// Of all lanes, each time again.
    pub bytes: u64,
    /// Of shared memory: how often its banks are asked, in all. None where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub passes: Option<u64>,
    /// As many as it would take without conflicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub least_passes: Option<u64>,
    /// The most different words of one bank that lanes ask for at once: 4 is a 4-way conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub ways: Option<u32>,
    /// Of shared memory with conflicts: what other strides would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub strides: Option<Strides>,
    /// Of buffers: sectors that lanes touch, each counted once each time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub sectors: Option<u64>,
    /// Sectors that as many different bytes fit into.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub needed_sectors: Option<u64>,
    /// Of matrices in buffers: rows, or columns of a layout by columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub rows: Option<u64>,
    /// Those of them that do not begin at a sector.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub unaligned_rows: Option<u64>,
}

/// A line of the source, and what it costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct LineProfile {
    /// As the host names the file; none of instructions without a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub path: Option<String>,
    /// From 1; 0 of instructions without a place.
    pub line: u32,
    /// The text, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub text: Option<String>,
    /// Instructions that subgroups executed, without those that end blocks.
    pub instructions: u64,
    /// The same, times the invocations that were active.
    pub lane_instructions: u64,
    /// Operations in multiply-adds of cooperative matrices.
    pub matrix_flops: u64,
    /// Passes of shared memory, as far as they are known.
    pub passes: u64,
    /// Sectors of buffers.
    pub sectors: u64,
}

fn optional_real<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value.filter(|value| value.is_finite()) {
        Some(value) => serializer.serialize_some(&value),
        None => serializer.serialize_none(),
    }
}

/// What is known of a device.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The name of its profile; none if no device is chosen.
    pub device: Option<String>,
    /// The banks of shared memory.
    pub banks: Option<Banks>,
    /// The most shared memory of a workgroup, in bytes.
    pub shared_memory: Option<u64>,
    /// How fast it multiplies matrices.
    pub rates: Vec<Rate>,
    /// The bandwidth of its memory, in 10^9 bytes a second.
    pub bandwidth: Option<u64>,
    /// What workgroups that run at the same time share.
    pub compute_unit: Option<ComputeUnit>,
}

/// What a dispatch's profile is made of.
pub struct Gathered<'g> {
    /// What was seen of the run.
    pub measured: &'g Measured,
    /// What the run counted.
    pub work: &'g Work,
    /// What ran.
    pub module: &'g Module,
    /// Its multiply-adds.
    pub products: &'g [Product],
    /// The registers that its matrices take; none if that is not known.
    pub registers: Option<Registers>,
    /// The variables of shared memory.
    pub arrays: &'g [SharedArray],
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// The device, as far as it is known.
    pub facts: &'g Facts,
    /// The name of a buffer, by its number.
    pub buffer: &'g dyn Fn(usize) -> String,
    /// The source of an instruction.
    pub place: &'g dyn Fn(u32) -> Option<SourcePlace>,
    /// The text of a place's line.
    pub text: &'g dyn Fn(&SourcePlace) -> Option<String>,
}

impl Profile {
    /// A profile without dispatches, of a device and an ownership.
    pub fn new(facts: &Facts, ownership: &str) -> Profile {
        let mut notes = vec![
            "a model of what addresses cost, held against an H100 alone (docs/performance.md)".to_owned(),
        ];
        match (&facts.device, facts.banks) {
            (_, Some(_)) => {}
            (Some(device), None) => notes.push(format!(
                "passes of shared memory are not known: the profile of {device} does not say how its banks are"
            )),
            (None, None) => notes.push(
                "passes of shared memory are not known: no device is set, use --device NAME".to_owned(),
            ),
        }
        Profile {
            device: facts.device.clone(),
            banks: facts.banks.map(|Banks { count, width, .. }| ReportedBanks { count, width }),
            sector: SECTOR,
            ownership: ownership.to_owned(),
            notes,
            dispatches: Vec::new(),
        }
    }

    /// Adds a note, once.
    pub fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
    }
}

impl DispatchProfile {
    /// The profile of a dispatch.
    pub fn new(dispatch: Option<String>, gathered: &Gathered<'_>) -> DispatchProfile {
        let Gathered { measured, work, buffer, .. } = gathered;
        let (mut shared, mut global) = (Vec::new(), Vec::new());
        for access in &measured.accesses {
            let list = if access.memory == Region::Shared { &mut shared } else { &mut global };
            add(list, reported(access, gathered), access);
        }
        if let Some(banks) = gathered.facts.banks {
            let search = Search {
                measured,
                arrays: gathered.arrays,
                subgroup_size: gathered.subgroup_size,
                banks,
                limit: gathered.facts.shared_memory,
            };
            for (access, of) in &mut shared {
                let has_conflicts = access.passes > access.least_passes;
                access.strides = has_conflicts.then(|| search.strides(of));
            }
        }
        let alone = |list: Vec<Of<'_>>| list.into_iter().map(|(access, _)| access).collect();
        let (mut shared, mut global): (Vec<AccessProfile>, Vec<AccessProfile>) =
            (alone(shared), alone(global));
        shared.sort_by_key(|access: &AccessProfile| {
            let passes = access.passes.unwrap_or(0);
            std::cmp::Reverse((passes - access.least_passes.unwrap_or(0).min(passes), passes, access.bytes))
        });
        global.sort_by_key(|access: &AccessProfile| std::cmp::Reverse((access.sectors, access.bytes)));
        let buffers = measured.buffers.iter().map(|(number, traffic)| BufferTraffic {
            buffer: buffer(*number),
            traffic: Traffic {
                read: traffic.read,
                written: traffic.written,
                distinct_read: traffic.distinct_read,
                distinct_written: traffic.distinct_written,
            },
        });
        let buffers: Vec<BufferTraffic> = buffers.collect();
        let mut traffic = Traffic::default();
        for buffer in &buffers {
            traffic.read += buffer.traffic.read;
            traffic.written += buffer.traffic.written;
            traffic.distinct_read += buffer.traffic.distinct_read;
            traffic.distinct_written += buffer.traffic.distinct_written;
        }
        let per = |bytes: u64| (bytes > 0).then(|| work.matrix_flops as f64 / bytes as f64);
        let of_matrices = work.by_family.iter().find(|(family, _)| family == "matrix");
        DispatchProfile {
            dispatch,
            instructions: work.instructions,
            matrix_instructions: of_matrices.map_or(0, |(_, count)| *count),
            barriers: measured.barriers,
            workgroups: work.workgroups,
            matrix_flops: work.matrix_flops,
            intensity: per(traffic.read + traffic.written),
            largest_intensity: per(traffic.distinct_read + traffic.distinct_written),
            roofline: Roofline::new(
                measured,
                gathered.products,
                work,
                traffic,
                (&gathered.facts.rates, gathered.facts.bandwidth),
            ),
            loops: loops(gathered.module, measured, gathered.place),
            registers: gathered.registers.clone(),
            traffic,
            lines: lines(gathered, shared.iter().chain(&global)),
            shared,
            global,
            buffers,
        }
    }
}

fn reported(access: &measured::Access, gathered: &Gathered<'_>) -> AccessProfile {
    let place = (gathered.place)(access.instruction);
    let memory = match (access.memory, access.array.and_then(|index| gathered.arrays.get(index))) {
        (Region::Buffer(number), _) => (gathered.buffer)(number),
        (_, Some(array)) if !array.name.is_empty() => array.name.clone(),
        _ => "shared memory".to_owned(),
    };
    let is_buffer = matches!(access.memory, Region::Buffer(_));
    AccessProfile {
        text: place.as_ref().and_then(|place| (gathered.text)(place)),
        place,
        instruction: access.instruction,
        operation: match access.kind {
            AccessKind::Read => "load",
            AccessKind::Write => "store",
            AccessKind::Atomic => "atomic",
        }
        .to_owned(),
        memory,
        matrix: access.matrix.map(|type_| type_.to_string()),
        times: access.times,
        requests: access.requests.clone(),
        bytes: access.bytes,
        passes: access.passes.map(|passes| passes.passes),
        least_passes: access.passes.map(|passes| passes.least),
        ways: access.passes.map(|passes| passes.worst),
        strides: None,
        sectors: is_buffer.then_some(access.sectors),
        needed_sectors: is_buffer.then_some(access.needed_sectors),
        rows: (is_buffer && access.rows > 0).then_some(access.rows),
        unaligned_rows: (is_buffer && access.rows > 0).then_some(access.unaligned_rows),
    }
}

/// What is reported of a place, and what was seen there.
type Of<'m> = (AccessProfile, Vec<&'m measured::Access>);

/// Adds an access: a compiler may have made several instructions of one place.
fn add<'m>(list: &mut Vec<Of<'m>>, access: AccessProfile, of: &'m measured::Access) {
    let same = |(known, _): &&mut Of<'m>| {
        known.place.is_some()
            && (&known.place, &known.operation, &known.memory, &known.matrix)
                == (&access.place, &access.operation, &access.memory, &access.matrix)
    };
    let Some((known, seen)) = list.iter_mut().find(same) else { return list.push((access, vec![of])) };
    seen.push(of);
    known.times += access.times;
    known.bytes += access.bytes;
    for (width, count) in access.requests {
        *known.requests.entry(width).or_default() += count;
    }
    let sum = |known: &mut Option<u64>, other: Option<u64>| {
        *known = known.zip(other).map(|(a, b)| a + b).or(*known).or(other);
    };
    sum(&mut known.passes, access.passes);
    sum(&mut known.least_passes, access.least_passes);
    sum(&mut known.sectors, access.sectors);
    sum(&mut known.needed_sectors, access.needed_sectors);
    sum(&mut known.rows, access.rows);
    sum(&mut known.unaligned_rows, access.unaligned_rows);
    known.ways = known.ways.max(access.ways);
}

fn lines<'a>(gathered: &Gathered<'_>, accesses: impl Iterator<Item = &'a AccessProfile>) -> Vec<LineProfile> {
    let mut lines: BTreeMap<Option<(String, u32)>, LineProfile> = BTreeMap::new();
    let mut line = |place: Option<SourcePlace>, change: &mut dyn FnMut(&mut LineProfile)| {
        let key = place.as_ref().map(|place| (place.path.clone(), place.line));
        let line = lines.entry(key).or_insert_with(|| LineProfile {
            text: place.as_ref().and_then(|place| (gathered.text)(place)),
            line: place.as_ref().map_or(0, |place| place.line),
            path: place.map(|place| place.path),
            ..LineProfile::default()
        });
        change(line);
    };
    for executed in &gathered.measured.executed {
        line((gathered.place)(executed.instruction), &mut |line| {
            line.instructions += executed.times;
            line.lane_instructions += executed.lanes;
        });
    }
    for (instruction, operations) in &gathered.measured.operations {
        line((gathered.place)(*instruction), &mut |line| line.matrix_flops += operations);
    }
    for access in accesses {
        line(access.place.clone(), &mut |line| {
            line.passes += access.passes.unwrap_or(0);
            line.sectors += access.sectors.unwrap_or(0);
        });
    }
    let mut lines: Vec<LineProfile> = lines.into_values().collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.instructions));
    lines
}
