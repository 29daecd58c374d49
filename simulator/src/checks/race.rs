//! Accesses that nothing orders, in words: who accesses which place, and the barrier that would do.

use super::access::Touch;
use super::order::{Distance, Gap, Semantics, Storage};
use super::shadow::{Stamp, Who};
use super::{Finding, FindingKind};
use crate::machine::{Context, Invocation};
use crate::memory::parts;

/// What lacks between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    Order(Distance, Gap),
    /// A barrier orders them, but memory is not coherent: for the earlier access, for the later one.
    Coherence(bool, bool),
    /// They are of two workgroups, which nothing in a shader orders.
    Workgroups,
}

impl Lack {
    /// For comparison: what is hardest to supply is greatest.
    pub fn rank(self) -> (u8, u8) {
        match self {
            Lack::Coherence(..) => (0, 0),
            Lack::Order(distance, gap) => (1 + distance as u8, gap.rank()),
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

/// What messages call a kind of memory, and what GLSL calls it in barriers.
fn names(storage: Storage) -> (&'static str, &'static str) {
    match storage {
        Storage::Shared => ("shared memory", "Shared"),
        Storage::Buffer => ("buffers", "Buffer"),
        Storage::Image => ("images", "Image"),
    }
}

/// The barrier that a shader without `GL_KHR_memory_scope_semantics` has no name for.
fn control_barrier(orders: impl Fn(Storage) -> bool) -> String {
    let ordered = [Storage::Buffer, Storage::Shared, Storage::Image].into_iter().filter(|one| orders(*one));
    let ordered: Vec<String> =
        ordered.map(|storage| format!("gl_StorageSemantics{}", names(storage).1)).collect();
    format!(
        "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, {}, gl_SemanticsAcquireRelease)",
        ordered.join(" | ")
    )
}

/// The barrier to add.
fn addition(storage: Storage, distance: Distance) -> String {
    match (storage, distance) {
        (Storage::Shared, Distance::Workgroup) => "add barrier()".to_owned(),
        (Storage::Shared, Distance::Subgroup) => "add subgroupBarrier() or barrier()".to_owned(),
        (Storage::Buffer | Storage::Image, Distance::Subgroup) => "add subgroupBarrier()".to_owned(),
        (Storage::Buffer | Storage::Image, Distance::Workgroup) => {
            let (barrier, name) = (control_barrier(|one| one == storage), names(storage).1);
            format!("add {barrier}, or memoryBarrier{name}() and barrier()")
        }
    }
}

/// What a barrier does not order, and which one does.
fn replacement(storage: Storage, distance: Distance, semantics: Semantics, wide: bool) -> String {
    let others: Vec<&str> = Storage::ALL
        .into_iter()
        .filter(|one| *one != storage && semantics.stores(*one))
        .map(|one| names(one).0)
        .collect();
    let orders = semantics.acquires() || semantics.releases();
    let stored = semantics.stores(storage);
    let (words, name) = names(storage);
    let lack = if !orders || !stored && others.is_empty() {
        "orders no accesses to memory".to_owned()
    } else if !stored {
        let alone = if storage == Storage::Shared { "" } else { " alone" };
        format!("orders accesses to {}{alone}, not to {words}", others.join(" and "))
    } else if !semantics.reaches(distance) {
        "orders accesses within one subgroup alone".to_owned()
    } else if !semantics.acquires() {
        "releases what comes before it, but does not acquire it for what follows".to_owned()
    } else {
        "acquires for what follows it, but does not release what comes before".to_owned()
    };
    let barrier = || control_barrier(|one| one == storage || semantics.stores(one));
    let use_ = match storage {
        _ if !wide => "use subgroupBarrier()".to_owned(),
        Storage::Shared if others.is_empty() => "use barrier()".to_owned(),
        Storage::Shared => format!("use {}", barrier()),
        Storage::Buffer | Storage::Image => {
            format!("use {}, or put memoryBarrier{name}() before barrier()", barrier())
        }
    };
    format!("the barrier between the two {lack}: {use_}")
}

fn advice(touch: &Touch, pair: &Pair) -> String {
    let (distance, gap) = match pair.lack {
        Lack::Order(distance, gap) => (distance, gap),
        Lack::Workgroups => {
            return "workgroups do not wait for each other: split the dispatch, or use atomics".to_owned();
        }
        Lack::Coherence(first, second) => {
            let which = match (first, second) {
                (true, true) => "neither access is coherent",
                (true, false) => "the earlier access is not coherent",
                _ => "this access is not coherent",
            };
            let what = if touch.storage == Storage::Image { "image" } else { "buffer" };
            return format!("a barrier orders the two, but {which}: declare the {what} `coherent`");
        }
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
        let kind = match pair.lack {
            Lack::Coherence(..) => FindingKind::NotCoherent,
            _ if here && reads => FindingKind::MissingBarrier,
            _ => FindingKind::DataRace,
        };
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
        let place = self.place_name(pair.address);
        let what = match pair.element {
            Some((row, column)) => format!("element ({row}, {column}) of a matrix at {place}"),
            None if Storage::of(parts(pair.address).0) == Storage::Image => place,
            None => format!("{size} bytes at {place}"),
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
            Lack::Order(..) | Lack::Coherence(..) => String::new(),
        };
        format!("{does} {what}, which {who}{of} {did}")
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
