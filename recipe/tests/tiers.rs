//! When a run is handed over from the interpreter to machine code, and what the report says of it.

use std::cell::Cell;

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_recipe::modes::first;
use coopmat_recipe::{Files, Host, Overrides, Plan, Report, Tier, parse, run};
use coopmat_simulator::{Execution, Pool, Progress};
use expect_test::{Expect, expect};

struct NoFile;

impl Files for NoFile {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("no {path}"))
    }
}

/// Stands for machine code: what it is given, the interpreter runs.
struct Stand {
    patience: u64,
    refuses: bool,
}

thread_local! {
    /// Workgroups that had ended when the run was handed over.
    static BEFORE: Cell<Option<u64>> = const { Cell::new(None) };
}

impl Tier for Stand {
    fn patience(&self) -> u64 {
        self.patience
    }

    fn run(
        &self,
        execution: &mut Execution,
        _pool: Option<&dyn Pool>,
        go_on: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<bool, String> {
        if self.refuses {
            return Err("the shader uses an image".to_owned());
        }
        BEFORE.set(execution.ended_workgroups());
        while execution.run(1000).map_err(|error| error.message)? != Progress::Finished {
            if !go_on(0, 1) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Each workgroup counts to a number.
fn report(patience: u64, refuses: bool, count: u32, checked: bool) -> Report {
    report_of(4, patience, refuses, count, checked)
}

fn report_of(workgroups: u32, patience: u64, refuses: bool, count: u32, checked: bool) -> Report {
    let source = "#version 460
layout(local_size_x = 4) in;
layout(push_constant) uniform Push { uint count; };
layout(binding = 0) buffer Result { uint sums[]; };
void main() { uint sum = 0; for (uint i = 0; i < count; i++) { sum += i; } sums[gl_GlobalInvocationID.x] = sum; }";
    let text = format!(
        "dispatch = [{workgroups}]
push-constants = {{ count = {count} }}
[[buffers]]
name = \"sums\"
shape = [{}]
[[expect]]
buffer = \"sums\"
equals.formula = \"{}\"
",
        workgroups * 4,
        u64::from(count) * u64::from(count - 1) / 2
    );
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis = coopmat_analysis::analyze("/test.comp", source.into(), &config, &NoFiles, None);
    let module = coopmat_codegen::compile(&analysis, &Default::default()).unwrap().module;
    let recipe = parse(&text).unwrap();
    let plan = Plan::new(&recipe, &text, &[(&module).into()], &NoFile, &Overrides::default()).unwrap();
    let mut modes = first(&recipe, plan.subgroup_size);
    modes.checked = checked;
    BEFORE.set(None);
    let stand = Stand { patience, refuses };
    let tier: Option<&dyn Tier> = Some(&stand);
    let host = Host { pool: None, tier, observers: Vec::new(), place: &|_, _| None, go_on: &mut |_, _| true };
    run(&plan, &recipe, &modes, host).report
}

#[track_caller]
fn told(report: &Report, expected: Expect) {
    assert!(report.met, "{:?}", report.error);
    let [tier] = report.tiers.as_slice() else { panic!("{} tiers", report.tiers.len()) };
    let before = BEFORE.get().map(|count| format!(" after {count} workgroups")).unwrap_or_default();
    let told = match (&tier.reason, tier.compiled) {
        (Some(reason), false) => format!("interpreted, as {reason}"),
        (None, false) => "interpreted".to_owned(),
        (None, true) => format!("compiled{before}"),
        (Some(_), true) => "a reason for nothing".to_owned(),
    };
    expected.assert_eq(&told);
}

#[test]
fn a_short_run_is_the_interpreter_s() {
    told(&report(1_000_000, false, 10, false), expect!["interpreted"]);
}

#[test]
fn a_long_run_is_handed_over_between_two_workgroups() {
    told(&report(1000, false, 100, false), expect!["compiled after 2 workgroups"]);
    told(&report(0, false, 10, false), expect!["compiled after 0 workgroups"]);
}

#[test]
fn what_cannot_be_compiled_is_interpreted_with_the_reason() {
    told(&report(1000, true, 100, false), expect!["interpreted, as the shader uses an image"]);
}

#[test]
fn a_workgroup_that_takes_long_is_not_interrupted() {
    told(&report(1000, false, 10_000, false), expect!["compiled after 1 workgroups"]);
    told(
        &report_of(1, 1000, false, 10_000, false),
        expect!["interpreted, as only whole workgroups are handed over to machine code"],
    );
}

#[test]
fn checked_runs_are_the_interpreter_s() {
    told(&report(1000, false, 100, true), expect!["interpreted"]);
    told(&report(0, false, 100, true), expect!["interpreted, as every step is looked at"]);
}
