//! First recipes: what is found out about a shader, and that its run meets what it expects.

use std::fmt::Write as _;

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_recipe::modes::first;
use coopmat_recipe::{Files, Host, Overrides, Plan, Report, init, parse, run};
use coopmat_simulator::Program;
use coopmat_spirv::dr;
use expect_test::{Expect, expect};

struct Nothing;

impl Files for Nothing {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("no such file".to_owned())
    }
}

fn module(text: &str) -> Result<dr::Module, String> {
    let configuration = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis = coopmat_analysis::analyze("/x.comp", text.into(), &configuration, &NoFiles, None);
    let compiled = coopmat_codegen::compile(&analysis, &Default::default());
    compiled.map(|compiled| compiled.module).map_err(|errors| errors[0].message.clone())
}

fn first_recipe(module: &dr::Module) -> String {
    let program = Program::new(module, &Default::default()).unwrap();
    init(&module.into(), &program, "x.comp", "default")
}

/// Runs it, checked.
fn report(module: &dr::Module, text: &str) -> Result<Report, String> {
    let recipe = parse(text).map_err(|error| error.message)?;
    let overrides = Overrides { most_steps: Some(40_000_000), ..Overrides::default() };
    let plan = Plan::new(&recipe, text, &[module.into()], &Nothing, &overrides)
        .map_err(|error| format!("{error:?}"))?;
    let mut modes = first(&recipe, plan.subgroup_size);
    modes.checked = true;
    let host =
        Host { pool: None, tier: None, observers: Vec::new(), place: &|_, _| None, go_on: &mut |_, _| true };
    Ok(run(&plan, &recipe, &modes, host).report)
}

/// How a run of a first recipe ends: in an error, with findings, or with so many wrong elements; without any it met what it expects, or ran.
fn result(module: &dr::Module, text: &str) -> String {
    let report = match report(module, text) {
        Ok(report) => report,
        Err(error) => return format!("no plan: {error}"),
    };
    if let Some(error) = report.error {
        return format!("error: {}", error.message);
    }
    let mut kinds: Vec<String> = report.findings.iter().map(|finding| finding.kind.to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    let wrong: usize = report.expectations.iter().map(|outcome| outcome.wrong).sum();
    match (report.expectations.len(), wrong) {
        (0, _) => kinds.insert(0, "ran".to_owned()),
        (_, 0) => kinds.insert(0, "met".to_owned()),
        (_, wrong) => kinds.insert(0, format!("{wrong} wrong")),
    }
    kinds.join(", ")
}

fn check(shader: &str, outcome: &str, expected: Expect) {
    let module = module(shader).unwrap();
    let recipe = first_recipe(&module);
    expected.assert_eq(&recipe);
    assert_eq!(result(&module, &recipe), outcome, "{recipe}");
}

const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
";

fn gemm(types: [&str; 2], buffers: &str, body: &str) -> String {
    let [input, sum] = types;
    format!(
        "{HEADER}{buffers}
        void main() {{
            uint row = gl_WorkGroupID.y * 16, column = gl_WorkGroupID.x * 16;
            coopmat<{input}, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
            coopmat<{input}, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
            coopmat<{sum}, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c =
                coopmat<{sum}, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0);
            {body}
        }}"
    )
}

/// Every example runs with a first recipe, and inside of its buffers; products meet what is expected of them.
#[test]
fn examples() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut found = String::new();
    for folder in ["khr", "nv2", "qcom", "coopvec", "mistakes"] {
        let files = std::fs::read_dir(format!("{root}/{folder}")).unwrap();
        let mut paths: Vec<_> = files.map(|it| it.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|it| it == "comp")) {
            let text = std::fs::read_to_string(path).unwrap();
            let Ok(module) = module(&text) else { continue };
            let recipe = first_recipe(&module);
            let name = path.file_stem().unwrap().to_string_lossy();
            writeln!(found, "{folder}/{name}: {}", result(&module, &recipe)).unwrap();
        }
    }
    expect![[r#"
        khr/capture_ownership: ran, ownership-dependence
        khr/components: ran
        khr/convolution_shared: ran
        khr/declarations: ran
        khr/dequantize_shared: ran
        khr/experts_heap: ran, out-of-bounds
        khr/flash_attention: ran
        khr/gemm: met
        khr/gemm_batched: met
        khr/gemm_f16: met
        khr/gemm_f32: met
        khr/gemm_q4: met
        khr/gemm_s8: met
        khr/gemm_shared: met
        khr/gemm_split_k: met
        khr/gemm_split_k_reduce: ran
        khr/gemm_staged: met
        khr/network_activation: ran
        khr/network_layer: met
        khr/specialized_shape: ran
        nv2/activation: ran
        nv2/clamp_modes: ran
        nv2/gemm_q4: ran
        nv2/gemm_workgroup: ran
        nv2/q8_0_decode_vector: ran
        nv2/reductions: ran
        nv2/softmax: ran
        nv2/space_to_depth: ran
        nv2/tensor_loads: ran
        nv2/transpose_view: ran
        qcom/bitcast: ran, data-race, missing-barrier
        qcom/convolution: ran, misaligned, uninitialised
        qcom/flash_attention: ran
        qcom/layer_merging: ran, uninitialised
        qcom/q4_dequantize: ran, uninitialised
        qcom/rows_and_columns: ran
        qcom/sub_array: ran, data-race, missing-barrier
        qcom/texture_decompression: ran
        coopvec/mlp: ran
        coopvec/mlp_training: ran
        mistakes/divergent_multiply: ran, divergent-matrix-operation
        mistakes/division_by_zero: ran, division-by-zero
        mistakes/half_overflow: met
        mistakes/misaligned: ran, misaligned
        mistakes/misaligned_bias: ran, misaligned
        mistakes/missing_barrier: ran, missing-barrier
        mistakes/nan_born: ran
        mistakes/out_of_bounds: ran
        mistakes/ownership_dependence: ran, ownership-dependence
        mistakes/race: ran, data-race
        mistakes/saturating_overflow: met
        mistakes/stride_below_row: ran
        mistakes/unadvertised_shape: met
        mistakes/unconverted_matrix: ran
        mistakes/undefined_rows: ran
        mistakes/uninitialised_element: ran, uninitialised
    "#]]
    .assert_eq(&found);
}

/// Sizes and strides among the push constants are known by what addresses are made of.
#[test]
fn strides_and_bounds_say_which_push_constants_are_sizes() {
    let buffers = "
        layout(binding = 0) readonly buffer A { float16_t a_[]; };
        layout(binding = 1) readonly buffer B { float16_t b_[]; };
        layout(binding = 2) buffer D { float d_[]; };
        layout(push_constant) uniform P { uint x; uint y; uint z; uint unused; float scale; };";
    let body = "
        for (uint k = 0; k < z; k += 16) {
            coopMatLoad(a, a_, k * x + row, x, gl_CooperativeMatrixLayoutColumnMajor);
            coopMatLoad(b, b_, k * y + column, y, gl_CooperativeMatrixLayoutRowMajor);
            c = coopMatMulAdd(a, b, c);
        }
        if (row < x) coopMatStore(c * scale, d_, row * y + column, y, gl_CooperativeMatrixLayoutRowMajor);";
    check(
        &gemm(["float16_t", "float"], buffers, body),
        "met",
        expect![[r##"
        # How to run x.comp: docs/recipes.md describes every key.
        description = ""

        # D = A * B: rows and columns of D, and how many products each is the sum of.
        sizes = { M = 32, N = 48, K = 64 }
        # Workgroups in x, y and z.
        dispatch = ["N / 16", "M / 16", 1]

        [push-constants]
        # not known: scale
        scale = 1
        # not known: unused
        unused = 1
        x = "M"
        y = "N"
        z = "K"

        [[buffers]]
        name = "A"
        set = 0
        binding = 0
        type = "f16"
        shape = ["M", "K"]
        layout = "column-major"
        fill.uniform = { seed = 1, low = -1.0, high = 1.0 }

        [[buffers]]
        name = "B"
        set = 0
        binding = 1
        type = "f16"
        shape = ["K", "N"]
        fill.uniform = { seed = 2, low = -1.0, high = 1.0 }

        [[buffers]]
        name = "D"
        set = 0
        binding = 2
        type = "f32"
        shape = ["M", "N"]

        [[expect]]
        buffer = "D"
        equals.matmul = { a = "A", b = "B" }
        # K^1.5 * 2^-24: see "Tolerances" in docs/recipes.md.
        tolerance = { absolute = 3.1e-5 }
    "##]],
    );
}

/// Integers are exact: they have no tolerance, and small numbers.
#[test]
fn integers_behind_addresses() {
    let buffers = "
        layout(buffer_reference, std430) readonly buffer Bytes { int8_t at[]; };
        layout(buffer_reference, std430) buffer Sums { int at[]; };
        layout(push_constant) uniform P { Bytes a_; Bytes b_; Sums d_; uvec3 size; };";
    let body = "
        for (uint k = 0; k < size.z; k += 16) {
            coopMatLoad(a, a_.at, row * size.z + k, size.z, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(b, b_.at, column * size.z + k, size.z, gl_CooperativeMatrixLayoutColumnMajor);
            c = coopMatMulAdd(a, b, c);
        }
        coopMatStore(c, d_.at, row * size.y + column, size.y, gl_CooperativeMatrixLayoutRowMajor);";
    check(
        &gemm(["int8_t", "int"], buffers, body),
        "met",
        expect![[r##"
        # How to run x.comp: docs/recipes.md describes every key.
        description = ""

        # D = A * B: rows and columns of D, and how many products each is the sum of.
        sizes = { M = 32, N = 48, K = 64 }
        # Workgroups in x, y and z.
        dispatch = ["N / 16", "M / 16", 1]

        [push-constants]
        a_ = { address = "a__at_0" }
        b_ = { address = "b__at_1" }
        d_ = { address = "d__at_2" }
        size = [1, "N", "K"]

        [[buffers]]
        name = "a__at_0"
        type = "s8"
        shape = ["M", "K"]
        fill.integers = { seed = 1, low = -8, high = 7 }

        [[buffers]]
        name = "b__at_1"
        type = "s8"
        shape = ["K", "N"]
        layout = "column-major"
        fill.integers = { seed = 2, low = -8, high = 7 }

        [[buffers]]
        name = "d__at_2"
        type = "s32"
        shape = ["M", "N"]

        [[expect]]
        buffer = "d__at_2"
        equals.matmul = { a = "a__at_0", b = "b__at_1" }
    "##]],
    );
}

/// What is done with the product is not known: what is expected is a comment. The sums are of half precision.
#[test]
fn an_activation_makes_the_expectation_a_comment() {
    let buffers = "
        layout(binding = 0) readonly buffer A { float16_t a_[]; };
        layout(binding = 1) readonly buffer B { float16_t b_[]; };
        layout(binding = 2) buffer D { float16_t d_[]; };";
    let body = "
        for (uint k = 0; k < 64; k += 16) {
            coopMatLoad(a, a_, row * 64 + k, 64, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(b, b_, k * 48 + column, 48, gl_CooperativeMatrixLayoutRowMajor);
            c = coopMatMulAdd(a, b, c);
        }
        for (int i = 0; i < c.length(); ++i) c[i] = max(c[i], float16_t(0));
        coopMatStore(c, d_, row * 48 + column, 48, gl_CooperativeMatrixLayoutRowMajor);";
    check(
        &gemm(["float16_t", "float16_t"], buffers, body),
        "ran",
        expect![[r##"
            # How to run x.comp: docs/recipes.md describes every key.
            description = ""

            # D = A * B: rows and columns of D, and how many products each is the sum of.
            sizes = { M = 32, N = 48, K = 64 }
            # Workgroups in x, y and z.
            dispatch = ["N / 16", "M / 16", 1]

            [[buffers]]
            name = "A"
            set = 0
            binding = 0
            type = "f16"
            shape = ["M", "K"]
            fill.uniform = { seed = 1, low = -1.0, high = 1.0 }

            [[buffers]]
            name = "B"
            set = 0
            binding = 1
            type = "f16"
            shape = ["K", "N"]
            fill.uniform = { seed = 2, low = -1.0, high = 1.0 }

            [[buffers]]
            name = "D"
            set = 0
            binding = 2
            type = "f16"
            shape = ["M", "N"]

            # not known: what is stored besides the product (there is OpExtInst). Without that it would be:
            # [[expect]]
            # buffer = "D"
            # equals.matmul = { a = "A", b = "B" }
            # # K^1.5 * 2^-11, and 2^-11 of what is expected: see "Tolerances" in docs/recipes.md.
            # tolerance = { absolute = 2.5e-1, relative = 4.9e-4 }
        "##]],
    );
}

/// Specialization constants say what is left of a shader: of two ways to read A the one that is used, and how many invocations a workgroup has. What
/// only moves A, a batch, is 0, and what shares out a sum over K is not taken for a size of D.
#[test]
fn specialization_decides_what_is_read() {
    let shader = HEADER.replace("local_size_x = 32", "local_size_x_id = 0")
        + "
        layout(constant_id = 0) const uint INVOCATIONS = 64;
        layout(constant_id = 1) const uint WIDE = 0;
        layout(binding = 0) readonly buffer Wide { f16vec4 wide[]; };
        layout(binding = 0) readonly buffer A { float16_t a_[]; };
        layout(binding = 1) readonly buffer B { float16_t b_[]; };
        layout(binding = 2) buffer D { float d_[]; };
        layout(push_constant) uniform P { uint bound; uint line; uint pitch; uint batch; uint batchLength; uint depth; uint slice; };
        shared float16_t tile[256];
        void copy(uint start) {
            for (uint i = gl_LocalInvocationID.x; i < 256; i += INVOCATIONS) {
                if (WIDE != 0) tile[i] = wide[(start + i / 16 * pitch) / 4 + i % 16 / 4][i % 4];
                else tile[i] = a_[start + i / 16 * pitch + i % 16];
            }
        }
        void main() {
            uint tiles = (bound + 15) / 16;
            uint row = gl_WorkGroupID.x % tiles * 16, part = gl_WorkGroupID.x / tiles;
            uint column = gl_WorkGroupID.y * 16;
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
            coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c =
                coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0);
            for (uint k = part * slice; k < min(depth, (part + 1) * slice); k += 16) {
                copy(batch * batchLength + row * pitch + k);
                barrier();
                coopMatLoad(a, tile, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                coopMatLoad(b, b_, k * line + column, line, gl_CooperativeMatrixLayoutRowMajor);
                c = coopMatMulAdd(a, b, c);
                barrier();
            }
            if (row < bound && gl_SubgroupID == 0)
                coopMatStore(c, d_, row * line + column, line, gl_CooperativeMatrixLayoutRowMajor);
        }";
    let shader = shader.replace(
        "#extension GL_EXT_buffer_reference : require",
        "#extension GL_KHR_shader_subgroup_basic : require",
    );
    check(
        &shader,
        "met",
        expect![[r##"
            # How to run x.comp: docs/recipes.md describes every key.
            description = ""

            # D = A * B: rows and columns of D, and how many products each is the sum of.
            sizes = { M = 32, N = 48, K = 64 }
            # Workgroups in x, y and z.
            dispatch = ["M / 16", "N / 16", 1]

            [push-constants]
            batch = 0
            # not known: batchLength
            batchLength = 1
            bound = "M"
            depth = "K"
            line = "N"
            pitch = "K"
            slice = "K"

            [specialization]
            # WIDE = 0
            INVOCATIONS = 64

            [[buffers]]
            name = "A"
            set = 0
            binding = 0
            type = "f16"
            shape = ["M", "K"]
            fill.uniform = { seed = 1, low = -1.0, high = 1.0 }

            [[buffers]]
            name = "B"
            set = 0
            binding = 1
            type = "f16"
            shape = ["K", "N"]
            fill.uniform = { seed = 2, low = -1.0, high = 1.0 }

            [[buffers]]
            name = "D"
            set = 0
            binding = 2
            type = "f32"
            shape = ["M", "N"]

            [[expect]]
            buffer = "D"
            equals.matmul = { a = "A", b = "B" }
            # K^1.5 * 2^-24: see "Tolerances" in docs/recipes.md.
            tolerance = { absolute = 3.1e-5 }
        "##]],
    );
}

/// The name of their structure says which format blocks have, where others are as long.
#[test]
fn names_of_structures_say_which_blocks_they_are() {
    let buffers = "
        struct block_q8_0 { float16_t d; int8_t qs[32]; };
        struct block_iq4_nl { float16_t d; uint8_t qs[16]; };
        layout(constant_id = 0) const uint FORMAT = 1;
        layout(binding = 0) readonly buffer Bytes { block_q8_0 bytes[]; };
        layout(binding = 0) readonly buffer Steps { block_iq4_nl steps[]; };
        layout(binding = 1) readonly buffer B { float16_t b_[]; };
        layout(binding = 2) buffer D { float d_[]; };
        shared float16_t tile[256];
        const float TABLE[16] = { -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113 };
        float at(uint index) {
            uint block = index / 32, inside = index % 32;
            if (FORMAT == 0) return float(bytes[block].d) * float(bytes[block].qs[inside]);
            uint pair = uint(steps[block].qs[inside % 16]);
            return float(steps[block].d) * TABLE[inside < 16 ? pair & 15 : pair >> 4];
        }";
    let body = "
        for (uint k = 0; k < 64; k += 16) {
            for (uint i = gl_LocalInvocationID.x; i < 256; i += 32)
                tile[i] = float16_t(at((row + i / 16) * 64 + k + i % 16));
            barrier();
            coopMatLoad(a, tile, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(b, b_, k * 48 + column, 48, gl_CooperativeMatrixLayoutRowMajor);
            c = coopMatMulAdd(a, b, c);
            barrier();
        }
        coopMatStore(c, d_, row * 48 + column, 48, gl_CooperativeMatrixLayoutRowMajor);";
    let module = module(&gemm(["float16_t", "float"], buffers, body)).unwrap();
    let recipe = first_recipe(&module);
    assert_eq!(result(&module, &recipe), "met", "{recipe}");
    assert!(recipe.contains("type = \"iq4_nl\"\nshape = [\"M\", \"K\"]"), "{recipe}");
}

/// A structure is a block only if some member is smaller than 32 bits, and of blocks of one size those that recipes do not support are named, too.
#[test]
fn structures_that_are_as_long_as_a_block() {
    let shader = format!(
        "{HEADER}
        struct Particle {{ float state[8]; uint id; }};
        struct block_iq2_xxs {{ float16_t d; uint16_t qs[32]; }};
        layout(binding = 0) readonly buffer Particles {{ Particle particles[]; }};
        layout(binding = 1) readonly buffer Blocks {{ block_iq2_xxs blocks[]; }};
        layout(binding = 2) buffer Out {{ float sums[]; }};
        void main() {{
            uint i = gl_GlobalInvocationID.x;
            sums[i] = particles[i].state[0] + float(particles[i].id) + float(blocks[i].d);
        }}"
    );
    let recipe = first_recipe(&module(&shader).unwrap());
    let of = |name: &str| recipe.split("[[buffers]]").find(|part| part.contains(name)).unwrap_or_default();
    assert!(of("Particles").contains("type = \"u8\""), "{recipe}");
    assert!(of("Blocks").contains("whether these blocks of 66 bytes are tq2_0 or iq2_xxs"), "{recipe}");
}

/// Where the name of the structure is that of a type which recipes do not support, a product is not one of another type's blocks.
#[test]
fn products_of_unsupported_blocks_are_not_guessed() {
    let recipe = |name: &str| {
        let buffers = format!(
            "struct {name} {{ float16_t d; uint16_t qs[32]; }};
            layout(binding = 0) readonly buffer A {{ {name} a_[]; }};
            layout(binding = 1) readonly buffer B {{ float16_t b_[]; }};
            layout(binding = 2) buffer D {{ float d_[]; }};
            shared float16_t tile[256];
            float16_t at(uint index) {{ return a_[index / 256].d * float16_t(a_[index / 256].qs[index % 32]); }}"
        );
        let body = "
            for (uint k = 0; k < 256; k += 16) {
                for (uint i = gl_LocalInvocationID.x; i < 256; i += 32)
                    tile[i] = at((row + i / 16) * 256 + k + i % 16);
                barrier();
                coopMatLoad(a, tile, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                coopMatLoad(b, b_, k * 48 + column, 48, gl_CooperativeMatrixLayoutRowMajor);
                c = coopMatMulAdd(a, b, c);
                barrier();
            }
            coopMatStore(c, d_, row * 48 + column, 48, gl_CooperativeMatrixLayoutRowMajor);";
        first_recipe(&module(&gemm(["float16_t", "float"], &buffers, body)).unwrap())
    };
    let known = recipe("block_tq2_0");
    assert!(known.contains("type = \"tq2_0\"\nshape = [\"M\", \"K\"]"), "{known}");
    let unsupported = recipe("block_iq2_xxs");
    assert!(!unsupported.contains("\nequals.matmul"), "{unsupported}");
    assert!(unsupported.contains("whether these blocks of 66 bytes are tq2_0 or iq2_xxs"), "{unsupported}");
}

/// Buffers are as long as a run needs them; structures have members, integers are small whole numbers.
#[test]
fn what_is_no_product() {
    let shader = format!(
        "{HEADER}
        layout(binding = 0) uniform Settings {{ uint count; vec2 scale; }};
        struct Pair {{ uint key; float value; }};
        layout(binding = 1) readonly buffer Pairs {{ Pair pairs[]; }};
        layout(binding = 2) readonly buffer Indices {{ uint indices[]; }};
        layout(binding = 3) buffer Out {{ uint total; float sums[]; }};
        void main() {{
            uint i = gl_GlobalInvocationID.x;
            sums[i] = pairs[i + count].value * scale.x + float(indices[2 * i]);
        }}"
    );
    check(
        &shader,
        "ran",
        expect![[r##"
        # How to run x.comp: docs/recipes.md describes every key.
        description = ""

        # Workgroups in x, y and z.
        dispatch = [1, 1, 1]

        [[buffers]]
        name = "Settings"
        set = 0
        binding = 0
        fields.count = 1
        fields.scale = 1

        [[buffers]]
        name = "Pairs"
        set = 0
        binding = 1
        # not known: what the bytes of its structures shall be
        type = "u8"
        shape = [4096]

        [[buffers]]
        name = "Indices"
        set = 0
        binding = 2
        type = "u32"
        shape = [4096]
        fill.integers = { seed = 3, low = 0, high = 15 }

        [[buffers]]
        name = "Out"
        set = 0
        binding = 3
        type = "f32"
        shape = [4096]
        offset = 4
        fields.total = 1

        # What is expected after the run, for example:
        # [[expect]]
        # buffer = "D"
        # equals.matmul = { a = "A", b = "B" }
        # tolerance = { absolute = 1e-3 }
    "##]],
    );
}
