//! Products of matrices in memory with vectors (OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV).

use std::sync::Arc;

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::spirv::CooperativeMatrixOperands;
use coopmat_spirv::{Opcode, opcode};

use super::memory::{self, Numbers};
use super::operands::{
    MAXIMUM_ELEMENTS, Stop, address, component, element, not_run, optional, result, start, vector,
};
use super::{kinds, sums, watched};
use crate::ProgramError;
use crate::code::{Bias, StoredMatrix, VectorMemoryInstruction, VectorOperand, VectorProduct};
use crate::machine::{Context, Mask};
use crate::matrix::{Component, arithmetic};
use crate::numerics::words::{narrow, widen};
use crate::numerics::{Format, Formats, Mode, Shape, multiply_add, multiply_add_f64};
use crate::observer::VectorValues;
use crate::program::Lowering;
use crate::program::types::Scalar;
use crate::vector_layout::CooperativeVectorMatrixLayout;

/// The layout that an operand says.
pub(super) fn layout(
    lowering: &Lowering,
    source: &Source,
    index: usize,
) -> Result<CooperativeVectorMatrixLayout, Stop> {
    let number = lowering.constant_operand(source, index)?;
    match CooperativeVectorMatrixLayout::from_number(number) {
        Some(layout) => Ok(layout),
        None => not_run(format!("there is no matrix layout {number}")),
    }
}

/// Stops where a matrix is too large.
pub(super) fn check_size(rows: u32, columns: u32) -> Result<(), Stop> {
    match u64::from(rows) * u64::from(columns) {
        0..=MAXIMUM_ELEMENTS => Ok(()),
        elements => not_run(format!(
            "the matrix of {rows}x{columns} has {elements} elements, more than {MAXIMUM_ELEMENTS}"
        )),
    }
}

fn is_float(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Float(_))
}

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<VectorMemoryInstruction, Stop> {
    let input = vector(lowering, source, 0)?;
    let (taken, packed) = kinds::interpretation(lowering, source, 1)?;
    let interpretation = lowering.constant_operand(source, 1)?;
    let at = start(lowering, source, 2)?;
    let scalar = kinds::stored(lowering, source, 4)?;
    let (bias, next) = match opcode(source) {
        Opcode::CooperativeVectorMatrixMulAddNV => {
            let (at, scalar) = (start(lowering, source, 5)?, kinds::stored(lowering, source, 7)?);
            (Some(Bias { at, scalar, interpretation: lowering.constant_operand(source, 7)? }), 8)
        }
        _ => (None, 5),
    };
    let rows = lowering.constant_operand(source, next)?;
    let length = lowering.constant_operand(source, next + 1)?;
    let layout = layout(lowering, source, next + 2)?;
    let transpose = lowering.constant_operand(source, next + 3)? != 0;
    let stride = optional(lowering, source, next + 4)?;
    // "The matrix is MxK if transpose is false and KxM (before transposing) if transpose is true."
    let (down, across) = if transpose { (length, rows) } else { (rows, length) };
    let matrix = StoredMatrix {
        at,
        scalar,
        interpretation: lowering.constant_operand(source, 4)?,
        rows: down,
        columns: across,
        layout,
        stride,
    };
    let operands = cooperative_operands(source);
    let signed = |vector: VectorOperand, bit| match vector.scalar {
        Scalar::Integer { width, .. } => {
            VectorOperand { scalar: Scalar::Integer { width, signed: operands.contains(bit) }, ..vector }
        }
        _ => vector,
    };
    let made = result(lowering, source)?;
    let product = VectorProduct {
        result: signed(made, CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR),
        input: signed(input, CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR),
        taken,
        packed,
        interpretation,
        length,
        matrix,
        transpose,
        bias,
    };
    check(&product, rows)?;
    Ok(VectorMemoryInstruction::Product(Box::new(product)))
}

fn cooperative_operands(source: &Source) -> CooperativeMatrixOperands {
    let found = source.operands.iter().find_map(|operand| match operand {
        Operand::CooperativeMatrixOperands(operands) => Some(*operands),
        _ => None,
    });
    found.unwrap_or(CooperativeMatrixOperands::NONE_KHR)
}

/// Stops where a product is wrong, or is not run.
fn check(product: &VectorProduct, rows: u32) -> Result<(), Stop> {
    let (input, length, made) = (product.input, product.length, product.result.scalar);
    if product.result.count != rows || !product.packed && input.count != length {
        return Err(ProgramError::new("a product of vectors whose lengths are not M and K").into());
    }
    if product.packed && (input.scalar.width() != 32 || u64::from(input.count) * 4 < u64::from(length)) {
        return Err(ProgramError::new("a product with fewer packed values than K").into());
    }
    if product.transpose && !product.matrix.layout.is_optimal() {
        return not_run("a matrix in row-major or column-major layout cannot be transposed");
    }
    let kinds = [product.taken, product.matrix.scalar, made].into_iter();
    let mut kinds = kinds.chain(product.bias.map(|bias| bias.scalar));
    if kinds.any(|kind| is_float(kind) != is_float(made)) {
        return not_run("the interpretations and the result must all be integers, or all floating point");
    }
    if !matches!((is_float(made), made.width()), (true, 16 | 32) | (false, 32)) {
        return not_run("the result must have floats of 16 or 32 bits, or integers of 32 bits");
    }
    check_size(rows, length)
}

/// The lanes that have one matrix, and what was computed for them.
struct Group {
    lanes: Vec<usize>,
    /// A row for each component, a column for each lane.
    bits: Vec<u32>,
    /// For observers.
    seen: Option<watched::Seen>,
}

pub(super) fn execute(product: &VectorProduct, cx: &mut Context) {
    let rows = product.result.count as usize;
    let kind = input_kind(product, cx);
    let mut groups = Vec::new();
    let mut undefined = vec![0; if cx.registers.tracks_undefined() { rows } else { 0 }];
    for (place, lanes) in sums::groups(cx, |cx, lane| memory::place(cx, &product.matrix, lane)) {
        memory::count(cx, &product.matrix, lanes.len() as u64);
        let matrix = read_matrix(product, cx, &lanes, place);
        let biases: Vec<Numbers> = lanes.iter().map(|&lane| read_bias(product, cx, lane)).collect();
        let vectors: Vec<Vec<u64>> = lanes.iter().map(|&lane| taken(product, kind, cx, lane)).collect();
        let bits = multiply(product, kind, cx, &matrix.bits, &vectors, &biases);
        if cx.env.settings.checked {
            let operands = Operands { matrix: &matrix, kind, vectors: &vectors, biases: &biases };
            check_results(product, cx, &lanes, operands, &bits, &mut undefined);
        }
        let seen = cx.env.wants.values.then(|| {
            let operands = Operands { matrix: &matrix, kind, vectors: &vectors, biases: &biases };
            watch(product, cx, &lanes, operands, place)
        });
        groups.push(Group { lanes, bits, seen });
    }
    // The result may lie where the input does.
    let first = cx.plane(product.result.first);
    for row in 0..rows {
        let mut words = [0; crate::machine::MAXIMUM_LANES];
        for group in &groups {
            let count = group.lanes.len();
            for (lane, word) in group.lanes.iter().zip(group.bits.iter().skip(row * count)) {
                words[*lane] = *word;
            }
        }
        cx.registers.set_lanes(first + row as u32, |lane| words[lane]);
        if let Some(&lanes) = undefined.get(row) {
            cx.registers.set_undefined(first + row as u32, lanes);
        }
    }
    for group in groups {
        if let Some(mut seen) = group.seen {
            seen.result = watched::vectors(cx, product.result);
            seen.tell(cx, watched::mask(&group.lanes));
        }
    }
}

/// What observers see of a product, but its result.
fn watch(
    product: &VectorProduct,
    cx: &Context,
    lanes: &[usize],
    operands: Operands<'_>,
    place: (u64, u64),
) -> watched::Seen {
    let (stored, given) = (&product.matrix, watched::vectors(cx, product.input));
    let numbers = operands.vectors.iter().map(|vector| (vector.as_slice(), [].as_slice()));
    let taken = watched::of_lanes(cx, operands.kind, product.length, lanes, numbers);
    // Where nothing was converted, it is the same.
    let is_same = !product.packed && operands.kind == product.input.scalar;
    let taken = if is_same { given.clone() } else { taken };
    let mut matrix = watched::matrix(stored.scalar, stored.rows, stored.columns, &operands.matrix.bits);
    if let Some(matrix) = matrix.as_mut().and_then(Arc::get_mut) {
        operands.matrix.undefined.iter().for_each(|&element| matrix.set_undefined(element, true));
    }
    let mut all = vec![given, taken, matrix];
    let mut interpretations = vec![product.interpretation, stored.interpretation];
    let mut starts = None;
    if let Some(bias) = product.bias {
        let numbers = operands.biases.iter().map(|bias| (bias.bits.as_slice(), bias.undefined.as_slice()));
        all.push(watched::of_lanes(cx, bias.scalar, product.result.count, lanes, numbers));
        interpretations.push(bias.interpretation);
        starts = Some(watched::starts(cx, bias.at, bias.scalar, lanes));
    }
    let mut seen = watched::Seen::of(watched::name_of_product(product), all.into_iter().flatten().collect());
    seen.memory = Some(watched::stored(cx, stored, place, product.transpose));
    seen.vectors = VectorValues { interpretations, starts };
    seen
}

/// The matrix of these lanes. It is read once, but each of them has accessed it.
fn read_matrix(product: &VectorProduct, cx: &mut Context, lanes: &[usize], place: (u64, u64)) -> Numbers {
    let matrix = &product.matrix;
    let looked = cx.env.settings.checked || cx.env.wants.memory;
    let mut numbers: Option<Numbers> = None;
    for &lane in lanes {
        match &numbers {
            Some(numbers) if !looked => {
                let bytes = numbers.bits.len() as u64 * u64::from(matrix.scalar.bytes());
                cx.count_bytes(crate::observer::AccessKind::Read, bytes);
            }
            _ => numbers = Some(memory::read(cx, lane, matrix.scalar, memory::places(matrix, place))),
        }
    }
    numbers.unwrap_or_default()
}

fn read_bias(product: &VectorProduct, cx: &mut Context, lane: usize) -> Numbers {
    let Some(Bias { at, scalar, .. }) = product.bias else { return Numbers::default() };
    let start = address(cx, at, lane);
    memory::read(cx, lane, scalar, (0..product.result.count).map(|index| element(start, index, scalar)))
}

/// What the input is converted to. "Float to float conversion is implementation-dependent but preserves the value as accurately as reasonably possible":
/// an H100 (driver 580.159.04) multiplies `float16_t` with a matrix of 8-bit floats as it is.
fn input_kind(product: &VectorProduct, cx: &Context) -> Scalar {
    let (Scalar::Float(given), Scalar::Float(taken), Scalar::Float(result)) =
        (product.input.scalar, product.taken, product.result.scalar)
    else {
        return product.taken;
    };
    let kept = given == Format::F16 && taken.width() == 8;
    match cx.numerics(Component::Float(result)).mode {
        Mode::NvidiaHopper if kept => product.input.scalar,
        _ => product.taken,
    }
}

/// The input of a lane as numbers of its interpretation: "Packed types with a power of two number of bits are tightly packed with lower numbered components
/// stored in lower bits."
fn taken(product: &VectorProduct, kind: Scalar, cx: &Context, lane: usize) -> Vec<u64> {
    let given = (0..product.input.count).map(|index| component(cx, product.input, index, lane));
    match product.packed {
        true => given
            .flat_map(|word| (word as u32).to_le_bytes().map(u64::from))
            .take(product.length as usize)
            .collect(),
        false => given.map(|bits| kinds::converted(bits, product.input.scalar, kind)).collect(),
    }
}

/// Multiplies a matrix by the vectors of lanes: a row for each component of the results, a column for each lane.
fn multiply(
    product: &VectorProduct,
    kind: Scalar,
    cx: &Context,
    matrix: &[u64],
    vectors: &[Vec<u64>],
    biases: &[Numbers],
) -> Vec<u32> {
    let shape = Shape { m: product.result.count as usize, n: vectors.len(), k: product.length as usize };
    let left = |index: usize| {
        let (row, step) = (index / shape.k.max(1), index % shape.k.max(1));
        let at = if product.transpose { step * shape.m + row } else { index };
        matrix.get(at).copied().unwrap_or_default()
    };
    let right = |index: usize| of(vectors.get(index % shape.n).map(Vec::as_slice), index / shape.n);
    let bias =
        |index: usize| of(biases.get(index % shape.n).map(|bias| bias.bits.as_slice()), index / shape.n);
    let scalars = (product.matrix.scalar, kind, product.bias.map(|bias| bias.scalar));
    let (Scalar::Float(a), Scalar::Float(b), Scalar::Float(result)) =
        (scalars.0, scalars.1, product.result.scalar)
    else {
        return multiply_integers(scalars, shape, (&left, &right, &bias));
    };
    let c = match scalars.2 {
        Some(Scalar::Float(format)) => format,
        _ => result,
    };
    let numerics = cx.numerics(Component::Float(result));
    let (left, right): (Vec<u64>, Vec<u64>) =
        ((0..shape.m * shape.k).map(left).collect(), (0..shape.k * shape.n).map(right).collect());
    let bias = (0..shape.m * shape.n).map(bias);
    let mut sums: Vec<f32> = if [a, b, c].contains(&Format::F64) {
        let wide = |format: Format, bits: &[u64]| -> Vec<f64> {
            bits.iter().map(|&bits| format.to_f64(bits)).collect()
        };
        let mut sums: Vec<f64> = bias.map(|bits| c.to_f64(bits)).collect();
        multiply_add_f64(numerics.mode, &wide(a, &left), &wide(b, &right), &mut sums, shape, result);
        sums.into_iter().map(|sum| sum as f32).collect()
    } else {
        let numbers = |format: Format, bits: &[u64]| -> Vec<f32> {
            bits.iter().map(|&bits| widen(format, bits as u32)).collect()
        };
        let mut sums: Vec<f32> = bias.map(|bits| widen(c, bits as u32)).collect();
        // Where the input is kept, the matrix is converted.
        let formats = Formats { a: if kind == product.taken { a } else { b }, b, result };
        multiply_add(numerics.mode, &numbers(a, &left), &numbers(b, &right), &mut sums, shape, formats);
        sums
    };
    arithmetic::flush(&mut sums, result, numerics.denormals);
    sums.into_iter().map(|sum| narrow(result, sum)).collect()
}

fn of(bits: Option<&[u64]>, index: usize) -> u64 {
    bits.and_then(|bits| bits.get(index)).copied().unwrap_or_default()
}

/// Bits of the elements of the matrix, of the vectors and of the biases.
type Elements<'e> = (&'e dyn Fn(usize) -> u64, &'e dyn Fn(usize) -> u64, &'e dyn Fn(usize) -> u64);

/// "exact (with the usual wrapping rules)" at the precision of the result.
fn multiply_integers(
    (of_matrix, of_vector, of_bias): (Scalar, Scalar, Option<Scalar>),
    shape: Shape,
    (left, right, bias): Elements<'_>,
) -> Vec<u32> {
    let left: Vec<i64> = (0..shape.m * shape.k).map(|index| kinds::integer(left(index), of_matrix)).collect();
    let right: Vec<i64> =
        (0..shape.k * shape.n).map(|index| kinds::integer(right(index), of_vector)).collect();
    let sum = |index: usize| {
        let (row, column) = (index / shape.n, index % shape.n);
        let start = of_bias.map_or(0, |scalar| kinds::integer(bias(index), scalar));
        let row = left.iter().skip(row * shape.k).take(shape.k);
        let column = right.iter().skip(column).step_by(shape.n);
        let sum = row.zip(column).fold(start, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
        sum as u32
    };
    (0..shape.m * shape.n).map(sum).collect()
}

/// What a product is made of.
#[derive(Clone, Copy)]
struct Operands<'o> {
    matrix: &'o Numbers,
    /// What the vectors were converted to.
    kind: Scalar,
    vectors: &'o [Vec<u64>],
    biases: &'o [Numbers],
}

/// Checked mode: which results are undefined, and which are not finite although everything that they are made of is.
fn check_results(
    product: &VectorProduct,
    cx: &mut Context,
    lanes: &[usize],
    operands: Operands<'_>,
    bits: &[u32],
    undefined: &mut [Mask],
) {
    let row_of = |element: usize| {
        let columns = product.matrix.columns.max(1) as usize;
        if product.transpose { element % columns } else { element / columns }
    };
    let mut rows = vec![false; undefined.len()];
    for row in operands.matrix.undefined.iter().map(|&element| row_of(element)) {
        rows[row] = true;
    }
    for (column, &lane) in lanes.iter().enumerate() {
        let planes = product.input.scalar.planes() * product.input.count;
        let first = cx.plane(product.input.first);
        let input = (first..first + planes).any(|plane| cx.registers.undefined(plane) >> lane & 1 != 0);
        let bias = operands.biases.get(column).map(|bias| bias.undefined.as_slice()).unwrap_or_default();
        for (row, lanes) in undefined.iter_mut().enumerate() {
            *lanes |= Mask::from(input || rows[row] || bias.contains(&row)) << lane;
        }
    }
    let Scalar::Float(format) = product.result.scalar else { return };
    for (index, &word) in bits.iter().enumerate() {
        let (row, column) = (index / lanes.len(), index % lanes.len());
        let (value, lane) = (format.to_f64(u64::from(word)), lanes[column]);
        let is_undefined = undefined.get(row).is_some_and(|lanes| lanes >> lane & 1 != 0);
        if value.is_finite() || is_undefined || !operands.are_finite(product, &row_of, row, column) {
            continue;
        }
        cx.note_birth(value.is_nan(), 1 << lane, |_| {
            let what = if value.is_nan() { "not a number" } else { "infinite" };
            format!("component {row} of the product is {what}, although its operands are finite; it is stored later")
        });
    }
}

impl Operands<'_> {
    /// Whether a row of the matrix, a vector and its bias are.
    fn are_finite(
        &self,
        product: &VectorProduct,
        row_of: &dyn Fn(usize) -> usize,
        row: usize,
        column: usize,
    ) -> bool {
        let finite = |scalar: Scalar, bits: u64| match scalar {
            Scalar::Float(format) => format.to_f64(bits).is_finite(),
            _ => true,
        };
        let mut elements = self.matrix.bits.iter().enumerate().filter(|(element, _)| row_of(*element) == row);
        let mut vector = self.vectors.get(column).into_iter().flatten();
        let bias = self.biases.get(column).and_then(|bias| bias.bits.get(row));
        elements.all(|(_, &bits)| finite(product.matrix.scalar, bits))
            && vector.all(|&bits| finite(self.kind, bits))
            && product.bias.zip(bias).is_none_or(|(from, &bits)| finite(from.scalar, bits))
    }
}
