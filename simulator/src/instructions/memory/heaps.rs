//! Descriptors in heaps: from an address in a heap to what is described there.

use crate::FindingKind;
use crate::machine::{Context, halves, lanes_of};
use crate::memory::{DESCRIPTOR_SIZE, EMPTY_DESCRIPTOR, Target, address, parts, place_in_heap};
use crate::program::Slot;

/// The address of a buffer.
pub(super) fn buffer(cx: &mut Context, result: Slot, pointer: Slot, offset: u32) {
    check(cx, pointer, offset, "buffer", |target| matches!(target, Target::Buffer(_)));
    let (result, pointer) = (cx.plane(result), cx.plane(pointer));
    let (descriptors, heaps) = (cx.env.descriptors, cx.env.heaps);
    cx.registers.lanewise(result, &[pointer, pointer + 1], |registers, lane| {
        let at = registers.get_wide(pointer, lane).wrapping_add(u64::from(offset));
        match heaps.descriptor(at).and_then(|number| descriptors.get(number as usize)) {
            Some(Target::Buffer(address)) => halves(*address),
            _ => halves(address(EMPTY_DESCRIPTOR, 0)),
        }
    });
}

/// The number of an image's descriptor.
pub(super) fn image(cx: &mut Context, result: Slot, pointer: Slot, offset: u32) {
    check(cx, pointer, offset, "image", |target| matches!(target, Target::Image(_)));
    let (result, pointer) = (cx.plane(result), cx.plane(pointer));
    let heaps = cx.env.heaps;
    cx.registers.lanewise(result, &[pointer, pointer + 1], |registers, lane| {
        let at = registers.get_wide(pointer, lane).wrapping_add(u64::from(offset));
        [heaps.descriptor(at).unwrap_or(u32::MAX)]
    });
}

/// A finding where a lane takes a descriptor that is not there, or of something else.
fn check(cx: &mut Context, pointer: Slot, offset: u32, what: &str, fits: impl Fn(Target) -> bool) {
    if !cx.env.settings.checked {
        return;
    }
    let pointer = cx.plane(pointer);
    for lane in lanes_of(cx.registers.mask()) {
        let at = cx.registers.get_wide(pointer, lane).wrapping_add(u64::from(offset));
        let number = cx.env.heaps.descriptor(at);
        let found = number.and_then(|number| cx.env.descriptors.get(number as usize)).copied();
        if found.is_some_and(&fits) {
            continue;
        }
        let (allocation, start) = parts(at);
        let Some(heap) = cx.env.heaps.heap(allocation) else { continue };
        let end = cx.env.memory.size(allocation).unwrap_or(0);
        let (heap, place) = (heap.name(), place_in_heap(start));
        let article = if what == "image" { "an" } else { "a" };
        let size = u64::from(DESCRIPTOR_SIZE);
        let (kind, message) = if start.saturating_add(size) > end {
            let message = format!(
                "takes {article} {what} from {place} of {heap}, which ends after {end} bytes: {} descriptors of {size} bytes",
                end / size
            );
            (FindingKind::OutOfBounds, message)
        } else {
            let there = match found {
                Some(Target::Buffer(_)) => "where a buffer is described",
                Some(Target::Image(_)) => "where an image is described",
                _ if start.is_multiple_of(size) => "where no descriptor is",
                _ => "where no descriptor begins",
            };
            (FindingKind::EmptyDescriptor, format!("takes {article} {what} from {place} of {heap}, {there}"))
        };
        cx.find(kind, lane, message);
    }
}
