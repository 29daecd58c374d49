//! How memory is accessed: `coherent`, `volatile`, alignments, the format of an image.

use coopmat_analysis::hir::{Coherence, MemoryQualifiers};
use rspirv::spirv::ImageFormat;

/// How memory is accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub coherent: bool,
    /// For whom, where that is said.
    pub coherence: Coherence,
    pub volatile: bool,
    pub nontemporal: bool,
    pub nonuniform: bool,
    /// Alignments and distances of physical addresses, all or-ed: the lowest bit is the alignment. 0 where none is needed.
    pub align: u32,
    /// Of an image variable.
    pub format: ImageFormat,
}

impl Default for Access {
    fn default() -> Self {
        Access {
            coherent: false,
            coherence: Coherence::Unstated,
            volatile: false,
            nontemporal: false,
            nonuniform: false,
            align: 0,
            format: ImageFormat::Unknown,
        }
    }
}

impl Access {
    pub fn of(memory: &MemoryQualifiers) -> Access {
        Access {
            coherent: memory.coherent,
            coherence: memory.coherence,
            volatile: memory.volatile,
            nontemporal: memory.nontemporal,
            ..Access::default()
        }
    }

    pub fn and(mut self, memory: &MemoryQualifiers) -> Access {
        // Of several qualifiers the widest holds: `coherent` alone says it for all.
        if memory.coherent && (!self.coherent || width(memory.coherence) > width(self.coherence)) {
            self.coherence = memory.coherence;
        }
        self.coherent |= memory.coherent;
        self.volatile |= memory.volatile;
        self.nontemporal |= memory.nontemporal;
        self
    }
}

/// How many share what is coherent.
fn width(coherence: Coherence) -> u32 {
    match coherence {
        Coherence::NonPrivate => 0,
        Coherence::Subgroup => 1,
        Coherence::ShaderCall => 2,
        Coherence::Workgroup => 3,
        Coherence::QueueFamily => 4,
        Coherence::Device => 5,
        Coherence::Unstated => 6,
    }
}
