//! Functions of vectors and matrices as a whole: computed in `f64`, rounded once.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::spirv::GlslStd450Op as Gl;
use smallvec::SmallVec;

use super::super::float::floats;
use crate::ProgramError;
use crate::code::{ExtendedInstruction, VectorInstruction, VectorOp};
use crate::machine::{Context, MAXIMUM_LANES, lanes_of};
use crate::numerics::Overflow;
use crate::program::types::Scalar;
use crate::program::{Lowering, Value};

/// The numbers of all operands one after another.
type Numbers = SmallVec<[f64; 32]>;

pub(super) fn emit(
    lowering: &mut Lowering,
    source: &Source,
    op: VectorOp,
    values: &[Value],
) -> Result<(), ProgramError> {
    let result = lowering.result(source)?;
    let (format, made) = floats(lowering, result)?;
    let mut operands = SmallVec::new();
    let mut counts = Vec::new();
    for &value in values {
        let (other, count) = floats(lowering, value)?;
        if other != format {
            return Err(ProgramError::new("an extended instruction with operands of different formats"));
        }
        counts.push(count);
        operands.push((value.slot, count));
    }
    let fits = match op {
        VectorOp::CubeFaceIndex => counts == [3] && made == 1,
        VectorOp::CubeFaceCoord => counts == [3] && made == 2,
        VectorOp::Glsl(op) => glsl_fits(op, &counts, made),
    };
    if !fits {
        return Err(ProgramError::new("an extended instruction with operands of other sizes"));
    }
    let instruction = VectorInstruction { op, format, result: result.slot, made, operands };
    lowering.emit(ExtendedInstruction::Vector(instruction).into());
    Ok(())
}

/// Whether the operands and the result of an instruction have as many components as they should.
fn glsl_fits(op: Gl, counts: &[u32], made: u32) -> bool {
    let n = counts.first().copied().unwrap_or(0);
    match op {
        Gl::Length => counts == [n] && made == 1,
        Gl::Distance => counts == [n, n] && made == 1,
        Gl::Cross => counts == [3, 3] && made == 3,
        Gl::Normalize => counts == [n] && made == n,
        Gl::FaceForward => counts == [n, n, n] && made == n,
        Gl::Reflect => counts == [n, n] && made == n,
        Gl::Refract => counts == [n, n, 1] && made == n,
        Gl::Determinant => counts == [n] && [4, 9, 16].contains(&n) && made == 1,
        _ => counts == [n] && [4, 9, 16].contains(&n) && made == n,
    }
}

pub(super) fn execute(instruction: &VectorInstruction, cx: &mut Context) {
    let format = instruction.format;
    let treatment = cx.treatment(format);
    let planes = Scalar::Float(format).planes();
    let result = cx.plane(instruction.result);
    let made = instruction.made as usize;
    let mut out = vec![0u64; made * MAXIMUM_LANES];
    let lanes: SmallVec<[usize; MAXIMUM_LANES]> = lanes_of(cx.registers.mask()).collect();
    for &lane in &lanes {
        let mut numbers: [Numbers; 3] = Default::default();
        for (numbers, &(slot, count)) in numbers.iter_mut().zip(&instruction.operands) {
            let first = cx.plane(slot);
            numbers.extend((0..count).map(|index| {
                let plane = first + index * planes;
                format.to_f64(match planes {
                    2 => cx.registers.get_wide(plane, lane),
                    _ => u64::from(cx.registers.get(plane, lane)),
                })
            }));
        }
        let values = compute(instruction.op, &numbers);
        for (index, &value) in values.iter().take(made).enumerate() {
            out[index * MAXIMUM_LANES + lane] =
                treatment.flush(format, format.from_f64(value, treatment.rounding, Overflow::Special));
        }
    }
    for index in 0..instruction.made {
        let words = &out[index as usize * MAXIMUM_LANES..];
        let plane = result + index * planes;
        cx.registers.set_lanes(plane, |lane| words[lane] as u32);
        if planes == 2 {
            cx.registers.set_lanes(plane + 1, |lane| (words[lane] >> 32) as u32);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

fn compute(op: VectorOp, operands: &[Numbers; 3]) -> Numbers {
    let [a, b, c] = operands;
    let each = |f: &dyn Fn(usize) -> f64| (0..a.len()).map(f).collect::<Numbers>();
    let one = |value: f64| SmallVec::from_slice(&[value]);
    let op = match op {
        VectorOp::CubeFaceIndex => return one(cube_face(a).0),
        VectorOp::CubeFaceCoord => return SmallVec::from_slice(&cube_face(a).1),
        VectorOp::Glsl(op) => op,
    };
    match op {
        Gl::Length => one(dot(a, a).sqrt()),
        Gl::Distance => {
            let difference = each(&|i| a[i] - b[i]);
            one(dot(&difference, &difference).sqrt())
        }
        Gl::Cross => SmallVec::from_slice(&[
            a[1] * b[2] - b[1] * a[2],
            a[2] * b[0] - b[2] * a[0],
            a[0] * b[1] - b[0] * a[1],
        ]),
        Gl::Normalize => {
            let length = dot(a, a).sqrt();
            each(&|i| a[i] / length)
        }
        Gl::FaceForward => {
            let keep = dot(b, c) < 0.0;
            each(&|i| if keep { a[i] } else { -a[i] })
        }
        Gl::Reflect => {
            let along = dot(b, a);
            each(&|i| a[i] - 2.0 * along * b[i])
        }
        Gl::Refract => {
            let (along, eta) = (dot(b, a), c[0]);
            let k = 1.0 - eta * eta * (1.0 - along * along);
            each(&|i| if k < 0.0 { 0.0 } else { eta * a[i] - (eta * along + k.sqrt()) * b[i] })
        }
        Gl::Determinant => one(eliminate(a).0),
        _ => eliminate(a).1,
    }
}

/// Which face of a cube a direction meets, and where (Vulkan, "Cube Map Face Selection and Transformations").
fn cube_face(direction: &[f64]) -> (f64, [f64; 2]) {
    let [x, y, z] = std::array::from_fn(|index| direction.get(index).copied().unwrap_or_default());
    // Of equal ones, z goes before y, and y before x.
    let (face, major, s, t) = if z.abs() >= x.abs().max(y.abs()) {
        (4.0, z, if z < 0.0 { -x } else { x }, -y)
    } else if y.abs() >= x.abs() {
        (2.0, y, x, if y < 0.0 { -z } else { z })
    } else {
        (0.0, x, if x < 0.0 { z } else { -z }, -y)
    };
    let face = if major < 0.0 { face + 1.0 } else { face };
    (face, [s, t].map(|along| 0.5 * along / major.abs() + 0.5))
}

/// The determinant and the inverse of a square matrix, by elimination with pivots.
fn eliminate(matrix: &Numbers) -> (f64, Numbers) {
    let n = match matrix.len() {
        4 => 2,
        9 => 3,
        _ => 4,
    };
    let mut left = matrix.clone();
    let mut right: Numbers = (0..n * n).map(|i| if i / n == i % n { 1.0 } else { 0.0 }).collect();
    let mut determinant = 1.0;
    for step in 0..n {
        let pivot = (step..n).max_by(|&a, &b| left[a * n + step].abs().total_cmp(&left[b * n + step].abs()));
        let pivot = pivot.unwrap_or(step);
        if pivot != step {
            for column in 0..n {
                left.swap(pivot * n + column, step * n + column);
                right.swap(pivot * n + column, step * n + column);
            }
            determinant = -determinant;
        }
        let head = left[step * n + step];
        determinant *= head;
        for column in 0..n {
            left[step * n + column] /= head;
            right[step * n + column] /= head;
        }
        for row in (0..n).filter(|&row| row != step) {
            let factor = left[row * n + step];
            for column in 0..n {
                left[row * n + column] -= factor * left[step * n + column];
                right[row * n + column] -= factor * right[step * n + column];
            }
        }
    }
    (determinant, right)
}
