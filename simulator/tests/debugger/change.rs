//! Variables that are changed while the run stands: a change is part of the run from then on, undone by going back before it.

use coopmat_simulator::Settings;
use coopmat_simulator::debugger::{Breakpoint, Motion, Reason};
use expect_test::expect;

use super::session::Session;

const SUM: &str = "layout(local_size_x = 8) in;
layout(binding = 0) buffer Out { uint o[]; };
shared float tile[8];
void main() {
    uint me = gl_LocalInvocationIndex;
    uvec2 pair = uvec2(me, 1);
    bool odd = me % 2 == 1;
    const uint fixed_ = me + 1;
    for (uint i = 0; i < 4; i++) {
        tile[me] = float(i); // loop
        o[me] += pair.x;
    }
    o[me] += odd ? 100 : 0; // last
    o[me] += uint(tile[me]) * fixed_; // end
}
";

#[test]
fn a_change_is_part_of_the_run() {
    let mut session = Session::small(SUM);
    session.break_at("loop");
    session.go(Motion::Continue);
    session.go(Motion::Continue);
    assert_eq!(session.show("i"), "uint = 1");
    let before = session.everything();
    let time = session.debugger.time();
    let mut change = |what: &str, lane: Option<u32>, value: &str| {
        session.debugger.change(0, what, lane, value).unwrap();
        session.show(what)
    };
    assert_eq!(change("i", None, "2"), "uint = 2");
    assert_eq!(change("pair.x", None, "lane * 10"), "uint = ⟨0 10 20 30⟩");
    assert_eq!(change("pair.x", Some(2), "7"), "uint = ⟨0 10 7 30⟩");
    assert_eq!(change("odd", Some(0), "true"), "bool = ⟨true true false true⟩");
    assert_eq!(change("o[7]", None, "5"), "uint = 5");
    assert_eq!(change("tile[me]", None, "0.5"), "float = 0.5");
    let changed = session.everything();
    assert_eq!(session.debugger.changes(), 6);

    // Loops run on with it, and the other subgroup is not touched.
    session.debugger.set_breakpoints(Vec::new());
    session.break_at("end");
    session.go(Motion::Continue);
    let result = session.show("o[me]");
    expect!["uint = ⟨100 121 16 163⟩"].assert_eq(&result);
    session.go(Motion::Continue);
    expect!["uint = ⟨16 120 24 133⟩"].assert_eq(&session.show("o[me]"));

    // Back at the change it is there, before it it is not, and it is made again on the way forward.
    session.go(Motion::Time(time));
    assert_eq!(session.everything(), changed);
    session.go(Motion::Time(time - 1));
    assert_eq!(session.show("i"), "uint = 1");
    assert_eq!(session.show("o[7]"), "uint = 0");
    session.go(Motion::Instruction);
    assert_eq!(session.everything(), changed);
    session.go(Motion::Continue);
    assert_eq!(session.show("o[me]"), result);
    // Backwards from far away.
    session.go(Motion::End);
    while session.debugger.time() > time {
        session.back(Motion::Over);
    }
    session.go(Motion::Time(time));
    assert_eq!(session.everything(), changed);

    // A change before it begins another future: the later ones are forgotten.
    session.go(Motion::Time(time - 1));
    session.debugger.change(0, "o[7]", None, "0").unwrap();
    assert_eq!(session.debugger.changes(), 1);
    session.go(Motion::Time(time));
    assert_eq!(session.show("i"), "uint = 1");
    assert_eq!(session.everything(), before);
}

#[test]
fn long_runs_keep_changes_among_their_moments() {
    let source = "layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { uint o[]; };
void main() {
    for (uint i = 0; i < 4000; i++) {
        o[0] += i; // loop
    }
}
";
    let mut session = Session::small(source);
    let times = [3000, 9000, 21000];
    for time in times {
        session.go(Motion::Time(time));
        session.debugger.change(0, "o[9]", None, &time.to_string()).unwrap();
    }
    session.go(Motion::End);
    assert_eq!(session.debugger.changes(), 3);
    for (time, value) in [(21000, 21000), (20999, 9000), (9000, 9000), (8999, 3000), (2999, 0), (15000, 9000)]
    {
        session.go(Motion::Time(time));
        assert_eq!(session.show("o[9]"), format!("uint = {value}"), "{time}");
    }
    // Data breakpoints watch the shader, not the changes.
    session.go(Motion::Time(100));
    let data = Some(session.debugger.watched(0, "o[9]", None).unwrap());
    session.debugger.set_breakpoints(vec![Breakpoint { data, ..Breakpoint::default() }]);
    assert_eq!(session.go(Motion::Continue).reason, Reason::End);
    // The end is another one where a loop ends early.
    session.debugger.set_breakpoints(Vec::new());
    let end = session.debugger.time();
    session.go(Motion::Time(20000));
    session.debugger.change(0, "i", None, "3999").unwrap();
    assert_eq!(session.debugger.end(), None);
    assert_eq!(session.go(Motion::Continue).reason, Reason::End);
    assert!(session.debugger.time() < end);
}

const MATRIX: &str = "#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { float o[]; };
layout(binding = 1) readonly buffer In { float given[]; };
float brighter(const in uint row, const in uint column, const in float value, const in float by) {
    return value + by; // inside
}
void main() {
    coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m;
    float one = given[0];
    m = coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(1.0); // made
    coopMatPerElementNV(m, m, brighter, 0.5); // per element
    coopMatStore(m, o, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    one += given[0]; // end
}
";

#[test]
fn elements_of_matrices_and_buffers_are_changed() {
    let settings = Settings { subgroup_size: 4, ..Settings::default() };
    let mut session = Session::new(MATRIX, settings, [1; 3], &[vec![0; 256], vec![0; 16]]);
    session.break_at("made");
    session.go(Motion::Continue);
    let error = session.debugger.change(0, "m[2, 3]", None, "4.0").unwrap_err();
    assert_eq!(error, "nothing was stored in the matrix of `m[2, 3]` yet");
    session.break_at("per element");
    session.go(Motion::Continue);
    session.debugger.change(0, "m[2, 3]", None, "4.0").unwrap();
    session.debugger.change(0, "m[0]", Some(1), "8.0").unwrap();
    // A buffer that the shader only reads.
    session.debugger.change(0, "given[0]", None, "0.25").unwrap();
    session.go(Motion::Into);
    let error = session.debugger.change(0, "value", None, "4.0").unwrap_err();
    assert!(error.starts_with("the run stands in a function that is called for the elements"), "{error}");
    session.break_at("end");
    session.go(Motion::Continue);
    assert_eq!(session.show("m[2, 3]"), "float = 4.5");
    assert_eq!(session.show("o[19]"), "float = 4.5");
    assert_eq!(session.show("m[0]"), "float = ⟨1.5 8.5 1.5 1.5⟩");
    assert_eq!(session.show("given[0]"), "float = 0.25");
}

#[test]
fn what_cannot_be_changed_says_why() {
    let mut session = Session::small(SUM);
    session.break_at("loop");
    session.go(Motion::Continue);
    let mut wrong = |what: &str, value: &str| session.debugger.change(0, what, None, value).unwrap_err();
    let told = [
        wrong("pair", "1"),
        wrong("gl_LocalInvocationIndex", "1"),
        wrong("me + 1", "1"),
        wrong("i", "-1"),
        wrong("i", "0.5"),
        wrong("i", "j"),
        wrong("i", "1 /"),
        wrong("o[99]", "1"),
        wrong("fixed_", "1"),
    ];
    expect![[r#"
        `pair` has several values: change one of its elements or members
        `gl_LocalInvocationIndex` is a built-in variable, which does not change while a shader runs
        `me + 1` is calculated: expected a variable or a part of one
        `i`: -1 is not between 0 and 4294967295
        `i`: expected an integer, found 0.5
        `j`: there is no variable `j` here
        expected a variable or a number
        `o[99]` is nowhere: no lane has it
        nothing reads the variable `fixed_`: a change would change nothing"#]]
    .assert_eq(&told.join("\n"));
    session.debugger.set_breakpoints(Vec::new());
    session.go(Motion::End);
    assert!(session.debugger.change(0, "i", None, "1").is_err());
}
