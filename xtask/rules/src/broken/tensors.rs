//! Tensor layouts and views: their types, how they are changed, and the loads and stores that go through them.

use coopmat_analysis::extensions::{Rule, ids, sets, values};
use coopmat_analysis::types::{Scalar, ScalarClass};

use super::reductions::callback;
use crate::call::{Argument, Call, Mark};
use crate::parts::{Callback, Parameter, Place, Size, View, vector_of};
use crate::shader::marked;
use crate::suite::Suite;
use crate::valid::index_of;
use crate::valid::values_of;

pub fn accesses(suite: &mut Suite, twin: usize, call: &Call) {
    let (Some(Argument::Memory(memory)), Some(Argument::Layout(layout))) =
        (call.arguments.get(1).cloned(), call.arguments.get(3).cloned())
    else {
        return;
    };
    let bytes = memory.bytes();
    if bytes < 16 {
        for start in [1, 16 / bytes + 1] {
            suite.broken(
                twin,
                call,
                "a tensor starts at a multiple of 16 bytes",
                &["nv-tensor-alignment"],
                |call| {
                    call.put(2, Argument::value(index_of(call.function, start)));
                },
            );
        }
    }
    let dimensions = layout.dimensions();
    let store = call.function.rule == Some(Rule::CoopMatStoreTensor);
    let blocks = layout.blocks.clone().unwrap_or_else(|| vec![1; dimensions]);
    let list = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    if store {
        suite.broken(twin, call, "no store through a layout with blocks", &["nv-block-store"], |call| {
            call.change_layout(3, |layout| {
                let mut blocks = vec![1; dimensions];
                blocks[dimensions - 1] = 16;
                layout.blocks = Some(blocks);
            });
            call.mark(Mark::Argument(3));
        });
    }
    // A store through it breaks the other rule, too.
    let ids: &[&str] = if store { &["nv-block-order", "nv-block-store"] } else { &["nv-block-order"] };
    let decodes = call.places(|argument| matches!(argument, Argument::Function(_)));
    if layout.further.is_empty() && decodes.is_empty() {
        suite.broken(twin, call, "the block size is set before the dimensions", ids, |call| {
            call.change_layout(3, |layout| {
                let mut late = blocks.clone();
                late[dimensions - 1] *= 2;
                let name = marked("setTensorLayoutBlockSizeNV");
                layout.further.push(format!("LAYOUT = {name}(LAYOUT, {});", list(&late)));
                if store {
                    layout.blocks = None;
                }
            });
            if store {
                call.mark(Mark::Argument(3));
            }
        });
        for index in 0..dimensions.saturating_sub(1) {
            let inner = layout.sizes[index + 1].div_ceil(blocks[index + 1]);
            if inner < 2 {
                continue;
            }
            let mut strides: Vec<u32> = vec![1; dimensions];
            for place in (0..dimensions - 1).rev() {
                strides[place] = strides[place + 1] * layout.sizes[place + 1].div_ceil(blocks[place + 1]);
            }
            let short = strides[index] - 1;
            suite.broken(twin, call, "a stride spans what it steps over", &["nv-tensor-stride"], |call| {
                let values: Vec<String> = (0..dimensions)
                    .map(|place| match place {
                        place if place == index => marked(short),
                        place => strides[place].to_string(),
                    })
                    .collect();
                // The strides further out are those of a tensor that is packed more loosely.
                let line = format!("LAYOUT = setTensorLayoutStrideNV(LAYOUT, {});", values.join(", "));
                call.change_layout(3, |layout| layout.further.push(line));
            });
        }
    }
    let spans: Vec<u32> = match &layout.slice {
        Some(slice) => slice.iter().map(|&(_, span)| span).collect(),
        None => layout.sizes.clone(),
    };
    // Offset and span of one dimension, and which of them is told.
    let slice = |index: usize, offset: i64, span: u32, told: usize| {
        let pairs = (0..dimensions).flat_map(|place| match place {
            place if place == index => {
                let mut pair = [offset.to_string(), span.to_string()];
                pair[told] = marked(&pair[told]);
                pair
            }
            place => ["0".to_owned(), spans[place].to_string()],
        });
        format!("LAYOUT = sliceTensorLayoutNV(LAYOUT, {});", pairs.collect::<Vec<_>>().join(", "))
    };
    let sliced = |suite: &mut Suite, rule, id, line: String| {
        suite.broken(twin, call, rule, &[id], |call| {
            call.change_layout(3, |layout| {
                layout.slice = None;
                layout.further.push(line);
            });
        });
    };
    for (index, &span) in spans.iter().enumerate().take(dimensions) {
        let rule = "a span is 1 or more";
        sliced(suite, rule, "nv-tensor-size", slice(index, 0, 0, 1));
        if layout.clamp == 0 {
            let rule = "a slice stays inside of the tensor where nothing is clamped";
            sliced(suite, rule, "nv-tensor-slice", slice(index, -1, span, 0));
            let past = i64::from(layout.sizes[index]) - i64::from(span) + 1;
            sliced(suite, rule, "nv-tensor-slice", slice(index, past, span, 1));
        }
    }
    if decodes.is_empty() {
        suite.broken(twin, call, "a layout has dimensions before it is used", &["nv-tensor-unset"], |call| {
            call.change_layout(3, |layout| {
                layout.further.push(format!("LAYOUT = {};", layout.creation()));
                layout.slice = None;
            });
            call.mark(Mark::Argument(3));
        });
    }
    let viewed = call.arguments.iter().any(|argument| matches!(argument, Argument::View(_)));
    // What specialization decides is not judged.
    let fixed = call
        .matrix(0)
        .is_some_and(|matrix| matches!((matrix.rows, matrix.columns), (Size::Of(_), Size::Of(_))));
    if dimensions > 1 && fixed && !viewed && decodes.is_empty() && layout.slice.is_none() {
        let mut sizes = layout.sizes.clone();
        sizes[dimensions - 1] *= 2;
        let line = format!("LAYOUT = setTensorLayoutDimensionNV(LAYOUT, {});", list(&sizes));
        suite.broken(twin, call, "rows of the slice are rows of the matrix", &["nv-tensor-shape"], |call| {
            call.change_layout(3, |layout| layout.further.push(line));
            call.mark(Mark::Argument(3));
        });
    }
    if store {
        suite.broken(twin, call, "a store takes no functions", &["nv-tensor-arguments"], |call| {
            // What small formats can be made of is another rule.
            call.arguments.push(Argument::Function(Callback::decode(Scalar::Float16, dimensions, 1)));
            call.mark(Mark::Argument(call.arguments.len() - 1));
        });
    }
    if let Some(&decode) = decodes.first() {
        suite.broken(twin, call, "a view comes before the functions", &["nv-callback-function"], |call| {
            let view = View { dimensions, own_dimensions: None, permutation: None };
            call.arguments.insert(decode + 1, Argument::View(view));
            call.arguments.truncate(decode + 2);
            call.extensions.push(ids::GL_NV_COOPERATIVE_MATRIX_DECODE_VECTOR);
            call.mark(Mark::Argument(decode + 1));
        });
        decode_rules(suite, twin, call, decode, dimensions);
        suite.broken(
            twin,
            call,
            "with a decode function, the array is in buffer memory",
            &["nv-decode-memory"],
            |call| {
                call.change_memory(1, |memory| memory.place = Place::Shared).mark(Mark::Argument(1));
            },
        );
    }
    if let Some(&vector) = decodes.get(1) {
        decode_rules(suite, twin, call, vector, dimensions);
        vector_rules(suite, twin, call, vector, dimensions);
    }
}

/// What holds for the scalar and for the vector function.
fn decode_rules(suite: &mut Suite, twin: usize, call: &Call, index: usize, dimensions: usize) {
    let rule =
        "a decode function takes a reference and two arrays of uint32_t with an element for each dimension";
    let id = "nv-decode-signature";
    for (place, ty) in [(0, "uint32_t"), (0, "vec4"), (1, "int"), (2, "uint16_t"), (1, "float")] {
        suite.broken(twin, call, rule, &[id], |call| {
            call.change_function(index, |function| {
                let suffix = function.parameters[place].suffix.clone();
                function.parameters[place] = Parameter { suffix, ..Parameter::new(ty, "other") };
                function.body = format!("return {}(1);", function.returns);
            });
            call.mark(Mark::Argument(index));
        });
    }
    for place in [1, 2] {
        for suffix in [String::new(), format!("[{}]", dimensions + 1)] {
            suite.broken(twin, call, rule, &[id], |call| {
                call.change_function(index, |function| function.parameters[place].suffix = suffix);
                call.mark(Mark::Argument(index));
            });
        }
    }
    for count in [1, 2, 4] {
        suite.broken(twin, call, "a decode function has three parameters", &[id], |call| {
            call.change_function(index, |function| {
                function.parameters.truncate(count);
                while function.parameters.len() < count {
                    function.parameters.push(Parameter::new("float", "more"));
                }
            });
            call.mark(Mark::Argument(index));
        });
    }
    let scalar = call.places(|argument| matches!(argument, Argument::Function(_))).first() == Some(&index);
    if scalar {
        let component = call.matrix(0).map_or("", |matrix| matrix.component.name());
        for ty in ["int16_t", "uvec2", "void"].into_iter().filter(|&ty| ty != component) {
            suite.broken(twin, call, "a decode function returns a component", &[id], |call| {
                call.change_function(index, |function| {
                    function.returns = ty.to_owned();
                    function.body =
                        if ty == "void" { "return;".to_owned() } else { format!("return {ty}(1);") };
                });
                call.mark(Mark::Argument(index));
            });
        }
    }
    callback(suite, twin, call, index);
}

fn vector_rules(suite: &mut Suite, twin: usize, call: &Call, index: usize, dimensions: usize) {
    let Some(matrix) = call.matrix(0) else { return };
    let rule = "a vector decode function returns 2, 4 or 8 components of the matrix's type";
    let component = matrix.component;
    let other = if component == Scalar::Float32 { "ivec2" } else { "vec2" };
    for ty in [component.name().to_owned(), vector_of(component, 3), other.to_owned()] {
        suite.broken(twin, call, rule, &["nv-decode-vector"], |call| {
            call.change_function(index, |function| {
                function.returns = ty.clone();
                function.body = format!("return {ty}(1);");
            });
            call.mark(Mark::Argument(index));
        });
    }
    if component.class() != ScalarClass::SmallFloat {
        suite.broken(twin, call, rule, &["nv-decode-vector"], |call| {
            let ty = vector_of(component, 16);
            call.extensions.push(ids::GL_EXT_LONG_VECTOR);
            call.change_function(index, |function| {
                function.returns = ty.clone();
                function.body = format!("return {ty}(1);");
            });
            call.mark(Mark::Argument(index));
        });
    }
    for block in [1, 3, 17] {
        suite.broken(
            twin,
            call,
            "the innermost block size is a multiple of what the vector function decodes",
            &["nv-decode-block"],
            |call| {
                call.change_layout(3, |layout| {
                    let mut blocks = vec![1; dimensions];
                    blocks[dimensions - 1] = block;
                    layout.blocks = Some(blocks);
                });
                call.mark(Mark::Argument(index));
            },
        );
    }
    suite.broken(twin, call, "no more than two functions", &["nv-tensor-arguments"], |call| {
        call.arguments.push(Argument::Function(Callback::decode(component, dimensions, 1)));
        call.mark(Mark::Argument(call.arguments.len() - 1));
    });
    suite.broken(twin, call, "the extension is enabled", &["missing-extension"], |call| {
        call.without.push(ids::GL_NV_COOPERATIVE_MATRIX_DECODE_VECTOR);
        call.mark(Mark::Argument(index));
    });
}

pub fn layout_creation(suite: &mut Suite, twin: usize, call: &Call) {
    for value in ["0", "6", "-1"] {
        suite.broken(twin, call, "1 to 5 dimensions", &["nv-tensor-dimension"], |call| {
            call.result = None;
            call.put(0, Argument::value(value));
        });
    }
    suite.broken(twin, call, "a layout of another type is another type", &["type-mismatch"], |call| {
        call.result = Some("tensorLayoutNV<3, gl_CooperativeMatrixClampModeRepeatNV>".to_owned());
        call.mark(Mark::Call);
    });
}

pub fn view_creation(suite: &mut Suite, twin: usize, call: &Call) {
    let permutation = 2..call.arguments.len();
    if call.arguments.len() <= 2 {
        for value in ["0", "6", "-1"] {
            suite.broken(twin, call, "1 to 5 dimensions", &["nv-tensor-dimension"], |call| {
                call.result = None;
                call.put(0, Argument::value(value));
            });
        }
    }
    let dimensions = permutation.len();
    for index in permutation {
        suite.broken(
            twin,
            call,
            "an entry of a permutation names a dimension",
            &["nv-tensor-view-permutation"],
            |call| {
                call.result = None;
                call.put(index, Argument::value(dimensions));
            },
        );
        if index > 2 {
            suite.broken(
                twin,
                call,
                "each dimension once in a permutation",
                &["nv-tensor-view-permutation"],
                |call| {
                    call.result = None;
                    call.put(index, call.arguments[2].clone());
                },
            );
        }
        suite.broken(
            twin,
            call,
            "what becomes part of a type is constant",
            &["nv-tensor-constant"],
            |call| {
                call.result = None;
                let locals = vec!["uint changing = 0;".to_owned()];
                call.put(index, Argument::Text { top: vec![], locals, expression: "changing".to_owned() });
            },
        );
    }
    if dimensions > 1 {
        suite.broken(
            twin,
            call,
            "an entry of the permutation for each dimension",
            &["nv-tensor-arguments"],
            |call| {
                call.result = None;
                call.arguments.pop();
                call.mark(Mark::Callee);
            },
        );
    }
    if dimensions > 0 {
        suite.broken(
            twin,
            call,
            "an entry of the permutation for each dimension",
            &["nv-tensor-arguments"],
            |call| {
                call.result = None;
                call.arguments.push(Argument::value(dimensions));
                call.mark(Mark::Callee);
            },
        );
    }
    suite.broken(twin, call, "a view of another type is another type", &["type-mismatch"], |call| {
        call.result = Some("tensorViewNV<4, true, 3, 1, 2, 0>".to_owned());
        call.mark(Mark::Call);
    });
}

pub fn changes(suite: &mut Suite, twin: usize, call: &Call) {
    let dimensions = match call.arguments.first() {
        Some(Argument::Layout(layout)) => layout.dimensions(),
        Some(Argument::View(view)) => view.dimensions,
        _ => return,
    };
    let count = values_of(call.function, dimensions);
    if call.function.variadic {
        suite.broken(
            twin,
            call,
            "as many values as the layout or view has dimensions",
            &["nv-tensor-arguments"],
            |call| {
                call.arguments.push(Argument::value(1));
                call.mark(Mark::Callee);
            },
        );
        if count > 1 {
            suite.broken(
                twin,
                call,
                "as many values as the layout or view has dimensions",
                &["nv-tensor-arguments"],
                |call| {
                    call.arguments.pop();
                    call.mark(Mark::Callee);
                },
            );
        }
    }
    let sizes: Vec<usize> = match call.function.instruction {
        "OpTensorLayoutSetBlockSizeNV" | "OpTensorLayoutSetDimensionNV" | "OpTensorViewSetDimensionNV" => {
            (1..=count).collect()
        }
        "OpTensorLayoutSliceNV" => (2..=count).step_by(2).collect(),
        _ => Vec::new(),
    };
    for index in sizes {
        suite.broken(twin, call, "a size is 1 or more", &["nv-tensor-size"], |call| {
            call.put(index, Argument::value("0"));
        });
    }
    if call.function.instruction == "OpTensorLayoutSetClampValueNV" {
        for clamp in sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE.iter().map(|(_, mode)| mode.value) {
            if clamp == values::GL_COOPERATIVE_MATRIX_CLAMP_MODE_CONSTANT_NV {
                continue;
            }
            suite.broken(twin, call, "a clamp value is used", &["nv-clamp-value"], |call| {
                call.result = None;
                call.change_layout(0, |layout| layout.clamp = clamp);
                call.mark(Mark::Callee);
            });
        }
    }
    for index in 1..call.arguments.len() {
        for value in ["1.0", "true"] {
            suite.broken(twin, call, "the values are integers of 32 bits", &["type-mismatch"], |call| {
                call.result = None;
                call.put(index, Argument::value(value));
            });
        }
    }
}
