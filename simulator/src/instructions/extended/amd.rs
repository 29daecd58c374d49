//! The sets of extended instructions of AMD: faces of cubes and the clock (SPV_AMD_gcn_shader), exchanges between the lanes of a subgroup
//! (SPV_AMD_shader_ballot), one of three values (SPV_AMD_shader_trinary_minmax).

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::extended;
use coopmat_spirv::spirv::GlslStd450Op as Gl;

use super::super::{clock, integer};
use super::{components, vectors};
use crate::ProgramError;
use crate::code::{Ballot, Instruction, IntegerOp, Shuffle, SubgroupInstruction, VectorOp};
use crate::program::{Lowering, Value};

pub(crate) const GCN_SHADER: &str = "SPV_AMD_gcn_shader";
pub(crate) const SHADER_BALLOT: &str = "SPV_AMD_shader_ballot";
pub(crate) const TRINARY_MINMAX: &str = "SPV_AMD_shader_trinary_minmax";

/// Lowers the instruction with a number in a set.
pub(super) fn lower(
    lowering: &mut Lowering,
    source: &Source,
    (set, number): (&str, u32),
    values: &[Value],
) -> Result<bool, ProgramError> {
    let Some(name) = extended::name(set, number) else {
        return Err(ProgramError::new(format!("{set} has no instruction {number}")));
    };
    match (name, values) {
        ("TimeAMD", []) => clock::lower(lowering, source)?,
        ("CubeFaceIndexAMD", _) => vectors::emit(lowering, source, VectorOp::CubeFaceIndex, values)?,
        ("CubeFaceCoordAMD", _) => vectors::emit(lowering, source, VectorOp::CubeFaceCoord, values)?,
        ("SwizzleInvocationsAMD", &[value, pattern]) => {
            shuffle(lowering, source, Shuffle::Swizzle, value, (pattern, 4))?;
        }
        ("SwizzleInvocationsMaskedAMD", &[value, pattern]) => {
            shuffle(lowering, source, Shuffle::Masked, value, (pattern, 3))?;
        }
        ("WriteInvocationAMD", &[value, written, lane]) => {
            let result = lowering.result(source)?;
            lowering.expect(value.type_, result.type_, "the value")?;
            lowering.expect(written.type_, result.type_, "the value that is written")?;
            expect_planes(lowering, lane, 1)?;
            let planes = lowering.types().planes(result.type_);
            let (result, value) = (result.slot, value.slot);
            let (written, lane) = (written.slot, lane.slot);
            lowering.emit(SubgroupInstruction::Write { result, value, written, planes, lane }.into());
        }
        ("MbcntAMD", &[mask]) => {
            expect_planes(lowering, mask, 2)?;
            let result = lowering.result(source)?;
            let (count, value) = (result.slot, mask.slot);
            let (ballot, words) = (Ballot::CountExclusive, 2);
            lowering
                .emit(SubgroupInstruction::Bits { ballot, result: count, value, words, index: value }.into());
            // 32 bits in shaders of GLSL, 64 in the text of the extension.
            if lowering.types().planes(result.type_) == 2 {
                let zero = lowering.scratch_constant(0);
                lowering.emit(Instruction::copy(count.offset(1), zero, 1));
            }
        }
        (_, &[x, y, z]) => return of_three(lowering, source, name, [x, y, z]),
        _ => return Err(ProgramError::new(format!("{name} with another number of operands"))),
    }
    Ok(true)
}

fn expect_planes(lowering: &Lowering, value: Value, planes: u32) -> Result<(), ProgramError> {
    match lowering.types().planes(value.type_) == planes {
        true => Ok(()),
        false => {
            Err(ProgramError::new("an instruction of SPV_AMD_shader_ballot with an operand of another size"))
        }
    }
}

fn shuffle(
    lowering: &mut Lowering,
    source: &Source,
    shuffle: Shuffle,
    value: Value,
    (pattern, components): (Value, u32),
) -> Result<(), ProgramError> {
    expect_planes(lowering, pattern, components)?;
    let result = lowering.result(source)?;
    lowering.expect(value.type_, result.type_, "the value")?;
    let planes = lowering.types().planes(result.type_);
    let (result, value, lane) = (result.slot, value.slot, pattern.slot);
    lowering.emit(SubgroupInstruction::Shuffle { shuffle, result, value, planes, lane }.into());
    Ok(())
}

/// The smallest, the largest or the middle one of three.
fn of_three(
    lowering: &mut Lowering,
    source: &Source,
    name: &str,
    [x, y, z]: [Value; 3],
) -> Result<bool, ProgramError> {
    let result = lowering.result(source)?;
    let Some((kind, which)) = name.strip_suffix("3AMD").and_then(|name| name.split_at_checked(1)) else {
        return Ok(false);
    };
    let mut of_two = |smaller: bool, into: Option<Value>, a: Value, b: Value| {
        let into = match into {
            Some(into) => into,
            None => lowering.allocate_value(result.type_)?,
        };
        match (kind, smaller) {
            ("F", true) => components::emit(lowering, into, Gl::FMin, &[a, b])?,
            ("F", false) => components::emit(lowering, into, Gl::FMax, &[a, b])?,
            ("S", true) => integer::emit(lowering, IntegerOp::SMin, into, a, b)?,
            ("S", false) => integer::emit(lowering, IntegerOp::SMax, into, a, b)?,
            (_, true) => integer::emit(lowering, IntegerOp::UMin, into, a, b)?,
            (_, false) => integer::emit(lowering, IntegerOp::UMax, into, a, b)?,
        }
        Ok::<Value, ProgramError>(into)
    };
    match which {
        "Min" | "Max" => {
            let smaller = which == "Min";
            let first = of_two(smaller, None, x, y)?;
            of_two(smaller, Some(result), first, z)?;
        }
        "Mid" => {
            let (low, high) = (of_two(true, None, x, y)?, of_two(false, None, x, y)?);
            let below = of_two(true, None, high, z)?;
            of_two(false, Some(result), low, below)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
