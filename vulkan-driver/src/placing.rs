//! Which memory becomes which buffers of the simulator for a dispatch. Descriptors and buffers with addresses whose memory overlaps are parts of
//! one buffer, so that what is written through the one is read through the other, and what is outside of each is outside.

use std::sync::Arc;

use coopmat_simulator::observer::Region;
use coopmat_simulator::{BufferId, Resources};

use crate::block::Block;
use crate::capture::Part;
use crate::driver::Driver;
use crate::hazards::scopes::{self, Uses};
use crate::watched::Seen;

/// Memory that became a buffer or an image of the simulator.
pub struct Placed {
    /// None of an image, and until it is added.
    pub buffer: Option<BufferId>,
    /// Its number among the buffers or the images.
    pub index: Option<Seen>,
    pub block: Arc<Block>,
    pub memory: u64,
    pub start: u64,
    pub end: u64,
    /// Whether the shader may write there.
    pub written: bool,
    /// As what it may be read.
    pub uses: Uses,
}

/// A buffer that has an address.
pub struct Addressed {
    /// What its address leads to.
    pub buffer: BufferId,
    pub memory: u64,
    pub block: Arc<Block>,
    pub start: u64,
    pub end: u64,
}

/// A part of memory that the shader has: a descriptor, or a buffer with an address.
struct Piece<'a> {
    memory: u64,
    block: &'a Arc<Block>,
    start: u64,
    end: u64,
    /// What the dispatch has of it before memory is placed: the buffer of an address.
    buffer: Option<BufferId>,
    descriptor: Option<(u32, u32, u32)>,
    written: bool,
    uses: Uses,
}

impl Driver {
    /// Adds every buffer that has an address, at the place that its address says; without contents, which [`place`] gives them.
    pub fn addressed_buffers(&self, resources: &mut Resources) -> Vec<Addressed> {
        let mut addressed = Vec::new();
        for slot in &self.addressed {
            // The number of one that is gone stays that of a buffer without a byte: every access is outside.
            let id = resources.buffer(&[]);
            let buffer = slot.and_then(|buffer| self.buffers.get(buffer).ok());
            if let Some(buffer) = buffer
                && let Some((memory, start)) = buffer.bound
                && let Ok(allocation) = self.memories.get(memory)
            {
                let (block, end) = (allocation.block.clone(), start + buffer.size);
                addressed.push(Addressed { buffer: id, memory, block, start, end });
            }
        }
        addressed
    }
}

/// Makes buffers of memory: one of what does not overlap anything else, one of all that overlaps, with parts. Descriptors are bound to them.
pub fn place(resources: &mut Resources, addressed: &[Addressed], parts: &[Part]) -> Vec<Placed> {
    let with_address = addressed.iter().map(|one| Piece {
        memory: one.memory,
        block: &one.block,
        start: one.start,
        end: one.end,
        buffer: Some(one.buffer),
        descriptor: None,
        written: true,
        uses: scopes::STORAGE_READ,
    });
    let bound = parts.iter().map(|part| Piece {
        memory: part.memory,
        block: &part.block,
        start: part.start,
        end: part.end,
        buffer: None,
        descriptor: Some(part.descriptor),
        written: !part.readonly,
        uses: if part.uniform { scopes::UNIFORM_READ } else { scopes::STORAGE_READ },
    });
    let mut pieces: Vec<Piece<'_>> = with_address.chain(bound).collect();
    pieces.sort_by_key(|piece| (piece.memory, piece.start, piece.end));
    let mut placed = Vec::new();
    let mut rest = pieces.as_slice();
    while let Some(first) = rest.first() {
        let mut end = first.end;
        let overlaps = |piece: &&Piece<'_>| {
            let is_inside = piece.memory == first.memory && (piece.start < end || piece.start == first.start);
            end = if is_inside { end.max(piece.end) } else { end };
            is_inside
        };
        let count = rest.iter().take_while(overlaps).count();
        let (together, others) = rest.split_at(count);
        placed.push(place_together(resources, together));
        rest = others;
    }
    placed
}

/// Makes one buffer of pieces that overlap, which are sorted by their start.
fn place_together(resources: &mut Resources, pieces: &[Piece<'_>]) -> Placed {
    let first = &pieces[0];
    let (start, end) = (first.start, pieces.iter().map(|piece| piece.end).max().unwrap_or(first.end));
    let is_all = |piece: &Piece<'_>| (piece.start, piece.end) == (start, end);
    let bytes = first.block.bytes(start, end - start);
    // Most buffers with addresses are alone.
    let whole = match pieces.iter().find(|piece| is_all(piece)).and_then(|piece| piece.buffer) {
        Some(buffer) => {
            resources.set_bytes(buffer, &bytes);
            buffer
        }
        None => resources.buffer(&bytes),
    };
    for piece in pieces {
        let bytes = piece.start - start..piece.end - start;
        let buffer = match piece.buffer {
            Some(buffer) => {
                resources.set_part(buffer, whole, bytes);
                buffer
            }
            None if is_all(piece) => whole,
            None => resources.part(whole, bytes),
        };
        if let Some((set, binding, index)) = piece.descriptor {
            resources.bind(set, binding, index, buffer);
        }
    }
    Placed {
        buffer: Some(whole),
        index: number_of(resources, whole),
        block: first.block.clone(),
        memory: first.memory,
        start,
        end,
        written: pieces.iter().any(|piece| piece.written),
        uses: pieces.iter().fold(0, |uses, piece| uses | piece.uses),
    }
}

/// A buffer's number among the buffers of a dispatch.
fn number_of(resources: &Resources, buffer: BufferId) -> Option<Seen> {
    match Region::of(resources.address(buffer)) {
        (Region::Buffer(index), _) => Some(Seen::Buffer(index)),
        _ => None,
    }
}
