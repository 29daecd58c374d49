//! Variants that are described by numbers alone: how they are dispatched, and what ggml is asked for.

use std::fmt::Write as _;

use super::cases::{Case, Output, Work, case};
use super::convolution::fast_division;
use super::judge::Request;
use crate::simulate_report::NO_MATRICES;
use crate::simulate_report::quants::Quant;

/// A dispatch. Push constants are as a recipe writes them.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    pub dispatch: [usize; 3],
    /// Values of specialization constants, by their ids.
    pub constants: Vec<usize>,
    pub push: Vec<(String, String)>,
}

impl Plain {
    pub fn new(dispatch: [usize; 3]) -> Plain {
        Plain { dispatch, ..Plain::default() }
    }

    /// Groups of so many elements, as `ggml_vk_op_f32` divides them: at most 512 in the first two directions.
    pub fn elements(count: usize, of_group: usize) -> Plain {
        let groups = match count {
            0..=512 => [count.div_ceil(of_group), 1, 1],
            513..=262_144 => [512_usize.div_ceil(of_group), count.div_ceil(512), 1],
            _ => [512_usize.div_ceil(of_group), 512, count.div_ceil(262_144)],
        };
        Plain::new(groups)
    }

    pub fn with(mut self, name: &str, value: usize) -> Plain {
        self.push.push((name.to_owned(), value.to_string()));
        self
    }

    pub fn real(mut self, name: &str, value: f32) -> Plain {
        self.push.push((name.to_owned(), format!("{value:?}")));
        self
    }

    pub fn list<T: std::fmt::Debug>(mut self, name: &str, values: &[T]) -> Plain {
        self.push.push((name.to_owned(), format!("{values:?}")));
        self
    }

    /// Lengths and steps of an operand, `ne00` to `nb03` for the prefix 0; steps are in elements, or in blocks.
    pub fn shape(mut self, prefix: usize, shape: &Shape) -> Plain {
        for (axis, length) in shape.lengths.iter().enumerate() {
            self = self.with(&format!("ne{prefix}{axis}"), *length);
        }
        self.steps(prefix, shape)
    }

    pub fn steps(mut self, prefix: usize, shape: &Shape) -> Plain {
        for (axis, step) in shape.steps().iter().enumerate() {
            self = self.with(&format!("nb{prefix}{axis}"), *step);
        }
        self
    }

    /// The push constants of `generic_unary_head.glsl`.
    pub fn unary(self, from: &Shape, to: &Shape, numbers: [f32; 4]) -> Plain {
        let mut plain = self.with("ne", to.count()).shape(0, from).shape(1, to).with("misalign_offsets", 0);
        for (index, number) in numbers.iter().enumerate() {
            plain = plain.real(&format!("param{}", index + 1), *number);
        }
        for (prefix, shape) in [(0, from), (1, to)] {
            let [columns, rows, layers, _] = shape.lengths;
            let divisors = [("012", columns * rows * layers), ("01", columns * rows), ("0", columns)];
            let mut shifts = 0;
            for (index, (name, divisor)) in divisors.into_iter().enumerate() {
                let (factor, shift) = fast_division(divisor as u64);
                plain = plain.with(&format!("ne{prefix}_{name}mp"), factor);
                shifts |= shift << (8 * index);
            }
            plain = plain.with(&format!("ne{prefix}_Ls"), shifts);
        }
        plain
    }

    /// The push constants of `generic_binary_head.glsl`.
    pub fn binary(self, a: &Shape, b: &Shape, to: &Shape, numbers: [f32; 2], integer: usize) -> Plain {
        let plain = self.with("ne", to.count()).shape(0, a).shape(1, b).shape(2, to);
        let plain = plain.with("misalign_offsets", 0).real("param1", numbers[0]).real("param2", numbers[1]);
        plain.with("param3", integer)
    }

    /// The push constants of `generic_head.glsl`.
    pub fn general(self, columns: usize, rows: usize, numbers: [f32; 4]) -> Plain {
        let mut plain = self.with("KX", columns).with("KY", rows);
        for (index, number) in numbers.iter().enumerate() {
            plain = plain.real(&format!("param{}", index + 1), *number);
        }
        plain
    }

    /// The recipe without buffers and expectations.
    pub fn pipeline(&self, variant: &str, subgroup: u32, declared: &[u32]) -> String {
        let mut text = format!(
            "description = \"{variant} of llama.cpp\"\nsubgroup-size = {subgroup}\ndispatch = {:?}\n{NO_MATRICES}",
            self.dispatch
        );
        text += "\n[specialization]\n";
        for (id, value) in self.constants.iter().enumerate() {
            if declared.contains(&(id as u32)) {
                let _ = writeln!(text, "{id} = {value}");
            }
        }
        text += "\n[push-constants]\n";
        for (name, value) in &self.push {
            let _ = writeln!(text, "{name} = {value}");
        }
        text
    }
}

/// An operand of one of ggml's operations: its lengths, the fastest first.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub type_: Type,
    pub lengths: [usize; 4],
    /// Where each of its axes lies in memory: `[1, 0, 2, 3]` is a transposed matrix.
    pub order: [usize; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Integers,
    Of(Quant),
}

impl Type {
    pub fn named(name: &str) -> Option<Type> {
        if name == "i32" { Some(Type::Integers) } else { Quant::named(name).map(Type::Of) }
    }

    pub fn name(self) -> &'static str {
        match self {
            Type::Integers => "i32",
            Type::Of(quant) => quant.name(),
        }
    }

    /// The largest error of a number that is rounded to it, in proportion.
    pub fn rounding(self) -> f64 {
        match self {
            Type::Of(Quant::F16) => 1.0 / 2048.0,
            Type::Of(Quant::Bf16) => 1.0 / 256.0,
            Type::Integers | Type::Of(_) => 0.0,
        }
    }

    pub fn is_quantised(self) -> bool {
        matches!(self, Type::Of(quant) if quant.is_quantised())
    }

    /// Elements of a block.
    pub fn block(self) -> usize {
        match self {
            Type::Integers => 1,
            Type::Of(quant) => quant.block().0,
        }
    }

    /// What recipes call it.
    pub fn component(self) -> &'static str {
        match self {
            Type::Integers => "s32",
            Type::Of(quant) => quant.name(),
        }
    }
}

impl Shape {
    pub fn new(type_: Type, lengths: &[usize]) -> Shape {
        let mut all = [1; 4];
        all[..lengths.len()].copy_from_slice(lengths);
        Shape { type_, lengths: all, order: [0, 1, 2, 3] }
    }

    /// A view of it, whose axes are in another order.
    pub fn permuted(self, order: [usize; 4]) -> Shape {
        Shape { lengths: order.map(|axis| self.lengths[axis]), order, ..self }
    }

    pub fn of(self, type_: Type) -> Shape {
        Shape { type_, ..self }
    }

    pub fn count(&self) -> usize {
        self.lengths.iter().product()
    }

    pub fn rows(&self) -> usize {
        self.lengths[1..].iter().product()
    }

    /// Elements between neighbours, or blocks.
    pub fn steps(&self) -> [usize; 4] {
        let block = self.type_.block();
        let mut stored = [1; 4];
        for (axis, place) in self.order.into_iter().enumerate() {
            stored[place] = self.lengths[axis];
        }
        let [columns, rows, layers, _] = stored;
        let row = columns / block;
        let steps = [1, row, row * rows, row * rows * layers];
        self.order.map(|place| steps[place])
    }

    /// Blocks, as bytes.
    pub fn bytes(&self, binding: u32) -> Option<Output> {
        let Type::Of(quant) = self.type_ else { return None };
        Some(Output { binding, shape: vec![self.rows(), quant.bytes(self.lengths[0])], type_: "u8" })
    }

    pub fn shown(&self) -> String {
        let last = self.lengths.iter().rposition(|length| *length > 1).unwrap_or(0);
        let lengths: Vec<String> = self.lengths[..=last].iter().map(usize::to_string).collect();
        lengths.join("x")
    }

    /// As the judge is told of it, with the least and the largest number.
    pub fn between(&self, low: f32, high: f32) -> String {
        format!("{}:{}:{low}:{high}", self.type_.name(), self.shown())
    }

    /// The result of a case.
    pub fn output(&self, binding: u32) -> Option<Output> {
        let mut shape = self.lengths.to_vec();
        shape.reverse();
        Some(Output { binding, shape, type_: self.type_.component() })
    }
}

/// A case of an operation of ggml over operands, in the order of their letters.
pub fn any(variant: &str, name: &str, operands: &[String], numbers: &[f32], plain: Plain) -> Case {
    let type_ = operands.first().and_then(|operand| operand.split(':').next()).unwrap_or("f32");
    let mut request = Request::new("any", type_).with("name", name).with("seed", 1).with("absolute", 0);
    for (letter, operand) in ["a", "b", "c", "d", "e", "f", "g"].iter().zip(operands) {
        request = request.with(letter, operand);
    }
    if !numbers.is_empty() {
        let numbers: Vec<String> = numbers.iter().map(f32::to_string).collect();
        request = request.with("numbers", numbers.join(","));
    }
    case(variant, 32, request, Work::Plain(plain))
}
