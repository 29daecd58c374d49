//! Values as they are shown: trees whose leaves are a word for each lane, and cooperative matrices whole.

use std::sync::Arc;

use crate::machine::{Mask, lanes_of};
use crate::matrix::{Component, Matrix};
use crate::numerics::{Format, Rounding};
use crate::program::types::Scalar;

/// A value and its type.
#[derive(Clone, Debug)]
pub struct Value {
    /// In GLSL's words.
    pub type_name: String,
    /// What it holds.
    pub content: Content,
}

/// What a value holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A word of each lane.
    Scalar(Lanes),
    /// Members, components or elements. There may be more of them than are shown.
    Parts {
        /// Those that are shown.
        parts: Vec<Part>,
        /// How many there are.
        count: u64,
    },
    /// A cooperative matrix, whole.
    Matrix(MatrixValue),
    /// What has no value that can be shown.
    Text(String),
}

/// A member, a component or an element.
#[derive(Clone, Debug)]
pub struct Part {
    /// What the whole's name goes on with: `.x`, `[3]`, `.data`.
    pub name: String,
    /// What it holds.
    pub value: Value,
}

/// A scalar of every lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    /// How the bits are read.
    pub kind: LaneKind,
    /// The bits of each lane, or of all lanes where there is only one.
    pub bits: Vec<u64>,
    /// The lanes whose value is not defined, as far as checked mode knows.
    pub undefined: Mask,
    /// The lanes that have no value: their index is outside, or their address leads nowhere.
    pub absent: Mask,
}

/// What the bits of a lane are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// Zero is false, all else true.
    Bool,
    /// Integers.
    Integer {
        /// In bits.
        width: u8,
        /// Whether the highest bit is a sign.
        signed: bool,
    },
    /// Floating-point numbers.
    Float(Format),
    /// A pointer into memory.
    Address,
}

impl LaneKind {
    pub(super) fn of(scalar: Scalar) -> LaneKind {
        match scalar {
            Scalar::Bool => LaneKind::Bool,
            Scalar::Integer { width, signed } => LaneKind::Integer { width, signed },
            Scalar::Float(format) => LaneKind::Float(format),
            Scalar::Address => LaneKind::Address,
            Scalar::Index => LaneKind::Integer { width: 32, signed: false },
        }
    }

    fn of_component(component: Component) -> LaneKind {
        match component {
            Component::Float(format) => LaneKind::Float(format),
            Component::Integer { width, signed } => LaneKind::Integer { width, signed },
        }
    }

    /// The value in GLSL's words.
    pub fn text(self, bits: u64) -> String {
        match self {
            LaneKind::Bool => if bits != 0 { "true" } else { "false" }.to_owned(),
            LaneKind::Integer { width, signed } => {
                let unused = 64 - u32::from(width.clamp(1, 64));
                match signed {
                    true => ((bits << unused) as i64 >> unused).to_string(),
                    false => (bits << unused >> unused).to_string(),
                }
            }
            LaneKind::Float(Format::F64) => {
                float_text(f64::from_bits(bits), f64::from_bits(bits).to_string())
            }
            LaneKind::Float(format) => {
                let value = format.to_f64(bits);
                float_text(value, shortest(format, value))
            }
            LaneKind::Address => format!("0x{bits:x}"),
        }
    }

    pub(super) fn number(self, bits: u64) -> f64 {
        match self {
            LaneKind::Bool => f64::from(u8::from(bits != 0)),
            LaneKind::Integer { width, signed } => {
                let unused = 64 - u32::from(width.clamp(1, 64));
                if signed {
                    ((bits << unused) as i64 >> unused) as f64
                } else {
                    (bits << unused >> unused) as f64
                }
            }
            LaneKind::Float(format) => format.to_f64(bits),
            LaneKind::Address => bits as f64,
        }
    }
}

/// In as few digits as tell a number from its neighbours in its format: `0.1`, not `0.099975586`. Whole numbers stay whole.
fn shortest(format: Format, value: f64) -> String {
    let reads_back = |text: &String| {
        text.parse().is_ok_and(|read: f64| format.nearest(read, Rounding::NearestEven) == value)
    };
    let whole = value.fract() == 0.0 || !value.is_finite();
    let few = (0..17).map(|digits| format!("{value:.digits$e}")).find(|text| !whole && reads_back(text));
    few.and_then(|text| text.parse::<f64>().ok()).unwrap_or(value).to_string()
}

fn float_text(value: f64, plain: String) -> String {
    let size = value.abs();
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned()
    } else if size != 0.0 && !(1e-5..1e9).contains(&size) {
        format!("{value:.6e}")
    } else if plain.contains('.') {
        plain
    } else {
        format!("{plain}.0")
    }
}

impl Lanes {
    /// Whether one word stands for all lanes.
    pub(crate) fn is_uniform(&self) -> bool {
        self.bits.len() == 1
    }

    /// The bits of a lane; zeros where there is no such lane.
    pub fn bits(&self, lane: usize) -> u64 {
        self.bits.get(lane).or(self.bits.first()).copied().unwrap_or(0)
    }

    /// Whether checked mode knows that nobody wrote what the lane holds.
    pub fn is_undefined(&self, lane: usize) -> bool {
        self.undefined >> lane & 1 != 0
    }

    /// Whether the lane has no value.
    pub fn is_absent(&self, lane: usize) -> bool {
        self.absent >> lane & 1 != 0
    }

    /// The value of a lane in GLSL's words; `outside` where it has none.
    pub fn text(&self, lane: usize) -> String {
        match self.is_absent(lane) {
            true => "outside".to_owned(),
            false => self.kind.text(self.bits(lane)),
        }
    }

    /// One text where the lanes of a mask agree; otherwise nothing.
    pub fn agreed(&self, mask: Mask) -> Option<String> {
        let mut lanes = lanes_of(mask);
        let first = lanes.next().unwrap_or(0);
        let same = |lane: usize| {
            self.bits(lane) == self.bits(first)
                && self.is_absent(lane) == self.is_absent(first)
                && self.is_undefined(lane) == self.is_undefined(first)
        };
        (self.is_uniform() && (self.undefined | self.absent) & mask == 0 || lanes.all(same))
            .then(|| if self.is_undefined(first) { "undefined".to_owned() } else { self.text(first) })
    }
}

/// A cooperative matrix.
#[derive(Clone, Debug)]
pub struct MatrixValue {
    /// None where nothing was ever stored.
    pub matrix: Option<Arc<Matrix>>,
    /// Its type, whether something was stored or not.
    pub type_: crate::matrix::MatrixType,
}

impl MatrixValue {
    /// Element by element in rows, little endian, as in memory.
    pub fn bytes(&self) -> Vec<u8> {
        let width = self.type_.component.bytes() as usize;
        let Some(matrix) = &self.matrix else { return vec![0; self.type_.count() * width] };
        matrix.all_bits().iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(width)).collect()
    }

    /// An element in GLSL's words, by its row and its column.
    pub fn text(&self, row: u32, column: u32) -> String {
        let index = row as usize * self.type_.columns as usize + column as usize;
        match &self.matrix {
            Some(matrix) if index < self.type_.count() => match matrix.is_undefined(index) {
                true => "undefined".to_owned(),
                false => LaneKind::of_component(self.type_.component).text(matrix.get(index)),
            },
            Some(_) => "outside".to_owned(),
            None => "undefined".to_owned(),
        }
    }

    /// A bit for each element that is not defined.
    pub fn undefined(&self) -> Option<Vec<u8>> {
        let count = self.type_.count();
        let is_undefined =
            |index: usize| self.matrix.as_ref().is_none_or(|matrix| matrix.is_undefined(index));
        if !self.matrix.as_ref().is_none_or(|matrix| matrix.any_undefined()) {
            return None;
        }
        let mut bits = vec![0; count.div_ceil(8)];
        for index in (0..count).filter(|&index| is_undefined(index)) {
            bits[index / 8] |= 1 << (index % 8);
        }
        Some(bits)
    }
}

impl Value {
    /// In one line, as the lanes of a mask see it.
    pub fn text(&self, mask: Mask) -> String {
        match &self.content {
            Content::Scalar(lanes) => lanes.agreed(mask).unwrap_or_else(|| {
                const SHOWN: usize = 8;
                let show = |lane| if lanes.is_undefined(lane) { "?".to_owned() } else { lanes.text(lane) };
                let mut texts: Vec<String> = lanes_of(mask).take(SHOWN).map(show).collect();
                if mask.count_ones() as usize > SHOWN {
                    texts.push("…".to_owned());
                }
                format!("⟨{}⟩", texts.join(" "))
            }),
            Content::Parts { parts, count } => {
                const SHOWN: usize = 4;
                let mut texts: Vec<String> = parts
                    .iter()
                    .take(SHOWN)
                    .map(|part| {
                        let name = part.name.strip_prefix('.').filter(|name| name.len() > 1);
                        let text = part.value.text(mask);
                        name.map_or_else(|| text.clone(), |name| format!("{name}: {text}"))
                    })
                    .collect();
                if *count > texts.len() as u64 {
                    texts.push("…".to_owned());
                }
                format!("{{{}}}", texts.join(", "))
            }
            Content::Matrix(value) => {
                let state = if value.matrix.is_none() { ", not written yet" } else { "" };
                format!("{} × {}{state}", value.type_.rows, value.type_.columns)
            }
            Content::Text(text) => text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_the_digits_of_their_format() {
        let told = |format: Format, value: f64| {
            let bits = format.from_f64(value, Rounding::NearestEven, crate::numerics::Overflow::Special);
            LaneKind::Float(format).text(bits)
        };
        assert_eq!(told(Format::F32, 0.1), "0.1");
        assert_eq!(told(Format::F16, 0.1), "0.1");
        assert_eq!(told(Format::BF16, 2.7), "2.7");
        assert_eq!(told(Format::F16, 65504.0), "65504.0");
        assert_eq!(told(Format::F16, 1.0 / 3.0), "0.3333");
        assert_eq!(told(Format::F32, -0.0), "-0.0");
    }
}
