//! Typed access to the address space.

use std::sync::atomic::AtomicU32;

use super::buffer::{Buffer, Part, Words};
use super::{BUFFERS, PUSH_CONSTANTS, SHARED, parts};

/// The address space as one workgroup sees it.
pub(crate) struct Memory<'a> {
    pub buffers: &'a [Buffer],
    pub shared: &'a mut Vec<u32>,
    /// In bytes.
    pub shared_size: u64,
    pub push_constants: &'a mut Vec<u32>,
    pub push_constants_size: u64,
    /// The memory of compiled code, which then holds everything.
    pub linear: Option<Linear<'a>>,
}

/// The memory of compiled code, and where allocations lie in it.
pub(crate) struct Linear<'a> {
    pub bytes: &'a mut [u8],
    /// By the allocation's number.
    pub places: &'a [Placed],
}

/// An allocation in the memory of compiled code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Placed {
    pub start: u32,
    /// In bytes.
    pub size: u32,
    /// Whether writes are kept.
    pub writable: bool,
}

impl Linear<'_> {
    /// The bytes from an address to the end of its allocation; none where it is outside.
    pub fn from(&self, address: u64) -> &[u8] {
        let (allocation, offset) = parts(address);
        let place = usize::try_from(allocation).ok().and_then(|index| self.places.get(index));
        let Placed { start, size, .. } = place.copied().unwrap_or_default();
        let inside = offset.min(u64::from(size)) as usize;
        self.bytes.get(start as usize + inside..start as usize + size as usize).unwrap_or_default()
    }

    fn region(&mut self, allocation: u64) -> (Region<'_>, u64) {
        let place = usize::try_from(allocation).ok().and_then(|index| self.places.get(index));
        let place = place.copied().unwrap_or_default();
        let end = place.start as usize + (place.size as usize).next_multiple_of(4);
        let bytes = self.bytes.get_mut(place.start as usize..end).unwrap_or_default();
        let words = bytes.as_chunks_mut().0;
        match place.writable {
            true => (Region::Bytes(words), place.size.into()),
            false => (Region::ConstantBytes(words), place.size.into()),
        }
    }
}

/// One allocation, found.
enum Region<'a> {
    Shared(&'a [AtomicU32]),
    Constant(&'a [u32]),
    Plain(&'a mut [u32]),
    Bytes(&'a mut [[u8; 4]]),
    ConstantBytes(&'a [[u8; 4]]),
    Nowhere,
}

impl<'a> Region<'a> {
    /// The words of a buffer, and its size in bytes.
    fn of_buffer(buffers: &'a [Buffer], index: usize) -> (Region<'a>, u64) {
        let Some(buffer) = buffers.get(index) else { return (Region::Nowhere, 0) };
        let size = buffer.size();
        let region = match buffer.part_of() {
            None => match buffer.constant() {
                Some(words) => Region::Constant(words),
                None => Region::Shared(buffer.shared()),
            },
            Some(Part { of, first }) => {
                let Some(whole) = buffers.get(of as usize) else { return (Region::Nowhere, 0) };
                let words = first..first + size.div_ceil(4) as usize;
                match whole.constant() {
                    Some(all) => Region::Constant(all.get(words).unwrap_or_default()),
                    None => Region::Shared(whole.shared().get(words).unwrap_or_default()),
                }
            }
        };
        (region, size)
    }
}

/// Runs the same code for all kinds of words.
macro_rules! with_words {
    ($region:expr, $words:ident => $body:expr, $otherwise:expr) => {
        match $region {
            Region::Shared(mut $words) => {
                let $words = &mut $words;
                $body
            }
            Region::Constant(mut $words) => {
                let $words = &mut $words;
                $body
            }
            Region::Plain(mut $words) => {
                let $words = &mut $words;
                $body
            }
            Region::Bytes(mut $words) => {
                let $words = &mut $words;
                $body
            }
            Region::ConstantBytes(mut $words) => {
                let $words = &mut $words;
                $body
            }
            Region::Nowhere => $otherwise,
        }
    };
}

impl Memory<'_> {
    /// The size of an allocation in bytes; none where there is no such allocation.
    pub fn size(&self, allocation: u64) -> Option<u64> {
        match allocation {
            SHARED => Some(self.shared_size),
            PUSH_CONSTANTS => Some(self.push_constants_size),
            _ => self.buffers.get(usize::try_from(allocation.checked_sub(BUFFERS)?).ok()?).map(Buffer::size),
        }
    }

    /// Whether bytes are inside one allocation.
    pub fn contains(&self, address: u64, size: u64) -> bool {
        let (allocation, offset) = parts(address);
        self.size(allocation).is_some_and(|all| offset.checked_add(size).is_some_and(|end| end <= all))
    }

    /// The allocation's words and its size in bytes.
    fn region(&mut self, allocation: u64) -> (Region<'_>, u64) {
        if let Some(linear) = &mut self.linear {
            return linear.region(allocation);
        }
        match allocation {
            SHARED => (Region::Plain(self.shared), self.shared_size),
            PUSH_CONSTANTS => (Region::Plain(self.push_constants), self.push_constants_size),
            _ => Region::of_buffer(self.buffers, allocation.wrapping_sub(BUFFERS) as usize),
        }
    }

    /// Reads 1, 2, 4 or 8 bytes at each address into `out`; zero where they are not all inside.
    pub fn read_each(&mut self, addresses: impl Iterator<Item = (usize, u64)>, size: u32, out: &mut [u64]) {
        if self.linear.is_some() {
            addresses.for_each(|(lane, address)| out[lane] = self.read(address, size));
            return;
        }
        let mut current = u64::MAX;
        let (mut region, mut end) = (Region::Nowhere, 0);
        // The region is looked up again only where an address leaves the last one's allocation.
        for (lane, address) in addresses {
            let (allocation, offset) = parts(address);
            if allocation != current {
                // The borrow of the last region ends here.
                (region, end) = match allocation {
                    SHARED => (Region::Plain(&mut self.shared[..]), self.shared_size),
                    PUSH_CONSTANTS => (Region::Plain(&mut self.push_constants[..]), self.push_constants_size),
                    _ => Region::of_buffer(self.buffers, allocation.wrapping_sub(BUFFERS) as usize),
                };
                current = allocation;
            }
            let inside = offset + u64::from(size) <= end;
            out[lane] = match &mut region {
                _ if !inside => 0,
                Region::Shared(words) => read(words, offset, size),
                Region::Constant(words) => read(words, offset, size),
                Region::Plain(words) => read(words, offset, size),
                Region::Bytes(_) | Region::ConstantBytes(_) | Region::Nowhere => 0,
            };
        }
    }

    /// Reads 1, 2 or 4 bytes at each of these offsets of one allocation, `more` bytes further on; what is beyond its words is zero.
    pub fn gather(&mut self, allocation: u64, offsets: &[u32], more: u32, size: u32, out: &mut [u32]) {
        let (region, _) = self.region(allocation);
        let low_bits = offsets.iter().fold(more, |all, offset| all | offset) % 4;
        with_words!(region, words => {
            let places = out.iter_mut().zip(offsets).map(|(out, offset)| (out, offset.wrapping_add(more)));
            match size {
                4 if low_bits == 0 => places.for_each(|(out, offset)| *out = words.read(offset as usize / 4)),
                2 if low_bits % 2 == 0 => places.for_each(|(out, offset)| {
                    *out = words.read(offset as usize / 4) >> (offset % 4 * 8) & 0xffff;
                }),
                1 => places.for_each(|(out, offset)| {
                    *out = words.read(offset as usize / 4) >> (offset % 4 * 8) & 0xff;
                }),
                _ => places.for_each(|(out, offset)| *out = read(words, u64::from(offset), size) as u32),
            }
        }, out.fill(0));
    }

    /// Writes 1, 2 or 4 bytes at each of these offsets of one allocation, all of them further on by the same, in order, for the lanes that
    /// `select` marks with ones. All are inside.
    pub fn scatter(
        &mut self,
        allocation: u64,
        (offsets, more): (&[u32], u32),
        select: &[u32],
        size: u32,
        values: &[u32],
    ) {
        if allocation == PUSH_CONSTANTS {
            return;
        }
        let (region, _) = self.region(allocation);
        with_words!(region, words => {
            let places = offsets.iter().zip(values).zip(select).filter(|(_, select)| **select != 0);
            for ((offset, value), _) in places {
                let offset = offset.wrapping_add(more);
                if size == 4 && offset % 4 == 0 {
                    words.write(offset as usize / 4, *value);
                } else {
                    write(words, u64::from(offset), size, u64::from(*value));
                }
            }
        }, ());
    }

    /// Reads 1, 2, 4 or 8 bytes; zero where they are not all inside.
    pub fn read(&mut self, address: u64, size: u32) -> u64 {
        let (allocation, offset) = parts(address);
        let (region, end) = self.region(allocation);
        if offset + u64::from(size) > end {
            return 0;
        }
        with_words!(region, words => read(words, offset, size), 0)
    }

    /// Writes 1, 2, 4 or 8 bytes where they are all inside.
    pub fn write(&mut self, address: u64, size: u32, value: u64) {
        let (allocation, offset) = parts(address);
        if allocation == PUSH_CONSTANTS {
            return;
        }
        let (region, end) = self.region(allocation);
        if offset + u64::from(size) <= end {
            with_words!(region, words => write(words, offset, size, value), ());
        }
    }

    /// Reads bytes; those outside are zero.
    pub fn read_bytes(&mut self, address: u64, bytes: &mut [u8]) {
        let (allocation, offset) = parts(address);
        let (region, end) = self.region(allocation);
        let inside = end.saturating_sub(offset).min(bytes.len() as u64) as usize;
        let (inner, outer) = bytes.split_at_mut(inside);
        outer.fill(0);
        with_words!(region, words => {
            let mut offset = offset as usize;
            let mut rest = inner;
            if offset.is_multiple_of(4) {
                let (whole, last) = rest.as_chunks_mut();
                words.read_all(offset / 4, whole);
                offset += whole.len() * 4;
                rest = last;
            }
            while !rest.is_empty() {
                let word = words.read(offset / 4).to_le_bytes();
                let from = offset % 4;
                let count = (4 - from).min(rest.len());
                let (now, later) = rest.split_at_mut(count);
                now.copy_from_slice(&word[from..from + count]);
                offset += count;
                rest = later;
            }
        }, ());
    }

    /// Reads rows of `row` bytes that begin `stride` bytes apart, one after the other.
    pub fn read_rows(&mut self, address: u64, stride: u64, row: usize, bytes: &mut [u8]) {
        let (allocation, offset) = parts(address);
        let (region, end) = self.region(allocation);
        let count = bytes.len().checked_div(row).unwrap_or(0) as u64;
        let last = stride
            .checked_mul(count.saturating_sub(1))
            .and_then(|last| last.checked_add(offset + row as u64));
        let aligned = offset.is_multiple_of(4) && stride.is_multiple_of(4) && row.is_multiple_of(4);
        if aligned && last.is_some_and(|last| last <= end) {
            let (first, step) = ((offset / 4) as usize, (stride / 4) as usize);
            with_words!(region, words => {
                for (index, bytes) in bytes.chunks_exact_mut(row).enumerate() {
                    words.read_all(first + index * step, bytes.as_chunks_mut().0);
                }
            }, ());
            return;
        }
        for (index, bytes) in bytes.chunks_exact_mut(row.max(1)).enumerate() {
            self.read_bytes(address.wrapping_add((index as u64).wrapping_mul(stride)), bytes);
        }
    }

    /// Writes bytes; those outside are dropped.
    pub fn write_bytes(&mut self, address: u64, bytes: &[u8]) {
        let (allocation, offset) = parts(address);
        if allocation == PUSH_CONSTANTS {
            return;
        }
        let (region, end) = self.region(allocation);
        let inside = end.saturating_sub(offset).min(bytes.len() as u64) as usize;
        with_words!(region, words => {
            let mut offset = offset as usize;
            let mut rest = &bytes[..inside];
            if offset.is_multiple_of(4) {
                let (whole, last) = rest.as_chunks();
                words.write_all(offset / 4, whole);
                offset += whole.len() * 4;
                rest = last;
            }
            while !rest.is_empty() {
                let from = offset % 4;
                let count = (4 - from).min(rest.len());
                let (now, later) = rest.split_at(count);
                let mut word = [0; 4];
                word[from..from + count].copy_from_slice(now);
                if count == 4 {
                    words.write(offset / 4, u32::from_le_bytes(word));
                } else {
                    let mut mask = [0; 4];
                    mask[from..from + count].fill(0xff);
                    words.merge(offset / 4, u32::from_le_bytes(word), u32::from_le_bytes(mask));
                }
                offset += count;
                rest = later;
            }
        }, ());
    }

    /// Replaces a value of 2, 4 or 8 bytes by a function of it, at once for 2 and 4, and gives the old one. (Workgroups that use atomics
    /// do not run at the same time.)
    pub fn update(&mut self, address: u64, size: u32, f: &mut dyn FnMut(u64) -> u64) -> u64 {
        let (allocation, offset) = parts(address);
        let (region, end) = self.region(allocation);
        if offset + u64::from(size) > end || allocation == PUSH_CONSTANTS {
            return 0;
        }
        with_words!(region, words => if size == 4 && offset % 4 == 0 {
            u64::from(words.update(offset as usize / 4, &mut |old| f(u64::from(old)) as u32))
        } else {
            let old = read(words, offset, size);
            write(words, offset, size, f(old));
            old
        }, 0)
    }
}

#[inline]
fn read(words: &mut impl Words, offset: u64, size: u32) -> u64 {
    let (index, shift) = ((offset / 4) as usize, offset % 4 * 8);
    let low = words.read(index);
    if size == 4 && shift == 0 {
        return u64::from(low);
    }
    if u64::from(size) * 8 + shift <= 32 {
        let mask = (1u64 << (size * 8)) - 1;
        return u64::from(low) >> shift & mask;
    }
    // Over up to three words.
    let pair = u64::from(low) | u64::from(words.read(index + 1)) << 32;
    let value = match shift {
        0 => pair,
        _ => pair >> shift | u64::from(words.read(index + 2)) << (64 - shift),
    };
    if size == 8 { value } else { value & ((1 << (size * 8)) - 1) }
}

#[inline]
fn write(words: &mut impl Words, offset: u64, size: u32, value: u64) {
    let (index, shift) = ((offset / 4) as usize, offset % 4 * 8);
    if size == 4 && shift == 0 {
        return words.write(index, value as u32);
    }
    if u64::from(size) * 8 + shift <= 32 {
        let mask = ((1u64 << (size * 8)) - 1) as u32;
        return words.merge(index, (value as u32 & mask) << shift, mask << shift);
    }
    let mask = if size == 8 { u128::from(u64::MAX) } else { (1 << (size * 8)) - 1 };
    let (value, mask) = ((u128::from(value) & mask) << shift, mask << shift);
    for part in 0..3 {
        let mask = (mask >> (part * 32)) as u32;
        if mask != 0 {
            words.merge(index + part, (value >> (part * 32)) as u32, mask);
        }
    }
}
