//! What observers see of operations on cooperative vectors: the vectors of all lanes as a matrix with a row for each, the matrices in memory, and where
//! they are. Nothing of this happens when nobody asks.

use std::sync::Arc;

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::{Opcode, extended, opcode};

use super::operands::{self, element, plane};
use super::{memory, sums};
use crate::code::{
    ComponentOperation, Start, StoredMatrix, VectorMemoryInstruction, VectorOperand, VectorProduct,
};
use crate::machine::{Context, Mask};
use crate::matrix::{Component, Matrix, MatrixType, Scope, Use};
use crate::memory::parts;
use crate::observer::{Addressing, At, MatrixEvent, MatrixValues, Memory, VectorStarts, VectorValues};
use crate::program::Lowering;
use crate::program::lowering::{Entity, ExtendedSet};
use crate::program::types::Scalar;

/// The instruction's name without `Op` and vendor.
fn name_of(instruction: &VectorMemoryInstruction) -> &'static str {
    match instruction {
        VectorMemoryInstruction::Load { .. } => "CooperativeVectorLoad",
        VectorMemoryInstruction::Store { .. } => "CooperativeVectorStore",
        VectorMemoryInstruction::Sum { .. } => "CooperativeVectorReduceSumAccumulate",
        VectorMemoryInstruction::Product(product) => name_of_product(product),
        VectorMemoryInstruction::OuterProduct { .. } => "CooperativeVectorOuterProductAccumulate",
    }
}

pub(super) fn name_of_product(product: &VectorProduct) -> &'static str {
    match product.bias {
        Some(_) => "CooperativeVectorMatrixMulAdd",
        None => "CooperativeVectorMatrixMul",
    }
}

/// Tells who wants to know that an instruction begins: rows and columns of its matrix, or components of its vectors.
pub(super) fn announce(instruction: &VectorMemoryInstruction, cx: &mut Context) {
    let shape = match instruction {
        VectorMemoryInstruction::Load { result: vector, .. }
        | VectorMemoryInstruction::Store { value: vector, .. }
        | VectorMemoryInstruction::Sum { value: vector, .. } => [vector.count, 0, 0],
        VectorMemoryInstruction::Product(product) => [product.result.count, product.length, 0],
        VectorMemoryInstruction::OuterProduct { a, b, .. } => [a.count, b.count, 0],
    };
    let at = cx.at();
    if let Some(observer) = &mut cx.env.observer {
        observer.matrix(&at, &MatrixEvent { operation: name_of(instruction), shape });
    }
}

/// What was seen of an operation.
pub(super) struct Seen {
    pub operation: &'static str,
    pub operands: Vec<Arc<Matrix>>,
    pub result: Option<Arc<Matrix>>,
    pub memory: Option<Memory>,
    pub vectors: VectorValues,
}

impl Seen {
    pub fn of(operation: &'static str, operands: Vec<Arc<Matrix>>) -> Seen {
        Seen { operation, operands, result: None, memory: None, vectors: VectorValues::default() }
    }

    /// Tells it to the observer, as an operation of these lanes.
    pub fn tell(&self, cx: &mut Context, mask: Mask) {
        let at = At { mask, ..cx.at() };
        let values = MatrixValues {
            operation: self.operation,
            operands: &self.operands,
            result: self.result.as_ref(),
            memory: self.memory.as_ref(),
            array: None,
            array_result: None,
            start: None,
            vectors: Some(&self.vectors),
        };
        if let Some(observer) = &mut cx.env.observer {
            observer.matrix_values(&at, &values);
        }
    }
}

/// A matrix with these bits; none of what are no numbers.
pub(super) fn matrix(scalar: Scalar, rows: u32, columns: u32, bits: &[u64]) -> Option<Arc<Matrix>> {
    let component = match scalar {
        Scalar::Float(format) => Component::Float(format),
        Scalar::Integer { width, signed } => Component::Integer { width, signed },
        Scalar::Bool | Scalar::Address | Scalar::Index => return None,
    };
    let type_ = MatrixType { component, scope: Scope::Subgroup, rows, columns, use_: Use::Unspecified };
    Some(Arc::new(Matrix::from_bits(type_, bits)))
}

/// The vectors of all lanes.
pub(super) fn vectors(cx: &Context, vector: VectorOperand) -> Option<Arc<Matrix>> {
    let lanes = cx.registers.lanes();
    let all = (0..lanes).flat_map(|lane| (0..vector.count).map(move |index| (lane, index)));
    let bits: Vec<u64> =
        all.clone().map(|(lane, index)| operands::component(cx, vector, index, lane)).collect();
    let mut seen = matrix(vector.scalar, lanes as u32, vector.count, &bits)?;
    if cx.registers.tracks_undefined()
        && let Some(seen) = Arc::get_mut(&mut seen)
    {
        for (at, (lane, index)) in all.enumerate() {
            let first = plane(cx, vector, index);
            let undefined = (first..first + vector.scalar.planes())
                .any(|plane| cx.registers.undefined(plane) >> lane & 1 != 0);
            seen.set_undefined(at, undefined);
        }
    }
    Some(seen)
}

/// Vectors of some lanes, by their numbers: those of the others are zero.
pub(super) fn of_lanes<'n>(
    cx: &Context,
    scalar: Scalar,
    count: u32,
    lanes: &[usize],
    numbers: impl Iterator<Item = (&'n [u64], &'n [usize])>,
) -> Option<Arc<Matrix>> {
    let mut bits = vec![0; cx.registers.lanes() * count as usize];
    let mut marked = Vec::new();
    for (&lane, (numbers, undefined)) in lanes.iter().zip(numbers) {
        let first = lane * count as usize;
        bits.iter_mut().skip(first).zip(numbers).for_each(|(bits, number)| *bits = *number);
        marked.extend(undefined.iter().map(|index| first + index));
    }
    let mut seen = matrix(scalar, cx.registers.lanes() as u32, count, &bits)?;
    if let Some(seen) = Arc::get_mut(&mut seen) {
        marked.into_iter().for_each(|index| seen.set_undefined(index, true));
    }
    Some(seen)
}

/// Where vectors begin in memory.
pub(super) fn starts(cx: &Context, at: Start, scalar: Scalar, lanes: &[usize]) -> VectorStarts {
    let mut offsets = vec![0; cx.registers.lanes()];
    let mut buffers = Vec::new();
    for &lane in lanes {
        let (allocation, offset) = parts(operands::address(cx, at, lane));
        offsets[lane] = offset;
        if !buffers.contains(&allocation) {
            buffers.push(allocation);
        }
    }
    let names: Vec<String> = buffers.into_iter().map(|allocation| cx.allocation_name(allocation)).collect();
    VectorStarts { name: names.join(" and "), offsets, size: scalar.bytes() }
}

/// Where a matrix is in memory.
pub(super) fn stored(
    cx: &Context,
    matrix: &StoredMatrix,
    (start, stride): (u64, u64),
    transposed: bool,
) -> Memory {
    let (allocation, offset) = parts(start);
    let addressing = Addressing::VectorMatrix { layout: matrix.layout, stride, transposed };
    Memory { name: cx.allocation_name(allocation), offset, size: matrix.scalar.bytes(), addressing }
}

/// Numbers in memory that are added to, at these places.
fn numbers(cx: &mut Context, scalar: Scalar, places: impl Iterator<Item = u64>) -> Vec<u64> {
    places.map(|address| cx.env.memory.read(address, scalar.bytes())).collect()
}

/// Sums in memory of lanes that add to the same ones: their places, and what there was before.
pub(super) struct Sums {
    lanes: Vec<usize>,
    scalar: Scalar,
    rows: u32,
    columns: u32,
    places: Vec<u64>,
    seen: Seen,
}

/// What there is to see before an instruction that adds to memory.
pub(super) fn before(instruction: &VectorMemoryInstruction, cx: &mut Context) -> Vec<Sums> {
    match instruction {
        VectorMemoryInstruction::Sum { value, at } => {
            let groups = sums::groups(cx, |cx, lane| operands::address(cx, *at, lane));
            let each = groups.into_iter().map(|(start, lanes)| {
                let mut seen = Seen::of(name_of(instruction), vectors(cx, *value).into_iter().collect());
                seen.vectors.starts = Some(starts(cx, *at, value.scalar, &lanes));
                let places = (0..value.count).map(|index| element(start, index, value.scalar)).collect();
                Sums { lanes, scalar: value.scalar, rows: 1, columns: value.count, places, seen }
                    .with_before(cx)
            });
            each.collect()
        }
        VectorMemoryInstruction::OuterProduct { a, b, matrix } => {
            let groups = sums::groups(cx, |cx, lane| memory::place(cx, matrix, lane));
            let each = groups.into_iter().map(|(place, lanes)| {
                let operands = [a, b].into_iter().filter_map(|vector| vectors(cx, *vector)).collect();
                let mut seen = Seen::of(name_of(instruction), operands);
                seen.memory = Some(stored(cx, matrix, place, false));
                seen.vectors.interpretations = vec![matrix.interpretation];
                let places = memory::places(matrix, place).collect();
                let (scalar, rows, columns) = (matrix.scalar, matrix.rows, matrix.columns);
                Sums { lanes, scalar, rows, columns, places, seen }.with_before(cx)
            });
            each.collect()
        }
        _ => Vec::new(),
    }
}

impl Sums {
    fn now(&self, cx: &mut Context) -> Option<Arc<Matrix>> {
        let bits = numbers(cx, self.scalar, self.places.iter().copied());
        matrix(self.scalar, self.rows, self.columns, &bits)
    }

    fn with_before(mut self, cx: &mut Context) -> Sums {
        let before = self.now(cx);
        self.seen.operands.extend(before);
        self
    }

    /// Tells what the sums have become.
    pub fn tell(mut self, cx: &mut Context) {
        self.seen.result = self.now(cx);
        self.seen.tell(cx, mask(&self.lanes));
    }
}

pub(super) fn mask(lanes: &[usize]) -> Mask {
    lanes.iter().fold(0, |mask, lane| mask | 1 << lane)
}

/// Tells of a load or a store.
pub(super) fn moved(
    cx: &mut Context,
    instruction: &VectorMemoryInstruction,
    vector: VectorOperand,
    at: VectorStarts,
) {
    let mut seen = Seen::of(name_of(instruction), Vec::new());
    let value = vectors(cx, vector);
    if matches!(instruction, VectorMemoryInstruction::Store { .. }) {
        seen.operands.extend(value);
    } else {
        seen.result = value;
    }
    seen.vectors.starts = Some(at);
    seen.tell(cx, cx.mask());
}

/// Remembers an operation whose result is a cooperative vector, and which is one on each component: it consists of instructions that know nothing of
/// cooperative vectors.
pub(in crate::instructions) fn note(lowering: &mut Lowering, source: &Source) {
    let Some(operation) = name(lowering, source) else { return };
    let is_vector = source.result_type.is_some_and(|id| lowering.data.cooperative_vectors.contains(&id));
    if !is_vector || lowering.body.is_none() {
        return;
    }
    let vector = |id: u32| match lowering.entities.get(&id) {
        Some(Entity::Value(value)) => {
            let (scalar, count) = lowering.types().numbers(value.type_)?;
            Some(VectorOperand { first: value.slot, scalar, count })
        }
        _ => None,
    };
    let operands = source.operands.iter().filter_map(|operand| match operand {
        Operand::IdRef(id) => vector(*id),
        _ => None,
    });
    let operands = operands.collect();
    if let Some(result) = source.result_id.and_then(vector) {
        let operation = ComponentOperation { operation, operands, result };
        lowering.data.component_operations.insert(lowering.origin, operation);
    }
}

/// What an operation on each component is called, of functions the instruction's name in their set; none of what moves components about.
fn name(lowering: &Lowering, source: &Source) -> Option<&'static str> {
    use Opcode as Op;

    Some(match opcode(source) {
        Op::CompositeConstruct | Op::CompositeConstructReplicateEXT => "CompositeConstruct",
        Op::FNegate | Op::SNegate => "Negate",
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => "Arithmetic",
        Op::IAdd | Op::ISub | Op::IMul | Op::UDiv | Op::SDiv => "Arithmetic",
        Op::UMod | Op::SRem | Op::SMod => "Arithmetic",
        Op::VectorTimesScalar => "VectorTimesScalar",
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor | Op::Not => "Bitwise",
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => "Shift",
        Op::ConvertFToS | Op::ConvertFToU | Op::ConvertSToF | Op::ConvertUToF => "Convert",
        Op::FConvert | Op::SConvert | Op::UConvert => "Convert",
        Op::Bitcast => "Bitcast",
        Op::ExtInst => function(lowering, source).unwrap_or("ExtInst"),
        _ => return None,
    })
}

fn function(lowering: &Lowering, source: &Source) -> Option<&'static str> {
    let set = lowering.entity(lowering.id(source, 0).ok()?).ok()?;
    let number = lowering.literal(source, 1).ok()?;
    matches!(set, Entity::Set(ExtendedSet::Glsl450)).then(|| extended::name("GLSL.std.450", number))?
}

/// Operations on each component, while the instructions that they consist of go by.
#[derive(Default)]
pub(crate) struct Passing {
    origin: Option<u32>,
    operands: Vec<Arc<Matrix>>,
}

impl Passing {
    /// The next instruction is a part of this one of the module; of none at the end.
    pub fn step(&mut self, cx: &mut Context, next: Option<u32>) {
        if self.origin == next {
            return;
        }
        let program = cx.env.program;
        let known = |origin: Option<u32>| program.component_operations.get(&origin?);
        if let Some(done) = known(self.origin) {
            let mut seen = Seen::of(done.operation, std::mem::take(&mut self.operands));
            seen.result = vectors(cx, done.result);
            let (origin, mask) = (cx.origin, cx.mask());
            cx.origin = self.origin.unwrap_or(origin);
            seen.tell(cx, mask);
            cx.origin = origin;
        }
        // What is operated on may lie where the result will.
        if let Some(begun) = known(next) {
            self.operands = begun.operands.iter().filter_map(|operand| vectors(cx, *operand)).collect();
        }
        self.origin = next;
    }
}
