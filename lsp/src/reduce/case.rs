//! What is made smaller: a recipe of nothing but numbers, and its modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coopmat_analysis::devices;
use coopmat_recipe::component::Component;
use coopmat_recipe::flat::{Flat, FlatAddress, FlatBinding, FlatBuffer, FlatDispatch, FlatImage};
use coopmat_recipe::model::{Components, Sampler};
use coopmat_recipe::report::Modes;
use coopmat_recipe::{PlannedAddress, PlannedBuffer};
use coopmat_spirv::dr::Module;
use coopmat_spirv::reduce::with_lines;
use coopmat_spirv::{Values, specialize, text};

use crate::run::Prepared;

/// How modules are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Words,
    Text,
}

#[derive(Clone)]
pub struct Case {
    pub flat: Flat,
    /// Those of the dispatches.
    pub modules: Vec<Arc<Module>>,
}

impl Case {
    /// The same as what was prepared.
    ///
    /// # Errors
    /// What it has that recipes of nothing but numbers do not.
    pub fn of(prepared: &Prepared, modes: &Modes, stem: &str) -> Result<Case, String> {
        let plan = &prepared.plan;
        if let Some(buffer) = plan.buffers.iter().find(|it| it.heap.is_some()) {
            return Err(format!(
                "`{}` lies in a descriptor heap, and a reduced recipe has bindings",
                buffer.name
            ));
        }
        let named = |name: &String, default: &str| {
            (name != default && !name.ends_with(".json")).then(|| name.clone())
        };
        // The project file's stays behind; a profile that is a file is named on the command line again.
        let of_project = prepared.shaders.first().and_then(|shader| shader.device.as_ref());
        let of_project =
            of_project.map(|device| device.name.clone()).filter(|name| devices::find(name).is_ok());
        let mut flat = Flat {
            stem: stem.to_owned(),
            device: prepared.recipe.device.clone().or(of_project),
            numerics: named(&modes.numerics, ""),
            ownership: named(&modes.ownership, ""),
            decode: named(&modes.decode, ""),
            strict: modes.strict,
            subgroup_size: modes.subgroup_size,
            ..Flat::default()
        };
        for (index, buffer) in plan.buffers.iter().enumerate() {
            let element = buffer.component().filter(|element| buffer.bytes.len() % element.size() == 0);
            let word = word(&buffer.name);
            let taken = flat.buffers.iter().any(|other| other.name == word);
            flat.buffers.push(FlatBuffer {
                name: if taken { format!("{word}_{index}") } else { word },
                element: element.unwrap_or(Component::U8),
                bytes: (!buffer.uninitialised).then(|| buffer.bytes.clone()),
                size: buffer.bytes.len(),
                image: flat_image(buffer)?,
                addresses: addresses(plan.addresses.iter().filter(|it| it.into == Some(index))),
            });
        }
        let mut modules = Vec::new();
        for (number, (dispatch, shader)) in plan.dispatches.iter().zip(&prepared.shaders).enumerate() {
            let lined = with_lines(shader.module.clone(), &|index| {
                let place = shader.places.of(u32::try_from(index).ok()?)?;
                Some((place.path, place.line, place.column))
            });
            let values = Values { given: dispatch.specialization.clone(), defaults: true };
            let specialized = specialize(lined, &values).map_err(|error| error.to_string())?;
            modules.push(Arc::new(specialized.module));
            let bindings = dispatch.bindings.iter().map(|binding| {
                let (buffer, part) = (binding.buffer, binding.part);
                (binding.descriptor, FlatBinding { buffer, part })
            });
            let mut bindings: BTreeMap<_, _> = bindings.collect();
            bindings.retain(|_, bound| bound.buffer < flat.buffers.len());
            let samplers = dispatch.samplers.iter().map(|bound| {
                let name = word(&bound.name);
                let known = flat.samplers.iter().position(|known| known.name == name);
                let place = known.unwrap_or_else(|| {
                    flat.samplers.push(Sampler::of(name, &bound.sampler));
                    flat.samplers.len() - 1
                });
                (bound.descriptor, place)
            });
            let samplers: BTreeMap<_, _> = samplers.collect();
            flat.dispatches.push(FlatDispatch {
                shader: number.to_string(),
                entry: dispatch.entry.clone(),
                workgroups: dispatch.workgroups,
                push_constants: dispatch.push_constants.clone(),
                addresses: addresses(dispatch.addresses.iter()),
                bindings,
                samplers,
            });
        }
        Ok(Case { flat, modules })
    }

    /// Writes it into a folder, and gives the recipe's path.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&self, folder: &Path, form: Form) -> Result<PathBuf, String> {
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes)
                .map_err(|error| format!("{}: {error}", path.display()))
                .map(|()| path)
        };
        let mut flat = self.flat.clone();
        let several = flat.dispatches.len() > 1;
        for (number, (dispatch, module)) in flat.dispatches.iter_mut().zip(&self.modules).enumerate() {
            let own = if several { format!("{}-{}", flat.stem, number + 1) } else { flat.stem.clone() };
            match form {
                Form::Words => {
                    dispatch.shader = format!("{own}.spv");
                    let words = coopmat_spirv::assemble(module).map_err(|error| error.to_string())?;
                    write(&dispatch.shader, &coopmat_spirv::to_bytes(&words))?;
                }
                Form::Text => {
                    dispatch.shader = format!("{own}.spvasm");
                    let listing = text::disassemble(module, &text::Options::default());
                    write(&dispatch.shader, listing.text.as_bytes())?;
                }
            }
        }
        for (file, _, bytes) in flat.contents() {
            write(&file, bytes)?;
        }
        write(&flat.file(), flat.text().as_bytes())
    }

    /// Without a buffer, where nothing is bound to it.
    pub fn without_buffer(&self, index: usize) -> Case {
        let mut case = self.clone();
        case.flat.buffers.remove(index);
        let without = |addresses: &mut Vec<FlatAddress>| {
            addresses.retain(|address| address.of != index);
            for address in addresses.iter_mut().filter(|address| address.of > index) {
                address.of -= 1;
            }
        };
        case.flat.buffers.iter_mut().for_each(|buffer| without(&mut buffer.addresses));
        case.flat.dispatches.iter_mut().for_each(|dispatch| without(&mut dispatch.addresses));
        for image in case.flat.buffers.iter_mut().filter_map(|buffer| buffer.image.as_mut()) {
            // A level without its image is no recipe, and is not taken.
            if let Some((of, _)) = image.level.as_mut().filter(|(of, _)| *of > index) {
                *of -= 1;
            }
        }
        for dispatch in &mut case.flat.dispatches {
            dispatch.bindings.retain(|_, bound| bound.buffer != index);
            for bound in dispatch.bindings.values_mut().filter(|bound| bound.buffer > index) {
                bound.buffer -= 1;
            }
        }
        case
    }

    /// Workgroups, bytes of buffers, and instructions of functions.
    pub fn size(&self) -> (u64, usize, usize) {
        let workgroups = self
            .flat
            .dispatches
            .iter()
            .map(|it| it.workgroups.iter().map(|n| u64::from(*n)).product::<u64>());
        let bytes = self.flat.buffers.iter().map(|buffer| buffer.size);
        let instructions = self.modules.iter().map(|module| coopmat_spirv::reduce::count(module));
        (workgroups.sum(), bytes.sum(), instructions.sum())
    }
}

/// A name without what needs quotes.
fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

fn addresses<'p>(planned: impl Iterator<Item = &'p PlannedAddress>) -> Vec<FlatAddress> {
    planned.map(|it| FlatAddress { offset: it.offset, of: it.of, plus: it.plus }).collect()
}

/// What a buffer has as an image.
///
/// # Errors
/// That it has gaps, which images of nothing but numbers do not have.
fn flat_image(buffer: &PlannedBuffer) -> Result<Option<FlatImage>, String> {
    let (Some(image), Some(extent), Some(component)) = (&buffer.image, &buffer.extent, buffer.component())
    else {
        return Ok(None);
    };
    if extent.offset > 0 || extent.shape.iter().product::<usize>() * component.size() != buffer.bytes.len() {
        return Err(format!(
            "`{}` is an image with an offset or a stride, and one of a reduced recipe has texels without gaps",
            buffer.name
        ));
    }
    let first = buffer.level.is_none();
    Ok(Some(FlatImage {
        shape: extent.shape.clone(),
        format: image.format.filter(|_| first).map(|format| format.name),
        components: (first && image.components != Components::IDENTITY).then(|| image.components.text()),
        level: buffer.level.map(|level| (level.of, level.number)),
    }))
}
