//! Addresses of buffers in what a dispatch is given: in push constants, in bound buffers, and in the buffers that these addresses lead to. A recipe names
//! the buffer of each, since another executor has other addresses.
//!
//! Which bytes are addresses, types say where they can: where a shader loads pointers. A module that makes pointers of numbers may do so with each
//! number of 64 bits, and what is behind a pointer may be any part of a buffer: there, what is inside of a buffer with an address is taken for one.

use std::collections::BTreeMap;
use std::sync::Arc;

use coopmat_simulator::program::types::{Type, TypeId, Types};
use coopmat_spirv::dr::{Module, Operand};
use coopmat_spirv::spirv::{Op, StorageClass};

use crate::block::Block;
use crate::capture::Part;
use crate::pipelines::Pipeline;

/// The most addresses of a recipe.
const MOST: usize = 1 << 16;
/// Deeper types are not looked into.
const DEEPEST: usize = 16;

/// A buffer that has an address.
pub struct Live {
    /// As shaders see it.
    pub address: u64,
    pub memory: u64,
    pub block: Arc<Block>,
    pub start: u64,
    pub end: u64,
}

/// Whose address it is: the buffer by its place among those that are live, and bytes from its start.
pub type Target = (usize, u64);

/// How it is known that a word is an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// The shader has a pointer there.
    Pointer,
    /// The shader has a number there, and makes pointers of numbers.
    Number,
    /// It is behind an address, where its type is not known.
    Behind,
}

/// A buffer that addresses lead to, and what it held before.
pub struct Reached {
    /// Its place among those that are live.
    pub live: usize,
    pub memory: u64,
    pub block: Arc<Block>,
    pub start: u64,
    pub end: u64,
    pub before: Vec<u8>,
}

/// Everything that addresses lead to.
#[derive(Default)]
pub struct Addresses {
    pub reached: Vec<Reached>,
    /// By their offset.
    pub in_push_constants: BTreeMap<usize, Target>,
    /// Of each part of memory that is bound.
    pub in_parts: Vec<BTreeMap<usize, Target>>,
    /// Of each buffer that is reached.
    pub in_reached: Vec<BTreeMap<usize, Target>>,
    /// For the reader of a recipe.
    pub comments: Vec<String>,
}

impl Addresses {
    /// # Errors
    /// That they are too many.
    pub fn new(
        pipeline: &Pipeline,
        live: &[Live],
        push_constants: &[u8],
        parts: &[(Part, Vec<u8>)],
    ) -> Result<Addresses, String> {
        let mut all = Addresses { in_parts: vec![BTreeMap::new(); parts.len()], ..Addresses::default() };
        if !pipeline.has_addresses {
            return Ok(all);
        }
        let program = &pipeline.program;
        let types = program.types();
        let module = &pipeline.module.module;
        let by_address = live.iter().enumerate().map(|(place, one)| (one.address, place)).collect();
        let converts = converts(module);
        let mut search = Search { types, live, by_address, converts, counts: BTreeMap::new() };
        let interface = program.interface();
        if let Some((_, type_)) = interface.push_constants {
            search.typed(type_, push_constants, &mut all.in_push_constants)?;
        }
        for ((part, bytes), found) in parts.iter().zip(&mut all.in_parts) {
            let (set, number, _) = part.descriptor;
            let there = interface.bindings.iter().filter(|it| (it.set, it.binding) == (set, number));
            for binding in there {
                search.typed(binding.type_, bytes, found)?;
            }
        }
        let lead_on = pointees(module)
            .filter_map(|pointee| types.by_id(pointee).ok())
            .any(|pointee| search.may_have(pointee, 0));
        let mut wanted: Vec<usize> = Vec::new();
        let targets = all.in_parts.iter().chain([&all.in_push_constants]).flat_map(BTreeMap::values);
        wanted.extend(targets.map(|(live, _)| *live));
        while let Some(number) = wanted.pop() {
            let Some(one) = live.get(number).filter(|_| all.reached.iter().all(|it| it.live != number))
            else {
                continue;
            };
            let before = one.block.bytes(one.start, one.end - one.start);
            let mut found = BTreeMap::new();
            if lead_on {
                search.anywhere(&before, &mut found)?;
            }
            wanted.extend(found.values().map(|(live, _)| *live));
            let Live { memory, start, end, .. } = *one;
            let block = one.block.clone();
            all.reached.push(Reached { live: number, memory, block, start, end, before });
            all.in_reached.push(found);
        }
        all.comments = search.comments();
        Ok(all)
    }
}

struct Search<'a> {
    types: &'a Types,
    live: &'a [Live],
    /// Their places by their addresses.
    by_address: BTreeMap<u64, usize>,
    /// Whether the module makes pointers of numbers.
    converts: bool,
    counts: BTreeMap<Known, usize>,
}

impl Search<'_> {
    /// Whether a value of a type may have an address in it.
    fn may_have(&self, type_: TypeId, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        match self.types.get(type_) {
            Type::Pointer { storage, .. } => *storage == StorageClass::PhysicalStorageBuffer,
            Type::Integer { width: 64, .. } => self.converts,
            Type::Vector { component, count } => match self.types.get(*component) {
                Type::Integer { width: 64, .. } => self.converts,
                Type::Integer { width: 32, .. } => self.converts && *count >= 2,
                _ => false,
            },
            Type::Array { element, .. } | Type::RuntimeArray { element, .. } => {
                self.may_have(*element, depth + 1)
            }
            Type::Structure { members, .. } => {
                members.iter().any(|member| self.may_have(member.type_, depth + 1))
            }
            _ => false,
        }
    }

    fn typed(
        &mut self,
        type_: TypeId,
        bytes: &[u8],
        found: &mut BTreeMap<usize, Target>,
    ) -> Result<(), String> {
        self.at(type_, 0, bytes, found, 0)
    }

    fn at(
        &mut self,
        type_: TypeId,
        offset: usize,
        bytes: &[u8],
        found: &mut BTreeMap<usize, Target>,
        depth: usize,
    ) -> Result<(), String> {
        if offset >= bytes.len() || !self.may_have(type_, depth) {
            return Ok(());
        }
        let types = self.types;
        match types.get(type_) {
            Type::Pointer { .. } => self.word(offset, bytes, Known::Pointer, found),
            Type::Integer { .. } => self.word(offset, bytes, Known::Number, found),
            Type::Vector { component, count } => {
                let wide = matches!(types.get(*component), Type::Integer { width: 64, .. });
                let words = if wide { *count } else { count / 2 };
                (0..words as usize)
                    .try_for_each(|word| self.word(offset + word * 8, bytes, Known::Number, found))
            }
            Type::Array { element, length, stride } => {
                let Some(stride) = *stride else { return Ok(()) };
                (0..*length as usize)
                    .map(|index| offset.saturating_add(index.saturating_mul(stride as usize)))
                    .take_while(|at| *at < bytes.len())
                    .try_for_each(|at| self.at(*element, at, bytes, found, depth + 1))
            }
            Type::RuntimeArray { element, stride } => {
                let Some(stride) = stride.filter(|stride| *stride > 0) else { return Ok(()) };
                (offset..bytes.len())
                    .step_by(stride as usize)
                    .try_for_each(|at| self.at(*element, at, bytes, found, depth + 1))
            }
            Type::Structure { members, .. } => members.iter().try_for_each(|member| {
                let at = offset.saturating_add(member.offset as usize);
                self.at(member.type_, at, bytes, found, depth + 1)
            }),
            _ => Ok(()),
        }
    }

    /// Looks at all aligned words.
    fn anywhere(&mut self, bytes: &[u8], found: &mut BTreeMap<usize, Target>) -> Result<(), String> {
        (0..bytes.len()).step_by(8).try_for_each(|at| self.word(at, bytes, Known::Behind, found))
    }

    /// Looks at a word: null, and what leads nowhere, stays a number.
    fn word(
        &mut self,
        offset: usize,
        bytes: &[u8],
        known: Known,
        found: &mut BTreeMap<usize, Target>,
    ) -> Result<(), String> {
        let Some(word) = bytes.get(offset..).and_then(|rest| rest.first_chunk::<8>()) else { return Ok(()) };
        let address = u64::from_le_bytes(*word);
        let before = self.by_address.range(..=address).next_back();
        let of = before.and_then(|(start, of)| Some((*of, address - start, self.live.get(*of)?)));
        let Some((of, plus, _)) = of.filter(|(_, plus, one)| *plus < one.end - one.start) else {
            return Ok(());
        };
        if found.insert(offset, (of, plus)).is_none() {
            *self.counts.entry(known).or_default() += 1;
            if self.counts.values().sum::<usize>() > MOST {
                return Err(format!("what the shader is given has more than {MOST} addresses of buffers"));
            }
        }
        Ok(())
    }

    fn comments(&self) -> Vec<String> {
        let told = self.counts.iter().map(|(known, count)| match known {
            Known::Pointer => {
                format!("Addresses where the shader has pointers: {count}. Each is that of a buffer of the program.")
            }
            Known::Number => format!(
                "Numbers of 64 bits that are taken for addresses: {count}. The shader makes pointers of numbers, and these are inside of a buffer of the program."
            ),
            Known::Behind => format!(
                "Words behind addresses that are taken for addresses: {count}. The shader has addresses there, but where is not known; these are inside of a buffer of the program."
            ),
        });
        told.collect()
    }
}

/// The types that addresses of a module lead to.
fn pointees(module: &Module) -> impl Iterator<Item = u32> {
    module.types_global_values.iter().filter_map(|one| match (one.class.opcode, one.operands.as_slice()) {
        (
            Op::TypePointer,
            [Operand::StorageClass(StorageClass::PhysicalStorageBuffer), Operand::IdRef(pointee), ..],
        ) => Some(*pointee),
        _ => None,
    })
}

/// Whether a module makes addresses of numbers.
fn converts(module: &Module) -> bool {
    let is_pointer = |type_: u32| {
        module.types_global_values.iter().any(|one| {
            one.result_id == Some(type_)
                && one.operands.first() == Some(&Operand::StorageClass(StorageClass::PhysicalStorageBuffer))
        })
    };
    module.all_inst_iter().any(|one| match one.class.opcode {
        Op::ConvertUToPtr => true,
        Op::Bitcast => one.result_type.is_some_and(is_pointer),
        _ => false,
    })
}
