//! What a run did, in numbers.

/// What kind of work an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// Arithmetic and comparisons of integers, bits, logic, addresses.
    Integer,
    /// Arithmetic and comparisons of floating-point numbers, and what GLSL.std.450 has but packing.
    Float,
    /// A number as another type, packing and unpacking.
    Conversion,
    /// Copies, and values put together and taken apart.
    Composite,
    /// Branches, returns and other ends of blocks.
    Control,
    /// Calls of functions.
    Call,
    /// Loads and stores, but those of matrices.
    Memory,
    /// Atomic operations.
    Atomic,
    /// Operations between the invocations of a subgroup.
    Subgroup,
    /// Control barriers.
    Barrier,
    /// Accesses to images, and questions about them.
    Image,
    /// Everything on cooperative matrices and tensor layouts.
    Matrix,
    /// The rest: `debugPrintfEXT`, clocks, what is not executed.
    Other,
}

impl Class {
    /// Every class, in the order of its index in [`Counts::instructions`].
    pub const ALL: [Class; 13] = [
        Class::Integer,
        Class::Float,
        Class::Conversion,
        Class::Composite,
        Class::Control,
        Class::Call,
        Class::Memory,
        Class::Atomic,
        Class::Subgroup,
        Class::Barrier,
        Class::Image,
        Class::Matrix,
        Class::Other,
    ];

    /// In lower case, as reports print it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Integer => "integer",
            Class::Float => "float",
            Class::Conversion => "conversion",
            Class::Composite => "composite",
            Class::Control => "control",
            Class::Call => "call",
            Class::Memory => "memory",
            Class::Atomic => "atomic",
            Class::Subgroup => "subgroup",
            Class::Barrier => "barrier",
            Class::Image => "image",
            Class::Matrix => "matrix",
            Class::Other => "other",
        }
    }
}

/// What a run did, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions that subgroups executed, by [`Class`].
    pub instructions: [u64; Class::ALL.len()],
    /// The same, times the invocations that were active.
    pub lane_instructions: [u64; Class::ALL.len()],
    /// Steps so far: one for each instruction of a subgroup.
    pub steps: u64,
    /// By the shader's own instructions, over all invocations, and by matrix loads and stores.
    pub bytes_read: u64,
    /// As [`Counts::bytes_read`]. An atomic operation counts in both.
    pub bytes_written: u64,
    /// Cooperative matrix multiply-adds, and products and outer products of cooperative vectors, one for each invocation.
    pub matrix_multiplies: u64,
    /// Two for each multiply and add inside them.
    pub matrix_flops: u64,
    /// Workgroups that have begun.
    pub workgroups: u64,
}

impl Counts {
    /// Instructions of a class, one for each subgroup that executed it.
    pub fn of(&self, class: Class) -> u64 {
        self.instructions[class as usize]
    }

    /// Instructions of all classes.
    pub fn total(&self) -> u64 {
        self.instructions.iter().sum()
    }

    /// Adds what another part of the same run did.
    pub(crate) fn add(&mut self, other: &Counts) {
        for (sum, part) in self.instructions.iter_mut().zip(other.instructions) {
            *sum += part;
        }
        for (sum, part) in self.lane_instructions.iter_mut().zip(other.lane_instructions) {
            *sum += part;
        }
        self.steps += other.steps;
        self.bytes_read += other.bytes_read;
        self.bytes_written += other.bytes_written;
        self.matrix_multiplies += other.matrix_multiplies;
        self.matrix_flops += other.matrix_flops;
        self.workgroups += other.workgroups;
    }
}

/// What an instruction of the module did in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionCounts {
    /// Its index in the module.
    pub instruction: u32,
    /// By how many subgroups it was executed.
    pub times: u64,
    /// By how many invocations.
    pub lanes: u64,
    /// Bytes that it read and wrote, as [`Counts`] has them: what all lanes of a subgroup read alike counts once. None where machine code ran.
    pub bytes: Option<u64>,
}
