//! convert, convert_sat.

use super::kernel::{Axes, Kernel, USES, height, width};
use super::numbers::Kind::{self, *};
use super::numbers::Tolerance;
use super::report::Case;

const KINDS: [Kind; 12] = [F16, F32, F64, BF16, E4M3, E5M2, S8, U8, S16, U16, S32, U32];

pub fn cases(cases: &mut Vec<Case>) {
    let mut turn = 0;
    for from in KINDS {
        for to in KINDS {
            for use_ in USES {
                for axes in Axes::next(&mut turn) {
                    cases.push(conversion("convert", from, to, use_, axes));
                    if from.is_float() && from != to && matches!(to, E4M3 | E5M2) {
                        cases.push(conversion("convert_sat", from, to, use_, axes));
                    }
                }
            }
        }
    }
}

fn conversion(category: &'static str, from: Kind, to: Kind, use_: &str, axes: Axes) -> Case {
    let saturated = category == "convert_sat";
    let room = move |kind| axes.room(kind, height(), width());
    let strides = [from, to].map(|kind| axes.stride(kind, height(), width()));
    let input: Vec<f64> = if saturated {
        // Far beyond the ends of the types, and infinities where the operand has them.
        let far = [1.0, 3.5, 448.0, 480.0, 57344.0, 60000.0, f64::INFINITY, 0.3];
        (0..room(from))
            .map(|index| far[index % 8] * if (index / 8).is_multiple_of(2) { 1.0 } else { -1.0 })
            .map(|value| from.nearest(value))
            .map(|value| if value.is_nan() { 2.0 } else { value })
            .collect()
    } else if from.is_float() && to.is_float() {
        // Among them many that the target does not have.
        (0..room(from)).map(|index| from.nearest((index % 61) as f64 * 0.37 - 11.0)).collect()
    } else if from.is_float() {
        // Outside the range of the target a conversion is undefined.
        from.small(room(from), 2).into_iter().map(|v| if to.is_signed() { v } else { v.abs() }).collect()
    } else if to.is_float() {
        from.small(room(from), 2)
    } else {
        // Integers wrap: all bytes of the operand count.
        (0..room(from)).map(|index| from.nearest((index * 0x0107_0b13) as f64)).collect()
    };
    let (source, target) =
        (axes.matrix(from, height(), width(), use_), axes.matrix(to, height(), width(), use_));
    let kernel = Kernel::new(axes).input("a", from, input.clone()).output("o", to, room(to));
    let convert = if saturated {
        format!("{target} y; saturatedConvertEXT(y, x);\n")
    } else {
        format!("{target} y = {target}(x);\n")
    };
    let body = format!(
        "{source} x;\n{}{convert}{}",
        kernel.load("x", "a", strides[0]),
        kernel.store("y", "o", strides[1])
    );
    let name = format!("{}_{}.{use_}.{}", from.glsl(), to.glsl(), axes.name());
    Case::new(category, name, kernel.body(body), move |outcome| {
        let mut expected = vec![Some(0.0); room(to)];
        for index in 0..height() * width() {
            let (row, column) = (index / width(), index % width());
            let value = input[axes.at(strides[0], row, column)];
            let nearest = to.nearest(value);
            let result =
                if saturated && !nearest.is_finite() { to.largest().copysign(value) } else { nearest };
            expected[axes.at(strides[1], row, column)] = Some(result);
        }
        // The direction of rounding is the implementation's.
        let inexact = from.is_float() && to.is_float();
        outcome.expect("o", &expected, if inexact { Tolerance::Ulp(1.0) } else { Tolerance::Exact })
    })
}
