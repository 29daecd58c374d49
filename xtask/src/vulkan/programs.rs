//! The programs that are run on our driver, and `cargo xtask programs`, which runs them as several devices, and writes the table in
//! `docs/vulkan-driver.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::program::{Program, Ran, Source};
use crate::documents;

pub const NCNN: Program = Program {
    name: "ncnn",
    title: "ncnn 1.0.20261020",
    source: Source::Python { script: "ncnn_layers.py", packages: &["ncnn==1.0.20261020", "numpy"] },
    devices: &[
        ("nvidia-h200", &[]),
        ("amd-rdna3", &[]),
        ("lavapipe", &[]),
        ("intel-xe-hpg", &[]),
        ("arm-mali-g720", &[]),
    ],
    options: &[],
    dispatches: 90,
    findings: include_str!("findings/ncnn.txt"),
};

const WGPU: Program = Program {
    name: "wgpu",
    title: "wgpu 0.32.0 (Python)",
    source: Source::Python { script: "wgpu_kernels.py", packages: &["wgpu==0.32.0", "numpy"] },
    devices: &[("nvidia-h200", &[]), ("amd-rdna3", &[]), ("lavapipe", &[])],
    options: &["--claim-graphics"],
    dispatches: 8,
    findings: include_str!("findings/wgpu.txt"),
};

const TAICHI: Program = Program {
    name: "taichi",
    title: "Taichi 1.7.4",
    source: Source::Python { script: "taichi_kernels.py", packages: &["taichi==1.7.4", "numpy"] },
    devices: &[("nvidia-h200", &[]), ("amd-rdna3", &[]), ("lavapipe", &[])],
    options: &["--claim-graphics"],
    dispatches: 17,
    findings: include_str!("findings/taichi.txt"),
};

const IREE: Program = Program {
    name: "iree",
    title: "IREE 3.13.0",
    source: Source::Python {
        script: "iree_operations.py",
        packages: &["iree-base-compiler==3.13.0", "iree-base-runtime==3.13.0", "numpy"],
    },
    devices: &[("nvidia-h200", &["ampere"]), ("amd-rdna3", &["rdna3"]), ("amd-rdna4", &["rdna4"])],
    options: &[],
    dispatches: 8,
    findings: include_str!("findings/iree.txt"),
};

const WGPU_CRATE: Program = Program {
    name: "wgpu-crate",
    title: "wgpu 30 (crate), WGSL with cooperative matrices",
    source: Source::Rust("wgpu"),
    devices: &[("nvidia-h200", &[]), ("amd-rdna3", &[]), ("nvk-ada", &[])],
    options: &["--claim-graphics"],
    dispatches: 1,
    findings: "",
};

const VULKANO: Program = Program {
    name: "vulkano",
    title: "vulkano 0.35",
    source: Source::Rust("vulkano"),
    devices: &[("nvidia-h200", &[]), ("amd-rdna3", &[]), ("lavapipe", &[]), ("arm-mali-g720", &[])],
    options: &[],
    dispatches: 2,
    findings: "",
};

pub const ALL: [&Program; 6] = [&NCNN, &WGPU, &TAICHI, &IREE, &WGPU_CRATE, &VULKANO];

/// Those that are not a step of their own, but for the crates, which take minutes to build.
pub fn check() -> Result<()> {
    [&WGPU, &TAICHI, &IREE].into_iter().try_for_each(Program::check)
}

fn results(ran: &Ran) -> &'static str {
    match (ran.is_right(), ran.said.contains("WRONG")) {
        (true, _) => "as they should be",
        (false, true) => "**wrong**",
        (false, false) => "**it fails**",
    }
}

/// What is found, in a cell.
fn findings(ran: &Ran) -> String {
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for ((kind, allowed, _), count) in ran.findings() {
        let allowed = if allowed == "-" { "" } else { ", allowed" };
        *kinds.entry(format!("`{kind}`{allowed}")).or_default() += count;
    }
    for event in ran.others() {
        *kinds.entry(event["event"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
    }
    match kinds.is_empty() {
        true => "none".to_owned(),
        false => kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join("; "),
    }
}

/// `cargo xtask programs`
pub fn run() -> Result<()> {
    let mut table = "| Program | Device | Dispatches | Seconds | Checked | Results | Findings |\n|---|---|---|---|---|---|---|\n".to_owned();
    let mut row = |line: String| {
        println!("{line}");
        let _ = writeln!(table, "{line}");
    };
    for program in ALL {
        let installed = program.installed()?;
        let name = program.title;
        for device in program.devices {
            let plain = installed.run(device, &[], &[])?;
            let checked = installed.run(device, &["--checked".as_ref()], &[])?;
            row(format!(
                "| {name} | `{}` | {} | {:.1} | {:.1} | {} | {} |",
                device.0,
                checked.dispatches(),
                plain.time.as_secs_f64(),
                checked.time.as_secs_f64(),
                results(&checked),
                findings(&checked),
            ));
            if !checked.is_right() {
                println!("{}", checked.said);
            }
        }
        let ran = installed.run_on_lavapipe(program.devices[0].1)?;
        row(format!(
            "| {name} | Mesa's lavapipe | | {:.1} | | {} | |",
            ran.time.as_secs_f64(),
            results(&ran)
        ));
        if !ran.is_right() {
            println!("{}", ran.said);
        }
    }
    documents::write("docs/vulkan-driver.md", "programs", &table)
}
