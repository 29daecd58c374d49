//! Constant folding of the common built-in functions. What is not here is constant without a value.

use super::Lowerer;
use super::folding::{flatten, round_float, wrap_integer};
use crate::hir::Const;
use crate::symbolic::SymOp;
use crate::types::{Scalar, Ty};

impl<'a> Lowerer<'a> {
    /// The value of a built-in function of constant arguments; `None` where it is not folded.
    pub(super) fn fold_builtin(
        &mut self,
        name: &str,
        arguments: &[(Const, Ty)],
        result: Ty,
    ) -> Option<Const> {
        let (scalar, shape) = self.types.shape(result)?;
        if shape.is_matrix() {
            return None;
        }
        let count = usize::try_from(self.types.shape_count(shape)?).ok()?;
        let mut parts = Vec::with_capacity(arguments.len());
        let mut input = None;
        for (constant, ty) in arguments {
            let (from, from_shape) = self.types.shape(*ty)?;
            if from_shape.is_matrix() {
                return None;
            }
            input = input.or(Some(from));
            let mut own = Vec::new();
            flatten(constant, &mut own)?;
            parts.push(own);
        }
        let input = input?;
        // Functions of whole vectors.
        if let Some(whole) = fold_whole(name, &parts, input) {
            return Some(whole);
        }
        let mut out = Vec::with_capacity(count);
        for index in 0..count {
            // A scalar argument counts for every component.
            let at = |own: &Vec<Const>| own.get(if own.len() == 1 { 0 } else { index }).cloned();
            let values: Option<Vec<Const>> = parts.iter().map(at).collect();
            out.push(self.fold_component(name, &values?, input, scalar)?);
        }
        if count == 1 { out.pop() } else { Some(self.composite(out)) }
    }

    fn fold_component(
        &mut self,
        name: &str,
        values: &[Const],
        input: Scalar,
        result: Scalar,
    ) -> Option<Const> {
        if values.iter().any(|value| matches!(value, Const::Symbolic(_))) {
            return self.fold_symbolic(name, values, result);
        }
        match values {
            [Const::Float(x)] => fold_float(name, *x, input),
            [Const::Float(x), Const::Float(y)] => fold_floats(name, *x, *y, input),
            [Const::Float(x), Const::Float(y), Const::Float(z)] => {
                let (x, y, z) = (*x, *y, *z);
                let value = match name {
                    "clamp" => x.max(y).min(z),
                    "mix" => x * (1.0 - z) + y * z,
                    "fma" => x.mul_add(y, z),
                    "smoothstep" => {
                        let t = ((z - x) / (y - x)).clamp(0.0, 1.0);
                        t * t * (3.0 - 2.0 * t)
                    }
                    _ => return None,
                };
                Some(Const::Float(round_float(value, result)))
            }
            [a, b, Const::Bool(choice)] if name == "mix" => Some(if *choice { b.clone() } else { a.clone() }),
            [Const::Int(x)] => fold_integer(name, *x, input, result),
            [Const::Int(x), Const::Int(y)] => {
                let value = match name {
                    "min" => *x.min(y),
                    "max" => *x.max(y),
                    "lessThan" => return Some(Const::Bool(x < y)),
                    "lessThanEqual" => return Some(Const::Bool(x <= y)),
                    "greaterThan" => return Some(Const::Bool(x > y)),
                    "greaterThanEqual" => return Some(Const::Bool(x >= y)),
                    "equal" => return Some(Const::Bool(x == y)),
                    "notEqual" => return Some(Const::Bool(x != y)),
                    _ => return None,
                };
                Some(Const::Int(wrap_integer(value, result)))
            }
            [Const::Int(x), Const::Int(low), Const::Int(high)] if name == "clamp" => {
                Some(Const::Int(*x.max(low).min(high)))
            }
            [Const::Bool(x)] if name == "not" => Some(Const::Bool(!x)),
            [Const::Bool(x), Const::Bool(y)] => match name {
                "equal" => Some(Const::Bool(x == y)),
                "notEqual" => Some(Const::Bool(x != y)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `min`, `max` and `clamp` of specialization constants.
    fn fold_symbolic(&mut self, name: &str, values: &[Const], result: Scalar) -> Option<Const> {
        let (min, max) = match result {
            Scalar::Int32 => (SymOp::MinSigned, SymOp::MaxSigned),
            Scalar::Uint32 => (SymOp::MinUnsigned, SymOp::MaxUnsigned),
            _ => return None,
        };
        let syms: Option<Vec<_>> = values.iter().map(|value| self.sym_of_const(value)).collect();
        let sym = match (name, syms?.as_slice()) {
            ("min", &[a, b]) => self.types.symbols.apply(min, &[a, b]),
            ("max", &[a, b]) => self.types.symbols.apply(max, &[a, b]),
            ("clamp", &[x, low, high]) => {
                let raised = self.types.symbols.apply(max, &[x, low]);
                self.types.symbols.apply(min, &[raised, high])
            }
            _ => return None,
        };
        Some(self.const_of_sym(sym, result))
    }
}

fn fold_whole(name: &str, parts: &[Vec<Const>], input: Scalar) -> Option<Const> {
    let floats = |own: &[Const]| -> Option<Vec<f64>> {
        own.iter()
            .map(|part| match part {
                Const::Float(value) => Some(*value),
                _ => None,
            })
            .collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let round = |value: f64| Const::Float(round_float(value, input));
    match (name, parts) {
        ("any" | "all", [own]) => {
            let mut values = Vec::with_capacity(own.len());
            for part in own {
                let Const::Bool(value) = part else { return None };
                values.push(*value);
            }
            Some(Const::Bool(if name == "any" { values.contains(&true) } else { !values.contains(&false) }))
        }
        ("length", [own]) => {
            let own = floats(own)?;
            Some(round(dot(&own, &own).sqrt()))
        }
        ("distance", [a, b]) => {
            let (a, b) = (floats(a)?, floats(b)?);
            let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            Some(round(dot(&difference, &difference).sqrt()))
        }
        ("dot", [a, b]) => Some(round(dot(&floats(a)?, &floats(b)?))),
        ("normalize", [own]) => {
            let own = floats(own)?;
            let length = dot(&own, &own).sqrt();
            let parts: Vec<Const> = own.iter().map(|value| round(value / length)).collect();
            match parts.as_slice() {
                [one] => Some(one.clone()),
                _ => Some(Const::Composite(parts.into())),
            }
        }
        ("cross", [a, b]) => {
            let (a, b) = (floats(a)?, floats(b)?);
            let (&[ax, ay, az], &[bx, by, bz]) = (a.as_slice(), b.as_slice()) else { return None };
            let parts = [ay * bz - by * az, az * bx - bz * ax, ax * by - bx * ay].map(round);
            Some(Const::Composite(parts.into()))
        }
        _ => None,
    }
}

fn fold_float(name: &str, x: f64, input: Scalar) -> Option<Const> {
    let value = match name {
        "radians" => x.to_radians(),
        "degrees" => x.to_degrees(),
        "sin" => libm::sin(x),
        "cos" => libm::cos(x),
        "tan" => libm::tan(x),
        "asin" => libm::asin(x),
        "acos" => libm::acos(x),
        "atan" => libm::atan(x),
        "sinh" => libm::sinh(x),
        "cosh" => libm::cosh(x),
        "tanh" => libm::tanh(x),
        "asinh" => libm::asinh(x),
        "acosh" => libm::acosh(x),
        "atanh" => libm::atanh(x),
        "exp" => libm::exp(x),
        "log" => libm::log(x),
        "exp2" => libm::exp2(x),
        "log2" => libm::log2(x),
        "sqrt" => x.sqrt(),
        "inversesqrt" => 1.0 / x.sqrt(),
        "abs" => x.abs(),
        "sign" => {
            if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else {
                0.0
            }
        }
        "floor" => x.floor(),
        "trunc" => x.trunc(),
        "round" | "roundEven" => x.round_ties_even(),
        "ceil" => x.ceil(),
        "fract" => x - x.floor(),
        "isnan" => return Some(Const::Bool(x.is_nan())),
        "isinf" => return Some(Const::Bool(x.is_infinite())),
        "floatBitsToInt" => return Some(Const::Int(i128::from((x as f32).to_bits() as i32))),
        "floatBitsToUint" => return Some(Const::Int(i128::from((x as f32).to_bits()))),
        _ => return None,
    };
    Some(Const::Float(round_float(value, input)))
}

fn fold_floats(name: &str, x: f64, y: f64, input: Scalar) -> Option<Const> {
    let value = match name {
        "pow" => libm::pow(x, y),
        "atan" => libm::atan2(x, y),
        "mod" => x - y * (x / y).floor(),
        "min" => {
            if y < x {
                y
            } else {
                x
            }
        }
        "max" => {
            if x < y {
                y
            } else {
                x
            }
        }
        "step" => f64::from(u8::from(y >= x)),
        "lessThan" => return Some(Const::Bool(x < y)),
        "lessThanEqual" => return Some(Const::Bool(x <= y)),
        "greaterThan" => return Some(Const::Bool(x > y)),
        "greaterThanEqual" => return Some(Const::Bool(x >= y)),
        "equal" => return Some(Const::Bool(x == y)),
        "notEqual" => return Some(Const::Bool(x != y)),
        _ => return None,
    };
    Some(Const::Float(round_float(value, input)))
}

fn fold_integer(name: &str, x: i128, input: Scalar, result: Scalar) -> Option<Const> {
    // The value's bits in its own width.
    let bits = (x as u64) & (u64::MAX >> (64 - input.bits().min(64)));
    let value = match name {
        "abs" => x.abs(),
        "sign" => x.signum(),
        "bitCount" => i128::from(bits.count_ones()),
        "findLSB" if bits == 0 => -1,
        "findLSB" => i128::from(bits.trailing_zeros()),
        "findMSB" => {
            let significant = if x < 0 { !bits & (u64::MAX >> (64 - input.bits())) } else { bits };
            63 - i128::from(significant.leading_zeros())
        }
        "bitfieldReverse" => {
            let reversed = bits.reverse_bits() >> (64 - input.bits());
            i128::from(reversed)
        }
        "intBitsToFloat" | "uintBitsToFloat" => {
            return Some(Const::Float(f64::from(f32::from_bits(bits as u32))));
        }
        _ => return None,
    };
    Some(Const::Int(wrap_integer(value, result)))
}
