//! Recipes of `mul_mm.comp`, `mul_mmq.comp`, `mul_mm_cm2.comp` and `mul_mmq_cm1.comp`: D = A * transpose(B), where A is stored in any of ggml's types.
//!
//! The shaders take A as [M, K], B as [N, K] and write D as [N, M]. Both operands are rounded to the type of the matrices (half floats)
//! before they are multiplied, and so they are in the reference.

use std::fmt::Write as _;

use super::quants::Quant;

#[derive(Clone, Debug)]
pub struct Multiply {
    pub a: Quant,
    pub tile: Tile,
    pub layout: Layout,
    /// Whether the pipeline is the one that does not look at bounds.
    pub aligned: bool,
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// ggml-vulkan has up to three pipelines of each shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    Small,
    Medium,
    Large,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    One,
    /// Two matrices A for four matrices B.
    Batched,
    /// Two workgroups share the sums of one tile, and leave two sums.
    SplitDepth,
    /// Each row of B is multiplied with two of four matrices A.
    Experts,
}

/// What the name of a variant says.
pub struct Variant {
    /// Whether it has cooperative matrices, and whether they are the workgroup's.
    pub matrices: bool,
    pub workgroup: bool,
    pub b: &'static str,
    pub half_sums: bool,
    /// Whether operands are multiplied as floats.
    pub floats: bool,
    one_for_all: bool,
}

impl Variant {
    pub fn of(name: &str, a: Quant) -> Variant {
        let of_floats = ["_f32_cm1", "_f32_f16acc", "_f32_ocp", "_f32_dot2", "_f32_fp32"];
        let b_floats = name.ends_with("_f32") || of_floats.into_iter().any(|part| name.contains(part));
        let b = match a {
            _ if name.contains("_q8_1") => "q8_1",
            _ if b_floats => "f32",
            Quant::Bf16 => "bf16",
            _ => "f16",
        };
        let workgroup = name.ends_with("_cm2");
        let matrices = workgroup || name.ends_with("_cm1");
        Variant {
            matrices,
            workgroup,
            b,
            half_sums: name.contains("f16acc"),
            floats: name.ends_with("_fp32") || (!matrices && a == Quant::Bf16),
            one_for_all: name.contains("_quant_"),
        }
    }
}

/// Matrices A of [`Layout::Experts`], and how many of them a row is multiplied with.
pub const EXPERTS: usize = 4;
pub const USED: usize = 2;
/// Which: formulas of the row of B and of the number of the choice.
const CHOICE: &str = "mod(row * 3 + column, 4)";
/// `vk_device_architecture::AMD_RDNA3`.
const AMD_RDNA3: u32 = 4;
/// Elements that [`Layout::SplitDepth`] gives to a workgroup.
pub const SPLIT: usize = 256;

impl Multiply {
    pub fn new(a: Quant, tile: Tile, [m, n, k]: [usize; 3]) -> Multiply {
        Multiply { a, tile, layout: Layout::One, aligned: false, m, n, k }
    }

    pub fn name(&self) -> String {
        let tile = match self.tile {
            Tile::Small => "small",
            Tile::Medium => "medium",
            Tile::Large => "large",
        };
        let layout = match self.layout {
            Layout::One => "",
            Layout::Batched => ".batched",
            Layout::SplitDepth => ".split",
            Layout::Experts => ".experts",
        };
        let aligned = if self.aligned { ".aligned" } else { "" };
        format!("{}.{tile}{layout}{aligned}", self.a.name())
    }

    pub fn sizes(&self) -> String {
        let count = match self.layout {
            Layout::One | Layout::SplitDepth => String::new(),
            Layout::Batched => "4 of ".to_owned(),
            Layout::Experts => format!("{USED} of {EXPERTS} experts, "),
        };
        format!("{count}{}x{}x{}", self.m, self.n, self.k)
    }

    pub fn how(&self) -> String {
        let tile = match self.tile {
            Tile::Small => "small tile",
            Tile::Medium => "medium tile",
            Tile::Large => "large tile",
        };
        let layout = match self.layout {
            Layout::One | Layout::Batched | Layout::Experts => "",
            Layout::SplitDepth => ", K split",
        };
        format!("{}, {tile}{}{layout}", self.a.name(), if self.aligned { ", aligned" } else { "" })
    }

    pub fn recipe(&self, variant: &str, subgroup: u32, declared: &[u32]) -> String {
        let said = Variant::of(variant, self.a);
        let pipeline = self.pipeline(variant, subgroup, declared);
        pipeline + &self.buffers(&said, subgroup) + &self.expectation(&said)
    }

    /// The recipe without buffers and expectations: how the variant is dispatched.
    pub fn pipeline(&self, variant: &str, subgroup: u32, declared: &[u32]) -> String {
        let said = Variant::of(variant, self.a);
        let constants = self.constants(&said, subgroup);
        let (rows, columns) = (constants[1] as usize, constants[2] as usize);
        let mut text = format!(
            "description = \"{variant} of llama.cpp: {}\"\nsubgroup-size = {subgroup}\nsizes = {{ M = {}, N = {}, K = {} }}\n",
            self.how(),
            self.m,
            self.n,
            self.k
        );
        let splits = if self.layout == Layout::SplitDepth { self.k / SPLIT } else { 1 };
        let third = match self.layout {
            Layout::One | Layout::SplitDepth => 1,
            Layout::Batched => 4,
            Layout::Experts => EXPERTS,
        };
        let _ = writeln!(
            text,
            "dispatch = [{}, {}, {third}]",
            self.m.div_ceil(rows) * splits,
            self.n.div_ceil(columns)
        );
        if said.matrices {
            text += "numerics = [\"sequential\", \"nvidia-hopper\", \"round-each-step\", \"exact\"]\n";
        }
        // Integer matrices are read element by element, where the device has them.
        text += &match (said.matrices, said.b) {
            (false, _) => super::NO_MATRICES.to_owned(),
            (true, "q8_1") => "ownership = [\"amd-rdna3\"]\n".to_owned(),
            (true, _) => super::ownerships(subgroup),
        };
        if said.workgroup && self.a.is_quantised() {
            text += "decode = [\"vector\", \"scalar\", \"mixed\"]\n";
        }
        text += "\n[specialization]\n";
        for (id, value) in constants.iter().enumerate() {
            if declared.contains(&(id as u32)) {
                let _ = writeln!(text, "{id} = {value}");
            }
        }
        text += &self.push_constants(&said);
        text
    }

    /// By their ids.
    fn constants(&self, said: &Variant, subgroup: u32) -> Vec<u32> {
        let quantised = self.a.is_quantised();
        let aligned = u32::from(self.aligned);
        if said.workgroup {
            let mut constants = match (self.tile, quantised, self.layout == Layout::Experts) {
                (Tile::Small, true, false) => vec![256, 32, 64, 128, 0],
                (Tile::Medium, true, false) => vec![256, 128, 128, 64, 1],
                (Tile::Small, true, true) => vec![256, 128, 64, 64, 0],
                (Tile::Medium, true, true) => vec![256, 128, 64, 64, 0],
                (Tile::Large, true, true) => vec![256, 128, 128, 64, 1],
                (Tile::Small, false, _) => vec![128, 64, 64, 64, 0],
                (Tile::Medium, false, _) => vec![256, 128, 128, 64, 0],
                (Tile::Large, _, _) => vec![256, 128, 256, 64, 1],
            };
            constants.extend([aligned, subgroup]);
            if said.one_for_all {
                constants.extend([self.a.number(), self.a.block().1 as u32]);
            }
            return constants;
        }
        if !said.matrices {
            return self.scalar_constants(said, subgroup);
        }
        if said.b == "q8_1" {
            return self.integer_constants(subgroup);
        }
        // The depth of a tile, and the matrices that the device multiplies.
        let depth = if quantised { 32 } else { 16 };
        let (size, small) = if subgroup == 8 { (8, 8) } else { (16, 32) };
        let mut constants = match self.tile {
            Tile::Small => vec![subgroup.max(32), 32, 32, depth, small, 32, 2],
            Tile::Medium => vec![128, 64, 64, depth, subgroup, 32, 2],
            Tile::Large => vec![128, 128, 128, depth, subgroup * 2, 64, 2],
        };
        constants.extend([size, size, size, subgroup, aligned]);
        if said.one_for_all {
            constants.push(self.a.number());
        }
        constants
    }

    /// Without cooperative matrices: what each invocation sums up takes their place.
    fn scalar_constants(&self, said: &Variant, subgroup: u32) -> Vec<u32> {
        let integers = said.b == "q8_1";
        let depth = if self.a.is_quantised() { 32 } else { 16 };
        let wide =
            matches!(self.a, Quant::Q2K | Quant::Q3K | Quant::Q4K | Quant::Q5K | Quant::Q6K | Quant::Iq3S);
        let iterations = if integers && wide { 1 } else { 2 };
        let mut constants = match self.tile {
            Tile::Small => vec![subgroup.max(32), 32, 32, depth, 32, 32, iterations, 2],
            Tile::Medium => vec![128, 64, 64, depth, subgroup, 32, iterations, if integers { 2 } else { 4 }],
            Tile::Large => vec![128, 128, 128, depth, subgroup * 2, 64, iterations, 4],
        };
        let columns = match self.tile {
            Tile::Small => {
                if integers {
                    1
                } else {
                    2
                }
            }
            Tile::Medium => 2,
            Tile::Large => 4,
        };
        constants.extend([columns, 1, subgroup, u32::from(self.aligned)]);
        if said.one_for_all {
            constants.push(self.a.number());
        }
        constants
    }

    /// Those of `mul_mmq_cm1.comp`, which ggml-vulkan uses on RDNA3 and RDNA4.
    fn integer_constants(&self, subgroup: u32) -> Vec<u32> {
        let split_scales = matches!(self.a, Quant::Q3K | Quant::Q6K | Quant::Nvfp4);
        let (rows, columns) = match self.tile {
            Tile::Small => (32, 32),
            Tile::Medium => (64, 64),
            Tile::Large => (if split_scales { 64 } else { 128 }, 128),
        };
        let of_subgroup = subgroup.min(rows);
        let threads = subgroup * (rows / of_subgroup) * (columns / 32);
        vec![threads, rows, columns, 32, of_subgroup, 32, 2, 16, 16, 16, subgroup, AMD_RDNA3]
    }

    fn stride_b(&self, said: &Variant) -> usize {
        // Rows that callbacks fetch are padded to whole tiles.
        if said.workgroup && self.layout == Layout::Experts { self.k.next_multiple_of(64) } else { self.k }
    }

    fn push_constants(&self, said: &Variant) -> String {
        let stride_b = self.stride_b(said);
        let mut text = "\n[push-constants]\nM = \"M\"\nN = \"N\"\nK = \"K\"\nstride_a = \"K\"\n".to_owned();
        let _ = writeln!(text, "stride_b = {stride_b}\nstride_d = \"M\"\nbatch_stride_a = \"M * K\"");
        if self.layout == Layout::Experts {
            let _ = writeln!(text, "batch_stride_b = {stride_b}\nbatch_stride_d = \"M * {USED}\"");
            let _ = writeln!(text, "nei0 = {USED}\nnei1 = \"N\"\nnbi1 = {USED}\nne11 = 1");
            let _ = writeln!(text, "n_experts = {EXPERTS}\nhoist_row_ids = 0");
            return text;
        }
        let (first, second) = if self.layout == Layout::Batched { (2, 4) } else { (1, 1) };
        let k_split = if self.layout == Layout::SplitDepth { SPLIT } else { self.k };
        let _ =
            writeln!(text, "batch_stride_b = \"N * K\"\nbatch_stride_d = \"M * N\"\nbase_work_group_z = 0");
        let _ =
            writeln!(text, "num_batches = {second}\nk_split = {k_split}\nne02 = {first}\nne12 = {second}");
        let _ = writeln!(text, "broadcast2 = {}\nbroadcast3 = 1", second / first);
        if said.workgroup {
            text += "padded_N = \"N\"\n";
        }
        text
    }

    fn buffers(&self, said: &Variant, _subgroup: u32) -> String {
        let (a, b) = (self.a.name(), said.b);
        let mut text = String::new();
        let (shape_a, shape_b, shape_d) = match self.layout {
            Layout::One => {
                ("[\"M\", \"K\"]".to_owned(), "[\"N\", \"K\"]".to_owned(), "[\"N\", \"M\"]".to_owned())
            }
            Layout::SplitDepth => (
                "[\"M\", \"K\"]".to_owned(),
                "[\"N\", \"K\"]".to_owned(),
                format!("[{}, \"N\", \"M\"]", self.k / SPLIT),
            ),
            Layout::Batched => (
                "[2, \"M\", \"K\"]".to_owned(),
                "[4, \"N\", \"K\"]".to_owned(),
                "[4, \"N\", \"M\"]".to_owned(),
            ),
            Layout::Experts => (
                format!("[{EXPERTS}, \"M\", \"K\"]"),
                "[\"N\", \"K\"]".to_owned(),
                format!("[\"N\", {USED}, \"M\"]"),
            ),
        };
        let stride_b = self.stride_b(said);
        let _ = writeln!(
            text,
            "\n[[buffers]]\nname = \"a\"\nbinding = 0\ntype = \"{a}\"\nshape = {shape_a}\nfill.uniform = {{ seed = 1 }}"
        );
        let _ = writeln!(
            text,
            "\n[[buffers]]\nname = \"b\"\nbinding = 1\ntype = \"{b}\"\nshape = {shape_b}\nstride = {stride_b}\nbytes = {}\nfill.uniform = {{ seed = 2 }}",
            self.n
                * stride_b
                * if self.layout == Layout::Batched { 4 } else { 1 }
                * if b == "f32" { 4 } else { 2 }
        );
        let _ = writeln!(
            text,
            "\n[[buffers]]\nname = \"d\"\nbinding = 2\ntype = \"f32\"\nshape = {shape_d}\nfill.constant = -99"
        );
        if self.layout == Layout::Experts {
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"ids\"\nbinding = 3\ntype = \"s32\"\nshape = [\"N\", {USED}]\nfill.formula = \"{CHOICE}\""
            );
            let count = |expert: usize| {
                let rows =
                    (0..self.n).flat_map(|row| (0..USED).map(move |choice| (row * 3 + choice) % EXPERTS));
                rows.filter(|chosen| *chosen == expert).count().to_string()
            };
            let counts: Vec<String> = (0..EXPERTS).map(count).collect();
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"counts\"\nbinding = 4\ntype = \"s32\"\nshape = [{EXPERTS}]\nfill.values = [{}]",
                counts.join(", ")
            );
        }
        text
    }

    fn expectation(&self, said: &Variant) -> String {
        let mut text = String::new();
        let rounded = if said.b == "bf16" { "bf16" } else { "f16" };
        let mut reference = |name: &str, equals: &str| {
            let _ = writeln!(text, "\n[[references]]\nname = \"{name}\"\ntype = \"{rounded}\"\n{equals}");
        };
        match self.layout {
            Layout::One => {
                reference("rounded_a", "equals.value = \"a\"");
                reference("rounded_b", "equals.value = \"b\"");
            }
            Layout::Batched => {
                reference(
                    "rounded_a",
                    "equals.gather = { input = \"a\", shape = [4, \"M\", \"K\"], at = [\"floor(matrix / 2)\", \"row\", \"column\"] }",
                );
                reference("rounded_b", "equals.value = \"b\"");
            }
            Layout::SplitDepth => {
                for (name, input, rows) in [("rounded_a", "a", "M"), ("rounded_b", "b", "N")] {
                    reference(
                        name,
                        &format!(
                            "equals.gather = {{ input = \"{input}\", shape = [{}, \"{rows}\", {SPLIT}], at = [\"row\", \"matrix * {SPLIT} + column\"] }}",
                            self.k / SPLIT
                        ),
                    );
                }
            }
            Layout::Experts => {
                let choice = CHOICE
                    .replace("row", &format!("floor(matrix / {USED})"))
                    .replace("column", &format!("mod(matrix, {USED})"));
                reference(
                    "rounded_a",
                    &format!(
                        "equals.gather = {{ input = \"a\", shape = [\"N * {USED}\", \"M\", \"K\"], at = [\"{choice}\", \"row\", \"column\"] }}"
                    ),
                );
                reference(
                    "rounded_b",
                    &format!(
                        "equals.gather = {{ input = \"b\", shape = [\"N * {USED}\", 1, \"K\"], at = [\"floor(matrix / {USED})\", \"column\"] }}"
                    ),
                );
            }
        }
        let _ = writeln!(
            text,
            "\n[[expect]]\nbuffer = \"d\"\nequals.matmul = {{ a = \"rounded_b\", b = \"rounded_a\", transpose-b = true }}\ntolerance = {{ absolute = {:e} }}",
            self.tolerance(said)
        );
        text
    }

    /// What the roundings of the sums may come to; operands are between -1 and 1. Types with a scale and a minimum are decoded with
    /// two roundings where the reference has one.
    fn tolerance(&self, said: &Variant) -> f64 {
        let depth = if self.layout == Layout::SplitDepth { SPLIT } else { self.k } as f64;
        let sums = if said.half_sums { depth.sqrt() / 128.0 } else { depth / 1048576.0 };
        let roundings = if self.a.has_minimum() { 2.0 } else { f64::from(u8::from(self.a.is_quantised())) };
        let operands = roundings * depth.sqrt() / 2048.0;
        sums + operands
    }
}
