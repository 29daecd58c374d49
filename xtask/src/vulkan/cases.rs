//! The shaders that both compilers' modules are compared on, with inputs and what plain sums give.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use half::f16;
use serde_json::{Value, json};

use crate::shell;

/// One shader with its inputs. Its output is of float32.
pub struct Case {
    pub name: String,
    pub shader: PathBuf,
    pub target_env: &'static str,
    pub defines: Vec<String>,
    pub specialization: Value,
    pub dispatch: [u32; 3],
    pub push_constants: Vec<u32>,
    /// Name, binding, bytes.
    pub inputs: Vec<(&'static str, u32, Vec<u8>)>,
    /// The binding of the output.
    pub output: u32,
    pub expected: Vec<f32>,
    /// How far off an element may be.
    pub tolerance: f64,
}

/// Numbers that are the same in every run: uniform between -1 and 1.
struct Numbers(u64);

impl Numbers {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    fn number(&mut self) -> f32 {
        self.bits() as f32 / (1u32 << 30) as f32 - 1.0
    }

    fn halves(&mut self, count: usize) -> Vec<f16> {
        (0..count).map(|_| f16::from_f32(self.number())).collect()
    }
}

fn bytes_of(values: &[f16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Sums of `a(row, k) * b(k, column)`.
fn product(
    [m, n, k]: [usize; 3],
    a: impl Fn(usize, usize) -> f16,
    b: impl Fn(usize, usize) -> f16,
) -> Vec<f64> {
    let mut sums = Vec::with_capacity(m * n);
    for row in 0..m {
        for column in 0..n {
            sums.push((0..k).map(|i| a(row, i).to_f64() * b(i, column).to_f64()).sum());
        }
    }
    sums
}

/// Examples and shaders of the tests, for subgroups of a size.
pub fn own(subgroup: u32) -> Vec<Case> {
    let mut numbers = Numbers(1);
    let q8_0 = q8_0(&mut numbers);
    let vector = Case {
        name: "gemm_q8_0_vector".to_owned(),
        defines: vec!["DECODE_VECTOR".to_owned()],
        inputs: q8_0.inputs.clone(),
        expected: q8_0.expected.clone(),
        specialization: q8_0.specialization.clone(),
        push_constants: q8_0.push_constants.clone(),
        shader: q8_0.shader.clone(),
        ..q8_0
    };
    vec![gemm(subgroup, &mut numbers), q8_0, vector, tensor_loads(&mut numbers)]
}

/// KHR: a tile for each subgroup, A row-major, B column-major.
fn gemm(subgroup: u32, numbers: &mut Numbers) -> Case {
    let [m, n, k] = [128, 128, 256];
    let (a, b) = (numbers.halves(m * k), numbers.halves(k * n));
    let c: Vec<f32> = (0..m * n).map(|_| numbers.number()).collect();
    let sums = product([m, n, k], |row, i| a[row * k + i], |i, column| b[column * k + i]);
    let sums = sums.iter().zip(&c).map(|(sum, c)| (sum + f64::from(*c)) as f32);
    Case {
        name: "gemm".to_owned(),
        shader: shell::root().join("examples/khr/gemm.comp"),
        target_env: "vulkan1.3",
        defines: Vec::new(),
        specialization: json!({ "0": 16, "1": 16, "2": 16 }),
        // As many workgroups of 128 invocations as have a subgroup for each tile.
        dispatch: [(m * n / 256) as u32 * subgroup / 128, 1, 1],
        push_constants: [k, n / 16, k, k, n, n].map(|value| value as u32).to_vec(),
        expected: sums.collect(),
        inputs: vec![
            ("a", 0, bytes_of(&a)),
            ("b", 1, bytes_of(&b)),
            ("c", 2, c.iter().flat_map(|value| value.to_le_bytes()).collect()),
        ],
        output: 3,
        tolerance: 1e-3,
    }
}

/// NV2, workgroup scope: A decoded from blocks while it is loaded, edges that no tile fits.
fn q8_0(numbers: &mut Numbers) -> Case {
    let [m, n, k] = [100, 72, 96];
    let b = numbers.halves(k * n);
    let (mut weights, mut decoded) = (Vec::new(), Vec::new());
    for _ in 0..m * k / 32 {
        let scale = f16::from_f32((numbers.number() + 2.0) / 64.0);
        weights.extend(scale.to_le_bytes());
        for _ in 0..32 {
            let quant = (numbers.bits() % 255) as i32 - 127;
            weights.push(quant as i8 as u8);
            decoded.push(f16::from_f32(quant as f32 * scale.to_f32()));
        }
    }
    let sums = product([m, n, k], |row, i| decoded[row * k + i], |i, column| b[i * n + column]);
    Case {
        name: "gemm_q8_0".to_owned(),
        shader: shell::root().join("lsp/vulkan/tests/shaders/gemm_q8_0.comp"),
        target_env: "vulkan1.3",
        defines: Vec::new(),
        specialization: json!({}),
        dispatch: [n.div_ceil(64) as u32, m.div_ceil(64) as u32, 1],
        push_constants: [m, n, k].map(|value| value as u32).to_vec(),
        inputs: vec![("weights", 0, weights), ("b", 1, bytes_of(&b))],
        output: 2,
        expected: sums.iter().map(|sum| *sum as f32).collect(),
        tolerance: 1e-3,
    }
}

/// NV2, workgroup scope: a transposing view, a function of each element, the maximum of each row of a tile.
fn tensor_loads(numbers: &mut Numbers) -> Case {
    let [m, n, k] = [100, 120, 96];
    let (a, b) = (numbers.halves(m * k), numbers.halves(n * k));
    // Whole tiles: what is past the edges is zero, and counts in the maximum.
    let sums = product(
        [128, 128, k],
        |row, i| if row < m { a[row * k + i] } else { f16::ZERO },
        |i, column| if column < n { b[column * k + i] } else { f16::ZERO },
    );
    let biased = |row: usize, column: usize| sums[row * 128 + column] + 0.5 * (column % 64) as f64;
    let mut expected = Vec::with_capacity(m * n);
    for row in 0..m {
        for column in 0..n {
            let tile = column / 64 * 64;
            let most = (tile..tile + 64).map(|other| biased(row, other)).fold(f64::MIN, f64::max);
            expected.push((biased(row, column) - most) as f32);
        }
    }
    Case {
        name: "tensor_loads".to_owned(),
        shader: shell::root().join("examples/nv2/tensor_loads.comp"),
        target_env: "vulkan1.3",
        defines: Vec::new(),
        specialization: json!({}),
        dispatch: [2, 2, 1],
        push_constants: [m, n, k].map(|value| value as u32).to_vec(),
        inputs: vec![("a", 0, bytes_of(&a)), ("b", 1, bytes_of(&b))],
        output: 2,
        expected,
        tolerance: 1e-3,
    }
}

/// Multiplies of llama.cpp: `mul_mm` with COOPMAT and `mul_mm_cm2`, of float16 and of four-bit weights. Those of `mul_mm_cm2` decode by
/// element, and once also by vector. The stores of `mul_mm` need subgroups of 16 invocations and more.
pub fn llama(folder: &Path, subgroup: u32) -> Result<Vec<Case>> {
    let table = fs::read_to_string(folder.join("variants.tsv"))?;
    let mut numbers = Numbers(2);
    let [m, n, k] = [160usize, 96, 256];
    let (a, b) = (numbers.halves(m * k), numbers.halves(n * k));
    // Blocks of q4_0: a scale, then 32 numbers of four bits, of which the first 16 are the lower halves of the bytes.
    let (mut blocks, mut decoded) = (Vec::new(), Vec::new());
    for _ in 0..m * k / 32 {
        let scale = f16::from_f32((numbers.number() + 2.0) / 8.0);
        let quants: Vec<u8> = (0..32).map(|_| (numbers.bits() % 16) as u8).collect();
        blocks.extend(scale.to_le_bytes());
        blocks.extend((0..16).map(|i| quants[i] | quants[i + 16] << 4));
        decoded.extend(quants.iter().map(|quant| f16::from_f32((f32::from(*quant) - 8.0) * scale.to_f32())));
    }
    // The results are stored column after column.
    let sums = |a: &[f16]| -> Vec<f32> {
        let sums = product([n, m, k], |column, i| b[column * k + i], |i, row| a[row * k + i]);
        sums.iter().map(|sum| *sum as f32).collect()
    };
    let (plain, quantised) = (sums(&a), sums(&decoded));
    let size = [m, n, k, k, k, m, m * k, n * k, m * n, 0, 1, k, 1, 1, 1, 1].map(|value| value as u32);
    let khr = json!({
        "0": 4 * subgroup, "1": 64, "2": 64, "4": 32, "5": 32, "6": 2, "7": 16, "8": 16, "9": 16, "10": subgroup
    });
    let nv2 = json!({ "0": 128, "1": 64, "2": 64, "3": 32, "4": false, "5": 0, "6": subgroup });
    let with = |base: &Value, more: Value| -> Value {
        let mut all = base.clone();
        if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
            all.extend(more.clone());
        }
        all
    };
    // GGML_TYPE_Q4_0 is 2, and its blocks have 18 bytes.
    let float_khr = with(&khr, json!({ "11": 0, "12": 4, "13": false }));
    let quant_khr = with(&khr, json!({ "3": 32, "11": 1, "12": 2, "13": 4, "14": false }));
    let quant_nv2 = with(&nv2, json!({ "7": 2, "8": 18 }));
    const BY_VECTOR: &str = "GGML_VULKAN_COOPMAT2_DECODE_VECTOR";
    let variants = [
        ("matmul_f16_cm1", "matmul_f16_cm1", &float_khr, false, false, 1e-3),
        ("matmul_f16_f16acc_cm1", "matmul_f16_f16acc_cm1", &float_khr, false, false, 0.5),
        ("matmul_q4_0_f16_cm1", "matmul_quant_f16_cm1", &quant_khr, true, false, 1e-3),
        ("matmul_f16_cm2", "matmul_f16_cm2", &nv2, false, false, 1e-3),
        ("matmul_q4_0_f16_cm2", "matmul_quant_f16_cm2", &quant_nv2, true, false, 1e-3),
        ("matmul_q4_0_f16_cm2_vector", "matmul_quant_f16_cm2", &quant_nv2, true, true, 1e-3),
    ];
    let mut cases = Vec::new();
    for (name, variant, specialization, quantises, by_vector, tolerance) in variants {
        let module = format!("{variant}.spv");
        let row = table.lines().map(|row| row.split('\t').collect::<Vec<_>>());
        let mut row = row.filter(|cells| cells.get(1) == Some(&module.as_str()));
        let row = row.next().with_context(|| format!("llama.cpp has no variant {module}"))?;
        let [source, _, target_env, defines] = row[..] else {
            anyhow::bail!("the variant {module} has not four cells")
        };
        let defines = defines.split('\u{1f}').filter(|define| !define.is_empty());
        let defines = defines.filter(|define| by_vector || !define.starts_with(BY_VECTOR));
        let mut push_constants = size.to_vec();
        if variant.ends_with("cm2") {
            push_constants.push(n as u32);
        }
        cases.push(Case {
            name: format!("llama_{name}"),
            shader: folder.join("vulkan-shaders").join(source),
            target_env: if target_env == "vulkan1.2" { "vulkan1.2" } else { "vulkan1.3" },
            defines: defines.map(str::to_owned).collect(),
            specialization: specialization.clone(),
            dispatch: [m.div_ceil(64) as u32, n.div_ceil(64) as u32, 1],
            push_constants,
            inputs: vec![
                ("a", 0, if quantises { blocks.clone() } else { bytes_of(&a) }),
                ("b", 1, bytes_of(&b)),
            ],
            output: 2,
            expected: if quantises { quantised.clone() } else { plain.clone() },
            tolerance,
        });
    }
    Ok(cases)
}
