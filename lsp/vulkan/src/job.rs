//! What is run, and what comes of it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

mod images;

pub use self::images::{Image, Sampler};
use crate::{Executable, Unavailable};

/// One dispatch of one compute shader.
#[derive(Clone, Debug)]
pub struct Job {
    /// The device: part of its name, whatever the case. Nothing for the first one that the loader lists.
    pub device: Option<String>,
    /// The words of a SPIR-V module, in the byte order of this machine.
    pub module: Vec<u32>,
    /// The name of a compute entry point in `module`.
    pub entry_point: String,
    /// Values of specialization constants by their ids: the bits, of integers also sign-extended. Ids that the module does
    /// not have are passed over.
    pub specialization: Vec<(u32, u64)>,
    /// Everything that the shader reads or writes besides push constants.
    pub buffers: Vec<Buffer>,
    /// The same: images, and buffers of texels.
    pub images: Vec<Image>,
    /// How images are sampled: one at each place where the shader has a sampler.
    pub samplers: Vec<Sampler>,
    /// At least as many bytes as the module's block of push constants takes.
    pub push_constants: Vec<u8>,
    /// Put into `buffers` and `push_constants` before the dispatch.
    pub addresses: Vec<Address>,
    /// Matrices of cooperative vectors (VK_NV_cooperative_vector), put into `buffers` before the dispatch in a layout of the driver's own, and taken
    /// from there again afterwards.
    pub matrices: Vec<Matrix>,
    /// Workgroups in each direction.
    pub dispatch: [u32; 3],
    /// Nothing for what the driver chooses.
    pub subgroup_size: Option<u32>,
    /// How often the dispatch is run again and timed, after the one whose buffers are the outcome: on what that left behind.
    pub repetitions: u32,
    /// How long to wait for the device. A device that takes longer is left alone with what it holds.
    pub time_limit: Duration,
}

impl Job {
    /// A job of one workgroup without any memory.
    pub fn new(module: Vec<u32>) -> Job {
        Job {
            device: None,
            module,
            entry_point: "main".to_owned(),
            specialization: Vec::new(),
            buffers: Vec::new(),
            images: Vec::new(),
            samplers: Vec::new(),
            push_constants: Vec::new(),
            addresses: Vec::new(),
            matrices: Vec::new(),
            dispatch: [1, 1, 1],
            subgroup_size: None,
            repetitions: 0,
            time_limit: Duration::from_secs(60),
        }
    }
}

/// A buffer, and where the shader finds it.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What messages call it.
    pub name: String,
    /// None for a buffer that the shader knows by its address alone.
    pub bindings: Vec<Bound>,
    /// What it holds before the dispatch, which says its size.
    pub bytes: Vec<u8>,
}

/// A descriptor of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Where it is.
    pub at: Binding,
    /// How it is declared.
    pub kind: BufferKind,
    /// The byte of the buffer that it begins at.
    pub offset: u64,
    /// So many bytes; all that follow if nothing is said.
    pub range: Option<u64>,
}

impl Bound {
    /// How many bytes of a buffer of this size it is of.
    pub fn bytes(&self, size: u64) -> u64 {
        self.range.unwrap_or_else(|| size.saturating_sub(self.offset))
    }

    /// A storage buffer as a whole.
    pub fn storage(at: Binding) -> Bound {
        Bound { at, kind: BufferKind::Storage, offset: 0, range: None }
    }
}

/// A place among the descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Binding {
    /// `DescriptorSet`.
    pub set: u32,
    /// `Binding` in that set.
    pub binding: u32,
    /// The index where the binding is an array.
    pub element: u32,
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "set {}, binding {}", self.set, self.binding)?;
        if self.element > 0 { write!(f, ", element {}", self.element) } else { Ok(()) }
    }
}

/// The type of a buffer's descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BufferKind {
    /// `VK_DESCRIPTOR_TYPE_STORAGE_BUFFER`: shaders may write to it.
    Storage,
    /// `VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER`.
    Uniform,
}

/// The eight bytes at `offset` of `into` become the address of byte `plus` of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    /// Where the address is put.
    pub into: Place,
    /// Bytes from its start; eight have to follow.
    pub offset: usize,
    /// The buffer by its place in [`Job::buffers`].
    pub of: usize,
    /// Bytes from that buffer's start.
    pub plus: u64,
}

/// What an address can be put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// [`Job::push_constants`].
    PushConstants,
    /// A buffer by its place in [`Job::buffers`].
    Buffer(usize),
}

/// A matrix in a buffer whose layout the driver knows (`vkConvertCooperativeVectorMatrixNV`).
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The buffer by its place in [`Job::buffers`].
    pub buffer: usize,
    /// Bytes from its start to the matrix, in both forms.
    pub offset: usize,
    /// Bytes of the buffer that the matrix may take there; nothing where it may take all the rest, and the buffer be made longer for it.
    pub room: Option<usize>,
    /// Rows and columns.
    pub size: [u32; 2],
    /// What the host has.
    pub host: MatrixForm,
    /// Its bytes before the dispatch, in the host's form; the outcome has those after it. Nothing for a matrix that is only written.
    pub bytes: Option<Vec<u8>>,
    /// What the shader is told.
    pub device: MatrixForm,
}

/// How a matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixForm {
    /// A number of `VkComponentTypeKHR`.
    pub component: u32,
    /// The order of its elements.
    pub layout: MatrixLayout,
    /// Bytes between rows or columns; optimal layouts take no notice of it.
    pub stride: usize,
}

/// `VkCooperativeVectorMatrixLayoutNV`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MatrixLayout {
    /// Row by row.
    RowMajor = 0,
    /// Column by column.
    ColumnMajor = 1,
    /// The driver's own, for products.
    InferencingOptimal = 2,
    /// The driver's own, for accumulation too.
    TrainingOptimal = 3,
}

impl MatrixLayout {
    /// The layout with a number of `VkCooperativeVectorMatrixLayoutNV`, which is that of GLSL and SPIR-V too.
    pub fn of_vulkan(number: u32) -> Option<MatrixLayout> {
        let all = [
            MatrixLayout::RowMajor,
            MatrixLayout::ColumnMajor,
            MatrixLayout::InferencingOptimal,
            MatrixLayout::TrainingOptimal,
        ];
        all.into_iter().find(|layout| *layout as u32 == number)
    }
}

/// What a job leaves behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The bytes of each of [`Job::buffers`]. Addresses that were put into them are still there.
    pub buffers: Vec<Vec<u8>>,
    /// The levels of each of [`Job::images`].
    pub images: Vec<Vec<Vec<u8>>>,
    /// Each of [`Job::matrices`] in the host's form.
    pub matrices: Vec<Vec<u8>>,
    /// The name of the device, as it reports it.
    pub device: String,
    /// The name and version of its driver.
    pub driver: String,
    /// What the dispatch took: by the device's clock, or by ours where it has none.
    pub time: Duration,
    /// What each dispatch took of those that [`Job::repetitions`] asked for, in their order.
    pub times: Vec<Duration>,
    /// What the driver says about the pipeline; nothing if it says nothing.
    pub executables: Vec<Executable>,
}

/// Why there is no outcome.
#[derive(Debug)]
pub enum Error {
    /// There is no Vulkan, or no such device.
    Unavailable(Unavailable),
    /// The job contradicts itself or its module.
    Job(String),
    /// The device lacks what the module or the job asks for.
    Unsupported(String),
    /// A call of the driver failed.
    Driver {
        /// The Vulkan function.
        call: &'static str,
        /// The `VkResult` that came back, or what did not.
        result: String,
    },
    /// The device did not finish in time.
    TimedOut(Duration),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unavailable(reason) => reason.fmt(f),
            Error::Job(message) | Error::Unsupported(message) => f.write_str(message),
            Error::Driver { call, result } => write!(f, "the driver failed in {call}: {result}"),
            Error::TimedOut(limit) => {
                write!(f, "the device did not finish in {:.1} seconds", limit.as_secs_f64())
            }
        }
    }
}

impl std::error::Error for Error {}
