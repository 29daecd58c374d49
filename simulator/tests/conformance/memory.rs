//! multicomponent_{vec2,vec4}_{load,save}: buffers of vectors, whose strides count vectors.

use super::kernel::{Axes, Kernel, USES, height, width};
use super::numbers::Kind::{self, *};
use super::numbers::Tolerance;
use super::report::Case;

pub fn cases(cases: &mut Vec<Case>) {
    let mut turn = 0;
    for (category, vector, load) in [
        ("multicomponent_vec2_load", 2, true),
        ("multicomponent_vec2_save", 2, false),
        ("multicomponent_vec4_load", 4, true),
        ("multicomponent_vec4_save", 4, false),
    ] {
        for kind in [F16, F32, BF16, E4M3, E5M2, S8, U8, S16, U16, S32, U32] {
            for use_ in USES {
                for axes in Axes::next(&mut turn) {
                    cases.push(multicomponent(category, vector, load, kind, use_, axes));
                }
            }
        }
    }
}

fn multicomponent(
    category: &'static str,
    vector: usize,
    load: bool,
    kind: Kind,
    use_: &str,
    axes: Axes,
) -> Case {
    let stride = axes.stride(kind, height(), width());
    let room = axes.room(kind, height(), width());
    let input = kind.small(room, 3);
    let components = [if load { vector } else { 1 }, if load { 1 } else { vector }];
    let kernel = Kernel::new(axes).vectors("a", kind, input.clone(), components[0], false).vectors(
        "o",
        kind,
        vec![0.0; room],
        components[1],
        true,
    );
    let body = format!(
        "{} m;\n{}{}",
        axes.matrix(kind, height(), width(), use_),
        kernel.load("m", "a", stride / components[0]),
        kernel.store("m", "o", stride / components[1])
    );
    let name = format!("{}.{use_}.{}", kind.glsl(), axes.name());
    Case::new(category, name, kernel.body(body), move |outcome| {
        let mut expected = vec![Some(0.0); room];
        for index in 0..height() * width() {
            let at = axes.at(stride, index / width(), index % width());
            expected[at] = Some(input[at]);
        }
        outcome.expect("o", &expected, Tolerance::Exact)
    })
}
