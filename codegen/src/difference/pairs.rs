//! Which ids of two modules stand for the same: types, constants and variables by what they are, functions by their names and callers, and what functions compute by
//! the order of equal instructions.

use std::collections::{BTreeSet, VecDeque};

use coopmat_spirv::dr::Operand;
use coopmat_spirv::opcode;
use coopmat_spirv::spirv::Op;
use coopmat_spirv::text::Names;
use rustc_hash::{FxHashMap, FxHashSet};
use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};

use super::side::{Side, hash, ids_of, operand_hash};

/// How far an instruction is told apart by what its operands are computed from.
const DEPTH: u32 = 4;

/// Instructions beside each other, by their places in both modules.
pub type Aligned = Vec<(Option<usize>, Option<usize>)>;

pub struct Pairs<'m> {
    old: &'m Side,
    new: &'m Side,
    to_new: FxHashMap<u32, u32>,
    to_old: FxHashMap<u32, u32>,
    /// Functions by their numbers in both modules, in the order of the first one, with their instructions.
    pub functions: Vec<(Option<usize>, Option<usize>, Aligned)>,
}

impl<'m> Pairs<'m> {
    pub fn of(old: &'m Side, new: &'m Side) -> Pairs<'m> {
        let mut pairs = Pairs {
            old,
            new,
            to_new: FxHashMap::default(),
            to_old: FxHashMap::default(),
            functions: Vec::new(),
        };
        pairs.globals();
        pairs.all_functions();
        pairs
    }

    fn pair(&mut self, old: u32, new: u32) -> bool {
        if self.to_new.contains_key(&old) || self.to_old.contains_key(&new) {
            return false;
        }
        self.to_new.insert(old, new);
        self.to_old.insert(new, old);
        true
    }

    /// Pairs ids of equal keys: first those that are called the same, then in their order.
    fn by_key(&mut self, key: &dyn Fn(&Side, u32) -> Option<u64>) {
        let ids = |side: &Side| -> Vec<(u64, u32)> {
            let globals = side.all.iter().take(side.globals).enumerate();
            let defined = globals.filter(|(at, _)| side.counts(*at)).filter_map(|(_, one)| one.result_id);
            defined.filter_map(|id| Some((key(side, id)?, id))).collect()
        };
        let mut by_key: FxHashMap<u64, VecDeque<u32>> = FxHashMap::default();
        for (key, id) in ids(self.new).into_iter().filter(|(_, id)| !self.to_old.contains_key(id)) {
            by_key.entry(key).or_default().push_back(id);
        }
        let mut rest = Vec::new();
        for (key, id) in ids(self.old) {
            if self.to_new.contains_key(&id) {
                continue;
            }
            let found = by_key.get_mut(&key);
            let name = self.old.names.get(&id);
            let same = found.and_then(|found| {
                let at = found.iter().position(|other| self.new.names.get(other) == name)?;
                found.remove(at)
            });
            match same {
                Some(other) => drop(self.pair(id, other)),
                None => rest.push((key, id)),
            }
        }
        for (key, id) in rest {
            if let Some(other) = by_key.get_mut(&key).and_then(VecDeque::pop_front) {
                self.pair(id, other);
            }
        }
    }

    fn globals(&mut self) {
        let meanings = [self.old, self.new].map(|side| {
            let mut known = FxHashMap::default();
            for id in side.all.iter().take(side.globals).filter_map(|one| one.result_id) {
                side.meaning(id, &mut known);
            }
            known
        });
        let new: *const Side = self.new;
        self.by_key(&|side, id| meanings[usize::from(std::ptr::eq(side, new))].get(&id).copied());
        // What has changed: by what it is called outside of the module, else inside.
        self.by_key(&|side, id| side.place(id));
        self.by_key(&|side, id| Some(hash((side.op(id)?.number(), side.names.get(&id)?))));
        // And what that is made of: the pointer to a structure that has changed, its array.
        let mut waiting: Vec<(u32, u32)> = self.to_new.iter().map(|(old, new)| (*old, *new)).collect();
        waiting.sort_unstable();
        while let Some((old_id, new_id)) = waiting.pop() {
            let parts = |side: &Side, id: u32| -> Vec<u32> {
                side.definition(id).map(|one| ids_of(one).collect()).unwrap_or_default()
            };
            for (old_part, new_part) in parts(self.old, old_id).into_iter().zip(parts(self.new, new_id)) {
                let alike = self.old.op(old_part) == self.new.op(new_part);
                let global = self.old.is_global(old_part) && self.new.is_global(new_part);
                if alike && global && self.pair(old_part, new_part) {
                    waiting.push((old_part, new_part));
                }
            }
        }
    }

    fn all_functions(&mut self) {
        let (old, new) = (self.old, self.new);
        let mut left: BTreeSet<usize> = (0..new.functions.len()).collect();
        let mut bodies: Vec<Option<(usize, Aligned)>> = vec![None; old.functions.len()];
        let mut found: FxHashSet<usize> = FxHashSet::default();
        let mut waiting = VecDeque::new();
        for (at, function) in old.functions.iter().enumerate() {
            let same = |other: &&usize| {
                let other = new.functions.get(**other);
                function.name.is_some()
                    && other.is_some_and(|other| {
                        other.name == function.name && other.is_entry == function.is_entry
                    })
            };
            if let Some(other) = left.iter().find(same).copied() {
                waiting.push_back((at, other));
                left.remove(&other);
                found.insert(at);
            }
        }
        // Their names say that they belong together before what they do is compared.
        let ids = |at: usize, other: usize| Some((old.functions.get(at)?.id, new.functions.get(other)?.id));
        for (old, new) in waiting.iter().filter_map(|(at, other)| ids(*at, *other)).collect::<Vec<_>>() {
            self.pair(old, new);
        }
        loop {
            while let Some((at, other)) = waiting.pop_front() {
                let body = self.align(at, other);
                let calls = body.iter().filter_map(|(at, other)| self.called((*at)?, (*other)?));
                for (called, callee) in calls.collect::<Vec<_>>() {
                    if !found.contains(&called) && left.remove(&callee) {
                        found.insert(called);
                        waiting.push_back((called, callee));
                        if let Some((old, new)) = ids(called, callee) {
                            self.pair(old, new);
                        }
                    }
                }
                if let Some(slot) = bodies.get_mut(at) {
                    *slot = Some((other, body));
                }
            }
            // The rest by their types, in their order, unless both have names.
            let rest = (0..old.functions.len()).filter(|at| !found.contains(at));
            let next = rest.into_iter().find_map(|at| {
                let fits = |other: &&usize| {
                    let named = old.functions[at].name.is_some() && new.functions[**other].name.is_some();
                    let wanted = type_of(old, at).and_then(|id| self.to_new.get(&id).copied());
                    !named && wanted.is_some() && type_of(new, **other) == wanted
                };
                Some((at, *left.iter().find(fits)?))
            });
            let Some((at, other)) = next else { break };
            left.remove(&other);
            found.insert(at);
            waiting.push_back((at, other));
            if let Some((old, new)) = ids(at, other) {
                self.pair(old, new);
            }
        }
        for (at, body) in bodies.into_iter().enumerate() {
            self.functions.push(match body {
                Some((other, body)) => (Some(at), Some(other), body),
                None => {
                    (Some(at), None, instructions(old, at).into_iter().map(|at| (Some(at), None)).collect())
                }
            });
        }
        for other in left {
            let body = instructions(new, other).into_iter().map(|at| (None, Some(at))).collect();
            self.functions.push((None, Some(other), body));
        }
    }

    /// The functions that two instructions call.
    fn called(&self, at: usize, other: usize) -> Option<(usize, usize)> {
        let callee = |side: &Side, at: usize| {
            let one = side.all.get(at).filter(|one| one.class.opcode == Op::FunctionCall)?;
            let id = one.operands.first()?.id_ref_any()?;
            side.functions.iter().position(|function| function.id == id)
        };
        Some((callee(self.old, at)?, callee(self.new, other)?))
    }

    /// Finds the instructions of two functions that belong together, and pairs their results.
    fn align(&mut self, at: usize, other: usize) -> Aligned {
        let (olds, news) = (instructions(self.old, at), instructions(self.new, other));
        let hashes = |side: &Side, all: &[usize], depth: u32| -> Vec<u64> {
            all.iter().map(|at| self.instruction(side, *at, depth)).collect()
        };
        let strong = (hashes(self.old, &olds, DEPTH), hashes(self.new, &news, DEPTH));
        let weak = (hashes(self.old, &olds, 0), hashes(self.new, &news, 0));
        let mut body = Vec::new();
        let mut put = |part: &DiffOp, (from, to): (usize, usize)| {
            let olds = olds.get(from..).unwrap_or_default().iter().take(part.old_range().len());
            let news = news.get(to..).unwrap_or_default().iter().take(part.new_range().len());
            if let DiffOp::Equal { .. } = part {
                body.extend(olds.zip(news).map(|(old, new)| (Some(*old), Some(*new))));
            } else {
                body.extend(olds.map(|old| (Some(*old), None)));
                body.extend(news.map(|new| (None, Some(*new))));
            }
        };
        for part in aligned(&strong.0, &strong.1) {
            let (from, to) = (part.old_range(), part.new_range());
            if let DiffOp::Equal { .. } = part {
                put(&part, (from.start, to.start));
                continue;
            }
            // What does the same with other values.
            let (old, new) = (weak.0.get(from.clone()), weak.1.get(to.clone()));
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            for part in aligned(old, new) {
                put(&part, (from.start + part.old_range().start, to.start + part.new_range().start));
            }
        }
        for (old, new) in &body {
            let result = |side: &Side, at: &Option<usize>| side.all.get((*at)?)?.result_id;
            if let (Some(old), Some(new)) = (result(self.old, old), result(self.new, new)) {
                self.pair(old, new);
            }
        }
        body
    }

    /// An instruction with what its operands are, up to a depth.
    fn instruction(&self, side: &Side, at: usize, depth: u32) -> u64 {
        let Some(one) = side.all.get(at) else { return 0 };
        let kind = (opcode(one).number(), one.result_type.map(|id| self.global(side, id)));
        let Some(depth) = depth.checked_sub(1) else { return hash(kind) };
        // A block is told by what it begins with.
        if one.class.opcode == Op::Label {
            let next = (at + 1..side.all.len()).filter(|at| side.counts(*at)).take(2);
            return hash((kind, next.map(|at| self.instruction(side, at, depth)).collect::<Vec<_>>()));
        }
        let local = one.result_id.filter(|_| one.class.opcode == Op::Variable).map(|id| side.names.get(&id));
        let id = &mut |id| self.id(side, id, depth);
        let operands: Vec<u64> = one.operands.iter().map(|operand| operand_hash(operand, id)).collect();
        hash((kind, local, operands))
    }

    fn id(&self, side: &Side, id: u32, depth: u32) -> u64 {
        let local = side.definitions.get(&id).filter(|at| **at >= side.globals);
        match local.and_then(|at| Some((*at, side.all.get(*at)?.class.opcode))) {
            // These may lead in circles.
            Some((_, Op::Label | Op::Phi)) => 1,
            Some((at, op)) if op != Op::Function => self.instruction(side, at, depth),
            _ => self.global(side, id),
        }
    }

    /// An id outside of functions; one without a pair is like no other one.
    fn global(&self, side: &Side, id: u32) -> u64 {
        let is_new = std::ptr::eq(side, self.new);
        let old = if is_new { self.to_old.get(&id).copied() } else { Some(id) };
        match old.filter(|old| self.to_new.contains_key(old)) {
            Some(old) => hash((0, old)),
            // It may be paired for being called here.
            None if side.op(id).is_some_and(|op| op == Op::Function) => 2,
            None => hash((1, is_new, id)),
        }
    }

    /// What ids are called in both modules: the same where they are paired.
    pub fn names(&self) -> [Names; 2] {
        let friendly = [self.old, self.new].map(Side::friendly);
        let results = |side: &'m Side| side.all.iter().filter_map(|one| one.result_id);
        let olds: FxHashMap<u32, String> = results(self.old).map(|id| (id, friendly[0].of(id))).collect();
        let mut taken: FxHashSet<String> = olds.values().cloned().collect();
        let mut news = FxHashMap::default();
        for id in results(self.new) {
            let name = match self.to_old.get(&id) {
                Some(old) => friendly[0].of(*old),
                None => {
                    let mut name = friendly[1].of(id);
                    while !taken.insert(name.clone()) {
                        name.push_str("_new");
                    }
                    name
                }
            };
            news.insert(id, name);
        }
        [Names::given(olds), Names::given(news)]
    }
}

/// What two lists have in common, in their order. Myers' algorithm alone: choosing one at run time would bring all of them into the page's module.
fn aligned(old: &[u64], new: &[u64]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    // What collects cannot fail.
    let Ok(()) = myers::diff(&mut found, old, 0..old.len(), new, 0..new.len());
    found.into_inner().into_inner().into_ops()
}

/// The type of a function.
fn type_of(side: &Side, at: usize) -> Option<u32> {
    match side.all.get(side.functions.get(at)?.range.start)?.operands.as_slice() {
        [_, Operand::IdRef(id)] => Some(*id),
        _ => None,
    }
}

/// The instructions of a function that are compared.
fn instructions(side: &Side, function: usize) -> Vec<usize> {
    let range = side.functions.get(function).map(|function| function.range.clone());
    range.into_iter().flatten().filter(|at| side.counts(*at)).collect()
}
