//! Files and lines as the client counts them.

use coopmat_simulator::debugger::{Lines, Place};

/// How the client counts lines and columns.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    first_line: u32,
    first_column: u32,
}

impl Default for Counting {
    fn default() -> Counting {
        Counting { first_line: 1, first_column: 1 }
    }
}

impl Counting {
    pub fn of(client: &dapts::InitializeRequestArguments) -> Counting {
        Counting {
            first_line: u32::from(client.lines_start_at1 != Some(false)),
            first_column: u32::from(client.columns_start_at1 != Some(false)),
        }
    }

    /// A line of ours, from zero, as the client has it.
    pub fn line(self, line: u32) -> u32 {
        line.saturating_add(self.first_line)
    }

    pub fn column(self, column: u32) -> u32 {
        column.saturating_add(self.first_column)
    }

    /// A line of the client, from zero.
    pub fn zero_based(self, line: u32) -> u32 {
        line.saturating_sub(self.first_line)
    }
}

/// A file as the client opens it.
pub fn source(path: &str) -> dapts::Source {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    dapts::Source { name: Some(name.to_owned()), path: Some(path.to_owned()), ..dapts::Source::default() }
}

/// The file of a place.
pub fn file(lines: &Lines, place: Place) -> Option<&str> {
    lines.files.get(place.file as usize).map(String::as_str)
}
