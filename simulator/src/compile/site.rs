//! What the module calls: its own functions, and the interpreter's code for single instructions.

use super::planes::Run;
use super::ready::Step;

/// The module's functions.
#[derive(Clone, Copy)]
pub(crate) enum Helper {
    /// Imported: executes a site.
    Execute,
    Run,
    /// Makes the words of a mask of lanes.
    Select,
    /// Lets lanes wait at a block.
    Wait,
    /// Takes the lanes that wait at the lowest block.
    Next,
    /// Where a virtual address is in the module's memory.
    Place,
    /// Loads a scalar of each of four lanes, and stores one.
    LoadScalars,
    StoreScalars,
}

/// What the interpreter does for the module.
#[derive(Clone, Debug)]
pub(crate) enum SiteKind {
    /// Instructions of a block, one after the other, by their index.
    Instructions { steps: Box<[(u32, Step)]> },
    /// An instruction that all subgroups execute together.
    Together { index: u32 },
    /// A copy of a plane that holds a matrix.
    Copy { result: u32, source: u32 },
    /// Matrices that planes hold are gone: a frame begins.
    Clear { first: u32, count: u32 },
}

/// A place in the program at which the module asks the host.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub kind: SiteKind,
    pub function: u32,
    pub block: u32,
    /// The first plane of the frame.
    pub base: u32,
    pub reads: Vec<Run>,
    pub writes: Vec<Run>,
}
