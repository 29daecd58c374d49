//! How a program is run.

use std::sync::Arc;

use crate::checks::AdvertisedShape;
use crate::numerics::Numerics;
use crate::ownership::Ownership;

/// How a program is run. What a shader may not depend on (subgroup size, ownership, numerics) is chosen here.
#[derive(Clone, Debug)]
pub struct Settings {
    /// A power of two from 4 to 128.
    pub subgroup_size: u32,
    /// How floating-point results are computed where specifications leave it open.
    pub numerics: Numerics,
    /// Which invocation owns which element of a matrix.
    pub ownership: Arc<Ownership>,
    /// Report undefined behaviour instead of hiding it; slower.
    pub checked: bool,
    /// In checked mode, two invocations that write the same value to one place are a race, too, and values that they pass on need coherent memory.
    pub strict: bool,
    /// Measure how far `float16_t` accumulators are from overflowing ([`crate::Execution::headroom`]); slower.
    pub headroom: bool,
    /// The run ends with an error after so many steps. A step is one instruction of one subgroup.
    pub step_limit: u64,
    /// The most bytes of registers, shared memory and matrices of one workgroup.
    pub memory_limit: u64,
    /// Which decode function a tensor load calls that names two (SPV_NV_cooperative_matrix_decode_vector).
    pub decode: DecodeChoice,
    /// The multiply-adds that a device offers; checked mode tells of others. None where any will do.
    pub shapes: Option<Arc<[AdvertisedShape]>>,
    /// Buffers whose bytes are undefined until the shader writes them; checked mode tells when that matters.
    pub undefined_buffers: Vec<crate::BufferId>,
    /// The same of images and their texels.
    pub undefined_images: Vec<crate::ImageId>,
    /// Of these, bytes and texels that dispatches before this one wrote.
    pub written_before: crate::WrittenBytes,
    /// The workgroup that a dispatch begins with (vkCmdDispatchBase); how many there are does not depend on it.
    pub first_workgroup: [u32; 3],
    /// The most findings that are kept.
    pub finding_limit: usize,
    /// The most lines that debugPrintf writes.
    pub log_limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            subgroup_size: 32,
            numerics: Numerics::default(),
            ownership: Arc::new(Ownership::default()),
            checked: false,
            strict: false,
            headroom: false,
            step_limit: u64::MAX,
            memory_limit: 1 << 30,
            decode: DecodeChoice::default(),
            shapes: None,
            undefined_buffers: Vec::new(),
            undefined_images: Vec::new(),
            written_before: crate::WrittenBytes::default(),
            first_workgroup: [0; 3],
            finding_limit: 1000,
            log_limit: 100_000,
        }
    }
}

/// Which decode function a tensor load calls when it names both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DecodeChoice {
    /// The one that gives one element.
    Scalar,
    /// The one that gives several, wherever a whole call of it fits.
    #[default]
    Vector,
    /// Alternately, as a device may choose per call.
    Mixed,
}
