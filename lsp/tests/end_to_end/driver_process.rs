//! The process that runs a job on a Vulkan device: what becomes of it when the program is to end.

use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::client::BINARY;

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process that another one has started. A list of processes may miss one while others end.
fn child_of(parent: u32) -> Option<u32> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let found =
            numbers.find(|process| state(*process).is_some_and(|(_, started_by)| started_by == parent));
        if found.is_some() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

/// The letter of a process's state, and who has started it (`proc_pid_stat(5)`); nothing where there is none.
fn state(process: u32) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

/// Waits for the end of a process; false where it takes too long. One that has ended may itself wait for somebody who asks how.
fn ends(process: u32) -> bool {
    let started = Instant::now();
    while state(process).is_some_and(|(state, _)| state != "Z") {
        if started.elapsed() > PATIENCE {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// The driver never comes back: what is loaded as Vulkan is a pipe that is held open and that nobody writes to.
#[test]
fn a_signal_ends_the_process_of_the_driver_too() {
    let folder = tempfile::tempdir().unwrap();
    let shader = folder.path().join("shader.comp");
    let text = "#version 450\nlayout(local_size_x = 4) in;\nlayout(binding = 0) buffer Data { float values[]; };\n\
                void main() { values[gl_GlobalInvocationID.x] *= 2.0; }\n";
    std::fs::write(&shader, text).unwrap();
    let recipe = "dispatch = [1]\n[[buffers]]\nname = \"values\"\nshape = [4]\n";
    std::fs::write(folder.path().join("shader.run.toml"), recipe).unwrap();
    let loader = folder.path().join("libvulkan.so.1");
    assert!(Command::new("mkfifo").arg(&loader).status().unwrap().success());
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let mut run = Command::new(BINARY)
            .arg("run")
            .arg(&shader)
            .args(["--device", "vulkan"])
            .env("LD_LIBRARY_PATH", folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The pipe opens when somebody reads.
        let (loader, (sender, reading)) = (loader.clone(), mpsc::channel());
        std::thread::spawn(move || sender.send(std::fs::OpenOptions::new().write(true).open(loader)));
        let pipe = reading.recv_timeout(PATIENCE).expect("the device's process loads Vulkan").unwrap();
        let driver = child_of(run.id()).expect("the device's process");
        let kill = |signal: &str, process: u32| {
            Command::new("kill").args([signal, &process.to_string()]).stderr(Stdio::null()).status().unwrap()
        };
        assert!(kill(signal, run.id()).success());
        let ended = run.wait().unwrap();
        let went_along = ends(driver);
        kill("-KILL", driver);
        drop(pipe);
        assert!(went_along, "{signal}: the driver's process is left behind");
        assert_eq!(ended.code(), Some(code), "{signal}");
    }
}
