//! Which copies between variables and values a function does not need.
//!
//! `OpLoad` of a function's variable gives a value that is the variable's own planes, where nothing stores to the variable before the
//! value's last use. `OpStore` of a value that nothing else uses is done by the instruction that makes the value. Both only within a
//! block, where all lanes go together, and only for variables of which every access is known: pointers to them go nowhere.

use coopmat_spirv::dr::{self, Instruction as Source, Operand};
use coopmat_spirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What is known of a function's loads and stores.
#[derive(Debug, Default)]
pub(crate) struct Forwarding {
    /// Results of loads that need no copy.
    loads: FxHashSet<u32>,
    /// Values, and the variable that they are made in.
    stores: FxHashMap<u32, u32>,
    /// Those of `loads` that only multiply-adds use, which read matrices wherever they lie.
    operands: FxHashSet<u32>,
    /// Values that nothing uses but one store, after them in their block.
    moved: FxHashSet<u32>,
}

/// An instruction of the function: its block, its number in the block.
type At = (u32, u32);

/// How often pointers are followed to their uses.
const MAXIMUM_DEPTH: usize = 8;

struct Function<'a> {
    blocks: &'a [dr::Block],
    /// The variable that a pointer points into.
    roots: FxHashMap<u32, u32>,
    uses: FxHashMap<u32, SmallVec<[At; 2]>>,
}

impl Forwarding {
    pub fn new(function: &dr::Function) -> Self {
        let mut known =
            Function { blocks: &function.blocks, roots: FxHashMap::default(), uses: FxHashMap::default() };
        let mut made: FxHashMap<u32, At> = FxHashMap::default();
        let mut escaped = FxHashSet::default();
        for (block, number) in function.blocks.iter().zip(0..) {
            for (source, index) in block.instructions.iter().zip(0..) {
                known.read(source, (number, index));
                if let Some(id) = source.result_id {
                    made.insert(id, (number, index));
                }
            }
        }
        if known.roots.is_empty() {
            return Forwarding::default();
        }
        for source in function.blocks.iter().flat_map(|block| &block.instructions) {
            known.find_escapes(source, &mut escaped);
        }
        let mut forwarding = Forwarding::default();
        for (block, number) in function.blocks.iter().zip(0..) {
            forwarding.block(&known, block, number, &made, &escaped);
        }
        forwarding
    }

    /// Whether a load's result is the variable's planes.
    pub fn is_alias(&self, load: u32) -> bool {
        self.loads.contains(&load)
    }

    /// Whether a load's result is only read by multiply-adds, before anything is stored to the variable.
    pub fn is_operand(&self, load: u32) -> bool {
        self.operands.contains(&load)
    }

    /// Whether a value is not needed any more when it has been stored.
    pub fn is_moved(&self, value: u32) -> bool {
        self.moved.contains(&value)
    }

    /// The variable that a value is made in.
    pub fn variable_of(&self, value: u32) -> Option<u32> {
        self.stores.get(&value).copied()
    }

    fn block(
        &mut self,
        known: &Function,
        block: &dr::Block,
        number: u32,
        made: &FxHashMap<u32, At>,
        escaped: &FxHashSet<u32>,
    ) {
        let root_of = |source: &Source, operand: usize| {
            let root = id(source, operand).and_then(|pointer| known.roots.get(&pointer).copied());
            root.filter(|root| !escaped.contains(root))
        };
        // The accesses of each variable in this block, in order: the number, and whether it is a store.
        let mut accesses: FxHashMap<u32, Vec<(u32, bool)>> = FxHashMap::default();
        for (source, index) in block.instructions.iter().zip(0..) {
            let is_store = match source.class.opcode {
                Op::Load => false,
                Op::Store => true,
                _ => continue,
            };
            if let Some(root) = root_of(source, 0) {
                accesses.entry(root).or_default().push((index, is_store));
            }
        }
        // Where a store happens: the number of the instruction that does it, and whether that is the one that makes the value.
        let mut stores: FxHashMap<u32, Vec<(u32, bool)>> = FxHashMap::default();
        for (source, index) in block.instructions.iter().zip(0u32..) {
            if source.class.opcode != Op::Store {
                continue;
            }
            self.moved.extend(known.moved(source, (number, index), made));
            let Some(root) = root_of(source, 0) else { continue };
            let makes = id(source, 1)
                .filter(|_| id(source, 0) == Some(root))
                .filter(|value| known.uses.get(value).is_some_and(|uses| uses[..] == [(number, index)]))
                .and_then(|value| {
                    let &(home, at) = made.get(&value)?;
                    let maker = block.instructions.get(at as usize).filter(|_| home == number)?;
                    let own = maker.class.opcode != Op::Load || root_of_load(known, maker).is_none();
                    let free = !accesses[&root].iter().any(|(other, _)| at < *other && *other < index);
                    (own && free && at < index && makes_in_place(maker.class.opcode)).then_some((value, at))
                });
            match makes {
                Some((value, at)) => {
                    self.stores.insert(value, root);
                    stores.entry(root).or_default().push((at, true));
                }
                None => stores.entry(root).or_default().push((index, false)),
            }
        }
        for (source, index) in block.instructions.iter().zip(0u32..) {
            if source.class.opcode != Op::Load {
                continue;
            }
            let (Some(root), Some(result)) = (root_of(source, 0), source.result_id) else { continue };
            let Some(last) = known.last_use(result, (number, index), MAXIMUM_DEPTH) else { continue };
            let overwritten = stores.get(&root).is_some_and(|stores| {
                stores.iter().any(|&(at, by_maker)| {
                    let accumulates = || accumulates(&block.instructions[at as usize], result);
                    index < at && (at < last || at == last && by_maker && !accumulates())
                })
            });
            if !overwritten {
                self.loads.insert(result);
                if known.only_multiplies(result) {
                    self.operands.insert(result);
                }
            }
        }
    }
}

fn root_of_load(known: &Function, source: &Source) -> Option<u32> {
    known.roots.get(&id(source, 0)?).copied()
}

impl Function<'_> {
    fn read(&mut self, source: &Source, at: At) {
        if let (Op::Variable, Some(id)) = (source.class.opcode, source.result_id) {
            self.roots.insert(id, id);
        }
        for id in source.operands.iter().filter_map(Operand::id_ref_any) {
            self.uses.entry(id).or_default().push(at);
        }
        if is_chain(source)
            && let (Some(result), Some(base)) = (source.result_id, id(source, 0))
            && let Some(&root) = self.roots.get(&base)
        {
            self.roots.insert(result, root);
        }
    }

    /// Pointers that are used in another way than to load and to store.
    fn find_escapes(&self, source: &Source, escaped: &mut FxHashSet<u32>) {
        for (number, operand) in source.operands.iter().enumerate() {
            let Some(&root) = operand.id_ref_any().and_then(|id| self.roots.get(&id)) else { continue };
            let known = is_chain(source) || matches!(source.class.opcode, Op::Load | Op::Store);
            if number != 0 || !known {
                escaped.insert(root);
            }
        }
    }

    /// The value of a store that is its only use, where the value is made before it in the same block.
    fn moved(&self, store: &Source, at: At, made: &FxHashMap<u32, At>) -> Option<u32> {
        let value = id(store, 1)?;
        let &(home, maker) = made.get(&value)?;
        let maker_code = self.blocks.get(home as usize)?.instructions.get(maker as usize)?.class.opcode;
        let only = self.uses.get(&value).is_some_and(|uses| uses[..] == [at]);
        (only && home == at.0 && maker < at.1 && maker_code != Op::Load).then_some(value)
    }

    fn only_multiplies(&self, value: u32) -> bool {
        self.uses.get(&value).is_some_and(|uses| {
            uses.iter().all(|&(block, index)| {
                let user = self.blocks.get(block as usize).and_then(|b| b.instructions.get(index as usize));
                user.is_some_and(|user| user.class.opcode == Op::CooperativeMatrixMulAddKHR)
            })
        })
    }

    /// The number of the last instruction that uses a value, where all are after `at` in the same block.
    fn last_use(&self, value: u32, at: At, depth: usize) -> Option<u32> {
        let mut last = at.1;
        for &(block, index) in self.uses.get(&value).map(|uses| &uses[..]).unwrap_or_default() {
            let source = self.blocks.get(block as usize)?.instructions.get(index as usize)?;
            if block != at.0 || index <= at.1 || source.class.opcode == Op::Phi {
                return None;
            }
            last = last.max(index);
            // A pointer may look at its indices as late as where it is used.
            if matches!(
                source.class.opcode,
                Op::AccessChain
                    | Op::InBoundsAccessChain
                    | Op::PtrAccessChain
                    | Op::InBoundsPtrAccessChain
                    | Op::UntypedAccessChainKHR
                    | Op::UntypedInBoundsAccessChainKHR
                    | Op::UntypedPtrAccessChainKHR
                    | Op::UntypedInBoundsPtrAccessChainKHR
                    | Op::ImageTexelPointer
                    | Op::UntypedImageTexelPointerEXT
                    | Op::Bitcast
                    | Op::CopyObject
            ) {
                let depth = depth.checked_sub(1)?;
                last = last.max(self.last_use(source.result_id?, (block, index), depth)?);
            }
        }
        Some(last)
    }
}

fn is_chain(source: &Source) -> bool {
    matches!(source.class.opcode, Op::AccessChain | Op::InBoundsAccessChain)
}

fn id(source: &Source, operand: usize) -> Option<u32> {
    match source.operands.get(operand) {
        Some(Operand::IdRef(id)) => Some(*id),
        _ => None,
    }
}

/// Whether an instruction adds to this operand in the operand's place: a multiply-add whose C it is.
fn accumulates(source: &Source, operand: u32) -> bool {
    let is = |index| id(source, index) == Some(operand);
    source.class.opcode == Op::CooperativeMatrixMulAddKHR && is(2) && !is(0) && !is(1)
}

/// Instructions that write their result after they have read their operands, for the lanes that take part, and have it nowhere else.
fn makes_in_place(opcode: Op) -> bool {
    matches!(
        opcode,
        Op::Load
            | Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::SNegate
            | Op::Not
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::ShiftLeftLogical
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FNegate
            | Op::Select
            | Op::CooperativeMatrixLoadKHR
            | Op::CooperativeMatrixMulAddKHR
    )
}
