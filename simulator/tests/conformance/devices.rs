//! The same cases on Vulkan devices: written as jobs for `lsp/vulkan/examples/run_jobs.rs`, and judged by what it left.
//!
//! `CONFORMANCE_JOBS=FOLDER` names the folder. Without results in it (`CONFORMANCE_RESULTS` unset) the jobs are written, for subgroups of
//! `CONFORMANCE_SUBGROUP` invocations; with it they are judged, and the table under that name in docs/conformance.md is compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use coopmat_simulator::DecodeChoice;
use coopmat_spirv::dr::Operand;
use coopmat_spirv::spirv::Capability;
use serde_json::{Value, json};

use super::kernel::Storage;
use super::report::{Case, cases};

/// Cases that a device fails, by a part of the device's name and the beginning of the case's, and why.
const KNOWN: &[(&str, &str, &str)] = &[(
    "llvmpipe",
    "per_element_op_struct",
    "The driver ends with a fault where a function over elements takes a structure; glslang's module of such a shader ends it, too.",
)];

/// What a refusal says when the device lacks what a case needs.
const LACKING: [&str; 5] = [
    " lacks the feature ",
    " has no cooperative matrix ",
    " does not multiply ",
    " supports subgroups of ",
    " does not ",
];

fn subgroup() -> u32 {
    std::env::var("CONFORMANCE_SUBGROUP").ok().and_then(|text| text.parse().ok()).unwrap_or(32)
}

/// Cases that differ only in what the simulator chooses are one on a device.
fn chosen() -> Vec<Case> {
    let only = std::env::var("CONFORMANCE_ONLY").ok();
    let mut cases = cases();
    cases.retain(|case| {
        case.decode == DecodeChoice::default()
            && fits(case)
            && only.as_ref().is_none_or(|word| case.full_name().contains(word.as_str()))
    });
    cases
}

/// Shared memory is as large as most devices have it.
fn fits(case: &Case) -> bool {
    let bytes =
        |memory: &super::kernel::Memory| memory.values.len().next_multiple_of(16) * memory.kind.size();
    case.kernel.axes.storage != Storage::Shared
        || case.kernel.memory.iter().map(bytes).sum::<usize>() <= 48 << 10
}

#[test]
fn cases_run_on_devices() {
    let Some(folder) = std::env::var_os("CONFORMANCE_JOBS") else { return };
    let folder = Path::new(&folder);
    match std::env::var("CONFORMANCE_RESULTS") {
        Err(_) => write(folder),
        Ok(table) => judge(folder, &table),
    }
}

fn write(folder: &Path) {
    std::fs::create_dir_all(folder).expect("a folder for jobs");
    for case in chosen() {
        let name = case.full_name();
        let module = case.module().expect("every case compiles");
        let physical = module.capabilities.iter().any(|capability| {
            capability.operands.contains(&Operand::Capability(Capability::PhysicalStorageBufferAddresses))
        });
        let words = coopmat_spirv::assemble(&module).expect("a module");
        let put = |path: String, bytes: Vec<u8>| {
            std::fs::write(folder.join(path), bytes).expect("jobs can be written");
        };
        put(format!("{name}.spv"), coopmat_spirv::to_bytes(&words));
        let mut inputs = Vec::new();
        let mut buffers = Vec::new();
        let mut addresses = Vec::new();
        for (binding, memory) in case.kernel.memory.iter().enumerate() {
            let bytes = memory.kind.bytes(&memory.values);
            let begin = inputs.len();
            inputs.extend(&bytes);
            buffers.push(json!({
                "name": memory.name, "binding": [0, binding],
                "file": format!("{name}.in"), "from": begin, "bytes": bytes.len(), "save": true,
            }));
            // A device has no addresses for a module that does not use them.
            if physical {
                addresses.push(json!({ "into": "pushConstants", "offset": binding * 8, "of": memory.name }));
            }
        }
        put(format!("{name}.in"), inputs);
        let mut push = vec![0u32; case.kernel.memory.len() * 2];
        push.extend(&case.push);
        push.resize(push.len().max(case.kernel.memory.len() * 2 + 2), 0);
        let job = json!({
            "module": format!("{name}.spv"), "dispatch": [1, 1, 1], "subgroupSize": subgroup(), "seconds": 20,
            "pushConstants": push, "buffers": buffers, "addresses": addresses, "together": true,
        });
        // For another compiler, when a few are looked at.
        if std::env::var_os("CONFORMANCE_ONLY").is_some() {
            put(format!("{name}.comp"), case.kernel.source().into_bytes());
        }
        put(format!("{name}.json"), job.to_string().into_bytes());
    }
}

#[derive(Default)]
struct Count {
    cases: usize,
    run: usize,
    passed: usize,
}

/// A case's result: nothing where the device lacks what it needs.
fn result(folder: &Path, case: &Case, device: &mut String) -> Option<Result<(), String>> {
    let name = case.full_name();
    let Ok(text) = std::fs::read_to_string(folder.join(format!("{name}.result"))) else {
        return Some(Err("it was not run".to_owned()));
    };
    let told: Value = serde_json::from_str(&text).unwrap_or_default();
    if let Some(error) = told["error"].as_str() {
        let lacks = LACKING.iter().any(|part| error.contains(part));
        return if lacks { None } else { Some(Err(error.to_owned())) };
    }
    if let Some(name) = told["device"].as_str() {
        name.clone_into(device);
    }
    let left = std::fs::read(folder.join(format!("{name}.out"))).unwrap_or_default();
    let mut begin = 0;
    let mut buffers = Vec::new();
    for memory in &case.kernel.memory {
        let bytes = memory.values.len() * memory.kind.size();
        let Some(own) = left.get(begin..begin + bytes) else {
            return Some(Err(format!("{} bytes are left of {}", left.len(), begin + bytes)));
        };
        buffers.push((memory.name, memory.kind, own.to_vec()));
        begin += bytes;
    }
    Some(case.judge(subgroup(), &buffers))
}

fn judge(folder: &Path, table: &str) {
    let mut device = String::new();
    let mut counts: Vec<(&str, Count)> = Vec::new();
    let mut failures: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let cases = chosen();
    let results: Vec<_> = cases.iter().map(|case| result(folder, case, &mut device)).collect();
    for (case, result) in cases.iter().zip(results) {
        let known = counts.iter().position(|(category, _)| *category == case.category);
        let place = known.unwrap_or(counts.len());
        if known.is_none() {
            counts.push((case.category, Count::default()));
        }
        let count = &mut counts[place].1;
        count.cases += 1;
        let Some(result) = result else { continue };
        count.run += 1;
        match result {
            Ok(()) => count.passed += 1,
            Err(error) => {
                failures.entry(case.category).or_default().push(format!("{}: {error}", case.full_name()))
            }
        }
    }
    let known =
        |name: &str| KNOWN.iter().any(|(on, begin, _)| device.contains(on) && name.starts_with(begin));
    let mut unknown = 0;
    for (category, told) in &failures {
        let new: Vec<&String> = told.iter().filter(|text| !known(text)).collect();
        unknown += new.len();
        println!("{category}: {} fail, {} of them not listed", told.len(), new.len());
        for text in new.iter().take(3) {
            println!("    {}", text.get(..300).unwrap_or(text));
        }
    }
    let mut text = String::from("| category | cases | run | passed |\n|---|---|---|---|\n");
    let mut all = Count::default();
    for (category, count) in counts.iter().filter(|(_, count)| count.run > 0) {
        let _ = writeln!(text, "| {category} | {} | {} | {} |", count.cases, count.run, count.passed);
        all.run += count.run;
        all.passed += count.passed;
    }
    all.cases = counts.iter().map(|(_, count)| count.cases).sum();
    let _ = writeln!(text, "| **all** | {} | {} | {} |", all.cases, all.run, all.passed);
    for (on, begin, reason) in KNOWN.iter().filter(|(on, ..)| device.contains(on)) {
        let _ = writeln!(text, "\nFails on {on}: `{begin}`. {reason}");
    }
    println!("{device}: {} of {} cases run, {} pass\n{text}", all.run, all.cases, all.passed);
    if std::env::var_os("CONFORMANCE_ONLY").is_none() && table != "none" {
        super::report::keep(table, &text);
    }
    assert_eq!(unknown, 0, "{unknown} cases fail that are not listed");
    assert!(all.run > 0, "the device runs none of the cases");
}
