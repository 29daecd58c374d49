//! Descriptor heaps in recipes: buffers, images and data in them, and what checked mode finds where they are not.

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_recipe::modes::first;
use coopmat_recipe::{Files, Host, Overrides, Plan, PlanError, Report, init, parse, run};
use coopmat_spirv::dr::Module;

struct NoFile;

impl Files for NoFile {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("no {path}"))
    }
}

fn module(shader: &str) -> Module {
    let source = format!(
        "#version 460
        #extension GL_KHR_cooperative_matrix : require
        #extension GL_KHR_memory_scope_semantics : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        #extension GL_EXT_nonuniform_qualifier : require
        #extension GL_EXT_scalar_block_layout : require
        #extension GL_EXT_buffer_reference : require
        #extension GL_EXT_samplerless_texture_functions : require
        #extension GL_EXT_descriptor_heap : require
        #extension GL_EXT_structured_descriptor_heap : require
        {shader}"
    );
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis = coopmat_analysis::analyze("/test.comp", source.as_str().into(), &config, &NoFiles, None);
    coopmat_codegen::compile(&analysis, &Default::default()).unwrap().module
}

fn plan(shader: &str, recipe: &str) -> Result<Plan, String> {
    let parsed = parse(recipe).map_err(|error| error.message)?;
    Plan::new(&parsed, recipe, &[(&module(shader)).into()], &NoFile, &Overrides::default()).map_err(|error| {
        match error {
            PlanError::Recipe(error) => format!("{}: {}", &recipe[error.range.clone()], error.message),
            PlanError::Program(_, error) => error.to_string(),
        }
    })
}

/// Runs in checked mode.
fn report(shader: &str, recipe: &str) -> Report {
    let plan = plan(shader, recipe).unwrap();
    let recipe = parse(recipe).unwrap();
    let mut modes = first(&recipe, plan.subgroup_size);
    modes.checked = true;
    let host =
        Host { pool: None, tier: None, observers: Vec::new(), place: &|_, _| None, go_on: &mut |_, _| true };
    run(&plan, &recipe, &modes, host).report
}

fn assert_met(shader: &str, recipe: &str) {
    let report = report(shader, recipe);
    assert!(report.error.is_none() && report.met, "{:#?}", (report.error, report.expectations));
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}

fn findings(shader: &str, recipe: &str) -> Vec<String> {
    let report = report(shader, recipe);
    assert!(report.error.is_none(), "{:?}", report.error);
    report.findings.iter().map(|finding| format!("{}: {}", finding.kind, finding.message)).collect()
}

/// One tile, from buffers of two types that are all in one heap.
const GEMM: &str = "
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { uint a, b, d, k; } push;
layout(descriptor_heap) readonly buffer Halves { float16_t data[]; } halves[];
layout(descriptor_heap) buffer Floats { float data[]; } floats[];
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < push.k; k += 16) {
        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
        coopMatLoad(a, halves[push.a].data, k, push.k, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, halves[push.b].data, k * 16, 16, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStore(sum, floats[push.d].data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}";

const GEMM_RECIPE: &str = r#"
sizes = { k = 64 }
push-constants = { a = 5, b = 2, d = 9, k = 64 }
buffers = [
    { name = "A", heap = 5, type = "f16", shape = [16, "k"], fill.normal = { seed = 1 } },
    { name = "B", heap = 2, type = "f16", shape = ["k", 16], fill.normal = { seed = 2 } },
    { name = "D", heap = 9, type = "f32", shape = [16, 16] },
]

[[expect]]
buffer = "D"
equals.matmul = { a = "A", b = "B" }
tolerance = { absolute = 1e-4 }
"#;

#[test]
fn matrices_are_multiplied_through_a_heap() {
    assert_met(GEMM, GEMM_RECIPE);
}

#[test]
fn a_place_without_a_descriptor_is_a_finding() {
    let with = |d: &str| findings(GEMM, &GEMM_RECIPE.replace("d = 9", d));
    assert_eq!(
        with("d = 8"),
        [
            "empty-descriptor: takes a buffer from index 8 (byte 512) of the resource heap, where no descriptor is"
        ]
    );
    assert_eq!(
        with("d = 50"),
        [
            "out-of-bounds: takes a buffer from index 50 (byte 3200) of the resource heap, which ends after 640 bytes: 10 descriptors of 64 bytes"
        ]
    );
    // An access beyond a buffer names its place.
    let short = &GEMM_RECIPE[..GEMM_RECIPE.find("[[expect").unwrap()];
    let short = short.replace("shape = [\"k\", 16], fill.normal = { seed = 2 }", "shape = [63, 16]");
    assert!(
        findings(GEMM, &short)[0].contains("of the buffer at index 2 (byte 128) of the resource heap"),
        "{:?}",
        findings(GEMM, &short)
    );
}

/// Data, buffers of two types, images, a texture and an address in one block; and each invocation has a buffer of its own.
const STRUCTURED: &str = "
layout(local_size_x = 4) in;
layout(push_constant) uniform Push { uint parts_at; } push;
layout(buffer_type, scalar) buffer Floats { float values[]; };
layout(buffer_type) uniform Scale { vec4 factor; };
layout(buffer_reference, scalar) buffer Behind { float value; };
struct Part { uint add; Floats floats; };
layout(heap_offset = push.parts_at) resourceheap Parts {
    uint count;
    Behind behind;
    Scale scale;
    layout(r32f) image2D canvas;
    texture2D base;
    Part parts[];
} parts;
samplerheap Samplers { sampler nearest; } samplers;
void main() {
    uint i = gl_LocalInvocationIndex;
    uint own = i % parts.count;
    float texel = texelFetch(parts.base, ivec2(i, 0), 0).x
        + textureLod(sampler2D(parts.base, samplers.nearest), vec2(0.9), 0.0).x;
    parts.parts[nonuniformEXT(own)].floats.values[i] =
        float(parts.parts[nonuniformEXT(own)].add) * parts.scale.factor.y + texel + parts.behind.value;
    imageStore(parts.canvas, ivec2(i, 1), vec4(float(i) + 0.5));
}";

const STRUCTURED_RECIPE: &str = r#"
push-constants = { parts_at = 1024 }
buffers = [
    { name = "head", heap = { data = 1024 }, fields = [{ type = "u32", value = 2 }, { type = "u64", value = { address = "behind" } }] },
    { name = "behind", type = "f32", shape = [1], fill.constant = 1000 },
    { name = "scale", heap = { offset = 1088 }, type = "f32", shape = [4], fill.iota = { start = 1, step = 1 } },
    { name = "canvas", heap = { offset = 1152 }, image = "2d", type = "f32", shape = [2, 4, 1] },
    { name = "base", heap = { offset = 1216 }, image = "2d", type = "f32", shape = [1, 4, 1], fill.iota = { start = 10, step = 10 } },
    { name = "first add", heap = { data = 1280 }, type = "u32", shape = [1], fill.constant = 100 },
    { name = "first", heap = { offset = 1344 }, type = "f32", shape = [4] },
    { name = "second add", heap = { data = 1408 }, type = "u32", shape = [1], fill.constant = 200 },
    { name = "second", heap = { offset = 1472 }, type = "f32", shape = [4] },
]

# The texture's last texel is 40, and `scale.y` is 2.
[[expect]]
buffer = "first"
equals.values = [1250, 0, 1270, 0]

[[expect]]
buffer = "second"
equals.values = [0, 1460, 0, 1480]

[[expect]]
buffer = "canvas"
equals.values = [0, 0, 0, 0, 0.5, 1.5, 2.5, 3.5]
"#;

#[test]
fn a_block_has_data_buffers_and_images() {
    assert_met(STRUCTURED, STRUCTURED_RECIPE);
    // An image where a buffer should be.
    let swapped = STRUCTURED_RECIPE.replace(
        r#"heap = { offset = 1344 }, type = "f32", shape = [4]"#,
        r#"heap = { offset = 1344 }, image = "1d", type = "f32", shape = [4, 1]"#,
    );
    let swapped = &swapped[..swapped.find("# The").unwrap()];
    assert_eq!(
        findings(STRUCTURED, swapped),
        [
            "empty-descriptor: takes a buffer from index 21 (byte 1344) of the resource heap, where an image is described"
        ]
    );
}

/// An atomic operation on an image in the heap, at the distance that the shader says.
#[test]
fn an_array_has_a_stride_of_its_own() {
    let shader = "
        layout(local_size_x = 32) in;
        layout(descriptor_heap, descriptor_stride = 128, r32ui) uniform uimage2D images[];
        void main() { imageAtomicAdd(images[3], ivec2(1, 0), gl_LocalInvocationIndex); }";
    let recipe = r#"
        buffers = [{ name = "counts", heap = { offset = 384 }, image = "2d", type = "u32", shape = [1, 2, 1] }]
        expect = [{ buffer = "counts", equals.values = [0, 496] }]"#;
    assert_met(shader, recipe);
}

#[test]
fn what_a_recipe_lacks_is_told() {
    let error = |recipe: &str| plan(GEMM, recipe).unwrap_err();
    assert!(
        error("push-constants = { a = 0, b = 0, d = 0, k = 0 }").contains("the recipe puts nothing there")
    );
    let twice = GEMM_RECIPE.replace("heap = 2,", "heap = 5,");
    assert_eq!(error(&twice), "5: `A` is at index 5 of the resource heap as well");
    let bound = GEMM_RECIPE.replace("heap = 2,", "heap = 2, binding = 0,");
    assert_eq!(error(&bound), "2: what is in a heap has no `set`, `binding` or `index`");
    let unused = "layout(binding = 0) buffer B { uint b; }; void main() { b = 1u; }";
    let recipe = "buffers = [{ name = \"B\", heap = 0, type = \"u32\", shape = [1] }]";
    assert_eq!(plan(unused, recipe).unwrap_err(), "0: the shader takes nothing from the resource heap");
}

/// The first recipe of such a shader runs.
#[test]
fn a_first_recipe_puts_something_there() {
    let shader =
        "layout(descriptor_heap) buffer B { float b[]; } heap[]; void main() { heap[0].b[1] = 2.0; }";
    let module = module(shader);
    let program = coopmat_simulator::Program::new(&module, &Default::default()).unwrap();
    let text = init(&(&module).into(), &program, "x.comp", "default");
    assert!(text.contains("heap = 0\n"), "{text}");
    assert!(findings(shader, &text).is_empty());
}
