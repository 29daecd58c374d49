//! Data breakpoints: accesses to memory and changes of registers stop the run before they happen, in both directions.

use coopmat_simulator::debugger::{Accesses, Breakpoint, Hits, Motion, Reason};
use expect_test::expect;

use super::session::Session;

const WRITES: &str = "layout(local_size_x = 8) in;
layout(binding = 0) buffer Out { uint o[]; };
shared uint tile[8];
uint twice(inout uint x) {
    x *= 2; // in the callee
    return x;
}
void main() {
    uint me = gl_LocalInvocationIndex;
    uint list[2] = uint[](me, 7); // declared
    tile[me] = 0; // shared
    if (me < 2)
        o[me] = 1;
    o[me] = 0; // zeros
    list[1] += twice(me);
    o[me] = tile[1] + 42; // last
}
";

/// Watches expressions where the run stands, with a condition each.
fn watch(session: &mut Session, wanted: &[(&str, Option<&str>)]) {
    let breakpoint = |(expression, condition): &(&str, Option<&str>)| Breakpoint {
        data: Some(session.debugger.watched(0, expression, None).unwrap()),
        condition: condition.map(str::to_owned),
        ..Breakpoint::default()
    };
    let breakpoints = wanted.iter().map(breakpoint).collect();
    session.debugger.set_breakpoints(breakpoints);
}

/// Every stop, with what is accessed and what it becomes.
fn stops(session: &mut Session, backwards: bool) -> String {
    let mut text = String::new();
    for _ in 0..50 {
        let stop = if backwards { session.back(Motion::Continue) } else { session.go(Motion::Continue) };
        let Reason::Breakpoint(index) = stop.reason else {
            return format!("{text}{:?}\n", stop.reason);
        };
        let data = session.debugger.data_here().unwrap();
        let after = data.after.as_deref().unwrap_or("?");
        let now = session.show(&data.expression);
        let lanes = data.lanes;
        text.push_str(&format!("{index} {}: {now} -> {after} by {lanes:b}\n", session.here()));
    }
    text
}

#[test]
fn writes_stop_before_they_happen_in_both_directions() {
    let mut session = Session::small(WRITES);
    session.break_at("shared");
    session.go(Motion::Continue);
    watch(&mut session, &[("o[2]", Some("o[2] > 40")), ("tile[1]", None), ("list[1]", None)]);
    let forwards = stops(&mut session, false);
    expect![[r#"
        1 0/0 #### tile[me] = 0; // shared: uint = 0 -> 0 by 10
        2 0/0 #### list[1] += twice(me);: uint = 7 -> ⟨9 11 13⟩ by 1110
        0 0/0 #### o[me] = tile[1] + 42; // last: uint = 0 -> 42 by 10
        2 0/1 #### uint list[2] = uint[](me, 7); // declared: uint = 0 -> 7 by 1111
        2 0/1 #### list[1] += twice(me);: uint = 7 -> ⟨15 17 19 21⟩ by 1111
        End
    "#]]
    .assert_eq(&forwards);
    let backwards = stops(&mut session, true);
    let mut lines: Vec<&str> = backwards.lines().collect();
    assert_eq!(lines.pop(), Some("Start"));
    // The declaration, which the run had passed.
    assert!(lines.pop().is_some_and(|line| line.contains("// declared")), "{backwards}");
    lines.reverse();
    let forwards: Vec<&str> = forwards.lines().filter(|line| *line != "End").collect();
    assert_eq!(lines, forwards);
}

#[test]
fn reads_counts_and_lanes() {
    let mut session = Session::small(WRITES);
    session.break_at("shared");
    session.go(Motion::Continue);
    let read = Accesses { reads: true, writes: false };
    let tile = session.debugger.watched(0, "tile[1]", None).unwrap();
    assert!(tile.sees_reads());
    // A variable whose lanes have different parts is watched in one.
    let own = session.debugger.watched(0, "o[me]", Some(0)).unwrap();
    session.debugger.set_breakpoints(vec![
        Breakpoint { data: Some(tile.with(read)), ..Breakpoint::default() },
        Breakpoint { data: Some(own), hits: Some(Hits::Equal(2)), ..Breakpoint::default() },
    ]);
    expect![[r#"
        1 0/0 #### o[me] = 0; // zeros: uint = ⟨1 1 0 0⟩ -> 0 by 1
        0 0/0 #### o[me] = tile[1] + 42; // last: uint = 0 -> 0 by 1111
        0 0/1 #### o[me] = tile[1] + 42; // last: uint = 0 -> 0 by 1111
        End
    "#]]
    .assert_eq(&stops(&mut session, false));
    // What is passed to a function by reference changes where the function writes.
    session.debugger.begin(coopmat_simulator::debugger::Command { motion: Motion::End, backwards: true });
    while session.debugger.advance(1000) == coopmat_simulator::debugger::Advance::Working {}
    session.break_at("shared");
    session.go(Motion::Continue);
    watch(&mut session, &[("me", Some("lane == 3"))]);
    session.go(Motion::Continue);
    expect!["0/0 #### x *= 2; // in the callee"].assert_eq(&session.here());
}

#[test]
fn what_cannot_be_watched_says_why() {
    let mut session = Session::small(WRITES);
    session.break_at("last");
    session.go(Motion::Continue);
    let wrong = ["o[me]", "o[77]", "gl_LocalInvocationIndex", "me + 1", "absent", "lane"];
    let told = wrong.map(|expression| session.debugger.watched(0, expression, None).unwrap_err());
    expect![[r#"
        lanes have different parts in `o[me]`: name one, or choose a lane
        `o[77]` is outside of its memory
        `gl_LocalInvocationIndex` is a built-in variable, whose accesses cannot be watched
        `me + 1` is calculated: expected a variable or a part of one
        there is no variable `absent` here
        `lane` is calculated: expected a variable or a part of one"#]]
    .assert_eq(&told.join("\n"));
}

const MATRIX: &str = "#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { float o[]; };
void main() {
    coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m =
        coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(1.0);
    for (int i = 0; i < m.length(); i++)
        m[i] *= 2.0; // element
    m *= m; // all
    coopMatStore(m, o, 0, 8, gl_CooperativeMatrixLayoutRowMajor); // store
}
";

#[test]
fn elements_of_matrices_are_watched() {
    let mut session = Session::small(MATRIX);
    session.break_at("element");
    session.go(Motion::Continue);
    assert_eq!(session.show("m[1, 3]"), "float = 1.0");
    assert_eq!(session.show("m[8, 0]"), "float = outside");
    assert_eq!(session.show("i[1, 3]"), "int has no rows and columns: only cooperative matrices have");
    watch(&mut session, &[("m[1, 3]", None), ("o[11]", None)]);
    expect![[r#"
        0 0/0 #### m[i] *= 2.0; // element: float = 1.0 -> 2.0 by 1000
        0 0/0 #### m *= m; // all: float = 2.0 -> 4.0 by 1000
        1 0/0 #### coopMatStore(m, o, 0, 8, gl_CooperativeMatrixLayoutRowMajor); // store: float = 0.0 -> 4.0 by 1000
        End
    "#]]
    .assert_eq(&stops(&mut session, false));
    assert_eq!(session.back(Motion::Continue).reason, Reason::Breakpoint(1));
    assert_eq!(session.back(Motion::Continue).reason, Reason::Breakpoint(0));
    assert_eq!(session.show("m[1, 3]"), "float = 2.0");
}
