//! `cargo xtask llama`: llama.cpp with its Vulkan backend on our driver, as several devices. A model of random weights, of which logits and tokens
//! have to be those of llama.cpp's CPU backend, and checked mode may find only what `findings/llama.txt` lists.

mod build;
mod planted;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use self::build::Built;
use super::driver;
use crate::{debian, shell};

#[derive(clap::Args)]
pub struct Options {
    /// Only as these devices; `software` is the software driver of the newest Debian, without ours
    #[arg(long = "device")]
    devices: Vec<String>,
    /// Only with weights of these types: f16, q4_0
    #[arg(long = "type")]
    types: Vec<String>,
    /// Tokens of the prompt
    #[arg(long, default_value_t = PROMPT)]
    prompt: usize,
    /// Tokens that are generated
    #[arg(long, default_value_t = GENERATED)]
    generated: usize,
    /// Without the runs in checked mode and those under Khronos's validation layers
    #[arg(long)]
    unchecked: bool,
    /// Plant bugs into the shaders instead, and compare what finds them with the table in docs/vulkan-driver.md
    #[arg(long, conflicts_with_all = ["devices", "types", "unchecked"])]
    planted: bool,
}

/// Tokens, as usual.
const PROMPT: usize = 70;
const GENERATED: usize = 4;

/// Not a profile: the software driver itself.
const SOFTWARE: &str = "software";

/// The devices, and which matrix extension llama.cpp has to say that it uses.
const DEVICES: [(&str, &str); 11] = [
    ("lavapipe", "KHR_coopmat"),
    ("nvidia-h200", "NV_coopmat2"),
    ("amd-rdna3", "KHR_coopmat"),
    ("amd-rdna4", "KHR_coopmat"),
    ("intel-xe2", "KHR_coopmat"),
    ("intel-xe-hpg", "none"),
    ("nvk-turing", "KHR_coopmat"),
    ("nvk-ampere", "KHR_coopmat"),
    ("nvk-ada", "KHR_coopmat"),
    ("nvk-blackwell", "KHR_coopmat"),
    (SOFTWARE, "KHR_coopmat"),
];

/// Types of weights, and how far logits may be from the CPU backend's, as a part of the largest one.
const TYPES: [(&str, f64); 2] = [("f16", 1e-2), ("q4_0", 3e-2)];

/// Of a dispatch: more than any has, so that one without an end fails soon.
const STEPS: &str = "200000000";

/// What Khronos's layers say of llama.cpp: as `intel-xe-hpg`, on which it does without matrices, it enables VK_NV_cooperative_matrix2 and not the
/// extension which that needs.
const COMPLAINTS: [&str; 1] = ["VUID-vkCreateDevice-ppEnabledExtensionNames-01387"];

/// Lines of the device, the kind, the pipeline, and the judgement.
const FINDINGS: &str = include_str!("findings/llama.txt");

/// How judgements of findings begin that the usual prompt does not have.
const OTHER_PROMPTS: &str = "with other prompts: ";

/// A finding as the list has it: device, kind, pipeline.
type Known = (String, String, String);

/// What one run gave.
struct Ran {
    seconds: f64,
    rows: Vec<Row>,
    events: Vec<Value>,
}

/// A token, and the logits of the next one.
struct Row {
    generated: bool,
    logits: Vec<f64>,
}

pub fn run(options: &Options) -> Result<()> {
    let built = build::build()?;
    let chosen = |all: &[String], one: &str| all.is_empty() || all.iter().any(|name| name == one);
    for name in &options.devices {
        ensure!(
            DEVICES.iter().any(|(known, _)| known == name),
            "expected a device of {DEVICES:?}, found {name}"
        );
    }
    for name in &options.types {
        ensure!(TYPES.iter().any(|(known, _)| known == name), "expected a type of {TYPES:?}, found {name}");
    }
    let layers = driver::Layers::new("llama-vulkan/validation-layers")?;
    let llama = Llama { analyzer: shell::server()?, library: driver::library()?, built, options, layers };
    if options.planted {
        return planted::check(&llama);
    }
    println!("| Weights | Device | Matrices | Dispatches | Seconds | checked | Difference | Findings |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut wrong = Vec::new();
    let mut found = BTreeSet::new();
    for (kind, tolerance) in TYPES.iter().filter(|(name, _)| chosen(&options.types, name)) {
        let mut expected = None;
        for (device, _) in DEVICES.iter().filter(|(name, _)| chosen(&options.devices, name)) {
            let case = Case::new(&llama, kind, device)?;
            let expected = match &expected {
                Some(expected) => expected,
                None => expected.insert(llama.on_cpu(&case.model, kind)?.rows),
            };
            match llama.case(&case, expected, *tolerance, &mut found) {
                Ok(row) => println!("{row}"),
                Err(error) => {
                    println!("| {kind} | {device} | **wrong** |");
                    wrong.push(format!("{kind} as {device}: {error:#}"));
                }
            }
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    if !options.unchecked && llama.layers.any() {
        llama.layers.said_nothing(&COMPLAINTS)?;
    }
    let usual = options.prompt == PROMPT && options.generated == GENERATED;
    let whole = usual && options.devices.is_empty() && options.types.is_empty() && !options.unchecked;
    as_listed(&found, whole)
}

/// Compares what was found with the list; `whole`: it is all that can be found.
fn as_listed(found: &BTreeSet<Known>, whole: bool) -> Result<()> {
    let listed = listed()?;
    if let Some(row) = found.iter().find(|row| !listed.contains_key(*row)) {
        bail!("{row:?} is found, and xtask/src/vulkan/findings/llama.txt does not list it");
    }
    let mut missing = listed.iter().filter(|(row, always)| **always && !found.contains(*row));
    if let Some((row, _)) = missing.next().filter(|_| whole) {
        bail!("xtask/src/vulkan/findings/llama.txt lists {row:?}, which is not found");
    }
    println!("the findings are those of the list");
    Ok(())
}

/// The findings of the list, and whether the usual prompt has them.
fn listed() -> Result<BTreeMap<Known, bool>> {
    let lines = FINDINGS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &str| {
        let mut parts = line.splitn(4, ' ').map(str::to_owned);
        let row = (parts.next()?, parts.next()?, parts.next()?);
        let judgement = parts.next().filter(|words| !words.is_empty())?;
        Some((row, !judgement.starts_with(OTHER_PROMPTS)))
    };
    lines.map(|line| row(line).with_context(|| format!("findings/llama.txt: `{line}`"))).collect()
}

struct Llama<'a> {
    analyzer: PathBuf,
    library: PathBuf,
    built: Built,
    options: &'a Options,
    layers: driver::Layers,
}

/// How a program runs on our driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Fast,
    Checked,
    /// With Khronos's validation layers between the two.
    Validated,
}

/// Weights of a type on a device.
struct Case<'a> {
    model: PathBuf,
    kind: &'a str,
    device: &'a str,
    matrices: &'a str,
}

impl<'a> Case<'a> {
    fn new(llama: &Llama<'_>, kind: &'a str, device: &'a str) -> Result<Case<'a>> {
        let known = DEVICES.iter().find(|(name, _)| *name == device);
        let (_, matrices) = known.with_context(|| format!("no device {device}"))?;
        Ok(Case { model: llama.built.model(kind)?, kind, device, matrices })
    }

    /// What its files are called.
    fn name(&self, how: How) -> String {
        format!("{}-{}-{how:?}", self.kind, self.device).to_lowercase()
    }
}

impl Llama<'_> {
    /// Runs one model on one device, and compares; the row of the table.
    fn case(
        &self,
        case: &Case<'_>,
        expected: &[Row],
        tolerance: f64,
        found: &mut BTreeSet<Known>,
    ) -> Result<String> {
        let Case { kind, device, matrices, .. } = case;
        let fast = self.on_vulkan(case, How::Fast, &[])?;
        complaints(&fast.events)?;
        let mut difference = compare(expected, &fast.rows, tolerance)?;
        let (mut checked_seconds, mut findings) = (String::new(), String::new());
        if *device != SOFTWARE && !self.options.unchecked {
            let checked = self.on_vulkan(case, How::Checked, &[])?;
            let validated = self.on_vulkan(case, How::Validated, &[])?;
            difference = difference.max(compare(expected, &validated.rows, tolerance)?);
            complaints(&checked.events)?;
            difference = difference.max(compare(expected, &checked.rows, tolerance)?);
            checked_seconds = format!("{:.1}", checked.seconds);
            let known = known(&checked.events, device);
            findings = describe(&known);
            found.extend(known.into_keys());
        }
        let dispatches = match last_progress(&fast.events) {
            0 => String::new(),
            count => count.to_string(),
        };
        let seconds = fast.seconds;
        Ok(format!(
            "| {kind} | {device} | {matrices} | {dispatches} | {seconds:.1} | {checked_seconds} | {difference:.1e} | {findings} |"
        ))
    }

    fn on_cpu(&self, model: &Path, kind: &str) -> Result<Ran> {
        let out = self.built.folder.join(format!("{kind}-cpu.logits"));
        let mut command = debian::with_libraries(&self.built.program);
        command.env("GGML_DISABLE_VULKAN", "1");
        self.arguments(&mut command, model, "cpu", &out);
        self.finish(&mut command, &out, None, "")
    }

    /// With these options of `vulkan`.
    fn on_vulkan(&self, case: &Case<'_>, how: How, options: &[&OsStr]) -> Result<Ran> {
        let Case { model, kind, device, matrices } = case;
        let out = self.built.folder.join(format!("{}.logits", case.name(how)));
        let report = self.report(case, how);
        let mut program = match *device {
            SOFTWARE => debian::with_lavapipe(&self.built.program)?,
            _ => debian::with_libraries(&self.built.program),
        };
        self.arguments(&mut program, model, "vulkan", &out);
        program.arg(self.built.folder.join(format!("{kind}-cpu.logits")));
        let (mut command, report) = if *device == SOFTWARE {
            // Its compiled shaders of an earlier run would make this one look fast.
            program.env("MESA_SHADER_CACHE_DISABLE", "true");
            (program, None)
        } else {
            let mut command = Command::new(&self.analyzer);
            command.args(["vulkan", "--json", "--device", device, "--step-limit", STEPS, "--driver"]);
            command.arg(&self.library).arg("--output").arg(&report).args(options);
            command.args((how == How::Checked).then_some("--checked"));
            if how == How::Validated {
                self.layers.above(&mut command)?;
            }
            command.arg("--").arg(program.get_program()).args(program.get_args());
            (command, Some(report))
        };
        // The first device, also if it is a processor; and names for pipelines.
        command.env("GGML_VK_VISIBLE_DEVICES", "0").env("GGML_VK_DEBUG_MARKERS", "1");
        self.finish(&mut command, &out, report.as_deref(), &format!("matrix cores: {matrices}\n"))
    }

    fn report(&self, case: &Case<'_>, how: How) -> PathBuf {
        self.built.folder.join(format!("{}.json", case.name(how)))
    }

    /// What the driver reported of the last run of the case.
    fn events(&self, case: &Case<'_>, how: How) -> Result<Vec<Value>> {
        let report = self.report(case, how);
        let text = std::fs::read_to_string(&report).with_context(|| format!("no {}", report.display()))?;
        Ok(serde_json::from_str(&text)?)
    }

    fn arguments(&self, command: &mut Command, model: &Path, backend: &str, out: &Path) {
        command.arg("run").arg(model).arg(backend);
        command.arg(self.options.prompt.to_string()).arg(self.options.generated.to_string()).arg(out);
    }

    /// Runs it, and reads what it wrote. It has to have said `expected`.
    fn finish(
        &self,
        command: &mut Command,
        out: &Path,
        report: Option<&Path>,
        expected: &str,
    ) -> Result<Ran> {
        for old in std::iter::once(out).chain(report) {
            let _ = std::fs::remove_file(old);
        }
        let began = Instant::now();
        let output =
            command.output().with_context(|| format!("cannot start {}", shell::describe(command)))?;
        let seconds = began.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let log = out.with_extension("log");
        std::fs::write(&log, &said)?;
        let events: Vec<Value> = match report.map(std::fs::read_to_string) {
            Some(Ok(text)) => serde_json::from_str(&text)?,
            _ => Vec::new(),
        };
        let rows = std::fs::read_to_string(out).ok().map(|text| rows(&text)).transpose()?;
        let rows = rows.with_context(|| {
            let failed = events.iter().filter(|event| {
                matches!(event["event"].as_str(), Some("failed" | "missing" | "misuse" | "internal"))
            });
            let failed: Vec<String> = failed.map(Value::to_string).collect();
            format!(
                "no logits, it ended with {}; its log is {}; {}",
                output.status,
                log.display(),
                failed.join("\n")
            )
        })?;
        ensure!(said.contains(expected), "llama.cpp does not say `{}`: {}", expected.trim(), log.display());
        Ok(Ran { seconds, rows, events })
    }
}

fn rows(text: &str) -> Result<Vec<Row>> {
    let row = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let generated = words.next()? == "generated";
        let logits: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
        Some(Row { generated, logits: logits.filter(|logits| logits.len() > 1)? })
    };
    text.lines().map(|line| row(line).with_context(|| format!("not a token and logits: {line}"))).collect()
}

/// The largest difference as a part of the largest logit. The likeliest token has to be the same where the CPU backend's best two are further apart
/// than both may be wrong.
fn compare(expected: &[Row], found: &[Row], tolerance: f64) -> Result<f64> {
    ensure!(expected.len() == found.len(), "{} tokens, expected {}", found.len(), expected.len());
    let largest = expected.iter().flat_map(|row| &row.logits).fold(1.0f64, |most, one| most.max(one.abs()));
    let mut worst = 0.0f64;
    for (token, (row, other)) in expected.iter().zip(found).enumerate() {
        ensure!(row.logits.len() == other.logits.len(), "{} logits of token {token}", other.logits.len());
        for (one, two) in row.logits.iter().zip(&other.logits) {
            // What is no number is as wrong as can be.
            let difference = (one - two).abs() / largest;
            worst = if difference.is_nan() { f64::INFINITY } else { worst.max(difference) };
        }
        let (best, gap) = best(&row.logits);
        let what = if row.generated { "generated token" } else { "token of the prompt" };
        ensure!(
            gap <= 2.0 * tolerance * largest || self::best(&other.logits).0 == best,
            "after {what} {token}, the likeliest is {}, expected {best}",
            self::best(&other.logits).0
        );
    }
    ensure!(worst <= tolerance, "logits differ by {worst:.1e} of the largest, {tolerance:.0e} is allowed");
    Ok(worst)
}

/// The likeliest token, and how much larger its logit is than the next one.
fn best(logits: &[f64]) -> (usize, f64) {
    let (mut best, mut first, mut second) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (token, logit) in logits.iter().enumerate() {
        if *logit > first {
            (best, second, first) = (token, first, *logit);
        } else if *logit > second {
            second = *logit;
        }
    }
    (best, first - second)
}

fn last_progress(events: &[Value]) -> u64 {
    let last = events.iter().rev().find(|event| event["event"] == "progress");
    last.and_then(|event| event["dispatches"].as_u64()).unwrap_or_default()
}

/// What is no finding in a shader, and no progress: wrong uses, what is missing, failures.
fn complaints(events: &[Value]) -> Result<()> {
    let quiet = ["started", "again", "progress", "finding", "found-command"];
    let said = events.iter().find(|event| !quiet.contains(&event["event"].as_str().unwrap_or_default()));
    said.map_or(Ok(()), |event| bail!("the driver says: {event}"))
}

/// The findings, as the list has them, and how many there are of each.
fn known(events: &[Value], device: &str) -> BTreeMap<Known, usize> {
    let mut found = BTreeMap::new();
    for event in events.iter().filter(|event| !event["kind"].is_null()) {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let kind = match event["allowed_by"].as_str() {
            Some(by) => format!("{}:{by}", text(&event["kind"])),
            None => text(&event["kind"]),
        };
        let key = (device.to_owned(), kind, text(&event["dispatch"]["pipeline"]));
        *found.entry(key).or_default() += 1;
    }
    found
}

fn describe(found: &BTreeMap<Known, usize>) -> String {
    let all: Vec<String> = found.iter().map(|((_, kind, _), count)| format!("{count} `{kind}`")).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::{Row, best, compare, listed};

    fn row(logits: &[f64]) -> Row {
        Row { generated: true, logits: logits.to_vec() }
    }

    #[test]
    fn the_list_of_findings_can_be_read() {
        assert!(!listed().unwrap().is_empty());
    }

    #[test]
    fn another_token_is_wrong_if_the_best_two_are_further_apart_than_the_tolerance() {
        let expected = [row(&[10.0, 9.0, -3.0])];
        assert_eq!(best(&expected[0].logits), (0, 1.0));
        assert!(compare(&expected, &[row(&[9.9, 9.1, -3.0])], 0.02).is_ok());
        // Either token, as the two are closer than both may be wrong.
        assert!(compare(&expected, &[row(&[9.4, 9.6, -3.0])], 0.06).is_ok());
        let error = compare(&expected, &[row(&[9.4, 9.6, -3.0])], 0.04).unwrap_err();
        assert!(error.to_string().contains("the likeliest is 1, expected 0"), "{error}");
    }

    #[test]
    fn what_is_no_number_or_too_far_is_wrong() {
        let expected = [row(&[10.0, 2.0, -3.0])];
        assert!(compare(&expected, &[row(&[10.0, f64::NAN, -3.0])], 0.02).is_err());
        assert!(compare(&expected, &[row(&[10.0, 2.0, -3.5])], 0.02).is_err());
        assert!(compare(&expected, &[], 0.02).is_err());
    }
}
