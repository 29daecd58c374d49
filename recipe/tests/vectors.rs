//! Matrices of cooperative vectors in recipes: converted into the layouts that a shader takes, and back for what is expected.

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_recipe::component::Component;
use coopmat_recipe::modes::first;
use coopmat_recipe::{Conversion, Files, Host, Overrides, Plan, PlanError, Report, parse, run};
use coopmat_simulator::CooperativeVectorMatrixLayout;

struct Weights(Vec<u8>);

impl Files for Weights {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.clone())
    }
}

/// Two layers of 9x5 weights each, and the sums of the outer products of what goes in and comes out.
const SHADER: &str = "#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Weights { uint8_t weights[]; };
layout(binding = 1) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 2) buffer Outputs { float16_t outputs[]; };
layout(binding = 3) buffer Gradients { float gradients[]; };
#define E4M3 gl_ComponentTypeFloatE4M3NV
void main() {
    uint lane = gl_LocalInvocationIndex;
    coopvecNV<float16_t, 5> x;
    coopVecLoadNV(x, inputs, lane * 16);
    coopvecNV<float16_t, 9> y;
    // The second matrix begins after 16x8 elements.
    coopVecMatMulNV(y, x, E4M3, weights, 128, E4M3, 9, 5, gl_CooperativeVectorMatrixLayoutInferencingOptimalNV, false, 0);
    coopVecStoreNV(y, outputs, lane * 32);
    coopVecOuterProductAccumulateNV(y, x, gradients, 0, 0, gl_CooperativeVectorMatrixLayoutTrainingOptimalNV,
        gl_ComponentTypeFloat32NV);
}
";

const RECIPE: &str = r#"
[[buffers]]
name = "Weights"
type = "e4m3"
shape = [2, 9, 5]
layout = "inferencing-optimal"
fill.formula = "matrix * (row - 2 * column)"

[[buffers]]
name = "Inputs"
shape = [8, 5]
stride = 8
fill.integers = { seed = 1, low = -3, high = 3 }

[[buffers]]
name = "Outputs"
shape = [8, 9]
stride = 16

[[buffers]]
name = "Gradients"
shape = [9, 5]
layout = "training-optimal"
fill.constant = 0.5

[[references]]
name = "second"
equals.gather = { input = "Weights", at = ["1", "row", "column"], shape = [9, 5] }

[[references]]
name = "y"
equals.matmul = { a = "Inputs", b = "second", transpose-b = true }

[[expect]]
buffer = "Outputs"
equals.value = "y"

[[expect]]
buffer = "Gradients"
equals.matmul = { a = "y", transpose-a = true, b = "Inputs", c = "Gradients" }
"#;

fn plan_with(recipe: &str, files: &dyn Files) -> Result<Plan, String> {
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis = coopmat_analysis::analyze("/test.comp", SHADER.into(), &config, &NoFiles, None);
    let compiled = coopmat_codegen::compile(&analysis, &Default::default()).unwrap();
    let parsed = parse(recipe).map_err(|error| error.message)?;
    let plan = Plan::new(&parsed, recipe, &[(&compiled.module).into()], files, &Overrides::default());
    plan.map_err(|error| match error {
        PlanError::Recipe(error) => format!("{}: {}", &recipe[error.range.clone()], error.message),
        PlanError::Program(_, error) => error.to_string(),
    })
}

fn plan(recipe: &str) -> Result<Plan, String> {
    plan_with(recipe, &Weights(Vec::new()))
}

fn report(plan: &Plan, recipe: &str) -> (Report, Vec<Vec<u8>>) {
    let recipe = parse(recipe).unwrap();
    let host =
        Host { pool: None, tier: None, observers: Vec::new(), place: &|_, _| None, go_on: &mut |_, _| true };
    let finished = run(plan, &recipe, &first(&recipe, plan.subgroup_size), host);
    (finished.report, finished.buffers)
}

#[test]
fn matrices_are_converted_before_the_run_and_after_it() {
    let (report, _) = report(&plan(RECIPE).unwrap(), RECIPE);
    assert!(report.error.is_none() && report.met, "{:#?}", (report.error, report.expectations));
    // They would not be right in another layout.
    let other = RECIPE.replace("inferencing-optimal", "training-optimal");
    assert!(!self::report(&plan(&other).unwrap(), &other).0.met);
}

#[test]
fn a_file_has_the_rows_of_the_matrix() {
    let recipe =
        RECIPE.replace(r#"fill.formula = "matrix * (row - 2 * column)""#, r#"fill.file = "weights.bin""#);
    let rows: Vec<u8> = (0..90).map(|index| if index < 45 { 0 } else { (index * 5 % 48) as u8 }).collect();
    let plan = plan_with(&recipe, &Weights(rows.clone())).unwrap();
    assert!(report(&plan, &recipe).0.met);
    let elements = plan.buffers[0].elements(&plan.buffers[0].bytes).unwrap();
    assert_eq!(elements.data[45 + 7], Component::E4m3.decode(u64::from(rows[45 + 7])));
    let error = plan_with(&recipe, &Weights(rows[1..].to_vec())).unwrap_err();
    assert!(
        error.ends_with("the file has 89 bytes, but the rows of the matrix, one after the other, take 90"),
        "{error}"
    );
}

#[test]
fn a_device_is_told_what_to_convert() {
    let plan = plan(RECIPE).unwrap();
    let weights = |matrix: usize| Conversion {
        buffer: 0,
        matrix,
        offset: matrix * 128,
        room: (matrix == 0).then_some(128),
        rows: 9,
        columns: 5,
        component: Component::E4m3,
        layout: CooperativeVectorMatrixLayout::InferencingOptimal,
        host: Component::F32,
        host_stride: 20,
        filled: true,
    };
    let conversions = plan.conversions();
    let gradients = Conversion {
        buffer: 3,
        matrix: 0,
        offset: 0,
        room: None,
        component: Component::F32,
        layout: CooperativeVectorMatrixLayout::TrainingOptimal,
        ..weights(0)
    };
    assert_eq!(conversions, [weights(0), weights(1), gradients]);
    // Rows of floats, from what the simulator has for them, and back.
    let bytes = &plan.buffers[0].bytes;
    let rows = plan.rows(&conversions[1], bytes);
    let numbers: Vec<f32> =
        rows.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
    let wanted: Vec<f32> = (0..45).map(|index| (index / 5 - 2 * (index % 5)) as f32).collect();
    assert_eq!(numbers, wanted);
    let mut again = vec![0xff; bytes.len()];
    for conversion in &conversions[..2] {
        plan.set_rows(conversion, &plan.rows(conversion, bytes), &mut again);
    }
    assert_eq!(again, *bytes);
}

#[test]
fn what_a_layout_does_not_have_is_an_error_at_its_place() {
    let weights = "shape = [2, 9, 5]\n";
    let error = |changed: &str| plan(&RECIPE.replace(weights, changed)).unwrap_err();
    assert_eq!(
        error("shape = [2, 9, 5]\nstride = 8\n"),
        "8: the layout inferencing-optimal has no stride: leave it out"
    );
    assert_eq!(
        error("shape = [90]\n"),
        "[90]: a matrix in the layout inferencing-optimal has rows and columns: this has 1 dimension"
    );
    let error = error("shape = [2, 9, 5]\nmatrix-stride = 45\n");
    assert!(
        error.ends_with(
            "the matrix stride is 45, but a matrix of 9x5 in the layout inferencing-optimal takes 128 elements, with the padding"
        ),
        "{error}"
    );
    for (name, text) in [("bf16", "\"bf16\""), ("q8_0", "\"q8_0\"")] {
        let error = plan(&RECIPE.replace("\"e4m3\"", text)).unwrap_err();
        assert_eq!(
            error,
            format!(
                "{text}: `{name}` is no component type of cooperative vectors: a matrix in the layout inferencing-optimal has another one"
            )
        );
    }
}
