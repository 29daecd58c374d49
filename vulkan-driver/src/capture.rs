//! A dispatch as a recipe: the module with its specialization, push constants, what the buffers held before, and what they held afterwards.

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
                .any(|other| one.start < other.end && other.start < one.end);
            if shared {
                return Err(
                    "two descriptors are of the same memory, and a buffer of a recipe has one".to_owned()
                );
            }
            if one.start == one.end {
                return Err("a descriptor is of no byte".to_owned());
            }
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
        let _ = writeln!(
            text,
            "description = \"Dispatch {number}{of}, captured from a program as {}\"",
            driver.facts.title()
        );
        let _ = writeln!(text, "shader = \"{stem}.spv\"\ndispatch = {groups:?}");
        let _ = writeln!(text, "entry = \"{}\"\nsubgroup-size = {}", pipeline.entry, pipeline.subgroup_size);
        if coopmat_analysis::devices::find(&driver.options.device).is_ok() {
            let _ = writeln!(text, "device = \"{}\"", driver.options.device);
        }
        for (key, value) in [("numerics", &driver.options.numerics), ("ownership", &driver.options.ownership)]
        {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = [\"{value}\"]");
            }
        }
        if !self.push_constants.is_empty() {
            let (words, bytes) = self.push_constants.as_chunks::<4>();
            let words = words.iter().map(|word| ("u32", u32::from_le_bytes(*word)));
            let all = words.chain(bytes.iter().map(|byte| ("u8", u32::from(*byte))));
            let all = all.map(|(kind, value)| format!("{{ type = \"{kind}\", value = {value} }}"));
            let _ = writeln!(text, "push-constants = [{}]", all.collect::<Vec<_>>().join(", "));
        }
        for (part, before) in &self.parts {
            let (set, binding, index) = part.descriptor;
            let buffer = format!("set{set}binding{binding}at{index}");
            write(&format!("{stem}.{buffer}.bin"), before)?;
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"{buffer}\"\nset = {set}\nbinding = {binding}\nindex = {index}\ntype = \"u8\"\nshape = [{}]\nfill = {{ file = \"{stem}.{buffer}.bin\" }}",
                before.len()
            );
        }
        for (part, before) in self.parts.iter().filter(|(part, _)| !part.readonly) {
            let (set, binding, index) = part.descriptor;
            let buffer = format!("set{set}binding{binding}at{index}");
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
