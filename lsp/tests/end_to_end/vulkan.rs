//! `coopmat-analyzer vulkan`: what the program that it starts sees, and what the report says. That the driver runs shaders is tested where the driver
//! is, `vulkan-driver/tests/`; a shell stands in for a program that uses Vulkan.

use std::process::{Command, Output};

use coopmat_driver_report::{Event, Found, InDispatch, Place};

fn analyzer(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coopmat-analyzer"));
    command.arg("vulkan").args(arguments).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Any file is a library until the loader looks at it.
const LIBRARY: &str = env!("CARGO_MANIFEST_PATH");

/// A shell that writes events where the driver would.
fn writing(events: &[Event]) -> String {
    let lines: Vec<String> = events.iter().map(Event::line).collect();
    format!(
        "report=$(printf %s \"$COOPMAT_VULKAN_DRIVER\" | sed 's/.*\"report\":\"\\([^\"]*\\)\".*/\\1/')\ncat > \"$report\" <<'END'\n{}\nEND\n",
        lines.join("\n")
    )
}

fn started() -> Event {
    Event::Started { process: 1, device: "A device".to_owned(), assumed: vec!["nothing else".to_owned()] }
}

#[test]
fn the_loader_of_the_program_alone_is_told_of_the_driver() {
    let script = "cat \"$VK_DRIVER_FILES\"; test \"$VK_DRIVER_FILES\" = \"$VK_ICD_FILENAMES\"; exit 7";
    let output = analyzer(&["--driver", LIBRARY, "--device", "amd-rdna4", "--", "sh", "-c", script]);
    let manifest = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        manifest.contains("\"api_version\":\"1.3.281\"") && manifest.contains("Cargo.toml"),
        "{manifest}"
    );
    assert!(told(&output).contains("did not make a Vulkan instance"), "{}", told(&output));
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn findings_are_reported_when_the_program_has_ended() {
    let place = Place { path: "a.comp".to_owned(), line: 9, column: 1, text: Some("x[i] = 1;".to_owned()) };
    let found = Found {
        kind: "data-race".to_owned(),
        message: "two invocations write".to_owned(),
        dispatch: InDispatch { number: 3, ..InDispatch::default() },
        instruction: 12,
        place: Some(place),
        other: None,
        workgroup: [0; 3],
        invocation: 1,
        times: 1,
        allowed_by: None,
    };
    let events = [started(), Event::Finding(found)];
    let output = analyzer(&["--driver", LIBRARY, "--checked", "--", "sh", "-c", &writing(&events)]);
    let text = told(&output);
    assert!(text.contains("a.comp:9:1: data-race: two invocations write (dispatch 3,"), "{text}");
    assert!(text.contains("    9 | x[i] = 1;") && text.contains("assumed: nothing else"), "{text}");
    assert_eq!(output.status.code(), Some(1));
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("findings.sarif");
    let options = ["--driver", LIBRARY, "--json", "--sarif", log.to_str().unwrap()];
    let output = analyzer(&[&options[..], &["--", "sh", "-c", &writing(&events)]].concat());
    let log: serde_json::Value = serde_json::from_slice(&std::fs::read(log).unwrap()).unwrap();
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "data-race");
    let read: Vec<Event> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read, events);
}

#[test]
fn what_is_wrong_is_a_line_as_it_comes() {
    let wrong = Event::Misuse { call: "vkFreeMemory".to_owned(), message: "freed twice".to_owned() };
    let script = writing(&[started(), wrong]) + "sleep 0.5; echo the program ends >&2";
    let output = analyzer(&["--driver", LIBRARY, "--", "sh", "-c", &script]);
    let text = told(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "coopmat-analyzer: wrong use: vkFreeMemory: freed twice");
    assert_eq!(lines[1], "the program ends");
    assert!(lines[2..].contains(&"  wrong use: vkFreeMemory: freed twice"), "{text}");
}

#[test]
fn a_program_in_which_nothing_is_wrong_ends_with_its_own_code() {
    let progress = Event::Progress { process: 1, dispatches: 5, checked: 0, instructions: 12 };
    let script = writing(&[started(), progress]) + "exit 3";
    let output = analyzer(&["--driver", LIBRARY, "--", "sh", "-c", &script]);
    assert!(
        told(&output).contains("A device: 5 dispatches, 0 of them checked, 12 instructions"),
        "{}",
        told(&output)
    );
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn folders_that_something_is_written_to_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let (recipes, shaders) = (folder.path().join("a/recipes"), folder.path().join("shaders"));
    let output = Command::new(env!("CARGO_BIN_EXE_coopmat-analyzer"))
        .args(["vulkan", "--driver", LIBRARY, "--capture", "1", "--capture-to"])
        .arg(&recipes)
        .arg("--write-shaders")
        .arg(&shaders)
        .args(["--", "true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(recipes.is_dir() && shaders.is_dir());
}

#[test]
fn what_is_wrong_with_the_command_line_is_said_before_anything_starts() {
    for (arguments, message) in [
        (&["--driver", "/nowhere/x.so", "--", "true"][..], "expected the library of the Vulkan driver"),
        (&["--driver", LIBRARY, "--device", "nvidia", "--", "true"], "unknown device `nvidia`"),
        (&["--driver", LIBRARY, "--numerics", "x", "--", "true"], "`x` is not a numerics mode"),
        (&["--driver", LIBRARY, "--read-shaders", "/nowhere", "--", "true"], "/nowhere: expected a folder"),
        (
            &["--driver", LIBRARY, "--write-shaders", "/dev/null/x", "--", "true"],
            "/dev/null/x: cannot make this folder",
        ),
        (&["--driver", LIBRARY, "--", "/nowhere/program"], "cannot start `/nowhere/program`"),
        (&["--driver", LIBRARY], "PROGRAM ARGUMENTS"),
    ] {
        let output = analyzer(arguments);
        assert!(told(&output).contains(message), "{}", told(&output));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
