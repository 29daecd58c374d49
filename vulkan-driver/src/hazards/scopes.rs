//! Stages and accesses of barriers, as far as commands of this device have them (Vulkan, "Synchronization and Cache Control", "Pipeline Stages" and
//! "Access Types"). The bits of the older commands are the lower half of those of VK_KHR_synchronization2.

/// A stage that the device's commands have, or several.
pub type Stages = u8;
/// The read of `vkCmdDispatchIndirect`.
pub const INDIRECT: Stages = 1;
/// Shaders.
pub const COMPUTE: Stages = 2;
/// Copies, also of queries.
pub const COPY: Stages = 4;
/// Fills and updates.
pub const CLEAR: Stages = 8;
/// The host.
pub const HOST: Stages = 16;
const EVERY_STAGE: Stages = 31;

/// A kind of access at a stage, or several.
pub type Uses = u8;
pub const INDIRECT_READ: Uses = 1;
pub const UNIFORM_READ: Uses = 2;
pub const STORAGE_READ: Uses = 4;
pub const STORAGE_WRITE: Uses = 8;
pub const COPY_READ: Uses = 16;
pub const COPY_WRITE: Uses = 32;
pub const CLEAR_WRITE: Uses = 64;
/// Of sampled images and of uniform texel buffers.
pub const SAMPLED_READ: Uses = 128;

/// One half of a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Whose execution is ordered.
    pub stages: Stages,
    /// Whose memory is made available or visible.
    pub uses: Uses,
}

/// Everything that the device does.
pub const EVERYTHING: Scope = Scope { stages: EVERY_STAGE, uses: 255 };

/// Bits of `VkPipelineStageFlags2`.
pub mod stage {
    use ash::vk::PipelineStageFlags2 as Flags;

    pub const TOP_OF_PIPE: u64 = Flags::TOP_OF_PIPE.as_raw();
    pub const DRAW_INDIRECT: u64 = Flags::DRAW_INDIRECT.as_raw();
    pub const COMPUTE_SHADER: u64 = Flags::COMPUTE_SHADER.as_raw();
    pub const TRANSFER: u64 = Flags::ALL_TRANSFER.as_raw();
    pub const BOTTOM_OF_PIPE: u64 = Flags::BOTTOM_OF_PIPE.as_raw();
    pub const HOST: u64 = Flags::HOST.as_raw();
    pub const ALL_COMMANDS: u64 = Flags::ALL_COMMANDS.as_raw();
    pub const COPY: u64 = Flags::COPY.as_raw();
    pub const CLEAR: u64 = Flags::CLEAR.as_raw();
}

/// Bits of `VkAccessFlags2`.
pub mod access {
    use ash::vk::AccessFlags2 as Flags;

    pub const INDIRECT_COMMAND_READ: u64 = Flags::INDIRECT_COMMAND_READ.as_raw();
    pub const UNIFORM_READ: u64 = Flags::UNIFORM_READ.as_raw();
    pub const SHADER_READ: u64 = Flags::SHADER_READ.as_raw();
    pub const SHADER_WRITE: u64 = Flags::SHADER_WRITE.as_raw();
    pub const TRANSFER_READ: u64 = Flags::TRANSFER_READ.as_raw();
    pub const TRANSFER_WRITE: u64 = Flags::TRANSFER_WRITE.as_raw();
    pub const MEMORY_READ: u64 = Flags::MEMORY_READ.as_raw();
    pub const MEMORY_WRITE: u64 = Flags::MEMORY_WRITE.as_raw();
    pub const SHADER_SAMPLED_READ: u64 = Flags::SHADER_SAMPLED_READ.as_raw();
    pub const SHADER_STORAGE_READ: u64 = Flags::SHADER_STORAGE_READ.as_raw();
    pub const SHADER_STORAGE_WRITE: u64 = Flags::SHADER_STORAGE_WRITE.as_raw();
}

fn named(bits: u64) -> Stages {
    let pairs = [
        (stage::DRAW_INDIRECT, INDIRECT),
        (stage::COMPUTE_SHADER, COMPUTE),
        (stage::TRANSFER, COPY | CLEAR),
        (stage::COPY, COPY),
        (stage::CLEAR, CLEAR),
        (stage::HOST, HOST),
        (stage::ALL_COMMANDS, EVERY_STAGE & !HOST),
    ];
    pairs.iter().filter(|(bit, _)| bits & bit != 0).fold(0, |all, (_, stages)| all | stages)
}

/// The accesses at these stages. A stage without the access gives nothing.
fn uses(stages: Stages, bits: u64) -> Uses {
    let read = access::MEMORY_READ;
    let write = access::MEMORY_WRITE;
    let rows = [
        (INDIRECT, access::INDIRECT_COMMAND_READ | read, INDIRECT_READ),
        (COMPUTE, access::UNIFORM_READ | read, UNIFORM_READ),
        (COMPUTE, access::SHADER_READ | access::SHADER_STORAGE_READ | read, STORAGE_READ),
        (COMPUTE, access::SHADER_READ | access::SHADER_SAMPLED_READ | read, SAMPLED_READ),
        (COMPUTE, access::SHADER_WRITE | access::SHADER_STORAGE_WRITE | write, STORAGE_WRITE),
        (COPY, access::TRANSFER_READ | read, COPY_READ),
        (COPY, access::TRANSFER_WRITE | write, COPY_WRITE),
        (CLEAR, access::TRANSFER_WRITE | write, CLEAR_WRITE),
    ];
    rows.iter()
        .filter(|(stage, accesses, _)| stages & stage != 0 && bits & accesses != 0)
        .fold(0, |all, (.., one)| all | one)
}

/// The first half of a barrier. Stages that come earlier in a pipeline are ordered too, but their memory is not made available.
pub fn source(stages: u64, accesses: u64) -> Scope {
    let own = named(stages);
    let mut ordered = own;
    if stages & stage::BOTTOM_OF_PIPE != 0 {
        ordered |= EVERY_STAGE & !HOST;
    }
    if ordered & COMPUTE != 0 {
        ordered |= INDIRECT;
    }
    Scope { stages: ordered, uses: uses(own, accesses) }
}

/// The second half. Stages that come later are ordered too.
pub fn target(stages: u64, accesses: u64) -> Scope {
    let own = named(stages);
    let mut ordered = own;
    if stages & stage::TOP_OF_PIPE != 0 {
        ordered |= EVERY_STAGE & !HOST;
    }
    if ordered & INDIRECT != 0 {
        ordered |= COMPUTE;
    }
    Scope { stages: ordered, uses: uses(own, accesses) }
}

/// What a signal of a semaphore comes after: all accesses of the stages (Vulkan, "Semaphore Signaling").
pub fn signalling(stages: u64) -> Scope {
    Scope { stages: source(stages, 0).stages, ..EVERYTHING }
}

/// What waits for a semaphore: all accesses at its stages.
pub fn waiting(stages: u64) -> Scope {
    target(stages, u64::MAX)
}

/// The stage of a command and the access, as barriers name them.
pub fn words(one: Uses) -> &'static str {
    match one {
        INDIRECT_READ => "DRAW_INDIRECT, INDIRECT_COMMAND_READ",
        UNIFORM_READ => "COMPUTE_SHADER, UNIFORM_READ",
        STORAGE_WRITE => "COMPUTE_SHADER, SHADER_WRITE",
        COPY_READ => "TRANSFER, TRANSFER_READ",
        COPY_WRITE | CLEAR_WRITE => "TRANSFER, TRANSFER_WRITE",
        // Of what may be either, the one that most shaders have.
        _ => "COMPUTE_SHADER, SHADER_READ",
    }
}

/// The stage alone.
pub fn stage_words(one: Uses) -> &'static str {
    words(one).split(", ").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_before_and_after_are_ordered_without_their_memory() {
        let compute = source(stage::COMPUTE_SHADER, access::SHADER_WRITE | access::MEMORY_READ);
        assert_eq!(compute.stages, COMPUTE | INDIRECT);
        assert_eq!(compute.uses, STORAGE_WRITE | STORAGE_READ | UNIFORM_READ | SAMPLED_READ);
        let indirect = target(stage::DRAW_INDIRECT, access::MEMORY_READ);
        assert_eq!(indirect, Scope { stages: INDIRECT | COMPUTE, uses: INDIRECT_READ });
    }

    #[test]
    fn ends_of_the_pipeline_order_everything_or_nothing() {
        assert_eq!(source(stage::BOTTOM_OF_PIPE, access::MEMORY_WRITE).stages, EVERY_STAGE & !HOST);
        assert_eq!(source(stage::BOTTOM_OF_PIPE, access::MEMORY_WRITE).uses, 0);
        assert_eq!(source(stage::TOP_OF_PIPE, access::MEMORY_WRITE), Scope::default());
        assert_eq!(target(stage::BOTTOM_OF_PIPE, access::MEMORY_READ), Scope::default());
        let all = target(stage::ALL_COMMANDS, access::MEMORY_READ | access::MEMORY_WRITE);
        assert_eq!(all, Scope { stages: EVERY_STAGE & !HOST, ..EVERYTHING });
    }

    #[test]
    fn a_transfer_is_a_copy_or_a_fill_and_the_newer_flags_say_which() {
        assert_eq!(target(stage::TRANSFER, access::TRANSFER_WRITE).uses, COPY_WRITE | CLEAR_WRITE);
        assert_eq!(target(stage::CLEAR, access::TRANSFER_WRITE).uses, CLEAR_WRITE);
        assert_eq!(target(stage::COPY, access::SHADER_STORAGE_READ).uses, 0);
        assert_eq!(target(stage::COMPUTE_SHADER, access::SHADER_STORAGE_READ).uses, STORAGE_READ);
    }
}
