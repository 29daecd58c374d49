//! A job on a Vulkan device in a process of its own: a driver that crashes or never returns takes its process along, and that shall not be
//! the one that reports.
//!
//! The process is this program with a hidden command. The number of bytes that follow, a line of JSON, then the bytes that it announces, go to its
//! standard input; drivers print to standard output too, so that the answer there begins behind a line of its own.
//!
//! The process ends with the program: when a signal asks that to end, and, since standard input closes then, however that ends.

use std::io::{BufRead, Read, Write};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use coopmat_vulkan::{
    Address, Binding, Bound, Buffer, Error, Executable, Image, Job, Matrix, MatrixForm, MatrixLayout,
    Outcome, Place, Sampler,
};
use futures::{executor, future};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::{Builder, Handle};

use crate::devices;
use crate::signals::asked_to_end;

/// What precedes the answer.
const MARK: &[u8] = b"\ncoopmat-analyzer: the answer of a Vulkan device\n";
/// On top of what the job may take: pipelines are compiled, too.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Serialize, Deserialize)]
struct Question {
    device: Option<String>,
    entry_point: String,
    specialization: Vec<(u32, u64)>,
    dispatch: [u32; 3],
    subgroup_size: Option<u32>,
    repetitions: u32,
    time_limit: Duration,
    words: usize,
    push_constants: usize,
    buffers: Vec<Described>,
    images: Vec<DescribedImage>,
    samplers: Vec<Sampler>,
    /// Into a buffer or the push constants, at, of which buffer, plus.
    addresses: Vec<(Option<usize>, usize, usize, u64)>,
    matrices: Vec<DescribedMatrix>,
}

/// A matrix of cooperative vectors.
#[derive(Serialize, Deserialize)]
struct DescribedMatrix {
    buffer: usize,
    offset: usize,
    room: Option<usize>,
    size: [u32; 2],
    host: Form,
    device: Form,
    bytes: Option<usize>,
}

/// Component type and layout as Vulkan numbers them, and the stride.
type Form = (u32, u32, usize);

fn form(form: &MatrixForm) -> Form {
    (form.component, form.layout as u32, form.stride)
}

fn understood_form((component, layout, stride): Form) -> Option<MatrixForm> {
    Some(MatrixForm { component, layout: MatrixLayout::of_vulkan(layout)?, stride })
}

#[derive(Serialize, Deserialize)]
struct Described {
    name: String,
    bindings: Vec<Bound>,
    bytes: usize,
}

#[derive(Serialize, Deserialize)]
struct DescribedImage {
    name: String,
    bindings: Vec<Binding>,
    extent: [u32; 3],
    layers: u32,
    format: i32,
    texel: u32,
    components: [i32; 4],
    /// Bytes of each.
    levels: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
enum Answer {
    Done {
        device: String,
        driver: String,
        time: Duration,
        times: Vec<Duration>,
        executables: Vec<Executable>,
        buffers: Vec<usize>,
        /// Of each level of each.
        images: Vec<Vec<usize>>,
        matrices: Vec<usize>,
    },
    Failed(String),
}

/// The whole question as bytes.
fn asked(job: &Job) -> Result<Vec<u8>, String> {
    let described = |buffer: &Buffer| Described {
        name: buffer.name.clone(),
        bindings: buffer.bindings.clone(),
        bytes: buffer.bytes.len(),
    };
    let image = |image: &Image| DescribedImage {
        name: image.name.clone(),
        bindings: image.bindings.clone(),
        extent: image.extent,
        layers: image.layers,
        format: image.format,
        texel: image.texel,
        components: image.components,
        levels: image.levels.iter().map(Vec::len).collect(),
    };
    let address = |one: &Address| {
        let into = match one.into {
            Place::PushConstants => None,
            Place::Buffer(buffer) => Some(buffer),
        };
        (into, one.offset, one.of, one.plus)
    };
    let matrix = |one: &Matrix| DescribedMatrix {
        buffer: one.buffer,
        offset: one.offset,
        room: one.room,
        size: one.size,
        host: form(&one.host),
        device: form(&one.device),
        bytes: one.bytes.as_ref().map(Vec::len),
    };
    let question = Question {
        device: job.device.clone(),
        entry_point: job.entry_point.clone(),
        specialization: job.specialization.clone(),
        dispatch: job.dispatch,
        subgroup_size: job.subgroup_size,
        repetitions: job.repetitions,
        time_limit: job.time_limit,
        words: job.module.len(),
        push_constants: job.push_constants.len(),
        buffers: job.buffers.iter().map(described).collect(),
        images: job.images.iter().map(image).collect(),
        samplers: job.samplers.clone(),
        addresses: job.addresses.iter().map(address).collect(),
        matrices: job.matrices.iter().map(matrix).collect(),
    };
    let mut bytes = serde_json::to_vec(&question).map_err(|error| error.to_string())?;
    bytes.push(b'\n');
    bytes.extend(job.module.iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(&job.push_constants);
    job.buffers.iter().for_each(|buffer| bytes.extend(&buffer.bytes));
    job.images.iter().flat_map(|image| &image.levels).for_each(|level| bytes.extend(level));
    job.matrices.iter().flat_map(|matrix| &matrix.bytes).for_each(|matrix| bytes.extend(matrix));
    Ok(bytes)
}

/// A line of JSON, and the bytes behind it.
fn header<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<(T, &'a [u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = bytes.split_at_checked(end)?;
    Some((serde_json::from_slice(line).ok()?, rest.get(1..)?))
}

fn take(rest: &mut &[u8], count: usize) -> Option<Vec<u8>> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken.to_vec())
}

fn understood(bytes: &[u8]) -> Option<Job> {
    let (question, mut rest) = header::<Question>(bytes)?;
    let module = take(&mut rest, question.words.checked_mul(4)?)?;
    let (words, _) = module.as_chunks::<4>();
    let mut job = Job::new(words.iter().map(|word| u32::from_le_bytes(*word)).collect());
    job.push_constants = take(&mut rest, question.push_constants)?;
    for buffer in question.buffers {
        job.buffers.push(Buffer {
            bytes: take(&mut rest, buffer.bytes)?,
            name: buffer.name,
            bindings: buffer.bindings,
        });
    }
    for DescribedImage { name, bindings, extent, layers, format, texel, components, levels } in
        question.images
    {
        let levels: Option<Vec<_>> = levels.into_iter().map(|size| take(&mut rest, size)).collect();
        let levels = levels?;
        job.images.push(Image { name, bindings, extent, layers, format, texel, components, levels });
    }
    job.samplers = question.samplers;
    for (into, offset, of, plus) in question.addresses {
        let into = into.map_or(Place::PushConstants, Place::Buffer);
        job.addresses.push(Address { into, offset, of, plus });
    }
    for matrix in question.matrices {
        job.matrices.push(Matrix {
            buffer: matrix.buffer,
            offset: matrix.offset,
            room: matrix.room,
            size: matrix.size,
            host: understood_form(matrix.host)?,
            device: understood_form(matrix.device)?,
            bytes: match matrix.bytes {
                Some(count) => Some(take(&mut rest, count)?),
                None => None,
            },
        });
    }
    job.device = question.device;
    job.entry_point = question.entry_point;
    job.specialization = question.specialization;
    job.dispatch = question.dispatch;
    job.subgroup_size = question.subgroup_size;
    job.repetitions = question.repetitions;
    job.time_limit = question.time_limit;
    Some(job)
}

/// The bytes of a question behind the line with their number; nothing where they end too early.
fn received(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = String::new();
    input.by_ref().take(32).read_line(&mut line).ok()?;
    let count: u64 = line.trim_end().parse().ok()?;
    let mut bytes = Vec::new();
    input.by_ref().take(count).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == count).then_some(bytes)
}

/// Ends this process as soon as nobody holds the other end of standard input: whoever asked has gone, perhaps without a chance to say so.
fn end_with_the_program() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        // What the driver does at the end of its process may wait for the job.
        std::thread::spawn(|| {
            std::thread::sleep(Duration::from_secs(2));
            std::process::abort();
        });
        std::process::exit(1);
    });
}

/// The hidden command: a job from standard input, its outcome to standard output.
pub fn serve() -> ExitCode {
    let job = received(&mut std::io::stdin().lock()).and_then(|bytes| understood(&bytes));
    let result = match job {
        Some(job) => {
            end_with_the_program();
            coopmat_vulkan::execute(&job).map_err(|error| refusal(&job, &error))
        }
        None => Err("this command is used internally by `coopmat-analyzer run --device vulkan`".to_owned()),
    };
    let (answer, buffers) = match result {
        Ok(Outcome { mut buffers, images, matrices, device, driver, time, times, executables }) => {
            let sizes = |all: &[Vec<u8>]| all.iter().map(Vec::len).collect();
            let done = Answer::Done {
                device,
                driver,
                time,
                times,
                executables,
                buffers: sizes(&buffers),
                images: images.iter().map(|levels| sizes(levels)).collect(),
                matrices: sizes(&matrices),
            };
            buffers.extend(images.into_iter().flatten());
            buffers.extend(matrices);
            (done, buffers)
        }
        Err(message) => (Answer::Failed(message), Vec::new()),
    };
    let mut text = MARK.to_vec();
    text.extend(serde_json::to_vec(&answer).unwrap_or_default());
    text.push(b'\n');
    buffers.iter().for_each(|buffer| text.extend(buffer));
    let mut out = std::io::stdout().lock();
    match out.write_all(&text).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// An error, with what the device has where that is the question.
fn refusal(job: &Job, error: &Error) -> String {
    let message = error.to_string();
    if let (Error::Unsupported(_), Some((missing, _))) =
        (error, message.split_once(": `coopmat-analyzer devices`"))
    {
        let profiles = coopmat_vulkan::devices().unwrap_or_default();
        if let Some(profile) = profiles.iter().find(|profile| message.starts_with(&profile.title)) {
            return format!("{missing}; it has\n{}", devices::matrices(profile).trim_end());
        }
    }
    if let (Some(size), true) = (job.subgroup_size, message.contains("has subgroups of")) {
        return format!(
            "{message}: use --subgroup-size to try another size than {size}, if the shader and its recipe allow it"
        );
    }
    message
}

/// How this program is started: by its path, or through a dynamic linker, which then is the program, with arguments of its own.
pub fn this_program() -> Result<Command, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find the path of this program: {error}"))?;
    let mut command = Command::new(program);
    if let Ok(line) = std::fs::read_to_string("/proc/self/cmdline") {
        let line: Vec<&str> = line.strip_suffix('\0').unwrap_or(&line).split('\0').collect();
        let own = std::env::args_os().count().saturating_sub(1);
        let before = line.len().saturating_sub(own);
        command.args(line.get(1..before).unwrap_or_default());
    }
    Ok(command)
}

/// The runtime that processes belong to. Its thread waits for a signal that asks the program to end: then the processes end first.
fn host() -> Result<&'static Handle, String> {
    static HOST: OnceLock<Result<Handle, String>> = OnceLock::new();
    let start = || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        std::thread::Builder::new().name("child processes".to_owned()).spawn(move || {
            let signal = runtime.block_on(asked_to_end());
            // What waits for a process goes with the runtime, and takes the process along.
            drop(runtime);
            // As shells tell a program that a signal has ended.
            std::process::exit(128 + i32::from(signal));
        })?;
        Ok(handle)
    };
    let host = HOST.get_or_init(|| start().map_err(|error: std::io::Error| error.to_string()));
    host.as_ref().map_err(|error| format!("cannot start a thread: {error}"))
}

/// What a process answers to a question, and how it ended.
async fn answer(
    command: Command,
    question: Vec<u8>,
    patience: Duration,
) -> Result<(Vec<u8>, ExitStatus), String> {
    let mut command = tokio::process::Command::from(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child =
        command.spawn().map_err(|error| format!("cannot start the process for the driver: {error}"))?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let ask = async {
        // It reads everything before it answers. One that has died shows when it is waited for.
        let mut input = input?;
        input.write_all(format!("{}\n", question.len()).as_bytes()).await.ok()?;
        input.write_all(&question).await.ok()?;
        input.flush().await.ok()?;
        Some(input)
    };
    let hear = async {
        let mut bytes = Vec::new();
        if let Some(mut output) = output {
            let _ = output.read_to_end(&mut bytes).await;
        }
        bytes
    };
    let all = async {
        // Standard input stays open until it has answered: that is how it knows that somebody waits.
        let (_input, bytes) = future::join(ask, hear).await;
        child.wait().await.map(|status| (bytes, status)).map_err(|error| error.to_string())
    };
    if let Ok(answered) = tokio::time::timeout(patience, all).await {
        return answered;
    }
    let _ = child.kill().await;
    let seconds = patience.as_secs();
    Err(format!("the driver did not finish within {seconds} seconds and was stopped"))
}

/// Runs a job in a process of its own.
pub fn execute(job: &Job) -> Result<Outcome, String> {
    let question = asked(job)?;
    let mut command = this_program()?;
    command.arg("vulkan-job");
    let answering = host()?.spawn(answer(command, question, job.time_limit + PATIENCE));
    let (bytes, status) = match executor::block_on(answering) {
        Ok(answered) => answered?,
        // The runtime has gone: the program is about to end.
        Err(error) if error.is_cancelled() => loop {
            std::thread::park();
        },
        Err(error) => return Err(error.to_string()),
    };
    let Some(at) = bytes.windows(MARK.len()).position(|window| window == MARK) else {
        return Err(format!("the driver crashed: it ended its process ({status})"));
    };
    // What the driver or its layers print.
    let _ = std::io::stderr().write_all(bytes.get(..at).unwrap_or_default());
    match header::<Answer>(bytes.get(at + MARK.len()..).unwrap_or_default()) {
        Some((
            Answer::Done { device, driver, time, times, executables, buffers, images, matrices },
            mut rest,
        )) => {
            let mut taken = |sizes: Vec<usize>| {
                let taken: Option<Vec<_>> = sizes.into_iter().map(|size| take(&mut rest, size)).collect();
                taken.ok_or("the driver's process ended before its answer was complete")
            };
            let buffers = taken(buffers)?;
            let images = images.into_iter().map(&mut taken).collect::<Result<_, _>>()?;
            let matrices = taken(matrices)?;
            Ok(Outcome { buffers, images, matrices, device, driver, time, times, executables })
        }
        Some((Answer::Failed(message), _)) => Err(message),
        None => Err(format!("the driver's process gave no answer ({status})")),
    }
}

#[cfg(test)]
mod tests {
    use coopmat_vulkan::BufferKind;

    use super::*;

    #[test]
    fn a_question_is_read_to_its_length_and_not_to_the_end() {
        let mut open: &[u8] = b"3\nabcde";
        assert_eq!(received(&mut open).as_deref(), Some(&b"abc"[..]));
        assert_eq!(open, b"de");
        for (cut, why) in [("4\nabc", "too early"), ("", "nothing"), ("-1\n", "no number"), ("{}\n", "other")]
        {
            assert_eq!(received(&mut cut.as_bytes()), None, "{why}");
        }
    }

    #[test]
    fn a_job_survives_the_way_to_the_other_process() {
        let mut job = Job::new(vec![0x0723_0203, 7]);
        job.device = Some("llvmpipe".to_owned());
        job.specialization = vec![(3, u64::MAX)];
        job.push_constants = vec![10, 0, 255];
        job.repetitions = 20;
        let at = Binding { set: 1, binding: 2, element: 3 };
        let bound = Bound { at, kind: BufferKind::Uniform, offset: 256, range: Some(64) };
        for (name, bindings) in [("a", vec![Bound::storage(at), bound]), ("b", Vec::new())] {
            job.buffers.push(Buffer { name: name.to_owned(), bindings, bytes: vec![b'\n', 1] });
        }
        job.images.push(Image {
            name: "picture".to_owned(),
            bindings: vec![at],
            extent: [2, 1, 1],
            layers: 1,
            format: 9,
            texel: 1,
            components: [0, 4, 2, 1],
            levels: vec![vec![b'\n', 9], vec![7]],
        });
        job.samplers.push(Sampler {
            name: "smooth".to_owned(),
            bindings: vec![at],
            linear: [true, false, true],
            address_modes: [0, 2, 4],
            bias: 0.1,
            levels: [0.0, 1000.0],
            border: 2,
            unnormalized: false,
        });
        job.addresses.push(Address { into: Place::Buffer(1), offset: 8, of: 0, plus: 4 });
        job.matrices.push(Matrix {
            buffer: 1,
            offset: 64,
            room: Some(4096),
            size: [8, 4],
            host: MatrixForm { component: 0, layout: MatrixLayout::RowMajor, stride: 16 },
            bytes: Some(vec![2, b'\n']),
            device: MatrixForm { component: 1, layout: MatrixLayout::TrainingOptimal, stride: 0 },
        });
        let bytes = asked(&job).unwrap();
        let back = understood(&bytes).unwrap();
        assert_eq!(format!("{back:?}"), format!("{job:?}"));
        for end in 0..bytes.len() {
            assert!(understood(&bytes[..end]).is_none());
        }
    }
}
