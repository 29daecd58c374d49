//! Modules of other compilers, without names of their own: lines, texts and names are those that their debugging instructions give.

use coopmat_simulator::debugger::Motion;
use expect_test::expect;

use super::session::{Session, shown};

/// What `glslang -V -gVS` makes, without `OpName`.
const LOOPS: &str = include_str!("loops.spvasm");

fn loops() -> Session {
    assert!(!LOOPS.contains("OpName") && !LOOPS.contains("OpLine"));
    Session::of_module(&coopmat_spirv::assembly::read(LOOPS).unwrap())
}

#[test]
fn steps_by_the_lines_of_debugging_instructions() {
    let mut session = loops();
    expect![[r#"
        0/0 #### for (uint i = 0; i < gl_LocalInvocationIndex; i++) {
        0/0 .### sum += twice(i);
        0/0 .### uint y = x * 2;
        0/0 .### return y;
        0/0 .### for (uint i = 0; i < gl_LocalInvocationIndex; i++) {
        0/0 ..## sum += twice(i);
        0/0 ..## uint y = x * 2;
        0/0 ..## return y;
        0/0 ..## for (uint i = 0; i < gl_LocalInvocationIndex; i++) {
        0/0 ...# sum += twice(i);
        0/0 ...# uint y = x * 2;
        0/0 ...# return y;
        0/0 ...# for (uint i = 0; i < gl_LocalInvocationIndex; i++) {
        0/0 #### o[gl_LocalInvocationIndex] = sum;
        0/0 #### }
        end
    "#]]
    .assert_eq(&session.walk(Motion::Into, false));
}

#[test]
fn variables_and_functions_have_the_names_of_the_source() {
    let mut session = loops();
    session.break_at_text("return y;");
    session.go(Motion::Continue);
    let mut out = String::new();
    for (index, frame) in session.debugger.stack().iter().enumerate() {
        out.push_str(&format!("{}: {}\n", frame.function, session.text_at(frame)));
        for variable in session.debugger.variables(index) {
            let value = shown(&variable.value, frame.live);
            out.push_str(&format!(
                "  {:?} {} {}\n",
                variable.kind,
                variable.name,
                value.lines().next().unwrap_or_default()
            ));
        }
    }
    expect![[r#"
        twice: return y;
          Local y uint = 0
          Parameter x uint = 0
          Input gl_LocalInvocationIndex uint = ⟨1 2 3⟩
          Constant gl_WorkGroupSize uvec3 = 3: .x uint = 4; .y uint = 1; .z uint = 1
        main: sum += twice(i);
          Local i uint = 0
          Local sum uint = 0
          Input gl_LocalInvocationIndex uint = ⟨0 1 2 3⟩
          Constant gl_WorkGroupSize uvec3 = 3: .x uint = 4; .y uint = 1; .z uint = 1
    "#]]
    .assert_eq(&out);
    // The loop's counter cannot be seen behind the loop.
    session.break_at_text("= sum;");
    session.go(Motion::Continue);
    let names: Vec<String> =
        session.debugger.variables(0).into_iter().map(|variable| variable.name).collect();
    assert!(names.contains(&"sum".to_owned()) && !names.contains(&"i".to_owned()), "{names:?}");
}
