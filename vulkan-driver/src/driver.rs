//! Everything that the driver has, behind one lock, and what it reports.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

use ash::vk;
use coopmat_analysis::devices::{self, DeviceProfile};
use coopmat_driver_report::{Event, Options, VARIABLE};
use coopmat_simulator::{AdvertisedShape, Sampler, Settings};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::commands::{CommandBuffer, CommandPool};
use crate::descriptors::{DescriptorSet, Pool, SetLayout, Template};
use crate::facts::Facts;
use crate::fault::{Fault, Whose};
use crate::handles::{Kind, Pointers, Table};
use crate::hazards::{Hazards, Number};
use crate::images::{BufferView, Image, ImageView};
use crate::memory::{Buffer, Memory};
use crate::module::Module;
use crate::objects::{Fence, QueryPool, Queue, Semaphore};
use crate::pipelines::{Pipeline, PipelineLayout};
use crate::ran::Ran;
use crate::shapes::advertised;
use crate::threads::Threads;

/// Repeated mistakes are told so often.
const MOST_REPEATED: u64 = 1;

pub struct Instance {
    /// The pointer that stands for its device.
    pub physical_device: u64,
}

pub struct Device {
    /// Pointers that stand for its queues, by their index.
    pub queues: Vec<u64>,
    /// The features that the program has enabled.
    pub enabled: FxHashSet<&'static str>,
    pub extensions: Vec<String>,
    /// What broke it.
    pub lost: bool,
}

/// A messenger of VK_EXT_debug_utils, as numbers: only the entry layer calls it.
#[derive(Clone, Copy, Debug)]
pub struct Messenger {
    pub severities: u32,
    pub types: u32,
    pub callback: usize,
    pub user_data: usize,
}

/// A message for the program's messengers.
#[derive(Clone, Debug)]
pub struct Message {
    pub severity: u32,
    pub id: &'static str,
    pub text: String,
}

pub struct Driver {
    pub options: Options,
    pub facts: Arc<Facts>,
    /// How dispatches run that are not checked.
    pub settings: Settings,
    pub shapes: Option<Arc<[AdvertisedShape]>>,
    pub threads: Option<Threads>,
    pub pointers: Pointers,
    pub instances: Table<Instance>,
    pub physical_devices: Table<()>,
    pub devices: Table<Device>,
    pub queues: Table<Queue>,
    pub memories: Table<Memory>,
    pub buffers: Table<Buffer>,
    pub buffer_views: Table<BufferView>,
    pub images: Table<Image>,
    pub image_views: Table<ImageView>,
    pub samplers: Table<Sampler>,
    pub set_layouts: Table<Arc<SetLayout>>,
    pub pools: Table<Pool>,
    pub sets: Table<DescriptorSet>,
    pub templates: Table<Arc<Template>>,
    pub pipeline_layouts: Table<Arc<PipelineLayout>>,
    pub modules: Table<Arc<Module>>,
    pub caches: Table<()>,
    pub pipelines: Table<Arc<Pipeline>>,
    pub command_pools: Table<CommandPool>,
    pub command_buffers: Table<CommandBuffer>,
    pub fences: Table<Fence>,
    pub semaphores: Table<Semaphore>,
    pub events: Table<bool>,
    pub query_pools: Table<QueryPool>,
    pub private_data: Table<FxHashMap<u64, u64>>,
    pub messengers: Table<Messenger>,
    /// What the program calls objects.
    pub names: FxHashMap<u64, String>,
    /// Buffers with addresses, by their slot: the address of a slot is the simulator's, so that slots are never given out again.
    pub addressed: Vec<Option<u64>>,
    /// Bytes that are allocated.
    pub allocated: u64,
    pub dispatches: u64,
    pub checked_dispatches: u64,
    /// Instructions of subgroups, which timestamps count.
    pub instructions: u64,
    /// Messages for the program, to be sent without the lock.
    pub messages: Vec<Message>,
    told: FxHashMap<String, u64>,
    /// Findings that were told, by pipeline, instruction and kind, or by the commands, and their numbers.
    pub findings: FxHashMap<String, u64>,
    /// What orders commands, in checked mode.
    pub hazards: Hazards,
    /// Commands that later ones may be held against.
    pub ran: FxHashMap<Number, Ran>,
    /// What is wrong with the options: there is no instance then, rather than one of another device, or unchecked.
    refused: Vec<String>,
    file: Option<File>,
}

static DRIVER: LazyLock<Mutex<Driver>> = LazyLock::new(|| Mutex::new(Driver::new()));
/// Told whenever something may have been signalled.
pub static CHANGED: Condvar = Condvar::new();

/// The driver, once nobody else has it.
pub fn lock() -> MutexGuard<'static, Driver> {
    DRIVER.lock().unwrap_or_else(PoisonError::into_inner)
}

fn device(name: &str) -> Result<Arc<DeviceProfile>, String> {
    if name.ends_with(".json") || name.contains('/') {
        let text = std::fs::read_to_string(Path::new(name)).map_err(|error| format!("{name}: {error}"))?;
        return DeviceProfile::parse(&text).map(Arc::new).map_err(|error| format!("{name}: {error}"));
    }
    devices::find(name)
}

impl Driver {
    fn new() -> Driver {
        let mut problems = Vec::new();
        let given = std::env::var(VARIABLE).ok();
        let options = given.map_or_else(Options::default, |text| {
            Options::parse(&text).unwrap_or_else(|(error, options)| {
                problems.push(error);
                *options
            })
        });
        let profile = device(&options.device).unwrap_or_else(|error| {
            problems.push(error);
            Arc::new(DeviceProfile { name: "minimum".to_owned(), ..DeviceProfile::default() })
        });
        let mut settings = Settings { step_limit: options.step_limit, ..Settings::default() };
        if let Some(name) = &options.numerics {
            match coopmat_recipe::modes::numerics(name) {
                Ok(numerics) => settings.numerics = numerics,
                Err(error) => problems.push(error),
            }
        }
        if let Some(name) = &options.ownership {
            match coopmat_recipe::modes::ownership(name) {
                Ok(ownership) => settings.ownership = ownership,
                Err(error) => problems.push(error),
            }
        }
        let open = |path: &String| File::options().append(true).create(true).open(path);
        let file = options.report.as_ref().and_then(|path| match open(path) {
            Ok(file) => Some(file),
            Err(error) => {
                problems.push(format!("{path}: {error}"));
                None
            }
        });
        let mut driver = Driver {
            shapes: advertised(&profile),
            facts: Arc::new(Facts {
                claims_graphics: options.claim_graphics,
                ..Facts::new(profile, options.memory_limit)
            }),
            threads: Threads::new(options.threads),
            options,
            settings,
            pointers: Pointers::default(),
            instances: Table::new(Kind::Instance),
            physical_devices: Table::new(Kind::PhysicalDevice),
            devices: Table::new(Kind::Device),
            queues: Table::new(Kind::Queue),
            memories: Table::new(Kind::Memory),
            buffers: Table::new(Kind::Buffer),
            buffer_views: Table::new(Kind::BufferView),
            images: Table::new(Kind::Image),
            image_views: Table::new(Kind::ImageView),
            samplers: Table::new(Kind::Sampler),
            set_layouts: Table::new(Kind::SetLayout),
            pools: Table::new(Kind::Pool),
            sets: Table::new(Kind::Set),
            templates: Table::new(Kind::Template),
            pipeline_layouts: Table::new(Kind::PipelineLayout),
            modules: Table::new(Kind::Module),
            caches: Table::new(Kind::Cache),
            pipelines: Table::new(Kind::Pipeline),
            command_pools: Table::new(Kind::CommandPool),
            command_buffers: Table::new(Kind::CommandBuffer),
            fences: Table::new(Kind::Fence),
            semaphores: Table::new(Kind::Semaphore),
            events: Table::new(Kind::Event),
            query_pools: Table::new(Kind::QueryPool),
            private_data: Table::new(Kind::PrivateData),
            messengers: Table::new(Kind::Messenger),
            names: FxHashMap::default(),
            addressed: Vec::new(),
            allocated: 0,
            dispatches: 0,
            checked_dispatches: 0,
            instructions: 0,
            messages: Vec::new(),
            told: FxHashMap::default(),
            findings: FxHashMap::default(),
            hazards: Hazards::default(),
            ran: FxHashMap::default(),
            refused: problems,
            file,
        };
        for message in driver.refused.clone() {
            driver.report(Event::Refused { message });
        }
        driver
    }

    /// Adds an event to the report. Without a report it is a line on standard error, if it is a problem.
    pub fn report(&mut self, event: Event) {
        match &mut self.file {
            Some(file) => {
                // There is nobody else to tell.
                let _ = file.write_all((event.line() + "\n").as_bytes());
            }
            None => match &event {
                Event::Started { .. } | Event::Progress { .. } | Event::Again { .. } => {}
                Event::Captured { recipe, .. } => eprintln!("captured: {recipe}"),
                Event::Replaced { shader } => eprintln!("replaced: {shader}"),
                Event::Printed { text, .. } => eprintln!("{text}"),
                event => eprintln!("coopmat-vulkan-driver: {}", event.line()),
            },
        }
    }

    /// Writes down why a call was not carried out.
    pub fn tell(&mut self, call: &str, fault: &Fault) {
        if fault.whose == Whose::Nobody {
            return;
        }
        // The same mistake with other handles is the same.
        let key: String = fault.message.split("0x").next().unwrap_or_default().to_owned();
        let times = self.told.entry(format!("{call}: {key}")).or_default();
        *times += 1;
        if *times > MOST_REPEATED {
            return;
        }
        let (call, message) = (call.to_owned(), fault.message.clone());
        let id = if fault.whose == Whose::Program { "coopmat-misuse" } else { "coopmat-missing" };
        self.messages.push(Message { severity: ERROR, id, text: format!("{call}: {message}") });
        self.report(match fault.whose {
            Whose::Program => Event::Misuse { call, message },
            _ => Event::Missing { call, message },
        });
    }

    /// What the program calls an object.
    pub fn name(&self, handle: u64) -> Option<&str> {
        self.names.get(&handle).map(String::as_str)
    }

    /// What is told after each submission: the last word, should the program end without another.
    pub fn report_progress(&mut self) {
        self.report(Event::Progress {
            process: std::process::id(),
            dispatches: self.dispatches,
            checked: self.checked_dispatches,
            instructions: self.instructions,
        });
    }

    pub fn create_instance(&mut self) -> Result<u64, Fault> {
        if !self.refused.is_empty() {
            return Err(Fault::plain(vk::Result::ERROR_INITIALIZATION_FAILED));
        }
        let device = self.physical_devices.add(());
        let physical_device = self.pointers.add(device);
        let instance = self.instances.add(Instance { physical_device });
        self.report(Event::Started {
            process: std::process::id(),
            device: self.facts.title().to_owned(),
            assumed: self.facts.assumed.clone(),
        });
        Ok(self.pointers.add(instance))
    }

    pub fn destroy_instance(&mut self, instance: u64) -> Result<(), Fault> {
        let handle = self.pointers.handle(instance);
        if let Some(instance) = self.instances.remove_any(handle)? {
            let device = self.pointers.handle(instance.physical_device);
            self.physical_devices.remove(device)?;
        }
        Ok(())
    }

    pub fn instance(&self, instance: u64) -> Result<&Instance, Fault> {
        self.instances.get(self.pointers.handle(instance))
    }

    pub fn physical_device(&self, device: u64) -> Result<&(), Fault> {
        self.physical_devices.get(self.pointers.handle(device))
    }

    /// A device, which is where nearly every call begins.
    pub fn device(&self, device: u64) -> Result<&Device, Fault> {
        self.devices.get(self.pointers.handle(device))
    }

    /// Makes a device with so many queues.
    pub fn create_device(
        &mut self,
        queues: u32,
        enabled: FxHashSet<&'static str>,
        extensions: Vec<String>,
    ) -> u64 {
        let device = Device { queues: Vec::new(), enabled, extensions, lost: false };
        let device = self.devices.add(device);
        for _ in 0..queues {
            let queue = self.queues.add(Queue::new(device));
            let pointer = self.pointers.add(queue);
            if let Ok(device) = self.devices.get_mut(device) {
                device.queues.push(pointer);
            }
        }
        self.pointers.add(device)
    }

    pub fn destroy_device(&mut self, device: u64) -> Result<(), Fault> {
        let handle = self.pointers.handle(device);
        if let Some(device) = self.devices.remove_any(handle)? {
            for queue in device.queues {
                self.queues.remove(self.pointers.handle(queue))?;
            }
        }
        self.report_progress();
        Ok(())
    }
}

/// `VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT`
pub const WARNING: u32 = 0x100;
/// `VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT`
pub const ERROR: u32 = 0x1000;
