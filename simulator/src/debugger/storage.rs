//! Where the value of an expression is kept: what a data breakpoint watches, and what changes a variable.

use std::sync::Arc;

use super::edit::{Edit, bits_of};
use super::expression::{Expression, parse};
use super::names::type_name;
use super::reader::{At, NO_ADDRESS, NO_PLANE, Reference};
use super::scene::Scene;
use super::value::Content;
use super::watch::Place;
use crate::machine::{Mask, first_lanes, lanes_of};
use crate::matrix::{MatrixType, Scope};
use crate::memory::parts;
use crate::program::debug::{Kind, Variable};
use crate::program::types::Type;

/// The planes of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FramePlanes {
    pub function: u32,
    pub first: u32,
    pub end: u32,
}

/// The only one of some values; `None` where they differ.
fn only<T: PartialEq + Copy>(values: &[T]) -> Option<T> {
    let (first, rest) = values.split_first()?;
    rest.iter().all(|value| value == first).then_some(*first)
}

impl Scene<'_> {
    /// What gives a variable or a part of one another value: in the lanes that have not left the frame, or in one.
    pub fn edits(&self, text: &str, lane: Option<u32>, value: &str) -> Result<Vec<Edit>, String> {
        let (reference, variable) = self.stored(text)?;
        let what = match variable.kind {
            Kind::Input => "a built-in variable",
            Kind::Constant => "a constant",
            Kind::Value => "the result of an instruction",
            Kind::PushConstants => "a push constant",
            Kind::Uniform => "in a uniform buffer",
            Kind::Opaque => "an image or a sampler",
            Kind::Parameter | Kind::Local | Kind::Private | Kind::Shared | Kind::Buffer => "",
        };
        if !what.is_empty() {
            return Err(format!("`{text}` is {what}, which does not change while a shader runs"));
        }
        if !variable.is_read {
            return Err(format!("nothing reads the variable `{text}`: a change would change nothing"));
        }
        if self.reader.is_over_elements {
            return Err(
                "lanes are elements of a matrix here: variables are changed before or after".to_owned()
            );
        }
        if let At::Element { matrix, .. } | At::Cell { matrix, .. } = &reference.at
            && matrix.scope == Scope::Workgroup
        {
            return Err(format!(
                "the matrix of `{text}` is held by the whole workgroup, and cannot be changed"
            ));
        }
        let Content::Scalar(old) = self.reader.value(&reference, 0, &mut 1).content else {
            return Err(format!("`{text}` has several values: change one of its elements or members"));
        };
        let numbers = self.numbers(&parse(value)?).map_err(|error| format!("`{value}`: {error}"))?;
        let count = self.reader.registers.lanes();
        let lanes = match lane {
            Some(lane) => 1 << lane.min(127),
            None => self.reader.live(),
        } & first_lanes(count);
        let subgroup = self.reader.subgroup;
        let mut edits = Vec::new();
        for lane in lanes_of(lanes) {
            // Those whose index leads nowhere have no such part.
            if old.is_absent(lane) {
                continue;
            }
            let number = numbers.get(lane).or(numbers.first()).copied().flatten();
            let number = number.ok_or_else(|| format!("`{value}` has no value in lane {lane}"))?;
            let bits = bits_of(number, old.kind).map_err(|error| format!("`{text}`: {error}"))?;
            match &reference.at {
                At::Planes(planes) => {
                    let plane = planes.get(lane).or(planes.first()).copied().unwrap_or(NO_PLANE);
                    let wide = self.reader.program.types.planes(reference.type_) == 2;
                    let lanes = 1 << lane;
                    edits.push(Edit::Word { subgroup, plane, lanes, word: bits as u32 });
                    if wide {
                        let (plane, word) = (plane.saturating_add(1), (bits >> 32) as u32);
                        edits.push(Edit::Word { subgroup, plane, lanes, word });
                    }
                }
                At::Memory { address, .. } => {
                    let address = address.get(lane).or(address.first()).copied().unwrap_or(NO_ADDRESS);
                    let size = self.reader.scalar_bytes(&reference);
                    if self.reader.execution.is_unwritten(address, size) {
                        return Err(format!(
                            "`{text}` is memory that nobody has written, and checked mode would go on to report reads of it"
                        ));
                    }
                    edits.push(Edit::Memory { address, size, bits });
                }
                At::Element { plane, matrix, index } => {
                    let index = index.get(lane).or(index.first()).copied().unwrap_or(-1);
                    let first = self.reader.first_invocation(matrix) + lane as u32;
                    let element = u32::try_from(index)
                        .ok()
                        .and_then(|index| self.reader.elements(matrix)?.element(first, index));
                    edits.extend(element.map(|element| Edit::Element {
                        subgroup,
                        plane: *plane,
                        element,
                        bits,
                    }));
                }
                At::Cell { plane, cell, .. } => {
                    let cell = cell.get(lane).or(cell.first()).copied().unwrap_or(-1);
                    let element = u32::try_from(cell).ok();
                    edits.extend(element.map(|element| Edit::Element {
                        subgroup,
                        plane: *plane,
                        element,
                        bits,
                    }));
                }
                At::Buffers { .. } | At::Opaque => {}
            }
        }
        // One for all lanes, where they have it in common.
        edits.dedup();
        if edits.is_empty() {
            return Err(format!("`{text}` is nowhere: no lane has it"));
        }
        let is_unwritten = |edit: &Edit| match edit {
            Edit::Element { plane, .. } => self.reader.registers.matrix(*plane).is_none(),
            Edit::Word { .. } | Edit::Memory { .. } => false,
        };
        if edits.iter().any(is_unwritten) {
            return Err(format!("nothing was stored in the matrix of `{text}` yet"));
        }
        Ok(edits)
    }

    /// A variable or a part of one, and the variable.
    fn stored(&self, text: &str) -> Result<(Reference, &Variable), String> {
        let expression = parse(text)?;
        let mut root = &expression;
        let name = loop {
            match root {
                Expression::Name(name) => break name,
                Expression::Member(whole, _)
                | Expression::Index(whole, _)
                | Expression::Cell(whole, ..)
                | Expression::From(whole, _) => root = whole,
                _ => return Err(format!("`{text}` is calculated: expected a variable or a part of one")),
            }
        };
        let Some((variable, _)) = self.find(name) else {
            // Why there is none, unless it is calculated.
            self.evaluate(&expression)?;
            return Err(format!("`{text}` is calculated: expected a variable or a part of one"));
        };
        let reference = self.reference(&expression)?;
        let reference = self.reader.follow(&reference).unwrap_or(reference);
        Ok((reference, variable))
    }

    /// What a breakpoint watches.
    pub fn watched(&self, text: &str, lane: Option<u32>, frames: &[FramePlanes]) -> Result<Place, String> {
        let (reference, variable) = self.stored(text)?;
        let what = match variable.kind {
            Kind::Input => "a built-in variable",
            Kind::Constant => "a constant",
            Kind::Value => "the result of an instruction",
            Kind::PushConstants => "a push constant",
            Kind::Opaque => "an image or a sampler",
            Kind::Parameter | Kind::Local | Kind::Private | Kind::Shared | Kind::Buffer | Kind::Uniform => "",
        };
        if !what.is_empty() {
            return Err(format!("`{text}` is {what}, whose accesses cannot be watched"));
        }
        let lanes = match lane {
            Some(lane) => 1 << lane.min(127),
            None => first_lanes(self.reader.registers.lanes()),
        };
        let of_lane = |index: usize| lanes >> index & 1 == 1;
        match &reference.at {
            At::Memory { address, step, .. } => {
                let wanted = address.iter().enumerate();
                let wanted: Vec<u64> = match address.len() {
                    1 => address.clone(),
                    _ => wanted.filter(|(index, _)| of_lane(*index)).map(|(_, one)| *one).collect(),
                };
                let address = only(&wanted).ok_or_else(|| differs(text))?;
                if address == NO_ADDRESS {
                    return Err(format!("`{text}` is outside of its memory"));
                }
                let bytes = self.bytes(&reference, address, *step)?;
                // What is a part of a buffer may be written through another part.
                let address = self.reader.execution.whole(address);
                Ok(Place::Memory { address, bytes })
            }
            At::Planes(planes) => {
                let wanted = planes.iter().enumerate();
                let wanted: Vec<u32> = match planes.len() {
                    1 => planes.clone(),
                    _ => wanted.filter(|(index, _)| of_lane(*index)).map(|(_, one)| *one).collect(),
                };
                let plane = only(&wanted).ok_or_else(|| differs(text))?;
                if plane == NO_PLANE {
                    return Err(format!("`{text}` is outside of its array"));
                }
                let (function, first) = relative(plane, frames);
                if let Type::CooperativeMatrix(_) = self.reader.program.types.get(reference.type_) {
                    return Ok(Place::Matrix { function, plane: first, elements: Arc::default() });
                }
                let count = self.reader.program.types.planes(reference.type_);
                Ok(Place::Planes { function, first, count, lanes })
            }
            At::Element { plane, matrix, index } => {
                let map = self.reader.elements(matrix);
                let first_invocation = self.reader.first_invocation(matrix);
                let each = (0..self.reader.registers.lanes()).filter(|lane| of_lane(*lane));
                let each = each.filter_map(|lane| {
                    let index = index.get(lane).or(index.first()).copied()?;
                    let index = u32::try_from(index).ok()?;
                    let element = map.as_ref()?.element(first_invocation + lane as u32, index)?;
                    Some((element, 1 << lane))
                });
                matrix_place(text, *plane, each.collect(), frames)
            }
            At::Cell { plane, matrix, cell } => {
                let wanted = cell.iter().enumerate();
                let wanted: Vec<i64> = match cell.len() {
                    1 => cell.clone(),
                    _ => wanted.filter(|(index, _)| of_lane(*index)).map(|(_, one)| *one).collect(),
                };
                let cell = only(&wanted).ok_or_else(|| differs(text))?;
                let element =
                    u32::try_from(cell).map_err(|_| format!("`{text}` is outside of its matrix"))?;
                matrix_place(text, *plane, vec![(element, self.owners(matrix, element))], frames)
            }
            At::Buffers { .. } => Err(format!("`{text}` is an array of buffers: name one, such as `[0]`")),
            At::Opaque => Err(format!("`{text}` is a resource, whose accesses cannot be watched")),
        }
    }

    /// How many bytes a part of memory has.
    fn bytes(&self, reference: &Reference, address: u64, step: u32) -> Result<u64, String> {
        let At::Memory { layout, .. } = &reference.at else { return Ok(0) };
        let types = &self.reader.program.types;
        let type_ = types.get(reference.type_);
        // What ends with an array without a size goes on to the end of its memory.
        let is_open = match type_ {
            Type::RuntimeArray { .. } => true,
            Type::Structure { members, .. } => {
                members.last().is_some_and(|last| matches!(types.get(last.type_), Type::RuntimeArray { .. }))
            }
            _ => false,
        };
        if is_open {
            let (allocation, offset) = parts(address);
            let size = self.reader.execution.allocation_size(allocation).unwrap_or(0);
            return Ok(size.saturating_sub(offset));
        }
        if step != 0 && types.scalar(reference.type_).is_none() {
            let name = type_name(self.reader.program, reference.type_);
            return Err(format!("this {name} is not in one piece of memory: name one of its components"));
        }
        Ok(types.size(reference.type_, *layout))
    }

    /// The lanes that own an element.
    pub fn owners(&self, matrix: &MatrixType, element: u32) -> Mask {
        let all = first_lanes(self.reader.registers.lanes());
        let Some(map) = self.reader.elements(matrix) else { return all };
        let first = self.reader.first_invocation(matrix);
        let lanes = map.owners(element).filter_map(|(owner, _)| owner.checked_sub(first));
        let owners = lanes.filter(|lane| *lane < 128).fold(0, |mask, lane| mask | 1 << lane) & all;
        if owners == 0 { all } else { owners }
    }
}

fn differs(text: &str) -> String {
    format!("lanes have different parts in `{text}`: name one, or choose a lane")
}

fn matrix_place(
    text: &str,
    plane: u32,
    elements: Vec<(u32, Mask)>,
    frames: &[FramePlanes],
) -> Result<Place, String> {
    if plane == NO_PLANE || elements.is_empty() {
        return Err(format!("`{text}` is outside of its matrix"));
    }
    let (function, plane) = relative(plane, frames);
    Ok(Place::Matrix { function, plane, elements: elements.into() })
}

/// The function whose frame a plane is in, and its place there.
fn relative(plane: u32, frames: &[FramePlanes]) -> (Option<u32>, u32) {
    let frame = frames.iter().find(|frame| (frame.first..frame.end).contains(&plane));
    frame.map_or((None, plane), |frame| (Some(frame.function), plane - frame.first))
}
