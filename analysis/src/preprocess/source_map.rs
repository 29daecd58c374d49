//! Where each piece of the expanded text was spelled, and where a place of a file went.
//!
//! Both directions are sorted vectors and a binary search. A piece is a run of text copied from a file, or one or several
//! neighbouring tokens of a macro expansion.

use std::sync::OnceLock;

use crate::text::{FileId, FilePosition, FileRange, TextRange, TextSize};

use super::MacroId;
use super::tokens::range;

/// Text that stands in no file (macros of the command line, `__LINE__`, pasted tokens) has a buffer number from here on.
pub(super) const FIRST_VIRTUAL: u32 = u32::MAX - 7;
/// No expansion.
pub(super) const NONE: u32 = u32::MAX;
const EXPANSION: u32 = 1 << 31;
/// A backtrace names no more calls than this.
const BACKTRACE_LIMIT: usize = 16;

#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Where it starts in the expanded text.
    pub start: u32,
    pub len: u32,
    pub buffer: u32,
    /// Where it is spelled in the buffer.
    pub offset: u32,
    /// The inclusion, or with the highest bit the expansion.
    context: u32,
    /// Spelled in the body of a macro.
    in_body: bool,
}

impl Piece {
    pub fn copied(start: u32, len: u32, file: FileId, offset: u32, inclusion: u32) -> Piece {
        Piece { start, len, buffer: file.0, offset, context: inclusion, in_body: false }
    }

    pub fn expanded(start: u32, len: u32, buffer: u32, offset: u32, expansion: u32, in_body: bool) -> Piece {
        Piece { start, len, buffer, offset, context: expansion | EXPANSION, in_body }
    }

    pub fn expansion(&self) -> Option<u32> {
        if self.context & EXPANSION != 0 { Some(self.context & !EXPANSION) } else { None }
    }

    /// Whether `next` continues this piece both where it was spelled and where it goes.
    pub fn continued_by(&self, next: &Piece) -> bool {
        self.context == next.context
            && self.buffer == next.buffer
            && self.in_body == next.in_body
            && next.start >= self.start + self.len
            && next.offset.wrapping_sub(self.offset) == next.start - self.start
    }

    fn end(&self) -> u32 {
        self.start + self.len
    }

    fn spelled(&self) -> Option<FileRange> {
        file_range(self.buffer, self.offset, self.offset + self.len)
    }
}

pub(super) fn file_range(buffer: u32, start: u32, end: u32) -> Option<FileRange> {
    (buffer < FIRST_VIRTUAL).then(|| FileRange { file: FileId(buffer), range: range(start, end) })
}

/// One use of a macro that was replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expansion {
    pub definition: MacroId,
    /// The expansion whose result contains the macro's name, or `NONE` when the name stands in the text.
    pub parent: u32,
    /// The outermost expansion of the chain of parents; itself when the name stands in the text.
    pub root: u32,
    /// The call, or only its name when name and closing parenthesis have different origins.
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    pub inclusion: u32,
}

/// One time that a file was read: the root, or through one `#include`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inclusion {
    pub file: FileId,
    /// The inclusion that holds the directive; `NONE` for the root.
    pub parent: u32,
    pub depth: u32,
    /// The path in the directive.
    pub directive: FileRange,
}

/// The map between the expanded text and the files.
#[derive(Debug, Default)]
pub struct SourceMap {
    pub(super) pieces: Vec<Piece>,
    pub(super) expansions: Vec<Expansion>,
    pub(super) inclusions: Vec<Inclusion>,
    pub(super) by_file: OnceLock<ByFile>,
}

/// Pieces in the order of their spelling.
#[derive(Debug, Default)]
pub(super) struct ByFile {
    pieces: Vec<u32>,
    /// The greatest end of a spelling in the same file up to here: where a search backwards may stop.
    reach: Vec<u32>,
}

/// Where a range of the expanded text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedRange {
    /// What to show to a person. Text of the file itself and macro arguments: their place; anything from a macro's body: the
    /// outermost macro call.
    pub primary: FileRange,
    /// Where it is spelled, be it in a macro's body. `None` for text that stands in no file.
    pub spelling: Option<FileRange>,
    /// Set when `primary` is a macro call.
    pub in_macro: Option<InMacro>,
    /// The paths in the `#include` directives through which `primary`'s file was reached, innermost first.
    pub included_from: Vec<FileRange>,
}

/// That a place comes from a macro's body, and whose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InMacro {
    /// The macro calls around the place, innermost first.
    pub calls: Vec<MacroCall>,
}

/// One of the macro calls around a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacroCall {
    /// The macro that is called.
    pub definition: MacroId,
    /// The call; `None` when it stands in no file.
    pub call: Option<FileRange>,
}

/// A range in one inclusion of a file.
#[derive(Clone, Copy)]
struct Place {
    inclusion: u32,
    start: u32,
    end: u32,
}

impl SourceMap {
    /// Where `range` of the expanded text comes from, with everything that explains it.
    pub fn to_file(&self, range: TextRange) -> MappedRange {
        let Some((first, last)) = self.ends(range) else {
            return MappedRange {
                primary: FileRange { file: FileId::ROOT, range: TextRange::empty(TextSize::new(0)) },
                spelling: None,
                in_macro: None,
                included_from: Vec::new(),
            };
        };
        let (place, expansion) = self.place(range, first, last);
        MappedRange {
            primary: self.file_range(place),
            spelling: self.spelling(range, first, last),
            in_macro: expansion.map(|expansion| InMacro { calls: self.backtrace(expansion) }),
            included_from: self.include_chain(place.inclusion),
        }
    }

    /// The place of `range` to show to a person: `to_file(range).primary`, without the rest.
    pub fn primary(&self, range: TextRange) -> FileRange {
        match self.ends(range) {
            Some((first, last)) => self.file_range(self.place(range, first, last).0),
            None => FileRange { file: FileId::ROOT, range: TextRange::empty(TextSize::new(0)) },
        }
    }

    /// Where a range of the expanded text is spelled: `to_file(range).spelling`, without the rest.
    pub fn spelled(&self, range: TextRange) -> Option<FileRange> {
        let (first, last) = self.ends(range)?;
        self.spelling(range, first, last)
    }

    /// The expanded offsets of a place in a file, in the order of the expanded text: none when the place is not part of the
    /// expanded text, several when it stands in a header read twice, in a macro's body, or in an argument used twice. A place
    /// at the end of a run belongs to it when nothing follows directly.
    pub fn to_expanded(&self, position: FilePosition) -> Vec<TextSize> {
        let offset = u32::from(position.offset);
        let at = TextRange::empty(position.offset);
        let mut found = Vec::new();
        let mut touching = Vec::new();
        for piece in self.pieces_touching(FileRange { file: position.file, range: at }) {
            let expanded = TextSize::new(piece.start + (offset - piece.offset));
            if offset < piece.offset + piece.len {
                found.push(expanded);
            } else {
                touching.push(expanded);
            }
        }
        if found.is_empty() {
            found = touching;
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The expanded ranges of a range in a file, in the order of the expanded text, cut where the text is not contiguous.
    pub fn to_expanded_ranges(&self, place: FileRange) -> Vec<TextRange> {
        let (start, end) = (u32::from(place.range.start()), u32::from(place.range.end()));
        let mut found: Vec<TextRange> = self
            .pieces_touching(place)
            .filter_map(|piece| {
                let from = start.max(piece.offset);
                let to = end.min(piece.offset + piece.len);
                (from < to)
                    .then(|| range(piece.start + (from - piece.offset), piece.start + (to - piece.offset)))
            })
            .collect();
        found.sort_unstable_by_key(|range| range.start());
        found
    }

    /// From the first to the last byte that came out of an expansion.
    pub(super) fn extent(&self, expansion: u32) -> Option<TextRange> {
        let inside = |piece: &&Piece| {
            let mut at = piece.expansion();
            for _ in 0..BACKTRACE_LIMIT {
                match at {
                    Some(found) if found == expansion => return true,
                    Some(found) => {
                        at = Some(self.expansions[found as usize].parent).filter(|&parent| parent != NONE);
                    }
                    None => return false,
                }
            }
            false
        };
        let first = self.pieces.iter().position(|piece| inside(&piece))?;
        let run = self.pieces[first..].iter().take_while(inside);
        Some(range(self.pieces[first].start, run.last()?.end()))
    }

    /// Ends of the runs of expanded text that were copied or expanded as one: for tests and statistics.
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// The pieces at the first and the last byte of a range.
    fn ends(&self, range: TextRange) -> Option<(usize, usize)> {
        let (start, end) = (u32::from(range.start()), u32::from(range.end()));
        let mut first = self.pieces.partition_point(|piece| piece.start <= start).saturating_sub(1);
        // Between two pieces stands white space of no file: the range belongs to what follows.
        if self.pieces.get(first)?.end() <= start
            && self.pieces.get(first + 1).is_some_and(|next| next.start < end)
        {
            first += 1;
        }
        let last = self.pieces.partition_point(|piece| piece.start < end).saturating_sub(1).max(first);
        Some((first, last))
    }

    /// The place to show, and the expansion when that is a macro call.
    fn place(&self, range: TextRange, first: usize, last: usize) -> (Place, Option<u32>) {
        let (a, b) = (&self.pieces[first], &self.pieces[last]);
        let start = u32::from(range.start()).clamp(a.start, a.end()) - a.start;
        let end = u32::from(range.end()).clamp(b.start, b.end()) - b.start;
        match (a.expansion(), b.expansion()) {
            (None, None) if a.context == b.context => {
                (Place { inclusion: a.context, start: a.offset + start, end: b.offset + end }, None)
            }
            (Some(x), Some(y)) if self.root(x) == self.root(y) => {
                let root = self.root(x);
                if self.is_argument(first, last) {
                    let inclusion = self.expansions[root as usize].inclusion;
                    (Place { inclusion, start: a.offset + start, end: b.offset + end }, None)
                } else {
                    (self.call_site(root), Some(self.common_expansion(x, y)))
                }
            }
            _ => {
                let from = match a.expansion() {
                    Some(x) => self.call_site(self.root(x)),
                    None => Place { inclusion: a.context, start: a.offset + start, end: a.offset + start },
                };
                let to = match b.expansion() {
                    Some(y) => self.call_site(self.root(y)),
                    None => Place { inclusion: b.context, start: b.offset + end, end: b.offset + end },
                };
                (self.cover(from, to), None)
            }
        }
    }

    /// Whether the pieces stand one after the other in the arguments of calls in the text.
    fn is_argument(&self, first: usize, last: usize) -> bool {
        const LONGEST: usize = 256;
        if last - first > LONGEST {
            return false;
        }
        let pieces = &self.pieces[first..=last];
        pieces.iter().all(|piece| !piece.in_body && piece.buffer < FIRST_VIRTUAL)
            && pieces.windows(2).all(|pair| {
                pair[0].buffer == pair[1].buffer
                    && pair[0].context == pair[1].context
                    && pair[0].offset + pair[0].len <= pair[1].offset
            })
    }

    fn root(&self, expansion: u32) -> u32 {
        self.expansions[expansion as usize].root
    }

    fn call_site(&self, root: u32) -> Place {
        let call = &self.expansions[root as usize];
        Place { inclusion: call.inclusion, start: call.start, end: call.end }
    }

    /// The innermost expansion that holds both.
    fn common_expansion(&self, x: u32, y: u32) -> u32 {
        if x == y {
            return x;
        }
        let mut at = x;
        for _ in 0..BACKTRACE_LIMIT {
            let mut other = y;
            for _ in 0..BACKTRACE_LIMIT {
                if other == at {
                    return at;
                }
                match self.expansions[other as usize].parent {
                    NONE => break,
                    parent => other = parent,
                }
            }
            match self.expansions[at as usize].parent {
                NONE => break,
                parent => at = parent,
            }
        }
        self.root(x)
    }

    /// A place that holds both, in the innermost file that was being read at both.
    fn cover(&self, mut from: Place, mut to: Place) -> Place {
        while from.inclusion != to.inclusion {
            let (x, y) = (&self.inclusions[from.inclusion as usize], &self.inclusions[to.inclusion as usize]);
            let deeper = if x.depth >= y.depth { &mut from } else { &mut to };
            let inclusion = &self.inclusions[deeper.inclusion as usize];
            if inclusion.parent == NONE {
                break;
            }
            *deeper = Place {
                inclusion: inclusion.parent,
                start: inclusion.directive.range.start().into(),
                end: inclusion.directive.range.end().into(),
            };
        }
        Place { inclusion: from.inclusion, start: from.start.min(to.start), end: from.end.max(to.end) }
    }

    fn file_range(&self, place: Place) -> FileRange {
        let file =
            self.inclusions.get(place.inclusion as usize).map_or(FileId::ROOT, |inclusion| inclusion.file);
        FileRange { file, range: range(place.start, place.end) }
    }

    fn spelling(&self, range: TextRange, first: usize, last: usize) -> Option<FileRange> {
        let (a, b) = (&self.pieces[first], &self.pieces[last]);
        let start = a.offset + (u32::from(range.start()).clamp(a.start, a.end()) - a.start);
        let end = b.offset + (u32::from(range.end()).clamp(b.start, b.end()) - b.start);
        if a.buffer == b.buffer && a.context == b.context && start <= end {
            file_range(a.buffer, start, end)
        } else {
            a.spelled()
        }
    }

    fn backtrace(&self, expansion: u32) -> Vec<MacroCall> {
        let mut calls = Vec::new();
        let mut at = expansion;
        while at != NONE && calls.len() < BACKTRACE_LIMIT {
            let expansion = &self.expansions[at as usize];
            calls.push(MacroCall {
                definition: expansion.definition,
                call: file_range(expansion.buffer, expansion.start, expansion.end),
            });
            at = expansion.parent;
        }
        calls
    }

    fn include_chain(&self, inclusion: u32) -> Vec<FileRange> {
        let mut chain = Vec::new();
        let mut at = inclusion;
        while let Some(inclusion) =
            self.inclusions.get(at as usize).filter(|inclusion| inclusion.parent != NONE)
        {
            chain.push(inclusion.directive);
            at = inclusion.parent;
        }
        chain
    }

    fn pieces_touching(&self, place: FileRange) -> impl Iterator<Item = &Piece> {
        let index = self.by_file.get_or_init(|| self.index());
        let (file, start, end) = (place.file.0, u32::from(place.range.start()), u32::from(place.range.end()));
        let after = index.pieces.partition_point(|&piece| {
            let piece = &self.pieces[piece as usize];
            (piece.buffer, piece.offset) <= (file, end)
        });
        (0..after)
            .rev()
            .map(|at| (&self.pieces[index.pieces[at] as usize], index.reach[at]))
            .take_while(move |(piece, reach)| piece.buffer == file && *reach >= start)
            .map(|(piece, _)| piece)
            .filter(move |piece| piece.offset + piece.len >= start)
    }

    fn index(&self) -> ByFile {
        let mut pieces: Vec<u32> = (0..self.pieces.len() as u32)
            .filter(|&piece| self.pieces[piece as usize].buffer < FIRST_VIRTUAL)
            .collect();
        pieces.sort_by_key(|&piece| {
            let piece = &self.pieces[piece as usize];
            (piece.buffer, piece.offset)
        });
        let (mut file, mut greatest) = (NONE, 0);
        let reach = pieces
            .iter()
            .map(|&piece| {
                let piece = &self.pieces[piece as usize];
                if piece.buffer != file {
                    (file, greatest) = (piece.buffer, 0);
                }
                greatest = greatest.max(piece.offset + piece.len);
                greatest
            })
            .collect();
        ByFile { pieces, reach }
    }
}
