//! What instructions on matrices do to a subgroup's registers and to memory.

use std::sync::Arc;

use super::arithmetic::{binary, negate, times_scalar};
use super::convert::{bitcast, change_use, convert, transpose};
use super::memory::{Bytes, Layout, Placement, load, store};
use super::multiply::multiply_add;
use super::operation::{
    Decoder, Extra, Holder, LayoutChange, MatrixInstruction, Number, Operation, Pointer, Source, Strided,
    Tensor, ViewChange,
};
use super::reduce::reduce;
use super::tensor::{self, Access, Call, ClampMode, Place, TensorLayout, TensorView};
use super::{Matrix, MatrixType, Scope, arrays};
use crate::RunError;
use crate::checks::FindingKind;
use crate::machine::{Argument, Context, Plane, lanes_of};
use crate::memory::Memory;
use crate::observer::{AccessKind, MatrixEvent};
use crate::ownership::Map;
use crate::program::Slot;
use crate::settings::DecodeChoice;

impl Bytes for Memory<'_> {
    fn read(&mut self, address: u64, bytes: &mut [u8]) {
        self.read_bytes(address, bytes);
    }

    fn read_rows(&mut self, address: u64, stride: u64, row: usize, bytes: &mut [u8]) {
        Memory::read_rows(self, address, stride, row, bytes);
    }

    fn write(&mut self, address: u64, bytes: &[u8]) {
        self.write_bytes(address, bytes);
    }
}

/// Executes an instruction for the lanes of a subgroup.
pub(crate) fn execute(instruction: &MatrixInstruction, context: &mut Context) -> Result<(), RunError> {
    execute_operation(&instruction.operation, context)
}

pub(super) fn execute_operation(operation: &Operation, cx: &mut Context) -> Result<(), RunError> {
    let checked = cx.env.settings.checked;
    if checked {
        super::checked::before(operation, cx);
    }
    execute_unchecked(operation, cx)?;
    if checked {
        super::checked::after(operation, cx);
    }
    Ok(())
}

fn execute_unchecked(operation: &Operation, cx: &mut Context) -> Result<(), RunError> {
    match operation {
        Operation::Undefined { result, type_ } => set(cx, *result, Arc::new(undefined(cx, type_))),
        Operation::Splat { result, type_, value } => {
            let bits = component_bits(cx, *value, type_);
            set(cx, *result, Arc::new(Matrix::splat(type_, bits)));
        }
        Operation::Load { result, type_, from } => {
            let place = placement(cx, from);
            announce(cx, AccessKind::Read, type_, "CooperativeMatrixLoad", |row, column| {
                Some(place.address(type_, row, column))
            });
            let mut matrix = reusable(cx, *result, type_);
            if let Some(matrix) = Arc::get_mut(&mut matrix) {
                load(matrix, &mut cx.env.memory, &place, &mut cx.env.report.scratch);
            }
            if cx.env.settings.checked {
                cx.check_placement(AccessKind::Read, type_, &place);
                check_read(cx, type_, Arc::make_mut(&mut matrix), &|index| {
                    let (row, column) = type_.row_and_column(index);
                    Some(place.address(type_, row, column))
                });
            }
            set(cx, *result, matrix);
        }
        Operation::Store { object, to } => {
            let (place, type_) = (placement(cx, to), &object.type_);
            announce(cx, AccessKind::Write, type_, "CooperativeMatrixStore", |row, column| {
                Some(place.address(type_, row, column))
            });
            let matrix = fetch(cx, object);
            if cx.env.settings.checked {
                let apart = cx.check_placement(AccessKind::Write, type_, &place);
                let map = map(cx, type_);
                cx.check_elements_written(type_, &map, &matrix, apart, &|index| {
                    let (row, column) = type_.row_and_column(index);
                    Some(place.address(type_, row, column))
                });
            }
            store(&matrix, &mut cx.env.memory, &place, &mut cx.env.report.scratch);
        }
        Operation::Length { result, type_ } => {
            let length = map(cx, type_).length();
            let plane = cx.plane(*result);
            cx.registers.set_uniform(plane, length);
        }
        Operation::Coordinate { result, type_, index } => coordinate(cx, *result, type_, *index),
        Operation::ElementLoad { result, type_, holder, index } => {
            let plane = holder_plane(cx, *holder)?;
            let matrix = matrix_at(cx, plane, type_);
            let index = *index;
            element_load(cx, *result, type_, &matrix, |cx, lane| number(cx, index, lane));
        }
        Operation::ElementStore { type_, holder, index, value } => {
            let plane = holder_plane(cx, *holder)?;
            let index = *index;
            let mut matrix = cx.registers.take_matrix(plane).filter(|matrix| fits(matrix, type_));
            let mut matrix = matrix.take().unwrap_or_else(|| Arc::new(undefined(cx, type_)));
            element_store(cx, type_, &mut matrix, *value, |cx, lane| number(cx, index, lane));
            cx.registers.set_matrix(plane, matrix);
        }
        Operation::Extract { result, object, index } => {
            let matrix = fetch(cx, object);
            element_load(cx, *result, &object.type_, &matrix, |_, _| u64::from(*index));
        }
        Operation::Insert { result, object, index, value } => {
            let mut matrix = fetch(cx, object);
            element_store(cx, &object.type_, &mut matrix, *value, |_, _| u64::from(*index));
            set(cx, *result, matrix);
        }
        Operation::Binary { result, operation, a, b } => {
            let (a, b) = (fetch(cx, a), fetch(cx, b));
            let value = binary(*operation, a, &b, &cx.env.settings.numerics);
            set(cx, *result, value);
        }
        Operation::Negate { result, a } => {
            let value = negate(fetch(cx, a));
            set(cx, *result, value);
        }
        Operation::TimesScalar { result, a, scalar } => {
            let bits = component_bits(cx, *scalar, &a.type_);
            let value = times_scalar(fetch(cx, a), bits, &cx.env.settings.numerics);
            set(cx, *result, value);
        }
        Operation::Convert { result, source, type_, conversion, transposed } => {
            let matrix = fetch(cx, source);
            let numerics = cx.env.settings.numerics;
            let matrix = if *transposed { Arc::new(turned(&matrix, type_)) } else { matrix };
            set(cx, *result, Arc::new(convert(&matrix, *type_, *conversion, &numerics)));
        }
        Operation::Bitcast { result, source, type_, transposed } => {
            let matrix = fetch(cx, source);
            let matrix = if *transposed { Arc::new(turned(&matrix, type_)) } else { matrix };
            set(cx, *result, Arc::new(bitcast(&matrix, *type_)));
        }
        Operation::ChangeUse { result, source, type_, transposed } => {
            let matrix = fetch(cx, source);
            let numerics = cx.env.settings.numerics;
            let matrix =
                if *transposed { transpose(&matrix, *type_, &numerics) } else { change_use(&matrix, *type_) };
            set(cx, *result, Arc::new(matrix));
        }
        Operation::MultiplyAdd { result, a, b, c, type_, operands } => {
            let in_place = c.slot == *result;
            let (a, b) = (fetch(cx, a), fetch(cx, b));
            let c = if in_place { take(cx, c) } else { fetch(cx, c) };
            let (m, n, k) = (type_.rows, type_.columns, a.type_().columns);
            let work = u64::from(m) * u64::from(n) * u64::from(k);
            cx.env.report.counts.matrix_multiplies += 1;
            cx.env.report.counts.matrix_flops += 2 * work;
            tell(cx, "CooperativeMatrixMulAdd", [m, n, k]);
            let c = if in_place { c } else { into_result(cx, *result, c) };
            let numerics = cx.env.settings.numerics;
            let (sum, outcome) = multiply_add(&a, &b, c, *type_, *operands, &numerics)
                .map_err(|why| RunError::invalid(why.0))?;
            set(cx, *result, sum);
            if cx.env.settings.checked
                && let Some(index) = outcome.overflow
            {
                let (row, column) = type_.row_and_column(index);
                let message = format!(
                    "the sum of products of element ({row}, {column}) does not fit {}: with saturation, the result is undefined",
                    type_.component.name()
                );
                cx.find(FindingKind::SaturatingOverflow, cx.registers.first_active(), message);
            }
        }
        Operation::Reduce { result, source, type_, reduce: mode, function } => {
            let matrix = fetch(cx, source);
            tell(cx, "CooperativeMatrixReduce", [source.type_.rows, source.type_.columns, 0]);
            let value = reduce(&matrix, *type_, *mode, &mut |left, right| {
                let (left, right) = (words(left, type_), words(right, type_));
                let mut results = Vec::new();
                let elements = left.len() / planes(type_);
                cx.call_over_elements(
                    *function,
                    elements,
                    &[Argument::Each(&left), Argument::Each(&right)],
                    &mut results,
                )?;
                Ok::<_, RunError>(bits(&results, elements, type_))
            })?;
            set(cx, *result, Arc::new(value));
        }
        Operation::PerElement { result, source, function, extra } => {
            let value = per_element(cx, source, *function, extra)?;
            set(cx, *result, Arc::new(value));
        }
        Operation::LoadTensor { result, object, from, scalar, vector } => {
            let value = load_tensor(cx, object, from, *scalar, *vector)?;
            set(cx, *result, Arc::new(value));
        }
        Operation::StoreTensor { object, to } => store_tensor(cx, object, to),
        Operation::Construct { result, type_, array, width, length } => {
            let matrix = arrays::construct(*type_, *width, |invocation, i| {
                let plane = cx.plane(array.offset(i.min(length.saturating_sub(1))));
                let lane = (invocation as usize).min(cx.registers.lanes() - 1);
                let exists = (invocation as usize) < cx.registers.lanes() && i < *length;
                let undefined = !exists || cx.registers.undefined(plane) >> lane & 1 != 0;
                (
                    if exists { u64::from(cx.registers.get(plane, lane)) } else { 0 },
                    undefined && cx.env.settings.checked,
                )
            });
            set(cx, *result, Arc::new(matrix));
        }
        Operation::ExtractArray { result, object, width, length } => {
            let matrix = fetch(cx, object);
            for i in 0..*length {
                let plane = cx.plane(result.offset(i));
                let mut undefined = 0;
                let lanes = cx.registers.lanes();
                let values: Vec<u32> = (0..lanes)
                    .map(|lane| {
                        let bits = arrays::extract(&matrix, *width, lane as u32, i);
                        undefined |= u128::from(bits.is_none()) << lane;
                        bits.unwrap_or(0) as u32
                    })
                    .collect();
                cx.registers.set_lanes(plane, |lane| values[lane]);
                cx.registers.set_undefined(plane, undefined);
            }
        }
        Operation::BitcastArray { result, array, from_width, to_width, length } => {
            bitcast_array(cx, *result, *array, *from_width, *to_width, *length);
        }
        Operation::SubArray { result, array, start, planes, length, source_length } => {
            let start_plane = cx.plane(*start);
            let (lanes, mask) = (cx.registers.lanes(), cx.mask());
            if cx.env.settings.checked {
                for lane in lanes_of(mask) {
                    let start = i64::from(cx.registers.get(start_plane, lane) as i32);
                    if start < 0 || start + i64::from(*length) > i64::from(*source_length) {
                        let message =
                            format!("{length} elements from {start} of an array of {source_length}");
                        cx.find(FindingKind::OutOfBounds, lane, message);
                    }
                }
            }
            for part in 0..*length * planes {
                let plane = cx.plane(result.offset(part));
                let values: Vec<u32> = (0..lanes)
                    .map(|lane| {
                        let start = i64::from(cx.registers.get(start_plane, lane) as i32);
                        let index = start + i64::from(part / planes);
                        let index = index.clamp(0, i64::from(source_length.saturating_sub(1))) as u32;
                        cx.registers.get(cx.plane(array.offset(index * planes + part % planes)), lane)
                    })
                    .collect();
                cx.registers.set_lanes(plane, |lane| values[lane]);
            }
        }
        Operation::CreateLayout { result, dimensions, clamp_mode } => {
            set_words(cx, *result, &TensorLayout::new(*dimensions, *clamp_mode).to_words());
        }
        Operation::ChangeLayout { result, source, dimensions, clamp_mode, change, values } => {
            let mut layout = tensor_layout(cx, *source, *dimensions, *clamp_mode);
            let values: Vec<u32> = values.iter().map(|slot| cx.registers.any(cx.plane(*slot))).collect();
            match change {
                LayoutChange::BlockSize => layout.set_block_size(&values),
                LayoutChange::Dimension => layout.set_dimension(&values),
                LayoutChange::Stride => layout.set_stride(&values),
                LayoutChange::Slice => layout.slice(&values),
                LayoutChange::ClampValue => layout.clamp_value = values.first().copied().unwrap_or(0),
            }
            set_words(cx, *result, &layout.to_words());
        }
        Operation::CreateView { result, view } => set_words(cx, *result, &view.to_words()),
        Operation::ChangeView { result, source, view, change, values } => {
            let mut view = tensor_view(cx, *source, *view);
            let values: Vec<u32> = values.iter().map(|slot| cx.registers.any(cx.plane(*slot))).collect();
            match change {
                ViewChange::Dimension => view.set_dimension(&values),
                ViewChange::Stride => view.set_stride(&values),
                ViewChange::Clip => {
                    view.clip.iter_mut().zip(&values).for_each(|(slot, value)| *slot = *value)
                }
            }
            set_words(cx, *result, &view.to_words());
        }
    }
    Ok(())
}

/// The elements that an undefined matrix has, marked where somebody asks.
fn undefined(cx: &Context, type_: &MatrixType) -> Matrix {
    if cx.env.settings.checked { Matrix::undefined(*type_) } else { Matrix::zero(*type_) }
}

fn fits(matrix: &Matrix, type_: &MatrixType) -> bool {
    let found = matrix.type_();
    found.component.width() == type_.component.width()
        && found.component.is_float() == type_.component.is_float()
        && (found.rows, found.columns) == (type_.rows, type_.columns)
}

/// A matrix that a register holds; an undefined one where nothing was written.
pub(super) fn fetch(cx: &Context, source: &Source) -> Arc<Matrix> {
    matrix_at(cx, cx.plane(source.slot), &source.type_)
}

fn matrix_at(cx: &Context, plane: Plane, type_: &MatrixType) -> Arc<Matrix> {
    match cx.registers.matrix(plane) {
        Some(matrix) if fits(matrix, type_) => matrix.clone(),
        _ => Arc::new(undefined(cx, type_)),
    }
}

/// The same out of its register, which is written next.
fn take(cx: &mut Context, source: &Source) -> Arc<Matrix> {
    let plane = cx.plane(source.slot);
    let matrix = cx.registers.take_matrix(plane).filter(|matrix| fits(matrix, &source.type_));
    matrix.unwrap_or_else(|| Arc::new(undefined(cx, &source.type_)))
}

pub(super) fn set(cx: &mut Context, result: Slot, matrix: Arc<Matrix>) {
    let plane = cx.plane(result);
    cx.registers.set_matrix(plane, matrix);
}

/// A matrix to write over: what the result's register held before, or one that no register holds any more.
fn reusable(cx: &mut Context, result: Slot, type_: &MatrixType) -> Arc<Matrix> {
    let plane = cx.plane(result);
    match cx.registers.take_matrix(plane) {
        Some(matrix) if matrix.type_() == type_ && Arc::strong_count(&matrix) == 1 => matrix,
        _ => cx.registers.spare_matrix(type_).unwrap_or_else(|| Arc::new(Matrix::zero(*type_))),
    }
}

/// The accumulator of an operation that makes `result` of it: a copy that nobody else holds.
fn into_result(cx: &mut Context, result: Slot, source: Arc<Matrix>) -> Arc<Matrix> {
    let mut matrix = reusable(cx, result, source.type_());
    let copied = Arc::get_mut(&mut matrix).is_some_and(|matrix| matrix.copy_from(&source));
    if copied { matrix } else { source }
}

/// The bits of a scalar that is the same for all invocations.
pub(super) fn component_bits(cx: &Context, slot: Slot, type_: &MatrixType) -> u64 {
    let plane = cx.plane(slot);
    if type_.component.width() == 64 {
        cx.registers.any_wide(plane)
    } else {
        u64::from(cx.registers.any(plane))
    }
}

fn number(cx: &Context, number: Number, lane: usize) -> u64 {
    let plane = cx.plane(number.slot);
    match (number.wide, number.signed) {
        (true, _) => cx.registers.get_wide(plane, lane),
        (false, true) => cx.registers.get(plane, lane) as i32 as i64 as u64,
        (false, false) => u64::from(cx.registers.get(plane, lane)),
    }
}

fn address(cx: &Context, pointer: &Pointer) -> u64 {
    cx.registers.any_wide(cx.plane(pointer.slot)).wrapping_add(u64::from(pointer.offset))
}

fn placement(cx: &Context, strided: &Strided) -> Placement {
    let stride = match strided.stride {
        Some(stride) => number(cx, stride, cx.registers.first_active()).wrapping_mul(strided.unit),
        None => 0,
    };
    let stride = match strided.layout {
        Layout::RowMajor | Layout::ColumnMajor => stride,
        // Validated modules have 1, 2 or 4 here.
        Layout::RowBlockedInterleaved | Layout::ColumnBlockedInterleaved => stride.clamp(1, 1 << 16),
    };
    Placement { address: address(cx, &strided.pointer), layout: strided.layout, stride }
}

/// Who owns the elements of a type. Of a workgroup's matrix, among all its invocations.
fn map(cx: &Context, type_: &MatrixType) -> Arc<Map> {
    let invocations = match type_.scope {
        Scope::Subgroup => cx.env.settings.subgroup_size,
        Scope::Workgroup => cx.env.program.interface.workgroup_size.iter().product(),
    };
    cx.env.settings.ownership.map(type_, invocations)
}

/// The number of a lane among the owners of a matrix.
fn owner(cx: &Context, type_: &MatrixType, lane: usize) -> u32 {
    match type_.scope {
        Scope::Subgroup => lane as u32,
        Scope::Workgroup => cx.invocation(lane).index,
    }
}

/// Checks what is read, and says which elements are undefined because nobody wrote them.
fn check_read(
    cx: &mut Context,
    type_: &MatrixType,
    matrix: &mut Matrix,
    address: &dyn Fn(usize) -> Option<u64>,
) {
    let map = map(cx, type_);
    for index in cx.check_elements_read(type_, &map, address) {
        matrix.set_undefined(index, true);
    }
}

/// Tells who wants to know that memory is accessed, and counts the bytes. Each access is that of the element's owner.
fn announce(
    cx: &mut Context,
    kind: AccessKind,
    type_: &MatrixType,
    operation: &'static str,
    address: impl Fn(u32, u32) -> Option<u64>,
) {
    tell(cx, operation, [type_.rows, type_.columns, 0]);
    let size = type_.component.bytes();
    if !cx.env.wants.memory {
        let bytes = type_.count() as u64 * u64::from(size);
        match kind {
            AccessKind::Read => cx.env.report.counts.bytes_read += bytes,
            AccessKind::Write => cx.env.report.counts.bytes_written += bytes,
            AccessKind::Atomic => {}
        }
        return;
    }
    let map = map(cx, type_);
    let first = cx.registers.first_active();
    let lanes = cx.registers.lanes() as u32;
    let accesses: Vec<(usize, u64)> = (0..type_.count())
        .filter_map(|index| {
            let (row, column) = type_.row_and_column(index);
            let owner = map.owners(index as u32).next().map_or(first, |(owner, _)| (owner % lanes) as usize);
            Some((owner, address(row, column)?))
        })
        .collect();
    cx.count_access(kind, size, &accesses);
}

fn tell(cx: &mut Context, operation: &'static str, shape: [u32; 3]) {
    if !cx.env.wants.matrices {
        return;
    }
    let at = cx.at();
    if let Some(observer) = &mut cx.env.observer {
        observer.matrix(&at, &MatrixEvent { operation, shape });
    }
}

fn holder_plane(cx: &Context, holder: Holder) -> Result<Plane, RunError> {
    match holder {
        Holder::Plane(slot) => Ok(cx.plane(slot)),
        Holder::Pointer { pointer, offset } => {
            let plane = cx.registers.any(cx.plane(pointer)).saturating_add(offset);
            if plane < cx.registers.planes() {
                Ok(plane)
            } else {
                Err(RunError::invalid("an index into an array of cooperative matrices is out of range"))
            }
        }
    }
}

fn coordinate(cx: &mut Context, result: Slot, type_: &MatrixType, index: Number) {
    let map = map(cx, type_);
    let lanes = cx.registers.lanes();
    let places: Vec<(u32, u32)> = (0..lanes)
        .map(|lane| {
            let i = u32::try_from(number(cx, index, lane)).unwrap_or(u32::MAX);
            let element = map.element(owner(cx, type_, lane), i);
            element.map_or((0, 0), |element| type_.row_and_column(element as usize))
        })
        .collect();
    let plane = cx.plane(result);
    cx.registers.set_lanes(plane, |lane| places[lane].0);
    cx.registers.set_lanes(plane + 1, |lane| places[lane].1);
}

/// The element that is `m[i]` of each lane that takes part; none where it has no such element, which is told.
fn elements(
    cx: &mut Context,
    type_: &MatrixType,
    index: impl Fn(&Context, usize) -> u64,
) -> Vec<(usize, Option<usize>)> {
    let map = map(cx, type_);
    let mask = cx.mask();
    let mut found = Vec::with_capacity(mask.count_ones() as usize);
    for lane in lanes_of(mask) {
        let i = index(cx, lane);
        let element = u32::try_from(i).ok().and_then(|i| map.element(owner(cx, type_, lane), i));
        if element.is_none() && i >= u64::from(map.length()) && cx.env.settings.checked {
            let message =
                format!("element {} of {type_}, of which the invocation has {}", i as i64, map.length());
            cx.find(FindingKind::OutOfBounds, lane, message);
        }
        found.push((lane, element.map(|element| element as usize)));
    }
    found
}

fn element_load(
    cx: &mut Context,
    result: Slot,
    type_: &MatrixType,
    matrix: &Matrix,
    index: impl Fn(&Context, usize) -> u64,
) {
    let found = elements(cx, type_, index);
    let plane = cx.plane(result);
    let mut values = [0u64; crate::machine::MAXIMUM_LANES];
    let mut undefined = 0u128;
    for (lane, element) in found {
        values[lane] = element.map_or(0, |element| matrix.get(element));
        // An invocation without the element gets something, and what it makes of it is written nowhere.
        let known = element.is_none_or(|element| !matrix.is_undefined(element));
        undefined |= u128::from(!known) << lane;
    }
    cx.registers.set_lanes(plane, |lane| values[lane] as u32);
    cx.registers.set_undefined(plane, undefined);
    if type_.component.width() == 64 {
        cx.registers.set_lanes(plane + 1, |lane| (values[lane] >> 32) as u32);
        cx.registers.set_undefined(plane + 1, undefined);
    }
}

fn element_store(
    cx: &mut Context,
    type_: &MatrixType,
    matrix: &mut Arc<Matrix>,
    value: Slot,
    index: impl Fn(&Context, usize) -> u64,
) {
    let found = elements(cx, type_, index);
    let plane = cx.plane(value);
    let matrix = Arc::make_mut(matrix);
    for (lane, element) in found {
        let Some(element) = element else { continue };
        let bits = match type_.component.width() {
            64 => cx.registers.get_wide(plane, lane),
            _ => u64::from(cx.registers.get(plane, lane)),
        };
        matrix.set(element, bits);
        if cx.registers.undefined(plane) >> lane & 1 != 0 {
            matrix.set_undefined(element, true);
        }
    }
}

fn turned(matrix: &Matrix, type_: &MatrixType) -> Matrix {
    let target = MatrixType { component: matrix.type_().component, ..*type_ };
    transpose(matrix, target, &Default::default())
}

/// How many planes a component takes.
fn planes(type_: &MatrixType) -> usize {
    if type_.component.width() == 64 { 2 } else { 1 }
}

/// Bits of components as words in planes.
fn words(bits: &[u64], type_: &MatrixType) -> Vec<u32> {
    let mut words: Vec<u32> = bits.iter().map(|bits| *bits as u32).collect();
    if planes(type_) == 2 {
        words.extend(bits.iter().map(|bits| (bits >> 32) as u32));
    }
    words
}

/// The other way round; `count` elements from the front.
fn bits(words: &[u32], count: usize, type_: &MatrixType) -> Vec<u64> {
    let (low, high) = words.split_at(count.min(words.len()));
    match planes(type_) {
        2 => low.iter().zip(high).map(|(low, high)| u64::from(*low) | u64::from(*high) << 32).collect(),
        _ => low.iter().map(|word| u64::from(*word)).collect(),
    }
}

fn per_element(
    cx: &mut Context,
    source: &Source,
    function: u32,
    extra: &[Extra],
) -> Result<Matrix, RunError> {
    let (matrix, type_) = (fetch(cx, source), &source.type_);
    tell(cx, "CooperativeMatrixPerElementOp", [type_.rows, type_.columns, 0]);
    let count = type_.count();
    let (mut rows, mut columns) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for index in 0..count {
        let (row, column) = type_.row_and_column(index);
        rows.push(row);
        columns.push(column);
    }
    let own = words(&matrix.all_bits(), type_);
    let mut others = Vec::new();
    for extra in extra {
        if let Extra::Matrix(source) = extra {
            others.push(words(&fetch(cx, source).all_bits(), &source.type_));
        }
    }
    let mut arguments = vec![Argument::Each(&rows), Argument::Each(&columns), Argument::Each(&own)];
    let mut other = others.iter();
    for extra in extra {
        match extra {
            Extra::Matrix(_) => arguments.extend(other.next().map(|words| Argument::Each(words))),
            Extra::Value(slot, planes) => arguments.push(Argument::Same(*slot, *planes)),
        }
    }
    let mut results = Vec::new();
    cx.call_over_elements(function, count, &arguments, &mut results)?;
    Ok(Matrix::from_bits(*type_, &bits(&results, count, type_)))
}

fn set_words(cx: &mut Context, result: Slot, words: &[u32]) {
    for (index, word) in words.iter().enumerate() {
        let plane = cx.plane(result.offset(index as u32));
        cx.registers.set_uniform(plane, *word);
    }
}

fn tensor_layout(cx: &Context, slot: Slot, dimensions: usize, clamp_mode: ClampMode) -> TensorLayout {
    TensorLayout::from_words(dimensions, clamp_mode, |word| {
        cx.registers.any(cx.plane(slot.offset(word as u32)))
    })
}

fn tensor_view(cx: &Context, slot: Slot, view: TensorView) -> TensorView {
    view.with_words(|word| cx.registers.any(cx.plane(slot.offset(word as u32))))
}

/// Where each element goes, in rows.
struct Places {
    layout: TensorLayout,
    all: Vec<Place>,
    base: u64,
}

fn places(cx: &mut Context, tensor: &Tensor, type_: &MatrixType, access: Access) -> Places {
    let layout = tensor_layout(cx, tensor.layout, tensor.dimensions, tensor.clamp_mode);
    let view = tensor.view.map(|(slot, view)| tensor_view(cx, slot, view));
    let all: Vec<Place> = (0..type_.count())
        .map(|index| {
            let (row, column) = type_.row_and_column(index);
            tensor::place(&layout, view.as_ref(), type_, row, column, access)
        })
        .collect();
    if cx.env.settings.checked {
        let lane = cx.registers.first_active();
        if let Some(mistake) = layout.mistake() {
            cx.find(FindingKind::OutOfBounds, lane, mistake);
        }
        let outside = all.iter().position(|place| matches!(place, Place::Element { outside: true, .. }));
        if let Some(index) = outside {
            let (row, column) = type_.row_and_column(index);
            let message = format!(
                "element ({row}, {column}) lies outside of the tensor, and the layout's clamp mode is Undefined"
            );
            cx.find(FindingKind::OutOfBounds, lane, message);
        }
    }
    Places { layout, all, base: address(cx, &tensor.pointer) }
}

fn load_tensor(
    cx: &mut Context,
    object: &Source,
    from: &Tensor,
    scalar: Option<Decoder>,
    vector: Option<Decoder>,
) -> Result<Matrix, RunError> {
    let type_ = &object.type_;
    let places = places(cx, from, type_, Access::Load);
    let mut matrix = (*fetch(cx, object)).clone();
    for (index, place) in places.all.iter().enumerate() {
        if *place == Place::Clamped {
            // The bits of the component, as hardware takes them.
            matrix.set(index, u64::from(places.layout.clamp_value));
        }
    }
    let Some(scalar) = scalar else {
        let size = u64::from(type_.component.bytes());
        let address = |index: usize| match places.all[index] {
            Place::Element { index, .. } => {
                Some(places.base.wrapping_add(u64::from(index).wrapping_mul(size)))
            }
            Place::Clipped | Place::Clamped => None,
        };
        announce(cx, AccessKind::Read, type_, "CooperativeMatrixLoadTensor", |row, column| {
            address((row * type_.columns + column) as usize)
        });
        for index in 0..type_.count() {
            if let Some(address) = address(index) {
                matrix.set(index, cx.env.memory.read(address, size as u32));
            }
        }
        if cx.env.settings.checked {
            check_read(cx, type_, &mut matrix, &address);
        }
        return Ok(matrix);
    };
    tell(cx, "CooperativeMatrixLoadTensor", [type_.rows, type_.columns, 0]);
    let choice = cx.env.settings.decode;
    let (vectors, scalars) = match vector {
        Some(vector) => {
            let mut turn = false;
            tensor::vector_calls(&places.all, &places.layout, type_, vector.width as usize, || {
                turn = !turn;
                match choice {
                    DecodeChoice::Scalar => false,
                    DecodeChoice::Vector => true,
                    DecodeChoice::Mixed => turn,
                }
            })
        }
        None => tensor::vector_calls(&places.all, &places.layout, type_, 1, || false),
    };
    decode(cx, &places, scalar, &scalars, &mut matrix)?;
    if let Some(vector) = vector {
        decode(cx, &places, vector, &vectors, &mut matrix)?;
        if cx.env.settings.checked && !vectors.is_empty() {
            compare_decoders(cx, &places, scalar, &vectors, &matrix)?;
        }
    }
    Ok(matrix)
}

/// Calls a decode function for each of `calls`, and puts what it gives into the matrix.
fn decode(
    cx: &mut Context,
    places: &Places,
    decoder: Decoder,
    calls: &[Call],
    matrix: &mut Matrix,
) -> Result<(), RunError> {
    if calls.is_empty() {
        return Ok(());
    }
    let (count, dimensions) = (calls.len(), places.layout.dimensions);
    let addresses: Vec<u64> = calls
        .iter()
        .map(|call| places.base.wrapping_add(u64::from(call.index).wrapping_mul(u64::from(decoder.size))))
        .collect();
    let mut pointer: Vec<u32> = addresses.iter().map(|address| *address as u32).collect();
    pointer.extend(addresses.iter().map(|address| (address >> 32) as u32));
    let coordinates = |of: fn(&Call) -> &tensor::Coordinate| -> Vec<u32> {
        (0..dimensions).flat_map(|dim| calls.iter().map(move |call| of(call)[dim])).collect()
    };
    let (block, in_block) = (coordinates(|call| &call.block), coordinates(|call| &call.in_block));
    let arguments = [Argument::Each(&pointer), Argument::Each(&block), Argument::Each(&in_block)];
    let mut results = Vec::new();
    cx.call_over_elements(decoder.function, count, &arguments, &mut results)?;
    let type_ = *matrix.type_();
    for (part, words) in results.chunks_exact(count * planes(&type_)).enumerate() {
        for (call, bits) in calls.iter().zip(bits(words, count, &type_)) {
            if let Some(element) = call.elements.get(part) {
                matrix.set(*element as usize, bits);
            }
        }
    }
    Ok(())
}

/// Says where the scalar function gives something else than the vector function gave.
fn compare_decoders(
    cx: &mut Context,
    places: &Places,
    scalar: Decoder,
    vectors: &[Call],
    matrix: &Matrix,
) -> Result<(), RunError> {
    let calls: Vec<Call> = vectors
        .iter()
        .flat_map(|call| &call.elements)
        .filter_map(|element| match places.all[*element as usize] {
            Place::Element { index, block, in_block, .. } => {
                Some(Call { index, block, in_block, elements: vec![*element] })
            }
            Place::Clipped | Place::Clamped => None,
        })
        .collect();
    let mut other = matrix.clone();
    decode(cx, places, scalar, &calls, &mut other)?;
    let type_ = matrix.type_();
    if let Some(index) = (0..type_.count()).find(|index| matrix.get(*index) != other.get(*index)) {
        let (row, column) = type_.row_and_column(index);
        let message = format!(
            "element ({row}, {column}) is {} by the decode function, but {} by the one for vectors",
            other.number(index),
            matrix.number(index)
        );
        cx.find(FindingKind::DecodeMismatch, cx.registers.first_active(), message);
    }
    Ok(())
}

fn store_tensor(cx: &mut Context, object: &Source, to: &Tensor) {
    let type_ = &object.type_;
    let places = places(cx, to, type_, Access::Store);
    let size = u64::from(type_.component.bytes());
    let address = |index: usize| match places.all[index] {
        Place::Element { index, .. } => Some(places.base.wrapping_add(u64::from(index).wrapping_mul(size))),
        Place::Clipped | Place::Clamped => None,
    };
    announce(cx, AccessKind::Write, type_, "CooperativeMatrixStoreTensor", |row, column| {
        address((row * type_.columns + column) as usize)
    });
    let matrix = fetch(cx, object);
    if cx.env.settings.checked {
        let map = map(cx, type_);
        cx.check_elements_written(type_, &map, &matrix, true, &address);
    }
    for index in 0..type_.count() {
        if let Some(address) = address(index) {
            cx.env.memory.write(address, size as u32, matrix.get(index));
        }
    }
}

/// Elements of one width to elements of another, in the order of memory.
fn bitcast_array(cx: &mut Context, result: Slot, array: Slot, from_width: u32, to_width: u32, length: u32) {
    let lanes = cx.registers.lanes();
    for i in 0..length {
        let mut values = vec![0u32; lanes];
        let mut undefined = 0;
        let (first, last) = (i * to_width, (i + 1) * to_width);
        for source in first / from_width..last.div_ceil(from_width) {
            let plane = cx.plane(array.offset(source));
            undefined |= cx.registers.undefined(plane);
            let start = source * from_width;
            for (lane, value) in values.iter_mut().enumerate() {
                let bits = cx.registers.get(plane, lane);
                *value |= if start >= first { bits << (start - first) } else { bits >> (first - start) };
            }
        }
        let mask = (u64::from(u32::MAX) >> (32 - to_width.clamp(1, 32))) as u32;
        let plane = cx.plane(result.offset(i));
        cx.registers.set_lanes(plane, |lane| values[lane] & mask);
        cx.registers.set_undefined(plane, undefined);
    }
}
