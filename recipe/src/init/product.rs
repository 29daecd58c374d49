//! The product of matrices that a shader computes, as far as its loads, stores and multiply-adds tell: what is A, B, C and D, how they lie in
//! memory, and which push constants are their sizes.
//!
//! Sizes that are not known get large values without a common factor, different ones for each member of the push constants; what a workgroup
//! more, or an iteration more, adds to an address then says which sizes are in it.

mod changes;

use std::collections::{BTreeMap, BTreeSet};

use coopmat_spirv::dr::{Instruction, Module, Operand};
use coopmat_spirv::spirv::{CooperativeMatrixOperands, Op, StorageClass, Word};
use coopmat_spirv::{Opcode, opcode};

use self::changes::only_sums;
use super::values::{Base, Given, Path, Values, id};

/// Values of unknown sizes: a multiple of every usual tile and block, times a prime.
const UNIT: i64 = 4096;
const PRIMES: [i64; 32] = [
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199,
    211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269,
];

/// Iterations between two looks at an address: a whole number of blocks.
const FAR: i64 = 4096;

/// Calls of a function that are looked at.
const CALLS: usize = 4;

/// Rows, columns and depth of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    M,
    N,
    K,
}

impl Size {
    pub fn name(self) -> &'static str {
        match self {
            Size::M => "M",
            Size::N => "N",
            Size::K => "K",
        }
    }
}

/// A size, divided by a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub size: Size,
    pub by: i64,
}

/// What lies in a buffer: elements in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Bytes of so many elements.
    pub bytes: i64,
    pub elements: i64,
}

/// A matrix in memory.
#[derive(Clone, Debug)]
pub struct Placed {
    pub base: Base,
    /// Component type of the cooperative matrix.
    pub component: Word,
    /// Loaded as a matrix, rather than copied to shared memory first.
    pub direct: bool,
    pub row_major: bool,
    /// Elements from one row (or column) to the next, where that is a constant.
    pub stride: Option<i64>,
}

/// The product that a shader computes.
#[derive(Clone, Debug)]
pub struct Product {
    pub a: Placed,
    pub b: Placed,
    pub c: Option<Placed>,
    pub d: Placed,
    /// Component types of A and B and of the sums.
    pub input: Word,
    pub sum: Word,
    pub saturates: bool,
    /// Values: fixed by the shader, or chosen.
    pub sizes: BTreeMap<Size, i64>,
    /// Workgroups in each direction.
    pub dispatch: [Option<Workgroups>; 3],
    pub members: BTreeMap<Path, Share>,
    /// Members that say where in their buffers the matrices begin.
    pub starts: BTreeSet<Path>,
    /// Why D is more than the product, where it is.
    pub more: Option<String>,
}

/// Workgroups in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workgroups {
    /// One for so many rows or columns.
    Share(Share),
    /// One for so many tiles, which are counted through all of D: rows, columns, tiles.
    Tiles(i64, i64, i64),
}

/// A load or store of a matrix.
struct Access<'m> {
    pointer: Word,
    layout: Option<Word>,
    stride: Option<Word>,
    type_: &'m Instruction,
}

/// Steps in elements that a workgroup more in each direction makes.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    rows: [i64; 3],
    columns: [i64; 3],
}

struct Finder<'v, 'm> {
    values: &'v Values<'m>,
    given: Given,
    packing: &'v dyn Fn(&Base) -> Option<Packing>,
}

fn instructions(module: &Module) -> impl Iterator<Item = &Instruction> {
    let blocks = module.functions.iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| &block.instructions)
}

/// The products of cooperative matrices.
pub fn multiplies(module: &Module) -> impl Iterator<Item = &Instruction> {
    instructions(module).filter(|it| opcode(it) == Opcode::CooperativeMatrixMulAddKHR)
}

/// Finds it. `members`: the integers among the push constants. `packing`: what buffers hold by their declaration. The error is a sentence
/// without a full stop.
pub fn find<'m>(
    module: &'m Module,
    values: &Values<'m>,
    members: &[(Path, String)],
    packing: &dyn Fn(&Base) -> Option<Packing>,
) -> Result<Product, String> {
    let push = members.iter().zip(PRIMES).map(|((path, _), prime)| (path.clone(), prime * UNIT)).collect();
    let finder = Finder { values, given: Given { push, ..Given::default() }, packing };
    finder.find(module, members)
}

impl<'m> Finder<'_, 'm> {
    fn find(&self, module: &'m Module, members: &[(Path, String)]) -> Result<Product, String> {
        let values = self.values;
        let all = || instructions(module);
        let multiplies: Vec<&Instruction> = multiplies(module).collect();
        if multiplies.is_empty() {
            return Err("the shader multiplies no matrices".to_owned());
        }
        let loads: Vec<&Instruction> =
            all().filter(|it| opcode(it) == Opcode::CooperativeMatrixLoadKHR).collect();
        let stores: Vec<&Instruction> =
            all().filter(|it| opcode(it) == Opcode::CooperativeMatrixStoreKHR).collect();
        let products: BTreeSet<Word> = multiplies.iter().filter_map(|it| it.result_id).collect();
        // The product that is stored is the one that is meant.
        let mut found = None;
        for store in stores.iter().take(256) {
            let (Some(pointer), Some(object)) = (id(store.operands.first()), id(store.operands.get(1)))
            else {
                continue;
            };
            if !self.is_global(pointer) {
                continue;
            }
            let mut made_of = BTreeSet::new();
            values.walk_some(object, true, &only_sums, &mut |id| {
                made_of.insert(id);
            });
            if let Some(product) = made_of.intersection(&products).next() {
                found = Some((*store, pointer, object, *product, made_of));
                break;
            }
        }
        let Some((store, pointer, object, product, made_of)) = found else {
            return Err("no product of matrices is stored to a buffer with a matrix store".to_owned());
        };
        let multiply = values.instruction(product).ok_or("the product is not defined")?;
        let type_of = |id: Word| {
            values.instruction(id).and_then(|it| it.result_type).and_then(|id| values.instruction(id))
        };
        let stored = type_of(object).filter(|it| it.class.opcode == Op::TypeCooperativeMatrixKHR);
        let d = Access {
            pointer,
            layout: id(store.operands.get(2)),
            stride: id(store.operands.get(3)),
            type_: stored.ok_or("what is stored is no matrix")?,
        };
        let (d_stride, d_row_major) = self.direct(&d).ok_or("the stride of the result is not known")?;
        let d_size = self.component_size(&d).ok_or("the type of the result is not known")?;
        let steps = self
            .steps(pointer, d_stride, d_row_major, d_size)
            .ok_or("the place of the result is not known")?;
        let mut dispatch = [None; 3];
        let mut shares: BTreeMap<Path, Share> = BTreeMap::new();
        let mut tile = BTreeMap::from([(Size::M, self.side(&d, 2)), (Size::N, self.side(&d, 3))]);
        let mut direction: BTreeMap<Size, usize> = BTreeMap::new();
        for (number, workgroups) in dispatch.iter_mut().enumerate() {
            let (rows, columns) = (steps.rows[number], steps.columns[number]);
            let (size, by) = match (rows, columns) {
                (0, 0) => continue,
                (rows, 0) if rows > 0 => (Size::M, rows),
                (0, columns) if columns > 0 => (Size::N, columns),
                // Batches.
                _ if number == 2 => continue,
                _ => return Err("how workgroups share out the result is not known".to_owned()),
            };
            if direction.contains_key(&size) {
                continue;
            }
            tile.insert(size, by);
            direction.insert(size, number);
            *workgroups = Some(Workgroups::Share(Share { size, by }));
        }
        if direction.len() == 1 && direction.contains_key(&Size::N) {
            self.counted_tiles(
                pointer,
                (d_stride, d_row_major, d_size),
                &mut dispatch,
                &mut tile,
                &mut shares,
            );
        }

        // A and B: loads that the product is made of.
        let of_products = |made: Word| {
            let mut found = false;
            values.walk(made, true, &mut |id| found |= products.contains(&id));
            found
        };
        if [0, 1].iter().filter_map(|at| id(multiply.operands.get(*at))).any(of_products) {
            return Err("a product of matrices is made of another one".to_owned());
        }
        let operand = |index: usize, use_: i64| {
            let made = id(multiply.operands.get(index))?;
            let mut found = None;
            values.walk(made, true, &mut |id| {
                if found.is_none()
                    && let Some(load) = loads.iter().find(|load| load.result_id == Some(id))
                    && let Some(type_) = type_of(id)
                    && self::id(type_.operands.get(4)).and_then(|it| values.value(it, &self.given))
                        == Some(use_)
                {
                    found = Some((*load, type_));
                }
            });
            let (load, type_) = found?;
            Some(Access {
                pointer: id(load.operands.first())?,
                layout: id(load.operands.get(1)),
                stride: id(load.operands.get(2)),
                type_,
            })
        };
        let a = operand(0, 0).ok_or("the loads of A were not found")?;
        let b = operand(1, 1).ok_or("the loads of B were not found")?;
        let sources = |access: &Access<'m>| {
            if self.is_global(access.pointer) {
                vec![access.pointer]
            } else {
                self.staged_from(access.pointer)
            }
        };
        let (mut a_from, mut b_from) = (sources(&a), sources(&b));
        if a_from.is_empty() || b_from.is_empty() {
            let which = if a_from.is_empty() { "A" } else { "B" };
            return Err(format!("the buffer that {which} comes from was not found"));
        }

        // The loop over K moves both.
        let moved = |pointer: Word, number: usize| -> Option<(i64, usize)> {
            (0..CALLS).find_map(|call| {
                let mut given = Given { call, ..self.given.clone() };
                let before = values.offset(pointer, &given)?;
                given.iteration.insert(number, FAR);
                let change = values.offset(pointer, &given)?.saturating_sub(before);
                (change != 0).then_some((change, call))
            })
        };
        let moves = |from: &[Word], number: usize| {
            from.iter().take(16).find_map(|it| Some((*it, moved(*it, number)?)))
        };
        let candidates: Vec<usize> = (0..values.loops.len().min(64))
            .filter(|number| moves(&a_from, *number).is_some() && moves(&b_from, *number).is_some())
            .collect();
        let outermost = candidates
            .iter()
            .find(|outer| {
                candidates.iter().all(|other| other == *outer || !values.is_outside(*other, **outer))
            })
            .copied();
        if let Some(number) = outermost {
            for from in [&mut a_from, &mut b_from] {
                if let Some((pointer, _)) = moves(from, number) {
                    *from = vec![pointer];
                }
            }
        }
        let place = |access: &Access<'m>,
                     from: Word,
                     outer: Size|
         -> Result<(Placed, Option<i64>, i64), String> {
            let name = if outer == Size::M { "A" } else { "B" };
            let direct = self.is_global(access.pointer);
            let base =
                values.base(from, &self.given).ok_or_else(|| format!("the buffer of {name} is not known"))?;
            let component = id(access.type_.operands.first()).ok_or("a matrix has no type")?;
            let packing = if direct {
                let size =
                    self.component_size(access).ok_or_else(|| format!("the type of {name} is not known"))?;
                Some(Packing { bytes: size, elements: 1 })
            } else {
                (self.packing)(&base)
            };
            let packing = packing
                .ok_or_else(|| format!("how the elements of {name} lie in its buffer is not known"))?;
            let call = outermost.and_then(|number| moved(from, number)).map_or(0, |(_, call)| call);
            let given = Given { call, ..self.given.clone() };
            let outwards = direction.get(&outer).and_then(|number| {
                let before = values.offset(from, &given)?;
                let mut next = given.clone();
                next.workgroup[*number] = 1;
                Some(values.offset(from, &next)?.saturating_sub(before))
            });
            let inwards = outermost.and_then(|number| moved(from, number)).map(|(change, _)| change);
            // Rows of A and columns of B are what a workgroup more moves.
            let (stride, outer_strided) = if direct {
                let (stride, row_major) =
                    self.direct(access).ok_or_else(|| format!("the stride of {name} is not known"))?;
                (stride, row_major == (outer == Size::M))
            } else {
                let tile = tile.get(&outer).copied().unwrap_or(1).max(1);
                let outwards = outwards.filter(|it| *it > 0);
                let outwards = outwards.ok_or_else(|| format!("the stride of {name} is not known"))?;
                let sized = |bytes: i64| self.given.push.values().any(|size| bytes % size == 0);
                match inwards {
                    Some(inwards) if sized(inwards / FAR) && !sized(outwards) => {
                        let size = self.given.push.values().find(|size| (inwards / FAR) % **size == 0);
                        (size.copied().unwrap_or(1).saturating_mul(packing.bytes) / packing.elements, false)
                    }
                    _ => (outwards / tile, true),
                }
            };
            let elements = |bytes: i64| bytes.checked_mul(packing.elements).map(|it| it / packing.bytes);
            let step = inwards.and_then(|change| {
                let along = if outer_strided { elements(change)? } else { change / stride.max(1) };
                Some(along / FAR)
            });
            let stride_elements = elements(stride).unwrap_or(0);
            let sized =
                self.given.push.iter().find(|(_, size)| stride_elements % **size == 0 && stride_elements > 0);
            let row_major = outer_strided == (outer == Size::M);
            let placed = Placed {
                base,
                component,
                direct,
                row_major,
                stride: sized.is_none().then_some(stride_elements),
            };
            Ok((placed, step, stride_elements))
        };
        let (placed_a, step_a, stride_a) = place(&a, a_from[0], Size::M)?;
        let (placed_b, step_b, stride_b) = place(&b, b_from[0], Size::N)?;
        let d_elements = d_stride / d_size;
        let sized =
            |elements: i64| self.given.push.iter().find(|(_, size)| elements > 0 && elements % **size == 0);
        let placed_d = Placed {
            base: values.base(pointer, &self.given).ok_or("the buffer of the result is not known")?,
            component: id(d.type_.operands.first()).ok_or("a matrix has no type")?,
            direct: true,
            row_major: d_row_major,
            stride: sized(d_elements).is_none().then_some(d_elements),
        };
        let k_step = step_a.or(step_b).filter(|step| *step > 0);

        // Sizes by strides, then by bounds.
        let mut share = |path: &Path, size: Size, by: i64| {
            shares.entry(path.clone()).or_insert(Share { size, by: by.max(1) });
        };
        for (elements, row_major, inner, outer) in [
            (d_elements, d_row_major, Size::N, Size::M),
            (stride_a, placed_a.row_major, Size::K, Size::M),
            (stride_b, placed_b.row_major, Size::N, Size::K),
        ] {
            if let Some((path, value)) = sized(elements) {
                share(path, if row_major { inner } else { outer }, elements / value);
            }
        }
        let mut depth = None;
        if let Some(number) = outermost {
            let known = k_step.zip(values.bound(number));
            let (step, bound) = known.ok_or("where the sum over K ends is not known")?;
            // What only decides which part of the sum a workgroup has leaves the end where it is.
            let end = values.value(bound.end, &self.given);
            let decides = |path: &Path| {
                let mut less = self.given.clone();
                less.push.insert(path.clone(), UNIT);
                end.is_none() || values.value(bound.end, &less) != end
            };
            let inside: BTreeSet<Path> = values.members(bound.end).into_iter().filter(decides).collect();
            let iterations = values.iterations(number, &self.given);
            if inside.is_empty() {
                let iterations = iterations.ok_or("where the sum over K ends is not known")?;
                depth = Some(iterations.saturating_mul(step));
            }
            let alone = inside.len() == 1;
            for path in inside {
                let total = iterations.map(|it| it.saturating_mul(step)).filter(|_| alone);
                let ratio = self
                    .given
                    .push
                    .get(&path)
                    .and_then(|value| total.map(|total| total.saturating_add(value / 2) / value));
                share(&path, Size::K, ratio.unwrap_or(1));
            }
        }
        // What rows and columns are compared with.
        for comparison in all().filter(|it| is_comparison(opcode(it))).take(512) {
            let (Some(left), Some(right)) = (id(comparison.operands.first()), id(comparison.operands.get(1)))
            else {
                continue;
            };
            let inside = values.members(right);
            let Some(path) = inside.first().filter(|_| inside.len() == 1) else { continue };
            let before = values.value(left, &self.given);
            let mut grows = None;
            for (size, number) in &direction {
                let mut given = self.given.clone();
                given.workgroup[*number] = 1;
                if before.is_some() && values.value(left, &given) > before {
                    grows = Some(*size);
                }
            }
            if let (Some(size), Some(given)) = (grows, self.given.push.get(path))
                && values.value(right, &self.given) == Some(*given)
            {
                share(path, size, 1);
            }
        }
        for (path, name) in members {
            let last = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
            let size = match last.as_str() {
                "m" | "rows" | "height" => Size::M,
                "n" | "columns" | "cols" | "width" => Size::N,
                "k" | "depth" | "inner" => Size::K,
                _ => continue,
            };
            share(path, size, 1);
        }

        let inner = self.side(&a, 3);
        let mut single = BTreeSet::new();
        let blocks = [(&placed_a, &a), (&placed_b, &b)].map(|(placed, _)| {
            if placed.direct { 1 } else { (self.packing)(&placed.base).map_or(1, |it| it.elements) }
        });
        // One tile where nothing says that there may be more.
        for size in [Size::M, Size::N] {
            let counted = dispatch.iter().any(|it| matches!(it, Some(Workgroups::Tiles(..))));
            if !counted && !direction.contains_key(&size) && !shares.values().any(|share| share.size == size)
            {
                single.insert(size);
            }
        }
        let sizes =
            self.sizes([&placed_a, &placed_b, &placed_d], &tile, &single, (k_step, inner, depth), blocks);
        let c = id(multiply.operands.get(2)).and_then(|_| {
            let mut found = None;
            for load in &loads {
                let Some(result) = load.result_id.filter(|it| made_of.contains(it)) else { continue };
                let Some(type_) = type_of(result) else { continue };
                let use_ = id(type_.operands.get(4)).and_then(|it| values.value(it, &self.given));
                let Some(pointer) =
                    id(load.operands.first()).filter(|it| use_ == Some(2) && self.is_global(*it))
                else {
                    continue;
                };
                found = Some(Access {
                    pointer,
                    layout: id(load.operands.get(1)),
                    stride: id(load.operands.get(2)),
                    type_,
                });
            }
            found
        });
        let c = match c {
            Some(access) => {
                let (stride, row_major) = self.direct(&access).ok_or("the stride of C is not known")?;
                let size = self.component_size(&access).ok_or("the type of C is not known")?;
                let elements = stride / size;
                if let Some((path, value)) = sized(elements) {
                    let size = if row_major { Size::N } else { Size::M };
                    shares.entry(path.clone()).or_insert(Share { size, by: elements / value });
                }
                Some(Placed {
                    base: values.base(access.pointer, &self.given).ok_or("the buffer of C is not known")?,
                    component: id(access.type_.operands.first()).ok_or("a matrix has no type")?,
                    direct: true,
                    row_major,
                    stride: sized(elements).is_none().then_some(elements),
                })
            }
            None => None,
        };
        let starts = self.starts([a_from[0], b_from[0], pointer], &shares, &sizes);
        let more = self.more(object, multiply, c.is_some());
        let sum = type_of(product).and_then(|it| id(it.operands.first())).ok_or("a product has no type")?;
        Ok(Product {
            input: placed_a.component,
            sum,
            a: placed_a,
            b: placed_b,
            c,
            d: placed_d,
            saturates: multiply.operands.iter().any(|operand| {
                matches!(operand, Operand::CooperativeMatrixOperands(it)
                    if it.contains(CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR))
            }),
            sizes,
            dispatch,
            members: shares,
            starts,
            more,
        })
    }

    /// The sizes: what the shader fixes, and small ones that differ for the rest.
    fn sizes(
        &self,
        [a, b, d]: [&Placed; 3],
        tile: &BTreeMap<Size, i64>,
        single: &BTreeSet<Size>,
        (k_step, inner, depth): (Option<i64>, i64, Option<i64>),
        blocks: [i64; 2],
    ) -> BTreeMap<Size, i64> {
        let [m, n] = [(Size::M, 2), (Size::N, 3)].map(|(size, several)| {
            let tile = tile.get(&size).copied().unwrap_or(16).max(1);
            if tile > 64 || single.contains(&size) { tile } else { tile * several }
        });
        let fixed = |placed: &Placed, row_major: bool| {
            placed.stride.filter(|it| *it > 0 && placed.row_major == row_major)
        };
        let k = match (depth, k_step) {
            (Some(depth), _) => depth,
            (None, Some(step)) => {
                let whole = blocks.iter().fold(step, |all, block| least_common(all, *block));
                whole.saturating_mul((64 / whole).max(if whole < 256 { 2 } else { 1 }))
            }
            (None, None) => inner,
        };
        BTreeMap::from([
            (Size::M, fixed(d, false).or(fixed(a, false)).unwrap_or(m)),
            (Size::N, fixed(d, true).or(fixed(b, true)).unwrap_or(n)),
            (Size::K, k),
        ])
    }

    /// Tiles that are counted through all of D, some of them for each workgroup: `tile / perRow` and `tile % perRow`.
    fn counted_tiles(
        &self,
        pointer: Word,
        (stride, row_major, size): (i64, bool, i64),
        dispatch: &mut [Option<Workgroups>; 3],
        tile: &mut BTreeMap<Size, i64>,
        shares: &mut BTreeMap<Path, Share>,
    ) {
        let values = self.values;
        let mut divisions = Vec::new();
        values.walk(pointer, true, &mut |found| {
            if let Some(it) = values.instruction(found)
                && matches!(
                    opcode(it),
                    Opcode::UDiv | Opcode::SDiv | Opcode::UMod | Opcode::SRem | Opcode::SMod
                )
                && let (Some(dividend), Some(divisor)) = (id(it.operands.first()), id(it.operands.get(1)))
            {
                divisions.push((dividend, divisor));
            }
        });
        for (dividend, divisor) in divisions.into_iter().take(64) {
            let inside = values.members(divisor);
            let Some(path) = inside.first().filter(|_| inside.len() == 1) else { continue };
            let Some(&per_row) = self.given.push.get(path) else { continue };
            if values.value(divisor, &self.given) != Some(per_row) {
                continue;
            }
            let at = |number: i64| {
                let mut given = self.given.clone();
                // The same dividend may be loaded more than once.
                for other in values.same(dividend) {
                    given.fixed.insert(other, number);
                }
                values.offset(pointer, &given)
            };
            let (Some(first), Some(next), Some(below)) = (at(0), at(1), at(per_row)) else { continue };
            let (across, down) = (next.saturating_sub(first), below.saturating_sub(first));
            let (rows, columns) = match row_major {
                true if stride > 0 && down % stride == 0 => (down / stride, across / size),
                false if stride > 0 && across % stride == 0 => (down / size, across / stride),
                _ => continue,
            };
            let Some(number) = (0..3).find(|number| dispatch[*number].is_some()) else { continue };
            let mut given = self.given.clone();
            given.workgroup[number] = 1;
            let each = values
                .value(dividend, &given)
                .zip(values.value(dividend, &self.given))
                .map(|(a, b)| a.saturating_sub(b));
            let Some(each) = each.filter(|it| *it > 0 && rows > 0 && columns > 0) else { continue };
            dispatch[number] = Some(Workgroups::Tiles(rows, columns, each));
            // Enough of them that every workgroup has as many as it takes.
            tile.insert(Size::M, rows.saturating_mul(each));
            tile.insert(Size::N, columns);
            shares.insert(path.clone(), Share { size: Size::N, by: columns });
            return;
        }
    }

    /// Members of which nothing else is known, and without which the matrices begin nearer to the start of their buffers.
    fn starts(
        &self,
        pointers: [Word; 3],
        shares: &BTreeMap<Path, Share>,
        sizes: &BTreeMap<Size, i64>,
    ) -> BTreeSet<Path> {
        let size = |share: &Share| sizes.get(&share.size).copied().unwrap_or(1) / share.by.max(1);
        let push = self.given.push.keys().map(|path| (path.clone(), shares.get(path).map_or(1, size)));
        let mut given = Given { push: push.collect(), ..Given::default() };
        let mut starts = BTreeSet::new();
        let at_start = |given: &Given| pointers.map(|pointer| self.values.offset(pointer, given));
        loop {
            let before = at_start(&given);
            let nearer = |path: &Path| {
                let mut without = given.clone();
                without.push.insert(path.clone(), 0);
                let each = before.into_iter().zip(at_start(&without));
                match each.clone().any(|(before, after)| before.is_some() && after.is_none()) {
                    true => 0,
                    false => each.filter(|(before, after)| after < before).count(),
                }
            };
            let mut best: Option<(usize, &Path)> = None;
            for path in given.push.keys().filter(|path| !shares.contains_key(*path)) {
                let count = nearer(path);
                if count > best.map_or(0, |(most, _)| most) {
                    best = Some((count, path));
                }
            }
            let Some((_, path)) = best else { return starts };
            let path = path.clone();
            given.push.insert(path.clone(), 0);
            starts.insert(path);
        }
    }

    /// Whether a pointer is of a buffer.
    fn is_global(&self, pointer: Word) -> bool {
        match self.values.base(pointer, &self.given) {
            Some(Base::Behind(_)) => true,
            Some(Base::Variable(variable)) => {
                let storage = self.values.instruction(variable).and_then(|it| {
                    it.operands.iter().find_map(|operand| match operand {
                        Operand::StorageClass(storage) => Some(*storage),
                        _ => None,
                    })
                });
                matches!(storage, Some(StorageClass::StorageBuffer | StorageClass::Uniform))
            }
            None => false,
        }
    }

    /// Pointers into buffers from which shared memory is filled.
    fn staged_from(&self, pointer: Word) -> Vec<Word> {
        let values = self.values;
        let Some(Base::Variable(shared)) = values.base(pointer, &self.given) else { return Vec::new() };
        let mut from = Vec::new();
        for value in values.stored(shared) {
            values.walk(value, true, &mut |found| {
                if let Some(load) = values.instruction(found).filter(|it| opcode(it) == Opcode::Load)
                    && let Some(pointer) = id(load.operands.first())
                    && !from.contains(&pointer)
                    && self.is_global(pointer)
                {
                    from.push(pointer);
                }
            });
        }
        from
    }

    /// Bytes from one row or column to the next, and which of them: what the instruction says.
    fn direct(&self, access: &Access<'_>) -> Option<(i64, bool)> {
        let row_major = match self.values.value(access.layout?, &self.given)? {
            0 => true,
            1 => false,
            _ => return None,
        };
        let stride = self.values.value(access.stride?, &self.given)?;
        let unit = self.values.pointee(access.pointer).and_then(|type_| self.values.size(type_));
        let unit = unit.or_else(|| self.component_size(access))?;
        stride.checked_mul(unit).filter(|it| *it > 0).map(|bytes| (bytes, row_major))
    }

    fn component_size(&self, access: &Access<'_>) -> Option<i64> {
        self.values.size(id(access.type_.operands.first())?).filter(|it| *it > 0)
    }

    /// Rows (2) or columns (3) of a matrix.
    fn side(&self, access: &Access<'_>, operand: usize) -> i64 {
        let side = id(access.type_.operands.get(operand)).and_then(|it| self.values.value(it, &self.given));
        side.unwrap_or(16)
    }

    fn steps(&self, pointer: Word, stride: i64, row_major: bool, size: i64) -> Option<Steps> {
        let before = self.values.offset(pointer, &self.given)?;
        let mut steps = Steps::default();
        for number in 0..3 {
            let mut given = self.given.clone();
            given.workgroup[number] = 1;
            let change = self.values.offset(pointer, &given)?.checked_sub(before)?;
            let (strided, close) = (change / stride, change % stride / size);
            (steps.rows[number], steps.columns[number]) =
                if row_major { (strided, close) } else { (close, strided) };
        }
        Some(steps)
    }
}

/// The members of the push constants that say how long tensors are, or how far rows or columns of matrices lie apart.
pub fn strides(module: &Module, values: &Values<'_>) -> BTreeSet<Path> {
    let blocks = module.functions.iter().flat_map(|function| &function.blocks);
    let strides = blocks.flat_map(|block| &block.instructions).filter_map(|it| match opcode(it) {
        Opcode::CooperativeMatrixLoadKHR => id(it.operands.get(2)),
        Opcode::CooperativeMatrixStoreKHR => id(it.operands.get(3)),
        _ => None,
    });
    let blocks = module.functions.iter().flat_map(|function| &function.blocks);
    let tensors = blocks.flat_map(|block| &block.instructions).filter(|it| {
        matches!(opcode(it), Opcode::TensorLayoutSetDimensionNV | Opcode::TensorLayoutSetStrideNV)
    });
    let tensors = tensors.flat_map(|it| it.operands.iter().skip(1)).filter_map(|operand| id(Some(operand)));
    strides.chain(tensors).take(256).flat_map(|stride| values.members(stride)).collect()
}

fn is_comparison(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::ULessThan
            | Opcode::SLessThan
            | Opcode::ULessThanEqual
            | Opcode::SLessThanEqual
            | Opcode::UGreaterThanEqual
            | Opcode::SGreaterThanEqual
    )
}

fn least_common(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a.max(1), b.max(1));
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a.max(1) / x).saturating_mul(b.max(1))
}
