//! The kernels: one load from shared memory each, of a type, a layout and a stride, by eight subgroups again and again.

use std::fmt::Write as _;

/// Subgroups of the one workgroup: enough that loads wait for banks and not for each other's results.
pub const SUBGROUPS: u32 = 8;
/// Loads of each subgroup between two looks at the clock.
pub const LOADS: u32 = 128;
/// How often that is timed: the first time fills the cache of instructions.
pub const ROUNDS: u32 = 4;

/// A kernel.
pub struct Kernel {
    /// What all kernels of one load have in common, with strides apart: `f16 A 16x16 row-major`.
    pub family: String,
    /// Elements from one row (column, lane) to the next.
    pub stride: u32,
    /// Bytes of an element.
    pub element: u32,
    source: String,
}

impl Kernel {
    /// The name of its file, without an extension.
    pub fn file(&self) -> String {
        let family: String = self
            .family
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
            .collect();
        format!("{family}_{}", self.stride)
    }

    /// The shader.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its recipe, for a device whose banks are to be assumed.
    pub fn recipe(&self, device: &str) -> String {
        let invocations = SUBGROUPS * 32;
        format!(
            "shader = \"{}.comp\"\ndevice = \"{device}\"\ndispatch = [1, 1, 1]\nsubgroup-size = 32\n\
             push-constants = {{ first = 0 }}\n\n\
             [[buffers]]\nname = \"kept\"\nshape = [{invocations}]\n\n\
             [[buffers]]\nname = \"times\"\nshape = [{}]\n",
            self.file(),
            ROUNDS * 2
        )
    }
}

/// A type of matrix that is loaded.
struct Matrix {
    /// As the family is called.
    name: &'static str,
    /// As GLSL calls the component.
    component: &'static str,
    bytes: u32,
    rows: u32,
    columns: u32,
    matrix_use: &'static str,
    /// Components of a word: one of each word of an invocation is looked at, so that all are loaded.
    packed: u32,
}

/// All kernels.
pub fn kernels() -> Vec<Kernel> {
    let half = |name, matrix_use| Matrix {
        name,
        component: "float16_t",
        bytes: 2,
        rows: 16,
        columns: 16,
        matrix_use,
        packed: 2,
    };
    let a = half("f16 A 16x16", "A");
    let b = half("f16 B 16x16", "B");
    let sum = Matrix {
        name: "f32 accumulator 16x16",
        component: "float",
        bytes: 4,
        rows: 16,
        columns: 16,
        matrix_use: "Accumulator",
        packed: 1,
    };
    let bytes = Matrix {
        name: "s8 A 16x32",
        component: "int8_t",
        bytes: 1,
        rows: 16,
        columns: 32,
        matrix_use: "A",
        packed: 4,
    };
    let byte_rows = Matrix { name: "s8 B 32x16", rows: 32, columns: 16, matrix_use: "B", ..bytes };

    // Of matrices, rows begin at multiples of 16 bytes (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
    let halves = [16, 24, 32, 40, 48, 56, 64, 72];
    let mut kernels = Vec::new();
    for (matrix, is_row_major, strides) in [
        (&a, true, &halves[..]),
        (&a, false, &halves[..]),
        (&b, true, &halves[..]),
        (&b, false, &halves[..4]),
        (&sum, true, &[16, 20, 24, 28, 32, 36]),
        (&sum, false, &[16, 20, 24, 32]),
        (&bytes, true, &[32, 48, 64, 80, 128, 144]),
        (&byte_rows, false, &[32, 48, 64, 80]),
    ] {
        kernels.extend(strides.iter().map(|&stride| of_matrix(matrix, is_row_major, stride)));
    }
    for (name, bytes, strides) in [
        ("uint8_t", 1, &[1, 4, 36, 128][..]),
        ("uint16_t", 2, &[1, 2, 18, 64]),
        ("uint", 4, &[1, 2, 4, 8, 16, 20, 32, 33]),
        ("uvec2", 8, &[1, 2, 3, 4, 8, 17]),
        ("uvec4", 16, &[1, 2, 3, 5, 8, 9]),
    ] {
        kernels.extend(strides.iter().map(|&stride| of_scalars(name, bytes, stride)));
    }
    kernels
}

/// Every load begins 16 bytes behind the one before, which moves all of it by four banks: none is a repetition that the compiler could leave out.
const STEP: u32 = 16;

fn of_matrix(matrix: &Matrix, is_row_major: bool, stride: u32) -> Kernel {
    let &Matrix { name, component, bytes, rows, columns, matrix_use, packed } = matrix;
    let (lines, layout) = if is_row_major { (rows, "RowMajor") } else { (columns, "ColumnMajor") };
    let elements = lines * stride + LOADS * STEP / bytes;
    let mut sum = String::new();
    for element in (0..rows * columns / 32).step_by(packed as usize) {
        let _ = write!(sum, " + float(m[{element}])");
    }
    let declarations = format!("shared {component} array[{elements}];\n");
    let first = format!(
        "    coopmat<{component}, gl_ScopeSubgroup, {rows}, {columns}, gl_MatrixUse{matrix_use}> m;\n    float total = 0.0;\n"
    );
    let load = format!(
        "            coopMatLoad(m, array, first + i * {}, {stride}, gl_CooperativeMatrixLayout{layout});\n            total += {};\n",
        STEP / bytes,
        sum.trim_start_matches(" + ")
    );
    let fill = format!("array[i] = {component}(kept[0])");
    let family = format!("{name} {}", if is_row_major { "row-major" } else { "column-major" });
    Kernel { family, stride, element: bytes, source: shader(&declarations, elements, &fill, &first, &load) }
}

fn of_scalars(name: &str, bytes: u32, stride: u32) -> Kernel {
    let elements = 32 * stride + LOADS * STEP / bytes;
    let declarations = format!("shared {name} array[{elements}];\n");
    let fill = format!("array[i] = {name}(uint(kept[0]))");
    let words = match bytes {
        8 => "one.x ^ one.y",
        16 => "one.x ^ one.y ^ one.z ^ one.w",
        _ => "uint(one)",
    };
    let load = format!(
        "            {name} one = array[first + i * {} + gl_SubgroupInvocationID * {stride}];\n            total ^= {words};\n",
        STEP / bytes
    );
    let family = format!("{name} of each lane");
    Kernel {
        family,
        stride,
        element: bytes,
        source: shader(&declarations, elements, &fill, "    uint total = 0;\n", &load),
    }
}

fn shader(declarations: &str, elements: u32, fill: &str, first: &str, load: &str) -> String {
    format!(
        "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_ARB_shader_clock : require

layout(local_size_x = {invocations}) in;
layout(binding = 0) buffer Kept {{ float kept[]; }};
layout(binding = 1) writeonly buffer Times {{ uint times[]; }};
layout(push_constant) uniform Params {{ uint first; }};
{declarations}
void main() {{
    for (uint i = gl_LocalInvocationIndex; i < {elements}; i += {invocations})
        {fill};
{first}    for (uint round = 0; round < {ROUNDS}; ++round) {{
        barrier();
        uint begin = clock2x32ARB().x;
        for (uint i = 0; i < {LOADS}; ++i) {{
{load}        }}
        barrier();
        uint end = clock2x32ARB().x;
        if (gl_LocalInvocationIndex == 0) {{
            times[round * 2] = begin;
            times[round * 2 + 1] = end;
        }}
    }}
    kept[gl_LocalInvocationIndex] = float(total);
}}
",
        invocations = SUBGROUPS * 32,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_different() {
        let mut names: Vec<String> = kernels().iter().map(Kernel::file).collect();
        let count = names.len();
        assert!(count >= 60, "{count} kernels");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
