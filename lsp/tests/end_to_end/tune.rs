//! `tune`: which choices a device takes, in which order, and what is wrong with a `[tune]`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::command_line::run_in;

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/khr"))
}

fn tuned(device: &str, more: &[&str]) -> Value {
    let arguments = ["tune", "gemm_staged.tune.run.toml", "--json", "--device", device];
    let run = run_in(examples(), &[&arguments[..], more].concat(), "");
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

/// A model orders the choices of a device that it was held against, and the first one's results are looked at.
#[test]
fn choices_are_counted_and_ordered() {
    let report = tuned("nvidia-h200", &[]);
    assert_eq!((&report["combinations"], &report["excluded"]), (&json!(162), &json!(18)));
    let refused = &report["not-possible"]["device-shared-memory"];
    assert_eq!(refused["choices"].as_array().unwrap().len(), 10);
    assert!(refused["reason"].as_str().unwrap().starts_with("has 49152 bytes of shared memory"));
    assert_eq!(report["order"], "model");
    let choices = report["choices"].as_array().unwrap();
    assert_eq!(choices.len() as u64 + report["dropped"].as_u64().unwrap(), 134);
    let cycles: Vec<f64> = choices.iter().map(|it| it["model-cycles"].as_f64().unwrap()).collect();
    assert!(cycles.is_sorted(), "{cycles:?}");
    assert_eq!(choices[0]["results"], "right on the simulator");
    assert_eq!(choices[0]["times"], Value::Null);
}

/// No order is made up for a device on which nothing was measured.
#[test]
fn other_devices_have_no_order() {
    let report = tuned("amd-rdna4", &["--verify", "0"]);
    assert_eq!(report["order"], "not-predicted");
    assert!(report["choices"].as_array().unwrap().iter().all(|it| it["model-cycles"].is_null()));
}

/// A picture of what the report has, and no picture of what it has not.
#[test]
fn choices_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("choices.png");
    let plot = path.to_str().unwrap();
    let report = tuned("nvidia-h200", &["--verify", "0", "--plot", plot]);
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    let drawn = format!(
        "gemm_staged.comp on nvidia-h200: {} of 162 combinations: a model of what is likely to be fast; nothing was measured",
        report["choices"].as_array().unwrap().len()
    );
    // The description, which is a chunk of text before the pixels.
    assert!(bytes.windows(drawn.len()).any(|some| some == drawn.as_bytes()));

    let refused = |device: &str, path: &str| {
        let arguments =
            ["tune", "gemm_staged.tune.run.toml", "--verify", "0", "--device", device, "--plot", path];
        let run = run_in(examples(), &arguments, "");
        assert_eq!(run.code, Some(2), "{}", run.stdout);
        run.stderr
    };
    let no_order = refused("amd-rdna4", folder.path().join("other.png").to_str().unwrap());
    assert!(no_order.contains("no order is predicted and nothing was measured"), "{no_order}");
    assert!(!folder.path().join("other.png").exists());
    assert_eq!(refused("amd-rdna4", "a.svg"), "error: --plot a.svg: expected a name that ends with .png\n");
}

#[test]
fn mistakes_are_told_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let shader = "#version 450\nlayout(constant_id = 0) const uint N = 1;\nlayout(binding = 0) buffer D { uint d[]; };\nvoid main() { d[0] = N; }\n";
    fs::write(folder.path().join("a.comp"), shader).unwrap();
    let told = |recipe: &str, arguments: &[&str]| {
        let buffers = "[[buffers]]\nname = \"d\"\nshape = [1]\n";
        fs::write(folder.path().join("a.run.toml"), format!("dispatch = [1]\n{recipe}\n{buffers}")).unwrap();
        let run = run_in(folder.path(), &[&["tune", "a.comp"], arguments].concat(), "");
        (run.code, run.stderr)
    };
    let (code, message) = told("", &[]);
    assert_eq!(code, Some(2));
    assert!(message.contains("the recipe does not say what may be chosen: add `[tune]`"), "{message}");
    let (_, message) = told("[tune]\nvalues = { N = [1, 2] }\nwhere = [\"N <\"]\n", &[]);
    assert!(message.starts_with("error: a.run.toml:4:"), "{message}");
    // What every choice has.
    let (code, message) = told("[tune]\nvalues = { M = [1, 2] }\n", &[]);
    assert_eq!(code, Some(2));
    assert!(message.contains("there is no specialization constant or size `M`"), "{message}");
    let (_, message) = told("[tune]\nvalues = { N = [1] }\n", &["--measure", "cuda"]);
    assert_eq!(message, "error: --measure cuda: expected `vulkan` or `vulkan:NAME`\n");
}

/// The shader has a constant 0 and no constant 7: of four combinations two are others.
#[test]
fn choices_that_make_no_difference_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let shader = "#version 450\nlayout(constant_id = 0) const uint N = 1;\nlayout(binding = 0) buffer D { uint d[]; };\nvoid main() { d[0] = N; }\n";
    fs::write(folder.path().join("a.comp"), shader).unwrap();
    let recipe = "dispatch = [1]\n[tune]\nvalues = { N = [1, 2], 7 = [3, 4] }\n[[buffers]]\nname = \"d\"\nshape = [1]\n";
    fs::write(folder.path().join("a.run.toml"), recipe).unwrap();
    let run = run_in(folder.path(), &["tune", "a.comp", "--json", "--all", "--verify", "0"], "");
    let report: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr));
    assert_eq!((&report["combinations"], &report["equal"]), (&json!(4), &json!(2)));
    assert_eq!(report["choices"].as_array().unwrap().len(), 2);
    let note = "the shader has no specialization constant 7, or does not use it: its value has no effect";
    assert_eq!(report["notes"], json!([note]));
    // Nothing is right that was compared with nothing.
    let run = run_in(folder.path(), &["tune", "a.comp"], "");
    assert!(
        run.stdout.contains("  results are not compared: the recipe expects nothing of them\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("not compared on the simulator"), "{}", run.stdout);
}
