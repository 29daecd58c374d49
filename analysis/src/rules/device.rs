//! What the target device, or the configuration, says about a matrix.

use crate::lower::Lowerer;
use crate::symbolic::Sym;
use crate::text::TextRange;

/// How many invocations a subgroup has.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubgroupSize {
    pub largest: u32,
    /// Known only where the configuration says it or the device has no choice.
    pub exact: Option<u32>,
}

/// The subgroup size, when the configuration or the device gives it.
pub(super) fn subgroup_size(lowerer: &Lowerer<'_>) -> Option<SubgroupSize> {
    let size = lowerer.config.subgroup_size?;
    Some(SubgroupSize { largest: size, exact: Some(size) })
}

/// VUID 12352 and 12353: the lengths of a sub-array's source and destination are sizes that the device lists.
pub(super) fn check_sub_array(
    _lowerer: &mut Lowerer<'_>,
    _source_range: TextRange,
    _source: Sym,
    _target_range: TextRange,
    _target: Sym,
) {
}
