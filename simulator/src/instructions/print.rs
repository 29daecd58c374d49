//! `debugPrintfEXT`: a line of the log for each active lane.

use coopmat_spirv::dr::{Instruction as Source, Operand};

use crate::ProgramError;
use crate::code::{Instruction, Piece, PrintFormat, PrintInstruction};
use crate::machine::{Context, lanes_of};
use crate::numerics::Format;
use crate::numerics::words::{sign_extend, widen};
use crate::program::Lowering;
use crate::program::lowering::Entity;
use crate::program::types::Scalar;

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let format = lowering.id(source, 2)?;
    let text = match lowering.entity(format)? {
        Entity::Text(text) => text.clone(),
        _ => return Err(ProgramError::new("debugPrintf takes a string first")),
    };
    let mut pieces = parse(&text);
    let mut next = 3;
    for piece in &mut pieces {
        if let Piece::Value(_, operand) = piece
            && let Some(Operand::IdRef(id)) = source.operands.get(next)
        {
            let value = lowering.value(*id)?;
            let (scalar, count) = lowering.numbers(value.type_)?;
            *operand = Some((scalar, count, value.slot));
            next += 1;
        }
    }
    lowering.emit(Instruction::Print(Box::new(PrintInstruction { pieces })));
    Ok(())
}

fn parse(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            plain.push(letter);
            continue;
        }
        if letters.next_if_eq(&'%').is_some() {
            plain.push('%');
            continue;
        }
        let mut conversion = PrintFormat::default();
        let mut digits: Option<usize> = None;
        let mut after_point = false;
        for letter in letters.by_ref() {
            match letter {
                '-' => conversion.left = true,
                '+' => conversion.plus = true,
                '0' if digits.is_none() && !after_point => conversion.zeros = true,
                '0'..='9' => {
                    let digit = letter as usize - '0' as usize;
                    let number = digits.unwrap_or(0) * 10 + digit;
                    digits = Some(number.min(1000));
                }
                '.' => {
                    conversion.width = digits.take().unwrap_or(0);
                    after_point = true;
                }
                'l' | 'h' | '#' | ' ' | 'v' => {
                    if letter == 'v' {
                        // What follows is the number of components, which the operand knows.
                        store(&mut conversion, digits.take(), after_point);
                        after_point = false;
                        conversion.letter = 'v';
                    }
                }
                other => {
                    if conversion.letter != 'v' {
                        store(&mut conversion, digits.take(), after_point);
                    }
                    conversion.letter = other;
                    break;
                }
            }
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(Piece::Value(conversion, None));
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    pieces
}

fn store(conversion: &mut PrintFormat, digits: Option<usize>, after_point: bool) {
    match after_point {
        true => conversion.precision = Some(digits.unwrap_or(0)),
        false => conversion.width = digits.unwrap_or(conversion.width),
    }
}

pub(super) fn execute(instruction: &PrintInstruction, cx: &mut Context) {
    for lane in lanes_of(cx.registers.mask()) {
        if cx.env.report.log.len() >= cx.env.settings.log_limit {
            return;
        }
        let mut line = String::new();
        for piece in &instruction.pieces {
            match piece {
                Piece::Text(text) => line.push_str(text),
                Piece::Value(_, None) => line.push_str("(nothing)"),
                Piece::Value(conversion, Some((scalar, count, slot))) => {
                    let first = cx.plane(*slot);
                    for index in 0..*count {
                        if index > 0 {
                            line.push_str(", ");
                        }
                        let plane = first + index * scalar.planes();
                        let bits = match scalar.planes() {
                            2 => cx.registers.get_wide(plane, lane),
                            _ => u64::from(cx.registers.get(plane, lane)),
                        };
                        line.push_str(&show(conversion, *scalar, bits));
                    }
                }
            }
        }
        cx.env.report.log.push(line);
    }
}

/// A number as C's printf writes it.
fn show(conversion: &PrintFormat, scalar: Scalar, bits: u64) -> String {
    let precision = conversion.precision.unwrap_or(6);
    let text = match (scalar, conversion.letter) {
        (Scalar::Float(format), letter) => {
            let value = match format {
                Format::F64 => f64::from_bits(bits),
                _ => f64::from(widen(format, bits as u32)),
            };
            match letter {
                'e' | 'E' => format!("{value:.precision$e}"),
                'g' | 'G' => format!("{value}"),
                _ if value.is_nan() => "nan".to_owned(),
                _ => format!("{value:.precision$}"),
            }
        }
        (_, 'x') => format!("{bits:x}"),
        (_, 'X') => format!("{bits:X}"),
        (_, 'o') => format!("{bits:o}"),
        (_, 'p') => format!("{bits:#x}"),
        (Scalar::Integer { width: 64, signed: true }, _) => (bits as i64).to_string(),
        (Scalar::Integer { width, signed: true }, _) => (sign_extend(bits as u32, width) as i32).to_string(),
        (Scalar::Integer { width: 32, .. }, 'd' | 'i') => (bits as u32 as i32).to_string(),
        (_, _) => bits.to_string(),
    };
    let text = if conversion.plus && !text.starts_with('-') { format!("+{text}") } else { text };
    let width = conversion.width;
    match (conversion.left, conversion.zeros) {
        (true, _) => format!("{text:<width$}"),
        (false, true) if !text.starts_with(['-', '+']) => format!("{text:0>width$}"),
        (false, true) => {
            let (sign, digits) = text.split_at(1);
            format!("{sign}{digits:0>rest$}", rest = width.saturating_sub(1))
        }
        (false, false) => format!("{text:>width$}"),
    }
}
