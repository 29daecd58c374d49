//! Command pools and command buffers: what is recorded.

use std::sync::Arc;

use ash::vk;

use crate::descriptors::{Contents, Write};
use crate::driver::Driver;
use crate::facts::limits::{MAX_SETS, PUSH_CONSTANTS};
use crate::fault::Fault;
use crate::hazards::scopes::{Scope, Stages};
use crate::images::{Half, Parts};

pub struct CommandPool {
    pub buffers: Vec<u64>,
    pub may_reset: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Initial,
    Recording,
    Executable,
    /// What was recorded cannot be executed: the reason was told.
    Invalid,
}

/// What is bound to a set's number.
#[derive(Clone, Debug)]
pub enum BoundSet {
    Set {
        set: u64,
        dynamic: Vec<u32>,
    },
    /// Push descriptors.
    Pushed(Arc<Contents>),
}

pub type BoundSets = Arc<Vec<Option<BoundSet>>>;

/// What is bound when a dispatch is recorded.
#[derive(Clone, Debug)]
pub struct Bound {
    pub pipeline: u64,
    pub sets: BoundSets,
    pub push_constants: Arc<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub enum Groups {
    Direct([u32; 3]),
    /// The first one, and how many.
    From([u32; 3], [u32; 3]),
    /// In a buffer, from an offset on.
    Indirect(u64, u64),
}

/// One dependency of a barrier, an event's or its own.
#[derive(Clone, Copy, Debug)]
pub struct Barrier {
    pub source: Scope,
    pub target: Scope,
    /// The buffer, offset and size of a buffer barrier.
    pub buffer: Option<(u64, u64, u64)>,
    /// The image of an image barrier.
    pub image: Option<Transition>,
}

/// What a barrier does to an image.
#[derive(Clone, Copy, Debug)]
pub struct Transition {
    pub image: u64,
    pub parts: Parts,
    pub from: vk::ImageLayout,
    pub to: vk::ImageLayout,
}

#[derive(Clone)]
pub enum Command {
    Dispatch {
        bound: Bound,
        groups: Groups,
    },
    Copy {
        source: u64,
        target: u64,
        regions: Vec<vk::BufferCopy>,
    },
    /// To the image, or from it.
    CopyBufferImage {
        buffer: u64,
        image: Half,
        regions: Vec<vk::BufferImageCopy>,
        to_image: bool,
    },
    CopyImage {
        source: Half,
        target: Half,
        regions: Vec<vk::ImageCopy>,
    },
    ClearImage {
        image: Half,
        color: [u32; 4],
        ranges: Vec<vk::ImageSubresourceRange>,
    },
    Fill {
        target: u64,
        offset: u64,
        size: u64,
        word: u32,
    },
    Update {
        target: u64,
        offset: u64,
        bytes: Vec<u8>,
    },
    Execute(Vec<u64>),
    Barriers(Vec<Barrier>),
    /// Whether it is set; what comes before at these stages.
    SetEvent(u64, bool, Stages),
    /// With what each puts between what was before its set and what follows.
    WaitEvents(Vec<(u64, Arc<[Barrier]>)>),
    ResetQueries {
        pool: u64,
        first: u32,
        count: u32,
    },
    Timestamp {
        pool: u64,
        query: u32,
    },
    CopyQueries {
        pool: u64,
        first: u32,
        count: u32,
        target: u64,
        offset: u64,
        stride: u64,
        flags: vk::QueryResultFlags,
    },
    BeginLabel(String),
    EndLabel,
}

pub struct CommandBuffer {
    pub pool: u64,
    pub stage: Stage,
    pub secondary: bool,
    pub one_time: bool,
    pub commands: Arc<Vec<Command>>,
    recording: Vec<Command>,
    pipeline: u64,
    sets: BoundSets,
    push_constants: Arc<Vec<u8>>,
}

impl CommandBuffer {
    fn new(pool: u64, secondary: bool) -> CommandBuffer {
        CommandBuffer {
            pool,
            stage: Stage::Initial,
            secondary,
            one_time: false,
            commands: Arc::default(),
            recording: Vec::new(),
            pipeline: 0,
            sets: Arc::new(vec![None; MAX_SETS as usize]),
            push_constants: Arc::new(vec![0; PUSH_CONSTANTS as usize]),
        }
    }

    fn clear(&mut self) {
        *self = CommandBuffer::new(self.pool, self.secondary);
    }
}

impl Driver {
    pub fn command_buffer(&self, pointer: u64) -> Result<&CommandBuffer, Fault> {
        self.command_buffers.get(self.pointers.handle(pointer))
    }

    fn command_buffer_mut(&mut self, pointer: u64) -> Result<&mut CommandBuffer, Fault> {
        let handle = self.pointers.handle(pointer);
        self.command_buffers.get_mut(handle)
    }

    pub fn allocate_command_buffer(&mut self, pool: u64, secondary: bool) -> Result<u64, Fault> {
        self.command_pools.get(pool)?;
        let buffer = self.command_buffers.add(CommandBuffer::new(pool, secondary));
        let pointer = self.pointers.add(buffer);
        self.command_pools.get_mut(pool)?.buffers.push(pointer);
        Ok(pointer)
    }

    pub fn free_command_buffer(&mut self, pool: u64, pointer: u64) -> Result<(), Fault> {
        if pointer == 0 {
            return Ok(());
        }
        if self.command_buffer(pointer)?.pool != pool {
            return Err(Fault::misuse("the command buffer is of another pool"));
        }
        self.command_buffers.remove(self.pointers.handle(pointer))?;
        self.command_pools.get_mut(pool)?.buffers.retain(|known| *known != pointer);
        Ok(())
    }

    pub fn reset_command_pool(&mut self, pool: u64) -> Result<(), Fault> {
        let buffers = self.command_pools.get(pool)?.buffers.clone();
        for pointer in buffers {
            self.command_buffer_mut(pointer)?.clear();
        }
        Ok(())
    }

    pub fn destroy_command_pool(&mut self, pool: u64) -> Result<(), Fault> {
        if let Some(pool) = self.command_pools.remove_any(pool)? {
            for pointer in pool.buffers {
                self.command_buffers.remove(self.pointers.handle(pointer))?;
            }
        }
        Ok(())
    }

    pub fn begin(&mut self, pointer: u64, one_time: bool) -> Result<(), Fault> {
        let buffer = self.command_buffer(pointer)?;
        let may_reset = self.command_pools.get(buffer.pool)?.may_reset;
        let (stage, fresh) = (buffer.stage, buffer.stage == Stage::Initial);
        let buffer = self.command_buffer_mut(pointer)?;
        if stage == Stage::Recording {
            return Err(Fault::misuse("the command buffer is being recorded already"));
        }
        buffer.clear();
        buffer.stage = Stage::Recording;
        buffer.one_time = one_time;
        if !fresh && !may_reset {
            return Err(Fault::misuse(
                "the command buffer was recorded before, and its pool was made without VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT",
            )
            .with(vk::Result::SUCCESS));
        }
        Ok(())
    }

    pub fn end(&mut self, pointer: u64) -> Result<(), Fault> {
        let buffer = self.command_buffer_mut(pointer)?;
        match buffer.stage {
            Stage::Recording => {
                buffer.commands = Arc::new(std::mem::take(&mut buffer.recording));
                buffer.stage = Stage::Executable;
                Ok(())
            }
            Stage::Invalid => Err(Fault::plain(vk::Result::ERROR_UNKNOWN)),
            Stage::Initial | Stage::Executable => {
                Err(Fault::misuse("vkBeginCommandBuffer was not called for the command buffer"))
            }
        }
    }

    pub fn reset_command_buffer(&mut self, pointer: u64) -> Result<(), Fault> {
        self.command_buffer_mut(pointer)?.clear();
        Ok(())
    }

    /// The command buffer while it is recorded.
    pub fn recording(&mut self, pointer: u64) -> Result<&mut CommandBuffer, Fault> {
        let buffer = self.command_buffer_mut(pointer)?;
        match buffer.stage {
            Stage::Recording => Ok(buffer),
            Stage::Invalid => Err(Fault::plain(vk::Result::ERROR_UNKNOWN)),
            Stage::Initial | Stage::Executable => Err(Fault::misuse(
                "the command buffer is not being recorded: call vkBeginCommandBuffer first",
            )),
        }
    }

    /// Records a command.
    pub fn record(&mut self, pointer: u64, command: Command) -> Result<(), Fault> {
        self.recording(pointer)?.recording.push(command);
        Ok(())
    }

    /// After a command that could not be recorded: the buffer is not executed without it.
    pub fn spoil(&mut self, pointer: u64) {
        if let Ok(buffer) = self.command_buffer_mut(pointer)
            && buffer.stage == Stage::Recording
        {
            buffer.stage = Stage::Invalid;
        }
    }

    pub fn bind_pipeline(&mut self, pointer: u64, pipeline: u64) -> Result<(), Fault> {
        self.pipelines.get(pipeline)?;
        self.recording(pointer)?.pipeline = pipeline;
        Ok(())
    }

    pub fn bind_sets(
        &mut self,
        pointer: u64,
        layout: u64,
        first: u32,
        sets: &[u64],
        dynamic: &[u32],
    ) -> Result<(), Fault> {
        let layout = self.pipeline_layouts.get(layout)?.clone();
        let mut rest = dynamic;
        let mut bound = Vec::new();
        for (number, &set) in sets.iter().enumerate() {
            if set == 0 {
                bound.push(None);
                continue;
            }
            let known = self.sets.get(set)?;
            let number = first as usize + number;
            if layout.sets.get(number).is_none_or(Option::is_none) {
                return Err(Fault::misuse(format!("the pipeline layout has no set {number}")));
            }
            let count = known.layout.dynamic() as usize;
            let Some((own, others)) = rest.split_at_checked(count) else {
                return Err(Fault::misuse(format!(
                    "set {number} takes {count} dynamic offsets, but {} are given",
                    rest.len()
                )));
            };
            rest = others;
            bound.push(Some(BoundSet::Set { set, dynamic: own.to_vec() }));
        }
        if !rest.is_empty() {
            return Err(Fault::misuse(format!("{} dynamic offsets are given that no set takes", rest.len())));
        }
        if first as usize + bound.len() > MAX_SETS as usize {
            return Err(Fault::misuse(format!("the device has {MAX_SETS} sets")));
        }
        let buffer = self.recording(pointer)?;
        let all = Arc::make_mut(&mut buffer.sets);
        for (slot, set) in all.iter_mut().skip(first as usize).zip(bound) {
            *slot = set;
        }
        Ok(())
    }

    pub fn push_descriptors(
        &mut self,
        pointer: u64,
        layout: u64,
        number: u32,
        writes: &[Write],
    ) -> Result<(), Fault> {
        let layout = self.pipeline_layouts.get(layout)?.clone();
        let Some(set) = layout.sets.get(number as usize).and_then(Option::as_ref) else {
            return Err(Fault::misuse(format!("the pipeline layout has no set {number}")));
        };
        if !set.push {
            return Err(Fault::misuse(format!(
                "the layout of set {number} was made without VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT"
            )));
        }
        for write in writes {
            self.check_write(set, write)?;
        }
        let buffer = self.recording(pointer)?;
        let all = Arc::make_mut(&mut buffer.sets);
        let Some(slot) = all.get_mut(number as usize) else {
            return Err(Fault::misuse(format!("the device has {MAX_SETS} sets")));
        };
        // What was pushed before stays where nothing else is written.
        let mut contents = match slot {
            Some(BoundSet::Pushed(contents)) if contents.keys().eq(set.bindings.keys()) => {
                (**contents).clone()
            }
            _ => set.empty(None),
        };
        for write in writes {
            set.write(&mut contents, write)?;
        }
        *slot = Some(BoundSet::Pushed(Arc::new(contents)));
        Ok(())
    }

    pub fn push_constants(&mut self, pointer: u64, offset: u32, bytes: &[u8]) -> Result<(), Fault> {
        let buffer = self.recording(pointer)?;
        let all = Arc::make_mut(&mut buffer.push_constants);
        match all.get_mut(offset as usize..offset as usize + bytes.len()) {
            Some(part) => {
                part.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(Fault::misuse(format!(
                "{} bytes of push constants from byte {offset}: the device has {PUSH_CONSTANTS} bytes",
                bytes.len()
            ))),
        }
    }

    pub fn dispatch(&mut self, pointer: u64, groups: Groups) -> Result<(), Fault> {
        if let Groups::Indirect(buffer, _) = groups {
            self.buffers.get(buffer)?;
        }
        let buffer = self.recording(pointer)?;
        if buffer.pipeline == 0 {
            return Err(Fault::misuse("no compute pipeline is bound"));
        }
        let bound = Bound {
            pipeline: buffer.pipeline,
            sets: buffer.sets.clone(),
            push_constants: buffer.push_constants.clone(),
        };
        buffer.recording.push(Command::Dispatch { bound, groups });
        Ok(())
    }
}
