//! What computes a word of integers of up to 32 bits. Each gives what the interpreter's functions of the same operations give, to the bit.

use wasm_encoder::Instruction as I;

use super::memory::{HIGH_WORDS, LOW_WORDS};
use super::numbers::{Code, both, each, truth, vector};
use super::region::{Operation, VECTOR, VECTOR_2, VECTOR_3, WIDE, WORD, WORD_2, splat};
use crate::code::{BitField, IntegerOp};
use crate::numerics::words::low_bits;

/// A one-operand operation that has another number of operands in the program does not come here.
pub(super) fn is_unary(op: IntegerOp) -> bool {
    matches!(op, IntegerOp::Negate | IntegerOp::Not | IntegerOp::Count)
}

/// An operation on integers; none where the interpreter does it.
pub(super) fn integer(op: IntegerOp, width: u8) -> Option<Operation> {
    if width > 32 {
        return None;
    }
    let full = width == 32;
    let amount = |code: &mut Code| {
        if !full {
            code.extend([I::I32Const(i32::from(width) - 1), I::I32And]);
        }
    };
    let mut operation = match op {
        IntegerOp::Negate => {
            both(vec![I::I32Const(-1), I::I32Xor, I::I32Const(1), I::I32Add], vec![I::I32x4Neg])
        }
        IntegerOp::Not => both(vec![I::I32Const(-1), I::I32Xor], vec![I::V128Not]),
        IntegerOp::Count => each(vec![I::I32Popcnt]),
        IntegerOp::UDiv => each(quotient(I::I32DivU, vec![I::I32Const(-1)])),
        IntegerOp::UMod => each(quotient(I::I32RemU, vec![I::LocalGet(WORD_2)])),
        // Of -1 too, by which no remainder overflows.
        IntegerOp::SRem if full => each(quotient(I::I32RemS, vec![I::LocalGet(WORD_2)])),
        IntegerOp::SDiv if full => each(signed_quotient()),
        IntegerOp::Add => both(vec![I::I32Add], vec![I::I32x4Add]),
        IntegerOp::Sub => both(vec![I::I32Sub], vec![I::I32x4Sub]),
        IntegerOp::Mul => both(vec![I::I32Mul], vec![I::I32x4Mul]),
        IntegerOp::And => both(vec![I::I32And], vec![I::V128And]),
        IntegerOp::Or => both(vec![I::I32Or], vec![I::V128Or]),
        IntegerOp::Xor => both(vec![I::I32Xor], vec![I::V128Xor]),
        IntegerOp::ShiftLeft | IntegerOp::ShiftRight => {
            let mut code = Vec::new();
            amount(&mut code);
            code.push(if op == IntegerOp::ShiftLeft { I::I32Shl } else { I::I32ShrU });
            each(code)
        }
        IntegerOp::ShiftRightSigned if full => each(vec![I::I32ShrS]),
        IntegerOp::Equal => both(vec![I::I32Eq], truth(vec![I::I32x4Eq])),
        IntegerOp::NotEqual => both(vec![I::I32Ne], truth(vec![I::I32x4Ne])),
        IntegerOp::UGreater => both(vec![I::I32GtU], truth(vec![I::I32x4GtU])),
        IntegerOp::UGreaterEqual => both(vec![I::I32GeU], truth(vec![I::I32x4GeU])),
        IntegerOp::ULess => both(vec![I::I32LtU], truth(vec![I::I32x4LtU])),
        IntegerOp::ULessEqual => both(vec![I::I32LeU], truth(vec![I::I32x4LeU])),
        IntegerOp::SGreater if full => both(vec![I::I32GtS], truth(vec![I::I32x4GtS])),
        IntegerOp::SGreaterEqual if full => both(vec![I::I32GeS], truth(vec![I::I32x4GeS])),
        IntegerOp::SLess if full => both(vec![I::I32LtS], truth(vec![I::I32x4LtS])),
        IntegerOp::SLessEqual if full => both(vec![I::I32LeS], truth(vec![I::I32x4LeS])),
        IntegerOp::UMin => vector(Vec::new(), vec![I::I32x4MinU]),
        IntegerOp::UMax => vector(Vec::new(), vec![I::I32x4MaxU]),
        IntegerOp::SMin if full => vector(Vec::new(), vec![I::I32x4MinS]),
        IntegerOp::SMax if full => vector(Vec::new(), vec![I::I32x4MaxS]),
        _ => return None,
    };
    if !full && !op.compares() {
        let mask = low_bits(width);
        if let Some(scalar) = &mut operation.scalar {
            scalar.extend([I::I32Const(mask as i32), I::I32And]);
        }
        if let Some(vector) = &mut operation.vector {
            vector.extend([I::V128Const(splat(mask)), I::V128And]);
        }
    }
    Some(operation)
}

/// A division, or the remainder of one, and what it gives where the divisor is zero.
fn quotient(divide: I<'static>, by_zero: Code) -> Code {
    let mut code = vec![
        I::LocalSet(WORD),
        I::LocalTee(WORD_2),
        I::LocalGet(WORD),
        I::LocalGet(WORD),
        I::I32Eqz,
        I::I32Add,
        divide,
    ];
    code.extend(by_zero);
    code.extend([I::LocalGet(WORD), I::Select]);
    code
}

/// The same with signs: WebAssembly does not divide the lowest number by -1, which gives it again.
fn signed_quotient() -> Code {
    vec![
        I::LocalSet(WORD),
        I::LocalSet(WORD_2),
        I::I32Const(0),
        I::LocalGet(WORD_2),
        I::I32Sub,
        I::LocalGet(WORD_2),
        I::I32Const(1),
        I::LocalGet(WORD),
        I::LocalGet(WORD),
        I::I32Const(1),
        I::I32Add,
        I::I32Const(2),
        I::I32LtU,
        I::Select,
        I::I32DivS,
        I::LocalGet(WORD),
        I::I32Const(-1),
        I::I32Eq,
        I::Select,
        I::I32Const(-1),
        I::LocalGet(WORD),
        I::Select,
    ]
}

/// The smaller one of a local and the width of what bits are taken from, as 64 bits.
fn at_most(local: u32, width: u8) -> Code {
    let width = I::I32Const(i32::from(width));
    let smaller = [I::LocalGet(local), width.clone(), I::LocalGet(local), width, I::I32LtU, I::Select];
    smaller.into_iter().chain([I::I64ExtendI32U]).collect()
}

/// Bits of a word, or a word with other bits, of a word, what is inserted, the first bit and how many: all of up to 32 bits.
pub(super) fn bit_field(kind: BitField, width: u8) -> Operation {
    let (offset, bits) = (at_most(WORD, width), at_most(WORD_2, width));
    let mut mask = vec![I::I64Const(1)];
    mask.extend(bits.clone());
    mask.extend([I::I64Shl, I::I64Const(1), I::I64Sub]);
    let mut code = vec![I::LocalSet(WORD_2), I::LocalSet(WORD)];
    match kind {
        BitField::Insert => {
            code.push(I::I64ExtendI32U);
            code.extend(mask.clone());
            code.push(I::I64And);
            code.extend(offset.clone());
            code.extend([I::I64Shl, I::LocalSet(WIDE), I::I64ExtendI32U]);
            code.extend(mask);
            code.extend(offset);
            code.extend([I::I64Shl, I::I64Const(-1), I::I64Xor, I::I64And, I::LocalGet(WIDE), I::I64Or]);
        }
        BitField::Unsigned | BitField::Signed => {
            code.push(I::I64ExtendI32U);
            code.extend(offset);
            code.push(I::I64ShrU);
            code.extend(mask);
            code.push(I::I64And);
        }
    }
    if kind == BitField::Signed {
        // Up to the highest bit and back again.
        for shift in [I::I64Shl, I::I64ShrS] {
            code.push(I::I64Const(64));
            code.extend(bits.clone());
            code.extend([I::I64Sub, shift]);
        }
    }
    code.extend([I::I32WrapI64, I::I32Const(low_bits(width) as i32), I::I32And]);
    each(code)
}

/// The sum of four products of bytes that lie in a word each.
pub(super) fn dot_of_bytes(signed: (bool, bool)) -> Operation {
    let products = |high: bool| -> Code {
        let (a, b) = (I::LocalGet(VECTOR), I::LocalGet(VECTOR_2));
        let extend = |signed: bool| match (signed, high) {
            (true, false) => I::I16x8ExtendLowI8x16S,
            (true, true) => I::I16x8ExtendHighI8x16S,
            (false, false) => I::I16x8ExtendLowI8x16U,
            (false, true) => I::I16x8ExtendHighI8x16U,
        };
        // No product has more than 16 bits, of which only those without any sign need the highest.
        let add = match signed {
            (false, false) => I::I32x4ExtAddPairwiseI16x8U,
            _ => I::I32x4ExtAddPairwiseI16x8S,
        };
        vec![a, extend(signed.0), b, extend(signed.1), I::I16x8Mul, add]
    };
    let mut code = vec![I::LocalSet(VECTOR_2), I::LocalSet(VECTOR)];
    code.extend(products(false));
    code.push(I::LocalSet(VECTOR_3));
    code.extend(products(true));
    code.push(I::LocalSet(VECTOR));
    for words in [LOW_WORDS, HIGH_WORDS] {
        code.extend([I::LocalGet(VECTOR_3), I::LocalGet(VECTOR), I::I8x16Shuffle(words)]);
    }
    code.push(I::I32x4Add);
    vector(Vec::new(), code)
}

/// A shift by the same amount in all lanes; the amount is not among the operands.
pub(super) fn shift(op: IntegerOp, amount: u32) -> Option<Operation> {
    let by = I::I32Const(amount as i32);
    Some(match op {
        IntegerOp::ShiftLeft => both(vec![by.clone(), I::I32Shl], vec![by, I::I32x4Shl]),
        IntegerOp::ShiftRight => both(vec![by.clone(), I::I32ShrU], vec![by, I::I32x4ShrU]),
        IntegerOp::ShiftRightSigned => both(vec![by.clone(), I::I32ShrS], vec![by, I::I32x4ShrS]),
        _ => return None,
    })
}

/// A division by a number that is known, and not zero.
pub(super) fn divide(op: IntegerOp, divisor: u32) -> Option<Operation> {
    let power = divisor.is_power_of_two().then(|| divisor.trailing_zeros() as i32);
    Some(match (op, power) {
        (IntegerOp::UDiv, Some(power)) => {
            both(vec![I::I32Const(power), I::I32ShrU], vec![I::I32Const(power), I::I32x4ShrU])
        }
        (IntegerOp::UMod, Some(_)) => both(
            vec![I::I32Const(divisor as i32 - 1), I::I32And],
            vec![I::V128Const(splat(divisor - 1)), I::V128And],
        ),
        (IntegerOp::UDiv, None) => each(vec![I::I32Const(divisor as i32), I::I32DivU]),
        (IntegerOp::UMod, None) => each(vec![I::I32Const(divisor as i32), I::I32RemU]),
        (IntegerOp::SDiv, _) if divisor != u32::MAX => each(vec![I::I32Const(divisor as i32), I::I32DivS]),
        (IntegerOp::SRem, _) if divisor != u32::MAX => each(vec![I::I32Const(divisor as i32), I::I32RemS]),
        _ => return None,
    })
}
