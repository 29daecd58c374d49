//! `cargo xtask test --quick`: format, lints and tests of the packages that changed and of those that stand on them, while one works. It asks for
//! nothing from the network.
//!
//! What changed is what differs from where the branch left `main`, committed or not. Lints and unit tests are those of what changed; of what stands
//! on it, the integration tests. Everything is built with the features of the whole workspace, as `cargo test` does, so that nothing is compiled for
//! this command alone: programs that are not tested stay in the selection, as they bring their features and `--lib` builds none of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use super::cargo::{count_tests, lints};
use super::summary::{Done, summarise};
use crate::count::Count;
use crate::shell;

/// Where a branch began: with the first of these that there is.
const BASES: [&str; 3] = ["@{upstream}", "origin/main", "main"];

/// What every package stands on.
const UNDER_ALL: [&str; 4] = ["Cargo.toml", "Cargo.lock", "rustfmt.toml", ".cargo/"];

/// A test that takes seconds of a debug build, for what shorter ones look at, too, unless something below these folders changed.
struct Long {
    package: &'static str,
    test: &'static str,
    looks_at: &'static [&'static str],
}

const fn long(package: &'static str, test: &'static str, looks_at: &'static [&'static str]) -> Long {
    Long { package, test, looks_at }
}

const DECLARATIONS: &[&str] = &[
    "analysis/src/lower/items.rs",
    "analysis/src/lower/names.rs",
    "analysis/src/lower/scopes.rs",
    "analysis/tests/hostile.rs",
];

const PROGRAM: &[&str] = &["lsp/src/", "lsp/core/", "lsp/tests/"];

/// What is left to the whole where nothing that it looks at changed.
const LONG: &[Long] = &[
    long("coopmat-analysis", "a_hostile_log_is_read_in_one_go", &["analysis/src/import"]),
    long("coopmat-analysis", "a_response_file_is_read_once", &["analysis/src/import"]),
    long("coopmat-analysis", "all_calls_of_an_import_together_are_bounded", &["analysis/src/import"]),
    long("coopmat-analysis", "response_files_of_an_import_are_bounded", &["analysis/src/import"]),
    long("coopmat-analysis", "deep_nesting_ends", &["analysis/src/lex", "analysis/src/preprocess"]),
    long("coopmat-analysis", "doubling_macros_end", &["analysis/src/lex", "analysis/src/preprocess"]),
    long("coopmat-analysis", "random_tokens_do_no_harm", &["analysis/src/lex", "analysis/src/preprocess"]),
    // Declarations by the thousand, and what finds the one that a name means.
    long("coopmat-analysis", "many_of_everything", DECLARATIONS),
    long("coopmat-analysis", "the_same_name_again_and_again", DECLARATIONS),
    long("coopmat-analyzer", "examples_meet_their_expectations_under_every_mode_that_they_claim", PROGRAM),
    // What the program does for any shader: files past every limit, storms of edits, projects that reach out, other ways to connect.
    long("coopmat-analyzer", "limits_fail_unless_they_are_named", PROGRAM),
    long("coopmat-analyzer", "a_long_search_shows_progress_and_can_be_stopped", PROGRAM),
    long("coopmat-analyzer", "a_recipe_takes_no_more_than_the_host_gives", PROGRAM),
    long("coopmat-analyzer", "a_run_ends_when_nobody_wants_it_any_more", PROGRAM),
    long("coopmat-analyzer", "a_thousand_edits_with_requests_in_flight", PROGRAM),
    long("coopmat-analyzer", "a_very_long_line_is_cut", PROGRAM),
    long("coopmat-analyzer", "files_are_not_read_beyond_their_sizes", PROGRAM),
    long("coopmat-analyzer", "findings_end_at_some_number", PROGRAM),
    long("coopmat-analyzer", "nothing_reaches_out_but_what_the_threat_model_names", PROGRAM),
    long("coopmat-analyzer", "response_files_are_read_in_the_project_of_who_names_them", PROGRAM),
    long("coopmat-analyzer", "settings_hold_from_the_first_report_on_and_nobody_waits_for_ever", PROGRAM),
    long("coopmat-analyzer", "the_other_configurations_are_checked_when_nothing_else_is_to_do", PROGRAM),
    long("coopmat-analyzer", "a_client_listens_at_a_port", PROGRAM),
    // Thousands of calls through the compiler: `cargo test --test codegen every_overload`.
    long("coopmat-codegen", "every_overload_compiles", &["analysis/extensions/", "codegen/"]),
    long("coopmat-codegen", "long_chains_of_operators_are_no_danger", &["codegen/"]),
    long("coopmat-codegen", "modules_that_make_no_sense_do_no_harm", &["codegen/"]),
    long("coopmat-ide", "every_place_can_be_asked_at", &["analysis/ide/"]),
    long("coopmat-ide", "hostile_places_can_be_asked_at", &["analysis/ide/"]),
    long("coopmat-ide", "names_of_the_examples_are_offered", &["analysis/ide/"]),
    long("coopmat-server", "hostile_files_are_read_in_time", &["lsp/core/src/embedded"]),
    // Another shader in view, again and again, and what everything says of it then.
    long("coopmat-server", "thirty_switches_leave_what_a_fresh_start_shows_in_neovim", &["lsp/core/"]),
    long("coopmat-server", "thirty_switches_leave_what_a_fresh_start_shows_in_vs_code", &["lsp/core/"]),
    long("coopmat-simulator", "every_case_passes_and_the_table_is_true", &["simulator/"]),
    long("coopmat-simulator", "examples_step_back_to_the_same_values", &["simulator/"]),
    // Every overload, compiled and asked for by device, hover and driver.
    long(
        "coopmat-vulkan",
        "everybody_says_the_same_of_every_overload",
        &["analysis/extensions/", "codegen/", "lsp/vulkan/"],
    ),
];

/// A package of the workspace.
struct Package {
    name: String,
    /// Below the repository's root, with a slash at its end.
    folder: String,
    /// Those of the workspace that it needs.
    needs: Vec<String>,
    /// Those that only its tests need.
    tests_need: Vec<String>,
    has_library: bool,
    programs: Vec<String>,
    /// Its integration tests.
    tests: Vec<String>,
    /// `cargo test` without a selection takes it.
    default: bool,
}

impl Package {
    /// One of the programs that `cargo xtask` starts: they look at real shaders, and have few tests of their own.
    fn is_chore(&self) -> bool {
        self.folder.starts_with("xtask/") && self.folder != "xtask/"
    }
}

/// What has to be looked at.
#[derive(Debug, Default, PartialEq, Eq)]
struct Scope {
    changed: BTreeSet<String>,
    /// Those whose own tests are run, all of them: the changed ones, and what reads a changed file outside of all packages.
    own: BTreeSet<String>,
    /// Those whose integration tests are run: these, and what stands on them.
    tested: BTreeSet<String>,
    /// Changed files that no package reads.
    beside: Vec<String>,
    /// All that changed, as paths below the root.
    files: Vec<String>,
}

type Part = (&'static str, fn(&Scope) -> Result<Count>);

const PARTS: [Part; 3] = [("format", format), ("lints", lint), ("tests", tests)];

/// What a developer is told of it.
const LEFT: &str = "left to the whole, `cargo xtask test`: lints of the code of tests and of what did not change; unit tests of what stands on a \
                    change; what needs a change for its tests alone; tests of the chores that did not change";

/// Looks at what changed, and prints its parts with their times as the whole does.
pub fn run() -> Result<()> {
    let (base, words) = base()?;
    let scope = concerned(&changed_files(&base)?, &packages()?, mentions);
    if !scope.beside.is_empty() {
        println!("no test of Rust reads {}: `cargo xtask test` looks at them", scope.beside.join(", "));
    }
    if scope.tested.is_empty() {
        println!("nothing else differs from {words}");
        return Ok(());
    }
    let list = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    println!("changed since {words}: {}", list(&scope.changed));
    println!("tested: {}", list(&scope.tested));
    println!("{LEFT}");
    let long: Vec<&str> = left_out(&scope).map(|long| long.test).collect();
    if !long.is_empty() {
        println!("and long tests, as nothing that they look at closely changed: {}", long.join(", "));
    }
    let begin = Instant::now();
    let mut done = Vec::new();
    for (name, part) in PARTS {
        println!("\n== {name}");
        let start = Instant::now();
        let count = part(&scope).unwrap_or_else(|error| Count::one(Err(error)));
        done.push(Done { name, count, time: start.elapsed(), processors: None, budget: None });
    }
    summarise(&done, begin.elapsed())
}

/// A cargo that asks nothing of the network.
fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = shell::cargo(arguments);
    command.env("CARGO_NET_OFFLINE", "true");
    command
}

fn format(scope: &Scope) -> Result<Count> {
    let mut format = cargo(["fmt", "--check"]);
    for name in &scope.changed {
        format.args(["--package", name]);
    }
    Ok(Count::one(shell::run(&mut format)))
}

/// Lints what changed. The tests' build sees whether the others still compile.
fn lint(scope: &Scope) -> Result<Count> {
    let targets = own_targets(&packages()?, &scope.changed);
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    Ok(Count::one(shell::run(lints(&targets)?.env("CARGO_NET_OFFLINE", "true"))))
}

fn tests(scope: &Scope) -> Result<Count> {
    let packages = packages()?;
    let own = own_targets(&packages, &scope.own);
    let tested = || packages.iter().filter(|package| scope.tested.contains(&package.name));
    // A chore with a library that is not tested: linking its tests takes longer than what is asked for.
    let left =
        packages.iter().filter(|one| one.is_chore() && one.has_library && !scope.tested.contains(&one.name));
    let mut standing: Vec<String> = left.map(|package| format!("--exclude={}", package.name)).collect();
    standing.extend(tested().flat_map(|package| &package.tests).map(|test| format!("--test={test}")));
    let nextest = shell::succeeds(&mut cargo(["nextest", "--version"]));
    if !nextest {
        println!(
            "there is no cargo-nextest, which runs the tests of all packages at once: `cargo test` does it in more time"
        );
    }
    let run = |targets: &[String], filter: &str| {
        if nextest { run_nextest(targets, filter) } else { run_cargo_test(targets, scope) }
    };
    // One builds while the tests of the other run.
    let (own, standing) = std::thread::scope(|threads| {
        let own = threads.spawn(|| run(&own, &filter(scope, &scope.own)));
        let standing = match tested().all(|package| package.tests.is_empty()) {
            true => Ok(Count::default()),
            false => run(&standing, &filter(scope, &scope.tested)),
        };
        (own.join(), standing)
    });
    let mut count = standing?;
    let own = own.map_err(|_| anyhow::anyhow!("the unit tests ended in a panic of this program"))??;
    count.passed += own.passed;
    count.failed += own.failed;
    Ok(count)
}

/// Arguments that select the libraries and programs of these packages, and of what does not stand on them: nothing is done for that again.
fn own_targets(packages: &[Package], own: &BTreeSet<String>) -> Vec<String> {
    let standing = standing_on(own, packages, |package| package.needs.iter().chain(&package.tests_need));
    let left = packages
        .iter()
        .filter(|one| one.has_library && standing.contains(&one.name) && !own.contains(&one.name));
    let mut targets: Vec<String> = left.map(|package| format!("--exclude={}", package.name)).collect();
    targets.push("--lib".to_owned());
    let own = packages.iter().filter(|package| own.contains(&package.name));
    targets.extend(own.flat_map(|package| &package.programs).map(|program| format!("--bin={program}")));
    targets
}

fn run_nextest(targets: &[String], filter: &str) -> Result<Count> {
    let mut nextest = cargo(["nextest", "run", "--workspace", "--no-fail-fast"]);
    nextest.args(targets);
    // The filter is long, and said in words already.
    eprintln!("$ {}", shell::describe(&nextest));
    nextest.args(["--cargo-quiet", "--status-level", "fail", "--final-status-level", "fail"]);
    nextest.args(["--show-progress", "none", "--no-tests", "pass", "--filterset", filter]);
    // Each test would start twice, for those who stop the run with Ctrl-Z at the wrong moment.
    nextest_counted(nextest.env("NEXTEST_DOUBLE_SPAWN", "0"))
}

fn run_cargo_test(targets: &[String], scope: &Scope) -> Result<Count> {
    let mut test = cargo(["test", "--quiet", "--workspace", "--no-fail-fast"]);
    test.args(targets).arg("--");
    for long in left_out(scope) {
        test.args(["--skip", long.test]);
    }
    count_tests(&mut test)
}

/// Of [`LONG`], what is left to the whole.
fn left_out(scope: &Scope) -> impl Iterator<Item = &'static Long> {
    let changed = |below: &&str| scope.files.iter().any(|file| file.starts_with(below));
    let looked_at = move |long: &Long| UNDER_ALL.iter().chain(long.looks_at).any(changed);
    LONG.iter().filter(move |long| scope.tested.contains(long.package) && !looked_at(long))
}

/// nextest's words for the tests of some packages of a scope.
fn filter(scope: &Scope, packages: &BTreeSet<String>) -> String {
    let selected: Vec<String> = packages.iter().map(|name| format!("package(={name})")).collect();
    let mut filter = format!("({})", selected.join(" | "));
    let mut left: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Long { package, test, .. } in left_out(scope).filter(|long| packages.contains(long.package)) {
        left.entry(package).or_default().push(test);
    }
    for (package, tests) in left {
        filter += &format!(" - (package(={package}) & test(/{}/))", tests.join("|"));
    }
    filter
}

/// Runs nextest, and reads its count: `Summary [ 1.2s] 12 tests run: 11 passed, 1 failed, 3 skipped`.
fn nextest_counted(nextest: &mut Command) -> Result<Count> {
    let output = nextest.stdout(Stdio::inherit()).stderr(Stdio::piped()).output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    eprint!("{text}");
    let mut count = summary(&text).unwrap_or_default();
    if !output.status.success() && count.failed == 0 {
        count.failed = 1;
    }
    Ok(count)
}

fn summary(text: &str) -> Option<Count> {
    let (_, numbers) =
        text.lines().find(|line| line.trim_start().starts_with("Summary ["))?.split_once("run: ")?;
    let number = |word: &str| {
        let field = numbers.split(", ").find(|field| field.contains(word))?;
        field.split_whitespace().next()?.parse().ok()
    };
    Some(Count { passed: number("passed").unwrap_or(0), failed: number("failed").unwrap_or(0) })
}

fn git(arguments: &[&str]) -> Result<String> {
    shell::output(shell::command("git", arguments).current_dir(shell::root()))
}

/// The commit where this branch began, and words for it.
fn base() -> Result<(String, String)> {
    for base in BASES {
        let mut common = shell::command("git", ["merge-base", "HEAD", base]);
        if let Some(commit) = shell::try_output(common.current_dir(shell::root())) {
            return Ok((commit.trim().to_owned(), format!("{base} ({})", &commit[..commit.len().min(10)])));
        }
    }
    // A copy without branches: only what is not committed.
    Ok(("HEAD".to_owned(), "the last commit".to_owned()))
}

/// Changed, new and deleted files, committed or not, as paths below the root.
fn changed_files(base: &str) -> Result<Vec<String>> {
    // Without renames: a file that was moved is missed where it was.
    let text = git(&["diff", "--name-only", "--no-renames", base])?
        + &git(&["ls-files", "--others", "--exclude-standard"])?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// The workspace, as cargo knows it.
fn packages() -> Result<Vec<Package>> {
    let text = shell::output(&mut cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let root = shell::root();
    let packages = metadata["packages"].as_array().context("cargo tells no packages")?;
    let default =
        metadata["workspace_default_members"].as_array().context("cargo tells no default members")?;
    let package = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let folder = manifest.parent()?.strip_prefix(&root).ok()?;
        let needs = |of_tests: bool| -> Option<Vec<String>> {
            let needed =
                package["dependencies"].as_array()?.iter().filter(|needed| needed["path"].is_string());
            let needed = needed.filter(|needed| (needed["kind"] == "dev") == of_tests);
            Some(needed.filter_map(|needed| needed["name"].as_str().map(str::to_owned)).collect())
        };
        let targets = |kind: &str| -> Option<Vec<String>> {
            let of_kind = package["targets"].as_array()?.iter();
            let of_kind = of_kind.filter(|target| {
                target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
            });
            Some(of_kind.filter_map(|target| target["name"].as_str().map(str::to_owned)).collect())
        };
        Some(Package {
            name: package["name"].as_str()?.to_owned(),
            folder: format!("{}/", folder.to_str()?.replace('\\', "/")),
            needs: needs(false)?,
            tests_need: needs(true)?,
            has_library: !targets("lib")?.is_empty() || !targets("rlib")?.is_empty(),
            programs: targets("bin")?,
            tests: targets("test")?,
            default: default.contains(&package["id"]),
        })
    };
    packages
        .iter()
        .map(|one| package(one).with_context(|| format!("a package without a name or a folder: {one}")))
        .collect()
}

/// The packages that files belong to, and those that stand on these. A file outside of all concerns the tests of the packages that mention it.
fn concerned(files: &[String], packages: &[Package], mentions: impl Fn(&Package, &str) -> bool) -> Scope {
    let mut scope = Scope { files: files.to_vec(), ..Scope::default() };
    for file in files {
        if UNDER_ALL.iter().any(|path| file.starts_with(path)) {
            scope.changed.extend(packages.iter().map(|package| package.name.clone()));
            continue;
        }
        let within = packages.iter().filter(|package| file.starts_with(&package.folder));
        if let Some(package) = within.max_by_key(|package| package.folder.len()) {
            scope.changed.insert(package.name.clone());
            continue;
        }
        // `docs/` of docs/rules.md, README.md as it is.
        let words = file.find('/').map_or(file.as_str(), |slash| &file[..=slash]);
        let readers: Vec<&Package> = packages.iter().filter(|package| mentions(package, words)).collect();
        if readers.is_empty() {
            scope.beside.push(file.clone());
        }
        scope.own.extend(readers.iter().map(|package| package.name.clone()));
    }
    scope.own.extend(scope.changed.iter().cloned());
    let standing = standing_on(&scope.changed, packages, |package| package.needs.iter());
    let tested = packages.iter().filter(|one| standing.contains(&one.name) && one.default && !one.is_chore());
    scope.tested.extend(tested.map(|package| package.name.clone()));
    scope.tested.extend(scope.own.iter().cloned());
    scope
}

/// The packages themselves, and all that need one of them, directly or not.
fn standing_on<'a, I: Iterator<Item = &'a String>>(
    changed: &BTreeSet<String>,
    packages: &'a [Package],
    needs: impl Fn(&'a Package) -> I,
) -> BTreeSet<String> {
    let mut found = changed.clone();
    loop {
        let next = packages.iter().filter(|package| needs(package).any(|needed| found.contains(needed)));
        let next: Vec<&Package> = next.filter(|package| !found.contains(&package.name)).collect();
        if next.is_empty() {
            return found;
        }
        found.extend(next.iter().map(|package| package.name.clone()));
    }
}

/// Whether a package's Rust names a folder of the repository, or a file at its root.
fn mentions(package: &Package, words: &str) -> bool {
    fn any_in(folder: &Path, words: &str) -> bool {
        let Ok(entries) = fs::read_dir(folder) else { return false };
        entries.flatten().any(|entry| {
            let path = entry.path();
            if path.is_dir() {
                return any_in(&path, words);
            }
            path.extension().is_some_and(|extension| extension == "rs")
                && fs::read_to_string(&path).is_ok_and(|text| text.contains(words))
        })
    }
    ["src", "tests"].iter().any(|part| any_in(&shell::root().join(&package.folder).join(part), words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, folder: &str, needs: &[&str]) -> Package {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let program = folder.starts_with("xtask/");
        Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            needs: owned(needs),
            tests_need: if name == "simulator" { owned(&["analysis"]) } else { Vec::new() },
            has_library: !program,
            programs: if program { owned(&[name]) } else { Vec::new() },
            tests: Vec::new(),
            default: true,
        }
    }

    fn workspace() -> [Package; 6] {
        [
            package("analysis", "analysis/", &[]),
            package("simulator", "simulator/", &[]),
            package("ide", "analysis/ide/", &["analysis"]),
            package("server", "lsp/core/", &["ide"]),
            package("load", "xtask/load/", &[]),
            package("book", "xtask/book/", &["analysis"]),
        ]
    }

    /// The names of changed and of tested packages, and the files beside.
    fn of(files: &[&str]) -> (String, String, String) {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        let reads = |package: &Package, words: &str| (package.name.as_str(), words) == ("load", "docs/");
        let scope = concerned(&files, &workspace(), reads);
        let words = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(" ");
        (words(scope.changed), words(scope.tested), scope.beside.join(" "))
    }

    fn expected(changed: &str, tested: &str, beside: &str) -> (String, String, String) {
        (changed.to_owned(), tested.to_owned(), beside.to_owned())
    }

    #[test]
    fn a_change_concerns_its_package_and_those_that_stand_on_it() {
        assert_eq!(of(&["analysis/src/lib.rs"]), expected("analysis", "analysis ide server", ""));
        assert_eq!(of(&["analysis/ide/src/hover.rs"]), expected("ide", "ide server", ""));
        assert_eq!(of(&["lsp/core/src/lib.rs"]), expected("server", "server", ""));
        assert_eq!(of(&["xtask/book/src/main.rs"]), expected("book", "book", ""));
    }

    #[test]
    fn what_did_not_change_is_not_built_for_lints_and_unit_tests() {
        let own = |name: &str| own_targets(&workspace(), &BTreeSet::from([name.to_owned()])).join(" ");
        assert_eq!(own("analysis"), "--exclude=simulator --exclude=ide --exclude=server --lib");
        assert_eq!(own("server"), "--lib");
        assert_eq!(own("book"), "--lib --bin=book");
    }

    #[test]
    fn what_all_stand_on_concerns_all() {
        const ALL: &str = "analysis book ide load server simulator";
        assert_eq!(of(&["Cargo.lock"]), expected(ALL, ALL, ""));
    }

    #[test]
    fn a_file_outside_concerns_the_tests_that_read_it() {
        assert_eq!(of(&["docs/rules.md", "action.yml"]), expected("", "load", "action.yml"));
    }

    #[test]
    fn the_workspace_is_read() {
        let packages = packages().unwrap();
        let analysis = packages.iter().find(|package| package.name == "coopmat-analysis").unwrap();
        assert_eq!(analysis.folder, "analysis/");
        assert!(mentions(analysis, "docs/"), "its tests read docs/rules.md");
        let server = packages.iter().find(|package| package.name == "coopmat-server").unwrap();
        assert!(server.needs.contains(&"coopmat-analysis".to_owned()));
        let simulator = packages.iter().find(|package| package.name == "coopmat-simulator").unwrap();
        assert!(simulator.tests_need.contains(&"coopmat-analysis".to_owned()) && simulator.has_library);
        assert_eq!(simulator.tests, ["simulator"]);
        let program = packages.iter().find(|package| package.name == "coopmat-analyzer").unwrap();
        assert_eq!(
            (program.has_library, &program.programs[..]),
            (false, &["coopmat-analyzer".to_owned()][..])
        );
    }

    /// A name that no test has would leave nothing out, in silence, and a folder that is not there would never let it run.
    #[test]
    fn what_is_left_to_the_whole_is_there() {
        let packages = packages().unwrap();
        let files = git(&["ls-files"]).unwrap();
        for Long { package, test, looks_at } in LONG {
            let package = packages.iter().find(|known| known.name == *package).expect(package);
            assert!(mentions(package, &format!("fn {test}()")), "{}: {test}", package.name);
            for folder in *looks_at {
                assert!(files.lines().any(|file| file.starts_with(folder)), "{test}: {folder}");
            }
        }
    }

    #[test]
    fn a_long_test_runs_where_what_it_looks_at_changed() {
        let packages = packages().unwrap();
        let left = |file: &str| {
            let scope = concerned(&[file.to_owned()], &packages, |_, _| false);
            left_out(&scope).map(|long| long.test).collect::<Vec<_>>()
        };
        let rule = left("analysis/src/checks/uniformity.rs");
        assert!(rule.contains(&"every_overload_compiles") && rule.contains(&"deep_nesting_ends"), "{rule:?}");
        assert!(left("Cargo.lock").is_empty());
        assert!(!left("codegen/src/lib.rs").contains(&"every_overload_compiles"));
        assert!(!left("analysis/src/preprocess/engine.rs").contains(&"deep_nesting_ends"));
        assert!(
            !left("lsp/core/src/lib.rs").contains(&"deep_nesting_ends"),
            "its package is not tested at all"
        );
    }

    #[test]
    fn the_summary_of_nextest_is_counted() {
        let text =
            "------------\n     Summary [   3.2s] 12 tests run: 11 passed (1 slow), 1 failed, 3 skipped\n";
        let count = summary(text).expect("a summary");
        assert_eq!((count.passed, count.failed), (11, 1));
    }
}
