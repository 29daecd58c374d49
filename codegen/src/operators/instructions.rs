//! Which instruction an operator is, by the type of its components.

use coopmat_analysis::hir::BinaryOp;
use coopmat_analysis::types::{Scalar, ScalarClass};
use rspirv::spirv::Op;

/// The instruction of an operator on integers and booleans.
pub(crate) fn integer_op(op: BinaryOp, scalar: Scalar) -> Option<Op> {
    let signed = scalar.class() == ScalarClass::Signed;
    if scalar == Scalar::Bool {
        return Some(match op {
            BinaryOp::Equal => Op::LogicalEqual,
            BinaryOp::NotEqual | BinaryOp::LogicalXor => Op::LogicalNotEqual,
            BinaryOp::LogicalAnd => Op::LogicalAnd,
            BinaryOp::LogicalOr => Op::LogicalOr,
            _ => return None,
        });
    }
    Some(match op {
        BinaryOp::Add => Op::IAdd,
        BinaryOp::Sub => Op::ISub,
        BinaryOp::Mul => Op::IMul,
        BinaryOp::Div if signed => Op::SDiv,
        BinaryOp::Div => Op::UDiv,
        BinaryOp::Rem if signed => Op::SMod,
        BinaryOp::Rem => Op::UMod,
        BinaryOp::Shl => Op::ShiftLeftLogical,
        BinaryOp::Shr if signed => Op::ShiftRightArithmetic,
        BinaryOp::Shr => Op::ShiftRightLogical,
        BinaryOp::BitAnd => Op::BitwiseAnd,
        BinaryOp::BitOr => Op::BitwiseOr,
        BinaryOp::BitXor => Op::BitwiseXor,
        BinaryOp::Less if signed => Op::SLessThan,
        BinaryOp::Less => Op::ULessThan,
        BinaryOp::LessEqual if signed => Op::SLessThanEqual,
        BinaryOp::LessEqual => Op::ULessThanEqual,
        BinaryOp::Greater if signed => Op::SGreaterThan,
        BinaryOp::Greater => Op::UGreaterThan,
        BinaryOp::GreaterEqual if signed => Op::SGreaterThanEqual,
        BinaryOp::GreaterEqual => Op::UGreaterThanEqual,
        BinaryOp::Equal => Op::IEqual,
        BinaryOp::NotEqual => Op::INotEqual,
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::LogicalXor => return None,
    })
}

/// The instruction of an operator on floating-point numbers.
pub(super) fn float_op(op: BinaryOp) -> Option<Op> {
    Some(match op {
        BinaryOp::Add => Op::FAdd,
        BinaryOp::Sub => Op::FSub,
        BinaryOp::Mul => Op::FMul,
        BinaryOp::Div => Op::FDiv,
        BinaryOp::Less => Op::FOrdLessThan,
        BinaryOp::LessEqual => Op::FOrdLessThanEqual,
        BinaryOp::Greater => Op::FOrdGreaterThan,
        BinaryOp::GreaterEqual => Op::FOrdGreaterThanEqual,
        BinaryOp::Equal => Op::FOrdEqual,
        // NaN is unequal to everything.
        BinaryOp::NotEqual => Op::FUnordNotEqual,
        BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::LogicalAnd
        | BinaryOp::LogicalOr
        | BinaryOp::LogicalXor => return None,
    })
}
