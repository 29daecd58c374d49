//! What computes a word of words: numbers of the formats f32 and f16, conversions between them and integers. Each gives what the
//! interpreter's functions of the same operations give, to the bit.

use coopmat_spirv::spirv::GlslStd450Op as Gl;
use wasm_encoder::Instruction as I;

use super::region::{ADDEND, Operation, PRODUCT, SUM, VECTOR, VECTOR_2, VECTOR_3, splat};
use crate::code::FloatOp;
use crate::numerics::Format;
use crate::numerics::words::low_bits;
use crate::program::types::Scalar;

pub(super) type Code = Vec<I<'static>>;

/// Of vectors alone.
pub(super) fn vector(prepare: Code, vector: Code) -> Operation {
    Operation { scalar: None, vector: Some(vector), prepare }
}

/// Of scalars and of vectors.
pub(super) fn both(scalar: Code, vector: Code) -> Operation {
    Operation { scalar: Some(scalar), vector: Some(vector), prepare: Vec::new() }
}

/// Of scalars alone.
pub(super) fn each(scalar: Code) -> Operation {
    Operation { scalar: Some(scalar), vector: None, prepare: Vec::new() }
}

/// All ones, where something holds, as 1.
pub(super) fn truth(mut code: Code) -> Code {
    code.push(I::I32x4Neg);
    code
}

/// A NaN becomes the one that the simulator has.
fn one_nan() -> Code {
    vec![
        I::LocalTee(VECTOR),
        I::V128Const(splat(0x7fc0_0000)),
        I::LocalGet(VECTOR),
        I::LocalGet(VECTOR),
        I::F32x4Eq,
        I::V128Bitselect,
    ]
}

/// The bits of an f16 as an f32.
pub(super) fn widen_half() -> Code {
    vec![
        I::LocalTee(VECTOR),
        I::V128Const(splat(0x7fff)),
        I::V128And,
        I::LocalTee(VECTOR_2),
        I::I32Const(13),
        I::I32x4Shl,
        I::V128Const(splat(0x7780_0000)),
        I::F32x4Mul,
        I::LocalGet(VECTOR_2),
        I::V128Const(splat(0x7c00)),
        I::I32x4GeU,
        I::V128Const(splat(0x7f80_0000)),
        I::V128And,
        I::V128Or,
        I::LocalGet(VECTOR),
        I::V128Const(splat(0x8000)),
        I::V128And,
        I::I32Const(16),
        I::I32x4Shl,
        I::V128Or,
    ]
}

/// An f32 as the bits of an f16, rounded to the nearest.
pub(super) fn narrow_half() -> Code {
    vec![
        I::LocalTee(VECTOR),
        I::V128Const(splat(0x7fff_ffff)),
        I::V128And,
        I::LocalTee(VECTOR_2),
        // The normal ones.
        I::V128Const(splat(0xc800_0fff)),
        I::I32x4Add,
        I::LocalGet(VECTOR_2),
        I::I32Const(13),
        I::I32x4ShrU,
        I::V128Const(splat(1)),
        I::V128And,
        I::I32x4Add,
        I::I32Const(13),
        I::I32x4ShrU,
        I::LocalSet(VECTOR_3),
        // The subnormal ones.
        I::LocalGet(VECTOR_2),
        I::V128Const(splat(0x3f00_0000)),
        I::F32x4Add,
        I::V128Const(splat(0x3f00_0000)),
        I::I32x4Sub,
        I::LocalGet(VECTOR_3),
        I::LocalGet(VECTOR_2),
        I::V128Const(splat(0x3880_0000)),
        I::I32x4LtU,
        I::V128Bitselect,
        I::LocalSet(VECTOR_3),
        // Infinity and what is rounded to it.
        I::V128Const(splat(0x7c00)),
        I::LocalGet(VECTOR_3),
        I::LocalGet(VECTOR_2),
        I::V128Const(splat(0x4780_0000)),
        I::I32x4GeU,
        I::V128Bitselect,
        I::LocalGet(VECTOR),
        I::I32Const(16),
        I::I32x4ShrU,
        I::V128Const(splat(0x8000)),
        I::V128And,
        I::V128Or,
        I::LocalSet(VECTOR_3),
        I::V128Const(splat(0x7e00)),
        I::LocalGet(VECTOR_3),
        I::LocalGet(VECTOR_2),
        I::V128Const(splat(0x7f80_0000)),
        I::I32x4GtU,
        I::V128Bitselect,
    ]
}

/// How operands of a format are read and results made; none where the interpreter does it.
fn format_code(format: Format) -> Option<(Code, Code)> {
    match format {
        Format::F32 => Some((Vec::new(), one_nan())),
        Format::F16 => Some((widen_half(), narrow_half())),
        _ => None,
    }
}

pub(super) fn is_unary_float(op: FloatOp) -> bool {
    matches!(op, FloatOp::Negate | FloatOp::IsNan | FloatOp::IsInf | FloatOp::IsFinite | FloatOp::SignBit)
}

/// An operation on numbers that is not treated in a special way.
pub(super) fn float(op: FloatOp, format: Format) -> Option<Operation> {
    let (read, make) = format_code(format)?;
    let arithmetic = |instruction: I<'static>| {
        let mut code = vec![instruction];
        code.extend_from_slice(&make);
        Some(vector(read.clone(), code))
    };
    let compare = |code: Code| Some(vector(read.clone(), truth(code)));
    match op {
        FloatOp::Negate => {
            let sign = 1u32 << (format.width() - 1);
            Some(both(vec![I::I32Const(sign as i32), I::I32Xor], vec![I::V128Const(splat(sign)), I::V128Xor]))
        }
        FloatOp::Add => arithmetic(I::F32x4Add),
        FloatOp::Sub => arithmetic(I::F32x4Sub),
        FloatOp::Mul => arithmetic(I::F32x4Mul),
        FloatOp::Div => arithmetic(I::F32x4Div),
        FloatOp::OrdEqual => compare(vec![I::F32x4Eq]),
        FloatOp::UnordNotEqual => compare(vec![I::F32x4Ne]),
        FloatOp::OrdLess => compare(vec![I::F32x4Lt]),
        FloatOp::OrdGreater => compare(vec![I::F32x4Gt]),
        FloatOp::OrdLessEqual => compare(vec![I::F32x4Le]),
        FloatOp::OrdGreaterEqual => compare(vec![I::F32x4Ge]),
        FloatOp::UnordLess => compare(vec![I::F32x4Ge, I::V128Not]),
        FloatOp::UnordGreater => compare(vec![I::F32x4Le, I::V128Not]),
        FloatOp::UnordLessEqual => compare(vec![I::F32x4Gt, I::V128Not]),
        FloatOp::UnordGreaterEqual => compare(vec![I::F32x4Lt, I::V128Not]),
        FloatOp::IsNan => compare(vec![I::LocalTee(VECTOR), I::LocalGet(VECTOR), I::F32x4Ne]),
        _ => None,
    }
}

/// `a * b + c` of f32 with one rounding.
pub(super) fn fused() -> Operation {
    let mut code = vec![I::LocalSet(VECTOR_3), I::LocalSet(VECTOR_2), I::LocalSet(VECTOR)];
    code.extend(fused_half(false));
    code.extend(fused_half(true));
    // The two lower numbers of each.
    code.push(I::I8x16Shuffle([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]));
    code.extend(one_nan());
    vector(Vec::new(), code)
}

/// Two of the four lanes, as f64: the product is exact, and the sum is rounded to odd, after which rounding it to f32 is as if it were exact.
fn fused_half(high: bool) -> Code {
    let load = |code: &mut Code, local: u32| {
        code.push(I::LocalGet(local));
        if high {
            code.extend([
                I::LocalGet(local),
                I::I8x16Shuffle([8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]),
            ]);
        }
        code.push(I::F64x2PromoteLowF32x4);
    };
    let mut code = Vec::new();
    load(&mut code, VECTOR);
    load(&mut code, VECTOR_2);
    code.extend([I::F64x2Mul, I::LocalSet(PRODUCT)]);
    load(&mut code, VECTOR_3);
    code.extend([
        I::LocalTee(ADDEND),
        I::LocalGet(PRODUCT),
        I::F64x2Add,
        I::LocalTee(SUM),
        // What the sum lacks: (p - (s - (s - p))) + (c - (s - p)).
        I::LocalGet(PRODUCT),
        I::LocalGet(SUM),
        I::LocalGet(SUM),
        I::LocalGet(PRODUCT),
        I::F64x2Sub,
        I::F64x2Sub,
        I::F64x2Sub,
        I::LocalGet(ADDEND),
        I::LocalGet(SUM),
        I::LocalGet(PRODUCT),
        I::F64x2Sub,
        I::F64x2Sub,
        I::F64x2Add,
        I::LocalTee(ADDEND),
        // One digit away from zero or toward it,
        I::LocalGet(SUM),
        I::V128Xor,
        I::I32Const(63),
        I::I64x2ShrS,
        I::V128Const(1 | 1 << 64),
        I::V128Or,
        // where anything is lacking and the last digit is even.
        I::LocalGet(ADDEND),
        I::V128Const(0),
        I::F64x2Ne,
        I::V128And,
        I::LocalGet(ADDEND),
        I::LocalGet(ADDEND),
        I::F64x2Eq,
        I::V128And,
        I::LocalGet(SUM),
        I::V128Const(1 | 1 << 64),
        I::V128And,
        I::V128Const(0),
        I::I64x2Eq,
        I::V128And,
        I::I64x2Add,
        I::F32x4DemoteF64x2Zero,
    ]);
    code
}

/// A function of GLSL.std.450 of each component, and how many operands it has.
pub(super) fn extended(op: Gl, format: Format) -> Option<(Operation, usize)> {
    let (read, make) = format_code(format)?;
    let with = |code: Code, count: usize| {
        let mut code = code;
        code.extend_from_slice(&make);
        Some((vector(read.clone(), code), count))
    };
    // Where the first is larger, or NaN, the second.
    let choose = |compare: I<'static>| {
        vec![
            I::LocalSet(VECTOR_2),
            I::LocalSet(VECTOR),
            I::LocalGet(VECTOR_2),
            I::LocalGet(VECTOR),
            I::LocalGet(VECTOR_2),
            I::LocalGet(VECTOR),
            compare,
            I::LocalGet(VECTOR),
            I::LocalGet(VECTOR),
            I::F32x4Ne,
            I::V128Or,
            I::V128Bitselect,
        ]
    };
    match op {
        Gl::FAbs => with(vec![I::F32x4Abs], 1),
        Gl::Floor => with(vec![I::F32x4Floor], 1),
        Gl::Ceil => with(vec![I::F32x4Ceil], 1),
        Gl::Trunc => with(vec![I::F32x4Trunc], 1),
        Gl::Round | Gl::RoundEven => with(vec![I::F32x4Nearest], 1),
        Gl::Sqrt => with(vec![I::F32x4Sqrt], 1),
        // `second < first`, `first < second`.
        Gl::FMin | Gl::NMin => with(choose(I::F32x4Lt), 2),
        Gl::FMax | Gl::NMax => with(choose(I::F32x4Gt), 2),
        Gl::FClamp | Gl::NClamp => {
            let mut code = vec![I::LocalSet(VECTOR_3)];
            code.extend(choose(I::F32x4Gt));
            code.push(I::LocalGet(VECTOR_3));
            code.extend(choose(I::F32x4Lt));
            with(code, 3)
        }
        Gl::Fract => {
            let mut code = vec![I::LocalTee(VECTOR), I::LocalGet(VECTOR), I::F32x4Floor, I::F32x4Sub];
            code.push(number(f32::from_bits(0x3f7f_ffff)));
            code.extend(choose(I::F32x4Lt));
            with(code, 1)
        }
        Gl::Radians => with(vec![number(std::f32::consts::PI / 180.0), I::F32x4Mul], 1),
        Gl::Degrees => with(vec![number(180.0 / std::f32::consts::PI), I::F32x4Mul], 1),
        Gl::FSign => with(
            vec![
                I::LocalSet(VECTOR),
                number(1.0),
                number(-1.0),
                I::LocalGet(VECTOR),
                I::LocalGet(VECTOR),
                number(0.0),
                I::F32x4Lt,
                I::V128Bitselect,
                I::LocalGet(VECTOR),
                number(0.0),
                I::F32x4Gt,
                I::V128Bitselect,
            ],
            1,
        ),
        // The edge, and what is compared with it.
        Gl::Step => with(
            vec![
                I::LocalSet(VECTOR),
                I::LocalSet(VECTOR_2),
                number(1.0),
                I::LocalGet(VECTOR),
                I::LocalGet(VECTOR_2),
                I::F32x4Lt,
                I::V128AndNot,
            ],
            2,
        ),
        Gl::FMix => with(
            vec![
                I::LocalSet(VECTOR_3),
                I::LocalSet(VECTOR_2),
                number(1.0),
                I::LocalGet(VECTOR_3),
                I::F32x4Sub,
                I::F32x4Mul,
                I::LocalGet(VECTOR_2),
                I::LocalGet(VECTOR_3),
                I::F32x4Mul,
                I::F32x4Add,
            ],
            3,
        ),
        Gl::InverseSqrt => with(inverse_root(), 1),
        Gl::Exp => with(exponential(), 1),
        _ => None,
    }
}

/// The same number four times.
fn number(value: f32) -> I<'static> {
    I::V128Const(splat(value.to_bits()))
}

/// One over the square root, computed in f64.
fn inverse_root() -> Code {
    let half = |code: &mut Code| {
        code.extend([
            I::F64x2PromoteLowF32x4,
            I::F64x2Sqrt,
            I::LocalSet(VECTOR_2),
            I::V128Const(i128::from(1f64.to_bits()) | i128::from(1f64.to_bits()) << 64),
            I::LocalGet(VECTOR_2),
            I::F64x2Div,
            I::F32x4DemoteF64x2Zero,
        ]);
    };
    let mut code = vec![I::LocalTee(VECTOR)];
    half(&mut code);
    code.extend([
        I::LocalGet(VECTOR),
        I::LocalGet(VECTOR),
        I::I8x16Shuffle([8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]),
    ]);
    half(&mut code);
    code.push(I::I8x16Shuffle([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]));
    code
}

/// `libm::expf`, step by step, in four lanes: what it does with some numbers alone is chosen at the end.
fn exponential() -> Code {
    const LN2_HIGH: f32 = f32::from_bits(0x3f31_7200);
    const LN2_LOW: f32 = f32::from_bits(0x35bf_be8e);
    const INVERSE_LN2: f32 = f32::from_bits(0x3fb8_aa3b);
    const P1: f32 = f32::from_bits(0x3e2a_aa8f);
    const P2: f32 = f32::from_bits(0xbb35_5215);
    let (x, magnitude, k, reduced, high, low) = (VECTOR, VECTOR_2, VECTOR_3, PRODUCT, ADDEND, SUM);
    let sign = || I::V128Const(splat(0x8000_0000));
    let power = [I::V128Const(splat(127)), I::I32x4Add, I::I32Const(23), I::I32x4Shl];
    let mut code = vec![
        I::LocalTee(x),
        I::V128Const(splat(0x7fff_ffff)),
        I::V128And,
        I::LocalSet(magnitude),
        // k: the number of times that ln 2 is taken off.
        number(INVERSE_LN2),
        I::LocalGet(x),
        I::F32x4Mul,
        I::LocalGet(x),
        sign(),
        I::V128And,
        number(0.5),
        I::V128Or,
        I::F32x4Add,
        I::I32x4TruncSatF32x4S,
        I::LocalGet(x),
        I::I32Const(31),
        I::I32x4ShrS,
        I::V128Const(splat(1)),
        I::V128Or,
        I::LocalGet(magnitude),
        I::V128Const(splat(0x3f85_1592)),
        I::I32x4GtS,
        I::V128Bitselect,
        I::LocalGet(magnitude),
        I::V128Const(splat(0x3eb1_7218)),
        I::I32x4GtS,
        I::V128And,
        I::LocalTee(k),
        // The rest, in two parts.
        I::F32x4ConvertI32x4S,
        I::LocalSet(reduced),
        I::LocalGet(x),
        I::LocalGet(reduced),
        number(LN2_HIGH),
        I::F32x4Mul,
        I::F32x4Sub,
        I::LocalTee(high),
        I::LocalGet(reduced),
        number(LN2_LOW),
        I::F32x4Mul,
        I::LocalTee(low),
        I::F32x4Sub,
        I::LocalTee(reduced),
        // 1 + (r c / (2 - c) - low + high), with c = r - r r (P1 + r r P2); `low` and `high` are needed to the end.
        I::LocalGet(reduced),
        I::LocalGet(reduced),
        I::F32x4Mul,
        number(P1),
        I::LocalGet(reduced),
        I::LocalGet(reduced),
        I::F32x4Mul,
        number(P2),
        I::F32x4Mul,
        I::F32x4Add,
        I::F32x4Mul,
        I::F32x4Sub,
    ];
    // c is on the stack: r c / (2 - c), with `high` making room for c.
    code.extend([
        I::LocalGet(high),
        I::LocalGet(low),
        I::LocalSet(high),
        I::LocalSet(low),
        I::LocalTee(magnitude),
        I::LocalGet(reduced),
        I::F32x4Mul,
        number(2.0),
        I::LocalGet(magnitude),
        I::F32x4Sub,
        I::F32x4Div,
        // The two have changed places.
        I::LocalGet(high),
        I::F32x4Sub,
        I::LocalGet(low),
        I::F32x4Add,
        I::LocalSet(reduced),
        number(1.0),
        I::LocalGet(reduced),
        I::F32x4Add,
        I::LocalSet(reduced),
        // Tiny numbers.
        number(1.0),
        I::LocalGet(x),
        I::F32x4Add,
        I::LocalGet(reduced),
        I::LocalGet(x),
        I::V128Const(splat(0x7fff_ffff)),
        I::V128And,
        I::LocalTee(magnitude),
        I::V128Const(splat(0x3900_0000)),
        I::I32x4LeS,
        I::V128Bitselect,
        // Times two to the k, in two steps, the first of which is exact.
        I::LocalGet(k),
        I::I32Const(1),
        I::I32x4ShrS,
        I::LocalTee(high),
    ]);
    code.extend(power.clone());
    code.extend([I::F32x4Mul, I::LocalGet(k), I::LocalGet(high), I::I32x4Sub]);
    code.extend(power);
    code.extend([
        I::F32x4Mul,
        I::LocalSet(reduced),
        // Beyond the range: infinity and zero, and NaN itself.
        I::V128Const(splat(0x7f80_0000)),
        I::LocalGet(reduced),
        I::LocalGet(x),
        I::V128Const(splat(0x42b1_7218)),
        I::I32x4GeS,
        I::V128Bitselect,
        I::LocalSet(reduced),
        I::V128Const(0),
        I::LocalGet(reduced),
        I::LocalGet(x),
        I::V128Const(splat(0xc2cf_f1b5)),
        I::I32x4GeU,
        I::V128Bitselect,
        I::LocalSet(reduced),
        I::LocalGet(x),
        I::LocalGet(reduced),
        I::LocalGet(magnitude),
        I::V128Const(splat(0x7f80_0000)),
        I::I32x4GtS,
        I::V128Bitselect,
    ]);
    code
}

/// Two halves in a word, and one of them out of it.
pub(super) fn pack_halves() -> Operation {
    vector(narrow_half(), vec![I::I32Const(16), I::I32x4Shl, I::V128Or])
}

pub(super) fn unpack_half(index: u32) -> Operation {
    let mut code = match index {
        0 => vec![I::V128Const(splat(0xffff)), I::V128And],
        _ => vec![I::I32Const(16), I::I32x4ShrU],
    };
    code.extend(widen_half());
    code.extend(one_nan());
    vector(Vec::new(), code)
}

/// A conversion that rounds to the nearest and does not saturate.
pub(super) fn convert(from: Scalar, to: Scalar) -> Option<Operation> {
    use Scalar::{Float, Integer};
    let extend = |width: u8, signed: bool| -> Code {
        if width == 32 {
            return Vec::new();
        }
        let unused = 32 - i32::from(width);
        match signed {
            true => vec![I::I32Const(unused), I::I32x4Shl, I::I32Const(unused), I::I32x4ShrS],
            false => Vec::new(),
        }
    };
    match (from, to) {
        (Float(Format::F16), Float(Format::F32)) => Some(vector(Vec::new(), widen_half())),
        (Float(Format::F32), Float(Format::F16)) => Some(vector(Vec::new(), narrow_half())),
        (Integer { width, signed }, Float(Format::F32)) if width <= 32 => {
            let mut code = extend(width, signed);
            code.push(if signed { I::F32x4ConvertI32x4S } else { I::F32x4ConvertI32x4U });
            Some(vector(Vec::new(), code))
        }
        (Float(Format::F32), Integer { width: 32, signed: true }) => {
            Some(vector(Vec::new(), vec![I::I32x4TruncSatF32x4S]))
        }
        (Float(Format::F32), Integer { width: 32, signed: false }) => {
            Some(vector(Vec::new(), vec![I::I32x4TruncSatF32x4U]))
        }
        (Integer { width, signed }, Integer { width: to, .. }) if width <= 32 && to <= 32 => {
            let (mut scalar, mut lanes): (Code, Code) = (Vec::new(), extend(width, signed));
            if signed && width < 32 {
                let unused = 32 - i32::from(width);
                scalar.extend([I::I32Const(unused), I::I32Shl, I::I32Const(unused), I::I32ShrS]);
            }
            let mask = low_bits(to);
            if mask != u32::MAX {
                scalar.extend([I::I32Const(mask as i32), I::I32And]);
                lanes.extend([I::V128Const(splat(mask)), I::V128And]);
            }
            Some(both(scalar, lanes))
        }
        _ => None,
    }
}
