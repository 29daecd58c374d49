//! What stands in front of a declaration: storage, layout, accesses to memory, precision.

use la_arena::RawIdx;
use smol_str::SmolStr;

use super::spirv::{SpirvMark, SpirvStorageClass};

/// Where a variable lies (GLSL 4.60, 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Storage {
    /// No qualifier at top level: private to each invocation.
    #[default]
    Private,
    /// `const`, specialization constants included.
    Const,
    /// `in`: from the stage before, or an attribute.
    In,
    /// `out`: to the stage behind.
    Out,
    /// `uniform`: blocks, and opaque types outside of blocks.
    Uniform,
    /// `buffer`
    Buffer,
    /// `shared`: one for all invocations of the workgroup.
    Shared,
    /// `layout(push_constant) uniform`
    PushConstant,
    /// `resourceheap`: a block whose data and descriptors lie in the resource heap (GL_EXT_structured_descriptor_heap).
    ResourceHeap,
    /// `samplerheap`: the same in the sampler heap.
    SamplerHeap,
    /// Ray payloads, task payloads, callable data and what else a stage brings along.
    Other,
}

impl Storage {
    /// Whether it is a descriptor heap, whose blocks hold data and descriptors.
    pub fn is_heap(self) -> bool {
        matches!(self, Storage::ResourceHeap | Storage::SamplerHeap)
    }
}

/// How precise a value has to be at least (GLSL 4.60, 4.7). Vulkan tells `lowp` and `mediump` alike:
/// RelaxedPrecision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// `lowp`
    Low,
    /// `mediump`
    Medium,
    /// `highp`
    High,
}

/// Qualifiers of accesses (GLSL 4.60, 4.10), and those of computations that are written at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MemoryQualifiers {
    /// `coherent` or one of its kin.
    pub coherent: bool,
    /// For whom, where that is said.
    pub coherence: Coherence,
    /// `volatile`: others may write at any time.
    pub volatile: bool,
    /// `restrict`: nothing else names the memory.
    pub restrict: bool,
    /// `readonly`
    pub readonly: bool,
    /// `writeonly`
    pub writeonly: bool,
    /// `nonuniformEXT`: values may differ between invocations (GL_EXT_nonuniform_qualifier).
    pub nonuniform: bool,
    /// `nontemporal`: not read again soon, so that no cache needs to keep it (GL_EXT_nontemporal_keyword).
    pub nontemporal: bool,
    /// `precise`: computed as it is written (GLSL 4.60, 4.9).
    pub precise: bool,
    /// `invariant`: the same in all programs (GLSL 4.60, 4.8).
    pub invariant: bool,
}

impl MemoryQualifiers {
    /// GLSL 4.60, 4.10: "variables declared as **volatile** are automatically treated as coherent".
    pub fn is_coherent(&self) -> bool {
        self.coherent || self.volatile
    }

    /// Whether one of section 4.10 stands here, or one of its kin: how memory is accessed. `precise` and `invariant` are about values.
    pub fn is_stated(&self) -> bool {
        self.coherent || self.volatile || self.restrict || self.readonly || self.writeonly || self.nontemporal
    }

    /// The first qualifier that another declaration does not keep, such as a parameter's of what an argument has (GLSL 4.60, 4.10).
    pub fn lost_in(&self, kept: MemoryQualifiers) -> Option<&'static str> {
        if self.volatile && !kept.volatile {
            Some("volatile")
        } else if self.readonly && !kept.readonly {
            Some("readonly")
        } else if self.writeonly && !kept.writeonly {
            Some("writeonly")
        } else if self.coherent && (!kept.coherent || kept.coherence.reach() < self.coherence.reach()) {
            Some(self.coherence.word())
        } else {
            None
        }
    }
}

/// For whom accesses of memory are coherent (GL_KHR_memory_scope_semantics).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Coherence {
    /// `coherent`, or nothing said.
    #[default]
    Unstated,
    /// `devicecoherent`
    Device,
    /// `queuefamilycoherent`
    QueueFamily,
    /// `workgroupcoherent`
    Workgroup,
    /// `subgroupcoherent`
    Subgroup,
    /// `shadercallcoherent`: between the shaders of one ray (GL_EXT_ray_tracing).
    ShaderCall,
    /// `nonprivate`: ordered by barriers, without being coherent by itself.
    NonPrivate,
}

impl Coherence {
    /// Who sees what is written, from few to many. What is coherent is never private, too.
    fn reach(self) -> u32 {
        match self {
            Coherence::NonPrivate => 0,
            Coherence::Subgroup => 1,
            Coherence::Workgroup => 2,
            Coherence::ShaderCall | Coherence::QueueFamily | Coherence::Unstated | Coherence::Device => 3,
        }
    }

    /// As it is written.
    fn word(self) -> &'static str {
        match self {
            Coherence::Unstated => "coherent",
            Coherence::Device => "devicecoherent",
            Coherence::QueueFamily => "queuefamilycoherent",
            Coherence::Workgroup => "workgroupcoherent",
            Coherence::Subgroup => "subgroupcoherent",
            Coherence::ShaderCall => "shadercallcoherent",
            Coherence::NonPrivate => "nonprivate",
        }
    }
}

/// How a block is laid out in memory (GLSL 4.60, 4.4.5; `scalar` is of GL_EXT_scalar_block_layout).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// Arrays and structures are aligned to 16 bytes.
    Std140,
    /// Arrays and structures are aligned as their largest part.
    Std430,
    /// Everything is aligned as its components.
    Scalar,
    /// As the implementation likes, the same in all programs; Vulkan has none of it.
    Shared,
    /// As the implementation likes; Vulkan has none of it.
    Packed,
}

/// `layout(...)`: the qualifiers that meaning depends on; the rest are kept by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// How the block is laid out.
    pub packing: Option<Packing>,
    /// `true` for `row_major`, `false` for `column_major`.
    pub row_major: Option<bool>,
    /// Descriptor set.
    pub set: Option<u32>,
    /// Binding in the descriptor set.
    pub binding: Option<u32>,
    /// Location of an input or output.
    pub location: Option<u32>,
    /// Bytes from the start of the block.
    pub offset: Option<u32>,
    /// Least alignment in bytes, a power of two.
    pub align: Option<u32>,
    /// Whether the block is a type of addresses (GL_EXT_buffer_reference).
    pub buffer_reference: bool,
    /// Alignment of the addresses in bytes, a power of two; 16 where nothing is said.
    pub buffer_reference_align: Option<u32>,
    /// Whether the block is the push constants (GL_KHR_vulkan_glsl).
    pub push_constant: bool,
    /// Which bank of push constants the block is in (GL_NV_push_constant_bank); 0 where nothing is said.
    pub bank: Option<u32>,
    /// Bytes from the start of that bank to the block.
    pub member_offset: Option<u32>,
    /// Whether the array is a descriptor heap (GL_EXT_descriptor_heap).
    pub descriptor_heap: bool,
    /// Bytes from one descriptor of the heap to the next, a power of two; the descriptor's size where nothing is said.
    pub descriptor_stride: Option<u32>,
    /// Whether the block is a type of buffers whose descriptors lie in a heap (GL_EXT_structured_descriptor_heap).
    pub buffer_type: bool,
    /// Bytes that a descriptor takes in its heap; what the device says where nothing is said.
    pub descriptor_size: Option<u32>,
    /// Bytes from the start of the heap to the block: an expression of the module's own body.
    pub heap_offset: Option<RawIdx>,
    /// The number of a specialization constant (GL_KHR_vulkan_glsl).
    pub constant_id: Option<u32>,
    /// Image format such as `r32f`.
    pub format: Option<SmolStr>,
    /// Names that nothing here depends on, each with its value where it has one.
    pub other: Vec<(SmolStr, Option<i64>)>,
    /// Words of interfaces between stages (`flat`, `patch`, `rayPayloadEXT`), in the order of the text; they are no part of `layout(...)`.
    pub interface: Vec<SmolStr>,
    /// `spirv_decorate(...)` and its kin, which are no part of `layout(...)`.
    pub spirv_decorations: Vec<SpirvMark>,
    /// `spirv_storage_class(N)` in front of the declaration.
    pub spirv_storage_class: Option<SpirvStorageClass>,
}

/// Which way a parameter's value goes (GLSL 4.60, 6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// `in`: copied when the function is called.
    #[default]
    In,
    /// `out`: copied when it returns.
    Out,
    /// `inout`: both.
    InOut,
}
