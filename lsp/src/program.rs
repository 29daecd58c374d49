//! What the commands have in common as parts of one program: an exit code, and the stacks of their threads.

/// Exit code of a command line that could not be carried out.
pub const UNUSABLE: u8 = 2;

/// Bytes of stack for a thread that analyses or compiles: nesting is bounded, but each level is a call, and a debug build's frames are
/// large.
pub const STACK: usize = 64 << 20;
