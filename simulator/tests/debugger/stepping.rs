//! Steps by line: loops, divergence, calls, barriers, functions over elements.

use coopmat_simulator::Settings;
use coopmat_simulator::debugger::{Advance, Breakpoint, Hits, Motion, Reason, Setup, Stop};
use expect_test::expect;

use super::session::Session;

const LOOPS: &str = "layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { uint o[]; };
uint twice(uint x) {
    uint y = x * 2; // inside
    return y;
}
void main() {
    uint lane = gl_LocalInvocationIndex;
    uint sum = 0;
    for (uint i = 0; i < lane; i++) {
        if ((i & 1) == 0)
            sum += twice(i); // call
        else
            sum += 100;
    }
    o[lane] = sum; // store
}
";

#[test]
fn steps_into_calls_with_the_lanes_that_run() {
    let mut session = Session::small(LOOPS);
    expect![[r#"
        0/0 #### uint sum = 0;
        0/0 #### for (uint i = 0; i < lane; i++) {
        0/0 .### if ((i & 1) == 0)
        0/0 .### sum += twice(i); // call
        0/0 .### uint y = x * 2; // inside
        0/0 .### return y;
        0/0 .### for (uint i = 0; i < lane; i++) {
        0/0 ..## if ((i & 1) == 0)
        0/0 ..## sum += 100;
        0/0 ..## for (uint i = 0; i < lane; i++) {
        0/0 ...# if ((i & 1) == 0)
        0/0 ...# sum += twice(i); // call
        0/0 ...# uint y = x * 2; // inside
        0/0 ...# return y;
        0/0 ...# for (uint i = 0; i < lane; i++) {
        0/0 #### o[lane] = sum; // store
        0/0 #### }
        end
    "#]]
    .assert_eq(&session.walk(Motion::Into, false));
}

#[test]
fn steps_over_calls_and_back_over_the_same_lines() {
    let mut session = Session::small(LOOPS);
    let first = session.here();
    let forwards = session.walk(Motion::Over, false);
    expect![[r#"
        0/0 #### uint sum = 0;
        0/0 #### for (uint i = 0; i < lane; i++) {
        0/0 .### if ((i & 1) == 0)
        0/0 .### sum += twice(i); // call
        0/0 .### for (uint i = 0; i < lane; i++) {
        0/0 ..## if ((i & 1) == 0)
        0/0 ..## sum += 100;
        0/0 ..## for (uint i = 0; i < lane; i++) {
        0/0 ...# if ((i & 1) == 0)
        0/0 ...# sum += twice(i); // call
        0/0 ...# for (uint i = 0; i < lane; i++) {
        0/0 #### o[lane] = sum; // store
        0/0 #### }
        end
    "#]]
    .assert_eq(&forwards);
    let backwards = session.walk(Motion::Over, true);
    let mut turned: Vec<&str> = backwards.lines().filter(|line| *line != "start").collect();
    turned.reverse();
    let forwards: Vec<&str> =
        [&*first].into_iter().chain(forwards.lines().filter(|line| *line != "end")).collect();
    assert_eq!(forwards, turned);
}

#[test]
fn stops_at_breakpoints_and_steps_out() {
    let mut session = Session::small(LOOPS);
    session.break_at("inside");
    assert_eq!(session.go(Motion::Continue).reason, Reason::Breakpoint(0));
    expect!["0/0 .### uint y = x * 2; // inside"].assert_eq(&session.here());
    let stack: Vec<String> = session
        .debugger
        .stack()
        .iter()
        .map(|frame| format!("{}: {}", frame.function, session.text_at(frame)))
        .collect();
    expect![[r#"
        twice: uint y = x * 2; // inside
        main: sum += twice(i); // call"#]]
    .assert_eq(&stack.join("\n"));
    assert_eq!(session.show("x"), "uint = 0");
    session.go(Motion::Out);
    expect!["0/0 .### sum += twice(i); // call"].assert_eq(&session.here());
    // The breakpoint is passed once more, for i = 2; and then never again.
    assert_eq!(session.go(Motion::Continue).reason, Reason::Breakpoint(0));
    assert_eq!(session.show("x"), "uint = 2");
    assert_eq!(session.go(Motion::Continue).reason, Reason::End);
    assert_eq!(session.back(Motion::Continue).reason, Reason::Breakpoint(0));
    assert_eq!(session.show("x"), "uint = 2");
    session.back(Motion::Out);
    expect!["0/0 ...# sum += twice(i); // call"].assert_eq(&session.here());
}

#[test]
fn moves_breakpoints_to_lines_with_code() {
    let mut session = Session::small(LOOPS);
    let verified = session.debugger.set_breakpoints(vec![
        Breakpoint { line: 1, ..Breakpoint::default() },
        Breakpoint { line: 12, ..Breakpoint::default() },
        Breakpoint { line: 40, ..Breakpoint::default() },
    ]);
    assert_eq!(verified, [Some(3), Some(13), None]);
}

#[test]
fn conditions_decide() {
    let mut session = Session::small(LOOPS);
    let line = session.line("call");
    let condition = Some("i == 2 && lane == 3".to_owned());
    session.debugger.set_breakpoints(vec![Breakpoint { line, condition, ..Breakpoint::default() }]);
    assert_eq!(session.go(Motion::Continue).reason, Reason::Breakpoint(0));
    assert_eq!(session.show("i"), "uint = ⟨0 1 2 2⟩");
    assert_eq!(session.go(Motion::Continue).reason, Reason::End);
    assert_eq!(session.back(Motion::Continue).reason, Reason::Breakpoint(0));
    assert_eq!(session.show("i"), "uint = ⟨0 1 2 2⟩");
}

/// A step comes to a line whose breakpoint does not stop.
#[test]
fn steps_do_not_skip_lines_with_conditions() {
    let steps = |condition: Option<&str>| {
        let mut session = Session::small(LOOPS);
        let (line, condition) = (session.line("call"), condition.map(str::to_owned));
        session.debugger.set_breakpoints(vec![Breakpoint { line, condition, ..Breakpoint::default() }]);
        let forwards = session.walk(Motion::Over, false);
        (forwards, session.walk(Motion::Over, true))
    };
    assert_eq!(steps(Some("i == 77")), steps(None));
}

#[test]
fn hits_count_and_logs_do_not_stop() {
    let mut session = Session::small(LOOPS);
    let line = session.line("call");
    let second = Breakpoint { line, hits: Some(Hits::Equal(2)), ..Breakpoint::default() };
    let log = Breakpoint { line, log: Some("i = {i}, {j}".to_owned()), ..Breakpoint::default() };
    session.debugger.set_breakpoints(vec![log, second.clone()]);
    assert_eq!(session.go(Motion::Continue).reason, Reason::Breakpoint(1));
    assert_eq!(session.show("i"), "uint = ⟨0 1 2 2⟩");
    let logged = |session: &mut Session| -> Vec<String> {
        session.debugger.take_logged().into_iter().map(|one| one.text).collect()
    };
    expect![[
        r#"["i = 0, {j: there is no variable `j` here}", "i = 2, {j: there is no variable `j` here}"]"#
    ]]
    .assert_eq(&format!("{:?}", logged(&mut session)));
    // The count goes on where the breakpoint is set again.
    session.debugger.set_breakpoints(vec![second]);
    assert_eq!(session.go(Motion::Continue).reason, Reason::End);
    assert_eq!(session.back(Motion::Continue).reason, Reason::Breakpoint(0));
    assert_eq!(session.show("i"), "uint = ⟨0 1 2 2⟩");
    assert_eq!(logged(&mut session).len(), 0);
}

/// No motion has led to the start, so a breakpoint there is found by the first one.
#[test]
fn the_first_line_has_breakpoints_too() {
    let mut session = Session::small(LOOPS);
    let line = session.debugger.stack()[0].place.unwrap().line;
    session.debugger.set_breakpoints(vec![Breakpoint { line, ..Breakpoint::default() }]);
    session.debugger.begin_from_start();
    let stop = session.debugger.advance(1000);
    assert_eq!(stop, Advance::Stopped(Stop { reason: Reason::Breakpoint(0), time: session.debugger.time() }));
    assert_eq!(session.go(Motion::Continue).reason, Reason::End);
}

#[test]
fn functions_have_a_line() {
    let session = Session::small(LOOPS);
    let line = session.debugger.function_line("twice");
    assert_eq!(line, Some((0, session.line("inside"))));
    assert_eq!(session.debugger.function_line("thrice"), None);
}

const BARRIERS: &str = "layout(local_size_x = 8) in;
shared uint tile[8];
layout(binding = 0) buffer Out { uint o[]; };
void main() {
    uint me = gl_LocalInvocationIndex;
    tile[me] = me * 10;
    barrier(); // barrier
    uint other = tile[7 - me]; // after
    o[me] = other;
}
";

#[test]
fn subgroups_wait_at_barriers() {
    let mut session = Session::small(BARRIERS);
    expect![[r#"
        0/0 #### tile[me] = me * 10;
        0/0 #### barrier(); // barrier
        0/0 #### uint other = tile[7 - me]; // after
        0/0 #### o[me] = other;
        0/0 #### }
        0/1 #### uint other = tile[7 - me]; // after
        0/1 #### o[me] = other;
        0/1 #### }
        end
    "#]]
    .assert_eq(&session.walk(Motion::Over, false));
    session.back(Motion::End);
    let line = session.line("barrier");
    session.debugger.set_breakpoints(vec![Breakpoint { line, subgroup: Some(1), ..Breakpoint::default() }]);
    assert_eq!(session.go(Motion::Continue).reason, Reason::Breakpoint(0));
    let states: Vec<String> = session
        .debugger
        .subgroups()
        .iter()
        .map(|subgroup| format!("{:?} {}", subgroup.status, subgroup.place.map_or(0, |place| place.line)))
        .collect();
    expect![[r#"
        Barrier 6
        Running 6"#]]
    .assert_eq(&states.join("\n"));
    assert_eq!(
        session.show("tile"),
        "uint[8] = 8: [0] uint = 0; [1] uint = 10; [2] uint = 20; [3] uint = 30; [4] uint = 40; [5] uint = 50; [6] uint = 60; [7] uint = 70"
    );
    // The other subgroup can be looked at.
    assert!(session.debugger.set_focus(0));
    assert_eq!(session.show("me"), "uint = ⟨0 1 2 3⟩");
    session.go(Motion::Over);
    expect!["0/0 #### uint other = tile[7 - me]; // after"].assert_eq(&session.here());
}

const WORKGROUPS: &str = "layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { uint o[]; };
void main() {
    uint group = gl_WorkGroupID.x;
    o[gl_GlobalInvocationID.x] = group; // store
}
";

#[test]
fn goes_from_workgroup_to_workgroup() {
    let settings = Settings { subgroup_size: 4, ..Settings::default() };
    let mut session = Session::new(WORKGROUPS, settings, [3, 1, 1], &[vec![0; 64]]);
    expect![[r#"
        0/0 #### o[gl_GlobalInvocationID.x] = group; // store
        0/0 #### }
        1/0 #### uint group = gl_WorkGroupID.x;
        1/0 #### o[gl_GlobalInvocationID.x] = group; // store
        1/0 #### }
        2/0 #### uint group = gl_WorkGroupID.x;
        2/0 #### o[gl_GlobalInvocationID.x] = group; // store
        2/0 #### }
        end
    "#]]
    .assert_eq(&session.walk(Motion::Over, false));
    expect![[r#"
        2/0 #### }
        2/0 #### o[gl_GlobalInvocationID.x] = group; // store
        2/0 #### uint group = gl_WorkGroupID.x;
        1/0 #### }
        1/0 #### o[gl_GlobalInvocationID.x] = group; // store
        1/0 #### uint group = gl_WorkGroupID.x;
        0/0 #### }
        0/0 #### o[gl_GlobalInvocationID.x] = group; // store
        0/0 #### uint group = gl_WorkGroupID.x;
        start
    "#]]
    .assert_eq(&session.walk(Motion::Over, true));
    let line = session.line("store");
    session.debugger.set_breakpoints(vec![Breakpoint {
        line,
        workgroup: Some([2, 0, 0]),
        ..Breakpoint::default()
    }]);
    assert_eq!(session.go(Motion::Continue).reason, Reason::Breakpoint(0));
    assert_eq!(session.show("group"), "uint = 2");
}

const PER_ELEMENT: &str = "#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { float o[]; };
float brighter(const in uint row, const in uint column, const in float value, const in float by) {
    float sum = value + by; // inside
    return sum * float(row);
}
void main() {
    coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m =
        coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(1.0);
    coopMatPerElementNV(m, m, brighter, 0.5); // per element
    coopMatStore(m, o, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
}
";

#[test]
fn steps_into_functions_over_elements() {
    let mut session = Session::small(PER_ELEMENT);
    session.break_at("per element");
    session.go(Motion::Continue);
    session.go(Motion::Into);
    expect!["0/0 elements ################################################################ float sum = value + by; // inside"].assert_eq(&session.here());
    session.go(Motion::Over);
    expect!["0/0 elements ################################################################ return sum * float(row);"].assert_eq(&session.here());
    assert_eq!(session.show("sum"), "float = 1.5");
    expect!["uint = ⟨0 0 0 0 0 0 0 0 …⟩"].assert_eq(&session.show("row"));
    let stack: Vec<String> = session
        .debugger
        .stack()
        .iter()
        .map(|frame| format!("{}: {}", frame.function, session.text_at(frame)))
        .collect();
    expect![[r#"
        brighter: return sum * float(row);
        main: coopMatPerElementNV(m, m, brighter, 0.5); // per element"#]]
    .assert_eq(&stack.join("\n"));
    let inside = session.everything();
    session.back(Motion::Over);
    assert_ne!(session.everything(), inside);
    session.go(Motion::Over);
    assert_eq!(session.everything(), inside);
    session.go(Motion::Out);
    session.go(Motion::Over);
    expect!["0/0 #### coopMatStore(m, o, 0, 8, gl_CooperativeMatrixLayoutRowMajor);"]
        .assert_eq(&session.here());
    assert_eq!(session.show("m[0]"), "float = 0.0");
    assert_eq!(session.go(Motion::Continue).reason, Reason::End);
}

#[test]
fn modules_tell_their_lines() {
    let config = coopmat_analysis::config::Configuration::default();
    let source: std::sync::Arc<str> = format!("#version 460\n{WORKGROUPS}").into();
    let files = coopmat_analysis::sources::NoFiles;
    let analysis = coopmat_analysis::analyze("/lines.comp", source, &config, &files, None);
    let debug = coopmat_codegen::DebugInfo::Lines;
    let options = coopmat_codegen::Options { debug, ..Default::default() };
    let module = coopmat_codegen::compile(&analysis, &options).unwrap().module;
    let mut resources = coopmat_simulator::Resources::new();
    let buffer = resources.buffer(&[0; 64]);
    resources.bind(0, 0, 0, buffer);
    let setup = Setup {
        module: &module,
        entry: None,
        specialization: &[],
        resources,
        settings: Settings::default(),
        groups: [1; 3],
        lines: None,
    };
    let debugger = coopmat_simulator::debugger::Debugger::new(setup).unwrap();
    assert_eq!(debugger.lines().files, ["/lines.comp"]);
    assert_eq!(debugger.stack()[0].place.map(|place| place.line), Some(4));
}
