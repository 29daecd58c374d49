//! The buffers and push constants of a plan.

use coopmat_simulator::{Binding, BindingKind};

use super::fields::{self, Written};
use super::{Plan, PlannedAddress, PlannedBuffer, images, is_memory};
use crate::Files;
use crate::fill::{self, Description};
use crate::interface;
use crate::model::{Buffer, FieldValue, Fields, Fill, Number, Recipe};
use crate::read::{Fault, Place};

impl Plan {
    pub(super) fn add_buffers(&mut self, recipe: &Recipe, files: &dyn Files) -> Result<(), Fault> {
        let mut addresses = Vec::new();
        for (index, buffer) in recipe.buffers.iter().enumerate() {
            let place = Place::top("buffers").then(index);
            if self.buffers.iter().any(|other| other.name == buffer.name) {
                let message = format!("two buffers are called `{}`: rename one of them", buffer.name);
                return Err(place.then("name").fail(message));
            }
            let (planned, written) = self.buffer(buffer, recipe, files, &place)?;
            if let Some(memory) = &mut self.memory {
                memory.left = memory.left.saturating_sub(planned.bytes.len().saturating_mul(2));
            }
            if let Some(descriptor) = planned.descriptor
                && let Some(other) = self.buffers.iter().find(|other| other.descriptor == Some(descriptor))
            {
                let (set, binding, _) = descriptor;
                return Err(place.fail(format!(
                    "`{}` and `{}` are both at set {set}, binding {binding}: only one buffer can be there",
                    other.name, planned.name
                )));
            }
            addresses.extend(written.addresses.into_iter().map(|address| (Some(index), address)));
            self.buffers.push(planned);
        }
        addresses.extend(self.add_push_constants(recipe)?.into_iter().map(|address| (None, address)));
        for (into, (offset, name, plus, place)) in addresses {
            let Some(of) = self.buffers.iter().position(|buffer| buffer.name == name) else {
                let known: Vec<&str> = self.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
                let message = format!("there is no buffer `{name}`; expected one of {}", known.join(", "));
                return Err(place.fail(message));
            };
            self.addresses.push(PlannedAddress { into, offset, of, plus });
        }
        self.check_heaps()?;
        self.check_bindings()
    }

    fn add_push_constants(&mut self, recipe: &Recipe) -> Result<Vec<(usize, String, u64, Place)>, Fault> {
        let place = Place::top("push-constants");
        let declared = self.program.interface().push_constants;
        let type_ = declared.map(|(_, id)| (self.program.types(), id));
        match (&recipe.push_constants, declared) {
            (Some(fields), declared) => {
                let mut written = fields::write(fields, type_, &self.sizes, &place)?;
                let size = declared.map_or(0, |(size, _)| size as usize);
                if written.bytes.len() < size {
                    written.bytes.resize(size, 0);
                }
                self.push_constants = written.bytes;
                Ok(written.addresses)
            }
            (None, Some((_, id))) => {
                let leaves = interface::leaves(self.program.types(), id);
                let names: Vec<String> = leaves.iter().map(|leaf| format!("{} = ...", leaf.name)).collect();
                Err(place.fail(format!(
                    "the shader has push constants: add `push-constants = {{ {} }}`",
                    names.join(", ")
                )))
            }
            (None, None) => Ok(Vec::new()),
        }
    }

    /// Every buffer of the shader has one of the recipe.
    fn check_bindings(&self) -> Result<(), Fault> {
        for binding in &self.program.interface().bindings {
            let given = |buffer: &PlannedBuffer| {
                buffer
                    .descriptor
                    .is_some_and(|(set, number, _)| (set, number) == (binding.set, binding.binding))
            };
            if is_memory(binding.kind) && !self.buffers.iter().any(given) {
                return Err(Place::top("buffers").fail(format!(
                    "the shader uses `{}` (set {}, binding {}), but the recipe has no buffer there: add `[[buffers]]` with `name = \"{}\"`",
                    binding.name, binding.set, binding.binding, binding.name
                )));
            }
        }
        Ok(())
    }

    fn buffer(
        &self,
        buffer: &Buffer,
        recipe: &Recipe,
        files: &dyn Files,
        place: &Place,
    ) -> Result<(PlannedBuffer, Written), Fault> {
        let heap = self.heap_place(buffer, place)?;
        let binding = match heap {
            Some(_) => None,
            None => self.binding(buffer, recipe, place)?,
        };
        let types = self.program.types();
        let written = match &buffer.fields {
            Some(fields) => {
                let type_ = binding.map(|binding| (types, binding.type_));
                fields::write(fields, type_, &self.sizes, &place.then("fields"))?
            }
            None => Written::default(),
        };
        let optional = |number: &Option<Number>, key: &str| {
            number.as_ref().map(|number| self.sizes.whole(number, &place.then(key))).transpose()
        };
        let mut planned = PlannedBuffer {
            name: buffer.name.clone(),
            descriptor: match (binding, buffer.binding) {
                (Some(binding), _) => Some((binding.set, binding.binding, buffer.index.unwrap_or(0))),
                // The module does not use it; another executor may want it all the same.
                (None, Some(number)) => Some((buffer.set.unwrap_or(0), number, buffer.index.unwrap_or(0))),
                (None, None) => None,
            },
            heap,
            uniform: binding.is_some_and(|binding| binding.kind == BindingKind::UniformBuffer),
            bytes: Vec::new(),
            extent: None,
            uninitialised: false,
            image: None,
        };
        let image = binding.filter(|binding| images::is_image(binding.kind));
        let declared = match image {
            Some(binding) => images::channel(&self.program, binding),
            None => binding.and_then(|binding| interface::element(types, binding.type_)),
        };
        let members_only = buffer.fields.is_some() && buffer.shape.is_empty() && buffer.fill.is_none();
        if members_only {
            planned.bytes = written.bytes.clone();
        } else {
            let shape = match buffer.shape.is_empty() {
                true => None,
                false => Some(self.sizes.wholes(&buffer.shape, &place.then("shape"))?),
            };
            let description = Description {
                element: buffer.element,
                declared,
                shape,
                layout: buffer.layout,
                stride: optional(&buffer.stride, "stride")?,
                matrix_stride: optional(&buffer.matrix_stride, "matrix-stride")?,
                offset: optional(&buffer.offset, "offset")?.unwrap_or(0),
                bytes: optional(&buffer.bytes, "bytes")?,
                fill: buffer.fill.as_ref().unwrap_or(&Fill::Zeros),
                memory: self.memory,
                place: place.clone(),
            };
            let contents = fill::fill(&description, &self.sizes, files)?;
            planned.bytes = contents.bytes;
            planned.extent = Some(contents.extent);
            planned.uninitialised = contents.uninitialised;
            for (byte, member) in planned.bytes.iter_mut().zip(&written.bytes) {
                *byte = *member;
            }
        }
        if let Some(bytes) = optional(&buffer.bytes, "bytes")?
            && bytes > planned.bytes.len()
        {
            if let Some(memory) = self.memory.filter(|memory| bytes > memory.left) {
                let message = format!("the buffer takes {bytes} bytes, and {}", memory.is_left());
                return Err(place.then("bytes").fail(message));
            }
            planned.bytes.resize(bytes, 0);
        }
        if (image.is_some() || buffer.image.is_some()) && buffer.layout.optimal().is_some() {
            let message = format!("`{}` is an image: it has no layout {}", buffer.name, buffer.layout.name());
            return Err(place.then("layout").fail(message));
        }
        if let Some(binding) = image {
            planned.image = Some(images::plan(&self.program, binding, &planned, place)?);
        } else if let Some(image) = buffer.image {
            planned.image = Some(images::plan_in_heap(image.directions(), &planned, place)?);
        }
        Ok((planned, written))
    }

    /// The shader's binding that a buffer is for; nothing for one that is known by its address.
    fn binding(&self, buffer: &Buffer, recipe: &Recipe, place: &Place) -> Result<Option<&Binding>, Fault> {
        let bindings = &self.program.interface().bindings;
        let known = || {
            let names = bindings.iter().filter(|binding| is_memory(binding.kind));
            let names = names.map(|b| format!("{} (set {}, binding {})", b.name, b.set, b.binding));
            names.collect::<Vec<_>>().join(", ")
        };
        if let Some(number) = buffer.binding {
            let set = buffer.set.unwrap_or(0);
            let found = bindings.iter().find(|binding| (binding.set, binding.binding) == (set, number));
            return match found {
                Some(binding) if !is_memory(binding.kind) => {
                    let message =
                        format!("set {set}, binding {number} of the shader is neither a buffer nor an image");
                    Err(place.then("binding").fail(message))
                }
                found => Ok(found),
            };
        }
        if buffer.set.is_some() {
            return Err(place.then("set").fail("`set` needs a `binding` as well"));
        }
        let called = |binding: &&Binding| {
            is_memory(binding.kind)
                && interface::names(&self.program, binding).any(|name| name == buffer.name)
        };
        match bindings.iter().find(called) {
            Some(binding) => Ok(Some(binding)),
            None if has_address(recipe, &buffer.name) => Ok(None),
            None => {
                let name = &buffer.name;
                let there = match known() {
                    none if none.is_empty() => {
                        "it uses no buffers or images at all; leave this out, or use one in `main`".to_owned()
                    }
                    some => format!("it has {some}; choose one with `binding = N`"),
                };
                let message =
                    format!("the shader has no buffer `{name}` and is not given its address: {there}");
                Err(place.then("name").fail(message))
            }
        }
    }
}

/// Whether some member of some block is the address of a buffer.
fn has_address(recipe: &Recipe, name: &str) -> bool {
    let is = |value: &FieldValue| matches!(value, FieldValue::Address(address) if address.address == name);
    let any = |fields: &Fields| match fields {
        Fields::Named(named) => named.values().any(is),
        Fields::Listed(list) => list.iter().any(|field| is(&field.value)),
    };
    let buffers = recipe.buffers.iter().filter_map(|buffer| buffer.fields.as_ref());
    buffers.chain(&recipe.push_constants).any(any)
}
