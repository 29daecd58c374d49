//! Numbers packed into words, and unpacked.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::spirv::GlslStd450Op as Gl;

use crate::ProgramError;
use crate::code::{ExtendedInstruction, PackingInstruction};
use crate::machine::Context;
use crate::numerics::words::{bits32, from_half, sign_extend, to_half};
use crate::program::{Lowering, Value};

/// The planes of the operand and of the result.
pub(crate) fn planes_of(op: Gl) -> (u32, u32) {
    match op {
        Gl::PackSnorm4x8 | Gl::PackUnorm4x8 => (4, 1),
        Gl::PackSnorm2x16 | Gl::PackUnorm2x16 | Gl::PackHalf2x16 => (2, 1),
        Gl::UnpackSnorm2x16 | Gl::UnpackUnorm2x16 | Gl::UnpackHalf2x16 => (1, 2),
        Gl::UnpackSnorm4x8 | Gl::UnpackUnorm4x8 => (1, 4),
        _ => (2, 2),
    }
}

pub(super) fn emit(lowering: &mut Lowering, source: &Source, op: Gl, a: Value) -> Result<(), ProgramError> {
    let result = lowering.result(source)?;
    let planes = (lowering.types().planes(a.type_), lowering.types().planes(result.type_));
    if planes != planes_of(op) {
        return Err(ProgramError::new("an extended instruction with operands of other types"));
    }
    let (result, a) = (result.slot, a.slot);
    lowering.emit(ExtendedInstruction::Packing(PackingInstruction { op, result, a }).into());
    Ok(())
}

pub(super) fn execute(instruction: &PackingInstruction, cx: &mut Context) {
    let &PackingInstruction { op, result, a } = instruction;
    let (result, a) = (cx.plane(result), cx.plane(a));
    let (operands, made) = planes_of(op);
    let planes: smallvec::SmallVec<[u32; 4]> = (a..a + operands).collect();
    for index in 0..made {
        cx.registers.lanewise(result + index, &planes, |registers, lane| {
            let word = |i: u32| registers.get(a + i, lane);
            let number = |i: u32| f32::from_bits(word(i));
            let pack = |count: u32, width: u32, f: &dyn Fn(f32) -> u32| {
                (0..count).fold(0, |packed, i| packed | f(number(i)) << (i * width))
            };
            let field = |width: u32| word(0) >> (index * width) & ((1 << width) - 1);
            [match op {
                Gl::PackSnorm4x8 => pack(4, 8, &|v| signed(v, 127.0) & 0xff),
                Gl::PackUnorm4x8 => pack(4, 8, &|v| unsigned(v, 255.0)),
                Gl::PackSnorm2x16 => pack(2, 16, &|v| signed(v, 32767.0) & 0xffff),
                Gl::PackUnorm2x16 => pack(2, 16, &|v| unsigned(v, 65535.0)),
                Gl::PackHalf2x16 => pack(2, 16, &to_half),
                Gl::UnpackHalf2x16 => bits32(from_half(field(16))),
                Gl::UnpackSnorm2x16 => {
                    ((sign_extend(field(16), 16) as i32 as f32 / 32767.0).clamp(-1.0, 1.0)).to_bits()
                }
                Gl::UnpackUnorm2x16 => (field(16) as f32 / 65535.0).to_bits(),
                Gl::UnpackSnorm4x8 => {
                    ((sign_extend(field(8), 8) as i32 as f32 / 127.0).clamp(-1.0, 1.0)).to_bits()
                }
                Gl::UnpackUnorm4x8 => (field(8) as f32 / 255.0).to_bits(),
                // Doubles are their two words already.
                _ => word(index),
            }]
        });
    }
}

fn signed(value: f32, scale: f32) -> u32 {
    libm::rintf(value.clamp(-1.0, 1.0) * scale) as i32 as u32
}

fn unsigned(value: f32, scale: f32) -> u32 {
    libm::rintf(value.clamp(0.0, 1.0) * scale) as u32
}
