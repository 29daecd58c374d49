//! Runs jobs that lie in a folder: `run_jobs FOLDER [--device NAME] [JOB...]`.
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
//! A buffer that is saved is written to `NAME.BUFFER.out`. One line of JSON is printed for each job and written to `NAME.result`: what it
//! took, or why it failed. Each job has a process of its own, as drivers crash. A machine needs this program, the folder and a Vulkan
//! driver, nothing else.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use coopmat_vulkan::{Address, Binding, Buffer, BufferKind, Job, Place, Vulkan};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut folder = None;
    let mut device = None;
    let mut here = None;
    let mut only = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--device" => device = arguments.next(),
            // What each process of a job is started with.
            "--here" => here = arguments.next(),
            _ if folder.is_none() => folder = Some(PathBuf::from(argument)),
            _ => only.push(argument),
        }
    }
    let Some(folder) = folder else {
        eprintln!("usage: run_jobs FOLDER [--device NAME] [JOB...]");
        return ExitCode::from(2);
    };
    if let Some(name) = here {
        let result = Vulkan::open()
            .map_err(|reason| reason.to_string())
            .and_then(|vulkan| run(&vulkan, &folder, &name, device.as_deref()));
        let failed = result.is_err();
        tell(&folder, &name, result);
        return if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let names = match jobs(&folder) {
        Ok(names) => names,
        Err(reason) => {
            eprintln!("{}: {reason}", folder.display());
            return ExitCode::from(2);
        }
    };
    let mut failed = false;
    for name in names.into_iter().filter(|name| only.is_empty() || only.contains(name)) {
        match start(&folder, &name, device.as_deref()) {
            Ok(code) => failed |= code != Some(0),
            Err(reason) => {
                failed = true;
                tell(&folder, &name, Err(reason));
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs one job in a process of its own; an error where that did not come to its end.
fn start(folder: &Path, name: &str, device: Option<&str>) -> Result<Option<i32>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg(folder).args(["--here", name]);
    if let Some(device) = device {
        command.args(["--device", device]);
    }
    let status = command.status().map_err(|error| error.to_string())?;
    match status.code() {
        Some(code) => Ok(Some(code)),
        None => Err(format!("the driver ended the program: {status}")),
    }
}

fn tell(folder: &Path, name: &str, result: Result<Value, String>) {
    let line = result.unwrap_or_else(|reason| json!({ "job": name, "error": reason }));
    println!("{line}");
    let path = folder.join(format!("{name}.result"));
    if let Err(error) = std::fs::write(&path, line.to_string()) {
        eprintln!("{}: {error}", path.display());
    }
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
    for ((buffer, bytes), form) in job.buffers.iter().zip(&outcome.buffers).zip(list(&form["buffers"])) {
        if form["save"] == true {
            let path = folder.join(format!("{name}.{}.out", buffer.name));
            std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        }
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
            read(folder, file)?
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
        job.buffers.push(Buffer { name, binding, kind, bytes });
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
