//! What a change of a variable writes, and the changes of a run by their times.

use super::expression::Number;
use super::value::LaneKind;
use crate::machine::{Execution, Mask, lanes_of};
use crate::numerics::{Overflow, Rounding};

/// A part of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// A word of some lanes.
    Word {
        subgroup: u32,
        plane: u32,
        lanes: Mask,
        word: u32,
    },
    /// An element of the matrix in a plane, by its number in rows.
    Element {
        subgroup: u32,
        plane: u32,
        element: u32,
        bits: u64,
    },
    Memory {
        address: u64,
        size: u32,
        bits: u64,
    },
}

/// Changes, and the time before whose instruction each is made.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<(u64, Vec<Edit>)>);

impl Edits {
    /// The time of the change with a number.
    pub fn time(&self, number: usize) -> Option<u64> {
        self.0.get(number).map(|(time, _)| *time)
    }

    /// Makes the change with a number.
    pub fn make(&self, number: usize, execution: &mut Execution) {
        for edit in self.0.get(number).iter().flat_map(|(_, edits)| edits) {
            edit.make(execution);
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Adds a change; those after its time are forgotten.
    pub fn add(&mut self, time: u64, edits: Vec<Edit>) {
        self.0.retain(|(at, _)| *at <= time);
        self.0.push((time, edits));
    }
}

impl Edit {
    fn make(&self, execution: &mut Execution) {
        match *self {
            Edit::Memory { address, size, bits } => execution.poke(address, size, bits),
            Edit::Word { subgroup, plane, lanes, word } => {
                let Some(registers) = execution.registers_mut(subgroup) else { return };
                if plane < registers.planes() {
                    let count = registers.lanes();
                    for lane in lanes_of(lanes).take_while(|lane| *lane < count) {
                        registers.set_lane(plane, lane, word);
                    }
                    registers.gather(plane);
                }
            }
            Edit::Element { subgroup, plane, element, bits } => {
                let Some(registers) = execution.registers_mut(subgroup) else { return };
                if let Some(mut matrix) = registers.take_matrix(plane) {
                    let own = std::sync::Arc::make_mut(&mut matrix);
                    // Sums that were kept are those of the old elements.
                    own.take_sums();
                    own.set(element as usize, bits);
                    registers.set_matrix(plane, matrix);
                }
            }
        }
    }
}

/// The bits of a number as a variable holds it.
pub(super) fn bits_of(number: Number, kind: LaneKind) -> Result<u64, String> {
    let float = match number {
        Number::Integer(value) => value as f64,
        Number::Float(value) => value,
        Number::Bool(value) => f64::from(u8::from(value)),
    };
    match kind {
        LaneKind::Bool => Ok(u64::from(number.truth())),
        LaneKind::Float(format) => Ok(format.from_f64(float, Rounding::NearestEven, Overflow::Special)),
        LaneKind::Address => Err("pointers cannot be changed".to_owned()),
        LaneKind::Integer { width, signed } => {
            if let Number::Float(value) = number {
                return Err(format!("expected an integer, found {value:?}"));
            }
            let value = i128::from(number.integer());
            let (least, most) = match signed {
                true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
                false => (0, (1i128 << width) - 1),
            };
            if !(least..=most).contains(&value) {
                return Err(format!("{value} is not between {least} and {most}"));
            }
            Ok(value as u64 & (u64::MAX >> (64 - u32::from(width.clamp(1, 64)))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::Format;

    #[test]
    fn numbers_become_bits_or_say_why_not() {
        let byte = |signed| LaneKind::Integer { width: 8, signed };
        assert_eq!(bits_of(Number::Integer(-1), byte(true)), Ok(0xff));
        assert_eq!(bits_of(Number::Integer(255), byte(false)), Ok(0xff));
        assert_eq!(
            bits_of(Number::Integer(256), byte(false)),
            Err("256 is not between 0 and 255".to_owned())
        );
        assert_eq!(bits_of(Number::Float(1.5), byte(true)), Err("expected an integer, found 1.5".to_owned()));
        assert_eq!(bits_of(Number::Integer(2), LaneKind::Float(Format::F16)), Ok(0x4000));
        assert_eq!(bits_of(Number::Bool(true), LaneKind::Bool), Ok(1));
        let wide = LaneKind::Integer { width: 64, signed: true };
        assert_eq!(bits_of(Number::Integer(-2), wide), Ok(u64::MAX - 1));
    }
}
