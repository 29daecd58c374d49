//! Runs jobs that lie in a folder: `run_jobs FOLDER [--device NAME] [--workers N] [JOB...]`.
//!
//! Each `NAME.json` there is a job; the files that it names lie beside it:
//!
//! ```json
//! {
//!   "module": "gemm.spv", "entry": "main", "specialization": {"0": 16}, "dispatch": [4, 1, 1], "subgroupSize": 32,
//!   "pushConstants": [64, 4], "seconds": 60,
//!   "buffers": [
//!     {"name": "a", "binding": [0, 0], "file": "a.bin"},
//!     {"name": "d", "binding": [0, 3], "zeros": 4096, "save": true},
//!     {"name": "sizes", "binding": [0, 4], "kind": "uniform", "words": [1, 2]}
//!   ],
//!   "addresses": [{"into": "pushConstants", "offset": 8, "of": "a"}]
//! }
//! ```
//!
//! A part of a file is `"file": "a.bin", "from": 64, "bytes": 32`. A buffer that is saved is written to `NAME.BUFFER.out`; with `"together": true`
//! all of a job's are written to `NAME.out`, one after the other. One line of JSON is printed for each job and written to `NAME.result`: what it
//! took, or why it failed. The
//! jobs run in a few processes (`--workers N`), each of which is started again behind a job that ends it, as drivers crash; `--start "WORDS"` says what starts
//! this program, where that takes more than its path. A machine needs this program, the folder and a Vulkan
//! driver, nothing else.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use coopmat_vulkan::{Address, Binding, Bound, Buffer, BufferKind, Job, Place, Vulkan};
use serde_json::{Value, json};

/// The last word of a worker about a job: drivers print to standard output, too.
const ENDED: &str = "run_jobs: the job has ended";

fn main() -> ExitCode {
    let mut folder = None;
    let mut device = None;
    let mut here = None;
    let mut serve = false;
    let mut workers = 2;
    let mut started_by = None;
    let mut only = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--device" => device = arguments.next(),
            "--workers" => workers = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(workers),
            "--start" => started_by = arguments.next(),
            // One job, in this process.
            "--here" => here = arguments.next(),
            // The jobs whose names come through standard input.
            "--serve" => serve = true,
            _ if folder.is_none() => folder = Some(PathBuf::from(argument)),
            _ => only.push(argument),
        }
    }
    let Some(folder) = folder else {
        eprintln!("usage: run_jobs FOLDER [--device NAME] [--workers N] [--start WORDS] [JOB...]");
        return ExitCode::from(2);
    };
    if serve || here.is_some() {
        let vulkan = Vulkan::open().map_err(|reason| reason.to_string());
        let run = |name: &str| {
            let opened = vulkan.as_ref().map_err(String::clone);
            tell(&folder, name, opened.and_then(|vulkan| run(vulkan, &folder, name, device.as_deref())))
        };
        if let Some(name) = here {
            return if run(&name) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        for name in std::io::stdin().lines().map_while(Result::ok) {
            run(&name);
            println!("{ENDED}");
        }
        return ExitCode::SUCCESS;
    }
    let mut names = match jobs(&folder) {
        Ok(names) => names,
        Err(reason) => {
            eprintln!("{}: {reason}", folder.display());
            return ExitCode::from(2);
        }
    };
    names.retain(|name| only.is_empty() || only.contains(name));
    let names = Mutex::new(names.into_iter());
    let next = || names.lock().ok().and_then(|mut names| names.next());
    let failed = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            scope.spawn(|| {
                let mut worker = None;
                while let Some(name) = next() {
                    let good =
                        match work(&mut worker, &folder, &name, device.as_deref(), started_by.as_deref()) {
                            Ok(lines) => {
                                lines.iter().for_each(|line| println!("{line}"));
                                !lines.iter().any(|line| line.contains("\"error\""))
                            }
                            Err(reason) => {
                                worker = None;
                                tell(&folder, &name, Err(reason))
                            }
                        };
                    if !good {
                        failed.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    if failed.into_inner() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

struct Worker {
    process: Child,
    asked: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Without further names it ends by itself.
        self.asked = None;
        let _ = self.process.wait();
    }
}

/// Has a worker run a job, and gives what it printed; an error where its process did not come to the job's end.
fn work(
    worker: &mut Option<Worker>,
    folder: &Path,
    name: &str,
    device: Option<&str>,
    started_by: Option<&str>,
) -> Result<Vec<String>, String> {
    let told = |error: std::io::Error| error.to_string();
    if worker.is_none() {
        let mut command =
            match started_by.map(|words| words.split_whitespace().collect::<Vec<_>>()).as_deref() {
                Some([program, rest @ ..]) => {
                    let mut command = Command::new(program);
                    command.args(rest);
                    command
                }
                Some([]) | None => Command::new(std::env::current_exe().map_err(told)?),
            };
        command.arg(folder).arg("--serve");
        if let Some(device) = device {
            command.args(["--device", device]);
        }
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(told)?;
        let (asked, answers) = (process.stdin.take(), process.stdout.take());
        *worker = Some(Worker { process, asked, answers: BufReader::new(answers.ok_or("no output")?) });
    }
    let worker = worker.as_mut().ok_or("no process")?;
    let asked = worker.asked.as_mut().ok_or("no input")?;
    writeln!(asked, "{name}").and_then(|()| asked.flush()).map_err(told)?;
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if worker.answers.read_line(&mut line).map_err(told)? == 0 {
            let status = worker.process.wait().map_err(told)?;
            return Err(format!("the driver ended the program: {status}"));
        }
        if line.trim_end() == ENDED {
            return Ok(lines);
        }
        lines.push(line.trim_end().to_owned());
    }
}

/// Whether it went well.
fn tell(folder: &Path, name: &str, result: Result<Value, String>) -> bool {
    let good = result.is_ok();
    let line = result.unwrap_or_else(|reason| json!({ "job": name, "error": reason }));
    println!("{line}");
    let path = folder.join(format!("{name}.result"));
    if let Err(error) = std::fs::write(&path, line.to_string()) {
        eprintln!("{}: {error}", path.display());
    }
    good
}

fn jobs(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut names: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

fn run(vulkan: &Vulkan, folder: &Path, name: &str, device: Option<&str>) -> Result<Value, String> {
    let text =
        String::from_utf8(read(folder, &format!("{name}.json"))?).map_err(|error| error.to_string())?;
    let form: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut job = job(folder, &form)?;
    job.device = device.map(str::to_owned);
    let outcome = vulkan.execute(&job).map_err(|error| error.to_string())?;
    let write = |path: String, bytes: &[u8]| {
        std::fs::write(folder.join(&path), bytes).map_err(|error| format!("{path}: {error}"))
    };
    let mut together = Vec::new();
    for ((buffer, bytes), saved) in job.buffers.iter().zip(&outcome.buffers).zip(list(&form["buffers"])) {
        if saved["save"] == true && form["together"] == true {
            together.extend(bytes);
        } else if saved["save"] == true {
            write(format!("{name}.{}.out", buffer.name), bytes)?;
        }
    }
    if form["together"] == true {
        write(format!("{name}.out"), &together)?;
    }
    let microseconds = outcome.time.as_secs_f64() * 1e6;
    Ok(
        json!({ "job": name, "device": outcome.device, "driver": outcome.driver, "microseconds": microseconds }),
    )
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    std::fs::read(folder.join(name)).map_err(|error| format!("{name}: {error}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn words(value: &Value) -> Result<Vec<u8>, String> {
    let words = list(value).iter().map(|word| {
        let word = word.as_u64().and_then(|word| u32::try_from(word).ok()).or_else(|| {
            let word = word.as_i64().and_then(|word| i32::try_from(word).ok());
            word.map(|word| word as u32)
        });
        word.map(u32::to_le_bytes).ok_or_else(|| "a word is no number of 32 bits".to_owned())
    });
    Ok(words.collect::<Result<Vec<_>, _>>()?.concat())
}

fn job(folder: &Path, form: &Value) -> Result<Job, String> {
    let module = form["module"].as_str().ok_or("the job has no `module`")?;
    let bytes = read(folder, module)?;
    let mut job = Job::new(
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect(),
    );
    if let Some(entry) = form["entry"].as_str() {
        job.entry_point = entry.to_owned();
    }
    for (id, value) in form["specialization"].as_object().into_iter().flatten() {
        let id = id.parse().map_err(|_| format!("`{id}` is no id of a specialization constant"))?;
        let bits = match value {
            Value::Bool(value) => u64::from(*value),
            _ => value
                .as_u64()
                .or_else(|| value.as_i64().map(|value| value as u64))
                .ok_or_else(|| format!("the specialization constant {id} is no integer"))?,
        };
        job.specialization.push((id, bits));
    }
    for (to, from) in job.dispatch.iter_mut().zip(list(&form["dispatch"])) {
        *to = number(from).ok_or("`dispatch` is no list of numbers")?;
    }
    job.subgroup_size = number(&form["subgroupSize"]);
    if let Some(seconds) = form["seconds"].as_f64() {
        job.time_limit = Duration::from_secs_f64(seconds);
    }
    job.push_constants = words(&form["pushConstants"])?;
    for buffer in list(&form["buffers"]) {
        let name = buffer["name"].as_str().ok_or("a buffer has no `name`")?.to_owned();
        let bytes = if let Some(file) = buffer["file"].as_str() {
            let whole = read(folder, file)?;
            let from = buffer["from"].as_u64().unwrap_or(0) as usize;
            let bytes =
                buffer["bytes"].as_u64().map_or(whole.len().saturating_sub(from), |bytes| bytes as usize);
            let part = whole.get(from..from.saturating_add(bytes));
            part.ok_or_else(|| format!("{file} has no {bytes} bytes at {from}"))?.to_vec()
        } else if let Some(count) = buffer["zeros"].as_u64() {
            vec![0; count as usize]
        } else {
            words(&buffer["words"])?
        };
        let place: Vec<u32> = list(&buffer["binding"]).iter().filter_map(number).collect();
        let binding = match place[..] {
            [] => None,
            [set, binding] => Some(Binding { set, binding, element: 0 }),
            [set, binding, element, ..] => Some(Binding { set, binding, element }),
            [_] => return Err(format!("the binding of `{name}` is not [set, binding]")),
        };
        let kind = match buffer["kind"].as_str() {
            None | Some("storage") => BufferKind::Storage,
            Some("uniform") => BufferKind::Uniform,
            Some(other) => return Err(format!("`{name}` is a `{other}`: expected storage or uniform")),
        };
        let bindings = binding.into_iter().map(|at| Bound { at, kind, offset: 0, range: None }).collect();
        job.buffers.push(Buffer { name, bindings, bytes });
    }
    let place = |job: &Job, name: &Value| {
        let wanted = name.as_str().unwrap_or_default();
        let found = job.buffers.iter().position(|buffer| buffer.name == wanted);
        found.ok_or_else(|| format!("there is no buffer `{wanted}`"))
    };
    for address in list(&form["addresses"]) {
        let into = if address["into"] == "pushConstants" {
            Place::PushConstants
        } else {
            Place::Buffer(place(&job, &address["into"])?)
        };
        let offset = address["offset"].as_u64().unwrap_or(0) as usize;
        let (of, plus) = (place(&job, &address["of"])?, address["plus"].as_u64().unwrap_or(0));
        job.addresses.push(Address { into, offset, of, plus });
    }
    Ok(job)
}
