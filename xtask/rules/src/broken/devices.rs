//! What a target device says: the rules of the Vulkan environment that need a profile.

use coopmat_analysis::extensions::ids;
use coopmat_analysis::types::Scalar;

use crate::parts::{Matrix, USE_A, USE_ACCUMULATOR, USE_B};
use crate::shader::{CONVERTING, Settings, Shader, marked};
use crate::suite::Suite;

/// A device that lists its shapes, and one whose shapes are flexible.
const LISTED: &str = "amd-rdna3";
const FLEXIBLE: &str = "nvidia-h200";

fn on(device: &'static str, invocations: u32) -> Shader {
    let mut shader = Shader { invocations, ..Shader::default() };
    shader.settings = Settings { device: Some(device), ..Settings::default() };
    shader.require(ids::GL_KHR_COOPERATIVE_MATRIX);
    shader
}

pub fn add(suite: &mut Suite) {
    matrix_types(suite);
    products(suite);
    features(suite);
    workgroups(suite);
    sub_arrays(suite);
}

fn matrix_types(suite: &mut Suite) {
    let mut check = |device, invocations, valid: Matrix, wrong: Matrix| {
        let mut shader = on(device, invocations);
        valid.declare(&mut shader);
        let mut right = shader.clone();
        right.locals.push(format!("{valid} value;"));
        let twin = suite.twin("coopmat", right.text(), right.settings);
        let mut broken = shader.clone();
        let text = wrong.to_string().replacen("coopmat", &marked("coopmat"), 1);
        broken.locals.push(format!("{text} value;"));
        suite.case(
            twin,
            "a matrix type is one that the target device has",
            &["device-matrix-type"],
            broken.text(),
            broken.settings,
        );
    };
    let half = |rows, columns, usage| Matrix::new(Scalar::Float16, rows, columns, usage);
    for (usage, rows, columns) in [(USE_A, 16, 32), (USE_A, 8, 16), (USE_B, 32, 16), (USE_ACCUMULATOR, 16, 8)]
    {
        check(LISTED, 64, half(16, 16, usage), half(rows, columns, usage));
    }
    check(LISTED, 64, half(16, 16, USE_A), Matrix::new(Scalar::Float64, 16, 16, USE_A));
    for (usage, rows, columns) in [(USE_A, 24, 16), (USE_B, 16, 24), (USE_ACCUMULATOR, 40, 16)] {
        check(FLEXIBLE, 32, half(32, 64, usage), half(rows, columns, usage));
    }
}

fn products(suite: &mut Suite) {
    let product = |device, invocations, components: [Scalar; 3], mark: bool| {
        let mut shader = on(device, invocations);
        let [a, b, c] = components;
        let types = [
            Matrix::new(a, 16, 32, USE_A),
            Matrix::new(b, 32, 16, USE_B),
            Matrix::new(c, 16, 16, USE_ACCUMULATOR),
        ];
        for (ty, name) in types.iter().zip(["a", "b", "c"]) {
            ty.declare(&mut shader);
            shader.locals.push(format!("{ty} {name} = {};", ty.filled()));
        }
        let call = "coopMatMulAdd(a, b, c)".to_owned();
        shader.body.push(format!("c = {};", if mark { marked(call) } else { call }));
        shader
    };
    let right = product(FLEXIBLE, 32, [Scalar::Float16, Scalar::Float16, Scalar::Float32], false);
    let twin = suite.twin("coopMatMulAdd", right.text(), right.settings);
    for components in [
        [Scalar::BFloat16, Scalar::BFloat16, Scalar::Float16],
        [Scalar::Float16, Scalar::BFloat16, Scalar::Float32],
    ] {
        let broken = product(FLEXIBLE, 32, components, true);
        suite.case(
            twin,
            "a multiply-add is one that the target device has",
            &["device-matrix-muladd"],
            broken.text(),
            broken.settings,
        );
    }
}

fn features(suite: &mut Suite) {
    // A device that has matrices, but none of the second extension's tensors.
    let mut shader = on("lavapipe", 8);
    shader.require(ids::GL_NV_COOPERATIVE_MATRIX2);
    shader.declare("layout(binding = 0) buffer Data { float16_t data[]; };");
    let matrix = Matrix::new(Scalar::Float16, 8, 8, USE_ACCUMULATOR);
    matrix.declare(&mut shader);
    shader.locals.push(format!("{matrix} m = {};", matrix.filled()));
    let mut right = shader.clone();
    right.body.push("coopMatLoad(m, data, 0, 8, gl_CooperativeMatrixLayoutRowMajor);".to_owned());
    let twin = suite.twin("coopMatLoadTensorNV", right.text(), right.settings);
    shader.locals.push(format!("tensorLayoutNV<2> tensor = {};", marked("createTensorLayoutNV(2)")));
    shader.body.push("tensor = setTensorLayoutDimensionNV(tensor, 8, 8);".to_owned());
    shader.body.push("coopMatLoadTensorNV(m, data, 0, tensor);".to_owned());
    suite.case(
        twin,
        "the target device has the feature",
        &["device-feature"],
        shader.text(),
        shader.settings,
    );
    // No profile lists cooperative matrices in fragment shaders.
    let matrix = Matrix::new(Scalar::Float16, 16, 16, USE_A);
    let mut right = on(FLEXIBLE, 32);
    right.locals.push(format!("{matrix} value;"));
    let twin = suite.twin("coopmat", right.text(), right.settings);
    let mut broken = on(FLEXIBLE, 32);
    broken.settings.fragment = true;
    broken.locals.push(format!("{} value;", matrix.to_string().replacen("coopmat", &marked("coopmat"), 1)));
    suite.case(twin, "the stage may have matrices", &["device-stage"], broken.text(), broken.settings);
}

fn workgroups(suite: &mut Suite) {
    let matrix = Matrix::new(Scalar::Float16, 16, 16, USE_A);
    let shader = |top: &str, shape: &str| {
        let mut shader = on(FLEXIBLE, 32);
        shader.locals.push(format!("{matrix} value;"));
        if !top.is_empty() {
            shader.declare(top);
        }
        let mut text = shader.text();
        let line = "layout(local_size_x = 32) in;";
        if !shape.is_empty()
            && let Some(at) = text.text.find(line)
        {
            text.text.replace_range(at..at + line.len(), shape);
            text.places.push(at..at + shape.len());
        }
        (text, shader.settings)
    };
    let (text, settings) = shader("", "");
    let twin = suite.twin("coopmat", text, settings);
    for (shape, rule) in [
        ("layout(local_size_x = 16, local_size_y = 4) in;", "a whole number of subgroups in x"),
        ("layout(local_size_x = 2048) in;", "no more invocations than the device allows"),
    ] {
        let (text, settings) = shader("", shape);
        suite.case(twin, rule, &["device-workgroup"], text, settings);
    }
    let (text, settings) = shader(&format!("shared vec4 {}[8192];", marked("tile")), "");
    suite.case(twin, "no more shared memory than the device has", &["device-shared-memory"], text, settings);
}

fn sub_arrays(suite: &mut Suite) {
    let shader = |source: u32, target: u32, mark: Option<bool>| {
        let mut shader = on(CONVERTING, 32);
        shader.require(ids::GL_QCOM_COOPERATIVE_MATRIX_CONVERSION);
        shader.locals.push(format!("uint source[{source}];"));
        shader.locals.push("source[0] = 1;".to_owned());
        shader.locals.push(format!("uint part[{target}];"));
        let name = |name: &str, marks: bool| if marks { marked(name) } else { name.to_owned() };
        let (source, part) = (name("source", mark == Some(true)), name("part", mark == Some(false)));
        shader.body.push(format!("extractSubArrayQCOM({source}, 0, {part});"));
        shader
    };
    let right = shader(16, 16, None);
    let twin = suite.twin("extractSubArrayQCOM", right.text(), right.settings);
    for (source, target, mark) in [(32, 16, true), (16, 4, false)] {
        let broken = shader(source, target, Some(mark));
        suite.case(
            twin,
            "lengths that the target device lists",
            &["qcom-subarray-device"],
            broken.text(),
            broken.settings,
        );
    }
}
