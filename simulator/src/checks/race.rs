//! Accesses that nothing orders, in words: who accesses which place, and the barrier that would do.

use super::access::Touch;
use super::order::{Distance, Gap, Semantics, Storage};
use super::shadow::{Stamp, Who};
use super::{Finding, FindingKind};
use crate::machine::{Context, Invocation};

/// What lacks between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    Order(Distance, Gap),
    /// They are of two workgroups, which nothing in a shader orders.
    Workgroups,
}

impl Lack {
    /// For comparison: what is hardest to supply is greatest.
    pub fn rank(self) -> (u8, u8) {
        match self {
            Lack::Order(distance, gap) => (distance as u8, gap.rank()),
            Lack::Workgroups => (u8::MAX, 0),
        }
    }
}

/// Two accesses to one place: the later one and what is known of the earlier one.
pub(super) struct Pair {
    pub address: u64,
    pub size: u32,
    /// The element of a matrix that is accessed.
    pub element: Option<(u32, u32)>,
    pub does: &'static str,
    pub did: &'static str,
    pub other: Stamp,
    pub lack: Lack,
}

/// What findings of one kind about one instruction advise: what the worst pair needs.
#[derive(Clone, Debug)]
pub(crate) struct Advice {
    rank: (u8, u8),
    text: String,
}

/// The barrier that a shader without `GL_KHR_memory_scope_semantics` has no name for.
fn control_barrier(shared_too: bool) -> String {
    let shared = if shared_too { " | gl_StorageSemanticsShared" } else { "" };
    format!(
        "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer{shared}, gl_SemanticsAcquireRelease)"
    )
}

/// The barrier to add.
fn addition(storage: Storage, distance: Distance) -> String {
    match (storage, distance) {
        (Storage::Shared, Distance::Workgroup) => "add barrier()".to_owned(),
        (Storage::Shared, Distance::Subgroup) => "add subgroupBarrier() or barrier()".to_owned(),
        (Storage::Buffer, Distance::Subgroup) => "add subgroupBarrier()".to_owned(),
        (Storage::Buffer, Distance::Workgroup) => {
            format!("add {}, or memoryBarrierBuffer() and barrier()", control_barrier(false))
        }
    }
}

/// What a barrier does not order, and which one does.
fn replacement(storage: Storage, distance: Distance, semantics: Semantics, wide: bool) -> String {
    let (shared, buffers) = (semantics.stores(Storage::Shared), semantics.stores(Storage::Buffer));
    let orders = semantics.acquires() || semantics.releases();
    let lack = match storage {
        _ if !orders || !shared && !buffers => "orders no accesses to memory",
        Storage::Shared if !shared => "orders accesses to buffers, not to shared memory",
        Storage::Buffer if !buffers => "orders accesses to shared memory alone, not to buffers",
        _ if !semantics.reaches(distance) => "orders accesses within one subgroup alone",
        _ if !semantics.acquires() => {
            "releases what comes before it, but does not acquire it for what follows"
        }
        _ => "acquires for what follows it, but does not release what comes before",
    };
    let use_ = match storage {
        _ if !wide => "use subgroupBarrier()".to_owned(),
        Storage::Shared if !buffers => "use barrier()".to_owned(),
        Storage::Shared => {
            format!("use {}", control_barrier(true))
        }
        Storage::Buffer => {
            format!("use {}, or put memoryBarrierBuffer() before barrier()", control_barrier(shared))
        }
    };
    format!("the barrier between the two {lack}: {use_}")
}

fn advice(touch: &Touch, pair: &Pair) -> String {
    let Lack::Order(distance, gap) = pair.lack else {
        return "workgroups do not wait for each other: split the dispatch, or use atomics".to_owned();
    };
    let add = match gap {
        Gap::Memory(semantics, wide) => return replacement(touch.storage, distance, semantics, wide),
        Gap::Narrow | Gap::Barrier => addition(touch.storage, distance),
    };
    if pair.does == "writes" && pair.did == "wrote" {
        // A matrix is stored again by the same instruction in another round of a loop.
        let at_once = pair.other.instruction() == touch.own.instruction()
            && matches!(touch.own.who(), Who::Invocation(_) | Who::Element(_));
        let or = match at_once {
            true => "use an atomic operation".to_owned(),
            false => format!("{add} between the two"),
        };
        return format!("it is undefined which value remains: let only one of them write, or {or}");
    }
    if gap == Gap::Narrow {
        return format!("at the barrier between the two only one subgroup waits: {add}");
    }
    let is_matrix = |stamp: Stamp| matches!(stamp.who(), Who::Subgroup(_) | Who::Element(_));
    let although = match distance {
        Distance::Workgroup => "",
        _ if is_matrix(touch.own) || is_matrix(pair.other) => {
            ": any invocation of the subgroup may access any element of a matrix"
        }
        _ => ", even though they are in one subgroup",
    };
    format!("there is no barrier between the two: {add}{although}")
}

impl Context<'_, '_> {
    /// Two accesses that nothing orders.
    #[cold]
    pub(super) fn race(&mut self, lane: usize, touch: &Touch, pair: &Pair) {
        let workgroup = self.env.report.checks.shadow.workgroup_of(pair.other.epoch());
        let party = Invocation { workgroup, index: pair.other.invocation() };
        let reads = pair.does == "reads" || pair.did == "read";
        let here = pair.lack != Lack::Workgroups;
        let kind = if here && reads { FindingKind::MissingBarrier } else { FindingKind::DataRace };
        let key = (kind, self.origin);
        let (rank, known) = (pair.lack.rank(), self.env.report.checks.advice.get(&key).cloned());
        let worse = known.as_ref().is_some_and(|known| known.rank < rank);
        let advice = match known {
            Some(ref known) if !worse => known.clone(),
            _ => Advice { rank, text: advice(touch, pair) },
        };
        if let Some(known) = known.filter(|_| worse) {
            self.advise(key, &known.text, &advice.text);
        }
        self.env.report.checks.advice.insert(key, advice.clone());
        let before = self.env.report.findings.len();
        let other = Some((pair.other.instruction(), party));
        self.find_with(kind, lane, other, |cx| format!("{}; {}", cx.words_of(pair, workgroup), advice.text));
        if worse {
            self.tell_first(key, lane, pair, before, &advice.text);
        }
    }

    fn words_of(&self, pair: &Pair, workgroup: [u32; 3]) -> String {
        let Pair { does, did, size, .. } = pair;
        let what = match pair.element {
            Some((row, column)) => format!("element ({row}, {column}) of a matrix"),
            None => format!("{size} bytes"),
        };
        let lanes = self.env.settings.subgroup_size.max(1);
        let who = match pair.other.who() {
            Who::Invocation(index) => format!("invocation {index}"),
            Who::Element(index) => format!("a function over elements in subgroup {}", index / lanes),
            Who::Subgroup(index) => format!("a matrix operation of subgroup {}", index / lanes),
            Who::Workgroup => "a matrix operation of the workgroup".to_owned(),
        };
        let of = match pair.lack {
            Lack::Workgroups => {
                let [x, y, z] = workgroup;
                format!(" of workgroup ({x}, {y}, {z})")
            }
            Lack::Order(..) => String::new(),
        };
        format!("{does} {what} at {}, which {who}{of} {did}", self.place_name(pair.address))
    }

    /// Findings that are there advise something else.
    fn advise(&mut self, (kind, instruction): (FindingKind, u32), was: &str, is: &str) {
        for finding in &mut self.env.report.findings {
            if (finding.kind, finding.instruction) == (kind, instruction)
                && let Some(words) = finding.message.strip_suffix(was)
            {
                finding.message = format!("{words}{is}");
            }
        }
    }

    /// The worst pair is the one that is told first.
    fn tell_first(
        &mut self,
        (kind, instruction): (FindingKind, u32),
        lane: usize,
        pair: &Pair,
        last: usize,
        advice: &str,
    ) {
        let is_of = |finding: &Finding| (finding.kind, finding.instruction) == (kind, instruction);
        let Some(first) = self.env.report.findings.iter().position(is_of) else { return };
        if last < self.env.report.findings.len() {
            // The count of those that are not kept is with the first.
            let findings = &mut self.env.report.findings;
            let more = std::mem::take(&mut findings[first].more);
            findings.swap(first, last);
            findings[first].more = more;
            return;
        }
        let workgroup = self.env.report.checks.shadow.workgroup_of(pair.other.epoch());
        let party = Invocation { workgroup, index: pair.other.invocation() };
        let message = format!("{}; {advice}", self.words_of(pair, workgroup));
        let invocation = self.checked_invocation(lane);
        let finding = &mut self.env.report.findings[first];
        (finding.message, finding.invocation) = (message, invocation);
        finding.other = Some((pair.other.instruction(), party));
    }
}
