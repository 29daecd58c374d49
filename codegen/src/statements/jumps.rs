//! Where `break` and `continue` lead in the statement that is compiled.

use rspirv::spirv::Word;

/// Where `break` and `continue` lead.
#[derive(Default)]
pub(crate) struct Jumps {
    pub(super) targets: Vec<Target>,
    /// Directly in the list of a `switch`: declarations here may be jumped over.
    pub(super) in_switch_list: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) merge: Word,
    pub(super) merge_used: bool,
    /// `None` for a `switch`.
    pub(super) proceed: Option<Word>,
    pub(super) proceed_used: bool,
}
