//! `debugPrintfEXT`: a line of the log for each active lane. `abortEXT`: the same, and a finding, before the lane ends.

use coopmat_spirv::dr::{Instruction as Source, Operand};

use crate::ProgramError;
use crate::checks::FindingKind;
use crate::code::{Instruction, Numbers, Piece, PrintFormat, PrintInstruction};
use crate::machine::{Context, lanes_of};
use crate::numerics::Format;
use crate::numerics::words::{sign_extend, widen};
use crate::program::Lowering;
use crate::program::lowering::Entity;
use crate::program::types::{MatrixLayout, Scalar, Type};
use crate::program::{Slot, TypeId};

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
            lowering.numbers(value.type_)?;
            *operand = Some(numbers(lowering, value.slot, value.type_)?);
            next += 1;
        }
    }
    lowering.emit(Instruction::Print(Box::new(PrintInstruction::Pieces(pieces))));
    Ok(())
}

/// `OpAbortKHR` ends a block; what it says comes before. A message that is a structure with bytes at first is a text with values, as compilers of
/// GLSL make it; any other is its values.
pub(crate) fn lower_message(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let message = lowering.operand(source, 1)?;
    let mut parts = vec![(message.slot, message.type_)];
    if let Type::Structure { members, .. } = lowering.types().get(message.type_) {
        let mut slot = message.slot;
        parts.clear();
        for member in members {
            parts.push((slot, member.type_));
            slot = slot.offset(lowering.types().planes(member.type_));
        }
    }
    let text = parts.first().and_then(|&(slot, type_)| match *lowering.types().get(type_) {
        Type::Array { element, length, .. } => match lowering.types().get(element) {
            Type::Integer { width: 8, .. } => Some((slot, length)),
            _ => None,
        },
        _ => None,
    });
    let values = &parts[usize::from(text.is_some())..];
    let values = values.iter().map(|&(slot, type_)| numbers(lowering, slot, type_));
    let values = values.collect::<Result<_, _>>()?;
    lowering.emit(Instruction::Print(Box::new(PrintInstruction::Message { text, values })));
    Ok(())
}

/// The numbers that a value is made of.
fn numbers(lowering: &Lowering, first: Slot, type_: TypeId) -> Result<Numbers, ProgramError> {
    let leaves = lowering.types().leaves(type_, MatrixLayout::default())?;
    Ok(Numbers(leaves.iter().map(|leaf| (leaf.scalar, first.offset(leaf.plane))).collect()))
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
                // A matrix: the numbers of its columns and rows, which the operand knows.
                'm' => {
                    store(&mut conversion, digits.take(), after_point);
                    conversion.letter = 'f';
                    while letters.next_if(char::is_ascii_digit).is_some() {}
                    break;
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
        match instruction {
            PrintInstruction::Pieces(pieces) => {
                if cx.env.report.log.len() >= cx.env.settings.log_limit {
                    return;
                }
                let line = line(pieces, cx, lane);
                cx.env.report.log.push(line);
            }
            PrintInstruction::Message { text, values } => {
                let message = message(*text, values, cx, lane);
                if cx.env.report.log.len() < cx.env.settings.log_limit {
                    cx.env.report.log.push(message.clone());
                }
                if cx.env.settings.checked {
                    cx.find(FindingKind::Abort, lane, message);
                }
            }
        }
    }
}

/// What an invocation says at its end. Values that no conversion takes are not shown.
fn message(text: Option<(Slot, u32)>, values: &[Numbers], cx: &Context, lane: usize) -> String {
    let Some((first, length)) = text else {
        let all = values.iter().map(|value| show_all(&PrintFormat::default(), value, cx, lane));
        return format!("the invocation ends with {}", all.collect::<Vec<_>>().join(", "));
    };
    let first = cx.plane(first);
    let bytes = (0..length).map(|index| cx.registers.get(first + index, lane) as u8);
    let bytes: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
    let mut pieces = parse(&String::from_utf8_lossy(&bytes));
    let mut values = values.iter();
    for piece in &mut pieces {
        if let Piece::Value(_, operand) = piece {
            *operand = values.next().cloned();
        }
    }
    match pieces.is_empty() {
        true => "the invocation ends without a message".to_owned(),
        false => format!("the invocation ends: {}", line(&pieces, cx, lane)),
    }
}

fn line(pieces: &[Piece], cx: &Context, lane: usize) -> String {
    let mut line = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => line.push_str(text),
            Piece::Value(_, None) => line.push_str("(nothing)"),
            Piece::Value(conversion, Some(numbers)) => {
                line.push_str(&show_all(conversion, numbers, cx, lane));
            }
        }
    }
    line
}

fn show_all(conversion: &PrintFormat, numbers: &Numbers, cx: &Context, lane: usize) -> String {
    let mut line = String::new();
    for (index, &(scalar, slot)) in numbers.0.iter().enumerate() {
        if index > 0 {
            line.push_str(", ");
        }
        let plane = cx.plane(slot);
        let bits = match scalar.planes() {
            2 => cx.registers.get_wide(plane, lane),
            _ => u64::from(cx.registers.get(plane, lane)),
        };
        line.push_str(&show(conversion, scalar, bits));
    }
    line
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
