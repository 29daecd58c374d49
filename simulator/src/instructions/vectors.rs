//! Cooperative vectors (SPV_NV_cooperative_vector): loads, stores, sums in memory, and products with matrices in row-major and column-major layout. Their
//! arithmetic is that of other vectors. Each lane has a vector of its own, so that lanes take their turns.

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::spirv::CooperativeMatrixOperands;
use coopmat_spirv::{Opcode, opcode};

use crate::ProgramError;
use crate::code::{AtomicOp, Instruction, IntegerOp, Start, VectorMemoryInstruction, VectorProduct};
use crate::machine::{Context, MAXIMUM_LANES, Registers, lanes_of};
use crate::numerics::words::{narrow, widen};
use crate::numerics::{Format, Formats, Overflow, Rounding, Shape, multiply_add};
use crate::observer::AccessKind;
use crate::program::types::Scalar;
use crate::program::{Lowering, Place};

type Lowered<T = ()> = Result<T, ProgramError>;

/// The largest matrix that is multiplied with: more is no network of one invocation.
const MAXIMUM_ELEMENTS: u64 = 1 << 18;

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Lowered<bool> {
    let lowered = match opcode(source) {
        Opcode::CooperativeVectorLoadNV => {
            let at = start(lowering, source, 0)?;
            let result = lowering.result(source)?;
            let (scalar, count) = lowering.numbers(result.type_)?;
            VectorMemoryInstruction::Load { result: result.slot, scalar, count, at }
        }
        Opcode::CooperativeVectorStoreNV => {
            let at = start(lowering, source, 0)?;
            let value = lowering.operand(source, 2)?;
            let (scalar, count) = lowering.numbers(value.type_)?;
            VectorMemoryInstruction::Store { value: value.slot, scalar, count, at }
        }
        Opcode::CooperativeVectorReduceSumAccumulateNV => {
            let at = start(lowering, source, 0)?;
            let value = lowering.operand(source, 2)?;
            let (scalar, count) = lowering.numbers(value.type_)?;
            lowering.data.has_buffer_atomics = true;
            VectorMemoryInstruction::Sum { value: value.slot, scalar, count, at }
        }
        Opcode::CooperativeVectorMatrixMulNV | Opcode::CooperativeVectorMatrixMulAddNV => {
            match product(lowering, source)? {
                Ok(product) => VectorMemoryInstruction::Product(Box::new(product)),
                Err(reason) => return not_run(lowering, source, reason),
            }
        }
        Opcode::CooperativeVectorOuterProductAccumulateNV => return not_run(lowering, source, OPTIMAL),
        _ => return Ok(false),
    };
    lowering.emit(Instruction::Vector(lowered));
    Ok(true)
}

const OPTIMAL: &str =
    "matrices in an optimal layout are not run: use the row-major or the column-major layout";

fn not_run(lowering: &mut Lowering, source: &Source, reason: &str) -> Lowered<bool> {
    let error = format!("Op{} is not executed by the simulator: {reason}", source.class.opname);
    super::unsupported(lowering, source, error)?;
    Ok(true)
}

/// The pointer at `index` and the offset after it.
fn start(lowering: &mut Lowering, source: &Source, index: usize) -> Lowered<Start> {
    let pointer = lowering.id(source, index)?;
    let Place::Memory { pointer, offset: known, .. } = lowering.place(pointer)? else {
        return Err(ProgramError::new(format!("operand {index} of Op{} is not memory", source.class.opname)));
    };
    let offset = lowering.operand(source, index + 1)?;
    match lowering.types().scalar(offset.type_) {
        Some(Scalar::Integer { width, .. }) => {
            Ok(Start { pointer, known, offset: offset.slot, wide: width == 64 })
        }
        _ => Err(ProgramError::new("expected an integer offset")),
    }
}

/// What a component interpretation stands for, and whether it is packed.
fn interpretation(lowering: &Lowering, source: &Source, index: usize) -> Lowered<Option<(Scalar, bool)>> {
    let integer = |width, signed| Some((Scalar::Integer { width, signed }, false));
    Ok(match lowering.constant_operand(source, index)? {
        0 => Some((Scalar::Float(Format::F16), false)),
        1 => Some((Scalar::Float(Format::F32), false)),
        3 => integer(8, true),
        4 => integer(16, true),
        5 => integer(32, true),
        7 => integer(8, false),
        8 => integer(16, false),
        9 => integer(32, false),
        1_000_491_000 => Some((Scalar::Integer { width: 8, signed: true }, true)),
        1_000_491_001 => Some((Scalar::Integer { width: 8, signed: false }, true)),
        1_000_491_002 => Some((Scalar::Float(Format::E4M3), false)),
        1_000_491_003 => Some((Scalar::Float(Format::E5M2), false)),
        _ => None,
    })
}

/// A product, or why it is not executed.
fn product(lowering: &mut Lowering, source: &Source) -> Lowered<Result<VectorProduct, &'static str>> {
    const KINDS: &str = "component interpretations of 64 bits, or that do not exist, are not run";
    let with_bias = opcode(source) == Opcode::CooperativeVectorMatrixMulAddNV;
    let input = lowering.operand(source, 0)?;
    let (given, given_count) = lowering.numbers(input.type_)?;
    let Some((taken, packed)) = interpretation(lowering, source, 1)? else { return Ok(Err(KINDS)) };
    let matrix = start(lowering, source, 2)?;
    let Some((matrix_kind, false)) = interpretation(lowering, source, 4)? else { return Ok(Err(KINDS)) };
    let mut next = 5;
    let mut bias = None;
    if with_bias {
        let at = start(lowering, source, next)?;
        let Some((kind, false)) = interpretation(lowering, source, next + 2)? else { return Ok(Err(KINDS)) };
        bias = Some((at, kind));
        next += 3;
    }
    let rows = lowering.constant_operand(source, next)?;
    let columns = lowering.constant_operand(source, next + 1)?;
    let layout = lowering.constant_operand(source, next + 2)?;
    let transpose = lowering.constant_operand(source, next + 3)? != 0;
    let stride = match source.operands.get(next + 4) {
        Some(Operand::IdRef(_)) => Some(lowering.operand(source, next + 4)?.slot),
        _ => None,
    };
    let operands = source.operands.iter().find_map(|operand| match operand {
        Operand::CooperativeMatrixOperands(operands) => Some(*operands),
        _ => None,
    });
    let operands = operands.unwrap_or(CooperativeMatrixOperands::NONE_KHR);
    let signed_as = |scalar, bit| match scalar {
        Scalar::Integer { width, .. } => Scalar::Integer { width, signed: operands.contains(bit) },
        other => other,
    };
    let result = lowering.result(source)?;
    let (made, made_count) = lowering.numbers(result.type_)?;
    if made_count != rows || !packed && given_count != columns {
        return Err(ProgramError::new("a product of vectors whose lengths are not M and K"));
    }
    if packed && (given.width() != 32 || u64::from(given_count) * 4 < u64::from(columns)) {
        return Err(ProgramError::new("a product with fewer packed values than K"));
    }
    if layout > 1 || transpose {
        return Ok(Err(OPTIMAL));
    }
    let is_float = |scalar| matches!(scalar, Scalar::Float(_));
    let kinds = [taken, matrix_kind, made].into_iter().chain(bias.map(|(_, kind)| kind));
    if kinds.clone().any(is_float) != kinds.clone().all(is_float) {
        return Ok(Err("products of integers with floating-point numbers are not run"));
    }
    if [given, made].iter().any(|scalar| scalar.width() > 32) || made.width() < 16 {
        return Ok(Err("vectors of this component type are not run"));
    }
    if u64::from(rows) * u64::from(columns) > MAXIMUM_ELEMENTS {
        return Ok(Err("the matrix has more than 262,144 elements"));
    }
    Ok(Ok(VectorProduct {
        result: result.slot,
        made: signed_as(made, CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR),
        rows,
        input: input.slot,
        given: signed_as(given, CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR),
        given_count,
        taken,
        packed,
        columns,
        matrix,
        matrix_kind,
        bias,
        column_major: layout == 1,
        stride,
    }))
}

pub(super) fn execute(instruction: &VectorMemoryInstruction, cx: &mut Context) {
    match instruction {
        &VectorMemoryInstruction::Load { result, scalar, count, at } => {
            let mut out = vec![Vec::new(); MAXIMUM_LANES];
            for lane in lanes_of(cx.registers.mask()) {
                let address = address(cx, at, lane);
                if let Some(values) = out.get_mut(lane) {
                    *values = read(cx, lane, address, scalar.bytes(), count);
                }
            }
            let (first, planes) = (cx.plane(result), scalar.planes());
            for index in 0..count {
                let of = |lane: usize| {
                    out.get(lane).and_then(|values| values.get(index as usize)).copied().unwrap_or_default()
                };
                cx.registers.set_lanes(first + index * planes, |lane| of(lane) as u32);
                if planes == 2 {
                    cx.registers.set_lanes(first + index * planes + 1, |lane| (of(lane) >> 32) as u32);
                }
            }
        }
        &VectorMemoryInstruction::Store { value, scalar, count, at } => {
            let first = cx.plane(value);
            for lane in lanes_of(cx.registers.mask()) {
                let mut address = address(cx, at, lane);
                for index in 0..count {
                    let bits = component(cx.registers, first, scalar, index, lane);
                    cx.access(AccessKind::Write, scalar.bytes(), &[(lane, address)]);
                    cx.env.memory.write(address, scalar.bytes(), bits);
                    address = address.wrapping_add(u64::from(scalar.bytes()));
                }
            }
        }
        &VectorMemoryInstruction::Sum { value, scalar, count, at } => {
            let first = cx.plane(value);
            let op = match scalar {
                Scalar::Float(_) => AtomicOp::Add,
                _ => AtomicOp::Integer(IntegerOp::Add),
            };
            for lane in lanes_of(cx.registers.mask()) {
                let mut address = address(cx, at, lane);
                for index in 0..count {
                    let bits = component(cx.registers, first, scalar, index, lane);
                    cx.access(AccessKind::Atomic, scalar.bytes(), &[(lane, address)]);
                    let mut change = |old| super::atomics::combine(op, scalar, old, bits, 0);
                    cx.env.memory.update(address, scalar.bytes(), &mut change);
                    address = address.wrapping_add(u64::from(scalar.bytes()));
                }
            }
        }
        VectorMemoryInstruction::Product(product) => multiply(product, cx),
    }
}

fn component(registers: &Registers, first: u32, scalar: Scalar, index: u32, lane: usize) -> u64 {
    let plane = first + index * scalar.planes();
    match scalar.planes() {
        2 => registers.get_wide(plane, lane),
        _ => u64::from(registers.get(plane, lane)),
    }
}

fn address(cx: &Context, at: Start, lane: usize) -> u64 {
    let offset = match at.wide {
        true => cx.registers.get_wide(cx.plane(at.offset), lane),
        false => u64::from(cx.registers.get(cx.plane(at.offset), lane)),
    };
    let base = cx.registers.get_wide(cx.plane(at.pointer), lane);
    base.wrapping_add(u64::from(at.known)).wrapping_add(offset)
}

/// Numbers that lie one after the other.
fn read(cx: &mut Context, lane: usize, address: u64, bytes: u32, count: u32) -> Vec<u64> {
    let places = (0..u64::from(count)).map(|index| address.wrapping_add(index * u64::from(bytes)));
    places
        .map(|address| {
            cx.access(AccessKind::Read, bytes, &[(lane, address)]);
            cx.env.memory.read(address, bytes)
        })
        .collect()
}

/// The matrix of a lane, row after row.
fn read_matrix(product: &VectorProduct, cx: &mut Context, lane: usize, address: u64) -> Vec<u64> {
    let (rows, columns) = (product.rows, product.columns);
    let stride = product.stride.map_or(0, |stride| cx.registers.get(cx.plane(stride), lane));
    let bytes = product.matrix_kind.bytes();
    let (lines, length) = if product.column_major { (columns, rows) } else { (rows, columns) };
    let mut elements = Vec::new();
    for line in 0..u64::from(lines) {
        let address = address.wrapping_add(line * u64::from(stride));
        elements.extend(read(cx, lane, address, bytes, length));
    }
    if !product.column_major {
        return elements;
    }
    let at =
        |row: u32, column: u32| elements.get((column * rows + row) as usize).copied().unwrap_or_default();
    (0..rows).flat_map(|row| (0..columns).map(move |column| at(row, column))).collect()
}

fn multiply(product: &VectorProduct, cx: &mut Context) {
    let (result, input) = (cx.plane(product.result), cx.plane(product.input));
    let mut known: Option<((u64, u32), Vec<u64>)> = None;
    let mut results = Vec::new();
    for lane in lanes_of(cx.registers.mask()) {
        let given: Vec<u64> = (0..product.given_count)
            .map(|index| component(cx.registers, input, product.given, index, lane))
            .collect();
        let vector = taken(product, &given);
        let address_of = address(cx, product.matrix, lane);
        let stride = product.stride.map_or(0, |stride| cx.registers.get(cx.plane(stride), lane));
        // Lanes mostly have one matrix: it is read once.
        let matrix = match known.take() {
            Some((key, matrix)) if key == (address_of, stride) => matrix,
            _ => read_matrix(product, cx, lane, address_of),
        };
        let bias = product.bias.map(|(at, kind)| {
            let at = address(cx, at, lane);
            (read(cx, lane, at, kind.bytes(), product.rows), kind)
        });
        results.push((lane, product_of(product, cx, &matrix, &vector, bias)));
        known = Some(((address_of, stride), matrix));
    }
    for (lane, values) in results {
        for (index, bits) in values.into_iter().enumerate() {
            cx.registers.set_lane(result + index as u32, lane, bits);
        }
    }
}

/// The input as numbers of its interpretation.
fn taken(product: &VectorProduct, given: &[u64]) -> Vec<u64> {
    let bytes = |word: &u64| (*word as u32).to_le_bytes().map(u64::from);
    match product.packed {
        true => given.iter().flat_map(bytes).take(product.columns as usize).collect(),
        false => given.iter().map(|&bits| converted(bits, product.given, product.taken)).collect(),
    }
}

fn integer(bits: u64, scalar: Scalar) -> i64 {
    let Scalar::Integer { width, signed } = scalar else { return bits as i64 };
    let unused = 64 - u32::from(width);
    let shifted = bits << unused;
    if signed { shifted as i64 >> unused } else { (shifted >> unused) as i64 }
}

/// Of integers and to integers saturating, to the nearest where it is rounded.
fn converted(bits: u64, from: Scalar, to: Scalar) -> u64 {
    let (low, high) = match to {
        Scalar::Integer { width, signed: true } => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
        Scalar::Integer { width, .. } => (0, ((1u64 << width) - 1) as i64),
        _ => (0, 0),
    };
    match (from, to) {
        (Scalar::Float(from), Scalar::Float(to)) if from == to => bits,
        (Scalar::Float(from), Scalar::Float(to)) => {
            to.from_f64(from.to_f64(bits), Rounding::NearestEven, Overflow::Special)
        }
        (Scalar::Float(from), _) => {
            // Without a fraction, beyond the ends the ends, and zero for NaN, as `as` has it.
            (from.to_f64(bits).round_ties_even() as i64).clamp(low, high) as u64
        }
        (_, Scalar::Float(to)) => {
            to.from_f64(integer(bits, from) as f64, Rounding::NearestEven, Overflow::Special)
        }
        _ => integer(bits, from).clamp(low, high) as u64,
    }
}

fn product_of(
    product: &VectorProduct,
    cx: &Context,
    matrix: &[u64],
    vector: &[u64],
    bias: Option<(Vec<u64>, Scalar)>,
) -> Vec<u32> {
    let (m, k) = (product.rows as usize, product.columns as usize);
    if let (Scalar::Float(a), Scalar::Float(b), Scalar::Float(result)) =
        (product.matrix_kind, product.taken, product.made)
    {
        let numbers = |format: Format, bits: &[u64]| -> Vec<f32> {
            bits.iter().map(|&bits| widen(format, bits as u32)).collect()
        };
        let mut sums = match bias {
            Some((bits, Scalar::Float(format))) => numbers(format, &bits),
            _ => vec![0.0; m],
        };
        let (left, right) = (numbers(a, matrix), numbers(b, vector));
        let shape = Shape { m, n: 1, k };
        let mode = cx.env.settings.numerics.mode;
        multiply_add(mode, &left, &right, &mut sums, shape, Formats { a, b, result });
        return sums.into_iter().map(|sum| narrow(result, sum)).collect();
    }
    // "exact (with the usual wrapping rules)" at the precision of the result.
    let right: Vec<i64> = vector.iter().map(|&bits| integer(bits, product.taken)).collect();
    let mut rows = Vec::new();
    for row in 0..m {
        let start = match &bias {
            Some((bits, kind)) => integer(bits.get(row).copied().unwrap_or_default(), *kind),
            None => 0,
        };
        let elements = matrix.iter().skip(row * k).take(k);
        let sum = elements.zip(&right).fold(start, |sum, (&bits, &value)| {
            sum.wrapping_add(integer(bits, product.matrix_kind).wrapping_mul(value))
        });
        rows.push(sum as u32);
    }
    rows
}
