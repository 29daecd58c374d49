//! Why a value differs between invocations: chains from a use back to the built-in variable or function that it starts with.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::text::TextRange;

/// A link of a chain; `NONE` is its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct CauseId(u32);

impl CauseId {
    pub const NONE: CauseId = CauseId(0);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// A built-in variable or function whose value differs: where chains start.
    Source,
    /// A variable that is given a value.
    Assigned,
    /// An argument that becomes a parameter.
    Passed,
    /// What a function returns.
    Returned,
    /// A condition that decides which value a variable has.
    Condition,
    /// A loop that does not end in the same round for all.
    Loop,
    /// A place in memory that differs.
    Loaded,
}

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub step: Step,
    /// The variable, parameter or function; empty for conditions and loops.
    pub name: SmolStr,
    /// In the expanded text.
    pub range: TextRange,
    pub from: CauseId,
}

#[derive(Default)]
pub(super) struct Causes {
    links: Vec<Link>,
    known: FxHashMap<(Step, TextRange, CauseId), CauseId>,
}

/// How far a chain is followed.
const MAX_LINKS: usize = 12;

impl Causes {
    pub fn add(&mut self, step: Step, name: &str, range: TextRange, from: CauseId) -> CauseId {
        // A variable that depends on itself through a loop has one link, not one for each round.
        if let Some(id) = self.ancestor(step, range, from) {
            return id;
        }
        if let Some(&id) = self.known.get(&(step, range, from)) {
            return id;
        }
        self.links.push(Link { step, name: name.into(), range, from });
        let id = CauseId(self.links.len() as u32);
        self.known.insert((step, range, from), id);
        id
    }

    /// The same for a chain that may not be there.
    pub fn follow(&mut self, step: Step, name: &str, range: TextRange, from: CauseId) -> CauseId {
        if from == CauseId::NONE { from } else { self.add(step, name, range, from) }
    }

    fn ancestor(&self, step: Step, range: TextRange, from: CauseId) -> Option<CauseId> {
        let mut id = from;
        for _ in 0..MAX_LINKS {
            let link = self.link(id)?;
            if link.step == step && link.range == range {
                return Some(id);
            }
            id = link.from;
        }
        None
    }

    fn link(&self, id: CauseId) -> Option<&Link> {
        self.links.get((id.0 as usize).checked_sub(1)?)
    }

    /// From the use back to the source.
    pub fn chain(&self, id: CauseId) -> Vec<&Link> {
        let mut chain = Vec::new();
        let mut id = id;
        while let Some(link) = self.link(id) {
            if chain.len() == MAX_LINKS && link.from != CauseId::NONE {
                // The source says most: it is kept, what lies between is not.
                chain.pop();
            }
            chain.push(link);
            id = link.from;
        }
        chain
    }
}
