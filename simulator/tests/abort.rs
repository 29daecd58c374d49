//! `abortEXT`: the invocation ends, with a message in the log and, in checked runs, a finding.

use coopmat_simulator::FindingKind;

use crate::support::Run;

const SOURCE: &str = "
    #extension GL_EXT_abort : require
    layout(local_size_x = 4) in;
    layout(binding = 0) buffer A { uint a[]; };
    struct Pair { int16_t low; vec2 high; };
    void check(uint i) {
        if (i == 2u) abortEXT(\"element %u of %v2d, %.1f, %d\", i, ivec2(-4, 5), mat2(1, 2, 3, 4), i > 1u, Pair(1s, vec2(2)));
    }
    void main() {
        uint i = gl_LocalInvocationIndex;
        a[i] = 1u;
        check(i);
        if (i == 3u) abortEXT();
        a[i] = 2u;
    }";

#[test]
fn what_was_written_before_stays_and_nothing_follows() {
    let outcome = Run::new(SOURCE).zeros(4).run();
    assert_eq!(outcome.words(0), [2, 2, 1, 1]);
    assert_eq!(
        outcome.execution.log(),
        [
            "the invocation ends: element 2 of -4, 5, 1.0, 2.0, 3.0, 4.0, 1",
            "the invocation ends without a message"
        ]
    );
}

#[test]
fn checked_runs_report_it() {
    let mut run = Run::new(SOURCE).zeros(4);
    run.settings.checked = true;
    let outcome = run.run();
    let findings = outcome.execution.findings();
    let found: Vec<_> = findings.iter().map(|finding| (finding.kind, finding.invocation.index)).collect();
    assert_eq!(found, [(FindingKind::Abort, 2), (FindingKind::Abort, 3)]);
}
