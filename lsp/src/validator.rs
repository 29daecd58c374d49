//! `spirv-val` of SPIRV-Tools, where it is installed: what it says of a module, with the instructions that it means.

use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};

use coopmat_analysis::diagnostics::Severity;
use coopmat_server::Validated;
use coopmat_spirv::dr::{Module, Operand};
use coopmat_spirv::spirv::Capability;

/// The program, as it is found on `PATH`.
pub const PROGRAM: &str = "spirv-val";

/// Layouts and operands that a device may support and a module does not declare.
const ALLOWED: [&str; 2] = ["--scalar-block-layout", "--allow-localsizeid"];
/// The same for what older versions do not know.
const ALLOWED_SINCE: [&str; 2] = ["--allow-offset-texture-operand", "--allow-vulkan-32-bit-bitwise"];

/// What comes of asking it.
pub enum Answer {
    /// What it says; nothing of a valid module.
    Told(Vec<Validated>),
    /// There is no such program.
    Missing,
    /// It cannot be started, or ends otherwise than by an answer.
    Failed(String),
}

/// Asks the program about a module.
pub fn validate(program: &str, module: &Module, words: &[u8]) -> Answer {
    let environment = environment(module);
    let all: Vec<&str> = ALLOWED.into_iter().chain(ALLOWED_SINCE).collect();
    match ask(program, environment, &all, words) {
        Answer::Failed(_) => ask(program, environment, &ALLOWED, words),
        answer => answer,
    }
}

fn ask(program: &str, environment: &str, options: &[&str], words: &[u8]) -> Answer {
    let mut command = Command::new(program);
    command.args(["--target-env", environment]).args(options).arg("-");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return Answer::Missing,
        Err(error) => return Answer::Failed(format!("{program} cannot be started: {error}")),
    };
    if let Some(mut input) = child.stdin.take() {
        // It has ended already where this fails, and says why.
        let _ = input.write_all(words);
    }
    let output = match child.wait_with_output() {
        Ok(output) => output,
        Err(error) => return Answer::Failed(format!("{program}: {error}")),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let told = read(&said);
    if told.is_empty() && !output.status.success() {
        let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("without a word");
        return Answer::Failed(format!("{program} fails ({}): {said}", output.status));
    }
    Answer::Told(told)
}

/// The environment whose rules apply: the oldest Vulkan that takes modules of this version; those of SPIR-V alone where it is for no shader.
fn environment(module: &Module) -> &'static str {
    let kernel = [Operand::Capability(Capability::Kernel)];
    let is_shader = module.capabilities.iter().all(|one| one.operands != kernel);
    let minor = module.header.as_ref().map_or(6, |header| header.version >> 8 & 0xFF);
    match (is_shader, minor) {
        (true, ..=2) => "vulkan1.0",
        (true, 3) => "vulkan1.1",
        (true, 4) => "vulkan1.1spv1.4",
        (true, 5) => "vulkan1.2",
        (true, _) => "vulkan1.4",
        (false, 0) => "spv1.0",
        (false, 1) => "spv1.1",
        (false, 2) => "spv1.2",
        (false, 3) => "spv1.3",
        (false, 4) => "spv1.4",
        (false, 5) => "spv1.5",
        (false, _) => "spv1.6",
    }
}

/// `error: line 12: message`, where lines count the module's instructions from 1; the indented lines below repeat the instruction.
fn read(said: &str) -> Vec<Validated> {
    let mut all: Vec<Validated> = Vec::new();
    for line in said.lines() {
        let head = [("error: ", Severity::Error), ("warning: ", Severity::Warning)];
        let head = head.into_iter().find_map(|(word, severity)| Some((severity, line.strip_prefix(word)?)));
        match head {
            Some((severity, rest)) => {
                let placed = rest.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
                let placed = placed.and_then(|(number, rest)| Some((number.parse::<usize>().ok()?, rest)));
                let (number, message) = placed.map_or((None, rest), |(number, rest)| (Some(number), rest));
                let instruction = number.and_then(|number| number.checked_sub(1));
                all.push(Validated { severity, instruction, message: message.to_owned() });
            }
            None if line.starts_with(' ') || line.trim().is_empty() => {}
            // A message of several lines.
            None => {
                if let Some(last) = all.last_mut() {
                    last.message.push('\n');
                    last.message.push_str(line);
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_their_instruction_and_the_rest_of_their_lines() {
        let said = "warning: line 3: odd\nerror: line 25: OpStore Pointer <id> '14[%14]'s type\nis wrong\n  OpStore %14 %out\n\nerror: 2 things\n";
        let told = |severity, instruction, message: &str| Validated {
            severity,
            instruction,
            message: message.to_owned(),
        };
        assert_eq!(
            read(said),
            [
                told(Severity::Warning, Some(2), "odd"),
                told(Severity::Error, Some(24), "OpStore Pointer <id> '14[%14]'s type\nis wrong"),
                told(Severity::Error, None, "2 things"),
            ]
        );
    }
}
