//! Texts that nobody writes: whatever nests, repeats or refers to itself ends in a bounded time, without a crash.

use std::time::{Duration, Instant};

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::{Analysis, analyze};

fn run(body: &str) -> Analysis {
    let text = format!("#version 460\nlayout(local_size_x = 1) in;\n{body}");
    let start = Instant::now();
    let analysis = analyze("/main.comp", text.into(), &Configuration::default(), &NoFiles, None);
    // Generous: a machine may be busy, but what grows with the square of its input takes minutes.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    analysis
}

fn reports(analysis: &Analysis, id: &str) -> usize {
    analysis.diagnostics.iter().filter(|diagnostic| diagnostic.code.id == id).count()
}

const MANY: usize = 3000;

#[test]
fn blocks_nest_deeply() {
    let analysis = run(&format!("void main() {{ {} int x; {} }}", "{".repeat(MANY), "}".repeat(MANY)));
    assert_eq!(reports(&analysis, "nesting-too-deep"), 1);
}

#[test]
fn loops_and_conditions_nest_deeply() {
    for head in ["if (true) ", "for (;;) ", "while (true) ", "switch (1) { case 1: ", "do "] {
        let tail = match head {
            "do " => "; while (false)".to_owned(),
            _ if head.ends_with(": ") => ";}".to_owned(),
            _ => String::new(),
        };
        let analysis = run(&format!("void main() {{ {}; {} ; }}", head.repeat(MANY), tail.repeat(MANY)));
        assert!(reports(&analysis, "nesting-too-deep") <= 1, "{head}");
    }
}

#[test]
fn an_operand_is_missing_in_each_of_many_nested_operators() {
    let line = format!("{}.{}\n", "--".repeat(48), "--".repeat(52));
    let analysis = run(&format!("{}void main() {{ int a = 1; a++; }}", line.repeat(200)));
    assert!(reports(&analysis, "syntax-error") > 0);
}

/// A token that the parser adds stands at the end of all of them.
#[test]
fn operators_without_an_operand_nest_deeply() {
    for operator in
        ["--", "- ", "!", "x = ", "x ? ", "x ? x : ", "(", "x[", "f(", "vec2(", "x.y(", "{ ", "if (x) "]
    {
        let analysis = run(&format!("void main() {{ {} ; }}", operator.repeat(MANY)));
        assert!(!analysis.diagnostics.is_empty(), "{operator}");
    }
}

#[test]
fn a_chain_of_else_if_is_no_nesting() {
    let chain = (0..MANY).map(|index| format!("if (x == {index}) y = {index}; else ")).collect::<String>();
    let analysis = run(&format!("shared int y; void main() {{ int x = 1; {chain} y = 0; }}"));
    assert!(analysis.diagnostics.is_empty(), "{:?}", analysis.diagnostics.first());
}

#[test]
fn types_nest_deeply() {
    let dimensions = "[2]".repeat(MANY);
    run(&format!("float{dimensions} a; float b{dimensions}; void main() {{ float{dimensions} c = a; }}"));
    let open = "struct { ".repeat(MANY);
    let close = "int x; } a; ".repeat(MANY);
    run(&format!("{open}{close} void main() {{}}"));
    let chain =
        (1..MANY).map(|index| format!("struct S{index} {{ S{} s; }};\n", index - 1)).collect::<String>();
    run(&format!("struct S0 {{ int x; }};\n{chain}buffer B {{ S{} s; }} b; void main() {{}}", MANY - 1));
    let vectors = "vector<".repeat(MANY);
    run(&format!("{vectors}float, 4{} v; void main() {{}}", ">".repeat(MANY)));
}

#[test]
fn structures_that_double_stay_small() {
    let chain = (1..64)
        .map(|index| format!("struct S{index} {{ S{0} a; S{0} b; }};\n", index - 1))
        .collect::<String>();
    run(&format!("struct S0 {{ int x; }};\n{chain}buffer B {{ S63 s; }} b; shared S63 t; void main() {{}}"));
}

#[test]
fn many_of_everything() {
    let globals = (0..MANY).map(|index| format!("int g{index} = {index};\n")).collect::<String>();
    let functions = (0..MANY)
        .map(|index| format!("int f(int[{}] x) {{ return x[0]; }}\n", index + 1))
        .collect::<String>();
    let members = (0..MANY).map(|index| format!("int m{index};")).collect::<String>();
    let parameters = (0..MANY).map(|index| format!("int p{index}")).collect::<Vec<_>>().join(", ");
    let cases = (0..MANY).map(|index| format!("case {index}: break;")).collect::<String>();
    run(&format!(
        "{globals}{functions}struct S {{ {members} }};buffer B {{ {members} }};\nvoid h({parameters}) {{}}\nvoid main() {{ switch (g0) {{ {cases} }} }}"
    ));
}

#[test]
fn the_same_name_again_and_again() {
    let again = "int x = 1;\n".repeat(MANY);
    run(&format!(
        "{again}struct S {{ {again} }}; void main() {{ {again} }} {}",
        "void main() {}\n".repeat(MANY)
    ));
    run(&"unknown_type a;\n".repeat(MANY));
}

#[test]
fn functions_call_each_other_in_a_circle() {
    let prototypes = (0..MANY).map(|index| format!("void f{index}();\n")).collect::<String>();
    let bodies = (0..MANY)
        .map(|index| format!("void f{index}() {{ f{}(); }}\n", (index + 1) % MANY))
        .collect::<String>();
    let analysis = run(&format!("{prototypes}{bodies}void main() {{ f0(); }}"));
    assert_eq!(reports(&analysis, "recursion"), 1);
}

#[test]
fn the_check_of_divergence_says_where_it_gives_up() {
    let shader = |deep: usize| {
        format!(
            "#extension GL_KHR_cooperative_matrix : require\n#extension GL_KHR_memory_scope_semantics : require\n\
             layout(binding = 0) buffer Data {{ float data[]; }};\nvoid main() {{\n\
             coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;\n\
             coopMatLoad(m, data, {}gl_WorkGroupID.x, 16, gl_CooperativeMatrixLayoutRowMajor);\n}}",
            "~".repeat(deep)
        )
    };
    assert_eq!(reports(&run(&shader(20)), "divergence-limit"), 0);
    let analysis = run(&shader(252));
    assert_eq!((reports(&analysis, "divergence-limit"), reports(&analysis, "nesting-too-deep")), (1, 0));
}

/// Each structure holds the last one twice: the types of interfaces have 2^40 parts.
#[test]
fn inputs_double_at_each_level() {
    let levels =
        (1..40).map(|level| format!("struct S{level} {{ S{} a, b; }};\n", level - 1)).collect::<String>();
    let text = format!(
        "#version 460\nstruct S0 {{ vec4 a, b; }};\n{levels}layout(location = 0) in S39 all;\nlayout(location = 7) in vec4 one;\nvoid main() {{}}"
    );
    let start = Instant::now();
    let analysis = analyze("/main.frag", text.into(), &Configuration::default(), &NoFiles, None);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(reports(&analysis, "location-overlap"), 1);
}

/// Every input has the same location.
#[test]
fn many_inputs_overlap() {
    let inputs =
        (0..MANY).map(|index| format!("layout(location = 0) in vec4 v{index};\n")).collect::<String>();
    let text = format!("#version 460\n{inputs}void main() {{}}");
    let start = Instant::now();
    let analysis = analyze("/main.frag", text.into(), &Configuration::default(), &NoFiles, None);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert!(reports(&analysis, "location-overlap") > 100);
}
