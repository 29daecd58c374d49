//! NaN and infinities: noted where finite operands make one, told when one is stored by an invocation that made one. What is made and thrown
//! away (the other side of a condition, say) is nobody's mistake.

use super::FindingKind;
use super::state::Birth;
use crate::machine::{Context, Mask};

/// Births that are remembered for a workgroup.
const MOST: usize = 4096;

impl Context<'_, '_> {
    /// Notes that lanes made a NaN or an infinity of finite operands.
    #[cold]
    pub(crate) fn note_birth(&mut self, nan: bool, lanes: Mask, message: impl FnOnce(&Self) -> String) {
        let lanes = if self.nested > 0 { Mask::MAX } else { lanes };
        let (instruction, subgroup) = (self.origin, self.subgroup);
        let births = &mut self.env.report.checks.births;
        let known = births.iter_mut().find(|birth| {
            (birth.instruction, birth.subgroup, birth.nan) == (instruction, subgroup, nan) && !birth.told
        });
        if let Some(birth) = known {
            birth.lanes |= lanes;
            return;
        }
        if births.len() < MOST {
            let message = message(self);
            let birth = Birth { instruction, subgroup, nan, lanes, message, told: false };
            self.env.report.checks.births.push(birth);
        }
    }

    /// A NaN or an infinity is stored by these lanes: those that made one are told where.
    pub(crate) fn note_special_store(&mut self, nan: bool, lanes: Mask) {
        if self.env.report.checks.births.is_empty() {
            return;
        }
        let subgroup = self.subgroup;
        let matches = |birth: &Birth| {
            // An infinity becomes a NaN on the way, but no NaN an infinity.
            !birth.told && birth.subgroup == subgroup && birth.lanes & lanes != 0 && (nan || !birth.nan)
        };
        let births = &mut self.env.report.checks.births;
        // Where a NaN was born, that is what the stored one comes from.
        let has_nan = births.iter().any(|birth| matches(birth) && birth.nan);
        let mut told = Vec::new();
        for birth in births.iter_mut() {
            if matches(birth) && birth.nan == (nan && has_nan) {
                birth.told = true;
                told.push(birth.clone());
            }
        }
        for birth in told {
            let kind = if birth.nan { FindingKind::NanBorn } else { FindingKind::InfinityBorn };
            let lane = (birth.lanes & lanes).trailing_zeros() as usize;
            let invocation = self.checked_invocation(lane.min(self.registers.lanes() - 1));
            let store = Some((self.origin, invocation)).filter(|(origin, _)| *origin != birth.instruction);
            self.find_at(kind, birth.instruction, invocation, store, |_| birth.message);
        }
    }
}
