//! What variables, parts of them and expressions show.

use coopmat_simulator::debugger::Motion;
use coopmat_simulator::{FindingKind, Settings};
use expect_test::expect;

use super::session::Session;

const TYPES: &str = "layout(local_size_x = 4) in;
struct Pair { float16_t a; ivec2 b; };
layout(binding = 0, scalar) buffer Data { uint count; Pair pairs[]; } data;
layout(binding = 1) uniform Sizes { mat2x3 m; float f[2]; };
shared u8vec4 bytes[4];
int total = -5;
void main() {
    uint me = gl_LocalInvocationIndex;
    const int fixed_ = 7;
    bool even = me % 2 == 0;
    double wide = 1.5 * double(me);
    int64_t big = int64_t(me) << 40;
    bfloat16_t brain = bfloat16_t(float(me));
    float list[3] = float[](1.0, 2.0, float(me));
    Pair p = data.pairs[me];
    bytes[me] = u8vec4(me, 1, 2, 255);
    vec3 column = m[1];
    total += int(me);
    float huge = 1.0 / float(me);
    me += 1; // here
}
";

#[test]
fn shows_every_kind_of_type() {
    let settings = Settings { subgroup_size: 4, ..Settings::default() };
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let pairs = words(&[3, 0x3c00, 1, 2, 0x4000, 3, 4, 0x4200, 5, 6, 0x4400, 7, 8]);
    let floats: Vec<u32> = (0..16).map(|i| (i as f32).to_bits()).collect();
    let mut session = Session::new(TYPES, settings, [1; 3], &[pairs, words(&floats)]);
    session.break_at("here");
    session.go(Motion::Continue);
    let live = session.debugger.stack()[0].live;
    let list: Vec<String> = session
        .debugger
        .variables(0)
        .iter()
        .map(|variable| {
            format!("{:?} {} {}", variable.kind, variable.name, super::session::shown(&variable.value, live))
        })
        .collect();
    expect![[r#"
        Local huge float = ⟨+Inf 1.0 0.5 0.33333334⟩
        Local column vec3 = 3: .x float = 4.0; .y float = 5.0; .z float = 6.0
        Local p Pair = 2: .a float16_t = ⟨1.0 2.0 3.0 4.0⟩; .b ivec2 = 2: .x int = ⟨1 3 5 7⟩; .y int = ⟨2 4 6 8⟩
        Local list float[3] = 3: [0] float = 1.0; [1] float = 2.0; [2] float = ⟨0.0 1.0 2.0 3.0⟩
        Local brain bfloat16_t = ⟨0.0 1.0 2.0 3.0⟩
        Local big int64_t = ⟨0 1099511627776 2199023255552 3298534883328⟩
        Local wide double = ⟨0.0 1.5 3.0 4.5⟩
        Local even bool = ⟨true false true false⟩
        Local fixed_ int = 7
        Local me uint = ⟨0 1 2 3⟩
        Input gl_LocalInvocationIndex uint = ⟨0 1 2 3⟩
        Buffer data Data = 2: .count uint = 3; .pairs Pair[] = 4: [0] Pair = 2: .a float16_t = 1.0; .b ivec2 = 2: .x int = 1; .y int = 2; [1] Pair = 2: .a float16_t = 2.0; .b ivec2 = 2: .x int = 3; .y int = 4; [2] Pair = 2: .a float16_t = 3.0; .b ivec2 = 2: .x int = 5; .y int = 6; [3] Pair = 2: .a float16_t = 4.0; .b ivec2 = 2: .x int = 7; .y int = 8
        Shared bytes u8vec4[4] = 4: [0] u8vec4 = 4: .x uint8_t = 0; .y uint8_t = 1; .z uint8_t = 2; .w uint8_t = 255; [1] u8vec4 = 4: .x uint8_t = 1; .y uint8_t = 1; .z uint8_t = 2; .w uint8_t = 255; [2] u8vec4 = 4: .x uint8_t = 2; .y uint8_t = 1; .z uint8_t = 2; .w uint8_t = 255; [3] u8vec4 = 4: .x uint8_t = 3; .y uint8_t = 1; .z uint8_t = 2; .w uint8_t = 255
        Uniform m mat2x3 = 2: [0] vec3 = 3: .x float = 0.0; .y float = 1.0; .z float = 2.0; [1] vec3 = 3: .x float = 4.0; .y float = 5.0; .z float = 6.0
        Uniform f float[2] = 2: [0] float = 8.0; [1] float = 12.0
        Private total int = ⟨-5 -4 -3 -2⟩
        Input gl_NumWorkGroups uvec3 = 3: .x uint = 1; .y uint = 1; .z uint = 1
        Input gl_WorkGroupID uvec3 = 3: .x uint = 0; .y uint = 0; .z uint = 0
        Input gl_LocalInvocationID uvec3 = 3: .x uint = ⟨0 1 2 3⟩; .y uint = 0; .z uint = 0
        Input gl_GlobalInvocationID uvec3 = 3: .x uint = ⟨0 1 2 3⟩; .y uint = 0; .z uint = 0
        Input gl_NumSubgroups uint = 1
        Input gl_SubgroupSize uint = 4
        Input gl_SubgroupID uint = 0
        Input gl_SubgroupInvocationID uint = ⟨0 1 2 3⟩"#]].assert_eq(&list.join("\n"));
    let shown = |expression: &str| format!("{expression}: {}\n", session.show(expression));
    let expressions = [
        "me + 1",
        "data.pairs[me].b.y",
        "data.pairs[1 ..]",
        "list[me]",
        "m[1].z",
        "f[1] * 2.0",
        "bytes[3].w == 255",
        "-total % 3",
        "lane",
        "nothing",
        "data.nothing",
        "list[",
        "p.b.x / 0",
        "data.pairs[99].a",
    ];
    let text: String = expressions.iter().map(|expression| shown(expression)).collect();
    expect![[r#"
        me + 1: int64_t = ⟨1 2 3 4⟩
        data.pairs[me].b.y: int = ⟨2 4 6 8⟩
        data.pairs[1 ..]: Pair[] = 4: [1] Pair = 2: .a float16_t = 2.0; .b ivec2 = 2: .x int = 3; .y int = 4; [2] Pair = 2: .a float16_t = 3.0; .b ivec2 = 2: .x int = 5; .y int = 6; [3] Pair = 2: .a float16_t = 4.0; .b ivec2 = 2: .x int = 7; .y int = 8
        list[me]: float = ⟨1.0 2.0 2.0 outside⟩
        m[1].z: float = 6.0
        f[1] * 2.0: double = 24.0
        bytes[3].w == 255: bool = true
        -total % 3: int64_t = ⟨2 1 0 2⟩
        lane: int64_t = ⟨0 1 2 3⟩
        nothing: there is no variable `nothing` here
        data.nothing: there is no member `nothing`; expected one of count, pairs
        list[: expected a variable or a number
        p.b.x / 0: bool = outside
        data.pairs[99].a: float16_t = outside
    "#]]
    .assert_eq(&text);
    // However long an expression is.
    assert_eq!(session.show(&format!("1{}", " + 1".repeat(100_000))), "the expression is too long");
    assert_eq!(session.show(&format!("p{}", ".b".repeat(100_000))), "the expression is too long");
    assert_eq!(session.show(&format!("1{}", " + 1".repeat(200))), "int64_t = 201");
}

const UNDEFINED: &str = "layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { uint o[]; };
shared uint tile[4];
void main() {
    uint me = gl_LocalInvocationIndex;
    uint x;
    if (me < 2)
        x = me;
    tile[me & 1] = 5;
    o[me] = 1; // here
    o[me] = x; // read
}
";

#[test]
fn marks_what_is_undefined_and_stops_at_findings() {
    let settings = Settings { subgroup_size: 4, checked: true, ..Settings::default() };
    let mut session = Session::new(UNDEFINED, settings, [1; 3], &[vec![0; 64]]);
    session.break_at("here");
    session.go(Motion::Continue);
    assert_eq!(session.show("x"), "uint = ⟨0 1 ? ?⟩");
    expect!["uint[4] = 4: [0] uint = 5; [1] uint = 5; [2] uint = undefined; [3] uint = undefined"]
        .assert_eq(&session.show("tile"));
    session.debugger.stop_at_findings(&[FindingKind::DataRace]);
    assert_eq!(session.go(Motion::Continue).reason, coopmat_simulator::debugger::Reason::End);
    session.debugger.stop_at_findings(&[FindingKind::DataRace, FindingKind::Uninitialised]);
    let back = session.back(Motion::Continue);
    expect!["Finding(0) 0/0 #### o[me] = x; // read"].assert_eq(&format!(
        "{:?} {}",
        back.reason,
        session.here()
    ));
    session.back(Motion::Continue);
    session.debugger.stop_at_findings(&FindingKind::ALL);
    let stop = session.go(Motion::Continue);
    expect!["Finding(0) 0/0 #### o[me] = x; // read"].assert_eq(&format!(
        "{:?} {}",
        stop.reason,
        session.here()
    ));
    let found = session.debugger.finding_here().map(|finding| finding.kind);
    assert_eq!((found, session.debugger.findings().len()), (Some(FindingKind::Uninitialised), 0));
    assert_eq!(session.go(Motion::Continue).reason, coopmat_simulator::debugger::Reason::End);
    assert!(session.debugger.finding_here().is_none());
}

const SCOPES: &str = "layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { uint o[]; };
void change(inout uint by[2], uint n) {
    by[1] += n; // inside
}
void main() {
    uint a[2] = uint[](1u, 2u);
    for (uint i = 0; i < 2; i++) {
        uint inner = i * 3; // loop
        change(a, inner);
    }
    o[0] = a[1];
}
";

#[test]
fn shows_what_parameters_refer_to() {
    let mut session = Session::small(SCOPES);
    session.break_at("inside");
    session.go(Motion::Continue);
    session.go(Motion::Continue);
    assert_eq!(session.show("by"), "uint[2] = 2: [0] uint = 1; [1] uint = 2");
    assert_eq!(session.show("n"), "uint = 3");
    session.back(Motion::Out);
    assert_eq!(session.show("inner"), "uint = 3");
}

/// A cooperative vector has its parts, also where it is as short as other vectors.
#[test]
fn shows_the_components_of_cooperative_vectors() {
    let mut session = Session::small(
        "#extension GL_NV_cooperative_vector : require
        layout(local_size_x = 4) in;
        layout(binding = 0) buffer Out { uint o[]; };
        void main() {
            coopvecNV<float, 2> pair = coopvecNV<float, 2>(1.0, float(gl_LocalInvocationIndex));
            coopvecNV<int, 5> five = coopvecNV<int, 5>(7);
            o[0] = uint(pair[0]) + five[4]; // here
        }",
    );
    session.break_at("here");
    session.go(Motion::Continue);
    expect!["coopvecNV<float, 2> = 2: [0] float = 1.0; [1] float = ⟨0.0 1.0 2.0 3.0⟩"]
        .assert_eq(&session.show("pair"));
    expect!["coopvecNV<int, 5> = 5: [0] int = 7; [1] int = 7; [2] int = 7; [3] int = 7; [4] int = 7"]
        .assert_eq(&session.show("five"));
    assert_eq!(session.show("five[2]"), "int = 7");
}
