//! Cases, how they are run, and the table of docs/conformance.md.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_simulator::ownership::Ownership;
use coopmat_simulator::{DecodeChoice, Execution, Program, ProgramOptions, Progress, Resources, Settings};
use coopmat_spirv::dr::Module;

use super::kernel::{Kernel, full};
use super::numbers::{Kind, Tolerance};

/// What a run left in the buffers.
pub struct Outcome<'a> {
    pub subgroup_size: usize,
    buffers: &'a [(&'static str, Kind, Vec<u8>)],
}

impl Outcome<'_> {
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        let (_, kind, bytes) =
            self.buffers.iter().find(|(other, ..)| *other == name).expect("a buffer of this name");
        kind.numbers(bytes)
    }

    /// Compares a buffer's first numbers; those that the specification leaves open are `None`.
    pub fn expect(&self, name: &str, expected: &[Option<f64>], tolerance: Tolerance) -> Result<(), String> {
        let (_, kind, _) =
            self.buffers.iter().find(|(other, ..)| *other == name).expect("a buffer of this name");
        let found = self.numbers(name);
        for (index, (expected, found)) in expected.iter().zip(&found).enumerate() {
            if let Some(expected) = expected
                && !tolerance.allows(*kind, *expected, *found)
            {
                return Err(format!("{name}[{index}]: expected {expected}, found {found}"));
            }
        }
        if found.len() < expected.len() { Err(format!("{name} is too short")) } else { Ok(()) }
    }
}

type Check = Box<dyn Fn(&Outcome) -> Result<(), String> + Send + Sync>;

pub struct Case {
    pub category: &'static str,
    pub name: String,
    pub kernel: Kernel,
    /// What is done to the module that codegen made, for what GLSL has no words for.
    pub patch: Option<fn(&mut Module)>,
    pub push: Vec<u32>,
    /// The subgroup sizes that it runs with.
    pub sizes: &'static [u32],
    pub decode: DecodeChoice,
    pub check: Check,
}

impl Case {
    pub fn new(
        category: &'static str,
        name: String,
        kernel: Kernel,
        check: impl Fn(&Outcome) -> Result<(), String> + Send + Sync + 'static,
    ) -> Case {
        Case {
            category,
            name,
            kernel,
            patch: None,
            push: Vec::new(),
            sizes: &[8, 16, 32],
            decode: DecodeChoice::default(),
            check: Box::new(check),
        }
    }

    fn compile(&self) -> Result<Program, String> {
        let module = self.module()?;
        Program::new(&module, &ProgramOptions::default())
            .map_err(|error| format!("{error}\n{}", self.kernel.source()))
    }

    pub fn module(&self) -> Result<Module, String> {
        let source = self.kernel.source();
        let config = Configuration {
            target_env: TargetEnv::Vulkan1_3,
            stage: Some(Stage::Compute),
            ..Configuration::default()
        };
        let analysis =
            coopmat_analysis::analyze("test.comp", source.as_str().into(), &config, &NoFiles, None);
        let compiled = coopmat_codegen::compile(&analysis, &Default::default()).map_err(|errors| {
            let told: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
            format!("{}\n{source}", told.join("\n"))
        })?;
        let mut module = compiled.module;
        if let Some(patch) = self.patch {
            patch(&mut module);
        }
        Ok(module)
    }

    /// `matrixmuladd.float16_t_float16_t_float.16x16x16.subgroup.buffer.rows`
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.category, self.name)
    }

    fn run(&self) -> Result<(), String> {
        let program = self.compile()?;
        for size in self.sizes {
            // No result depends on who owns which element, apart from that of `length`.
            let ownership = if *size == 16 && self.category != "length" { "shuffled" } else { "plain" };
            self.run_with(&program, *size, ownership)
                .map_err(|error| format!("subgroups of {size}, {ownership} ownership: {error}"))?;
        }
        Ok(())
    }

    fn run_with(&self, program: &Program, size: u32, ownership: &str) -> Result<(), String> {
        let mut resources = Resources::new();
        let mut push = Vec::new();
        let mut ids = Vec::new();
        for (binding, memory) in self.kernel.memory.iter().enumerate() {
            let id = resources.buffer(&memory.kind.bytes(&memory.values));
            resources.bind(0, binding as u32, 0, id);
            push.extend(resources.address(id).to_le_bytes());
            ids.push(id);
        }
        push.extend(self.push.iter().flat_map(|word| word.to_le_bytes()));
        push.resize(push.len().max(ids.len() * 8 + 8), 0);
        resources.push_constants(&push);
        let ownership = Arc::new(Ownership::by_name(ownership).expect("a known ownership"));
        let settings =
            Settings { subgroup_size: size, ownership, decode: self.decode, ..Settings::default() };
        let mut execution =
            Execution::new(program, resources, settings, [1, 1, 1]).map_err(|error| error.to_string())?;
        while !matches!(execution.run(1 << 20).map_err(|error| error.to_string())?, Progress::Finished) {}
        let resources = execution.into_resources();
        let buffers: Vec<_> = self
            .kernel
            .memory
            .iter()
            .zip(ids)
            .map(|(memory, id)| (memory.name, memory.kind, resources.bytes(id)))
            .collect();
        self.judge(size, &buffers)
    }

    /// What an executor with subgroups of this size left in the buffers.
    pub fn judge(&self, size: u32, buffers: &[(&'static str, Kind, Vec<u8>)]) -> Result<(), String> {
        (self.check)(&Outcome { subgroup_size: size as usize, buffers })
    }
}

/// Cases that fail, and why: the table says so.
const KNOWN: &[(&str, &str)] = &[];

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/conformance.md");

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    super::elements::cases(&mut cases);
    super::products::cases(&mut cases);
    super::conversions::cases(&mut cases);
    super::memory::cases(&mut cases);
    super::nv2::cases(&mut cases);
    super::tensors::cases(&mut cases);
    super::qcom::cases(&mut cases);
    cases
}

#[test]
fn every_case_passes_and_the_table_is_true() {
    let only = std::env::var("CONFORMANCE_ONLY").ok();
    let mut cases = cases();
    let every = cases.len();
    if let Some(word) = &only {
        cases.retain(|case| case.full_name().contains(word.as_str()));
    }
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = case.run() {
                        let name = case.full_name();
                        failures.lock().expect("no panic while it is held").push((
                            case.category,
                            name,
                            error,
                        ));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic while it was held");
    let mut unknown = BTreeMap::<_, Vec<_>>::new();
    for (category, name, error) in &failures {
        if !KNOWN.iter().any(|(known, _)| name.starts_with(known)) {
            unknown.entry(category).or_default().push(format!("{name}: {error}"));
        }
    }
    for (category, told) in &unknown {
        println!(
            "{category}: {} fail, the first of them:\n{}\n",
            told.len(),
            told.iter().min().map_or("", |t| t.get(..1500).unwrap_or(t))
        );
    }
    println!("{} cases of {every}, {} failed", cases.len(), failures.len());
    // The page has the chosen cases.
    if only.is_none() && !full() {
        let failed = |category: &str| failures.iter().filter(|(other, ..)| *other == category).count();
        keep_table(&cases, failed);
    }
    assert!(unknown.is_empty(), "{} of {} cases failed", failures.len(), cases.len());
}

/// The table is of this run.
fn keep_table(cases: &[Case], failed: impl Fn(&str) -> usize) {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for case in cases {
        match counts.iter_mut().find(|(category, _)| *category == case.category) {
            Some((_, count)) => *count += 1,
            None => counts.push((case.category, 1)),
        }
    }
    let mut table = String::from("| category | cases | passed |\n|---|---|---|\n");
    let (mut all, mut all_passed) = (0, 0);
    for (category, count) in counts {
        let passed = count - failed(category);
        (all, all_passed) = (all + count, all_passed + passed);
        table += &format!("| {category} | {count} | {passed} |\n");
    }
    table += &format!("| **all** | {all} | {all_passed} |\n");
    for (name, reason) in KNOWN {
        table += &format!("\nFails: `{name}`. {reason}\n");
    }
    keep("default", &table);
}

/// The page has this table between the marks of a name, or gets it with `UPDATE=1`.
pub fn keep(name: &str, table: &str) {
    let page = std::fs::read_to_string(PAGE).unwrap_or_default();
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let Some((before, rest)) = page.split_once(&begin) else { panic!("docs/conformance.md has no {begin}") };
    let Some((old, after)) = rest.split_once(&end) else { panic!("docs/conformance.md has no {end}") };
    if old == table {
        return;
    }
    assert!(std::env::var_os("UPDATE").is_some(), "docs/conformance.md is old; UPDATE=1 writes:\n{table}");
    std::fs::write(PAGE, format!("{before}{begin}{table}{end}{after}")).expect("docs can be written");
}
