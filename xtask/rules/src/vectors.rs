//! Valid calls of the functions of cooperative vectors: a plain one, and one that differs in each respect that their rules leave open.

use std::fmt;

use coopmat_analysis::extensions::{BuiltinFunction, ids, sets, values};
use coopmat_analysis::types::Scalar;

use crate::call::{Argument, Call};
use crate::parts::{Memory, Place, Size, named, numbers, one, provider};
use crate::shader::Shader;
use crate::valid::index_of;

/// `coopvecNV<...>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    pub component: Scalar,
    pub length: Size,
}

impl Vector {
    pub fn new(component: Scalar, length: u32) -> Vector {
        Vector { component, length: Size::Of(length) }
    }

    /// Enables and declares what the type needs.
    pub fn declare(self, shader: &mut Shader) {
        shader.require(ids::GL_NV_COOPERATIVE_VECTOR);
        if let Some(provider) = provider(self.component) {
            shader.require(provider);
        }
        self.length.declare(shader);
    }

    /// Construction from one number.
    pub fn filled(self) -> String {
        format!("{self}({})", one(self.component))
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "coopvecNV<{}, {}>", self.component.name(), self.length)
    }
}

/// The components of results, and of inputs that are converted.
pub const COMPUTED: [Scalar; 4] = [Scalar::Float16, Scalar::Float32, Scalar::Int32, Scalar::Uint32];

pub const ROW_MAJOR: i64 = values::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
pub const COLUMN_MAJOR: i64 = values::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT_COLUMN_MAJOR_NV;
pub const INFERENCING: i64 = values::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV;
pub const TRAINING: i64 = values::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT_TRAINING_OPTIMAL_NV;
pub const HALF: i64 = values::GL_COMPONENT_TYPE_FLOAT16_NV;
pub const SINGLE: i64 = values::GL_COMPONENT_TYPE_FLOAT32_NV;
pub const SIGNED: i64 = values::GL_COMPONENT_TYPE_SIGNED_INT8_NV;
pub const UNSIGNED: i64 = values::GL_COMPONENT_TYPE_UNSIGNED_INT8_NV;
pub const INT: i64 = values::GL_COMPONENT_TYPE_SIGNED_INT32_NV;
pub const SIGNED_PACKED: i64 = values::GL_COMPONENT_TYPE_SIGNED_INT8_PACKED_NV;
pub const UNSIGNED_PACKED: i64 = values::GL_COMPONENT_TYPE_UNSIGNED_INT8_PACKED_NV;
pub const E4M3: i64 = values::GL_COMPONENT_TYPE_FLOAT_E4_M3_NV;
pub const E5M2: i64 = values::GL_COMPONENT_TYPE_FLOAT_E5_M2_NV;

/// The name of an interpretation.
pub fn interpretation(value: i64) -> String {
    named(sets::GL_COMPONENT_TYPE, value)
}

/// The name of a layout.
pub fn layout(value: i64) -> String {
    named(sets::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT, value)
}

/// What a product is made of; the arguments follow from it.
#[derive(Clone, Debug)]
struct Product {
    rows: Size,
    columns: u32,
    input: Vector,
    input_as: i64,
    matrix: Memory,
    matrix_as: i64,
    bias: Memory,
    bias_as: i64,
    result: Scalar,
    layout: i64,
    transpose: bool,
    stride: u32,
}

impl Product {
    fn call(&self, function: &'static BuiltinFunction) -> Call {
        let mut arguments = vec![
            Argument::Vector(Vector { component: self.result, length: self.rows }),
            Argument::Vector(self.input),
            Argument::Value(interpretation(self.input_as)),
            Argument::Memory(self.matrix.clone()),
            Argument::value(index_of(function, 0)),
            Argument::Value(interpretation(self.matrix_as)),
        ];
        if has_bias(function) {
            arguments.extend([
                Argument::Memory(self.bias.clone()),
                Argument::value(index_of(function, 0)),
                Argument::Value(interpretation(self.bias_as)),
            ]);
        }
        arguments.extend([
            Argument::value(self.rows),
            Argument::value(self.columns),
            Argument::Value(layout(self.layout)),
            Argument::value(self.transpose),
            Argument::value(self.stride),
        ]);
        Call::new(function, arguments)
    }
}

/// Whether a product adds a bias.
pub fn has_bias(function: &BuiltinFunction) -> bool {
    function.instruction == "OpCooperativeVectorMatrixMulAddNV"
}

/// The valid calls of `coopVecMatMulNV` and `coopVecMatMulAddNV`.
pub fn products(function: &'static BuiltinFunction) -> Vec<Call> {
    let plain = Product {
        rows: Size::Of(32),
        columns: 16,
        input: Vector::new(Scalar::Float16, 16),
        input_as: HALF,
        matrix: Memory::new(Scalar::Float16),
        matrix_as: HALF,
        bias: Memory::new(Scalar::Float16),
        bias_as: HALF,
        result: Scalar::Float16,
        layout: ROW_MAJOR,
        transpose: false,
        stride: 64,
    };
    let mut all = vec![plain.clone()];
    for layout in [COLUMN_MAJOR, INFERENCING, TRAINING] {
        all.push(Product { layout, ..plain.clone() });
    }
    for layout in [INFERENCING, TRAINING] {
        all.push(Product { layout, transpose: true, stride: 0, ..plain.clone() });
    }
    all.push(Product { rows: Size::Constant(0, 32), ..plain.clone() });
    all.push(Product { matrix: Memory::new(Scalar::Float16).at(Place::Reference), ..plain.clone() });
    // The elements of the arrays are any numbers: bytes are read.
    for element in numbers().filter(|element| element.bits() >= 8) {
        all.push(Product { matrix: Memory::new(element), bias: Memory::new(element), ..plain.clone() });
    }
    for component in COMPUTED {
        for (input_as, matrix_as, bias_as, result) in [
            (HALF, HALF, HALF, Scalar::Float16),
            (SIGNED, SIGNED, INT, Scalar::Int32),
            (UNSIGNED, SIGNED, INT, Scalar::Int32),
            (SINGLE, SINGLE, SINGLE, Scalar::Float32),
        ] {
            let input = Vector { component, ..plain.input };
            all.push(Product { input, input_as, matrix_as, bias_as, result, ..plain.clone() });
        }
    }
    // Components that are what they are interpreted as.
    for (component, kind) in [(Scalar::Int8, SIGNED), (Scalar::Uint8, UNSIGNED)] {
        let input = Vector { component, ..plain.input };
        let sums = Product { input_as: kind, matrix_as: SIGNED, bias_as: INT, ..plain.clone() };
        all.push(Product { input, result: Scalar::Int32, ..sums });
    }
    for (packed, words) in [(SIGNED_PACKED, 4), (UNSIGNED_PACKED, 4), (SIGNED_PACKED, 5)] {
        let input = Vector::new(Scalar::Uint32, words);
        let sums = Product { input_as: packed, matrix_as: SIGNED, bias_as: INT, ..plain.clone() };
        all.push(Product { input, result: Scalar::Int32, ..sums });
    }
    for bytes in [E4M3, E5M2] {
        all.push(Product { input_as: bytes, matrix_as: bytes, layout: INFERENCING, ..plain.clone() });
    }
    all.iter().map(|product| product.call(function)).collect()
}

/// Arrays of every kind of memory and of elements, of which some are vectors.
fn memories(shared: bool) -> Vec<Memory> {
    let mut all = vec![Memory::new(Scalar::Float16), Memory::new(Scalar::Float16).at(Place::Reference)];
    for (element, count) in
        [(Scalar::Uint32, 4), (Scalar::Float32, 2), (Scalar::Uint8, 1), (Scalar::Uint64, 1)]
    {
        all.push(Memory { count, ..Memory::new(element) });
    }
    if shared {
        all.extend([Scalar::Float16, Scalar::Uint32].map(|element| Memory::new(element).at(Place::Shared)));
    }
    all
}

/// The valid calls of `coopVecOuterProductAccumulateNV` and `coopVecReduceSumAccumulateNV`.
pub fn accumulations(function: &'static BuiltinFunction) -> Vec<Call> {
    let vector = Argument::Vector(Vector::new(Scalar::Float16, 16));
    let call = |memory: Memory| {
        let (memory, start) = (Argument::Memory(memory), Argument::value(index_of(function, 0)));
        let arguments = match is_outer_product(function) {
            true => vec![
                vector.clone(),
                Argument::Vector(Vector::new(Scalar::Float16, 32)),
                memory,
                start,
                Argument::value(0),
                Argument::Value(layout(TRAINING)),
                Argument::Value(interpretation(HALF)),
            ],
            false => vec![vector.clone(), memory, start],
        };
        Call::new(function, arguments)
    };
    let mut calls: Vec<Call> = memories(false).into_iter().map(&call).collect();
    let mut plain = call(Memory::new(Scalar::Float16));
    plain.arguments[0] =
        Argument::Vector(Vector { component: Scalar::Float16, length: Size::Constant(0, 8) });
    calls.push(plain.clone());
    match is_outer_product(function) {
        true => plain.arguments[6] = Argument::Value(interpretation(SINGLE)),
        false => plain.arguments[0] = Argument::Vector(Vector::new(Scalar::Float32, 16)),
    }
    calls.push(plain);
    calls
}

/// Whether sums are those of an outer product.
pub fn is_outer_product(function: &BuiltinFunction) -> bool {
    function.instruction == "OpCooperativeVectorOuterProductAccumulateNV"
}

/// The valid calls of `coopVecLoadNV` and `coopVecStoreNV`.
pub fn accesses(function: &'static BuiltinFunction) -> Vec<Call> {
    let call = |component: Scalar, length: Size, memory: Memory| {
        let arguments = vec![
            Argument::Vector(Vector { component, length }),
            Argument::Memory(memory),
            Argument::value(index_of(function, 0)),
        ];
        Call::new(function, arguments)
    };
    let mut calls: Vec<Call> =
        memories(true).into_iter().map(|memory| call(Scalar::Float16, Size::Of(16), memory)).collect();
    for component in numbers().filter(|component| component.bits() >= 8) {
        calls.push(call(component, Size::Of(16), Memory::new(Scalar::Uint32)));
    }
    calls.push(call(Scalar::Float16, Size::Constant(0, 5), Memory::new(Scalar::Float16)));
    calls
}
