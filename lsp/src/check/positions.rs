//! Lines and columns of findings, for those who write them.

use std::cell::Cell;
use std::collections::HashMap;

use super::report::Location;

/// Lines and columns of a text from 1, columns in characters, as the machine-readable formats count.
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// An offset and the column before it: the next one is often farther on in the same line, which may be very long.
    last: Cell<(usize, usize)>,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Lines<'a> {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { text, starts: std::iter::once(0).chain(ends).collect(), last: Cell::default() }
    }

    pub fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        let (from, before) = match self.last.get() {
            (last, column) if (start..=offset).contains(&last) => (last, column),
            _ => (start, 0),
        };
        let column = before + self.text.get(from..offset).map_or(0, |between| between.chars().count());
        if self.text.is_char_boundary(offset) {
            self.last.set((offset, column));
        }
        (line, column + 1)
    }

    /// Where the line of an offset starts, and where it ends without its newline.
    pub fn bounds(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|&start| start <= offset);
        (self.starts[line - 1], self.starts.get(line).map_or(self.text.len(), |next| next - 1))
    }
}

/// The positions of locations, counting the lines of each text once.
#[derive(Default)]
pub struct Positions<'a> {
    lines: HashMap<&'a str, Lines<'a>>,
}

impl<'a> Positions<'a> {
    pub fn lines(&mut self, location: &'a Location) -> &Lines<'a> {
        self.lines.entry(&*location.path).or_insert_with(|| Lines::new(&location.text))
    }

    /// Start and end of a location.
    pub fn of(&mut self, location: &'a Location) -> ((usize, usize), (usize, usize)) {
        let lines = self.lines(location);
        (lines.position(location.range.start().into()), lines.position(location.range.end().into()))
    }
}
