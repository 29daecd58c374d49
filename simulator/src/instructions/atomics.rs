//! Atomic operations. Lanes take their turns in order.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};

use super::integer;
use crate::ProgramError;
use crate::checks::atomics::Update;
use crate::code::{AtomicInstruction, AtomicOp, Instruction, IntegerOp, Where};
use crate::machine::{Context, MAXIMUM_LANES, Mask, Plane, lanes_of};
use crate::numerics::Format;
use crate::numerics::words::{bits64, narrow, widen};
use crate::observer::AccessKind;
use crate::program::types::Scalar;
use crate::program::{Lowering, Place, Slot, Value};

impl AtomicOp {
    fn of(op: Opcode) -> Option<AtomicOp> {
        Some(match op {
            Opcode::AtomicLoad => AtomicOp::Load,
            Opcode::AtomicStore => AtomicOp::Store,
            Opcode::AtomicExchange => AtomicOp::Exchange,
            Opcode::AtomicCompareExchange | Opcode::AtomicCompareExchangeWeak => AtomicOp::CompareExchange,
            Opcode::AtomicIIncrement | Opcode::AtomicIAdd => AtomicOp::Integer(IntegerOp::Add),
            Opcode::AtomicIDecrement | Opcode::AtomicISub => AtomicOp::Integer(IntegerOp::Sub),
            Opcode::AtomicSMin => AtomicOp::Integer(IntegerOp::SMin),
            Opcode::AtomicUMin => AtomicOp::Integer(IntegerOp::UMin),
            Opcode::AtomicSMax => AtomicOp::Integer(IntegerOp::SMax),
            Opcode::AtomicUMax => AtomicOp::Integer(IntegerOp::UMax),
            Opcode::AtomicAnd => AtomicOp::Integer(IntegerOp::And),
            Opcode::AtomicOr => AtomicOp::Integer(IntegerOp::Or),
            Opcode::AtomicXor => AtomicOp::Integer(IntegerOp::Xor),
            Opcode::AtomicFAddEXT => AtomicOp::Add,
            Opcode::AtomicFMinEXT => AtomicOp::Min,
            Opcode::AtomicFMaxEXT => AtomicOp::Max,
            _ => return None,
        })
    }
}

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    if let Opcode::ImageTexelPointer | Opcode::UntypedImageTexelPointerEXT = opcode(source) {
        super::images::lower_texel_pointer(lowering, source)?;
        return Ok(true);
    }
    let Some(op) = AtomicOp::of(opcode(source)) else { return Ok(false) };
    let pointer = lowering.id(source, 0)?;
    let place = lowering.place(pointer)?;
    // Pointer, scope and semantics come first; a compare-and-exchange has two semantics.
    let first = if op == AtomicOp::CompareExchange { 4 } else { 3 };
    let steps = matches!(opcode(source), Opcode::AtomicIIncrement | Opcode::AtomicIDecrement);
    let type_ = match op {
        AtomicOp::Store => lowering.operand(source, first)?.type_,
        _ => lowering.result_type(source)?,
    };
    let (scalar, count) = lowering.numbers(type_)?;
    let value = match op {
        AtomicOp::Load => None,
        _ if steps => {
            let planes = scalar.planes();
            let slot = lowering.scratch_constant(1);
            if planes == 2 {
                lowering.scratch_constant(0);
            }
            Some(Value { slot, type_ })
        }
        _ => Some(lowering.operand(source, first)?),
    };
    let comparator =
        if op == AtomicOp::CompareExchange { Some(lowering.operand(source, first + 1)?) } else { None };
    for operand in value.iter().chain(&comparator) {
        if lowering.types().planes(operand.type_) != lowering.types().planes(type_) {
            return Err(ProgramError::new("an atomic operation with a value of another type"));
        }
    }
    let is_float = matches!(scalar, Scalar::Float(_));
    let needs_float = matches!(op, AtomicOp::Add | AtomicOp::Min | AtomicOp::Max);
    if matches!(op, AtomicOp::Integer(_)) && is_float || needs_float && !is_float {
        return Err(ProgramError::new("an atomic operation with a value of another type"));
    }
    let result = match op {
        AtomicOp::Store => None,
        _ => Some(lowering.result(source)?.slot),
    };
    let at = match place {
        Place::Memory { pointer, offset, shared, .. } => {
            if !shared && op != AtomicOp::Load {
                lowering.data.has_buffer_atomics = true;
            }
            Where::Memory { pointer, offset }
        }
        Place::Planes { first, type_: held } => {
            lowering.expect(type_, held, "the value of an atomic operation")?;
            Where::Planes { first }
        }
        Place::PlanePointer { pointer, offset, type_: held } => {
            lowering.expect(type_, held, "the value of an atomic operation")?;
            Where::PlanePointer { pointer, offset }
        }
        Place::Texel { image, coordinates, .. } => {
            lowering.data.has_buffer_atomics = true;
            let count = lowering.types().planes(coordinates.type_);
            Where::Texel { image, coordinates: coordinates.slot, count }
        }
        _ => return Err(ProgramError::new("an atomic operation on something that is not memory")),
    };
    let value = value.map_or(Slot::default(), |value| value.slot);
    let comparator = comparator.map_or(value, |value| value.slot);
    lowering.emit(Instruction::Atomic(Box::new(AtomicInstruction {
        op,
        scalar,
        count,
        at,
        result,
        value,
        comparator,
    })));
    Ok(true)
}

/// What memory holds after an operation.
pub(super) fn combine(op: AtomicOp, scalar: Scalar, old: u64, value: u64, comparator: u64) -> u64 {
    let float = |f: &dyn Fn(f64, f64) -> f64| match scalar {
        Scalar::Float(Format::F64) => bits64(f(f64::from_bits(old), f64::from_bits(value))),
        Scalar::Float(format) => {
            let (old, value) = (widen(format, old as u32), widen(format, value as u32));
            // A sum of two numbers of 24 bits, rounded to 53 and then to 24 bits, is what one rounding gives.
            u64::from(narrow(format, f(f64::from(old), f64::from(value)) as f32))
        }
        _ => old,
    };
    match op {
        AtomicOp::Load => old,
        AtomicOp::Store | AtomicOp::Exchange => value,
        AtomicOp::CompareExchange => {
            if old == comparator {
                value
            } else {
                old
            }
        }
        AtomicOp::Integer(op) if scalar.width() == 64 => integer::double(op, old, value),
        AtomicOp::Integer(op) => u64::from(integer::small(op, scalar.width(), old as u32, value as u32)),
        AtomicOp::Add => float(&|a, b| a + b),
        AtomicOp::Min => float(&|a, b| if b < a || a.is_nan() { b } else { a }),
        AtomicOp::Max => float(&|a, b| if a < b || a.is_nan() { b } else { a }),
    }
}

/// What an operation takes, in one lane.
pub(super) struct Operands {
    op: AtomicOp,
    scalar: Scalar,
    value: u64,
    comparator: u64,
    /// Whether they are undefined: the value and the comparator.
    undefined: (bool, bool),
}

impl Operands {
    /// What memory holds after the operation.
    pub fn change(&self, old: u64) -> u64 {
        combine(self.op, self.scalar, old, self.value, self.comparator)
    }

    /// What decides on that, with this number there; nothing changes in a load.
    pub fn update(&self, old: u64) -> Option<Update> {
        let (value, comparator) = self.undefined;
        Some(match self.op {
            AtomicOp::Load => return None,
            AtomicOp::Store | AtomicOp::Exchange => Update { depends: false, of_undefined: value },
            AtomicOp::CompareExchange => {
                Update { depends: true, of_undefined: comparator || value && old == self.comparator }
            }
            AtomicOp::Integer(_) | AtomicOp::Add | AtomicOp::Min | AtomicOp::Max => {
                Update { depends: value || !self.overwrites(), of_undefined: value }
            }
        })
    }

    /// Whether an integer operation gives the same for every number there, as a conjunction with 0 does.
    fn overwrites(&self) -> bool {
        let all = u64::MAX >> (64 - self.scalar.width());
        let [lowest, highest] = [all / 2 + 1, all / 2];
        matches!(self.op, AtomicOp::Integer(_))
            && [all, lowest, highest].iter().all(|&old| self.change(old) == self.change(0))
    }
}

pub(super) fn execute(instruction: &AtomicInstruction, cx: &mut Context) {
    let &AtomicInstruction { op, scalar, count, at, result, value, comparator } = instruction;
    let (value, comparator) = (cx.plane(value), cx.plane(comparator));
    let planes = scalar.planes();
    let mask = cx.registers.mask();
    for index in 0..count {
        let mut out = [0u64; MAXIMUM_LANES];
        let mut undefined: Mask = 0;
        for lane in lanes_of(mask) {
            let read = |first: u32| {
                let first = first + index * planes;
                let lanes =
                    (first..first + planes).fold(0, |lanes, plane| lanes | cx.registers.undefined(plane));
                (word(cx, first, planes, lane), lanes >> lane & 1 != 0)
            };
            let ((value, first), (comparator, second)) = match op {
                AtomicOp::Load => Default::default(),
                _ => (read(value), read(comparator)),
            };
            let operands = Operands { op, scalar, value, comparator, undefined: (first, second) };
            let (old, was_undefined) = match at {
                Where::Memory { pointer, offset } => {
                    let address = cx.registers.get_wide(cx.plane(pointer), lane);
                    let address = address.wrapping_add(u64::from(offset) + u64::from(index * scalar.bytes()));
                    update_memory(cx, &operands, address, lane)
                }
                Where::Planes { .. } | Where::PlanePointer { .. } => {
                    let first = match at {
                        Where::Planes { first } => cx.plane(first),
                        Where::PlanePointer { pointer, offset } => {
                            cx.registers.get(cx.plane(pointer), lane).saturating_add(offset)
                        }
                        _ => 0,
                    };
                    update_planes(cx, &operands, first.saturating_add(index * planes), lane)
                }
                Where::Texel { image, coordinates, count } => {
                    super::images::update_texel(cx, &operands, image, coordinates, count, lane)
                }
            };
            out[lane] = old;
            undefined |= Mask::from(was_undefined) << lane;
        }
        if let Some(result) = result {
            let plane = cx.plane(result) + index * planes;
            cx.registers.set_lanes(plane, |lane| out[lane] as u32);
            if planes == 2 {
                cx.registers.set_lanes(plane + 1, |lane| (out[lane] >> 32) as u32);
            }
            for plane in plane..plane + planes {
                cx.registers.set_undefined(plane, undefined);
            }
        }
    }
}

/// A number of one or two planes.
fn word(cx: &Context, first: Plane, planes: u32, lane: usize) -> u64 {
    match planes {
        2 => cx.registers.get_wide(first, lane),
        _ => u64::from(cx.registers.get(first, lane)),
    }
}

/// Gives what was there, and whether that is undefined.
fn update_memory(cx: &mut Context, operands: &Operands, address: u64, lane: usize) -> (u64, bool) {
    let size = operands.scalar.bytes();
    let place = [(lane, address)];
    if operands.op == AtomicOp::Load {
        let undefined = cx.access(AccessKind::Read, size, &place) != 0;
        return (cx.env.memory.read(address, size), undefined);
    }
    cx.count_access(AccessKind::Atomic, size, &place);
    let undefined = cx.env.settings.checked
        && operands
            .update(cx.env.memory.read(address, size))
            .is_some_and(|update| cx.check_update(lane, address, size, update));
    (cx.env.memory.update(address, size, &mut |old| operands.change(old)), undefined)
}

/// The same of a variable of the invocation's own.
fn update_planes(cx: &mut Context, operands: &Operands, first: Plane, lane: usize) -> (u64, bool) {
    let planes = operands.scalar.planes();
    if first.saturating_add(planes) > cx.registers.planes() {
        return (0, false);
    }
    let old = word(cx, first, planes, lane);
    let was_undefined = (first..first + planes).any(|plane| cx.registers.undefined(plane) >> lane & 1 != 0);
    if let Some(update) = operands.update(old) {
        let new = operands.change(old);
        let undefined = update.depends && was_undefined || update.of_undefined;
        for (index, plane) in (first..first + planes).enumerate() {
            cx.registers.set_lane(plane, lane, (new >> (32 * index)) as u32);
            let others = cx.registers.undefined(plane) & !(1 << lane);
            cx.registers.set_undefined(plane, others | Mask::from(undefined) << lane);
        }
    }
    (old, was_undefined)
}
