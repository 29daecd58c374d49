//! Shader modules, pipeline layouts, compute pipelines.

use std::sync::{Arc, Mutex};

use ash::vk;
use coopmat_analysis::devices::List;
use coopmat_native::Machine;
use coopmat_simulator::{Program, ProgramOptions};
use coopmat_spirv::dr;
use coopmat_spirv::vulkan::{self, Means, Origin};

use rustc_hash::FxHashSet;

use crate::descriptors::SetLayout;
use crate::driver::Driver;
use crate::fault::Fault;
use crate::module::Module;
use crate::robustness::Robustness;

/// Sizes of subgroups that the simulator has.
const SUBGROUP_SIZES: std::ops::RangeInclusive<u32> = 4..=128;

/// A layout of a pipeline.
pub struct PipelineLayout {
    pub sets: Vec<Option<Arc<SetLayout>>>,
}

/// Whether it is worth machine code.
pub enum Compiled {
    /// Not known: so many steps have been interpreted.
    Unknown(u64),
    Machine(Arc<Machine>),
    /// The interpreter runs it.
    Interpreted,
}

pub struct Pipeline {
    pub program: Program,
    pub module: Arc<Module>,
    pub subgroup_size: u32,
    pub has_addresses: bool,
    /// Made with VK_PIPELINE_CREATE_DISPATCH_BASE.
    pub takes_base: bool,
    pub entry: String,
    pub specialization: Vec<(u32, u64)>,
    /// Sets and bindings that the shader names.
    pub used: FxHashSet<(u32, u32)>,
    /// What the program calls the shader module.
    pub module_name: Option<String>,
    pub robustness: Robustness,
    pub compiled: Mutex<Compiled>,
}

/// What a compute pipeline is made of.
pub struct Wanted<'a> {
    pub module: Arc<Module>,
    /// The module's handle, for its name.
    pub module_handle: u64,
    pub entry: &'a str,
    pub specialization: Vec<(u32, Vec<u8>)>,
    pub layout: u64,
    pub required_subgroup_size: Option<u32>,
    pub takes_base: bool,
    pub robustness: Robustness,
}

fn invalid(message: String) -> Fault {
    Fault::misuse(message).with(vk::Result::ERROR_INVALID_SHADER_NV)
}

impl Driver {
    pub fn create_module(&mut self, words: &[u32]) -> Result<u64, Fault> {
        let words = self.exchange(words);
        let module = Module::new(&words)
            .map_err(|error| invalid(format!("the SPIR-V module cannot be read: {error}")))?;
        Ok(self.modules.add(Arc::new(module)))
    }

    pub fn create_pipeline(&mut self, device: u64, wanted: Wanted<'_>) -> Result<u64, Fault> {
        let layout = self.pipeline_layouts.get(wanted.layout)?.clone();
        let module = wanted.module;
        let values: Vec<(u32, u64)> = wanted
            .specialization
            .iter()
            .map(|(id, bytes)| {
                let mut whole = [0; 8];
                let size = bytes.len().min(8);
                whole[..size].copy_from_slice(&bytes[..size]);
                (*id, u64::from_le_bytes(whole))
            })
            .collect();
        let options = ProgramOptions {
            entry: Some(wanted.entry),
            specialization: &values,
            ..ProgramOptions::default()
        };
        let program = Program::new(&module.module, &options).map_err(|error| {
            let place = error.instruction.and_then(|instruction| module.place(instruction));
            let at = place.map_or(String::new(), |place| format!("{}:{}: ", place.path, place.line));
            invalid(format!("the shader cannot be run: {at}{}", error.message))
        })?;
        let interface = program.interface();
        self.check_workgroup(interface.workgroup_size)?;
        let used = module.used_bindings();
        for binding in interface.bindings.iter().filter(|one| used.contains(&(one.set, one.binding))) {
            let set = layout.sets.get(binding.set as usize).and_then(Option::as_ref);
            if set.is_none_or(|set| !set.bindings.contains_key(&binding.binding)) {
                self.tell(
                    "vkCreateComputePipelines",
                    &Fault::misuse(format!(
                        "the shader uses set {}, binding {} ({}), which the pipeline layout does not have",
                        binding.set, binding.binding, binding.name
                    )),
                );
            }
        }
        for fault in self.unmet_needs(device, &module.module) {
            self.tell("vkCreateComputePipelines", &fault);
        }
        let enabled = self.device(device).is_ok_and(|device| device.enabled.contains("pipelineRobustness"));
        if wanted.robustness != Robustness::default() && !enabled {
            let message = "VkPipelineRobustnessCreateInfo has more than defaults: expected the feature pipelineRobustness, which was not enabled with the device";
            self.tell("vkCreateComputePipelines", &Fault::misuse(message.to_owned()));
        }
        let offered = self.facts.subgroup_size;
        let size = match (wanted.required_subgroup_size, interface.subgroup_size) {
            (Some(size), _) => {
                if !size.is_power_of_two() || !(offered.min..=offered.max).contains(&size) {
                    return Err(Fault::misuse(format!(
                        "requiredSubgroupSize is {size}: expected a power of two from {} to {}",
                        offered.min, offered.max
                    )));
                }
                size
            }
            (None, Some(size)) => size,
            (None, None) => offered.default,
        };
        if !SUBGROUP_SIZES.contains(&size) || !size.is_power_of_two() {
            return Err(Fault::missing(format!(
                "subgroups of {size} invocations: the simulator has 4 to 128, powers of two"
            )));
        }
        let module_name = self.name(wanted.module_handle).map(str::to_owned);
        let has_addresses = module.has_addresses();
        Ok(self.pipelines.add(Arc::new(Pipeline {
            program,
            module,
            subgroup_size: size,
            has_addresses,
            takes_base: wanted.takes_base,
            entry: wanted.entry.to_owned(),
            specialization: values.clone(),
            used,
            module_name,
            robustness: wanted.robustness,
            compiled: Mutex::new(Compiled::Unknown(0)),
        })))
    }

    fn check_workgroup(&self, size: [u32; 3]) -> Result<(), Fault> {
        let limits = crate::facts::limits::of(&self.facts);
        let most = limits.max_compute_work_group_size;
        let all: u64 = size.iter().map(|one| u64::from(*one)).product();
        if size.iter().zip(most).any(|(size, most)| *size > most)
            || all > u64::from(limits.max_compute_work_group_invocations)
        {
            let [x, y, z] = size;
            let known = &self.facts.profile.limits;
            let known = known.max_compute_work_group_invocations.is_some()
                && known.max_compute_work_group_size.is_some();
            let assumed = if known { "" } else { " (assumed, as its profile does not say it all)" };
            return Err(Fault::misuse(format!(
                "a workgroup of {x} x {y} x {z} invocations: the device allows {} x {} x {}, and {} in all{assumed}",
                most[0], most[1], most[2], limits.max_compute_work_group_invocations
            )));
        }
        Ok(())
    }

    /// What a module needs that the program has not enabled, or that the device does not have.
    fn unmet_needs(&self, device: u64, module: &dr::Module) -> Vec<Fault> {
        let Ok(device) = self.device(device) else { return Vec::new() };
        let facts = &self.facts;
        let has = |means: &Means| match means {
            Means::Whole(Origin::Version(major, minor)) => {
                facts.version >= vk::make_api_version(0, *major, *minor, 0)
            }
            Means::Whole(Origin::Extension(name)) => device.extensions.iter().any(|known| known == name),
            Means::Feature { name, .. } => device.enabled.contains(name),
            Means::Subgroup(operation, _) => facts.subgroup_operations & operation.bit() != 0,
            // The simulator has them all; profiles do not tell.
            Means::FloatControl(..) => true,
        };
        let mut found = Vec::new();
        for need in vulkan::needs(module, None) {
            if need.any.is_empty() || need.any.iter().any(has) {
                continue;
            }
            let could = need.any.iter().filter_map(|means| means.feature()).find(|name| facts.has(name));
            let why = need.cause.describe();
            found.push(Fault::misuse(match could {
                Some(name) => format!(
                    "the shader needs the feature {name} ({why}), which was not enabled with the device"
                ),
                None => {
                    let lacks = match facts.profile.knows(List::Features) {
                        true => "lacks",
                        false => "is not known to have",
                    };
                    format!("{} {lacks} {}, required by {why}", facts.title(), vulkan::describe(&need.any))
                }
            }));
        }
        found
    }
}
