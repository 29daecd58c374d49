//! Texels of images: coordinates outside, races, texels that nobody wrote. A texel is one place, as a byte of a buffer is.

use super::FindingKind;
use super::access::Touch;
use super::atomics::Update;
use crate::machine::{Context, Plane};
use crate::memory::{IMAGES, Image, address};
use crate::observer::{AccessKind, TexelAccess};
use crate::program::types::Scalar;

/// Coordinates as people read them: as many as the image has directions in which it is larger than one texel.
pub(super) fn coordinates(image: Option<&Image>, level: u32, at: [i64; 3]) -> String {
    let size = image.map_or([1; 3], Image::size);
    let count = (0..3).rev().find(|&index| size[index] > 1 || at[index] != 0).map_or(1, |index| index + 1);
    let shown: Vec<String> = at[..count].iter().map(i64::to_string).collect();
    let place = match &shown[..] {
        [one] => one.clone(),
        _ => format!("({})", shown.join(", ")),
    };
    if image.is_some_and(|image| image.levels() > 1) { format!("{place} of level {level}") } else { place }
}

/// A level, and coordinates.
pub(crate) type Texel = (u32, [i64; 3]);

impl Context<'_, '_> {
    /// The place of a texel; a finding where it is outside.
    fn texel(&mut self, kind: AccessKind, lane: usize, number: u32, (level, at): Texel) -> Option<u64> {
        let allocation = IMAGES + u64::from(number);
        let image = self.env.images.get(number as usize);
        if let Some(index) = image?.number(level, at) {
            if self.env.wants.memory {
                let event = self.at();
                if let Some(observer) = &mut self.env.observer {
                    let at = at.map(|length| length as u32);
                    observer.texel(&event, &TexelAccess { kind, image: number as usize, level, at });
                }
            }
            return Some(address(allocation, index as u64));
        }
        self.find_with(FindingKind::OutOfBounds, lane, None, |cx| {
            let does = match kind {
                AccessKind::Read => "reads",
                AccessKind::Write => "writes",
                AccessKind::Atomic => "updates",
            };
            let levels = image.map_or(1, Image::levels);
            if level >= levels {
                let name = cx.allocation_name(allocation);
                return format!("{does} level {level} of {name}, which has {levels} of them");
            }
            let size = image.map_or([1; 3], |image| image.size_of(level));
            let count = (1..3).rev().find(|&index| size[index] > 1).map_or(1, |index| index + 1);
            let size: Vec<String> = size[..count].iter().map(u32::to_string).collect();
            let texels = if size[..] == ["1"] { "texel" } else { "texels" };
            format!(
                "{does} texel {} of {}, which has {} {texels}",
                coordinates(image, level, at),
                cx.allocation_name(allocation),
                size.join("x")
            )
        });
        None
    }

    /// Notes that a texel is read, and gives whether it is undefined.
    pub(crate) fn check_texel_read(&mut self, lane: usize, number: u32, at: Texel) -> bool {
        let Some(place) = self.texel(AccessKind::Read, lane, number, at) else { return false };
        self.check_read(lane, place, 1)
    }

    /// What is stored in a texel has to be defined; NaN and infinities have reached memory.
    pub(crate) fn check_stored_texel(&mut self, lane: usize, first: Plane, scalar: Scalar, count: u32) {
        if (first..first + count).any(|plane| self.registers.undefined(plane) >> lane & 1 != 0) {
            return self.find_undefined(lane, "what is stored");
        }
        let Scalar::Float(format) = scalar else { return };
        for plane in first..first + count {
            let value = format.to_f64(u64::from(self.registers.get(plane, lane)));
            if !value.is_finite() {
                self.note_special_store(value.is_nan(), 1 << lane);
            }
        }
    }

    /// Notes an atomic operation other than a load on a texel, and gives whether the texel was undefined.
    pub(crate) fn check_texel_update(&mut self, lane: usize, number: u32, at: Texel, update: Update) -> bool {
        let Some(place) = self.texel(AccessKind::Atomic, lane, number, at) else { return false };
        let was_undefined = self.holds_undefined(place, 1);
        self.check_updated(lane, place, was_undefined, update);
        let touch = Touch::new(self, self.who(lane), IMAGES + u64::from(number), false);
        self.check_write_by(&touch, lane, place, 1, true, None);
        was_undefined
    }

    /// Notes that a texel is written just before it happens: races with that are only told when it changes something.
    pub(crate) fn check_texel_write(&mut self, lane: usize, number: u32, at: Texel, changes: bool) {
        let Some(place) = self.texel(AccessKind::Write, lane, number, at) else { return };
        let touch = Touch::new(self, self.who(lane), IMAGES + u64::from(number), false);
        self.check_write_by(&touch, lane, place, 1, changes || self.env.settings.strict, None);
    }
}
