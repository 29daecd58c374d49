//! The places of one matrix type's elements, in both directions.

use crate::matrix::MatrixType;

/// A place that holds no element.
const NOBODY: u32 = u32::MAX;

/// Which element each place `m[i]` of each invocation is, and which places an element has.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    invocations: u32,
    length: u32,
    /// At `invocation * length + i` the element's index in rows.
    elements: Vec<u32>,
    /// At `starts[element]..starts[element + 1]` of `places`, the places of the element.
    starts: Vec<u32>,
    places: Vec<u32>,
    note: Option<String>,
}

impl Map {
    /// `element(invocation, i)` gives the row and column of a place.
    pub(super) fn new(
        type_: &MatrixType,
        invocations: u32,
        length: u32,
        mut element: impl FnMut(u32, u32) -> Option<(u32, u32)>,
    ) -> Self {
        let count = type_.count() as u32;
        let mut elements = Vec::with_capacity(invocations as usize * length as usize);
        for invocation in 0..invocations {
            for i in 0..length {
                let place = element(invocation, i)
                    .filter(|(row, column)| *row < type_.rows && *column < type_.columns);
                elements.push(place.map_or(NOBODY, |(row, column)| row * type_.columns + column));
            }
        }
        let mut starts = vec![0u32; count as usize + 1];
        for element in elements.iter().filter(|element| **element != NOBODY) {
            starts[*element as usize + 1] += 1;
        }
        for index in 0..count as usize {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut places = vec![0; starts[count as usize] as usize];
        for (place, element) in elements.iter().enumerate().filter(|(_, element)| **element != NOBODY) {
            let slot = &mut next[*element as usize];
            places[*slot as usize] = place as u32;
            *slot += 1;
        }
        Map { invocations, length, elements, starts, places, note: None }
    }

    pub(super) fn with_note(self, note: String) -> Self {
        Map { note: Some(note), ..self }
    }

    /// What `m.length()` is: the number of places of each invocation.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Among how many the elements are dealt out.
    pub fn invocations(&self) -> u32 {
        self.invocations
    }

    /// At `invocation * length + i` what [`element`](Self::element) gives, `u32::MAX` for none.
    pub fn elements(&self) -> &[u32] {
        &self.elements
    }

    /// The index in rows of the element that is `m[i]` of an invocation; none where the place is empty or does not exist.
    pub fn element(&self, invocation: u32, i: u32) -> Option<u32> {
        if invocation >= self.invocations || i >= self.length {
            return None;
        }
        let element = self.elements[(invocation * self.length + i) as usize];
        (element != NOBODY).then_some(element)
    }

    /// The element that an invocation without one at `i` sees there, which another one owns: every index below `length()` has a row and a
    /// column. None where the place exists and has an element, or does not exist.
    pub(crate) fn stand_in(&self, invocation: u32, i: u32) -> Option<u32> {
        let count = self.starts.len() as u32 - 1;
        let is_empty =
            invocation < self.invocations && i < self.length && self.element(invocation, i).is_none();
        (is_empty && count > 0).then(|| (invocation * self.length + i) % count)
    }

    /// The invocations that own an element, each with the index at which it finds it. More than one where copies are kept.
    pub(crate) fn owners(&self, element: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let index = element as usize;
        let range = match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(start), Some(end)) => *start as usize..*end as usize,
            _ => 0..0,
        };
        self.places[range].iter().map(|place| (place / self.length, place % self.length))
    }

    /// In words, what was assumed where the ownership does not know the type.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Whether every element has a place.
    pub fn is_complete(&self) -> bool {
        self.starts.windows(2).all(|pair| pair[0] < pair[1])
    }
}
