//! The buffers and push constants of a plan.

use coopmat_simulator::{Binding, BindingKind, Program};

use super::dispatches::{self, Named, PlannedBinding, PlannedDispatch, Written};
use super::fields::{self, Members, Pointer};
use super::{Plan, PlannedAddress, PlannedBuffer, images, is_memory};
use crate::Files;
use crate::component::Component;
use crate::fill::{self, Description};
use crate::interface;
use crate::model::{Buffer, BufferRange, FieldValue, Fields, Fill, Number, Recipe};
use crate::read::{Fault, Place};

/// The dispatches that a buffer is bound in, and where.
type Bindings = Vec<(usize, PlannedBinding)>;

/// A binding of a shader that a buffer is for.
struct Use<'p> {
    dispatch: usize,
    /// Set, binding, index.
    descriptor: (u32, u32, u32),
    /// Which bytes of the buffer.
    part: BufferRange,
    /// Nothing where the module does not use it.
    binding: Option<&'p Binding>,
    program: &'p Program,
}

impl Plan {
    pub(super) fn add_buffers(
        &mut self,
        recipe: &Recipe,
        dispatches: &[Written],
        files: &dyn Files,
    ) -> Result<(), Fault> {
        let mut addresses = Vec::new();
        for (index, buffer) in recipe.buffers.iter().enumerate() {
            let place = Place::top("buffers").then(index);
            if self.buffers.iter().any(|other| other.name == buffer.name) {
                let message = format!("two buffers are called `{}`: rename one of them", buffer.name);
                return Err(place.then("name").fail(message));
            }
            let (planned, members, bindings) = self.buffer(buffer, recipe, dispatches, files, &place)?;
            let place_of = |offset: u64| -> Option<usize> {
                let offset = usize::try_from(offset).ok()?;
                (offset.checked_add(8)? <= planned.bytes.len()).then_some(offset)
            };
            for (number, at) in buffer.addresses.iter().enumerate() {
                let place = place.then("addresses").then(number);
                let offset = place_of(at.offset).filter(|_| planned.image.is_none()).ok_or_else(|| {
                    place.then("offset").fail(format!(
                        "an address takes 8 bytes, and `{}` has {}{}",
                        buffer.name,
                        planned.bytes.len(),
                        if planned.image.is_some() { ", as an image, which holds none" } else { "" }
                    ))
                })?;
                addresses.push((index, (offset, at.address.clone(), at.plus, place)));
            }
            if let Some(memory) = &mut self.memory {
                memory.left = memory.left.saturating_sub(planned.bytes.len().saturating_mul(2));
            }
            for (dispatch, binding) in bindings {
                let place = match dispatches.get(dispatch) {
                    Some(written) if written.index.is_some() => written.place("buffers"),
                    _ => place.clone(),
                };
                if let Some(wrong) = wrong_part(binding.part, planned.bytes.len() as u64) {
                    let (name, size) = (&planned.name, planned.bytes.len());
                    return Err(place.fail(format!("`{name}` has {size} bytes, and what is bound {wrong}")));
                }
                let Some(dispatch) = self.dispatches.get_mut(dispatch) else { continue };
                let mut others = dispatch.bindings.iter();
                if let Some(other) = others.find(|other| other.descriptor == binding.descriptor) {
                    let other = self.buffers.get(other.buffer).unwrap_or(&planned);
                    let (set, number, _) = binding.descriptor;
                    return Err(place.fail(format!(
                        "`{}` and `{}` are both at set {set}, binding {number}: only one buffer can be there",
                        other.name, planned.name
                    )));
                }
                dispatch.bindings.push(PlannedBinding { buffer: index, ..binding });
            }
            addresses.extend(members.addresses.into_iter().map(|address| (index, address)));
            self.buffers.push(planned);
        }
        for (into, address) in addresses {
            let address = PlannedAddress { into: Some(into), ..self.address(address)? };
            self.addresses.push(address);
        }
        for (index, written) in dispatches.iter().enumerate() {
            self.add_push_constants(index, written)?;
        }
        self.check_heaps()?;
        for (dispatch, written) in self.dispatches.iter().zip(dispatches) {
            check_bindings(dispatch, written)?;
        }
        Ok(())
    }

    /// An address of a buffer that is called by its name.
    fn address(&self, (offset, name, plus, place): Pointer) -> Result<PlannedAddress, Fault> {
        let Some(of) = self.buffers.iter().position(|buffer| buffer.name == name) else {
            let known: Vec<&str> = self.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
            let message = format!("there is no buffer `{name}`; expected one of {}", known.join(", "));
            return Err(place.fail(message));
        };
        if self.buffers.get(of).is_some_and(|buffer| buffer.image.is_some()) {
            return Err(place.fail(format!("`{name}` is an image, which has no address: expected a buffer")));
        }
        Ok(PlannedAddress { into: None, offset, of, plus })
    }

    fn add_push_constants(&mut self, index: usize, written: &Written) -> Result<(), Fault> {
        let place = written.place("push-constants");
        let Some(dispatch) = self.dispatches.get(index) else { return Ok(()) };
        let declared = dispatch.program.interface().push_constants;
        let type_ = declared.map(|(_, id)| (dispatch.program.types(), id));
        match (&written.dispatch.push_constants, declared) {
            (Some(fields), declared) => {
                let mut members = fields::write(fields, type_, &self.sizes, &place)?;
                let size = declared.map_or(0, |(size, _)| size as usize);
                if members.bytes.len() < size {
                    members.bytes.resize(size, 0);
                }
                let addresses = members.addresses.into_iter().map(|address| self.address(address));
                let addresses: Vec<PlannedAddress> = addresses.collect::<Result<_, _>>()?;
                if let Some(dispatch) = self.dispatches.get_mut(index) {
                    dispatch.push_constants = members.bytes;
                    dispatch.addresses = addresses;
                }
                Ok(())
            }
            (None, Some((_, id))) => {
                let leaves = interface::leaves(dispatch.program.types(), id);
                let names: Vec<String> = leaves.iter().map(|leaf| format!("{} = ...", leaf.name)).collect();
                Err(place.fail(format!(
                    "{} has push constants: add `push-constants = {{ {} }}`",
                    written.shader(),
                    names.join(", ")
                )))
            }
            (None, None) => Ok(()),
        }
    }

    /// A buffer, its members, and where dispatches find it; of their bindings the place of the buffer is still to be filled in.
    fn buffer(
        &self,
        buffer: &Buffer,
        recipe: &Recipe,
        dispatches: &[Written],
        files: &dyn Files,
        place: &Place,
    ) -> Result<(PlannedBuffer, Members, Bindings), Fault> {
        let heap = self.heap_place(buffer, place)?;
        let level = self.level_of(buffer, place)?;
        let uses = match (heap, level) {
            (None, None) => self.uses(buffer, recipe, dispatches, place)?,
            _ => Vec::new(),
        };
        let base = level.and_then(|level| self.buffers.get(level.of));
        let bindings = uses.iter().map(|used| {
            let uniform = used.binding.is_some_and(|binding| binding.kind == BindingKind::UniformBuffer);
            let (descriptor, part) = (used.descriptor, used.part);
            (used.dispatch, PlannedBinding { buffer: 0, descriptor, part, uniform })
        });
        let bindings: Bindings = bindings.collect();
        // What is bound as an image somewhere is one everywhere.
        let declared = uses.iter().filter_map(|used| used.binding.map(|binding| (binding, used)));
        let declared: Vec<(&Binding, &Use<'_>)> = declared.collect();
        let image = declared.iter().find(|(binding, _)| images::is_image(binding.kind));
        if let Some((_, as_image)) = image
            && let Some((_, other)) = declared.iter().find(|(binding, _)| !images::is_image(binding.kind))
        {
            return Err(place.fail(format!(
                "`{}` is an image in {} and a buffer in {}: it can only be one of them",
                buffer.name,
                shader(dispatches, as_image.dispatch),
                shader(dispatches, other.dispatch)
            )));
        }
        let written = self.members(buffer, &declared, dispatches, place)?;
        let optional = |number: &Option<Number>, key: &str| {
            number.as_ref().map(|number| self.sizes.whole(number, &place.then(key))).transpose()
        };
        let mut planned = PlannedBuffer {
            name: buffer.name.clone(),
            heap,
            bytes: Vec::new(),
            extent: None,
            uninitialised: false,
            image: None,
            level,
        };
        let element = |(binding, used): &(&Binding, &Use<'_>)| match images::is_image(binding.kind) {
            true => images::channel(used.program, binding),
            false => interface::element(used.program.types(), binding.type_),
        };
        let elements = declared.iter().filter_map(|used| Some((element(used)?, used.1.dispatch)));
        let elements: Vec<(Component, usize)> = elements.collect();
        if let (None, Some(first)) = (buffer.element, elements.first())
            && let Some(other) = elements.iter().find(|other| other.0 != first.0)
        {
            return Err(place.fail(format!(
                "`{}` holds {} in {} and {} in {}: say with `type` which it is for the recipe",
                buffer.name,
                first.0.name(),
                shader(dispatches, first.1),
                other.0.name(),
                shader(dispatches, other.1)
            )));
        }
        let members_only = buffer.fields.is_some() && buffer.shape.is_empty() && buffer.fill.is_none();
        if members_only {
            planned.bytes = written.bytes.clone();
        } else {
            let shape = match (buffer.shape.is_empty(), level.zip(base)) {
                (true, Some((level, base))) => Some(images::shape_of_level(base, level)),
                (true, None) => None,
                (false, _) => Some(self.sizes.wholes(&buffer.shape, &place.then("shape"))?),
            };
            let description = Description {
                element: buffer.element,
                declared: elements
                    .first()
                    .map(|(component, _)| *component)
                    .or(base.and_then(PlannedBuffer::component)),
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
        for (binding, used) in declared.iter().filter(|(binding, _)| images::is_image(binding.kind)) {
            let image = images::plan(used.program, binding, buffer, &planned, place)?;
            if used.part != BufferRange::default() {
                let message = format!(
                    "`{}` is an image: it is bound as a whole, without `offset` and `range`",
                    buffer.name
                );
                return Err(place.fail(message));
            }
            if let Some(before) = planned.image.as_ref().filter(|before| **before != image) {
                return Err(place.fail(before.differs(&buffer.name)));
            }
            planned.image = Some(image);
        }
        if let Some(image) = buffer.image {
            planned.image = Some(images::plan_in_heap(image.directions(), buffer, &planned, place)?);
        }
        if let Some((level, base)) = level.zip(base) {
            planned.image = Some(images::plan_level(base, level, &planned, place)?);
        }
        for (key, given) in [("format", buffer.format.is_some()), ("components", buffer.components.is_some())]
        {
            if given && (planned.image.is_none() || level.is_some()) {
                let what = if level.is_some() { "a level has those of its image" } else { "it is no image" };
                return Err(place
                    .then(key)
                    .fail(format!("`{}` has no `{key}` of its own: {what}", buffer.name)));
            }
        }
        Ok((planned, written, bindings))
    }

    /// The members of a buffer, which lie at the same places in all shaders.
    fn members(
        &self,
        buffer: &Buffer,
        declared: &[(&Binding, &Use<'_>)],
        dispatches: &[Written],
        place: &Place,
    ) -> Result<Members, Fault> {
        let Some(fields) = &buffer.fields else { return Ok(Members::default()) };
        let place = place.then("fields");
        let mut found: Option<(Members, usize)> = None;
        for (binding, used) in declared {
            let type_ = Some((used.program.types(), binding.type_));
            let members = fields::write(fields, type_, &self.sizes, &place)?;
            match &found {
                Some((first, of)) if first.bytes != members.bytes => {
                    return Err(place.fail(format!(
                        "members of `{}` have other places or types in {} than in {}: let both declare the same block",
                        buffer.name,
                        shader(dispatches, used.dispatch),
                        shader(dispatches, *of)
                    )));
                }
                Some(_) => {}
                None => found = Some((members, used.dispatch)),
            }
        }
        match found {
            Some((members, _)) => Ok(members),
            None => fields::write(fields, None, &self.sizes, &place),
        }
    }

    /// The bindings that a buffer is for; none for one that is known by its address.
    fn uses(
        &self,
        buffer: &Buffer,
        recipe: &Recipe,
        dispatches: &[Written],
        place: &Place,
    ) -> Result<Vec<Use<'_>>, Fault> {
        let several = !recipe.dispatches.is_empty();
        if several {
            let given = [("binding", buffer.binding), ("set", buffer.set), ("index", buffer.index)];
            if let Some((key, _)) = given.into_iter().find(|(_, number)| number.is_some()) {
                return Err(place.then(key).fail(format!(
                    "in a recipe with `[[dispatches]]` each dispatch says where buffers are: write `buffers = {{ \"{}\" = \"{}\" }}` there",
                    buffer.binding.map_or_else(|| "BINDING".to_owned(), |number| number.to_string()),
                    buffer.name
                )));
            }
        }
        if let Some(number) = buffer.binding {
            let set = buffer.set.unwrap_or(0);
            let descriptor = (set, number, buffer.index.unwrap_or(0));
            let uses = self.dispatches.iter().enumerate().map(|(index, dispatch)| {
                // One that the module does not use: another executor may want it all the same.
                let used = used(&dispatch.program, index, descriptor, BufferRange::default());
                if used.binding.is_some_and(|binding| !is_memory(binding.kind)) {
                    let message =
                        format!("set {set}, binding {number} of the shader is neither a buffer nor an image");
                    return Err(place.then("binding").fail(message));
                }
                Ok(used)
            });
            return uses.collect();
        }
        if buffer.set.is_some() {
            return Err(place.then("set").fail("`set` needs a `binding` as well"));
        }
        let mut uses = Vec::new();
        for (index, (dispatch, written)) in self.dispatches.iter().zip(dispatches).enumerate() {
            let program = &dispatch.program;
            let given = written.bound.iter().filter(|named| named.name == buffer.name);
            let before = uses.len();
            for Named { descriptor, part, place: at, .. } in given {
                let used = used(program, index, *descriptor, *part);
                if used.binding.is_some_and(|binding| !is_memory(binding.kind)) {
                    let message = format!("this is neither a buffer nor an image of {}", written.shader());
                    return Err(at.fail(message));
                }
                uses.push(used);
            }
            if uses.len() > before {
                continue;
            }
            if let Some(binding) = dispatches::called(program, &buffer.name) {
                let taken = |descriptor: (u32, u32, u32)| {
                    (descriptor.0, descriptor.1) == (binding.set, binding.binding)
                };
                if !written.bound.iter().any(|named| taken(named.descriptor)) {
                    let descriptor = (binding.set, binding.binding, buffer.index.unwrap_or(0));
                    let binding = Some(binding);
                    let part = BufferRange::default();
                    uses.push(Use { dispatch: index, descriptor, part, binding, program });
                }
            }
        }
        if !uses.is_empty() || has_address(recipe, &buffer.name) {
            return Ok(uses);
        }
        let name = &buffer.name;
        if several {
            return Err(place.then("name").fail(format!(
                "no dispatch's shader has a buffer `{name}` or is given its address: leave this out, or name it in the `buffers` of a dispatch"
            )));
        }
        let known = self.dispatches.first().map(|dispatch| dispatches::known(&dispatch.program));
        let there = match known.unwrap_or_default() {
            none if none.is_empty() => {
                "it uses no buffers or images at all; leave this out, or use one in `main`".to_owned()
            }
            some => format!("it has {some}; choose one with `binding = N`"),
        };
        let message = format!("the shader has no buffer `{name}` and is not given its address: {there}");
        Err(place.then("name").fail(message))
    }
}

fn used(program: &Program, dispatch: usize, descriptor: (u32, u32, u32), part: BufferRange) -> Use<'_> {
    let (set, number, _) = descriptor;
    let mut bindings = program.interface().bindings.iter();
    let binding = bindings.find(|binding| (binding.set, binding.binding) == (set, number));
    Use { dispatch, descriptor, part, binding, program }
}

/// What is wrong with a part of a buffer of so many bytes.
fn wrong_part(part: BufferRange, size: u64) -> Option<String> {
    let BufferRange { offset, range } = part;
    if offset > 0 && offset >= size {
        return Some(format!("begins at byte {offset}: expected it to begin inside"));
    }
    if !offset.is_multiple_of(4) {
        return Some(format!("begins at byte {offset}: expected a multiple of 4"));
    }
    match range {
        Some(0) => Some("has a `range` of 0: expected bytes, or no `range` for all that follow".to_owned()),
        Some(range) if offset.checked_add(range).is_none_or(|end| end > size) => {
            Some(format!("has {range} bytes from byte {offset} on: expected it to end inside"))
        }
        _ => None,
    }
}

/// Whose shader it is, in words.
fn shader(dispatches: &[Written], index: usize) -> String {
    dispatches.get(index).map_or_else(|| "the shader".to_owned(), Written::shader)
}

/// Every buffer of a shader has one of the recipe.
fn check_bindings(dispatch: &PlannedDispatch, written: &Written) -> Result<(), Fault> {
    for binding in &dispatch.program.interface().bindings {
        let (set, number, name) = (binding.set, binding.binding, &binding.name);
        let given = |given: &PlannedBinding| (given.descriptor.0, given.descriptor.1) == (set, number);
        if is_memory(binding.kind) && !dispatch.bindings.iter().any(given) {
            let uses = format!("{} uses `{name}` (set {set}, binding {number})", written.shader());
            return Err(match written.index {
                None => Place::top("buffers").fail(format!(
                    "{uses}, but the recipe has no buffer there: add `[[buffers]]` with `name = \"{name}\"`"
                )),
                Some(index) => Place::top("dispatches").then(index).fail(format!(
                    "{uses}, but no buffer of the recipe has that name: add `buffers = {{ {name} = \"...\" }}` with the name of one, or `[[buffers]]` with `name = \"{name}\"`"
                )),
            });
        }
    }
    Ok(())
}

/// Whether some member of some block is the address of a buffer.
fn has_address(recipe: &Recipe, name: &str) -> bool {
    let is = |value: &FieldValue| matches!(value, FieldValue::Address(address) if address.address == name);
    let any = |fields: &Fields| match fields {
        Fields::Named(named) => named.values().any(is),
        Fields::Listed(list) => list.iter().any(|field| is(&field.value)),
    };
    let buffers = recipe.buffers.iter().filter_map(|buffer| buffer.fields.as_ref());
    let dispatches = recipe.dispatches.iter().filter_map(|dispatch| dispatch.push_constants.as_ref());
    let placed = recipe.buffers.iter().flat_map(|buffer| &buffer.addresses);
    placed.into_iter().any(|at| at.address == name)
        || buffers.chain(&recipe.push_constants).chain(dispatches).any(any)
}
