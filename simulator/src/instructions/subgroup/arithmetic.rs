//! Sums and other folds over lanes: reduced, scanned, in clusters, in partitions. Lanes are taken in their order.

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::spirv::GroupOperation;
use coopmat_spirv::{Opcode, opcode};

use super::super::integer;
use crate::ProgramError;
use crate::code::{Extent, Fold, FoldKind, IntegerOp, ReduceInstruction, SubgroupInstruction};
use crate::machine::{Context, MAXIMUM_LANES, Mask, lanes_of};
use crate::numerics::Format;
use crate::numerics::words::{bits64, narrow, widen};
use crate::program::Lowering;
use crate::program::types::Scalar;

impl Fold {
    fn of(op: Opcode) -> Option<Fold> {
        Some(match op {
            Opcode::GroupNonUniformIAdd | Opcode::GroupIAdd | Opcode::GroupIAddNonUniformAMD => {
                Fold::Integer(IntegerOp::Add)
            }
            Opcode::GroupNonUniformIMul | Opcode::GroupIMulKHR => Fold::Integer(IntegerOp::Mul),
            Opcode::GroupNonUniformSMin | Opcode::GroupSMin | Opcode::GroupSMinNonUniformAMD => {
                Fold::Integer(IntegerOp::SMin)
            }
            Opcode::GroupNonUniformUMin | Opcode::GroupUMin | Opcode::GroupUMinNonUniformAMD => {
                Fold::Integer(IntegerOp::UMin)
            }
            Opcode::GroupNonUniformSMax | Opcode::GroupSMax | Opcode::GroupSMaxNonUniformAMD => {
                Fold::Integer(IntegerOp::SMax)
            }
            Opcode::GroupNonUniformUMax | Opcode::GroupUMax | Opcode::GroupUMaxNonUniformAMD => {
                Fold::Integer(IntegerOp::UMax)
            }
            Opcode::GroupNonUniformBitwiseAnd | Opcode::GroupNonUniformLogicalAnd => {
                Fold::Integer(IntegerOp::And)
            }
            Opcode::GroupNonUniformBitwiseOr | Opcode::GroupNonUniformLogicalOr => {
                Fold::Integer(IntegerOp::Or)
            }
            Opcode::GroupNonUniformBitwiseXor | Opcode::GroupNonUniformLogicalXor => {
                Fold::Integer(IntegerOp::Xor)
            }
            Opcode::GroupNonUniformFAdd | Opcode::GroupFAdd | Opcode::GroupFAddNonUniformAMD => Fold::Add,
            Opcode::GroupNonUniformFMul | Opcode::GroupFMulKHR => Fold::Mul,
            Opcode::GroupNonUniformFMin | Opcode::GroupFMin | Opcode::GroupFMinNonUniformAMD => Fold::Min,
            Opcode::GroupNonUniformFMax | Opcode::GroupFMax | Opcode::GroupFMaxNonUniformAMD => Fold::Max,
            _ => return None,
        })
    }

    /// What changes nothing: the first result of an exclusive scan.
    fn identity(self, scalar: Scalar) -> u64 {
        let float = |value: f64| match scalar {
            Scalar::Float(format) => format.from_f64(value, Default::default(), Default::default()),
            _ => 0,
        };
        let width = scalar.width();
        let all = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        match self {
            Fold::Integer(op) => match op {
                IntegerOp::Mul => 1,
                IntegerOp::SMin => all >> 1,
                IntegerOp::SMax => 1 << (width - 1),
                IntegerOp::UMin => all,
                IntegerOp::And if scalar == Scalar::Bool => 1,
                IntegerOp::And => all,
                _ => 0,
            },
            Fold::Add => float(0.0),
            Fold::Mul => float(1.0),
            Fold::Min => float(f64::INFINITY),
            Fold::Max => float(f64::NEG_INFINITY),
        }
    }

    fn combine(self, scalar: Scalar, a: u64, b: u64) -> u64 {
        match (self, scalar) {
            (Fold::Integer(op), _) if scalar.width() == 64 => integer::double(op, a, b),
            (Fold::Integer(op), _) => u64::from(integer::small(op, scalar.width(), a as u32, b as u32)),
            (_, Scalar::Float(Format::F64)) => {
                let (a, b) = (f64::from_bits(a), f64::from_bits(b));
                bits64(match self {
                    Fold::Add => a + b,
                    Fold::Mul => a * b,
                    Fold::Min => {
                        if b < a || a.is_nan() {
                            b
                        } else {
                            a
                        }
                    }
                    _ => {
                        if a < b || a.is_nan() {
                            b
                        } else {
                            a
                        }
                    }
                })
            }
            (_, Scalar::Float(format)) => {
                let (a, b) = (widen(format, a as u32), widen(format, b as u32));
                u64::from(narrow(
                    format,
                    match self {
                        Fold::Add => a + b,
                        Fold::Mul => a * b,
                        Fold::Min => {
                            if b < a || a.is_nan() {
                                b
                            } else {
                                a
                            }
                        }
                        _ => {
                            if a < b || a.is_nan() {
                                b
                            } else {
                                a
                            }
                        }
                    },
                ))
            }
            _ => a,
        }
    }
}

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    let Some(fold) = Fold::of(opcode(source)) else { return Ok(false) };
    let value = lowering.operand(source, 2)?;
    let partition = |lowering: &mut Lowering| -> Result<Extent, ProgramError> {
        let ballot = lowering.operand(source, 3)?;
        match lowering.types().planes(ballot.type_) {
            4 => Ok(Extent::Partition(ballot.slot)),
            _ => Err(ProgramError::new("a ballot is four words")),
        }
    };
    let Some(&Operand::GroupOperation(operation)) = source.operands.get(1) else {
        return Err(ProgramError::new("an operation over lanes lacks how it goes over them"));
    };
    let (kind, extent) = match operation {
        GroupOperation::Reduce => (FoldKind::Reduce, Extent::All),
        GroupOperation::InclusiveScan => (FoldKind::Inclusive, Extent::All),
        GroupOperation::ExclusiveScan => (FoldKind::Exclusive, Extent::All),
        GroupOperation::ClusteredReduce => {
            let size = lowering.constant_operand(source, 3)?;
            if !size.is_power_of_two() {
                return Err(ProgramError::new("a cluster's size is a power of two"));
            }
            (FoldKind::Reduce, Extent::Clusters(size))
        }
        GroupOperation::PartitionedReduceEXT => (FoldKind::Reduce, partition(lowering)?),
        GroupOperation::PartitionedInclusiveScanEXT => (FoldKind::Inclusive, partition(lowering)?),
        GroupOperation::PartitionedExclusiveScanEXT => (FoldKind::Exclusive, partition(lowering)?),
    };
    let (scalar, count) = lowering.numbers(value.type_)?;
    let result = lowering.result(source)?;
    let is_float = matches!(scalar, Scalar::Float(_));
    let (made, made_count) = lowering.numbers(result.type_)?;
    if made.width() != scalar.width() || made_count != count || is_float == matches!(fold, Fold::Integer(_)) {
        return Err(ProgramError::new("an operation over lanes with a value of another type"));
    }
    let (result, value) = (result.slot, value.slot);
    lowering.emit(
        SubgroupInstruction::Reduce(ReduceInstruction { fold, scalar, count, extent, kind, result, value })
            .into(),
    );
    Ok(true)
}

pub(super) fn execute(reduce: &ReduceInstruction, cx: &mut Context) {
    let (result, value) = (cx.plane(reduce.result), cx.plane(reduce.value));
    let planes = reduce.scalar.planes();
    let mask = cx.registers.mask();
    let groups = groups(reduce.extent, cx);
    for index in 0..reduce.count {
        let (result, value) = (result + index * planes, value + index * planes);
        let mut out = [0u64; MAXIMUM_LANES];
        for &group in &groups {
            let mut sum = reduce.fold.identity(reduce.scalar);
            let mut first = true;
            for lane in lanes_of(group) {
                let own = match planes {
                    2 => cx.registers.get_wide(value, lane),
                    _ => u64::from(cx.registers.get(value, lane)),
                };
                if reduce.kind == FoldKind::Exclusive {
                    out[lane] = sum;
                }
                // Not with the identity first: it would change the sign of a zero.
                sum = if first { own } else { reduce.fold.combine(reduce.scalar, sum, own) };
                first = false;
                if reduce.kind == FoldKind::Inclusive {
                    out[lane] = sum;
                }
            }
            if reduce.kind == FoldKind::Reduce {
                lanes_of(group).for_each(|lane| out[lane] = sum);
            }
        }
        let same = reduce.kind == FoldKind::Reduce && groups == [mask];
        for plane in 0..planes {
            let word = |bits: u64| (bits >> (plane * 32)) as u32;
            if same {
                let first = cx.registers.first_active();
                cx.registers.set_uniform(result + plane, word(out[first]));
            } else {
                cx.registers.set_lanes(result + plane, |lane| word(out[lane]));
            }
        }
    }
}

/// The lanes that are folded together.
fn groups(extent: Extent, cx: &Context) -> Vec<Mask> {
    let mask = cx.registers.mask();
    match extent {
        Extent::All => vec![mask],
        Extent::Clusters(size) => {
            let size = (size as usize).min(MAXIMUM_LANES);
            let first = crate::machine::first_lanes(size);
            let clusters = (0..MAXIMUM_LANES / size).map(|cluster| first << (cluster * size) & mask);
            clusters.filter(|cluster| *cluster != 0).collect()
        }
        Extent::Partition(slot) => {
            let first = cx.plane(slot);
            let mut groups = Vec::new();
            let mut left = mask;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                let words = (0..4).map(|i| Mask::from(cx.registers.get(first + i, lane)) << (i * 32));
                let group = words.fold(0, |mask, word| mask | word) & left | 1 << lane;
                groups.push(group);
                left &= !group;
            }
            groups
        }
    }
}
