//! Bugs that are planted into llama.cpp's shaders, one at a time: what our driver makes of each, as a table in `docs/vulkan-driver.md`. A bug is found if
//! logits are not those of the CPU backend any more, or if checked mode has a finding that it does not have without the bug. The list was made
//! before the outcome was known, except that an instruction which the model does not run, or whose operands make no difference, such as a single
//! batch's, gave its place to another one of the same shader.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use coopmat_spirv::spirv::Op;

use super::{Case, How, Llama, TYPES, compare};
use crate::documents;
use crate::vulkan::planted::{self, Edit, kinds};

/// A planted bug.
struct Bug {
    weights: &'static str,
    device: &'static str,
    /// The module's file among those that the driver writes.
    module: &'static str,
    /// llama.cpp's name for the shader.
    shader: &'static str,
    edit: Edit,
}

const fn bug(
    (weights, device): (&'static str, &'static str),
    (module, shader): (&'static str, &'static str),
    edit: Edit,
) -> Bug {
    Bug { weights, device, module, shader, edit }
}

const NVIDIA: (&str, &str) = ("f16", "nvidia-h200");
const AMD: (&str, &str) = ("f16", "amd-rdna3");
const NVIDIA_Q4: (&str, &str) = ("q4_0", "nvidia-h200");
const AMD_Q4: (&str, &str) = ("q4_0", "amd-rdna3");

const BUGS: [Bug; 12] = [
    bug(NVIDIA, ("3042ad58f2edbe87", "matmul_f16_f16acc_cm2"), Edit::Becomes(Op::UMod, 1, Op::UDiv)),
    bug(NVIDIA, ("d83fc66bc502e55d", "flash_attn_f32_f16_f32acc_cm2"), Edit::Becomes(Op::FSub, 0, Op::FAdd)),
    bug(
        NVIDIA,
        ("e1f4b171973cbdb3", "mul_mat_vec_f16_f32_f32_subgroup_no_shmem"),
        Edit::Becomes(Op::ULessThanEqual, 0, Op::UGreaterThan),
    ),
    bug(NVIDIA, ("fde62412d19579fc", "rope_norm_f32"), Edit::Becomes(Op::FSub, 4, Op::FAdd)),
    bug(NVIDIA, ("72a1a4289c9ec26e", "fa_split_k_reduce"), Edit::Removed(Op::ControlBarrier, 0)),
    bug(NVIDIA, ("3cfaa1b9c74c7fc6", "rms_norm_f32"), Edit::Removed(Op::ControlBarrier, 0)),
    bug(
        NVIDIA,
        ("423018d91c74052d", "swiglu_f32"),
        Edit::Becomes(Op::UGreaterThanEqual, 0, Op::UGreaterThan),
    ),
    bug(AMD, ("58d3588adc077b6d", "matmul_f16_f32_f16acc_cm1"), Edit::Removed(Op::ControlBarrier, 1)),
    bug(AMD, ("b20463a8ad672993", "flash_attn_f32_f16_cm1"), Edit::Removed(Op::ControlBarrier, 3)),
    bug(NVIDIA_Q4, ("e7d537c0067167dc", "matmul_q4_0_f16_f16acc_cm2"), Edit::Becomes(Op::UMod, 1, Op::UDiv)),
    bug(NVIDIA_Q4, ("a1efee3dbb633b14", "quantize_q8_1_x4_subgroup"), Edit::Becomes(Op::FMul, 0, Op::FAdd)),
    bug(AMD_Q4, ("8c68d7170fe74ffc", "matmul_quant_f16_f16acc_cm1"), Edit::Becomes(Op::FSub, 0, Op::FAdd)),
];

pub fn check(llama: &Llama<'_>) -> Result<()> {
    let folder = llama.built.folder.join("planted");
    let mut table = "| Weights | Device | Shader | Bug | Found by |\n|---|---|---|---|---|\n".to_owned();
    let mut found = 0;
    let mut modules_of: Vec<((&str, &str), BTreeSet<String>)> = Vec::new();
    for bug in &BUGS {
        let (_, tolerance) =
            TYPES.iter().find(|(kind, _)| *kind == bug.weights).context("a bug with an unknown type")?;
        let case = Case::new(llama, bug.weights, bug.device)?;
        let modules = llama.built.folder.join(format!("modules-{}-{}", bug.weights, bug.device));
        let expected = llama.on_cpu(&case.model, bug.weights)?.rows;
        let key = (bug.weights, bug.device);
        if !modules_of.iter().any(|(known, _)| *known == key) {
            let _ = std::fs::remove_dir_all(&modules);
            std::fs::create_dir_all(&modules)?;
            let whole =
                llama.on_vulkan(&case, How::Checked, &["--write-shaders".as_ref(), modules.as_os_str()])?;
            compare(&expected, &whole.rows, *tolerance)?;
            modules_of.push((key, kinds(&whole.events)));
        }
        let without = modules_of.iter().find(|(known, _)| *known == key);
        planted::plant(&bug.edit, &modules, bug.module, &folder)?;
        let mut by = Vec::new();
        let events =
            match llama.on_vulkan(&case, How::Checked, &["--read-shaders".as_ref(), folder.as_os_str()]) {
                Ok(ran) => {
                    if compare(&expected, &ran.rows, *tolerance).is_err() {
                        by.push("other logits than the CPU backend's".to_owned());
                    }
                    ran.events
                }
                Err(_) => {
                    by.push("no logits".to_owned());
                    llama.events(&case, How::Checked)?
                }
            };
        ensure!(
            events.iter().any(|event| event["event"] == "replaced"),
            "llama.cpp as {} with {} does not make the shader {}",
            bug.device,
            bug.weights,
            bug.module
        );
        let new =
            kinds(&events).into_iter().filter(|kind| without.is_none_or(|(_, old)| !old.contains(kind)));
        by.extend(new.map(|kind| format!("`{kind}`")));
        found += usize::from(!by.is_empty());
        let by = if by.is_empty() { "**not found**".to_owned() } else { by.join(", ") };
        let Bug { weights, device, shader, edit, .. } = bug;
        let _ = writeln!(table, "| {weights} | {device} | `{shader}` | {} | {by} |", edit.words());
    }
    println!("{found} of {} planted bugs are found", BUGS.len());
    documents::compare(
        "docs/vulkan-driver.md",
        "planted bugs of llama.cpp",
        &table,
        "cargo xtask llama --planted",
    )
}
