//! A dispatch as a recipe: the module with its specialization, push constants, what the buffers held before, and what they held afterwards.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use coopmat_recipe::component::Component;
use coopmat_recipe::{Tensor, npy};

use coopmat_spirv::specialize::{Values, specialization_constants, specialize};

use crate::block::Block;
use crate::driver::Driver;
use crate::pipelines::Pipeline;

/// The part of memory that a descriptor is of.
pub struct Part {
    /// Set, binding, index.
    pub descriptor: (u32, u32, u32),
    pub memory: u64,
    pub block: Arc<Block>,
    pub start: u64,
    pub end: u64,
    pub readonly: bool,
    pub uniform: bool,
}

impl Part {
    fn is_same(&self, other: &Part) -> bool {
        (self.memory, self.start, self.end) == (other.memory, other.start, other.end)
    }
}

/// What a dispatch began with.
pub struct Begun {
    parts: Vec<(Part, Vec<u8>)>,
    push_constants: Vec<u8>,
}

impl Begun {
    /// # Errors
    /// What a recipe does not have.
    pub fn new(pipeline: &Pipeline, parts: Vec<Part>, push_constants: &[u8]) -> Result<Begun, String> {
        if pipeline.has_addresses {
            return Err("the shader takes addresses of buffers, which recipes have by name only".to_owned());
        }
        for (index, one) in parts.iter().enumerate() {
            let others = parts.iter().skip(index + 1).filter(|other| other.memory == one.memory);
            let shared = others
                .filter(|other| !(one.readonly && other.readonly))
                .any(|other| one.start < other.end && other.start < one.end && !one.is_same(other));
            if shared {
                return Err("two descriptors are of memory that overlaps without being the same, and buffers of a recipe do not".to_owned());
            }
            if one.start == one.end {
                return Err("a descriptor is of no byte".to_owned());
            }
        }
        let gap = parts.iter().any(|one| {
            let (set, binding, index) = one.descriptor;
            index > 0 && !parts.iter().any(|other| other.descriptor == (set, binding, index - 1))
        });
        if gap {
            return Err("an array of descriptors has some that are not bound".to_owned());
        }
        let size = pipeline.program.interface().push_constants.map_or(0, |(size, _)| size as usize);
        let push_constants = push_constants.get(..size).unwrap_or_default().to_vec();
        let parts = parts.into_iter().map(|part| {
            let bytes = part.block.bytes(part.start, part.end - part.start);
            (part, bytes)
        });
        Ok(Begun { parts: parts.collect(), push_constants })
    }

    /// Writes the recipe into a folder, once the dispatch has ended, and gives its path.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(
        &self,
        driver: &Driver,
        pipeline: &Pipeline,
        folder: &Path,
        number: u64,
        (groups, name): ([u32; 3], Option<&str>),
    ) -> Result<String, String> {
        let stem = format!("dispatch-{number}");
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
        };
        let declared = specialization_constants(&pipeline.module.module);
        let given = pipeline.specialization.iter().copied();
        let given = given.filter(|(id, _)| declared.iter().any(|constant| constant.spec_id == *id)).collect();
        let specialized = specialize(pipeline.module.module.clone(), &Values { given, defaults: false })
            .map_err(|error| error.to_string())?;
        let words = coopmat_spirv::assemble(&specialized.module).map_err(|error| error.to_string())?;
        write(&format!("{stem}.spv"), &coopmat_spirv::to_bytes(&words))?;
        let mut text = String::new();
        let of = name.map_or(String::new(), |name| format!(" of {}", name.replace(['"', '\\', '\n'], " ")));
        let title = driver.facts.title();
        let _ = writeln!(text, "description = \"Dispatch {number}{of}, captured from a program as {title}\"");
        let _ = writeln!(text, "shader = \"{stem}.spv\"\nsubgroup-size = {}", pipeline.subgroup_size);
        if coopmat_analysis::devices::find(&driver.options.device).is_ok() {
            let _ = writeln!(text, "device = \"{}\"", driver.options.device);
        }
        for (key, value) in [("numerics", &driver.options.numerics), ("ownership", &driver.options.ownership)]
        {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = [\"{value}\"]");
            }
        }
        let _ = writeln!(text, "\n[[dispatches]]\nworkgroups = {groups:?}\nentry = \"{}\"", pipeline.entry);
        if !self.push_constants.is_empty() {
            let (words, bytes) = self.push_constants.as_chunks::<4>();
            let words = words.iter().map(|word| ("u32", u32::from_le_bytes(*word)));
            let all = words.chain(bytes.iter().map(|byte| ("u8", u32::from(*byte))));
            let all = all.map(|(kind, value)| format!("{{ type = \"{kind}\", value = {value} }}"));
            let _ = writeln!(text, "push-constants = [{}]", all.collect::<Vec<_>>().join(", "));
        }
        // A buffer for each part of memory, which may be bound more than once.
        let mut buffers: Vec<(String, &Part, &Vec<u8>, bool)> = Vec::new();
        let mut bindings: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
        for (part, before) in &self.parts {
            let (set, binding, index) = part.descriptor;
            let known = buffers.iter_mut().find(|(_, known, ..)| known.is_same(part));
            let buffer = match known {
                Some((buffer, _, _, written)) => {
                    *written |= !part.readonly;
                    buffer.clone()
                }
                None => {
                    let buffer = format!("set{set}binding{binding}at{index}");
                    buffers.push((buffer.clone(), part, before, !part.readonly));
                    buffer
                }
            };
            bindings.entry((set, binding)).or_default().push(format!("\"{buffer}\""));
        }
        let bindings = bindings.into_iter().map(|((set, binding), names)| match names.as_slice() {
            [one] => format!("\"{set}.{binding}\" = {one}"),
            _ => format!("\"{set}.{binding}\" = [{}]", names.join(", ")),
        });
        let _ = writeln!(text, "buffers = {{ {} }}", bindings.collect::<Vec<_>>().join(", "));
        for (buffer, _, before, _) in &buffers {
            write(&format!("{stem}.{buffer}.bin"), before)?;
            let size = before.len();
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"{buffer}\"\ntype = \"u8\"\nshape = [{size}]\nfill = {{ file = \"{stem}.{buffer}.bin\" }}"
            );
        }
        for (buffer, part, before, _) in buffers.iter().filter(|(.., written)| *written) {
            let after = part.block.bytes(part.start, before.len() as u64);
            let tensor = Tensor::new(vec![after.len()], after.iter().map(|byte| f64::from(*byte)).collect())?;
            write(&format!("{stem}.{buffer}.npy"), &npy::write(&tensor, Component::U8))?;
            let _ = writeln!(
                text,
                "\n[[expect]]\nbuffer = \"{buffer}\"\nequals = {{ file = \"{stem}.{buffer}.npy\" }}"
            );
        }
        let recipe = format!("{stem}.run.toml");
        write(&recipe, text.as_bytes())?;
        Ok(folder.join(recipe).to_string_lossy().into_owned())
    }
}
