//! What is run, and what comes of it.

use std::fmt;
use std::time::Duration;

use crate::Unavailable;

/// One dispatch of one compute shader.
#[derive(Clone, Debug)]
pub struct Job {
    /// The device: part of its name, whatever the case. Nothing for the first one that the loader lists.
    pub device: Option<String>,
    pub module: Vec<u32>,
    pub entry_point: String,
    /// Values of specialization constants by their ids: the bits, of integers also sign-extended. Ids that the module does
    /// not have are passed over.
    pub specialization: Vec<(u32, u64)>,
    pub buffers: Vec<Buffer>,
    pub push_constants: Vec<u8>,
    pub addresses: Vec<Address>,
    /// Workgroups in each direction.
    pub dispatch: [u32; 3],
    /// Nothing for what the driver chooses.
    pub subgroup_size: Option<u32>,
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
            push_constants: Vec::new(),
            addresses: Vec::new(),
            dispatch: [1, 1, 1],
            subgroup_size: None,
            time_limit: Duration::from_secs(60),
        }
    }
}

/// A buffer, and where the shader finds it.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What messages call it.
    pub name: String,
    /// Nothing for a buffer that the shader knows by its address alone.
    pub binding: Option<Binding>,
    pub kind: BufferKind,
    /// What it holds before the dispatch, which says its size.
    pub bytes: Vec<u8>,
}

/// A place among the descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binding {
    pub set: u32,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BufferKind {
    Storage,
    Uniform,
}

/// The eight bytes at `offset` of `into` become the address of byte `plus` of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub into: Place,
    pub offset: usize,
    /// The buffer by its place in [`Job::buffers`].
    pub of: usize,
    pub plus: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    PushConstants,
    /// A buffer by its place in [`Job::buffers`].
    Buffer(usize),
}

/// What a job leaves behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The bytes of each of [`Job::buffers`]. Addresses that were put into them are still there.
    pub buffers: Vec<Vec<u8>>,
    pub device: String,
    pub driver: String,
    /// What the dispatch took: by the device's clock, or by ours where it has none.
    pub time: Duration,
}

/// Why there is no outcome.
#[derive(Debug)]
pub enum Error {
    Unavailable(Unavailable),
    /// The job contradicts itself or its module.
    Job(String),
    /// The device lacks what the module or the job asks for.
    Unsupported(String),
    /// A call of the driver failed.
    Driver {
        call: &'static str,
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
            Error::Driver { call, result } => write!(f, "the driver fails in {call}: {result}"),
            Error::TimedOut(limit) => {
                write!(f, "the device did not finish in {:.1} seconds", limit.as_secs_f64())
            }
        }
    }
}

impl std::error::Error for Error {}
