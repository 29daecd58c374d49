//! Constant folding of the common built-in functions. What is not here is constant without a value.

use super::Lowerer;
use super::folding::{flatten, round_float, wrap_integer};
use crate::extensions::instructions as op;
use crate::hir::Const;
use crate::symbolic::SymOp;
use crate::types::{Scalar, Ty};

impl<'a> Lowerer<'a> {
    /// What the instruction of a built-in function gives for constant arguments; `None` where it is not folded.
    pub(super) fn fold_builtin(
        &mut self,
        instruction: &str,
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
        if let Some(whole) = fold_whole(instruction, &parts, input) {
            return Some(whole);
        }
        let mut out = Vec::with_capacity(count);
        for index in 0..count {
            // A scalar argument counts for every component.
            let at = |own: &Vec<Const>| own.get(if own.len() == 1 { 0 } else { index }).cloned();
            let values: Option<Vec<Const>> = parts.iter().map(at).collect();
            out.push(self.fold_component(instruction, &values?, input, scalar)?);
        }
        if count == 1 { out.pop() } else { Some(self.composite(out)) }
    }

    fn fold_component(
        &mut self,
        instruction: &str,
        values: &[Const],
        input: Scalar,
        result: Scalar,
    ) -> Option<Const> {
        if values.iter().any(|value| matches!(value, Const::Symbolic(_))) {
            return self.fold_symbolic(instruction, values, result);
        }
        match values {
            [Const::Float(x)] => fold_float(instruction, *x, input, result),
            [Const::Float(x), Const::Float(y)] => fold_floats(instruction, *x, *y, input),
            [Const::Float(x), Const::Float(y), Const::Float(z)] => {
                let (x, y, z) = (*x, *y, *z);
                let value = match instruction {
                    op::GLSL_STD_450_F_CLAMP => x.max(y).min(z),
                    op::GLSL_STD_450_F_MIX => x * (1.0 - z) + y * z,
                    op::GLSL_STD_450_FMA => x.mul_add(y, z),
                    op::GLSL_STD_450_SMOOTH_STEP => {
                        let t = ((z - x) / (y - x)).clamp(0.0, 1.0);
                        t * t * (3.0 - 2.0 * t)
                    }
                    _ => return None,
                };
                Some(Const::Float(round_float(value, result)))
            }
            [a, b, Const::Bool(choice)] if instruction == op::OP_SELECT => {
                Some(if *choice { b.clone() } else { a.clone() })
            }
            [Const::Int(x)] => fold_integer(instruction, *x, input, result),
            [Const::Int(x), Const::Int(y)] => {
                let value = match instruction {
                    op::GLSL_STD_450_S_MIN | op::GLSL_STD_450_U_MIN => *x.min(y),
                    op::GLSL_STD_450_S_MAX | op::GLSL_STD_450_U_MAX => *x.max(y),
                    op::OP_S_LESS_THAN | op::OP_U_LESS_THAN => return Some(Const::Bool(x < y)),
                    op::OP_S_LESS_THAN_EQUAL | op::OP_U_LESS_THAN_EQUAL => return Some(Const::Bool(x <= y)),
                    op::OP_S_GREATER_THAN | op::OP_U_GREATER_THAN => return Some(Const::Bool(x > y)),
                    op::OP_S_GREATER_THAN_EQUAL | op::OP_U_GREATER_THAN_EQUAL => {
                        return Some(Const::Bool(x >= y));
                    }
                    op::OP_I_EQUAL => return Some(Const::Bool(x == y)),
                    op::OP_I_NOT_EQUAL => return Some(Const::Bool(x != y)),
                    _ => return None,
                };
                Some(Const::Int(wrap_integer(value, result)))
            }
            [Const::Int(x), Const::Int(low), Const::Int(high)]
                if matches!(instruction, op::GLSL_STD_450_S_CLAMP | op::GLSL_STD_450_U_CLAMP) =>
            {
                Some(Const::Int(*x.max(low).min(high)))
            }
            [Const::Bool(x)] if instruction == op::OP_LOGICAL_NOT => Some(Const::Bool(!x)),
            [Const::Bool(x), Const::Bool(y)] => match instruction {
                op::OP_LOGICAL_EQUAL => Some(Const::Bool(x == y)),
                op::OP_LOGICAL_NOT_EQUAL => Some(Const::Bool(x != y)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `min`, `max` and `clamp` of specialization constants.
    fn fold_symbolic(&mut self, instruction: &str, values: &[Const], result: Scalar) -> Option<Const> {
        let (min, max) = match result {
            Scalar::Int32 => (SymOp::MinSigned, SymOp::MaxSigned),
            Scalar::Uint32 => (SymOp::MinUnsigned, SymOp::MaxUnsigned),
            _ => return None,
        };
        let syms: Option<Vec<_>> = values.iter().map(|value| self.sym_of_const(value)).collect();
        let sym = match (instruction, syms?.as_slice()) {
            (op::GLSL_STD_450_S_MIN | op::GLSL_STD_450_U_MIN, &[a, b]) => {
                self.types.symbols.apply(min, &[a, b])
            }
            (op::GLSL_STD_450_S_MAX | op::GLSL_STD_450_U_MAX, &[a, b]) => {
                self.types.symbols.apply(max, &[a, b])
            }
            (op::GLSL_STD_450_S_CLAMP | op::GLSL_STD_450_U_CLAMP, &[x, low, high]) => {
                let raised = self.types.symbols.apply(max, &[x, low]);
                self.types.symbols.apply(min, &[raised, high])
            }
            _ => return None,
        };
        Some(self.const_of_sym(sym, result))
    }
}

fn fold_whole(instruction: &str, parts: &[Vec<Const>], input: Scalar) -> Option<Const> {
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
    match (instruction, parts) {
        (op::OP_ANY | op::OP_ALL, [own]) => {
            let mut values = Vec::with_capacity(own.len());
            for part in own {
                let Const::Bool(value) = part else { return None };
                values.push(*value);
            }
            Some(Const::Bool(if instruction == op::OP_ANY {
                values.contains(&true)
            } else {
                !values.contains(&false)
            }))
        }
        (op::GLSL_STD_450_LENGTH, [own]) => {
            let own = floats(own)?;
            Some(round(dot(&own, &own).sqrt()))
        }
        (op::GLSL_STD_450_DISTANCE, [a, b]) => {
            let (a, b) = (floats(a)?, floats(b)?);
            let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            Some(round(dot(&difference, &difference).sqrt()))
        }
        (op::OP_DOT, [a, b]) => Some(round(dot(&floats(a)?, &floats(b)?))),
        (op::GLSL_STD_450_NORMALIZE, [own]) => {
            let own = floats(own)?;
            let length = dot(&own, &own).sqrt();
            let parts: Vec<Const> = own.iter().map(|value| round(value / length)).collect();
            match parts.as_slice() {
                [one] => Some(one.clone()),
                _ => Some(Const::Composite(parts.into())),
            }
        }
        (op::GLSL_STD_450_CROSS, [a, b]) => {
            let (a, b) = (floats(a)?, floats(b)?);
            let (&[ax, ay, az], &[bx, by, bz]) = (a.as_slice(), b.as_slice()) else { return None };
            let parts = [ay * bz - by * az, az * bx - bz * ax, ax * by - bx * ay].map(round);
            Some(Const::Composite(parts.into()))
        }
        _ => None,
    }
}

fn fold_float(instruction: &str, x: f64, input: Scalar, result: Scalar) -> Option<Const> {
    let value = match instruction {
        op::GLSL_STD_450_RADIANS => x.to_radians(),
        op::GLSL_STD_450_DEGREES => x.to_degrees(),
        op::GLSL_STD_450_SIN => libm::sin(x),
        op::GLSL_STD_450_COS => libm::cos(x),
        op::GLSL_STD_450_TAN => libm::tan(x),
        op::GLSL_STD_450_ASIN => libm::asin(x),
        op::GLSL_STD_450_ACOS => libm::acos(x),
        op::GLSL_STD_450_ATAN => libm::atan(x),
        op::GLSL_STD_450_SINH => libm::sinh(x),
        op::GLSL_STD_450_COSH => libm::cosh(x),
        op::GLSL_STD_450_TANH => libm::tanh(x),
        op::GLSL_STD_450_ASINH => libm::asinh(x),
        op::GLSL_STD_450_ACOSH => libm::acosh(x),
        op::GLSL_STD_450_ATANH => libm::atanh(x),
        op::GLSL_STD_450_EXP => libm::exp(x),
        op::GLSL_STD_450_LOG => libm::log(x),
        op::GLSL_STD_450_EXP2 => libm::exp2(x),
        op::GLSL_STD_450_LOG2 => libm::log2(x),
        op::GLSL_STD_450_SQRT => x.sqrt(),
        op::GLSL_STD_450_INVERSE_SQRT => 1.0 / x.sqrt(),
        op::GLSL_STD_450_F_ABS => x.abs(),
        op::GLSL_STD_450_F_SIGN => {
            if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else {
                0.0
            }
        }
        op::GLSL_STD_450_FLOOR => x.floor(),
        op::GLSL_STD_450_TRUNC => x.trunc(),
        op::GLSL_STD_450_ROUND | op::GLSL_STD_450_ROUND_EVEN => x.round_ties_even(),
        op::GLSL_STD_450_CEIL => x.ceil(),
        op::GLSL_STD_450_FRACT => x - x.floor(),
        op::OP_IS_NAN => return Some(Const::Bool(x.is_nan())),
        op::OP_IS_INF => return Some(Const::Bool(x.is_infinite())),
        op::OP_BITCAST if input == Scalar::Float32 && result == Scalar::Int32 => {
            return Some(Const::Int(i128::from((x as f32).to_bits() as i32)));
        }
        op::OP_BITCAST if input == Scalar::Float32 && result == Scalar::Uint32 => {
            return Some(Const::Int(i128::from((x as f32).to_bits())));
        }
        _ => return None,
    };
    Some(Const::Float(round_float(value, input)))
}

fn fold_floats(instruction: &str, x: f64, y: f64, input: Scalar) -> Option<Const> {
    let value = match instruction {
        op::GLSL_STD_450_POW => libm::pow(x, y),
        op::GLSL_STD_450_ATAN2 => libm::atan2(x, y),
        op::OP_F_MOD => x - y * (x / y).floor(),
        op::GLSL_STD_450_F_MIN => {
            if y < x {
                y
            } else {
                x
            }
        }
        op::GLSL_STD_450_F_MAX => {
            if x < y {
                y
            } else {
                x
            }
        }
        op::GLSL_STD_450_STEP => f64::from(u8::from(y >= x)),
        op::OP_F_ORD_LESS_THAN => return Some(Const::Bool(x < y)),
        op::OP_F_ORD_LESS_THAN_EQUAL => return Some(Const::Bool(x <= y)),
        op::OP_F_ORD_GREATER_THAN => return Some(Const::Bool(x > y)),
        op::OP_F_ORD_GREATER_THAN_EQUAL => return Some(Const::Bool(x >= y)),
        op::OP_F_ORD_EQUAL => return Some(Const::Bool(x == y)),
        op::OP_F_UNORD_NOT_EQUAL => return Some(Const::Bool(x != y)),
        _ => return None,
    };
    Some(Const::Float(round_float(value, input)))
}

fn fold_integer(instruction: &str, x: i128, input: Scalar, result: Scalar) -> Option<Const> {
    // The value's bits in its own width.
    let bits = (x as u64) & (u64::MAX >> (64 - input.bits().min(64)));
    let value = match instruction {
        op::GLSL_STD_450_S_ABS => x.abs(),
        op::GLSL_STD_450_S_SIGN => x.signum(),
        op::OP_BIT_COUNT => i128::from(bits.count_ones()),
        op::GLSL_STD_450_FIND_I_LSB if bits == 0 => -1,
        op::GLSL_STD_450_FIND_I_LSB => i128::from(bits.trailing_zeros()),
        op::GLSL_STD_450_FIND_S_MSB | op::GLSL_STD_450_FIND_U_MSB => {
            let significant = if x < 0 { !bits & (u64::MAX >> (64 - input.bits())) } else { bits };
            63 - i128::from(significant.leading_zeros())
        }
        op::OP_BIT_REVERSE => {
            let reversed = bits.reverse_bits() >> (64 - input.bits());
            i128::from(reversed)
        }
        op::OP_BITCAST if result == Scalar::Float32 && input.bits() == 32 => {
            return Some(Const::Float(f64::from(f32::from_bits(bits as u32))));
        }
        _ => return None,
    };
    Some(Const::Int(wrap_integer(value, result)))
}
