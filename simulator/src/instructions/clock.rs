//! The clock: `OpReadClockKHR`, and what SPV_AMD_gcn_shader calls it.

use coopmat_spirv::dr::Instruction as Source;

use crate::ProgramError;
use crate::code::Instruction;
use crate::program::Lowering;

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let result = lowering.result(source)?;
    if lowering.types().planes(result.type_) != 2 {
        return Err(ProgramError::new("a clock gives 64 bits"));
    }
    lowering.emit(Instruction::Clock(result.slot));
    Ok(())
}
