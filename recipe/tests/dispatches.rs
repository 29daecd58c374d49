//! Several dispatches in one recipe: buffers stay, each has its own shader, bindings, constants and expectations, and a barrier is between them.

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_recipe::modes::first;
use coopmat_recipe::report::SourcePlace;
use coopmat_recipe::{
    Files, Host, Overrides, Plan, PlanError, Report, Run, Slice, parse, resources_before, run,
};
use coopmat_spirv::dr::Module;

struct NoFile;

impl Files for NoFile {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("no {path}"))
    }
}

fn module(shader: &str) -> Module {
    let source = format!("#version 460\nlayout(local_size_x = 4) in;\n{shader}");
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis = coopmat_analysis::analyze("/test.comp", source.as_str().into(), &config, &NoFiles, None);
    coopmat_codegen::compile(&analysis, &Default::default()).unwrap().module
}

fn plan(shaders: &[&str], recipe: &str) -> Result<Plan, String> {
    let parsed = parse(recipe).map_err(|error| error.message)?;
    let modules: Vec<Module> = shaders.iter().map(|shader| module(shader)).collect();
    let modules: Vec<_> = modules.iter().map(|module| module.into()).collect();
    let overrides = Overrides { set: vec![("FACTOR".to_owned(), "3".to_owned())], ..Overrides::default() };
    let overrides = if recipe.contains("# --set") { overrides } else { Overrides::default() };
    Plan::new(&parsed, recipe, &modules, &NoFile, &overrides).map_err(|error| match error {
        PlanError::Recipe(error) => format!("{}: {}", &recipe[error.range.clone()], error.message),
        PlanError::Program(_, error) => error.to_string(),
    })
}

fn refused(shaders: &[&str], recipe: &str) -> String {
    plan(shaders, recipe).map(|_| ()).unwrap_err()
}

fn report(shaders: &[&str], recipe: &str, checked: bool) -> Report {
    let plan = plan(shaders, recipe).unwrap();
    let recipe = parse(recipe).unwrap();
    let mut modes = first(&recipe, plan.subgroup_size);
    modes.checked |= checked;
    let place = |dispatch: usize, instruction: u32| {
        Some(SourcePlace { path: format!("{dispatch}.comp"), line: instruction, column: 1 })
    };
    let host = Host { pool: None, tier: None, observers: Vec::new(), place: &place, go_on: &mut |_, _| true };
    run(&plan, &recipe, &modes, host).report
}

/// What there is to tell of each expectation.
fn outcomes(report: &Report) -> Vec<String> {
    assert_eq!(report.error, None);
    let verdict = |met: bool| if met { "met" } else { "not met" };
    let tell = report.expectations.iter();
    tell.map(|one| {
        let after = one.after.as_deref().unwrap_or("the run");
        format!("{} after {after}: {}", one.buffer, verdict(one.met))
    })
    .collect()
}

/// Each element of the output is so many times that of the input.
const TIMES: &str = "
layout(constant_id = 0) const uint FACTOR = 2;
layout(binding = 0) readonly buffer Input { uint source[]; };
layout(binding = 1) buffer Output { uint product[]; };
void main() { product[gl_GlobalInvocationID.x] = FACTOR * source[gl_GlobalInvocationID.x]; }";

/// Adds a number to each element of the other dispatch's output, which it has at another place.
const PLUS: &str = "
layout(push_constant) uniform Push { uint amount; };
layout(set = 1, binding = 3) buffer Sum { uint total[]; };
void main() { total[gl_GlobalInvocationID.x] += amount; }";

const RECIPE: &str = r#"
sizes = { N = 8 }

[[dispatches]]
name = "times"
shader = "times.comp"
workgroups = ["N / 4"]
specialization = { FACTOR = 5 }

[[dispatches]]
shader = "other/plus.comp"
workgroups = ["N / 4"]
push-constants = { amount = "N" }
buffers = { total = "product" }

[[buffers]]
name = "source"
shape = ["N"]
fill.iota = {}

[[buffers]]
name = "product"
shape = ["N"]
fill = "uninitialised"

[[expect]]
buffer = "product"
after = "times"
equals.formula = "5 * source"

[[expect]]
buffer = "product"
after = "plus"
equals.formula = "5 * source + 8"

[[expect]]
buffer = "product"
equals.formula = "5 * source + 8"
"#;

#[test]
fn the_second_dispatch_begins_with_what_the_first_left() {
    for checked in [false, true] {
        let report = report(&[TIMES, PLUS], RECIPE, checked);
        assert_eq!(
            outcomes(&report),
            ["product after times: met", "product after plus: met", "product after plus: met"]
        );
        assert_eq!(report.findings, []);
        let told = report.dispatches.iter().map(|one| {
            let work = one.work.as_ref().unwrap();
            (one.name.as_str(), one.workgroups, one.workgroup_size, work.workgroups)
        });
        let told: Vec<_> = told.collect();
        assert_eq!(told, [("times", [2, 1, 1], [4, 1, 1], 2), ("plus", [2, 1, 1], [4, 1, 1], 2)]);
        assert_eq!(report.work.workgroups, 4);
    }
}

#[test]
fn an_expectation_says_after_which_dispatch_it_is_not_met() {
    let wrong = RECIPE.replacen("5 * source", "index == 3 ? 7 : 5 * source", 1);
    let report = report(&[TIMES, PLUS], &wrong, false);
    assert_eq!(outcomes(&report)[0], "product after times: not met");
    let worst = report.expectations[0].worst.as_ref().unwrap();
    assert_eq!((worst.expected, worst.found), (7.0, 15.0), "what was there after the first dispatch");
}

#[test]
fn a_constant_that_is_set_is_for_the_shaders_that_have_it() {
    let set = RECIPE.replace("5 * source", "3 * source") + "# --set";
    assert!(report(&[TIMES, PLUS], &set, false).met);
}

#[test]
fn a_buffer_may_be_bound_by_numbers_and_at_several_places() {
    let twice = RECIPE
        .replace("shader = \"other/plus.comp\"", "name = \"plus\"\nshader = \"times.comp\"")
        .replace("push-constants = { amount = \"N\" }\n", "")
        .replace("{ total = \"product\" }", "{ 0 = \"product\", \"0.1\" = \"product\" }")
        .replace("5 * source + 8", "10 * source");
    assert_eq!(
        outcomes(&report(&[TIMES, TIMES], &twice, true)),
        ["product after times: met", "product after plus: met", "product after plus: met"]
    );
}

#[test]
fn each_element_of_an_array_of_descriptors_has_a_buffer() {
    let parts = "
        layout(binding = 0) buffer Part { uint part[]; } parts[2];
        void main() { parts[1].part[gl_GlobalInvocationID.x] = parts[0].part[gl_GlobalInvocationID.x] + 1; }";
    let recipe = r#"
        dispatches = [{ buffers = { parts = ["a", "b"] } }, { buffers = { parts = ["b", "c"] } }]
        buffers = [{ name = "a", shape = [4] }, { name = "b", shape = [4] }, { name = "c", shape = [4] }]
        expect = [{ buffer = "b", after = "1", equals.formula = "a + 1" }, { buffer = "c", equals.formula = "a + 2" }]
    "#;
    assert_eq!(outcomes(&report(&[parts, parts], recipe, true)), ["b after 1: met", "c after 2: met"]);
}

#[test]
fn accesses_of_two_dispatches_are_no_race() {
    // All invocations read what one of another workgroup wrote, a dispatch before.
    let write = "layout(binding = 0) buffer Values { uint values[]; };
        void main() { values[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x; }";
    let read = "layout(binding = 0) buffer Values { uint values[]; };
        layout(binding = 1) writeonly buffer Reversed { uint reversed[]; };
        void main() { reversed[gl_GlobalInvocationID.x] = values[7 - gl_GlobalInvocationID.x]; }";
    let recipe = r#"
        dispatches = [{ workgroups = [2] }, { workgroups = [2] }]
        buffers = [{ name = "values", shape = [8], fill = "uninitialised" }, { name = "reversed", shape = [8] }]
        expect = [{ buffer = "reversed", equals.formula = "7 - index" }]
    "#;
    let report = report(&[write, read], recipe, true);
    assert_eq!((report.findings.as_slice(), report.met), ([].as_slice(), true));
}

/// Two parts of one buffer, of which the second begins inside of the first.
const OVERLAPPING: &str = "
layout(binding = 0) buffer Low { uint low[]; };
layout(binding = 1) buffer High { uint high[]; };
layout(binding = 2) buffer Found { uint found[6]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    low[8 + i] += 100;
    high[4 + i] = high[i];
    if (i == 0) { found = uint[](low.length(), high.length(), low[8], high[4], BEYOND, 0); }
}";

const OVERLAPPING_RECIPE: &str = r#"
    buffers = [{ name = "all", type = "u32", shape = [20], fill.iota = {} }, { name = "found", shape = [6] }]
    expect = [{ buffer = "found", equals.values = [12, 8, 108, 108, 0, 0] }]
    [[dispatches]]
    buffers = { low = { buffer = "all", range = 48 }, high = { buffer = "all", offset = 32, range = 32 } }
"#;

#[test]
fn parts_of_a_buffer_that_overlap_see_each_other_and_end_where_they_end() {
    let met = report(&[&OVERLAPPING.replace("BEYOND", "0")], OVERLAPPING_RECIPE, true);
    assert_eq!((met.findings.as_slice(), met.met), ([].as_slice(), true), "{:?}", met.expectations);
    // What the one part does not have, the other has all the same.
    let beyond = report(&[&OVERLAPPING.replace("BEYOND", "low[12]")], OVERLAPPING_RECIPE, true);
    assert_eq!(beyond.findings[0].kind, "out-of-bounds");
    assert_eq!(beyond.findings[0].message, "reads 4 bytes at offset 48 of buffer Low, which has 48 bytes");
    // Another invocation writes it through the other part.
    let raced = report(&[&OVERLAPPING.replace("BEYOND", "low[9]")], OVERLAPPING_RECIPE, true);
    let message = &raced.findings[0].message;
    assert_eq!(raced.findings[0].kind, "missing-barrier", "{message}");
    let raced = report(&[&OVERLAPPING.replace("BEYOND", "high[1]")], OVERLAPPING_RECIPE, true);
    assert_eq!(raced.findings[0].kind, "missing-barrier");
}

#[test]
fn a_part_of_a_buffer_is_inside_of_it() {
    let with = |part: &str| {
        let recipe = OVERLAPPING_RECIPE.replace("offset = 32, range = 32", part);
        refused(&[&OVERLAPPING.replace("BEYOND", "0")], &recipe)
    };
    for (part, wrong) in [
        ("offset = 80", "begins at byte 80: expected it to begin inside"),
        ("offset = 6", "begins at byte 6: expected a multiple of 4"),
        ("range = 0", "has a `range` of 0: expected bytes, or no `range` for all that follow"),
        ("offset = 64, range = 20", "has 20 bytes from byte 64 on: expected it to end inside"),
    ] {
        let (said, wanted) = (with(part), format!("`all` has 80 bytes, and what is bound {wrong}"));
        assert!(said.ends_with(&wanted), "{said}");
    }
}

#[test]
fn what_no_dispatch_has_written_is_found_in_the_one_that_reads_it() {
    let recipe = RECIPE.replacen("workgroups = [\"N / 4\"]", "workgroups = [1]", 1);
    let recipe = &recipe[..recipe.find("[[expect]]").unwrap()];
    let told = report(&[TIMES, PLUS], recipe, true);
    let told: Vec<_> =
        told.findings.iter().map(|one| (one.kind.as_str(), one.dispatch.as_deref(), one.times)).collect();
    assert_eq!(told, [("uninitialised", Some("plus"), 4)], "the half that the first dispatch left out");

    let expected =
        format!("{recipe}[[findings]]\nkind = \"uninitialised\"\nline = LINE\ndispatch = \"DISPATCH\"\n");
    let line = report(&[TIMES, PLUS], recipe, true).findings[0].place.as_ref().unwrap().line.to_string();
    let with = |dispatch: &str| {
        let recipe = expected.replace("LINE", &line).replace("DISPATCH", dispatch);
        let report = report(&[TIMES, PLUS], &recipe, false);
        (
            report.met,
            report.missing_findings.iter().filter_map(|one| one.dispatch.clone()).collect::<Vec<_>>(),
        )
    };
    assert_eq!(with("plus"), (true, vec![]));
    assert_eq!(with("times"), (false, vec!["times".to_owned()]));
}

#[test]
fn results_that_depend_on_who_owns_what_are_found_in_a_later_dispatch() {
    let owner = "
        #extension GL_KHR_cooperative_matrix : require
        #extension GL_KHR_memory_scope_semantics : require
        layout(binding = 1) buffer Output { uint product[]; };
        void main() {
            coopmat<uint, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m =
                coopmat<uint, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(0);
            for (int i = 0; i < m.length(); ++i) m[i] = product[0] + gl_LocalInvocationIndex;
            coopMatStore(m, product, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
        }"
    .replace("#extension", "\n#extension");
    let recipe = RECIPE
        .replace("buffers = { total = \"product\" }\npush-constants = { amount = \"N\" }", "")
        .replace("push-constants = { amount = \"N\" }\nbuffers = { total = \"product\" }\n", "")
        .replacen("workgroups = [\"N / 4\"]\n\n[[buffers]]", "\n[[buffers]]", 1)
        .replace("sizes = { N = 8 }", "sizes = { N = 64 }\nsubgroup-size = 4");
    let recipe = &recipe[..recipe.find("[[expect]]").unwrap()];
    let report = report(&[TIMES, &owner], recipe, true);
    let told: Vec<_> =
        report.findings.iter().map(|one| (one.kind.as_str(), one.dispatch.as_deref())).collect();
    assert_eq!((told, report.error), (vec![("ownership-dependence", Some("plus"))], None));
}

#[test]
fn a_run_can_be_stopped_in_any_dispatch_and_steps_are_counted_over_all() {
    let (plan, parsed) = (plan(&[TIMES, PLUS], RECIPE).unwrap(), parse(RECIPE).unwrap());
    let mut run = Run::new(&plan, &first(&parsed, 32)).unwrap();
    while let Slice::Running { done, all } = run.step(&plan, 1) {
        assert_eq!(all, 4);
        if done == 3 {
            run.stop();
        }
    }
    let stopped = run.finish(&plan, &parsed, &|_, _| None).report;
    let error = stopped.error.unwrap();
    assert_eq!((error.message.as_str(), error.dispatch.as_deref()), ("the run was stopped", Some("plus")));
    assert_eq!(stopped.expectations, []);

    // However many steps a dispatch takes: with few the first one ends the run, with more the second, then none.
    let limited = |limit: u32| {
        let report = report(&[TIMES, PLUS], &format!("step-limit = {limit}\n{RECIPE}"), false);
        let error = report.error?;
        let told = "the run takes more than LIMIT steps. Perhaps a loop never ends; raise `step-limit` in the recipe to allow more";
        assert_eq!(error.message, told.replace("LIMIT", &limit.to_string()));
        error.dispatch
    };
    let mut ended: Vec<Option<String>> = (1..200).map(limited).collect();
    ended.dedup();
    assert_eq!(ended, [Some("times".to_owned()), Some("plus".to_owned()), None]);
}

#[test]
fn a_dispatch_can_be_run_by_itself_on_what_those_before_it_left() {
    let (plan, parsed) = (plan(&[TIMES, PLUS], RECIPE).unwrap(), parse(RECIPE).unwrap());
    let held = |dispatch: usize| {
        let (_, held) = plan.resources();
        let resources =
            resources_before(&plan, &first(&parsed, 32), dispatch).map_err(|(_, error)| error.message)?;
        Ok(plan.left(&resources, &held)[1][4..8].to_vec())
    };
    assert_eq!(held(0), Ok(vec![0xcd; 4]));
    assert_eq!(held(1), Ok(vec![5, 0, 0, 0]));
    assert_eq!(held(2), Err("the recipe has no dispatch 3".to_owned()));
}

#[test]
fn what_does_not_go_together_is_told_with_what_does() {
    let with = |old: &str, new: &str| {
        assert!(RECIPE.contains(old), "{old}");
        refused(&[TIMES, PLUS], &RECIPE.replacen(old, new, 1))
    };
    let both = "[[dispatches]]\nname = \"times\"";
    let told = [
        with("{ total = \"product\" }", "{ total = \"result\" }"),
        with("{ total = \"product\" }", "{ sum = \"product\" }"),
        with("{ total = \"product\" }", "{ total = \"product\", \"1.3\" = \"source\" }"),
        with("buffers = { total = \"product\" }\n", ""),
        with("after = \"plus\"", "after = \"sum\""),
        with(both, &format!("dispatch = [2]\n{both}")),
        with("shader = \"other/plus.comp\"", "name = \"times\""),
        with("name = \"source\"", "name = \"source\"\nbinding = 0"),
        with("push-constants = { amount = \"N\" }\n", ""),
        with("specialization = { FACTOR = 5 }", "specialization = { TIMES = 5 }"),
        with("[[expect]]", "[[buffers]]\nname = \"spare\"\nshape = [4]\n[[expect]]"),
        with("workgroups = [\"N / 4\"]", "workgroups = [1, 1, 1, 1]"),
        refused(&[TIMES], RECIPE),
        refused(
            &[TIMES],
            "expect = [{ buffer = \"product\", after = \"times\", equals.value = \"source\" }]\nbuffers = [{ name = \"source\", shape = [4] }, { name = \"product\", shape = [4] }]",
        ),
    ];
    expect_test::expect![[r#"
        "result": the recipe has no buffer `result`; expected one of source, product
        "product": the shader of the dispatch `plus` has no buffer `sum`: it has Sum (set 1, binding 3)
        { total = "product", "1.3" = "source" }: `source` and `product` are both at set 1, binding 3: only one buffer can be there
        [[dispatches]]: the shader of the dispatch `plus` uses `Sum` (set 1, binding 3), but no buffer of the recipe has that name: add `buffers = { Sum = "..." }` with the name of one, or `[[buffers]]` with `name = "Sum"`
        "sum": there is no dispatch `sum`; expected one of times, plus
        [2]: a recipe with `[[dispatches]]` has no `dispatch` of its own: write `workgroups` in each of them
        "times": the dispatches 1 and 2 are both called `times`: give each a `name`
        0: in a recipe with `[[dispatches]]` each dispatch says where buffers are: write `buffers = { "0" = "source" }` there
        [[dispatches]]: the shader of the dispatch `plus` has push constants: add `push-constants = { amount = ... }`
        5: there is no specialization constant or size `TIMES`: there are FACTOR (0)
        "spare": no dispatch's shader has a buffer `spare` or is given its address: leave this out, or name it in the `buffers` of a dispatch
        [1, 1, 1, 1]: expected up to three numbers, found 4
        [[dispatches]]: expected 2 modules, one for each dispatch, found 1
        "times": there is no dispatch `times`: the recipe has a single one, so leave `after` out
    "#]].assert_eq(&(told.join("\n") + "\n"));
}

#[test]
fn shaders_that_see_a_buffer_otherwise_are_told() {
    let floats = PLUS.replace("uint total[]", "float total[]").replace("+= amount", "+= float(amount)");
    let fields = |second: &str| {
        let block = |members: &str| {
            format!(
                "layout(binding = 0) uniform Params {{ {members} }} params;
                layout(binding = 1) buffer Values {{ uint values[]; }};
                void main() {{ values[gl_GlobalInvocationID.x] = params.first + params.second; }}"
            )
        };
        let recipe = "dispatches = [{}, {}]
            buffers = [{ name = \"params\", fields = { first = 1, second = 2 } }, { name = \"values\", shape = [4] }]";
        refused(&[&block("uint first; uint second;"), &block(second)], recipe)
    };
    let told = [refused(&[TIMES, &floats], RECIPE), fields("uint second; uint first;")];
    expect_test::expect![[r#"
        [[buffers]]: `product` holds u32 in the shader of the dispatch `times` and f32 in the shader of the dispatch `plus`: say with `type` which it is for the recipe
        { first = 1, second = 2 }: members of `params` have other places or types in the shader of the dispatch `2` than in the shader of the dispatch `1`: let both declare the same block
    "#]].assert_eq(&(told.join("\n") + "\n"));
}
