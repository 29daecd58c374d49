//! Where everything lies in the module's memory. What depends on the run alone (buffers, subgroups) is found through tables.

/// Bytes of zeros that are read instead of what is outside.
pub(super) const ZEROS: u32 = 0;
/// Bytes that are written instead.
pub(super) const NOWHERE: u32 = 16;
/// Steps so far, and those that are left: 64 bits each.
pub(super) const STEPS: u32 = 32;
pub(super) const STEPS_LEFT: u32 = 40;
/// How many allocations the table has.
pub(super) const ALLOCATION_COUNT: u32 = 48;
/// Sixteen vectors: all ones where a bit of the index is set.
pub(super) const MASKS: u32 = 64;
/// For each block of the program: how often a subgroup ran it, and how many lanes took part.
pub(super) const BLOCKS: u32 = MASKS + 16 * 16;
/// Bytes of an allocation in its table: where it is, its size to those who read and to those who write.
pub(super) const ALLOCATION: u32 = 16;

/// Of a subgroup: where it goes on.
pub(super) const PC: u32 = 0;
/// The number of the site at which it meets the other subgroups.
pub(super) const MEETING: u32 = 4;
/// The lanes of which `SELECT` is the mask.
pub(super) const SELECTED: u32 = 8;
/// The lanes that take part.
pub(super) const MASK: u32 = 16;
/// The mask as words: all ones for a lane that takes part.
pub(super) const SELECT: u32 = 32;

/// Of a frame: the lanes that have not returned, those that run, and where the caller goes on.
pub(super) const LIVE: u32 = 0;
pub(super) const RUNNING: u32 = 8;
pub(super) const RETURN: u32 = 16;
/// A bit for each block at which lanes wait, and then the lanes.
pub(super) const WAITING: u32 = 24;

/// Where the parts of the memory are that depend on the program and on the size of subgroups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub lanes: u32,
    /// The table of allocations.
    pub allocations: u32,
    /// Within a subgroup's part: the frame of each function, and the planes.
    pub frames: Vec<u32>,
    pub planes: u32,
    /// Bytes of a subgroup.
    pub subgroup: u32,
}

impl Layout {
    /// `blocks` of each function, and of all functions of the program; `None` where it is more than 32 bits have.
    pub fn new(lanes: u32, blocks: &[u32], all_blocks: u32, planes: u32) -> Option<Layout> {
        let mut end = SELECT + lanes * 4;
        let mut frames = Vec::new();
        for blocks in blocks {
            end = end.checked_next_multiple_of(16)?;
            frames.push(end);
            end = end.checked_add(waiting_at(*blocks, 0))?.checked_add(blocks.checked_mul(8)?)?;
        }
        let start = end.checked_next_multiple_of(16)?;
        // After the last one, a plane of zeros.
        let subgroup = planes.checked_add(1)?.checked_mul(lanes * 4)?.checked_add(start)?;
        Some(Layout {
            lanes,
            allocations: BLOCKS.checked_add(all_blocks.checked_mul(16)?)?,
            frames,
            planes: start,
            subgroup: subgroup.checked_next_multiple_of(64)?,
        })
    }

    /// Where a plane is in a subgroup's part.
    pub fn plane(&self, plane: u32) -> u32 {
        self.planes + plane * self.lanes * 4
    }
}

/// In a frame: where the lanes are that wait at a block.
pub(super) fn waiting_at(blocks: u32, block: u32) -> u32 {
    WAITING + blocks.div_ceil(64) * 8 + block * 8
}
