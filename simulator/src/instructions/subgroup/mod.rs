//! Operations between the lanes of a subgroup: votes, ballots, shuffles, quads. Arithmetic is in `arithmetic`.
//!
//! What a lane reads from one that does not take part is what that lane's register happens to hold, the same on every host, unless the
//! extension of the instruction says that it is 0.

mod arithmetic;

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};

use super::conversions::resize;
use crate::ProgramError;
use crate::code::{Ballot, Shuffle, SubgroupInstruction, Vote};
use crate::machine::{Context, MAXIMUM_LANES, Mask, lanes_of};
use crate::program::types::Scalar;
use crate::program::{Lowering, Slot};

/// The operand of the value: instructions of SPV_KHR_shader_ballot and subgroup_vote name no scope.
fn first_value(source: &Source) -> usize {
    match opcode(source) {
        Opcode::SubgroupAllKHR
        | Opcode::SubgroupAnyKHR
        | Opcode::SubgroupAllEqualKHR
        | Opcode::SubgroupBallotKHR
        | Opcode::SubgroupFirstInvocationKHR
        | Opcode::SubgroupReadInvocationKHR
        | Opcode::GroupNonUniformPartitionEXT
        | Opcode::GroupNonUniformQuadAllKHR
        | Opcode::GroupNonUniformQuadAnyKHR => 0,
        _ => 1,
    }
}

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    let op = opcode(source);
    let at = first_value(source);
    let vote = match op {
        Opcode::GroupNonUniformAll | Opcode::SubgroupAllKHR | Opcode::GroupAll => Some(Vote::All),
        Opcode::GroupNonUniformAny | Opcode::SubgroupAnyKHR | Opcode::GroupAny => Some(Vote::Any),
        Opcode::GroupNonUniformQuadAllKHR => Some(Vote::QuadAll),
        Opcode::GroupNonUniformQuadAnyKHR => Some(Vote::QuadAny),
        _ => None,
    };
    if let Some(vote) = vote {
        let value = lowering.operand(source, at)?.slot;
        let result = lowering.result(source)?.slot;
        lowering.emit(SubgroupInstruction::Vote { vote, result, value }.into());
        return Ok(true);
    }
    let shuffle = match op {
        Opcode::GroupNonUniformBroadcast | Opcode::SubgroupReadInvocationKHR | Opcode::GroupBroadcast => {
            Some(Shuffle::Broadcast)
        }
        Opcode::GroupNonUniformShuffle => Some(Shuffle::Index),
        Opcode::GroupNonUniformShuffleXor => Some(Shuffle::Xor),
        Opcode::GroupNonUniformShuffleUp => Some(Shuffle::Up),
        Opcode::GroupNonUniformShuffleDown => Some(Shuffle::Down),
        Opcode::GroupNonUniformQuadBroadcast => Some(Shuffle::QuadBroadcast),
        Opcode::GroupNonUniformQuadSwap => Some(Shuffle::QuadSwap),
        Opcode::GroupNonUniformRotateKHR => {
            let cluster =
                if lowering.has_operand(source, 3) { lowering.constant_operand(source, 3)? } else { 128 };
            if !cluster.is_power_of_two() {
                return Err(ProgramError::new("a cluster's size is a power of two"));
            }
            Some(Shuffle::Rotate(cluster))
        }
        _ => None,
    };
    if let Some(shuffle) = shuffle {
        let (value, lane) = (lowering.operand(source, at)?, lowering.operand(source, at + 1)?);
        let lane = resize(lowering, lane, 32)?;
        let result = lowering.result(source)?;
        let planes = lowering.types().planes(result.type_);
        lowering.expect(value.type_, result.type_, "the value")?;
        let (result, value, lane) = (result.slot, value.slot, lane.slot);
        lowering.emit(SubgroupInstruction::Shuffle { shuffle, result, value, planes, lane }.into());
        return Ok(true);
    }
    match op {
        Opcode::GroupNonUniformElect => {
            let result = lowering.result(source)?.slot;
            lowering.emit(SubgroupInstruction::Elect { result }.into());
        }
        Opcode::GroupNonUniformAllEqual | Opcode::SubgroupAllEqualKHR => {
            let value = lowering.operand(source, at)?;
            let (scalar, _) = lowering.numbers(value.type_)?;
            let planes = lowering.types().planes(value.type_);
            let result = lowering.result(source)?.slot;
            let float = matches!(scalar, Scalar::Float(_));
            let wide = scalar.width() == 64;
            lowering.emit(
                SubgroupInstruction::AllEqual { result, value: value.slot, planes, float, wide }.into(),
            );
        }
        Opcode::GroupNonUniformBroadcastFirst | Opcode::SubgroupFirstInvocationKHR => {
            let value = lowering.operand(source, at)?;
            let result = lowering.result(source)?;
            lowering.expect(value.type_, result.type_, "the value")?;
            let planes = lowering.types().planes(result.type_);
            lowering
                .emit(SubgroupInstruction::First { result: result.slot, value: value.slot, planes }.into());
        }
        Opcode::GroupNonUniformBallot | Opcode::SubgroupBallotKHR => {
            let value = lowering.operand(source, at)?.slot;
            let result = four_words(lowering, source)?;
            lowering.emit(SubgroupInstruction::Ballot { result, value }.into());
        }
        Opcode::GroupNonUniformInverseBallot
        | Opcode::GroupNonUniformBallotBitExtract
        | Opcode::GroupNonUniformBallotBitCount
        | Opcode::GroupNonUniformBallotFindLSB
        | Opcode::GroupNonUniformBallotFindMSB => {
            let (ballot, value, index) = lower_ballot(lowering, source)?;
            let planes = lowering.types().planes(value.type_);
            if planes != 4 {
                return Err(ProgramError::new("a ballot is four words"));
            }
            let result = lowering.result(source)?.slot;
            lowering.emit(
                SubgroupInstruction::Bits { ballot, result, value: value.slot, words: 4, index }.into(),
            );
        }
        Opcode::GroupNonUniformPartitionEXT => {
            let value = lowering.operand(source, at)?;
            let planes = lowering.types().planes(value.type_);
            let result = four_words(lowering, source)?;
            lowering.emit(SubgroupInstruction::Partition { result, value: value.slot, planes }.into());
        }
        _ => return arithmetic::lower(lowering, source),
    }
    Ok(true)
}

fn four_words(lowering: &mut Lowering, source: &Source) -> Result<Slot, ProgramError> {
    let result = lowering.result(source)?;
    match lowering.types().planes(result.type_) {
        4 => Ok(result.slot),
        _ => Err(ProgramError::new("a ballot is four words")),
    }
}

fn lower_ballot(
    lowering: &mut Lowering,
    source: &Source,
) -> Result<(Ballot, crate::program::Value, Slot), ProgramError> {
    use coopmat_spirv::dr::Operand;
    use coopmat_spirv::spirv::GroupOperation;
    let value_at = if opcode(source) == Opcode::GroupNonUniformBallotBitCount { 2 } else { 1 };
    let value = lowering.operand(source, value_at)?;
    let mut index = value.slot;
    let ballot = match opcode(source) {
        Opcode::GroupNonUniformInverseBallot => Ballot::Inverse,
        Opcode::GroupNonUniformBallotBitExtract => {
            let at = lowering.operand(source, 2)?;
            index = resize(lowering, at, 32)?.slot;
            Ballot::Extract
        }
        Opcode::GroupNonUniformBallotFindLSB => Ballot::LowestBit,
        Opcode::GroupNonUniformBallotFindMSB => Ballot::HighestBit,
        _ => match source.operands.get(1) {
            Some(Operand::GroupOperation(GroupOperation::Reduce)) => Ballot::CountAll,
            Some(Operand::GroupOperation(GroupOperation::InclusiveScan)) => Ballot::CountInclusive,
            Some(Operand::GroupOperation(GroupOperation::ExclusiveScan)) => Ballot::CountExclusive,
            _ => {
                return Err(ProgramError::new(
                    "bits of a ballot are counted by Reduce, InclusiveScan or ExclusiveScan",
                ));
            }
        },
    };
    Ok((ballot, value, index))
}

pub(super) fn execute(instruction: &SubgroupInstruction, cx: &mut Context) {
    match *instruction {
        SubgroupInstruction::Elect { result } => {
            let (result, first) = (cx.plane(result), cx.registers.first_active());
            cx.registers.set_lanes(result, |lane| u32::from(lane == first));
        }
        SubgroupInstruction::Vote { vote, result, value } => {
            let (result, value) = (cx.plane(result), cx.plane(value));
            let (set, mask) = (cx.registers.nonzero(value), cx.registers.mask());
            match vote {
                Vote::All => cx.registers.set_uniform(result, u32::from(set == mask)),
                Vote::Any => cx.registers.set_uniform(result, u32::from(set != 0)),
                Vote::QuadAll | Vote::QuadAny => cx.registers.set_lanes(result, |lane| {
                    let quad: Mask = 0xf << (lane & !3);
                    u32::from(if vote == Vote::QuadAll { set & quad == mask & quad } else { set & quad != 0 })
                }),
            }
        }
        SubgroupInstruction::AllEqual { result, value, planes, float, wide } => {
            let (result, value) = (cx.plane(result), cx.plane(value));
            let equal = (value..value + planes).all(|plane| cx.registers.agrees(plane));
            let equal = equal && !(float && has_nan(cx, value, planes, wide));
            cx.registers.set_uniform(result, u32::from(equal));
        }
        SubgroupInstruction::First { result, value, planes } => {
            let (result, value) = (cx.plane(result), cx.plane(value));
            for index in 0..planes {
                let word = cx.registers.any(value + index);
                cx.registers.set_uniform(result + index, word);
            }
        }
        SubgroupInstruction::Shuffle { shuffle, result, value, planes, lane } => {
            execute_shuffle(cx, shuffle, result, value, planes, lane);
        }
        SubgroupInstruction::Ballot { result, value } => {
            let (result, value) = (cx.plane(result), cx.plane(value));
            let set = cx.registers.nonzero(value);
            for index in 0..4 {
                cx.registers.set_uniform(result + index, (set >> (index * 32)) as u32);
            }
        }
        SubgroupInstruction::Bits { ballot, result, value, words, index } => {
            let (result, value, index) = (cx.plane(result), cx.plane(value), cx.plane(index));
            let lanes = crate::machine::first_lanes(cx.registers.lanes());
            let mut out = [0; MAXIMUM_LANES];
            for lane in lanes_of(cx.registers.mask()) {
                let registers = &*cx.registers;
                let mask = (0..words)
                    .fold(0, |mask: Mask, i| mask | Mask::from(registers.get(value + i, lane)) << (i * 32));
                let below = crate::machine::first_lanes(lane);
                let inside = mask & lanes;
                out[lane] = match ballot {
                    Ballot::Inverse => (mask >> lane & 1) as u32,
                    Ballot::Extract => (mask >> (registers.get(index, lane) & 127) & 1) as u32,
                    Ballot::CountAll => inside.count_ones(),
                    Ballot::CountInclusive => (inside & (below | 1 << lane)).count_ones(),
                    Ballot::CountExclusive => (inside & below).count_ones(),
                    Ballot::LowestBit => {
                        if inside == 0 {
                            u32::MAX
                        } else {
                            inside.trailing_zeros()
                        }
                    }
                    Ballot::HighestBit => {
                        if inside == 0 {
                            u32::MAX
                        } else {
                            127 - inside.leading_zeros()
                        }
                    }
                };
            }
            cx.registers.set_lanes(result, |lane| out[lane]);
        }
        SubgroupInstruction::Partition { result, value, planes } => {
            let (result, value) = (cx.plane(result), cx.plane(value));
            let mut out = [0; MAXIMUM_LANES];
            let registers = &*cx.registers;
            for lane in lanes_of(registers.mask()) {
                let same = |other: usize| {
                    (value..value + planes)
                        .all(|plane| registers.get(plane, lane) == registers.get(plane, other))
                };
                let lanes = lanes_of(registers.mask()).filter(|&other| same(other));
                out[lane] = lanes.fold(0, |mask: Mask, lane| mask | 1 << lane);
            }
            for index in 0..4 {
                cx.registers.set_lanes(result + index, |lane| (out[lane] >> (index * 32)) as u32);
            }
        }
        SubgroupInstruction::Write { result, value, written, planes, lane } => {
            let (result, value, written) = (cx.plane(result), cx.plane(value), cx.plane(written));
            let chosen = cx.plane(lane);
            for index in 0..planes {
                let registers = &*cx.registers;
                let words: [u32; MAXIMUM_LANES] =
                    std::array::from_fn(|lane| match lane < registers.lanes() {
                        true if registers.get(chosen, lane) as usize == lane => {
                            registers.get(written + index, lane)
                        }
                        true => registers.get(value + index, lane),
                        false => 0,
                    });
                cx.registers.set_lanes(result + index, |lane| words[lane]);
            }
        }
        SubgroupInstruction::Reduce(ref reduce) => arithmetic::execute(reduce, cx),
    }
}

/// NaN equals nothing, itself included.
fn has_nan(cx: &Context, value: u32, planes: u32, wide: bool) -> bool {
    let registers = &*cx.registers;
    match wide {
        true => {
            (value..value + planes).step_by(2).any(|plane| f64::from_bits(registers.any_wide(plane)).is_nan())
        }
        false => (value..value + planes).any(|plane| f32::from_bits(registers.any(plane)).is_nan()),
    }
}

fn execute_shuffle(cx: &mut Context, shuffle: Shuffle, result: Slot, value: Slot, planes: u32, lane: Slot) {
    let (result, value, chosen) = (cx.plane(result), cx.plane(value), cx.plane(lane));
    let lanes = cx.registers.lanes();
    if shuffle == Shuffle::Broadcast && cx.registers.agrees(chosen) {
        let from = cx.registers.any(chosen) as usize;
        for index in 0..planes {
            let word = if from < lanes { cx.registers.get(value + index, from) } else { 0 };
            cx.registers.set_uniform(result + index, word);
        }
        return;
    }
    let mut from = [usize::MAX; MAXIMUM_LANES];
    for lane in lanes_of(cx.registers.mask()) {
        let number = cx.registers.get(chosen, lane);
        let amount = number as usize;
        let word = |index: u32| cx.registers.get(chosen + index, lane) as usize;
        let active = |other: usize| {
            let is_active = other < lanes && cx.registers.mask() >> other & 1 == 1;
            if is_active { other } else { usize::MAX }
        };
        from[lane] = match shuffle {
            Shuffle::Broadcast | Shuffle::Index => amount,
            Shuffle::Xor => lane ^ amount,
            Shuffle::Up => lane.wrapping_sub(amount),
            Shuffle::Down => lane.saturating_add(amount),
            Shuffle::Rotate(cluster) => {
                let cluster = (cluster as usize).min(lanes);
                lane / cluster * cluster + (lane % cluster + amount % cluster) % cluster
            }
            Shuffle::QuadBroadcast => lane & !3 | amount & 3,
            Shuffle::QuadSwap => lane ^ (amount.min(2) + 1),
            Shuffle::Swizzle => active(lane & !3 | word(lane as u32 & 3) & 3),
            Shuffle::Masked => active(lane & !31 | ((lane & word(0) | word(1)) ^ word(2)) & 31),
        };
    }
    for index in 0..planes {
        let mut words = [0; MAXIMUM_LANES];
        for lane in lanes_of(cx.registers.mask()) {
            if from[lane] < lanes {
                words[lane] = cx.registers.get(value + index, from[lane]);
            }
        }
        cx.registers.set_lanes(result + index, |lane| words[lane]);
    }
}
