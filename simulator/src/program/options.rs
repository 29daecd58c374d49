//! What is chosen before a module is lowered.

/// What is chosen before a module is lowered.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProgramOptions<'a> {
    /// The entry point's name; the only one, or `main`, where none is given.
    pub entry: Option<&'a str>,
    /// Values for specialization constants: `SpecId` and the bits of the value.
    pub specialization: &'a [(u32, u64)],
    /// Every load and store stands where the module has it, so that variables hold at each instruction what they should: for debuggers.
    /// The results are the same.
    pub debug: bool,
}
