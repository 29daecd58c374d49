//! Valid calls of every matrix function in the tables: a plain one, and one that differs in each respect that its rules leave open.

use coopmat_analysis::extensions::{self, BuiltinFunction, Pattern, Rule, ids, sets, values};
use coopmat_analysis::types::{Scalar, ScalarClass, ScalarClassNv};

use crate::call::{Argument, Call};
use crate::parts::{
    Array, Callback, Layout, Matrix, MatrixNv, Memory, PLACES, Place, SCOPE_SUBGROUP, SCOPE_WORKGROUP, Size,
    USE_A, USE_ACCUMULATOR, USE_B, View, constants, named, numbers, provider, vector_of,
};
use crate::vectors;

/// The functions that take matrices, or what matrices are loaded through, or cooperative vectors and memory, in the order of the tables.
pub fn functions() -> impl Iterator<Item = &'static BuiltinFunction> {
    extensions::all_functions().map(|(_, function)| function).filter(|function| {
        let takes_matrix = function
            .parameters
            .iter()
            .any(|parameter| matches!(parameter.pattern, Pattern::AnyCoopmat | Pattern::AnyCoopmatNv));
        let of_vectors = function.is_provided_by(ids::GL_NV_COOPERATIVE_VECTOR) && function.rule.is_some();
        takes_matrix
            || of_vectors
            || function.rule.is_some_and(|rule| rule.is_of_matrices() || rule == Rule::Convert)
    })
}

/// The valid calls of a function, the plain one first.
pub fn calls(function: &'static BuiltinFunction) -> Vec<Call> {
    match function.rule {
        Some(Rule::CoopMatLoad | Rule::CoopMatStore) => accesses(function),
        Some(Rule::CoopMatMulAdd) => multiplications(function),
        Some(Rule::CoopMatLoadTensor) => {
            let mut calls = tensor_accesses(function);
            calls.extend(decodings(function));
            calls
        }
        Some(Rule::CoopMatStoreTensor) => tensor_accesses(function),
        Some(Rule::CoopMatReduce) => reductions(function),
        Some(Rule::CoopMatPerElement) => element_operations(function),
        Some(Rule::CoopMatTranspose) => transpositions(function),
        Some(Rule::CreateTensorLayout) => layout_creations(function),
        Some(Rule::CreateTensorView) => view_creations(function),
        Some(Rule::SetTensorLayout) => layout_changes(function),
        Some(Rule::SetTensorView) => view_changes(function),
        Some(Rule::BitcastQcom) => bit_casts(function),
        Some(Rule::ExtractSubArrayQcom) => sub_arrays(function),
        Some(Rule::VectorToCoopmatQcom) => conversions(function, false),
        Some(Rule::CoopmatToVectorQcom) => conversions(function, true),
        Some(Rule::CoopMatLoadNv | Rule::CoopMatStoreNv) => accesses_nv(function),
        Some(Rule::CoopMatMulAddNv) => multiplications_nv(function),
        Some(Rule::Convert) => saturations(function),
        Some(Rule::CoopMatCoordinate) => coordinates(function),
        Some(Rule::CoopVecMatMul) => vectors::products(function),
        Some(Rule::CoopVecAccumulate) => vectors::accumulations(function),
        Some(Rule::CoopVecLoad | Rule::CoopVecStore) => vectors::accesses(function),
        Some(
            Rule::Atomic
            | Rule::Barrier
            | Rule::Subgroup
            | Rule::SubgroupClustered
            | Rule::DebugPrintf
            | Rule::Abort
            | Rule::TensorAccessArm
            | Rule::TensorSizeArm
            | Rule::NotAnalysed,
        )
        | None => Vec::new(),
    }
}

/// Whether a function is of GL_EXT_cooperative_matrix_maintenance1, rather than of GL_NV_cooperative_matrix2.
pub fn is_maintenance(function: &BuiltinFunction) -> bool {
    function.is_provided_by(ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1)
}

/// A vendor's suffix: the constants of a function have the same.
pub fn suffix(function: &BuiltinFunction) -> &'static str {
    if is_maintenance(function) { "EXT" } else { "NV" }
}

/// The matrices that a load or a store is tried with: every component type, use, scope and some shapes.
fn matrices(component: Scalar) -> Vec<Matrix> {
    let plain = Matrix::new(component, 16, 16, USE_A);
    let mut all = vec![plain];
    all.extend(numbers().filter(|&other| other != component).map(|component| Matrix { component, ..plain }));
    all.extend([USE_B, USE_ACCUMULATOR].map(|usage| Matrix { usage, ..plain }));
    all.push(plain.of_workgroup());
    for (rows, columns) in [(8, 32), (32, 8), (64, 16)] {
        all.push(Matrix { rows: Size::Of(rows), columns: Size::Of(columns), ..plain });
    }
    all.push(Matrix { rows: Size::Constant(0, 16), columns: Size::Constant(1, 32), ..plain });
    all
}

/// An element or a byte by its number, of the type that the overload has: a literal fits either.
pub fn index_of(function: &BuiltinFunction, number: u32) -> String {
    let wide = function.parameters.iter().any(|p| p.pattern == Pattern::Scalar(Scalar::Uint64));
    if wide { format!("uint64_t({number})") } else { number.to_string() }
}

/// Elements of the array from one row (or column) to the next.
pub fn stride(matrix: Matrix, memory: &Memory, column_major: bool) -> u32 {
    let line = if column_major { matrix.rows } else { matrix.columns };
    (line.value() * matrix.component.bytes()).div_ceil(memory.bytes()).max(1)
}

fn access(function: &'static BuiltinFunction, matrix: Matrix, memory: Memory, layout: i64) -> Call {
    // Blocks that are interleaved in memory have a stride of their own.
    let stride = if layout > 1 { 1 } else { stride(matrix, &memory, layout == 1) };
    let set = sets::GL_COOPERATIVE_MATRIX_LAYOUT;
    Call::new(
        function,
        vec![
            Argument::Matrix(matrix),
            Argument::Memory(memory),
            Argument::value(index_of(function, 0)),
            Argument::value(stride),
            Argument::Value(named(set, layout)),
        ],
    )
}

fn accesses(function: &'static BuiltinFunction) -> Vec<Call> {
    let component = Scalar::Float16;
    let plain = Matrix::new(component, 16, 16, USE_A);
    let memory_of = |component: Scalar| {
        // Formats below 8 bits are kept in bytes.
        Memory::new(if component.bits() < 8 { Scalar::Uint8 } else { component })
    };
    let mut calls: Vec<Call> = matrices(component)
        .into_iter()
        .map(|matrix| access(function, matrix, memory_of(matrix.component), 0))
        .collect();
    for layout in constants(sets::GL_COOPERATIVE_MATRIX_LAYOUT) {
        calls.push(access(function, plain, memory_of(component), layout.value));
    }
    for place in PLACES {
        for (element, count) in [
            (component, 2),
            (component, 4),
            (Scalar::Float32, 1),
            (Scalar::Uint32, 1),
            (Scalar::Uint32, 4),
            (Scalar::Uint8, 1),
        ] {
            let memory = Memory { count, ..Memory::new(element) }.at(place);
            calls.push(access(function, plain, memory, 0));
        }
        calls.push(access(function, plain, Memory::new(component).at(place), 0));
    }
    let store = function.rule == Some(Rule::CoopMatStore);
    let qualifiers: [&str; 4] =
        ["coherent", "volatile", "restrict", if store { "writeonly" } else { "readonly" }];
    for qualifiers in qualifiers {
        calls.push(access(function, plain, Memory { qualifiers, ..Memory::new(component) }, 0));
    }
    calls
}

/// What sums of products of these components are kept in.
fn accumulators(component: Scalar) -> Vec<Scalar> {
    match component.class() {
        ScalarClass::Float if component == Scalar::Float16 => vec![component, Scalar::Float32],
        ScalarClass::Float => vec![component],
        ScalarClass::SmallFloat => vec![Scalar::Float32, Scalar::Float16],
        ScalarClass::Signed => vec![Scalar::Int32],
        ScalarClass::Unsigned | ScalarClass::Bool => vec![Scalar::Uint32, Scalar::Int32],
    }
}

pub fn product(function: &'static BuiltinFunction, [a, b, c]: [Scalar; 3], [m, n, k]: [Size; 3]) -> Call {
    let matrix =
        |component, rows, columns, usage| Matrix { component, scope: SCOPE_SUBGROUP, rows, columns, usage };
    let c = matrix(c, m, n, USE_ACCUMULATOR);
    let arguments = vec![
        Argument::Matrix(matrix(a, m, k, USE_A)),
        Argument::Matrix(matrix(b, k, n, USE_B)),
        Argument::Matrix(c),
    ];
    Call::new(function, arguments).giving(c)
}

fn multiplications(function: &'static BuiltinFunction) -> Vec<Call> {
    let sizes = |m, n, k| [Size::Of(m), Size::Of(n), Size::Of(k)];
    let half = [Scalar::Float16; 3];
    let mut calls = vec![product(function, half, sizes(16, 16, 16))];
    for component in numbers() {
        for accumulator in accumulators(component) {
            calls.push(product(function, [component, component, accumulator], sizes(16, 8, 32)));
        }
    }
    calls.push(product(function, [Scalar::Int8, Scalar::Uint8, Scalar::Int32], sizes(16, 16, 32)));
    calls.push(product(function, [Scalar::FloatE4M3, Scalar::FloatE5M2, Scalar::Float32], sizes(16, 16, 32)));
    calls.push(product(
        function,
        half,
        [Size::Constant(0, 16), Size::Constant(1, 32), Size::Constant(2, 64)],
    ));
    let mut of_workgroup = product(function, half, sizes(64, 64, 32)).giving("");
    for index in 0..3 {
        of_workgroup.change(index, |matrix| *matrix = matrix.of_workgroup());
    }
    of_workgroup.result = of_workgroup.matrix(2).map(|matrix| matrix.to_string());
    calls.push(of_workgroup);
    for (component, accumulator) in [(Scalar::Int8, Scalar::Int32), (Scalar::Uint8, Scalar::Uint32)] {
        let mut masked = product(function, [component, component, accumulator], sizes(16, 16, 32));
        masked.arguments.push(Argument::value("0"));
        calls.push(masked.clone());
        for constant in constants(sets::GL_MATRIX_OPERANDS) {
            masked.arguments[3] = Argument::value(constant.name);
            calls.push(masked.clone());
        }
    }
    calls
}

/// A layout of a tensor with this many dimensions, of which as many elements as a matrix has are accessed.
fn layout_for(matrix: Matrix, dimensions: usize) -> Layout {
    let (rows, columns) = (matrix.rows.value(), matrix.columns.value());
    let mut sizes = vec![1; dimensions];
    match sizes.as_mut_slice() {
        [only] => *only = rows * columns,
        [.., before, last] => (*before, *last) = (rows, columns),
        [] => {}
    }
    Layout::new(&sizes)
}

fn tensor_access(function: &'static BuiltinFunction, matrix: Matrix, memory: Memory, layout: Layout) -> Call {
    Call::new(
        function,
        vec![
            Argument::Matrix(matrix),
            Argument::Memory(memory),
            Argument::value(index_of(function, 0)),
            Argument::Layout(layout),
        ],
    )
}

fn tensor_accesses(function: &'static BuiltinFunction) -> Vec<Call> {
    let plain = Matrix::new(Scalar::Float16, 32, 16, USE_A).of_workgroup();
    let memory = || Memory::new(Scalar::Float16);
    let mut calls = vec![tensor_access(function, plain, memory(), layout_for(plain, 2))];
    for matrix in matrices(Scalar::Float16) {
        let memory = Memory::new(if matrix.component.bits() < 8 { Scalar::Uint8 } else { matrix.component });
        calls.push(tensor_access(function, matrix, memory, layout_for(matrix, 2)));
    }
    for dimensions in 1..=5 {
        calls.push(tensor_access(function, plain, memory(), layout_for(plain, dimensions)));
        let mut viewed = tensor_access(function, plain, memory(), layout_for(plain, dimensions));
        viewed.arguments.push(Argument::View(View { dimensions, own_dimensions: None, permutation: None }));
        calls.push(viewed.clone());
        let permutation = (0..dimensions as u32).rev().collect();
        viewed.arguments[4] =
            Argument::View(View { dimensions, own_dimensions: Some(false), permutation: Some(permutation) });
        viewed.change_layout(3, |layout| layout.sizes.reverse());
        calls.push(viewed);
    }
    for clamp in constants(sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE) {
        let layout = Layout { clamp: clamp.value, short: false, ..layout_for(plain, 2) };
        calls.push(tensor_access(function, plain, memory(), layout.clone()));
        if clamp.value > 0 {
            let slice = Some(vec![(-16, 32), (8, 16)]);
            calls.push(tensor_access(function, plain, memory(), Layout { slice, ..layout }));
        }
    }
    for place in PLACES {
        for memory in [memory(), Memory { count: 2, ..memory() }, Memory::new(Scalar::Uint32)] {
            calls.push(tensor_access(function, plain, memory.at(place), layout_for(plain, 2)));
        }
    }
    let large = Layout { slice: Some(vec![(64, 32), (16, 16)]), ..Layout::new(&[256, 128]) };
    calls.push(tensor_access(function, plain, memory(), large.clone()));
    let strided = Layout {
        further: vec!["LAYOUT = setTensorLayoutStrideNV(LAYOUT, 256, 1);".to_owned()],
        ..large.clone()
    };
    calls.push(tensor_access(function, plain, memory(), strided));
    if function.rule == Some(Rule::CoopMatLoadTensor) {
        let blocks = Layout { blocks: Some(vec![1, 32]), ..large };
        calls.push(tensor_access(function, plain, memory(), blocks));
    }
    calls
}

/// Loads with functions that decode one element, or several.
fn decodings(function: &'static BuiltinFunction) -> Vec<Call> {
    let plain = Matrix::new(Scalar::Float16, 32, 16, USE_A).of_workgroup();
    let mut calls = Vec::new();
    let mut add = |matrix: Matrix, place: Place, dimensions: usize, width: Option<u32>, view: bool| {
        let mut layout = layout_for(matrix, dimensions);
        let mut blocks = vec![1; dimensions];
        blocks[dimensions - 1] = 16;
        layout.blocks = Some(blocks);
        let memory = Memory::new(Scalar::Uint32).at(place);
        let mut call = tensor_access(function, matrix, memory, layout);
        if view {
            call.arguments.push(Argument::View(View { dimensions, own_dimensions: None, permutation: None }));
        }
        call.arguments.push(Argument::Function(Callback::decode(matrix.component, dimensions, 1)));
        if let Some(width) = width {
            call.arguments.push(Argument::Function(Callback::decode(matrix.component, dimensions, width)));
            call.extensions.push(ids::GL_NV_COOPERATIVE_MATRIX_DECODE_VECTOR);
        }
        calls.push(call);
    };
    for place in [Place::Buffer, Place::Reference] {
        add(plain, place, 2, None, false);
        add(plain, place, 2, Some(2), false);
    }
    for dimensions in 1..=5 {
        add(plain, Place::Buffer, dimensions, None, dimensions % 2 == 0);
        add(plain, Place::Buffer, dimensions, Some(4), dimensions % 2 == 1);
    }
    add(plain, Place::Buffer, 2, Some(8), false);
    for component in numbers().filter(|component| component.class() != ScalarClass::SmallFloat) {
        add(Matrix { component, ..plain }, Place::Buffer, 2, None, false);
        add(Matrix { component, ..plain }, Place::Buffer, 2, Some(2), false);
    }
    calls
}

fn reductions(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    let reduction = |component: Scalar, mask: i64, name: String| {
        let source = Matrix::new(component, 32, 16, USE_ACCUMULATOR).of_workgroup();
        let (rows, columns) = match mask {
            1 => (32, 8),
            2 => (8, 16),
            3 => (64, 64),
            _ => (16, 8),
        };
        let result = Matrix { rows: Size::Of(rows), columns: Size::Of(columns), ..source };
        Call::new(
            function,
            vec![
                Argument::Matrix(result),
                Argument::Matrix(source),
                Argument::Value(name),
                Argument::Function(Callback::combine(component)),
            ],
        )
    };
    let masks: Vec<_> = constants(sets::GL_COOPERATIVE_MATRIX_REDUCE)
        .filter(|constant| constant.name.ends_with(suffix(function)))
        .collect();
    for mask in &masks {
        calls.push(reduction(Scalar::Float16, mask.value, mask.name.to_owned()));
    }
    for component in numbers().filter(|component| component.is_float() || is_maintenance(function)) {
        calls.push(reduction(component, 1, named_with("gl_CooperativeMatrixReduceRow", suffix(function))));
    }
    let mut of_subgroup = calls[0].clone();
    for index in 0..2 {
        of_subgroup.change(index, |matrix| matrix.scope = SCOPE_SUBGROUP);
    }
    calls.push(of_subgroup);
    let mut specialized = calls[0].clone();
    if let Some(mask) = masks.iter().find(|mask| mask.value == 1) {
        specialized.arguments[2] = Argument::value(mask.name);
        specialized.change(0, |matrix| matrix.rows = Size::Constant(0, 32));
        specialized.change(1, |matrix| matrix.rows = Size::Constant(0, 32));
        specialized.change(0, |matrix| matrix.columns = Size::Of(8));
        calls.push(specialized);
    }
    calls
}

fn named_with(prefix: &str, suffix: &str) -> String {
    format!("{prefix}{suffix}")
}

fn element_operations(function: &'static BuiltinFunction) -> Vec<Call> {
    let plain = Matrix::new(Scalar::Float16, 32, 16, USE_ACCUMULATOR).of_workgroup();
    let operation = |matrix: Matrix, further: Vec<Argument>, types: &[&str]| {
        let mut arguments = vec![
            Argument::Matrix(matrix),
            Argument::Matrix(matrix),
            Argument::Function(Callback::element(matrix.component, types)),
        ];
        arguments.extend(further);
        Call::new(function, arguments)
    };
    let mut calls = vec![operation(plain, vec![], &[])];
    for component in numbers() {
        calls.push(operation(Matrix { component, ..plain }, vec![], &[]));
    }
    for usage in [USE_A, USE_B] {
        calls.push(operation(Matrix { usage, ..plain }, vec![], &[]));
    }
    calls.push(operation(Matrix { scope: SCOPE_SUBGROUP, ..plain }, vec![], &[]));
    calls.push(operation(plain, vec![Argument::value("1.0")], &["float"]));
    calls.push(operation(plain, vec![Argument::Matrix(plain)], &["float16_t"]));
    let scalars = vec![Argument::value("1"), Argument::Matrix(plain), Argument::value("vec4(1.0)")];
    calls.push(operation(plain, scalars, &["int", "float16_t", "vec4"]));
    let sized = Matrix { rows: Size::Constant(0, 32), columns: Size::Constant(1, 16), ..plain };
    calls.push(operation(sized, vec![], &[]));
    calls
}

fn transpositions(function: &'static BuiltinFunction) -> Vec<Call> {
    let plain = Matrix::new(Scalar::Float16, 32, 16, USE_ACCUMULATOR).of_workgroup();
    let transposed = |source: Matrix| {
        let result = Matrix { rows: source.columns, columns: source.rows, usage: USE_B, ..source };
        Call::new(function, vec![Argument::Matrix(result), Argument::Matrix(source)])
    };
    let mut calls = vec![transposed(plain)];
    calls.extend(numbers().map(|component| transposed(Matrix { component, ..plain })));
    calls.push(transposed(Matrix { scope: SCOPE_SUBGROUP, ..plain }));
    calls.push(transposed(Matrix { rows: Size::Constant(0, 32), columns: Size::Constant(1, 16), ..plain }));
    if is_maintenance(function) {
        use Scalar::{BFloat16, Float16, Float32, Int8, Int32, Uint8, Uint16, Uint32, Uint64};
        let mut converted = |from: Scalar, to: Scalar, usage: i64| {
            let mut call = transposed(Matrix { component: from, ..plain });
            call.change(0, |matrix| (matrix.component, matrix.usage) = (to, usage));
            calls.push(call);
        };
        for component in numbers() {
            converted(component, component, USE_A);
        }
        let pairs = [
            (Float32, Float16),
            (Float32, BFloat16),
            (Float16, Float32),
            (Float32, Int8),
            (Float32, Uint8),
            (Int32, Float16),
            (Int32, Int8),
            (Int32, Uint8),
            (Int32, Uint32),
            (Uint16, Int8),
            (Uint64, Int32),
        ];
        for (from, to) in pairs {
            converted(from, to, USE_A);
            converted(from, to, USE_B);
        }
    }
    calls
}

fn layout_creations(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    for dimensions in 1..=5 {
        calls.push(
            Call::new(function, vec![Argument::value(dimensions)])
                .giving(format!("tensorLayoutNV<{dimensions}>")),
        );
    }
    for clamp in constants(sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE) {
        let arguments = vec![Argument::value("2"), Argument::value(clamp.name)];
        calls.push(Call::new(function, arguments).giving(format!("tensorLayoutNV<2, {}>", clamp.name)));
    }
    calls
}

fn view_creations(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    for dimensions in 1..=5usize {
        for (own_dimensions, permuted) in
            [(None, false), (Some(false), false), (Some(true), false), (Some(true), true)]
        {
            let permutation = permuted.then(|| (0..dimensions as u32).rev().collect());
            let view = View { dimensions, own_dimensions, permutation };
            let arguments = view.arguments().split(", ").map(Argument::value).collect();
            calls.push(Call::new(function, arguments).giving(view.ty()));
        }
    }
    calls
}

/// How many values follow the layout or view of so many dimensions: from the instruction, as its text counts them.
pub fn values_of(function: &BuiltinFunction, dimensions: usize) -> usize {
    if function.instruction == "OpTensorLayoutSliceNV" {
        2 * dimensions
    } else if function.variadic {
        dimensions
    } else {
        function.parameters.len() - 1
    }
}

fn layout_changes(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    for dimensions in 1..=5 {
        let mut layout = Layout::new(&vec![16; dimensions]);
        if function.instruction == "OpTensorLayoutSetClampValueNV" {
            (layout.clamp, layout.short) = (values::GL_COOPERATIVE_MATRIX_CLAMP_MODE_CONSTANT_NV, false);
        }
        let ty = layout.ty();
        let mut arguments = vec![Argument::Layout(layout)];
        let count = values_of(function, dimensions);
        arguments.extend((0..count).map(|index| {
            Argument::value(match function.instruction {
                // Strides that pack the dimensions densely.
                "OpTensorLayoutSetStrideNV" => 16u32.pow((count - 1 - index) as u32),
                "OpTensorLayoutSliceNV" => 8,
                _ => 1,
            })
        }));
        calls.push(Call::new(function, arguments).giving(ty));
    }
    calls
}

fn view_changes(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    for dimensions in 1..=5 {
        let view = View { dimensions, own_dimensions: Some(true), permutation: None };
        let ty = view.ty();
        let mut arguments = vec![Argument::View(view)];
        let count = values_of(function, dimensions);
        arguments.extend((0..count).map(|index| Argument::value(16u32.pow((count - 1 - index) as u32))));
        calls.push(Call::new(function, arguments).giving(ty));
    }
    calls
}

/// Elements of the arrays that `bitcastQCOM` and `extractSubArrayQCOM` take.
pub const ARRAY_ELEMENTS: [Scalar; 4] = [Scalar::Int32, Scalar::Uint32, Scalar::Float32, Scalar::Float16];

fn bit_casts(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    for source in ARRAY_ELEMENTS {
        for target in ARRAY_ELEMENTS {
            let array =
                |element: Scalar| Argument::Array(Array { element, length: Size::Of(32 / element.bytes()) });
            calls.push(Call::new(function, vec![array(source), array(target)]));
        }
    }
    let word = |length| Argument::Array(Array { element: Scalar::Uint32, length });
    let same = Size::Constant(0, 8);
    calls.push(Call::new(function, vec![word(same), word(same)]));
    calls
}

fn sub_arrays(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    for element in ARRAY_ELEMENTS {
        for (source, target, start) in [(32, 8, 0), (32, 8, 24), (16, 16, 0)] {
            let array = |length| Argument::Array(Array { element, length: Size::Of(length) });
            calls.push(Call::new(function, vec![array(source), Argument::value(start), array(target)]));
        }
    }
    calls
}

/// Matrices and arrays that `vectorToCoopmatQCOM` and `coopmatToVectorQCOM` exchange.
fn conversions(function: &'static BuiltinFunction, to_array: bool) -> Vec<Call> {
    let mut pairs: Vec<(Matrix, Array)> = Vec::new();
    let array = |element, length| Array { element, length: Size::Of(length) };
    for component in [Scalar::Float16, Scalar::Float32, Scalar::Int8, Scalar::Uint8] {
        let line = 32 / component.bytes();
        for (usage, rows, columns) in [(USE_A, 64, line), (USE_B, line, 64)] {
            let matrix = Matrix::new(component, rows, columns, usage);
            pairs.push((matrix, array(component, line)));
            pairs.push((matrix, array(Scalar::Uint32, 8)));
        }
    }
    for component in [Scalar::Float16, Scalar::Float32, Scalar::Int32, Scalar::Uint32] {
        for columns in [16, 32, 64] {
            let matrix = Matrix::new(component, 64, columns, USE_ACCUMULATOR);
            pairs.push((matrix, array(component, columns)));
            let packed = if component == Scalar::Float16 { columns / 2 } else { columns };
            pairs.push((matrix, array(Scalar::Uint32, packed)));
        }
    }
    pairs
        .into_iter()
        .map(|(matrix, array)| {
            let (matrix, array) = (Argument::Matrix(matrix), Argument::Array(array));
            let arguments = if to_array { vec![matrix, array] } else { vec![array, matrix] };
            let mut call = Call::new(function, arguments);
            call.settings.subgroup_size = Some(64);
            call
        })
        .collect()
}

/// The types of GL_NV_cooperative_matrix: each kind with each of its widths.
pub fn types_nv() -> Vec<MatrixNv> {
    let mut all = Vec::new();
    let kinds: [(ScalarClassNv, &[u32]); 3] = [
        (ScalarClassNv::Float, &[16, 32, 64]),
        (ScalarClassNv::Signed, &[8, 16, 32, 64]),
        (ScalarClassNv::Unsigned, &[8, 16, 32, 64]),
    ];
    for (class, widths) in kinds {
        for &bits in widths {
            all.push(MatrixNv { class, bits, scope: SCOPE_SUBGROUP, rows: 16, columns: 16 });
        }
    }
    all
}

fn accesses_nv(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    let access = |matrix: MatrixNv, memory: Memory, column_major: bool| {
        let stride = (16 * matrix.component().bytes()).div_ceil(memory.bytes()).max(1);
        Call::new(
            function,
            vec![
                Argument::MatrixNv(matrix),
                Argument::Memory(memory),
                Argument::value("0"),
                Argument::value(stride),
                Argument::value(column_major),
            ],
        )
    };
    for matrix in types_nv() {
        for column_major in [false, true] {
            calls.push(access(matrix, Memory::new(matrix.component()), column_major));
        }
    }
    let plain = types_nv()[0];
    calls.push(access(MatrixNv { scope: SCOPE_WORKGROUP, ..plain }, Memory::new(Scalar::Float16), false));
    for place in PLACES {
        for memory in [
            Memory::new(Scalar::Float16),
            Memory { count: 4, ..Memory::new(Scalar::Uint32) },
            Memory { count: 2, ..Memory::new(Scalar::Uint32) },
        ] {
            calls.push(access(plain, memory.at(place), false));
        }
    }
    calls
}

fn multiplications_nv(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    let product = |class, bits, accumulator_bits, scope| {
        let matrix = |bits, rows, columns| MatrixNv { class, bits, scope, rows, columns };
        let c = matrix(accumulator_bits, 16, 8);
        let arguments = [matrix(bits, 16, 32), matrix(bits, 32, 8), c].map(Argument::MatrixNv);
        Call::new(function, arguments.into()).giving(c)
    };
    for matrix in types_nv() {
        let accumulator = matrix.bits.max(32);
        calls.push(product(matrix.class, matrix.bits, accumulator, SCOPE_SUBGROUP));
    }
    calls.push(product(ScalarClassNv::Float, 16, 16, SCOPE_SUBGROUP));
    calls.push(product(ScalarClassNv::Float, 16, 32, SCOPE_WORKGROUP));
    calls
}

/// The small formats that `saturatedConvertEXT` gives.
pub fn small_formats() -> impl Iterator<Item = Scalar> {
    numbers().filter(|scalar| matches!(scalar, Scalar::FloatE4M3 | Scalar::FloatE5M2))
}

fn saturations(function: &'static BuiltinFunction) -> Vec<Call> {
    let mut calls = Vec::new();
    // Each format is brought by an extension of its own, which brings the function too.
    for small in small_formats() {
        let target = Matrix::new(small, 16, 16, USE_A);
        for component in [Scalar::Float16, Scalar::Float32, Scalar::Float64, Scalar::BFloat16] {
            let source = Matrix { component, ..target };
            calls.push(Call::new(function, vec![Argument::Matrix(target), Argument::Matrix(source)]));
            for count in [1, 2, 4] {
                let value = format!("{}({})", vector_of(component, count), crate::parts::one(component));
                let name = vector_of(small, count);
                let mut call =
                    Call::new(function, vec![Argument::local(&name, "small", ""), Argument::Value(value)]);
                call.extensions.extend(provider(small).into_iter().chain(provider(component)));
                calls.push(call);
            }
        }
    }
    calls
}

fn coordinates(function: &'static BuiltinFunction) -> Vec<Call> {
    let plain = Matrix::new(Scalar::Float16, 16, 16, USE_ACCUMULATOR);
    let call = |matrix: Matrix| {
        Call::new(function, vec![Argument::Matrix(matrix), Argument::value("0u")]).giving("uvec2")
    };
    let mut calls = vec![call(plain)];
    calls.extend(numbers().map(|component| call(Matrix { component, ..plain })));
    calls.extend([USE_A, USE_B].map(|usage| call(Matrix { usage, ..plain })));
    calls.push(call(plain.of_workgroup()));
    calls
}
