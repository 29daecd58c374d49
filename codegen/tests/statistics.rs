//! What is counted in modules: rounds of loops, work and traffic of a workgroup, matrix operations.

use coopmat_analysis::Analyzer;
use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_codegen::statistics::{Assumptions, statistics, summaries};
use coopmat_codegen::{Compiled, Options, compile};
use coopmat_spirv::dr::Module;
use expect_test::{Expect, expect};

pub fn module(body: &str) -> Module {
    let text = format!(
        "#version 450\n\
         #extension GL_KHR_cooperative_matrix : require\n\
         #extension GL_KHR_memory_scope_semantics : require\n\
         #extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n\
         layout(local_size_x = 64) in;\n\
         layout(constant_id = 0) const uint STEPS = 5;\n\
         layout(binding = 0) buffer Data {{ float data[]; }};\n\
         layout(push_constant) uniform Push {{ uint count; }};\n\
         shared float tile[256];\n\
         {body}"
    );
    let configuration = Configuration {
        stage: Some(Stage::Compute),
        target_env: TargetEnv::Vulkan1_3,
        ..Configuration::default()
    };
    let analysis = Analyzer::default().analyze("x.comp", text.into(), &configuration, &NoFiles, None);
    let Compiled { module, .. } = compile(&analysis, &Options::default()).expect("a module");
    module
}

fn check(body: &str, expected: Expect) {
    let text = statistics(&module(body), &Assumptions::default()).text();
    // How many instructions there are is not the matter here.
    let lines = text.lines().skip_while(|line| !line.starts_with("  shared memory:"));
    let lines = lines.filter(|line| !line.starts_with("  instructions:"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn loops_are_counted_where_start_step_and_end_are_known() {
    check(
        "void main() {
    float sum = 0.0;
    for (uint i = 0; i < STEPS; i++) sum += data[i];
    for (int i = 10; i > 0; i -= 3) sum *= 2.0;
    for (uint i = 1; i <= 64; i *= 2) { if (sum > 4.0) break; sum += 1.0; }
    for (uint i = gl_LocalInvocationIndex; i < 256; i += 64) tile[i] = sum;
    for (uint i = 0; i < count; i++) { for (uint j = 0; j < 4; j++) sum += tile[j]; }
    do { sum -= 1.0; } while (sum > 0.0);
    data[0] = sum;
}
",
        expect![[r#"
            shared memory: 1,024 bytes
            functions: main
            loops:
              L1 in main: 5 iterations
              L2 in main: 4 iterations
              L3 in main: at most 7 iterations
              L4 in main: at most 4 iterations
              L5 in main: unknown number of iterations: its end is not known
              L6 in main, inside L5: 4 iterations
              L7 in main: unknown number of iterations: its counter changes in several places
            per workgroup:
              matrix operations: 0 FLOPs
              other: 576 FLOPs + at most 448 FLOPs + 256 FLOPs per iteration of L5 + 64 FLOPs per iteration of L7
              buffers, read: 1,280 bytes
              buffers, written: 256 bytes
              shared memory, read: 1,024 bytes per iteration of L5
              shared memory, written: at most 1,024 bytes"#]],
    );
}

#[test]
fn matrix_operations_count_by_their_scope() {
    check(
        "void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < 8; k++) {
        coopMatLoad(a, tile, k, 16, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, tile, k, 16, gl_CooperativeMatrixLayoutRowMajor);
        c = coopMatMulAdd(a, b, c);
    }
    for (int i = 0; i < c.length(); i++) c[i] = c[i] * 2.0;
    coopMatStore(c, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
",
        expect![[r#"
            shared memory: 1,024 bytes
            functions: main
            matrix operations:
              1 x OpCooperativeMatrixLoadKHR (-> f16 16x8 A), subgroup scope, executed 16
              1 x OpCooperativeMatrixLoadKHR (-> f16 8x16 B), subgroup scope, executed 16
              1 x OpCooperativeMatrixMulAddKHR (f16 16x8 A, f16 8x16 B, f32 16x16 accumulator -> f32 16x16 accumulator), subgroup scope, executed 16
              1 x OpCooperativeMatrixStoreKHR (f32 16x16 accumulator), subgroup scope, executed 2
            loops:
              L1 in main: 8 iterations
              L2 in main: at most 8 iterations
            per workgroup:
              matrix operations: 65,536 FLOPs
              other: at most 512 FLOPs
              buffers, read: 0 bytes
              buffers, written: 2,048 bytes
              shared memory, read: 8,192 bytes
              shared memory, written: 0 bytes"#]],
    );
}

#[test]
fn functions_are_told_in_a_few_words() {
    let module = module(
        "float twice(float x) { return x + x; }
void main() {
    tile[gl_LocalInvocationIndex] = data[gl_LocalInvocationIndex];
    barrier();
    data[gl_LocalInvocationIndex] = twice(tile[0]) + tile[1];
}
",
    );
    let words: Vec<String> = summaries(&module).into_iter().map(|one| one.words).collect();
    expect![[r#"
        [
            "3 loads, 2 stores, 1 barrier",
            "",
        ]
    "#]]
    .assert_debug_eq(&words);
}
