//! Checked mode: each shader says in a comment what is found in its line, and nothing else is found. `// !kind` marks the line of a finding,
//! `// !other` that of the other party.

use std::sync::Arc;

use crate::support::Run;
use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_simulator::{Dependence, Finding, Progress, SecondRun};

/// Extensions of the matrix shaders here.
const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
";

pub struct Checked {
    source: String,
    compiled: coopmat_codegen::Compiled,
    analysis: coopmat_analysis::Analysis,
}

pub fn compile(source: &str) -> Checked {
    let source = format!("{HEADER}{source}");
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let text: Arc<str> = source.as_str().into();
    let analysis = coopmat_analysis::analyze("/test.comp", text, &config, &NoFiles, None);
    let compiled = match coopmat_codegen::compile(&analysis, &Default::default()) {
        Ok(compiled) => compiled,
        Err(errors) => panic!("{errors:#?}\n{source}"),
    };
    Checked { source, compiled, analysis }
}

impl Checked {
    pub fn module(&self) -> &coopmat_spirv::dr::Module {
        &self.compiled.module
    }

    /// The line of an instruction.
    pub fn text(&self, instruction: u32) -> String {
        self.source.lines().nth(self.line(instruction)).unwrap_or_default().trim().to_owned()
    }

    fn line(&self, instruction: u32) -> usize {
        let place = self.compiled.map.place(&self.analysis, instruction as usize);
        let start = place.map_or(0, |place| usize::from(place.location.range.start()));
        self.source[..start].matches('\n').count()
    }

    /// Runs it, and compares what is found with the marks; the findings too.
    pub fn check(&self, describe: impl FnOnce(Run) -> Run) -> Vec<Finding> {
        let plain = describe(Run::of(self.compiled.module.clone()));
        let mut run = plain.clone();
        run.settings.checked = true;
        let outcome = run.run();
        let findings = outcome.execution.findings().to_vec();
        let (plain, count) = (plain.run(), outcome.buffer_count());
        for binding in 0..count {
            assert_eq!(plain.bytes(binding), outcome.bytes(binding), "checked mode changes results");
        }
        let mut found: Vec<(usize, &str)> = Vec::new();
        for finding in &findings {
            found.push((self.line(finding.instruction), finding.kind.id()));
            if let Some((other, _)) = finding.other {
                found.push((self.line(other), "other"));
            }
        }
        found.sort_unstable();
        found.dedup();
        let mut wanted = Vec::new();
        for (line, text) in self.source.lines().enumerate() {
            if let Some((_, marks)) = text.split_once("// !") {
                wanted.extend(marks.split(" !").map(|mark| (line, mark.trim())));
            }
        }
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{findings:#?}\n{}", self.source);
        findings
    }
}

/// `main` of 32 invocations with the buffers `x` and `o` of 64 floats each, of which `x` holds 0, 1, 2, ...
fn floats(body: &str) -> Vec<Finding> {
    let values: Vec<f32> = (0..64).map(|value| value as f32).collect();
    shader("", body).check(|run| run.floats(&values).zeros(64).subgroup_size(16))
}

/// The same with a buffer of integers.
fn integers(body: &str) -> Vec<Finding> {
    let source = format!(
        "layout(local_size_x = 32) in;
layout(binding = 0) buffer Values {{ int x[]; }};
layout(binding = 1) buffer Output {{ int o[]; }};
void main() {{
uint i = gl_LocalInvocationIndex;
{body}
}}"
    );
    let values: Vec<u32> = (0..64).collect();
    compile(&source).check(|run| run.words(&values).zeros(64).subgroup_size(16))
}

fn shader(declarations: &str, body: &str) -> Checked {
    compile(&format!(
        "layout(local_size_x = 32) in;
layout(binding = 0) buffer Values {{ float x[]; }};
layout(binding = 1) buffer Output {{ float o[]; }};
{declarations}
void main() {{
uint i = gl_LocalInvocationIndex;
{body}
}}"
    ))
}

fn shared(declarations: &str, body: &str) -> Vec<Finding> {
    shader(declarations, body).check(|run| run.floats(&[1.0; 64]).zeros(64).subgroup_size(16))
}

/// `main` of 32 invocations with matrices of 16x16.
fn matrices(body: &str) -> Vec<Finding> {
    let source = format!(
        "layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Values {{ float x[]; }};
layout(binding = 1) buffer Output {{ float o[]; }};
layout(binding = 2) readonly buffer Halves {{ float16_t h[]; }};
#define ACC coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define ROWS gl_CooperativeMatrixLayoutRowMajor
shared float s[256];
void main() {{
uint i = gl_LocalInvocationIndex;
{body}
}}"
    );
    let values: Vec<f32> = (0..256).map(|value| value as f32).collect();
    // 60000 as f16: a product of two is beyond the largest.
    compile(&source).check(|run| run.floats(&values).zeros(256).words(&[0x7b53_7b53; 128]))
}

#[test]
fn valid_shaders_have_no_findings() {
    floats("o[i] = x[i] * 2.0;");
    floats("float a[4]; for (int k = 0; k < 4; ++k) a[k] = x[k]; o[i] = a[i % 4u];");
    floats("vec4 v; v.x = x[i]; v[i % 2u == 0u ? 1 : 2] = 1.0; o[i] = v.x;");
    floats("float y; if (i < 7u) y = 1.0; else y = 2.0; o[i] = y;");
    // Everybody writes the same.
    floats("o[0] = 1.0;");
    shared("shared float s[32];", "s[i] = x[i]; barrier(); o[i] = s[31u - i]; barrier(); s[31u - i] = 1.0;");
    shared("shared uint n;", "if (i == 0u) n = 0u; barrier(); atomicAdd(n, i); barrier(); o[i] = float(n);");
    // Within one subgroup its own barrier is enough.
    shared("shared float s[32];", "s[i] = x[i]; subgroupBarrier(); o[i] = s[i ^ 1u];");
    matrices("ACC m; coopMatLoad(m, x, 0, 16, ROWS); m = m * 2.0; coopMatStore(m, o, 0, 16, ROWS);");
    matrices(
        "ACC m; coopMatLoad(m, x, 0, 16, ROWS); coopMatStore(m, s, 0, 16, ROWS); barrier();
        for (uint k = i; k < 256u; k += 32u) o[k] = s[k];",
    );
    // Every row the same one.
    matrices("ACC m; coopMatLoad(m, x, 0, 0, ROWS); coopMatStore(m, o, 0, 16, ROWS);");
}

#[test]
fn accesses_out_of_bounds() {
    let found = floats("o[i] = x[i * 3u]; // !out-of-bounds");
    assert_eq!(found[0].message, "reads 4 bytes at offset 264 of buffer Values, which has 256 bytes");
    assert_eq!((found.len(), found[0].invocation.index, found[3].more + found[0].more), (4, 22, 6));
    floats("o[i + 40u] = 1.0; // !out-of-bounds");
    let found = floats("float a[4]; a[0] = a[1] = a[2] = a[3] = 1.0;\no[i] = a[i]; // !out-of-bounds");
    assert_eq!(found[0].message, "index 4 of an array of 4 elements");
    // The next variable begins there, but it is another one.
    shared(
        "shared float s[8]; shared float t[8];",
        "t[i % 8u] = 1.0; if (i < 9u)\ns[i] = 1.0; // !out-of-bounds
        barrier(); o[i] = t[i % 8u];",
    );
    floats("vec3 v = vec3(x[i]);\no[i] = v[i]; // !out-of-bounds");
}

#[test]
fn matrices_out_of_bounds() {
    let found = matrices(
        "ACC m;\ncoopMatLoad(m, x, 16, 16, ROWS); // !out-of-bounds\ncoopMatStore(m, o, 0, 16, ROWS);",
    );
    assert_eq!(
        found[0].message,
        "reads 4 bytes at offset 1024 of buffer Values for element (15, 0), which has 1024 bytes"
    );
}

#[test]
fn matrices_misaligned_and_overlapping() {
    let found = matrices("ACC m;\ncoopMatLoad(m, s, 2, 16, ROWS); // !misaligned !out-of-bounds");
    assert!(
        found[0].message.contains("offset 8 of shared memory (`s[2]`), which is not a multiple of 16 bytes")
    );
    matrices("ACC m = ACC(1.0);\ncoopMatStore(m, o, 0, 12, ROWS); // !stride-below-row");
    matrices("ACC m; coopMatLoad(m, x, 0, 9, ROWS); // !misaligned\ncoopMatStore(m, o, 0, 16, ROWS);");
}

#[test]
fn values_that_were_never_written() {
    floats("float y; if (i < 7u) y = 1.0;\no[i] = y; // !uninitialised");
    floats("float y[3]; y[0] = 1.0; float z = y[1];\nif (z > 0.0) o[i] = 1.0; // !uninitialised");
    // A copy is no use of it.
    floats("float y[3]; y[0] = 1.0; float z[3] = y; o[i] = z[0];");
    shared("shared float s[32];", "if (i < 8u) s[i] = 1.0; barrier();\no[i] = s[i]; // !uninitialised");
    shared("shared float s[32];", "float y; s[i] = y; barrier();\no[i] = s[i]; // !uninitialised");
    let found = matrices(
        "ACC m; if (m.length() > 1) m[0] = 1.0;\ncoopMatStore(m, o, 0, 16, ROWS); // !uninitialised",
    );
    assert!(found[0].message.starts_with("element ("), "{found:?}");
}

#[test]
fn atomic_operations_on_what_was_never_written() {
    const WHOLE: &str = "barrier(); o[i] = float(n);";
    // The sum is what counts, not the addition.
    shared("shared uint n;", "atomicAdd(n, i); barrier();\no[i] = float(n); // !uninitialised");
    shared("shared uint n;", "uint was = atomicMax(n, i);\no[i] = float(was); // !uninitialised");
    shared("shared uint n;", "uint m; atomicExchange(n, m); barrier();\no[i] = float(n); // !uninitialised");
    shared(
        "shared uint n;",
        "if (i == 0u) n = 1u; barrier(); uint m; atomicAdd(n, m); barrier();\no[i] = float(n); // !uninitialised",
    );
    // What was there does not matter.
    for operation in ["atomicExchange(n, 7u)", "atomicAnd(n, 0u)", "atomicOr(n, ~0u)", "atomicMin(n, 0u)"] {
        shared("shared uint n;", &format!("if (i == 0u) {operation}; {WHOLE}"));
    }
    shared("shared int n;", &format!("if (i == 0u) atomicMin(n, int(0x80000000)); {WHOLE}"));
    shared("shared int n;", "atomicMin(n, -1); barrier();\no[i] = float(n); // !uninitialised");
    shared("shared uint n;", &format!("if (i == 0u) n = 0u; barrier(); atomicAdd(n, i); {WHOLE}"));
    // A comparison with what is not there decides.
    shared("shared uint n;", "atomicCompSwap(n, 3u, 4u); barrier();\no[i] = float(n); // !uninitialised");
}

#[test]
fn races() {
    let found = shared(
        "shared float s[16];",
        "s[i % 16u] = float(i); // !data-race !other\nbarrier(); o[i] = s[i % 16u];",
    );
    assert_eq!(found[0].invocation.index, 16);
    let message = "writes 4 bytes at `s[0]`, which invocation 0 wrote; it is undefined which value remains: let only one of them write, or use an atomic operation";
    assert_eq!(found[0].message, message);
    shared(
        "shared float s[32];",
        "s[i] = x[i]; // !missing-barrier !other
        o[i] = s[31u - i]; // !missing-barrier !other",
    );
    // Not even in one subgroup.
    shared("shared float s[32];", "s[i] = x[i]; // !other\no[i] = s[i ^ 1u]; // !missing-barrier");
    shared(
        "shared uint n;",
        "if (i == 0u)\nn = 1u; // !other\natomicAdd(n, i); // !data-race\nbarrier(); o[i] = float(n);",
    );
}

#[test]
fn races_between_workgroups() {
    let source = shader("", "o[i] = float(gl_WorkGroupID.x); // !data-race !other");
    source.check(|run| run.floats(&[1.0; 64]).zeros(64).groups(2, 1, 1));
    let source = shader("", "o[i + 32u * gl_WorkGroupID.x] = 1.0;");
    source.check(|run| run.floats(&[1.0; 64]).zeros(64).groups(2, 1, 1));
}

#[test]
fn divergence() {
    matrices(
        "ACC m; coopMatLoad(m, x, 0, 16, ROWS); if (i < 4u)
        coopMatStore(m, o, 0, 16, ROWS); // !divergent-matrix-operation",
    );
    let found = matrices(
        "ACC m;\ncoopMatLoad(m, x, i, 16, ROWS); // !non-uniform-operand\ncoopMatStore(m, o, 0, 16, ROWS);",
    );
    assert!(
        found[0].message.starts_with("the pointer is offset 4 in invocation 1, but offset 0"),
        "{found:?}"
    );
    shared("shared float s[32];", "s[i] = 1.0; if (i > 3u)\nbarrier(); // !divergent-barrier\no[i] = s[i];");
    shared("", "if (i > 15u) return;\nbarrier(); // !divergent-barrier\no[i] = 1.0;");
}

#[test]
fn integers_without_a_result() {
    let found = integers("o[i] = 7 / (x[i] - 3); // !division-by-zero");
    assert_eq!(found[0].message, "7 is divided by 0; make sure that the divisor is not 0");
    assert_eq!(found[0].invocation.index, 3);
    integers("o[i] = 7 % (x[i] - 3); // !division-by-zero");
    integers(
        "int low = -2147483647 - 1 + x[0];\no[i] = low / (x[i] - 2); // !division-by-zero !division-overflow",
    );
    integers("o[i] = 1 << (x[i] + 8); // !shift-amount");
    integers("if (x[i] != 3) o[i] = 7 / (x[i] - 3);");
    let found = floats("o[i] = float(uint(x[i] - 3.0)); // !invalid-conversion");
    assert_eq!(found[0].message, "-3 does not fit in uint32_t; clamp it before the conversion");
}

#[test]
fn numbers_that_are_none() {
    let found = floats("float y = x[i] / (x[i] * 0.0); // !nan-born !infinity-born\no[i] = y; // !other");
    assert!(found.iter().any(|f| f.message.starts_with("the result is not a number, although")), "{found:?}");
    // What is thrown away is nobody's mistake.
    floats("float y = 1.0 / x[i]; o[i] = x[i] == 0.0 ? 0.0 : y;");
    // Infinities that were there are not born.
    floats("float y = uintBitsToFloat(0x7f800000u); o[i] = y + x[i];");
    let found = matrices(
        "coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a; coopMatLoad(a, h, 0, 16, ROWS);
        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b; coopMatLoad(b, h, 0, 16, ROWS);
        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c =
        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
        c = coopMatMulAdd(a, b, c); // !infinity-born
        coopMatStore(coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(c), o, 0, 16, ROWS); // !other",
    );
    assert!(found[0].message.contains("is infinite in float16_t"), "{found:?}");
}

/// A buffer that nobody has written is undefined also where the shader only reads it.
#[test]
fn buffers_that_nobody_wrote() {
    let run = |readonly: &str, body: &str| {
        let source = format!(
            "layout(local_size_x = 32) in;
            layout(binding = 0) {readonly} buffer A {{ float a[]; }};
            layout(binding = 1) buffer O {{ float o[]; }};
            #define ACC coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
            void main() {{
                uint i = gl_LocalInvocationIndex;
                {body}
            }}"
        );
        compile(&source).check(|run| run.subgroup_size(32).zeros(256).unwritten().zeros(256));
    };
    for readonly in ["", "readonly"] {
        run(readonly, "o[i] = a[i]; // !uninitialised");
        run(
            readonly,
            "ACC m; coopMatLoad(m, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(m, o, 0, 16, gl_CooperativeMatrixLayoutRowMajor); // !uninitialised",
        );
    }
}

#[test]
fn atomic_operations_on_a_buffer_that_nobody_wrote() {
    let run = |body: &str| {
        let source = format!(
            "layout(local_size_x = 32) in;
            layout(binding = 0) buffer A {{ uint a[]; }};
            void main() {{
                uint i = gl_LocalInvocationIndex;
                {body}
            }}"
        );
        compile(&source).check(|run| run.subgroup_size(32).zeros(256).unwritten())
    };
    let found = run("atomicAdd(a[i], 1u); // !uninitialised");
    let message = "what is updated depends on a value that was never written; initialize it on every path that leads here";
    assert_eq!(found[0].message, message);
    run("uint m;\natomicExchange(a[i], m); // !uninitialised");
    run("atomicExchange(a[i], 1u); atomicAdd(a[i], 1u);");
    run("uint at;\natomicExchange(a[at], 1u); // !uninitialised");
}

/// A checked run and the analysis say of owners of elements the same, in the same words.
#[test]
fn owners_of_elements_are_told_as_the_analysis_tells_them() {
    const MATRIX: &str = "coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>";
    let checked = compile(&format!(
        "layout(local_size_x = 32) in;
layout(binding = 0) buffer O {{ float o[]; }};
void main() {{
    {MATRIX} m = {MATRIX}(1.0);
    for (int e = 0; e < m.length(); ++e) {{
        m[e] *= float(gl_SubgroupInvocationID);
    }}
    coopMatStore(m, o, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}}
"
    ));
    let mut run = Run::of(checked.compiled.module.clone()).zeros(256).subgroup_size(32);
    run.settings.checked = true;
    let (program, resources, settings) = (run.program(), run.resources.clone(), run.settings.clone());
    let first = run.run().execution;
    let mut second = SecondRun::new(&program, &first, resources, &settings, [1, 1, 1]).unwrap();
    while second.run(1_000_000).unwrap() != Progress::Finished {}
    let Dependence::Found(finding) = second.compare(&first) else { panic!("nothing found") };

    let clause = |message: &str| Some(message.split_once(": ")?.1.split_once(';')?.0.to_owned());
    let analysis = &checked.analysis.diagnostics;
    let told = analysis.iter().find(|diagnostic| diagnostic.code.id == "coopmat-ownership").unwrap();
    assert!(clause(&finding.message).is_some_and(|clause| clause.len() > 20), "{}", finding.message);
    assert_eq!(clause(&finding.message), clause(&told.message));
}
