//! Instructions on cooperative matrices.

use super::access::Touch;
use super::shadow::Who;
use super::state::Loaded;
use super::{AdvertisedShape, FindingKind};
use crate::machine::Context;
use crate::matrix::memory::{Layout, Placement};
use crate::matrix::{Matrix, MatrixType, Scope};
use crate::memory::{PUSH_CONSTANTS, SHARED, parts};
use crate::observer::AccessKind;

/// An operand as people read it: a number, or an address.
fn shown(value: u64) -> String {
    match parts(value) {
        (0, _) => value.to_string(),
        (_, offset) => format!("offset {offset}"),
    }
}

impl Context<'_, '_> {
    /// All invocations of the subgroup have to be here.
    pub(crate) fn check_convergence(&mut self, operation: &str) {
        let (mask, all) = (self.mask(), self.all_lanes());
        if self.nested == 0 && mask & all != all {
            let absent = (all & !mask).trailing_zeros() as usize;
            let lane = self.registers.first_active();
            self.find_with(FindingKind::DivergentMatrixOperation, lane, None, |cx| {
                format!(
                    "{} of {} invocations of the subgroup execute {operation}, but invocation {} does not; the whole subgroup must take the same path",
                    mask.count_ones(),
                    all.count_ones(),
                    cx.invocation(absent).index
                )
            });
        }
    }

    /// All subgroups of the workgroup have to be here.
    pub(crate) fn check_all_subgroups(&mut self, operation: &str, absent: u32) {
        let lane = self.registers.first_active();
        self.find_with(FindingKind::DivergentMatrixOperation, lane, None, |cx| {
            format!(
                "subgroup {} executes {operation} on a matrix of the workgroup's scope, but subgroup {absent} does not; the whole workgroup must take the same path",
                cx.subgroup
            )
        });
    }

    /// An operand of an operation of the workgroup's scope is another one in another subgroup.
    pub(crate) fn find_subgroups_differ(&mut self, what: &str, own: u64, (speaker, known): (u32, u64)) {
        let lane = self.registers.first_active();
        self.find_with(FindingKind::NonUniformOperand, lane, None, |cx| {
            format!(
                "{what} is {} in subgroup {}, but {} in subgroup {speaker}; it must be the same in the whole workgroup",
                shown(own),
                cx.subgroup,
                shown(known)
            )
        });
    }

    /// An operand has to be the same for all that take part.
    pub(crate) fn check_uniform(&mut self, first: u32, planes: u32, what: &str) {
        if self.nested > 0 {
            return;
        }
        for plane in first..first + planes {
            self.check_defined(plane, self.mask(), what);
            if let Some(lane) = self.differing(plane) {
                self.find_with(FindingKind::NonUniformOperand, lane, None, |cx| {
                    let speaker = cx.registers.first_active();
                    let value = |lane: usize| match planes {
                        2 => cx.registers.get_wide(first, lane),
                        _ => u64::from(cx.registers.get(first, lane)),
                    };
                    format!(
                        "{what} is {} in invocation {}, but {} in invocation {}; it must be the same in the whole {}",
                        shown(value(lane)),
                        cx.checked_invocation(lane).index,
                        shown(value(speaker)),
                        cx.checked_invocation(speaker).index,
                        "subgroup"
                    )
                });
                return;
            }
        }
    }

    /// Alignment and stride of a strided load or store. Whether elements may share addresses, which is told here.
    pub(crate) fn check_placement(
        &mut self,
        kind: AccessKind,
        type_: &MatrixType,
        place: &Placement,
    ) -> bool {
        let (length, across) = match place.layout {
            Layout::RowMajor => (type_.columns, type_.rows),
            Layout::ColumnMajor => (type_.rows, type_.columns),
            Layout::RowBlockedInterleaved | Layout::ColumnBlockedInterleaved => return true,
        };
        let run = u64::from(length) * u64::from(type_.component.bytes());
        let lane = self.registers.first_active();
        let name = if place.layout == Layout::RowMajor { "row" } else { "column" };
        // A whole row's natural alignment, 16 bytes at the most: what the Vulkan environment asks of pointer and stride.
        let needed = (1 << run.trailing_zeros()).min(16u64);
        self.check_start(lane, place.address, needed, "the matrix");
        if across > 1 && !place.stride.is_multiple_of(needed) {
            self.find_with(FindingKind::Misaligned, lane, None, |_| {
                let stride = place.stride;
                format!("the stride of {stride} bytes is not a multiple of {needed} bytes; pad the {name}s")
            });
        }
        let overlaps = across > 1 && place.stride < run;
        if overlaps && kind == AccessKind::Write {
            self.find_with(FindingKind::StrideBelowRow, lane, None, |_| {
                let size = u64::from(type_.component.bytes());
                format!(
                    "{name}s of {length} elements are stored {} elements apart, so each overwrites part of the one before; the stride must be at least {length}",
                    place.stride / size
                )
            });
        }
        !overlaps
    }

    /// Whether a load is inside a buffer that nobody writes: nothing can be wrong with its elements.
    pub(crate) fn reads_what_stays(&self, type_: &MatrixType, place: &Placement) -> bool {
        let (length, across) = match place.layout {
            Layout::RowMajor => (type_.columns, type_.rows),
            Layout::ColumnMajor => (type_.rows, type_.columns),
            Layout::RowBlockedInterleaved | Layout::ColumnBlockedInterleaved => return false,
        };
        let run = u64::from(length) * u64::from(type_.component.bytes());
        let all = place.stride.checked_mul(u64::from(across.saturating_sub(1)));
        let all = all.and_then(|all| all.checked_add(run));
        self.env.report.checks.shadow.is_constant(parts(place.address).0)
            && all.is_some_and(|all| self.env.memory.contains(place.address, all))
    }

    /// The accesses of a matrix load, element by element; gives the elements that are undefined in memory.
    pub(crate) fn check_elements_read(
        &mut self,
        type_: &MatrixType,
        start: u64,
        address: &dyn Fn(usize) -> Option<u64>,
    ) -> Vec<usize> {
        let size = type_.component.bytes();
        let lane = self.registers.first_active();
        let (allocation, _) = parts(start);
        let touch = Touch::new(self, self.whole(), allocation, false);
        let loaded = self.loaded(type_, address);
        self.env.report.checks.loaded.insert(loaded);
        let ends = self.ends(start);
        let is_watched =
            allocation != PUSH_CONSTANTS && !self.env.report.checks.shadow.is_constant(allocation);
        let mut undefined = Vec::new();
        for index in 0..type_.count() {
            let Some(address) = address(index) else { continue };
            let element = Some(type_.row_and_column(index));
            if !self.check_bounds(AccessKind::Read, lane, address, u64::from(size), element)
                || !self.check_variable(lane, "reads", start, address, &ends, element)
            {
                continue;
            }
            if is_watched && self.check_read_by(&touch, lane, address, size, element) {
                undefined.push(index);
            }
        }
        undefined
    }

    /// The same of a store. `apart` says that no two elements share an address.
    pub(crate) fn check_elements_written(
        &mut self,
        type_: &MatrixType,
        matrix: &Matrix,
        apart: bool,
        start: u64,
        address: &dyn Fn(usize) -> Option<u64>,
    ) {
        let size = type_.component.bytes();
        let lane = self.registers.first_active();
        let (mut nan, mut infinity) = (false, false);
        let (mut reported, mut to_buffer) = (false, false);
        // Time by which this instruction is told from itself in the next round of a loop.
        self.env.report.checks.shadow.next_epoch();
        let mut touch = Touch::new(self, self.whole(), parts(start).0, false);
        touch.in_place = self.env.report.checks.loaded.contains(&self.loaded(type_, address));
        let of_undefined = touch.undefined();
        let strict = self.env.settings.strict;
        let ends = self.ends(start);
        for index in 0..type_.count() {
            let Some(address) = address(index) else { continue };
            let element = Some(type_.row_and_column(index));
            if !self.check_bounds(AccessKind::Write, lane, address, u64::from(size), element) {
                continue;
            }
            let inside = self.check_variable(lane, "writes", start, address, &ends, element);
            let bits = matrix.get(index);
            let undefined = matrix.is_undefined(index);
            to_buffer |= parts(address).0 != crate::memory::SHARED;
            if undefined && !reported && to_buffer {
                reported = true;
                let (row, column) = type_.row_and_column(index);
                self.find_undefined(lane, &format!("element ({row}, {column}) of the stored matrix"));
            }
            let changes = inside && apart && (strict || self.env.memory.read(address, size) != bits);
            let touch = if undefined { &of_undefined } else { &touch };
            self.check_write_by(touch, lane, address, size, changes, element);
            if type_.component.is_float() && !undefined {
                let value = matrix.number(index);
                nan |= value.is_nan();
                infinity |= value.is_infinite();
            }
        }
        if nan {
            self.note_special_store(true, u128::MAX);
        }
        if infinity {
            self.note_special_store(false, u128::MAX);
        }
    }

    /// Who accesses the elements of a matrix: some invocations of its scope, whichever own them in this run (Vulkan, Cooperative Matrix
    /// Memory Access).
    fn whole(&self) -> Who {
        match self.env.report.checks.together {
            true => Who::Workgroup,
            false => Who::Subgroup(self.subgroup * self.env.settings.subgroup_size),
        }
    }

    fn loaded(&self, type_: &MatrixType, address: &dyn Fn(usize) -> Option<u64>) -> Loaded {
        let count = type_.count();
        let sample = [0, 1, type_.columns as usize, count.saturating_sub(1)];
        let sample = sample.map(|index| if index < count { address(index) } else { None });
        (*type_, if self.env.report.checks.together { u32::MAX } else { self.subgroup }, sample)
    }

    /// Where the variables of shared memory begin and end that hold the start of a matrix; nothing where it is not in any.
    fn ends(&self, start: u64) -> Vec<(u64, u64)> {
        let (SHARED, offset) = parts(start) else { return Vec::new() };
        self.shared_variables(offset)
            .map(|variable| (variable.offset, variable.offset + variable.size))
            .collect()
    }

    /// Whether an element is in the variable of shared memory in which its matrix begins.
    fn check_variable(
        &mut self,
        lane: usize,
        does: &str,
        start: u64,
        address: u64,
        ends: &[(u64, u64)],
        element: Option<(u32, u32)>,
    ) -> bool {
        let (allocation, offset) = parts(address);
        if ends.is_empty()
            || allocation != SHARED
            || ends.iter().any(|(first, end)| (*first..*end).contains(&offset))
        {
            return true;
        }
        self.find_with(FindingKind::OutOfBounds, lane, None, |cx| {
            let (row, column) = element.unwrap_or_default();
            let place = match cx.shared_variables(offset).next() {
                Some(_) => cx.place_name(address),
                None => "a place behind it".to_owned(),
            };
            format!(
                "{does} element ({row}, {column}) of a matrix at {place}, but the matrix begins at {}: it must stay inside that variable",
                cx.place_name(start)
            )
        });
        false
    }

    /// The multiply-add is one that the device offers.
    pub(crate) fn check_shape(&mut self, types: [&MatrixType; 4], saturating: bool) {
        let Some(shapes) = self.env.settings.shapes.clone() else { return };
        let [a, b, c, result] = types;
        let asked = AdvertisedShape {
            m: result.rows,
            n: result.columns,
            k: a.columns,
            components: [a.component, b.component, c.component, result.component],
            saturating,
            scope: a.scope,
            flexible: None,
        };
        let invocations: u32 = self.env.program.interface.workgroup_size.iter().product();
        let fits = |shape: &AdvertisedShape| {
            let multiple =
                |asked: u32, granularity: u32| granularity != 0 && asked.is_multiple_of(granularity);
            let size = match shape.flexible {
                Some(needed) if shape.scope == Scope::Workgroup && needed != invocations => false,
                Some(_) => {
                    multiple(asked.m, shape.m) && multiple(asked.n, shape.n) && multiple(asked.k, shape.k)
                }
                None => (asked.m, asked.n, asked.k) == (shape.m, shape.n, shape.k),
            };
            size && shape.scope == asked.scope
                && shape.components == asked.components
                && (shape.saturating || !asked.saturating)
        };
        if shapes.iter().any(fits) {
            return;
        }
        let lane = self.registers.first_active();
        self.find_with(FindingKind::UnadvertisedShape, lane, None, |_| {
            let mut same: Vec<String> = Vec::new();
            let of_these =
                |shape: &&AdvertisedShape| shape.components == asked.components && shape.scope == asked.scope;
            for shape in shapes.iter().filter(of_these) {
                let multiples = if shape.flexible.is_some() { "multiples of " } else { "" };
                let size = format!("{multiples}{}x{}x{}", shape.m, shape.n, shape.k);
                // Devices list a size once for each way to add up.
                if !same.contains(&size) {
                    same.push(size);
                }
            }
            let names = asked.components.map(|component| component.name());
            let saturating = if asked.saturating { " with saturation" } else { "" };
            let has = match same.is_empty() {
                true => "none with these components".to_owned(),
                false => format!("{} with these components", same.join(", ")),
            };
            format!(
                "the device has no multiply-add of {}x{}x{} (A {}, B {}, C {}, result {}){saturating}; it has {has}",
                asked.m, asked.n, asked.k, names[0], names[1], names[2], names[3]
            )
        });
    }
}
