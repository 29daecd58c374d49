//! The kernels: one load from shared memory or one store each, of a type, a layout and a stride, by eight subgroups again and again.

/// Subgroups of the one workgroup: enough that loads wait for banks and not for each other's results.
pub const SUBGROUPS: u32 = 8;
/// Loads of each subgroup between two looks at the clock.
pub const LOADS: u32 = 128;
/// How often that is timed: the first time fills the cache of instructions.
pub const ROUNDS: u32 = 4;

/// What a kernel does with shared memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Does {
    Load,
    Store,
}

impl Does {
    /// As the report of a profile has it.
    pub fn name(self) -> &'static str {
        match self {
            Does::Load => "load",
            Does::Store => "store",
        }
    }
}

/// A kernel.
pub struct Kernel {
    /// What all kernels of one load have in common, with strides apart: `f16 A 16x16 row-major`.
    pub family: String,
    /// Elements from one row (column, lane) to the next.
    pub stride: u32,
    /// Bytes of an element.
    pub element: u32,
    /// What is timed.
    pub does: Does,
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
             push-constants = {{ first = 0, step = {} }}\n\n\
             [[buffers]]\nname = \"kept\"\nshape = [{invocations}]\n\n\
             [[buffers]]\nname = \"times\"\nshape = [{}]\n",
            self.file(),
            STEP / self.element,
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

    let half_sum = half("f16 accumulator 16x16", "Accumulator");

    // Of matrices, rows begin at multiples of 16 bytes (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
    let halves = [16, 24, 32, 40, 48, 56, 64, 72];
    let (rows, columns) = (true, false);
    let mut kernels = Vec::new();
    for (does, matrix, by_rows, strides) in [
        (Does::Load, &a, rows, &halves[..]),
        (Does::Load, &a, columns, &halves[..]),
        (Does::Load, &b, rows, &halves[..]),
        (Does::Load, &b, columns, &halves[..4]),
        (Does::Load, &half_sum, rows, &halves[..4]),
        (Does::Load, &half_sum, columns, &halves[..4]),
        (Does::Load, &sum, rows, &[16, 20, 24, 28, 32, 36]),
        (Does::Load, &sum, columns, &[16, 20, 24, 32]),
        (Does::Load, &bytes, rows, &[32, 48, 64, 80, 128, 144]),
        (Does::Load, &bytes, columns, &[16, 32, 48]),
        (Does::Load, &byte_rows, rows, &[16, 32, 48]),
        (Does::Load, &byte_rows, columns, &[32, 48, 64, 80]),
        (Does::Store, &half_sum, rows, &halves[..4]),
        (Does::Store, &half_sum, columns, &halves[..4]),
        (Does::Store, &sum, rows, &[16, 20, 24, 32]),
        (Does::Store, &sum, columns, &[16, 20, 24, 32]),
    ] {
        kernels.extend(strides.iter().map(|&stride| of_matrix(does, matrix, by_rows, stride)));
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

/// Every load begins 16 bytes behind the one before, which moves all of it by four banks. The compiler does not know how far: it finds no element that
/// was loaded before, nor one that is stored again.
const STEP: u32 = 16;

fn of_matrix(does: Does, matrix: &Matrix, by_rows: bool, stride: u32) -> Kernel {
    let &Matrix { name, component, bytes, rows, columns, matrix_use, packed } = matrix;
    let (lines, layout) = if by_rows { (rows, "RowMajor") } else { (columns, "ColumnMajor") };
    let elements = lines * stride + LOADS * STEP / bytes;
    let type_ =
        format!("coopmat<{component}, gl_ScopeSubgroup, {rows}, {columns}, gl_MatrixUse{matrix_use}>");
    let layout = format!("{stride}, gl_CooperativeMatrixLayout{layout}");
    let family = if by_rows { "row-major" } else { "column-major" };
    let fill = format!("array[i] = {component}(kept[0])");
    let (family, elements, first, access, kept) = match does {
        Does::Load => {
            let looked_at = (0..rows * columns / 32).step_by(packed as usize);
            let sum: Vec<String> = looked_at.map(|element| format!("float(m[{element}])")).collect();
            (
                format!("{name} {family}"),
                elements,
                format!("    {type_} m;\n    float total = 0.0;\n"),
                format!(
                    "            coopMatLoad(m, array, first + i * step, {layout});\n            total += {};\n",
                    sum.join(" + ")
                ),
                "total",
            )
        }
        Does::Store => {
            // Each subgroup has a part of its own, and all of them begin in the same bank.
            let part = elements.next_multiple_of(128 / bytes);
            (
                format!("store {name} {family}"),
                part * SUBGROUPS,
                format!(
                    "    {type_} m = {type_}({component}(kept[1]));\n    uint own = first + gl_SubgroupID * {part};\n"
                ),
                format!("            coopMatStore(m, array, own + i * step, {layout});\n"),
                "array[first + gl_LocalInvocationIndex]",
            )
        }
    };
    let source =
        shader(&format!("shared {component} array[{elements}];\n"), elements, &fill, &first, &access, kept);
    Kernel { family, stride, element: bytes, does, source }
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
        "            {name} one = array[first + i * step + gl_SubgroupInvocationID * {stride}];\n            total ^= {words};\n"
    );
    let family = format!("{name} of each lane");
    Kernel {
        family,
        stride,
        element: bytes,
        does: Does::Load,
        source: shader(&declarations, elements, &fill, "    uint total = 0;\n", &load, "total"),
    }
}

fn shader(declarations: &str, elements: u32, fill: &str, first: &str, access: &str, kept: &str) -> String {
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
layout(push_constant) uniform Params {{ uint first; uint step; }};
{declarations}
void main() {{
    for (uint i = gl_LocalInvocationIndex; i < {elements}; i += {invocations})
        {fill};
{first}    for (uint round = 0; round < {ROUNDS}; ++round) {{
        barrier();
        uint begin = clock2x32ARB().x;
        for (uint i = 0; i < {LOADS}; ++i) {{
{access}        }}
        barrier();
        uint end = clock2x32ARB().x;
        if (gl_LocalInvocationIndex == 0) {{
            times[round * 2] = begin;
            times[round * 2 + 1] = end;
        }}
    }}
    kept[gl_LocalInvocationIndex] = float({kept});
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
