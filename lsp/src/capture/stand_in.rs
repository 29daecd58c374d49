//! This program under the name of a shader compiler: notes the call, and hands it to the compiler that the build would have called. Where there is
//! none, it answers by itself (`answer`).

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use coopmat_analysis::import;

use super::answer;
use super::calls::{self, Call};
use crate::disk;
use crate::output::report_error;
use crate::run::child;

/// Names the folder of the capture that a stand-in belongs to.
pub const VARIABLE: &str = "COOPMAT_ANALYZER_CAPTURE";
/// A file beside stand-ins, by which others know that they are none of the compilers.
const MARK: &str = ".coopmat-analyzer";

const GLSL: &[&str] = &["glslc", "glslang", "glslangValidator"];
/// It is handed on where there is one. Where there is none, it is told that the build asks for it: its language is another one.
pub const SLANG: &str = "slangc";
/// What shells answer for a program that is not there.
const NOT_FOUND: u8 = 127;

/// Puts stand-ins into an empty folder.
pub fn put_into(folder: &Path) -> Result<(), String> {
    let put = || -> std::io::Result<()> {
        std::fs::write(folder.join(MARK), "")?;
        let program = child::this_program().map_err(std::io::Error::other)?;
        if program.get_args().next().is_some() {
            return Err(std::io::Error::other(
                "coopmat-analyzer was started through a dynamic linker, so it cannot tell which compiler it stands in for",
            ));
        }
        for name in GLSL.iter().copied().chain([SLANG]) {
            link(Path::new(program.get_program()), &folder.join(file_name(name)))?;
        }
        Ok(())
    };
    put().map_err(|error| format!("cannot put stand-ins for the compilers on PATH: {error}"))
}

#[cfg(unix)]
fn link(program: &Path, name: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(program, name)
}

/// Links need rights there, and both to be on one volume.
#[cfg(not(unix))]
fn link(program: &Path, name: &Path) -> std::io::Result<()> {
    std::fs::hard_link(program, name).or_else(|_| std::fs::copy(program, name).map(|_| ()))
}

fn file_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// What this program does when it is called by the name of a compiler while a build is captured.
pub fn called() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    let called = words.next()?;
    let stem = Path::new(&called).file_stem()?;
    let name = GLSL.iter().copied().chain([SLANG]).find(|name| stem.eq_ignore_ascii_case(name))?;
    let folder = std::env::var_os(VARIABLE)?;
    Some(stand_in(name, words.collect(), Path::new(&folder)))
}

fn stand_in(name: &str, words: Vec<OsString>, folder: &Path) -> ExitCode {
    let here = crate::paths::absolute(".");
    let arguments: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let read = |path: &str, _: Option<&str>| {
        disk::read(Path::new(path)).map(Into::into).map_err(|error| error.to_string())
    };
    // A build may take its response files away; one that cannot be read is the compiler's matter.
    let expanded = import::expand(&arguments, &here, &read).unwrap_or_else(|_| arguments.clone());
    let real = real(name);
    let call = Call {
        compiler: name.to_owned(),
        directory: here.clone(),
        arguments: expanded,
        answered_by: real.as_deref().map(|path| path.to_string_lossy().into_owned()),
    };
    if let Err(error) = calls::note(folder, &call) {
        report_error(&format!("coopmat-analyzer cannot record this call of {name}: {error}"));
        return ExitCode::FAILURE;
    }
    match real {
        Some(real) => hand_on(&real, &words),
        None if name == SLANG => {
            report_error(&format!("{SLANG}: not found"));
            ExitCode::from(NOT_FOUND)
        }
        None => {
            let capture = crate::paths::slashes(&folder.to_string_lossy());
            ExitCode::from(answer::answer(name, &call.arguments, &here, &capture))
        }
    }
}

/// The compiler itself: the first of the name on `PATH` that is no stand-in.
fn real(name: &str) -> Option<PathBuf> {
    let file = file_name(name);
    folders_of_others().into_iter().map(|folder| folder.join(&file)).find(|path| is_program(path))
}

/// The folders of `PATH`, without those of stand-ins.
fn folders_of_others() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| !folder.join(MARK).exists()).collect()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The compiler's answer is the stand-in's. What it calls in turn is its own matter, so that it does not find the stand-ins.
fn hand_on(real: &Path, words: &[OsString]) -> ExitCode {
    let mut command = Command::new(real);
    command.args(words).env_remove(VARIABLE);
    if let Ok(path) = std::env::join_paths(folders_of_others()) {
        command.env("PATH", path);
    }
    let error = replace(command);
    report_error(&format!("cannot start {}: {error}", OsStr::to_string_lossy(real.as_os_str())));
    ExitCode::from(NOT_FOUND)
}

/// Becomes another program.
#[cfg(unix)]
fn replace(mut command: Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(&mut command)
}

/// Waits for it, since nothing else can be done.
#[cfg(not(unix))]
fn replace(mut command: Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
