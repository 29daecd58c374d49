//! Reads variables and their parts, as the lanes of a frame see them.

use crate::machine::{Execution, Frame, Mask, Registers, first_lanes};
use crate::matrix::{Component, MatrixType, Scope};
use crate::memory::Target;
use crate::memory::parts as address_parts;
use crate::program::debug::{Kind, Variable};
use crate::program::types::{MatrixLayout, Scalar, Type, TypeId, in_memory, in_registers};
use crate::program::{Place, ProgramData};

use super::names::type_name;
use super::value::{Content, LaneKind, Lanes, MatrixValue, Part, Value};

/// One for all lanes, or one for each.
pub(super) type Each<T> = Vec<T>;

/// What is nowhere: a plane.
pub(super) const NO_PLANE: u32 = u32::MAX;
/// What is nowhere: an address.
pub(super) const NO_ADDRESS: u64 = u64::MAX;

/// How deep values are shown.
const DEPTH: u32 = 6;

/// Where a value is.
#[derive(Clone, Debug)]
pub(super) enum At {
    /// Its first plane in the register file.
    Planes(Each<u32>),
    Memory {
        address: Each<u64>,
        layout: MatrixLayout,
        /// Bytes from one component to the next where they are not side by side.
        step: u32,
    },
    /// An element of the matrix in a plane, by its number in each invocation.
    Element { plane: u32, matrix: MatrixType, index: Each<i64> },
    /// The same, by its number in rows; below zero outside of the matrix.
    Cell { plane: u32, matrix: MatrixType, cell: Each<i64> },
    /// An array of buffers.
    Buffers { first: u32, count: u32 },
    /// Something without a value.
    Opaque,
}

/// A variable, or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub type_: TypeId,
    pub at: At,
}

/// A frame, and everything around it.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub execution: &'a Execution,
    pub program: &'a ProgramData,
    pub registers: &'a Registers,
    pub frame: &'a Frame,
    /// The subgroup's index in its workgroup.
    pub subgroup: u32,
    /// Lanes are elements of a matrix.
    pub is_over_elements: bool,
}

fn each<A: Copy, B: Copy, R>(a: &[A], b: &[B], f: impl Fn(A, B) -> R) -> Vec<R> {
    let count = a.len().max(b.len());
    let pick = |index: usize| Some((*a.get(index).or(a.first())?, *b.get(index).or(b.first())?));
    (0..count).filter_map(pick).map(|(a, b)| f(a, b)).collect()
}

impl Reader<'_> {
    /// The lanes that have not left the frame.
    pub fn live(&self) -> Mask {
        self.frame.live
    }

    /// Where a variable is.
    pub fn variable(&self, variable: &Variable) -> Reference {
        match variable.place {
            Place::Planes { first, type_ } => {
                let reference = Reference { type_, at: At::Planes(vec![first.plane(self.frame.base)]) };
                match variable.kind {
                    // What is passed by reference.
                    Kind::Parameter => self.follow(&reference).unwrap_or(reference),
                    _ => reference,
                }
            }
            Place::Memory { pointer, offset, type_: Some(type_), matrix, component_step, .. } => {
                let address = self.registers.get_wide(pointer.plane(self.frame.base), 0);
                let address = vec![address.wrapping_add(u64::from(offset))];
                Reference { type_, at: At::Memory { address, layout: matrix, step: component_step } }
            }
            Place::Buffers { first, count, type_ } => Reference { type_, at: At::Buffers { first, count } },
            Place::Descriptor { type_, .. } | Place::PlanePointer { type_, .. } => {
                Reference { type_, at: At::Opaque }
            }
            Place::Memory { type_: None, .. } | Place::Element { .. } | Place::Texel { .. } => {
                Reference { type_: TypeId(0), at: At::Opaque }
            }
        }
    }

    /// What a pointer points to; nothing where this is no pointer.
    pub fn follow(&self, reference: &Reference) -> Option<Reference> {
        let Type::Pointer { storage, pointee: Some(pointee) } = *self.program.types.get(reference.type_)
        else {
            return None;
        };
        let lanes = self.scalar(reference);
        let is_lost = |lane: usize| lanes.is_absent(lane);
        let at = if in_memory(storage) {
            let address = lanes.bits.iter().enumerate();
            let address =
                address.map(|(lane, &bits)| if is_lost(lane) { NO_ADDRESS } else { bits }).collect();
            At::Memory { address, layout: MatrixLayout::default(), step: 0 }
        } else if in_registers(storage) {
            let planes = lanes.bits.iter().enumerate();
            let planes =
                planes.map(|(lane, &bits)| if is_lost(lane) { NO_PLANE } else { bits as u32 }).collect();
            At::Planes(planes)
        } else {
            At::Opaque
        };
        Some(Reference { type_: pointee, at })
    }

    /// How many parts there are.
    pub fn part_count(&self, reference: &Reference) -> u64 {
        let types = &self.program.types;
        match (&reference.at, types.get(reference.type_)) {
            (At::Buffers { count, .. }, _) => u64::from(*count),
            (At::Memory { address, layout, .. }, Type::RuntimeArray { .. }) => {
                let stride = types.stride(reference.type_, *layout).max(1);
                let (allocation, offset) = address_parts(address.first().copied().unwrap_or(NO_ADDRESS));
                let size = self.execution.allocation_size(allocation).unwrap_or(0);
                size.saturating_sub(offset) / stride
            }
            (_, Type::CooperativeMatrix(matrix)) => {
                self.elements(matrix).map_or(0, |map| u64::from(map.length()))
            }
            _ => u64::from(types.part_count(reference.type_)),
        }
    }

    /// Who owns the elements of a matrix.
    pub fn elements(&self, matrix: &MatrixType) -> Option<std::sync::Arc<crate::ownership::Map>> {
        Some(owners(self.execution, matrix))
    }

    /// The number of a subgroup's first invocation among those that own a matrix.
    pub fn first_invocation(&self, matrix: &MatrixType) -> u32 {
        match matrix.scope {
            Scope::Subgroup => 0,
            Scope::Workgroup => self.subgroup * self.execution.settings().subgroup_size,
        }
    }

    /// An element of a cooperative matrix, by its row and its column in each lane.
    pub fn cell(&self, reference: &Reference, rows: &[i64], columns: &[i64]) -> Result<Reference, String> {
        if let Some(target) = self.follow(reference) {
            return self.cell(&target, rows, columns);
        }
        let (Type::CooperativeMatrix(matrix), At::Planes(planes)) =
            (self.program.types.get(reference.type_), &reference.at)
        else {
            let name = type_name(self.program, reference.type_);
            return Err(format!("{name} has no rows and columns: only cooperative matrices have"));
        };
        let cell = each(rows, columns, |row, column| {
            let is_inside = (0..i64::from(matrix.rows)).contains(&row)
                && (0..i64::from(matrix.columns)).contains(&column);
            if is_inside { row * i64::from(matrix.columns) + column } else { -1 }
        });
        let plane = planes.first().copied().unwrap_or(NO_PLANE);
        Ok(Reference { type_: reference.type_, at: At::Cell { plane, matrix: *matrix, cell } })
    }

    /// A member, by name.
    pub fn member(&self, reference: &Reference, name: &str) -> Result<Reference, String> {
        if let Some(target) = self.follow(reference) {
            return self.member(&target, name);
        }
        match self.program.types.get(reference.type_) {
            Type::Structure { members, .. } if !matches!(reference.at, At::Buffers { .. }) => {
                let found = members.iter().position(|member| member.name.as_deref() == Some(name));
                let index = found.ok_or_else(|| {
                    let known: Vec<&str> =
                        members.iter().filter_map(|member| member.name.as_deref()).collect();
                    format!("there is no member `{name}`; expected one of {}", known.join(", "))
                })?;
                self.part(reference, &[index as i64])
            }
            Type::Vector { .. } => {
                let index = ["xyzw", "rgba", "stpq"]
                    .iter()
                    .find_map(|set| set.find(name).filter(|_| name.len() == 1));
                let index = index.ok_or_else(|| format!("`{name}` is not a single component"))?;
                self.part(reference, &[index as i64])
            }
            _ => Err(format!("{} has no members", type_name(self.program, reference.type_))),
        }
    }

    /// A part, by its index in each lane.
    pub fn part(&self, reference: &Reference, index: &[i64]) -> Result<Reference, String> {
        if let Some(target) = self.follow(reference) {
            return self.part(&target, index);
        }
        let types = &self.program.types;
        let no_parts = || format!("{} has no elements", type_name(self.program, reference.type_));
        if let At::Buffers { first, count } = reference.at {
            let address = index.iter().map(|&index| match u32::try_from(index) {
                Ok(index) if index < count => match self.execution.descriptor(first + index) {
                    Target::Buffer(address) => address,
                    Target::Image(_) | Target::Nothing => NO_ADDRESS,
                },
                _ => NO_ADDRESS,
            });
            let at = At::Memory { address: address.collect(), layout: MatrixLayout::default(), step: 0 };
            return Ok(Reference { type_: reference.type_, at });
        }
        let type_ = types.get(reference.type_);
        if let (Type::CooperativeMatrix(matrix), At::Planes(planes)) = (type_, &reference.at) {
            let plane = planes.first().copied().unwrap_or(NO_PLANE);
            let at = At::Element { plane, matrix: *matrix, index: index.to_vec() };
            return Ok(Reference { type_: reference.type_, at });
        }
        if let Type::Structure { members, .. } = type_ {
            // Members are the same for all lanes.
            let index = index.first().and_then(|&index| usize::try_from(index).ok());
            let (index, member) = index
                .and_then(|index| Some((index, members.get(index)?)))
                .ok_or_else(|| "there is no such member".to_owned())?;
            let at = match &reference.at {
                At::Planes(planes) => {
                    let (_, offset) = types.part(reference.type_, index as u32).ok_or_else(no_parts)?;
                    At::Planes(planes.iter().map(|&plane| plane.saturating_add(offset)).collect())
                }
                At::Memory { address, .. } => {
                    let address = address.iter().map(|&address| moved(address, u64::from(member.offset)));
                    At::Memory { address: address.collect(), layout: member.matrix, step: 0 }
                }
                At::Element { .. } | At::Cell { .. } | At::Buffers { .. } | At::Opaque => {
                    return Err(no_parts());
                }
            };
            return Ok(Reference { type_: member.type_, at });
        }
        let element = types.element(reference.type_);
        let element = element.or(match type_ {
            Type::RuntimeArray { element, .. } => Some(*element),
            _ => None,
        });
        let element = element.ok_or_else(no_parts)?;
        let count = i64::try_from(self.part_count(reference)).unwrap_or(i64::MAX);
        let inside = |index: i64| (0..count).contains(&index);
        let at = match &reference.at {
            At::Planes(planes) => {
                let step = types.planes(element);
                At::Planes(each(planes, index, |plane, index| match inside(index) && plane != NO_PLANE {
                    true => plane.saturating_add(step.saturating_mul(index as u32)),
                    false => NO_PLANE,
                }))
            }
            At::Memory { address, layout, step } => {
                let (stride, layout, step) = match type_ {
                    Type::Array { .. } | Type::RuntimeArray { .. } => {
                        (types.stride(reference.type_, *layout), *layout, 0)
                    }
                    Type::Matrix { .. } => {
                        let (column, row) = types.matrix_steps(reference.type_, *layout);
                        (column, MatrixLayout::default(), row as u32)
                    }
                    _ => {
                        let natural = types.size(element, *layout);
                        (if *step == 0 { natural } else { u64::from(*step) }, MatrixLayout::default(), 0)
                    }
                };
                let address = each(address, index, |address, index| match inside(index) {
                    true => moved(address, stride.saturating_mul(index as u64)),
                    false => NO_ADDRESS,
                });
                At::Memory { address, layout, step }
            }
            At::Element { .. } | At::Cell { .. } | At::Buffers { .. } | At::Opaque => return Err(no_parts()),
        };
        Ok(Reference { type_: element, at })
    }

    /// Bytes of a scalar in memory.
    pub fn scalar_bytes(&self, reference: &Reference) -> u32 {
        self.program.types.scalar(reference.type_).map_or(4, Scalar::bytes)
    }

    /// The value of a scalar in every lane.
    pub fn scalar(&self, reference: &Reference) -> Lanes {
        let scalar = match &reference.at {
            At::Element { matrix, .. } | At::Cell { matrix, .. } => match matrix.component {
                Component::Float(format) => Some(Scalar::Float(format)),
                Component::Integer { width, signed } => Some(Scalar::Integer { width, signed }),
            },
            _ => self.program.types.scalar(reference.type_),
        };
        let scalar = scalar.unwrap_or(Scalar::Index);
        let mut lanes = Lanes { kind: LaneKind::of(scalar), bits: Vec::new(), undefined: 0, absent: 0 };
        let count = self.registers.lanes();
        let add = |lanes: &mut Lanes, lane: usize, bits: Option<u64>| {
            if bits.is_none() {
                lanes.absent |= 1 << lane;
            }
            lanes.bits.push(bits.unwrap_or(0));
        };
        match &reference.at {
            At::Planes(planes) => {
                let wide = scalar.planes() == 2;
                let known = |plane: u32| {
                    plane.checked_add(u32::from(wide)).is_some_and(|end| end < self.registers.planes())
                };
                let uniform = |plane| {
                    self.registers.is_uniform(plane) && (!wide || self.registers.is_uniform(plane + 1))
                };
                let once = matches!(planes[..], [plane] if known(plane) && uniform(plane));
                for lane in 0..if once { 1 } else { count } {
                    let plane = planes.get(lane).or(planes.first()).copied().unwrap_or(NO_PLANE);
                    let bits = known(plane).then(|| match wide {
                        true => self.registers.get_wide(plane, lane),
                        false => u64::from(self.registers.get(plane, lane)),
                    });
                    add(&mut lanes, lane, bits);
                }
                for lane in 0..count {
                    let plane = planes.get(lane).or(planes.first()).copied().unwrap_or(NO_PLANE);
                    if known(plane) {
                        let undefined = self.registers.undefined(plane)
                            | if wide { self.registers.undefined(plane + 1) } else { 0 };
                        lanes.undefined |= undefined & 1 << lane;
                    }
                }
            }
            At::Memory { address, .. } => {
                for (lane, &address) in address.iter().enumerate().take(count) {
                    let bits = self.execution.peek(address, scalar.bytes());
                    add(&mut lanes, lane, bits);
                    if bits.is_some() && self.execution.is_unwritten(address, scalar.bytes()) {
                        lanes.undefined |= 1 << lane;
                    }
                }
                if address.len() == 1 {
                    let all = |mask: Mask| if mask == 0 { 0 } else { first_lanes(count) };
                    (lanes.undefined, lanes.absent) = (all(lanes.undefined), all(lanes.absent));
                }
            }
            At::Element { plane, matrix, index } => {
                let map = self.elements(matrix);
                let held = self.registers.matrix(*plane);
                let first = self.first_invocation(matrix);
                for lane in 0..count {
                    let i = index.get(lane).or(index.first()).copied().unwrap_or(-1);
                    let element = u32::try_from(i)
                        .ok()
                        .and_then(|i| map.as_ref()?.element(first + lane as u32, i))
                        .map(|element| element as usize);
                    add(
                        &mut lanes,
                        lane,
                        element.map(|element| held.map_or(0, |matrix| matrix.get(element))),
                    );
                    let undefined =
                        element.is_some_and(|element| held.is_none_or(|matrix| matrix.is_undefined(element)));
                    lanes.undefined |= Mask::from(undefined) << lane;
                }
            }
            At::Cell { plane, cell, .. } => {
                let held = self.registers.matrix(*plane);
                for (lane, &cell) in cell.iter().enumerate().take(count) {
                    let cell = usize::try_from(cell).ok();
                    let bits = cell.map(|cell| held.map_or(0, |matrix| matrix.get(cell)));
                    add(&mut lanes, lane, bits);
                    let undefined =
                        cell.is_some_and(|cell| held.is_none_or(|matrix| matrix.is_undefined(cell)));
                    lanes.undefined |= Mask::from(undefined) << lane;
                }
                if cell.len() == 1 {
                    let all = |mask: Mask| if mask == 0 { 0 } else { first_lanes(count) };
                    (lanes.undefined, lanes.absent) = (all(lanes.undefined), all(lanes.absent));
                }
            }
            At::Buffers { .. } | At::Opaque => add(&mut lanes, 0, None),
        }
        lanes
    }

    /// The value, of which at most so many scalars are shown, from an element on.
    pub fn value(&self, reference: &Reference, start: u64, budget: &mut usize) -> Value {
        self.nested_value(reference, start, budget, DEPTH)
    }

    fn nested_value(&self, reference: &Reference, start: u64, budget: &mut usize, depth: u32) -> Value {
        let types = &self.program.types;
        let mut type_name = type_name(self.program, reference.type_);
        let type_ = types.get(reference.type_);
        let content = match (&reference.at, type_) {
            (At::Opaque, _) => Content::Text("a resource".to_owned()),
            (At::Element { matrix, .. } | At::Cell { matrix, .. }, _) => {
                type_name = super::names::component_name(matrix.component).to_owned();
                *budget = budget.saturating_sub(1);
                Content::Scalar(self.scalar(reference))
            }
            (At::Planes(planes), Type::CooperativeMatrix(matrix)) => {
                let plane = planes.first().copied().unwrap_or(NO_PLANE);
                *budget = budget.saturating_sub(1);
                Content::Matrix(MatrixValue { matrix: self.registers.matrix(plane).cloned(), type_: *matrix })
            }
            (At::Planes(_) | At::Memory { .. }, _) if types.scalar(reference.type_).is_some() => {
                *budget = budget.saturating_sub(1);
                Content::Scalar(self.scalar(reference))
            }
            (At::Planes(_), Type::TensorLayout { .. } | Type::TensorView { .. }) => self.tensor(reference),
            (_, Type::Image(_) | Type::SampledImage(_) | Type::Sampler | Type::Opaque(_) | Type::Void) => {
                Content::Text("a resource".to_owned())
            }
            _ => {
                if matches!(reference.at, At::Buffers { .. }) {
                    type_name.push_str("[]");
                }
                let count = self.part_count(reference);
                let mut parts = Vec::new();
                // Parts that have nothing in them leave the budget as it is.
                let most = *budget;
                for index in start..count {
                    if *budget == 0 || depth == 0 || parts.len() > most {
                        break;
                    }
                    let Ok(part) = self.part(reference, &[index as i64]) else { break };
                    let name = self.part_name(reference, index);
                    parts.push(Part { name, value: self.nested_value(&part, 0, budget, depth - 1) });
                }
                Content::Parts { parts, count }
            }
        };
        Value { type_name, content }
    }

    /// Layouts and views: their numbers, by what they are.
    fn tensor(&self, reference: &Reference) -> Content {
        let At::Planes(planes) = &reference.at else { return Content::Text(String::new()) };
        let first = planes.first().copied().unwrap_or(NO_PLANE);
        let (dimensions, names, last): (u32, &[&str], &[&str]) = match self.program.types.get(reference.type_)
        {
            Type::TensorLayout { dimensions, .. } => {
                (*dimensions, &["dimension", "stride", "offset", "span", "blockSize"], &["clampValue"])
            }
            Type::TensorView { dimensions, .. } => {
                let clip = &["clipRowOffset", "clipRowSpan", "clipColOffset", "clipColSpan"];
                (*dimensions, &["dimension", "stride"], clip)
            }
            _ => return Content::Text(String::new()),
        };
        let number = |offset: u32| {
            let plane = first.saturating_add(offset);
            let lane = self.live().trailing_zeros() as usize;
            (plane < self.registers.planes())
                .then(|| self.registers.get(plane, lane.min(self.registers.lanes() - 1)))
        };
        let mut text: Vec<String> = Vec::new();
        for (group, name) in (0..).zip(names) {
            let numbers = (0..dimensions).filter_map(|index| number(group * dimensions + index));
            let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
            text.push(format!("{name} {}", numbers.join(" × ")));
        }
        let after = names.len() as u32 * dimensions;
        for (index, name) in (0..).zip(last) {
            text.extend(number(after + index).map(|number| format!("{name} {number}")));
        }
        Content::Text(text.join(", "))
    }

    fn part_name(&self, reference: &Reference, index: u64) -> String {
        match self.program.types.get(reference.type_) {
            Type::Structure { members, .. } if !matches!(reference.at, At::Buffers { .. }) => {
                let member = usize::try_from(index).ok().and_then(|index| members.get(index));
                let name = member.and_then(|member| member.name.clone());
                format!(".{}", name.unwrap_or_else(|| format!("_{index}")))
            }
            Type::Vector { count, .. }
                if *count <= 4 && !self.program.is_cooperative_vector(reference.type_) =>
            {
                format!(".{}", ["x", "y", "z", "w"].get(index as usize).unwrap_or(&"?"))
            }
            _ => format!("[{index}]"),
        }
    }
}

fn moved(address: u64, bytes: u64) -> u64 {
    if address == NO_ADDRESS { NO_ADDRESS } else { address.wrapping_add(bytes) }
}

/// Who owns the elements of matrices of a type.
pub(super) fn owners(execution: &Execution, matrix: &MatrixType) -> std::sync::Arc<crate::ownership::Map> {
    let settings = execution.settings();
    let invocations = match matrix.scope {
        Scope::Subgroup => settings.subgroup_size,
        Scope::Workgroup => execution.program().data.interface.workgroup_size.iter().product(),
    };
    settings.ownership.map(matrix, invocations)
}
