//! Bugs that are planted into ncnn's shaders, one at a time: what our driver makes of each, as a table in `docs/vulkan-driver.md`. Those of llama.cpp's
//! shaders (`llama/planted.rs`) are planted with the same.
//!
//! The driver writes the modules that ncnn makes and takes the changed one instead. A bug is found if a layer's results are not those of ncnn's CPU
//! backend any more, or if checked mode has a finding that it does not have without the bug. The list was made before the outcome was known.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coopmat_spirv::dr::Module;
use coopmat_spirv::spirv::Op;
use serde_json::Value;

use super::program::{Installed, Ran};
use super::programs::NCNN;
use crate::{documents, shell};

/// A planted bug.
struct Bug {
    /// The layers that run.
    layer: &'static str,
    /// The module's file.
    shader: &'static str,
    /// What the shader does.
    what: &'static str,
    edit: Edit,
}

/// What is changed: an instruction, the `usize`th of its kind from 0.
pub enum Edit {
    Becomes(Op, usize, Op),
    Removed(Op, usize),
}

const BUGS: [Bug; 10] = [
    bug(
        "convolution 3x3",
        "0ee8ae04ff7d7603",
        "Winograd product with matrices",
        Edit::Removed(Op::ControlBarrier, 1),
    ),
    bug(
        "convolution 3x3",
        "28f91ed160af96c5",
        "Winograd transform of the input",
        Edit::Becomes(Op::FAdd, 3, Op::FSub),
    ),
    bug("convolution 1x1", "84c4e64b14c07728", "product with matrices", Edit::Becomes(Op::UMod, 0, Op::UDiv)),
    bug(
        "deconvolution",
        "9837bda33e11f314",
        "columns to image",
        Edit::Becomes(Op::SLessThan, 0, Op::SLessThanEqual),
    ),
    bug(
        "depthwise",
        "a675ce77c2ba03f9",
        "depthwise convolution",
        Edit::Becomes(Op::SGreaterThanEqual, 0, Op::SGreaterThan),
    ),
    bug("inner product", "369e336bc14e93cf", "partial sums", Edit::Becomes(Op::IMul, 1, Op::IAdd)),
    bug("gemm", "ff49d62c4aecc865", "product in shared memory", Edit::Removed(Op::ControlBarrier, 0)),
    bug("attention", "2e14dcd668f74536", "product of queries and keys", Edit::Removed(Op::ControlBarrier, 1)),
    bug(
        "attention",
        "33127881995c53de",
        "product with matrices",
        Edit::Becomes(Op::ShiftLeftLogical, 0, Op::ShiftRightLogical),
    ),
    bug("softmax", "2fc5ebde8804957b", "sums of exponentials", Edit::Becomes(Op::FAdd, 0, Op::FSub)),
];

const fn bug(layer: &'static str, shader: &'static str, what: &'static str, edit: Edit) -> Bug {
    Bug { layer, shader, what, edit }
}

impl Edit {
    pub fn words(&self) -> String {
        match self {
            Edit::Becomes(from, number, to) => format!("`Op{from:?}` {} becomes `Op{to:?}`", number + 1),
            Edit::Removed(op, number) => format!("`Op{op:?}` {} is left out", number + 1),
        }
    }

    fn make(&self, module: &mut Module) -> Result<()> {
        let (Edit::Becomes(op, number, _) | Edit::Removed(op, number)) = self;
        let mut seen = 0;
        for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
            let here = block.instructions.iter().filter(|one| one.class.opcode == *op).count();
            if seen + here <= *number {
                seen += here;
                continue;
            }
            let mut all = block.instructions.iter().enumerate();
            let place = all.by_ref().filter(|(_, one)| one.class.opcode == *op).nth(number - seen);
            let (index, _) = place.context("an instruction is missing")?;
            match self {
                Edit::Becomes(.., to) => {
                    block.instructions[index].class =
                        coopmat_spirv::class(*to as u16).context("an instruction is unknown")?;
                }
                Edit::Removed(..) => {
                    block.instructions.remove(index);
                }
            }
            return Ok(());
        }
        anyhow::bail!("the shader has no Op{op:?} number {number}")
    }
}

/// Writes a module of the folder, with the bug, as the only one into the other folder.
pub fn plant(edit: &Edit, modules: &Path, shader: &str, into: &Path) -> Result<()> {
    let file = format!("{shader}.spv");
    let bytes =
        std::fs::read(modules.join(&file)).with_context(|| format!("the program makes no shader {file}"))?;
    let mut module = coopmat_spirv::load_bytes(&bytes)?;
    edit.make(&mut module)?;
    let _ = std::fs::remove_dir_all(into);
    std::fs::create_dir_all(into)?;
    std::fs::write(into.join(&file), coopmat_spirv::to_bytes(&coopmat_spirv::assemble(&module)?))?;
    Ok(())
}

/// What is wrong, by kind: not what is allowed.
pub fn kinds(events: &[Value]) -> BTreeSet<String> {
    let wrong = events.iter().filter_map(|event| match event["event"].as_str()? {
        "finding" if event["allowed_by"].is_null() => event["kind"].as_str().map(str::to_owned),
        "found-command" => event["kind"].as_str().map(str::to_owned),
        "failed" => Some("the dispatch fails".to_owned()),
        "misuse" => Some("wrong use".to_owned()),
        _ => None,
    });
    wrong.collect()
}

/// Plants each bug. The folder has the modules of ncnn.
pub fn check(program: &Installed<'_>, modules: &Path) -> Result<()> {
    let folder = shell::target().join("ncnn-planted");
    let mut table = "| Layer | Shader | Bug | Found by |\n|---|---|---|---|\n".to_owned();
    let mut found = 0;
    for bug in &BUGS {
        plant(&bug.edit, modules, bug.shader, &folder)?;
        let options = ["--checked".as_ref(), "--read-shaders".as_ref(), folder.as_os_str()];
        let Ran { said, events, .. } = program.run(&NCNN.devices[0], &options, &[bug.layer])?;
        ensure!(
            events.iter().any(|event| event["event"] == "replaced"),
            "{} does not make the shader {}",
            bug.layer,
            bug.shader
        );
        let mut by: Vec<String> = Vec::new();
        if said.contains("WRONG") {
            by.push("other results than the CPU backend's".to_owned());
        }
        by.extend(kinds(&events).into_iter().map(|kind| format!("`{kind}`")));
        found += usize::from(!by.is_empty());
        let by = if by.is_empty() { "**not found**".to_owned() } else { by.join(", ") };
        let _ = writeln!(table, "| {} | {} | {} | {by} |", bug.layer, bug.what, bug.edit.words());
    }
    println!("{found} of {} planted bugs are found", BUGS.len());
    documents::compare(
        "docs/vulkan-driver.md",
        "planted bugs",
        &table,
        "cargo xtask test --only \"ncnn's program\"",
    )
}
