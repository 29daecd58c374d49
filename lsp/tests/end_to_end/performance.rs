//! What reports say of a shader's speed: other strides, the device's limits, registers, and what is known before a run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use coopmat_analysis::analyze;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::NoFiles;
use coopmat_server::performance::scalar_accesses;
use serde_json::{Value, json};

use crate::client::Client;
use crate::command_line::run_in;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn profile(path: &str, device: &str) -> Value {
    let run = run_in(root(), &["run", "--profile", "--json", "--device", device, path], "");
    serde_json::from_str(&run.stdout).unwrap()
}

/// What docs/performance.md shows: both results are right, and one of each pair is slow.
#[test]
fn examples_are_slow_and_not() {
    let of = |recipe: &str| -> Value {
        let path = format!("examples/performance/{recipe}.run.toml");
        let report = profile(&path, "nvidia-h200");
        assert_eq!(report["met"], true, "{recipe}");
        report["profile"]["dispatches"][0].clone()
    };
    let sums = |list: &Value, keys: [&str; 2]| {
        keys.map(|key| list.as_array().unwrap().iter().filter_map(|access| access[key].as_u64()).sum::<u64>())
    };
    let passes = ["passes", "least-passes"];
    // 8 passes each of A and B where 4 would do, and the store.
    assert_eq!(sums(&of("banks")["shared"], passes), [32, 24]);
    assert_eq!(sums(&of("banks.padded")["shared"], passes), [24, 24]);
    // 128 loads with a sector for each of 32 lanes, of which each needs 4 in all; and the store of 64 sums.
    let sectors = ["sectors", "needed-sectors"];
    assert_eq!(sums(&of("coalescing")["global"], sectors), [128 * 32 + 8, 128 * 4 + 8]);
    // Each of 16 x 8 subgroups loads 8 times from 32 sectors, or from 4, and stores 4 sectors.
    assert_eq!(sums(&of("sectors")["global"], sectors), [128 * (8 * 32 + 4), 128 * (8 * 4 + 4)]);
    assert_eq!(sums(&of("sectors.near")["global"], sectors), [128 * (8 * 4 + 4), 128 * (8 * 4 + 4)]);
    // Accumulators of 16 x 16 floats are 8 registers of each invocation: of one tile, of 16, and of 64, more than there are.
    let tiles = |recipe: &str| {
        let dispatch = of(recipe);
        let registers = &dispatch["registers"];
        let spills = registers["residency"]["spills"] == true;
        (dispatch["traffic"]["read"].as_u64(), registers["bound"]["registers"].as_u64(), spills)
    };
    // A subgroup with n x n tiles reads each factor for n of them: of 128 x 64 and 64 x 128 halves, 8 / n times.
    let both = 2 * 128 * 64 * 2;
    assert_eq!(tiles("tiles.single"), (Some(8 * both), Some(8), false));
    assert_eq!(tiles("tiles"), (Some(2 * both), Some(128), false));
    assert_eq!(tiles("tiles.large"), (Some(both), Some(512), true));
    // Each sum is stored by itself.
    assert_eq!(sums(&of("coalescing.together")["global"], sectors), [128 * 4 + 64, 128 * 4 + 64]);
}

/// What the device's published figures say of a dispatch, by hand: 393,216 operations are 9.6 for each of 40,960 bytes, far below 989,400 / 4,800. A sum of
/// 16 x 16 floats is 8 registers of each of 32 lanes; A and B take 4 each. The loop over k has two loads and a multiply-add in each of its 48 rounds.
#[test]
fn a_profile_has_the_limits_of_the_device() {
    let path = "examples/khr/gemm_shared.comp";
    let run = |device: &str| -> Value { profile(path, device)["profile"]["dispatches"][0].clone() };
    let dispatch = run("nvidia-h200");
    let roofline = &dispatch["roofline"];
    assert_eq!(roofline["limit"], "memory");
    assert_eq!(roofline["ridge"], 206.125);
    assert_eq!(roofline["products"][0]["operations"], 393_216);
    // 4 workgroups with 6 barriers each have 28 stretches.
    assert_eq!(roofline["between-barriers"]["operations"], 393_216.0 / 28.0);
    let loops = dispatch["loops"].as_array().unwrap();
    let over_k = loops.iter().find(|it| it["multiply-adds"] == 48).unwrap();
    assert_eq!((&over_k["matrix-operations"], &over_k["place"]["line"]), (&json!(144), &json!(37)));
    let registers = &dispatch["registers"];
    assert_eq!(
        (&registers["bound"]["registers"], &registers["as-written"]["registers"]),
        (&json!(8), &json!(16))
    );
    assert_eq!(registers["bound"]["matrices"][0]["name"], "sum");
    // 65,536 registers; 1,536 + 1,280 bytes of shared memory for 4 subgroups would allow more than the device does.
    assert_eq!(registers["residency"]["subgroups"], 64);

    // The profile of this device has no rates and no registers.
    let unknown = run("amd-rdna4");
    assert_eq!(unknown["roofline"]["limit"], "not-known");
    let reason = unknown["roofline"]["not-known"].as_str().unwrap();
    assert!(reason.contains("rate is not known for float16_t x float16_t to float32_t"), "{reason}");
    assert!(unknown["registers"].get("residency").is_none());
}

/// The strides of the example, as people read them: 24 halves are free of conflicts and cost 16 rows of 16 bytes more; 56 are free for A, but not for the store.
#[test]
fn strides_without_conflicts_are_named_with_what_they_cost() {
    let path = "examples/performance/banks.run.toml";
    let run = run_in(root(), &["run", "--profile", "--device", "nvidia-h200", path], "");
    let told = run.stdout.lines().skip_while(|line| !line.contains("load stagedA")).nth(2).unwrap();
    assert_eq!(
        told.trim(),
        "rows are 16 elements of 2 bytes apart; without conflicts: 24 (+256 B, 1280 B in all), 40 (+768 B, 1792 B in all), 56 (+1280 B, 2304 B in all; 8 passes too many in the array's other accesses), and 1 more"
    );
    let report = profile(path, "nvidia-h200");
    let accesses = report["profile"]["dispatches"][0]["shared"].as_array().unwrap();
    let load = accesses.iter().find(|access| access["memory"] == "stagedA" && access["operation"] == "load");
    let strides = &load.unwrap()["strides"];
    assert_eq!((&strides["now"], &strides["alignment"]), (&json!(32), &json!(16)));
    let first = json!({
        "bytes": 48, "components": 24, "passes": 4, "array-passes": 12, "array-least": 12, "shared-memory": 1280, "more": 256, "fits": true
    });
    assert_eq!(strides["free"][0], first);
}

#[test]
fn performance_is_checked_if_it_is_asked_for() {
    let path = "examples/performance/banks.comp";
    let check =
        |options: &[&str]| run_in(root(), &[&["check", path, "--format", "short"], options].concat(), "");
    let off = check(&["--device", "nvidia-h200"]);
    assert_eq!((off.stdout.as_str(), off.code), ("", Some(0)));
    let on = check(&["--device", "nvidia-h200", "--performance"]);
    let ids: Vec<&str> = on.stdout.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(ids, ["[matrix-registers]", "[bank-conflicts]", "[bank-conflicts]"], "{}", on.stdout);
    assert_eq!(on.code, Some(0));
    // With the padding of the other recipe there are no conflicts.
    let padded = check(&["--device", "nvidia-h200", "--performance", "--spec", "PADDING=8"]);
    assert!(!padded.stdout.contains("bank-conflicts"), "{}", padded.stdout);
    let without = check(&["--performance"]);
    assert!(
        without.stderr.contains("performance is not fully known: no device is set"),
        "{}",
        without.stderr
    );
}

/// Modules are not looked at, which is said.
#[test]
fn modules_are_not_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let module = folder.path().join("banks.spv");
    let module = module.to_str().unwrap();
    let compiled = run_in(root(), &["spirv", "examples/performance/banks.comp", "-o", module], "");
    assert_eq!(compiled.code, Some(0), "{}", compiled.stderr);
    let told = run_in(root(), &["check", "--performance", "--device", "nvidia-h200", module], "").stderr;
    let note =
        "note: --performance looks at shaders, and not at modules: `run --profile` tells what those cost\n";
    assert!(told.starts_with(note), "{told}");
}

/// Line, column, and whether it stores.
type Place = (u64, u64, bool);

/// Passes and those without conflicts of a subgroup each time, and whether they may be less, as not all invocations are there.
type Figures = (u64, u64, bool);

/// The scalar accesses of a shader, by their place, if their figures are known and the same for all subgroups.
fn before_a_run(path: &str) -> BTreeMap<Place, Option<Figures>> {
    let source = std::fs::read_to_string(root().join(path)).unwrap();
    let config = Configuration { device: Some("nvidia-h200".to_owned()), ..Configuration::default() };
    let analysis = analyze(path, source.into(), &config, &NoFiles, None);
    let mut places: BTreeMap<Place, Option<Figures>> = BTreeMap::new();
    for access in scalar_accesses(&analysis).unwrap_or_default() {
        let Some(location) = access.location else { continue };
        let at = analysis.files()[location.file].line_index().line_col(location.range.start());
        let first = access.passes.as_ref().and_then(|all| all.first().copied());
        let same = first.filter(|first| access.passes.iter().flatten().all(|it| it == first));
        let figures = same.map(|it| (it.passes, it.least, access.is_partial));
        let place = (u64::from(at.line) + 1, u64::from(at.col) + 1, access.is_store);
        places
            .entry(place)
            .and_modify(|known| *known = known.filter(|it| Some(*it) == figures))
            .or_insert(figures);
    }
    places
}

/// What is said of scalars before a run is what the run has, at every line of every example that has its shader to itself.
#[test]
fn runs_of_the_examples_have_the_passes_that_were_told() {
    let (mut all, mut known, mut partial) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for folder in ["khr", "nv2", "qcom", "coopvec", "performance"] {
        let recipes = std::fs::read_dir(root().join("examples").join(folder)).unwrap();
        for recipe in recipes {
            let name = recipe.unwrap().file_name().into_string().unwrap();
            let path = format!("examples/{folder}/{name}");
            if !name.ends_with(".run.toml") || name.ends_with(".tune.run.toml") {
                continue;
            }
            let text = std::fs::read_to_string(root().join(&path)).unwrap();
            // Values of specialization constants and other sizes of subgroups make another shader of it.
            if text.contains("specialization") || text.contains("subgroup-size = 8") {
                continue;
            }
            let run = run_in(root(), &["run", "--profile", "--json", "--device", "nvidia-h200", &path], "");
            // Some need what the device does not have.
            let Ok(report) = serde_json::from_str::<Value>(&run.stdout) else { continue };
            let dispatches = report["profile"]["dispatches"].as_array().unwrap();
            for access in dispatches.iter().flat_map(|it| it["shared"].as_array().unwrap()) {
                if access.get("matrix").is_some() || access.get("passes").is_none() {
                    continue;
                }
                let place = &access["place"];
                let shader = place["path"].as_str().unwrap();
                let at = (
                    place["line"].as_u64().unwrap(),
                    place["column"].as_u64().unwrap(),
                    access["operation"] == "store",
                );
                all.insert((shader.to_owned(), at));
                if let Some(Some((passes, least, is_partial))) = before_a_run(shader).get(&at) {
                    known.insert((shader.to_owned(), at));
                    if *is_partial {
                        partial.insert((shader.to_owned(), at));
                    }
                    let times = access["times"].as_u64().unwrap();
                    let ran = ["passes", "least-passes"].map(|of| access[of].as_u64().unwrap());
                    let told = [passes * times, least * times];
                    let holds =
                        if *is_partial { ran[0] <= told[0] && ran[1] <= told[1] } else { ran == told };
                    assert!(holds, "{path}: {ran:?} of {told:?}: {access}");
                }
            }
        }
    }
    // Some are behind branches that not all lanes take.
    assert_eq!((known.len(), partial.len(), all.len()), (23, 6, 23), "{partial:?} and {known:?} of {all:?}");
}

/// A server with the setting, and one of the examples open.
fn opened(settings: &Value, path: &str) -> (Client, String) {
    let capabilities = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
    let params = json!({"capabilities": capabilities, "initializationOptions": settings});
    let (mut client, _) = Client::start(&[], params);
    let file = root().canonicalize().unwrap().join(path);
    let uri = format!("file://{}", file.display());
    client.open(&uri, &std::fs::read_to_string(file).unwrap());
    (client, uri)
}

fn hover(client: &mut Client, uri: &str, line: u32, character: u32) -> String {
    let position = json!({"line": line, "character": character});
    let hover =
        client.request("textDocument/hover", json!({"textDocument": {"uri": uri}, "position": position}));
    hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

fn lenses(client: &mut Client, uri: &str) -> Vec<String> {
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    let titles = lenses.as_array().unwrap().iter().filter_map(|lens| lens["command"]["title"].as_str());
    titles.map(str::to_owned).collect()
}

/// With the setting, a load of shared memory says what it takes, and the entry point what all do; a run takes the place of both, until the text changes.
#[test]
fn editors_show_what_loads_take_and_then_what_they_took() {
    let on = json!({"device": "nvidia-h200", "performance": true});
    let (mut client, uri) = opened(&on, "examples/performance/banks.comp");
    let (line, before) =
        (36, "**Before a run**, by a model: the load takes 8 passes of shared memory instead of 4");
    let told = hover(&mut client, &uri, line, 10);
    assert!(told.contains(before) && told.contains("a stride of 24"), "{told}");
    // What has no conflicts is told as well.
    let told = hover(&mut client, &uri, 26, 10);
    assert!(told.contains("the store takes 1 pass of shared memory on nvidia-h200: no conflicts"), "{told}");
    // Of other words nothing is told.
    let told = hover(&mut client, &uri, 29, 30);
    assert!(!told.contains("Before a run"), "{told}");
    let of_entry = |lenses: Vec<String>, start: &str| lenses.into_iter().find(|it| it.starts_with(start));
    let lens = of_entry(lenses(&mut client, &uri), "before a run: ").unwrap();
    assert_eq!(
        lens,
        "before a run: 4 accesses of shared memory: 2 with conflicts; at least 8 of 255 registers (at most 64 of 64 subgroups resident)"
    );

    let answer = client.request("coopmat-analyzer/run", json!({"textDocument": {"uri": uri}}));
    assert_eq!(answer["met"], true, "{answer}");
    assert!(answer.get("profile").is_none(), "it is not asked for");
    client.wait(|message| message["method"] == "workspace/codeLens/refresh");
    let told = hover(&mut client, &uri, line, 10);
    assert!(told.contains("**In the last run**: 1 instruction ("), "{told}");
    assert!(
        told.contains("- load `stagedB`: 8 passes of shared memory instead of 4, up to 2-way conflicts"),
        "{told}"
    );
    assert!(!told.contains("Before a run"), "{told}");
    let lens = of_entry(lenses(&mut client, &uri), "last run: ").unwrap();
    assert!(lens.starts_with("last run: 32 passes, 8 too many, "), "{lens}");

    let change = json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [
        {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "\n"},
    ]});
    client.notify("textDocument/didChange", change);
    assert!(hover(&mut client, &uri, line + 1, 10).contains(before));
    client.finish();
}

/// Without the setting nothing is told; what every run counts is in its answer all the same.
#[test]
fn lines_of_a_run_have_what_its_profile_has() {
    let (mut client, uri) = opened(&json!({"device": "nvidia-h200"}), "examples/khr/gemm_staged.comp");
    assert_eq!(lenses(&mut client, &uri).iter().filter(|it| it.contains("run: ")).count(), 0);
    let lines = |answer: &Value| -> Vec<(u64, u64)> {
        let lines = answer["lines"].as_array().unwrap().iter();
        lines.map(|it| (it["line"].as_u64().unwrap(), it["instructions"].as_u64().unwrap())).collect()
    };
    let plain = client.request("coopmat-analyzer/run", json!({"textDocument": {"uri": uri}}));
    assert!(plain["lines"].as_array().unwrap().iter().all(|it| it.get("passes").is_none()));
    let bytes: u64 = plain["lines"].as_array().unwrap().iter().map(|it| it["bytes"].as_u64().unwrap()).sum();
    let work = &plain["report"]["work"];
    assert_eq!(bytes, work["bytes-read"].as_u64().unwrap() + work["bytes-written"].as_u64().unwrap());

    let profiled =
        client.request("coopmat-analyzer/run", json!({"textDocument": {"uri": uri}, "profile": true}));
    let dispatch = &profiled["profile"]["dispatches"][0];
    let mut of_profile: Vec<(u64, u64)> = dispatch["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it.get("path").is_some())
        .map(|it| (it["line"].as_u64().unwrap(), it["instructions"].as_u64().unwrap()))
        .collect();
    of_profile.sort_unstable();
    assert_eq!(lines(&plain), of_profile);
    assert_eq!(lines(&profiled), of_profile);
    let sum = |list: &Value, key: &str| -> u64 {
        list.as_array().unwrap().iter().filter_map(|it| it[key].as_u64()).sum()
    };
    assert_eq!(sum(&profiled["lines"], "passes"), sum(&dispatch["shared"], "passes"));
    // The setting is off: hovers and lenses stay as they are.
    assert_eq!(lenses(&mut client, &uri).iter().filter(|it| it.contains("run: ")).count(), 0);
    client.finish();
}
