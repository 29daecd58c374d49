//! A generated shader: buffers with their contents, a body, and the axes along which every category varies.

use std::sync::OnceLock;

use super::numbers::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Subgroup,
    Workgroup,
}

/// Where matrices are loaded from and stored to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Buffer,
    Shared,
    Physical,
}

#[derive(Clone, Copy, Debug)]
pub struct Axes {
    pub scope: Scope,
    pub storage: Storage,
    pub column_major: bool,
}

/// The uses of matrices.
pub const USES: [&str; 3] = ["A", "B", "Accumulator"];

/// Whether the whole product of all axes runs.
pub fn full() -> bool {
    std::env::var("CONFORMANCE").is_ok_and(|value| value == "full")
}

/// Devices have some sizes of matrices only: `CONFORMANCE_LARGE` asks for those that are multiples of 32.
pub fn large() -> bool {
    static LARGE: OnceLock<bool> = OnceLock::new();
    *LARGE.get_or_init(|| std::env::var_os("CONFORMANCE_LARGE").is_some())
}

/// Of the matrices that most categories take, which are not square.
pub fn height() -> usize {
    if large() { 32 } else { 16 }
}

pub fn width() -> usize {
    if large() { 64 } else { 8 }
}

impl Axes {
    /// Every combination, or a few in which every value of each axis occurs.
    pub fn all() -> Vec<Axes> {
        use {Scope::*, Storage::*};
        let axes = |scope, storage, column_major| Axes { scope, storage, column_major };
        if !full() {
            return vec![
                axes(Subgroup, Buffer, false),
                axes(Subgroup, Shared, true),
                axes(Workgroup, Physical, true),
                axes(Workgroup, Shared, false),
            ];
        }
        let mut all = Vec::new();
        for scope in [Subgroup, Workgroup] {
            for storage in [Buffer, Shared, Physical] {
                all.extend([false, true].map(|column_major| axes(scope, storage, column_major)));
            }
        }
        all
    }

    /// All, or one of the few: cases take turns, so that they meet each type and use in some case.
    pub fn next(turn: &mut usize) -> Vec<Axes> {
        let all = Axes::all();
        *turn += 1;
        if full() { all } else { vec![all[*turn % all.len()]] }
    }

    pub fn name(&self) -> String {
        let order = if self.column_major { "columns" } else { "rows" };
        format!("{:?}.{:?}.{order}", self.scope, self.storage).to_lowercase()
    }

    /// A matrix type of the scope.
    pub fn matrix(&self, kind: Kind, rows: usize, columns: usize, use_: &str) -> String {
        format!("coopmat<{}, gl_Scope{:?}, {rows}, {columns}, gl_MatrixUse{use_}>", kind.glsl(), self.scope)
    }

    /// The distance of lines of a matrix in memory: a little more than they need, and aligned.
    pub fn stride(&self, kind: Kind, rows: usize, columns: usize) -> usize {
        (if self.column_major { rows } else { columns }) + 16 / kind.size().min(4)
    }

    /// Where an element is.
    pub fn at(&self, stride: usize, row: usize, column: usize) -> usize {
        if self.column_major { column * stride + row } else { row * stride + column }
    }

    /// How many elements memory holds for a matrix.
    pub fn room(&self, kind: Kind, rows: usize, columns: usize) -> usize {
        self.stride(kind, rows, columns) * if self.column_major { columns } else { rows }
    }

    pub fn layout(&self) -> &'static str {
        if self.column_major {
            "gl_CooperativeMatrixLayoutColumnMajor"
        } else {
            "gl_CooperativeMatrixLayoutRowMajor"
        }
    }
}

/// A buffer of a shader.
pub struct Memory {
    pub name: &'static str,
    pub kind: Kind,
    pub values: Vec<f64>,
    output: bool,
    /// The components of what the shader declares: vectors of 2 or 4, or scalars.
    vector: usize,
}

/// A shader of one workgroup of 32 invocations.
pub struct Kernel {
    pub axes: Axes,
    pub memory: Vec<Memory>,
    pub head: String,
    pub body: String,
}

impl Kernel {
    pub fn new(axes: Axes) -> Kernel {
        Kernel { axes, memory: Vec::new(), head: String::new(), body: String::new() }
    }

    pub fn input(self, name: &'static str, kind: Kind, values: Vec<f64>) -> Kernel {
        self.vectors(name, kind, values, 1, false)
    }

    pub fn output(self, name: &'static str, kind: Kind, count: usize) -> Kernel {
        self.vectors(name, kind, vec![0.0; count], 1, true)
    }

    pub fn vectors(
        mut self,
        name: &'static str,
        kind: Kind,
        values: Vec<f64>,
        vector: usize,
        output: bool,
    ) -> Kernel {
        self.memory.push(Memory { name, kind, values, output, vector });
        self
    }

    pub fn head(mut self, text: &str) -> Kernel {
        self.head += text;
        self
    }

    pub fn body(mut self, text: impl AsRef<str>) -> Kernel {
        self.body += text.as_ref();
        self
    }

    /// What a load or store of matrices names.
    pub fn pointer(&self, name: &str) -> String {
        match self.axes.storage {
            Storage::Buffer => name.to_string(),
            Storage::Shared => format!("shared_{name}"),
            Storage::Physical => format!("push_{name}.at"),
        }
    }

    pub fn load(&self, matrix: &str, name: &str, stride: usize) -> String {
        format!("coopMatLoad({matrix}, {}, 0, {stride}, {});\n", self.pointer(name), self.axes.layout())
    }

    pub fn store(&self, matrix: &str, name: &str, stride: usize) -> String {
        format!("coopMatStore({matrix}, {}, 0, {stride}, {});\n", self.pointer(name), self.axes.layout())
    }

    pub fn source(&self) -> String {
        let mut source = String::from(
            "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_float_e5m2 : require
",
        );
        // An extension's own directives come first.
        let (directives, head): (Vec<&str>, Vec<&str>) =
            self.head.lines().partition(|line| line.trim_start().starts_with("#extension"));
        source += &directives.join("\n");
        source += "\nlayout(local_size_x = 32) in;\n";
        let (mut push, mut before, mut after) = (String::new(), String::new(), String::new());
        for (binding, memory) in self.memory.iter().enumerate() {
            let name = memory.name;
            let type_ = match memory.vector {
                1 => memory.kind.glsl().to_string(),
                vector => format!("{}{vector}", memory.kind.vector()),
            };
            let count = memory.values.len() / memory.vector;
            source += &format!(
                "layout(binding = {binding}, scalar) buffer Buffer_{name} {{ {type_} {name}[]; }};
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Reference_{name} {{ {type_} at[]; }};\n"
            );
            push += &format!("Reference_{name} push_{name}; ");
            if self.axes.storage == Storage::Shared {
                // Tensors begin at multiples of 16 bytes, and drivers lay the arrays down one after the other.
                let room = count.next_multiple_of(16);
                source += &format!("shared {type_} shared_{name}[{room}];\n");
                let copy = |to: &str, from: &str| {
                    format!(
                        "for (uint i = gl_LocalInvocationIndex; i < {count}; i += 32) {to}[i] = {from}[i];\n"
                    )
                };
                before += &copy(&format!("shared_{name}"), name);
                if memory.output {
                    after += &copy(name, &format!("shared_{name}"));
                }
            }
        }
        source += &format!("layout(push_constant, scalar) uniform Push {{ {push} uint push_stride; }};\n");
        let barrier = if self.axes.storage == Storage::Shared { "barrier();\n" } else { "" };
        source += &head.join("\n");
        format!("{source}\nvoid main() {{\n{before}{barrier}{}{barrier}{after}}}\n", self.body)
    }
}
